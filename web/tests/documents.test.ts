import type { Page } from '@playwright/test';
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { brokenRules } from './accessibility.ts';
import { chromiumPages, expectPage } from './chromium.ts';
import { dashboards, pickSection } from './dashboards.ts';
import { demoEmails, realServer } from './real-server.ts';

// « Documents » of a payee and « Comptabilité » of the admin, on the demo company.

const server = realServer();
const { openAs, read } = dashboards(server.origin, chromiumPages());

/** The file that a button gives: its name and its bytes. */
async function taken(page: Page, button: RegExp): Promise<{ name: string; bytes: Buffer }> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: button }).first().click(),
  ]);
  return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
}

test('[PP-03] [X-04] a client takes the statement of a year as PDF and CSV; it ends with what is on screen', async () => {
  const { page, errors } = await openAs('client', demoEmails.client, { viewport: { width: 360, height: 800 } });
  await pickSection(page, 'Documents');
  await expectPage(page.getByRole('heading', { level: 2, name: 'Documents' })).toBeVisible();
  await page.getByText('Par année', { exact: true }).click();
  await expectPage(page.getByText(/^Année 2\d{3}$/u).first()).toBeVisible();
  expect(await brokenRules(page)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
  const pdf = await taken(page, /^PDF : Année/u);
  expect(pdf.name).toMatch(/^Relevé 2\d{3} .+\.pdf$/u);
  expect(pdf.bytes.subarray(0, 8).toString()).toBe('%PDF-1.7');
  const csv = await taken(page, /^CSV : Année/u);
  const last = csv.bytes.toString('utf8').trimEnd().split('\r\n').at(-1) ?? '';
  const [figures] = await read<{ available: number }>(demoEmails.client, 'rpc/client_figures');
  expect(last).toContain(`Solde à la fin de la période;;;;;${figures?.available.toFixed(2).replace('.', ',')}`);
  expect(errors).toEqual([]);
  await page.context().close();
});

test('[PP-03] a commercial has a statement too, and the admin everybody’s as one archive', async () => {
  const own = await openAs('commercial', demoEmails.commercial);
  await pickSection(own.page, 'Documents');
  expect((await taken(own.page, /^PDF : /u)).name).toMatch(/\.pdf$/u);
  await own.page.context().close();
  const { page, errors } = await openAs('admin', demoEmails.admin);
  await pickSection(page, 'Comptabilité');
  const archive = await taken(page, /^Tout télécharger : /u);
  expect(archive.name).toMatch(/^Relevés 2\d{3}-\d\d\.zip$/u);
  expect(archive.bytes.subarray(0, 2).toString()).toBe('PK');
  expect(errors).toEqual([]);
  await page.context().close();
});

test('[EX-02] the admin closes the journal’s months, takes it in the form of the FEC, and sets its accounts', async () => {
  const { page, errors } = await openAs('admin', demoEmails.admin);
  await pickSection(page, 'Comptabilité');
  const last = page.getByRole('button', { name: /^Clore : / }).last();
  const name = (await last.getAttribute('aria-label')) ?? '';
  await last.click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Clore', exact: true }).click();
  await expectPage(page.getByText('Clos', { exact: true }).first()).toBeVisible();
  await expectPage(page.getByRole('button', { name, exact: true })).toHaveCount(0);
  const [, month = ''] = name.split(/\s:\s/u);
  const journal = await taken(page, new RegExp(`^Journal Format FEC : ${month}`, 'u'));
  expect(journal.name).toMatch(/^Journal Parrainage 2\d{3}-\d\d\.txt$/u);
  expect(journal.bytes.toString('latin1')).toMatch(/^JournalCode\tJournalLib\tEcritureNum\t/u);
  await page.getByRole('button', { name: 'Comptes du journal' }).click();
  const dialog = page.getByRole('dialog', { name: 'Comptes du journal' });
  const account = dialog.getByRole('group', { name: 'Dû aux clients' }).getByLabel('Compte');
  await account.fill('999');
  await dialog.getByRole('button', { name: 'Enregistrer' }).click();
  await expectPage(dialog.getByText(/^Indiquez un compte du plan comptable/u)).toBeVisible();
  await account.fill('467100');
  expect(await brokenRules(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Enregistrer' }).click();
  await expectPage(dialog).toHaveCount(0);
  await page.getByRole('button', { name: 'Comptes du journal' }).click();
  await expectPage(account).toHaveValue('467100');
  expect(errors).toEqual([]);
  await page.context().close();
});
