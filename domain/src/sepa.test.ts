import anyAscii from 'any-ascii';
import { expect, test } from 'vitest';
import { bankRejection, bankRemark, codeOfReason, sepaText, withBankCode } from './sepa.ts';

test.each([
  ['Yıldız Işık', 'Yildiz Isik'],
  ['Ðorđe Đorđević', 'Dorde Dordevic'],
  ['Þór Guðmundsson', 'Thor Gudmundsson'],
  ['Łukasz Żółć', 'Lukasz Zolc'],
  ['İbrahim Çağrı', 'Ibrahim Cagri'],
  ['Œuvres d’Évian & Cie', "OEuvres d'Evian + Cie"],
  ['STRAẞE Straße', 'STRASSE Strasse'],
  ['Nguyễn Thị Ưu Ơn', 'Nguyen Thi Uu On'],
  ['Ŋaŋa Ħal Ŧor Əli', 'Nganga Hal Tor Eli'],
  ['Ким', ''],
])('[DF-37] « %s » is « %s » in a bank’s file', (name, written) => {
  expect(sepaText(name, 70)).toBe(written);
});

test('[DF-37] no letter of the Latin script is lost, and each is written as transliteration has it', () => {
  const letters = Array.from({ length: 0x20000 }, (_, point) => point)
    .filter((point) => point < 0xd800 || point > 0xdfff)
    .map((point) => String.fromCodePoint(point))
    .filter((letter) => /\p{Script=Latin}/u.test(letter) && /\p{L}/u.test(letter));
  expect(letters.length).toBeGreaterThan(1300);
  const plain = (text: string) => text.toLowerCase().replaceAll(/[^a-z0-9]/gu, '');
  const lost = letters.filter((letter) => {
    const written = sepaText(`x${letter}x`, 70);
    return written.includes(' ') || written.length < 3;
  });
  expect(lost).toEqual([]);
  // Only the letters that the library transliterates: it lacks the newest, and renders some of the oldest as signs.
  const other = letters.filter((letter) => {
    const expected = plain(anyAscii(letter));
    return expected !== '' && plain(sepaText(`x${letter}x`, 70)) !== `x${expected}x`;
  });
  expect(other).toEqual([]);
});

test('[AC-09] each reason of a bank is a sentence fit for the payee, who reads it; without a code the bank’s own words are kept', () => {
  const codes =
    'AC01 AC03 AC04 AC06 AC07 AC13 AC14 AG01 AG02 AM04 AM05 BE01 BE04 BE05 BE06 BE07 CNOR CUST DNOR DT01 DUPL ED05 FF01 FOCR FR01 FRAD LEGL MD07 MS02 MS03 NOOR RC01 RR01 RR02 RR03 RR04 TECH TM01 UPAY';
  for (const code of codes.split(' '))
    expect(bankRejection(code)).toMatch(
      new RegExp(`^Virement rejeté par la banque : \\p{Ll}[^.]+ \\(${code}\\)\\.$`, 'u'),
    );
  expect(bankRejection('MD07')).not.toMatch(/décédé/u);
  expect(bankRejection('ZZ99')).toBe('Virement rejeté par la banque (ZZ99).');
  expect(bankRejection(null)).toBe('Virement rejeté par la banque.');
  expect(bankRejection(null, 'Opération refusée. ')).toBe('Virement rejeté par la banque : Opération refusée.');
});

test('[AC-09] an acceptance and a verification of the payee say so in a sentence; an unknown status says nothing', () => {
  for (const status of ['ACCC', 'ACCP', 'ACSC', 'ACSP', 'ACTC', 'PDNG', 'RCVC', 'RVMC', 'RVNA', 'RVNM'])
    expect(bankRemark(status)).toMatch(/^\p{Lu}.+\.$/u);
  expect(bankRemark('UNKN')).toBeNull();
});

test('[AC-09] the code that ends a reason written by hand is the bank’s', () => {
  expect(codeOfReason(bankRejection('AC04'))).toBe('AC04');
  expect(codeOfReason('Compte clos (AC04) ')).toBe('AC04');
  expect([codeOfReason('Compte clos'), codeOfReason('(AC04) dit la banque'), codeOfReason('')]).toEqual([
    null,
    null,
    null,
  ]);
});

test('[AC-09] a code that is typed bare says what the bank’s file would: alone, before the words or after them', () => {
  const closed = 'Virement rejeté par la banque : le compte est clos (AC04).';
  for (const typed of ['AC04', ' ac04. ', '(AC04)']) expect(withBankCode(typed)).toBe(closed);
  for (const typed of [
    'AC04 Compte clos',
    'AC04 : Compte clos.',
    'Compte clos – AC04',
    'Compte clos, AC04.',
    '(AC04) Compte clos',
  ])
    expect([typed, withBankCode(typed)]).toEqual([typed, 'Compte clos (AC04).']);
  for (const typed of [
    'Compte clos',
    'Compte clos (AC04)',
    'Le FR76 est clos',
    'FR76 est clos',
    'Revenu AC04 hier',
    'BANQUE',
    '',
  ])
    expect(withBankCode(typed)).toBe(typed);
  const long = `AC04 ${'x'.repeat(494)}`;
  expect(withBankCode(long)).toBe(long);
});
