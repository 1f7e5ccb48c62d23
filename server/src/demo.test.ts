import { demoAccounts, demoPassword } from '@parrain/database/demo';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { hashPassword } from '#auth';

import { anAdmin, aCommercial, only, startTestServer } from './testing/index.ts';
import { callAs } from './testing/call-function.ts';
import type { TestServer } from './testing/index.ts';

/** Demo settings of `/config.json`, which a page reads first. */
const hintOf = async (server: TestServer) =>
  ((await (await fetch(`${server.url}/config.json`)).json()) as { demo: { accounts: { email: string }[] } | null })
    .demo;
const [admin, commercial] = demoAccounts;

/** A person at the sign-in page: the official client, by password. */
async function signIn(server: TestServer, email: string, password: string = demoPassword) {
  const client = await server.client();
  const { data, error } = await client.auth.signInWithPassword({ email, password });
  return { client, session: data.session, code: error?.code ?? null };
}

async function aDemo(server: TestServer): Promise<void> {
  const passwordHash = await hashPassword(demoPassword);
  await anAdmin(server.database, { isTest: true, email: admin.email, passwordHash });
  await aCommercial(server.database, { isTest: true, email: commercial.email, passwordHash });
}

describe('[FX-01] demo accounts', () => {
  let demo: TestServer;
  beforeAll(async () => {
    demo = await startTestServer({ environment: { DEMO: '1' } });
    await aDemo(demo);
  });
  afterAll(() => demo.close());

  test('they open nothing once the demo is off, not even a session from before, and are named nowhere', async () => {
    const before = await signIn(demo, admin.email);
    expect(before.code).toBeNull();
    const production = await startTestServer({ database: demo.database, environment: { DEMO: '0' } });
    try {
      expect(await hintOf(production)).toBeNull();
      for (const { email } of [admin, commercial]) expect((await signIn(production, email)).code).toBe('user_banned');
      const own = await callAs(production, undefined, 'auth-signin', { email: admin.email, password: demoPassword });
      expect(own.status).toBe(403);
      const { error } = await before.client.from('profiles').select('id');
      expect(error).not.toBeNull();
      expect((await before.client.auth.refreshSession()).error).not.toBeNull();
      expect((await before.client.auth.getUser()).error).not.toBeNull();
    } finally {
      await production.close();
    }
    // With the demo back they work as before.
    const again = await startTestServer({ database: demo.database, environment: { DEMO: '1' } });
    try {
      expect((await signIn(again, admin.email)).code).toBeNull();
      expect((await hintOf(again))?.accounts).toHaveLength(2);
    } finally {
      await again.close();
    }
  });

  test('/config.json names them only while the published password opens them', async () => {
    expect((await hintOf(demo))?.accounts.map(({ email }) => email)).toEqual([admin.email, commercial.email]);
    const { client } = await signIn(demo, commercial.email);
    expect(
      (await client.auth.updateUser({ password: 'Un-Autre-Mot-2026', current_password: demoPassword })).error,
    ).toBeNull();
    expect((await hintOf(demo))?.accounts.map(({ email }) => email)).toEqual([admin.email]);
    await demo.database.asOwner('update auth.users set has_verified_factor = true where email = $1', [admin.email]);
    expect(await hintOf(demo)).toBeNull();
    await demo.database.asOwner('update auth.users set has_verified_factor = false where email = $1', [admin.email]);
  });

  test('after a cleaning the published password opens nothing, and the session that cleaned chooses one before anything else', async () => {
    const other = await signIn(demo, admin.email);
    const { client, session } = await signIn(demo, admin.email);
    if (session === null) throw new Error('The demo admin did not sign in');
    const call = async (name: string, body?: Record<string, unknown>) =>
      client.functions.invoke(name, { method: 'POST', ...(body === undefined ? {} : { body }) });
    const cleaned = await call('clean-database', { confirmation: 'Mon Entreprise' });
    expect(cleaned.data).toMatchObject({ success: true, password_change_required: true });

    expect(await hintOf(demo)).toBeNull();
    expect((await signIn(demo, admin.email)).code).toBe('invalid_credentials');
    expect((await other.client.auth.getUser()).error).not.toBeNull();
    const refused = await call('clean-database');
    expect(await refused.error.context.json()).toMatchObject({ code: 'password_change_required' });
    expect((await client.from('profiles').select('id')).error).not.toBeNull();
    // The published password is none to choose.
    expect((await client.auth.updateUser({ password: demoPassword })).error?.code).toBe('weak_password');
    expect((await client.auth.updateUser({ password: 'Une-Vraie-Entreprise-9' })).error).toBeNull();
    expect((await client.from('profiles').select('id')).data).toHaveLength(1);
    expect((await signIn(demo, admin.email, 'Une-Vraie-Entreprise-9')).code).toBeNull();
    expect(await hintOf(demo)).toBeNull();
    expect(
      only(await demo.database.asOwner('select is_test from public.profiles where email = $1', [admin.email])),
    ).toEqual({ is_test: false });
  });
});
