import type { Page, Request } from '@playwright/test';
import { describe, expect, test } from 'vitest';
import { chromiumPages, expectPage } from './chromium.ts';
import { dashboards, sectionStands } from './dashboards.ts';
import { demoEmails, realServer } from './real-server.ts';

// The room that is kept for what comes: nothing on screen moves, however slow the line and whatever comes first.

const server = realServer({ mail: false });
const { openAs } = dashboards(server.origin, chromiumPages());

type Role = 'admin' | 'client';

/** Opens a section of a first load; what `isLate` names among the server's answers comes once the given promise is there. */
async function openSlowly(
  role: Role,
  section: string,
  viewport: { width: number; height: number },
  isLate: (request: Request) => boolean,
) {
  const late = Promise.withResolvers<void>();
  const { page, errors } = await openAs(role, demoEmails[role], {
    viewport,
    prepare: async (opened) => {
      await opened.route(/\/(?:rest|functions)\/v1\//u, async (route) => {
        if (isLate(route.request())) await late.promise;
        await route.continue().catch(() => undefined);
      });
      await opened.addInitScript(countShifts, section);
    },
  });
  return { page, errors, come: late.resolve };
}

/** Runs in the page: names the section in its address, and adds up what Chromium calls a layout shift. */
function countShifts(section: string): void {
  if (!location.search.includes(section)) history.replaceState(null, '', `?section=${section}`);
  const shifts: number[] = [];
  Object.assign(globalThis, { shifts });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) shifts.push((entry as PerformanceEntry & { value: number }).value);
  }).observe({ type: 'layout-shift', buffered: true });
}

const shiftOf = (page: Page) =>
  page.evaluate(async () => {
    // What was drawn last is reported after the next frames.
    for (let frames = 0; frames < 3; frames += 1) await new Promise((next) => requestAnimationFrame(next));
    return (globalThis as unknown as { shifts: number[] }).shifts.reduce((sum, value) => sum + value, 0);
  });

describe('a section that comes slowly', () => {
  test.each([
    ['admin', 'etat-du-systeme', 'État du système', 360, /system_state|system-state/u],
    ['admin', 'integrations', 'Intégrations', 360, /api_keys|webhooks/u],
    ['admin', 'cas-douteux', 'Cas douteux', 1280, /doubt/u],
    ['client', 'mes-commissions', 'Mes Commissions', 1280, /client_months|commissions|client_figures/u],
  ] as const)('[NV-06] moves nothing: %s, « %s »', async (role, section, title, width, late) => {
    const { page, errors, come } = await openSlowly(role, section, { width, height: 800 }, (request) =>
      late.test(request.url()),
    );
    await expectPage(page.getByRole('heading', { level: 2, name: title })).toBeVisible();
    // Its skeleton is on screen.
    await expectPage(page.locator('main .animate-late').first()).toBeVisible();
    come();
    await sectionStands(page, title);
    await expectPage(page.locator('main .animate-late')).toHaveCount(0);
    expect(await shiftOf(page)).toBeLessThan(0.02);
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test('[DF-14] the company’s name is drawn once it is known, and no other before it', async () => {
    const { page, errors, come } = await openSlowly('admin', 'journal', { width: 1280, height: 800 }, (request) =>
      request.url().includes('company-settings'),
    );
    await sectionStands(page, 'Journal');
    await expectPage(page.getByRole('banner')).not.toContainText('Mon Entreprise');
    expect(await page.title()).toBe('Journal');
    come();
    await expectPage(page.getByRole('banner')).toContainText('Lumeo Habitat');
    await expectPage(page).toHaveTitle('Journal – Lumeo Habitat');
    expect(await shiftOf(page)).toBeLessThan(0.02);
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test('[AD-01] the menu of an admin stays where it is when its counts come', async () => {
    const { page, errors, come } = await openSlowly('admin', 'journal', { width: 1280, height: 800 }, (request) =>
      request.url().includes('admin_figures'),
    );
    const menu = page.getByRole('navigation', { name: 'Sections', exact: true });
    const places = () =>
      menu.getByRole('link').evaluateAll((links) => links.map((link) => link.getBoundingClientRect().y));
    await sectionStands(page, 'Journal');
    const before = await places();
    come();
    await expectPage(menu.getByRole('link', { name: /^Demandes de Paiement \d+/u })).toBeVisible();
    expect(await places()).toEqual(before);
    expect(errors).toEqual([]);
    await page.context().close();
  });
});
