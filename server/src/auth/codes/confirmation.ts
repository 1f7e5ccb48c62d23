import type { Transaction } from '#platform/database';

import { confirmationMail } from '../messages/mails.ts';
import type { Scope } from '../protocol/operation.ts';
import { issueOneTimeToken } from './one-time-token.ts';

/** Enqueues the confirmation mail, with a new link in place of the last one. */
export async function sendConfirmation(
  tx: Transaction,
  scope: Scope,
  userId: string,
  email: string,
  {
    redirectTo,
    challenge = null,
    isOpen = false,
  }: {
    readonly redirectTo: string;
    readonly challenge?: string | null;
    /** True where the account is open already, and its owner only proves the address. */
    readonly isOpen?: boolean;
  },
): Promise<void> {
  const issued = await issueOneTimeToken(tx, scope, {
    userId,
    kind: 'confirmation',
    sentTo: email,
    redirectTo,
    challenge,
  });
  await tx.query('update auth.users set confirmation_sent_at = now() where id = $1', [userId]);
  await scope.services.mail.enqueue(tx, await confirmationMail(tx, scope, email, { issued, redirectTo, isOpen }));
}
