import type { Session, SupabaseClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { administratorOf, anAccount, refreshWith, signedIn } from '../../testing/accounts.ts';
import type { TestAccount } from '../../testing/accounts.ts';
import { enrolTotp, passTotp } from '../../testing/factors.ts';
import type { Application } from '../../testing/factors.ts';
import { only, startTestServer } from '../../testing/index.ts';
import type { TestServer } from '../../testing/index.ts';
import { rawSocket } from '../../testing/realtime.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ smtp: true, environment: { TRUST_PROXY: '1' } });
});
afterAll(() => server.close());

const NOBODY = '00000000-0000-4000-8000-000000000000';

let lastNetwork = 0;
function elsewhere(): Record<string, string> {
  lastNetwork += 1;
  return { 'x-forwarded-for': `10.13.0.${lastNetwork}` };
}

type Protected = {
  readonly account: TestAccount;
  readonly application: Application;
  /** At the second level, with its session. */
  readonly high: SupabaseClient;
  readonly highSession: Session;
  /** Signed in since, at the first level. */
  readonly low: SupabaseClient;
  readonly lowSession: Session;
};

async function protectedPerson(role: 'admin' | 'commercial' | 'client' = 'client'): Promise<Protected> {
  const account = await anAccount(server, { role });
  const { client: high } = await signedIn(server, account, elsewhere());
  const application = await enrolTotp(high);
  await passTotp(high, application, -1);
  const { client: low, session: lowSession } = await signedIn(server, account, elsewhere());
  return { account, application, high, highSession: await sessionOf(high), low, lowSession };
}

async function sessionOf(client: SupabaseClient): Promise<Session> {
  const { session } = (await client.auth.getSession()).data;
  if (session === null) throw new Error('Nobody is signed in');
  return session;
}

type Outcome = { readonly status: number; readonly code: string };

async function call(
  session: Pick<Session, 'access_token'>,
  method: string,
  path: string,
  body?: unknown,
): Promise<Outcome> {
  const response = await server.fetch(path, {
    method,
    headers: {
      authorization: `Bearer ${session.access_token}`,
      'content-type': 'application/json',
      'x-supabase-api-version': '2024-01-01',
      ...elsewhere(),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const answer: unknown = text === '' ? {} : JSON.parse(text);
  const code = typeof answer === 'object' && answer !== null ? (Reflect.get(answer, 'code') ?? '') : '';
  return { status: response.status, code: String(code) };
}

async function upload({ access_token: token }: Session): Promise<number> {
  const form = new FormData();
  form.set('file', new File(['<svg xmlns="http://www.w3.org/2000/svg"/>'], 'logo.svg', { type: 'image/svg+xml' }));
  const response = await server.fetch('/storage/v1/object/logos/logo.svg', {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: form,
  });
  return response.status;
}

async function joinStatus({ access_token: token }: Session, topic: string, config: object): Promise<unknown> {
  const socket = await rawSocket(server);
  socket.send('1', '1', topic, 'phx_join', { config, access_token: token });
  const [, , , , reply] = await socket.heard('phx_reply', topic);
  socket.close();
  return reply['status'];
}

describe('the five doors', () => {
  test('[AU-17][I-52] at the first level, a person with a second factor reaches no data', async () => {
    const { low, lowSession, high, highSession, account } = await protectedPerson('admin');
    const due = 'second_factor_required';

    const read = await low.from('profiles').select('id');
    expect({ status: read.status, code: read.error?.code, details: read.error?.details }).toEqual({
      status: 403,
      code: 'PR401',
      details: due,
    });
    expect(read.error?.message).toBe(
      'Votre compte est protégé par une deuxième étape : confirmez votre identité pour continuer.',
    );
    expect((await low.from('profiles').update({ full_name: 'X' }).eq('id', account.id)).status).toBe(403);
    expect((await low.rpc('admin_figures')).status).toBe(403);
    for (const [name, payload] of [
      ['company-settings?action=update_name', { company_name: 'X' }],
      ['company-settings?action=update_security', { require_admin_two_factor: false }],
    ] as const) {
      expect(await call(lowSession, 'POST', `/functions/v1/${name}`, payload)).toEqual({ status: 403, code: due });
    }
    expect(await upload(lowSession)).toBe(403);
    expect(await call(lowSession, 'POST', '/storage/v1/object/list/logos', { prefix: '' })).toMatchObject({
      status: 403,
    });
    const changes = { postgres_changes: [{ event: '*', schema: 'public', table: 'profiles' }] };
    expect(await joinStatus(lowSession, 'realtime:x', changes)).toBe('error');
    expect(await joinStatus(lowSession, `realtime:user:${account.id}`, { private: true })).toBe('error');

    expect((await high.from('profiles').select('id')).error).toBeNull();
    expect((await high.rpc('admin_figures')).error).toBeNull();
    expect(await call(highSession, 'GET', '/functions/v1/company-settings?action=get')).toMatchObject({ status: 200 });
    expect(await call(highSession, 'POST', '/storage/v1/object/list/logos', { prefix: '' })).toMatchObject({
      status: 200,
    });
    expect(await joinStatus(highSession, 'realtime:x', changes)).toBe('ok');
    expect(await joinStatus(highSession, `realtime:user:${account.id}`, { private: true })).toBe('ok');
  });

  test('[AU-17] a token from before the second step stays at the first level, even of the same session', async () => {
    const { low, lowSession, application } = await protectedPerson();
    await passTotp(low, application);
    expect((await low.from('profiles').select('id')).error).toBeNull();
    expect(await call(lowSession, 'GET', '/rest/v1/profiles')).toMatchObject({ status: 403, code: 'PR401' });
    expect(await call(lowSession, 'PUT', '/auth/v1/user', { password: 'un-autre-mot-de-passe-3' })).toEqual({
      status: 401,
      code: 'insufficient_aal',
    });
    expect(await joinStatus(lowSession, 'realtime:x', {})).toBe('error');
  });

  test('[AU-17] without a second factor nothing changes, with an unfinished attempt neither', async () => {
    const { client } = await signedIn(server, await anAccount(server), elsewhere());
    await enrolTotp(client);
    expect((await client.from('profiles').select('id')).error).toBeNull();
  });

  test('[AU-17] the temporary password is changed after the second step, not before', async () => {
    const { account, application, lowSession } = await protectedPerson();
    await server.database.asOwner('update auth.users set password_change_required = true where id = $1', [account.id]);
    expect(await call(lowSession, 'GET', '/rest/v1/profiles')).toMatchObject({ status: 403 });
    const { client } = await signedIn(server, account, elsewhere());
    const password = 'huit-petites-souris-4';
    expect((await client.auth.updateUser({ password })).error).toMatchObject({ status: 401, code: 'insufficient_aal' });
    await passTotp(client, application);
    expect((await client.from('profiles').select('id')).error?.details).toBe('password_change_required');
    expect((await client.auth.updateUser({ password })).error).toBeNull();
    expect((await client.from('profiles').select('id')).error).toBeNull();
  });

  test('[F-01, AU-17] the sign-in function answers, at the first level', async () => {
    const { account } = await protectedPerson();
    const response = await server.fetch('/functions/v1/auth-signin', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...elsewhere() },
      body: JSON.stringify({ email: account.email, password: account.password }),
    });
    expect(response.status).toBe(200);
    const { session, profile } = (await response.json()) as { session: Session; profile: { id: string } };
    expect(profile.id).toBe(account.id);
    expect(session.user.factors).toMatchObject([{ status: 'verified' }]);
    const claims = JSON.parse(Buffer.from(session.access_token.split('.')[1] ?? '', 'base64url').toString()) as object;
    expect(claims).toMatchObject({ aal: 'aal1' });
  });
});

describe('the door of accounts', () => {
  /** Answer of each endpoint at the first level to a person who has a verified factor. */
  const matrix: readonly (readonly [string, string, unknown, number, string])[] = [
    ['GET', '/user', undefined, 200, ''],
    ['PUT', '/user', { data: { couleur: 'bleu' } }, 200, ''],
    ['PUT', '/user', { password: 'un-autre-mot-de-passe-3' }, 401, 'insufficient_aal'],
    ['PUT', '/user', { email: 'autre@example.fr' }, 401, 'insufficient_aal'],
    ['PUT', '/user', { phone: '33612345678' }, 401, 'insufficient_aal'],
    ['POST', '/factors', { factor_type: 'totp', friendly_name: 'Autre' }, 403, 'insufficient_aal'],
    ['POST', '/factors', { factor_type: 'webauthn', friendly_name: 'Autre' }, 403, 'insufficient_aal'],
    ['POST', '/factors/FACTOR/challenge', undefined, 200, ''],
    ['DELETE', '/factors/FACTOR', undefined, 422, 'insufficient_aal'],
    ['POST', '/passkeys/registration/options', {}, 403, 'insufficient_aal'],
    ['POST', '/passkeys/registration/verify', { challenge_id: NOBODY }, 403, 'insufficient_aal'],
    ['GET', '/passkeys', undefined, 200, ''],
    ['PATCH', `/passkeys/${NOBODY}`, { friendly_name: 'X' }, 403, 'insufficient_aal'],
    ['DELETE', `/passkeys/${NOBODY}`, undefined, 422, 'insufficient_aal'],
    ['POST', '/logout?scope=local', undefined, 204, ''],
  ];

  test.each(matrix)(
    '[AU-17][auth#2565] at the first level, %s %s %j answers %i %s',
    async (method, path, body, status, code) => {
      const { lowSession, application } = await protectedPerson();
      const url = `/auth/v1${path.replace('FACTOR', application.factorId)}`;
      expect(await call(lowSession, method, url, body)).toEqual({ status, code });
    },
  );

  test('[AU-17, AU-19][auth#2615] removed by the secret key, the factor takes the second level of its sessions away', async () => {
    const { account, application, high, highSession } = await protectedPerson();
    const admin = administratorOf(server).auth.admin.mfa;
    expect((await admin.listFactors({ userId: account.id })).data?.factors).toMatchObject([
      { id: application.factorId, status: 'verified', factor_type: 'totp' },
    ]);
    await server.mailbox.take(account.email);
    expect((await admin.deleteFactor({ userId: account.id, id: NOBODY })).error).toMatchObject({
      status: 404,
      code: 'mfa_factor_not_found',
    });
    const removed = await admin.deleteFactor({ userId: account.id, id: application.factorId });
    expect(removed.error).toBeNull();
    // The official client wraps this answer once more.
    expect(JSON.stringify(removed.data)).toContain(application.factorId);
    expect((await server.mailbox.take(account.email)).subject).toContain('a été retirée');
    expect((await admin.listFactors({ userId: account.id })).data?.factors).toEqual([]);
    expect(
      await server.database.asOwner(
        `select s.aal, s.factor_id, (select count(*)::int from auth.session_methods m
           where m.session_id = s.id and m.method = 'totp') as given from auth.sessions s where s.user_id = $1 group by s.id`,
        [account.id],
      ),
    ).toEqual(expect.arrayContaining([{ aal: 'aal1', factor_id: null, given: 0 }]));
    const refreshed = await refreshWith(server, highSession.refresh_token);
    const claims = String(refreshed.body['access_token']).split('.')[1] ?? '';
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({
      aal: 'aal1',
      amr: [{ method: 'password' }],
    });
    expect((await high.from('profiles').select('id')).error).toBeNull();
  });

  test('[AU-17, AU-19] the secret key renames a factor, without a duplicate; a person may not', async () => {
    const { account, application, high, highSession } = await protectedPerson('admin');
    await enrolTotp(high, 'Autre');
    const path = `/auth/v1/admin/users/${account.id}/factors/${application.factorId}`;
    const key = server.services.keys.secretKey;
    const put = async (body: unknown) => {
      const response = await fetch(`${server.url}${path}`, {
        method: 'PUT',
        headers: { apikey: key, authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    };
    expect(await put({ friendly_name: 'Bureau' })).toMatchObject({
      status: 200,
      body: { id: application.factorId, friendly_name: 'Bureau' },
    });
    expect(await put({ friendly_name: 'Autre' })).toMatchObject({ status: 422 });
    for (const method of ['PUT', 'DELETE']) {
      expect(await call(highSession, method, path, {})).toEqual({ status: 403, code: 'not_admin' });
    }
    expect(await call(highSession, 'GET', `/auth/v1/admin/users/${account.id}/factors`)).toMatchObject({ status: 403 });
  });

  test('[AU-17] two factors removed at once: the person is not called protected any more', async () => {
    const { account, application, high } = await protectedPerson();
    const second = await enrolTotp(high, 'Deuxième');
    await passTotp(high, second);
    const admin = administratorOf(server).auth.admin.mfa;
    await Promise.all(
      [application, second].map(({ factorId }) => admin.deleteFactor({ userId: account.id, id: factorId })),
    );
    expect(
      only(await server.database.asOwner('select has_verified_factor from auth.users where id = $1', [account.id])),
    ).toEqual({ has_verified_factor: false });
  });
});

describe('a company that asks its admins for a second step', () => {
  test('[AU-17] without it an admin reaches the door of accounts alone; the other roles are not concerned', async () => {
    const { high, highSession } = await protectedPerson('admin');
    const bare = await signedIn(server, await anAccount(server, { role: 'admin' }), elsewhere());
    const commercial = await signedIn(server, await anAccount(server, { role: 'commercial' }), elsewhere());
    const ask = (session: Session, required: unknown) =>
      call(session, 'POST', '/functions/v1/company-settings?action=update_security', {
        require_admin_two_factor: required,
      });

    // Nobody shuts themselves out.
    expect(await ask(bare.session, true)).toEqual({ status: 403, code: 'two_factor_setup_required' });
    expect(await ask(commercial.session, true)).toMatchObject({ status: 403, code: 'forbidden' });
    for (const nonsense of [undefined, 'oui', null, 1]) {
      expect(await ask(highSession, nonsense)).toMatchObject({ status: 400, code: 'invalid_input' });
    }
    expect(await ask(highSession, true)).toMatchObject({ status: 200 });
    const { data } = await high.functions.invoke('company-settings?action=get', { method: 'GET' });
    expect(data).toMatchObject({ data: { require_admin_two_factor: true } });

    const refused = await bare.client.from('profiles').select('id');
    expect({ status: refused.status, details: refused.error?.details }).toEqual({
      status: 403,
      details: 'two_factor_setup_required',
    });
    expect(await upload(bare.session)).toBe(403);
    expect(await joinStatus(bare.session, 'realtime:x', {})).toBe('error');
    expect((await bare.client.auth.getUser()).error).toBeNull();
    expect((await commercial.client.from('profiles').select('id')).error).toBeNull();

    // The way out is open.
    await passTotp(bare.client, await enrolTotp(bare.client));
    expect((await bare.client.from('profiles').select('id')).error).toBeNull();

    // Lifted, it waits for another admin (DF-24).
    expect(await ask(highSession, false)).toMatchObject({ status: 200 });
    const entries = await server.database.asOwner<{ action: string; after: Record<string, unknown> }>(
      `select action, after from public.audit_entries where entity = 'company_settings' order by id desc limit 2`,
    );
    expect(entries).toMatchObject([
      { action: 'ask_control', after: { control: 'require_admin_two_factor', value: false } },
      { action: 'update', after: { require_admin_two_factor: true } },
    ]);
    await server.database.asOwner('update public.company_settings set require_admin_two_factor = false');
  });
});
