import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { forgetFriend, markOf } from '../friend-link.ts';
import { aCompanyKey, callWithKey } from '../../testing/company-key.ts';
import type { CompanyKey } from '../../testing/company-key.ts';
import { aClient, aCommercial, anAdmin, asSeen, aScale, startTestServer } from '../../testing/index.ts';
import type { Person, TestServer } from '../../testing/index.ts';

// Contracts from other tools (WH-03): a CRM or a quote software says where a referral stands, by its own reference.

let server: TestServer;
let admin: Person;
let commercial: Person;
let client: Person;
let key: CompanyKey;
let scale: { readonly id: string };
beforeAll(async () => {
  server = await startTestServer({ jobs: false });
  const db = server.database;
  commercial = await aCommercial(db);
  [admin, client] = [await anAdmin(db), await aClient(db, { commercial })];
  scale = await aScale(db, { isDefault: true });
  key = await aCompanyKey(server, admin, ['read', 'referrals']);
});
afterAll(() => server.close());

const receive = (body: Record<string, unknown>, secret = key.secret, headers: Record<string, string> = {}) =>
  callWithKey(server, secret, '/functions/v1/receive-referral', { body, headers });

const aReferral = () => {
  const reference = `DEV-${randomUUID().slice(0, 8)}`;
  return {
    source: 'batigest',
    reference,
    referrer_email: client.email,
    name: 'Paul Contact',
    email: `paul-${reference.toLowerCase()}@example.fr`,
  };
};
const salesOf = (reference: string) =>
  server.database.asOwner<{ id: string; status: string; ready: boolean; amount: string | null; version: number }>(
    `select s.id, s.status, s.ready_for_validation as ready, s.contract_amount::text as amount, s.version
     from public.external_references r join public.sales s on s.id = r.sale_id where r.reference = $1`,
    [reference],
  );

test('[WH-03] a referral is created by its reference, for its client and their commercial, told to them, and no mail leaves for the friend', async () => {
  const referral = aReferral();
  const made = await receive(referral);
  expect(made).toMatchObject({
    status: 201,
    body: {
      created: true,
      changed: false,
      data: { status: 'pending', friend_referrer_id: client.id, commercial_id: commercial.id },
    },
  });
  const told = await server.database.asOwner('select kind, recipient_id from public.notices where sale_id = $1', [
    made.body.data.id,
  ]);
  expect(told).toEqual([{ kind: 'referral_received', recipient_id: commercial.id }]);
  expect(await server.database.asOwner('select from private.mails')).toEqual([]);
  const trail = await server.database.asOwner(
    'select actor, actor_id, action from public.audit_entries where entity_id = $1',
    [made.body.data.id],
  );
  expect(trail).toEqual([{ actor: 'api_key', actor_id: key.id, action: 'insert' }]);
});

test('[WH-03] the same call again is one referral and changes nothing; so are ten at once', async () => {
  const referral = aReferral();
  const replies = await Promise.all(Array.from({ length: 10 }, () => receive(referral)));
  expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([...Array(9).fill(200), 201]);
  expect(await salesOf(referral.reference)).toHaveLength(1);
  const before = await salesOf(referral.reference);
  expect((await receive({ ...referral, status: 'pending' })).body).toMatchObject({ created: false, changed: false });
  expect(await salesOf(referral.reference)).toEqual(before);
});

test('[WH-03] a contract moves it to the admin’s validation; the key validates nothing, and what an admin validated is closed to it', async () => {
  const referral = aReferral();
  const contract = { contract_amount: '1234,56', contract_description: 'Toiture' };
  await receive({ ...referral, status: 'contacted' });
  const by = { source: referral.source, reference: referral.reference };
  expect(await receive({ ...by, status: 'validated' })).toMatchObject({
    status: 400,
    body: { code: 'contract_details_required' },
  });
  const signed = await receive({ ...by, status: 'validated', ...contract });
  expect(signed.body).toMatchObject({
    changed: true,
    data: { status: 'validated', ready_for_validation: true, admin_validated: false, contract_amount: 1234.56 },
  });
  expect((await receive({ ...by, status: 'validated', ...contract })).body.changed).toBe(false);
  expect(await receive({ ...by, status: 'validated', ...contract, contract_amount: '99999' })).toMatchObject({
    status: 409,
    body: { code: 'sale_not_editable' },
  });
  const validation = await callWithKey(server, key.secret, '/functions/v1/sales-management?action=validate', {
    body: {},
  });
  expect(validation.body.code).toBe('key_closed');
  await server.database.become(admin, (run) => run(asSeen.validate, [signed.body.data.id, scale.id]));
  expect((await receive({ ...by, status: 'rejected' })).body.code).toBe('sale_not_editable');
  expect((await receive({ ...by, status: 'validated', ...contract })).body).toMatchObject({
    created: false,
    changed: false,
    data: { admin_validated: true },
  });
});

test('[WH-03] a friend who said no is referred by no tool: their reference finds the closed referral, another one is refused', async () => {
  const referral = aReferral();
  const { data } = (await receive(referral)).body;
  await forgetFriend(server.services, {
    saleId: data.id,
    proves: markOf(server.services, { email: data.referred_contact_email, phone: null }),
  });
  const again = await receive(referral);
  expect(again).toMatchObject({ status: 200, body: { created: false, data: { id: data.id, status: 'rejected' } } });
  expect(await receive({ ...referral, reference: 'another' })).toMatchObject({
    status: 409,
    body: { code: 'friend_opted_out' },
  });
});

test('[WH-03] the same reference of another tool is another referral', async () => {
  const referral = aReferral();
  const other = await receive({ ...aReferral(), reference: referral.reference, source: 'sellsy' });
  expect(other.status).toBe(201);
  expect((await receive(referral)).status).toBe(201);
  expect(await salesOf(referral.reference)).toHaveLength(2);
});

test('[WH-03] [F-15] what a client may not do is said to the tool of that client, not as if the tool were they', async () => {
  const known = aReferral();
  await receive(known);
  const left = await aCommercial(server.database);
  const alone = await aClient(server.database, { commercial: left });
  await server.database.asOwner('update public.profiles set deactivated_at = now() where id = $1', [left.id]);
  const answers = await Promise.all(
    [
      { ...aReferral(), email: known.email },
      { ...aReferral(), email: client.email },
      { ...aReferral(), referrer_email: alone.email },
    ].map(async (referral) => {
      const { status, body } = await receive(referral);
      return [status, body.code, body.error];
    }),
  );
  expect(answers).toEqual([
    [409, 'friend_already_invited', 'Ce client a déjà invité cette personne.'],
    [400, 'self_referral', 'Un client ne peut pas se parrainer lui-même.'],
    [409, 'commercial_missing', 'Aucun commercial ne suit ce client : attribuez-lui-en un, puis recommencez.'],
  ]);
});

test.each([
  [{ source: '' }, 400, 'Indiquez « source »'],
  [{ reference: '' }, 400, 'Indiquez « reference »'],
  [{ name: null }, 404, 'indiquez « referrer_email » et « name » pour le créer'],
  [{ referrer_email: 'personne@example.fr' }, 404, 'Aucun client actif n’a cette adresse'],
  [{ email: null }, 400, 'Indiquez « email » ou « phone »'],
  [{ status: 'won' }, 400, '« status » vaut l’un de : pending, contacted'],
  [{ contract_amount: '10' }, 400, 'Indiquez « status » avec le contrat.'],
  [{ status: 'contacted', contract_amount: '10,005' }, 400, 'montant'],
])('[WH-03] %j is refused with what to do', async (change, status, sentence) => {
  const refused = await receive({ ...aReferral(), ...change });
  expect([refused.status, refused.text]).toEqual([status, expect.stringContaining(sentence)]);
});

test('[WH-03] only the scope of referrals creates one; with Idempotency-Key the answer is the first, byte for byte', async () => {
  const reader = await aCompanyKey(server, admin, ['read', 'payments']);
  expect((await receive(aReferral(), reader.secret)).body.code).toBe('scope_missing');
  const [referral, headers] = [aReferral(), { 'idempotency-key': randomUUID() }];
  const first = await receive(referral, key.secret, headers);
  expect(first.status).toBe(201);
  const again = await receive(referral, key.secret, headers);
  expect([again.status, again.text]).toEqual([201, first.text]);
});

test('[WH-03] its reference is read by the admin, its commercial and keys that read; by nobody else', async () => {
  const referral = aReferral();
  await receive(referral);
  const read = async (person: Person) =>
    (
      await (
        await server.client(person)
      )
        .from('external_references')
        .select('source')
        .eq('reference', referral.reference)
    ).data;
  expect(await read(admin)).toEqual([{ source: 'batigest' }]);
  expect(await read(commercial)).toEqual([{ source: 'batigest' }]);
  for (const other of [client, await aCommercial(server.database)]) expect(await read(other)).toEqual([]);
});
