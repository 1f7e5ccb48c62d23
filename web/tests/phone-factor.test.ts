// @module-tag long: tests/security.test.ts holds its subject in the quick ring
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { brokenRules } from './accessibility.ts';
import { chromiumPages, expectNoOverflow, expectPage } from './chromium.ts';
import { dashboards, openSection } from './dashboards.ts';
import { demoEmails, demoPassword, realServer } from './real-server.ts';

// A telephone as the second step, where the company has text messages carried; here a real HTTP server carries them.

const texts: { to: string; text: string }[] = [];
const carrier = createServer((request, reply) => {
  let body = '';
  request.setEncoding('utf8').on('data', (chunk: string) => {
    body += chunk;
  });
  request.on('end', () => {
    texts.push(JSON.parse(body) as { to: string; text: string });
    reply.writeHead(200).end('{}');
  });
});
beforeAll(
  () =>
    new Promise<void>((resolve) => {
      carrier.listen(0, '127.0.0.1', resolve);
    }),
);
afterAll(() => void carrier.close());

const server = realServer({
  environment: () => ({
    SMS_URL: `http://jeton@127.0.0.1:${(carrier.address() as AddressInfo).port}/`,
    MFA_PHONE: 'on',
  }),
});
const openUrl = chromiumPages();
const { openAs } = dashboards(server.origin, openUrl);

test('[CO-11][AU-17] a telephone is added in Profil, and its code is asked at the next sign-in', async () => {
  const { page } = await openAs('commercial', demoEmails.commercial, {
    viewport: { width: 360, height: 800 },
    colorScheme: 'dark',
  });
  const menu = page.getByRole('navigation', { name: 'Sections' }).locator('visible=true');
  await menu.getByRole('link', { name: 'Profil' }).click();
  const dialog = page.getByRole('dialog', { name: 'Ajouter un numéro' });
  await page.getByRole('button', { name: 'Ajouter un numéro' }).click();
  await dialog.getByLabel('Numéro de téléphone').fill('12');
  await dialog.getByRole('button', { name: 'Recevoir un code' }).click();
  await expectPage(dialog.getByText('Le numéro de téléphone n’est pas valide')).toBeVisible();
  await dialog.getByLabel('Numéro de téléphone').fill('06 12 34 56 78');
  await dialog.getByRole('button', { name: 'Recevoir un code' }).click();
  await expectPage(dialog.getByLabel('Code reçu par SMS')).toBeFocused();
  expect(await brokenRules(page)).toEqual([]);
  await page.keyboard.type(await codeOfText(1));
  await expectPage(page.getByText('Codes par SMS', { exact: true })).toBeVisible();
  expect(texts[0]?.to).toMatch(/^\+?33612345678$/u);
  // One number is enough.
  await expectPage(page.getByRole('button', { name: 'Ajouter un numéro' })).toHaveCount(0);
  await expectNoOverflow(page);
  await page.context().close();

  const { page: later } = await openUrl(`${server.origin()}/auth/login`);
  await later.getByLabel('E-mail').fill(demoEmails.commercial);
  await later.getByLabel('Mot de passe', { exact: true }).fill(demoPassword);
  await later.getByRole('button', { name: 'Se connecter', exact: true }).click();
  await later.getByRole('button', { name: 'Recevoir un code par SMS' }).click();
  await expectPage(later.getByText('Un message vient déjà de partir. Patientez une minute.')).toBeVisible();
  // A number gets a message a minute: it is asked for until it leaves.
  await expectPage(async () => {
    await later.getByRole('button', { name: 'Recevoir un code par SMS' }).click();
    await expectPage(later.getByLabel('Code reçu par SMS')).toBeVisible({ timeout: 2000 });
  }).toPass({ timeout: 240_000, intervals: [5000] });
  await later.getByLabel('Code reçu par SMS').fill(await codeOfText(2));
  await later.waitForURL('**/commercial/dashboard');
  await openSection(later, 'Profil');
  await later.getByRole('button', { name: 'Retirer Codes par SMS', exact: true }).click();
  const removal = later.getByRole('alertdialog');
  await removal.getByRole('button', { name: 'Recevoir un code par SMS' }).click();
  await expectPage(removal.getByText('Un message vient déjà de partir. Patientez une minute.')).toBeVisible();
  await later.context().close();
});

/** The code of the nth text, once it has come. */
async function codeOfText(count: number): Promise<string> {
  await expectPage.poll(() => texts.length).toBe(count);
  return /\d{6}/u.exec(texts[count - 1]?.text ?? '')?.[0] ?? '';
}
