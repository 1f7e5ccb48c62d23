import type { Transaction } from '#platform/database';

import { hashPassword, verifyPassword } from '../passwords/password-hash.ts';
import type { Account } from '../protocol/account.ts';

/** The password of a waiting account as read before the transaction, and the result of the comparison with the given one. */
export type ComparedPassword = {
  readonly known: string | null;
  readonly isTheirs: boolean;
  /** The given password's hash; null where an account waits, which keeps its own. */
  readonly hash: string | null;
  readonly isLast: boolean;
};

class PasswordChanged extends Error {}

const COMPARISONS_MAX = 3;

/**
 * Hashes or compares the password outside of the transaction, then does the work; retries where another request wrote the
 * password in between (optimistic locking). Defence against a timing attack: hashing and comparing take equally long, so
 * the latency does not reveal an account. Pressing the button twice with one password is no dispute.
 */
export async function withComparedPassword<T>(
  password: string,
  read: () => Promise<string | null>,
  work: (read: ComparedPassword) => Promise<T>,
): Promise<T> {
  for (let readings = 1; ; readings += 1) {
    const known = await read();
    const isLast = readings === COMPARISONS_MAX;
    const isTheirs = known !== null && (await verifyPassword(password, known));
    const hash = known === null || isLast ? await hashPassword(password) : null;
    try {
      return await work({ known, isTheirs, hash, isLast });
    } catch (error) {
      if (!(error instanceof PasswordChanged)) throw error;
    }
  }
}

/** The hash for a new account. @throws PasswordChanged where one waits by now */
export function hashOfNewAccount({ hash }: ComparedPassword): string {
  if (hash === null) throw new PasswordChanged();
  return hash;
}

/**
 * Two people registered the same unconfirmed address or number with different passwords. The link or code that is then used
 * may be either's: neither password opens the account, and the one who confirms chooses a new one.
 */
export async function disputePassword(tx: Transaction, account: Account, read: ComparedPassword): Promise<void> {
  const isAsRead = read.known === account.encrypted_password;
  if (!isAsRead && !read.isLast) throw new PasswordChanged();
  if (isAsRead && read.isTheirs) return;
  await tx.query(
    'update auth.users set encrypted_password = null, password_change_required = true, updated_at = now() where id = $1',
    [account.id],
  );
}
