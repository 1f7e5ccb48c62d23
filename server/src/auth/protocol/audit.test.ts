import type { SupabaseClient } from '@supabase/supabase-js';
import { randomInt, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';

import {
  administratorOf,
  anAccount,
  clientOf,
  endCooldowns,
  PASSWORD,
  refreshWith,
  signedIn,
} from '../../testing/accounts.ts';
import type { TestAccount } from '../../testing/accounts.ts';
import { softwareAuthenticator } from '../../testing/authenticator.ts';
import { enrolTotp, passTotp } from '../../testing/factors.ts';
import { CLIENT_ID, startIdentityProvider } from '../../testing/identity-provider.ts';
import type { IdentityProvider } from '../../testing/identity-provider.ts';
import { startTestServer } from '../../testing/index.ts';
import type { TestServer } from '../../testing/index.ts';
import { codeIn, elsewhere, wrongCode } from '../../testing/links.ts';
import { startSmsSink } from '../../testing/sms-sink.ts';
import type { SmsSink } from '../../testing/sms-sink.ts';

const ORIGIN = 'https://parrain.example.fr';
const IP = '198.51.100.7';

let sink: SmsSink;
let idp: IdentityProvider;
let server: TestServer;
let confirming: TestServer;
beforeAll(async () => {
  sink = await startSmsSink();
  idp = await startIdentityProvider();
  const environment = {
    TRUST_PROXY: '1',
    PUBLIC_URL: ORIGIN,
    SMS_URL: sink.url,
    ANONYMOUS_SIGN_IN: 'on',
    MANUAL_LINKING: 'on',
    OIDC_PROVIDERS: JSON.stringify({ google: { clientId: CLIENT_ID, clientSecret: 'secret', issuer: idp.issuer } }),
  };
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
  await idp.close();
  await sink.close();
});

type Person = { readonly account: TestAccount; readonly client: SupabaseClient };

/** Headers of one address, the same for every caller: each entry must record it. */
const here = (): Record<string, string> => ({ 'x-forwarded-for': IP });
const visitor = (where = server): SupabaseClient['auth'] => clientOf(where, here()).auth;
const anEmail = (): string => `journal-${randomUUID().slice(0, 8)}@example.fr`;
const admin = () => clientOf(server, here(), server.services.keys.secretKey).auth.admin;

async function aPerson(): Promise<Person> {
  const account = await anAccount(server);
  const { client } = await signedIn(server, account, elsewhere());
  await server.database.asOwner('delete from auth.audit_entries where user_id = $1', [account.id]);
  // From here on they act from the one address.
  const moved = clientOf(server, here());
  const { data } = await client.auth.getSession();
  await moved.auth.setSession({
    access_token: data.session?.access_token ?? '',
    refresh_token: data.session?.refresh_token ?? '',
  });
  return { account, client: moved };
}

async function idOf(column: 'email' | 'phone', value: string, where = server): Promise<string> {
  const [row] = await where.database.asOwner<{ id: string }>(`select id from auth.users where ${column} = $1`, [value]);
  if (row === undefined) throw new Error('Nobody has it');
  return row.id;
}

type Action = {
  readonly action: string;
  readonly what: string;
  readonly where?: () => TestServer;
  /** Gives whose line it is. */
  readonly act: () => Promise<string>;
};

const actions: readonly Action[] = [
  {
    action: 'signup',
    what: 'a registration',
    act: async () => (await visitor().signUp({ email: anEmail(), password: PASSWORD })).data.user?.id ?? '',
  },
  {
    action: 'signup_repeated',
    what: 'an address registered twice',
    act: async () => {
      const { id, email } = await anAccount(server);
      await visitor().signUp({ email, password: PASSWORD });
      return id;
    },
  },
  {
    action: 'signup_anonymous',
    what: 'an anonymous visit',
    act: async () => (await visitor().signInAnonymously()).data.user?.id ?? '',
  },
  {
    action: 'confirmation_requested',
    what: 'a confirmation sent again',
    where: () => confirming,
    act: async () => {
      const email = anEmail();
      await visitor(confirming).signUp({ email, password: PASSWORD });
      await confirming.mailbox.take(email);
      await confirming.database.asOwner('update auth.users set confirmation_sent_at = null where email = $1', [email]);
      await endCooldowns(confirming);
      await visitor(confirming).resend({ type: 'signup', email });
      await confirming.mailbox.take(email);
      return idOf('email', email, confirming);
    },
  },
  {
    action: 'login',
    what: 'a sign-in',
    act: async () => {
      const account = await anAccount(server);
      await visitor().signInWithPassword(account);
      return account.id;
    },
  },
  {
    action: 'login_refused',
    what: 'a wrong password',
    act: async () => {
      const { id, email } = await anAccount(server);
      await visitor().signInWithPassword({ email, password: 'pas-le-bon-mot-8' });
      return id;
    },
  },
  {
    action: 'logout',
    what: 'a sign-out',
    act: async () => {
      const { account, client } = await aPerson();
      await client.auth.signOut({ scope: 'local' });
      return account.id;
    },
  },
  {
    action: 'token_refreshed',
    what: 'a session prolonged',
    act: async () => {
      const { account, client } = await aPerson();
      await client.auth.refreshSession();
      return account.id;
    },
  },
  {
    action: 'refresh_token_reused',
    what: 'a token used before',
    act: async () => {
      const account = await anAccount(server);
      const { session } = await signedIn(server, account, elsewhere());
      let last = session.refresh_token;
      for (let turn = 0; turn < 3; turn += 1) last = String((await refreshWith(server, last)).body['refresh_token']);
      await server.database.asOwner(
        `update auth.sessions set refreshed_at = now() - interval '1 hour' where user_id = $1`,
        [account.id],
      );
      await visitor().refreshSession({ refresh_token: session.refresh_token });
      return account.id;
    },
  },
  {
    action: 'recovery_requested',
    what: 'a forgotten password',
    act: async () => {
      const { id, email } = await anAccount(server);
      await visitor().resetPasswordForEmail(email);
      await server.mailbox.take(email);
      return id;
    },
  },
  {
    action: 'sign_in_link_requested',
    what: 'a sign-in link asked for',
    act: async () => {
      const { id, email } = await anAccount(server);
      await visitor().signInWithOtp({ email });
      await server.mailbox.take(email);
      return id;
    },
  },
  {
    action: 'verified',
    what: 'a right code',
    act: async () => {
      const { id, email } = await anAccount(server);
      await visitor().signInWithOtp({ email });
      const token = codeIn((await server.mailbox.take(email)).text);
      await visitor().verifyOtp({ email, token, type: 'email' });
      return id;
    },
  },
  {
    action: 'code_refused',
    what: 'a wrong code',
    act: async () => {
      const { id, email } = await anAccount(server);
      await visitor().signInWithOtp({ email });
      const token = wrongCode(codeIn((await server.mailbox.take(email)).text));
      await visitor().verifyOtp({ email, token, type: 'email' });
      return id;
    },
  },
  {
    action: 'sign_in_code_requested',
    what: 'a code by text message',
    act: async () => {
      const phone = `336${randomInt(10_000_000, 99_999_999)}`;
      await visitor().signInWithOtp({ phone });
      return idOf('phone', phone);
    },
  },
  {
    action: 'reauthentication_requested',
    what: 'a code of reauthentication',
    act: async () => {
      const { account, client } = await aPerson();
      await client.auth.reauthenticate();
      return account.id;
    },
  },
  {
    action: 'user_updated',
    what: 'data changed',
    act: async () => {
      const { account, client } = await aPerson();
      await client.auth.updateUser({ data: { couleur: 'bleu' } });
      return account.id;
    },
  },
  {
    action: 'email_change_requested',
    what: 'another address asked for',
    act: async () => {
      const { account, client } = await aPerson();
      await client.auth.updateUser({ email: anEmail() });
      return account.id;
    },
  },
  {
    action: 'phone_change_requested',
    what: 'another number asked for',
    act: async () => {
      const { account, client } = await aPerson();
      await client.auth.updateUser({ phone: `336${randomInt(10_000_000, 99_999_999)}` });
      return account.id;
    },
  },
  {
    action: 'factor_enrolled',
    what: 'a second factor begun',
    act: async () => {
      const { account, client } = await aPerson();
      await enrolTotp(client);
      return account.id;
    },
  },
  {
    action: 'factor_refused',
    what: 'a wrong code of an application',
    act: async () => {
      const { account, client } = await aPerson();
      const { factorId, code } = await enrolTotp(client);
      await client.auth.mfa.challengeAndVerify({ factorId, code: wrongCode(code()) });
      return account.id;
    },
  },
  {
    action: 'factor_used',
    what: 'the second step passed',
    act: async () => {
      const { account, client } = await aPerson();
      const application = await enrolTotp(client);
      await passTotp(client, application, -1);
      await passTotp(client, application);
      return account.id;
    },
  },
  {
    action: 'passkey_refused',
    what: 'a passkey that lies',
    act: async () => {
      const { account, client } = await aPerson();
      const key = softwareAuthenticator(ORIGIN);
      const { data: start } = await client.auth.passkey.startRegistration();
      if (start === null) throw new Error('Not begun');
      await client.auth.passkey.verifyRegistration({
        challengeId: start.challenge_id,
        credential: key.create(start.options).toJSON(),
      });
      const { data: question } = await visitor().passkey.startAuthentication();
      if (question === null) throw new Error('Not begun');
      await visitor().passkey.verifyAuthentication({
        challengeId: question.challenge_id,
        credential: key.get(question.options, { origin: 'https://mechant.fr' }).toJSON(),
      });
      return account.id;
    },
  },
  {
    action: 'passkey_renamed',
    what: 'a passkey renamed',
    act: async () => {
      const { account, client } = await aPerson();
      const { data: start } = await client.auth.passkey.startRegistration();
      if (start === null) throw new Error('Not begun');
      const { data } = await client.auth.passkey.verifyRegistration({
        challengeId: start.challenge_id,
        credential: softwareAuthenticator(ORIGIN).create(start.options).toJSON(),
      });
      await client.auth.passkey.update({ passkeyId: data?.id ?? '', friendlyName: 'Bureau' });
      return account.id;
    },
  },
  {
    action: 'provider_refused',
    what: 'a provider that says no',
    act: async () => {
      const { account, client } = await aPerson();
      const { data } = await client.auth.linkIdentity({ provider: 'google', options: { skipBrowserRedirect: true } });
      const state = new URL(data.url ?? '').searchParams.get('state') ?? '';
      const query = new URLSearchParams({ state, error: 'access_denied', error_description: 'Non merci' });
      const back = await fetch(`${server.url}/auth/v1/callback?${query.toString()}`, {
        redirect: 'manual',
        headers: here(),
      });
      expect(back.status).toBe(302);
      return account.id;
    },
  },
  {
    action: 'invited',
    what: 'an invitation',
    act: async () => (await admin().inviteUserByEmail(anEmail())).data.user?.id ?? '',
  },
  {
    action: 'link_generated',
    what: 'a link made for somebody',
    act: async () => {
      const { id, email } = await anAccount(server);
      await admin().generateLink({ type: 'magiclink', email });
      return id;
    },
  },
  {
    action: 'user_created',
    what: 'an account created',
    act: async () => (await admin().createUser({ email: anEmail(), password: PASSWORD })).data.user?.id ?? '',
  },
  {
    action: 'user_modified',
    what: 'an account changed',
    act: async () => {
      const { id } = await anAccount(server);
      await admin().updateUserById(id, { ban_duration: '1h' });
      return id;
    },
  },
  {
    action: 'user_deleted',
    what: 'an account deleted',
    act: async () => {
      const { id } = await anAccount(server);
      await admin().deleteUser(id);
      return id;
    },
  },
];

test.each(actions)(
  "[AU-22] $action: $what is in the audit trail, with the network's address and without a secret",
  async (one) => {
    const id = await one.act();
    const { database } = one.where?.() ?? server;
    const rows = await database.asOwner<{ ip: string; detail: Record<string, unknown> }>(
      'select ip, detail from auth.audit_entries where user_id = $1 and action = $2',
      [id, one.action],
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]?.ip).toBe(IP);
    // Ids are random: nine digits may follow each other in one.
    const detail = JSON.stringify(rows[0]?.detail).replaceAll(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gu, 'id');
    // No address, no number, no code, no token.
    expect(detail).not.toMatch(/@|\d{9,}|"\d{6}"|eyJ|[\w-]{40,}/u);
  },
);

test('[AU-22] the audit trail is not rewritten, and nobody reads it through the API', async () => {
  const { account, client } = await aPerson();
  await client.auth.updateUser({ data: { couleur: 'vert' } });
  const change = (statement: string): Promise<{ rowCount: number }> =>
    server.services.db.asService('test', (tx) => tx.query(statement, [account.id]));
  await expect(change('update auth.audit_entries set action = action where user_id = $1')).rejects.toThrow();
  // Only entries older than a year are deleted (OP-06); no younger one can be.
  expect((await change('delete from auth.audit_entries where user_id = $1')).rowCount).toBe(0);
  expect((await administratorOf(server).schema('auth').from('audit_entries').select()).error).not.toBeNull();
});
