import { withoutInvisible } from './visible-text.ts';

// The one reading of a telephone number (DF-36). The rules are those of libphonenumber for France and its overseas numbers, few enough
// to stand in the database too (private.phone_of), which searches and compares by them; phone.test.ts tries both against the library.

const phone = /^\(? ?\+?[\d .()/-]+$/u;

/**
 * A number as it is kept: as written, in plain characters. Pasted invisible characters, typographic spaces and hyphens are folded, and
 * what a spreadsheet took for a sum gets its « + » or its zero back. Null for what is no number.
 */
export function writtenPhone(text: string, lengthMax: number): string | null {
  if (text.length > 4 * lengthMax) return null;
  const plain = withoutInvisible(text)
    .normalize('NFKC')
    .replace(/\p{Zs}/gu, ' ')
    .replace(/[\p{Pd}\u2212]/gu, '-')
    .replace(/[\u00b7\u2022\u2027\u22c5]/gu, '.')
    .trim();
  if (/^33[1-9]\d{8}$/u.test(plain)) return `+${plain}`;
  if (/^[1-9]\d{8}$/u.test(plain)) return `0${plain}`;
  const digitsCount = plain.replace(/\D/gu, '').length;
  return plain.length <= lengthMax && phone.test(plain) && digitsCount >= 4 ? plain : null;
}

/**
 * The one form of a number, in which numbers are compared and searched: ten digits for France and its overseas departments, « 00 »
 * before the country elsewhere. Null without a digit.
 */
export function phoneOf(text: string): string | null {
  const kept = text.normalize('NFKC').replace(/[^0-9+()]/gu, '');
  // « +44 (0)20 »: the zero is dialled within the country only. In Italy it belongs to the number.
  const isAbroad = /^\(?(?:\+|00)/u.test(kept) && !/^\(?(?:\+|00)39/u.test(kept);
  const number = (isAbroad ? kept.replaceAll('(0)', '') : kept)
    .replace(/[()]/gu, '')
    .replace(/^00/u, '+')
    .replace(/(?!^)\+/gu, '')
    .replace(/^\+330?/u, '0')
    .replace(/^33([1-9]\d{8})$/u, '0$1')
    .replace(/^([1-9]\d{8})$/u, '0$1')
    // Réunion and Mayotte, Guadeloupe, Guyane, Martinique: their numbers are dialled with a zero from all of France.
    .replace(/^\+?(?:262|590|594|596)0?([1-9]\d{8})$/u, '0$1')
    .replace(/^\+508([1-9]\d{5})$/u, '0508$1')
    .replace(/^\+508([1-9]\d{8})$/u, '0$1')
    .replace(/^\+/u, '00');
  return number === '' ? null : number;
}

/**
 * Kind of telephone that a whole number reaches: a French mobile, another French one, a foreign one. Null for a number that nobody answers:
 * too few digits or too many, or a service number (08).
 */
export function phoneKind(text: string): 'mobile' | 'fixed' | 'abroad' | null {
  const number = phoneOf(text) ?? '';
  // E.164: the country and the number have fifteen digits at most.
  if (/^00[1-9]\d{6,14}$/u.test(number) || /^0508\d{6}$/u.test(number)) return 'abroad';
  if (/^0[67]\d{8}$/u.test(number)) return 'mobile';
  return /^0[1-59]\d{8}$/u.test(number) ? 'fixed' : null;
}

/** A number as a telephone dials it from anywhere: « +33612345678 ». */
export function dialledPhone(text: string): string {
  const number = phoneOf(text) ?? '';
  if (number.startsWith('00')) return `+${number.slice(2)}`;
  const region = overseas.find(([prefix]) => prefix.test(number))?.[1];
  if (region !== undefined) return `+${region}${number.slice(1)}`;
  return /^0[1-9]\d{8}$/u.test(number) ? `+33${number.slice(1)}` : number;
}

const overseas = [
  [/^0(?:262|263|269|639|692|693)\d{6}$/u, '262'],
  [/^0(?:590|690|691)\d{6}$/u, '590'],
  [/^0(?:594|694)\d{6}$/u, '594'],
  [/^0(?:596|696|697)\d{6}$/u, '596'],
  // Saint-Pierre-et-Miquelon: the zero stands before the country itself.
  [/^0508\d{6}$/u, ''],
] as const;

/** The number whose beginning a search types, as the search terms hold it; null for what is no number. */
export function searchedPhone(text: string): string | null {
  const plain = writtenPhone(text, 30);
  return plain !== null && (/^[+(0]/u.test(plain) || /(?:\d\D*){9}/u.test(plain)) ? phoneOf(plain) : null;
}
