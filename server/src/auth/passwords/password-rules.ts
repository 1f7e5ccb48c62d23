import { demoPassword } from '@parrain/database/demo';
import { isEasyToGuess, isOwnersName } from '@parrain/domain/password';
import type { PasswordOwner } from '@parrain/domain/password';

import { AuthError, validationFailed } from '../protocol/errors.ts';
import type { WeakPasswordReason } from '../protocol/errors.ts';
import type { Scope } from '../protocol/operation.ts';
import { PASSWORD_BYTES_MAX } from '../protocol/settings.ts';
import type { AuthSettings } from '../protocol/settings.ts';
import { isInALeak } from './password-leaks.ts';

export type PasswordWeakness = {
  readonly message: string;
  readonly reasons: readonly WeakPasswordReason[];
};

/**
 * Refuses a new password that is too long, weak, or, where the service is configured, known from a leak.
 * @throws AuthError validation_failed, weak_password
 */
export async function requireGoodPassword(password: string, owner: PasswordOwner, scope: Scope): Promise<void> {
  requireBoundedPassword(password);
  const weakness = passwordWeakness(password, owner, scope.settings);
  const isLeaked = weakness?.reasons.includes('pwned') !== true && (await isInALeak(password, scope));
  const message = [weakness?.message, ...(isLeaked ? [COMMON] : [])].filter((text) => text !== undefined).join(' ');
  const reasons: WeakPasswordReason[] = [...(weakness?.reasons ?? []), ...(isLeaked ? (['pwned'] as const) : [])];
  if (reasons.length > 0) throw new AuthError(422, 'weak_password', message, { reasons });
}

const COMMON = 'Password is known to be weak and easy to guess, please choose a different one.';

export function requireBoundedPassword(password: string): void {
  if (Buffer.byteLength(password) > PASSWORD_BYTES_MAX) {
    throw validationFailed(`Password cannot be longer than ${PASSWORD_BYTES_MAX} characters`);
  }
}

/** Every reason for which a password is weak by today's rules; null for a strong one. */
export function passwordWeakness(
  password: string,
  owner: PasswordOwner,
  settings: AuthSettings,
): PasswordWeakness | null {
  const weaknesses: { readonly reason: WeakPasswordReason; readonly message: string }[] = [];
  if ([...password].length < settings.passwordLengthMin) {
    weaknesses.push({
      reason: 'length',
      message: `Password should be at least ${settings.passwordLengthMin} characters.`,
    });
  }
  // The client knows three reasons; everything an attacker tries first is « pwned ».
  // The demonstration's is published with it (FX-01).
  if (password === demoPassword || isEasyToGuess(password)) {
    weaknesses.push({
      reason: 'pwned',
      message: COMMON,
    });
  } else if (isOwnersName(password, owner)) {
    weaknesses.push({ reason: 'pwned', message: 'Password should not be your name or your email address.' });
  }
  if (weaknesses.length === 0) return null;
  return {
    message: weaknesses.map((weakness) => weakness.message).join(' '),
    reasons: weaknesses.map((weakness) => weakness.reason),
  };
}
