import type { FastifyRequest } from 'fastify';

import type { Transaction } from '#platform/database';

import { existingAccount } from '../protocol/account.ts';
import type { Account } from '../protocol/account.ts';
import { AuthError, invalidPathId } from '../protocol/errors.ts';
import { isUuid, pathValue } from '../protocol/request.ts';

/** The id in the path. @throws AuthError validation_failed with 404 for anything that is no id */
export function requireUserId(request: FastifyRequest): string {
  const id = pathValue(request, 'id');
  if (!isUuid(id)) throw invalidPathId('user_id');
  return id.toLowerCase();
}

/** The account, its row locked until the end of the transaction. @throws AuthError user_not_found */
export async function requireAccount(tx: Transaction, id: string): Promise<Account> {
  const { rows } = await tx.query('select from auth.users where id = $1 for update', [id]);
  if (rows.length === 0) throw new AuthError(404, 'user_not_found', 'User not found');
  return existingAccount(tx, id);
}
