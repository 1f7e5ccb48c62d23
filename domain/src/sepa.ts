import { dayOf } from './date.ts';
import { inEnglishLetters } from './latin-letters.ts';
import { withoutAccents } from './without-accents.ts';

/** The version of pain.001.001 that a bank's file is written in (PO-01). */
export const sepaFormats = ['09', '03'] as const;
export type SepaFormat = (typeof sepaFormats)[number];

/** Signs of a text that banks take in another form. */
const signs: Readonly<Record<string, string>> = {
  '&': '+',
  '@': '(at)',
  _: '-',
  '’': "'",
  '‘': "'",
  '“': "'",
  '”': "'",
  '«': "'",
  '»': "'",
  '–': '-',
  '—': '-',
  '€': 'EUR',
};

/**
 * A text in the characters that every SEPA bank takes, at most `lengthMax` of them: « Œuvres d’Évian » is « OEuvres d'Evian ». No
 * Latin letter is lost (DF-37).
 * Empty where nothing of it can be written: a name in another alphabet.
 */
export function sepaText(text: string, lengthMax: number): string {
  const letters = inEnglishLetters(withoutAccents(text.replace(/[&@_’‘“”«»–—€]/gu, (sign) => signs[sign] ?? ' ')));
  const plain = letters
    .replace(/[^A-Za-z0-9/?:().,'+ -]/gu, ' ')
    .replace(/\/{2,}/gu, '/')
    .replace(/ {2,}/gu, ' ')
    .replace(/^[ /]+/u, '')
    .slice(0, lengthMax)
    .replace(/[ /]+$/u, '');
  return /[A-Za-z0-9]/u.test(plain) ? plain : '';
}

/** The end-to-end reference of a request: its id in 32 characters, which a bank carries to the end and back. */
export function sepaReference(requestId: string): string {
  return requestId.replaceAll('-', '');
}

/** The id that a reference leads back to, as a bank may have written it; null where it is none of ours. */
export function idOfReference(reference: string): string | null {
  const hex = reference.trim().toLowerCase();
  return /^[\da-f]{32}$/u.test(hex) ? hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/u, '$1-$2-$3-$4-$5') : null;
}

/** True when banks of the SEPA zone pay on a day, « 2026-11-23 »: no weekend, no closing day of TARGET. */
export function isBankDay(day: string): boolean {
  const date = new Date(`${day}T12:00:00Z`);
  if (Number.isNaN(date.getTime()) || [0, 6].includes(date.getUTCDay())) return false;
  if (['01-01', '05-01', '12-25', '12-26'].includes(day.slice(5))) return false;
  const easter = easterOf(date.getUTCFullYear());
  const days = Math.round((date.getTime() - easter.getTime()) / 86_400_000);
  return days !== -2 && days !== 1;
}

/** The first bank day after an instant's day in France. */
export function nextBankDay(instant: Date): string {
  let day = dayOf(instant);
  do {
    day = dayOf(new Date(Date.parse(`${day}T12:00:00Z`) + 86_400_000));
  } while (!isBankDay(day));
  return day;
}

/** Easter Sunday at noon, by the anonymous Gregorian computus. */
function easterOf(year: number): Date {
  const a = year % 19;
  const b = Math.floor(year / 100);
  const c = year % 100;
  const h = (19 * a + b - Math.floor(b / 4) - Math.floor((b - Math.floor((b + 8) / 25) + 1) / 3) + 15) % 30;
  const l = (32 + 2 * (b % 4) + 2 * Math.floor(c / 4) - h - (c % 4)) % 7;
  const n = h + l - 7 * Math.floor((a + 11 * h + 22 * l) / 451) + 114;
  return new Date(Date.UTC(year, Math.floor(n / 31) - 1, (n % 31) + 1, 12));
}

/** Reasons of a bank's rejection by ISO 20022's code, in words fit for the payee, who reads them (AC-09). */
const bankReasons: Readonly<Record<string, string>> = {
  AC01: 'le compte n’existe pas',
  AC03: 'le numéro du compte n’est pas valable',
  AC04: 'le compte est clos',
  AC06: 'le compte est bloqué',
  AC07: 'le compte est clos',
  AC13: 'ce type de compte n’est pas accepté',
  AC14: 'ce type de compte n’est pas accepté',
  AG01: 'ce compte ne reçoit pas de virement',
  AG02: 'ce type de virement n’est pas accepté',
  AM04: 'la banque de l’entreprise ne l’a pas exécuté',
  AM05: 'le virement est en double',
  BE01: 'le nom ne correspond pas au titulaire du compte',
  BE04: 'l’adresse du bénéficiaire manque',
  BE05: 'l’entreprise n’a pas été reconnue comme donneur d’ordre',
  BE06: 'le bénéficiaire est inconnu de sa banque',
  BE07: 'l’adresse de l’entreprise manque',
  CNOR: 'la banque du bénéficiaire ne reçoit pas ce type de virement',
  CUST: 'il a été annulé à la demande de l’entreprise',
  DNOR: 'la banque de l’entreprise n’émet pas ce type de virement',
  DT01: 'la date n’est pas valable',
  DUPL: 'le virement est en double',
  ED05: 'le règlement entre banques a échoué',
  FF01: 'la forme du fichier n’a pas été acceptée',
  FOCR: 'il a été rappelé par la banque de l’entreprise',
  FR01: 'la banque soupçonne une fraude',
  FRAD: 'la banque soupçonne une fraude',
  LEGL: 'une obligation légale s’y oppose',
  MD07: 'ce compte ne peut plus le recevoir',
  MS02: 'le bénéficiaire l’a refusé',
  MS03: 'la banque n’en donne pas la raison',
  NOOR: 'la banque n’a pas retrouvé l’ordre d’origine',
  RC01: 'la banque du bénéficiaire est inconnue',
  RR01: 'le compte ou l’identité de l’entreprise manque',
  RR02: 'le nom ou l’adresse de l’entreprise manque',
  RR03: 'le nom ou l’adresse du bénéficiaire manque',
  RR04: 'une règle de la banque s’y oppose',
  TECH: 'un incident technique l’a empêché',
  TM01: 'il est arrivé après l’heure limite de la banque',
  UPAY: 'il n’était pas justifié',
};

/** « Virement rejeté par la banque : le compte est clos (AC04). » `words` are the bank's own, where it gives no code. */
export function bankRejection(code: string | null, words = ''): string {
  if (code === null) {
    const said = words.replace(/[\s.]+$/u, '');
    return said === '' ? 'Virement rejeté par la banque.' : `Virement rejeté par la banque : ${said}.`;
  }
  const why = bankReasons[code];
  return why === undefined
    ? `Virement rejeté par la banque (${code}).`
    : `Virement rejeté par la banque : ${why} (${code}).`;
}

/** The code at the end of a reason, as somebody copied it from a statement: « le compte est clos (AC04). »; null where there is none. */
export function codeOfReason(reason: string): string | null {
  return /\(([A-Z]{2}[0-9A-Z]{2})\)[\s.]*$/u.exec(reason)?.[1] ?? null;
}

/**
 * A reason as somebody typed it from a statement, with its code where `codeOfReason` reads it: « AC04 » alone is the sentence that a bank's
 * file makes, « AC04 compte clos » is « compte clos (AC04) ». As it was where it names no known code at its beginning or its end.
 */
export function withBankCode(reason: string, lengthMax = 500): string {
  const alone = reason.replaceAll(/[\s.()]/gu, '').toUpperCase();
  if (bankReasons[alone] !== undefined) return bankRejection(alone);
  if (codeOfReason(reason) !== null) return reason;
  const first = /^\s*\(?([A-Z]{2}[0-9A-Z]{2})\)?[\s:,.–—-]+(.+)$/su.exec(reason);
  const last = /^(.+?)[\s:,.–—-]+([A-Z]{2}[0-9A-Z]{2})[\s.]*$/su.exec(reason);
  for (const [code = '', words = ''] of [first?.slice(1) ?? [], last?.slice(1).toReversed() ?? []]) {
    const whole = `${words.replace(/[\s.]+$/u, '')} (${code}).`;
    if (bankReasons[code] !== undefined && whole.length <= lengthMax) return whole;
  }
  return reason;
}

/** Statuses of a bank that end nothing: acceptances, and what it found of the payee's name (VoP). */
const bankRemarks: Readonly<Record<string, string>> = {
  ACCC: 'Accepté, et porté au compte du bénéficiaire : le relevé de votre compte le confirme.',
  ACCP: 'Accepté par la banque : le paiement se lit dans un relevé.',
  ACSC: 'Accepté et réglé : le relevé de votre compte le confirme.',
  ACSP: 'Accepté par la banque, en cours d’exécution.',
  ACTC: 'Bien reçu par la banque.',
  PDNG: 'En attente à la banque.',
  RCVC: 'Le nom correspond au titulaire du compte.',
  RVMC: 'Le nom est proche de celui du titulaire, sans être le même : vérifiez-le avant de confirmer.',
  RVNA: 'La banque du bénéficiaire n’a pas pu vérifier le nom.',
  RVNM: 'Le nom ne correspond pas au titulaire du compte : vérifiez l’IBAN avec le bénéficiaire avant de confirmer.',
};

/** The sentence of a status that ends nothing (AC-09); null for one that says nothing of a transfer. */
export function bankRemark(status: string): string | null {
  return bankRemarks[status] ?? null;
}
