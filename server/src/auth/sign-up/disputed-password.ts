import type { Transaction } from '#platform/database';

import { hashPassword, verifyPassword } from '../passwords/password-hash.ts';
import type { Account } from '../protocol/account.ts';

/** The password of an account that waits, as it was before the transaction, and whether it is the one that is given. */
export type ReadPassword = {
  readonly known: string | null;
  readonly isTheirs: boolean;
  /** Of the one that is given; null where an account waits, which keeps its own. */
  readonly hash: string | null;
  readonly isLast: boolean;
};

class PasswordWritten extends Error {}

const READINGS_MAX = 3;

/**
 * Looks at a password outside of any transaction, then does the work; anew where another request wrote it in between. It is
 * hashed or compared, which takes as long: the answer does not tell whether there is an account. Somebody who presses the
 * button twice does not dispute with themselves.
 */
export async function withReadPassword<T>(
  password: string,
  read: () => Promise<string | null>,
  work: (read: ReadPassword) => Promise<T>,
): Promise<T> {
  for (let readings = 1; ; readings += 1) {
    const known = await read();
    const isLast = readings === READINGS_MAX;
    const isTheirs = known !== null && (await verifyPassword(password, known));
    const hash = known === null || isLast ? await hashPassword(password) : null;
    try {
      return await work({ known, isTheirs, hash, isLast });
    } catch (error) {
      if (!(error instanceof PasswordWritten)) throw error;
    }
  }
}

/** For a new account, where none waits. */
export function hashToKeep({ hash }: ReadPassword): string {
  if (hash === null) throw new PasswordWritten();
  return hash;
}

/**
 * Two who give different passwords have registered the same address, or number, before anybody confirmed it. Whose link or
 * code it is that is then used nobody can say: neither password opens the account, and whoever confirms chooses one.
 */
export async function disputePassword(tx: Transaction, account: Account, read: ReadPassword): Promise<void> {
  const isAsRead = read.known === account.encrypted_password;
  if (!isAsRead && !read.isLast) throw new PasswordWritten();
  if (isAsRead && read.isTheirs) return;
  await tx.query(
    'update auth.users set encrypted_password = null, password_change_required = true, updated_at = now() where id = $1',
    [account.id],
  );
}
