import { fromWire, toWire } from '@parrain/domain/money';
import { expect, test } from 'vitest';
import { brokenRules } from './accessibility.ts';
import { chromiumPages, expectPage } from './chromium.ts';
import { dashboards, openSection } from './dashboards.ts';
import { demoEmails, realServer } from './real-server.ts';

// What a payee owes is repaid or waived (AC-05). The real server, the real pages. The money: database/tests/debts.test.ts.

const server = realServer();
const { act, openAs, read } = dashboards(server.origin, chromiumPages());

test('[AC-05] an admin adjusts an account, notes a repayment and waives the rest; its payee reads each with its reason and has the receipt', async () => {
  const admin = await openAs('admin', demoEmails.admin);
  await openSection(admin.page, 'Clients');
  await admin.page.getByLabel('Rechercher un client').fill(demoEmails.client);
  await admin.page.getByRole('link', { name: 'Sophie Marchand' }).click();
  const panel = admin.page.getByRole('dialog', { name: 'Sophie Marchand' });
  const acts = panel.getByRole('region', { name: 'Dette et ajustements' });
  await expectPage(acts.getByRole('button')).toHaveText(['Ajuster le solde']);
  await acts.getByRole('button', { name: 'Ajuster le solde' }).click();
  const adjusting = admin.page.getByRole('dialog', { name: /^Ajuster le solde d/u });
  await adjusting.getByText('En moins', { exact: true }).click();
  await adjusting.getByRole('button', { name: 'Ajuster le solde' }).click();
  await expectPage(adjusting.getByText('Dites pourquoi : la personne le lira')).toBeVisible();
  // A request that waits is no debt: what is asked for goes too.
  const [account] = await read<{ available: number; reserved: number }>(
    demoEmails.admin,
    'payee_accounts?select=available,reserved&full_name=eq.Sophie Marchand',
  );
  const taken = fromWire(account?.available ?? 0) + fromWire(account?.reserved ?? 0) + 3_000n;
  await adjusting.getByLabel('Montant', { exact: true }).fill(toWire(taken).replace('.', ','));
  await adjusting.getByLabel(/^Raison/u).fill('Contrat saisi deux fois.');
  expect(await brokenRules(admin.page)).toEqual([]);
  await adjusting.getByRole('button', { name: 'Ajuster le solde' }).click();
  await expectPage(adjusting).toBeHidden();
  await expectPage(acts.getByText(/doit 30,00/u)).toBeVisible();

  await acts.getByRole('button', { name: 'Enregistrer un remboursement' }).click();
  const repaying = admin.page.getByRole('dialog', { name: 'Enregistrer un remboursement' });
  await expectPage(repaying.getByLabel('Montant reçu')).toHaveValue('30,00');
  await repaying.getByLabel('Montant reçu').fill('31');
  await repaying.getByText('Chèque', { exact: true }).click();
  await repaying.getByRole('button', { name: 'Enregistrer', exact: true }).click();
  await expectPage(repaying.getByText(/Cette personne doit 30,00/u)).toBeVisible();
  await repaying.getByLabel('Montant reçu').fill('12,50');
  expect(await brokenRules(admin.page)).toEqual([]);
  await repaying.getByRole('button', { name: 'Enregistrer', exact: true }).click();
  await expectPage(repaying).toBeHidden();

  await acts.getByRole('button', { name: 'Abandonner la dette' }).click();
  const waiving = admin.page.getByRole('dialog', { name: /^Abandonner la dette/u });
  await expectPage(waiving.getByLabel('Montant abandonné')).toHaveValue('17,50');
  await waiving.getByLabel(/^Raison/u).fill('Geste commercial.');
  expect(await brokenRules(admin.page)).toEqual([]);
  await waiving.getByRole('button', { name: 'Abandonner la dette' }).click();
  await expectPage(waiving).toBeHidden();
  await expectPage(acts.getByText(/doit/u)).toHaveCount(0);
  await expectPage(acts.getByRole('list', { name: 'Remboursements et abandons' }).getByRole('listitem')).toHaveCount(2);
  const adjusted = acts.getByRole('list', { name: 'Ajustements' }).getByRole('listitem');
  await expectPage(adjusted).toHaveCount(1);
  await expectPage(adjusted).toContainText('Contrat saisi deux fois.');
  await expectPage(adjusted.getByRole('link', { name: 'Ajustement en moins' })).toBeVisible();

  const client = await openAs('client', demoEmails.client);
  await openSection(client.page, 'Mes Commissions');
  await client.page.getByText('Relevé', { exact: true }).first().click();
  const line = (words: string) => client.page.getByRole('row').filter({ hasText: words });
  await expectPage(line('Dette abandonnée')).toContainText('Geste commercial.');
  await expectPage(line('Ajustement en moins')).toContainText('Contrat saisi deux fois.');
  await expectPage(line('Remboursement reçu')).toContainText(/Chèque.*\+12,50/su);
  const [file] = await Promise.all([
    client.page.waitForEvent('download'),
    line('Remboursement reçu').getByRole('button', { name: /^Reçu/u }).click(),
  ]);
  expect(file.suggestedFilename()).toMatch(/^Reçu de remboursement .*\.pdf$/u);

  // Taken back, it is owed again.
  await acts
    .getByRole('button', { name: /^Annuler l’opération/u })
    .first()
    .click();
  const annulling = admin.page.getByRole('alertdialog');
  await annulling.getByLabel(/^Raison/u).fill('Saisi sur le mauvais compte.');
  await annulling.getByRole('button', { name: 'Annuler l’opération' }).click();
  await expectPage(acts.getByText(/doit 17,50/u)).toBeVisible();
  await expectPage(line('Abandon de dette annulé')).toContainText('Saisi sur le mauvais compte.');

  // Above the amount of one admin it waits, among the accounts to decide.
  const [{ id: payeeId } = { id: '' }] = await read<{ id: string }>(
    demoEmails.admin,
    'payee_accounts?select=id&full_name=eq.Sophie Marchand',
  );
  await act(demoEmails.admin, 'company-settings?action=update_release_above', {
    release_above: 1,
    seen: { release_above: null },
  });
  await act(demoEmails.admin, 'debts', {
    action: 'waive',
    payee_id: payeeId,
    amount: '17.50',
    reason: 'Geste commercial, bis.',
    seen_debt: '17.50',
  });
  await admin.page.goto(`${server.origin()}/admin/dashboard?section=controle-des-comptes`);
  const waiting = admin.page.getByRole('listitem').filter({ hasText: /Abandon de 17,50\s€ à confirmer/u });
  await expectPage(waiting).toContainText('Sophie Marchand');
  expect(await brokenRules(admin.page)).toEqual([]);
  await waiting.getByRole('button', { name: 'Lire' }).click();
  await expectPage(admin.page.getByText('Abandon de dette demandé')).toBeVisible();

  // The amount above the debt was refused once.
  expect([client.errors, admin.errors]).toEqual([[], [expect.stringContaining('409')]]);
  await client.page.context().close();
  await admin.page.context().close();
});
