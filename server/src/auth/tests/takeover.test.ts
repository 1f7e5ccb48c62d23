import type { SupabaseClient } from '@supabase/supabase-js';
import { randomInt, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { anAccount, clientOf, endCooldowns, linkIn, PASSWORD, signedIn } from '../../testing/accounts.ts';
import { softwareAuthenticator } from '../../testing/authenticator.ts';
import { enrolTotp, passTotp } from '../../testing/factors.ts';
import { startTestServer } from '../../testing/index.ts';
import type { TestServer } from '../../testing/index.ts';
import { codeIn, elsewhere, wrongCode } from '../../testing/links.ts';
import { startSmsSink } from '../../testing/sms-sink.ts';
import type { SmsSink } from '../../testing/sms-sink.ts';

/** Somebody prepares an account, or a part of one, before its owner comes: nothing that they prepared opens it afterwards. */

const ORIGIN = 'https://parrain.example.fr';
const THIEFS = 'mot-de-passe-du-voleur-1';

let sink: SmsSink;
/** Accounts are confirmed at once, as by default. */
let server: TestServer;
let confirming: TestServer;
beforeAll(async () => {
  sink = await startSmsSink();
  const environment = { TRUST_PROXY: '1', PUBLIC_URL: ORIGIN, SMS_URL: sink.url };
  server = await startTestServer({ doors: ['auth', 'rest'], smtp: true, environment });
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

const anEmail = (): string => `victime-${randomUUID().slice(0, 8)}@example.fr`;
const aNumber = (): string => `337${randomInt(10_000_000, 99_999_999)}`;

function visitor(where = server): SupabaseClient['auth'] {
  return clientOf(where, elsewhere()).auth;
}

const refusalOf = ({ error }: { readonly error: { readonly code?: string | undefined } | null }): unknown =>
  error?.code ?? null;

async function textTo(phone: string): Promise<string> {
  return codeIn((await sink.take(`+${phone}`)).text);
}

describe('a second factor', () => {
  test('[AU-17][I-52] a key enrolled in advance, and not verified yet, does not replace the second factor that the account got since', async () => {
    const account = await anAccount(server);
    const { client: thief } = await signedIn(server, account, elsewhere());
    const prepared = await thief.auth.mfa.enroll({ factorType: 'webauthn', friendlyName: 'Clé' });
    expect(prepared.error).toBeNull();
    const factorId = prepared.data?.id ?? '';

    const { client: owner } = await signedIn(server, account, elsewhere());
    await passTotp(owner, await enrolTotp(owner));

    const { client: again } = await signedIn(server, account, elsewhere());
    const challenge = await again.auth.mfa.challenge({
      factorId,
      webauthn: { rpId: new URL(ORIGIN).hostname, rpOrigins: [ORIGIN] },
    });
    const key = softwareAuthenticator(ORIGIN);
    const options = challenge.data?.webauthn.credential_options.publicKey as never;
    const verified = await again.auth.mfa.verify({
      factorId,
      challengeId: challenge.data?.id ?? '',
      webauthn: {
        type: 'create',
        rpId: new URL(ORIGIN).hostname,
        rpOrigins: [ORIGIN],
        credential_response: key.create(options),
      } as never,
    });
    expect(verified.error).toMatchObject({ status: 403, code: 'insufficient_aal' });
    expect((await again.from('profiles').select('id')).error?.details).toBe('second_factor_required');
  });
});

describe('an address or a number registered by somebody else', () => {
  test("[AU-01][AU-08] the owner registers too soon for another mail: the earlier link does not open with the thief's password", async () => {
    const email = anEmail();
    await visitor(confirming).signUp({ email, password: THIEFS });
    const { text } = await confirming.mailbox.take(email);
    expect((await visitor(confirming).signUp({ email, password: PASSWORD })).error).toBeNull();
    const owner = visitor(confirming);
    expect((await owner.verifyOtp({ email, token: codeIn(text), type: 'signup' })).error).toBeNull();
    expect(refusalOf(await visitor(confirming).signInWithPassword({ email, password: THIEFS }))).toBe(
      'invalid_credentials',
    );
    expect((await owner.updateUser({ password: PASSWORD })).error).toBeNull();
    expect(refusalOf(await visitor(confirming).signInWithPassword({ email, password: PASSWORD }))).toBeNull();
  });

  test('[AU-01] the same registration sent ten times at once keeps its password', async () => {
    const email = anEmail();
    const phone = aNumber();
    await Promise.all(Array.from({ length: 10 }, () => visitor(confirming).signUp({ email, password: PASSWORD })));
    await Promise.all(Array.from({ length: 10 }, () => visitor(confirming).signUp({ phone, password: PASSWORD })));
    const { text } = await confirming.mailbox.take(email);
    expect(refusalOf(await visitor(confirming).verifyOtp({ email, token: codeIn(text), type: 'signup' }))).toBeNull();
    expect(
      refusalOf(await visitor(confirming).verifyOtp({ phone, token: await textTo(phone), type: 'sms' })),
    ).toBeNull();
    for (const name of [{ email }, { phone }]) {
      const { data, error } = await visitor(confirming).signInWithPassword({ ...name, password: PASSWORD });
      expect({ error, due: data.user?.app_metadata['password_change_required'] }).toEqual({
        error: null,
        due: undefined,
      });
    }
  });

  test("[AU-01][AU-07] a number registered twice: the first one's password does not open it", async () => {
    const phone = aNumber();
    await visitor().signUp({ phone, password: THIEFS });
    const code = await textTo(phone);
    await visitor().signUp({ phone, password: PASSWORD });
    expect(refusalOf(await visitor().verifyOtp({ phone, token: code, type: 'sms' }))).toBeNull();
    expect(refusalOf(await visitor().signInWithPassword({ phone, password: THIEFS }))).toBe('invalid_credentials');
  });

  test("[AU-07][AU-10] a sign-in code sent again forgets the thief's password too", async () => {
    const phone = aNumber();
    await visitor().signUp({ phone, password: THIEFS });
    await textTo(phone);
    expect((await visitor().signInWithOtp({ phone })).error).toBeNull();
    await textTo(phone);
    await server.database.asOwner(
      `update auth.users set confirmation_sent_at = confirmation_sent_at - interval '61 seconds',
         recovery_sent_at = recovery_sent_at - interval '61 seconds' where phone = $1`,
      [phone],
    );
    expect((await visitor().resend({ type: 'sms', phone })).error).toBeNull();
    expect(refusalOf(await visitor().verifyOtp({ phone, token: await textTo(phone), type: 'sms' }))).toBeNull();
    expect(refusalOf(await visitor().signInWithPassword({ phone, password: THIEFS }))).toBe('invalid_credentials');
  });

  test('[AU-08] the code of a number proves no address', async () => {
    const { client } = await signedIn(server, await anAccount(server), elsewhere());
    const phone = aNumber();
    await client.auth.updateUser({ phone });
    await visitor().verifyOtp({ phone, token: await textTo(phone), type: 'phone_change' });
    await visitor().signInWithOtp({ phone });
    const token = await textTo(phone);
    for (const type of ['email', 'signup', 'magiclink', 'recovery'] as const) {
      expect(refusalOf(await visitor().verifyOtp({ email: phone, token, type }))).not.toBeNull();
    }
    expect(refusalOf(await visitor().verifyOtp({ phone, token, type: 'sms' }))).toBeNull();
  });
});

describe('an address that nobody had to prove', () => {
  test.each(['recovery', 'magiclink'] as const)(
    "[AU-08][AU-09] the person who gets the first link there (%s) is at home: the thief's passkey, number, sessions and password fall",
    async (type) => {
      const email = anEmail();
      const thief = clientOf(server, elsewhere());
      expect((await thief.auth.signUp({ email, password: THIEFS })).error).toBeNull();
      const key = softwareAuthenticator(ORIGIN);
      const asked = await thief.auth.passkey.startRegistration();
      const registered = await thief.auth.passkey.verifyRegistration({
        challengeId: asked.data?.challenge_id ?? '',
        credential: key.create(asked.data?.options ?? { challenge: '' }).toJSON(),
      });
      expect(registered.error).toBeNull();
      const phone = aNumber();
      expect((await thief.auth.updateUser({ phone })).error).toBeNull();
      expect(
        refusalOf(await visitor().verifyOtp({ phone, token: await textTo(phone), type: 'phone_change' })),
      ).toBeNull();

      await (type === 'recovery' ? visitor().resetPasswordForEmail(email) : visitor().signInWithOtp({ email }));
      const link = await linkTo(email);
      const owner = clientOf(server, elsewhere());
      expect(refusalOf(await owner.auth.verifyOtp({ token_hash: link, type }))).toBeNull();

      expect((await thief.auth.getUser()).error).not.toBeNull();
      const challenge = await visitor().passkey.startAuthentication();
      const entered = await visitor().passkey.verifyAuthentication({
        challengeId: challenge.data?.challenge_id ?? '',
        credential: key.get(challenge.data?.options ?? { challenge: '' }).toJSON(),
      });
      expect(refusalOf(entered)).toBe('webauthn_verification_failed');
      expect(await server.database.asOwner('select from auth.users where phone = $1', [phone])).toEqual([]);
      expect(refusalOf(await visitor().signInWithPassword({ email, password: THIEFS }))).toBe('invalid_credentials');

      // The password that the owner then sets stays, whatever links they follow later.
      expect((await owner.auth.updateUser({ password: PASSWORD })).error).toBeNull();
      await server.database.asOwner(`update auth.users set recovery_sent_at = null where email = $1`, [email]);
      await endCooldowns(server);
      await visitor().signInWithOtp({ email });
      expect(refusalOf(await visitor().verifyOtp({ token_hash: await linkTo(email), type: 'magiclink' }))).toBeNull();
      expect(refusalOf(await visitor().signInWithPassword({ email, password: PASSWORD }))).toBeNull();
      expect((await owner.auth.getUser()).error).toBeNull();
    },
  );
});

/** The token of the last mail with a link to /verify. */
async function linkTo(email: string): Promise<string> {
  for (;;) {
    const { text } = await server.mailbox.take(email);
    if (!text.includes('token')) continue;
    const { searchParams } = linkIn(text);
    const token = searchParams.get('token') ?? searchParams.get('token_hash');
    if (token !== null) return token;
  }
}

describe('somebody who only wants to keep others out', () => {
  test('[AU-08][AU-09][I-50] five wrong codes void the code, and leave its owner the link, which nobody guesses', async () => {
    const account = await anAccount(server);
    await visitor().resetPasswordForEmail(account.email);
    const { text } = await server.mailbox.take(account.email);
    const code = codeIn(text);
    for (let attempt = 0; attempt < 6; attempt += 1) {
      await visitor().verifyOtp({ email: account.email, token: wrongCode(code), type: 'recovery' });
    }
    expect(refusalOf(await visitor().verifyOtp({ email: account.email, token: code, type: 'recovery' }))).toBe(
      'otp_expired',
    );
    const { searchParams } = linkIn(text);
    const link = searchParams.get('token') ?? searchParams.get('token_hash') ?? '';
    expect(refusalOf(await visitor().verifyOtp({ token_hash: link, type: 'recovery' }))).toBeNull();
  });

  test('[AU-01][I-51] metadata four thousand levels deep are a failure nowhere', async () => {
    const deep = JSON.parse(`${'['.repeat(4000)}${']'.repeat(4000)}`) as unknown;
    const { client } = await signedIn(server, await anAccount(server), elsewhere());
    for (const { error } of [
      await visitor().signUp({ email: anEmail(), password: PASSWORD, options: { data: { deep } } }),
      await client.auth.updateUser({ data: { deep } }),
    ]) {
      expect(error?.status ?? 200).toBeLessThan(500);
    }
  });

  test('[AU-09][AU-13][I-50] asking for another person what is not sent does not use up their messages', async () => {
    const account = await anAccount(server);
    const { client } = await signedIn(server, await anAccount(server), elsewhere());
    for (let attempt = 0; attempt < 10; attempt += 1) {
      expect(refusalOf(await client.auth.updateUser({ email: account.email }))).toBe('email_exists');
    }
    await visitor().resetPasswordForEmail(account.email);
    await server.mailbox.take(account.email);
    await Promise.all(Array.from({ length: 10 }, () => visitor().resetPasswordForEmail(account.email)));
    await expect
      .poll(
        () => server.database.asOwner(`select from graphile_worker.jobs where task_identifier = 'auth_mail_request'`),
        {
          timeout: 5000,
        },
      )
      .toEqual([]);
    await server.database.asOwner(`update auth.users set recovery_sent_at = null where id = $1`, [account.id]);
    await endCooldowns(server);
    await visitor().resetPasswordForEmail(account.email);
    expect((await server.mailbox.take(account.email)).text).toContain('token');
  });
});
