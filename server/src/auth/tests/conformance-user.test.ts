// @module-tag long: src/auth/tests/protocol.test.ts holds its subject in the quick ring
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { anAccount, clientOf, PASSWORD, signedIn } from '../../testing/accounts.ts';
import { startTestServer } from '../../testing/index.ts';
import type { TestServer } from '../../testing/index.ts';
import { elsewhere } from '../../testing/links.ts';
import { ask, refusalOf } from '../../testing/protocol.ts';

let server: TestServer;
beforeAll(async () => {
  const environment = { TRUST_PROXY: '1', ANONYMOUS_SIGN_IN: '1' };
  server = await startTestServer({ doors: ['auth'], jobs: false, environment });
});
afterAll(() => server.close());

const NEW_PASSWORD = 'quatre-grands-chiens-8';

async function aSession(): Promise<Awaited<ReturnType<typeof signedIn>> & { readonly email: string }> {
  const account = await anAccount(server);
  return { ...(await signedIn(server, account, elsewhere())), email: account.email };
}

describe('PUT /user', () => {
  test('[AU-13] too long, weak, the same, or without an address: each has its code', async () => {
    const { client } = await aSession();
    expect(refusalOf(await client.auth.updateUser({ password: 'é'.repeat(37) }))).toEqual([400, 'validation_failed']);
    expect((await client.auth.updateUser({ password: 'court' })).error).toMatchObject({
      name: 'AuthWeakPasswordError',
      status: 422,
      reasons: ['length'],
    });
    expect(refusalOf(await client.auth.updateUser({ password: PASSWORD, current_password: PASSWORD }))).toEqual([
      422,
      'same_password',
    ]);
    const anonymous = clientOf(server, elsewhere());
    await anonymous.auth.signInAnonymously();
    expect(refusalOf(await anonymous.auth.updateUser({ password: NEW_PASSWORD }))).toEqual([422, 'validation_failed']);
  });

  test('[AU-13] an anonymous person takes an address and a password: the account is theirs, at once', async () => {
    const { auth } = clientOf(server, elsewhere());
    const { data: before } = await auth.signInAnonymously({ options: { data: { panier: 3 } } });
    const email = `nommee-${randomUUID().slice(0, 8)}@example.fr`;
    const { data, error } = await auth.updateUser({ email, password: NEW_PASSWORD });
    expect(error).toBeNull();
    expect(data.user).toMatchObject({
      id: before.user?.id,
      email,
      is_anonymous: false,
      email_confirmed_at: expect.any(String),
      user_metadata: { panier: 3, email_verified: true },
      app_metadata: { provider: 'email', providers: ['email'], role: 'client' },
    });
    await signedIn(server, { id: '', email, password: NEW_PASSWORD }, elsewhere());
    const taken = clientOf(server, elsewhere()).auth;
    await taken.signInAnonymously();
    expect(refusalOf(await taken.updateUser({ email }))).toEqual([422, 'email_exists']);
  });

  test('[AU-13] what a person does not change by themselves', async () => {
    const { client, session } = await aSession();
    const other = await aSession();
    expect(refusalOf(await client.auth.updateUser({ email: other.email }))).toEqual([422, 'email_exists']);
    expect(refusalOf(await client.auth.updateUser({ email: 'a' }))).toEqual([400, 'validation_failed']);
    const granted = await ask(server, 'PUT', '/user', {
      bearer: session.access_token,
      body: { app_metadata: { role: 'admin' } },
      headers: elsewhere(),
    });
    expect(granted).toMatchObject({ status: 403, body: { code: 'not_admin' } });
  });
});
