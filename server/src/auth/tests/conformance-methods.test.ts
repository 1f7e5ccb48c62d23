// @module-tag long: src/auth/tests/protocol.test.ts holds its subject in the quick ring
import { createClient } from '@supabase/supabase-js';
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

/** Method of the official client that a test drives against a real server, in the file `in`. */
type Covered = { readonly in: string };
/** Method of a feature that the server lacks: every call is answered by a 404 in JSON, which `in` shows. */
type LeftOut = { readonly reason: string; readonly in: string };
/** Method that the client uses itself, without a request to the server. */
type Internal = { readonly internal: string };
type Verdict = Covered | LeftOut | Internal;

const PUBLIC = 'tests/conformance-public.test.ts';
const SESSIONS = 'tests/conformance-sessions.test.ts';
const USER = 'tests/conformance-user.test.ts';
const IDENTITY = 'tests/conformance-identity.test.ts';
const BROWSER = 'tests/conformance-browser.test.ts';
const FACTORS = 'factors/factors.test.ts';
const CODES = 'factors/recovery-codes.test.ts';
const PASSKEYS = 'passkeys/passkeys.test.ts';
const PROVIDERS = 'providers/providers.test.ts';
const ADMIN = 'admin/admin.test.ts';

const noOauthServer: LeftOut = {
  reason: 'people sign in here; this is no OAuth server for other applications',
  in: PUBLIC,
};
const configured: LeftOut = { reason: 'providers come from the configuration, not from an administrator', in: PUBLIC };

const VERDICTS: Readonly<Record<string, Verdict>> = {
  signUp: { in: 'sign-up/by-email.test.ts' },
  signInAnonymously: { in: USER },
  signInWithPassword: { in: 'token/sign-in.test.ts' },
  signInWithOtp: { in: 'codes/otp.test.ts' },
  signInWithOAuth: { in: PROVIDERS },
  signInWithIdToken: { in: PROVIDERS },
  signInWithSSO: { in: 'providers/saml/saml.test.ts' },
  signInWithWeb3: { in: 'providers/web3/web3.test.ts' },
  signInWithPasskey: { in: BROWSER },
  registerPasskey: { in: BROWSER },
  exchangeCodeForSession: { in: 'codes/pkce-code.test.ts' },
  verifyOtp: { in: 'codes/otp.test.ts' },
  resend: { in: 'sign-up/by-email.test.ts' },
  resetPasswordForEmail: { in: 'codes/recover.test.ts' },
  reauthenticate: { in: 'codes/reauthenticate.test.ts' },
  getSession: { in: SESSIONS },
  setSession: { in: SESSIONS },
  refreshSession: { in: 'token/by-refresh.test.ts' },
  getUser: { in: 'user/user.test.ts' },
  updateUser: { in: 'user/user.test.ts' },
  getClaims: { in: 'token/sign-in.test.ts' },
  signOut: { in: 'user/user.test.ts' },
  onAuthStateChange: { in: 'user/user.test.ts' },
  getUserIdentities: { in: PROVIDERS },
  linkIdentity: { in: PROVIDERS },
  unlinkIdentity: { in: PROVIDERS },
  initialize: { in: BROWSER },
  startAutoRefresh: { in: SESSIONS },
  stopAutoRefresh: { in: SESSIONS },
  dispose: { in: SESSIONS },
  isThrowOnErrorEnabled: { in: BROWSER },
  // Private to the client, named like its public ones.
  signInWithEthereum: { internal: 'signInWithWeb3' },
  signInWithSolana: { internal: 'signInWithWeb3' },
  linkIdentityOAuth: { internal: 'linkIdentity' },
  linkIdentityIdToken: { internal: 'linkIdentity' },
  fetchJwk: { internal: 'getClaims' },
  fetch: { internal: 'every call' },
  logger: { internal: 'its debug log' },

  'mfa.enroll': { in: FACTORS },
  'mfa.challenge': { in: FACTORS },
  'mfa.verify': { in: FACTORS },
  'mfa.challengeAndVerify': { in: FACTORS },
  'mfa.unenroll': { in: FACTORS },
  'mfa.listFactors': { in: FACTORS },
  'mfa.getAuthenticatorAssuranceLevel': { in: FACTORS },
  'mfa.webauthn.enroll': { in: BROWSER },
  'mfa.webauthn.challenge': { in: BROWSER },
  'mfa.webauthn.verify': { in: BROWSER },
  'mfa.webauthn.authenticate': { in: BROWSER },
  'mfa.webauthn.register': { in: BROWSER },
  'mfa.recoveryCodes.getStatus': { in: CODES },
  'mfa.recoveryCodes.generate': { in: CODES },
  'mfa.recoveryCodes.verify': { in: CODES },
  'mfa.recoveryCodes.regenerate': { in: CODES },
  'mfa.recoveryCodes.unenroll': { in: CODES },

  'passkey.startRegistration': { in: PASSKEYS },
  'passkey.verifyRegistration': { in: PASSKEYS },
  'passkey.startAuthentication': { in: PASSKEYS },
  'passkey.verifyAuthentication': { in: PASSKEYS },
  'passkey.list': { in: PASSKEYS },
  'passkey.update': { in: PASSKEYS },
  'passkey.delete': { in: PASSKEYS },

  'admin.createUser': { in: ADMIN },
  'admin.listUsers': { in: ADMIN },
  'admin.getUserById': { in: ADMIN },
  'admin.updateUserById': { in: ADMIN },
  'admin.deleteUser': { in: ADMIN },
  'admin.inviteUserByEmail': { in: ADMIN },
  'admin.generateLink': { in: 'admin/generate-link.test.ts' },
  'admin.signOut': { in: ADMIN },
  'admin.fetch': { internal: 'every call' },
  'admin.mfa.listFactors': { in: 'sessions/aal.test.ts' },
  'admin.mfa.deleteFactor': { in: 'sessions/aal.test.ts' },
  'admin.passkey.listPasskeys': { in: PASSKEYS },
  'admin.passkey.deletePasskey': { in: PASSKEYS },

  'oauth.getAuthorizationDetails': noOauthServer,
  'oauth.approveAuthorization': noOauthServer,
  'oauth.denyAuthorization': noOauthServer,
  'oauth.listGrants': noOauthServer,
  'oauth.revokeGrant': noOauthServer,
  'admin.oauth.listClients': noOauthServer,
  'admin.oauth.createClient': noOauthServer,
  'admin.oauth.getClient': noOauthServer,
  'admin.oauth.updateClient': noOauthServer,
  'admin.oauth.deleteClient': noOauthServer,
  'admin.oauth.regenerateClientSecret': noOauthServer,
  'admin.customProviders.listProviders': configured,
  'admin.customProviders.createProvider': configured,
  'admin.customProviders.getProvider': configured,
  'admin.customProviders.updateProvider': configured,
  'admin.customProviders.deleteProvider': configured,
};

/** The lines of the protocol's list of pitfalls, each with the test that would fall into it. */
const PITFALLS: readonly (readonly [string, string, string])[] = [
  ['an empty body announced as JSON', PUBLIC, 'an empty body announced as JSON'],
  ['null fields, an empty object, unknown keys', PUBLIC, 'takes null for absent'],
  ['the API key in Authorization', PUBLIC, 'does not read the bearer'],
  ['the code needs the version header, exposed', 'tests/protocol.test.ts', 'with the exposed headers'],
  ['no 5xx for a business error', FACTORS, 'each refusal has its code and its status'],
  ['a 429 on refresh signs people out', PUBLIC, 'at a refresh 503'],
  ['the order in the Link header, empty page parameters', ADMIN, 'with the headers that the client reads'],
  ['no # in the SVG', FACTORS, 'enrolment, challenge, answer'],
  ['identity_id and id', IDENTITY, 'identity_id names the row'],
  ['a bare user while confirmation is pending', 'sign-up/by-email.test.ts', 'the registration waits for its link'],
  ['half of a change of address', 'codes/change-address.test.ts', 'the half is told'],
  ['empty texts, never null; identities always a list', SESSIONS, 'exactly the fields of the contract'],
  ['401, 403, 422 for insufficient_aal', 'sessions/aal.test.ts', 'at the first level, %s %s'],
  ['SAML is looked at before the body', 'providers/saml/saml.test.ts', 'switched off, nothing else is looked at'],
  ['wallets are looked at before the body', 'tests/protocol.test.ts', 'what is not offered'],
  ['linking is looked at after the session', PROVIDERS, 'that is told after the session is checked'],
  ['seconds and lower case in fragments', PUBLIC, 'whole seconds'],
  ['key_ops, ext and use of public keys', 'tests/protocol.test.ts', 'the public key, as the client reads it'],
  ['kid in every token', 'token/sign-in.test.ts', 'carries the claims of the contract'],
  ['the method of a challenge', 'codes/pkce-code.test.ts', 'a malformed challenge'],
  ['recover is silent', 'codes/recover.test.ts', 'the same answers for a known address'],
  ['resend is silent', 'sign-up/by-email.test.ts', 'the same answer for all'],
  ['the prefix is a setting', PUBLIC, 'stands without its prefix'],
  ['redirect_to nonsense is not an error', PUBLIC, 'is never an error'],
  ['the end of a session by reuse is committed', 'token/by-refresh.test.ts', 'it ends the whole session'],
  ['user_metadata is exactly what was given', 'tests/conformance-admin.test.ts', 'exactly those'],
  ['an administrator’s token without an end', 'tests/conformance-admin.test.ts', 'without an end'],
  ['opening a link does not use it up', 'sign-up/by-email.test.ts', 'opening the link does not use it up'],
  ['no /admin/logout, no POST of identities', PUBLIC, 'what the client knows and the house has not'],
];

const client = createClient('http://127.0.0.1:9', 'key', {
  auth: { persistSession: false, autoRefreshToken: false, experimental: { recoveryCodes: true } },
}).auth;

/** Every part of the client that has methods, by the name under which people reach it. */
const PARTS: Readonly<Record<string, object>> = {
  '': client,
  mfa: client.mfa,
  'mfa.webauthn': client.mfa.webauthn,
  'mfa.recoveryCodes': client.mfa.recoveryCodes,
  passkey: client.passkey,
  oauth: client.oauth,
  admin: client.admin,
  'admin.mfa': client.admin.mfa,
  'admin.passkey': client.admin.passkey,
  'admin.oauth': client.admin.oauth,
  'admin.customProviders': client.admin.customProviders,
};

/** Internal state of the client: none of it is a method to call. */
const STATE = new Set([
  'client',
  'experimental',
  'headers',
  'initializePromise',
  'memoryStorage',
  'pendingInLock',
  'stateChangeEmitters',
  'storage',
]);

test('[AU-22] each method of the official client is tried, or left out with its reason', () => {
  const names = Object.entries(PARTS).flatMap(([part, object]) =>
    methodsOf(object).map((name) => (part === '' ? name : `${part}.${name}`)),
  );
  expect(names.length).toBeGreaterThan(70);
  expect(names.toSorted()).toEqual(Object.keys(VERDICTS).toSorted());
});

test('[AU-22] the client has no other part than those that are tried', () => {
  for (const [part, object] of Object.entries(PARTS)) {
    for (const [name, value] of Object.entries(object)) {
      if (typeof value !== 'object' || value === null || name.startsWith('_') || STATE.has(name)) continue;
      expect(PARTS).toHaveProperty([part === '' ? name : `${part}.${name}`]);
    }
  }
});

test.each(Object.entries(VERDICTS))('[AU-22] %s is called where it is said', async (name, verdict) => {
  if ('internal' in verdict) return;
  const text = await textOf(verdict.in);
  expect(text).toMatch(new RegExp(`\\.${name.split('.').at(-1) ?? ''}\\(`, 'u'));
});

test.each(PITFALLS)('[AU-22] the pitfall « %s » has its test', async (_pitfall, file, title) => {
  expect(await textOf(file)).toContain(title);
});

async function textOf(file: string): Promise<string> {
  return readFile(new URL(`../${file}`, import.meta.url), 'utf8');
}

function methodsOf(object: object): string[] {
  const names = new Set<string>();
  for (let own: object | null = object; own !== null && own !== Object.prototype; own = prototypeOf(own)) {
    for (const name of Object.getOwnPropertyNames(own)) {
      if (typeof Reflect.get(object, name) === 'function' && name !== 'constructor' && !name.startsWith('_')) {
        names.add(name);
      }
    }
  }
  return [...names];
}

function prototypeOf(object: object): object | null {
  return Object.getPrototypeOf(object) as object | null;
}
