import { z } from 'zod';

import type { Transaction } from '#platform/database';
import type { Services } from '#platform/services';

import { registerByEmail } from '../accounts/create-account.ts';
import { fullNameFrom, phoneFrom } from '../accounts/identity-fields.ts';
import { magicLinkMail, recoveryMail } from '../messages/mails.ts';
import { accountByEmail, existingAccount } from '../protocol/account.ts';
import type { Account } from '../protocol/account.ts';
import { audit } from '../protocol/audit.ts';
import { deferredWork } from '../protocol/deferred-work.ts';
import { AuthError, tooSoon } from '../protocol/errors.ts';
import type { Scope } from '../protocol/operation.ts';
import { startCooldown, takeMailToken, takeMessageToken } from '../protocol/send-limits.ts';
import type { AuthSettings } from '../protocol/settings.ts';
import { requestEmailChange } from './change-address.ts';
import { sendConfirmation } from './confirmation.ts';
import { issueOneTimeToken, secondsCoolingDown } from './one-time-token.ts';

const requestSchema = z.object({
  /** `sign_in` opens a client's account where the address has none, if `newAccount` is given. */
  kind: z.enum(['recovery', 'confirmation', 'sign_in', 'email_change']),
  email: z.string(),
  redirectTo: z.string(),
  challenge: z.string().nullable().default(null),
  newAccount: z.record(z.string(), z.unknown()).nullable().default(null),
});
type MailRequest = Omit<z.output<typeof requestSchema>, 'newAccount'> & {
  /** The user_metadata of a new account; without it none is opened. */
  readonly newAccount?: Readonly<Record<string, unknown>>;
};

const { ask, define } = deferredWork(
  { task: 'auth_mail_request', purpose: 'auth-mail-request', reason: 'auth: mail asked for', maxAttempts: 5 },
  requestSchema,
  send,
);

/**
 * Asks for a mail to the account of this address, if there is one. Defence against a timing attack: a job looks for the
 * account later, so the request does the same work and takes the same time for every address. The cooldown is the address's.
 * @throws AuthError over_email_send_rate_limit
 */
export async function requestMail(scope: Scope, request: MailRequest): Promise<void> {
  const { services } = scope;
  if (!services.mail.isConfigured) {
    services.log.warn({ kind: request.kind }, 'No SMTP server is configured: no mail can leave');
    return;
  }
  const wait = await startCooldown(scope, SENT_AT[request.kind], request.email);
  if (wait > 0) throw tooSoon('email', wait);
  await ask(scope, { newAccount: null, ...request });
}

/** Defines the job that finds the account and sends the mail. Before the jobs start. */
export function defineMailRequests(services: Services, overrides: Partial<AuthSettings>): void {
  define(services, overrides);
}

async function send(scope: Scope, request: z.output<typeof requestSchema>): Promise<void> {
  // An unsent mail takes no token of the bucket: else a stranger could use up another's messages without sending one.
  if ((await isTooSoon(scope, request)) || !(await takeMessageToken(scope, request.email))) return;
  if (request.kind === 'email_change') return changeAgain(scope, request);
  await scope.db.asService('auth: mail asked for', async (tx) => {
    const account = (await accountByEmail(tx, request.email)) ?? (await open(tx, scope, request));
    if (account === null || account.email === null || account.is_barred) return;
    const { email, email_confirmed_at: confirmedAt } = account;
    const { redirectTo, challenge } = request;
    // The first sign-in confirms an account that was opened without a password.
    const isNew = confirmedAt === null && account.encrypted_password === null;
    const kind = request.kind === 'sign_in' && isNew ? 'confirmation' : request.kind;
    if ((await secondsCoolingDown(tx, scope, account.id, kind === 'confirmation' ? kind : 'recovery')) > 0) return;
    if (!(await takeMailToken(tx, scope))) return;
    if (kind === 'confirmation') {
      if (account.email_proven_at !== null) return;
      const isOpen = confirmedAt !== null;
      await sendConfirmation(tx, scope, account.id, email, { redirectTo, challenge, isOpen });
      await audit(tx, scope.origin, 'confirmation_requested', account.id);
      return;
    }
    const issued = await issueOneTimeToken(tx, scope, {
      userId: account.id,
      kind: 'recovery',
      sentTo: email,
      redirectTo,
      challenge,
    });
    await tx.query('update auth.users set recovery_sent_at = now() where id = $1', [account.id]);
    await audit(tx, scope.origin, kind === 'recovery' ? 'recovery_requested' : 'sign_in_link_requested', account.id);
    await scope.services.mail.enqueue(
      tx,
      kind === 'recovery'
        ? await recoveryMail(tx, scope, email, { issued, redirectTo })
        : await magicLinkMail(tx, scope, email, issued, redirectTo),
    );
  });
}

const SENT_AT = {
  recovery: 'recovery_sent_at',
  sign_in: 'recovery_sent_at',
  confirmation: 'confirmation_sent_at',
  email_change: 'email_change_sent_at',
} as const;

async function isTooSoon({ db, settings }: Scope, { kind, email }: z.output<typeof requestSchema>): Promise<boolean> {
  const { rows } = await db.queryAsService('auth: mail asked for', {
    text: `select from auth.users u where u.email = $1 and not u.is_sso_user and u.deleted_at is null
      and u.${SENT_AT[kind]} > now() - make_interval(secs => $2)`,
    values: [email, settings.mailCooldownSeconds],
  });
  return rows.length > 0;
}

/** Mails both sides of a pending change of address again, by the current address. */
async function changeAgain(scope: Scope, request: z.output<typeof requestSchema>): Promise<void> {
  const { email, redirectTo, challenge } = request;
  try {
    await scope.db.asService('auth: mail asked for', async (tx) => {
      const account = await accountByEmail(tx, email);
      if (account === null || account.new_email === null || account.is_barred) return;
      await requestEmailChange(tx, scope, account, { email: account.new_email, redirectTo, challenge });
    });
  } catch (error) {
    // Too soon, or the address is taken meanwhile: the refusal must not reach the asker.
    if (!(error instanceof AuthError)) throw error;
  }
}

/**
 * Opens a client's account without a password for an unknown address that asks for a way in; null where none may be
 * opened.
 */
async function open(tx: Transaction, scope: Scope, request: z.output<typeof requestSchema>): Promise<Account | null> {
  const { newAccount: data, email } = request;
  if (data === null || scope.settings.isSignupDisabled) return null;
  const id = await registerByEmail(tx, scope.origin, {
    email,
    passwordHash: null,
    fullName: fullNameFrom(data, email),
    profilePhone: phoneFrom(data),
    data,
    method: 'otp',
  });
  return existingAccount(tx, id);
}
