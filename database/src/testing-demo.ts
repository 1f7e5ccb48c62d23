import { createHash } from 'node:crypto';

import { connectAsOwner } from './connect.ts';
import { loadDemo } from './demo.ts';
import type { OwnerConnection } from './embedded.ts';

/** The demo company in a test's database, its history told until this day; nobody signs in, and nothing sealed is opened. */
export async function loadTestDemo(owner: OwnerConnection, today = new Date()): Promise<void> {
  const client = await connectAsOwner(owner);
  try {
    await loadDemo(client, {
      passwordHash: 'x',
      sealDetails: (details) => Buffer.from(JSON.stringify(details)),
      markIban: (iban) => createHash('sha256').update(iban).digest(),
      sealAccount: () => Buffer.from('sealed'),
      bankFile: () => ({ sealed: Buffer.from('sealed'), sha256: Buffer.alloc(32) }),
      today,
    });
  } finally {
    await client.end();
  }
}
