import { createClient } from '@supabase/supabase-js';
import type { Session, SupabaseClient, UserIdentity } from '@supabase/supabase-js';
import { createHash, randomUUID } from 'node:crypto';
import { Events } from 'oauth2-mock-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { readConfig } from '../../config.ts';
import { administratorOf, anAccount, clientOf, endCooldowns, linkIn, signedIn } from '../../testing/accounts.ts';
import { enrolTotp, passTotp } from '../../testing/factors.ts';
import { CLIENT_ID, followTo, startIdentityProvider } from '../../testing/identity-provider.ts';
import type { IdentityProvider } from '../../testing/identity-provider.ts';
import { startTestServer } from '../../testing/index.ts';
import type { TestServer } from '../../testing/index.ts';

const TENANT = '11111111-2222-4333-8444-555555555555';
const APPLICATION = 'https://app.example.fr/retour';

let idp: IdentityProvider;
let foreign: IdentityProvider;
let server: TestServer;
beforeAll(async () => {
  [idp, foreign] = await Promise.all([startIdentityProvider(), startIdentityProvider()]);
  const known = { issuer: idp.issuer, clientId: CLIENT_ID };
  server = await startTestServer({
    doors: ['auth', 'rest'],
    smtp: true,
    environment: {
      TRUST_PROXY: '1',
      MANUAL_LINKING: 'on',
      REDIRECT_URLS: 'https://app.example.fr',
      OIDC_PROVIDERS: JSON.stringify({
        google: { ...known, clientSecret: 'secret', clientIds: ['parrain-mobile'] },
        azure: { ...known, tenant: TENANT },
        keycloak: known,
        trusting: { ...known, trustEmail: true },
        apple: known,
      }),
    },
  });
});
afterAll(async () => {
  await server.close();
  await Promise.all([idp.close(), foreign.close()]);
});

let lastNetwork = 0;
/** A visitor from an address of their own. */
function elsewhere(): Record<string, string> {
  lastNetwork += 1;
  return { 'x-forwarded-for': `10.3.${Math.floor(lastNetwork / 250)}.${(lastNetwork % 250) + 1}` };
}

function pkceClient(): SupabaseClient {
  return createClient(server.url, server.services.keys.publishableKey, {
    auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false, flowType: 'pkce' },
    global: { headers: elsewhere() },
  });
}

type Person = { readonly sub: string; readonly email: string; readonly email_verified: boolean; readonly name: string };

function aPerson(details: Partial<Person> = {}): Person {
  const id = randomUUID();
  return { sub: id, email: `p-${id.slice(0, 8)}@example.fr`, email_verified: true, name: 'Jeanne Dupont', ...details };
}

/** Signs in through a provider, as a browser would: where it ends. */
async function comesBackAs(
  person: Readonly<Record<string, unknown>>,
  options: { readonly provider?: string; readonly client?: SupabaseClient } = {},
): Promise<{ readonly client: SupabaseClient; readonly back: URL }> {
  idp.signsIn(person);
  const client = options.client ?? pkceClient();
  const { data, error } = await client.auth.signInWithOAuth({
    provider: (options.provider ?? 'google') as 'google',
    options: { redirectTo: APPLICATION, skipBrowserRedirect: true },
  });
  if (error !== null || data.url === null) throw error ?? new Error('no address');
  return { client, back: await followTo(data.url, APPLICATION) };
}

async function signsInAs(
  person: Readonly<Record<string, unknown>>,
  options: { readonly provider?: string; readonly client?: SupabaseClient } = {},
): Promise<{ readonly client: SupabaseClient; readonly session: Session }> {
  const { client, back } = await comesBackAs(person, options);
  const { data, error } = await client.auth.exchangeCodeForSession(back.searchParams.get('code') ?? '');
  if (error !== null) throw error;
  return { client, session: data.session };
}

function errorIn(url: URL): string | null {
  const fragment = new URLSearchParams(url.hash.slice(1));
  expect(fragment.get('error_code')).toBe(url.searchParams.get('error_code'));
  return url.searchParams.get('error_code');
}

async function rowsOf(text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
  return server.database.asOwner(text, values);
}

describe('configuration', () => {
  function providersOf(value: unknown): unknown {
    return readConfig({ OIDC_PROVIDERS: typeof value === 'string' ? value : JSON.stringify(value) }).oidcProviders;
  }

  test('[AU-12] google and azure are known by their name, any other provider by its address', () => {
    expect(
      providersOf({
        google: { clientId: 'g', clientSecret: 's' },
        azure: { clientId: 'a', clientSecret: 's', tenant: TENANT },
        keycloak: { issuer: 'https://sso.example.fr/realms/x', clientId: 'k' },
      }),
    ).toMatchObject([
      { name: 'google', issuer: 'https://accounts.google.com', scopes: ['openid', 'email', 'profile'] },
      { name: 'azure', issuer: `https://login.microsoftonline.com/${TENANT}/v2.0`, tenant: TENANT },
      { name: 'keycloak', issuer: 'https://sso.example.fr/realms/x', secret: { kind: 'none' } },
    ]);
  });

  test.each([
    ['no JSON', '{', "ce n'est pas du JSON"],
    ['any directory', { azure: { clientId: 'a', tenant: 'common' } }, 'OIDC_PROVIDERS.azure.tenant'],
    ['a missing directory', { azure: { clientId: 'a' } }, 'OIDC_PROVIDERS.azure.tenant'],
    [
      'an address over plain HTTP',
      { k: { clientId: 'a', issuer: 'http://sso.example.fr' } },
      'OIDC_PROVIDERS.k.issuer',
    ],
    ['a missing address', { k: { clientId: 'a' } }, 'OIDC_PROVIDERS.k.issuer'],
    ['a reserved name', { web3: { clientId: 'a', issuer: 'https://x.fr' } }, 'réservé'],
    ['an unknown key', { google: { clientId: 'a', client_secret: 's' } }, 'OIDC_PROVIDERS.google'],
    ['a missing id', { google: {} }, 'OIDC_PROVIDERS.google.clientId'],
  ])('[AU-12] the start is refused, and the variable named: %s', (_what, value, sentence) => {
    expect(() => providersOf(value)).toThrow(sentence);
  });

  test('[AU-12] /settings says which providers are there', async () => {
    const response = await server.fetch('/auth/v1/settings');
    expect(await response.json()).toMatchObject({
      external: { google: true, azure: true, keycloak: true, web3: false, email: true },
      saml_enabled: false,
    });
  });
});

describe('GET /authorize', () => {
  test('[AU-12] an unknown provider is refused in JSON', async () => {
    const response = await fetch(`${server.url}/auth/v1/authorize?provider=github`, { redirect: 'manual' });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error_code: 'validation_failed' });
  });

  test('[AU-12][auth#2593] the browser leaves with a state, a PKCE challenge and a nonce of ours; reserved parameters are dropped', async () => {
    const query = new URLSearchParams({
      provider: 'google',
      redirect_to: APPLICATION,
      scopes: 'calendar contacts',
      Client_ID: 'pirate',
      client_SECRET: 'pirate',
      Redirect_Uri: 'https://pirate.example',
      RESPONSE_TYPE: 'token',
      Response_Mode: 'fragment',
      State: 'pirate',
      Code_Challenge: 'pirate',
      CODE_CHALLENGE_METHOD: 'plain',
      code_VERIFIER: 'pirate',
      Request: 'pirate',
      Request_URI: 'pirate',
      Scope: 'pirate',
      login_hint: 'jeanne@example.fr',
      prompt: 'select_account',
    });
    const response = await fetch(`${server.url}/auth/v1/authorize?${query.toString()}`, { redirect: 'manual' });
    expect(response.status).toBe(302);
    const url = new URL(response.headers.get('location') ?? '');
    expect(url.origin).toBe(idp.issuer);
    expect(url.search).not.toContain('pirate');
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      client_id: CLIENT_ID,
      redirect_uri: `${server.url}/auth/v1/callback`,
      response_type: 'code',
      scope: 'openid email profile calendar contacts',
      code_challenge_method: 'S256',
      login_hint: 'jeanne@example.fr',
      prompt: 'select_account',
    });
    for (const name of ['state', 'nonce', 'code_challenge']) expect(url.searchParams.getAll(name)).toHaveLength(1);
    const stored = JSON.stringify(await rowsOf('select * from auth.provider_flows'));
    for (const name of ['state', 'nonce']) expect(stored).not.toContain(url.searchParams.get(name));
  });

  test('[AU-12] a plain challenge, or one without its method, is refused', async () => {
    for (const more of [
      `code_challenge=${'a'.repeat(43)}`,
      `code_challenge=${'a'.repeat(43)}&code_challenge_method=plain`,
    ]) {
      const response = await fetch(`${server.url}/auth/v1/authorize?provider=google&${more}`, { redirect: 'manual' });
      expect(response.status).toBe(400);
    }
  });

  test('[AU-12] an unknown invitation does not exist', async () => {
    const response = await fetch(`${server.url}/auth/v1/authorize?provider=google&invite_token=nope`, {
      redirect: 'manual',
    });
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ error_code: 'user_not_found' });
  });
});

describe('sign-in through a provider', () => {
  test("[AU-12, AU-04, A-06] the official client comes back with a code, and gets its session: a client's account is created", async () => {
    const person = aPerson();
    const { client, session } = await signsInAs(person);
    expect(session.provider_token).toEqual(expect.any(String));
    expect(session.provider_refresh_token).toEqual(expect.any(String));
    expect(session.user).toMatchObject({
      email: person.email,
      email_confirmed_at: expect.any(String),
      app_metadata: { provider: 'google', providers: ['google'], role: 'client' },
      user_metadata: { full_name: 'Jeanne Dupont', email: person.email, email_verified: true, sub: person.sub },
    });
    expect(session.user.identities).toMatchObject([
      { provider: 'google', id: person.sub, email: person.email, identity_data: { iss: idp.issuer } },
    ]);
    const { data: claims } = await client.auth.getClaims();
    expect(claims?.claims).toMatchObject({ aal: 'aal1', amr: [{ method: 'oauth', provider: 'google' }] });
    const { data: profiles } = await client.from('profiles').select('full_name, email, role');
    expect(profiles).toEqual([{ full_name: 'Jeanne Dupont', email: person.email, role: 'client' }]);
  });

  test('[AU-12] the same person comes back to the same account, even where their address changed there', async () => {
    const person = aPerson();
    const { session: first } = await signsInAs(person);
    const { session: second } = await signsInAs({ ...person, email: 'autre-adresse@example.fr' });
    expect(second.user.id).toBe(first.user.id);
    expect(second.user.email).toBe(person.email);
    expect(second.user.identities).toHaveLength(1);
  });

  test("[AU-12] without the client's challenge the session comes in the fragment, which no server sees", async () => {
    const { back } = await comesBackAs(aPerson(), { client: clientOf(server, elsewhere()) });
    expect(back.search).toBe('');
    const fragment = Object.fromEntries(new URLSearchParams(back.hash.slice(1)));
    expect(fragment).toMatchObject({
      access_token: expect.any(String),
      refresh_token: expect.any(String),
      expires_in: '3600',
      token_type: 'bearer',
      provider_token: expect.any(String),
    });
    const { data } = await clientOf(server).auth.getUser(fragment['access_token']);
    expect(data.user?.app_metadata['provider']).toBe('google');
  });

  test('[AU-12] a return address that is not ours leads to the site', async () => {
    idp.signsIn(aPerson());
    const { data } = await pkceClient().auth.signInWithOAuth({
      provider: 'google',
      options: { redirectTo: 'https://pirate.example/', skipBrowserRedirect: true },
    });
    const back = await followTo(data.url ?? '', `${server.url}/?`);
    expect(back.searchParams.get('code')).toMatch(/^[\da-f-]{36}$/u);
  });

  test('[AU-12] a provider without an address in its token gives it by its directory', async () => {
    const { email, ...person } = aPerson();
    idp.server.service.once(Events.BeforeUserinfo, (response: { body: unknown }) => {
      response.body = { sub: person.sub, email, email_verified: true };
    });
    const { session } = await signsInAs({ ...person, email: undefined });
    expect(session.user.email).toBe(email);
  });

  test('[AU-12] the return by form is accepted, with the name that only the form tells', async () => {
    const person = aPerson();
    idp.signsIn({ ...person, name: undefined });
    const client = pkceClient();
    const { data } = await client.auth.signInWithOAuth({
      provider: 'apple',
      options: { redirectTo: APPLICATION, skipBrowserRedirect: true },
    });
    const atProvider = await fetch(data.url ?? '', { redirect: 'manual' });
    const location = new URL(atProvider.headers.get('location') ?? '');
    expect(location.searchParams.get('response_mode')).toBe('form_post');
    const back = await fetch(location, { redirect: 'manual' });
    const answered = new URL(back.headers.get('location') ?? '');
    const response = await fetch(`${server.url}/auth/v1/callback`, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({
        code: answered.searchParams.get('code') ?? '',
        state: answered.searchParams.get('state') ?? '',
        user: JSON.stringify({ name: { firstName: 'Anne', lastName: 'Petit' } }),
      }),
    });
    const end = new URL(response.headers.get('location') ?? '');
    const { data: exchanged } = await client.auth.exchangeCodeForSession(end.searchParams.get('code') ?? '');
    expect(exchanged.user?.user_metadata['full_name']).toBe('Anne Petit');
  });

  test('[AU-12] an unknown, missing or used state leads to the site alone, with its error code', async () => {
    for (const [query, code] of [
      ['state=inconnu&code=x', 'bad_oauth_state'],
      ['code=x', 'bad_oauth_callback'],
    ]) {
      const response = await fetch(`${server.url}/auth/v1/callback?${query}`, { redirect: 'manual' });
      expect(response.status).toBe(303);
      const url = new URL(response.headers.get('location') ?? '');
      expect(url.origin).toBe(server.url);
      expect(url.searchParams.get('error_code')).toBe(code);
    }
  });

  test('[AU-12][auth#2612] twenty returns with one state: one succeeds', async () => {
    idp.signsIn(aPerson());
    const { data } = await pkceClient().auth.signInWithOAuth({
      provider: 'google',
      options: { redirectTo: APPLICATION, skipBrowserRedirect: true },
    });
    const left = await fetch(data.url ?? '', { redirect: 'manual' });
    const atProvider = await fetch(left.headers.get('location') ?? '', { redirect: 'manual' });
    const callback = atProvider.headers.get('location') ?? '';
    const ends = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const response = await fetch(callback, { redirect: 'manual' });
        return new URL(response.headers.get('location') ?? '').searchParams;
      }),
    );
    expect(ends.filter((end) => end.has('code'))).toHaveLength(1);
    expect(ends.filter((end) => end.get('error_code') === 'flow_state_already_used')).toHaveLength(19);
  });

  test('[AU-04, AU-12][auth#2483] twenty exchanges of one code: one session', async () => {
    const { client, back } = await comesBackAs(aPerson());
    const code = back.searchParams.get('code') ?? '';
    const storage = (client.auth as unknown as { storage: { getItem: (key: string) => Promise<string | null> } })
      .storage;
    const key = (client.auth as unknown as { storageKey: string }).storageKey;
    const verifier = String(JSON.parse((await storage.getItem(`${key}-code-verifier`)) ?? '""')).split('/')[0];
    const statuses = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const response = await server.fetch('/auth/v1/token?grant_type=pkce', {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...elsewhere() },
          body: JSON.stringify({ auth_code: code, code_verifier: verifier }),
        });
        return response.status;
      }),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  });

  test('[AU-12] twenty first arrivals of one person: one account', async () => {
    const person = aPerson();
    const token = await idp.idToken(person);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        clientOf(server, elsewhere()).auth.signInWithIdToken({ provider: 'google', token }),
      ),
    );
    expect(new Set(answers.map(({ data, error }) => error?.message ?? data.user?.id)).size).toBe(1);
    expect(answers[0]?.error).toBeNull();
  });

  test('[AU-12] a refusal by the provider is reported in the address and in the fragment', async () => {
    idp.server.service.once(Events.BeforeAuthorizeRedirect, ({ url }: { url: URL }) => {
      url.searchParams.delete('code');
      url.searchParams.set('error', 'access_denied');
      url.searchParams.set('error_description', 'La personne a renoncé');
    });
    const { back } = await comesBackAs(aPerson());
    expect(back.searchParams.get('error')).toBe('access_denied');
    expect(back.searchParams.get('error_description')).toBe('La personne a renoncé');
    expect(errorIn(back)).toBe('bad_oauth_callback');
  });

  test('[AU-12] a token of another issuer, for another application or another departure opens nothing', async () => {
    for (const wrong of [{ iss: foreign.issuer }, { aud: 'autre' }, { nonce: 'autre' }, { exp: 1 }]) {
      const { back } = await comesBackAs({ ...aPerson(), ...wrong });
      expect(back.searchParams.get('error')).toBe('server_error');
      expect(back.searchParams.has('code')).toBe(false);
    }
  });

  test('[AU-12][CVE-2026-31813] from another directory nobody enters', async () => {
    const { back } = await comesBackAs({ ...aPerson(), tid: randomUUID() }, { provider: 'azure' });
    expect(back.searchParams.get('error')).toBe('access_denied');
    const { session } = await signsInAs({ ...aPerson(), tid: TENANT.toUpperCase() }, { provider: 'azure' });
    expect(session.user.app_metadata['provider']).toBe('azure');
  });

  test('[AU-12] a deactivated account does not come back', async () => {
    const person = aPerson();
    const { session } = await signsInAs(person);
    await server.database.asOwner('update public.profiles set deactivated_at = now() where id = $1', [session.user.id]);
    const { back } = await comesBackAs(person);
    expect(back.searchParams.get('error')).toBe('access_denied');
    expect(errorIn(back)).toBe('user_banned');
  });
});

describe('the linking decision', () => {
  test('[AU-12] a verified address leads to the account that proved it, with its password; its owner is told', async () => {
    const account = await anAccount(server, { role: 'commercial' });
    await server.database.asOwner(
      `insert into auth.audit_entries (user_id, action, detail) values ($1, 'verified', '{"type": "signup"}')`,
      [account.id],
    );
    const { session } = await signsInAs(aPerson({ email: account.email.toUpperCase() }));
    expect(session.user.id).toBe(account.id);
    expect(session.user.app_metadata).toMatchObject({ role: 'commercial', providers: ['email', 'google'] });
    expect((await clientOf(server, elsewhere()).auth.signInWithPassword(account)).error).toBeNull();
    expect((await server.mailbox.take(account.email)).subject).toContain('Une nouvelle façon de se connecter');
  });

  test.each([
    ['not confirmed', false],
    ['confirmed without a mail', true],
  ])(
    "[AU-12] an account opened in somebody's name (%s) is theirs again, without anything of the opener",
    async (_what, isConfirmed) => {
      const account = await anAccount(server, { isConfirmed });
      const thief = isConfirmed ? await signedIn(server, account, elsewhere()) : null;
      if (isConfirmed) {
        // A number of the thief's own, and a code that was sent to it: neither says anything of the address.
        await server.database.asOwner(
          `with proven as (insert into auth.audit_entries (user_id, action, detail) values ($1, 'verified', '{"type": "sms"}'))
           update auth.users set confirmation_sent_at = now() where id = $1`,
          [account.id],
        );
        await server.database.asOwner('select private.change_phone($1, $2)', [
          account.id,
          String(33_600_000_000 + Math.floor(Math.random() * 99_999_999)),
        ]);
      }
      const { session } = await signsInAs(aPerson({ email: account.email }));
      expect(session.user.id).toBe(account.id);
      expect(session.user.identities?.map(({ provider }) => provider)).toEqual(['google']);
      expect((await clientOf(server, elsewhere()).auth.signInWithPassword(account)).error?.code).toBe(
        'invalid_credentials',
      );
      if (thief !== null) expect((await thief.client.auth.getUser()).error).not.toBeNull();
    },
  );

  test('[AU-12] an invited person keeps their role', async () => {
    const email = `invite-${randomUUID().slice(0, 8)}@example.fr`;
    const { data } = await administratorOf(server).auth.admin.inviteUserByEmail(email);
    await server.database.asOwner(`update auth.users set invited_at = now() where id = $1`, [data.user?.id]);
    const { session } = await signsInAs(aPerson({ email }));
    expect(session.user.id).toBe(data.user?.id);
    expect(session.user.email_confirmed_at).toEqual(expect.any(String));
  });

  test('[AU-12] with its invitation token it is the invited address or nothing', async () => {
    const email = `invite-${randomUUID().slice(0, 8)}@example.fr`;
    const { data } = await administratorOf(server).auth.admin.inviteUserByEmail(email);
    const token = linkIn((await server.mailbox.take(email)).text).searchParams.get('token_hash') ?? '';
    async function arrives(person: Person): Promise<URL> {
      idp.signsIn(person);
      const query = new URLSearchParams({ provider: 'google', redirect_to: APPLICATION, invite_token: token });
      return followTo(`${server.url}/auth/v1/authorize?${query.toString()}`, APPLICATION);
    }
    expect(errorIn(await arrives(aPerson()))).toBe('bad_oauth_callback');
    const back = await arrives(aPerson({ email, email_verified: false }));
    const session = new URLSearchParams(back.hash.slice(1));
    const { data: user } = await clientOf(server).auth.getUser(session.get('access_token') ?? '');
    expect(user.user?.id).toBe(data.user?.id);
  });

  test('[AU-12] an unverified address leads to no account', async () => {
    const account = await anAccount(server);
    const { back } = await comesBackAs(aPerson({ email: account.email, email_verified: false }));
    expect(back.searchParams.get('error')).toBe('access_denied');
    expect(errorIn(back)).toBe('provider_email_needs_verification');
    expect(await rowsOf('select id from auth.identities where user_id = $1', [account.id])).toHaveLength(1);
  });

  test('[AU-12] an unverified address waits for the mail that confirms it; then the person enters', async () => {
    const person = aPerson({ email_verified: false });
    const { back } = await comesBackAs(person);
    expect(errorIn(back)).toBe('provider_email_needs_verification');
    const again = await comesBackAs(person);
    expect(errorIn(again.back)).toBe('provider_email_needs_verification');
    const link = linkIn((await server.mailbox.take(person.email)).text);
    const { error } = await clientOf(server, elsewhere()).auth.verifyOtp({
      type: 'signup',
      token_hash: (link.searchParams.get('token') ?? '').replace(/^pkce_/u, ''),
    });
    // The link of a client with a verifier gives a code: what confirms is the server's own page.
    if (error !== null) {
      await server.database.asOwner('update auth.users set email_confirmed_at = now() where email = $1', [
        person.email,
      ]);
    }
    const { session } = await signsInAs(person);
    expect(session.user.email).toBe(person.email);
  });

  test("[AU-12] asking to confirm one's own address does not confirm another's identity", async () => {
    const person = aPerson({ email_verified: false });
    await comesBackAs(person);
    await server.database.asOwner(
      `update auth.users set confirmation_sent_at = now() - interval '1 hour' where email = $1`,
      [person.email],
    );
    await server.mailbox.take(person.email);
    await endCooldowns(server);
    await clientOf(server, elsewhere()).auth.resend({ type: 'signup', email: person.email });
    await server.mailbox.take(person.email);
    expect(
      await rowsOf(`select id from auth.identities where email = $1 and provider = 'google'`, [person.email]),
    ).toEqual([]);
    const { back } = await comesBackAs(person);
    expect(errorIn(back)).toBe('provider_email_needs_verification');
  });

  test('[AU-12] the address of a provider that the installation trusts is enough', async () => {
    const person = aPerson({ email_verified: false });
    const { session } = await signsInAs(person, { provider: 'trusting' });
    expect(session.user.email).toBe(person.email);
  });

  test('[AU-12] an address that leads to several accounts leads to none', async () => {
    const shared = aPerson();
    const { session } = await signsInAs(shared);
    await server.database.asOwner(`update auth.users set email = $2 where id = $1`, [
      session.user.id,
      `change-${session.user.id}@example.fr`,
    ]);
    await server.database.asOwner(`update public.profiles set email = $2 where id = $1`, [
      session.user.id,
      `change-${session.user.id}@example.fr`,
    ]);
    await server.database.asOwner(
      `select from private.create_account(p_id => gen_random_uuid(), p_email => $1, p_password_hash => null, p_role => 'client', p_full_name => 'Autre')`,
      [shared.email],
    );
    const { back } = await comesBackAs({ ...shared, sub: randomUUID() });
    expect(errorIn(back)).toBe('conflict');
  });

  test("[AU-12] the identity of a company's sign-in service is never joined by its address", async () => {
    const email = `sso-${randomUUID().slice(0, 8)}@example.fr`;
    await server.database.asOwner(
      `with u as (insert into auth.users (email, is_sso_user, email_confirmed_at) values ($1, true, now()) returning id)
       insert into auth.identities (user_id, provider, provider_id, identity_data)
       select id, 'sso:' || gen_random_uuid(), 'x', jsonb_build_object('email', $1::text, 'email_verified', true) from u`,
      [email],
    );
    const { session } = await signsInAs(aPerson({ email }));
    expect(session.user.identities?.map(({ provider }) => provider)).toEqual(['google']);
  });
});

describe('POST /token?grant_type=id_token', () => {
  async function withToken(
    claims: Readonly<Record<string, unknown>>,
    more: Readonly<Record<string, unknown>> = {},
    provider = 'google',
  ): Promise<{ readonly status: number; readonly body: Record<string, unknown> }> {
    return post({ provider, id_token: await idp.idToken(claims), ...more });
  }
  async function post(body: unknown): Promise<{ readonly status: number; readonly body: Record<string, unknown> }> {
    const response = await server.fetch('/auth/v1/token?grant_type=id_token', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-supabase-api-version': '2024-01-01', ...elsewhere() },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  }

  test('[AU-05] the official client enters with a token, its nonce and its access token', async () => {
    const nonce = randomUUID();
    const accessToken = 'un-jeton-d-acces';
    const atHash = createHash('sha256').update(accessToken).digest().subarray(0, 16).toString('base64url');
    const person = aPerson();
    const token = await idp.idToken({
      ...person,
      nonce: createHash('sha256').update(nonce).digest('hex'),
      at_hash: atHash,
    });
    const client = clientOf(server, elsewhere());
    const { data, error } = await client.auth.signInWithIdToken({
      provider: 'google',
      token,
      nonce,
      access_token: accessToken,
    });
    expect(error).toBeNull();
    expect(data.user).toMatchObject({ email: person.email, app_metadata: { provider: 'google', role: 'client' } });
    expect((await client.auth.getClaims()).data?.claims['amr']).toMatchObject([{ method: 'oauth' }]);
  });

  test('[AU-05] a provider that is off is named', async () => {
    const { error } = await clientOf(server, elsewhere()).auth.signInWithIdToken({ provider: 'facebook', token: 'x' });
    expect(error?.status).toBe(400);
    expect(error?.message).toContain('not enabled');
  });

  test.each([
    ['that has expired', { exp: 1000 }],
    ['without an expiry', { exp: undefined }],
    ['for another application', { aud: 'autre' }],
    ['for several applications, asked for by another', { aud: [CLIENT_ID, 'autre'], azp: 'autre' }],
    ['without a subject', { sub: undefined }],
    ['with an empty subject', { sub: '' }],
    ['of another issuer', { iss: 'https://pirate.example' }],
    ['with a nonce that the request lacks', { nonce: 'x' }],
  ])('[AU-05][CVE-2026-31813] a token %s is refused, in the words of OAuth', async (_what, wrong) => {
    const { status, body } = await withToken({ ...aPerson(), ...wrong });
    expect(status).toBe(400);
    expect(body).toEqual({ error: 'invalid_request', error_description: expect.any(String) });
  });

  test('[AU-05][CVE-2026-31813] a token of another provider is refused, whatever the request says', async () => {
    const token = await foreign.idToken(aPerson());
    for (const provider of ['google', 'azure', 'apple', 'keycloak']) {
      expect((await post({ provider, id_token: token })).status).toBe(400);
      const asked = { provider, id_token: token, issuer: foreign.issuer, client_id: CLIENT_ID };
      expect((await post(asked)).status).toBe(400);
    }
    const claimed = await foreign.idToken({ ...aPerson(), iss: idp.issuer });
    expect((await post({ provider: 'google', id_token: claimed })).status).toBe(400);
  });

  test('[AU-05] unsigned, or signed with the public key, a token is worth nothing', async () => {
    const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const claims = { ...aPerson(), iss: idp.issuer, aud: CLIENT_ID, iat: 1, exp: 9_999_999_999 };
    for (const token of [
      `${encode({ alg: 'none' })}.${encode(claims)}.`,
      `${encode({ alg: 'HS256' })}.${encode(claims)}.AAAA`,
      'x',
      'a.b.c',
    ]) {
      expect((await post({ provider: 'google', id_token: token })).status).toBe(400);
    }
  });

  test('[AU-05] the nonce and the access token must be those of the token', async () => {
    const person = aPerson();
    const nonce = createHash('sha256').update('bon').digest('hex');
    expect((await withToken({ ...person, nonce }, { nonce: 'mauvais' })).status).toBe(400);
    expect((await withToken(person, { nonce: 'bon' })).status).toBe(400);
    expect((await withToken({ ...person, at_hash: 'x' }, { access_token: 'y' })).status).toBe(400);
    expect((await withToken({ ...person, nonce }, { nonce: 'bon' })).status).toBe(200);
  });

  test('[AU-05][CVE-2026-31813] a declared mobile application enters; from another directory nobody', async () => {
    expect((await withToken({ ...aPerson(), aud: 'parrain-mobile' })).status).toBe(200);
    expect((await withToken({ ...aPerson(), tid: randomUUID() }, {}, 'azure')).status).toBe(400);
    expect((await withToken(aPerson(), {}, 'azure')).status).toBe(400);
    const { email_verified: _said, ...quiet } = aPerson();
    expect((await withToken({ ...quiet, tid: TENANT }, {}, 'azure')).status).toBe(422);
    const { email_verified: _saidToo, ...vouched } = aPerson();
    expect((await withToken({ ...vouched, tid: TENANT, xms_edov: true }, {}, 'azure')).status).toBe(200);
  });

  test('[AU-16] the official client adds an identity by its token, once', async () => {
    const account = await anAccount(server);
    const { client } = await signedIn(server, account, elsewhere());
    const token = await idp.idToken(aPerson({ email: 'autre@example.org' }));
    const { data, error } = await client.auth.linkIdentity({ provider: 'google', token });
    expect(error).toBeNull();
    expect(data.user).toMatchObject({ id: account.id, email: account.email });
    expect((await client.auth.linkIdentity({ provider: 'google', token })).error).toMatchObject({
      code: 'identity_already_exists',
      status: 422,
    });
    const { client: other } = await signedIn(server, await anAccount(server), elsewhere());
    expect((await other.auth.linkIdentity({ provider: 'google', token })).error).toMatchObject({
      code: 'identity_already_exists',
    });
    expect((await post({ provider: 'google', id_token: token, link_identity: true })).status).toBe(401);
  });

  test("[AU-16][AU-11] a person from a company's sign-in service adds no identity, by a token neither", async () => {
    const account = await anAccount(server);
    const { client } = await signedIn(server, account, elsewhere());
    await server.database.asOwner('update auth.users set is_sso_user = true where id = $1', [account.id]);
    const token = await idp.idToken(aPerson());
    expect((await client.auth.linkIdentity({ provider: 'google', token })).error).toMatchObject({
      code: 'user_sso_managed',
      status: 422,
    });
  });
});

describe('identities of an account', () => {
  async function linked(
    person: Person,
  ): Promise<{ client: SupabaseClient; account: Awaited<ReturnType<typeof anAccount>> }> {
    const account = await anAccount(server);
    const client = pkceClient();
    await client.auth.signInWithPassword(account);
    idp.signsIn(person);
    const { data, error } = await client.auth.linkIdentity({
      provider: 'google',
      options: { redirectTo: APPLICATION, skipBrowserRedirect: true },
    });
    if (error !== null) throw error;
    const back = await followTo(data.url ?? '', APPLICATION);
    const exchanged = await client.auth.exchangeCodeForSession(back.searchParams.get('code') ?? '');
    if (exchanged.error !== null) throw exchanged.error;
    return { client, account };
  }
  async function identity(client: SupabaseClient, provider: string): Promise<UserIdentity> {
    const { data } = await client.auth.getUserIdentities();
    const found = data?.identities.find((known) => known.provider === provider);
    if (found === undefined) throw new Error(`no ${provider} identity`);
    return found;
  }

  test('[AU-16] the official client adds, reads and removes an identity; each time the person is told', async () => {
    const { client, account } = await linked(aPerson());
    const { data } = await client.auth.getUserIdentities();
    expect(data?.identities.map(({ provider }) => provider)).toEqual(['email', 'google']);
    expect((await server.mailbox.take(account.email)).subject).toContain('Une nouvelle façon de se connecter');
    const { error } = await client.auth.unlinkIdentity(await identity(client, 'google'));
    expect(error).toBeNull();
    expect((await client.auth.getUserIdentities()).data?.identities).toHaveLength(1);
    expect((await server.mailbox.take(account.email)).subject).toContain('Une façon de se connecter a été retirée');
  });

  test("[AU-16] the last identity is not removed, another's does not exist", async () => {
    const account = await anAccount(server);
    const { client } = await signedIn(server, account, elsewhere());
    expect((await client.auth.unlinkIdentity(await identity(client, 'email'))).error).toMatchObject({
      code: 'single_identity_not_deletable',
      status: 422,
    });
    const { client: two } = await linked(aPerson());
    expect((await two.auth.unlinkIdentity(await identity(client, 'email'))).error).toMatchObject({
      code: 'identity_not_found',
      status: 422,
    });
  });

  test('[AU-16] two simultaneous removals: one identity remains', async () => {
    const { client } = await linked(aPerson());
    const both = (await client.auth.getUserIdentities()).data?.identities ?? [];
    const answers = await Promise.all(both.map((one) => client.auth.unlinkIdentity(one)));
    expect(answers.filter(({ error }) => error === null)).toHaveLength(1);
  });

  test('[AU-16][auth 2.196] the address is removed: the remaining one replaces it everywhere, password and pending links fall', async () => {
    const person = aPerson();
    const { client, account } = await linked(person);
    await server.database.asOwner(
      `insert into auth.one_time_tokens (user_id, kind, token_hash, expires_at) values ($1::uuid, 'recovery', sha256($1::text::bytea), now() + interval '1 hour')`,
      [account.id],
    );
    const { error } = await client.auth.unlinkIdentity(await identity(client, 'email'));
    expect(error).toBeNull();
    const { data } = await client.auth.getUser();
    expect(data.user).toMatchObject({ email: person.email, app_metadata: { providers: ['google'] } });
    expect((await client.from('profiles').select('email')).data).toEqual([{ email: person.email }]);
    expect(await rowsOf('select id from auth.one_time_tokens where user_id = $1', [account.id])).toEqual([]);
    for (const email of [account.email, person.email]) {
      const { error: refused } = await clientOf(server, elsewhere()).auth.signInWithPassword({ ...account, email });
      expect(refused?.code).toBe('invalid_credentials');
    }
    const told = server.mailbox.mails.filter(({ recipients }) => recipients.includes(person.email));
    expect(told).toEqual([]);
  });

  test('[AU-16][auth 2.196] an address that the provider does not vouch for is not confirmed by remaining', async () => {
    const { client } = await linked(aPerson({ email_verified: false }));
    await client.auth.unlinkIdentity(await identity(client, 'email'));
    const { data } = await client.auth.getUser();
    expect(data.user?.email_confirmed_at).toBeUndefined();
    // Nor taken from whoever owns it: they would else register into an account that opens for somebody else too.
    expect(data.user?.email).toBe('');
  });

  test('[AU-16] the removal of the number ends the other sessions that its code opened', async () => {
    const { client, account } = await linked(aPerson());
    await server.database.asOwner('select private.change_phone($1, $2)', [account.id, '33698000001']);
    const { client: elsewhereBefore, session } = await signedIn(server, account, elsewhere());
    await server.database.asOwner(
      `update auth.session_methods set method = 'otp' where session_id in (select id from auth.sessions where user_id = $1
         order by created_at desc limit 1)`,
      [account.id],
    );
    expect((await client.auth.unlinkIdentity(await identity(client, 'phone'))).error).toBeNull();
    expect((await elsewhereBefore.auth.getUser(session.access_token)).error).not.toBeNull();
    expect((await client.auth.getUser()).error).toBeNull();
  });

  test("[AU-16] an address that is another account's prevents the removal", async () => {
    const other = await anAccount(server);
    const { client } = await linked(aPerson({ email: other.email }));
    expect((await client.auth.unlinkIdentity(await identity(client, 'email'))).error).toMatchObject({
      code: 'email_conflict_identity_not_deletable',
      status: 422,
    });
    expect((await client.auth.getUserIdentities()).data?.identities).toHaveLength(2);
  });

  test('[AU-16, AU-17] a person with a second factor passes it before touching their identities', async () => {
    const { client } = await linked(aPerson());
    const application = await enrolTotp(client);
    const google = await identity(client, 'google');
    await passTotp(client, application, -1);
    await client.auth.refreshSession();
    const account = (await client.auth.getUser()).data.user;
    const { session } = await signsInAs({ sub: google.id, email: account?.email, email_verified: true });
    const low = clientOf(server, elsewhere());
    await low.auth.setSession(session);
    expect((await low.auth.unlinkIdentity(google)).error).toMatchObject({ code: 'insufficient_aal', status: 403 });
    expect(
      (await low.auth.linkIdentity({ provider: 'google', options: { skipBrowserRedirect: true } })).error,
    ).toMatchObject({ code: 'insufficient_aal' });
    expect((await client.auth.unlinkIdentity(google)).error).toBeNull();
  });

  test('[AU-16] without the setting nothing is linked, and that is told after the session is checked', async () => {
    const off = await startTestServer({ doors: ['auth'], jobs: false });
    try {
      const account = await anAccount(off);
      const { client } = await signedIn(off, account);
      const { error } = await client.auth.linkIdentity({ provider: 'google', options: { skipBrowserRedirect: true } });
      expect(error).toMatchObject({
        code: 'manual_linking_disabled',
        status: 404,
        message: 'Manual linking is disabled',
      });
      expect((await off.fetch(`/auth/v1/user/identities/${randomUUID()}`, { method: 'DELETE' })).status).toBe(401);
      const web3 = await off.fetch('/auth/v1/token?grant_type=web3', { method: 'POST' });
      expect(await web3.json()).toMatchObject({ error_code: 'web3_provider_disabled' });
    } finally {
      await off.close();
    }
  });
});
