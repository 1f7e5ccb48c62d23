import { chromium } from '@playwright/test';
import type { Browser, Page } from '@playwright/test';

import { findChromium } from '../../scripts/lib/chromium.mjs';
import { ensureWebBuilt } from '../../scripts/lib/build-web.mjs';
import { signIn } from './company.ts';
import type { Bench } from './company.ts';

/** Runs the work in a real Chromium over the built application. */
export async function inBrowser<Result>(work: (browser: Browser) => Promise<Result>): Promise<Result> {
  await ensureWebBuilt();
  const found = findChromium();
  const browser = await chromium.launch({
    executablePath: found.path,
    args: ['--no-sandbox'],
    env: { ...process.env, ...found.env },
  });
  try {
    return await work(browser);
  } finally {
    await browser.close();
  }
}

/** A person's dashboard at 1280 × 800, signed in and at rest. The caller closes its context. */
export async function openDashboard(bench: Bench, browser: Browser, email: string, path: string): Promise<Page> {
  const { session } = await signIn(bench, email);
  const context = await browser.newContext({ locale: 'fr-FR', viewport: { width: 1280, height: 800 } });
  await context.addInitScript(
    (text) => localStorage.setItem('parrain-session', text),
    JSON.stringify({ ...session, expires_at: Math.floor(Date.now() / 1000) + 3600 }),
  );
  const page = await context.newPage();
  await page.goto(`${bench.product.url}${path}`);
  await page.getByRole('navigation', { name: 'Sections' }).first().waitFor();
  await page.waitForLoadState('networkidle');
  return page;
}
