import { createClient } from '@supabase/supabase-js';
import type { SupabaseClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { aClient, aCommercial, anAdmin, aScale, aValidatedSale, only, startTestServer } from '../testing/index.ts';
import type { Person, Sale, TestServer } from '../testing/index.ts';

let server: TestServer;
let admin: Person;
let seller: Person;
let otherSeller: Person;
let client: Person;
let otherClient: Person;
let sale: Sale;
let otherSale: Sale;
let clients: Record<'visitor' | 'admin' | 'seller' | 'client' | 'secret', SupabaseClient>;

const TABLES = [
  'profiles',
  'sales',
  'commission_rates',
  'commission_payments',
  'payment_requests',
  'company_settings',
  'balances',
  'ledger_entries',
  'audit_entries',
  'client_summaries',
] as const;

beforeAll(async () => {
  server = await startTestServer({ doors: ['rest'], jobs: false });
  const db = server.database;
  admin = await anAdmin(db);
  seller = await aCommercial(db);
  otherSeller = await aCommercial(db);
  client = await aClient(db, { commercial: seller });
  otherClient = await aClient(db, { commercial: otherSeller });
  const scale = await aScale(db);
  sale = await aValidatedSale(db, { admin, commercial: seller, friendReferrer: client, scale });
  otherSale = await aValidatedSale(db, { admin, commercial: otherSeller, friendReferrer: otherClient, scale });
  for (const person of [client, otherClient]) {
    await db.become(person, (run) => run(`select private.request_payment(50, 'remise_societe', '{}', '\\x00')`));
  }
  clients = {
    visitor: await server.client(),
    admin: await server.client(admin),
    seller: await server.client(seller),
    client: await server.client(client),
    secret: createClient(server.url, server.services.keys.secretKey, { auth: { persistSession: false } }),
  };
});
afterAll(() => server.close());

async function idsOf(as: keyof typeof clients, table: string, column = 'id'): Promise<string[]> {
  const { data, error } = await clients[as].from(table).select(column);
  expect(error).toBeNull();
  return (data as unknown as Record<string, string>[]).map((row) => row[column] ?? '').sort();
}

/** Hash of a table's rows, to be sure that nothing changed. */
async function rowsOf(table: string): Promise<unknown> {
  const rows = await server.database.asOwner(
    `select md5(string_agg(t::text, ',' order by t::text)) as all from public.${table} t`,
  );
  return only(rows);
}

describe('who reads what', () => {
  test.each(TABLES)('[A-23] the publishable key alone reads nothing of %s', async (table) => {
    for (const query of [
      clients.visitor.from(table).select('*'),
      clients.visitor.from(table).select('*', { count: 'exact', head: true }),
      clients.visitor.from(table).select('*').csv(),
    ]) {
      const { data, status, count } = await query;
      expect({ data, status, count }).toEqual({ data: null, status: 401, count: null });
    }
    const { error } = await clients.visitor.from(table).select('*');
    expect(error).toMatchObject({ code: '42501', message: expect.stringContaining('permission denied') });
  });

  test.each(['get_commercial_sales', 'admin_figures', 'commercial_figures', 'client_figures'])(
    '[A-23] the publishable key alone calls nothing: %s',
    async (name) => {
      const { status, data } = await clients.visitor.rpc(
        name,
        name === 'get_commercial_sales' ? { id: seller.id } : {},
      );
      expect({ status, data }).toEqual({ status: 401, data: null });
    },
  );

  test('[P-01] an admin reads every row', async () => {
    expect(await idsOf('admin', 'sales')).toEqual([sale.id, otherSale.id].sort());
    expect(await idsOf('admin', 'profiles')).toHaveLength(5);
    expect(await idsOf('admin', 'payment_requests')).toHaveLength(2);
    expect(await idsOf('admin', 'commission_payments')).toHaveLength(4);
  });

  test('[P-02] [A-25] a commercial reads their own sales and clients, nothing of a colleague’s', async () => {
    expect(await idsOf('seller', 'sales')).toEqual([sale.id]);
    expect(await idsOf('seller', 'profiles')).toEqual([seller.id, client.id].sort());
    expect(await idsOf('seller', 'client_summaries')).toEqual([client.id]);
    expect(await idsOf('seller', 'commission_rates')).toEqual([]);
    expect(await idsOf('seller', 'payment_requests')).toEqual([]);
    expect(await idsOf('seller', 'audit_entries')).toEqual([]);
    expect(await idsOf('seller', 'commission_payments', 'recipient_id')).toEqual([seller.id]);
  });

  test('[P-03] [A-24] a client reads their own sales, requests, commissions and balance, nothing of another’s', async () => {
    expect(await idsOf('client', 'sales')).toEqual([sale.id]);
    expect(await idsOf('client', 'profiles')).toEqual([client.id, seller.id].sort());
    expect(await idsOf('client', 'payment_requests', 'client_id')).toEqual([client.id]);
    expect(await idsOf('client', 'commission_payments', 'recipient_id')).toEqual([client.id]);
    expect(await idsOf('client', 'balances', 'profile_id')).toEqual([client.id]);
    expect(await idsOf('client', 'commission_rates')).toEqual([]);
    expect(await idsOf('client', 'audit_entries')).toEqual([]);
  });

  test('[A-24] another’s row answers as one that does not exist, by id, filter, count, embed and head', async () => {
    const absent = '00000000-0000-4000-8000-000000000000';
    const targets: Record<string, string> = { sales: otherSale.id, profiles: otherClient.id };
    for (const [table, hidden] of Object.entries(targets)) {
      for (const suffix of ['', '&limit=1', '&or=(id.eq.ID)', '&select=id,created_at&order=created_at']) {
        for (const prefer of ['count=exact', 'count=planned', 'count=estimated', 'return=representation']) {
          const ask = async (id: string): Promise<unknown> => {
            const path = `/rest/v1/${table}?id=eq.${id}${suffix.replace('ID', id)}`;
            const get = await server.fetch(path, { headers: { prefer } }, client);
            const head = await server.fetch(path, { method: 'HEAD', headers: { prefer } }, client);
            return [
              get.status,
              await get.text(),
              get.headers.get('content-range'),
              head.status,
              head.headers.get('content-range'),
            ];
          };
          expect(await ask(hidden)).toEqual(await ask(absent));
        }
      }
    }
  });

  test('[A-26] an embed shows no row that its own table would not', async () => {
    const { data } = await clients.client
      .from('sales')
      .select(
        'id, commission_rates(*), commission_payments(recipient_id), validated_by(full_name), commercial:profiles!sales_commercial_id_fkey(id, email, sales!sales_commercial_id_fkey(id), clients:profiles(id))',
      );
    expect(data).toEqual([
      {
        id: sale.id,
        commission_rates: null,
        commission_payments: [{ recipient_id: client.id }],
        validated_by: null,
        commercial: { id: seller.id, email: seller.email, sales: [{ id: sale.id }], clients: [{ id: client.id }] },
      },
    ]);
    const inner = await clients.client.from('sales').select('id, commission_rates!inner(id)', { count: 'exact' });
    expect({ data: inner.data, count: inner.count }).toEqual({ data: [], count: 0 });
  });

  test('[A-27] a count never counts what is hidden, also past the end', async () => {
    for (const count of ['exact', 'planned', 'estimated'] as const) {
      expect((await clients.client.from('sales').select('id', { count, head: true })).count).toBe(1);
      expect((await clients.client.from('sales').select('id', { count }).range(0, 0)).count).toBe(1);
    }
    const past = await clients.client.from('sales').select('id', { count: 'exact' }).range(7, 9);
    expect(past.error).toMatchObject({ details: 'An offset of 7 was requested, but there are only 1 rows.' });
  });

  test('[A-28] what is not exposed can be neither filtered, ordered nor selected', async () => {
    for (const query of [
      'payment_requests?iban=like.FR7*',
      'payment_requests?order=details_sealed',
      'payment_requests?select=details_sealed',
      'profiles?encrypted_password=not.is.null',
      'profiles?select=id,users(encrypted_password)',
      'profiles?select=*,sessions(*)',
      'sales?select=id,profiles!sales_commercial_id_fkey(encrypted_password)',
      'sales?order=profiles(encrypted_password)',
      'sales?tableoid=gt.0',
      'sales?ctid=not.is.null',
      'sales?xmin=gt.0',
    ]) {
      const response = await server.fetch(`/rest/v1/${query}`, {}, admin);
      expect({ query, status: response.status }).toEqual({ query, status: 400 });
    }
  });

  test('[P-07] [A-25] a call with a colleague’s id gives nothing', async () => {
    const foreign = await clients.seller.rpc('get_commercial_sales', { commercial_id: otherSeller.id });
    expect(foreign).toMatchObject({ error: null, data: [] });
    expect(await clients.client.rpc('get_commercial_sales', { commercial_id: seller.id })).toMatchObject({ data: [] });
    expect((await clients.admin.rpc('get_commercial_sales', { commercial_id: otherSeller.id })).data).toHaveLength(1);
    for (const name of ['admin_figures'] as const) {
      expect((await clients.seller.rpc(name)).data).toEqual([]);
      expect((await clients.client.rpc(name)).data).toEqual([]);
    }
  });

  test('[P-07] a call takes exactly one id', async () => {
    for (const given of [{}, { id: seller.id, commercial_id: otherSeller.id }]) {
      const { status, error } = await clients.seller.rpc('get_commercial_sales', given);
      expect(status).toBe(404);
      expect(error).toMatchObject({ code: 'PGRST202' });
    }
    for (const id of ['x', 5, { a: 1 }]) {
      expect((await clients.seller.rpc('get_commercial_sales', { id })).status).toBe(400);
    }
    expect((await clients.seller.rpc('get_commercial_sales', { id: null })).data).toEqual([]);
  });

  test('[P-04] the secret key reads past the policies', async () => {
    expect(await idsOf('secret', 'sales')).toHaveLength(2);
    expect((await clients.secret.from('sales').select('id', { count: 'planned' })).status).toBeLessThan(300);
  });
});

describe('what cannot be reached at all', () => {
  test.each([
    'users',
    'sessions',
    'auth.users',
    'signing_keys',
    'secrets',
    'private.secrets',
    'payment_secrets',
    'idempotency_keys',
    'mails',
    'objects',
    'pg_class',
    'pg_catalog.pg_authid',
    'tables',
    'migrations',
    'jobs',
    'graphile_worker.jobs',
    'Sales',
    'sales%20',
    '%2573ales',
    'sales;',
    "sales'",
    'sales"',
    '..%2Fauth',
  ])('[A-36] %s is no table', async (name) => {
    const response = await server.fetch(`/rest/v1/${name}`, {}, admin);
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({
      code: expect.stringMatching(/^PGRST/u),
      message: expect.any(String),
    });
  });

  test.each(['auth', 'private', 'storage', 'pg_catalog', 'graphile_worker', 'PUBLIC', ''])(
    '[A-36] the schema « %s » is refused',
    async (schema) => {
      for (const init of [
        { headers: { 'accept-profile': schema } },
        { method: 'POST', headers: { 'content-profile': schema, 'content-type': 'application/json' }, body: '{}' },
      ]) {
        const response = await server.fetch('/rest/v1/sales', init, admin);
        expect(response.status).toBe(406);
        expect(await response.json()).toMatchObject({ code: 'PGRST106' });
      }
    },
  );

  test.each([
    'pg_sleep',
    'pg_read_file',
    'lo_import',
    'dblink',
    'set_config',
    'current_setting',
    'query_to_xml',
    'similarity',
    'show_trgm',
    'set_limit',
    'gtrgm_in',
    'identify',
    'validate_sale',
    'clean_test_data',
    'create_account',
    'uid',
    'guard_sale',
  ])('[A-37] %s is no function', async (name) => {
    for (const init of [{}, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }]) {
      const response = await server.fetch(`/rest/v1/rpc/${name}`, init, admin);
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ code: 'PGRST202' });
    }
  });

  test('[A-36] the root, deeper paths and other verbs', async () => {
    for (const [method, path, status, code] of [
      ['POST', '/rest/v1/', 405, 'PGRST117'],
      ['GET', '/rest/v1/sales/1', 404, 'PGRST125'],
      ['GET', '/rest/v1/sales/', 404, 'PGRST125'],
      ['GET', '/rest/v1/rpc', 404, 'PGRST205'],
      ['GET', '/rest/v1/rpc/', 404, 'PGRST125'],
      ['PUT', '/rest/v1/sales?id=eq.1', 400, 'PGRST102'],
      ['PUT', '/rest/v1/sales?status=eq.validated', 405, 'PGRST105'],
      ['PATCH', '/rest/v1/rpc/admin_figures', 405, 'PGRST101'],
      ['DELETE', '/rest/v1/rpc/admin_figures', 405, 'PGRST101'],
    ] as const) {
      const response = await server.fetch(path, { method }, admin);
      expect({ method, path, status: response.status }).toEqual({ method, path, status });
      expect(await response.json()).toMatchObject({ code });
    }
  });
});

describe('who writes what', () => {
  const VALUES: Record<string, Record<string, unknown>> = {
    profiles: { role: 'admin' },
    sales: { status: 'validated', admin_validated: true, contract_amount: 1 },
    commission_rates: { client_commission_amount: 99 },
    commission_payments: { amount: 5000, type: 'client' },
    payment_requests: { status: 'paid', amount: 5000 },
    company_settings: { company_name: 'Autre' },
    balances: { earned: 100_000 },
    ledger_entries: { amount: 5000, act: 'validation' },
    audit_entries: { action: 'update' },
  };

  for (const as of ['visitor', 'admin', 'seller', 'client', 'secret'] as const) {
    test.each(Object.entries(VALUES))(
      `[P-06] [M-7] [M-8] [M-9] %s is written by no ${as}, whatever the verb`,
      async (table, values) => {
        const before = await rowsOf(table);
        const key = table === 'balances' ? 'profile_id' : 'id';
        const unique = table === 'ledger_entries' ? 'source_id,act,line' : key;
        const from = clients[as].from(table);
        for (const query of [
          from.insert(values),
          from.insert([values, values]),
          from.insert(values).select(),
          from.upsert(values, { onConflict: unique }),
          from.upsert([values], { onConflict: unique, ignoreDuplicates: true }),
          from.update(values).not(key, 'is', null),
          from.update(values).not(key, 'is', null).select(),
          from.delete().not(key, 'is', null),
          from.delete({ count: 'exact' }).not(key, 'is', null).select(),
        ]) {
          const { status, error, data, count } = await query;
          expect({ status, data, count }).toEqual({ status: as === 'visitor' ? 401 : 403, data: null, count: null });
          expect(error).toMatchObject({ code: '42501' });
        }
        expect(await rowsOf(table)).toEqual(before);
      },
    );
  }

  test('[D-01] a person changes their own name and phone, and sees it', async () => {
    const { data, status } = await clients.client
      .from('profiles')
      .update({ full_name: 'Clarisse Nouvelle', phone: '+33 6 00 00 00 00' })
      .eq('id', client.id)
      .select('full_name, phone, commercial:commercial_id(id)')
      .single();
    expect(status).toBe(200);
    expect(data).toEqual({ full_name: 'Clarisse Nouvelle', phone: '+33 6 00 00 00 00', commercial: { id: seller.id } });
    const minimal = await server.fetch(
      `/rest/v1/profiles?id=eq.${client.id}`,
      {
        method: 'PATCH',
        body: '{"phone":null}',
        headers: { 'content-type': 'application/json', prefer: 'count=exact' },
      },
      client,
    );
    expect([minimal.status, await minimal.text(), minimal.headers.get('content-range')]).toEqual([204, '', '0-0/1']);
    expect((await clients.client.from('profiles').update({}).eq('id', client.id)).status).toBe(204);
  });

  test('[A-29] [A-30] nobody changes another’s profile, nor their own role, e-mail or commercial', async () => {
    const before = await rowsOf('profiles');
    for (const as of ['admin', 'seller', 'client'] as const) {
      const foreign = await clients[as]
        .from('profiles')
        .update({ full_name: 'Pris' }, { count: 'exact' })
        .eq('id', otherClient.id);
      expect({ status: foreign.status, count: foreign.count }).toEqual({ status: 204, count: 0 });
      expect(
        (await clients[as].from('profiles').update({ full_name: 'Pris' }).eq('id', otherClient.id).select()).data,
      ).toEqual([]);
      for (const values of [
        { role: 'admin' },
        { email: 'a@b.fr' },
        { commercial_id: otherSeller.id },
        { id: otherClient.id },
        { full_name: 'x', is_test: true },
      ]) {
        expect((await clients[as].from('profiles').update(values).eq('id', client.id)).status).toBe(403);
      }
    }
    const upsert = await clients.client.from('profiles').upsert({ id: otherClient.id, full_name: 'Pris' });
    expect(upsert.status).toBe(403);
    expect(await rowsOf('profiles')).toEqual(before);
  });

  test('[P-04] a write without a filter is refused', async () => {
    for (const method of ['PATCH', 'DELETE']) {
      for (const query of [
        '',
        '?select=id',
        '?limit=1&order=id',
        '?profiles.id=eq.1&select=id,profiles!sales_commercial_id_fkey(id)',
      ]) {
        const response = await server.fetch(
          `/rest/v1/sales${query}`,
          { method, body: '{"status":"pending"}', headers: { 'content-type': 'application/json' } },
          admin,
        );
        expect(response.status).toBe(400);
        expect(await response.json()).toMatchObject({ code: '21000' });
      }
    }
  });

  test('[RE-01] one object asked of a write that touches another number of rows changes nothing', async () => {
    const before = await rowsOf('profiles');
    const none = await clients.client
      .from('profiles')
      .update({ full_name: 'x' })
      .eq('id', otherClient.id)
      .select()
      .single();
    expect(none.error).toMatchObject({ code: 'PGRST116', details: 'The result contains 0 rows' });
    expect(await rowsOf('profiles')).toEqual(before);
  });

  test('[RE-01] a write may be tried and taken back, or bounded', async () => {
    const before = await rowsOf('profiles');
    const tried = await server.fetch(
      `/rest/v1/profiles?id=eq.${client.id}&select=full_name`,
      {
        method: 'PATCH',
        body: '{"full_name":"Essai"}',
        headers: { 'content-type': 'application/json', prefer: 'tx=rollback, return=representation' },
      },
      client,
    );
    expect(tried.headers.get('preference-applied')).toBe('return=representation, tx=rollback');
    expect(await tried.json()).toEqual([{ full_name: 'Essai' }]);
    const bounded = await server.fetch(
      `/rest/v1/profiles?id=eq.${client.id}`,
      {
        method: 'PATCH',
        body: '{"full_name":"x"}',
        headers: { 'content-type': 'application/json', prefer: 'handling=strict, max-affected=0' },
      },
      client,
    );
    expect(await bounded.json()).toMatchObject({ code: 'PGRST124' });
    expect(await rowsOf('profiles')).toEqual(before);
  });

  test('[RE-01] a reading never writes: GET and HEAD run in a read-only transaction', async () => {
    await server.database.asOwner(
      `create or replace function public.touches() returns integer language plpgsql volatile security definer as
         $$ begin update public.company_settings set company_name = 'Touché'; return 1; end $$`,
    );
    await server.database.asOwner('grant execute on function public.touches() to authenticated');
    const fresh = await startTestServer({ doors: ['rest'], jobs: false, database: server.database });
    try {
      const get = await fresh.fetch('/rest/v1/rpc/touches', {}, admin);
      expect([get.status, await get.json()]).toEqual([405, expect.objectContaining({ code: '25006' })]);
    } finally {
      await fresh.close();
      await server.database.asOwner('drop function public.touches()');
    }
  });
});

describe('one connection serves many people', () => {
  test('[A-38] the same prepared statement, identities in turn and at once, never shows a foreign row', async () => {
    const own: Record<string, string[]> = {
      client: [sale.id],
      seller: [sale.id],
      admin: [sale.id, otherSale.id].sort(),
      visitor: [],
    };
    const turns = Array.from(
      { length: 200 },
      (_, index) => (['client', 'visitor', 'seller', 'admin'] as const)[index % 4] ?? 'client',
    );
    const seen = await Promise.all(
      turns.map(async (as) => {
        const { data, status } = await clients[as]
          .from('sales')
          .select('id, commission_payments(recipient_id)')
          .order('id')
          .limit(50);
        return { as, status, ids: (data ?? []).map(({ id }) => id as string) };
      }),
    );
    for (const { as, status, ids } of seen) {
      expect({ as, ids }).toEqual({ as, ids: own[as] });
      expect(status).toBe(as === 'visitor' ? 401 : 200);
    }
  });
});
