import { createTestDatabase } from '@parrain/database/testing';
import type { TestDatabase } from '@parrain/database/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { BadFilter, holds, parseFilter, typed } from './filter.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const quoted = (text: string): string => `"${text.replaceAll(/["\\]/gu, String.raw`\$&`)}"`;

/** What SQL makes of each operator, the operand as a literal of the column's type. */
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

test('[RT-01] un filtre vaut ce que PostgreSQL en dirait, type par type', async () => {
  await fc.assert(
    fc.asyncProperty(cases, async ({ type, column, value, operand, operator, isNegated }) => {
      const said = operator === 'in' ? `(${quoted(operand)})` : quoted(operand);
      const [condition] = parseFilter(`column=${isNegated ? 'not.' : ''}${operator}.${said}`);
      if (condition === undefined) throw new Error('There is no condition');
      const wanted = `(${SQL[operator] ?? ''})`;
      const [row] = await database.asOwner<{ answer: boolean | null; json: unknown }>(
        `select ${isNegated ? 'not ' : ''}${wanted} as answer, to_json(v) as json
         from (select $1::${column} as v, $2::${column === 'numeric(12,2)' ? 'numeric' : column} as o) s`,
        [value, operand],
      );
      expect(holds(typed(condition, type), row?.json, () => null)).toBe(row?.answer);
    }),
    { numRuns: 600 },
  );
});

test('[RT-01] like et ilike valent ce que PostgreSQL en dirait', async () => {
  const letters = fc.array(fc.constantFrom('a', 'b', 'É', 'é', '%', '_', '\\', '.', '*', ' ', '\n', '😀'), {
    maxLength: 7,
  });
  await fc.assert(
    fc.asyncProperty(letters, letters, fc.boolean(), async (text, tokens, isCaseBlind) => {
      const pattern = tokens.join('');
      // PostgreSQL refuses a pattern that ends in the sign that escapes.
      fc.pre(!/(?:^|[^\\])(?:\\\\)*\\$/u.test(pattern));
      const operator = isCaseBlind ? 'ilike' : 'like';
      const [condition] = parseFilter(`c=${operator}.${quoted(pattern)}`);
      if (condition === undefined) throw new Error('There is no condition');
      const [row] = await database.asOwner<{ answer: boolean }>(`select $1::text ${operator} $2::text as answer`, [
        text.join(''),
        pattern,
      ]);
      expect(holds(typed(condition, 'text'), text.join(''), () => null)).toBe(row?.answer);
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
    const [condition] = parseFilter(`c=like.${quoted(pattern)}`);
    if (condition === undefined) throw new Error('There is no condition');
    expect([row?.answer, holds(typed(condition, 'text'), text, () => null)]).toEqual([answer, answer]);
  },
);

test.each([
  ['numeric', 'abc'],
  ['numeric', ''],
  ['numeric', '1e9999'],
  ['int4', '1.5'],
  ['uuid', 'nope'],
  ['timestamptz', 'yesterday'],
  ['timestamptz', '2026-02-30'],
  ['bool', 'maybe'],
])('[RT-01] une valeur qui n’est pas un %s est refusée : %s', (type, operand) => {
  for (const filter of [`c=eq.${operand}`, `c=in.(${operand})`, `c=isdistinct.${operand}`]) {
    const [condition] = parseFilter(filter);
    if (condition === undefined) throw new Error('There is no condition');
    expect(() => typed(condition, type)).toThrow(BadFilter);
  }
});

test('[RT-01] aucun texte ne fait échouer la lecture d’un filtre autrement que par un refus', () => {
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
        for (const condition of parseFilter(filter)) holds(typed(condition, type), 'x', () => null);
      } catch (error) {
        expect(error).toBeInstanceOf(BadFilter);
      }
    }),
    { numRuns: 5000 },
  );
});
