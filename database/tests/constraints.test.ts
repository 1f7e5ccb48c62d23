import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { createTestDatabase } from '../src/testing.ts';
import type { TestDatabase } from '../src/testing.ts';
import { openBench, rowOf, some } from './alone.ts';
import type { Bench, Column, Row } from './alone.ts';
import { listed } from './defences.ts';

// R4: every constraint that the list names refuses something, by itself, with all the others out of the way. Each is tried
// in a transaction that is taken back.

let db: TestDatabase;
let bench: Bench;
beforeAll(async () => {
  db = await createTestDatabase();
  bench = await openBench(db);
});
afterAll(async () => {
  await bench.close();
  await db.drop();
});

const OTHER = '22222222-2222-4222-8222-222222222222';

describe('not null', () => {
  test.for(listed('not null'))('[P-06] $table: not null $name', async ({ table, name }) => {
    const columns = await bench.columnsOf(table);
    const row = rowOf(columns, (column) => (column.name === name ? null : undefined));
    // A generated value is never null, and a key's column neither.
    if (!(name in row)) return;
    expect(await bench.alone(table, null, () => bench.firstRefusal(table, [row]))).toBe(name);
  });
});

describe('unique', () => {
  for (const { table, name } of listed('unique')) {
    test(`[P-06] ${table}: unique ${name}`, async () => {
      const columns = await bench.columnsOf(table);
      // A part of the table may be meant: rows of every sort are tried twice.
      const [index] = await db.asOwner<{ said: string | null; keys: string[] }>(
        `select pg_get_expr(indpred, indrelid) as said, array(select attname::text from pg_attribute
           where attrelid = indrelid and attnum = any (indkey)) as keys
         from pg_index where indexrelid = to_regclass($1)`,
        [`${table.split('.')[0]}.${name}`],
      );
      const words = literalsIn(index?.said ?? '');
      const rows = [true, false].flatMap((flag) =>
        [true, false].flatMap((isFull) =>
          [some.text, ...words].map((word) =>
            rowOf(columns, (column) => {
              if (column.type === 'boolean') return flag;
              if (!isFull && !column.isNotNull && !index?.keys.includes(column.name)) return null;
              return column.type === 'text' ? word : undefined;
            }),
          ),
        ),
      );
      const refused = await bench.alone(table, name, async () => {
        for (const row of rows) {
          const said = await bench.firstRefusal(table, [row, row]);
          if (said !== null) return said;
        }
        return null;
      });
      expect(refused).toBe(name);
    });
  }
});

describe('foreign key', () => {
  for (const { table, name } of listed('foreign key')) {
    test(`[P-06] ${table}: foreign key ${name}`, async () => {
      const columns = await bench.columnsOf(table);
      // A row may not be what it refers to itself, nor one that the migrations wrote.
      const row = rowOf(columns, (column) =>
        column.name === 'id' && column.type === 'uuid' ? OTHER : column.type === 'bigint' ? 9999 : undefined,
      );
      expect(await bench.alone(table, name, () => bench.firstRefusal(table, [row]))).toBe(name);
    });
  }
});

describe('check', () => {
  for (const { table, name } of listed('check')) {
    test(`[P-06] ${table}: check ${name}`, async () => {
      const columns = await bench.columnsOf(table);
      const [check] = await db.asOwner<{ said: string; names: string[] }>(
        `select pg_get_constraintdef(k.oid) as said, array(select attname::text from pg_attribute
           where attrelid = k.conrelid and attnum = any (k.conkey)) as names
         from pg_constraint k where k.conrelid = $1::regclass and k.conname = $2`,
        [table, name],
      );
      const words = literalsIn(check?.said ?? '');
      const concerned = columns.filter((column) => check?.names.includes(column.name));
      // A rule on length alone would make three thousand long rows.
      const most = name.endsWith('_is_bounded') ? /octet_length.* <= (\d+)/u.exec(check?.said ?? '')?.[1] : undefined;
      const rows = most === undefined ? combinations(concerned, words) : [tooLong(concerned, Number(most))];
      expect(await bench.alone(table, name, () => bench.firstRefusal(table, rows))).toBe(name);
    });
  }
});

/** Rows of likely and unlikely values, many enough that a rule refuses one of them. */
function combinations(columns: readonly Column[], words: readonly string[]): Row[] {
  let seed = 1;
  const pick = <T>(values: readonly T[]): T | undefined => {
    seed = (seed * 48_271) % 2_147_483_647;
    return values[seed % values.length];
  };
  return Array.from({ length: 3000 }, () => rowOf(columns, (column) => pick(pool(column.type, words)) ?? null));
}

function tooLong(columns: readonly Column[], most: number): Row {
  const long = 'x'.repeat(most + 1);
  return rowOf(columns, ({ type }) => (type === 'jsonb' ? { long } : type === 'text[]' ? [long] : long));
}

function pool(type: string, words: readonly string[]): readonly unknown[] {
  if (type.endsWith('[]')) return [null, '{}', '{unlisted}', ...words.map((word) => `{${word}}`)];
  if (/^(?:numeric|integer|bigint|smallint|double|real)/u.test(type))
    return [null, -1, 0, 1, 50, 101, 9999, 999_999_999];
  if (type.startsWith('timestamp') || type === 'date') return [null, some.time, '2020-01-15T00:00:00Z'];
  switch (type) {
    case 'boolean':
      return [null, true, false];
    case 'uuid':
      return [null, some.uuid, OTHER];
    case 'json':
    case 'jsonb':
      return [null, {}, [], 'x', { long: 'x'.repeat(20_000) }];
    case 'bytea':
      return [null, '\\x', '\\x00', `\\x${'00'.repeat(40)}`];
    default:
      return [null, '', ' ', 'x', 'X@Y', 'x\u001bx', 'x'.repeat(600), ...words];
  }
}

function literalsIn(text: string): string[] {
  return [...text.matchAll(/'(?<words>[^']*)'/gu)].flatMap(({ groups: { words = '' } = {} }) =>
    words.startsWith('{') ? words.split(/[{},]/u) : [words],
  );
}
