import type { Page } from '@playwright/test';
import { expect, test } from 'vitest';
import { brokenRules } from './accessibility.ts';
import { chromiumPages, expectNoOverflow, expectPage } from './chromium.ts';
import { dashboards, nothingComes, openSection } from './dashboards.ts';
import { spots } from '../app/dashboards/shell/spots.ts';
import { demoEmails, realServer } from './real-server.ts';

// Dashboards without a mouse, on a phone and on paper: the palette, the shortcuts, the bar, what is printed.

const server = realServer({ mail: false });
const openUrl = chromiumPages();
const { openAs, read } = dashboards(server.origin, openUrl);
const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };

const box = (page: Page) => page.getByRole('combobox', { name: /^Rechercher une section/u });
const highlighted = (page: Page) => page.locator('[role="option"][data-highlighted]');

/** Opens the palette by its keys, which also brings the code of the other shortcuts. */
async function openPalette(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Rechercher partout' }).waitFor();
  await page.keyboard.press('Control+k');
  await expectPage(box(page)).toBeFocused();
}

async function closePalette(page: Page): Promise<void> {
  await page.keyboard.press('Escape');
  await expectPage(box(page)).toHaveCount(0);
}

test('[NV-03] by keyboard alone the admin finds a section, an action, a person and a sale; accents and a mistake are forgiven', async () => {
  const { page, errors } = await openAs('admin', demoEmails.admin, { viewport: { width: 1280, height: 800 } });
  await openPalette(page);
  expect(await brokenRules(page)).toEqual([]);
  await page.keyboard.type('vlaidations');
  await expectPage(highlighted(page)).toContainText('Validations');
  await page.keyboard.press('Enter');
  await expectPage(page.getByRole('heading', { level: 2, name: 'Validations' })).toBeFocused();

  // An action of another section opens that section, then runs.
  await openPalette(page);
  await page.keyboard.type('nouveau bareme');
  await expectPage(highlighted(page)).toContainText('Nouveau barème');
  await page.keyboard.press('Enter');
  await expectPage(page.getByRole('dialog', { name: /barème/u })).toBeVisible();
  await expectPage(page).toHaveURL(/section=commissions/u);
  // Under a dialog the palette and the letters are silent.
  await page.keyboard.press('Control+k');
  await expectPage(box(page)).toHaveCount(0);
  await page.keyboard.press('Escape');
  await expectPage(page.getByRole('dialog')).toHaveCount(0);

  const [sale] = await read<{ id: string; referred_contact_name: string }>(
    demoEmails.admin,
    'sales?select=id,referred_contact_name&corrects_sale_id=is.null&status=eq.validated&admin_validated=is.false&order=created_at&limit=1',
  );
  await openPalette(page);
  await page.keyboard.type(sale?.id.slice(0, 8) ?? '');
  await expectPage(highlighted(page)).toContainText(sale?.referred_contact_name ?? '');
  await page.keyboard.press('Enter');
  await expectPage(page).toHaveURL(new RegExp(`section=ventes&vente=${sale?.id}`, 'u'));
  const panel = page.getByRole('dialog', { name: sale?.referred_contact_name ?? '' });
  await expectPage(panel.getByRole('button', { name: 'Valider', exact: true })).toBeVisible();
  // From a panel, the palette runs what the panel offers, and leaves it open.
  await page.keyboard.press('Control+k');
  await expectPage(box(page)).toBeFocused();
  await page.keyboard.type('valider');
  await expectPage(highlighted(page)).toContainText('Valider');
  await page.keyboard.press('Enter');
  const confirmation = page.locator('[role="dialog"][data-nested]');
  await expectPage(confirmation.getByRole('button', { name: /^Valider/u })).toBeVisible();
  await page.keyboard.press('Escape');
  await expectPage(confirmation).toHaveCount(0);
  await page.keyboard.press('v');
  await expectPage(confirmation).toHaveCount(1);
  await page.keyboard.press('Escape');
  await expectPage(confirmation).toHaveCount(0);
  await expectPage(panel).toBeVisible();

  // An answer to what is no longer asked is dropped, and what was found stays until then.
  const held = Promise.withResolvers<void>();
  await page.goto(`${server.origin()}/admin/dashboard`);
  await page.route('**/rest/v1/rpc/find_anything**', async (route) => {
    if (!(route.request().postData() ?? '').includes('lefevr"')) return route.continue();
    await held.promise;
    return route.fulfill({ json: [] }).catch(() => undefined);
  });
  await openPalette(page);
  for (const text of ['lefev', 'lefevr', 'lefevre']) await box(page).fill(text);
  await expectPage(page.getByRole('option', { name: /Lefèvre/u }).first()).toBeVisible();
  held.resolve();
  await page.unrouteAll({ behavior: 'wait' });
  await expectPage(page.getByRole('option', { name: /Lefèvre/u }).first()).toBeVisible();
  await box(page).fill('qqzzxxww');
  await expectPage(page.getByText('Rien ne correspond à « qqzzxxww ».')).toBeVisible();
  await closePalette(page);
  expect(errors).toEqual([]);
  await page.context().close();
});

test(
  '[NV-03][CO-01] a commercial and a client have it too, on a phone by its button, with what is theirs',
  { tags: 'long' },
  async () => {
    const { page, errors } = await openAs('commercial', demoEmails.commercial, { ...phone, colorScheme: 'dark' });
    const [mine] = await read<{ full_name: string }>(
      demoEmails.commercial,
      'profiles?select=full_name&role=eq.client&order=created_at&limit=1',
    );
    await page.getByRole('button', { name: 'Rechercher partout' }).click();
    await box(page).fill(mine?.full_name ?? '');
    const found = page.getByRole('option', { name: new RegExp(`${mine?.full_name}.*Client`, 'u') });
    await expectPage(found.first()).toBeVisible();
    expect(await brokenRules(page)).toEqual([]);
    await expectNoOverflow(page);
    const address = page.url();
    await found.first().click();
    await expectPage(page.getByRole('dialog', { name: mine?.full_name ?? '' })).toBeVisible();
    await expectPage(page).toHaveURL(address);
    expect(errors).toEqual([]);
    await page.context().close();

    const client = await openAs('client', demoEmails.client);
    await openPalette(client.page);
    await client.page.keyboard.type('inviter');
    await expectPage(highlighted(client.page)).toContainText('Inviter');
    await client.page.keyboard.press('Enter');
    await expectPage(client.page.getByRole('dialog', { name: /Inviter/u })).toBeVisible();
    await client.page.context().close();
  },
);

test('[NV-03][NV-10] a list’s sheet of filters, once closed, leaves the palette and the letters to the keyboard', async () => {
  const { page, errors } = await openAs('admin', demoEmails.admin, { viewport: { width: 640, height: 800 } });
  await openSection(page, 'Ventes');
  await page.getByRole('button', { name: /^Filtrer/u }).click();
  const sheet = page.getByRole('dialog', { name: /^Filtrer/u });
  await expectPage(sheet).toBeVisible();
  await page.keyboard.press('Control+k');
  await expectPage(box(page)).toHaveCount(0);
  await page.keyboard.press('Escape');
  await expectPage(sheet).toBeHidden();
  await openPalette(page);
  await closePalette(page);
  await page.keyboard.press('?');
  await expectPage(page.getByRole('dialog', { name: 'Raccourcis clavier' })).toBeVisible();
  expect(errors).toEqual([]);
  await page.context().close();
});

test(
  '[NV-10] letters lead through sections and lists, are listed under « ? », silent while typing, and can be switched off',
  { tags: 'long' },
  async () => {
    const { page, errors } = await openAs('admin', demoEmails.admin, { viewport: { width: 1280, height: 800 } });
    await openPalette(page);
    await closePalette(page);
    await page.keyboard.press('g');
    await page.keyboard.press('v');
    await expectPage(page.getByRole('heading', { level: 2, name: 'Ventes' })).toBeFocused();
    await page.locator('tbody tr a').first().waitFor();
    const rows = page.locator('tbody tr').getByRole('link');
    await page.keyboard.press('j');
    await expectPage(rows.nth(0)).toBeFocused();
    await page.keyboard.press('j');
    await expectPage(rows.nth(1)).toBeFocused();
    await page.keyboard.press('k');
    await expectPage(rows.nth(0)).toBeFocused();
    const name = await rows.nth(0).innerText();
    await page.keyboard.press('Enter');
    await expectPage(page.getByRole('dialog', { name })).toBeVisible();
    await page.keyboard.press('Escape');
    await expectPage(page.getByRole('dialog')).toHaveCount(0);
    await page.keyboard.press('/');
    await expectPage(page.getByLabel('Rechercher une vente')).toBeFocused();
    // In a field letters are letters.
    await page.keyboard.type('gc?');
    await expectPage(page.getByLabel('Rechercher une vente')).toHaveValue('gc?');
    await page.getByRole('heading', { level: 2, name: 'Ventes' }).focus();
    await page.keyboard.press('?');
    const help = page.getByRole('dialog', { name: 'Raccourcis clavier' });
    await expectPage(help.getByText('Demandes de Paiement')).toBeVisible();
    expect(await brokenRules(page)).toEqual([]);
    await help.getByRole('checkbox', { name: 'Raccourcis d’une seule touche' }).press('Space');
    await page.keyboard.press('Escape');
    await expectPage(help).toHaveCount(0);
    await page.reload();
    await openPalette(page);
    await closePalette(page);
    await page.keyboard.press('?');
    await page.keyboard.press('g');
    await page.keyboard.press('c');
    await expectPage(page.getByRole('heading', { level: 2, name: 'Ventes' })).toBeVisible();
    await expectPage(help).toHaveCount(0);
    await openSection(page, 'Demandes de Paiement');
    await page.getByRole('radio', { name: /^En attente/u }).click({ force: true });
    await expectPage(page.locator('tbody tr').filter({ hasNotText: 'En attente' })).toHaveCount(0);
    await nothingComes(page);
    const row = page
      .locator('tbody tr')
      .filter({ has: page.getByRole('checkbox') })
      .first();
    await row.getByRole('link').focus();
    await page.keyboard.press('x');
    await page.keyboard.press('j');
    await expectPage(row.getByRole('checkbox')).not.toBeChecked();
    await expectPage(row.getByRole('link')).toBeFocused();
    // The space bar is no letter.
    await row.getByRole('checkbox').press('Space');
    await expectPage(row.getByRole('checkbox')).toBeChecked();
    expect(errors).toEqual([]);
    await page.context().close();
  },
);

test(
  '[NV-10] a list goes to paper on A4 without navigation, its filters said, its head on each page; an open record goes alone',
  { tags: 'long' },
  async () => {
    const { page } = await openAs('admin', demoEmails.admin, {
      viewport: { width: 1280, height: 800 },
      colorScheme: 'dark',
    });
    await openSection(page, 'Ventes');
    await page.getByLabel('Filtrer par statut').click();
    await page.getByRole('option', { name: 'Validé par admin' }).click();
    await page.locator('tbody tr a').first().waitFor();
    await page.emulateMedia({ media: 'print' });
    await expectPage(page.getByRole('navigation')).toHaveCount(0);
    await expectPage(page.getByRole('button', { name: 'Déconnexion' })).toHaveCount(0);
    await expectPage(page.getByRole('button', { name: 'Exporter' })).toHaveCount(0);
    await expectPage(page.getByLabel('Filtrer par statut')).toBeVisible();
    await expectPage(page.getByLabel('Filtrer par statut')).toContainText('Validé par admin');
    await expectPage(page.getByRole('heading', { level: 2, name: 'Ventes' })).toBeVisible();
    const last = page.locator('tbody tr').last();
    await expectPage(last.getByRole('link')).toBeVisible();
    await expectPage(page.locator('thead')).toHaveCSS('display', 'table-header-group');
    await expectPage(page.locator('th').first()).toHaveCSS('position', 'static');
    // Dark ink on white, whatever the theme.
    const inks = () =>
      page.evaluate(() =>
        [document.documentElement, document.body].map((node) => getComputedStyle(node).backgroundColor),
      );
    await expectPage.poll(inks).toEqual(['rgba(0, 0, 0, 0)', 'rgba(0, 0, 0, 0)']);
    // A4 at 96 dpi, less its margins.
    await page.setViewportSize({ width: 703, height: 1000 });
    await expectNoOverflow(page);
    await page.emulateMedia({ media: 'screen' });
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.locator('tbody tr a').first().click();
    const panel = page.getByRole('dialog');
    await expectPage(panel.getByRole('heading', { name: 'Historique' })).toBeVisible();
    await page.emulateMedia({ media: 'print' });
    await expectPage(panel.getByRole('heading', { name: 'Historique' })).toBeVisible();
    await expectPage(page.locator('main')).toBeHidden();
    await expectPage(panel.getByRole('button', { name: 'Fermer' })).toHaveCount(0);
    await page.context().close();
  },
);

test(
  '[NV-10] what is pressed and says something goes to paper too, as the window shows it: work to do, names of a ranking, a table',
  { tags: 'long' },
  async () => {
    const { page } = await openAs('admin', demoEmails.admin, { viewport: { width: 1280, height: 800 } });
    const toDo = page.getByRole('button', { name: /contrats? à valider/u }).first();
    await toDo.waitFor();
    const ranked = page.locator('ol li p button').first();
    await ranked.waitFor();
    await page.emulateMedia({ media: 'print' });
    await page.setViewportSize({ width: 703, height: 1000 });
    await expectPage(toDo).toBeVisible();
    await expectPage(ranked).toBeVisible();
    // A drawing and its heading stand on one page.
    const drawn = page.locator('main figure:has(svg[data-chart])').first();
    expect(await drawn.evaluate((figure) => getComputedStyle(figure).breakInside)).toBe('avoid');
    await expectPage(page.getByText('Aller au contenu')).toBeHidden();
    await page.emulateMedia({ media: 'screen' });
    await page.setViewportSize({ width: 1280, height: 800 });
    await openSection(page, 'Ventes');
    await page.locator('tbody tr a').first().waitFor();
    await page.emulateMedia({ media: 'print' });
    await page.setViewportSize({ width: 703, height: 1000 });
    // Twenty-five rows of a table, and not as many cards.
    await expectPage(page.locator('tbody tr')).toHaveCount(25);
    await page.context().close();
  },
);

test('[NV-01, DF-12] on a phone five places stand in the bar, « Plus » leads to the others, and counts what waits there', async () => {
  const { page, errors } = await openAs('admin', demoEmails.admin, phone);
  const bar = page.getByRole('navigation', { name: 'Sections', exact: true });
  await expectPage(bar.getByRole('listitem')).toHaveText([
    /^Accueil : Vue d'ensemble$/u,
    /^Validations\d+ contrats à valider$/u,
    /^Paiements : Demandes de Paiement\d+\s: \d+\sà décider, \d+\sà payer$/u,
    /^Ventes$/u,
    /^Plus$/u,
  ]);
  for (const item of await bar.getByRole('listitem').all())
    await expectPage
      .poll(async () => {
        const place = await item.boundingBox();
        return place && place.x >= 0 && place.x + place.width <= 360 && place.height >= 44;
      })
      .toBe(true);
  await bar.getByRole('button', { name: 'Plus' }).click();
  const more = page.getByRole('dialog', { name: 'Sections' });
  expect(await brokenRules(page)).toEqual([]);
  // What a wide screen has in its header stands there too (UI-05).
  await expectPage(more.getByRole('link', { name: 'Profil' })).toBeVisible();
  await more.getByRole('link', { name: 'Réglages' }).click();
  await expectPage(page.getByRole('heading', { level: 2, name: 'Réglages' })).toBeVisible();
  await expectPage(more).toHaveCount(0);
  expect(errors).toEqual([]);
  await page.context().close();

  const client = await openAs('client', demoEmails.client, phone);
  const items = client.page.getByRole('navigation', { name: 'Sections', exact: true }).getByRole('listitem');
  await expectPage(items).toHaveText([
    'Mes Parrainages',
    'Contrats Validés',
    'Mes Commissions',
    'Paiements : Demandes de Paiement',
    'Plus',
  ]);
  await client.page.context().close();
});

test('[NV-10] the application can be installed: its manifest, its icons and what they say are there', async () => {
  const html = await (await fetch(`${server.origin()}/auth/login`)).text();
  expect(html).toContain('rel="manifest" href="/app.webmanifest"');
  expect(html).toContain('rel="apple-touch-icon" href="/apple-touch-icon.png"');
  const manifest = (await (await fetch(`${server.origin()}/app.webmanifest`)).json()) as {
    display: string;
    start_url: string;
    icons: { src: string; sizes: string; type: string; purpose: string }[];
  };
  expect(manifest).toMatchObject({ display: 'standalone', start_url: '/auth/login' });
  expect(manifest.icons.map(({ sizes, purpose }) => `${sizes} ${purpose}`)).toEqual(
    expect.arrayContaining(['192x192 any', '512x512 any', '512x512 maskable']),
  );
  const pngs = [
    ...manifest.icons.filter(({ type }) => type === 'image/png'),
    { src: '/apple-touch-icon.png', sizes: '180x180' },
  ];
  for (const { src, sizes } of pngs) {
    const reply = await fetch(server.origin() + src);
    const bytes = Buffer.from(await reply.arrayBuffer());
    expect([src, reply.headers.get('content-type')]).toEqual([src, 'image/png']);
    expect([src, `${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`]).toEqual([src, sizes]);
  }
});

test('[UI-13] a setting is found by its usual words, and its result opens it: in the settings, the payments, the profile', async () => {
  const { page, errors } = await openAs('admin', demoEmails.admin, { viewport: { width: 1280, height: 800 } });
  const sought = page.locator('[data-sought]');
  for (const [typed, found, inside] of [
    ['bloctel', 'Accord pour être appelé', 'N’appeler que les amis qui l’ont accepté'],
    ['quatre yeux', 'Double validation', 'Double validation'],
    ['changer mot de passe', 'Mot de passe', 'Mot de passe'],
    ['2fa', 'Double authentification', 'Double authentification'],
  ] as const) {
    await openPalette(page);
    await box(page).fill(typed);
    await expectPage(highlighted(page)).toContainText(found);
    await page.keyboard.press('Enter');
    await expectPage(sought).toContainText(inside);
    await expectPage(sought).toBeFocused();
    await expectPage(sought).toBeInViewport();
    // From a dialog back to the page.
    if ((await page.getByRole('dialog').count()) > 0) await page.keyboard.press('Escape');
    await expectPage(page.getByRole('dialog')).toHaveCount(0);
  }
  expect(errors).toEqual([]);
  await page.context().close();
});

test('[UI-13] the address of each setting leads to its block', { tags: 'long' }, async () => {
  for (const role of ['admin', 'commercial', 'client'] as const) {
    const { page, errors } = await openAs(role, demoEmails[role], { viewport: { width: 1280, height: 800 } });
    for (const { section, detail } of spots[role]) {
      await page.goto(`${server.origin()}/${role}/dashboard?${new URLSearchParams({ section, ...detail })}`);
      if ('parametres' in detail) {
        await expectPage(page.getByRole('dialog').getByLabel('Nom de l’entreprise')).toBeVisible();
        continue;
      }
      // A setting that stands with the lists it rules.
      if (Object.keys(detail).length === 0) continue;
      await expectPage(page.locator('[data-sought]')).toBeFocused();
      await expectPage(page.locator('[data-sought]')).toBeInViewport();
    }
    expect(errors).toEqual([]);
    await page.context().close();
  }
});

test('[UI-13] an export is found from any section, and runs from its result', async () => {
  const { page, errors } = await openAs('admin', demoEmails.admin, { viewport: { width: 1280, height: 800 } });
  await openPalette(page);
  await box(page).fill('exporter ventes');
  await expectPage(highlighted(page)).toContainText('Exporter : Ventes');
  const saved = page.waitForEvent('download');
  await page.keyboard.press('Enter');
  expect((await saved).suggestedFilename()).toMatch(/^ventes.*\.xlsx$/iu);
  await expectPage(page).toHaveURL(/section=ventes/u);
  // Where its list is on screen, it is an action of it.
  await openPalette(page);
  await box(page).fill('exporter ventes');
  await expectPage(page.getByRole('option', { name: 'Exporter : Ventes' })).toHaveCount(1);
  await closePalette(page);
  expect(errors).toEqual([]);
  await page.context().close();
});
