import { expect, test } from 'vitest';

import { createTestDatabase } from '../src/testing.ts';
import { defencesOf, LIST } from './defences.ts';
import { fileURLToPath } from 'node:url';

test('[P-04] [P-06] ce qui défend les données est ce que la liste en dit, mot pour mot', async () => {
  const db = await createTestDatabase();
  try {
    await expect(await defencesOf(db)).toMatchFileSnapshot(fileURLToPath(LIST));
  } finally {
    await db.drop();
  }
});
