import { createClient } from '@supabase/supabase-js';
import type { SupabaseClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { anAccount } from '../../testing/accounts.ts';
import type { TestAccount } from '../../testing/accounts.ts';
import { enrolTotp, passTotp } from '../../testing/factors.ts';
import type { Application } from '../../testing/factors.ts';
import { only, startTestServer } from '../../testing/index.ts';
import type { TestServer } from '../../testing/index.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ doors: ['auth', 'rest'], smtp: true, environment: { TRUST_PROXY: '1' } });
});
afterAll(() => server.close());

let lastNetwork = 0;
/** The official client keeps these calls behind a flag. */
async function signedIn({ email, password }: TestAccount): Promise<SupabaseClient> {
  lastNetwork += 1;
  const client = createClient(server.url, server.services.keys.publishableKey, {
    auth: {
      persistSession: false,
      autoRefreshToken: false,
      detectSessionInUrl: false,
      experimental: { recoveryCodes: true },
    },
    global: { headers: { 'x-forwarded-for': `10.17.0.${lastNetwork}` } },
  });
  const { error } = await client.auth.signInWithPassword({ email, password });
  if (error !== null) throw error;
  return client;
}

async function holder(): Promise<{
  readonly account: TestAccount;
  readonly client: SupabaseClient;
  readonly application: Application;
  readonly codes: readonly string[];
}> {
  const account = await anAccount(server);
  const client = await signedIn(account);
  const application = await enrolTotp(client);
  await passTotp(client, application, -1);
  await server.mailbox.take(account.email);
  const { data, error } = await client.auth.mfa.recoveryCodes.generate();
  if (error !== null) throw error;
  await server.mailbox.take(account.email);
  return { account, client, application, codes: data.codes };
}

test('[AU-17] ten recovery codes, shown once, kept as hashes', async () => {
  const account = await anAccount(server);
  const client = await signedIn(account);
  const { recoveryCodes } = client.auth.mfa;
  // They never stand alone.
  expect((await recoveryCodes.generate()).error).toMatchObject({ status: 422, code: 'mfa_recovery_codes_sole_factor' });
  expect((await recoveryCodes.getStatus()).error).toMatchObject({ status: 404, code: 'mfa_factor_not_found' });
  await passTotp(client, await enrolTotp(client));
  const { data } = await recoveryCodes.generate({ friendlyName: 'Codes de secours' });
  expect(data).toMatchObject({ type: 'recovery_code', friendly_name: 'Codes de secours', total: 10 });
  expect(new Set(data?.codes).size).toBe(10);
  for (const code of data?.codes ?? []) expect(code).toMatch(/^[a-z2-9]{16}$/u);
  expect((await recoveryCodes.getStatus()).data).toEqual({
    id: data?.id,
    type: 'recovery_code',
    total: 10,
    remaining: 10,
  });
  expect((await client.auth.mfa.listFactors()).data?.recovery_code).toMatchObject([{ id: data?.id }]);
  expect((await recoveryCodes.generate()).error).toMatchObject({ status: 422, code: 'mfa_verified_factor_exists' });
  const kept = await server.database.asOwner<{ text: string }>(
    `select string_agg(encode(code_hash, 'escape'), ' ') as text from auth.recovery_codes where factor_id = $1`,
    [data?.id],
  );
  for (const code of data?.codes ?? []) expect(only(kept).text).not.toContain(code);
});

test('[AU-17] a code, however it is typed, replaces the lost telephone, once', async () => {
  const { account, client: high, codes } = await holder();
  const [first = '', second = ''] = codes;
  const client = await signedIn(account);
  expect((await client.from('profiles').select('id')).error?.details).toBe('second_factor_required');
  const typed = ` ${first.toUpperCase().replaceAll(/(.{4})(?=.)/gu, '$1-')} `;
  const { error } = await client.auth.mfa.recoveryCodes.verify({ code: typed });
  expect(error).toBeNull();
  expect((await client.auth.mfa.getAuthenticatorAssuranceLevel()).data).toMatchObject({
    currentLevel: 'aal2',
    currentAuthenticationMethods: [{ method: 'mfa/recovery_code' }, { method: 'password' }],
  });
  expect((await client.from('profiles').select('id')).error).toBeNull();
  expect((await server.mailbox.take(account.email)).text).toContain('il vous en reste 9');
  expect((await high.auth.mfa.recoveryCodes.getStatus()).data).toMatchObject({ total: 10, remaining: 9 });

  const again = await signedIn(account);
  for (const code of [first, '', 'x', 'a'.repeat(16)]) {
    expect((await again.auth.mfa.recoveryCodes.verify({ code })).error).toMatchObject({
      status: 422,
      code: 'mfa_verification_failed',
    });
  }
  // Twenty at once with the same code: one.
  const sessions = await Promise.all(Array.from({ length: 6 }, () => signedIn(account)));
  const outcomes = await Promise.all(
    sessions.map((session) => session.auth.mfa.recoveryCodes.verify({ code: second })),
  );
  expect(outcomes.filter((outcome) => outcome.error === null)).toHaveLength(1);
});

test('[AU-17] after five errors the codes wait; making them again voids the old ones and the wait', async () => {
  const { account, client: high, codes } = await holder();
  const client = await signedIn(account);
  for (let attempt = 0; attempt < 5; attempt += 1) await client.auth.mfa.recoveryCodes.verify({ code: 'faux' });
  expect((await client.auth.mfa.recoveryCodes.verify({ code: codes[0] ?? '' })).error).toMatchObject({
    status: 429,
    code: 'mfa_recovery_codes_locked',
  });
  const { data: before } = await high.auth.mfa.recoveryCodes.getStatus();
  const { data: fresh } = await high.auth.mfa.recoveryCodes.regenerate();
  expect(fresh).toMatchObject({ id: before?.id, friendly_name: 'Recovery codes', total: 10 });
  expect((await client.auth.mfa.recoveryCodes.verify({ code: codes[0] ?? '' })).error?.code).toBe(
    'mfa_verification_failed',
  );
  expect((await client.auth.mfa.recoveryCodes.verify({ code: fresh?.codes[0] ?? '' })).error).toBeNull();
});

test('[AU-17][I-52] the first level neither makes, remakes nor removes the codes', async () => {
  const { account, client: high, application } = await holder();
  const client = await signedIn(account);
  const { recoveryCodes } = client.auth.mfa;
  for (const attempt of [recoveryCodes.generate(), recoveryCodes.regenerate(), recoveryCodes.unenroll()]) {
    expect((await attempt).error).toMatchObject({ status: 403, code: 'insufficient_aal' });
  }
  const { data } = await recoveryCodes.getStatus();
  const factorId = data?.id ?? '';
  // They answer no question.
  expect((await high.auth.mfa.challenge({ factorId })).error?.status).toBe(400);
  expect((await high.auth.mfa.unenroll({ factorId })).error?.status).toBe(400);
  expect((await high.auth.mfa.recoveryCodes.unenroll()).data).toEqual({ id: factorId });
  expect((await recoveryCodes.verify({ code: 'a' })).error?.code).toBe('mfa_verification_failed');
  expect((await high.auth.mfa.recoveryCodes.generate()).error).toBeNull();
  // The last other factor takes them with it.
  await high.auth.mfa.unenroll({ factorId: application.factorId });
  expect((await high.auth.mfa.listFactors()).data?.all).toEqual([]);
  expect(
    only(await server.database.asOwner('select has_verified_factor from auth.users where id = $1', [account.id])),
  ).toEqual({ has_verified_factor: false });
});
