// @module-tag long: src/auth/tests/protocol.test.ts holds its subject in the quick ring
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { administratorOf, anAccount, clientOf, linkIn, signedIn } from '../../testing/accounts.ts';
import { CLIENT_ID, followTo, startIdentityProvider } from '../../testing/identity-provider.ts';
import type { IdentityProvider } from '../../testing/identity-provider.ts';
import { startTestServer } from '../../testing/index.ts';
import type { TestServer } from '../../testing/index.ts';
import { elsewhere } from '../../testing/links.ts';
import { ask, refusalOf } from '../../testing/protocol.ts';
import { makeSamlIdentityProvider } from '../../testing/saml-identity-provider.ts';

const APPLICATION = 'https://app.example.fr/retour';
const SAML_PROVIDER = randomUUID();
const company = makeSamlIdentityProvider();

let idp: IdentityProvider;
let server: TestServer;
/** The same house after its configuration changed: the providers that people left for are no longer there. */
let later: TestServer;
beforeAll(async () => {
  idp = await startIdentityProvider();
  const environment = {
    TRUST_PROXY: '1',
    MANUAL_LINKING: 'on',
    ANONYMOUS_SIGN_IN: 'on',
    REDIRECT_URLS: 'https://app.example.fr',
    PUBLIC_URL: 'https://parrain.example.fr',
  };
  server = await startTestServer({
    doors: ['auth'],
    smtp: true,
    environment: {
      ...environment,
      OIDC_PROVIDERS: JSON.stringify({
        google: { issuer: idp.issuer, clientId: CLIENT_ID, clientSecret: 'secret' },
        absent: { issuer: 'http://127.0.0.1:9', clientId: CLIENT_ID },
      }),
      SAML_PROVIDERS: JSON.stringify([{ id: SAML_PROVIDER, domains: ['acme.fr'], metadata: company.metadata }]),
    },
  });
  later = await startTestServer({
    doors: ['auth'],
    jobs: false,
    database: server.database,
    environment: {
      ...environment,
      SAML_PROVIDERS: JSON.stringify([{ id: randomUUID(), domains: ['acme.fr'], metadata: company.metadata }]),
    },
  });
});
afterAll(async () => {
  await later.close();
  await server.close();
  await idp.close();
});

const aPerson = (): { sub: string; email: string; email_verified: boolean; name: string } => {
  const id = randomUUID();
  return { sub: id, email: `venue-${id.slice(0, 8)}@example.fr`, email_verified: true, name: 'Jeanne Venue' };
};

/** Leaves for the provider: where it would send the browser back to. */
async function returning(query: Readonly<Record<string, string>> = {}): Promise<URL> {
  const asked = new URLSearchParams({ provider: 'google', redirect_to: APPLICATION, ...query });
  const back = await followTo(
    `${server.url}/auth/v1/authorize?${asked.toString()}`,
    'https://parrain.example.fr/auth/v1/callback',
  );
  return back;
}

/** The browser comes back to one of the two servers: where it is led. */
async function arrives(back: URL, where = server): Promise<URL> {
  const response = await fetch(`${where.url}${back.pathname}${back.search}`, {
    redirect: 'manual',
    headers: elsewhere(),
  });
  return new URL(response.headers.get('location') ?? '');
}

function errorOf(led: URL): readonly (string | null)[] {
  const fragment = new URLSearchParams(led.hash.slice(1));
  expect(fragment.get('error_code')).toBe(led.searchParams.get('error_code'));
  expect(fragment.get('sb')).toBe('');
  return [led.searchParams.get('error'), led.searchParams.get('error_code')];
}

describe('a way back that is no longer there', () => {
  test('[AU-12] a provider removed on the way: oauth_provider_not_supported', async () => {
    idp.signsIn(aPerson());
    expect(errorOf(await arrives(await returning(), later))).toEqual([
      'invalid_request',
      'oauth_provider_not_supported',
    ]);
  });

  test("[AU-11] a company's sign-in service removed on the way: saml_idp_not_found", async () => {
    const { data } = await clientOf(server, elsewhere()).auth.signInWithSSO({ domain: 'acme.fr' });
    const { body } = company.answer(data?.url ?? '', { attributes: { email: 'p@acme.fr' } });
    const response = await fetch(`${later.url}/auth/v1/sso/saml/acs`, {
      method: 'POST',
      body,
      redirect: 'manual',
      headers: elsewhere(),
    });
    const led = response.headers.get('location') ?? '';
    expect(`${response.status} ${led} ${response.status === 303 ? '' : await response.text()}`).toContain(
      'saml_idp_not_found',
    );
  });

  test('[AU-12] an invitation accepted on the way: invite_not_found', async () => {
    const person = aPerson();
    const { data } = await administratorOf(server).auth.admin.inviteUserByEmail(person.email);
    const token = linkIn((await server.mailbox.take(person.email)).text).searchParams.get('token_hash') ?? '';
    idp.signsIn(person);
    const back = await returning({ invite_token: token });
    await server.database.asOwner('update auth.users set email_confirmed_at = now() where id = $1', [data.user?.id]);
    const led = await arrives(back);
    expect(led.searchParams.get('error_code')).toBe('invite_not_found');
  });

  test('[AU-12] a code that the provider does not know, or a provider that is down: server_error, without detail', async () => {
    idp.signsIn(aPerson());
    const back = await returning();
    back.searchParams.set('code', 'devine');
    idp.server.service.once('beforeResponse', (response: { statusCode: number; body: unknown }) => {
      response.statusCode = 500;
      response.body = { error: 'server_error', secret: 'interne' };
    });
    const led = await arrives(back);
    expect(errorOf(led)).toEqual(['server_error', 'unexpected_failure']);
    expect(led.href).not.toContain('interne');
  });

  test('[AU-12] a provider out of reach: 503, which the browser may try again', async () => {
    const answer = await ask(server, 'GET', '/authorize?provider=absent');
    expect(answer).toMatchObject({ status: 503, body: { code: 'unexpected_failure' } });
    expect(answer.headers.get('retry-after')).toBeTruthy();
  });

  test('[AU-12] a way of more than ten minutes has expired', async () => {
    idp.signsIn(aPerson());
    const back = await returning();
    await server.database.asOwner(`update auth.provider_flows set expires_at = now() - interval '1 second'`);
    const led = await arrives(back);
    expect(led.origin).toBe('https://parrain.example.fr');
    expect(led.searchParams.get('error_code')).toBe('bad_oauth_state');
  });

  test('[AU-16][I-44] a person who signed out on the way adds no identity', async () => {
    const { client, session } = await signedIn(server, await anAccount(server), elsewhere());
    const { data } = await client.auth.linkIdentity({
      provider: 'google',
      options: { redirectTo: APPLICATION, skipBrowserRedirect: true },
    });
    idp.signsIn(aPerson());
    const back = await followTo(data.url ?? '', 'https://parrain.example.fr/auth/v1/callback');
    await client.auth.signOut();
    const led = await arrives(back);
    expect(led.hash).not.toContain('access_token');
    expect(
      await server.database.asOwner('select from auth.identities where user_id = $1', [session.user.id]),
    ).toHaveLength(1);
  });
});

describe('identities of an account', () => {
  test('[AU-16] identity_id names the row, id the person at their provider', async () => {
    const { client, session } = await signedIn(server, await anAccount(server), elsewhere());
    const { data } = await client.auth.getUserIdentities();
    expect(data?.identities).toMatchObject([{ id: session.user.id, user_id: session.user.id, provider: 'email' }]);
    expect(data?.identities[0]?.identity_id).not.toBe(session.user.id);
  });

  test('[AU-16] what is no id is a 404: nothing else is reached', async () => {
    const { session } = await signedIn(server, await anAccount(server), elsewhere());
    for (const id of ['moi', '%2e%2e%2fsettings', session.user.id.slice(1)]) {
      const answer = await ask(server, 'DELETE', `/user/identities/${id}`, {
        bearer: session.access_token,
        headers: elsewhere(),
      });
      expect([id, answer.status, answer.body['code']]).toEqual([id, 404, 'validation_failed']);
    }
  });

  test('[AU-16] an unknown provider is not linked; the given address leads to the provider', async () => {
    const { client, session } = await signedIn(server, await anAccount(server), elsewhere());
    const unknown = await client.auth.linkIdentity({
      provider: 'facebook',
      options: { skipBrowserRedirect: true },
    });
    expect(refusalOf(unknown)).toEqual([400, 'validation_failed']);
    const redirected = await ask(server, 'GET', '/user/identities/authorize?provider=google', {
      bearer: session.access_token,
    });
    expect(redirected.status).toBe(302);
    expect(redirected.headers.get('location')).toContain(idp.issuer);
  });

  test('[AU-05][AU-16][S-10] linkIdentity by a token gives the person back and announces USER_UPDATED', async () => {
    const { client, session } = await signedIn(server, await anAccount(server), elsewhere());
    const events: string[] = [];
    client.auth.onAuthStateChange((event) => events.push(event));
    const { data, error } = await client.auth.linkIdentity({
      provider: 'google',
      token: await idp.idToken(aPerson()),
    });
    expect(error).toBeNull();
    expect(data.user?.id).toBe(session.user.id);
    expect(events).toContain('USER_UPDATED');
    expect((await client.auth.getUser()).data.user?.identities).toHaveLength(2);
  });

  test('[AU-16][AU-01] an anonymous person takes a name at a provider: the account stays, the address comes with it', async () => {
    const { auth } = clientOf(server, elsewhere());
    const { data: before } = await auth.signInAnonymously();
    const person = aPerson();
    const { data, error } = await auth.linkIdentity({ provider: 'google', token: await idp.idToken(person) });
    expect(error).toBeNull();
    expect(data.user).toMatchObject({ id: before.user?.id, email: person.email, is_anonymous: false });
    const { data: again } = await clientOf(server, elsewhere()).auth.signInWithIdToken({
      provider: 'google',
      token: await idp.idToken(person),
    });
    expect(again.user?.id).toBe(before.user?.id);
  });
});
