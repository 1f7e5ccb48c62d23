import { afterAll, beforeAll, expect, test } from 'vitest';

import { anAccount, clientOf } from '../../testing/accounts.ts';
import { startTestServer } from '../../testing/index.ts';
import type { TestServer } from '../../testing/index.ts';
import { elsewhere } from '../../testing/links.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ doors: ['auth'], smtp: true, environment: { TRUST_PROXY: '1' } });
});
afterAll(() => server.close());

test('[FX-04] [FX-17] one network causes so many mails a day, from whichever address in it; another is not bound by it', async () => {
  const [one, two, three] = await Promise.all(Array.from({ length: 3 }, () => anAccount(server)));
  const from = (ip: string) => clientOf(server, { 'x-forwarded-for': ip }).auth;
  await server.database.asOwner(
    `insert into private.rate_limits (bucket, tokens) values ('mails:2001:db8:1:2::/64', 1)`,
  );
  expect((await from('2001:db8:1:2::1').resetPasswordForEmail(one?.email ?? '')).error).toBeNull();
  await server.mailbox.take(one?.email ?? '');
  // The answer is the same; that nothing left is seen where something else has left since.
  expect((await from('2001:db8:1:2:ffff::9').resetPasswordForEmail(two?.email ?? '')).error).toBeNull();
  expect((await clientOf(server, elsewhere()).auth.resetPasswordForEmail(three?.email ?? '')).error).toBeNull();
  await server.mailbox.take(three?.email ?? '');
  await expect
    .poll(async () =>
      server.database.asOwner(`select from graphile_worker.jobs where task_identifier = 'auth_mail_request'`),
    )
    .toEqual([]);
  const asked = await server.database.asOwner<{ email: string }>(
    `select u.email from auth.audit_entries e join auth.users u on u.id = e.user_id where e.action = 'recovery_requested' order by e.id`,
  );
  expect(asked.map(({ email }) => email)).toEqual([one?.email, three?.email]);
});
