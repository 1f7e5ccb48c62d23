import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

import { connectAsOwner } from '../src/connect.ts';
import { SCHEMA, schemaOf } from '../src/schema.ts';
import { createTestDatabase } from '../src/testing.ts';

test('[P-04] schema.sql is what the migrations make; stale, it is written anew by `npx vitest run tests/schema.test.ts -u`', async () => {
  const db = await createTestDatabase();
  const client = await connectAsOwner(db.owner);
  try {
    await expect(await schemaOf(client)).toMatchFileSnapshot(fileURLToPath(SCHEMA));
  } finally {
    await client.end();
    await db.drop();
  }
});
