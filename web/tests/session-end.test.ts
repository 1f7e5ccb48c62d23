import { test } from 'vitest';
import { chromiumPages, expectPage } from './chromium.ts';
import { demoEmails, demoPassword, realServer } from './real-server.ts';

const server = realServer({ mail: false, environment: () => ({ SESSION_MAX_HOURS: '1' }) });
const open = chromiumPages();

test('[DF-85] five minutes before a session ends that nothing prolongs, the page says when, and leads to the sign-in page and back', async () => {
  const { page } = await open(`${server.origin()}/auth/login`, {
    prepare: async (fresh) => fresh.clock.install(),
  });
  const signIn = async () => {
    await page.getByLabel('E-mail').fill(demoEmails.commercial);
    await page.getByLabel('Mot de passe', { exact: true }).fill(demoPassword);
    await page.getByRole('button', { name: 'Se connecter', exact: true }).click();
    await page.waitForURL('**/commercial/dashboard*');
    await expectPage(page.getByRole('button', { name: 'Rechercher partout' })).toBeVisible();
  };
  await signIn();
  const update = async () => {
    await page.getByRole('button', { name: 'Mettre à jour' }).first().click();
    return page.getByRole('dialog', { name: 'Mettre à jour le parrainage' }).getByLabel(/^Notes/u);
  };
  const warning = page.getByRole('dialog', { name: /^Votre session se termine à \d\d:\d\d$/u });
  await page.clock.runFor('50:00');
  await expectPage(warning).toHaveCount(0);
  await (await update()).fill('Rappelée ce matin : elle attend le devis.');
  await page.clock.runFor('06:00');
  await expectPage(warning).toHaveCount(1);
  await warning.getByRole('button', { name: 'Se reconnecter' }).click();
  await expectPage(page.getByText('Session expirée, veuillez vous reconnecter', { exact: true })).toBeVisible();
  await signIn();
  await expectPage(warning).toHaveCount(0);
  await expectPage(await update()).toHaveValue('Rappelée ce matin : elle attend le devis.');
});
