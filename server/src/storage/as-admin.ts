import type { FastifyRequest } from 'fastify';

import type { Transaction } from '#platform/database';
import { callerOf } from '#platform/identity';

import { StorageRefusal } from './refusal.ts';

/** The official refusal speaks of inserting a row, which an upload does and nothing else. */
export const LISTING_REFUSED = 'Only an administrator may list what is stored';
export const REMOVAL_REFUSED = 'Only an administrator may remove files';
export const TRANSFER_REFUSED = 'Only an administrator may move and copy files';
export const SIGNING_REFUSED = 'Only a signed-in person may make signed addresses';

/** Runs `work` with the server's rights, for the live session of an admin or for the secret key. @throws StorageRefusal */
export async function asAdmin<T>(
  request: FastifyRequest,
  work: (tx: Transaction, owner: string | null) => Promise<T>,
  refusal?: string,
): Promise<T> {
  const { identity, db } = callerOf(request);
  switch (identity.role) {
    case 'anon':
    case 'api_key':
      throw new StorageRefusal('AccessDenied', refusal);
    case 'service_role':
      return db.asService('storage, by the secret key', (tx) => work(tx, null));
    case 'authenticated':
      return db.transactionAs(identity, async (tx) => {
        const { rows } = await tx.query<{ role: string }>('select private.user_role() as role');
        if (rows[0]?.role !== 'admin') throw new StorageRefusal('AccessDenied', refusal);
        return tx.asService('storage, by an admin', () => work(tx, identity.claims.sub));
      });
  }
}
