import { createClient } from '@supabase/supabase-js';
import type { SupabaseClient } from '@supabase/supabase-js';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { readConfig } from '../../../config.ts';
import { anAccount, clientOf } from '../../../testing/accounts.ts';
import { startTestServer } from '../../../testing/index.ts';
import type { TestServer } from '../../../testing/index.ts';
import { makeSamlIdentityProvider, requestIn } from '../../../testing/saml-identity-provider.ts';
import type { SamlAnswerDetails } from '../../../testing/saml-identity-provider.ts';

const APPLICATION = 'https://app.example.fr/retour';
const PROVIDER = '6a0b2f7e-3a41-4f6e-9d0e-0a2b4c6d8e01';
const OTHER = '6a0b2f7e-3a41-4f6e-9d0e-0a2b4c6d8e02';
const DISABLED = '6a0b2f7e-3a41-4f6e-9d0e-0a2b4c6d8e03';
const idp = makeSamlIdentityProvider();
const otherIdp = makeSamlIdentityProvider();

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({
    doors: ['auth', 'rest'],
    jobs: false,
    environment: {
      TRUST_PROXY: '1',
      MANUAL_LINKING: 'on',
      REDIRECT_URLS: 'https://app.example.fr',
      SAML_PROVIDERS: JSON.stringify([
        { id: PROVIDER, domains: ['acme.fr'], metadata: idp.metadata },
        {
          id: OTHER,
          domains: ['other.fr'],
          entityId: otherIdp.entityId,
          entryPoint: otherIdp.entryPoint,
          certificate: otherIdp.certificate,
        },
        { id: DISABLED, domains: ['off.fr'], metadata: otherIdp.metadata, disabled: true },
      ]),
    },
  });
});
afterAll(() => server.close());

let lastNetwork = 0;
function elsewhere(): Record<string, string> {
  lastNetwork += 1;
  return { 'x-forwarded-for': `10.5.${Math.floor(lastNetwork / 250)}.${(lastNetwork % 250) + 1}` };
}

function pkceClient(): SupabaseClient {
  return createClient(server.url, server.services.keys.publishableKey, {
    auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false, flowType: 'pkce' },
    global: { headers: elsewhere() },
  });
}

async function leaves(client: SupabaseClient = clientOf(server, elsewhere()), domain = 'acme.fr'): Promise<string> {
  const { data, error } = await client.auth.signInWithSSO({ domain, options: { redirectTo: APPLICATION } });
  if (error !== null) throw error;
  return data.url;
}

async function brings(body: URLSearchParams): Promise<Response> {
  return fetch(`${server.url}/auth/v1/sso/saml/acs`, {
    method: 'POST',
    body,
    redirect: 'manual',
    headers: elsewhere(),
  });
}

/** Address that a complete sign-in ends at. */
async function comesBack(details: SamlAnswerDetails, client?: SupabaseClient): Promise<URL> {
  const url = await leaves(client);
  const response = await brings(idp.answer(url, { attributes: anEmail(), ...details }).body);
  return new URL(response.headers.get('location') ?? '');
}

function anEmail(): { readonly email: string } {
  return { email: `p-${randomUUID().slice(0, 8)}@acme.fr` };
}

async function userOf(back: URL): Promise<{ readonly id: string; readonly [key: string]: unknown }> {
  const token = new URLSearchParams(back.hash.slice(1)).get('access_token') ?? '';
  const { data, error } = await clientOf(server, elsewhere()).auth.getUser(token);
  if (error !== null) throw error;
  return data.user as unknown as { readonly id: string };
}

function expectRefused(back: URL): void {
  expect(back.searchParams.get('error_code')).toBe('validation_failed');
  expect(back.hash).not.toContain('access_token');
}

describe('SAML: configuration', () => {
  test.each([
    ['an id that is no UUID', [{ id: 'acme', metadata: idp.metadata }], 'UUID'],
    ['no certificate', [{ id: PROVIDER, entityId: 'x', entryPoint: 'https://x.fr' }], 'certificate'],
    [
      'a false certificate',
      [{ id: PROVIDER, entityId: 'x', entryPoint: 'https://x.fr', certificate: 'AAAA' }],
      'certificat',
    ],
    [
      'an entry point over plain HTTP',
      [{ id: PROVIDER, metadata: idp.metadata.replace('https://idp.example.fr/sso', 'http://idp.fr/') }],
      'entryPoint',
    ],
    [
      'the same domain twice',
      [PROVIDER, OTHER].map((id) => ({ id, domains: ['a.fr'], metadata: idp.metadata })),
      'domaine',
    ],
  ])('[AU-11] the start is refused, and the variable named: %s', (_what, value, sentence) => {
    expect(() => readConfig({ SAML_PROVIDERS: JSON.stringify(value) })).toThrow(sentence);
    expect(() => readConfig({ SAML_PROVIDERS: JSON.stringify(value) })).toThrow('SAML_PROVIDERS');
  });

  test('[AU-11] switched off, nothing else is looked at', async () => {
    const off = await startTestServer({ doors: ['auth'], jobs: false });
    try {
      const { error } = await clientOf(off).auth.signInWithSSO({ providerId: 'pas-un-uuid' });
      expect(error).toMatchObject({ status: 404, code: 'saml_provider_disabled', message: 'SAML 2.0 is disabled' });
      const metadata = await fetch(`${off.url}/auth/v1/sso/saml/metadata`);
      expect(metadata.status).toBe(404);
    } finally {
      await off.close();
    }
  });
});

describe('POST /sso', () => {
  async function post(body: unknown): Promise<{ readonly status: number; readonly body: Record<string, unknown> }> {
    const response = await server.fetch('/auth/v1/sso', {
      method: 'POST',
      redirect: 'manual',
      headers: { 'content-type': 'application/json', 'x-supabase-api-version': '2024-01-01', ...elsewhere() },
      body: JSON.stringify(body),
    });
    return {
      status: response.status,
      body: response.status === 303 ? {} : ((await response.json()) as Record<string, unknown>),
    };
  }

  test('[AU-11] by domain or by id, the person leaves for their company', async () => {
    const url = new URL(await leaves());
    expect(`${url.origin}${url.pathname}`).toBe(idp.entryPoint);
    expect(requestIn(url.href)).toMatchObject({
      issuer: `${server.url}/auth/v1/sso/saml/metadata`,
      consumer: `${server.url}/auth/v1/sso/saml/acs`,
      relayState: expect.stringMatching(/^[\da-f-]{36}$/u),
    });
    const { data } = await clientOf(server, elsewhere()).auth.signInWithSSO({ providerId: PROVIDER });
    expect(data?.url).toContain(idp.entryPoint);
    expect((await post({ domain: 'ACME.fr' })).status).toBe(303);
  });

  test.each([
    [{}, 400, 'validation_failed'],
    [{ provider_id: PROVIDER, domain: 'acme.fr' }, 400, 'validation_failed'],
    [{ provider_id: 'pas-un-uuid' }, 400, 'validation_failed'],
    [{ provider_id: randomUUID() }, 404, 'sso_provider_not_found'],
    [{ domain: 'inconnu.fr' }, 404, 'sso_provider_not_found'],
    [{ domain: 'off.fr' }, 404, 'sso_provider_disabled'],
  ])('[AU-11] %j → %i %s', async (body, status, code) => {
    const answer = await post({ skip_http_redirect: true, ...body });
    expect({ status: answer.status, code: answer.body['code'] }).toEqual({ status, code });
  });

  test('[AU-11] what the company must know of us is at its address', async () => {
    const response = await fetch(`${server.url}/auth/v1/sso/saml/metadata`);
    expect(response.headers.get('content-type')).toContain('xml');
    const xml = await response.text();
    expect(xml).toContain(`entityID="${server.url}/auth/v1/sso/saml/metadata"`);
    expect(xml).toContain('WantAssertionsSigned="true"');
    expect(xml).toContain(`Location="${server.url}/auth/v1/sso/saml/acs"`);
  });
});

describe('POST /sso/saml/acs', () => {
  test('[AU-11, A-06] the person comes back to an account apart, and finds it again', async () => {
    const nameId = randomUUID();
    const attributes = { ...anEmail(), displayName: 'Luc Moreau' };
    const user = await userOf(await comesBack({ nameId, attributes }));
    expect(user).toMatchObject({
      email: attributes.email,
      app_metadata: { provider: `sso:${PROVIDER}`, role: 'client' },
      user_metadata: { full_name: 'Luc Moreau' },
      identities: [{ provider: `sso:${PROVIDER}`, id: nameId }],
    });
    const again = await userOf(await comesBack({ nameId, attributes: { ...attributes, ...anEmail() } }));
    expect(again.id).toBe(user.id);
    expect(again).toMatchObject({ email: attributes.email });
  });

  test("[AU-11, AU-04] with the client's challenge it exchanges a code, and the session ends when the company says", async () => {
    const client = pkceClient();
    const ends = new Date(Date.now() + 3_600_000);
    const back = await comesBack({ sessionNotOnOrAfter: ends }, client);
    const { data, error } = await client.auth.exchangeCodeForSession(back.searchParams.get('code') ?? '');
    expect(error).toBeNull();
    const claims = (await client.auth.getClaims()).data?.claims;
    expect(claims?.['amr']).toMatchObject([{ method: 'sso/saml', provider: `sso:${PROVIDER}` }]);
    const rows = await server.database.asOwner<{ not_after: Date }>(
      'select not_after from auth.sessions where user_id = $1',
      [data.user?.id],
    );
    expect(rows.map((row) => row.not_after.getTime())).toEqual([ends.getTime()]);
  });

  test('[AU-11] a known address does not lead there; the person stays apart', async () => {
    const account = await anAccount(server);
    const user = await userOf(await comesBack({ attributes: { email: account.email } }));
    expect(user.id).not.toBe(account.id);
    expect(user).toMatchObject({ email: account.email });
    expect((await clientOf(server, elsewhere()).auth.signInWithPassword(account)).data.user?.id).toBe(account.id);
  });

  test('[AU-11] the address of a Microsoft directory, or the name itself, will do', async () => {
    const email = anEmail().email;
    const claim = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress';
    expect(await userOf(await comesBack({ attributes: { [claim]: email } }))).toMatchObject({ email });
    const other = anEmail().email;
    const byName = { nameId: other, nameIdFormat: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress' };
    expect(await userOf(await comesBack({ ...byName, attributes: {} }))).toMatchObject({ email: other });
  });

  test('[AU-11, AU-13] the company alone changes the address, the telephone and the password', async () => {
    const client = pkceClient();
    const back = await comesBack({}, client);
    await client.auth.exchangeCodeForSession(back.searchParams.get('code') ?? '');
    for (const change of [
      { email: 'autre@example.fr' },
      { password: 'un-nouveau-mot-de-passe-9' },
      { phone: '33612345678' },
    ]) {
      expect((await client.auth.updateUser(change)).error).toMatchObject({ code: 'user_sso_managed', status: 422 });
    }
    expect((await client.auth.updateUser({ data: { theme: 'sombre' } })).error).toBeNull();
    // A way in of one's own would outlive one's place at the company.
    expect((await client.auth.passkey.startRegistration()).error).toMatchObject({
      code: 'user_sso_managed',
      status: 422,
    });
  });

  test('[AU-11] without a lasting name, or without an address, nobody enters', async () => {
    const transient = { nameIdFormat: 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient' };
    for (const [details, code] of [
      [{ nameId: null }, 'saml_assertion_no_user_id'],
      [transient, 'saml_assertion_no_user_id'],
      [{ attributes: {} }, 'saml_assertion_no_email'],
      [{ attributes: { email: 'pas une adresse' } }, 'saml_assertion_no_email'],
    ] as const) {
      expect((await comesBack(details)).searchParams.get('error_code')).toBe(code);
    }
  });

  test.each<[string, SamlAnswerDetails]>([
    ['that has expired', { notOnOrAfter: new Date(Date.now() - 120_000) }],
    ['not yet valid', { notBefore: new Date(Date.now() + 120_000) }],
    ['for another service', { audience: 'https://autre.example.fr' }],
    ['of another company', { issuer: 'https://autre.example.fr' }],
    ['for another address', { recipient: 'https://autre.example.fr/acs' }],
    ['sent elsewhere', { destination: 'https://autre.example.fr/acs' }],
    ['to another request', { inResponseTo: '_autre' }],
    ['of a session that is over', { sessionNotOnOrAfter: new Date(Date.now() - 1000) }],
    ['without conditions', { unsigned: (xml) => xml.replace(/<saml:Conditions.*<\/saml:Conditions>/u, '') }],
    [
      'without an audience restriction',
      { unsigned: (xml) => xml.replace(/<saml:AudienceRestriction>.*<\/saml:AudienceRestriction>/u, '') },
    ],
    [
      'without a confirmation',
      { unsigned: (xml) => xml.replace(/<saml:SubjectConfirmation .*<\/saml:SubjectConfirmation>/u, '') },
    ],
    ['confirmed otherwise', { unsigned: (xml) => xml.replace('cm:bearer', 'cm:sender-vouches') }],
    ['to no request', { unsigned: (xml) => xml.replaceAll(/ InResponseTo="[^"]*"/gu, '') }],
    [
      'whose confirmation is to no request',
      { unsigned: (xml) => xml.replace(/(<saml:SubjectConfirmationData[^>]*) InResponseTo="[^"]*"/u, '$1') },
    ],
    ['signed with SHA-1', { algorithms: { signature: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1' } }],
    ['with a SHA-1 digest', { algorithms: { digest: 'http://www.w3.org/2000/09/xmldsig#sha1' } }],
    ['signed by another key', { signed: (xml) => otherIdp.sign(withoutSignature(xml)) }],
    ['without a signature', { signed: withoutSignature }],
  ])('[AU-11][CVE-2025-54419] a response %s is refused', async (_what, details) => {
    expectRefused(await comesBack(details));
  });

  test('[AU-11][CVE-2025-47949] a response is good once, and so is its state', async () => {
    const url = await leaves();
    const { body } = idp.answer(url, { attributes: anEmail() });
    const answers = await Promise.all(Array.from({ length: 20 }, () => brings(body)));
    expect(answers.filter(({ status }) => status === 302)).toHaveLength(1);
    const replayed = await brings(body);
    expect(replayed.status).toBe(404);
    expect(await replayed.json()).toMatchObject({ error_code: 'saml_relay_state_not_found' });
    // The same signed assertion, to another request that an attacker made look the same.
    const assertionId = '_deja-vue';
    await comesBack({ assertionId });
    expectRefused(await comesBack({ assertionId }));
  });

  test("[AU-11] without a state, with another's, or too late: each has its code", async () => {
    const url = await leaves();
    const { body } = idp.answer(url, { attributes: anEmail() });
    body.delete('RelayState');
    expect((await brings(body)).status).toBe(404);
    body.set('RelayState', randomUUID());
    expect(await (await brings(body)).json()).toMatchObject({ error_code: 'saml_relay_state_not_found' });
    body.set('RelayState', requestIn(url).relayState);
    await server.database.asOwner('update auth.provider_flows set expires_at = now() where used_at is null');
    const late = await brings(body);
    expect(late.status).toBe(422);
    expect(await late.json()).toMatchObject({ error_code: 'saml_relay_state_expired' });
    expect((await brings(new URLSearchParams({ RelayState: randomUUID() }))).status).toBe(400);
  });

  test('[AU-11] the response of one company is not good for another', async () => {
    const url = await leaves(undefined, 'other.fr');
    const response = await brings(idp.answer(url, { attributes: anEmail() }).body);
    expectRefused(new URL(response.headers.get('location') ?? ''));
  });
});

function withoutSignature(xml: string): string {
  return xml.replace(/<ds:Signature .*<\/ds:Signature>/su, '');
}

describe('signature wrapping', () => {
  const parts = (xml: string) => {
    const assertion = /<saml:Assertion .*<\/saml:Assertion>/su.exec(xml)?.[0] ?? '';
    const signature = /<ds:Signature .*<\/ds:Signature>/su.exec(xml)?.[0] ?? '';
    const bare = assertion.replace(signature, '');
    const evil = bare.replace(/ID="[^"]*"/u, 'ID="_evil"').replace(/(<saml:NameID[^>]*>)[^<]*/u, '$1directeur');
    return { assertion, signature, bare, evil };
  };

  test.each<[string, (xml: string) => string]>([
    [
      'the false assertion before the true one',
      (xml) => xml.replace(parts(xml).assertion, `${parts(xml).evil}${parts(xml).assertion}`),
    ],
    [
      'the false one after the true one',
      (xml) => xml.replace(parts(xml).assertion, `${parts(xml).assertion}${parts(xml).evil}`),
    ],
    [
      'the true one within the false one',
      (xml) => {
        const { assertion, evil } = parts(xml);
        return xml.replace(assertion, evil.replace('</saml:Assertion>', `${assertion}</saml:Assertion>`));
      },
    ],
    [
      'the true one in an object of the signature, under the false one',
      (xml) => {
        const { assertion, signature, bare, evil } = parts(xml);
        const carrying = signature.replace('</ds:Signature>', `<ds:Object>${bare}</ds:Object></ds:Signature>`);
        return xml.replace(assertion, evil.replace('</saml:Issuer>', `</saml:Issuer>${carrying}`));
      },
    ],
    [
      'the false one with the id of the true one',
      (xml) => {
        const { assertion, signature, bare, evil } = parts(xml);
        const id = /ID="([^"]*)"/u.exec(bare)?.[1] ?? '';
        const carrying = signature.replace('</ds:Signature>', `<ds:Object>${bare}</ds:Object></ds:Signature>`);
        return xml.replace(assertion, evil.replace('_evil', id).replace('</saml:Issuer>', `</saml:Issuer>${carrying}`));
      },
    ],
    [
      'the true one in an extension',
      (xml) => {
        const { assertion, evil } = parts(xml);
        return xml.replace(assertion, `<samlp:Extensions>${assertion}</samlp:Extensions>${evil}`);
      },
    ],
    [
      'the signature outside of the assertion',
      (xml) => {
        const { assertion, signature, bare } = parts(xml);
        return xml.replace(assertion, `${signature}${bare}`);
      },
    ],
    [
      'a response within a response',
      (xml) => {
        const { assertion, evil } = parts(xml);
        const outer = xml.replace(assertion, evil);
        return outer.replace('</samlp:Response>', `${xml}</samlp:Response>`);
      },
    ],
    [
      'the true one under another namespace, the false one in its place',
      (xml) => {
        const { assertion, evil } = parts(xml);
        return xml.replace(assertion, `<x:Assertion xmlns:x="urn:x">${assertion}</x:Assertion>${evil}`);
      },
    ],
    ['a name cut by a comment', (xml) => xml.replace(/(<saml:NameID[^>]*>)(.)/u, '$1$2<!-- coupe -->')],
    ['a changed name', (xml) => xml.replace(/(<saml:NameID[^>]*>)[^<]*/u, '$1directeur')],
    [
      'a changed address',
      (xml) => xml.replace(/<saml:AttributeValue>[^<]*/u, '<saml:AttributeValue>directeur@acme.fr'),
    ],
    ['a document type', (xml) => `<!DOCTYPE r [<!ENTITY e SYSTEM "file:///etc/passwd">]>${xml}`],
    ['a CDATA section', (xml) => xml.replace(/(<saml:NameID[^>]*>)([^<]*)/u, '$1<![CDATA[$2]]>')],
    ['a processing instruction', (xml) => xml.replace('<saml:Subject>', '<?php ?><saml:Subject>')],
    ['two signatures', (xml) => xml.replace(parts(xml).signature, parts(xml).signature.repeat(2))],
  ])('[AU-11][CVE-2025-54419][CVE-2025-54369][CVE-2025-47949] %s: nobody enters', async (_what, signed) => {
    const before = await server.database.asOwner('select id from auth.sessions');
    const back = await comesBack({
      signed: (xml) => {
        const changed = signed(xml);
        expect(changed).not.toBe(xml);
        return changed;
      },
    });
    expectRefused(back);
    expect(await server.database.asOwner('select id from auth.sessions')).toHaveLength(before.length);
  });

  test('[AU-11] what is no XML, no base64, no UTF-8 is refused without a failure', async () => {
    for (const given of [
      '',
      '%%%',
      'AAAA',
      Buffer.from('<a/>').toString('base64'),
      Buffer.from([0xff, 0xfe, 0x3c]).toString('base64'),
      'A'.repeat(100_000),
    ]) {
      const url = await leaves();
      const response = await brings(
        new URLSearchParams({ SAMLResponse: given, RelayState: requestIn(url).relayState }),
      );
      if (given === '') expect(response.status).toBe(400);
      else expectRefused(new URL(response.headers.get('location') ?? ''));
    }
  });

  test('[AU-11] a response made to be costly is refused at once, and holds nobody up', async () => {
    const [opening, tag] = ['<Response>', '<Assertion '];
    for (const document of [
      tag.repeat(16_000),
      `${opening}${tag}"`,
      `<Response ${'a="'.repeat(60_000)}`,
      tag.repeat(60_000),
    ]) {
      const url = await leaves();
      const body = new URLSearchParams({
        SAMLResponse: Buffer.from(document).toString('base64'),
        RelayState: requestIn(url).relayState,
      });
      expectRefused(new URL((await brings(body)).headers.get('location') ?? ''));
    }
  });
});
