import { expect, test } from 'vitest';

import { countryName, euVatNumbers, hasEuVatNumbers, parseEuVatNumber, payeeCountryOptions } from './country.ts';

test('[AC-08] the VAT number of each country of the European Union is checked by its own form', () => {
  const right: Readonly<Record<string, string>> = {
    AT: 'ATU12345678',
    BE: 'BE0203201340',
    BG: 'BG123456789',
    CY: 'CY12345678X',
    CZ: 'CZ12345678',
    DE: 'DE123456789',
    DK: 'DK12345678',
    EE: 'EE123456789',
    ES: 'ESB12345678',
    FI: 'FI12345678',
    GR: 'EL123456789',
    HR: 'HR12345678901',
    HU: 'HU12345678',
    IE: 'IE6388047V',
    IT: 'IT12345678901',
    LT: 'LT123456789012',
    LU: 'LU12345678',
    LV: 'LV12345678901',
    MT: 'MT12345678',
    NL: 'NL123456789B01',
    PL: 'PL1234567890',
    PT: 'PT123456789',
    RO: 'RO12345678',
    SE: 'SE123456789001',
    SI: 'SI12345678',
    SK: 'SK1234567890',
  };
  expect(Object.keys(right)).toEqual(Object.keys(euVatNumbers));
  for (const [country, number] of Object.entries(right)) {
    expect(parseEuVatNumber(number.toLowerCase(), country)).toBe(number);
    expect(parseEuVatNumber(`${number.slice(0, 4)} ${number.slice(4)}`, country)).toBe(number);
    for (const wrong of [number.slice(2), `${number}1234`, `XX${number.slice(2)}`]) {
      expect(parseEuVatNumber(wrong, country)).toBeNull();
    }
  }
  for (const country of ['FR', 'CH', 'GB', 'MC', 'NO', '']) expect(hasEuVatNumbers(country)).toBe(false);
});

test('[AC-08] countries are offered by their French names, France first', () => {
  const labels = payeeCountryOptions().map(({ label }) => label);
  expect(labels.slice(0, 4)).toEqual(['France', 'Albanie', 'Allemagne', 'Andorre']);
  expect(labels).toContain('Suisse');
  expect(labels).toHaveLength(41);
  expect(countryName('GB')).toBe('Royaume-Uni');
});
