import { createHmac, randomInt, timingSafeEqual } from 'node:crypto';

import type { Transaction } from '#platform/database';
import type { Secrets } from '#platform/secrets';
import { readSender } from '#platform/mail-layout';

import type { TextMessage } from '../messages/sms.ts';
import type { FactorRow } from '../protocol/account.ts';
import { AuthError, tooSoon } from '../protocol/errors.ts';
import type { Scope } from '../protocol/operation.ts';
import type { LockedFactor } from './factor.ts';

/** A telephone as a second factor: codes by SMS. Weaker than the others and paid by the message: off unless asked for. */

const CODE_LENGTH = 6;

/** @throws AuthError mfa_phone_enroll_not_enabled */
export function requirePhoneOn({ settings }: Scope, what: 'enroll' | 'verify'): void {
  if (settings.isPhoneFactorOn) return;
  throw what === 'enroll'
    ? new AuthError(422, 'mfa_phone_enroll_not_enabled', 'MFA enroll is disabled for Phone')
    : new AuthError(422, 'mfa_phone_verify_not_enabled', 'MFA verification is disabled for Phone');
}

/** An unfinished enrolment of the same number is replaced by the new one. */
export async function replaceUnfinished(tx: Transaction, userId: string, phone: string): Promise<void> {
  await tx.query(
    `delete from auth.factors where user_id = $1 and factor_type = 'phone' and status = 'unverified' and phone = $2`,
    [userId, phone],
  );
}

/** A person has one telephone at most. @throws AuthError mfa_verified_factor_exists */
export function refuseSecondPhone(factors: readonly FactorRow[]): void {
  if (!factors.some((factor) => factor.factor_type === 'phone' && factor.status === 'verified')) return;
  throw new AuthError(
    422,
    'mfa_verified_factor_exists',
    'A verified phone factor already exists, unenroll the existing factor to continue',
  );
}

/** A code that may leave now, and its message. @throws AuthError over_sms_send_rate_limit */
export async function newPhoneCode(
  tx: Transaction,
  scope: Scope,
  factor: LockedFactor,
): Promise<{ readonly codeHash: Buffer; readonly sms: TextMessage }> {
  const { services, settings } = scope;
  if (factor.phone === null) throw new Error('A telephone has no number');
  const { rows } = await tx.query<{ wait: number }>(
    `select ceil(greatest(0, extract(epoch from last_challenged_at - now()) + $2))::int as wait
     from auth.factors where id = $1 and last_challenged_at is not null`,
    [factor.id, settings.mailCooldownSeconds],
  );
  const wait = rows[0]?.wait ?? 0;
  if (wait > 0) throw tooSoon('sms', wait);
  const code = String(randomInt(10 ** CODE_LENGTH)).padStart(CODE_LENGTH, '0');
  const { companyName: name } = await readSender(tx, scope.settings.siteUrl);
  const minutes = Math.round(settings.challengeSeconds / 60);
  return {
    codeHash: hashOf(services.secrets, factor.id, code),
    sms: {
      to: factor.phone,
      text: `${name} : votre code est ${code}. Il est valable ${minutes} minutes. Ne le donnez à personne.`,
    },
  };
}

export function isPhoneCode({ services }: Scope, factorId: string, hash: Uint8Array, code: string): boolean {
  return timingSafeEqual(hashOf(services.secrets, factorId, code), hash);
}

function hashOf(secrets: Secrets, factorId: string, code: string): Buffer {
  return createHmac('sha256', secrets.derive('phone-factor-code')).update(`${factorId}:${code}`).digest();
}
