import type { Page } from '@playwright/test';
import { expect, test } from 'vitest';
import { chromiumPages, expectPage } from './chromium.ts';
import { dashboards, pickSection, sectionStands } from './dashboards.ts';
import { demoEmails, realServer } from './real-server.ts';

// What has the focus is in sight (WCAG 2.4.11): bars that stay in place never hide it wholly, at 200 % and 400 % of zoom either.

const server = realServer({ mail: false });
const open = chromiumPages();
const { openAs } = dashboards(server.origin, open);

/** A window of 1280 pixels at 200 % and at 400 %, and as it is. */
const windows = {
  'at 200 %': { width: 640, height: 400 },
  'at 400 %': { width: 320, height: 256 },
} as const;

/** Goes through every Tab stop of the page, and names those that something else covers wholly. */
async function hiddenStops(page: Page): Promise<{ stops: number; hidden: string[] }> {
  await page.evaluate(() => {
    document.querySelector('main')?.focus();
    document.documentElement.style.scrollBehavior = 'auto';
  });
  const hidden: string[] = [];
  for (let stops = 0; ; stops += 1) {
    await page.keyboard.press('Tab');
    const stop = await page.evaluate(lookAtFocus, stops);
    if (stop === 'end') return { stops, hidden };
    if (stop !== 'seen') hidden.push(`${stops}: ${stop}`);
  }
}

/** « seen », « end » of the page, or the name of the element that has the focus and of which no point is in sight. */
function lookAtFocus(at: number): string {
  const element = document.activeElement;
  if (element === null || element === document.body || element.hasAttribute('data-walked')) return 'end';
  element.setAttribute('data-walked', String(at));
  // A radio or checkbox that is not drawn itself is its label.
  const box = element.matches('.sr-only, [type=checkbox]') ? (element.closest('label') ?? element) : element;
  for (const rect of box.getClientRects())
    for (let column = 1; column < 12; column += 1)
      for (let row = 1; row < 8; row += 1) {
        const there = document.elementFromPoint(
          rect.left + (rect.width * column) / 12,
          rect.top + (rect.height * row) / 8,
        );
        if (there !== null && (box.contains(there) || there.contains(box)) && !there.matches('html, body'))
          return 'seen';
      }
  const { left, top, width, height } = box.getBoundingClientRect();
  const name = element.getAttribute('aria-label') ?? element.textContent?.trim().slice(0, 50);
  const over = document.elementFromPoint(left + width / 2, top + height / 2);
  const cover =
    over === null ? 'nothing of the window' : `${over.tagName} « ${over.textContent?.trim().slice(0, 50)} »`;
  return `${element.tagName} « ${name} » from ${Math.round(top)} to ${Math.round(top + height)}, under ${cover}`;
}

const lists = {
  admin: ['Demandes de Paiement', 'Validations', 'Ventes', 'Clients', 'Journal'],
  commercial: ['Parrainages reçus', 'Mes Clients'],
  client: ['Mes Parrainages', 'Mes Commissions'],
} as const;

for (const role of ['admin', 'commercial', 'client'] as const)
  for (const [zoom, viewport] of Object.entries(windows))
    test(
      `[DF-80] ${role}: every stop of the keyboard in the main lists is in sight ${zoom} of zoom`,
      { tags: role === 'client' ? [] : 'long' },
      async () => {
        const { page, errors } = await openAs(role, demoEmails[role], { viewport });
        for (const section of lists[role]) {
          await pickSection(page, section);
          await sectionStands(page, section);
          const { stops, hidden } = await hiddenStops(page);
          expect({ section, isWalked: stops > 8, hidden }).toEqual({ section, isWalked: true, hidden: [] });
        }
        expect(errors).toEqual([]);
      },
    );

for (const viewport of [{ width: 1280, height: 800 }, { width: 360, height: 640 }, ...Object.values(windows)])
  test(`[DF-80] with rows selected, no stop of the list is under « Sélection » at ${viewport.width} × ${viewport.height}`, async () => {
    const { page, errors } = await openAs('admin', demoEmails.admin, { viewport });
    await pickSection(page, 'Validations');
    await sectionStands(page, 'Validations');
    await page
      .getByRole('checkbox', { name: /^Sélectionner (?!toute)/u })
      .first()
      .check();
    await expectPage(page.getByRole('group', { name: 'Sélection' })).toBeVisible();
    const { stops, hidden } = await hiddenStops(page);
    expect(stops).toBeGreaterThan(20);
    expect(hidden).toEqual([]);
    expect(errors).toEqual([]);
  });

test('[DF-80] the word of a button leaves with the focus, on a page that is too busy for its timers too', async () => {
  const { page, errors } = await openAs('admin', demoEmails.admin, { viewport: windows['at 200 %'] });
  await pickSection(page, 'Clients');
  await sectionStands(page, 'Clients');
  const button = page.getByRole('button', { name: /^Modifier /u }).first();
  const name = (await button.getAttribute('aria-label')) ?? '';
  await button.focus();
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Tab');
  const word = page.locator('[data-open]', { hasText: name });
  await expectPage(word.first()).toBeVisible();
  await page.evaluate(() => {
    Object.assign(globalThis, { setTimeout: () => 0 });
  });
  await page.keyboard.press('Tab');
  await expectPage(word).toHaveCount(0);
  expect(errors).toEqual([]);
});

test('[DF-80] every stop of the public pages is in sight at 200 % and 400 % of zoom', { tags: 'long' }, async () => {
  for (const viewport of Object.values(windows))
    for (const path of ['/', '/auth/login', '/auth/register', '/pages/contact']) {
      const { page } = await open(server.origin() + path, { viewport });
      await expectPage(page.getByRole('heading', { level: 1 })).toBeVisible();
      // They come last, and push the foot out of a low window: what had the focus there would no longer be in sight.
      if (path === '/auth/login') await expectPage(page.getByText('Comptes de démonstration')).toBeVisible();
      const { stops, hidden } = await hiddenStops(page);
      expect({ path, isWalked: stops > 1, hidden }).toEqual({ path, isWalked: true, hidden: [] });
      await page.context().close();
    }
});

test('[DF-80] the sentences of fields that were left push no button out of sight that has the focus meanwhile', async () => {
  const rules = Promise.withResolvers<void>();
  const { page, errors } = await open(`${server.origin()}/auth/login`, {
    viewport: windows['at 400 %'],
    prepare: async (fresh) => {
      await fresh.route(/\/sign-in-[^/]+\.js$/u, async (route) => {
        await rules.promise;
        await route.continue();
      });
    },
  });
  await expectPage(page.getByText('Comptes de démonstration')).toBeVisible();
  const button = page.getByRole('button', { name: 'Se connecter', exact: true });
  await page.getByLabel('E-mail').focus();
  for (let stops = 0; stops < 4; stops += 1) await page.keyboard.press('Tab');
  await expectPage(button).toBeFocused();
  rules.resolve();
  await expectPage(page.locator('form [role=alert], form [id$=error]')).not.toHaveCount(0);
  await expectPage(button).toBeInViewport({ ratio: 1 });
  expect(errors).toEqual([]);
});

test('[DF-94] on a phone held sideways nothing to press stands behind the camera, in a page, a panel or a dialog', async () => {
  const { page, errors } = await openAs('commercial', demoEmails.commercial, { viewport: { width: 740, height: 360 } });
  const camera = 47;
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setSafeAreaInsetsOverride', { insets: { left: camera, right: camera } });
  await sectionStands(page, 'Parrainages reçus');
  const behind = (within: string) =>
    page.locator(within).evaluate(
      (root, side) =>
        [...root.querySelectorAll('a, button, input, h1, h2')].flatMap((element) => {
          const { left, right, width } = element.getBoundingClientRect();
          const isBehind = width > 1 && (left < side || right > innerWidth - side);
          return isBehind ? [`${element.tagName} « ${element.textContent?.trim()} » ${left} to ${right}`] : [];
        }),
      camera,
    );
  await expect.poll(() => behind('[data-banner]')).toEqual([]);
  await expect.poll(() => behind('main')).toEqual([]);
  await page.getByRole('article').first().getByRole('button').first().click();
  const panel = page.locator('[data-side-panel]');
  await expectPage(panel).toBeVisible();
  await expect.poll(() => behind('[data-side-panel]')).toEqual([]);
  await panel.getByRole('button', { name: 'Mettre à jour' }).click();
  await expectPage(page.getByRole('dialog', { name: 'Mettre à jour le parrainage' })).toBeVisible();
  await expect.poll(() => behind('[role=dialog]:not([data-side-panel])')).toEqual([]);
  expect(errors).toEqual([]);
});
