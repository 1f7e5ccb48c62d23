import { afterAll, beforeAll, expect, test } from 'vitest';

import {
  aClient,
  anAdmin,
  aScale,
  aCommercial,
  aValidatedSale,
  createTestDatabase,
  only,
  brokenInvariants,
} from '../src/testing.ts';
import type { Person, TestDatabase } from '../src/testing.ts';
import { outcome } from './world.ts';

let db: TestDatabase;
let admin: Person;
let commercial: Person;
let client: Person;
beforeAll(async () => {
  db = await createTestDatabase();
  [admin, commercial] = [await anAdmin(db), await aCommercial(db)];
  const scale = await aScale(db, { isDefault: true });
  client = await aClient(db, { commercial });
  await aValidatedSale(db, { commercial, friendReferrer: client, scale, admin });
});
afterAll(async () => {
  expect(await brokenInvariants(db.asOwner)).toEqual([]);
  await db.drop();
});

async function approved(method: string): Promise<string> {
  const { id } = only(
    await db.become(client, (run) =>
      run<{ id: string }>(`select id from private.request_payment(5, $1, '{}', null)`, [method]),
    ),
  );
  await db.become(admin, (run) => run(`select private.decide_payment_request($1, 'approved', null, null, 1, 5)`, [id]));
  return id;
}
const pay = (id: string, ...settlement: (string | null)[]) =>
  db.become(admin, (run) =>
    run(`select private.decide_payment_request($1, 'paid', null, null, 2, 5, $2, $3, $4)`, [
      id,
      ...settlement,
      ...Array.from({ length: 3 - settlement.length }, () => null),
    ]),
  );
const settlementOf = async (id: string) =>
  only(
    await db.asOwner(
      'select settlement_reference as reference, association_name as name, association_number as number from public.payment_requests where id = $1',
      [id],
    ),
  );
const attach = (id: string, who = admin, type = 'application/pdf') =>
  db.become(who, (run) => run(`select private.attach_proof($1, 'reçu.pdf', $2, 4, sha256('x'), '\\x01')`, [id, type]));
const read = (id: string, who: Person) =>
  db.become(who, (run) => run<{ name: string }>('select name from private.payment_proof($1)', [id]));

test('[PO-03] a payment keeps its reference; a donation, the association with its RNA or its SIREN, whose key is checked', async () => {
  const card = await approved('cheque_cadeau');
  await pay(card, ' CC-2026-118 ');
  expect(await settlementOf(card)).toEqual({ reference: 'CC-2026-118', name: null, number: null });
  const donation = await approved('association');
  for (const number of ['775672273', 'W12', '77567227', ''])
    expect(await outcome(pay(donation, 'DON-1', 'La Croix-Rouge', number))).toBe(
      'payment_requests_association_number_is_one',
    );
  expect(await outcome(pay(donation, 'DON-1', null, '775672272'))).toBe(
    'payment_requests_association_number_has_a_name',
  );
  await pay(donation, 'DON-1', 'La Croix-Rouge', '775672272');
  expect(await settlementOf(donation)).toEqual({ reference: 'DON-1', name: 'La Croix-Rouge', number: '775672272' });
  const registered = await approved('association');
  await pay(registered, 'DON-2', 'Le Relais', 'W9C1000189');
  // Of a gift card no association receives anything; and without any of it a payment is what it was.
  const other = await approved('cheque_cadeau');
  expect(await outcome(pay(other, 'CC-2', 'La Croix-Rouge', '775672272'))).toBe(
    'payment_requests_association_is_of_a_donation',
  );
  expect(await outcome(pay(other))).toBe('ok');
  const edited = db.asOwner(`update public.payment_requests set settlement_reference = 'X' where id = $1`, [card]);
  expect(await outcome(edited)).toBe('request_illegal_move');
});

test('[DF-02] what was not known at the payment is said later, once, by an admin alone; nothing else of it changes', async () => {
  const complete = (id: string, settlement: readonly (string | null)[], who = admin) =>
    db.become(who, (run) =>
      run('select already from private.complete_settlement($1, $2, $3, $4)', [id, ...settlement]),
    );
  const donation = await approved('association');
  expect(await outcome(complete(donation, ['DON-9', null, null]))).toBe('request_illegal_move');
  await pay(donation, null, 'Le Relais');
  expect(await settlementOf(donation)).toEqual({ reference: null, name: 'Le Relais', number: null });
  for (const who of [client, commercial])
    expect(await outcome(complete(donation, ['DON-9', null, null], who))).toBe('forbidden');
  expect(await outcome(complete(donation, [null, null, 'W12']))).toBe('payment_requests_association_number_is_one');
  expect(await complete(donation, ['DON-9', null, 'W9C1000189'])).toEqual([{ already: false }]);
  expect(await complete(donation, ['DON-9', null, null])).toEqual([{ already: true }]);
  for (const other of [
    ['DON-10', null, null],
    [null, 'Autre', null],
    [null, null, '775672272'],
  ])
    expect(await outcome(complete(donation, other))).toBe('settlement_known');
  expect(await settlementOf(donation)).toEqual({ reference: 'DON-9', name: 'Le Relais', number: 'W9C1000189' });
  const told = await db.asOwner(
    `select action, after ->> 'settlement_reference' as reference from public.audit_entries
     where entity_id = $1 order by id desc limit 1`,
    [donation],
  );
  expect(told).toEqual([{ action: 'update', reference: 'DON-9' }]);
  for (const change of [`settlement_reference = null`, `admin_notes = 'x'`, `amount = 4`])
    expect(
      await outcome(db.asOwner(`update public.payment_requests set ${change} where id = $1`, [donation])),
    ).not.toBe('ok');
});

test('[PO-03] the proof of a payment is attached by an admin, and read by its payee and the admins alone', async () => {
  const card = await approved('cheque_cadeau');
  expect(await outcome(attach(card))).toBe('request_illegal_move');
  await pay(card, 'CC-3');
  expect(await outcome(read(card, client))).toBe('proof_not_found');
  expect(await outcome(attach(card, client))).toBe('forbidden');
  expect(await outcome(attach(card, admin, 'text/html'))).toBe('payment_proofs_content_type_is_known');
  await attach(card);
  await attach(card, admin, 'image/png');
  for (const who of [client, admin]) expect(await read(card, who)).toEqual([{ name: 'reçu.pdf' }]);
  const stranger = await aClient(db, { commercial });
  expect(await outcome(read(card, stranger))).toBe('proof_not_found');
  expect(await outcome(read(card, commercial))).toBe('forbidden');
  const seen = (who: Person) => db.become(who, (run) => run('select name from public.payment_proofs'));
  expect(await seen(client)).toHaveLength(1);
  for (const who of [stranger, commercial]) expect(await seen(who)).toEqual([]);
  const trail = await db.asOwner(
    `select action from public.audit_entries where entity_id = $1 and action = 'attach_proof'`,
    [card],
  );
  expect(trail).toHaveLength(2);
});
