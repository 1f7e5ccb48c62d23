import { z } from 'zod';

import type { Services } from '#platform/services';

import { deferredWork } from '../protocol/deferred-work.ts';
import { accountByPhone } from '../accounts/phone.ts';
import { AuthError, tooSoon } from '../protocol/errors.ts';
import type { Scope } from '../protocol/operation.ts';
import { startCooldown } from '../protocol/send-limits.ts';
import type { AuthSettings } from '../protocol/settings.ts';
import { kindOfWayIn, sendCode } from './sms-code.ts';
import type { SmsKind } from './sms-code.ts';

const requestSchema = z.object({
  /** `sign_in` is a way in for whoever has an account. */
  kind: z.enum(['confirmation', 'phone_change', 'sign_in']),
  phone: z.string(),
});

const { ask, define } = deferredWork(
  {
    task: 'auth_text_request',
    purpose: 'auth-text-request',
    reason: 'auth: text message asked for',
    maxAttempts: 1,
  },
  requestSchema,
  send,
);

/**
 * Asks for a code to the person of this number, if there is one. As with mails, a job looks for them later: the answer
 * takes the same time for every number, and the cooldown is the number's.
 * @throws AuthError over_sms_send_rate_limit
 */
export async function requestText(scope: Scope, request: z.output<typeof requestSchema>): Promise<void> {
  if (scope.settings.smsUrl === null) return;
  const wait = await startCooldown(scope, `sms:${request.kind}`, request.phone);
  if (wait > 0) throw tooSoon('sms', wait);
  await ask(scope, request);
}

/** Defines the job that finds the account and sends the code. Before the jobs start. */
export function defineTextRequests(services: Services, overrides: Partial<AuthSettings>): void {
  define(services, overrides);
}

async function send(scope: Scope, { kind, phone }: z.output<typeof requestSchema>): Promise<void> {
  const addressee = await (kind === 'sign_in' ? personOf(scope, phone) : personWaiting(scope, kind, phone));
  if (addressee === null) return;
  try {
    await sendCode(scope, { ...addressee, phone });
  } catch (error) {
    // Too soon, or refused by the provider, which is in the log: the person asks again.
    if (!(error instanceof AuthError)) throw error;
  }
}

type Addressee = { readonly userId: string; readonly kind: SmsKind };

async function personOf({ db }: Scope, phone: string): Promise<Addressee | null> {
  const account = await db.asService('auth: text message asked for', (tx) => accountByPhone(tx, phone), {
    readOnly: true,
  });
  return account === null || account.is_barred ? null : { userId: account.id, kind: kindOfWayIn(account) };
}

const WAITING = {
  confirmation: 'u.phone = $1 and u.phone_confirmed_at is null',
  phone_change: 'u.new_phone = $1',
} as const;

/**
 * The person who waits for a code at this number; null where two do, since only the server knows for which of them a code
 * is.
 */
async function personWaiting({ db }: Scope, kind: keyof typeof WAITING, phone: string): Promise<Addressee | null> {
  const { rows } = await db.queryAsService<{ id: string; is_way_in: boolean }>('auth: text message asked for', {
    // A registration by somebody else: the number's owner asked for a way in, so the password goes.
    text: `select u.id, $2 = 'confirmation' and u.encrypted_password is not null
        and coalesce(u.recovery_sent_at >= coalesce(u.confirmation_sent_at, '-infinity'), false) as is_way_in from auth.users u join public.profiles p on p.id = u.id
      where ${WAITING[kind]} and u.deleted_at is null and p.deactivated_at is null and not coalesce(u.banned_until > now(), false)
      limit 2`,
    values: [phone, kind],
  });
  const [only, another] = rows;
  return only === undefined || another !== undefined
    ? null
    : { userId: only.id, kind: only.is_way_in ? 'recovery' : kind };
}
