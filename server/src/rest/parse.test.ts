import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { IS_VALUES, PLAIN, QUANTIFIABLE, TEXT_SEARCH } from './grammar.ts';
import type { Comparison, Condition, Field, JsonStep, OrderTerm, SelectItem } from './grammar.ts';
import { parseQuery } from './parse.ts';
import { pairsOf } from './query-string.ts';
import { RestError } from './rest-error.ts';

describe('what is written is what is read', () => {
  test('[RE-05] every select list that can be written is read back the same', () => {
    fc.assert(
      fc.property(fc.array(selectItem(3), { minLength: 1, maxLength: 4 }), (items) => {
        fc.pre(countEmbeds(items) <= 12);
        expect(parse([['select', printSelect(items)]]).select).toEqual(items);
      }),
      { numRuns: 500 },
    );
  });

  test('[RE-07] every condition that can be written is read back the same, alone and in trees', () => {
    fc.assert(
      fc.property(fc.array(name(), { maxLength: 2 }), aloneCondition(), (path, condition) => {
        fc.pre(path.length > 0 || !RESERVED.has(condition.field.name));
        const key = [...path.map(printName), printField(condition.field)].join('.');
        fc.pre(!/(?:^|\.)(?:and|or|order|limit|offset)$/u.test(key) && !RESERVED.has(key));
        const value = (condition.negated ? 'not.' : '') + printComparison(condition.comparison, 'alone');
        expect(parse([[key, value]]).filters).toEqual([{ path, condition }]);
      }),
      { numRuns: 500 },
    );
    fc.assert(
      fc.property(logicCondition(), (condition) => {
        const [key, value] = printTree(condition);
        expect(parse([[key, value]]).filters).toEqual([{ path: [], condition }]);
      }),
      { numRuns: 500 },
    );
  });

  test('[RE-03] every order, limit and offset that can be written is read back the same', () => {
    fc.assert(
      fc.property(
        fc.array(name(), { maxLength: 2 }),
        fc.array(orderTerm(), { minLength: 1, maxLength: 4 }),
        fc.nat(),
        (path, terms, count) => {
          const prefix = path.map((part) => `${printName(part)}.`).join('');
          const parsed = parse([
            [`${prefix}order`, terms.map(printOrder).join(',')],
            [`${prefix}limit`, String(count)],
            [`${prefix}offset`, String(count)],
          ]);
          expect(parsed.orders).toEqual([{ path, terms }]);
          expect(parsed.limits).toEqual([{ path, count }]);
          expect(parsed.offsets).toEqual([{ path, count }]);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('what cannot be read', () => {
  test('[A-61] any query string is read or refused with a PGRST error, never anything else', () => {
    const letters = fc.constantFrom(
      ...'selctorndifha.,():"\\*!-> 0129%é{}&=+'.split(''),
      'select=',
      'or=(',
      'in.(',
      '->>',
    );
    fc.assert(
      fc.property(fc.array(letters, { maxLength: 40 }), (parts) => {
        try {
          parseQuery(pairsOf(parts.join('')));
        } catch (error) {
          expect(error).toBeInstanceOf(RestError);
          expect((error as RestError).code).toMatch(/^PGRST1/u);
        }
      }),
      { numRuns: 3000 },
    );
  });

  test.each([
    ['id=wrong.5', /expecting an operator/u],
    ['id=5', /expecting an operator/u],
    ['id=eq', /expecting "\."/u],
    ['id=in.1,2', /expecting "\("/u],
    ['id=in.(1,2', /expecting "\)"/u],
    ['id=is.maybe', /expecting null/u],
    ['or=()', /expecting a name/u],
    ['or=(id.eq.1', /expecting "\)"/u],
    ['and=(id.eq.1)x', /end of input/u],
    ['select=id,', /expecting a name/u],
    ['select=a(b', /expecting "\)"/u],
    ['select=a!inner', /expecting "\("/u],
    ['select=...a', /expecting "\("/u],
    ['order=id.sideways', /end of input/u],
    ['limit=ten', /integer/u],
  ])('[RE-01] %s is refused with its place and what was expected', (query, expected) => {
    const error = refusalOf(query);
    expect(error).toMatchObject({ status: 400, code: 'PGRST100' });
    expect(error.message).toMatch(/line 1, column \d+/u);
    expect(String(error.details)).toMatch(expected);
  });

  test.each([
    ['embeds deeper than four', `select=${'a('.repeat(5)}id${')'.repeat(5)}`],
    ['more than sixteen embeds', `select=${Array.from({ length: 17 }, (_, index) => `a${index}(id)`).join(',')}`],
    ['more than a hundred items', `select=${Array.from({ length: 101 }, (_, index) => `a${index}`).join(',')}`],
    ['more than sixty conditions', `or=(${Array.from({ length: 61 }, () => 'a.eq.1').join(',')})`],
    ['conditions deeper than eight', `and=${'(and'.repeat(9)}(a.eq.1)${')'.repeat(9)}`],
    ['more than five hundred members', `a=in.(${Array.from({ length: 501 }, () => '1').join(',')})`],
  ])('[RE-01] %s are refused', (_what, query) => {
    expect(refusalOf(query)).toMatchObject({ status: 400, code: 'PGRST100' });
  });

  test.each(['select=amount.sum()', 'select=count()', 'select=n:count()', 'select=max:amount.max()::text'])(
    '[RE-01] aggregates are off: %s',
    (query) => {
      expect(refusalOf(query)).toMatchObject({ status: 400, code: 'PGRST123' });
    },
  );

  test('[RE-01] a negative limit is an unsatisfiable range, a query that is not UTF-8 is refused', () => {
    expect(refusalOf('limit=-1')).toMatchObject({ status: 416, code: 'PGRST103' });
    expect(refusalOf('id=eq.%E9')).toMatchObject({ status: 400, code: 'PGRST100' });
  });
});

describe('what the official client writes', () => {
  test('[RE-02] a plus is a space, an escape is what it stands for', () => {
    expect(filterOf('email=eq.a%2Bb%40example.fr')).toMatchObject({ operand: 'a+b@example.fr' });
    expect(filterOf('full_name=eq.Jean+Paul')).toMatchObject({ operand: 'Jean Paul' });
  });

  test('[RE-01] members quoted without escaping their own quotes keep them', () => {
    expect(filterOf('a=in.("x,y","he said "hi" (twice)",plain,"")')).toEqual({
      operator: 'in',
      members: ['x,y', 'he said "hi" (twice)', 'plain', ''],
    });
    expect(filterOf('a=in.("a"b,c")')).toMatchObject({ members: ['a"b,c'] });
    expect(filterOf('a=in.("a"b,c)')).toMatchObject({ members: ['"a"b', 'c'] });
    expect(filterOf('a=in.("a\\"b")')).toMatchObject({ members: ['a"b'] });
    expect(filterOf('a=in.()')).toMatchObject({ members: [] });
  });

  test('[RE-01] repeated keys are all conditions', () => {
    expect(
      parse([
        ['a', 'gt.1'],
        ['a', 'lt.5'],
      ]).filters,
    ).toHaveLength(2);
  });
});

const RESERVED = new Set(['select', 'columns', 'on_conflict', 'order', 'limit', 'offset', 'and', 'or', 'not']);

function parse(pairs: readonly (readonly [string, string])[]): ReturnType<typeof parseQuery> {
  return parseQuery(
    pairsOf(pairs.map(([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(value)}`).join('&')),
  );
}

function filterOf(query: string): unknown {
  const condition = parseQuery(pairsOf(query)).filters[0]?.condition;
  return condition?.kind === 'compare' ? condition.comparison : null;
}

function refusalOf(query: string): RestError {
  try {
    parseQuery(pairsOf(query));
  } catch (error) {
    if (error instanceof RestError) return error;
    throw error;
  }
  throw new Error(`${query} was read`);
}

// Generators of queries.

function name(): fc.Arbitrary<string> {
  return fc.oneof(
    fc.stringMatching(/^[a-z_][a-z0-9_$]{0,8}$/u),
    fc.constantFrom('commercial', 'première-fois', 'un nom', 'é'),
    fc.string({ minLength: 1, maxLength: 6 }).filter((text) => /[^\w]/u.test(text)),
  );
}

function field(): fc.Arbitrary<Field> {
  const step: fc.Arbitrary<JsonStep> = fc.record({
    key: fc.oneof(
      name().filter((text) => !/^-?\d/u.test(text)),
      fc.integer({ min: -99, max: 99 }).filter((n) => !Object.is(n, -0)),
    ),
    asText: fc.boolean(),
  });
  return fc.record({ name: name(), path: fc.oneof(fc.constant([]), fc.array(step, { maxLength: 2 })) });
}

function selectItem(depth: number): fc.Arbitrary<SelectItem> {
  const alias = fc.option(name());
  const cast = fc.option(fc.constantFrom('text', 'int', 'double precision'));
  const column: fc.Arbitrary<SelectItem> = fc.record({
    kind: fc.constant('column' as const),
    field: field(),
    alias,
    cast,
  });
  const simple = fc.oneof(fc.constant<SelectItem>({ kind: 'all' }), column);
  if (depth === 0) return simple;
  const target = {
    target: name().filter((text) => text !== 'count'),
    hint: fc.option(name().filter((text) => text !== 'inner' && text !== 'left')),
    join: fc.constantFrom('left' as const, 'inner' as const),
  };
  return fc.oneof(
    { weight: 3, arbitrary: simple },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('embed' as const),
        alias,
        ...target,
        items: fc.array(selectItem(depth - 1), { maxLength: 3 }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('spread' as const),
        ...target,
        items: fc.array(selectItem(depth - 1), { minLength: 1, maxLength: 3 }),
      }),
    },
  );
}

function comparison(operand: fc.Arbitrary<string>, members: fc.Arbitrary<string>): fc.Arbitrary<Comparison> {
  return fc.oneof(
    fc.record({ operator: fc.constantFrom(...PLAIN), operand }),
    fc.record({
      operator: fc.constantFrom(...QUANTIFIABLE),
      quantifier: fc.option(fc.constantFrom('any' as const, 'all' as const)),
      operand,
    }),
    fc.record({ operator: fc.constantFrom(...TEXT_SEARCH), config: fc.option(fc.constant('french')), operand }),
    fc.record({ operator: fc.constant('in' as const), members: fc.array(members, { maxLength: 4 }) }),
    fc.record({ operator: fc.constant('is' as const), value: fc.constantFrom(...IS_VALUES) }),
  );
}

function compare(operand: fc.Arbitrary<string>): fc.Arbitrary<Condition & { kind: 'compare' }> {
  return fc.record({
    kind: fc.constant('compare' as const),
    negated: fc.boolean(),
    field: field(),
    comparison: comparison(operand, inQuotes()),
  });
}

/** Quotes inside are escaped when written, except that no quote may come before a comma: the client never escapes. */
function inQuotes(): fc.Arbitrary<string> {
  return fc.string({ maxLength: 8 });
}

function aloneCondition(): fc.Arbitrary<Condition & { kind: 'compare' }> {
  return compare(fc.string({ maxLength: 12 }));
}

function logicCondition(): fc.Arbitrary<Condition & { kind: 'logic' }> {
  const { tree } = fc.letrec<{ tree: Condition & { kind: 'logic' } }>((tie) => ({
    tree: fc.record({
      kind: fc.constant('logic' as const),
      negated: fc.boolean(),
      operator: fc.constantFrom('and' as const, 'or' as const),
      conditions: fc.array(fc.oneof({ maxDepth: 2 }, compare(inQuotes()), tie('tree')) as fc.Arbitrary<Condition>, {
        minLength: 1,
        maxLength: 3,
      }),
    }),
  }));
  return tree;
}

function orderTerm(): fc.Arbitrary<OrderTerm> {
  return fc.record({
    field: field(),
    relation: fc.option(name()),
    descending: fc.boolean(),
    nulls: fc.option(fc.constantFrom('first' as const, 'last' as const)),
  });
}

// Printers of queries.

function printName(text: string): string {
  return /^[a-z_][\w$]*$/u.test(text) ? text : `"${escaped(text)}"`;
}

function escaped(text: string): string {
  return text.replace(/["\\]/gu, (letter) => `\\${letter}`);
}

function printField({ name: column, path }: Field): string {
  return (
    printName(column) +
    path.map(({ key, asText }) => (asText ? '->>' : '->') + (typeof key === 'number' ? key : printName(key))).join('')
  );
}

function printSelect(items: readonly SelectItem[]): string {
  return items
    .map((item) => {
      switch (item.kind) {
        case 'all':
          return '*';
        case 'column':
          return `${item.alias === null ? '' : `${printName(item.alias)}:`}${printField(item.field)}${item.cast === null ? '' : `::${item.cast}`}`;
        case 'embed':
        case 'spread': {
          const front = item.kind === 'spread' ? '...' : item.alias === null ? '' : `${printName(item.alias)}:`;
          const hint = item.hint === null ? '' : `!${printName(item.hint)}`;
          return `${front}${printName(item.target)}${hint}${item.join === 'inner' ? '!inner' : ''}(${printSelect(item.items)})`;
        }
      }
    })
    .join(',');
}

function printComparison(one: Comparison, place: 'alone' | 'in a tree'): string {
  const operand = (text: string): string => (place === 'alone' ? text : `"${escaped(text)}"`);
  switch (one.operator) {
    case 'in':
      return `in.(${one.members.map((member) => `"${escaped(member)}"`).join(',')})`;
    case 'is':
      return `is.${one.value}`;
    default: {
      const quantifier = 'quantifier' in one && one.quantifier !== null ? `(${one.quantifier})` : '';
      const config = 'config' in one && one.config !== null ? `(${one.config})` : '';
      return `${one.operator}${quantifier}${config}.${operand(one.operand)}`;
    }
  }
}

function printTree(condition: Condition & { kind: 'logic' }): [string, string] {
  const inner = condition.conditions.map((one) => {
    if (one.kind === 'logic') return printTree(one).join('');
    return `${printField(one.field)}.${one.negated ? 'not.' : ''}${printComparison(one.comparison, 'in a tree')}`;
  });
  return [`${condition.negated ? 'not.' : ''}${condition.operator}`, `(${inner.join(',')})`];
}

function printOrder({ field: column, relation, descending, nulls }: OrderTerm): string {
  const what = relation === null ? printField(column) : `${printName(relation)}(${printField(column)})`;
  return `${what}${descending ? '.desc' : '.asc'}${nulls === null ? '' : `.nulls${nulls}`}`;
}

function countEmbeds(items: readonly SelectItem[]): number {
  return items.reduce((sum, item) => sum + ('items' in item ? 1 + countEmbeds(item.items) : 0), 0);
}
