import type { Page } from '@playwright/test';
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { brokenRules } from './accessibility.ts';
import { chromiumPages, expectNoOverflow, expectPage } from './chromium.ts';
import { dashboards, pickSection } from './dashboards.ts';
import { demoEmails, realServer } from './real-server.ts';

// « Documents » of a payee and « Comptabilité » of the admin, on the demo company.

const server = realServer();
const { act, decide, openAs, read } = dashboards(server.origin, chromiumPages());

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
  await expectNoOverflow(page);
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

test(
  '[PP-03] a commercial has a statement too, and the admin everybody’s as one archive',
  { tags: 'long' },
  async () => {
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
  },
);

test('[UI-12] the year for the accountant is two clicks from the admin’s first screen; a month is one choice more', async () => {
  const { page, errors } = await openAs('admin', demoEmails.admin, { viewport: { width: 1280, height: 800 } });
  let clicks = 0;
  await page.exposeFunction('countClick', () => (clicks += 1));
  await page.evaluate(() =>
    document.addEventListener('click', () => void (window as unknown as { countClick: () => void }).countClick(), true),
  );
  await pickSection(page, 'Comptabilité');
  const year = await taken(page, /^Télécharger le dossier : Année/u);
  expect(year.name).toMatch(/^Dossier comptable 2\d{3}(?: provisoire)?\.zip$/u);
  expect(year.bytes.subarray(0, 2).toString()).toBe('PK');
  expect(year.bytes.subarray(-200).toString()).toContain('LISEZ-MOI.txt');
  await expectPage(page.getByRole('dialog').getByText('Le fichier est prêt')).toBeVisible();
  expect(clicks).toBe(2);
  await page.getByRole('combobox', { name: 'Période du dossier' }).click();
  const month = page.getByRole('option').last();
  await month.click();
  const taking = await taken(page, /^Télécharger le dossier : (?!Année)/u);
  expect(taking.name).toMatch(/^Dossier comptable 2\d{3}-\d\d(?: provisoire)?\.zip$/u);
  expect(await brokenRules(page)).toEqual([]);
  await page.setViewportSize({ width: 360, height: 800 });
  await expectNoOverflow(page);
  expect(errors).toEqual([]);
  await page.context().close();
});

test('[UI-12] while the dossier is being made its screen says so, and how far it is', async () => {
  const { page, errors } = await openAs('admin', demoEmails.admin);
  await pickSection(page, 'Comptabilité');
  await page.evaluate(() => {
    const sent = window.fetch.bind(window);
    window.fetch = async (input, init) => {
      if (!(input instanceof Request ? input.url : String(input)).includes('/dossier/')) return sent(input, init);
      const body = new ReadableStream({
        start: (file) => {
          file.enqueue(new Uint8Array(420));
          addEventListener('whole', () => file.close(), { once: true });
        },
      });
      return new Response(body, { headers: { 'x-estimated-length': '1000' } });
    };
  });
  const said = page.getByRole('status').filter({ hasText: 'Le dossier se prépare, cela peut prendre une minute.' });
  await expectPage(said).toHaveCount(0);
  await page.getByRole('button', { name: /^Télécharger le dossier/u }).click();
  await expectPage(said).toContainText('42 %');
  expect(await brokenRules(page)).toEqual([]);
  await page.evaluate(() => dispatchEvent(new Event('whole')));
  await expectPage(page.getByText('Le fichier est prêt')).toBeVisible();
  await expectPage(said).toHaveCount(0);
  expect(errors).toEqual([]);
  await page.context().close();
});

test('[EX-02] the admin closes the journal’s months, takes it in the form of the FEC, and sets its accounts', async () => {
  const { page, errors } = await openAs('admin', demoEmails.admin);
  await pickSection(page, 'Comptabilité');
  const last = page.getByRole('button', { name: /^Clôturer : / }).last();
  const name = (await last.getAttribute('aria-label')) ?? '';
  await last.click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Clôturer', exact: true }).click();
  await expectPage(page.getByText('Clos', { exact: true }).first()).toBeVisible();
  await expectPage(page.getByRole('button', { name, exact: true })).toHaveCount(0);
  const [, month = ''] = name.split(/\s:\s/u);
  const journal = await taken(page, new RegExp(`^Journal Format FEC : ${month}`, 'u'));
  expect(journal.name).toMatch(/^Journal Parrainage 2\d{3}-\d\d\.txt$/u);
  expect(journal.bytes.toString('latin1')).toMatch(/^JournalCode\tJournalLib\tEcritureNum\t/u);
  await page.getByRole('button', { name: 'Réglages du journal' }).click();
  const dialog = page.getByRole('dialog', { name: 'Réglages du journal' });
  const account = dialog.getByRole('group', { name: 'Dû aux particuliers et aux associations' }).getByLabel('Compte');
  await account.fill('999');
  await dialog.getByRole('button', { name: 'Enregistrer' }).click();
  await expectPage(dialog.getByText(/^Indiquez un compte du plan comptable/u)).toBeVisible();
  await account.fill('622200');
  await dialog.getByRole('button', { name: 'Enregistrer' }).click();
  await expectPage(dialog.getByText('Indiquez un compte de tiers, de la classe 4.')).toBeVisible();
  await account.fill('467 100');
  expect(await brokenRules(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Enregistrer' }).click();
  await expectPage(dialog).toHaveCount(0);
  await page.getByRole('button', { name: 'Réglages du journal' }).click();
  await expectPage(account).toHaveValue('467100');
  expect(errors).toEqual([]);
  await page.context().close();
});

test('[AC-07] the demo has one of each paper: an admin takes an example before papers are switched on', async () => {
  const { page, errors } = await openAs('admin', demoEmails.admin);
  await pickSection(page, 'Comptabilité');
  await page.getByRole('button', { name: 'Voir un exemple' }).click();
  await expectPage(page.getByRole('menuitem')).toHaveCount(8);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: 'Autofacture d’une société, avec TVA' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('Spécimen, Autofacture d’une société, avec TVA.pdf');
  expect((await readFile(await download.path())).subarray(0, 8).toString()).toBe('%PDF-1.7');
  await expectPage(page.getByText('Le fichier est prêt')).toBeVisible();
  expect(errors).toEqual([]);
  await page.context().close();
});

test(
  '[PP-01] [PP-02] the admin asks for what papers say; a client completes it on a phone, by keyboard, and the admin reads it',
  { tags: 'long' },
  async () => {
    const opened = await openAs('admin', demoEmails.admin);
    const admin = opened.page;
    await pickSection(admin, 'Comptabilité');
    await admin.getByRole('button', { name: 'Réglages des pièces' }).click();
    const settings = admin.getByRole('dialog', { name: 'Réglages des pièces' });
    await settings.getByLabel('Établir une pièce pour chaque paiement').check();
    await settings.getByLabel('Nom légal').fill('Lumeo Habitat SARL');
    await settings.getByLabel('Numéro et rue').fill('12 rue des Lilas');
    await settings.getByLabel('Code postal').fill('35000');
    await settings.getByLabel('Ville').fill('Rennes');
    await settings.getByLabel('SIREN').fill('732 829 321');
    await settings.getByRole('button', { name: 'Enregistrer' }).click();
    await expectPage(settings.getByText('Ce SIREN n’est pas valide', { exact: false })).toBeVisible();
    expect(await brokenRules(admin)).toEqual([]);
    await settings.getByLabel('SIREN').fill('732 829 320');
    await settings.getByLabel('SIRET').fill('732 829 320 00009');
    await settings.getByLabel('Forme juridique').fill('SARL');
    await settings.getByLabel('Capital social').fill('20 000');
    await settings.getByLabel('Greffe du RCS').fill('Rennes');
    await settings.getByRole('button', { name: 'Enregistrer' }).click();
    await expectPage(admin.getByText('Lumeo Habitat SARL', { exact: true })).toBeVisible();

    const { page, errors } = await openAs('client', demoEmails.client, { viewport: { width: 360, height: 800 } });
    await pickSection(page, 'Documents');
    await page.getByRole('button', { name: 'Compléter les informations' }).press('Enter');
    const form = page.getByRole('dialog', { name: 'Informations légales' });
    await form.getByRole('radio', { name: 'Micro-entrepreneur' }).focus();
    await page.keyboard.press('Space');
    await form.getByLabel('Prénom', { exact: true }).fill('Camille');
    await form.getByLabel('Nom', { exact: true }).fill('Moreau');
    await form.getByLabel('Numéro et rue').fill('3 place du Marché');
    await form.getByLabel('Code postal').fill('44000');
    await form.getByLabel('Ville').fill('Nantes');
    await form.getByLabel('SIREN').fill('552100554');
    await form.getByRole('button', { name: 'Enregistrer' }).press('Enter');
    await expectPage(form.getByText('Indiquez le SIRET de votre établissement', { exact: false })).toBeVisible();
    await form.getByLabel('SIRET').fill('55210055400005');
    expect(await brokenRules(page)).toEqual([]);
    await expectNoOverflow(page);
    await form.getByRole('button', { name: 'Enregistrer' }).press('Enter');
    const known = page.getByRole('region', { name: 'Informations légales' });
    await expectPage(known).toContainText('552\u00a0100\u00a0554\u00a000005');
    await expectPage(known).toContainText('Non applicable (article 293 B)');
    expect(errors).toEqual([]);
    await page.context().close();

    const [{ id } = { id: '' }] = await read<{ id: string }>(
      demoEmails.admin,
      `profiles?select=id&email=eq.${demoEmails.client}`,
    );
    await admin.goto(`${server.origin()}/admin/dashboard?section=clients&client=${id}`);
    await expectPage(admin.getByRole('region', { name: 'Informations légales' })).toContainText('Micro-entrepreneur');
    expect(await brokenRules(admin)).toEqual([]);

    // PP-02: the next payment makes a receipt, which both take.
    await act(demoEmails.client, 'payment-request', {
      action: 'create',
      amount: '2',
      payment_method: 'remise_societe',
    });
    const [request] = await read<{ id: string }>(
      demoEmails.client,
      'payment_requests?select=id&amount=eq.2&status=eq.pending&order=created_at.desc&limit=1',
    );
    for (const status of ['approved', 'paid']) {
      await decide('payment-request', { action: 'update_status', request_id: request?.id, status });
    }
    await admin.goto(`${server.origin()}/admin/dashboard?section=comptabilite`);
    expect((await taken(admin, /^PDF : TR-/u)).name).toMatch(/^Reçu TR-2\d{3}-0001\.pdf$/u);
    expect((await taken(admin, /^Pièces 2\d{3}$/u)).name).toMatch(/^Pièces 2\d{3}\.zip$/u);
    expect(await brokenRules(admin)).toEqual([]);
    const theirs = await openAs('client', demoEmails.client, { viewport: { width: 360, height: 800 } });
    await pickSection(theirs.page, 'Documents');
    expect((await taken(theirs.page, /^PDF : TR-/u)).name).toMatch(/^Reçu TR-2\d{3}-0001\.pdf$/u);
    await expectNoOverflow(theirs.page);
    expect([...opened.errors, ...theirs.errors]).toEqual([]);
    await theirs.page.context().close();
    await admin.context().close();
  },
);

test(
  '[PP-05] [PP-02] a micro-entrepreneur accepts the mandate on a phone, takes an invoice written by it, revokes it; the admin sees it',
  { tags: 'long' },
  async () => {
    const opened = await openAs('admin', demoEmails.admin);
    const admin = opened.page;
    await pickSection(admin, 'Comptabilité');
    await admin.getByRole('button', { name: 'Réglages des pièces' }).click();
    const settings = admin.getByRole('dialog', { name: 'Réglages des pièces' });
    await settings.getByLabel('Délai de contestation, en jours').fill('0');
    await settings.getByRole('button', { name: 'Enregistrer' }).click();
    await expectPage(settings.getByText('Indiquez un nombre de jours, de 1 à 90.')).toBeVisible();
    await settings.getByLabel('Délai de contestation, en jours').fill('30');
    await settings.getByLabel('En franchise en base de TVA', { exact: false }).check();
    await settings.getByRole('button', { name: 'Enregistrer' }).click();
    await expectPage(admin.getByText('30 jours', { exact: true })).toBeVisible();
    await expectPage(admin.getByText('Franchise en base\u00a0: aucune TVA récupérée')).toBeVisible();

    const { page, errors } = await openAs('client', demoEmails.client, { viewport: { width: 360, height: 800 } });
    await pickSection(page, 'Documents');
    await page.getByRole('button', { name: 'Lire et accepter le mandat' }).press('Enter');
    const mandate = page.getByRole('dialog', { name: 'Mandat d’autofacturation' });
    await expectPage(mandate).toContainText('Entre Camille Moreau, SIREN 552\u00a0100\u00a0554');
    await mandate.getByRole('button', { name: 'Accepter le mandat' }).click();
    await expectPage(mandate.getByText('Cochez la case pour accepter le mandat.')).toBeVisible();
    expect(await brokenRules(page)).toEqual([]);
    await mandate.getByLabel('J’ai lu ce mandat et je l’accepte').check();
    await mandate.getByRole('button', { name: 'Accepter le mandat' }).click();
    const known = page.getByRole('region', { name: 'Informations légales' });
    await expectPage(known.getByText(/^Mandat accepté le /u)).toBeVisible();
    await expectNoOverflow(page);
    await known.getByRole('button', { name: 'Lire le mandat' }).click();
    await expectPage(mandate.getByText(/^Version 2\d{3}-\d\d, acceptée le /u)).toBeVisible();
    await mandate.getByRole('button', { name: 'Fermer' }).last().click();

    const [{ id } = { id: '' }] = await read<{ id: string }>(
      demoEmails.admin,
      `profiles?select=id&email=eq.${demoEmails.client}`,
    );
    await admin.goto(`${server.origin()}/admin/dashboard?section=clients&client=${id}`);
    const seen = admin.getByRole('region', { name: 'Informations légales' });
    await expectPage(seen.getByText(/^Mandat accepté le /u)).toBeVisible();
    await expectPage(seen.getByRole('button', { name: 'Révoquer le mandat' })).toHaveCount(0);
    expect(await brokenRules(admin)).toEqual([]);

    // PP-02: the next payment makes an invoice in place of a receipt.
    await act(demoEmails.client, 'payment-request', {
      action: 'create',
      amount: '3',
      payment_method: 'remise_societe',
    });
    const [request] = await read<{ id: string }>(
      demoEmails.client,
      'payment_requests?select=id&amount=eq.3&status=eq.pending&order=created_at.desc&limit=1',
    );
    for (const status of ['approved', 'paid']) {
      await decide('payment-request', { action: 'update_status', request_id: request?.id, status });
    }
    await expectPage(page.getByText(/^Autofacture TF552100554-2\d{3}-0001$/u).first()).toBeVisible();
    const invoice = await taken(page, /^PDF : TF552100554-/u);
    expect(invoice.name).toMatch(/^Autofacture TF552100554-2\d{3}-0001\.pdf$/u);
    expect(invoice.bytes.toString('latin1')).toContain('factur-x.xml');

    await known.getByRole('button', { name: 'Révoquer le mandat' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Révoquer le mandat' }).click();
    await expectPage(known.getByRole('button', { name: 'Lire et accepter le mandat' })).toBeVisible();
    await expectPage(known.getByRole('button', { name: 'Lire l’ancien mandat' })).toBeVisible();
    expect([...opened.errors, ...errors]).toEqual([]);
    await page.context().close();
    await admin.context().close();
  },
);

test(
  '[PP-02] [PO-05] [PP-05] a commercial who is an agent gives the mandate and takes the invoice of a paid month; the admin too',
  { tags: 'long' },
  async () => {
    await act(demoEmails.admin, 'papers', {
      action: 'update_company',
      issues_papers: true,
      contest_days: 15,
      legal_name: 'Lumeo Habitat SARL',
      street: '12 rue des Lilas',
      postal_code: '35000',
      city: 'Rennes',
      siren: '732829320',
      vat_number: '',
    });
    const own = 'commission_periods?select=payee_id,full_name,due,month&status=eq.due&order=month.desc&limit=1';
    const [due] = await read<{ payee_id: string; full_name: string; due: number; month: string }>(
      demoEmails.commercial,
      own,
    );
    if (due === undefined) throw new Error('Nothing is due to the commercial');

    // PP-01: nothing is paid before it is known to whom.
    const { page: admin, errors: adminErrors } = await openAs('admin', demoEmails.admin);
    await admin.goto(`${server.origin()}/admin/dashboard?section=commissions-des-commerciaux`);
    const row = admin
      .getByRole('table', { name: 'Commissions des commerciaux' })
      .getByRole('row')
      .filter({ hasText: due.full_name });
    await row.getByRole('button', { name: `Marquer payé : ${due.full_name}` }).click();
    const asking = admin.getByRole('alertdialog');
    await asking.getByRole('button', { name: 'Marquer payé' }).click();
    await expectPage(asking).toContainText(/Il manque les informations légales de .*, que demandent les pièces/u);
    await expectPage(asking).toContainText(due.full_name);

    const { page, errors } = await openAs('commercial', demoEmails.commercial, {
      viewport: { width: 360, height: 800 },
    });
    await pickSection(page, 'Documents');
    await page.getByRole('button', { name: 'Compléter les informations' }).click();
    const form = page.getByRole('dialog', { name: 'Informations légales' });
    await form.getByRole('radio', { name: /^Agent commercial/u }).check();
    const [firstName = '', ...lastNames] = due.full_name.split(' ');
    await form.getByLabel('Prénom', { exact: true }).fill(firstName);
    await form.getByLabel('Nom', { exact: true }).fill(lastNames.join(' '));
    await form.getByLabel('Numéro et rue').fill('3 place du Marché');
    await form.getByLabel('Code postal').fill('44000');
    await form.getByLabel('Ville').fill('Nantes');
    await form.getByLabel('SIREN').fill('443061841');
    await form.getByLabel('SIRET').fill('44306184100005');
    await form.getByLabel('Greffe du RSAC').fill('Nantes');
    expect(await brokenRules(page)).toEqual([]);
    await form.getByRole('button', { name: 'Enregistrer' }).click();
    await page.getByRole('button', { name: 'Lire et accepter le mandat' }).click();
    const mandate = page.getByRole('dialog', { name: 'Mandat d’autofacturation' });
    await expectPage(mandate).toContainText(`Entre ${due.full_name}, SIREN 443\u00a0061\u00a0841`);
    await mandate.getByLabel('J’ai lu ce mandat et je l’accepte').check();
    await mandate.getByRole('button', { name: 'Accepter le mandat' }).click();
    const known = page.getByRole('region', { name: 'Informations légales' });
    await expectPage(known.getByText(/^Mandat accepté le /u)).toBeVisible();
    expect(await brokenRules(page)).toEqual([]);

    await asking.getByRole('button', { name: 'Marquer payé' }).click();
    await expectPage(row.getByText('Payé', { exact: true })).toBeVisible();
    await page.reload();
    await expectPage(page.getByText(/^Autofacture TF443061841-2\d{3}-0001$/u).first()).toBeVisible();
    const invoice = await taken(page, /^PDF : TF443061841-/u);
    expect(invoice.name).toMatch(/^Autofacture TF443061841-2\d{3}-0001\.pdf$/u);
    expect(invoice.bytes.toString('latin1')).toContain('factur-x.xml');
    await expectNoOverflow(page);
    await pickSection(admin, 'Comptabilité');
    expect((await taken(admin, /^PDF : TF443061841-/u)).bytes).toEqual(invoice.bytes);
    expect(errors).toEqual([]);
    // The refusal is what the browser reports.
    expect(adminErrors.filter((error) => !error.includes('409'))).toEqual([]);
    await page.context().close();
    await admin.context().close();
  },
);

test(
  '[PP-04] the admin says what counts, reads who passes the DAS2’s threshold, also on their panel, and takes the file',
  { tags: 'long' },
  async () => {
    // 2 500 € that the client is given and takes as a discount, which does not count yet.
    const [{ entry_id: entryId, payee_id: id } = { entry_id: 0, payee_id: '' }] = await read<{
      entry_id: number;
      payee_id: string;
    }>(demoEmails.client, 'account_lines?select=entry_id,payee_id&order=entry_id&limit=1');
    const { data: dispute } = await act<{ data: { id: string; version: number } }>(demoEmails.client, 'disputes', {
      action: 'open',
      entry_id: String(entryId),
      message: 'Il manque une prime.',
    });
    await act(demoEmails.admin, 'disputes', {
      action: 'close',
      dispute_id: dispute.id,
      message: 'La voici.',
      seen_version: dispute.version,
      direction: 'more',
      amount: '3000',
    });
    await act(demoEmails.client, 'payment-request', {
      action: 'create',
      amount: '2500',
      payment_method: 'remise_societe',
    });
    const [request] = await read<{ id: string }>(
      demoEmails.client,
      'payment_requests?select=id&amount=eq.2500&status=eq.pending&limit=1',
    );
    for (const status of ['approved', 'paid']) {
      await decide('payment-request', { action: 'update_status', request_id: request?.id, status });
    }
    const [{ full_name: name } = { full_name: '' }] = await read<{ full_name: string }>(
      demoEmails.admin,
      `profiles?select=full_name&id=eq.${id}`,
    );

    const { page, errors } = await openAs('admin', demoEmails.admin);
    await pickSection(page, 'Comptabilité');
    await page.getByRole('button', { name: 'Réglages de la DAS2' }).click();
    const settings = page.getByRole('dialog', { name: 'Réglages de la DAS2' });
    await expectPage(settings.getByLabel('Compter les chèques cadeaux')).toBeChecked();
    await settings.getByLabel('Compter les remises').check();
    expect(await brokenRules(page)).toEqual([]);
    await settings.getByRole('button', { name: 'Enregistrer' }).click();
    const row = page
      .getByRole('table', { name: 'Déclaration DAS2' })
      .getByRole('row')
      .filter({ has: page.getByRole('link', { name, exact: true }) });
    await expectPage(row).toContainText('À déclarer');
    expect(await brokenRules(page)).toEqual([]);
    const file = await taken(page, /^CSV de la DAS2 2\d{3}$/u);
    expect(file.name).toMatch(/^DAS2 2\d{3}\.csv$/u);
    expect(file.bytes.toString('utf8')).toMatch(new RegExp(`À déclarer;.*${id}`, 'u'));

    await row.getByRole('link', { name, exact: true }).click();
    await expectPage(page.getByText(/payés en 2\d{3}, seuil 2\s400\s€/u)).toBeVisible();
    await page.setViewportSize({ width: 360, height: 800 });
    await page.goto(`${server.origin()}/admin/dashboard?section=comptabilite`);
    await expectPage(page.getByText('À déclarer', { exact: true }).first()).toBeVisible();
    await expectNoOverflow(page);
    expect(errors).toEqual([]);
    await page.context().close();
  },
);
