import { invitationSent, newPasswordGiven } from '@parrain/domain/messages';
import type { EmailState } from '@parrain/domain/messages';
import { createHash, randomUUID } from 'node:crypto';

import { generateTemporaryPassword, hashPassword, TEMPORARY_PASSWORD_HOURS } from '#auth';
import type { Query, Transaction } from '#platform/database';
import { rateLimited } from '#platform/errors';
import type { MailFate } from '#platform/mail';
import { secondsUntilMail } from '#platform/mail-limit';
import { readSender } from '#platform/mail-layout';
import { networkOf } from '#platform/network';
import type { Bucket } from '#platform/rate-limit';
import type { Services } from '#platform/services';

import { answer } from './call.ts';
import type { FunctionResponse, UserCall } from './call.ts';
import { mailLimited, requireMailLeft } from './mail-bounds.ts';
import { accountInvitation } from './mails/account-invitation.ts';
import { onceThen } from './once.ts';

/** Rate limits: invitations one person sends in an hour, and one mailbox receives in a day from all senders (row 79). */
const PER_USER: Bucket = { capacity: 60, perSeconds: 3600 };
const PER_TARGET: Bucket = { capacity: 5, perSeconds: 86_400 };
/**
 * Invitations from one network within the day. Anybody may become a client; the people of the company often share one network,
 * and each is bounded by the database.
 */
const FROM_CLIENTS: Bucket = { capacity: 60, perSeconds: 86_400 };
const FROM_STAFF: Bucket = { capacity: 2000, perSeconds: 86_400 };
/** Attempts one person may make, successful or not: a bound on account enumeration. */
const TRIES_PER_USER: Bucket = { capacity: 300, perSeconds: 3600 };

/** Before any work. @throws Failure `rate_limited` */
export async function limitTries(call: UserCall): Promise<void> {
  const wait = await call.services.rateLimit.takeToken(`invitation:tries:${call.userId}`, TRIES_PER_USER);
  if (wait > 0) throw rateLimited(wait);
}

/**
 * Limits the mails to people who did not ask for them, for each person, each mailbox, each network and the whole installation (FX-04). In
 * the invitation's own transaction: one that is refused, or repeated under its idempotency key, sends no mail and counts for nothing.
 * @throws Failure `rate_limited`, `mail_limit`
 */
export async function limitInvitations(tx: Transaction, call: UserCall, email: string): Promise<void> {
  const { services, userId, role } = call;
  const wait = await tx.asService('limit invitations', async () => {
    const byUser = await takeToken(tx, `invitation:by:${userId}`, PER_USER);
    return byUser > 0 ? byUser : takeTokenOfMailbox(tx, email);
  });
  if (wait > 0) throw rateLimited(wait);
  if (!services.mail.isConfigured) return;
  const network = `invitation:from:${role === 'client' ? 'clients' : 'staff'}:${networkOf(call.request.ip)}`;
  const fromNetwork = await tx.asService('limit invitations', () =>
    takeToken(tx, network, role === 'client' ? FROM_CLIENTS : FROM_STAFF),
  );
  if (fromNetwork > 0) throw mailLimited(fromNetwork);
  await requireMailLeft(tx, services);
}

/**
 * The same for the mail to a friend who came in by a personal link: nobody's own, but the mailbox's, the network's and the whole
 * installation's. In a transaction of the service. @throws Failure `rate_limited`, `mail_limit`
 */
export async function limitMailByLink(
  tx: Transaction,
  services: Services,
  email: string,
  network: string,
): Promise<void> {
  const wait = await takeTokenOfMailbox(tx, email);
  if (wait > 0) throw rateLimited(wait);
  if (!services.mail.isConfigured) return;
  const untilMail = await secondsUntilMail(tx, { mailsPerHour: services.config.mailsPerHour, network });
  if (untilMail > 0) throw mailLimited(untilMail);
}

/**
 * The same for the mail to an imported client (EX-04), which waits for its turn: the bounds of the mailbox and of the whole
 * installation alone. In a transaction of the service.
 */
export async function invitationOfImport(
  tx: Transaction,
  { config }: Services,
  email: string,
): Promise<'may_leave' | 'no_mail_left' | 'mailbox_is_full'> {
  if ((await secondsUntilMail(tx, { mailsPerHour: config.mailsPerHour, network: null })) > 0) return 'no_mail_left';
  return (await takeTokenOfMailbox(tx, email)) > 0 ? 'mailbox_is_full' : 'may_leave';
}

/** Of the address only a hash stays in the table of limits. */
async function takeTokenOfMailbox(tx: Transaction, email: string): Promise<number> {
  const { rows } = await tx.query<{ mailbox: string }>('select private.mailbox_of($1) as mailbox', [email]);
  const target = createHash('sha256')
    .update(rows[0]?.mailbox ?? email)
    .digest('base64url');
  return takeToken(tx, `invitation:to:${target}`, PER_TARGET);
}

async function takeToken(tx: Transaction, bucket: string, limit: Bucket): Promise<number> {
  const { rows } = await tx.query<{ wait: number }>('select private.take_token($1, $2, $3)::float8 as wait', [
    bucket,
    limit.capacity,
    limit.perSeconds,
  ]);
  return rows[0]?.wait ?? 0;
}

/** The person that credentials are for. */
export type Invited = {
  readonly profile: { readonly id: string; readonly full_name: string; readonly email: string };
  readonly as: 'commercial' | 'client' | 'comptable';
};

/** Data of the answer, completed once the mail's delivery state is known. */
type Sent = Invited & { readonly temporaryPassword: string; readonly mailId: string | null };

/** A temporary password with what the database keeps of it. */
export async function newCredentials({ clock }: Services): Promise<{
  readonly temporaryPassword: string;
  readonly passwordHash: string;
  readonly temporaryUntil: Date;
}> {
  const temporaryPassword = generateTemporaryPassword();
  return {
    temporaryPassword,
    passwordHash: await hashPassword(temporaryPassword),
    temporaryUntil: new Date(clock.now().getTime() + TEMPORARY_PASSWORD_HOURS * 3_600_000),
  };
}

type Kept = { readonly passwordHash: string; readonly temporaryUntil: Date };

/** Opens an account on another person's behalf (X-05, E-03, V-19). */
export async function inviteAccount(
  call: UserCall,
  as: 'commercial' | 'client' | 'comptable',
  person: { readonly name: string; readonly email: string },
  create: (account: { readonly id: string } & Kept) => Query,
): Promise<FunctionResponse> {
  return sendCredentials(call, { named: as, isRenewal: false }, async (tx, kept) => {
    await limitInvitations(tx, call, person.email);
    const created = await tx.query<Invited['profile']>(create({ id: randomUUID(), ...kept }));
    const [profile] = created.rows;
    if (profile === undefined) throw new Error('The account was not created');
    return { profile, as };
  });
}

/**
 * Gives a person a temporary password and mails it: `keep` and the mail are one transaction; the answer says
 * `emailSent` only where the SMTP server has accepted the mail, and gives the temporary password only where it is certain
 * that the mail did not leave and never will (FX-08). `named` is the key of the person in the answer.
 */
export async function sendCredentials(
  call: UserCall,
  { named, isRenewal }: { readonly named: Invited['as'] | 'person'; readonly isRenewal: boolean },
  keep: (tx: Transaction, kept: Kept) => Promise<Invited>,
): Promise<FunctionResponse> {
  await limitTries(call);
  const { services } = call;
  const { temporaryPassword, ...kept } = await newCredentials(services);

  return onceThen<Sent>(
    call,
    async (tx) => {
      const { profile, as } = await keep(tx, kept);
      const sender = await readSender(tx, services.publicUrl());
      const inviter = await tx.query<{ full_name: string }>('select full_name from public.profiles where id = $1', [
        call.userId,
      ]);
      const mailId = await services.mail.enqueue(
        tx,
        accountInvitation(sender, {
          as,
          isRenewal,
          name: profile.full_name,
          email: profile.email,
          temporaryPassword,
          invitedBy: inviter.rows[0]?.full_name ?? sender.companyName,
        }),
      );
      await tx.asService('which mail holds the password', () =>
        tx.query('update auth.users set invitation_mail_id = $2 where id = $1', [profile.id, mailId]),
      );
      return { profile, as, temporaryPassword, mailId };
    },
    async ({ profile, temporaryPassword: password, mailId }) => {
      const emailState = await settle(services, mailId);
      return answer({
        success: true,
        emailSent: emailState === 'sent',
        emailState,
        [named]: profile,
        loginEmail: profile.email,
        ...(emailState === 'not_sent' ? { tempPassword: password } : {}),
        message: isRenewal ? newPasswordGiven : invitationSent[emailState],
      });
    },
  );
}

/**
 * Waits for the fate of the mail that holds credentials, and decides it where the server refused an attempt: the mail is
 * withdrawn, so that whoever is then shown the credentials is the only one. One that waits for its first attempt, is being
 * handed over, or was when the connection broke, may leave or have left.
 */
export async function settle({ mail, db }: Services, mailId: string | null): Promise<EmailState> {
  if (mailId === null) return 'not_sent';
  const fate = await mail.waitForFate(mailId);
  if (fate === 'accepted') return 'sent';
  return db.asService('credentials are shown: their mail never leaves', async (tx) => {
    const { rows } = await tx.query<{ last_error: string | null }>(
      'select last_error from private.mails where id = $1',
      [mailId],
    );
    const [known] = rows;
    // Forgotten after three months, when its password has long lapsed.
    if (known === undefined) return 'not_sent';
    if (fate === 'under_way' && !CERTAINLY_NOT_TAKEN.test(known.last_error ?? '')) return 'sending';
    return (await mail.withdraw(tx, mailId)) ? 'not_sent' : 'sending';
  });
}

/** The server said no, or was never reached. */
const CERTAINLY_NOT_TAKEN = /^(?:[45]\d\d\b|ECONNREFUSED$|ENOTFOUND$|EDNS$|EAUTH$|ETLS$|EHOSTUNREACH$|ENETUNREACH$)/u;

/** Of a mail that holds no secret: one that is tried again may still leave. */
export function stateOf(fate: MailFate): EmailState {
  switch (fate) {
    case 'accepted':
      return 'sent';
    case 'under_way':
      return 'sending';
    case 'never':
      return 'not_sent';
  }
}
