import { createClient } from '@supabase/supabase-js';
import type { SupabaseClient } from '@supabase/supabase-js';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { anAccount, clientOf, endCooldowns, linkIn, PASSWORD, signedIn } from '../../testing/accounts.ts';
import { startTestServer } from '../../testing/index.ts';
import type { TestServer } from '../../testing/index.ts';
import { codeIn, elsewhere, fragmentOf, landing } from '../../testing/links.ts';

let server: TestServer;
let confirming: TestServer;
beforeAll(async () => {
  const environment = { TRUST_PROXY: '1' };
  server = await startTestServer({ doors: ['auth'], smtp: true, environment });
  confirming = await startTestServer({
    doors: ['auth'],
    smtp: true,
    environment: { ...environment, SIGNUP_CONFIRMATION: '1' },
  });
});
afterAll(async () => {
  await server.close();
  await confirming.close();
});

/** The official client as an application with a server half configures it; its storage is in memory. */
function exchanging(where: TestServer): SupabaseClient {
  return createClient(where.url, where.services.keys.publishableKey, {
    auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false, flowType: 'pkce' },
    global: { headers: elsewhere() },
  });
}

const anEmail = (): string => `code-${randomUUID().slice(0, 8)}@example.fr`;

function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}

async function post(path: string, body: unknown): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await server.fetch(`/auth/v1${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...elsewhere() },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

async function exchange(code: string, verifier: string): Promise<{ status: number; body: Record<string, unknown> }> {
  return post('/token?grant_type=pkce', { auth_code: code, code_verifier: verifier });
}

/** A code that waits for its exchange, with its verifier. */
async function aCode(email: string): Promise<{ readonly code: string; readonly verifier: string }> {
  const verifier = randomBytes(56).toString('hex');
  const asked = await post('/recover', {
    email,
    code_challenge: challengeOf(verifier),
    code_challenge_method: 's256',
  });
  expect(asked.status).toBe(200);
  const led = await landing(linkIn((await server.mailbox.take(email)).text), elsewhere());
  return { code: led.searchParams.get('code') ?? '', verifier };
}

function methodsOf(token: string): string[] {
  const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as {
    amr: { method: string }[];
  };
  return claims.amr.map(({ method }) => method);
}

describe('exchange of a code, with the official client', () => {
  test('[AU-04][AU-01] a registration: the link leads to the code, the code to the session', async () => {
    const email = anEmail();
    const { auth } = exchanging(confirming);
    const asked = await auth.signUp({
      email,
      password: PASSWORD,
      options: { emailRedirectTo: `${confirming.url}/client/dashboard?onglet=1` },
    });
    expect(asked.error).toBeNull();
    const link = linkIn((await confirming.mailbox.take(email)).text);
    expect(link.searchParams.get('token')).toMatch(/^pkce_/u);
    const led = await landing(link, elsewhere());
    expect(led.pathname).toBe('/client/dashboard');
    expect(led.searchParams.get('onglet')).toBe('1');
    expect(led.hash).toBe('');
    expect(led.searchParams.get('code')).toMatch(/^[\da-f-]{36}$/u);

    const { data, error } = await auth.exchangeCodeForSession(led.searchParams.get('code') ?? '');
    expect(error).toBeNull();
    expect(data.user).toMatchObject({ email, app_metadata: { role: 'client' } });
    expect(data.user?.email_confirmed_at).toBeTruthy();
    expect(methodsOf(data.session?.access_token ?? '')).toEqual(['email/signup']);
  });

  test('[AU-04][AU-09] a new password: the client knows that it is one, and changes it', async () => {
    const account = await anAccount(server);
    const { auth } = exchanging(server);
    const events: string[] = [];
    auth.onAuthStateChange((event) => events.push(event));
    await auth.resetPasswordForEmail(account.email, { redirectTo: `${server.url}/mot-de-passe` });
    const led = await landing(linkIn((await server.mailbox.take(account.email)).text), elsewhere());
    expect(led.pathname).toBe('/mot-de-passe');
    const { data, error } = await auth.exchangeCodeForSession(led.searchParams.get('code') ?? '');
    expect(error).toBeNull();
    expect(data.user?.id).toBe(account.id);
    expect(events).toContain('PASSWORD_RECOVERY');
    expect(methodsOf(data.session?.access_token ?? '')).toEqual(['recovery']);
    expect((await auth.updateUser({ password: 'quatre-grands-chiens-8' })).error).toBeNull();
    await signedIn(server, { ...account, password: 'quatre-grands-chiens-8' }, elsewhere());
  });

  test('[AU-04][AU-07] a sign-in link: the link by the code, or the six digits without it', async () => {
    const account = await anAccount(server);
    const { auth } = exchanging(server);
    await auth.signInWithOtp({ email: account.email });
    const link = linkIn((await server.mailbox.take(account.email)).text);
    const led = await landing(link, elsewhere());
    const { data, error } = await auth.exchangeCodeForSession(led.searchParams.get('code') ?? '');
    expect(error).toBeNull();
    expect(methodsOf(data.session?.access_token ?? '')).toEqual(['magiclink']);

    const again = await landing(link, elsewhere());
    expect(again.searchParams.get('error_code')).toBe('otp_expired');
    expect(again.searchParams.get('error')).toBe('access_denied');
    expect(fragmentOf(again).get('error_code')).toBe('otp_expired');
    expect(again.searchParams.has('code')).toBe(false);

    const other = await anAccount(server);
    await auth.signInWithOtp({ email: other.email });
    const token = codeIn((await server.mailbox.take(other.email)).text);
    const typed = await auth.verifyOtp({ email: other.email, token, type: 'email' });
    expect(typed.error).toBeNull();
    expect(methodsOf(typed.data.session?.access_token ?? '')).toEqual(['otp']);
  });

  test('[AU-04][I-51] without the verifier of the asking client the code is worth nothing', async () => {
    const account = await anAccount(server);
    const { auth } = exchanging(server);
    await auth.signInWithOtp({ email: account.email });
    const led = await landing(linkIn((await server.mailbox.take(account.email)).text), elsewhere());
    const code = led.searchParams.get('code') ?? '';
    const thief = exchanging(server);
    expect((await thief.auth.exchangeCodeForSession(code)).error).not.toBeNull();
    await thief.auth.resetPasswordForEmail(anEmail());
    expect((await thief.auth.exchangeCodeForSession(code)).error).toMatchObject({
      status: 400,
      code: 'bad_code_verifier',
    });
    expect((await auth.exchangeCodeForSession(code)).error).toBeNull();
  });
});

describe('exchange of a code', () => {
  test('[AU-04][I-51] a missing or wrong verifier, a missing or unknown code', async () => {
    const account = await anAccount(server);
    const { code, verifier } = await aCode(account.email);
    for (const [given, proof, status, error_code] of [
      ['', verifier, 400, 'validation_failed'],
      [code, '', 400, 'validation_failed'],
      [code, randomBytes(56).toString('hex'), 400, 'bad_code_verifier'],
      [code, challengeOf(verifier), 400, 'bad_code_verifier'],
      [code, `${verifier} `, 400, 'bad_code_verifier'],
      [randomUUID(), verifier, 404, 'flow_state_not_found'],
      ['pas-un-code', verifier, 404, 'flow_state_not_found'],
      ["' or 1=1 --", verifier, 404, 'flow_state_not_found'],
    ] as const) {
      expect(await exchange(given, proof)).toMatchObject({ status, body: { error_code } });
    }
    expect((await post('/token?grant_type=pkce', {})).body['error_code']).toBe('validation_failed');
    expect((await post('/token?grant_type=pkce', { auth_code: 1, code_verifier: [] })).status).toBe(400);
    // The refused exchanges have not used it up.
    expect((await exchange(code, verifier)).status).toBe(200);
  });

  test('[AU-04][I-51][auth#2483] a code is exchanged once, even by twenty simultaneous exchanges', async () => {
    const account = await anAccount(server);
    const { code, verifier } = await aCode(account.email);
    const answers = await Promise.all(Array.from({ length: 20 }, () => exchange(code, verifier)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      expect(answer).toMatchObject({ status: 404, body: { error_code: 'flow_state_not_found' } });
    }
    const sessions = await server.database.asOwner('select from auth.sessions where user_id = $1', [account.id]);
    expect(sessions).toHaveLength(1);
  });

  test('[AU-04][I-51] a code older than five minutes has expired', async () => {
    const account = await anAccount(server);
    const { code, verifier } = await aCode(account.email);
    const [row] = await server.database.asOwner<{ seconds: number }>(
      `select extract(epoch from expires_at - created_at)::int as seconds from auth.flow_states where user_id = $1`,
      [account.id],
    );
    expect(row?.seconds).toBe(300);
    await server.database.asOwner(`update auth.flow_states set expires_at = now() where user_id = $1`, [account.id]);
    expect(await exchange(code, verifier)).toMatchObject({ status: 422, body: { error_code: 'flow_state_expired' } });
    expect(await exchange(code, verifier)).toMatchObject({ status: 404, body: { error_code: 'flow_state_not_found' } });
  });

  test('[AU-04] a malformed challenge is refused wherever one is sent', async () => {
    const good = challengeOf('x');
    const email = anEmail();
    for (const path of ['/signup', '/recover', '/otp', '/magiclink', '/resend'] as const) {
      const body = { email, password: PASSWORD, type: 'signup' };
      for (const [challenge, method] of [
        [good, 'plain'],
        [good, ''],
        ['', 's256'],
        [good, 'md5'],
        [good.slice(1), 's256'],
        [`${good}${'a'.repeat(90)}`, 's256'],
        [`${good.slice(1)}!`, 's256'],
      ]) {
        const answer = await post(path, { ...body, code_challenge: challenge, code_challenge_method: method });
        expect({ path, challenge, method, ...answer }).toMatchObject({
          status: 400,
          body: { error_code: 'validation_failed' },
        });
      }
    }
    expect(await server.database.asOwner('select from auth.users where email = $1', [email])).toHaveLength(0);
    // Null, as the client writes it where it has none, is none; upper case is the same method.
    expect((await post('/recover', { email, code_challenge: null, code_challenge_method: null })).status).toBe(200);
    await endCooldowns(server);
    expect((await post('/recover', { email, code_challenge: good, code_challenge_method: 'S256' })).status).toBe(200);
  });

  test('[AU-04][I-45] a code given before a change of password is void', async () => {
    const account = await anAccount(server);
    const { client } = await signedIn(server, account, elsewhere());
    const { code, verifier } = await aCode(account.email);
    expect(
      (await client.auth.updateUser({ password: 'quatre-grands-chiens-8', current_password: PASSWORD })).error,
    ).toBeNull();
    expect(await exchange(code, verifier)).toMatchObject({ status: 404, body: { error_code: 'flow_state_not_found' } });
  });

  test('[AU-04][I-42] a person deactivated between the link and the exchange does not enter', async () => {
    const account = await anAccount(server);
    const { code, verifier } = await aCode(account.email);
    await server.database.asOwner('update public.profiles set deactivated_at = now() where id = $1', [account.id]);
    expect(await exchange(code, verifier)).toMatchObject({ status: 403, body: { error_code: 'user_banned' } });
  });

  test('[AU-04] neither the code nor the verifier can be read in the database', async () => {
    const account = await anAccount(server);
    const { code, verifier } = await aCode(account.email);
    const [row] = await server.database.asOwner<{ kept: string }>(
      `select f::text || encode(f.code_hash, 'escape') as kept from auth.flow_states f where user_id = $1`,
      [account.id],
    );
    expect(row?.kept).not.toContain(code);
    expect(row?.kept).not.toContain(code.replaceAll('-', ''));
    expect(row?.kept).not.toContain(verifier);
  });

  test('[AU-04] without a challenge the link gives the session in the fragment, which no server sees', async () => {
    const account = await anAccount(server);
    await clientOf(server, elsewhere()).auth.signInWithOtp({ email: account.email });
    const link = linkIn((await server.mailbox.take(account.email)).text);
    expect(link.searchParams.get('token')).not.toMatch(/^pkce_/u);
    const led = await landing(link, elsewhere());
    expect(led.search).toBe('');
    expect(fragmentOf(led).get('access_token')).toBeTruthy();
    expect(Number(fragmentOf(led).get('expires_at'))).toBeLessThan(Date.now() / 1000 + 3700);
  });
});
