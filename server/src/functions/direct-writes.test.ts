import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { aClient, aCommercial, anAdmin, aSale, aScale, aValidatedSale, startTestServer } from '../testing/index.ts';
import type { Person, TestServer } from '../testing/index.ts';
import { callAs } from '../testing/call-function.ts';

let server: TestServer;
let people: readonly (Person | undefined)[];
let client: Person;
let admin: Person;
let sale: { readonly id: string };
let scale: { readonly id: string };
let requestId: string;
beforeAll(async () => {
  server = await startTestServer();
  const { database } = server;
  admin = await anAdmin(database);
  const commercial = await aCommercial(database);
  client = await aClient(database, { commercial });
  scale = await aScale(database, { isDefault: true });
  await aValidatedSale(database, { admin, commercial, friendReferrer: client, scale });
  sale = await aSale(database, { commercial, friendReferrer: client, isReady: true, scale });
  const { body } = await callAs(server, client, 'payment-request', {
    action: 'create',
    amount: 10,
    payment_method: 'remise_societe',
  });
  requestId = body.data.id;
  people = [undefined, client, commercial, admin];
});
afterAll(() => server.close());

const everything = () =>
  server.database.asOwner(
    `select to_json(t)::text from public.sales t union all select to_json(t)::text from public.commission_payments t
     union all select to_json(t)::text from public.payment_requests t union all select to_json(t)::text from public.commission_rates t
     union all select to_json(t)::text from public.balances t union all select to_json(t)::text from public.company_settings t
     union all select to_json(t)::text from public.profiles t order by 1`,
  );

test('[P-06] threats 7, 8, 9: no role writes money or a status over REST; nothing moves', async () => {
  const before = await everything();
  for (const person of people) {
    const db = await server.client(person);
    const attempts = [
      db.from('payment_requests').update({ status: 'paid', amount: 9999 }).eq('id', requestId),
      db.from('payment_requests').update({ client_id: randomUUID() }).eq('id', requestId),
      db.from('payment_requests').insert({ client_id: client.id, amount: 5, status: 'approved' }),
      db.from('payment_requests').delete().eq('id', requestId),
      db.from('commission_payments').insert({ sale_id: sale.id, recipient_id: client.id, type: 'client', amount: 500 }),
      db
        .from('commission_payments')
        .upsert(
          { sale_id: sale.id, recipient_id: client.id, type: 'client', amount: 500 },
          { onConflict: 'sale_id,type' },
        ),
      db.from('commission_payments').update({ amount: 1 }).eq('recipient_id', client.id),
      db.from('commission_payments').delete().eq('recipient_id', client.id),
      db.from('sales').update({ status: 'validated', admin_validated: true }).eq('id', sale.id),
      db.from('sales').update({ contract_amount: 9 }).eq('id', sale.id),
      db.from('sales').insert({ referred_contact_name: 'x', admin_validated: true, friend_referrer_id: client.id }),
      db.from('sales').delete().eq('id', sale.id),
      db.from('commission_rates').update({ client_commission_amount: 99 }).eq('id', scale.id),
      db.from('commission_rates').insert({ name: 'x' }),
      db.from('balances').update({ earned: 9999 }).eq('profile_id', client.id),
      db.from('company_settings').update({ company_name: 'x' }).eq('id', 1),
      db.from('profiles').update({ role: 'admin' }).eq('id', client.id),
      db.from('profiles').update({ commercial_id: null }).eq('id', client.id),
    ];
    for (const [index, { error, status }] of (await Promise.all(attempts)).entries()) {
      expect({ role: person?.role, index, status: [401, 403].includes(status), refused: error !== null }).toEqual({
        role: person?.role,
        index,
        status: true,
        refused: true,
      });
    }
  }
  expect(await everything()).toEqual(before);
});

test('[P-06] internal functions cannot be called over REST', async () => {
  const db = await server.client(admin);
  for (const name of [
    'validate_sale',
    'clean_test_data',
    'create_account',
    'request_payment',
    'append_audit',
    'claim_idempotency_key',
  ]) {
    expect((await db.rpc(name)).status).toBe(404);
    expect((await db.schema('private').rpc(name)).status).toBe(406);
  }
});
