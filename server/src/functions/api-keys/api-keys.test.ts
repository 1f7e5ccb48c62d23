import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { callAs } from '../../testing/call-function.ts';
import { aCompanyKey, callWithKey } from '../../testing/company-key.ts';
import {
  aClient,
  aCommercial,
  anAdmin,
  asJustSeen,
  aScale,
  aValidatedSale,
  only,
  startTestServer,
} from '../../testing/index.ts';
import type { Person, TestServer } from '../../testing/index.ts';

// Keys of the company for other software (WH-01): how they are made and end, what they open, and what they leave in the trail.

let server: TestServer;
let admin: Person;
let client: Person;
beforeAll(async () => {
  server = await startTestServer({ jobs: false });
  const db = server.database;
  const commercial = await aCommercial(db);
  [admin, client] = [await anAdmin(db), await aClient(db, { commercial })];
  const scale = await aScale(db, { clientType: 'fixed', clientAmount: '500' });
  await aValidatedSale(db, { admin, commercial, friendReferrer: client, scale });
});
afterAll(() => server.close());

const withKey = (secret: string, path: string, options?: Parameters<typeof callWithKey>[3]) =>
  callWithKey(server, secret, path, options);
const create = (who: Person, body: Record<string, unknown>) =>
  callAs(server, who, 'api-keys', { action: 'create', ...body });
const SALES = '/rest/v1/sales?select=id';

describe('making and revoking a key', () => {
  test('[WH-01] the key is shown once: its hash and its first letters are kept, and the trail names it without them', async () => {
    const made = await create(admin, { name: 'Logiciel de devis', scopes: ['read'] });
    expect(made.status).toBe(200);
    const { key, data } = made.body;
    expect(key).toMatch(/^prk_[\w-]{43}$/u);
    expect(data).toMatchObject({
      name: 'Logiciel de devis',
      scopes: ['read'],
      prefix: key.slice(0, 12),
      expires_at: null,
    });
    expect((await withKey(key, SALES)).body).toHaveLength(1);
    const kept = await server.database.asOwner<{ row: string }>(
      `select to_json(k)::text as row from public.api_keys k union all select to_json(s)::text from private.api_key_secrets s
       union all select to_json(a)::text from public.audit_entries a where entity = 'api_keys'`,
    );
    for (const { row } of kept) expect(row).not.toContain(key.slice(12));
    const list = await (await server.client(admin)).from('api_keys').select('name,prefix,last_used_at');
    expect(list.data).toEqual([
      { name: 'Logiciel de devis', prefix: key.slice(0, 12), last_used_at: expect.any(String) },
    ]);
    const [told] = await server.database.asOwner(
      `select actor_id, action, after from public.audit_entries where entity_id = $1`,
      [data.id],
    );
    expect(told).toEqual({
      actor_id: admin.id,
      action: 'create',
      after: { name: 'Logiciel de devis', scopes: ['read'], expires_on: null },
    });
  });

  test('[WH-01] a revoked key, an expired one and an unknown one are refused alike, in French, at once', async () => {
    const { id, secret } = await aCompanyKey(server, admin);
    expect((await withKey(secret, SALES)).status).toBe(200);
    expect((await callAs(server, admin, 'api-keys', { action: 'revoke', key_id: id })).status).toBe(200);
    const expired = await aCompanyKey(server, admin);
    await server.database.asOwner(`update public.api_keys set expires_at = now() where id = $1`, [expired.id]);
    for (const gone of [secret, expired.secret, `prk_${'A'.repeat(43)}`]) {
      for (const path of [SALES, '/functions/v1/payment-request?action=update_status']) {
        const reply = await withKey(gone, path, path === SALES ? {} : { body: {} });
        expect([path, reply.status, reply.text]).toEqual([
          path,
          401,
          expect.stringContaining('inconnue, révoquée ou expirée'),
        ]);
      }
    }
    // Again is no trouble; a key that never was is.
    expect((await callAs(server, admin, 'api-keys', { action: 'revoke', key_id: id })).status).toBe(200);
    expect((await callAs(server, admin, 'api-keys', { action: 'revoke', key_id: randomUUID() })).status).toBe(404);
  });

  test('[WH-01] a key revoked between two statements of its request ends that request too', async () => {
    const { id } = await aCompanyKey(server, admin);
    const read = () => server.services.db.queryAs({ role: 'api_key', keyId: id }, { text: 'select from public.sales' });
    expect((await read()).rowCount).toBe(1);
    await server.database.become(admin, (run) => run('select from private.revoke_api_key($1)', [id]));
    await expect(read()).rejects.toMatchObject({ code: 'PR401', message: 'api_key_refused' });
  });

  test('[WH-01] only an admin with a session younger than ten minutes makes a key', async () => {
    expect((await create(client, { name: 'À moi', scopes: ['read'] })).status).toBe(403);
    const old = await anAdmin(server.database);
    await server.database.asOwner(
      `update auth.sessions set created_at = now() - interval '11 minutes' where user_id = $1`,
      [old.id],
    );
    expect(await create(old, { name: 'Tard', scopes: ['read'] })).toMatchObject({
      status: 403,
      body: { code: 'reauthentication_required' },
    });
  });

  test.each([
    [{ name: '', scopes: ['read'] }, 'Donnez un nom à cette clé'],
    [{ name: 'Sans droit', scopes: [] }, 'Choisissez au moins un droit.'],
    [{ name: 'Tout', scopes: ['everything'] }, 'Les droits sont « read », « referrals », « payments ».'],
    [{ name: 'Hier', scopes: ['read'], expires_on: '2020-01-01' }, 'Choisissez un jour à venir'],
    [{ name: 'Jamais', scopes: ['read'], expires_on: '2027-02-30' }, 'Choisissez un jour à venir'],
  ])('[WH-01] %j is refused with what to do', async (body, sentence) => {
    const refused = await create(admin, body);
    expect(refused.status).toBe(400);
    expect(JSON.stringify(refused.body)).toContain(sentence);
  });

  test('[WH-01] two keys of one name are one too many, until the first is revoked', async () => {
    const first = await create(admin, { name: 'CRM', scopes: ['read'] });
    expect((await create(admin, { name: ' crm ', scopes: ['read'] })).body.code).toBe('api_key_name_taken');
    await callAs(server, admin, 'api-keys', { action: 'revoke', key_id: first.body.data.id });
    expect((await create(admin, { name: 'CRM', scopes: ['read'] })).status).toBe(200);
  });

  test('[WH-01] the last use is written at most once a minute', async () => {
    const { id, secret } = await aCompanyKey(server, admin);
    const lastUse = async () =>
      only(
        await server.database.asOwner<{ at: Date }>('select last_used_at as at from public.api_keys where id = $1', [
          id,
        ]),
      ).at;
    await withKey(secret, SALES);
    const first = await lastUse();
    await withKey(secret, SALES);
    expect(await lastUse()).toEqual(first);
    await server.database.asOwner(
      `update public.api_keys set last_used_at = now() - interval '61 seconds' where id = $1`,
      [id],
    );
    await withKey(secret, SALES);
    expect((await lastUse()).getTime()).toBeGreaterThan(first.getTime() - 1);
  });
});

describe('what a key opens', () => {
  test('[WH-01] a scope opens its own acts alone, and an action without one is closed to every key', async () => {
    const reader = await aCompanyKey(server, admin, ['read']);
    const payer = await aCompanyKey(server, admin, ['payments']);
    expect((await withKey(reader.secret, SALES)).body).toHaveLength(1);
    expect((await withKey(payer.secret, SALES)).body).toEqual([]);
    const pay = '/functions/v1/payment-request?action=update_status';
    const body = { request_id: randomUUID(), status: 'paid', seen_version: 1, expected_amount: '10' };
    expect((await withKey(reader.secret, pay, { body })).body).toMatchObject({
      code: 'scope_missing',
      error: expect.stringContaining('« Paiements »'),
    });
    expect((await withKey(payer.secret, pay, { body })).body.code).toBe('request_not_found');
    for (const closed of [
      'sales-management?action=validate',
      'api-keys?action=create',
      'payment-request?action=details',
    ]) {
      expect((await withKey(payer.secret, `/functions/v1/${closed}`, { body: {} })).body.code).toBe('key_closed');
    }
  });

  test('[WH-01] without the scope « read » a key finds no row of any table that keys read', async () => {
    const db = server.database;
    await db.asOwner('insert into public.payment_requests (client_id, amount) values ($1, 30)', [client.id]);
    await db.asOwner(
      `insert into public.external_references (source, reference, sale_id) select 'CRM', '1', id from public.sales`,
    );
    await db.asOwner(
      `insert into public.commission_terms (sale_id, type, rules) select sale_id, 'client', '{}' from public.sale_terms`,
    );
    const opened = await db.asOwner<{ name: string }>(
      `select tablename as name from pg_policies where 'api_key' = any (roles) order by tablename`,
    );
    const reader = await aCompanyKey(server, admin, ['read']);
    const others = await aCompanyKey(server, admin, ['referrals', 'payments']);
    for (const { name } of opened) {
      const path = `/rest/v1/${name}?select=*`;
      expect([name, (await withKey(reader.secret, path)).body]).toEqual([
        name,
        expect.arrayContaining([expect.anything()]),
      ]);
      expect([name, (await withKey(others.secret, path)).body]).toEqual([name, []]);
    }
    expect(opened.map(({ name }) => name)).toContain('ledger_entries');
  });

  test('[WH-01] a table that is not opened to keys stays closed, and so does every write by REST', async () => {
    const { secret } = await aCompanyKey(server, admin);
    for (const table of ['audit_entries', 'api_keys', 'company_settings', 'payee_ibans', 'notices']) {
      expect([table, (await withKey(secret, `/rest/v1/${table}?select=*`)).status]).toEqual([table, 403]);
    }
    expect((await withKey(secret, '/rest/v1/sales', { body: { referred_contact_name: 'Eve' } })).status).toBe(403);
    const patched = await fetch(`${server.url}/rest/v1/profiles?id=eq.${client.id}`, {
      method: 'PATCH',
      headers: { apikey: secret, 'content-type': 'application/json' },
      body: '{"full_name":"Eve"}',
    });
    expect(patched.status).toBe(403);
  });

  test('[WH-01] in the header apikey a key is the same; other doors and a browser are refused', async () => {
    const { secret } = await aCompanyKey(server, admin);
    const ask = async (path: string, headers: Record<string, string>) =>
      (await fetch(`${server.url}${path}`, { headers })).status;
    expect(await ask(SALES, { apikey: secret })).toBe(200);
    expect(await ask(SALES, { apikey: secret, origin: 'https://example.com' })).toBe(401);
    for (const path of ['/storage/v1/bucket', '/exports/v1/ventes.csv', '/auth/v1/user']) {
      expect([path, await ask(path, { apikey: secret })]).toEqual([path, 401]);
      const publishable = { apikey: server.services.keys.publishableKey, authorization: `Bearer ${secret}` };
      expect([path, await ask(path, publishable)]).toEqual([
        path,
        expect.toSatisfy((status) => status === 401 || status === 403),
      ]);
    }
  });

  test('[WH-01] counts are those of the rows, whatever an admin asked before at the same address', async () => {
    const { secret } = await aCompanyKey(server, admin, ['payments']);
    const path = '/rest/v1/sales?select=id';
    const exact = { headers: { prefer: 'count=exact' } };
    expect((await server.fetch(path, exact, admin)).headers.get('content-range')).toBe('0-0/1');
    expect((await withKey(secret, path, exact)).headers.get('content-range')).toBe('*/0');
  });

  test('[WH-01] 300 requests a minute, then a key waits, and another key does not', async () => {
    const [busy, calm] = [await aCompanyKey(server, admin), await aCompanyKey(server, admin)];
    await withKey(busy.secret, SALES);
    await server.database.asOwner(
      `update private.rate_limits set tokens = -1500, refilled_at = clock_timestamp() where bucket = $1`,
      [`api-key:${busy.id}`],
    );
    const refused = await withKey(busy.secret, SALES);
    expect([refused.status, refused.text]).toEqual([429, expect.stringContaining('Trop de tentatives')]);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(1);
    expect((await withKey(calm.secret, SALES)).status).toBe(200);
  });
});

describe('a payment that the bank tool made', () => {
  const PAY = '/functions/v1/payment-request?action=update_status';

  async function aRequest(): Promise<string> {
    return only(
      await server.database.become(client, (run) =>
        run<{ id: string }>(`select id from private.request_payment(20, 'cheque_cadeau', '{}', null)`),
      ),
    ).id;
  }
  const seen = (id: string, status: string) => asJustSeen(server.database, { request_id: id, status });

  test('[WH-01] marks paid what an admin approved, under the name of the key; it approves and refuses nothing', async () => {
    const key = await aCompanyKey(server, admin, ['payments']);
    const id = await aRequest();
    for (const status of ['approved', 'rejected']) {
      const refused = await withKey(key.secret, PAY, {
        body: { ...(await seen(id, status)), rejection_reason: 'Non' },
      });
      expect(refused).toMatchObject({ status: 403, body: { code: 'key_only_pays' } });
    }
    expect((await withKey(key.secret, PAY, { body: await seen(id, 'paid') })).status).toBe(409);
    await callAs(server, admin, 'payment-request', { action: 'update_status', ...(await seen(id, 'approved')) });
    const paid = await withKey(key.secret, PAY, { body: await seen(id, 'paid') });
    expect(paid).toMatchObject({ status: 200, body: { success: true, data: { status: 'paid' } } });
    const told = await server.database.asOwner(
      `select actor, actor_id from public.audit_entries where entity_id = $1 and after ->> 'status' = 'paid'`,
      [id],
    );
    expect(told).toEqual([{ actor: 'api_key', actor_id: key.id }]);
  });

  test('[WH-01] with Idempotency-Key the same call again is the same answer, byte for byte; another body is 422 in French', async () => {
    const key = await aCompanyKey(server, admin, ['payments']);
    const id = await aRequest();
    await callAs(server, admin, 'payment-request', { action: 'update_status', ...(await seen(id, 'approved')) });
    const body = await seen(id, 'paid');
    const headers = { 'idempotency-key': randomUUID() };
    const [first, second] = await Promise.all([
      withKey(key.secret, PAY, { body, headers }),
      withKey(key.secret, PAY, { body, headers }),
    ]);
    expect(first.status).toBe(200);
    expect(first.body.already).toBe(false);
    expect(second.text).toBe(first.text);
    expect((await withKey(key.secret, PAY, { body, headers })).text).toBe(first.text);
    expect(await withKey(key.secret, PAY, { body: { ...body, admin_notes: 'autre' }, headers })).toMatchObject({
      status: 422,
      body: { code: 'idempotency_key_reused', error: 'Cette clé d’idempotence a déjà servi pour une autre demande.' },
    });
    // Of another key the same words are another matter.
    const other = await aCompanyKey(server, admin, ['payments']);
    expect((await withKey(other.secret, PAY, { body, headers })).body.already).toBe(true);
  });
});
