import { z } from 'zod';

import type { Transaction } from '#platform/database';

import { isTaken, openInvited } from '../accounts/create-account.ts';
import { requireBoundedMetadata, requireEmail } from '../accounts/identity-fields.ts';
import { userObject } from '../accounts/user-object.ts';
import { issueOneTimeToken } from '../codes/one-time-token.ts';
import { replacePassword } from '../codes/verify-token.ts';
import { inviteMail } from '../messages/mails.ts';
import { accountByEmail, existingAccount } from '../protocol/account.ts';
import type { Account } from '../protocol/account.ts';
import { audit } from '../protocol/audit.ts';
import { emailExists } from '../protocol/errors.ts';
import type { Call, Operation } from '../protocol/operation.ts';
import { redirectTarget } from '../protocol/redirect.ts';
import { parseBody, queryValue } from '../protocol/request.ts';

const body = z.looseObject({ email: z.string().default(''), data: z.record(z.string(), z.unknown()).default({}) });

/** POST /invite (AU-21): a client's account without a password, and the mail by which its owner chooses one. */
export const invite: Operation = {
  method: 'POST',
  url: '/invite',
  access: 'admin',
  async handle(call) {
    const given = parseBody(call.request, body);
    const email = requireEmail(given.email);
    requireBoundedMetadata(given.data, call);
    try {
      const account = await call.db.asService('auth admin: invite', async (tx) => {
        const existing = await accountByEmail(tx, email);
        if (existing !== null && existing.email_confirmed_at !== null) throw emailExists();
        const id = existing?.id ?? (await openInvited(tx, { email, data: given.data, passwordHash: null }));
        // An earlier registration of this address that was never proven keeps no password.
        if (existing !== null) await replacePassword(tx, id, null);
        return sendInvitation(tx, call, id, email);
      });
      return { body: userObject(account) };
    } catch (error) {
      if (isTaken(error)) throw emailExists();
      throw error;
    }
  },
};

async function sendInvitation(tx: Transaction, call: Call, userId: string, email: string): Promise<Account> {
  const redirectTo = redirectTarget(queryValue(call.request, 'redirect_to'), call.settings);
  const issued = await issueOneTimeToken(tx, call, { userId, kind: 'confirmation', sentTo: email, redirectTo });
  await tx.query(
    'update auth.users set invited_at = now(), confirmation_sent_at = now(), updated_at = now() where id = $1',
    [userId],
  );
  await audit(tx, call.origin, 'invited', userId);
  await call.services.mail.enqueue(tx, await inviteMail(tx, call, email, issued));
  return existingAccount(tx, userId);
}
