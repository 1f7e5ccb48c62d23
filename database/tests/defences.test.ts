import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { catalogueOf, EXPECTED, textOf } from '../src/catalogue.ts';
import { connectAsOwner } from '../src/connect.ts';
import { ensureLogin } from '../src/roles.ts';
import { createTestDatabase } from '../src/testing.ts';
import type { TestDatabase } from '../src/testing.ts';
import { defencesOf, LIST } from './defences.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

test('[P-04] [P-06] ce qui défend les données est ce que la liste en dit, mot pour mot', async () => {
  await expect(await defencesOf(db)).toMatchFileSnapshot(fileURLToPath(LIST));
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
