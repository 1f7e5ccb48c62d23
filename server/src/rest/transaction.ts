import type { Transaction } from '#platform/database';

import type { Exchange } from './exchange.ts';

/** Carries an answer out of a transaction that must not be kept. */
class RolledBack extends Error {
  override readonly name = 'RolledBack';
}

/**
 * Does the work as the caller, in one transaction: kept where an answer was made, given up where none could be, or where it
 * is only tried (`Prefer: tx=rollback`).
 */
export async function inTransaction<Answer>(
  { caller, preferences }: Exchange,
  { readOnly }: { readonly readOnly: boolean },
  work: (tx: Transaction) => Promise<Answer>,
): Promise<Answer> {
  const { db, identity } = caller;
  const options = { readOnly, timeZone: preferences.timezone };
  if (preferences.tx !== 'rollback') return db.transactionAs(identity, work, options);
  const end = new RolledBack();
  const tried: { answer?: Answer } = {};
  try {
    return await db.transactionAs(
      identity,
      async (tx) => {
        tried.answer = await work(tx);
        throw end;
      },
      options,
    );
  } catch (error) {
    if (error === end && tried.answer !== undefined) return tried.answer;
    throw error;
  }
}
