import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { createLog } from './platform/log.ts';
import { createTestDatabase, startTestServer } from './testing/index.ts';
import type { TestDatabase, TestServer } from './testing/index.ts';

// A server to which nothing happens costs next to nothing and says nothing; one line where something does.

let server: TestServer;
let database: TestDatabase;
const lines: { level: string; msg: string; url?: string; err?: unknown; job?: unknown }[] = [];
beforeAll(async () => {
  const stream = new PassThrough();
  stream.on('data', (text: Buffer) => {
    for (const line of text.toString().trim().split('\n')) lines.push(JSON.parse(line) as (typeof lines)[number]);
  });
  database = await createTestDatabase();
  server = await startTestServer({ smtp: true, database, log: createLog('info', stream) });
});
afterAll(async () => {
  await server.close();
  await database.drop();
});

test('[DF-74] a health call that is answered well writes no line; one that is not does, and the change is told once', async () => {
  const ready = async () => (await fetch(`${server.url}/health/ready`)).status;
  for (const path of ['live', 'ready', '']) await fetch(`${server.url}/health/${path}`);
  expect(await ready()).toBe(200);
  // Requests are logged after their answer.
  await server.fetch('/rest/v1/', {});
  await expect.poll(() => lines.some(({ url }) => url?.startsWith('/rest/v1/'))).toBe(true);
  expect(lines.filter(({ url }) => url === '/health/ready' || url === '/health/live')).toEqual([]);
  expect(lines.filter(({ msg }) => /ready/iu.test(msg))).toEqual([]);
});

test('[DF-73] without a page open an idle server leaves the database alone: a commit wakes it, not a clock', async () => {
  // It was asked twice a second for changes and three times for jobs; three workers now look every five seconds.
  const silence = async () => {
    const [row] = await database.asOwner<{ seconds: number }>(
      `select extract(epoch from clock_timestamp() - max(query_start))::float8 as seconds from pg_stat_activity
       where datname = current_database() and application_name like 'parrain%'`,
    );
    return row?.seconds ?? 0;
  };
  await expect.poll(silence).toBeGreaterThan(1.2);
});

test('[DF-74] a mail that is refused for now is one line for each try, without a stack', async () => {
  const before = lines.length;
  server.mailbox.refuseWith(451);
  const id = await server.services.db.asService('test', (tx) =>
    server.services.mail.enqueue(tx, {
      to: 'zoe@example.fr',
      subject: 'Bonjour',
      html: '<p>Bonjour</p>',
      text: 'Bonjour',
    }),
  );
  await server.services.mail.waitForFate(id);
  const failed = () =>
    database.asOwner(
      `select from graphile_worker._private_jobs where payload ->> 'id' = $1 and last_error is not null`,
      [id],
    );
  await expect.poll(async () => (await failed()).length).toBe(1);
  server.mailbox.refuseWith(null);
  const written = lines.slice(before).filter(({ msg }) => msg !== 'request');
  expect(new Set(written.map(({ msg }) => msg))).toEqual(new Set(['A mail was not accepted']));
  expect(JSON.stringify(written)).not.toMatch(/\bat .*\.ts/u);
});
