import type { Page } from '@playwright/test';
import { test } from 'vitest';
import { chromiumPages, expectPage } from './chromium.ts';
import { dashboards, openSection, sectionStands } from './dashboards.ts';
import { demoEmails, realServer } from './real-server.ts';

// What is said to whoever does not see the page change, and where the keyboard stands afterwards.

const server = realServer({ mail: false });
const openUrl = chromiumPages();
const { openAs } = dashboards(server.origin, openUrl);
const viewport = { width: 1280, height: 900 };

/** Notes the texts of the live regions that were in the page before them, each time that one changes. */
async function listen(page: Page): Promise<void> {
  await page.evaluate(() => {
    const regions = '[role="status"], [role="alert"], [aria-live]';
    const said: string[] = [];
    Object.assign(globalThis, { said });
    const known = new WeakSet<Element>(document.querySelectorAll(regions));
    new MutationObserver((records) => {
      for (const { target, addedNodes } of records) {
        // A region may stand in another, which was there first.
        for (
          let region = (target instanceof Element ? target : target.parentElement)?.closest(regions);
          region;
          region = region.parentElement?.closest(regions)
        )
          if (known.has(region)) said.push(region.textContent ?? '');
        for (const node of addedNodes) {
          if (!(node instanceof Element)) continue;
          for (const late of [node, ...node.querySelectorAll(regions)])
            if (late.matches(regions) && late.textContent === '') known.add(late);
        }
      }
    }).observe(document.body, { childList: true, characterData: true, subtree: true });
  });
}

const said = (page: Page) =>
  page.evaluate(() =>
    (globalThis as unknown as { said: string[] }).said.map((text) => text.replaceAll(/\s+/gu, ' ').trim()),
  );
const expectSaid = (page: Page, words: RegExp) =>
  expectPage
    .poll(async () => (await said(page)).filter((text) => words.test(text)), { message: String(words) })
    .not.toEqual([]);

test('[DF-82] a search, its Escape, a filter and a sort say how many rows are left, and in which order', async () => {
  const { page } = await openAs('admin', demoEmails.admin, { viewport });
  await openSection(page, 'Ventes');
  await sectionStands(page, 'Ventes');
  await listen(page);
  await page.getByRole('columnheader').getByRole('button').first().click();
  await expectSaid(page, /^\d+ résultats, triés par .+, ordre (?:dé)?croissant$/u);
  const search = page.getByRole('searchbox').first();
  await search.fill('Toiture');
  await expectSaid(page, /^\d résultats?,/u);
  await search.press('Escape');
  const whole = (await said(page))[0] ?? '';
  await expectPage.poll(async () => (await said(page)).filter((text) => text === whole).length).toBeGreaterThan(1);
});

test('[DF-82] the first notice and the error of a field come into places that were there before them', async () => {
  const { page } = await openAs('client', demoEmails.client, { viewport });
  await openSection(page, 'Demandes de Paiement');
  await page.getByRole('button', { name: 'Nouvelle demande de paiement' }).first().click();
  const dialog = page.getByRole('dialog');
  await listen(page);
  await dialog.getByLabel('Montant').fill('0,5');
  await dialog.getByLabel('Montant').blur();
  await expectSaid(page, /Le montant doit être compris entre 1€/u);
  await dialog.getByRole('button', { name: 'Tout demander' }).click();
  await expectSaid(page, /^Montant demandé : [\d ]+,\d\d €$/u);
  await page.keyboard.press('Escape');
  await openSection(page, 'Profil');
  await page.getByRole('region', { name: 'Notifications' }).waitFor({ state: 'attached' });
  await page.getByLabel('Téléphone').first().fill('06 11 22 33 44', { timeout: 5000 });
  await page
    .getByRole('button', { name: /^Enregistrer/u })
    .first()
    .click({ timeout: 5000 });
  await expectSaid(page, /Profil mis à jour|enregistré/u);
  await page.context().close();
});

test('[DF-82] the next record of a panel is said; once a contract is validated the keyboard stands on the title of the next', async () => {
  const { page } = await openAs('admin', demoEmails.admin, { viewport });
  await openSection(page, 'Validations');
  await page.locator('tbody [data-row]').first().press('Enter');
  const panel = page.locator('[data-side-panel]');
  const title = panel.getByRole('heading', { level: 2 }).first();
  const isRead = () => expectPage(title).not.toHaveText('Vente');
  await isRead();
  const first = await title.innerText();
  await listen(page);
  await panel.getByRole('button', { name: 'Suivant (J)' }).press('Enter');
  await expectPage(title).not.toHaveText(first);
  await isRead();
  const second = await title.innerText();
  await expectSaid(page, new RegExp(second, 'u'));
  await expectPage(panel.getByRole('button', { name: 'Suivant (J)' })).toBeFocused();
  await panel.getByRole('button', { name: /^Valider/u }).press('Enter');
  const dialog = page.getByRole('dialog', { name: /^Valider le contrat/u });
  await dialog
    .getByRole('button', { name: /^Valider/u })
    .last()
    .click();
  await expectPage(dialog).toHaveCount(0);
  await expectPage(title).not.toHaveText(second);
  await expectPage(title).toBeFocused({ timeout: 5000 });
  await page.context().close();
});
