import { createTestDatabase } from '@parrain/database/testing';
import type { TestDatabase } from '@parrain/database/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { filterSql } from './filter-sql.ts';
import { BadFilter, parseFilter, typed } from './parse-filter.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

/** The filter's answer for one value of a column: whether the row would be told. */
async function answerOf(filter: string, type: string, column: string, value: string | null): Promise<boolean> {
  const conditions = parseFilter(filter).map((condition) => typed(condition, type));
  const values: unknown[] = [value];
  const sql = filterSql(conditions, 't', (bound) => `$${values.push(bound)}`);
  const [row] = await database.asOwner<{ answer: boolean }>(
    `select ${sql} as answer from (select $1::text::${column} as "column") t`,
    values,
  );
  if (row === undefined) throw new Error('There is no answer');
  return row.answer;
}

const quoted = (text: string): string => `"${text.replaceAll(/["\\]/gu, String.raw`\$&`)}"`;

/** Each operator in SQL, the operand as a literal of the column's type. */
const SQL: Readonly<Record<string, string>> = {
  eq: 'v = o',
  neq: 'v <> o',
  lt: 'v < o',
  lte: 'v <= o',
  gt: 'v > o',
  gte: 'v >= o',
  isdistinct: 'v is distinct from o',
  in: 'v in (o)',
};

const digits = fc.oneof(fc.integer({ min: -5, max: 5 }), fc.integer({ min: -2_000_000, max: 2_000_000 }));
const amount = fc
  .tuple(digits, fc.constantFrom('', '.0', '.5', '.50', '.01', '.1', '.10'))
  .map(([whole, fraction]) => `${whole}${fraction}`);
const exact = fc.oneof(
  amount,
  fc.constantFrom('1e3', '-.5', '0.30000000000000000001', '5.0000000000000000000001', '+2'),
);
const time = fc.constantFrom(
  '2026-01-01',
  '2026-01-01T00:00:00Z',
  '2026-01-01 00:00:00.000001',
  '2026-01-01T01:00:00+01:00',
  '2026-01-01T00:00:00.123456+00',
  '2026-01-01T00:00:00.123457Z',
  '2025-12-31T23:59-00:30',
);
const uuid = fc.constantFrom(
  '6f2c1a44-0000-4000-8000-000000000001',
  '6F2C1A44-0000-4000-8000-000000000001',
  '6f2c1a4400004000800000000000000f',
  '{6f2c1a44-0000-4000-8000-00000000000a}',
);
const word = fc.constantFrom(
  'Élan',
  'elan',
  'Elan',
  'zoé',
  'Zoe',
  'côte',
  'coté',
  'cote',
  'a b',
  '',
  '(x),"y"',
  'été.d’été',
  '\\',
);
const truth = fc.constantFrom('true', 'f', 'YES', 'off', '0', 't');
const cases = fc.oneof(
  ...(
    [
      ['numeric', 'numeric(12,2)', amount, exact],
      ['int4', 'int4', digits.map(String), digits.map(String)],
      ['timestamptz', 'timestamptz', time, time],
      ['uuid', 'uuid', uuid, uuid],
      ['text', 'text', word, word],
      ['bool', 'bool', truth, truth],
    ] as const
  ).map(([type, column, value, operand]) =>
    fc.record({
      type: fc.constant(type),
      column: fc.constant(column),
      value: fc.option<string>(value),
      operand: operand as fc.Arbitrary<string>,
      operator: fc.constantFrom(...Object.keys(SQL)),
      isNegated: fc.boolean(),
    }),
  ),
);

test('[RT-01] a filter answers as PostgreSQL would, type by type', async () => {
  await fc.assert(
    fc.asyncProperty(cases, async ({ type, column, value, operand, operator, isNegated }) => {
      const written = operator === 'in' ? `(${quoted(operand)})` : quoted(operand);
      const wanted = `(${SQL[operator] ?? ''})`;
      const [row] = await database.asOwner<{ answer: boolean | null }>(
        `select ${isNegated ? 'not ' : ''}${wanted} as answer
         from (select $1::${column} as v, $2::${column === 'numeric(12,2)' ? 'numeric' : column} as o) s`,
        [value, operand],
      );
      const filter = `column=${isNegated ? 'not.' : ''}${operator}.${written}`;
      expect(await answerOf(filter, type, column, value)).toBe(row?.answer ?? false);
    }),
    { numRuns: 600 },
  );
});

test('[RT-01] like and ilike answer as PostgreSQL would', async () => {
  const letters = fc.array(fc.constantFrom('a', 'b', 'É', 'é', '%', '_', '\\', '.', '*', ' ', '\n', '😀'), {
    maxLength: 7,
  });
  await fc.assert(
    fc.asyncProperty(letters, letters, fc.boolean(), async (text, tokens, isCaseBlind) => {
      const pattern = tokens.join('');
      const operator = isCaseBlind ? 'ilike' : 'like';
      const filter = `column=${operator}.${quoted(pattern)}`;
      // PostgreSQL refuses a pattern that ends in the character that escapes.
      if (/(?:^|[^\\])(?:\\\\)*\\$/u.test(pattern)) {
        expect(() => parseFilter(filter)).toThrow(BadFilter);
        return;
      }
      const [row] = await database.asOwner<{ answer: boolean }>(`select $1::text ${operator} $2::text as answer`, [
        text.join(''),
        pattern,
      ]);
      expect(await answerOf(filter, 'text', 'text', text.join(''))).toBe(row?.answer);
    }),
    { numRuns: 600 },
  );
});

test.each([
  ['a\nb', 'a\\\nb', true],
  ['\n', '\\\n', true],
  ['n', '\\\n', false],
  ['\\\n', '\\\n', false],
])(
  '[FX-46] a backslash before a line break takes the line break as it is: %j like %j',
  async (text, pattern, answer) => {
    const [row] = await database.asOwner<{ answer: boolean }>('select $1::text like $2::text as answer', [
      text,
      pattern,
    ]);
    expect([row?.answer, await answerOf(`column=like.${quoted(pattern)}`, 'text', 'text', text)]).toEqual([
      answer,
      answer,
    ]);
  },
);

test('[RT-01] a value that is accepted is one that PostgreSQL reads', async () => {
  const character = fc.constantFrom(...'0123456789abcdef-+:.TZ {}eE');
  const near = fc
    .tuple(fc.oneof(time, uuid, exact, truth), fc.nat(40), fc.nat(2), fc.array(character, { maxLength: 3 }))
    .map(([text, at, removed, added]) => text.slice(0, at) + added.join('') + text.slice(at + removed));
  const type = fc.constantFrom('uuid', 'numeric', 'bool', 'timestamptz', 'timestamp', 'date');
  await fc.assert(
    fc.asyncProperty(
      type,
      fc.oneof(
        near,
        fc.array(character, { maxLength: 12 }).map((all) => all.join('')),
      ),
      async (name, text) => {
        try {
          for (const condition of parseFilter(`c=eq.${quoted(text)}`)) typed(condition, name);
        } catch {
          return;
        }
        const [row] = await database.asOwner<{ isValid: boolean }>('select pg_input_is_valid($1, $2) as "isValid"', [
          text,
          name,
        ]);
        expect([name, text, row?.isValid]).toEqual([name, text, true]);
      },
    ),
    { numRuns: 1500 },
  );
});

test.each([
  ['numeric', 'abc'],
  ['numeric', ''],
  ['numeric', '1e9999'],
  ['int4', '1.5'],
  ['uuid', 'nope'],
  ['timestamptz', 'yesterday'],
  ['timestamptz', '2026-02-30'],
  ['timestamptz', '2026-01-01T00:00+99'],
  ['bool', 'maybe'],
])('[RT-01] a value that is no %s is refused: « %s »', (type, operand) => {
  for (const filter of [`c=eq.${operand}`, `c=in.(${operand})`, `c=isdistinct.${operand}`]) {
    const [condition] = parseFilter(filter);
    if (condition === undefined) throw new Error('There is no condition');
    expect(() => typed(condition, type)).toThrow(BadFilter);
  }
});

test('[RT-01] no text makes the reading of a filter fail otherwise than by a refusal', () => {
  const text = fc.oneof(
    fc.string(),
    fc
      .array(
        fc.constantFrom('c', '=', 'not.', 'eq.', 'in.', '(', ')', ',', '"', '\\', '1', 'is.', 'null', '.', ' ', 'é'),
      )
      .map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(text, fc.constantFrom('text', 'numeric', 'uuid', 'bool', 'timestamptz'), (filter, type) => {
      try {
        for (const condition of parseFilter(filter)) typed(condition, type);
      } catch (error) {
        expect(error).toBeInstanceOf(BadFilter);
      }
    }),
    { numRuns: 5000 },
  );
});
