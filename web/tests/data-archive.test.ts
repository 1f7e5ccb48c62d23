import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { expect, test } from 'vitest';
import { brokenRules } from './accessibility.ts';
import { chromiumPages, expectNoOverflow, expectPage } from './chromium.ts';
import { dashboards, openSection } from './dashboards.ts';
import { demoEmails, realServer } from './real-server.ts';

// « Vos données », in the company's settings: the real server and its job.

const server = realServer();
const { openAs } = dashboards(server.origin, chromiumPages());

const part = (page: Page) => page.getByRole('main').getByRole('region', { name: 'Vos données' });

test('[EX-03] the admin asks for the archive, is told when it is ready, follows the notice to it and takes it away', async () => {
  const { page, errors } = await openAs('admin', demoEmails.admin);
  await openSection(page, 'Réglages');
  await part(page).getByRole('button', { name: 'Préparer une archive' }).click();
  await expectPage(page.getByText('Archive demandée')).toBeVisible();
  await expectPage(part(page)).toContainText(/Prête.*lignes.*Demandée par .* Disponible jusqu’au/su, {
    timeout: 60_000,
  });
  expect(await brokenRules(page)).toEqual([]);
  for (const width of [1280, 768, 360]) {
    await page.setViewportSize({ width, height: 800 });
    await expectNoOverflow(page);
  }
  await page.setViewportSize({ width: 1280, height: 800 });
  await openSection(page, 'Ventes');

  await page.getByRole('button', { name: /^Notifications/u }).click();
  await page.getByRole('button', { name: 'Non lue : L’archive de vos données est prête' }).click();
  await expectPage(part(page)).toBeInViewport();
  await expectPage(page).toHaveURL(/[?&]bloc=donnees(?:&|$)/u);
  // The link of a mail is this address, with nothing loaded yet; the one of an older mail leads there too.
  await page.reload();
  await expectPage(part(page)).toBeInViewport();
  await page.goto(`${server.origin()}/admin/dashboard?section=vue-d-ensemble&parametres=donnees`);
  await expectPage(page).toHaveURL(/[?&]bloc=donnees(?:&|$)/u);
  await expectPage(part(page)).toBeInViewport();
  const download = page.waitForEvent('download');
  await part(page).getByRole('button', { name: 'Télécharger' }).click();
  const file = await download;
  expect(file.suggestedFilename()).toMatch(/^Données \d{4}-\d\d-\d\d\.zip$/u);
  expect((await readFile(await file.path())).subarray(0, 4)).toEqual(Buffer.from('PK\u0003\u0004'));
  expect(errors).toEqual([]);
});
