import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { plainLetters } from '@parrain/domain/without-accents';

import { createTestDatabase, only } from '../src/testing.ts';
import type { TestDatabase } from '../src/testing.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

async function expectTheSame(texts: readonly string[]): Promise<void> {
  const { plain } = only(
    await db.asOwner<{ plain: string[] }>(
      'select array_agg(private.plain_letters(t.text) order by t.place) as plain from unnest($1::text[]) with ordinality t (text, place)',
      [texts],
    ),
  );
  const differing = texts
    .map((text, at) => ({ text, domain: plainLetters(text), database: plain[at] }))
    .filter(({ domain, database }) => domain !== database);
  expect(differing.slice(0, 5)).toEqual([]);
}

const from = (first: number, last: number): string[] =>
  Array.from({ length: last - first + 1 }, (_, at) => String.fromCodePoint(first + at));
const LETTERS = [
  // Latin-1 with the digits and the punctuation, Latin Extended-A and B, and Latin Extended Additional.
  ...from(0x20, 0x7e),
  ...from(0xa0, 0x24f),
  ...from(0x1e00, 0x1eff),
  // Marks that combine, Greek, Cyrillic.
  ...from(0x300, 0x36f),
  ...from(0x370, 0x3ff).filter((letter) => /\p{Assigned}/u.test(letter)),
  ...from(0x400, 0x4ff),
  // Punctuation, currencies, letters like « № », ligatures, wide letters.
  ...from(0x2010, 0x2027),
  ...from(0x20a0, 0x20bf),
  ...from(0x2100, 0x214f),
  ...from(0xfb00, 0xfb06),
  ...from(0xff01, 0xff5e),
  '👩‍🚀',
  '🇫🇷',
  '👍🏽',
  '❤️',
  '\u{1d400}',
  'が',
  '각',
  '漢',
];

test('[NV-03] the domain and the database make the same plain letters of every letter that a name has', async () => {
  await expectTheSame(LETTERS);
});

test('[NV-03] and of every text of these', async () => {
  const text = fc.array(fc.constantFrom(...LETTERS), { maxLength: 40 }).map((letters) => letters.join(''));
  await expectTheSame(fc.sample(text, 3000));
});

test('[NV-03] what is searched by is found: a name’s own letters without their accents are among its plain ones', async () => {
  await expectTheSame([
    'Œuvre d’Éloïse',
    'STRAẞE Straße',
    'ÆTHELRED',
    'İstanbul',
    'ΟΔΟΣ',
    'E\u0301loi\u0308se',
    'ﬁn №5',
  ]);
});
