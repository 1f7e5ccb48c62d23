import { afterAll, beforeAll, expect, test } from 'vitest';

import { aClient, aCommercial, anAdmin, aSale, startTestServer } from '../testing/index.ts';
import type { Person, TestServer } from '../testing/index.ts';
import { callAs } from '../testing/call-function.ts';

let server: TestServer;
let admin: Person;
let commercial: Person;
beforeAll(async () => {
  server = await startTestServer();
  admin = await anAdmin(server.database);
  commercial = await aCommercial(server.database);
});
afterAll(() => server.close());

const edit = (name: string, body: Record<string, unknown>, who = admin) => callAs(server, who, name, body);
const read = async (name: string) => (await callAs(server, admin, name, undefined, { method: 'GET' })).body.data;
const told = (path: readonly string[], current: unknown) => ({
  status: 409,
  body: { code: 'changed_meanwhile', issues: [{ path, current }] },
});

test('[DF-34] two forms of the journal keep what the other saved, account by account', async () => {
  const journal = 'accounting?action=update_settings';
  const before = (await read('accounting?action=get')) as {
    accounts: Record<string, { number: string; label: string }>;
  };
  const [one = '', other = ''] = Object.keys(before.accounts);
  const first = await edit(journal, {
    [`accounts.${one}.label`]: 'Premier compte',
    seen: { [`accounts.${one}.label`]: before.accounts[one]?.label },
  });
  expect(first.status).toBe(200);
  const second = await edit(journal, {
    [`accounts.${other}.label`]: 'Second compte',
    seen: { [`accounts.${other}.label`]: before.accounts[other]?.label },
  });
  expect(second.status).toBe(200);
  expect(await read('accounting?action=get')).toMatchObject({
    accounts: {
      [one]: { number: before.accounts[one]?.number, label: 'Premier compte' },
      [other]: { number: before.accounts[other]?.number, label: 'Second compte' },
    },
  });
  const stale = await edit(journal, {
    [`accounts.${one}.label`]: 'Compte d’avant',
    seen: { [`accounts.${one}.label`]: before.accounts[one]?.label },
  });
  expect(stale).toMatchObject(told(['accounts', one, 'label'], 'Premier compte'));
  // A field that is nobody's changes nothing.
  expect((await edit(journal, { 'accounts.nobody.label': 'x', '__proto__.x': 'y', seen: {} })).status).toBe(200);
});

test('[DF-34] what counts in the DAS2 is kept choice by choice', async () => {
  const das2 = 'accounting?action=update_das2';
  expect((await edit(das2, { counts_gift_cards: false, seen: { counts_gift_cards: true } })).status).toBe(200);
  expect((await edit(das2, { counts_discounts: true, seen: { counts_discounts: false } })).status).toBe(200);
  expect(await read('accounting?action=das2')).toMatchObject({ counts_gift_cards: false, counts_discounts: true });
});

test('[DF-34] a webhook is edited as it was seen', async () => {
  const made = await edit('webhooks', {
    action: 'add',
    url: 'http://127.0.0.1:9/un',
    description: 'Compta',
    events: ['sale.pending'],
  });
  expect(made.status).toBe(200);
  const webhook_id = made.body.id as string;
  const update = (body: Record<string, unknown>) => edit('webhooks', { action: 'update', webhook_id, ...body });
  expect((await update({ description: 'Comptabilité', seen: { description: 'Compta' } })).status).toBe(200);
  expect((await update({ url: 'http://127.0.0.1:9/deux', seen: { url: 'http://127.0.0.1:9/un' } })).status).toBe(200);
  expect(await read('webhooks?action=list')).toMatchObject([
    { url: 'http://127.0.0.1:9/deux', description: 'Comptabilité', events: ['sale.pending'] },
  ]);
  expect(await update({ description: 'Autre', seen: { description: 'Compta' } })).toMatchObject(
    told(['description'], 'Comptabilité'),
  );
});

test('[DF-34] the account that the company pays from is replaced by who saw the one in place', async () => {
  const replace = (iban: string, seen: unknown) =>
    edit('company-settings?action=update_account', {
      holder: 'Atelier Nantais',
      iban,
      bic: '',
      seen: { holder: 'Atelier Nantais', iban: seen },
    });
  const [first, second] = ['FR76 3000 6000 0112 3456 7890 189', 'DE89 3704 0044 0532 0130 00'] as const;
  expect(
    (
      await edit('company-settings?action=update_account', {
        holder: 'Atelier Nantais',
        iban: first,
        seen: { holder: '', iban: '' },
      })
    ).status,
  ).toBe(200);
  const { iban: masked } = (await read('company-settings?action=account')) as { iban: string };
  expect(await replace(second, '')).toMatchObject(told(['iban'], masked));
  expect((await replace(second, masked)).status).toBe(200);
});

test('[DF-34] the rule of bursts is edited as it was seen, and ticking a rule leaves its figure', async () => {
  const rule = (body: Record<string, unknown>) =>
    edit('doubtful-cases', { action: 'set_rule', rule: 'burst', ...body });
  const [before] = await server.database.asOwner<{ most: number }>(
    `select most from public.doubt_rules where code = 'burst'`,
  );
  const most = before?.most ?? 0;
  expect((await rule({ most: most + 1, seen: { most } })).status).toBe(200);
  expect(await rule({ most: most + 2, seen: { most } })).toMatchObject(told(['most'], most + 1));
  expect(await rule({ is_on: false, seen: {} })).toMatchObject({
    status: 200,
    body: { data: { is_on: false, most: most + 1 } },
  });
});

test('[DF-34] a referral written by two windows of its commercial loses neither the note nor the status', async () => {
  const client = await aClient(server.database, { commercial });
  const sale = await aSale(server.database, { commercial, friendReferrer: client });
  const move = (body: Record<string, unknown>, who = commercial) =>
    edit('sales-management', { action: 'update_status', sale_id: sale.id, ...body }, who);
  const follow = (body: Record<string, unknown>) =>
    edit('sales-management', { action: 'follow_up', sale_id: sale.id, ...body }, commercial);
  expect((await move({ commercial_notes: 'Rappeler lundi', seen: { commercial_notes: '' } })).status).toBe(200);
  expect((await follow({ private_note: 'Chien méchant', seen: { private_note: '' } })).status).toBe(200);
  expect((await follow({ call_back_on: '2999-01-05', seen: { call_back_on: '' } })).status).toBe(200);
  expect(await follow({ private_note: 'Autre', seen: { private_note: '' } })).toMatchObject(
    told(['private_note'], 'Chien méchant'),
  );
  const moved = await move({
    status: 'pending_validation',
    contract_amount: '1 234,50',
    contract_description: 'Toiture',
    seen: { status: 'pending', contract_amount: '', contract_description: '' },
  });
  expect(moved).toMatchObject({ status: 200, body: { data: { commercial_notes: 'Rappeler lundi' } } });
  // The form writes « 1 234,50 » and « pending_validation », the row 1234.50 and another word.
  expect(
    await move({ contract_amount: '1 300,00', seen: { contract_amount: '1 234,50', status: 'pending_validation' } }),
  ).toMatchObject({
    status: 200,
    body: { data: { commercial_notes: 'Rappeler lundi', contract_description: 'Toiture' } },
  });
  expect(await move({ commercial_notes: 'Perdu', seen: { commercial_notes: '' } })).toMatchObject(
    told(['commercial_notes'], 'Rappeler lundi'),
  );
  expect(await move({ status: 'rejected', seen: { status: 'contacted' } })).toMatchObject({
    status: 409,
    body: { issues: [{ path: ['status'], message: expect.stringContaining('« En attente validation finale »') }] },
  });
  // A signed contract is no longer anybody's to move, whatever the form saw.
  const signed = await move({ status: 'validated', contract_amount: 1300, contract_description: 'Toiture' });
  expect(signed.status).toBe(200);
  expect(await move({ commercial_notes: 'Perdu', seen: { commercial_notes: '' } })).toMatchObject({
    status: 409,
    body: { code: 'sale_not_editable' },
  });
  // Another commercial reads nothing of it by asking.
  const other = await aCommercial(server.database);
  expect(await move({ commercial_notes: 'x', seen: { commercial_notes: 'y' } }, other)).toMatchObject({
    status: 404,
    body: { code: 'sale_not_found' },
  });
});

test('[DF-34] a view kept by another window is not replaced unseen', async () => {
  const keep = (settings: string, replaces?: string | null) =>
    edit('list-views', {
      action: 'save',
      list: 'ventes',
      name: 'Ce mois',
      settings,
      ...(replaces === undefined ? {} : { replaces }),
    });
  const first = await keep('p=mois', null);
  expect(first.status).toBe(200);
  expect(await keep('p=annee', null)).toMatchObject({ status: 409, body: { issues: [{ path: ['name'] }] } });
  expect(await keep('p=annee', first.body.id as string)).toMatchObject({ status: 200, body: { id: first.body.id } });
  expect((await keep('p=jour')).status).toBe(200);
});
