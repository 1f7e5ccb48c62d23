import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { anAccount, clientOf, endCooldowns, linkIn, PASSWORD, signedIn } from '../../testing/accounts.ts';
import type { TestAccount } from '../../testing/accounts.ts';
import { startTestServer } from '../../testing/index.ts';
import type { TestServer } from '../../testing/index.ts';
import { codeIn, elsewhere, wrongCode } from '../../testing/links.ts';
import { startSmsSink } from '../../testing/sms-sink.ts';
import type { SmsSink } from '../../testing/sms-sink.ts';

let sink: SmsSink;
let server: TestServer;
beforeAll(async () => {
  sink = await startSmsSink();
  server = await startTestServer({
    doors: ['auth'],
    smtp: true,
    environment: { TRUST_PROXY: '1', SMS_URL: sink.url, REQUIRE_CURRENT_PASSWORD: 'off' },
  });
});
afterAll(async () => {
  await server.close();
  await sink.close();
});

const visitor = () => clientOf(server, elsewhere()).auth;
const EXPIRED = { status: 403, code: 'otp_expired' };
const NOTICE = 'Quelqu’un essaie de deviner vos codes';

/** A mail with a link and, where the account takes codes, a code; whenever the last one left. */
async function signInMail({ id, email }: TestAccount): Promise<{ text: string; link: string }> {
  await server.database.asOwner('update auth.users set recovery_sent_at = null where id = $1', [id]);
  await endCooldowns(server);
  await visitor().signInWithOtp({ email });
  const { text } = await server.mailbox.take(email);
  return { text, link: linkIn(text).searchParams.get('token_hash') ?? '' };
}

async function guess({ email }: TestAccount, token: string): Promise<void> {
  expect((await visitor().verifyOtp({ email, token, type: 'email' })).error).toMatchObject(EXPIRED);
}

async function guessed({ id }: TestAccount, times: number): Promise<void> {
  await server.database.asOwner('update auth.users set wrong_codes = $2, wrong_codes_since = now() where id = $1', [
    id,
    times,
  ]);
}

test('[FX-09] twenty wrong codes within a day, over however many mails: the next mail has a link alone, and the owner is told once', async () => {
  const account = await anAccount(server);
  const { email } = account;
  for (let mails = 0; mails < 4; mails += 1) {
    const code = codeIn((await signInMail(account)).text);
    await Promise.all(Array.from({ length: 5 }, async () => guess(account, wrongCode(code))));
  }
  expect((await server.mailbox.take(email)).subject).toContain(NOTICE);
  const next = await signInMail(account);
  expect(() => codeIn(next.text)).toThrow('no code');
  expect(next.text).toContain('il s’ouvre par ce lien, et non par un code');
  await guess(account, '123456');
  expect((await visitor().verifyOtp({ token_hash: next.link, type: 'magiclink' })).error).toBeNull();
  expect((await visitor().signInWithPassword({ email, password: PASSWORD })).error).toBeNull();
  expect(server.mailbox.mails.filter(({ to, subject }) => to === email && subject.includes(NOTICE))).toHaveLength(1);
  const [{ count } = { count: 0 }] = await server.database.asOwner<{ count: number }>(
    `select count(*)::int from auth.audit_entries where user_id = $1 and action = 'codes_closed'`,
    [account.id],
  );
  expect(count).toBe(1);
});

test('[FX-09] a code that was sent before is dead too, its link is not; a day later codes are taken again', async () => {
  const account = await anAccount(server);
  const { text, link } = await signInMail(account);
  await guessed(account, 19);
  await guess(account, wrongCode(codeIn(text)));
  await guess(account, codeIn(text));
  expect((await visitor().verifyOtp({ token_hash: link, type: 'magiclink' })).error).toBeNull();
  await server.database.asOwner(
    `update auth.users set wrong_codes_since = wrong_codes_since - interval '1 day' where id = $1`,
    [account.id],
  );
  await server.mailbox.take(account.email);
  const later = codeIn((await signInMail(account)).text);
  await guess(account, wrongCode(later));
  const { error } = await visitor().verifyOtp({ email: account.email, token: later, type: 'email' });
  expect(error).toBeNull();
});

test('[FX-09] the codes of a reauthentication and of a text message count, and none leaves any more', async () => {
  const account = await anAccount(server);
  const { client } = await signedIn(server, account, elsewhere());
  await server.database.asOwner(
    `update auth.sessions set created_at = now() - interval '25 hours' where user_id = $1`,
    [account.id],
  );
  await client.auth.reauthenticate();
  const nonce = codeIn((await server.mailbox.take(account.email)).text);
  await guessed(account, 19);
  const password = 'quatre-grands-chiens-8';
  for (const code of [wrongCode(nonce), nonce]) {
    expect((await client.auth.updateUser({ password, nonce: code })).error).toMatchObject({
      code: 'reauthentication_not_valid',
    });
  }
  await server.database.asOwner('update auth.users set reauthentication_sent_at = null where id = $1', [account.id]);
  expect((await client.auth.reauthenticate()).error).toMatchObject({ status: 429 });
  expect((await client.auth.updateUser({ password, current_password: PASSWORD })).error).toBeNull();

  const phone = `336${randomInt(10_000_000, 99_999_999)}`;
  const { auth } = clientOf(server, elsewhere());
  await auth.signUp({ phone, password: PASSWORD });
  const code = codeIn((await sink.take(`+${phone}`)).text);
  await server.database.asOwner(
    'update auth.users set wrong_codes = 19, wrong_codes_since = now() where phone = $1 or new_phone = $1',
    [phone],
  );
  for (const token of [wrongCode(code), code]) {
    expect((await auth.verifyOtp({ phone, token, type: 'sms' })).error).toMatchObject(EXPIRED);
  }
});
