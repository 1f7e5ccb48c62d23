import { afterAll, beforeAll, expect, test } from 'vitest';

import { administratorOf, anAccount, clientOf, endCooldowns, PASSWORD, signedIn } from '../../testing/accounts.ts';
import { startTestServer } from '../../testing/index.ts';
import type { TestServer } from '../../testing/index.ts';
import { refusalOf } from '../../testing/protocol.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({
    doors: ['auth'],
    smtp: true,
    environment: { MAILS_PER_HOUR: '3', SIGNUP_CONFIRMATION: 'on', TRUST_PROXY: '1' },
  });
});
afterAll(() => server.close());

async function countOf(table: string): Promise<number> {
  const [row] = await server.database.asOwner(`select count(*)::int as count from ${table}`);
  return Number(row?.['count']);
}

test('[AU-09] the company sends so many mails an hour, to all together; the unknown and the known get the same answer', async () => {
  const [one, two, three, four] = await Promise.all(Array.from({ length: 4 }, () => anAccount(server)));
  const visitor = clientOf(server).auth;
  const known = one?.email ?? '';
  expect((await visitor.resetPasswordForEmail(known)).error).toBeNull();
  await server.mailbox.take(known);
  // Requests for unknown addresses do not count towards the quota.
  for (let count = 0; count < 5; count += 1) {
    expect((await visitor.resetPasswordForEmail(`fantome-${count}@example.fr`)).error).toBeNull();
  }
  expect((await visitor.signInWithOtp({ email: two?.email ?? '' })).error).toBeNull();
  await server.mailbox.take(two?.email ?? '');
  const newcomer = await visitor.signUp({ email: 'nouvelle@example.fr', password: PASSWORD });
  expect(newcomer.error).toBeNull();
  await server.mailbox.take('nouvelle@example.fr');

  // From here on nothing leaves, and nobody learns from it who has an account.
  const before = await countOf('auth.one_time_tokens');
  expect((await visitor.resetPasswordForEmail(three?.email ?? '')).error).toBeNull();
  await endCooldowns(server);
  expect(
    (await visitor.signInWithOtp({ email: three?.email ?? '', options: { shouldCreateUser: false } })).error,
  ).toBeNull();
  const late = await visitor.signUp({ email: 'tardive@example.fr', password: PASSWORD });
  expect(late.error).toBeNull();
  expect(Object.keys(late.data.user ?? {}).toSorted()).toEqual(Object.keys(newcomer.data.user ?? {}).toSorted());
  const { client } = await signedIn(server, four ?? { id: '', email: '', password: '' });
  const limit = [429, 'over_email_send_rate_limit'];
  expect(refusalOf(await client.auth.updateUser({ email: 'ailleurs@example.fr' }))).toEqual(limit);
  expect(refusalOf(await client.auth.reauthenticate())).toEqual(limit);
  expect(await countOf('auth.one_time_tokens')).toBe(before);

  // Mails that the company sends itself are not counted; a notice of security neither.
  expect((await administratorOf(server).auth.admin.inviteUserByEmail('invitee@example.fr')).error).toBeNull();
  await server.mailbox.take('invitee@example.fr');
  expect(
    (await client.auth.updateUser({ password: 'quatre-grands-chiens-8', current_password: PASSWORD })).error,
  ).toBeNull();
  await server.mailbox.take(four?.email ?? '');
});
