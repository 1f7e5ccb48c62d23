import { eeaCountries, sepaCountriesOutsideEea } from './eea.ts';

/** Countries in which a payee may be (AC-08): those of SEPA, where a transfer can be made. */
export const payeeCountries: readonly string[] = [...eeaCountries, ...sepaCountriesOutsideEea];

/** « Belgique »; the code itself where it is none's. */
export function countryName(code: string): string {
  return new Intl.DisplayNames('fr', { type: 'region' }).of(code) ?? code;
}

/** The same countries by their French names, in the order of the alphabet, France first. */
export function payeeCountryOptions(): readonly { readonly value: string; readonly label: string }[] {
  return payeeCountries
    .map((value) => ({ value, label: countryName(value) }))
    .toSorted((one, other) =>
      one.value === 'FR' ? -1 : other.value === 'FR' ? 1 : one.label.localeCompare(other.label, 'fr'),
    );
}

/**
 * Form of the VAT numbers of the European Union by country, France apart (VIES, « Format of VAT numbers »). They begin with the country's
 * code, Greece's with EL. `private.is_in_eu` has the countries too.
 */
export const euVatNumbers: Readonly<Record<string, RegExp>> = {
  AT: /^ATU\d{8}$/u,
  BE: /^BE[01]\d{9}$/u,
  BG: /^BG\d{9,10}$/u,
  CY: /^CY\d{8}[A-Z]$/u,
  CZ: /^CZ\d{8,10}$/u,
  DE: /^DE\d{9}$/u,
  DK: /^DK\d{8}$/u,
  EE: /^EE\d{9}$/u,
  ES: /^ES(?:[A-Z]\d{7}[\dA-Z]|\d{8}[A-Z])$/u,
  FI: /^FI\d{8}$/u,
  GR: /^EL\d{9}$/u,
  HR: /^HR\d{11}$/u,
  HU: /^HU\d{8}$/u,
  IE: /^IE(?:\d{7}[A-W][A-I]?|\d[A-Z+*]\d{5}[A-W])$/u,
  IT: /^IT\d{11}$/u,
  LT: /^LT(?:\d{9}|\d{12})$/u,
  LU: /^LU\d{8}$/u,
  LV: /^LV\d{11}$/u,
  MT: /^MT\d{8}$/u,
  NL: /^NL[\dA-Z+*]{12}$/u,
  PL: /^PL\d{10}$/u,
  PT: /^PT\d{9}$/u,
  RO: /^RO\d{2,10}$/u,
  SE: /^SE\d{12}$/u,
  SI: /^SI\d{8}$/u,
  SK: /^SK\d{10}$/u,
};

/** Monaco, which is France for VAT: its businesses charge it as those of mainland France do, and invoice it by themselves. */
export function isMonaco(country: string): boolean {
  return country === 'MC';
}

/** Name of the number of a business in that country. */
export function numberAbroadLabel(country: string): string {
  return hasEuVatNumbers(country) ? 'Numéro de TVA intracommunautaire' : 'Numéro d’immatriculation';
}

/** The letters that its VAT numbers begin with. */
export function euVatPrefix(country: string): string {
  return country === 'GR' ? 'EL' : country;
}

/** True of a country whose businesses are known by a VAT number of the European Union. */
export function hasEuVatNumbers(country: string): boolean {
  return Object.hasOwn(euVatNumbers, country);
}

/** The VAT number in what was typed, of whichever of these countries; null where it is none. */
export function euVatNumberIn(typed: string): string | null {
  const found = Object.keys(euVatNumbers).map((country) => parseEuVatNumber(typed, country));
  return found.find((number) => number !== null) ?? null;
}

/** A VAT number of that country as it was typed, « be 0203.201.340 », in its own form; null where it is none. */
export function parseEuVatNumber(typed: string, country: string): string | null {
  const number = typed.replaceAll(/[\s.-]/gu, '').toUpperCase();
  return euVatNumbers[country]?.test(number) === true ? number : null;
}
