import { chromium, type Browser, type BrowserContextOptions, type Page } from '@playwright/test';
import { afterAll, beforeAll } from 'vitest';
import { findChromium } from '../../scripts/lib/chromium.mjs';

export interface OpenOptions extends BrowserContextOptions {
  /** Before the page's own scripts: routes, storage. */
  prepare?: ((page: Page) => Promise<void>) | undefined;
}

/** A Chromium for the tests of a file; every page stands alone, and a console error fails the test that closes it. */
export function chromiumPages() {
  let browser: Browser | undefined;
  beforeAll(async () => {
    const found = findChromium();
    browser = await chromium.launch({
      executablePath: found.path,
      args: ['--no-sandbox'],
      env: { ...process.env, ...found.env },
    });
  });
  afterAll(() => browser?.close());
  return async (url: string, { prepare, ...options }: OpenOptions = {}): Promise<{ page: Page; errors: string[] }> => {
    if (!browser) throw new Error('Chromium did not start');
    const context = await browser.newContext({ locale: 'fr-FR', reducedMotion: 'reduce', ...options });
    const page = await context.newPage();
    const errors: string[] = [];
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    page.on('pageerror', (error) => errors.push(error.message));
    await prepare?.(page);
    await page.goto(url);
    return { page, errors };
  };
}
