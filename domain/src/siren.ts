/** A French company's number in its nine digits; null where its key (Luhn's) does not fit. */
export function parseSiren(typed: string): string | null {
  const siren = typed.replaceAll(/[\s.]/gu, '');
  return /^\d{9}$/u.test(siren) && hasKey(siren) ? siren : null;
}

/** The number of an establishment of that company in its fourteen digits, the SIREN and five more; null where it is none. */
export function parseSiret(typed: string, siren: string): string | null {
  const siret = typed.replaceAll(/[\s.]/gu, '');
  return /^\d{14}$/u.test(siret) && siret.startsWith(siren) && hasKey(siret) ? siret : null;
}

/** Luhn's key, which every second digit from the last weighs twice in. */
function hasKey(digits: string): boolean {
  const sum = [...digits].toReversed().reduce((total, sign, place) => {
    const digit = (sign.codePointAt(0) ?? 0) - 48;
    const weighed = place % 2 === 1 ? digit * 2 : digit;
    return total + (weighed > 9 ? weighed - 9 : weighed);
  }, 0);
  // Zeros have a key that fits, and are nobody's number.
  return sum > 0 && sum % 10 === 0;
}

/** « 732 829 320 », as papers write it. */
export function sirenText(siren: string): string {
  return siren.replaceAll(/(\d{3})(?=\d)/gu, '$1\u00a0');
}

/** « 732 829 320 00074 ». */
export function siretText(siret: string): string {
  return `${sirenText(siret.slice(0, 9))}\u00a0${siret.slice(9)}`;
}

/**
 * The French VAT number of that company, « FR44732829320 »; null where it is none. A key of two digits is computed from the SIREN; one
 * with a letter is checked in its form alone.
 */
export function parseVatNumber(typed: string, siren: string): string | null {
  const number = typed.replaceAll(/[\s.]/gu, '').toUpperCase();
  if (!/^FR[\dA-HJ-NP-Z]{2}\d{9}$/u.test(number) || number.slice(4) !== siren) return null;
  const key = number.slice(2, 4);
  return /^\d{2}$/u.test(key) && key !== vatKey(siren) ? null : number;
}

/** The number under which a business of Monaco, France for VAT, charges it: of the French form, over nine digits that are no SIREN. */
export function parseMonacoVatNumber(typed: string): string | null {
  const digits = typed.replaceAll(/[\s.]/gu, '').slice(4);
  return digits.startsWith('000') ? parseVatNumber(typed, digits) : null;
}

function vatKey(siren: string): string {
  return String((12 + 3 * (Number.parseInt(siren, 10) % 97)) % 97).padStart(2, '0');
}

/** An association's number in the national register (RNA), « W751000001 », « W2A1000123 » in Corsica; null where it is none. */
export function parseRna(typed: string): string | null {
  const rna = typed.replaceAll(/[\s.]/gu, '').toUpperCase();
  return /^W\d[\dA-Z]\d{7}$/u.test(rna) ? rna : null;
}
