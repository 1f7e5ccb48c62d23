import type { GenerateLinkParams, User } from '@supabase/supabase-js';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { administratorOf, anAccount, clientOf, PASSWORD, signedIn } from '../../testing/accounts.ts';
import { startTestServer } from '../../testing/index.ts';
import type { TestServer } from '../../testing/index.ts';
import { elsewhere, fragmentOf, landing } from '../../testing/links.ts';
import { jobsAreDone } from '../../testing/waiting.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({
    doors: ['auth'],
    smtp: true,
    environment: { TRUST_PROXY: '1', SIGNUP_CONFIRMATION: '1' },
  });
});
afterAll(() => server.close());

const anEmail = (): string => `genere-${randomUUID().slice(0, 8)}@example.fr`;
const EXPIRED = { status: 403, code: 'otp_expired', message: 'Token has expired or is invalid' };
const visitor = () => clientOf(server, elsewhere()).auth;

type Made = {
  readonly user: User;
  readonly action_link: string;
  readonly email_otp: string;
  readonly hashed_token: string;
  readonly redirect_to: string;
  readonly verification_type: string;
};

async function generate(parameters: GenerateLinkParams): Promise<Made> {
  const { data, error } = await administratorOf(server).auth.admin.generateLink(parameters);
  if (error !== null) throw error;
  return { user: data.user, ...data.properties };
}

type Type = GenerateLinkParams['type'];

/** A link of each type, as an application with the secret key asks for it, with what it must be good for. */
const kinds: readonly {
  readonly type: Type;
  readonly linkType: string;
  readonly ask: () => Promise<{ readonly parameters: GenerateLinkParams; readonly id: string | null }>;
}[] = [
  {
    type: 'signup',
    linkType: 'signup',
    ask: async () => ({ parameters: { type: 'signup', email: anEmail(), password: PASSWORD }, id: null }),
  },
  {
    type: 'invite',
    linkType: 'invite',
    ask: async () => ({ parameters: { type: 'invite', email: anEmail() }, id: null }),
  },
  {
    type: 'magiclink',
    linkType: 'magiclink',
    ask: async () => {
      const { id, email } = await anAccount(server);
      return { parameters: { type: 'magiclink', email }, id };
    },
  },
  {
    type: 'magiclink',
    linkType: 'signup',
    ask: async () => ({ parameters: { type: 'magiclink', email: anEmail() }, id: null }),
  },
  {
    type: 'recovery',
    linkType: 'recovery',
    ask: async () => {
      const { id, email } = await anAccount(server);
      return { parameters: { type: 'recovery', email }, id };
    },
  },
];

describe('links for who sends mails of their own', () => {
  test.each(kinds)('[AU-20] $type: its fields, under the type $linkType', async ({ type, linkType, ask }) => {
    const { parameters, id } = await ask();
    const target = `${server.url}/bienvenue?a=1`;
    const made = await generate({ ...parameters, options: { redirectTo: target } });
    expect(made.verification_type).toBe(linkType);
    expect(made.redirect_to).toBe(target);
    expect(made.email_otp).toMatch(/^\d{6}$/u);
    const link = new URL(made.action_link);
    expect(`${link.origin}${link.pathname}`).toBe(`${server.url}/auth/v1/verify`);
    expect([...link.searchParams.keys()]).toEqual(['token', 'type', 'redirect_to']);
    expect(link.searchParams.get('token')).toBe(made.hashed_token);
    expect(Buffer.from(made.hashed_token, 'base64url')).toHaveLength(32);
    expect(link.searchParams.get('type')).toBe(linkType);
    expect(link.searchParams.get('redirect_to')).toBe(target);
    if (id !== null) expect(made.user.id).toBe(id);
    expect(made.user).toMatchObject({
      email: parameters.email,
      role: 'authenticated',
      app_metadata: { role: 'client' },
    });
    if (type === 'invite') expect(made.user.invited_at).toBeTruthy();
    // Nothing leaves, and only hashes stay.
    await jobsAreDone(server);
    expect(server.mailbox.mails.filter(({ recipients }) => recipients.includes(parameters.email))).toHaveLength(0);
    const [row] = await server.database.asOwner<{ row: string }>(
      'select t::text as row from auth.one_time_tokens t where user_id = $1',
      [made.user.id],
    );
    expect(row?.row).not.toContain(made.hashed_token);
    expect(row?.row).not.toMatch(new RegExp(`(?<!\\d)${made.email_otp}(?!\\d)`, 'u'));
  });

  test.each(kinds)('[AU-20][AU-08] $type: the link, the token or the code, once', async ({ linkType, ask }) => {
    for (const way of ['browser', 'token', 'code'] as const) {
      const { parameters } = await ask();
      const { user, action_link: link, hashed_token: token, email_otp: code } = await generate(parameters);
      const byToken = () => visitor().verifyOtp({ token_hash: token, type: linkType as 'signup' });
      const byCode = () => visitor().verifyOtp({ email: user.email ?? '', token: code, type: linkType as 'signup' });
      const byBrowser = async () => fragmentOf(await landing(new URL(link), elsewhere()));
      if (way === 'browser') {
        expect((await fetch(link)).status).toBe(200);
        const { data } = await visitor().getUser((await byBrowser()).get('access_token') ?? '');
        expect(data.user?.id).toBe(user.id);
        expect(data.user?.email_confirmed_at).toBeTruthy();
      } else {
        const { data, error } = await (way === 'token' ? byToken() : byCode());
        expect(error).toBeNull();
        expect(data.user?.id).toBe(user.id);
        expect(data.user?.email_confirmed_at).toBeTruthy();
      }
      expect((await byToken()).error).toMatchObject(EXPIRED);
      expect((await byCode()).error).toMatchObject(EXPIRED);
      expect((await byBrowser()).get('error_code')).toBe('otp_expired');
    }
  });

  test('[AU-20][AU-13] a change of address: one link for each side, and both work', async () => {
    for (const order of [
      ['email_change_new', 'email_change_current'],
      ['email_change_current', 'email_change_new'],
    ] as const) {
      const account = await anAccount(server);
      const newEmail = anEmail();
      const [first, second] = [
        await generate({ type: order[0], email: account.email, newEmail }),
        await generate({ type: order[1], email: account.email, newEmail }),
      ];
      for (const { action_link: link, verification_type: type, user } of [first, second]) {
        expect(type).toBe('email_change');
        expect(new URL(link).searchParams.get('type')).toBe('email_change');
        expect(user).toMatchObject({ id: account.id, email: account.email, new_email: newEmail });
      }
      const half = await visitor().verifyOtp({ token_hash: first.hashed_token, type: 'email_change' });
      expect(half).toMatchObject({ error: null, data: { user: null, session: null } });
      const whole = await visitor().verifyOtp({ token_hash: second.hashed_token, type: 'email_change' });
      expect(whole.error).toBeNull();
      expect(whole.data.user).toMatchObject({ id: account.id, email: newEmail });
      expect((await visitor().signInWithPassword({ email: newEmail, password: PASSWORD })).error).toBeNull();
    }
  });

  test('[AU-20][AU-13] one side alone changes nothing, and a link for another address does not complete it', async () => {
    const account = await anAccount(server);
    const first = await generate({ type: 'email_change_current', email: account.email, newEmail: anEmail() });
    const other = await generate({ type: 'email_change_new', email: account.email, newEmail: anEmail() });
    for (const { hashed_token: token } of [first, other]) {
      expect((await visitor().verifyOtp({ token_hash: token, type: 'email_change' })).error).toMatchObject(EXPIRED);
    }
    const { data } = await administratorOf(server).auth.admin.getUserById(account.id);
    expect(data.user?.email).toBe(account.email);
  });

  test('[AU-20] a new link voids the previous one of its kind', async () => {
    const { email } = await anAccount(server);
    const recovery = await generate({ type: 'recovery', email });
    const magic = await generate({ type: 'magiclink', email });
    expect((await visitor().verifyOtp({ token_hash: recovery.hashed_token, type: 'recovery' })).error).toMatchObject(
      EXPIRED,
    );
    expect((await visitor().verifyOtp({ token_hash: magic.hashed_token, type: 'magiclink' })).error).toBeNull();
  });

  test('[AU-20][A-06] a registration: the given password and data, and never a role', async () => {
    const email = anEmail();
    const data = { full_name: 'Inès Roy', role: 'admin' };
    const made = await generate({ type: 'signup', email: email.toUpperCase(), password: PASSWORD, options: { data } });
    expect(made.user.user_metadata).toEqual(data);
    expect(made.user.app_metadata).toMatchObject({ role: 'client' });
    expect((await visitor().signInWithPassword({ email, password: PASSWORD })).error).toMatchObject({
      code: 'email_not_confirmed',
    });
    await visitor().verifyOtp({ token_hash: made.hashed_token, type: 'signup' });
    expect((await visitor().signInWithPassword({ email, password: PASSWORD })).error).toBeNull();
  });

  test('[AU-20][AU-21] what somebody registered at this address before opens nothing any more', async () => {
    for (const type of ['signup', 'invite', 'magiclink', 'recovery'] as const) {
      const email = anEmail();
      const thief = { email, password: 'mot-de-passe-du-voleur-1' };
      expect((await visitor().signUp(thief)).error).toBeNull();
      const made = await generate({
        type,
        email,
        ...(type === 'signup' ? { password: PASSWORD } : {}),
      } as GenerateLinkParams);
      const { error } = await visitor().verifyOtp({
        token_hash: made.hashed_token,
        type: made.verification_type as 'signup',
      });
      expect(error).toBeNull();
      expect((await visitor().signInWithPassword(thief)).error).toMatchObject({ code: 'invalid_credentials' });
    }
    const email = anEmail();
    await visitor().signUp({ email, password: 'mot-de-passe-du-voleur-1' });
    await administratorOf(server).auth.admin.inviteUserByEmail(email);
    await server.database.asOwner('update auth.users set email_confirmed_at = now() where email = $1', [email]);
    expect((await visitor().signInWithPassword({ email, password: 'mot-de-passe-du-voleur-1' })).error).toMatchObject({
      code: 'invalid_credentials',
    });
  });

  test('[AU-20] the refusals', async () => {
    const { email } = await anAccount(server);
    const other = await anAccount(server);
    const unknown = anEmail();
    const refusals: readonly (readonly [GenerateLinkParams, number, string])[] = [
      [{ type: 'signup', email, password: PASSWORD }, 422, 'email_exists'],
      [{ type: 'invite', email }, 422, 'email_exists'],
      [{ type: 'recovery', email: unknown }, 404, 'user_not_found'],
      [{ type: 'email_change_new', email: unknown, newEmail: anEmail() }, 404, 'user_not_found'],
      [{ type: 'email_change_current', email: unknown, newEmail: anEmail() }, 404, 'user_not_found'],
      [{ type: 'email_change_new', email, newEmail: other.email }, 422, 'email_exists'],
      [{ type: 'email_change_current', email, newEmail: 'pas une adresse' }, 400, 'validation_failed'],
      [{ type: 'email_change_new', email, newEmail: '' }, 400, 'validation_failed'],
      [{ type: 'signup', email: unknown, password: '' }, 400, 'validation_failed'],
      [{ type: 'signup', email: unknown, password: 'court' }, 422, 'weak_password'],
      [{ type: 'magiclink', email: 'pas une adresse' }, 400, 'validation_failed'],
      [{ type: 'reauthentication' as 'magiclink', email }, 400, 'validation_failed'],
      [{ type: 'magiclink', email, options: { data: { x: 'x'.repeat(9000) } } }, 400, 'validation_failed'],
    ];
    for (const [parameters, status, code] of refusals) {
      const { error } = await administratorOf(server).auth.admin.generateLink(parameters);
      expect({ parameters, error }).toMatchObject({ parameters, error: { status, code } });
    }
    expect(await server.database.asOwner('select from auth.users where email = $1', [unknown])).toHaveLength(0);
  });

  test('[AU-20] a destination that is not ours becomes the site', async () => {
    const { email } = await anAccount(server);
    const made = await generate({ type: 'magiclink', email, options: { redirectTo: 'https://mechant.example/' } });
    expect(made.redirect_to).toBe(`${server.url}/`);
    expect(new URL(made.action_link).searchParams.get('redirect_to')).toBe(`${server.url}/`);
  });

  test('[AU-20] the secret key alone: no visitor, no signed-in person, an administrator included', async () => {
    const account = await anAccount(server, { role: 'admin' });
    const { client } = await signedIn(server, account, elsewhere());
    for (const api of [clientOf(server, elsewhere()).auth.admin, client.auth.admin]) {
      const { error } = await api.generateLink({ type: 'magiclink', email: account.email });
      expect([401, 403]).toContain(error?.status);
    }
    const left = await server.database.asOwner('select from auth.one_time_tokens where user_id = $1', [account.id]);
    expect(left).toHaveLength(0);
  });
});
