import type { Transaction } from '#platform/database';

import type { Exchange } from './exchange.ts';
import { readSaid } from './response-settings.ts';

/** Rolls a transaction back that has made its reply. */
class RolledBack extends Error {
  override readonly name = 'RolledBack';
}

/**
 * Runs the work as the caller, in one transaction. It is committed once the reply is made, and rolled back where that fails
 * or `Prefer: tx=rollback` asks for it.
 */
export async function inTransaction<Result>(
  { caller, preferences, said }: Exchange,
  { readOnly }: { readonly readOnly: boolean },
  make: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  const work = async (tx: Transaction): Promise<Result> => {
    const reply = await make(tx);
    if (said !== undefined) await readSaid(tx, said);
    return reply;
  };
  const { db, identity } = caller;
  const options = { readOnly, timeZone: preferences.timezone };
  if (preferences.tx !== 'rollback') return db.transactionAs(identity, work, options);
  const end = new RolledBack();
  const tried: { reply?: Result } = {};
  try {
    return await db.transactionAs(
      identity,
      async (tx) => {
        tried.reply = await work(tx);
        throw end;
      },
      options,
    );
  } catch (error) {
    if (error === end && tried.reply !== undefined) return tried.reply;
    throw error;
  }
}
