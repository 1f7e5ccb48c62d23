import type { Transaction } from '#platform/database';

/** Opens everybody's accounts within a transaction: to an admin, and to the accountant, who can write nothing in it (UI-12). */
export async function readAccounts(tx: Transaction): Promise<void> {
  await tx.query('select private.read_as_accountant()');
  await tx.query(`select private.require_role('admin')`);
}
