/** Countries of the European Economic Area, where an IBAN alone is enough. `private.is_outside_eea` has them too. */
export const eeaCountries: readonly string[] =
  'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IS IT LI LT LU LV MT NL NO PL PT RO SE SI SK'.split(' ');

/** Countries of SEPA beside them. */
export const sepaCountriesOutsideEea: readonly string[] = 'AD AL CH GB MC MD ME MK RS SM VA'.split(' ');

/** True of an IBAN, whole, masked or begun, to which a bank pays by the BIC of the payee's bank and their address too (AC-09). */
export function isOutsideEea(iban: string): boolean {
  return /^[A-Z]{2}\d/u.test(iban) && !eeaCountries.includes(iban.slice(0, 2));
}
