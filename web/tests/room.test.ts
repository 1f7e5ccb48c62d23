import type { Page } from '@playwright/test';
import { beforeAll, describe, expect, test } from 'vitest';
import { chromiumPages, expectNoOverflow, expectPage } from './chromium.ts';
import { dashboards, nothingComes, pickSection, sectionStands } from './dashboards.ts';
import { demoEmails, realServer } from './real-server.ts';

// Everything has its room at every width that people have: nothing is under something else, and what is set moves nothing.

const server = realServer({ mail: false });
const open = chromiumPages();
const { act, openAs } = dashboards(server.origin, open);

beforeAll(async () => {
  await act(demoEmails.client, 'send-invitation-email', { name: 'Ami Bref', email: 'ami.bref@exemple.fr' });
});

/** The sections that open with a table, by their addresses. */
const tables = {
  admin: [
    'ventes',
    'validations',
    'demandes-de-paiement',
    'virements',
    'commissions-des-commerciaux',
    'historique-des-paiements',
    'controle-des-comptes',
    'comptabilite',
  ],
  commercial: ['mes-clients', 'contrats-d-affiliation', 'mon-compte', 'documents'],
  client: ['mes-parrainages', 'contrats-valides', 'mes-commissions', 'demandes-de-paiement'],
} as const;

/** The tables that are wider than their place, and the lines of totals that stop short or change their colour. */
const badTables = (page: Page) =>
  page.locator('main table').evaluateAll((all) =>
    all.flatMap((table) => {
      const place = table.parentElement;
      const name = table.querySelector('caption')?.textContent ?? table.getAttribute('aria-label');
      const over = table.getBoundingClientRect().width - (place?.clientWidth ?? 0);
      const totals = [...table.querySelectorAll('tfoot th, tfoot td')].filter((cell) => cell.clientWidth > 0);
      const lines = new Set(totals.map((cell) => getComputedStyle(cell).borderTopColor));
      const ends = totals.map((cell) => cell.getBoundingClientRect().right);
      const short = ends.length === 0 ? 0 : table.getBoundingClientRect().right - Math.max(...ends);
      return [
        ...(over > 1 ? [`${name} is ${Math.round(over)} px wider than its place`] : []),
        ...(lines.size > 1 || short > 1 ? [`the line over the total of ${name} stops short`] : []),
      ];
    }),
  );

describe.each(['admin', 'commercial', 'client'] as const)('%s', (role) => {
  test.each([900, 1024, 1280, 1440])(
    '[DF-44] at %i px no column of a list is under its buttons, and the line over a total is whole',
    { tags: role === 'client' ? [] : 'long' },
    async (width) => {
      const { page, errors } = await openAs(role, demoEmails[role], { viewport: { width, height: 800 } });
      for (const section of tables[role]) {
        await page.goto(`${server.origin()}/${role}/dashboard?section=${section}`);
        await expectPage(page.locator('main table').first()).toBeVisible();
        await nothingComes(page);
        await expect.poll(() => badTables(page), { message: section }).toEqual([]);
      }
      expect(errors).toEqual([]);
    },
  );
});

for (const width of [1024, 1280, 1440])
  test(`[DF-44] at ${width} px a filter that is set moves no row`, { tags: width === 1280 ? [] : 'long' }, async () => {
    const { page, errors } = await openAs('admin', demoEmails.admin, { viewport: { width, height: 800 } });
    const first = page.locator('main tbody tr').first();
    const top = async () => (await first.boundingBox())?.y;
    for (const [section, filter, word] of [
      ['Ventes', 'Filtrer par statut', 'En attente'],
      ['Historique des paiements', 'Filtrer par moyen', 'Virement bancaire'],
    ] as const) {
      await pickSection(page, section);
      await sectionStands(page, section);
      await expectPage(first).toBeVisible();
      const before = await top();
      await page.getByRole('combobox', { name: filter }).click();
      await page.getByRole('option', { name: word, exact: true }).click();
      await expectPage(page.getByRole('button', { name: 'Tout effacer' })).toBeVisible();
      await sectionStands(page, section);
      await expect.poll(top).toBe(before);
    }
    expect(errors).toEqual([]);
  });

test(
  '[DF-44] a wide and opaque logo leaves the company its name, and stands on a white sheet in the dark',
  { tags: 'long' },
  async () => {
    const { page: settings } = await openAs('admin', demoEmails.admin, { viewport: { width: 1280, height: 800 } });
    const picture = await settings.evaluate(() => {
      const canvas = Object.assign(document.createElement('canvas'), { width: 1600, height: 160 });
      const pen = canvas.getContext('2d');
      if (pen) pen.fillStyle = 'white';
      pen?.fillRect(0, 0, 1600, 160);
      return canvas.toDataURL('image/png').replace(/^.*,/u, '');
    });
    await settings.getByRole('button', { name: 'Paramètres' }).click();
    const dialog = settings.getByRole('dialog');
    const logo = { name: 'logo.png', mimeType: 'image/png', buffer: Buffer.from(picture, 'base64') };
    await dialog.locator('input[type=file]').first().setInputFiles(logo);
    await dialog.getByRole('button', { name: 'Enregistrer', exact: true }).click();
    await expectPage(settings.getByRole('banner', { includeHidden: true }).locator('img')).toHaveCount(1);

    for (const width of [360, 768, 1024, 1440])
      for (const role of ['admin', 'commercial', 'client'] as const) {
        const { page, errors } = await openAs(role, demoEmails[role], {
          viewport: { width, height: 640 },
          colorScheme: 'dark',
        });
        const banner = page.getByRole('banner');
        await expectPage(banner.locator('img')).toBeVisible();
        await expectPage(banner.locator('img')).toHaveCSS('background-color', 'rgb(255, 255, 255)');
        await expectNoOverflow(page);
        const cut = await banner
          .getByText('Lumeo Habitat')
          .evaluate((element) => element.scrollWidth - element.clientWidth);
        // An admin's four buttons leave a phone less of it.
        expect({ role, width, isCut: cut > (role === 'admin' && width === 360 ? 40 : 0) }).toEqual({
          role,
          width,
          isCut: false,
        });
        expect(errors).toEqual([]);
        await page.context().close();
      }
  },
);

test.each([
  [360, 640],
  [768, 1024],
  [1024, 768],
  [1280, 800],
] as const)('[DF-44] what was done is said over the header, and over no row, at %i × %i px', async (width, height) => {
  const { page, errors } = await openAs('commercial', demoEmails.commercial, { viewport: { width, height } });
  // There it stands first, under the title.
  await page.getByRole('group', { name: 'Filtrer par statut' }).getByText('Tous', { exact: true }).click();
  await sectionStands(page, 'Parrainages reçus');
  // The newest of the demo company has a long name at some hours of the day.
  if (width < 1024) {
    // A row leads to its panel.
    await page.getByRole('button', { name: 'Ami Bref', exact: true }).click();
    await page.getByRole('dialog', { name: 'Ami Bref' }).getByRole('button', { name: 'Mettre à jour' }).click();
  } else {
    await page.getByRole('button', { name: 'Mettre à jour le parrainage d’Ami Bref' }).click();
  }
  const dialog = page.getByRole('dialog', { name: 'Mettre à jour le parrainage' });
  await dialog.getByRole('textbox').first().fill(`Rappelé ce matin, ${width}`);
  await dialog.getByRole('button', { name: 'Enregistrer' }).click();
  await expectPage(dialog).toHaveCount(0);
  if (width < 1024) await page.keyboard.press('Escape');
  const notice = page.getByRole('region', { name: 'Notifications' }).getByRole('dialog').first();
  await expectPage(notice).toBeVisible();
  const title = page.getByRole('heading', { level: 2, name: 'Parrainages reçus' });
  await expect
    .poll(async () => {
      const box = await notice.boundingBox();
      const below = await title.boundingBox();
      return box !== null && below !== null && box.y + box.height <= below.y;
    })
    .toBe(true);
  expect(errors).toEqual([]);
});

test.each([
  [768, 1024],
  [1024, 768],
  [1280, 600],
  [1440, 900],
] as const)(
  '[DF-44] no field of the sign-in pages is under their foot, and the story is whole, at %i × %i px',
  async (width, height) => {
    for (const path of ['/auth/login', '/auth/register', '/auth/forgot-password']) {
      const { page } = await open(server.origin() + path, { viewport: { width, height } });
      await expectPage(page.getByRole('heading', { level: 1 })).toBeVisible();
      if (path === '/auth/login') await expectPage(page.getByText('Comptes de démonstration')).toBeVisible();
      const places = await page.evaluate(() => {
        const main = document.querySelector('main')?.getBoundingClientRect();
        const foot = document.querySelector('footer')?.getBoundingClientRect();
        const story = [...document.querySelectorAll('aside li')].map((step) => step.getBoundingClientRect().bottom);
        return { underFoot: (main?.bottom ?? 0) - (foot?.top ?? 0), storyEnd: Math.max(0, ...story) };
      });
      expect(places.underFoot).toBeLessThanOrEqual(1);
      expect(places.storyEnd).toBeLessThanOrEqual(height);
      await page.context().close();
    }
  },
);

test('[UI-14] at 1280 × 800 px the sign-in, the registration and the forgotten password stand whole, beside one panel', async () => {
  const panels: unknown[] = [];
  for (const path of ['/auth/login', '/auth/register', '/auth/forgot-password']) {
    const { page } = await open(server.origin() + path, { viewport: { width: 1280, height: 800 } });
    await expectPage(page.getByRole('heading', { level: 1 })).toBeVisible();
    if (path === '/auth/login') await expectPage(page.getByText('Comptes de démonstration')).toBeVisible();
    await expectPage
      .poll(() => page.evaluate(() => document.documentElement.scrollHeight), { message: path })
      .toBeLessThanOrEqual(800);
    panels.push(
      await page.evaluate(() =>
        ['aside', 'aside p', 'aside li', 'aside li:last-child'].map((part) => {
          const { x, y } = document.querySelector(part)?.getBoundingClientRect() ?? { x: 0, y: 0 };
          return [x, y];
        }),
      ),
    );
    // Where a scrollbar takes room of its own, it takes none of what stands left of the panel.
    await page.evaluate(() => {
      document.body.style.width = 'calc(100vw - 15px)';
    });
    expect(await page.evaluate(() => document.querySelector('aside')?.getBoundingClientRect().x)).toBeCloseTo(716.8, 1);
    await page.context().close();
  }
  expect(panels[1]).toEqual(panels[0]);
  expect(panels[2]).toEqual(panels[0]);
});
