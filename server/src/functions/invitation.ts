import { invitationSent } from '@parrain/domain/messages';
import { createHash, randomUUID } from 'node:crypto';

import { generateTemporaryPassword, hashPassword, TEMPORARY_PASSWORD_HOURS } from '#auth';
import type { Query, Transaction } from '#platform/database';
import { rateLimited } from '#platform/errors';
import type { Bucket } from '#platform/rate-limit';

import { answer } from './call.ts';
import type { Answer, UserCall } from './call.ts';
import { accountInvitation } from './mails/account-invitation.ts';
import { readSender } from './mails/layout.ts';
import { onceThen } from './once.ts';

/** How many invitations one person sends, and one address gets, whoever sends them (row 79). */
const PER_USER: Bucket = { capacity: 60, perSeconds: 3600 };
const PER_TARGET: Bucket = { capacity: 5, perSeconds: 86_400 };
/** How often one person may try, whatever comes of it: nobody finds out by the thousand who has an account. */
const TRIES_PER_USER: Bucket = { capacity: 300, perSeconds: 3600 };

/** Before any work. @throws Failure `rate_limited` */
export async function limitTries(call: UserCall): Promise<void> {
  const wait = await call.services.rateLimit.takeToken(`invitation:tries:${call.userId}`, TRIES_PER_USER);
  if (wait > 0) throw rateLimited(wait);
}

/**
 * In the invitation's own transaction: one that is refused, or repeated under its idempotency key, sends no mail and
 * counts for nothing. @throws Failure `rate_limited`
 */
export async function limitInvitations(tx: Transaction, userId: string, email: string): Promise<void> {
  // Of the address only a hash stays in the table of limits.
  const target = createHash('sha256').update(email).digest('base64url');
  const wait = await tx.asService('limit invitations', async () => {
    const byUser = await takeToken(tx, `invitation:by:${userId}`, PER_USER);
    return byUser > 0 ? byUser : takeToken(tx, `invitation:to:${target}`, PER_TARGET);
  });
  if (wait > 0) throw rateLimited(wait);
}

async function takeToken(tx: Transaction, bucket: string, limit: Bucket): Promise<number> {
  const { rows } = await tx.query<{ wait: number }>('select private.take_token($1, $2, $3)::float8 as wait', [
    bucket,
    limit.capacity,
    limit.perSeconds,
  ]);
  return rows[0]?.wait ?? 0;
}

/** What the answer is made from once the mail's fate is known. */
type Invited = {
  readonly profile: { readonly id: string; readonly full_name: string; readonly email: string };
  readonly temporaryPassword: string;
  readonly mailId: string | null;
};

/**
 * Opens an account for somebody else (X-05, E-03, V-19): the account and its mail are one transaction; the answer says
 * `emailSent` only where the SMTP server has accepted the mail, and gives the temporary password only where it has not.
 */
export async function inviteAccount(
  call: UserCall,
  as: 'commercial' | 'client',
  person: { readonly name: string; readonly email: string },
  create: (account: { readonly id: string; readonly passwordHash: string; readonly temporaryUntil: Date }) => Query,
): Promise<Answer> {
  await limitTries(call);
  const { services } = call;
  const temporaryPassword = generateTemporaryPassword();
  const passwordHash = await hashPassword(temporaryPassword);
  const temporaryUntil = new Date(services.clock.now().getTime() + TEMPORARY_PASSWORD_HOURS * 3_600_000);

  return onceThen<Invited>(
    call,
    async (tx) => {
      await limitInvitations(tx, call.userId, person.email);
      const created = await tx.query<Invited['profile']>(create({ id: randomUUID(), passwordHash, temporaryUntil }));
      const [profile] = created.rows;
      if (profile === undefined) throw new Error('The account was not created');
      const sender = await readSender(tx, services.publicUrl());
      const inviter = await tx.query<{ full_name: string }>('select full_name from public.profiles where id = $1', [
        call.userId,
      ]);
      const mailId = await services.mail.enqueue(
        tx,
        accountInvitation(sender, {
          as,
          name: profile.full_name,
          email: profile.email,
          temporaryPassword,
          invitedBy: inviter.rows[0]?.full_name ?? sender.companyName,
        }),
      );
      return { profile, temporaryPassword, mailId };
    },
    async ({ profile, temporaryPassword: password, mailId }) => {
      const emailSent = (await services.mail.waitForFate(mailId)) === 'accepted';
      return answer({
        success: true,
        emailSent,
        [as]: profile,
        loginEmail: profile.email,
        ...(emailSent ? {} : { tempPassword: password }),
        message: invitationSent(emailSent),
      });
    },
  );
}
