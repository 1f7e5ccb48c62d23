import { commonPasswordWords } from './common-passwords.ts';
import { withoutAccents } from './without-accents.ts';

// Passwords that an attacker tries first: the server refuses them, and the meter beside the field says so while one types (DF-13).

/** The words that a password must not be made of: the person's own address and name. */
export interface PasswordOwner {
  readonly email: string | null;
  readonly fullName: string | null;
}

/** A common word with digits or signs around it, a repetition, or a run along the alphabet, the digits or a keyboard. */
export function isEasyToGuess(password: string): boolean {
  const plain = plainText(password);
  if (isRepetition(plain) || isRun(plain)) return true;
  if (commonPasswordWords.has(plain)) return true;
  const words = [lettersOf(plain), lettersOf(undisguised(plain))];
  return words.some((word) => commonPasswordWords.has(word) || isRun(word) || (word.length > 0 && isRepetition(word)));
}

/** True if it is little more than its owner's own name or address. */
export function isOwnersName(password: string, owner: PasswordOwner): boolean {
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
