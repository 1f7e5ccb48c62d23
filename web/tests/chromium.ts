import {
  chromium,
  expect,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
} from '@playwright/test';
import { beforeAll, onTestFinished } from 'vitest';
import { testLaunch } from '../../scripts/lib/chromium.mjs';

export interface OpenOptions extends BrowserContextOptions {
  /** Before the page's own scripts: routes, storage. */
  prepare?: ((page: Page) => Promise<void>) | undefined;
}

/** Playwright's own half a minute is less than a busy machine takes to write a hundred papers, or to start a page. */
const PATIENCE = 120_000;

/** Waits for what a page shows; long enough for a busy machine, because only what never comes fails. */
export const expectPage = expect.configure({ timeout: 60_000 });

/** The page comes to be no wider than its window: nothing is cut off, and nothing is to be scrolled to sideways. */
export const expectNoOverflow = (page: Page): Promise<void> =>
  expectPage
    .poll(() => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth), {
      message: `what stands beyond ${page.viewportSize()?.width} px`,
    })
    .toBe(0);

/** One Chromium a worker: its files come one after the other, and it ends with the worker's process. */
let started: Promise<Browser> | undefined;

function theBrowser(): Promise<Browser> {
  started ??= chromium.launch(testLaunch());
  return started;
}

/**
 * Has the context leave its routes before it closes: a `route.fetch` still under way then would reject outside every test, which
 * fails the run.
 */
function leaveRoutesBeforeClosing(context: BrowserContext): void {
  const close = context.close.bind(context);
  context.close = async (options) => {
    await Promise.all(context.pages().map((page) => page.unrouteAll({ behavior: 'ignoreErrors' })));
    await close(options);
  };
}

/** Beside a failure, for what comes once in many runs: where the page was, and its words. */
async function tellWhatItShows(page: Page): Promise<void> {
  if (page.isClosed()) return;
  const text = await page.locator('body').innerText({ timeout: 5000 }).catch(String);
  process.stderr.write(`The page was at ${page.url()} and showed:\n${text.slice(0, 2000)}\n`);
}

/**
 * Opens pages for the tests of a file; every page has a context of its own, closed with its test: one left open would draw every
 * live change that a later test makes. A console error fails the test that looks at it.
 */
export function chromiumPages() {
  beforeAll(async () => {
    await theBrowser();
  });
  return async (url: string, { prepare, ...options }: OpenOptions = {}): Promise<{ page: Page; errors: string[] }> => {
    const browser = await theBrowser();
    const context = await browser.newContext({ locale: 'fr-FR', reducedMotion: 'reduce', ...options });
    context.setDefaultTimeout(PATIENCE);
    leaveRoutesBeforeClosing(context);
    const page = await context.newPage();
    onTestFinished(async ({ task }) => {
      if (task.result?.state === 'fail') await tellWhatItShows(page);
      await context.close();
    });
    const errors: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(`${message.text()} (${message.location().url})`);
    });
    page.on('pageerror', (error) => errors.push(error.message));
    await prepare?.(page);
    await page.goto(url);
    return { page, errors };
  };
}
