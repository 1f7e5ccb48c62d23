import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { brokenRules } from './accessibility.ts';
import { chromiumPages, expectNoOverflow, expectPage } from './chromium.ts';
import { dashboards, openSection } from './dashboards.ts';
import { demoEmails, realServer } from './real-server.ts';

// CS-05, on a server of its own: what is published is the company's for ever.

const server = realServer();
const { openAs } = dashboards(server.origin, chromiumPages());
const phone = { viewport: { width: 360, height: 780 } };

test('[CS-05] the admin drafts and publishes the rules; a client reads them, puts them off, then accepts, and the admin sees it', async () => {
  const { page: admin, errors } = await openAs('admin', demoEmails.admin, phone);
  await openSection(admin, 'Réglages');
  await admin.getByRole('button', { name: 'Ouvrir les règles' }).click();
  const editor = admin.getByRole('form', { name: 'Texte des règles' });
  await editor.getByRole('button', { name: 'Publier la version 1' }).click();
  await expectPage(editor.getByText('Écrivez les règles avant de les publier')).toBeVisible();
  await editor.getByLabel('Texte des règles').fill('Article 1\nOn recommande ses amis, et personne d’autre.');
  await editor.getByRole('button', { name: 'Enregistrer le brouillon' }).click();
  await expectPage(admin.getByText('Brouillon enregistré')).toBeVisible();
  expect(await brokenRules(admin)).toEqual([]);
  await expectNoOverflow(admin);
  await editor.getByRole('button', { name: 'Publier la version 1' }).click();
  await admin.getByRole('alertdialog').getByRole('button', { name: 'Publier' }).click();
  await expectPage(admin.getByText('Règles publiées')).toBeVisible();

  const { page: client, errors: clientErrors } = await openAs('client', demoEmails.client, phone);
  const rules = client.getByRole('dialog', { name: 'Règles du programme' });
  await expectPage(rules.getByText('On recommande ses amis, et personne d’autre.')).toBeVisible();
  expect(await brokenRules(client)).toEqual([]);
  await rules.getByRole('button', { name: 'Plus tard' }).click();
  await expectPage(rules).toBeHidden();
  await client.reload();
  await rules.getByRole('button', { name: 'J’accepte ces règles' }).click();
  await expectPage(client.getByText('Règles acceptées')).toBeVisible();
  await expectPage(rules).toBeHidden();

  await admin.reload();
  await openSection(admin, 'Réglages');
  await admin.getByRole('button', { name: 'Ouvrir les règles' }).click();
  await expectPage(admin.getByRole('region', { name: 'Versions publiées' })).toContainText('1 client l’a acceptée');
  const who = admin.getByRole('region', { name: 'Qui a accepté' });
  await who.getByRole('searchbox', { name: 'Rechercher un client' }).fill('Sophie Marchand');
  await expectPage(who.getByRole('listitem').first()).toContainText('Version 1, le');
  expect(await brokenRules(admin)).toEqual([]);
  await who.getByRole('button', { name: 'Exporter' }).click();
  const [file] = await Promise.all([
    admin.waitForEvent('download'),
    admin.getByRole('menuitem', { name: 'Fichier CSV' }).click(),
  ]);
  const lines = (await readFile(await file.path(), 'utf8')).trim().split('\r\n');
  expect(lines).toHaveLength(2);
  expect(lines[1]).toMatch(/^Sophie Marchand;[^;]+;1;[^;]+;[\da-f]{64};/u);
  expect([...errors, ...clientErrors]).toEqual([]);
  await admin.context().close();
  await client.context().close();
});
