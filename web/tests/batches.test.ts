import { formatEuros } from '@parrain/domain/money';
import { nextBankDay, sepaReference } from '@parrain/domain/sepa';
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { brokenRules } from './accessibility.ts';
import { chromiumPages, expectNoOverflow, expectPage } from './chromium.ts';
import { dashboards, openSection, pickSection } from './dashboards.ts';
import { demoEmails, realServer, unfolded } from './real-server.ts';

// Money to the bank; on a server of its own, since a batch takes every approved transfer there is.

const server = realServer();
const { act, openAs, read } = dashboards(server.origin, chromiumPages());

test('[PO-01][PO-02][PO-04] from the company’s account to the bank’s file, a rejected line and a settled batch', async () => {
  const { page, errors } = await openAs('admin', demoEmails.admin);
  await openSection(page, 'Demandes de Paiement');
  await page.getByRole('link', { name: 'Réglages' }).click();
  const account = page.getByRole('form', { name: 'Compte de l’entreprise' });
  // The demo company has an account; it is never shown whole again, another one is typed.
  await expectPage(page.getByText('FR76 •••• •••• 5450')).toBeVisible();
  await page.getByRole('button', { name: 'Changer de compte' }).click();
  await account.getByLabel('Titulaire du compte').fill('Lumeo Habitat');
  await account.getByLabel('IBAN').fill('FR7630006000011234567890188');
  await account.getByRole('button', { name: 'Enregistrer le compte' }).click();
  await expectPage(account.getByText('L’IBAN n’est pas valide')).toBeVisible();
  await account.getByLabel('IBAN').fill('FR7630006000011234567890189');
  await account.getByRole('button', { name: 'Enregistrer le compte' }).click();
  await expectPage(page.getByText('FR76 •••• •••• 0189').first()).toBeVisible();
  expect(await brokenRules(page)).toEqual([]);

  await openSection(page, 'Virements groupés');
  await page.getByRole('button', { name: 'Préparer un virement groupé' }).click();
  await page.getByRole('button', { name: 'Garder un brouillon' }).click();
  await expectPage(page.getByRole('heading', { level: 2, name: /^Virement n°/u })).toBeVisible();
  const [batch] = await read<{ id: string; lines: number; total: number }>(
    demoEmails.admin,
    'batch_summaries?select=id,lines,total&order=number.desc&limit=1',
  );
  expect(batch?.lines).toBeGreaterThan(1);
  await page.getByRole('button', { name: 'Faire le fichier', exact: true }).click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: /^Faire le fichier\s: \d/u }).click(),
  ]);
  const file = await readFile(await download.path(), 'utf8');
  expect(file).toContain(`<NbOfTxs>${batch?.lines}</NbOfTxs><CtrlSum>${batch?.total.toFixed(2)}</CtrlSum>`);

  await page
    .getByRole('button', { name: /^Rejeté : le virement/u })
    .first()
    .click();
  await page.getByLabel('Motif').fill('Le compte est clos.');
  await page.getByRole('button', { name: 'Noter le rejet', exact: true }).click();
  await expectPage(page.getByText('Le compte est clos.')).toBeVisible();
  expect(await brokenRules(page)).toEqual([]);
  await page.getByRole('button', { name: 'Tout marquer payé' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Tout marquer payé' }).click();
  await expectPage(page.getByRole('list', { name: 'Étapes du virement' }).locator('[aria-current]')).toContainText(
    'Payé',
  );
  await page
    .getByRole('button', { name: /^Noter un retour : le virement/u })
    .first()
    .click();
  await page.getByLabel('Motif').fill('Le titulaire est inconnu.');
  await page.getByRole('button', { name: 'Noter le retour', exact: true }).click();
  await expectPage(page.getByText('Le titulaire est inconnu.')).toBeVisible();
  await expectPage(page.getByText(/revenues\s: 1, rejetées\s: 1/u)).toBeVisible();
  const settled = await read<{ status: string }>(
    demoEmails.admin,
    `batch_lines?select=status&batch_id=eq.${batch?.id}`,
  );
  expect(settled.map(({ status }) => status).toSorted()).toEqual([
    ...Array.from({ length: (batch?.lines ?? 0) - 2 }, () => 'paid'),
    'rejected',
    'returned',
  ]);
  expect(errors).toEqual([]);
  await page.context().close();
});

test('[PO-04] a changed IBAN waits: its owner confirms it from the e-mail, signed in nowhere, and the admin sees both', async () => {
  const asked = await act<{ data: { id: string } }>(demoEmails.client, 'payment-request', {
    action: 'create',
    amount: '1.00',
    payment_method: 'virement',
    payment_details: { iban: 'DE89370400440532013000', beneficiary_name: 'Sophie Marchand' },
  });
  // Its mail and that of the request itself come in either order.
  const mail = unfolded(await server.mailbox.mailTo(demoEmails.client, 'confirmer-iban'));
  const link = /https?:\/\/[^\s"<>]*\/confirmer-iban#[\w-]+/u.exec(mail)?.[0] ?? '';
  const path = `/admin/dashboard?section=demandes-de-paiement&demande=${asked.data.id}`;
  const { page, errors } = await openAs('admin', demoEmails.admin);
  await page.goto(server.origin() + path);
  await expectPage(
    page.getByText(
      /^IBAN changé, utilisable le .* à \d\d:\d\d, ou dès que le client l’aura confirmé par le lien de son e-mail\.$/u,
    ),
  ).toBeVisible();
  expect(await brokenRules(page)).toEqual([]);
  await page.goto(link);
  await expectPage(page.getByRole('heading', { level: 1, name: 'Confirmer votre IBAN' })).toBeVisible();
  expect(await brokenRules(page)).toEqual([]);
  await page.getByRole('button', { name: 'Confirmer cet IBAN' }).click();
  await expectPage(page.getByText('C’est confirmé : cet IBAN peut servir dès maintenant.')).toBeVisible();
  await page.goto(server.origin() + path);
  await expectPage(page.getByRole('heading', { name: 'Virement bancaire' })).toBeVisible();
  await expectPage(page.getByText(/^IBAN changé/u)).toHaveCount(0);
  expect(errors).toEqual([]);
  await page.context().close();
});

/** A released batch of the demo's client, one transfer of each amount. */
async function releasedBatch(amounts: readonly string[], total: string) {
  const ids: string[] = [];
  // An account that was paid before waits for nothing.
  const [known] = await read<{ id: string }>(
    demoEmails.client,
    'payment_requests?select=id&payment_method=eq.virement&status=eq.paid&limit=1',
  );
  for (const amount of amounts) {
    const asked = await act<{ data: { id: string } }>(demoEmails.client, 'payment-request', {
      action: 'create',
      amount,
      payment_method: 'virement',
      payment_details: { same_as: known?.id, beneficiary_name: 'Sophie Marchand' },
    });
    ids.push(asked.data.id);
    await act(demoEmails.admin, 'payment-request?action=update_status', {
      request_id: asked.data.id,
      status: 'approved',
      admin_notes: null,
    });
  }
  const batch = await act<{ data: { id: string } }>(demoEmails.admin, 'payment-batch', {
    action: 'make',
    request_ids: ids,
    expected_total: total,
  });
  const { id: batch_id } = batch.data;
  const [drafted] = await read<{ version: number }>(
    demoEmails.admin,
    `batch_summaries?select=version&id=eq.${batch_id}`,
  );
  await act(demoEmails.admin, 'payment-batch', {
    action: 'release',
    batch_id,
    seen_version: drafted?.version,
    expected_total: total,
    execution_on: nextBankDay(new Date()),
    format: '09',
  });
  return { ids, batch_id };
}

test('[PO-02] a dialog of a batch closes once another admin has done meanwhile what it asks', async () => {
  const { ids, batch_id } = await releasedBatch(['1.21', '1.22', '1.23'], '3.66');
  const settle = (outcomes: readonly object[] | null) =>
    act(demoEmails.admin, 'payment-batch', { action: 'settle', batch_id, outcomes });

  const { page, errors } = await openAs('admin', demoEmails.admin);
  const { page: second, errors: others } = await openAs('admin', demoEmails.admin);
  const address = `${server.origin()}/admin/dashboard?section=virements&virement=${batch_id}`;
  await page.goto(address);
  await second.goto(address);
  const dialog = page.getByRole('alertdialog');
  const line = (amount: string) => page.getByRole('row').filter({ hasText: amount });
  await line('1,21')
    .getByRole('button', { name: /^Payé : /u })
    .click();
  await expectPage(dialog).toContainText('Marquer payé le virement');
  await settle([{ request_id: ids[0], status: 'paid', code: null, reason: null }]);
  await expectPage(dialog).toHaveCount(0);
  await line('1,22')
    .getByRole('button', { name: /^Rejeté : /u })
    .click();
  await expectPage(dialog).toContainText('La banque a rejeté');
  await settle([{ request_id: ids[1], status: 'rejected', code: null, reason: 'Le compte est fermé.' }]);
  await expectPage(dialog).toHaveCount(0);
  await page.getByRole('button', { name: 'Tout marquer payé' }).click();
  await expectPage(dialog).toContainText('Confirmer le paiement de 1');
  await second.getByRole('button', { name: 'Importer le retour de la banque' }).click();
  await expectPage(second.getByRole('alertdialog')).toContainText('Fichier de la banque');
  await settle(null);
  await expectPage(dialog).toHaveCount(0);
  // The bank's file may still say that money came back (AC-09).
  await expectPage(second.getByRole('alertdialog')).toContainText('Fichier de la banque');
  expect([...errors, ...others]).toEqual([]);
  await page.context().close();
  await second.context().close();
});

test('[AC-09] the list takes one file of the bank for all batches: each is said by its number and paid on its own day', async () => {
  const [first, second] = [await releasedBatch(['1.31'], '1.31'), await releasedBatch(['1.32'], '1.32')];
  const { page, errors } = await openAs('admin', demoEmails.admin);
  await page.goto(`${server.origin()}/admin/dashboard?section=virements`);
  await page.getByRole('button', { name: 'Importer le retour de la banque' }).click();
  const dialog = page.getByRole('alertdialog');
  const choose = (lines: readonly string[]) =>
    dialog.locator('input[type=file]').setInputFiles({
      name: 'retour.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(['Référence;Résultat;Motif', ...lines].join('\n')),
    });
  const paid = [...first.ids, ...second.ids].map((id) => `${sepaReference(id)};Payé;`);
  await choose([...paid, 'INCONNU;Payé;']);
  await expectPage(dialog.getByRole('heading', { name: /^Virement n° \d+/u })).toHaveCount(2);
  await expectPage(dialog.getByLabel('Date des paiements')).toHaveCount(2);
  await expectPage(dialog).toContainText('1 autre ligne dans ce fichier, sans rapport.');
  await expectNoOverflow(page);
  expect(await brokenRules(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Enregistrer 2 résultats' }).click();
  await expectPage(dialog).toHaveCount(0);
  const settled = await read<{ status: string }>(
    demoEmails.admin,
    `batch_summaries?select=status&id=in.(${first.batch_id},${second.batch_id})`,
  );
  expect(settled.map(({ status }) => status)).toEqual(['settled', 'settled']);
  await page.getByRole('button', { name: 'Importer le retour de la banque' }).click();
  await choose(paid);
  await expectPage(dialog).toContainText('Tout ce que dit ce fichier est déjà enregistré.');
  await expectPage(dialog.getByRole('button', { name: /^Enregistrer/u })).toBeDisabled();
  expect(errors).toEqual([]);
  await page.context().close();
});

test('[DF-03, DF-11, DF-40] [UI-01] what stands against a payment is in its row and its dialog, and an admin who checked the account pays', async () => {
  const asked = await act<{ data: { id: string; version: number } }>(demoEmails.client, 'payment-request', {
    action: 'create',
    amount: '1.07',
    payment_method: 'virement',
    payment_details: { iban: 'FR1420041010050500013M02606', beneficiary_name: 'Sophie Marchand' },
  });
  await act(demoEmails.admin, 'payment-request?action=update_status', {
    request_id: asked.data.id,
    status: 'approved',
    admin_notes: null,
  });
  const [client] = await read<{ phone: string }>(demoEmails.client, 'profiles?select=phone&role=eq.client');
  const { page, errors } = await openAs('admin', demoEmails.admin);
  await openSection(page, 'Demandes de Paiement');
  await expectPage(page.getByRole('heading', { level: 2, name: 'Demandes de Paiement' })).toBeVisible();
  await page.getByRole('radio', { name: /^Approuvées/u }).click({ force: true });
  const row = page.getByRole('row').filter({ hasText: '1,07' });
  await expectPage(row).toContainText(client?.phone ?? 'a telephone');
  await expectPage(row).toContainText('FR14 •••• •••• 2606');
  await expectPage(row).toContainText('Cas douteux, à examiner');
  await expectPage(row).toContainText(/IBAN changé, utilisable le .* à \d\d:\d\d/u);
  expect(await brokenRules(page)).toEqual([]);
  await row.getByRole('button', { name: /^Marquer payé/u }).click();
  const dialog = page.getByRole('alertdialog');
  await expectPage(dialog.getByText('Un cas douteux attend votre décision.', { exact: false })).toBeVisible();
  await expectPage(dialog.getByRole('link', { name: 'Voir les raisons' })).toHaveAttribute(
    'href',
    /section=cas-douteux&cas=/u,
  );
  const check = dialog.getByLabel(/comment le compte a été vérifié/u);
  await expectPage(check).toHaveValue('Compte vérifié avec le bénéficiaire');
  expect(await brokenRules(page)).toEqual([]);
  await check.fill('');
  await dialog.getByRole('button', { name: 'Lever l’attente et marquer payé' }).click();
  await expectPage(dialog.getByText('Indiquez comment ce compte a été vérifié avec le bénéficiaire')).toBeVisible();
  await check.fill('Vu avec elle au téléphone');
  await dialog.getByRole('button', { name: 'Lever l’attente et marquer payé' }).click();
  await expectPage(page.getByText('Demande marquée comme payée')).toBeVisible();
  const [told] = await read<{ kind: string }>(demoEmails.client, 'notices?select=kind&kind=eq.iban_checked');
  expect(told).toEqual({ kind: 'iban_checked' });
  expect(errors).toEqual([]);
  await page.context().close();
});

/** Sets whether the company makes papers: it asks its payees who they are then. */
const makesPapers = (issues_papers: boolean) =>
  act(demoEmails.admin, 'papers', {
    action: 'update_company',
    issues_papers,
    legal_name: 'Lumeo Habitat SARL',
    street: '12 rue des Lilas',
    postal_code: '35000',
    city: 'Rennes',
    siren: '732829320',
    vat_number: null,
    contest_days: 15,
  });

test(
  '[PO-01][PP-01] who cannot be paid is named with the reason, and the way to mend it',
  { tags: 'long' },
  async () => {
    const asked = await act<{ data: { id: string; version: number } }>(demoEmails.client, 'payment-request', {
      action: 'create',
      amount: '1.11',
      payment_method: 'virement',
      payment_details: { iban: 'FR7630006000011234567890189', beneficiary_name: 'Софи' },
    });
    await act(demoEmails.admin, 'payment-request?action=update_status', {
      request_id: asked.data.id,
      status: 'approved',
      seen_version: asked.data.version,
      expected_amount: '1.11',
    });
    const { page, errors } = await openAs('admin', demoEmails.admin);
    await openSection(page, 'Virements groupés');
    const blocked = page.getByRole('table', { name: 'Virements qui ne peuvent pas partir' });
    const row = blocked.getByRole('row').filter({ hasText: '1,11' });
    await expectPage(row).toContainText('n’a pas de lettre latine');
    expect(await brokenRules(page)).toEqual([]);
    await row.getByRole('link', { name: /^Voir la demande : /u }).click();
    await expectPage(page).toHaveURL(new RegExp(`demande=${asked.data.id}$`, 'u'));
    // Once the company makes papers, whoever they cannot name waits too, and the link leads to what is missing.
    await makesPapers(true);
    await page.goto(`${server.origin()}/admin/dashboard?section=virements`);
    await expectPage(row).toContainText('Ses informations légales manquent');
    await row.getByRole('link', { name: /^Compléter sa fiche : /u }).click();
    await expectPage(page.getByRole('dialog').getByRole('region', { name: 'Informations légales' })).toBeVisible();
    await makesPapers(false);
    expect(errors).toEqual([]);
    await page.context().close();
  },
);

test(
  '[PO-03, DF-02] a gift card is settled, its reference and its proof are added later, which its payee takes',
  { tags: 'long' },
  async () => {
    const asked = await act<{ data: { id: string; version: number } }>(demoEmails.client, 'payment-request', {
      action: 'create',
      amount: '1.00',
      payment_method: 'cheque_cadeau',
      payment_details: { gift_card_type: 'Décathlon' },
    });
    const { id, version } = asked.data;
    await act(demoEmails.admin, 'payment-request?action=update_status', {
      request_id: id,
      status: 'approved',
      seen_version: version,
      expected_amount: '1.00',
    });
    const { page, errors } = await openAs('admin', demoEmails.admin);
    await page.goto(`${server.origin()}/admin/dashboard?section=demandes-de-paiement&demande=${id}`);
    const panel = page.getByRole('dialog');
    await panel.getByRole('button', { name: 'Marquer payé' }).click();
    const dialog = page.getByRole('alertdialog');
    await expectPage(
      dialog.getByText('Sans référence, la pièce du paiement n’en porte pas', { exact: false }),
    ).toBeVisible();
    expect(await brokenRules(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Marquer payé' }).click();
    await panel.getByLabel('Référence').fill('CC-2026-118');
    await panel.getByRole('button', { name: 'Ajouter', exact: true }).click();
    // The panel's history names it too.
    await expectPage(panel.getByText('CC-2026-118').first()).toBeVisible();
    await panel
      .getByLabel('Joindre un justificatif')
      .setInputFiles({ name: 'carte.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7 carte') });
    await expectPage(panel.getByRole('button', { name: 'Justificatif' })).toBeVisible();
    await expectPage(panel.getByLabel('Remplacer le justificatif')).toBeEnabled();
    expect(await brokenRules(page)).toEqual([]);
    const own = await openAs('client', demoEmails.client);
    await openSection(own.page, 'Demandes de Paiement');
    const [download] = await Promise.all([
      own.page.waitForEvent('download'),
      own.page.getByRole('button', { name: 'Justificatif' }).first().click(),
    ]);
    expect(await readFile(await download.path(), 'utf8')).toBe('%PDF-1.7 carte');
    expect([...errors, ...own.errors]).toEqual([]);
    await own.page.context().close();
    await page.context().close();
  },
);

test(
  '[PO-06] a client reads what the company accepts: its means, its smallest amount, and its days',
  { tags: 'long' },
  async () => {
    const rules = {
      smallest_request: '20',
      payment_methods: ['cheque_cadeau'],
      requests_from_day: null,
      requests_to_day: null,
    };
    const setRules = (body: object) =>
      act(demoEmails.admin, 'company-settings?action=update_request_rules', { ...rules, ...body });
    await setRules({});
    const { page, errors } = await openAs('client', demoEmails.client);
    await openSection(page, 'Demandes de Paiement');
    await page.getByRole('button', { name: 'Nouvelle demande de paiement' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'Nouvelle demande de paiement' });
    await expectPage(dialog.getByText(/^De 20\s€ à/u)).toBeVisible();
    await expectPage(dialog.getByRole('radio')).toHaveCount(1);
    await expectPage(dialog.getByLabel('Type de chèque cadeau')).toBeVisible();
    await page.context().close();

    const today = Number.parseInt(new Date().toLocaleDateString('sv-SE', { timeZone: 'Europe/Paris' }).slice(8), 10);
    // Neither today nor, at midnight, tomorrow.
    const closed = today > 15 ? 3 : 20;
    await setRules({ requests_from_day: closed, requests_to_day: closed + 5 });
    const { page: later } = await openAs('client', demoEmails.client);
    await openSection(later, 'Demandes de Paiement');
    await expectPage(
      later.getByText(`Les demandes de paiement sont ouvertes du ${closed} au ${closed + 5} de chaque mois.`),
    ).toBeVisible();
    await expectPage(later.getByRole('button', { name: 'Nouvelle demande de paiement' })).toHaveCount(0);
    expect(errors).toEqual([]);
    await later.context().close();
  },
);

test(
  '[NV-05][EX-01] batches by amount and by day; batches, mails and accounts of people as files',
  { tags: 'long' },
  async () => {
    const approved = await read<{ id: string; amount: number }>(
      demoEmails.admin,
      'transfers_to_make?select=id,amount&obstacle=is.null',
    );
    for (const { id, amount } of approved.slice(0, 2))
      await act(demoEmails.admin, 'payment-batch', {
        action: 'make',
        request_ids: [id],
        expected_total: String(amount),
      });
    const batches = await read<{ number: number; total: number; created_at: string }>(
      demoEmails.admin,
      'batch_summaries?select=number,total,created_at&order=total,id',
    );
    expect(batches.length).toBeGreaterThan(0);
    await act(demoEmails.admin, 'invite-client', { name: 'Aline Écrite', email: 'aline.ecrite@exemple.fr' });
    const { page, errors } = await openAs('admin', demoEmails.admin);
    await openSection(page, 'Virements groupés');
    const table = page.getByRole('table', { name: 'Virements groupés' });
    const rows = table.locator('tbody tr');
    await table.getByRole('columnheader', { name: 'Montant' }).getByRole('button').click();
    await expectPage(table.getByRole('columnheader', { name: 'Montant' })).toHaveAttribute('aria-sort', 'ascending');
    await expectPage(rows.locator('th:first-child [title^="Virement"]')).toHaveText(
      batches.map(({ number }) => `Virement n° ${number}`),
    );
    await page.getByRole('combobox', { name: 'Filtrer par date' }).click();
    await page.getByRole('option', { name: 'Du… au…' }).click();
    await page.getByLabel('Au', { exact: true }).fill('2001-01-01');
    await expectPage(page.getByText('Aucun virement groupé ne correspond à ces filtres.')).toBeVisible();
    await page.getByRole('button', { name: 'Tout effacer' }).click();
    await expectPage(rows).toHaveCount(batches.length);

    const linesOf = async (name: string) => {
      await page.getByRole('button', { name: 'Exporter' }).last().click();
      const saved = page.waitForEvent('download');
      await page.getByRole('menuitem', { name: 'Fichier CSV' }).click();
      const download = await saved;
      expect(download.suggestedFilename()).toContain(name);
      return (await readFile(await download.path(), 'utf8')).trim().split('\r\n').slice(1);
    };
    expect(await linesOf('Virements groupés')).toHaveLength(batches.length);
    await openSection(page, 'Contrôle des comptes');
    await page.getByRole('table', { name: 'Comptes par personne' }).getByRole('link').first().waitFor();
    expect(await linesOf('Comptes par personne')).toHaveLength(
      (await read(demoEmails.admin, 'payee_accounts?select=id')).length,
    );
    await openSection(page, 'Messages envoyés');
    await page.getByRole('combobox', { name: 'Filtrer par date' }).click();
    await page.getByRole('option', { name: 'Cette année' }).click();
    await expectPage(page).toHaveURL(/periode=annee/u);
    await page.getByRole('table', { name: 'Messages envoyés' }).getByRole('link').first().waitFor();
    const mails = await linesOf('Messages envoyés');
    expect(mails.length).toBeGreaterThan(0);
    expect(mails.join('\n')).toContain('aline.ecrite@exemple.fr');
    expect(errors).toEqual([]);
    await page.context().close();
  },
);

test('[PO-01][PO-02] payments are one section: requests, transfers, commercials and history, each at its own address, on a phone too', async () => {
  const { page, errors } = await openAs('admin', demoEmails.admin, { viewport: { width: 360, height: 800 } });
  await pickSection(page, /^(?:Demandes de Paiement|Paiements)/u);
  const tabs = page.getByRole('navigation', { name: 'Paiements', exact: true });
  const bar = page.getByRole('navigation', { name: 'Sections', exact: true }).filter({ visible: true });
  for (const [word, title, section] of [
    ['Virements', 'Virements groupés', 'virements'],
    ['Commerciaux', 'Commissions des commerciaux', 'commissions-des-commerciaux'],
    ['Historique', 'Historique des paiements', 'historique-des-paiements'],
    ['Demandes', 'Demandes de Paiement', 'demandes-de-paiement'],
  ] as const) {
    await tabs.getByRole('link', { name: new RegExp(`^${word}`, 'u') }).click();
    await expectPage(page.getByRole('heading', { level: 2, name: title })).toBeVisible();
    await expectPage(page).toHaveURL(new RegExp(`section=${section}$`, 'u'));
    await expectPage(tabs.locator('[aria-current="page"]')).toHaveText(new RegExp(`^${word}`, 'u'));
    // The menu has one entry for all of them.
    await expectPage(bar.locator('[aria-current="page"]')).toHaveText(/Paiements/u);
    const main = page.getByRole('main');
    await expectPage(main.getByText(/\d\s€/u).or(main.getByText('Aucun virement groupé')).first()).toBeVisible();
    expect(await brokenRules(page)).toEqual([]);
    await expectNoOverflow(page);
  }
  // The former address of the commercials' months.
  await page.goto(`${server.origin()}/admin/dashboard?section=controle-des-comptes&mois=2020-01`);
  await expectPage(page.getByRole('heading', { level: 2, name: 'Commissions des commerciaux' })).toBeVisible();
  expect(errors).toEqual([]);
  await page.context().close();
});

test('[PO-02][PO-05] the history says to whom, when, how and how much was paid, what came back, and adds up', async () => {
  const made = await read<{ amount: number; payee_name: string }>(
    demoEmails.admin,
    'payments_made?select=amount,payee_name',
  );
  const [back] = await read<{ batch_number: number }>(
    demoEmails.admin,
    'payments_made?select=batch_number&act=eq.return',
  );
  const batchName = `Virement n° ${back?.batch_number}`;
  const { page, errors } = await openAs('admin', demoEmails.admin);
  await openSection(page, 'Historique des paiements');
  const table = page.getByRole('table', { name: 'Historique des paiements' });
  const total = made.reduce((sum, { amount }) => sum + BigInt(Math.round(amount * 100)), 0n);
  await expectPage(table.locator('tfoot')).toContainText(formatEuros(total));
  const returned = table.getByRole('row').filter({ hasText: 'Virement revenu' });
  await expectPage(returned).toContainText('Le titulaire est inconnu.');
  await expectPage(returned).toContainText('−');
  await returned.getByRole('link', { name: batchName }).click();
  await expectPage(page.getByRole('heading', { level: 2, name: batchName })).toBeVisible();
  await page.goBack();
  await table.getByRole('row').filter({ hasText: 'Demande payée' }).first().getByRole('link').first().click();
  await expectPage(page).toHaveURL(/section=demandes-de-paiement&demande=/u);
  expect(errors).toEqual([]);
  await page.context().close();
});

test(
  '[PO-05][PO-01][PO-02] an agent gives their account; their month is gathered, rejected by the bank with its reason, and paid by the next batch',
  { tags: 'long' },
  async () => {
    const [julien] = await read<{ id: string }>(
      demoEmails.commercial,
      `profiles?select=id&email=eq.${demoEmails.commercial}`,
    );
    await makesPapers(true);
    await act(demoEmails.commercial, 'papers', {
      action: 'update_payee',
      payee_id: julien?.id,
      status: 'agent',
      legal_name: 'Julien Mercier',
      street: '1 rue des Lilas',
      postal_code: '35000',
      city: 'Rennes',
      siren: '552100554',
      charges_vat: false,
    });
    await makesPapers(false);
    const own = await openAs('commercial', demoEmails.commercial);
    const admin = await openAs('admin', demoEmails.admin);
    const { page } = admin;
    await openSection(page, 'Virements groupés');
    const blocked = page.getByRole('table', { name: 'Virements qui ne peuvent pas partir' });
    await expectPage(blocked.getByRole('row').filter({ hasText: 'Julien Mercier' })).toContainText(
      'Son compte bancaire manque',
    );

    await openSection(own.page, 'Profil');
    await own.page.getByRole('button', { name: 'Donner un compte' }).click();
    const form = own.page.getByRole('form', { name: 'Compte bancaire' });
    await form.getByLabel('IBAN').fill('FR7630006000011234567890188');
    await form.getByRole('button', { name: 'Enregistrer le compte' }).click();
    await expectPage(form.getByText('L’IBAN n’est pas valide')).toBeVisible();
    expect(await brokenRules(own.page)).toEqual([]);
    await form.getByLabel('IBAN').fill('FR7610107001011234567890129');
    await form.getByRole('button', { name: 'Enregistrer le compte' }).click();
    await expectPage(own.page.getByText('FR76 •••• •••• 0129')).toBeVisible();

    await page.reload();
    /** A batch of what is ready, released: the line of the month. */
    const gather = async () => {
      await openSection(page, 'Virements groupés');
      await page.getByRole('button', { name: 'Préparer un virement groupé' }).click();
      await expectPage(page.getByRole('alertdialog').getByText(/^Commissions (?:de |d’)/u)).toBeVisible();
      expect(await brokenRules(page)).toEqual([]);
      // UI-04: the third press has made the batch and its file.
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: /^Faire le fichier : /u }).click(),
      ]);
      expect(file.suggestedFilename()).toMatch(/^virements-\d+\.xml$/u);
      await expectPage(page.getByRole('list', { name: 'Étapes du virement' }).locator('[aria-current]')).toContainText(
        'Fichier',
      );
      return page
        .getByRole('table', { name: 'Lignes' })
        .getByRole('row')
        .filter({ hasText: /Commissions (?:de |d’)/u });
    };
    const line = await gather();
    expect(await brokenRules(page)).toEqual([]);
    await line.getByRole('button', { name: 'Rejeté : le virement de Julien Mercier' }).click();
    await page.getByLabel('Motif').fill('Le compte est clos.');
    await page.getByRole('button', { name: 'Noter le rejet', exact: true }).click();
    await expectPage(line).toContainText('Le compte est clos.');
    await openSection(own.page, 'Mon compte');
    const months = own.page.getByRole('table', { name: 'Mes commissions par mois' });
    await expectPage(months.getByRole('row').filter({ hasText: 'Le compte est clos.' })).toContainText('À payer');
    expect(await brokenRules(own.page)).toEqual([]);

    await (await gather()).getByRole('button', { name: 'Payé : le virement de Julien Mercier' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Marquer payé' }).click();
    await expectPage(page.getByRole('list', { name: 'Étapes du virement' }).locator('[aria-current]')).toContainText(
      'Payé',
    );
    await own.page.reload();
    await expectPage(months.getByRole('row').filter({ hasText: 'Payé' })).toHaveCount(1);

    // The bank sends it back afterwards: due again, and the commercial reads since when and why.
    await line.getByRole('button', { name: 'Noter un retour : le virement de Julien Mercier' }).click();
    await expectPage(page.getByText(/sont de nouveau dus à ce commercial, qui reçoit le motif/u)).toBeVisible();
    await page.getByLabel('Motif').fill('Le titulaire est inconnu.');
    await page.getByRole('button', { name: 'Noter le retour', exact: true }).click();
    await expectPage(line.getByText('Revenu', { exact: true })).toBeVisible();
    await expectPage(line).toContainText('Le titulaire est inconnu.');
    await own.page.reload();
    const returned = months.getByRole('row').filter({ hasText: 'Le titulaire est inconnu.' });
    await expectPage(returned).toContainText('À payer');
    await expectPage(returned).toContainText(/Virement revenu de la banque le/u);
    expect(await brokenRules(own.page)).toEqual([]);
    await expectPage(own.page.getByRole('table', { name: 'Relevé de mes commissions' })).toContainText(
      'Virement revenu de la banque',
    );
    await openSection(page, 'Commissions des commerciaux');
    await expectPage(
      page
        .getByRole('table', { name: 'Commissions des commerciaux' })
        .getByRole('row')
        .filter({ hasText: 'Julien Mercier' }),
    ).toContainText(/À payer.*Virement revenu de la banque le .*Le titulaire est inconnu\./su);
    await openSection(page, 'Historique des paiements');
    const history = page
      .getByRole('table', { name: 'Historique des paiements' })
      .getByRole('row')
      .filter({ hasText: 'Julien Mercier' });
    await expectPage(history).toHaveCount(2);
    for (const row of [history.first(), history.last()]) await expectPage(row).toContainText('Virement n°');
    await expectPage(history.first()).toContainText('Virement revenu');
    expect([...own.errors, ...admin.errors]).toEqual([]);
    await own.page.context().close();
    await page.context().close();
  },
);
