import type { SupabaseClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { administratorOf, anAccount, clientOf, signedIn } from '../../testing/accounts.ts';
import type { TestAccount } from '../../testing/accounts.ts';
import { softwareAuthenticator } from '../../testing/authenticator.ts';
import type { Authenticator, Mischief } from '../../testing/authenticator.ts';
import { enrolTotp, passTotp } from '../../testing/factors.ts';
import { only, startTestServer } from '../../testing/index.ts';
import type { TestServer } from '../../testing/index.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({
    doors: ['auth', 'rest'],
    smtp: true,
    environment: { TRUST_PROXY: '1', PUBLIC_URL: ORIGIN },
  });
});
afterAll(() => server.close());

const ORIGIN = 'https://parrain.example.fr';
const NOBODY = '00000000-0000-4000-8000-000000000000';

let lastNetwork = 0;
function elsewhere(): Record<string, string> {
  lastNetwork += 1;
  return { 'x-forwarded-for': `10.11.0.${lastNetwork}` };
}

async function register(client: SupabaseClient, key: Authenticator, mischief: Mischief = {}) {
  const { data, error } = await client.auth.passkey.startRegistration();
  if (error !== null) return { data: null, error };
  return client.auth.passkey.verifyRegistration({
    challengeId: data.challenge_id,
    credential: key.create(data.options, mischief).toJSON(),
  });
}

async function signIn(client: SupabaseClient, key: Authenticator, mischief: Mischief = {}) {
  const { data, error } = await client.auth.passkey.startAuthentication();
  if (error !== null) throw error;
  return client.auth.passkey.verifyAuthentication({
    challengeId: data.challenge_id,
    credential: key.get(data.options, mischief).toJSON(),
  });
}

async function holder(): Promise<{
  readonly account: TestAccount;
  readonly client: SupabaseClient;
  readonly key: Authenticator;
  readonly passkeyId: string;
}> {
  const account = await anAccount(server);
  const { client } = await signedIn(server, account, elsewhere());
  const key = softwareAuthenticator(ORIGIN);
  const { data, error } = await register(client, key);
  if (error !== null) throw error;
  return { account, client, key, passkeyId: data?.id ?? '' };
}

describe('passkeys', () => {
  test('[AU-17] a passkey is added, then signs in without address or password', async () => {
    const account = await anAccount(server);
    const { client } = await signedIn(server, account, elsewhere());
    const { data: start } = await client.auth.passkey.startRegistration();
    expect(start).toMatchObject({
      challenge_id: expect.any(String),
      expires_at: expect.any(Number),
      options: {
        rp: { id: 'parrain.example.fr', name: 'Mon Entreprise' },
        user: { id: Buffer.from(account.id).toString('base64url'), name: account.email },
        attestation: 'none',
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      },
    });
    const key = softwareAuthenticator(ORIGIN);
    const added = await register(client, key);
    expect(added.data).toEqual({ id: expect.any(String), created_at: expect.stringMatching(/Z$/u) });
    expect((await server.mailbox.take(account.email)).subject).toContain('Une clé d’accès a été ajoutée');

    const visitor = clientOf(server, elsewhere());
    const { data: question } = await visitor.auth.passkey.startAuthentication();
    expect(question?.options).toMatchObject({ rpId: 'parrain.example.fr', userVerification: 'required' });
    expect(question?.options.allowCredentials ?? []).toEqual([]);
    const { data, error } = await signIn(visitor, key);
    expect(error).toBeNull();
    expect(data?.user?.id).toBe(account.id);
    const { data: claims } = await visitor.auth.getClaims();
    expect(claims?.claims).toMatchObject({ aal: 'aal1', amr: [{ method: 'passkey' }] });
    expect((await client.auth.passkey.list()).data).toEqual([
      { id: added.data?.id, created_at: expect.any(String), last_used_at: expect.any(String) },
    ]);
  });

  test('[AU-17] all that is not the right answer is refused in the same words, and uses the challenge up', async () => {
    const { client, key } = await holder();
    const wrong: readonly Mischief[] = [
      { origin: 'https://pirate.example' },
      { rpId: 'pirate.example' },
      { challenge: Buffer.alloc(32).toString('base64url') },
      { breaksSignature: true },
      { type: 'webauthn.create' },
      { crossOrigin: true },
      // User presence without verification: somebody touched an unlocked key.
      { isVerified: false },
      { userHandle: Buffer.from(NOBODY).toString('base64url') },
    ];
    for (const mischief of wrong) {
      const { error } = await signIn(clientOf(server, elsewhere()), key, mischief);
      expect({ mischief, error }).toMatchObject({
        mischief,
        error: { status: 400, code: 'webauthn_verification_failed' },
      });
    }
    const registrations = wrong.filter(
      ({ breaksSignature, userHandle, type }) =>
        breaksSignature === undefined && userHandle === undefined && type === undefined,
    );
    for (const mischief of [...registrations, { type: 'webauthn.get' }]) {
      const { error } = await register(client, softwareAuthenticator(ORIGIN), mischief);
      expect({ mischief, code: error?.code }).toEqual({ mischief, code: 'webauthn_verification_failed' });
    }
    // An unknown key, and the right one to a question that is used up.
    const stranger = softwareAuthenticator(ORIGIN);
    stranger.create({ challenge: 'x', rp: { id: 'parrain.example.fr' }, user: { id: 'x' } });
    expect((await signIn(clientOf(server, elsewhere()), stranger)).error?.code).toBe('webauthn_verification_failed');
    const visitor = clientOf(server, elsewhere());
    const { data } = await visitor.auth.passkey.startAuthentication();
    const challengeId = data?.challenge_id ?? '';
    for (const [credential, code] of [
      ['nonsense', 'webauthn_verification_failed'],
      [key.get(data?.options ?? { challenge: '' }).toJSON(), 'webauthn_challenge_not_found'],
    ]) {
      expect((await visitor.auth.passkey.verifyAuthentication({ challengeId, credential })).error).toMatchObject({
        status: 400,
        code,
      });
    }
    for (const id of ['', 'x', NOBODY]) {
      const { error } = await visitor.auth.passkey.verifyAuthentication({ challengeId: id, credential: {} as never });
      expect(error).toMatchObject({ status: 400, code: 'webauthn_challenge_not_found' });
    }
  });

  test("[AU-17] a challenge that is too old, or another person's, is void", async () => {
    const { client, key } = await holder();
    const visitor = clientOf(server, elsewhere());
    const { data } = await visitor.auth.passkey.startAuthentication();
    const challengeId = data?.challenge_id ?? '';
    await server.database.asOwner('update auth.challenges set expires_at = now() where id = $1', [challengeId]);
    const credential = key.get(data?.options ?? { challenge: '' }).toJSON();
    expect((await visitor.auth.passkey.verifyAuthentication({ challengeId, credential })).error?.code).toBe(
      'webauthn_challenge_expired',
    );
    const other = await holder();
    const theirs = await other.client.auth.passkey.startRegistration();
    const made = softwareAuthenticator(ORIGIN).create(theirs.data?.options ?? { challenge: '' });
    expect(
      (
        await client.auth.passkey.verifyRegistration({
          challengeId: theirs.data?.challenge_id ?? '',
          credential: made.toJSON(),
        })
      ).error?.code,
    ).toBe('webauthn_challenge_not_found');
  });

  test('[AU-17] twenty answers to one challenge: one signs in; a cloned key does not pass again', async () => {
    const { key } = await holder();
    const { data } = await clientOf(server, elsewhere()).auth.passkey.startAuthentication();
    const credential = key.get(data?.options ?? { challenge: '' }, { signCount: 7 }).toJSON();
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () =>
        clientOf(server, elsewhere()).auth.passkey.verifyAuthentication({
          challengeId: data?.challenge_id ?? '',
          credential,
        }),
      ),
    );
    expect(outcomes.filter(({ error }) => error === null)).toHaveLength(1);
    expect((await signIn(clientOf(server, elsewhere()), key, { signCount: 7 })).error?.code).toBe(
      'webauthn_verification_failed',
    );
    expect((await signIn(clientOf(server, elsewhere()), key, { signCount: 8 })).error).toBeNull();
  });

  test('[AU-17] it is renamed and removed; those of others are not seen', async () => {
    const { account, client, key, passkeyId } = await holder();
    await server.mailbox.take(account.email);
    const stranger = await holder();
    for (const foreign of [stranger.passkeyId, NOBODY]) {
      const renamed = await client.auth.passkey.update({ passkeyId: foreign, friendlyName: 'À moi' });
      expect(renamed.error?.status).toBe(404);
      expect((await client.auth.passkey.delete({ passkeyId: foreign })).error?.status).toBe(404);
    }
    expect((await client.auth.passkey.update({ passkeyId, friendlyName: '  Ordinateur ' })).data).toMatchObject({
      id: passkeyId,
      friendly_name: 'Ordinateur',
    });
    for (const friendlyName of ['', '   ', 'x'.repeat(121)]) {
      expect((await client.auth.passkey.update({ passkeyId, friendlyName })).error?.status).toBe(400);
    }
    expect((await client.auth.passkey.delete({ passkeyId })).error).toBeNull();
    expect((await client.auth.passkey.list()).data).toEqual([]);
    expect((await signIn(clientOf(server, elsewhere()), key)).error?.code).toBe('webauthn_verification_failed');
    expect((await server.mailbox.take(account.email)).subject).toContain('Une clé d’accès a été retirée');
  });

  test('[AU-17] ten at most, never the same twice', async () => {
    const { client, key, passkeyId } = await holder();
    const { data } = await client.auth.passkey.startRegistration();
    expect(data?.options.excludeCredentials).toHaveLength(1);
    const twice = key.create(data?.options ?? { challenge: '' }).toJSON();
    await server.database.asOwner('update auth.webauthn_credentials set credential_id = $2 where id = $1', [
      passkeyId,
      twice.id,
    ]);
    expect(
      (await client.auth.passkey.verifyRegistration({ challengeId: data?.challenge_id ?? '', credential: twice }))
        .error,
    ).toMatchObject({ status: 422, code: 'webauthn_credential_exists' });
    for (let count = 1; count < 10; count += 1) {
      expect((await register(client, softwareAuthenticator(ORIGIN))).error).toBeNull();
    }
    expect((await register(client, softwareAuthenticator(ORIGIN))).error).toMatchObject({
      status: 422,
      code: 'too_many_passkeys',
    });
  });

  test('[AU-17][I-52] a person with a second factor still gives it after a passkey', async () => {
    const { account, key, passkeyId } = await holder();
    const { client } = await signedIn(server, account, elsewhere());
    const application = await enrolTotp(client);
    await passTotp(client, application);
    const visitor = clientOf(server, elsewhere());
    await signIn(visitor, key);
    expect((await visitor.auth.mfa.getAuthenticatorAssuranceLevel()).data).toMatchObject({
      currentLevel: 'aal1',
      nextLevel: 'aal2',
    });
    const { error: refused, status } = await visitor.from('profiles').select('id');
    expect({ status, code: refused?.code, details: refused?.details }).toEqual({
      status: 403,
      code: 'PR401',
      details: 'second_factor_required',
    });
    // At the first level the account's keys do not change.
    expect((await visitor.auth.passkey.startRegistration()).error).toMatchObject({
      status: 403,
      code: 'insufficient_aal',
    });
    expect((await visitor.auth.passkey.delete({ passkeyId })).error).toMatchObject({
      status: 422,
      code: 'insufficient_aal',
    });
    await passTotp(visitor, application, 1);
    expect((await visitor.from('profiles').select('id')).error).toBeNull();
    expect((await visitor.auth.passkey.delete({ passkeyId })).error).toBeNull();
  });

  test('[AU-17] the key of a second factor signs nobody in', async () => {
    const { client } = await signedIn(server, await anAccount(server), elsewhere());
    const { data: factor } = await client.auth.mfa.enroll({ factorType: 'webauthn', friendlyName: 'Clé' });
    const factorId = factor?.id ?? '';
    const { data } = await client.auth.mfa.challenge({ factorId, webauthn: { rpId: '', rpOrigins: [] } });
    const key = softwareAuthenticator(ORIGIN);
    const credential = key.create(data?.webauthn.credential_options.publicKey as never);
    const verified = await client.auth.mfa.verify({
      factorId,
      challengeId: data?.id ?? '',
      webauthn: { type: 'create', credential_response: credential },
    } as never);
    expect(verified.error).toBeNull();
    expect((await signIn(clientOf(server, elsewhere()), key)).error?.code).toBe('webauthn_verification_failed');
  });

  test('[AU-17][auth#2564] a barred account does not open by its key; with the account the key is erased', async () => {
    const { account, key } = await holder();
    const { admin } = administratorOf(server).auth;
    await admin.updateUserById(account.id, { ban_duration: '1h' });
    expect((await signIn(clientOf(server, elsewhere()), key)).error).toMatchObject({ code: 'user_banned' });
    await admin.deleteUser(account.id, true);
    expect(
      only(
        await server.database.asOwner(
          'select count(*)::int as count from auth.webauthn_credentials where user_id = $1',
          [account.id],
        ),
      ),
    ).toEqual({ count: 0 });
  });

  test('[AU-17, AU-19] the secret key lists and removes them', async () => {
    const { account, key, passkeyId } = await holder();
    const { passkey } = administratorOf(server).auth.admin;
    expect((await passkey.listPasskeys({ userId: account.id })).data).toMatchObject([{ id: passkeyId }]);
    expect((await passkey.deletePasskey({ userId: NOBODY, passkeyId })).error?.status).toBe(404);
    expect((await passkey.deletePasskey({ userId: account.id, passkeyId })).error).toBeNull();
    expect((await passkey.deletePasskey({ userId: account.id, passkeyId })).error?.status).toBe(404);
    expect((await signIn(clientOf(server, elsewhere()), key)).error).not.toBeNull();
    const { client } = await signedIn(server, account, elsewhere());
    expect((await client.auth.admin.passkey.listPasskeys({ userId: account.id })).error?.status).toBeGreaterThan(400);
  });
});
