import { redactUrl } from '#platform/log';
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { aClient, anAdmin, startTestServer } from '../testing/index.ts';
import type { Person, TestServer } from '../testing/index.ts';

let server: TestServer;
let admin: Person;

beforeAll(async () => {
  server = await startTestServer({ doors: ['rest'], jobs: false });
  admin = await anAdmin(server.database);
});
afterAll(() => server.close());

type Body = { code: string; message: string; details: unknown; hint: unknown };

async function ask(
  path: string,
  init: RequestInit = {},
  person: Person | null = admin,
): Promise<Body & { status: number; response: Response }> {
  const response = await server.fetch(`/rest/v1/${path}`, init, person ?? undefined);
  const body = (await response.json()) as Body;
  expect(Object.keys(body)).toEqual(['code', 'message', 'details', 'hint']);
  return { ...body, status: response.status, response };
}

describe('what the caller did wrong', () => {
  test.each([
    ['nothing', 404, 'PGRST205', "Could not find the table 'public.nothing' in the schema cache"],
    ['sales?nothing=eq.1', 400, '42703', 'column sales.nothing does not exist'],
    ['sales?select=nothing', 400, '42703', 'column sales.nothing does not exist'],
    ['sales?order=nothing', 400, '42703', 'column sales.nothing does not exist'],
    ['sales?id=eq.x', 400, '22P02', 'invalid input syntax for type uuid: "x"'],
    ['sales?id=like.x*', 404, '42883', 'operator does not exist: uuid ~~ unknown'],
    ['sales?contract_amount=eq.dix', 400, '22P02', 'invalid input syntax for type numeric: "dix"'],
    [
      'sales?admin_validated=is.true&status=is.true',
      400,
      '42804',
      'argument of IS TRUE must be type boolean, not type text',
    ],
    ['sales?referred_contact_name=match.(', 400, '2201B', 'invalid regular expression: parentheses () not balanced'],
    ['sales?referred_contact_name=fts(klingon).x', 400, '42704', 'text search configuration "klingon" does not exist'],
    ['sales?select=id::regclass', 400, '42704', 'type "regclass" does not exist'],
    [
      'sales?select=id,nothing(*)',
      400,
      'PGRST200',
      "Could not find a relationship between 'sales' and 'nothing' in the schema cache",
    ],
    ['sales?select=id&profiles.id=eq.1', 400, 'PGRST108', "'profiles' is not an embedded resource in this request"],
    ['sales?select=id&order=profiles(id)', 400, 'PGRST108', "'profiles' is not an embedded resource in this request"],
    [
      'sales?select=id,commission_payments(id)&order=commission_payments(id)',
      400,
      'PGRST118',
      "A related order on 'commission_payments' is not possible",
    ],
    [
      'sales?select=id,commission_payments(id)&commission_payments=eq.1',
      400,
      'PGRST120',
      'Only is null or not is null filters are allowed on embedded resources',
    ],
    ['sales?select=%22a%22%22b%22:id', 400, 'PGRST100', ''],
    [`sales?select=${'a'.repeat(64)}:id`, 400, 'PGRST100', 'A response key has at most 63 bytes'],
    ['sales?select=%22x%5C%22y%22:id', 400, 'PGRST100', 'A response key has letters, digits, _, $, - and spaces only'],
    [`sales?id=eq.${'a'.repeat(9000)}`, 414, 'PGRST100', 'The address is too long'],
  ])('[RE-01] GET %s', async (path, status, code, message) => {
    const answer = await ask(path);
    expect({ status: answer.status, code: answer.code }).toEqual({ status, code });
    if (message !== '') expect(answer.message).toBe(message);
    expect(answer.response.headers.get('proxy-status')).toBe(`PostgREST; error=${code}`);
  });

  test('[RE-05] a relation that several foreign keys lead to must be named by one of them', async () => {
    const { status, code, details, hint } = await ask('sales?select=id,profiles(full_name)');
    expect({ status, code }).toEqual({ status: 300, code: 'PGRST201' });
    expect(details).toContainEqual({
      cardinality: 'many-to-one',
      embedding: 'sales with profiles',
      relationship: 'sales_commercial_id_fkey using sales(commercial_id) and profiles(id)',
    });
    expect(hint).toContain("'profiles!sales_commercial_id_fkey'");
  });

  test.each([
    ['', 'PGRST102'],
    ['{', 'PGRST102'],
    ['5', 'PGRST102'],
    ['[1]', 'PGRST102'],
    ['null', 'PGRST102'],
    ['[{"status":"pending"},{"id":"1"}]', 'PGRST102'],
    ['{"nothing":1}', 'PGRST204'],
  ])('[RE-01] the body %s is refused', async (body, code) => {
    const answer = await ask('sales', { method: 'POST', body, headers: { 'content-type': 'application/json' } });
    expect({ status: answer.status, code: answer.code }).toEqual({ status: 400, code });
  });

  test('[RE-01] another media type, a body too large, an unknown column list', async () => {
    const xml = await ask('sales', { method: 'POST', body: '<a/>', headers: { 'content-type': 'text/xml' } });
    expect({ status: xml.status, code: xml.code }).toEqual({ status: 400, code: 'PGRST102' });
    const large = await ask('sales', {
      method: 'POST',
      body: `"${'a'.repeat(1_100_000)}"`,
      headers: { 'content-type': 'application/json' },
    });
    expect(large.status).toBe(413);
    const columns = await ask('sales?columns=%22nothing%22', {
      method: 'POST',
      body: '[{}]',
      headers: { 'content-type': 'application/json' },
    });
    expect(columns.code).toBe('PGRST204');
    expect((await ask('sales', { headers: { accept: 'application/xml' } })).status).toBe(406);
    const strict = await ask('sales', { headers: { prefer: 'handling=strict, anything=goes' } });
    expect({ code: strict.code, details: strict.details }).toEqual({
      code: 'PGRST122',
      details: 'Invalid preferences: anything=goes',
    });
  });

  test('[A-61] no error says a path, a statement or a line of ours', async () => {
    for (const path of [
      'sales?id=eq.x',
      'sales?referred_contact_name=match.(',
      'sales?order=(',
      '%ff',
      'rpc/%00',
      'sales?id=eq.%00',
    ]) {
      const response = await server.fetch(`/rest/v1/${path}`, {}, admin);
      const text = await response.text();
      expect(response.status).toBeGreaterThanOrEqual(400);
      expect(response.status).toBeLessThan(500);
      expect(text).not.toMatch(/\/work|node_modules|\.ts:|select .* from|at \w+ \(/u);
    }
  });
});

test('[RE-02] the log tells the shape of a reading, not whom it is about', () => {
  expect(redactUrl('/rest/v1/profiles?select=id&email=eq.a%40b.fr&or=(phone.eq.06)&limit=1')).toBe(
    '/rest/v1/profiles?select=id&email=[redacted]&or=[redacted]&limit=1',
  );
});

test('[FX-15] the log holds no value of an address that may be about somebody, or opens something', () => {
  const hidden: readonly string[] = [
    '/auth/v1/admin/users?filter=claire@exemple.fr&page=2',
    '/auth/v1/verify?token=secret&type=recovery&redirect_to=https://a.fr/?k=secret',
    '/auth/v1/authorize?provider=google&invite_token=secret&login_hint=claire@exemple.fr',
    '/auth/v1/callback?state=secret&code=secret',
    '/storage/v1/object/public/logos/a.png?download=Claire.png',
    '/functions/v1/own-account?action=sessions&email=claire@exemple.fr',
    '/realtime/v1/websocket?apikey=secret&vsn=1.0.0',
    '/x?%74oken=secret&TOKEN=secret&secret&=secret&type[]=secret&?secret',
    '/rest/v1/rpc/find?name=claire',
    '/auth/new-password?token_hash=secret',
  ];
  for (const address of hidden) expect(redactUrl(address)).not.toMatch(/secret|claire/iu);
  expect(redactUrl('/auth/v1/admin/users?filter=a&page=2&per_page=50&sort=email')).toBe(
    '/auth/v1/admin/users?filter=[redacted]&page=2&per_page=50&sort=email',
  );
  expect(redactUrl('/functions/v1/own-account?action=sessions')).toBe('/functions/v1/own-account?action=sessions');
});

describe('who the caller is', () => {
  const get = async (headers: Record<string, string>): Promise<Body & { status: number; challenge: string | null }> => {
    const response = await fetch(`${server.url}/rest/v1/sales`, { headers });
    return {
      ...((await response.json()) as Body),
      status: response.status,
      challenge: response.headers.get('www-authenticate'),
    };
  };

  test('[P-04] no key, an unknown key, the secret key in a browser', async () => {
    for (const headers of [
      {},
      { apikey: 'sb_publishable_x' },
      { apikey: server.services.keys.secretKey, origin: 'https://a.fr' },
    ]) {
      const { status, code, message } = await get(headers);
      expect({ status, code, message }).toEqual({ status: 401, code: 'PGRST301', message: expect.any(String) });
    }
  });

  test('[A-41] a bad token is 401, never a visitor', async () => {
    const apikey = server.services.keys.publishableKey;
    const good = await server.tokenOf(admin);
    const [header = '', payload = '', signature = ''] = good.split('.');
    const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const forged = createHmac('sha256', apikey)
      .update(`${encode({ alg: 'HS256', typ: 'JWT' })}.${payload}`)
      .digest('base64url');
    for (const token of [
      'x',
      'a.b.c',
      `${header}.${payload}.`,
      `${encode({ alg: 'none', typ: 'JWT' })}.${payload}.`,
      `${encode({ alg: 'HS256', typ: 'JWT' })}.${payload}.${forged}`,
      `${header}.${encode({ role: 'service_role', sub: admin.id, exp: 9_999_999_999 })}.${signature}`,
      `${header}.${payload}.${signature.slice(0, -4)}AAAA`,
    ]) {
      const { status, code, challenge } = await get({ apikey, authorization: `Bearer ${token}` });
      expect({ token, status, code }).toEqual({ token, status: 401, code: 'PGRST301' });
      expect(challenge).toContain('Bearer error="invalid_token"');
    }
  });

  test('[E-02] an expired token, and a session that is over, are what the client knows as such', async () => {
    const apikey = server.services.keys.publishableKey;
    const { token } = await server.services.tokens.sign(
      { sub: admin.id, session_id: admin.sessionId, role: 'authenticated' },
      { expiresInSeconds: -60 },
    );
    const expired = await get({ apikey, authorization: `Bearer ${token}` });
    expect(expired).toMatchObject({
      status: 401,
      code: 'PGRST303',
      message: 'JWT expired',
      challenge: 'Bearer error="invalid_token", error_description="JWT expired"',
    });

    const person = await aClient(server.database);
    const as = await server.client(person);
    expect((await as.from('profiles').select('id')).status).toBe(200);
    await server.database.asOwner('delete from auth.sessions where id = $1', [person.sessionId]);
    const over = await as.from('profiles').select('id');
    expect(over.status).toBe(401);
    expect(over.error).toMatchObject({ code: 'PGRST303', details: 'session_expired' });
    expect((await as.from('profiles').update({ full_name: 'x' }).eq('id', person.id)).status).toBe(401);
  });

  test('[V-19] who must choose a new password reads nothing before', async () => {
    const person = await aClient(server.database);
    await server.database.asOwner('update auth.users set password_change_required = true where id = $1', [person.id]);
    const { status, error, data } = await (await server.client(person)).from('profiles').select('*');
    expect({ status, data }).toEqual({ status: 403, data: null });
    expect(error).toMatchObject({ code: 'PR401', details: 'password_change_required' });
    expect(error?.message).toBe('Vous devez choisir un nouveau mot de passe avant de continuer.');
  });
});

describe('what the database refuses', () => {
  let fresh: TestServer;

  beforeAll(async () => {
    await server.database
      .asOwner(`create function public.refuses(state text, said text) returns void language plpgsql stable as
      $$ begin raise exception using errcode = state, message = said, detail = 'Failing row contains (secret)', hint = 'Perhaps'; end $$`);
    await server.database.asOwner('grant execute on function public.refuses(text, text) to anon, authenticated');
    fresh = await startTestServer({ doors: ['rest'], jobs: false, database: server.database });
  });
  afterAll(async () => {
    await fresh.close();
    await server.database.asOwner('drop function public.refuses(text, text)');
  });

  test.each([
    ['23505', 409],
    ['23503', 409],
    ['23502', 400],
    ['23514', 400],
    ['22P02', 400],
    ['42883', 404],
    ['42P01', 404],
    ['42P17', 500],
    ['25006', 405],
    ['21000', 500],
    ['28000', 403],
    ['0L000', 403],
    ['53400', 500],
    ['54001', 413],
    ['55000', 405],
    ['55006', 500],
    ['58000', 500],
    ['XX000', 500],
    ['P0001', 400],
    ['P0002', 500],
    ['PT418', 418],
    ['PT404', 404],
    ['99999', 400],
  ])('[E-01] SQLSTATE %s answers %i', async (state, status) => {
    const response = await fresh.fetch(
      '/rest/v1/rpc/refuses',
      {
        method: 'POST',
        body: JSON.stringify({ state, said: 'non' }),
        headers: { 'content-type': 'application/json' },
      },
      admin,
    );
    const body = (await response.json()) as Body;
    expect({ status: response.status, code: body.code }).toEqual({ status, code: state });
    expect(body.hint).toBeNull();
    expect(body.message).toBe(status >= 500 ? 'The database failed' : 'non');
    if (state === '23502' || state === '23514' || status >= 500) expect(body.details).toBeNull();
  });

  test('[E-01] a missing right is 401 for a visitor and 403 for a person, a rule has its own status and sentence', async () => {
    const call = async (state: string, said: string, person?: Person): Promise<[number, Body]> => {
      const init = {
        method: 'POST',
        body: JSON.stringify({ state, said }),
        headers: { 'content-type': 'application/json' },
      };
      const response = await fresh.fetch('/rest/v1/rpc/refuses', init, person);
      return [response.status, (await response.json()) as Body];
    };
    expect((await call('42501', 'non'))[0]).toBe(401);
    expect((await call('42501', 'non', admin))[0]).toBe(403);
    expect(await call('PR001', 'balance_in_debt', admin)).toEqual([
      409,
      { code: 'PR001', message: expect.stringMatching(/\p{L}/u), details: 'balance_in_debt', hint: null },
    ]);
    expect(await call('PR001', 'forbidden', admin)).toMatchObject([403, { code: 'PR001' }]);
  });
});
