import { expect, test } from 'vitest';
import { brokenRules } from './accessibility.ts';
import { chromiumPages, expectPage } from './chromium.ts';
import { dashboards, openSection } from './dashboards.ts';
import { demoEmails, realServer } from './real-server.ts';

// A payee questions a line of their account; the company answers (LG-06). The real server, the real pages.

const server = realServer();
const { openAs } = dashboards(server.origin, chromiumPages());

test('[LG-06] a line is questioned from the statement, waits for the admin in « À faire », is answered, closed, and read by its payee', async () => {
  const client = await openAs('client', demoEmails.client);
  await openSection(client.page, 'Mes Commissions');
  await client.page.getByText('Relevé', { exact: true }).first().click();
  const line = client.page.getByRole('row').nth(1);
  await line.getByRole('button', { name: 'Contester' }).click();
  const asking = client.page.getByRole('dialog', { name: 'Contester cette ligne' });
  await asking.getByRole('button', { name: 'Envoyer' }).click();
  await expectPage(asking.getByText('Écrivez votre message')).toBeVisible();
  await asking.getByLabel('Votre message').fill('Le contrat était de 2 000 €.');
  expect(await brokenRules(client.page)).toEqual([]);
  await asking.getByRole('button', { name: 'Envoyer' }).click();
  await expectPage(asking).toBeHidden();
  await expectPage(line.getByRole('button', { name: 'Contestation en cours' })).toBeVisible();

  const admin = await openAs('admin', demoEmails.admin);
  await admin.page.getByRole('button', { name: /1 ligne de compte contestée/u }).click();
  await admin.page.getByRole('button', { name: 'Répondre', exact: true }).first().click();
  const thread = admin.page.getByRole('dialog', { name: /^Contestation de /u });
  await expectPage(thread.getByText('Le contrat était de 2 000 €.')).toBeVisible();
  await thread.getByLabel('Votre message').fill('Nous regardons.');
  await thread.getByRole('button', { name: 'Répondre', exact: true }).click();
  await expectPage(thread.getByRole('list', { name: 'Messages' }).getByText('Nous regardons.')).toBeVisible();
  await expectPage(thread.getByLabel('Votre message')).toHaveValue('');
  await thread.getByLabel('Votre message').fill('Le montant signé est celui du contrat.');
  expect(await brokenRules(admin.page)).toEqual([]);
  await thread.getByRole('button', { name: 'Répondre et clore' }).click();
  await expectPage(thread).toBeHidden();
  await expectPage(admin.page.getByRole('heading', { name: 'Lignes contestées' })).toHaveCount(0);

  await line.getByRole('button', { name: 'Contestation close : voir la réponse' }).click();
  const answer = client.page.getByRole('dialog', { name: 'Ma contestation' });
  await expectPage(answer.getByText('Le montant signé est celui du contrat.')).toBeVisible();
  await expectPage(answer.getByText(/Contestation close le/u)).toBeVisible();
  await expectPage(answer.getByLabel('Votre message')).toHaveCount(0);
  expect([client.errors, admin.errors]).toEqual([[], []]);
  await client.page.context().close();
  await admin.page.context().close();
});
