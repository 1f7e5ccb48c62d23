import { demoPassword } from '@parrain/database/demo';
import { withoutAccents } from '@parrain/domain/without-accents';

import { AuthError, validationFailed } from '../protocol/errors.ts';
import type { WeakPasswordReason } from '../protocol/errors.ts';
import type { Scope } from '../protocol/operation.ts';
import { PASSWORD_BYTES_MAX } from '../protocol/settings.ts';
import type { AuthSettings } from '../protocol/settings.ts';
import { commonPasswordWords } from './common-passwords.ts';
import { isInALeak } from './password-leaks.ts';

export type PasswordWeakness = {
  readonly message: string;
  readonly reasons: readonly WeakPasswordReason[];
};

/** The words that a password must not be made of: the person's own address and name. */
export type PasswordOwner = {
  readonly email: string | null;
  readonly fullName: string | null;
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
  if (isCommon(password)) {
    weaknesses.push({
      reason: 'pwned',
      message: COMMON,
    });
  } else if (isOwners(password, owner)) {
    weaknesses.push({ reason: 'pwned', message: 'Password should not be your name or your email address.' });
  }
  if (weaknesses.length === 0) return null;
  return {
    message: weaknesses.map((weakness) => weakness.message).join(' '),
    reasons: weaknesses.map((weakness) => weakness.reason),
  };
}

/** A common word with digits or signs around it, a repetition, or a run along the alphabet, the digits or a keyboard. */
function isCommon(password: string): boolean {
  // Published with the demonstration (FX-01).
  if (password === demoPassword) return true;
  const plain = plainText(password);
  if (isRepetition(plain) || isRun(plain)) return true;
  if (commonPasswordWords.has(plain)) return true;
  const words = [lettersOf(plain), lettersOf(undisguised(plain))];
  return words.some((word) => commonPasswordWords.has(word) || isRun(word) || (word.length > 0 && isRepetition(word)));
}

function isOwners(password: string, owner: PasswordOwner): boolean {
  const plain = lettersAndDigitsOf(plainText(password));
  const names = [owner.email, owner.email?.split('@')[0], owner.fullName, ...(owner.fullName?.split(/\s+/u) ?? [])];
  return names.some((name) => {
    const own = lettersAndDigitsOf(plainText(name ?? ''));
    if (own.length < 4 || !plain.includes(own)) return false;
    // « martin2026 » is a name; a long sentence that holds one is not.
    return plain.length - own.length < 6;
  });
}

function plainText(text: string): string {
  return withoutAccents(text).toLowerCase();
}

const DISGUISES: Readonly<Record<string, string>> = {
  '@': 'a',
  '4': 'a',
  '0': 'o',
  '1': 'i',
  '!': 'i',
  '3': 'e',
  $: 's',
  '5': 's',
  '7': 't',
};

function undisguised(text: string): string {
  // Digits at the end are a year or a count, not letters in disguise.
  const core = text.replace(/[\d\W_]+$/u, '');
  return core.replace(/[@401!3$57]/gu, (sign) => DISGUISES[sign] ?? sign);
}

function lettersOf(text: string): string {
  return text.replace(/[^a-z]+/gu, '');
}

function lettersAndDigitsOf(text: string): string {
  return text.replace(/[^a-z\d]+/gu, '');
}

/** « aaaaaaaaaa », « abcabcabcabc », « 1212121212 ». */
function isRepetition(text: string): boolean {
  if (text.length < 6) return false;
  for (let length = 1; length <= Math.min(4, text.length / 3); length += 1) {
    const unit = text.slice(0, length);
    if (unit.repeat(Math.ceil(text.length / length)).slice(0, text.length) === text) return true;
  }
  return false;
}

const RUNS = [
  '01234567890123456789',
  'abcdefghijklmnopqrstuvwxyz',
  'azertyuiopqsdfghjklmwxcvbn',
  'qwertyuiopasdfghjklzxcvbnm',
  'qwertzuiopasdfghjklyxcvbnm',
  '1q2w3e4r5t6y7u8i9o0p',
  '1a2z3e4r5t6y7u8i9o0p',
  'aqwzsxedcrfvtgbyhnujm',
  '1qaz2wsx3edc4rfv5tgb6yhn',
];

function isRun(text: string): boolean {
  if (text.length < 6) return false;
  const backwards = [...text].toReversed().join('');
  return RUNS.some((run) => run.includes(text) || run.includes(backwards));
}
