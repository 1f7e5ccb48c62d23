import type { Page } from '@playwright/test';
import { describe, expect, test } from 'vitest';
import { chromiumPages, expectNoOverflow, expectPage } from './chromium.ts';
import { dashboards, openSection } from './dashboards.ts';
import { demoEmails, realServer } from './real-server.ts';

// What is left of the screens at 400 % of zoom, with the text spacing that readers may ask for, and for the keyboard alone.

const server = realServer({ mail: false });
const openUrl = chromiumPages();
const { openAs, read } = dashboards(server.origin, openUrl);

test('[DF-85] the payment dialog at 320 × 256 scrolls as a whole: its content has the window', async () => {
  const { page, errors } = await openAs('client', demoEmails.client, { viewport: { width: 320, height: 256 } });
  await openSection(page, 'Demandes de Paiement');
  await page.getByRole('button', { name: 'Nouvelle demande de paiement' }).first().click();
  const dialog = page.getByRole('dialog', { name: /demande de paiement/iu });
  await dialog.waitFor();
  const room = await dialog.evaluate((sheet) => {
    const scrolling = [sheet, ...sheet.querySelectorAll('*')].find(
      (element) => element.scrollHeight > element.clientHeight + 1 && getComputedStyle(element).overflowY === 'auto',
    );
    return { height: scrolling?.clientHeight ?? 0, isSheet: scrolling === sheet };
  });
  expect(room.isSheet).toBe(true);
  expect(room.height).toBeGreaterThan(200);
  await dialog.getByRole('button', { name: 'Annuler' }).press('Enter');
  await expectPage(dialog).toHaveCount(0);
  await expectNoOverflow(page);
  expect(errors).toEqual([]);
  await page.context().close();
});

/** WCAG 1.4.12. */
const spacing = '* { letter-spacing: 0.12em !important; word-spacing: 0.16em !important; line-height: 1.5 !important }';
const companyRoom = (page: Page) =>
  page
    .getByRole('banner')
    .locator('p')
    .first()
    .evaluate((name) => name.getBoundingClientRect().width);

describe.each(['admin', 'commercial', 'client'] as const)('the header of %s', (role) => {
  test('[DF-85] with text spacing and a long name, the company’s has its room', { tags: 'long' }, async () => {
    const { page, errors } = await openAs(role, demoEmails[role], {
      prepare: async (fresh) => {
        await fresh.route(/\/rest\/v1\/profiles\?/u, async (route) => {
          const reply = await route.fetch();
          const text = (await reply.text()).replaceAll(
            /"full_name":"[^"]*"/gu,
            '"full_name":"Maximilienne-Alexandrine de La Rochefoucauld-Montmorency"',
          );
          await route.fulfill({ response: reply, body: text });
        });
      },
    });
    // A constructed sheet: the page's policy takes no other style.
    await page.evaluate((rules) => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(rules);
      document.adoptedStyleSheets.push(sheet);
    }, spacing);
    for (const width of [1280, 1024, 768, 360]) {
      await page.setViewportSize({ width, height: 800 });
      await expect.poll(() => companyRoom(page), { message: `${width} px` }).toBeGreaterThan(width < 500 ? 60 : 110);
      await expectNoOverflow(page);
    }
    expect(errors).toEqual([]);
    await page.context().close();
  });
});

test('[DF-85] the sentence of a registration goes along to the sign-in page', async () => {
  const { page } = await openUrl(`${server.origin()}/auth/register`);
  await page.getByLabel('Nom complet').fill('Léa Martin');
  await page.getByLabel('E-mail').fill('lea.martin@exemple.fr');
  await page.getByLabel('Mot de passe', { exact: true }).fill('Choisi-Parrain-2026');
  await page.getByLabel('Confirmer le mot de passe').fill('Choisi-Parrain-2026');
  await page.getByRole('button', { name: 'Créer mon compte' }).click();
  await expectPage(page).toHaveURL(/\/auth\/login$/u);
  await expectPage(page.getByRole('heading', { level: 1, name: 'Se connecter' })).toBeVisible();
  await expectPage(page.getByText(/compte.*créé|créé.*compte/iu)).toBeVisible();
  await page.context().close();
});

test('[DF-85] two requests are approved in at most 20 keys, from anywhere', async () => {
  const { page, errors } = await openAs('admin', demoEmails.admin);
  const pending = () =>
    read<{ id: string }>(demoEmails.admin, 'payment_requests?select=id&status=eq.pending').then(({ length }) => length);
  const before = await pending();
  page.setDefaultTimeout(8000);
  let keys = 0;
  const press = async (key: string) => {
    await page.keyboard.press(key);
    keys += 1;
  };
  await page.getByRole('button', { name: 'Rechercher partout' }).waitFor();
  for (const key of ['g', 'p']) await press(key);
  await page.getByRole('heading', { level: 2, name: 'Demandes de Paiement' }).waitFor();
  await page.locator('tbody [data-row]').nth(1).waitFor();
  // The newest stand first, of any status: which are pending depends on the hour at which the demo was made.
  for (let at = 0, chosen = 0; chosen < 2; at += 1) {
    await press('j');
    const row = await page.locator('tbody tr').nth(at).innerText();
    if (!row.includes('Approuver')) continue;
    await press('x');
    chosen += 1;
  }
  await page.getByRole('group', { name: 'Sélection' }).waitFor();
  await press('s');
  const approve = page.getByRole('button', { name: /^Approuver/u }).and(page.locator('[data-selection] button'));
  while (keys < 20 && !(await approve.evaluate((button) => button === document.activeElement))) await press('Tab');
  await press('Enter');
  const dialog = page.getByRole('dialog').or(page.getByRole('alertdialog'));
  await dialog.waitFor();
  const confirm = dialog.getByRole('button', { name: /^Approuver/u });
  while (keys < 20 && !(await confirm.evaluate((button) => button === document.activeElement))) await press('Tab');
  await press('Enter');
  await expect.poll(pending, { timeout: 20_000 }).toBe(before - 2);
  expect(keys).toBeLessThanOrEqual(20);
  expect(errors).toEqual([]);
  await page.context().close();
});
