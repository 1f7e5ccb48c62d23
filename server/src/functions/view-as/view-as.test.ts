import { RealtimeClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { aClient, aCommercial, anAdmin, aSale, only, startTestServer } from '../../testing/index.ts';
import type { Person, TestServer } from '../../testing/index.ts';
import { anAccount, clientOf, signedIn } from '../../testing/accounts.ts';
import { callAs } from '../../testing/call-function.ts';

let server: TestServer;
let admin: Person;
let commercial: Person;
let client: Person;
beforeAll(async () => {
  server = await startTestServer();
  admin = await anAdmin(server.database);
  commercial = await aCommercial(server.database);
  client = await aClient(server.database, { commercial, fullName: 'Léa Vue' });
});
afterAll(() => server.close());

const begin = (who: Person | undefined, person_id: unknown) => callAs(server, who, 'view-as', { person_id });

/** The token and the official client of an admin who sees this person's screen. */
async function viewOf(person: Person, by: Person = admin) {
  const { status, body } = await begin(by, person.id);
  expect(status).toBe(200);
  const token = String(body.access_token);
  return { token, official: clientOf(server, { authorization: `Bearer ${token}` }) };
}

const ask = (token: string, path: string, init: RequestInit = {}) =>
  fetch(`${server.url}${path}`, {
    ...init,
    headers: {
      apikey: server.services.keys.publishableKey,
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
    },
  });

test('[UI-15] an admin sees exactly what a client or a commercial sees, and each view is in the audit trail', async () => {
  await aSale(server.database, { commercial, friendReferrer: client });
  for (const person of [client, commercial]) {
    const { official } = await viewOf(person);
    const own = await server.client(person);
    for (const table of ['sales', 'profiles', 'payment_requests', 'commission_payments', 'company_settings']) {
      const [seen, theirs] = await Promise.all([official.from(table).select(), own.from(table).select()]);
      expect([table, seen.error, seen.data]).toEqual([table, null, theirs.data]);
    }
    expect(
      only(
        await server.database.asOwner(
          `select actor_id, entity from public.audit_entries where action = 'view' and entity_id = $1`,
          [person.id],
        ),
      ),
    ).toEqual({ actor_id: admin.id, entity: 'profiles' });
  }
});

test('[UI-15] nobody but an admin sees the screen of another, and never an admin’s or that of an account that is off', async () => {
  for (const who of [client, commercial]) {
    expect(await begin(who, client.id)).toMatchObject({ status: 403, body: { code: 'forbidden' } });
  }
  expect(await begin(undefined, client.id)).toMatchObject({ status: 401 });
  const colleague = await anAdmin(server.database);
  for (const person of [colleague, admin]) {
    expect(await begin(admin, person.id)).toMatchObject({ status: 403, body: { code: 'forbidden' } });
  }
  expect(await begin(admin, '00000000-0000-4000-8000-000000000000')).toMatchObject({ status: 404 });
  for (const nobody of ['x', undefined, 7]) expect([400, 404]).toContain((await begin(admin, nobody)).status);
  // A view begins no other one.
  const { token } = await viewOf(commercial);
  const again = await ask(token, '/functions/v1/view-as', {
    method: 'POST',
    body: JSON.stringify({ person_id: client.id }),
  });
  expect(again.status).toBe(403);

  const gone = await aCommercial(server.database);
  const { official } = await viewOf(gone);
  expect((await official.from('profiles').select('id')).error).toBeNull();
  await server.database.asOwner('update public.profiles set deactivated_at = now() where id = $1', [gone.id]);
  expect((await official.from('profiles').select('id')).status).toBe(401);
  expect(await begin(admin, gone.id)).toMatchObject({ status: 403, body: { code: 'forbidden' } });
});

test('[UI-15] who sees another’s screen changes nothing there, by any door', async () => {
  const sale = await aSale(server.database, { commercial, friendReferrer: client });
  const ofCommercial = await viewOf(commercial);
  const ofClient = await viewOf(client);
  const before = await everything();

  const acts: readonly (readonly [string, string, Record<string, unknown>])[] = [
    [
      ofCommercial.token,
      'sales-management',
      { action: 'update_status', sale_id: sale.id, status: 'contacted', seen_version: sale.version },
    ],
    [
      ofCommercial.token,
      'invite-client',
      { email: 'vue@exemple.fr', first_name: 'Vue', last_name: 'Seule', phone: '0612345678' },
    ],
    [ofClient.token, 'payment-request', { action: 'create', amount: 5, payment_method: 'don', payment_details: {} }],
    [ofClient.token, 'own-account', { action: 'ask_commercial' }],
    [ofClient.token, 'account-closure', { action: 'request' }],
    [ofClient.token, 'notices', { action: 'choose', topic: 'validation', delivery: 'never' }],
    [
      ofClient.token,
      'auth-signup',
      { email: 'autre@exemple.fr', password: 'trois-petits-chats-7', full_name: 'Un Autre' },
    ],
  ];
  for (const [token, name, body] of acts) {
    const reply = await ask(token, `/functions/v1/${name}`, { method: 'POST', body: JSON.stringify(body) });
    expect([name, reply.status >= 400 && reply.status < 500]).toEqual([name, true]);
  }
  const status = await ask(ofCommercial.token, '/functions/v1/sales-management', {
    method: 'POST',
    body: JSON.stringify(acts[0]?.[2]),
  });
  expect([status.status, await status.json()]).toEqual([403, expect.objectContaining({ code: 'view_reads' })]);

  // An account is its owner's: not even read.
  for (const action of ['sessions', 'personal_data'])
    expect((await ask(ofClient.token, `/functions/v1/own-account?action=${action}`)).status).toBe(403);
  for (const [path, init] of [
    ['/auth/v1/user', {}],
    ['/auth/v1/user', { method: 'PUT', body: JSON.stringify({ password: 'encore-quatre-chats-8' }) }],
    ['/auth/v1/factors', { method: 'POST', body: JSON.stringify({ factor_type: 'totp' }) }],
    ['/auth/v1/logout', { method: 'POST' }],
  ] as const)
    expect([path, (await ask(ofClient.token, path, init)).status]).toEqual([path, 403]);
  expect((await ask(ofClient.token, '/storage/v1/object/logos/x.png', { method: 'POST', body: '{}' })).status).toBe(
    401,
  );
  expect((await ask(ofClient.token, '/exports/v1/own-commissions.csv')).status).toBe(403);
  const { official } = ofClient;
  const writes = [
    await official.from('profiles').update({ full_name: 'Une Autre' }).eq('id', client.id).select(),
    await official.from('sales').insert({ referred_contact_name: 'Vue Seule' }),
  ];
  for (const { status: answered, error } of writes)
    expect([answered, error]).toEqual([
      403,
      expect.objectContaining({ details: 'view_reads', message: expect.stringContaining('revenez au vôtre') }),
    ]);

  expect(await everything()).toEqual(before);
});

test('[UI-15] a view never hears of changes, and ends with the admin’s own session', async () => {
  const account = await anAccount(server, { role: 'admin', fullName: 'Anne Chef' });
  const { client: official, session } = await signedIn(server, account);
  const { data } = await official.functions.invoke('view-as', { body: { person_id: client.id } });
  const seen = clientOf(server, { authorization: `Bearer ${data.access_token}` });
  expect((await seen.from('sales').select('id')).error).toBeNull();

  const socket = new RealtimeClient(`${server.url.replace(/^http/u, 'ws')}/realtime/v1`, {
    params: { apikey: server.services.keys.publishableKey },
    accessToken: async () => String(data.access_token),
  });
  const joined = await new Promise<string>((resolve) => {
    socket.channel('vue', { config: { private: true } }).subscribe((state) => resolve(state));
  });
  expect(joined).toBe('CHANNEL_ERROR');
  await socket.disconnect();

  await official.auth.admin.signOut(session.access_token, 'local');
  expect((await seen.from('sales').select('id')).status).toBe(401);
});

/** Every row that people may write, as text. */
async function everything(): Promise<unknown> {
  const tables = ['sales', 'profiles', 'payment_requests', 'notices', 'audit_entries', 'account_closure_requests'];
  return Promise.all(
    tables.map(async (table) =>
      only(
        await server.database.asOwner(
          `select count(*), md5(string_agg(t::text, '|' order by t::text)) from public.${table} t`,
        ),
      ),
    ),
  );
}
