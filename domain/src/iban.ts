import { electronicFormatIBAN, isSEPACountry, isValidBIC, isValidIBAN } from 'ibantools';

/**
 * An IBAN in its electronic form; null where it is none: its country's length and pattern, its key modulo 97, and for a French
 * one the key of the RIB within (V-18, PO-04).
 */
export function parseIban(typed: string): string | null {
  const compact = electronicFormatIBAN(typed);
  return compact !== null && isValidIBAN(compact) ? compact : null;
}

/** True if a SEPA transfer reaches the account. */
export function isSepaIban(iban: string): boolean {
  return isSEPACountry(iban.slice(0, 2));
}

/** A BIC of 8 or 11 characters, in capitals; null where it is none. */
export function parseBic(typed: string): string | null {
  const compact = typed.replaceAll(/\s/gu, '').toUpperCase();
  return isValidBIC(compact) ? compact : null;
}

/** « FR76 •••• •••• 0189 »: enough to recognise an account that one knows. */
export function maskedIban(iban: string): string {
  return `${iban.slice(0, 4)} •••• •••• ${iban.slice(-4)}`;
}
