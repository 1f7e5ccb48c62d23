import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

import type { Secrets } from '#platform/secrets';

/** Nobody reads the page and fills in its form faster. */
export const SECONDS_MIN = 3;
const SECONDS_MAX = 4 * 3600;
/** Some 33 000 hashes: a tenth of a second on a computer, a second on a telephone, while its owner types. */
export const WORK_BITS = 15;

const PURPOSE = 'referral-page-stamp';
const NUMBERS = ['deux', 'trois', 'quatre', 'cinq', 'six', 'sept', 'huit', 'neuf'];

/** Signed timestamp of a page's form, with the proof of work that is asked before it is taken. */
export type Stamp = {
  /** Signed, for one link: « time.seed.signature ». */
  readonly text: string;
  /** The browser looks for a number that gives `sha256(seed.number)` leading zeros. */
  readonly seed: string;
  /** Question for a person without a script, in place of the proof: « trois et quatre ». */
  readonly sum: string;
};

/** Verdict on a form that came back. */
export type Verdict =
  | { readonly kind: 'taken'; readonly submission: string }
  /** Sent faster than it can be read. */
  | { readonly kind: 'early' }
  /** Open for hours, or not one of ours. */
  | { readonly kind: 'stale' }
  /** Neither the work nor the sum was done. */
  | { readonly kind: 'unproven' };

export function makeStamp(secrets: Pick<Secrets, 'derive'>, link: string, now: Date): Stamp {
  const seed = randomBytes(15).toString('base64url');
  const signed = `${Math.floor(now.getTime() / 1000).toString(36)}.${seed}`;
  const [left, right] = sumOf(seed);
  return {
    text: `${signed}.${signatureOf(secrets, link, signed)}`,
    seed,
    sum: `${NUMBERS[left - 2]} et ${NUMBERS[right - 2]}`,
  };
}

export function verifyStamp(
  secrets: Pick<Secrets, 'derive'>,
  link: string,
  form: { readonly stamp: string; readonly work: string; readonly sum: string },
  now: Date,
): Verdict {
  const [time = '', seed = '', signature = '', ...rest] = form.stamp.split('.');
  const expected = Buffer.from(signatureOf(secrets, link, `${time}.${seed}`));
  const given = Buffer.from(signature);
  if (rest.length > 0 || given.length !== expected.length || !timingSafeEqual(given, expected))
    return { kind: 'stale' };
  const seconds = now.getTime() / 1000 - Number.parseInt(time, 36);
  if (seconds > SECONDS_MAX) return { kind: 'stale' };
  if (seconds < SECONDS_MIN) return { kind: 'early' };
  const [left, right] = sumOf(seed);
  const isSummed = form.sum.trim() === String(left + right);
  return isSummed || isWorked(seed, form.work) ? { kind: 'taken', submission: seed } : { kind: 'unproven' };
}

function signatureOf({ derive }: Pick<Secrets, 'derive'>, link: string, signed: string): string {
  return createHmac('sha256', derive(PURPOSE)).update(`${link} ${signed}`).digest('base64url').slice(0, 22);
}

function isWorked(seed: string, work: string): boolean {
  if (!/^\d{1,9}$/u.test(work)) return false;
  return createHash('sha256').update(`${seed}.${work}`).digest().readUInt32BE() >>> (32 - WORK_BITS) === 0;
}

/** Two numbers from two to nine, which the seed decides. */
function sumOf(seed: string): readonly [number, number] {
  const [first = 0, second = 0] = createHash('sha256').update(`sum ${seed}`).digest();
  return [2 + (first % NUMBERS.length), 2 + (second % NUMBERS.length)];
}
