import { invitationSent } from '@parrain/domain/messages';
import { createHash, randomUUID } from 'node:crypto';

import { generateTemporaryPassword, hashPassword, TEMPORARY_PASSWORD_HOURS } from '#auth';
import type { Query } from '#platform/database';
import { rateLimited } from '#platform/errors';
import type { Bucket } from '#platform/rate-limit';

import { answer } from './call.ts';
import type { Answer, Call, UserCall } from './call.ts';
import { accountInvitation } from './mails/account-invitation.ts';
import { readSender } from './mails/layout.ts';
import { onceThen } from './once.ts';

/** How many invitations one person sends, and one address gets, whoever sends them (row 79). */
const PER_USER: Bucket = { capacity: 60, perSeconds: 3600 };
const PER_TARGET: Bucket = { capacity: 5, perSeconds: 86_400 };

/** @throws Failure `rate_limited` */
export async function limitInvitations(call: UserCall, email: string): Promise<void> {
  await takeTokenOr429(call, `invitation:by:${call.userId}`, PER_USER);
  // Of the address only a hash stays in the table of limits.
  await takeTokenOr429(call, `invitation:to:${createHash('sha256').update(email).digest('base64url')}`, PER_TARGET);
}

export async function takeTokenOr429(call: Call, bucket: string, limit: Bucket): Promise<void> {
  const wait = await call.services.rateLimit.takeToken(bucket, limit);
  if (wait > 0) throw rateLimited(wait);
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
  await limitInvitations(call, person.email);
  const { services } = call;
  const temporaryPassword = generateTemporaryPassword();
  const passwordHash = await hashPassword(temporaryPassword);
  const temporaryUntil = new Date(services.clock.now().getTime() + TEMPORARY_PASSWORD_HOURS * 3_600_000);

  return onceThen<Invited>(
    call,
    async (tx) => {
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
      const emailSent = await services.mail.waitUntilAccepted(mailId);
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
