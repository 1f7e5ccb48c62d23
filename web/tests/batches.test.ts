import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { brokenRules } from './accessibility.ts';
import { chromiumPages, expectPage } from './chromium.ts';
import { dashboards, openSection } from './dashboards.ts';
import { demoEmails, realServer, unfolded } from './real-server.ts';

// Money to the bank; on a server of its own, since a batch takes every approved transfer there is.

const server = realServer();
const { act, openAs, read } = dashboards(server.origin, chromiumPages());

test('[PO-01][PO-02][PO-04] from the company’s account to the bank’s file, a rejected line and a settled batch', async () => {
  const { page, errors } = await openAs('admin', demoEmails.admin);
  await openSection(page, 'Demandes de Paiement');
  await page.getByRole('button', { name: 'Réglages' }).click();
  const account = page.getByRole('form', { name: 'Compte de l’entreprise' });
  await account.getByLabel('Titulaire du compte').fill('Lumeo Habitat');
  await account.getByLabel('IBAN').fill('FR7630006000011234567890188');
  await account.getByRole('button', { name: 'Enregistrer le compte' }).click();
  await expectPage(account.getByText('L’IBAN n’est pas valide')).toBeVisible();
  await account.getByLabel('IBAN').fill('FR7630006000011234567890189');
  await account.getByRole('button', { name: 'Enregistrer le compte' }).click();
  await expectPage(page.getByText('FR76 •••• •••• 0189').first()).toBeVisible();
  expect(await brokenRules(page)).toEqual([]);
  await page
    .getByRole('dialog', { name: 'Réglages des paiements' })
    .getByRole('button', { name: 'Fermer' })
    .last()
    .click();

  await openSection(page, 'Virements groupés');
  await page.getByRole('button', { name: 'Préparer un virement groupé' }).click();
  await page.getByRole('button', { name: /^Préparer : /u }).click();
  await expectPage(page.getByRole('heading', { level: 2, name: /^Virement n°/u })).toBeVisible();
  const [batch] = await read<{ id: string; lines: number; total: number }>(
    demoEmails.admin,
    'batch_summaries?select=id,lines,total',
  );
  expect(batch?.lines).toBeGreaterThan(1);
  await page.getByRole('button', { name: 'Valider', exact: true }).click();
  await page.getByRole('button', { name: /^Valider \d/u }).click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Télécharger le fichier' }).click(),
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
  await expectPage(page.getByText('Soldé', { exact: true })).toBeVisible();
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
}, 120_000);

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
  await expectPage(page.getByText(/^IBAN changé, utilisable le .* à \d\d:\d\d/u)).toBeVisible();
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
}, 90_000);

test('[PO-03] a gift card is settled with its reference and its proof, which its payee takes', async () => {
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
  await dialog.getByRole('button', { name: 'Marquer payé' }).click();
  await expectPage(dialog.getByText('Indiquez la référence du paiement')).toBeVisible();
  await dialog.getByLabel('Référence').fill('CC-2026-118');
  expect(await brokenRules(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Marquer payé' }).click();
  await expectPage(panel.getByText('CC-2026-118')).toBeVisible();
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
}, 90_000);

test('[PO-06] a client reads what the company accepts: its means, its smallest amount, and its days', async () => {
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
}, 90_000);
