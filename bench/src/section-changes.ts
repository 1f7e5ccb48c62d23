import type { Page } from '@playwright/test';

import type { Bench } from './company.ts';
import { inBrowser, openDashboard } from './dashboard-page.ts';
import { percentile } from './median.ts';
import { milliseconds } from './report.ts';
import type { Row, Section } from './report.ts';
import { adminEmail, clientEmail, commercialEmail } from '@parrain/database/seed';

/** The sections that show rows, as the menus name them. */
const PEOPLE = [
  {
    who: 'admin',
    email: adminEmail,
    path: '/admin/dashboard',
    sections: ['Ventes', 'Clients', 'Validations', 'Commerciaux', 'Demandes de Paiement', 'Commissions', 'Journal'],
  },
  {
    who: 'commercial',
    email: commercialEmail(7),
    path: '/commercial/dashboard',
    sections: ['Mes Clients', "Contrats d'affiliation", 'Parrainages reçus'],
  },
  {
    who: 'client',
    email: clientEmail(7),
    path: '/client/dashboard',
    sections: ['Mes Commissions', 'Contrats Validés', 'Demandes de Paiement', 'Mes Parrainages'],
  },
] as const;

interface Changes {
  first: number[];
  again: number[];
  /** Sum of the layout shifts that no press caused. */
  shift: number;
}

/**
 * P10: from the press on a section's word in the menu to the frame that shows its rows, in a real Chromium at 1280 × 800: the first
 * visit (code and rows come), and later ones (rows are there, and read again behind).
 */
export async function sectionChanges(bench: Bench): Promise<Section> {
  return inBrowser(async (browser) => {
    const rows: Row[] = [];
    for (const { who, email, path, sections } of PEOPLE) {
      bench.say(`sections: ${who}`);
      const all: Changes = { first: [], again: [], shift: 0 };
      for (let round = 0; round < bench.rounds; round += 1) {
        const page = await openDashboard(bench, browser, email, path);
        const seen = await changesOf(page, sections, Math.max(3, Math.round(bench.seconds * 5)));
        all.first.push(...seen.first);
        all.again.push(...seen.again);
        all.shift = Math.max(all.shift, seen.shift);
        await page.context().close();
      }
      rows.push(
        { what: `${who}, first visit, ${all.first.length}`, ours: spread(all.first), goal: 'p95 ≤ 200 ms' },
        { what: `${who}, again, ${all.again.length}`, ours: spread(all.again), goal: 'p95 ≤ 100 ms' },
        { what: `${who}, layout shift`, ours: all.shift.toFixed(3), goal: '0' },
      );
    }
    return { title: 'A change of section, from the press to its rows on screen (Chromium)', rows };
  });
}

async function changesOf(page: Page, sections: readonly string[], times: number): Promise<Changes> {
  await page.evaluate(() => {
    const shifts = { sum: 0 };
    Object.assign(globalThis, { shifts });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & { value: number; hadRecentInput: boolean })[]) {
        if (!entry.hadRecentInput) shifts.sum += entry.value;
      }
    }).observe({ type: 'layout-shift' });
  });
  const first: number[] = [];
  const again: number[] = [];
  for (const label of sections) first.push(await change(page, label));
  for (let round = 0; round < times; round += 1) {
    for (const label of sections) again.push(await change(page, label));
  }
  const shift = await page.evaluate(() => (globalThis as unknown as { shifts: { sum: number } }).shifts.sum);
  return { first, again, shift };
}

/** Presses a section's word, and gives the milliseconds until the frame after its rows came. */
async function change(page: Page, label: string): Promise<number> {
  await page.evaluate((name) => {
    const taken = Promise.withResolvers<number>();
    Object.assign(globalThis, { taken: taken.promise });
    const textOf = (element: Element | null) => element?.textContent?.trim() ?? '';
    const isShown = () =>
      textOf(document.querySelector('main h2')) === name &&
      document.querySelector('main :is(tbody tr, article, li)') !== null &&
      ![...document.querySelectorAll('main [role=status]')].some((note) => textOf(note).startsWith('Chargement'));
    addEventListener(
      'click',
      ({ timeStamp }) => {
        const look = () => {
          if (isShown()) requestAnimationFrame((now) => taken.resolve(now - timeStamp));
          else requestAnimationFrame(look);
        };
        requestAnimationFrame(look);
      },
      { once: true, capture: true },
    );
  }, label);
  const menu = page.getByRole('navigation', { name: 'Sections' }).first();
  await menu
    .getByRole('link', { name: label })
    .or(menu.getByRole('button', { name: label }))
    .click();
  const taken = await page.evaluate(() => (globalThis as unknown as { taken: Promise<number> }).taken);
  await page.waitForLoadState('networkidle');
  return taken;
}

function spread(values: readonly number[]): string {
  return `p50 ${milliseconds(percentile(values, 0.5))}, p95 ${milliseconds(percentile(values, 0.95))}`;
}
