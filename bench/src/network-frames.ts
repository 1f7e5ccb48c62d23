import type { Page } from '@playwright/test';

import type { Bench } from './company.ts';
import { inBrowser, openDashboard } from './dashboard-page.ts';
import { percentile } from './median.ts';
import { grouped, milliseconds } from './report.ts';
import type { Section } from './report.ts';
import { adminEmail } from '@parrain/database/seed';

/** The network that must stay smooth (NW-01). */
const PEOPLE = 5_000;
const ROW_PX = 64;
const FRAMES = 240;
/** About a flick of the finger a frame: new rows come into sight at each. */
const STEP_PX = 160;

/** NW-01: the frames of the admin's network while it is scrolled, with 5 000 people unfolded. */
export async function networkFrames(bench: Bench): Promise<Section> {
  bench.say('network: unfolding');
  return inBrowser(async (browser) => {
    const page = await openDashboard(bench, browser, adminEmail, '/admin/dashboard?section=reseau');
    const unfolded = await unfold(page, Math.min(PEOPLE, bench.sizes.clients));
    bench.say(`network: scrolling through ${grouped(unfolded)} rows`);
    const frames: number[] = [];
    for (let round = 0; round < bench.rounds; round += 1) frames.push(...(await scroll(page)));
    return {
      title: `The network while it is scrolled, ${grouped(unfolded)} rows (Chromium)`,
      rows: [
        { what: `a frame, p95 of ${grouped(frames.length)}`, ours: milliseconds(percentile(frames, 0.95)) },
        { what: 'the longest frame', ours: milliseconds(Math.max(...frames)), goal: '≤ 50 ms' },
      ],
    };
  });
}

/** Opens branches, the last commercial's first, until so many people are there; resolves with the rows of the tree. */
async function unfold(page: Page, people: number): Promise<number> {
  const tree = page.getByRole('tree');
  await tree.getByRole('treeitem').nth(1).waitFor();
  const rows = () => tree.evaluate((element, row) => element.clientHeight / row, ROW_PX);
  await tree.getByRole('treeitem').first().focus();
  await page.keyboard.press('End');
  let known = await rows();
  while (known < people) {
    await page.keyboard.press('ArrowRight');
    await page.waitForFunction(
      ([least, row]) => (document.querySelector('[role=tree]')?.clientHeight ?? 0) / row > least,
      [known, ROW_PX] as const,
    );
    known = await rows();
    await page.keyboard.press('ArrowUp');
  }
  return known;
}

/** The milliseconds of each frame from the top towards the foot. */
async function scroll(page: Page): Promise<number[]> {
  return page.getByRole('tree').evaluate(
    async (tree, { count, step }) => {
      const scroller = tree.parentElement as HTMLElement;
      scroller.scrollTop = 0;
      const frame = () => new Promise<number>((resolve) => requestAnimationFrame(resolve));
      const taken: number[] = [];
      await frame();
      for (let before = await frame(); taken.length < count;) {
        scroller.scrollTop += step;
        const now = await frame();
        taken.push(now - before);
        before = now;
      }
      return taken;
    },
    { count: FRAMES, step: STEP_PX },
  );
}
