import { getCountries, getExampleNumber, parsePhoneNumberFromString } from 'libphonenumber-js/max';
import examples from 'libphonenumber-js/mobile/examples';
import { expect, test } from 'vitest';
import { dialledPhone, phoneOf, searchedPhone, writtenPhone } from './phone.ts';

test.each([
  ['\u202a+33 6 12 34 56 78\u202c', '+33 6 12 34 56 78'],
  ['(+33) 6 12 34 56 78', '(+33) 6 12 34 56 78'],
  ['06\u201112\u201134\u201156\u201178', '06-12-34-56-78'],
  ['06\u200912\u202f34\u00a056 78', '06 12 34 56 78'],
  ['０６ １２ ３４ ５６ ７８', '06 12 34 56 78'],
  ['06·12·34·56·78', '06.12.34.56.78'],
  ['33612345678', '+33612345678'],
  ['612345678', '0612345678'],
])('[DF-36] %j is taken, as « %s », and is the number 06 12 34 56 78', (pasted, written) => {
  expect(writtenPhone(pasted, 30)).toBe(written);
  expect(phoneOf(pasted)).toBe('0612345678');
  expect(phoneOf(written)).toBe('0612345678');
  expect(dialledPhone(pasted)).toBe('+33612345678');
});

test.each([
  [
    '0692 12 34 56',
    '+262 692 12 34 56',
    '00262 692 123456',
    '+33 692 12 34 56',
    '262692123456',
    '+262 (0)692 12 34 56',
  ],
  ['0690 12 34 56', '+590 690 12 34 56', '590690123456'],
  ['0694 12 34 56', '+594 694 12 34 56'],
  ['0696 12 34 56', '+596 (0) 696 12 34 56'],
  ['020 7946 0958', '020-7946-0958'],
  ['+44 20 7946 0958', '+44 (0)20 7946 0958', '0044 20 7946 0958', '(+44) 20 7946 0958'],
  ['+39 06 698 12345', '0039 06 69812345'],
])('[DF-36] %s is one number in all its forms', (first, ...others) => {
  for (const other of others) expect(phoneOf(other)).toBe(phoneOf(first));
});

test('[DF-36] a mobile of each country is one number in each form that libphonenumber writes, and dials as it says', () => {
  const found = new Map<string, string>();
  const elsewhere = new Set<string>();
  for (const country of getCountries()) {
    const example = getExampleNumber(country, examples);
    if (example === undefined) throw new Error(country);
    const number = phoneOf(example.number);
    expect([country, phoneOf(example.formatInternational())]).toEqual([country, number]);
    expect([country, phoneOf(`00${example.number.slice(1)}`)]).toEqual([country, number]);
    expect([country, dialledPhone(example.formatInternational())]).toEqual([country, example.number]);
    expect([country, writtenPhone(example.formatInternational(), 30)]).toEqual([
      country,
      example.formatInternational(),
    ]);
    if (number === null || found.get(number) === undefined) found.set(number ?? '', example.number);
    else if (found.get(number) !== example.number) elsewhere.add(country);
  }
  expect([...elsewhere]).toEqual([]);
});

test.each(['FR', 'RE', 'YT', 'GP', 'BL', 'MF', 'GF', 'MQ'] as const)(
  '[DF-36] a number of %s is dialled at home as it is abroad',
  (country) => {
    const example = getExampleNumber(country, examples);
    if (example === undefined) throw new Error(country);
    const national = example.formatNational();
    expect(phoneOf(national)).toBe(phoneOf(example.number));
    expect(dialledPhone(national)).toBe(example.number);
    expect(parsePhoneNumberFromString(national, country)?.number).toBe(dialledPhone(national));
  },
);

test.each([
  ['0698765432', '0698765432'],
  ['+33 6 98 76 54 32', '0698765432'],
  ['06 98 76', '069876'],
  ['98 76 54', null],
  ['2024-12', null],
  ['\u202a33698765432', '0698765432'],
  ['Dupont', null],
  ['14 juillet', null],
  ['12', null],
])('[DF-36] a search for « %s » looks for the number %s', (typed, number) => {
  expect(searchedPhone(typed)).toBe(number);
});
