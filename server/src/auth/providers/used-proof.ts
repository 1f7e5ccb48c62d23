import { createHash } from 'node:crypto';

import type { Transaction } from '#platform/database';

/** Whether a signed message or assertion is shown for the first time; it is remembered until it would lapse by itself. */
export async function isFirstUse(tx: Transaction, proof: string, expiresAt: Date): Promise<boolean> {
  const { rowCount } = await tx.query(
    'insert into auth.used_proofs (proof_hash, expires_at) values ($1, $2) on conflict do nothing',
    [createHash('sha256').update(proof).digest(), expiresAt],
  );
  return rowCount === 1;
}
