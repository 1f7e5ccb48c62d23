import { FILTER_LENGTH_MAX } from '../limits.ts';

/** One condition of a subscription's filter: `column=[not.]operator.operand`. */
export type Condition = {
  readonly column: string;
  readonly isNegated: boolean;
  readonly operator: Operator;
  readonly operand: string;
  /** The members of an `in` list. */
  readonly members: readonly string[];
};

/** A condition on a column of a known type, whose values PostgreSQL reads as that type. */
export type TypedCondition = Condition & {
  /** PostgreSQL's short name: `uuid`, `numeric`, `timestamptz`. */
  readonly type: string;
};

const OPERATORS = [
  'eq',
  'neq',
  'lt',
  'lte',
  'gt',
  'gte',
  'in',
  'like',
  'ilike',
  'is',
  'match',
  'imatch',
  'isdistinct',
] as const;
export type Operator = (typeof OPERATORS)[number];

export class BadFilter extends Error {
  override readonly name = 'BadFilter';
}

/** Reads the filter of a subscription. @throws BadFilter with a sentence for the client's developer. */
export function parseFilter(text: string): readonly Condition[] {
  if (text.length > FILTER_LENGTH_MAX) throw new BadFilter('The filter is too long');
  return splitOutsideQuotes(text).map((part) => {
    const { column, isNegated, operator, operand } =
      /^\s*(?<column>\w+)=(?<isNegated>not\.)?(?<operator>[a-z]+)\.(?<operand>.*)$/su.exec(part)?.groups ?? {};
    const known = OPERATORS.find((name) => name === operator);
    if (column === undefined || operand === undefined || known === undefined) {
      throw new BadFilter(`The filter is not understood: ${part.slice(0, 100)}`);
    }
    if (known === 'is' && !/^(?:null|true|false|unknown)$/iu.test(operand)) {
      throw new BadFilter('The operand of « is » must be null, true, false or unknown');
    }
    if ((known === 'like' || known === 'ilike') && /(?:^|[^\\])(?:\\\\)*\\$/u.test(unquoted(operand))) {
      throw new BadFilter('A pattern must not end with the character that escapes');
    }
    return {
      column,
      isNegated: isNegated !== undefined,
      operator: known,
      operand: known === 'in' ? '' : unquoted(operand),
      members: known === 'in' ? membersOf(operand) : [],
    };
  });
}

/**
 * The condition, on a column of that type. A value that PostgreSQL could not read would fail the statement of a whole
 * batch, so it is refused here.
 * @throws BadFilter where the type has no such value.
 */
export function typed(condition: Condition, type: string): TypedCondition {
  const { column, operator, operand, members } = condition;
  for (const value of valuesOf(condition)) {
    if (!isValueOf(type, value)) throw new BadFilter(`The value of ${column} is no ${type}: ${value.slice(0, 100)}`);
  }
  if (operator === 'is' && type !== 'bool' && !/^null$/iu.test(operand)) {
    throw new BadFilter(`The column ${column} is no bool`);
  }
  if ([operand, ...members].some((text) => text.includes('\0'))) throw new BadFilter('A text has no null character');
  return { ...condition, type };
}

/** The texts that are read as values of the column's type. */
function valuesOf({ operator, operand, members }: Condition): readonly string[] {
  switch (operator) {
    case 'is':
    case 'like':
    case 'ilike':
    case 'match':
    case 'imatch':
      return [];
    case 'in':
      return members;
    case 'isdistinct':
      return operand === 'null' ? [] : [operand];
    default:
      return [operand];
  }
}

const NUMBER = /^\s*[+-]?(?=\.?\d)\d{0,300}(?:\.\d{0,300})?(?:e[+-]?\d{1,3})?\s*$/iu;
const UUID = /^[\da-f]{4}(?:-?[\da-f]{4}){7}$/iu;
const BOOLEAN = /^\s*(?:t|true|y|yes|on|1|f|false|n|no|off|0)\s*$/iu;
/** ISO 8601: the other words that PostgreSQL knows depend on the day. */
const TIME =
  /^\s*(?<date>\d{4}-\d\d-\d\d)(?:[T ](?<minute>\d\d:\d\d)(?::(?<second>\d\d)(?:\.\d{1,6}\d*)?)?)?\s*(?:Z|[+-](?:0\d|1[0-5])(?::?[0-5]\d)?)?\s*$/iu;

/** True when PostgreSQL reads the text as a value of the type. Other types than these are compared as texts. */
function isValueOf(type: string, text: string): boolean {
  switch (type) {
    case 'int2':
    case 'int4':
    case 'int8':
      return /^\s*[+-]?\d{1,300}\s*$/u.test(text);
    case 'numeric':
    case 'float4':
    case 'float8':
      return NUMBER.test(text);
    case 'bool':
      return BOOLEAN.test(text);
    case 'uuid':
      return UUID.test(text.startsWith('{') && text.endsWith('}') ? text.slice(1, -1) : text);
    case 'timestamptz':
    case 'timestamp':
    case 'date':
      return isTime(text);
    default:
      return true;
  }
}

function isTime(text: string): boolean {
  const { date, minute = '00:00', second = '00' } = TIME.exec(text)?.groups ?? {};
  if (date === undefined || date.startsWith('0000')) return false;
  const plain = `${date}T${minute}:${second}`;
  const milliseconds = Date.parse(`${plain}Z`);
  // JavaScript reads a thirtieth of February as another day.
  return !Number.isNaN(milliseconds) && new Date(milliseconds).toISOString().startsWith(plain);
}

/** Commas inside quotes and parentheses belong to an operand. */
function splitOutsideQuotes(text: string): string[] {
  const parts: string[] = [];
  let part = '';
  let isQuoted = false;
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (isQuoted && character === '\\') {
      part += character + text.charAt(index + 1);
      index += 1;
      continue;
    }
    if (character === '"') isQuoted = !isQuoted;
    else if (!isQuoted && character === '(') depth += 1;
    else if (!isQuoted && character === ')') depth -= 1;
    if (character === ',' && !isQuoted && depth <= 0) {
      parts.push(part);
      part = '';
    } else {
      part += character;
    }
  }
  if (isQuoted) throw new BadFilter('A quote is not closed');
  return [...parts, part];
}

function membersOf(operand: string): string[] {
  if (!operand.startsWith('(') || !operand.endsWith(')')) throw new BadFilter('The operand of « in » is (a,b,c)');
  const members = splitOutsideQuotes(operand.slice(1, -1)).map(unquoted);
  if (members.length > 100) throw new BadFilter('The list of « in » has more than 100 members');
  return members;
}

function unquoted(text: string): string {
  return /^".*"$/su.test(text) && text.length > 1 ? text.slice(1, -1).replace(/\\(.)/gsu, '$1') : text;
}
