import type { SupabaseClient } from '@supabase/supabase-js';
import { Secret } from 'otpauth';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { anAccount, refreshWith, signedIn } from '../../testing/accounts.ts';
import type { TestAccount } from '../../testing/accounts.ts';
import { applicationOf, enrolTotp, passTotp } from '../../testing/factors.ts';
import type { Application } from '../../testing/factors.ts';
import { only, startTestServer } from '../../testing/index.ts';
import type { TestServer } from '../../testing/index.ts';
import { lockIsWaitedFor } from '../../testing/waiting.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ doors: ['auth', 'rest'], smtp: true, environment: { TRUST_PROXY: '1' } });
});
afterAll(() => server.close());

let lastNetwork = 0;
/** A person from a network of their own: calls are counted by network. */
function elsewhere(): Record<string, string> {
  lastNetwork += 1;
  return { 'x-forwarded-for': `10.7.${Math.floor(lastNetwork / 250)}.${(lastNetwork % 250) + 1}` };
}

const STEP_MS = 30_000;

/** Someone with an authenticator application, signed in at the second level. The present code is used up. */
async function protectedPerson(): Promise<{
  readonly account: TestAccount;
  readonly client: SupabaseClient;
  readonly application: Application;
}> {
  const account = await anAccount(server);
  const { client } = await signedIn(server, account, elsewhere());
  const application = await enrolTotp(client);
  // The code of the step before: the present one and the next are still to be used.
  await passTotp(client, application, -1);
  return { account, client, application };
}

async function challengeOf(client: SupabaseClient, factorId: string): Promise<string> {
  const { data, error } = await client.auth.mfa.challenge({ factorId });
  if (error !== null) throw error;
  return data.id;
}

async function levelOf(client: SupabaseClient): Promise<unknown> {
  return (await client.auth.mfa.getAuthenticatorAssuranceLevel()).data;
}

describe('an authenticator application', () => {
  test('[AU-17] enrolment, challenge, answer: the session rises to the second level', async () => {
    const account = await anAccount(server);
    const { client } = await signedIn(server, account, elsewhere());
    const enrolled = await client.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'Mon téléphone' });
    expect(enrolled.error).toBeNull();
    expect(enrolled.data).toMatchObject({ type: 'totp', friendly_name: 'Mon téléphone' });
    const svg = enrolled.data?.totp.qr_code ?? '';
    expect(svg).toMatch(/^data:image\/svg\+xml;utf-8,<svg /u);
    expect(svg).not.toContain('#');
    const uri = new URL(enrolled.data?.totp.uri ?? '');
    expect(decodeURIComponent(uri.pathname)).toBe(`/${new URL(server.url).host}:${account.email}`);
    const { secret = '' } = enrolled.data?.totp ?? {};
    expect(Object.fromEntries(uri.searchParams)).toMatchObject({
      algorithm: 'SHA1',
      digits: '6',
      period: '30',
      secret,
    });
    expect(Secret.fromBase32(secret).bytes).toHaveLength(20);
    expect((await client.auth.mfa.listFactors()).data).toMatchObject({
      all: [{ status: 'unverified', friendly_name: 'Mon téléphone', phone: '', last_challenged_at: null }],
      totp: [],
    });
    expect(await levelOf(client)).toMatchObject({ currentLevel: 'aal1', nextLevel: 'aal1' });

    const factorId = enrolled.data?.id ?? '';
    const challenge = await client.auth.mfa.challenge({ factorId });
    expect(challenge.data).toMatchObject({ type: 'totp', id: expect.any(String) });
    const lasts = (challenge.data?.expires_at ?? 0) - Date.now() / 1000;
    expect(lasts).toBeGreaterThan(270);
    expect(lasts).toBeLessThan(301);
    const verified = await client.auth.mfa.verify({
      factorId,
      challengeId: challenge.data?.id ?? '',
      code: applicationOf(factorId, secret).code(),
    });
    expect(verified.error).toBeNull();
    expect(verified.data).toMatchObject({
      token_type: 'bearer',
      expires_in: 3600,
      user: {
        factors: [{ id: factorId, status: 'verified', factor_type: 'totp', last_challenged_at: expect.any(String) }],
      },
    });
    expect(await levelOf(client)).toMatchObject({
      currentLevel: 'aal2',
      nextLevel: 'aal2',
      currentAuthenticationMethods: [{ method: 'totp', timestamp: expect.any(Number) }, { method: 'password' }],
    });
    const mail = await server.mailbox.take(account.email);
    expect(mail.subject).toContain('La double authentification est activée');
    expect(mail.text).toContain('une application d’authentification');
  });

  test('[AU-17] the secret is sealed, and is read nowhere again', async () => {
    const { client, application } = await protectedPerson();
    const { secret_sealed: sealed } = only(
      await server.database.asOwner<{ secret_sealed: Buffer }>('select secret_sealed from auth.factors where id = $1', [
        application.factorId,
      ]),
    );
    expect(sealed.includes(Buffer.from(Secret.fromBase32(application.secret).bytes))).toBe(false);
    const { data } = await client.auth.getUser();
    expect(JSON.stringify(data)).not.toContain(application.secret);
    expect(Object.keys(data.user?.factors?.[0] ?? {}).sort()).toEqual(
      [
        'created_at',
        'factor_type',
        'friendly_name',
        'id',
        'last_challenged_at',
        'phone',
        'status',
        'updated_at',
      ].sort(),
    );
  });

  test('[AU-17] each session tells its factors, and the next one starts at the first level', async () => {
    const { account, application } = await protectedPerson();
    const { client, session } = await signedIn(server, account, elsewhere());
    expect(session.user.factors).toMatchObject([{ id: application.factorId, status: 'verified' }]);
    expect(await levelOf(client)).toMatchObject({ currentLevel: 'aal1', nextLevel: 'aal2' });
    const { data } = await client.auth.refreshSession();
    expect(data.user?.factors).toHaveLength(1);
    await passTotp(client, application);
    expect(await levelOf(client)).toMatchObject({ currentLevel: 'aal2' });
    // The level outlives a refresh.
    await client.auth.refreshSession();
    expect(await levelOf(client)).toMatchObject({ currentLevel: 'aal2', nextLevel: 'aal2' });
  });

  test('[AU-17][I-52][TOTP replay] a code is good once, and an older one not afterwards', async () => {
    const { client, application } = await protectedPerson();
    const { factorId } = application;
    const now = Date.now();
    await passTotp(client, application);
    for (const at of [now, now - STEP_MS]) {
      const { error } = await client.auth.mfa.challengeAndVerify({ factorId, code: application.code(at) });
      expect(error).toMatchObject({ status: 422, code: 'mfa_verification_failed' });
      expect(error?.message).toContain('Invalid TOTP code');
    }
    await passTotp(client, application, 1);
  });

  test('[AU-17] twenty simultaneous answers with one code: one passes', async () => {
    const { account, application } = await protectedPerson();
    const { client, session } = await signedIn(server, account, elsewhere());
    const challenges = await Promise.all(Array.from({ length: 20 }, () => challengeOf(client, application.factorId)));
    const code = application.code();
    const statuses = await Promise.all(
      challenges.map(async (id, index) => {
        const response = await server.fetch(`/auth/v1/factors/${application.factorId}/verify`, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${session.access_token}`,
            'content-type': 'application/json',
            'x-forwarded-for': `10.8.0.${index + 1}`,
          },
          body: JSON.stringify({ challenge_id: id, code }),
        });
        return response.status;
      }),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(new Set(statuses)).toEqual(new Set([200, 422, 429]));
  });

  test('[AU-17] after five errors the factor waits, longer and longer, wherever the tries come from', async () => {
    const { account, application } = await protectedPerson();
    const { factorId } = application;
    const { client } = await signedIn(server, account, elsewhere());
    const wrong = async () =>
      (await client.auth.mfa.challengeAndVerify({ factorId, code: '000000' })).error ?? { status: 200, code: '' };
    for (let attempt = 0; attempt < 5; attempt += 1) expect(await wrong()).toMatchObject({ status: 422 });
    expect(await wrong()).toMatchObject({ status: 429, code: 'over_request_rate_limit' });
    // The right code waits too, and from another network as well.
    const { client: other } = await signedIn(server, account, elsewhere());
    const right = await other.auth.mfa.challengeAndVerify({ factorId, code: application.code() });
    expect(right.error).toMatchObject({ status: 429 });
    // The wait doubles with each error, and the person gets in once it is over.
    const { wait } = only(
      await server.database.asOwner<{ wait: number }>(
        `update auth.factors f set failures = 8, failed_at = clock_timestamp() where id = $1
         returning private.factor_wait(f)::float8 as wait`,
        [factorId],
      ),
    );
    expect(wait).toBeGreaterThan(90);
    expect(wait).toBeLessThanOrEqual(120);
    await server.database.asOwner(`update auth.factors set failed_at = now() - interval '10 minutes' where id = $1`, [
      factorId,
    ]);
    await passTotp(other, application);
    expect(
      only(await server.database.asOwner('select failures, failed_at from auth.factors where id = $1', [factorId])),
    ).toEqual({ failures: 0, failed_at: null });
  });

  test('[AU-17] each refusal has its code and its status', async () => {
    const { client, application } = await protectedPerson();
    const { factorId } = application;
    const verify = async (challengeId: string, code: string, id = factorId) =>
      (await client.auth.mfa.verify({ factorId: id, challengeId, code })).error;
    const nobody = '00000000-0000-4000-8000-000000000000';
    const stranger = await protectedPerson();

    expect((await client.auth.mfa.challenge({ factorId: nobody })).error).toMatchObject({
      status: 404,
      code: 'mfa_factor_not_found',
    });
    // Another person's factor is no factor.
    expect((await client.auth.mfa.challenge({ factorId: stranger.application.factorId })).error).toMatchObject({
      status: 404,
      code: 'mfa_factor_not_found',
    });
    expect((await client.auth.mfa.unenroll({ factorId: stranger.application.factorId })).error).toMatchObject({
      status: 404,
    });
    for (const id of ['1', '..%2f..%2fuser', '%00']) {
      const { error } = await client.auth.mfa.challenge({ factorId: id });
      expect(error?.status).toBe(404);
    }
    const challenge = await challengeOf(client, factorId);
    expect(await verify(challenge, '')).toMatchObject({ status: 400, code: 'validation_failed' });
    expect(await verify(nobody, '123456')).toMatchObject({ status: 422, code: 'mfa_factor_not_found' });
    expect(await verify('x', '123456')).toMatchObject({ status: 400, code: 'validation_failed' });
    // A challenge of another factor.
    const theirs = await challengeOf(stranger.client, stranger.application.factorId);
    expect(await verify(theirs, application.code())).toMatchObject({ status: 422, code: 'mfa_factor_not_found' });
    expect(await verify(challenge, 'abcdef')).toMatchObject({ status: 422, code: 'mfa_verification_failed' });
    expect(await verify(challenge, application.code())).toBeNull();
    expect(await verify(challenge, application.code(Date.now() + STEP_MS))).toMatchObject({
      status: 422,
      code: 'mfa_ip_address_mismatch',
    });
    const old = await challengeOf(client, factorId);
    await server.database.asOwner('update auth.challenges set expires_at = now() where id = $1', [old]);
    expect(await verify(old, application.code(Date.now() + STEP_MS))).toMatchObject({
      status: 422,
      code: 'mfa_challenge_expired',
    });
    expect((await client.auth.mfa.enroll({ factorType: 'phone', phone: '+33612345678' })).error).toMatchObject({
      status: 422,
      code: 'mfa_phone_enroll_not_enabled',
    });
    const headers = { authorization: `Bearer ${(await client.auth.getSession()).data.session?.access_token}` };
    for (const body of [{}, { factor_type: 'sms' }, { factor_type: 'totp', friendly_name: 'x'.repeat(121) }, []]) {
      const response = await server.fetch('/auth/v1/factors', {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      expect(response.status).toBe(400);
    }
  });

  test('[AU-17] an address that changes between challenge and answer is noted, not refused', async () => {
    const { account, application } = await protectedPerson();
    const { session, client } = await signedIn(server, account, elsewhere());
    const challenge = await challengeOf(client, application.factorId);
    const response = await server.fetch(`/auth/v1/factors/${application.factorId}/verify`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${session.access_token}`,
        'content-type': 'application/json',
        ...elsewhere(),
      },
      body: JSON.stringify({ challenge_id: challenge, code: application.code() }),
    });
    expect(response.status).toBe(200);
    const { detail } = only(
      await server.database.asOwner<{ detail: Record<string, unknown> }>(
        `select detail from auth.audit_entries where user_id = $1 and action = 'factor_used'`,
        [account.id],
      ),
    );
    expect(detail).toMatchObject({ same_address: false, factor: application.factorId });
  });
});

describe('names and limits', () => {
  test('[AU-17] two factors do not bear one name, the empty name included', async () => {
    const { client } = await signedIn(server, await anAccount(server), elsewhere());
    for (const friendlyName of ['Clé', '']) {
      const enroll = () => client.auth.mfa.enroll({ factorType: 'totp', friendlyName });
      expect((await enroll()).error).toBeNull();
      expect((await enroll()).error).toMatchObject({ status: 422, code: 'mfa_factor_name_conflict' });
    }
    expect((await client.auth.mfa.enroll({ factorType: 'totp' })).error?.code).toBe('mfa_factor_name_conflict');
    expect((await client.auth.mfa.listFactors()).data?.all).toHaveLength(2);
  });

  test('[AU-17] ten factors at most, even asked for together', async () => {
    const { client } = await signedIn(server, await anAccount(server), elsewhere());
    const outcomes = await Promise.all(
      Array.from({ length: 14 }, (_, index) =>
        client.auth.mfa.enroll({ factorType: 'totp', friendlyName: `n° ${index}` }),
      ),
    );
    expect(outcomes.filter(({ error }) => error === null)).toHaveLength(10);
    expect(new Set(outcomes.flatMap(({ error }) => (error === null ? [] : [`${error.status} ${error.code}`])))).toEqual(
      new Set(['422 too_many_enrolled_mfa_factors']),
    );
  });

  test('[AU-17] an abandoned enrolment gives its name up after five minutes; verifying a factor erases the other attempts', async () => {
    const { client } = await signedIn(server, await anAccount(server), elsewhere());
    const { factorId } = await enrolTotp(client, 'Téléphone');
    await server.database.asOwner(`update auth.factors set created_at = now() - interval '301 seconds' where id = $1`, [
      factorId,
    ]);
    const again = await enrolTotp(client, 'Téléphone');
    await enrolTotp(client, 'Tablette');
    expect((await client.auth.mfa.listFactors()).data?.all).toHaveLength(2);
    await passTotp(client, again);
    expect((await client.auth.mfa.listFactors()).data?.all).toMatchObject([{ id: again.factorId, status: 'verified' }]);
  });

  test('[AU-17] the first level adds no factor to a person who has one, even simultaneously', async () => {
    const { account, application } = await protectedPerson();
    const { client } = await signedIn(server, account, elsewhere());
    const { error } = await client.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'Autre' });
    expect(error).toMatchObject({ status: 403, code: 'insufficient_aal' });
    await passTotp(client, application);
    expect((await client.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'Autre' })).error).toBeNull();
  });

  test('[AU-17] an enrolment that waited while the account was being protected is refused', async () => {
    const account = await anAccount(server);
    const { client } = await signedIn(server, account, elsewhere());
    const { factorId } = await enrolTotp(client, 'Première');
    const late = await server.services.db.asService('test', async (tx) => {
      await tx.query('select from auth.users where id = $1 for update', [account.id]);
      const waiting = client.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'Deuxième' });
      await lockIsWaitedFor(server);
      await tx.query(`update auth.factors set status = 'verified' where id = $1`, [factorId]);
      return { waiting };
    });
    expect((await late.waiting).error).toMatchObject({ status: 403, code: 'insufficient_aal' });
  });

  test('[AU-17] an anonymous person has no factor', async () => {
    const account = await anAccount(server);
    const { client } = await signedIn(server, account, elsewhere());
    await server.database.asOwner('update auth.users set is_anonymous = true where id = $1', [account.id]);
    expect((await client.auth.mfa.enroll({ factorType: 'totp' })).error).toMatchObject({
      status: 403,
      code: 'no_authorization',
    });
  });
});

describe('what follows from a second factor', () => {
  test('[AU-17] the other sessions of the first level end, those of the second stay', async () => {
    const { account, client: raised, application } = await protectedPerson();
    const waiting = await signedIn(server, account, elsewhere());
    const { client } = await signedIn(server, account, elsewhere());
    await passTotp(client, application);
    expect((await waiting.client.auth.getUser()).error?.name).toBe('AuthSessionMissingError');
    expect((await raised.auth.getUser()).error).toBeNull();
    expect((await client.auth.getUser()).error).toBeNull();
  });

  test('[AU-03, AU-17][auth#2284][auth#2624] the earlier refresh token is void, at once, and ends the session', async () => {
    const { account, application } = await protectedPerson();
    const { client, session } = await signedIn(server, account, elsewhere());
    const first = (await refreshWith(server, session.refresh_token)).body['refresh_token'] as string;
    await client.auth.setSession({ access_token: session.access_token, refresh_token: first });
    await passTotp(client, application);
    const current = (await client.auth.getSession()).data.session?.refresh_token ?? '';
    // A refresh right after: the grace for tabs that come at once does not reach behind the second factor.
    const next = await refreshWith(server, current);
    expect(next.status).toBe(200);
    for (const before of [first, session.refresh_token]) {
      expect(await refreshWith(server, before)).toMatchObject({ status: 400 });
    }
    expect(await refreshWith(server, next.body['refresh_token'] as string)).toMatchObject({
      status: 400,
      body: { code: 'refresh_token_not_found' },
    });
  });

  test('[AU-17][I-52][auth#2607] the removal of a verified factor asks for the second level, and loses it', async () => {
    const { account, client, application } = await protectedPerson();
    await server.mailbox.take(account.email);
    const { factorId } = application;
    const low = await signedIn(server, account, elsewhere());
    expect((await low.client.auth.mfa.unenroll({ factorId })).error).toMatchObject({
      status: 422,
      code: 'insufficient_aal',
    });
    expect((await client.auth.mfa.unenroll({ factorId })).data).toEqual({ id: factorId });
    await client.auth.refreshSession();
    expect(await levelOf(client)).toMatchObject({
      currentLevel: 'aal1',
      nextLevel: 'aal1',
      currentAuthenticationMethods: [{ method: 'password' }],
    });
    expect((await server.mailbox.take(account.email)).text).toContain('a été retirée de votre compte');
    // An enrolment that was never finished goes without it.
    const unfinished = await enrolTotp(client, 'Brouillon');
    expect((await client.auth.mfa.unenroll({ factorId: unfinished.factorId })).error).toBeNull();
  });

  test('[AU-17][auth#2607] of two factors, the removal of one lowers only the sessions that it had raised', async () => {
    const { account, client, application } = await protectedPerson();
    const second = await enrolTotp(client, 'Deuxième');
    await passTotp(client, second);
    const { client: other } = await signedIn(server, account, elsewhere());
    await passTotp(other, application);
    await other.auth.mfa.unenroll({ factorId: application.factorId });
    await client.auth.refreshSession();
    await other.auth.refreshSession();
    expect(await levelOf(client)).toMatchObject({ currentLevel: 'aal2' });
    expect(await levelOf(other)).toMatchObject({ currentLevel: 'aal1', nextLevel: 'aal2' });
  });

  test('[AU-17] each act is in the audit trail', async () => {
    const { account, client, application } = await protectedPerson();
    await client.auth.mfa.challengeAndVerify({ factorId: application.factorId, code: '000000' });
    await client.auth.mfa.unenroll({ factorId: application.factorId });
    const actions = await server.database.asOwner<{ action: string }>(
      `select action from auth.audit_entries where user_id = $1 and action like 'factor%' order by id`,
      [account.id],
    );
    expect(actions.map(({ action }) => action)).toEqual([
      'factor_enrolled',
      'factor_verified',
      'factor_refused',
      'factor_removed',
    ]);
  });
});

describe('what is left behind', () => {
  test("[AU-17] at night, unfinished attempts and yesterday's challenges are erased, the rest stays", async () => {
    const { client, application } = await protectedPerson();
    const unfinished = await enrolTotp(client, 'Brouillon');
    const old = await challengeOf(client, application.factorId);
    const fresh = await challengeOf(client, application.factorId);
    await server.database.asOwner(`update auth.factors set created_at = now() - interval '2 days' where id = any($1)`, [
      [unfinished.factorId, application.factorId],
    ]);
    await server.database.asOwner(`update auth.challenges set expires_at = now() - interval '2 days' where id = $1`, [
      old,
    ]);
    await server.services.db.asService('test', (tx) => server.services.jobs.enqueue(tx, 'auth_cleanup', {}));
    const left = async () => [
      (await server.database.asOwner('select id from auth.factors where id = $1', [unfinished.factorId])).length,
      (await server.database.asOwner('select id from auth.challenges where id = $1', [old])).length,
    ];
    await expect.poll(left).toEqual([0, 0]);
    expect(await server.database.asOwner('select id from auth.challenges where id = $1', [fresh])).toHaveLength(1);
    expect((await client.auth.mfa.listFactors()).data?.all).toMatchObject([{ id: application.factorId }]);
  });
});
