// @module-tag long: src/auth/tests/protocol.test.ts holds its subject in the quick ring
import { createClient } from '@supabase/supabase-js';
import type { SupabaseClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { administratorOf, anAccount, clientOf, signedIn } from '../../testing/accounts.ts';
import { enrolTotp, passTotp } from '../../testing/factors.ts';
import { startTestServer } from '../../testing/index.ts';
import type { TestServer } from '../../testing/index.ts';
import { elsewhere } from '../../testing/links.ts';
import { ask, refusalOf } from '../../testing/protocol.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({
    doors: ['auth'],
    jobs: false,
    environment: { TRUST_PROXY: '1', PUBLIC_URL: 'https://parrain.example.fr' },
  });
});
afterAll(() => server.close());

const NOBODY = '00000000-0000-4000-8000-000000000000';

describe('without a session', () => {
  function visitor(): SupabaseClient {
    return createClient(server.url, server.services.keys.publishableKey, {
      auth: { persistSession: false, autoRefreshToken: false, experimental: { recoveryCodes: true } },
    });
  }

  test('[AU-17][AU-22] each act of the client is refused: « Auth session missing! », or the key is no token', async () => {
    const { mfa, passkey } = visitor().auth;
    for (const answer of [
      await mfa.enroll({ factorType: 'totp' }),
      await mfa.challenge({ factorId: NOBODY }),
      await mfa.verify({ factorId: NOBODY, challengeId: NOBODY, code: '123456' }),
      await mfa.challengeAndVerify({ factorId: NOBODY, code: '123456' }),
      await mfa.unenroll({ factorId: NOBODY }),
      await mfa.listFactors(),
      await mfa.recoveryCodes.getStatus(),
      await mfa.recoveryCodes.generate(),
      await mfa.recoveryCodes.regenerate(),
      await mfa.recoveryCodes.unenroll(),
      await passkey.list(),
      await passkey.startRegistration(),
      await passkey.update({ passkeyId: NOBODY, friendlyName: 'X' }),
      await passkey.delete({ passkeyId: NOBODY }),
    ]) {
      // Some methods ask first whether there is a session, others send the key in its place.
      const { error } = answer;
      expect(error?.message === 'Auth session missing!' ? 'bad_jwt' : error?.code).toBe('bad_jwt');
      expect([400, 403]).toContain(error?.status);
    }
  });

  test('[AU-17][AU-22] the server says no_authorization', async () => {
    for (const [method, path] of [
      ['POST', '/factors'],
      ['POST', `/factors/${NOBODY}/challenge`],
      ['POST', `/factors/${NOBODY}/verify`],
      ['DELETE', `/factors/${NOBODY}`],
      ['GET', '/factors/recovery-codes'],
      ['POST', '/factors/recovery-codes'],
      ['POST', '/passkeys/registration/options'],
      ['POST', '/passkeys/registration/verify'],
      ['GET', '/passkeys'],
      ['PATCH', `/passkeys/${NOBODY}`],
      ['DELETE', `/passkeys/${NOBODY}`],
    ] as const) {
      const answer = await ask(server, method, path);
      expect([path, answer.status, answer.body['code']]).toEqual([path, 401, 'no_authorization']);
    }
  });
});

describe('what is not there', () => {
  test("[AU-17] an unknown passkey, or another person's: webauthn_credential_not_found", async () => {
    const { client, session } = await signedIn(server, await anAccount(server), elsewhere());
    expect(refusalOf(await client.auth.passkey.update({ passkeyId: NOBODY, friendlyName: 'X' }))).toEqual([
      404,
      'webauthn_credential_not_found',
    ]);
    expect(refusalOf(await client.auth.passkey.delete({ passkeyId: NOBODY }))).toEqual([
      404,
      'webauthn_credential_not_found',
    ]);
    const { admin } = administratorOf(server).auth;
    expect(refusalOf(await admin.passkey.deletePasskey({ userId: session.user.id, passkeyId: NOBODY }))).toEqual([
      404,
      'webauthn_credential_not_found',
    ]);
    expect(refusalOf(await admin.mfa.deleteFactor({ userId: session.user.id, id: NOBODY }))).toEqual([
      404,
      'mfa_factor_not_found',
    ]);
    expect((await admin.mfa.listFactors({ userId: session.user.id })).data?.factors).toEqual([]);
    for (const [method, path] of [
      ['PATCH', '/passkeys/moi'],
      ['DELETE', '/passkeys/moi'],
      ['POST', '/factors/moi/challenge'],
      ['DELETE', '/factors/moi'],
    ] as const) {
      const answer = await ask(server, method, path, { bearer: session.access_token, body: { friendly_name: 'X' } });
      expect([path, answer.status, answer.body['code']]).toEqual([path, 404, 'validation_failed']);
    }
  });

  test('[AU-17] a telephone registered while that was allowed gets nothing any more: mfa_phone_verify_not_enabled', async () => {
    const account = await anAccount(server);
    const { client } = await signedIn(server, account, elsewhere());
    const [factor] = await server.database.asOwner<{ id: string }>(
      `insert into auth.factors (user_id, factor_type, friendly_name, phone, status)
       values ($1, 'phone', 'Téléphone', '33612345678', 'verified') returning id`,
      [account.id],
    );
    expect(refusalOf(await client.auth.mfa.challenge({ factorId: factor?.id ?? '' }))).toEqual([
      422,
      'mfa_phone_verify_not_enabled',
    ]);
  });

  test('[AU-17] at the eleventh factor: too_many_enrolled_mfa_factors', async () => {
    const { client } = await signedIn(server, await anAccount(server), elsewhere());
    for (let count = 0; count < 10; count += 1) await enrolTotp(client, `Facteur ${count}`);
    expect(refusalOf(await client.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'Un de trop' }))).toEqual([
      422,
      'too_many_enrolled_mfa_factors',
    ]);
  });

  test('[AU-17] answers of keys that are none: 400 or 422, never a failure', async () => {
    const { session, client } = await signedIn(server, await anAccount(server), elsewhere());
    const { data: factor } = await client.auth.mfa.enroll({ factorType: 'webauthn', friendlyName: 'Clé' });
    const { data: asked } = await client.auth.mfa.challenge({
      factorId: factor?.id ?? '',
      webauthn: { rpId: 'parrain.example.fr', rpOrigins: [] },
    });
    for (const credential of [null, 'x', 1, [], {}, { id: 'a', rawId: 'b', response: {} }, { response: null }]) {
      const { data: start } = await clientOf(server, elsewhere()).auth.passkey.startAuthentication();
      const passkey = await ask(server, 'POST', '/passkeys/authentication/verify', {
        body: { challenge_id: start?.challenge_id, credential },
        headers: elsewhere(),
      });
      expect([credential, passkey.status]).toEqual([credential, 400]);
      const key = await ask(server, 'POST', `/factors/${factor?.id ?? ''}/verify`, {
        bearer: session.access_token,
        body: { challenge_id: asked?.id, webauthn: { type: 'create', credential_response: credential } },
        headers: elsewhere(),
      });
      expect([400, 422, 429]).toContain(key.status);
    }
  });
});

test('[AU-17][S-10] the second step announces itself: MFA_CHALLENGE_VERIFIED, and the new session carries it', async () => {
  const { client } = await signedIn(server, await anAccount(server), elsewhere());
  const events: string[] = [];
  client.auth.onAuthStateChange((event) => events.push(event));
  await passTotp(client, await enrolTotp(client));
  expect(events).toContain('MFA_CHALLENGE_VERIFIED');
  const { data } = await client.auth.getSession();
  expect(data.session).toMatchObject({
    token_type: 'bearer',
    expires_in: 3600,
    user: { factors: [{ status: 'verified' }] },
  });
  expect(Object.keys(data.session?.user.factors?.[0] ?? {}).toSorted()).toEqual([
    'created_at',
    'factor_type',
    'friendly_name',
    'id',
    'last_challenged_at',
    'phone',
    'status',
    'updated_at',
  ]);
});
