import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';

import { createTestDatabase, startTestServer } from '../testing/index.ts';
import { createLog } from './log.ts';

test('[DF-75] a node that is set otherwise than another of its database says which settings differ as it starts', async () => {
  const stream = new PassThrough();
  const told: unknown[] = [];
  stream.on('data', (text: Buffer) => {
    for (const line of text.toString().trim().split('\n')) {
      const { msg, settings } = JSON.parse(line) as { msg: string; settings?: unknown };
      if (settings !== undefined) told.push([msg, settings]);
    }
  });
  // Several nodes may share an external database. The address is not used: the test's own database is.
  const DATABASE_URL = 'postgres://parrain@127.0.0.1/parrain';
  const database = await createTestDatabase();
  const set = { PUBLIC_URL: 'https://parrain.example', CALENDLY_URL: 'https://calendly.com/parrain' };
  const first = await startTestServer({ database, environment: { ...set, DATABASE_URL } });
  const log = createLog('info', stream);
  const alike = await startTestServer({ database, environment: { ...set, DATABASE_URL }, log });
  expect(told).toEqual([]);
  const other = await startTestServer({
    database,
    environment: { PUBLIC_URL: 'https://www.parrain.example', DATABASE_URL },
    log,
  });
  // The two that are alike are one name.
  expect(told).toEqual([['Another node of this database has other settings', ['PUBLIC_URL', 'CALENDLY_URL']]]);
  for (const server of [first, alike, other]) await server.close();
  await database.drop();
});
