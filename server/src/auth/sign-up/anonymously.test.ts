import type { SupabaseClient } from '@supabase/supabase-js';
import { randomInt, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { clientOf, linkIn, PASSWORD } from '../../testing/accounts.ts';
import { startTestServer } from '../../testing/index.ts';
import type { TestServer } from '../../testing/index.ts';
import { codeIn, elsewhere } from '../../testing/links.ts';
import { startSmsSink } from '../../testing/sms-sink.ts';
import type { SmsSink } from '../../testing/sms-sink.ts';

let sink: SmsSink;
let server: TestServer;
let confirming: TestServer;
beforeAll(async () => {
  sink = await startSmsSink();
  const environment = { TRUST_PROXY: '1', ANONYMOUS_SIGN_IN: 'on', SMS_URL: sink.url };
  server = await startTestServer({ doors: ['auth', 'rest', 'functions'], smtp: true, environment });
  confirming = await startTestServer({
    doors: ['auth'],
    smtp: true,
    environment: { ...environment, SIGNUP_CONFIRMATION: '1' },
  });
});
afterAll(async () => {
  await server.close();
  await confirming.close();
  await sink.close();
});

const anEmail = (): string => `nomme-${randomUUID().slice(0, 8)}@example.fr`;

async function aStranger(where = server): Promise<{ readonly client: SupabaseClient; readonly id: string }> {
  const client = clientOf(where, elsewhere());
  const { data, error } = await client.auth.signInAnonymously();
  if (error !== null) throw error;
  return { client, id: data.user?.id ?? '' };
}

function claimsOf(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>;
}

async function claimsAfterRefresh(client: SupabaseClient): Promise<Record<string, unknown>> {
  const { data, error } = await client.auth.refreshSession();
  expect(error).toBeNull();
  return claimsOf(data.session?.access_token ?? '');
}

test('[AU-01] without the setting nobody enters without a name', async () => {
  const where = await startTestServer({ doors: ['auth'], jobs: false });
  try {
    const { error } = await clientOf(where).auth.signInAnonymously();
    expect(error).toMatchObject({
      status: 422,
      code: 'anonymous_provider_disabled',
      message: 'Anonymous sign-ins are disabled',
    });
    expect(await where.database.asOwner('select from auth.users')).toHaveLength(0);
    const settings = (await (await where.fetch('/auth/v1/settings')).json()) as Record<string, unknown>;
    expect(settings).toMatchObject({ external: { anonymous_users: false } });
  } finally {
    await where.close();
  }
});

test("[AU-01][A-06] with it: a session, no address, a client's role and nothing to see", async () => {
  const client = clientOf(server, elsewhere());
  const { data, error } = await client.auth.signInAnonymously({
    options: { data: { couleur: 'bleu', role: 'admin' } },
  });
  expect(error).toBeNull();
  expect(data.user).toMatchObject({ email: '', phone: '', is_anonymous: true, identities: [] });
  expect(data.user?.user_metadata).toEqual({ couleur: 'bleu', role: 'admin' });
  const claims = claimsOf(data.session?.access_token ?? '');
  expect(claims).toMatchObject({
    is_anonymous: true,
    email: '',
    phone: '',
    role: 'authenticated',
    app_metadata: { role: 'client' },
    amr: [{ method: 'anonymous' }],
  });
  const { data: profiles } = await client.from('profiles').select('id, role, email');
  expect(profiles).toEqual([{ id: data.user?.id, role: 'client', email: '' }]);
  const { data: sales, error: refused } = await client.from('sales').select('id');
  expect(refused).toBeNull();
  expect(sales).toEqual([]);
});

test('[AU-01] thirty an hour for one network', async () => {
  const { auth } = clientOf(server, elsewhere());
  const codes: (string | undefined)[] = [];
  for (let visit = 0; visit < 31; visit += 1) codes.push((await auth.signInAnonymously()).error?.code);
  expect(codes.filter((code) => code === undefined)).toHaveLength(30);
  expect(codes[30]).toBe('over_request_rate_limit');
});

test('[AU-13] taking a name by an address, where registrations are confirmed at once', async () => {
  const { client, id } = await aStranger();
  const email = anEmail();
  const { data, error } = await client.auth.updateUser({ email, password: PASSWORD });
  expect(error).toBeNull();
  expect(data.user).toMatchObject({ id, email, is_anonymous: false });
  expect(await claimsAfterRefresh(client)).toMatchObject({ sub: id, email, is_anonymous: false });
  const again = await clientOf(server, elsewhere()).auth.signInWithPassword({ email, password: PASSWORD });
  expect(again.data.user?.id).toBe(id);
  const [profile] = await server.database.asOwner('select email, role from public.profiles where id = $1', [id]);
  expect(profile).toEqual({ email, role: 'client' });
});

test('[AU-13] taking a name by an address that must be confirmed: one side alone, and the account stays the same', async () => {
  const { client, id } = await aStranger(confirming);
  const email = anEmail();
  const asked = await client.auth.updateUser({ email });
  expect(asked.error).toBeNull();
  expect(asked.data.user).toMatchObject({ email: '', new_email: email, is_anonymous: true });
  const { text } = await confirming.mailbox.take(email);
  expect(linkIn(text).searchParams.get('type')).toBe('email_change');
  const { data, error } = await clientOf(confirming, elsewhere()).auth.verifyOtp({
    email,
    token: codeIn(text),
    type: 'email_change',
  });
  expect(error).toBeNull();
  expect(data.user).toMatchObject({
    id,
    email,
    is_anonymous: false,
    app_metadata: { provider: 'email', providers: ['email'], role: 'client' },
    user_metadata: { email_verified: true },
  });
  expect((await client.auth.updateUser({ password: PASSWORD })).error).toBeNull();
  const again = await clientOf(confirming, elsewhere()).auth.signInWithPassword({ email, password: PASSWORD });
  expect(again.data.user?.id).toBe(id);
});

test('[AU-13] taking a name by a telephone', async () => {
  const { client, id } = await aStranger();
  const phone = `336${randomInt(10_000_000, 99_999_999)}`;
  expect((await client.auth.updateUser({ phone })).error).toBeNull();
  const token = codeIn((await sink.take(`+${phone}`)).text);
  const { data } = await clientOf(server, elsewhere()).auth.verifyOtp({ phone, token, type: 'phone_change' });
  expect(data.user).toMatchObject({ id, phone, is_anonymous: false, app_metadata: { provider: 'phone' } });
  expect(await claimsAfterRefresh(client)).toMatchObject({ sub: id, phone, is_anonymous: false });
});

test('[AU-13][AU-14] without address or number: no password, no code', async () => {
  const { client } = await aStranger();
  expect((await client.auth.updateUser({ password: PASSWORD })).error).toMatchObject({
    status: 422,
    code: 'validation_failed',
  });
  expect((await client.auth.reauthenticate()).error).toMatchObject({
    status: 400,
    code: 'validation_failed',
    message: 'Reauthentication requires the user to have an email or a phone number',
  });
});

test("[AU-13] a taken address stays its owner's, and the person stays without a name", async () => {
  const owner = await aStranger();
  const email = anEmail();
  await owner.client.auth.updateUser({ email, password: PASSWORD });
  for (const where of [server, confirming]) {
    const stranger = await aStranger(where);
    if (where === confirming) {
      await clientOf(where, elsewhere()).auth.signUp({ email, password: PASSWORD });
    }
    expect((await stranger.client.auth.updateUser({ email })).error).toMatchObject({
      status: 422,
      code: 'email_exists',
    });
    expect((await stranger.client.auth.getUser()).data.user).toMatchObject({ email: '', is_anonymous: true });
  }
});

test('[AU-13] two take one address at once: one gets it', async () => {
  const email = anEmail();
  const strangers = await Promise.all(Array.from({ length: 8 }, () => aStranger()));
  const answers = await Promise.all(
    strangers.map(({ client }) => client.auth.updateUser({ email, password: PASSWORD })),
  );
  expect(answers.filter(({ error }) => error === null)).toHaveLength(1);
  for (const { error } of answers) if (error !== null) expect(error).toMatchObject({ code: 'email_exists' });
  // The strangers who did not get the address kept nothing of the request either.
  const rows = await server.database.asOwner(
    'select from auth.users where id = any($1) and encrypted_password is not null',
    [strangers.map(({ id }) => id)],
  );
  expect(rows).toHaveLength(1);
});

test('[AU-01] after a month: forgotten, except a person who took a name or whom a sale names', async () => {
  // The oldest comes first: whoever must stay does not keep the others.
  const referrer = await aStranger();
  const forgotten = await aStranger();
  const recent = await aStranger();
  const named = await aStranger();
  await named.client.auth.updateUser({ email: anEmail(), password: PASSWORD });
  await server.database.asOwner(
    `insert into public.sales (referred_contact_name, friend_referrer_id) values ('Paul Petit', $1)`,
    [referrer.id],
  );
  await server.database.asOwner(`update auth.users set created_at = now() - interval '31 days' where id = any($1)`, [
    [forgotten.id, named.id, referrer.id],
  ]);
  await server.services.db.asService('test', (tx) => server.services.jobs.enqueue(tx, 'auth_cleanup', {}));
  const left = async (): Promise<string[]> =>
    (
      await server.database.asOwner<{ id: string }>('select id from auth.users where id = any($1)', [
        [forgotten.id, recent.id, named.id, referrer.id],
      ])
    ).map(({ id }) => id);
  await expect.poll(left).toHaveLength(3);
  expect(await left()).not.toContain(forgotten.id);
});
