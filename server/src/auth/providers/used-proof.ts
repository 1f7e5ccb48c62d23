import { createHash } from 'node:crypto';

import type { Transaction } from '#platform/database';

/**
 * True for the first use of a signed message or assertion, which is remembered until it would expire by itself: no replay.
 */
export async function isFirstUse(tx: Transaction, proof: string, expiresAt: Date): Promise<boolean> {
  const { rowCount } = await tx.query(
    'insert into auth.used_proofs (proof_hash, expires_at) values ($1, $2) on conflict do nothing',
    [createHash('sha256').update(proof).digest(), expiresAt],
  );
  return rowCount === 1;
}
