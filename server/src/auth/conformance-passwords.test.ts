import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { startTestServer } from '../testing/index.ts';
import type { TestServer } from '../testing/index.ts';
import { anAccount, clientOf, PASSWORD, signedIn } from '../testing/accounts.ts';
import { codeIn, elsewhere, wrongCode } from '../testing/links.ts';
import { ask, refusalOf } from '../testing/protocol.ts';

let server: TestServer;
let strict: TestServer;
beforeAll(async () => {
  const environment = { TRUST_PROXY: '1', ANONYMOUS_SIGN_IN: '1' };
  server = await startTestServer({ doors: ['auth'], smtp: true, environment });
  strict = await startTestServer({
    doors: ['auth'],
    smtp: true,
    environment: { ...environment, REQUIRE_CURRENT_PASSWORD: '1' },
  });
});
afterAll(async () => {
  await server.close();
  await strict.close();
});

const NEW_PASSWORD = 'quatre-grands-chiens-8';

async function aSession(where = server): Promise<Awaited<ReturnType<typeof signedIn>> & { email: string; id: string }> {
  const account = await anAccount(where);
  return { ...(await signedIn(where, account, elsewhere())), email: account.email, id: account.id };
}

async function ageSession(id: string, interval: string, where = server): Promise<void> {
  await where.database.asOwner('update auth.sessions set created_at = created_at - $2::interval where user_id = $1', [
    id,
    interval,
  ]);
}

describe('a new password, and who asks for it', () => {
  test('[AU-14] une session de plus d’un jour donne le code que /reauthenticate lui envoie', async () => {
    const { client, email, id } = await aSession();
    await ageSession(id, '25 hours');
    expect(refusalOf(await client.auth.updateUser({ password: NEW_PASSWORD }))).toEqual([
      400,
      'reauthentication_needed',
    ]);

    expect(refusalOf(await client.auth.reauthenticate())).toBeNull();
    expect(refusalOf(await client.auth.reauthenticate())).toEqual([429, 'over_email_send_rate_limit']);
    const code = codeIn((await server.mailbox.take(email)).text);
    expect((await client.auth.getUser()).data.user).toHaveProperty('reauthentication_sent_at');
    expect(refusalOf(await client.auth.updateUser({ password: NEW_PASSWORD, nonce: wrongCode(code) }))).toEqual([
      422,
      'reauthentication_not_valid',
    ]);
    expect(refusalOf(await client.auth.updateUser({ password: NEW_PASSWORD, nonce: code }))).toBeNull();
    expect(refusalOf(await client.auth.updateUser({ password: PASSWORD, nonce: code }))).toEqual([
      422,
      'reauthentication_not_valid',
    ]);
    await signedIn(server, { id, email, password: NEW_PASSWORD }, elsewhere());
  });

  test('[AU-14][I-50] le code se périme, ne se devine pas, et ne connecte personne', async () => {
    const { client, email, id } = await aSession();
    await ageSession(id, '25 hours');
    await client.auth.reauthenticate();
    const code = codeIn((await server.mailbox.take(email)).text);
    for (const type of ['email', 'magiclink', 'recovery', 'signup'] as const) {
      expect(refusalOf(await clientOf(server, elsewhere()).auth.verifyOtp({ email, token: code, type }))).toEqual([
        403,
        'otp_expired',
      ]);
    }
    for (let guess = 0; guess < 5; guess += 1) {
      await client.auth.updateUser({ password: NEW_PASSWORD, nonce: wrongCode(code) });
    }
    expect(refusalOf(await client.auth.updateUser({ password: NEW_PASSWORD, nonce: code }))).toEqual([
      422,
      'reauthentication_not_valid',
    ]);
  });

  test('[AU-14] sans adresse, sans adresse confirmée, sans session', async () => {
    const { auth } = clientOf(server, elsewhere());
    expect((await auth.reauthenticate()).error?.message).toBe('Auth session missing!');
    await auth.signInAnonymously();
    const nobody = await auth.reauthenticate();
    expect(refusalOf(nobody)).toEqual([400, 'validation_failed']);
    expect(nobody.error?.message).toBe('Reauthentication requires the user to have an email or a phone number');
    const { client, id } = await aSession();
    await server.database.asOwner('update auth.users set email_confirmed_at = null where id = $1', [id]);
    expect(refusalOf(await client.auth.reauthenticate())).toEqual([422, 'email_not_confirmed']);
  });

  test('[AU-13] où le mot de passe actuel est demandé : absent, faux, juste ; et inutile à qui vient de le perdre', async () => {
    const { client, email } = await aSession(strict);
    expect(refusalOf(await client.auth.updateUser({ password: NEW_PASSWORD }))).toEqual([
      400,
      'current_password_required',
    ]);
    expect(
      refusalOf(await client.auth.updateUser({ password: NEW_PASSWORD, current_password: 'un-autre-mot-9' })),
    ).toEqual([400, 'current_password_invalid']);
    expect(refusalOf(await client.auth.updateUser({ password: NEW_PASSWORD, current_password: PASSWORD }))).toBeNull();

    const lost = clientOf(strict, elsewhere());
    await lost.auth.resetPasswordForEmail(email);
    await strict.mailbox.take(email);
    const token = codeIn((await strict.mailbox.take(email)).text);
    expect(refusalOf(await lost.auth.verifyOtp({ email, token, type: 'recovery' }))).toBeNull();
    expect(refusalOf(await lost.auth.updateUser({ password: 'cinq-petits-lapins-9' }))).toBeNull();
  });

  test('[AU-13] trop long, faible, le même, ou sans adresse : chacun son code', async () => {
    const { client } = await aSession();
    expect(refusalOf(await client.auth.updateUser({ password: 'é'.repeat(37) }))).toEqual([400, 'validation_failed']);
    expect((await client.auth.updateUser({ password: 'court' })).error).toMatchObject({
      name: 'AuthWeakPasswordError',
      status: 422,
      reasons: ['length'],
    });
    expect(refusalOf(await client.auth.updateUser({ password: PASSWORD }))).toEqual([422, 'same_password']);
    const anonymous = clientOf(server, elsewhere());
    await anonymous.auth.signInAnonymously();
    expect(refusalOf(await anonymous.auth.updateUser({ password: NEW_PASSWORD }))).toEqual([422, 'validation_failed']);
  });

  test('[AU-13] qui n’avait pas de nom prend une adresse et un mot de passe : le compte est à lui, tout de suite', async () => {
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

  test('[AU-13] ce que la personne ne change pas d’elle-même', async () => {
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
