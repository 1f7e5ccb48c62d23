import type { TypedCondition } from './parse-filter.ts';

/** Binds a value of the statement and gives its place. */
export type Bind = (value: unknown) => string;

/** All conditions of a filter over the columns of `alias`, as one boolean that is never null. */
export function filterSql(conditions: readonly TypedCondition[], alias: string, bind: Bind): string {
  const tests = conditions.map((condition) => {
    const test = testSql(condition, `${alias}."${condition.column}"`, bind);
    return condition.isNegated ? `not (${test})` : `(${test})`;
  });
  return `coalesce(${tests.join(' and ')}, false)`;
}

const COMPARISONS = { eq: '=', neq: '<>', lt: '<', lte: '<=', gt: '>', gte: '>=' } as const;
const PATTERNS = { like: 'like', ilike: 'ilike', match: '~', imatch: '~*' } as const;
const WORDS = { null: 'null', true: 'true', false: 'false', unknown: 'unknown' } as const;

function testSql({ operator, operand, members, type }: TypedCondition, column: string, bind: Bind): string {
  const { value, cast } = comparable(column, type);
  switch (operator) {
    case 'is':
      return `${column} is ${WORDS[operand.toLowerCase() as keyof typeof WORDS]}`;
    case 'in':
      return `${value} = any (${bind(members)}::text[]::${cast}[])`;
    case 'like':
    case 'ilike':
    case 'match':
    case 'imatch':
      return `${column}::text ${PATTERNS[operator]} ${bind(operand)}::text`;
    case 'isdistinct':
      return operand === 'null' ? `${column} is not null` : `${value} is distinct from ${bind(operand)}::text::${cast}`;
    default:
      return `${value} ${COMPARISONS[operator]} ${bind(operand)}::text::${cast}`;
  }
}

/** SQL that a column is compared by. Every number is a numeric, so that no operand is beyond the range of the column's type. */
function comparable(column: string, type: string): { readonly value: string; readonly cast: string } {
  switch (type) {
    case 'int2':
    case 'int4':
    case 'int8':
    case 'numeric':
    case 'float4':
    case 'float8':
      return { value: `${column}::numeric`, cast: 'numeric' };
    case 'bool':
    case 'uuid':
    case 'date':
    case 'timestamp':
    case 'timestamptz':
      return { value: column, cast: type };
    default:
      return { value: `${column}::text`, cast: 'text' };
  }
}
