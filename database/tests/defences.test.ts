import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { catalogueOf, EXPECTED, textOf } from '../src/catalogue.ts';
import { connectAsOwner } from '../src/connect.ts';
import { ensureLogin } from '../src/roles.ts';
import { createTestDatabase } from '../src/testing.ts';
import type { TestDatabase } from '../src/testing.ts';
import { DEFENCES, defencesOf } from './defences.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

test('[P-04] [P-06] what defends the data is what the catalogue says of it, word for word', async () => {
  expect((await defencesOf(db)).split('\n').slice(0, -1)).toEqual(DEFENCES);
});

test('[FX-23] what production compares with is what the migrations of this version make', async () => {
  const client = await connectAsOwner(db.owner);
  try {
    await ensureLogin(client, randomBytes(12).toString('hex'));
    const entries = await catalogueOf(async (sql) => (await client.query(sql)).rows);
    await expect(textOf(entries)).toMatchFileSnapshot(fileURLToPath(EXPECTED));
  } finally {
    await client.end();
  }
});
