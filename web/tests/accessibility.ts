import type { Page } from '@playwright/test';
import axe from 'axe-core';
import { setTimeout as wait } from 'node:timers/promises';

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'RGAAv4', 'best-practice'];

/** Time that a page has to stand before what it breaks is believed, and pause between two readings. */
const PATIENCE = 60_000;
const BETWEEN_READINGS = 500;

/**
 * The rules of WCAG 2.2 AA and RGAA 4 that a page breaks, each with where; none is what a test wants. A page that breaks one
 * is read again, as Playwright asks again for what it expects: for an instant between two pictures a colour fades or a
 * heading is missing, and nobody meets that. What stands broken, stands broken each time. `within` reads what it selects alone.
 */
export async function brokenRules(page: Page, within = ':root'): Promise<string[]> {
  const end = Date.now() + PATIENCE;
  for (;;) {
    const broken = await readRules(page, within);
    if (broken.length === 0 || Date.now() > end) return broken;
    await wait(BETWEEN_READINGS);
  }
}

/**
 * One reading. axe runs in the page itself: its package for Playwright opens a second page to add up the frames, of which
 * ours have none, and takes three times the processor.
 */
async function readRules(page: Page, within: string): Promise<string[]> {
  if (page.frames().length > 1) throw new Error('This page has frames, which axe is not run in');
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source);
  return page.evaluate(
    async ([selector, values]) => {
      const { axe: inPage } = globalThis as unknown as { readonly axe: typeof axe };
      const { violations } = await inPage.run(selector, {
        runOnly: { type: 'tag', values },
        resultTypes: ['violations'],
      });
      return violations.map((found) => `${found.id}: ${found.nodes.map((node) => node.html).join(' ')}`);
    },
    [within, RULES] as const,
  );
}
