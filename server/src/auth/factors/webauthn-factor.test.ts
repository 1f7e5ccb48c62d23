import type { SupabaseClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { anAccount, signedIn } from '../../testing/accounts.ts';
import type { TestAccount } from '../../testing/accounts.ts';
import { softwareAuthenticator } from '../../testing/authenticator.ts';
import type { Authenticator, Mischief } from '../../testing/authenticator.ts';
import { only, startTestServer } from '../../testing/index.ts';
import type { TestServer } from '../../testing/index.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({
    doors: ['auth'],
    jobs: false,
    environment: { TRUST_PROXY: '1', PUBLIC_URL: 'https://parrain.example.fr' },
  });
});
afterAll(() => server.close());

const ORIGIN = 'https://parrain.example.fr';

let lastNetwork = 0;
function elsewhere(): Record<string, string> {
  lastNetwork += 1;
  return { 'x-forwarded-for': `10.9.0.${lastNetwork}` };
}

async function ask(client: SupabaseClient, factorId: string) {
  // The server ignores the address that the page claims.
  const webauthn = { rpId: 'pirate.example', rpOrigins: ['https://pirate.example'] };
  const { data, error } = await client.auth.mfa.challenge({ factorId, webauthn });
  if (error !== null) throw error;
  return data;
}

/** The answer of the authenticator to a question of either kind, sent as the official client sends it. */
async function answer(
  client: SupabaseClient,
  factorId: string,
  key: Authenticator,
  mischief: Mischief = {},
): Promise<Awaited<ReturnType<SupabaseClient['auth']['mfa']['verify']>>> {
  const { id, webauthn } = await ask(client, factorId);
  const credential =
    webauthn.type === 'create'
      ? key.create(webauthn.credential_options.publicKey as never, mischief)
      : key.get(webauthn.credential_options.publicKey as never, mischief);
  return client.auth.mfa.verify({
    factorId,
    challengeId: id,
    webauthn: { type: webauthn.type, rpId: 'pirate.example', credential_response: credential as never },
  } as never);
}

async function enrolKey(client: SupabaseClient, friendlyName = 'Clé'): Promise<string> {
  const { data, error } = await client.auth.mfa.enroll({ factorType: 'webauthn', friendlyName });
  if (error !== null) throw error;
  return data.id;
}

async function keyHolder(): Promise<{
  readonly account: TestAccount;
  readonly client: SupabaseClient;
  readonly factorId: string;
  readonly key: Authenticator;
}> {
  const account = await anAccount(server);
  const { client } = await signedIn(server, account, elsewhere());
  const key = softwareAuthenticator(ORIGIN);
  const factorId = await enrolKey(client);
  expect((await answer(client, factorId, key)).error).toBeNull();
  return { account, client, factorId, key };
}

describe('a security key', () => {
  test('[AU-17] enrolment then sign-in: the challenge comes from the server, the session rises to the second level', async () => {
    const account = await anAccount(server);
    const { client } = await signedIn(server, account, elsewhere());
    const key = softwareAuthenticator(ORIGIN);
    const enrolled = await client.auth.mfa.enroll({ factorType: 'webauthn', friendlyName: 'Clé' });
    expect(enrolled.data).toEqual({ id: expect.any(String), type: 'webauthn', friendly_name: 'Clé' });
    const factorId = enrolled.data?.id ?? '';
    const creation = await ask(client, factorId);
    expect(creation).toMatchObject({ type: 'webauthn', webauthn: { type: 'create' } });
    const options = creation.webauthn.credential_options.publicKey as unknown as { user: { id: ArrayBuffer } };
    expect(options).toMatchObject({
      rp: { id: 'parrain.example.fr', name: 'Mon Entreprise' },
      user: { name: account.email },
      attestation: 'none',
      pubKeyCredParams: [{ alg: -8 }, { alg: -7 }, { alg: -257 }],
    });
    expect(Buffer.from(options.user.id).toString()).toBe(account.id);
    expect((await answer(client, factorId, key)).error).toBeNull();
    expect((await client.auth.mfa.getAuthenticatorAssuranceLevel()).data).toMatchObject({
      currentLevel: 'aal2',
      currentAuthenticationMethods: [{ method: 'mfa/webauthn' }, { method: 'password' }],
    });

    const later = await signedIn(server, account, elsewhere());
    const request = await ask(later.client, factorId);
    expect(request.webauthn.type).toBe('request');
    expect(request.webauthn.credential_options.publicKey).toMatchObject({
      rpId: 'parrain.example.fr',
      allowCredentials: [{ type: 'public-key', transports: ['internal'] }],
    });
    expect((await answer(later.client, factorId, key)).error).toBeNull();
    expect((await later.client.auth.mfa.listFactors()).data?.webauthn).toHaveLength(1);
  });

  test('[AU-17][I-52] all that is not the right answer is refused with 422, and counted', async () => {
    const { account, factorId, key } = await keyHolder();
    const { client } = await signedIn(server, account, elsewhere());
    const wrong: readonly Mischief[] = [
      { origin: 'https://pirate.example' },
      { rpId: 'pirate.example' },
      { challenge: Buffer.alloc(32).toString('base64url') },
      { breaksSignature: true },
      { type: 'webauthn.create' },
      { crossOrigin: true },
    ];
    for (const mischief of wrong) {
      await server.database.asOwner('update auth.factors set failures = 0 where id = $1', [factorId]);
      const { error } = await answer(client, factorId, key, mischief);
      expect({ mischief, status: error?.status, code: error?.code }).toEqual({
        mischief,
        status: 422,
        code: 'mfa_verification_failed',
      });
    }
    expect(only(await server.database.asOwner('select failures from auth.factors where id = $1', [factorId]))).toEqual({
      failures: 1,
    });
    // A copy of the key would come with a count that was seen already.
    expect((await answer(client, factorId, key, { signCount: 40 })).error).toBeNull();
    expect((await answer(client, factorId, key, { signCount: 40 })).error).toMatchObject({ status: 422 });
  });

  test("[AU-17] another person's key does not answer, and a key is enrolled once", async () => {
    const first = await keyHolder();
    const second = await keyHolder();
    const { id, webauthn } = await ask(second.client, second.factorId);
    const options = webauthn.credential_options.publicKey;
    const verify = (credential: unknown, type = 'request') =>
      second.client.auth.mfa.verify({
        factorId: second.factorId,
        challengeId: id,
        webauthn: { type, credential_response: credential },
      } as never);
    const foreign = first.key.get({ ...options, allowCredentials: undefined } as never);
    expect((await verify(foreign)).error).toMatchObject({ status: 422, code: 'mfa_verification_failed' });
    for (const nonsense of [{}, { toJSON: () => null }, { toJSON: () => ({ id: 'x' }) }, { toJSON: () => 'x' }]) {
      await server.database.asOwner('update auth.factors set failures = 0 where id = $1', [second.factorId]);
      const { error } = await verify({ getClientExtensionResults: () => ({}), response: {}, ...nonsense });
      expect(error).toMatchObject({ status: 422, code: 'mfa_verification_failed' });
    }
    expect((await verify(foreign, 'create')).error).toMatchObject({ status: 400, code: 'validation_failed' });

    // The same credential once more, for a factor of its own.
    const another = await enrolKey(second.client, 'Encore');
    const creation = await ask(second.client, another);
    expect(creation.webauthn.credential_options.publicKey).toMatchObject({
      excludeCredentials: [{ type: 'public-key' }],
    });
    const made = second.key.create(creation.webauthn.credential_options.publicKey as never);
    await server.database.asOwner('update auth.webauthn_credentials set credential_id = $2 where factor_id = $1', [
      second.factorId,
      made.toJSON().id,
    ]);
    const { error } = await second.client.auth.mfa.verify({
      factorId: another,
      challengeId: creation.id,
      webauthn: { type: 'create', credential_response: made },
    } as never);
    expect(error).toMatchObject({ status: 422, code: 'webauthn_credential_exists' });
  });

  test('[AU-17] an attestation with certificates is not read', async () => {
    const account = await anAccount(server);
    const { client } = await signedIn(server, account, elsewhere());
    const factorId = await enrolKey(client);
    const { id, webauthn } = await ask(client, factorId);
    const made = softwareAuthenticator(ORIGIN)
      .create(webauthn.credential_options.publicKey as never)
      .toJSON();
    for (const format of ['tpm', 'appl', 'u2ff']) {
      const bytes = Buffer.from(made.response.attestationObject, 'base64url');
      const at = bytes.indexOf('none');
      bytes.write(format.padEnd(4).slice(0, 4), at);
      const forged = { ...made, response: { ...made.response, attestationObject: bytes.toString('base64url') } };
      const { error } = await client.auth.mfa.verify({
        factorId,
        challengeId: id,
        webauthn: { type: 'create', credential_response: { toJSON: () => forged } },
      } as never);
      expect(error).toMatchObject({ status: 422, code: 'mfa_verification_failed' });
    }
  });
});
