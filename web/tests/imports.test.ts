import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { brokenRules } from './accessibility.ts';
import { chromiumPages, expectPage } from './chromium.ts';
import { dashboards, openSection } from './dashboards.ts';
import { demoEmails, realServer } from './real-server.ts';

// Clients from a file; on a server of its own, for it counts them.

const server = realServer();
const { openAs, read } = dashboards(server.origin, chromiumPages());

const file = (text: string) => ({
  name: 'fichier-clients.csv',
  mimeType: 'text/csv',
  buffer: Buffer.from(text, 'latin1'),
});

test('[EX-04] [DF-31] the admin imports a file: how it is read, its columns, what is wrong with it, the clients, and their undoing', async () => {
  const { page, errors } = await openAs('admin', demoEmails.admin);
  await openSection(page, 'Clients');
  await page.getByRole('button', { name: 'Importer des clients' }).click();
  const dialog = page.getByRole('dialog', { name: 'Importer des clients' });
  await dialog
    .locator('input[type=file]')
    .setInputFiles({ name: 'a.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7\n') });
  await expectPage(dialog.getByText('Ce fichier est un PDF', { exact: false })).toBeVisible();
  await dialog
    .locator('input[type=file]')
    .setInputFiles(
      file(
        'Nos clients, amis et prospects\r\nPrénom;Nom;Contact;Ville\r\nZoé;Import-Un;zoe.import@exemple.fr;Lyon\r\nNoël;Import-Deux;noel.import@exemple.fr;Lille\r\nHugo;Import-Trois;;Metz\r\n',
      ),
    );
  await expectPage(dialog.getByText('Indiquez quelle colonne contient l’e-mail.')).toBeVisible();
  await expectPage(dialog.getByText(/^Au-dessus des titres, 1\sligne n’est pas importée\.$/u)).toBeVisible();
  // What was found is put right by hand, and back.
  const choose = async (name: string, option: string) => {
    await dialog.getByRole('combobox', { name }).click();
    await page.getByRole('option', { name: option, exact: true }).click();
  };
  await choose('Encodage', 'Mac (Europe de l’Ouest)');
  await expectPage(dialog.getByText('ZoÈ · NoÎl · Hugo')).toBeVisible();
  await choose('Encodage', 'Windows (Europe de l’Ouest)');
  await expectPage(dialog.getByText('Zoé · Noël · Hugo')).toBeVisible();
  await choose('Ligne des titres', 'Aucune');
  await expectPage(dialog.getByText('Colonne 1', { exact: true })).toBeVisible();
  await choose('Ligne des titres', '2 : Prénom · Nom · Contact · Ville');
  await expectPage(dialog.getByText('Colonne 1', { exact: true })).toBeHidden();
  await expectPage(dialog.getByRole('button', { name: 'Vérifier le fichier' })).toBeDisabled();
  expect(await brokenRules(page)).toEqual([]);
  await dialog.getByRole('combobox', { name: 'Contenu de « Contact »' }).click();
  await page.getByRole('option', { name: 'E-mail' }).click();
  await dialog.getByRole('button', { name: 'Vérifier le fichier' }).click();

  await expectPage(dialog.getByRole('heading', { name: '2 clients à importer' })).toBeVisible();
  await expectPage(dialog.getByText('Zoé Import-Un')).toBeVisible();
  await expectPage(dialog.getByText('Ligne 5')).toBeVisible();
  await expectPage(dialog.getByText('E-mail manquant')).toBeVisible();
  expect(await brokenRules(page)).toEqual([]);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('button', { name: 'Télécharger ces lignes' }).click(),
  ]);
  expect(await readFile(await download.path(), 'utf8')).toContain('Hugo;Import-Trois;;Metz;E-mail manquant;5');
  const written = () =>
    read<{ full_name: string }>(demoEmails.admin, 'profiles?select=full_name&full_name=like.*Import-*&order=full_name');
  expect(await written()).toEqual([]);
  await dialog.getByRole('button', { name: /^Importer 2\sclients$/u }).click();

  await expectPage(dialog.getByText(/^2\sclients importés$/u)).toBeVisible();
  expect(await written()).toEqual([{ full_name: 'Noël Import-Deux' }, { full_name: 'Zoé Import-Un' }]);
  await expectPage(dialog.getByText('fichier-clients.csv')).toBeVisible();
  expect(await brokenRules(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Annuler l’import fichier-clients.csv' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Supprimer ces clients' }).click();
  await expectPage(dialog.getByText('Annulé', { exact: true })).toBeVisible();
  expect(await written()).toEqual([]);
  await dialog.getByRole('button', { name: 'Fermer' }).click();
  await expectPage(dialog).toBeHidden();
  // The refused file is the only error of the page.
  expect(errors.filter((error) => !error.includes('400'))).toEqual([]);
});

test(
  '[EX-04] the commercial imports referrals of their own clients: a reference asks for its software, what is wrong is said by line',
  { tags: 'long' },
  async () => {
    const [client] = await read<{ id: string; email: string; full_name: string }>(
      demoEmails.commercial,
      'profiles?select=id,email,full_name&role=eq.client&order=full_name&limit=1',
    );
    const { page, errors } = await openAs('commercial', demoEmails.commercial);
    await page.getByRole('button', { name: 'Importer des parrainages' }).click();
    const dialog = page.getByRole('dialog', { name: 'Importer des parrainages' });
    const text = [
      'Filleul;E-mail;Recommandé par;Dossier;Accord',
      `Zoé Filleul-Un;zoe.filleul@exemple.fr;${client?.email};D-1;non`,
      `Noël Filleul-Deux;noel.filleul@exemple.fr;#${client?.id.slice(0, 8)};D-2;`,
      `Hugo Filleul-Trois;;${client?.email};D-3;`,
      'Inès Filleul-Quatre;ines.filleul@exemple.fr;personne@exemple.fr;D-4;',
    ].join('\r\n');
    await dialog
      .locator('input[type=file]')
      .setInputFiles({ name: 'filleuls.csv', mimeType: 'text/csv', buffer: Buffer.from(text, 'latin1') });
    await dialog.getByRole('combobox', { name: 'Contenu de « Dossier »' }).click();
    await page.getByRole('option', { name: 'Référence dans un autre logiciel' }).click();
    const check = dialog.getByRole('button', { name: 'Vérifier le fichier' });
    await expectPage(check).toBeDisabled();
    await dialog.getByLabel('Logiciel d’où viennent ces références').fill('Ancien outil');
    expect(await brokenRules(page)).toEqual([]);
    await check.click();
    await expectPage(dialog.getByRole('heading', { name: /^2\sparrainages à importer$/u })).toBeVisible();
    await expectPage(dialog.getByText(`parrain : ${client?.email}`, { exact: false })).toBeVisible();
    await expectPage(dialog.getByText('E-mail ou téléphone manquant')).toBeVisible();
    await expectPage(
      dialog.getByText('Parrain : aucun de vos clients n’a cet e-mail ou cet identifiant'),
    ).toBeVisible();
    expect(await brokenRules(page)).toEqual([]);
    await dialog.getByRole('button', { name: /^Importer 2\sparrainages$/u }).click();
    await expectPage(dialog.getByText(/^2\sparrainages importés$/u)).toBeVisible();
    const written = () =>
      read<object>(
        demoEmails.commercial,
        'sales?select=referred_contact_name,external_references(source,reference)&referred_contact_name=like.*Filleul-*&order=referred_contact_name',
      );
    expect(await written()).toEqual([
      {
        referred_contact_name: 'Noël Filleul-Deux',
        external_references: [{ source: 'Ancien outil', reference: 'D-2' }],
      },
      { referred_contact_name: 'Zoé Filleul-Un', external_references: [{ source: 'Ancien outil', reference: 'D-1' }] },
    ]);
    await dialog.getByRole('button', { name: 'Terminer' }).click();
    await expectPage(page.getByText('Zoé Filleul-Un').first()).toBeVisible();
    await page.getByRole('button', { name: 'Importer des parrainages' }).click();
    await dialog.getByRole('button', { name: 'Annuler l’import filleuls.csv' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Supprimer ces parrainages' }).click();
    await expectPage(dialog.getByText('Annulé', { exact: true })).toBeVisible();
    expect(await written()).toEqual([]);
    expect(errors).toEqual([]);
  },
);
