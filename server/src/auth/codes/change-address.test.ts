import { createClient } from '@supabase/supabase-js';
import type { SupabaseClient } from '@supabase/supabase-js';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import {
  administratorOf,
  anAccount,
  clientOf,
  endCooldowns,
  linkIn,
  PASSWORD,
  signedIn,
} from '../../testing/accounts.ts';
import type { TestAccount } from '../../testing/accounts.ts';
import { startTestServer } from '../../testing/index.ts';
import type { TestServer } from '../../testing/index.ts';
import { codeIn, elsewhere, fragmentOf, landing, wrongCode } from '../../testing/links.ts';
import { jobsAreDone } from '../../testing/waiting.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ doors: ['auth', 'rest'], smtp: true, environment: { TRUST_PROXY: '1' } });
});
afterAll(() => server.close());

const anEmail = (): string => `nouvelle-${randomUUID().slice(0, 8)}@example.fr`;
const EXPIRED = { status: 403, code: 'otp_expired', message: 'Token has expired or is invalid' };
const SIDES = ['current', 'new'] as const;

type Side = { readonly email: string; readonly link: URL; readonly token: string; readonly code: string };
type Change = {
  readonly account: TestAccount;
  readonly client: SupabaseClient;
  readonly email: string;
  readonly current: Side;
  readonly new: Side;
};

function visitor(): SupabaseClient['auth'] {
  return clientOf(server, elsewhere()).auth;
}

async function sideOf(email: string): Promise<Side> {
  const { text } = await server.mailbox.take(email);
  const link = linkIn(text);
  return { email, link, token: link.searchParams.get('token') ?? '', code: codeIn(text) };
}

/** A change of address that both sides have been asked to confirm. */
async function aChange(account?: TestAccount): Promise<Change> {
  const of = account ?? (await anAccount(server));
  const { client } = await signedIn(server, of, elsewhere());
  const email = anEmail();
  const { error } = await client.auth.updateUser({ email }, { emailRedirectTo: `${server.url}/retour` });
  expect(error).toBeNull();
  return { account: of, client, email, current: await sideOf(of.email), new: await sideOf(email) };
}

/** The address wherever the person is known by it. */
async function addressesOf(id: string): Promise<unknown> {
  const [row] = await server.database.asOwner(
    `select u.email as user, u.new_email as asked, p.email as profile, i.identity_data->>'email' as identity
     from auth.users u join public.profiles p using (id) join auth.identities i on i.user_id = u.id and i.provider = 'email'
     where u.id = $1`,
    [id],
  );
  return row;
}

function everywhere(email: string): unknown {
  return { user: email, asked: null, profile: email, identity: email };
}

async function age(id: string, interval: string): Promise<void> {
  await endCooldowns(server);
  await server.database.asOwner(
    `with aged as (update auth.users set email_change_sent_at = email_change_sent_at - $2::interval where id = $1)
     update auth.one_time_tokens set expires_at = expires_at - $2::interval, code_expires_at = code_expires_at - $2::interval
     where user_id = $1`,
    [id, interval],
  );
}

const byLink = ({ token }: Side) => visitor().verifyOtp({ token_hash: token, type: 'email_change' });
const byCode = ({ email, code }: Side) => visitor().verifyOtp({ email, token: code, type: 'email_change' });

describe('a change of address', () => {
  test('[AU-13] a request: the address stays, both sides get a mail', async () => {
    const account = await anAccount(server);
    const { client } = await signedIn(server, account, elsewhere());
    const email = anEmail();
    const { data, error } = await client.auth.updateUser({ email: email.toUpperCase() });
    expect(error).toBeNull();
    expect(data.user).toMatchObject({ id: account.id, email: account.email, new_email: email });
    expect(data.user?.email_change_sent_at).toBeTruthy();
    const toNew = await server.mailbox.take(email);
    const toCurrent = await server.mailbox.take(account.email);
    for (const { subject } of [toNew, toCurrent]) expect(subject).toMatch(/^Confirmez votre nouvelle adresse/u);
    expect(toCurrent.text).toContain(email);
    // A reader of the new address does not learn the old one.
    expect(toNew.text + toNew.html).not.toContain(account.email);
    expect(linkIn(toNew.text).searchParams.get('type')).toBe('email_change');
    expect(linkIn(toNew.text).href).not.toBe(linkIn(toCurrent.text).href);
    expect(await addressesOf(account.id)).toEqual({ ...(everywhere(account.email) as object), asked: email });
    // Nobody signs in by the new one yet.
    expect((await visitor().signInWithPassword({ email, password: PASSWORD })).error).not.toBeNull();
  });

  const ways = { link: byLink, code: byCode };
  test.each(
    SIDES.flatMap((first) =>
      (['link', 'code'] as const).flatMap((one) =>
        (['link', 'code'] as const).map((two) => [first, one, two] as const),
      ),
    ),
  )('[AU-13] both sides confirm, %s first, by %s then %s', async (first, one, two) => {
    const change = await aChange();
    const { account, email } = change;
    const half = await ways[one](change[first]);
    expect(half.error).toBeNull();
    expect(half.data).toEqual({ user: null, session: null });
    expect(await addressesOf(account.id)).toEqual({ ...(everywhere(account.email) as object), asked: email });
    // The same side twice does not make two.
    expect((await ways[one](change[first])).error).toMatchObject(EXPIRED);

    const whole = await ways[two](change[first === 'new' ? 'current' : 'new']);
    expect(whole.error).toBeNull();
    expect(whole.data.user).toMatchObject({ id: account.id, email });
    expect(whole.data.user).not.toHaveProperty('new_email');
    expect(whole.data.user?.identities).toEqual([expect.objectContaining({ provider: 'email', email })]);
    expect(await addressesOf(account.id)).toEqual(everywhere(email));
    expect((await visitor().signInWithPassword({ email, password: PASSWORD })).error).toBeNull();
    const old = await visitor().signInWithPassword({ email: account.email, password: PASSWORD });
    expect(old.error).toMatchObject({ status: 400, code: 'invalid_credentials' });
  });

  test('[AU-13] in the browser: the half is told, then the session comes', async () => {
    const change = await aChange();
    const opened = await fetch(change.new.link);
    expect(await opened.text()).toContain('Confirmez votre nouvelle adresse');
    const half = await landing(change.new.link, elsewhere());
    expect(half.pathname).toBe('/retour');
    expect(half.search).toBe('');
    expect(fragmentOf(half).get('message')).toMatch(/other email/u);
    const whole = fragmentOf(await landing(change.current.link, elsewhere()));
    expect(whole.get('type')).toBe('email_change');
    const { data } = await visitor().getUser(whole.get('access_token') ?? '');
    expect(data.user?.email).toBe(change.email);
    for (const side of [change.new, change.current]) {
      const again = await fetch(new URL(`/auth/v1/verify${side.link.search}`, side.link));
      expect(again.status).toBe(410);
      expect(await again.text()).toContain('Ce lien n’est plus valable');
      expect(fragmentOf(await landing(side.link, elsewhere())).get('error_code')).toBe('otp_expired');
    }
  });

  test('[AU-13][AU-04] with a verifier: the half in the address, then a code to exchange', async () => {
    const account = await anAccount(server);
    const client = createClient(server.url, server.services.keys.publishableKey, {
      auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false, flowType: 'pkce' },
      global: { headers: elsewhere() },
    });
    await client.auth.signInWithPassword(account);
    const email = anEmail();
    expect((await client.auth.updateUser({ email }, { emailRedirectTo: `${server.url}/retour` })).error).toBeNull();
    const toNew = await sideOf(email);
    const toCurrent = await sideOf(account.email);
    expect(toNew.token).toMatch(/^pkce_/u);
    const half = await landing(toCurrent.link, elsewhere());
    expect(half.searchParams.get('message')).toMatch(/other email/u);
    expect(half.searchParams.has('code')).toBe(false);
    const whole = await landing(toNew.link, elsewhere());
    expect(whole.hash).toBe('');
    const { data, error } = await client.auth.exchangeCodeForSession(whole.searchParams.get('code') ?? '');
    expect(error).toBeNull();
    expect(data.user).toMatchObject({ id: account.id, email });
    const again = await landing(toNew.link, elsewhere());
    expect(again.searchParams.get('error_code')).toBe('otp_expired');
  });

  test('[AU-13][I-50] twenty simultaneous confirmations of one side: one half, no more', async () => {
    const change = await aChange();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? byLink : byCode)(change.new)),
    );
    expect(answers.filter(({ error }) => error === null)).toHaveLength(1);
    for (const { data } of answers) expect(data.session).toBeNull();
    expect(await addressesOf(change.account.id)).toMatchObject({ user: change.account.email });
    expect((await byLink(change.current)).data.user?.email).toBe(change.email);
  });

  test('[AU-13][I-50] both sides at once, ten times each: a single change', async () => {
    const change = await aChange();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => byLink(index % 2 === 0 ? change.new : change.current)),
    );
    const good = answers.filter(({ error }) => error === null);
    expect(good).toHaveLength(2);
    expect(good.filter(({ data }) => data.session !== null)).toHaveLength(1);
    expect(await addressesOf(change.account.id)).toEqual(everywhere(change.email));
    const notices = async (): Promise<number> => {
      await jobsAreDone(server);
      return server.mailbox.mails.filter(
        ({ recipients, subject }) => recipients.includes(change.account.email) && subject.includes('a été modifiée'),
      ).length;
    };
    expect(await notices()).toBe(1);
  });

  test('[AU-13] the old address is told of the change', async () => {
    const change = await aChange();
    await byLink(change.new);
    await byLink(change.current);
    const notice = await server.mailbox.take(change.account.email);
    expect(notice.subject).toMatch(/^Votre adresse e-mail a été modifiée/u);
    expect(notice.text).toContain('Ce n’était pas moi');
    const actions = await server.database.asOwner<{ action: string }>(
      `select action from auth.audit_entries where user_id = $1 and action like 'email_change%' order by id`,
      [change.account.id],
    );
    expect(actions.map(({ action }) => action)).toEqual([
      'email_change_requested',
      'email_change_half_confirmed',
      'email_changed',
    ]);
  });

  test('[AU-13] after an hour nothing confirms any more', async () => {
    const late = await aChange();
    await age(late.account.id, '3601 seconds');
    for (const side of SIDES) {
      expect((await byLink(late[side])).error).toMatchObject(EXPIRED);
      expect((await byCode(late[side])).error).toMatchObject(EXPIRED);
    }
    // One side in time, the other too late.
    const half = await aChange();
    expect((await byLink(half.new)).error).toBeNull();
    await age(half.account.id, '3601 seconds');
    expect((await byLink(half.current)).error).toMatchObject(EXPIRED);
    expect(await addressesOf(half.account.id)).toMatchObject({ user: half.account.email });
    // One side too late, the other has nobody to wait for: the change is asked for again.
    const other = await aChange();
    await server.database.asOwner(
      `update auth.one_time_tokens set expires_at = now() - interval '1 second' where user_id = $1 and kind = 'email_change_new'`,
      [other.account.id],
    );
    expect((await byLink(other.current)).error).toMatchObject(EXPIRED);
    expect(await addressesOf(other.account.id)).toMatchObject({ user: other.account.email });
  });

  test('[AU-13][I-50] five wrong codes: the code of that side is void, and the change still waits for its link', async () => {
    const change = await aChange();
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const { error } = await byCode({ ...change.new, code: wrongCode(change.new.code) });
      expect(error).toMatchObject(EXPIRED);
    }
    expect((await byCode(change.new)).error).toMatchObject(EXPIRED);
    expect((await byLink(change.current)).error).toBeNull();
    expect((await byCode(change.new)).error).toMatchObject(EXPIRED);
    expect(await addressesOf(change.account.id)).toMatchObject({ user: change.account.email });
    expect((await byLink(change.new)).error).toBeNull();
    expect(await addressesOf(change.account.id)).toMatchObject({ user: change.email });
  });

  test('[AU-13] the code of one side is not good for the other, nor under another type', async () => {
    const change = await aChange();
    expect((await byCode({ ...change.new, email: change.current.email })).error).toMatchObject(EXPIRED);
    expect((await byCode({ ...change.current, email: change.new.email })).error).toMatchObject(EXPIRED);
    for (const type of ['signup', 'invite', 'magiclink', 'recovery', 'email'] as const) {
      expect((await visitor().verifyOtp({ token_hash: change.new.token, type })).error).toMatchObject(EXPIRED);
      expect((await visitor().verifyOtp({ email: change.email, token: change.new.code, type })).error).toMatchObject(
        EXPIRED,
      );
    }
    expect((await byCode(change.new)).error).toBeNull();
    expect((await byCode(change.current)).error).toBeNull();
  });

  test('[AU-13] a taken address: refused at the request, and at the confirmation where it was taken meanwhile', async () => {
    const account = await anAccount(server);
    const { client } = await signedIn(server, account, elsewhere());
    const taken = await anAccount(server);
    expect((await client.auth.updateUser({ email: taken.email.toUpperCase() })).error).toMatchObject({
      status: 422,
      code: 'email_exists',
    });
    expect(await addressesOf(account.id)).toEqual(everywhere(account.email));

    const change = await aChange();
    expect((await byLink(change.new)).error).toBeNull();
    expect((await visitor().signUp({ email: change.email, password: PASSWORD })).error).toBeNull();
    expect((await byLink(change.current)).error).toMatchObject({ status: 422, code: 'email_exists' });
    expect(await addressesOf(change.account.id)).toMatchObject({
      user: change.account.email,
      profile: change.account.email,
      identity: change.account.email,
    });
    const led = fragmentOf(await landing(change.current.link, elsewhere()));
    expect(led.get('error_code')).toBe('email_exists');
    expect(led.has('access_token')).toBe(false);
    expect((await visitor().signInWithPassword(change.account)).error).toBeNull();
  });

  test('[AU-13] several ask for one address: the first gets it, however many they are', async () => {
    const email = anEmail();
    const changes: { account: TestAccount; toNew: Side; toCurrent: Side }[] = [];
    for (let index = 0; index < 3; index += 1) {
      const account = await anAccount(server);
      const { client } = await signedIn(server, account, elsewhere());
      expect((await client.auth.updateUser({ email })).error).toBeNull();
      changes.push({ account, toNew: await sideOf(email), toCurrent: await sideOf(account.email) });
    }
    // Many more wait there than a page of them.
    const [first] = changes;
    if (first === undefined) throw new Error('Three were made');
    const crowd = await Promise.all(Array.from({ length: 15 }, () => anAccount(server)));
    await server.database.asOwner(
      `insert into auth.one_time_tokens (user_id, kind, token_hash, code_hash, relates_to, expires_at)
       select id, 'email_change_new', sha256(id::text::bytea), sha256(('c' || id)::bytea), $2, now() + interval '1 hour'
       from unnest($1::uuid[]) as id`,
      [crowd.map(({ id }) => id), email],
    );
    expect((await byCode(first.toNew)).error).toBeNull();
    expect((await byCode(first.toCurrent)).error).toBeNull();
    expect(await addressesOf(first.account.id)).toEqual(everywhere(email));
    for (const { account, toNew, toCurrent } of changes.slice(1)) {
      await byLink(toNew);
      expect((await byLink(toCurrent)).error).not.toBeNull();
      expect(await addressesOf(account.id)).toMatchObject({ user: account.email, profile: account.email });
    }
  });

  test('[AU-13] a second request too soon is refused; after the delay only the last mails confirm', async () => {
    const change = await aChange();
    const { client, account } = change;
    expect((await client.auth.updateUser({ email: anEmail() })).error).toMatchObject({
      status: 429,
      code: 'over_email_send_rate_limit',
    });
    await age(account.id, '61 seconds');
    const other = anEmail();
    expect((await client.auth.updateUser({ email: other })).error).toBeNull();
    const toNew = await sideOf(other);
    const toCurrent = await sideOf(account.email);
    for (const side of SIDES) expect((await byLink(change[side])).error).toMatchObject(EXPIRED);
    expect((await byLink(toCurrent)).error).toBeNull();
    expect((await byLink(toNew)).error).toBeNull();
    expect(await addressesOf(account.id)).toEqual(everywhere(other));
  });

  test('[AU-13] twenty simultaneous requests: one mail for each side', async () => {
    const account = await anAccount(server);
    const { client } = await signedIn(server, account, elsewhere());
    const emails = Array.from({ length: 20 }, anEmail);
    const answers = await Promise.all(emails.map((email) => client.auth.updateUser({ email })));
    expect(answers.filter(({ error }) => error === null)).toHaveLength(1);
    for (const { error } of answers) if (error !== null) expect(error).toMatchObject({ status: 429 });
    await server.mailbox.take(account.email);
    await jobsAreDone(server);
    const sent = server.mailbox.mails.filter(({ recipients }) => recipients.some((one) => emails.includes(one)));
    expect(sent).toHaveLength(1);
  });

  test('[AU-13] a request after a half starts both sides again', async () => {
    const change = await aChange();
    expect((await byLink(change.current)).error).toBeNull();
    await age(change.account.id, '61 seconds');
    const other = anEmail();
    expect((await change.client.auth.updateUser({ email: other })).error).toBeNull();
    const toNew = await sideOf(other);
    // The current side has agreed to the other address, not to this one.
    const half = await byLink(toNew);
    expect(half.error).toBeNull();
    expect(half.data.session).toBeNull();
    expect(await addressesOf(change.account.id)).toMatchObject({ user: change.account.email });
    expect((await byLink(await sideOf(change.account.email))).error).toBeNull();
    expect(await addressesOf(change.account.id)).toEqual(everywhere(other));
  });

  test('[AU-10][AU-13] resend: both sides, by the current address; the same answer for everybody', async () => {
    const change = await aChange();
    for (const email of [change.account.email, change.email, (await anAccount(server)).email, anEmail()]) {
      const { data, error } = await visitor().resend({ type: 'email_change', email });
      expect(error).toBeNull();
      expect(data).toEqual({ user: null, session: null });
    }
    // Too soon for the one that waits; nobody else waits.
    await jobsAreDone(server);
    const count = (): number =>
      server.mailbox.mails.filter(({ recipients }) => recipients.includes(change.email)).length;
    expect(count()).toBe(1);
    await age(change.account.id, '61 seconds');
    await visitor().resend({ type: 'email_change', email: change.account.email });
    const toNew = await sideOf(change.email);
    const toCurrent = await sideOf(change.account.email);
    for (const side of SIDES) expect((await byLink(change[side])).error).toMatchObject(EXPIRED);
    await byCode(toNew);
    await byCode(toCurrent);
    expect(await addressesOf(change.account.id)).toEqual(everywhere(change.email));
  });

  test('[AU-13] what was pending for the old address is void with it', async () => {
    const account = await anAccount(server);
    await visitor().resetPasswordForEmail(account.email);
    const recovery =
      new URL(linkIn((await server.mailbox.take(account.email)).text)).searchParams.get('token_hash') ?? '';
    const change = await aChange(account);
    await byLink(change.new);
    await byLink(change.current);
    expect((await visitor().verifyOtp({ token_hash: recovery, type: 'recovery' })).error).toMatchObject(EXPIRED);
  });

  test('[AU-13] a new password cancels the requested change', async () => {
    const change = await aChange();
    expect(
      (await change.client.auth.updateUser({ password: 'quatre-grands-chiens-8', current_password: PASSWORD })).error,
    ).toBeNull();
    for (const side of SIDES) expect((await byLink(change[side])).error).toMatchObject(EXPIRED);
    expect(await addressesOf(change.account.id)).toMatchObject({ user: change.account.email });
  });

  test('[AU-13] a person deactivated meanwhile does not confirm any more', async () => {
    const change = await aChange();
    expect((await byLink(change.new)).error).toBeNull();
    await server.database.asOwner('update public.profiles set deactivated_at = now() where id = $1', [
      change.account.id,
    ]);
    expect((await byLink(change.current)).error).toMatchObject({ status: 403, code: 'user_banned' });
    expect(await addressesOf(change.account.id)).toMatchObject({ user: change.account.email });
  });

  test('[AU-13][AU-19] the administrator changes the address: the request is forgotten', async () => {
    const change = await aChange();
    const email = anEmail();
    const { error } = await administratorOf(server).auth.admin.updateUserById(change.account.id, { email });
    expect(error).toBeNull();
    for (const side of SIDES) expect((await byLink(change[side])).error).toMatchObject(EXPIRED);
    expect(await addressesOf(change.account.id)).toEqual(everywhere(email));
  });

  test('[AU-13] the earlier session stays open and carries the new address', async () => {
    const change = await aChange();
    await byLink(change.new);
    await byLink(change.current);
    const { data } = await change.client.auth.getUser();
    expect(data.user?.email).toBe(change.email);
    const { data: refreshed } = await change.client.auth.refreshSession();
    const claims = JSON.parse(
      Buffer.from(refreshed.session?.access_token.split('.')[1] ?? '', 'base64url').toString(),
    ) as { email: string };
    expect(claims.email).toBe(change.email);
    const { data: profiles } = await change.client.from('profiles').select('email').eq('id', change.account.id);
    expect(profiles).toEqual([{ email: change.email }]);
  });

  test("[AU-13] addresses that are none, and one's own", async () => {
    const account = await anAccount(server);
    const { client } = await signedIn(server, account, elsewhere());
    for (const email of ['xx:;x@x.x', 'sans-arobase', 'a@b', `${'a'.repeat(251)}@b.fr`, 'é@example.fr']) {
      expect((await client.auth.updateUser({ email })).error).toMatchObject({ status: 400, code: 'validation_failed' });
    }
    const same = await client.auth.updateUser({ email: account.email.toUpperCase() });
    expect(same.error).toBeNull();
    expect(same.data.user).not.toHaveProperty('new_email');
    await jobsAreDone(server);
    expect(server.mailbox.mails.filter(({ recipients }) => recipients.includes(account.email))).toHaveLength(0);
  });

  test('[AU-13] ten messages to one address, no more, wherever they are asked from', async () => {
    const email = anEmail();
    const accounts = await Promise.all(Array.from({ length: 12 }, () => anAccount(server)));
    const refused: (string | undefined)[] = [];
    for (const account of accounts) {
      const { client } = await signedIn(server, account, elsewhere());
      refused.push((await client.auth.updateUser({ email })).error?.code);
    }
    expect(refused.filter((code) => code === undefined)).toHaveLength(10);
    expect(refused.slice(10)).toEqual(['over_email_send_rate_limit', 'over_email_send_rate_limit']);
  });
});
