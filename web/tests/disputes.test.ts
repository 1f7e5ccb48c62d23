import { expect, test } from 'vitest';
import { brokenRules } from './accessibility.ts';
import { chromiumPages, expectPage } from './chromium.ts';
import { dashboards, openSection } from './dashboards.ts';
import { demoEmails, realServer } from './real-server.ts';

// A payee questions a line of their account; the company answers (LG-06). The real server, the real pages.

const server = realServer();
const { openAs } = dashboards(server.origin, chromiumPages());

test('[LG-06, DF-46] a line is questioned from the statement, waits for the admin in « À faire », is answered, closed, and read by its payee', async () => {
  const client = await openAs('client', demoEmails.client);
  await openSection(client.page, 'Mes Commissions');
  await client.page.getByText('Relevé', { exact: true }).first().click();
  const rows = client.page.getByRole('row');
  await expectPage(rows.getByRole('button', { name: 'Contester' }).first()).toBeVisible();
  // What one asked for oneself has no such button (DF-46).
  const line = rows.nth((await rows.allInnerTexts()).findIndex((text) => text.includes('Contester')));
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

test(
  '[LG-06] the admin closes with an adjustment, which the client’s account counts and explains, and annuls it',
  { tags: 'long' },
  async () => {
    const client = await openAs('client', demoEmails.client);
    await openSection(client.page, 'Mes Commissions');
    await client.page.getByText('Relevé', { exact: true }).first().click();
    await client.page.getByRole('button', { name: 'Contester' }).first().click();
    const asking = client.page.getByRole('dialog', { name: 'Contester cette ligne' });
    await asking.getByLabel('Votre message').fill('Il manque une tranche.');
    await asking.getByRole('button', { name: 'Envoyer' }).click();
    await expectPage(asking).toBeHidden();

    const admin = await openAs('admin', demoEmails.admin);
    await admin.page.getByRole('button', { name: /1 ligne de compte contestée/u }).click();
    await admin.page.getByRole('button', { name: 'Répondre', exact: true }).first().click();
    const thread = admin.page.getByRole('dialog', { name: /^Contestation de /u });
    const name = ((await thread.getByRole('heading').first().textContent()) ?? '').replace('Contestation de ', '');
    await thread.getByLabel('Votre message').fill('Voici la différence.');
    await thread.getByText('En plus', { exact: true }).click();
    await thread.getByRole('button', { name: 'Répondre et clore' }).click();
    await expectPage(thread.getByText(/Indiquez un montant de 0,01/u)).toBeVisible();
    await thread.getByLabel('Montant à ajouter').fill('12,5');
    expect(await brokenRules(admin.page)).toEqual([]);
    await thread.getByRole('button', { name: /Clôturer et ajuster de \+12,50/u }).click();
    await expectPage(thread).toBeHidden();

    const adjusted = client.page.getByRole('row').filter({ hasText: 'Ajustement en plus' });
    await expectPage(adjusted).toContainText('Voici la différence.');
    await expectPage(adjusted).toContainText(/\+12,50/u);
    await expectPage(client.page.getByRole('button', { name: /^Ajusté : 12,50/u })).toBeVisible();

    // From the line of the account back to its thread, where it is annulled.
    await admin.page.getByLabel('Rechercher une personne').fill(name);
    await admin.page.getByRole('row').filter({ hasText: name }).click();
    await admin.page.getByRole('row').filter({ hasText: 'Ajustement en plus' }).click();
    await thread.getByRole('button', { name: 'Annuler l’ajustement' }).click();
    await thread.getByLabel('Raison, dite à la personne et sur son relevé').fill('La tranche était comptée.');
    expect(await brokenRules(admin.page)).toEqual([]);
    await thread.getByRole('button', { name: 'Annuler l’ajustement' }).click();
    await expectPage(thread).toBeHidden();
    await expectPage(client.page.getByRole('row').filter({ hasText: 'Ajustement en moins' })).toContainText(/−12,50/u);
    await expectPage(client.page.getByRole('button', { name: /^Ajusté :/u })).toHaveCount(0);
    expect([client.errors, admin.errors]).toEqual([[], []]);
    await client.page.context().close();
    await admin.page.context().close();
  },
);
