import { FILTER_LENGTH_MAX } from './limits.ts';

/** `column=[not.]operator.operand`, of a subscription's filter; all of them must hold. */
export type Condition = {
  readonly column: string;
  readonly isNegated: boolean;
  readonly operator: Operator;
  readonly operand: string;
  /** The members of an `in` list. */
  readonly members: readonly string[];
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
    return {
      column,
      isNegated: isNegated !== undefined,
      operator: known,
      operand: known === 'in' ? '' : unquoted(operand),
      members: known === 'in' ? membersOf(operand) : [],
    };
  });
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

/** What only PostgreSQL answers: a regular expression of a stranger is not run in this process. */
export type Regex = { readonly text: string; readonly pattern: string; readonly isCaseBlind: boolean };

/**
 * Whether a row satisfies the condition, as SQL would say it: null where that is not known.
 * `type` is the column's type by PostgreSQL's own short name; `matches` answers regular expressions.
 */
export function holds(
  condition: Condition,
  value: unknown,
  type: string,
  matches: (regex: Regex) => boolean | null,
): boolean | null {
  const answer = plainAnswer(condition, value, type, matches);
  return answer === null ? null : answer !== condition.isNegated;
}

function plainAnswer(
  { operator, operand, members }: Condition,
  value: unknown,
  type: string,
  matches: (regex: Regex) => boolean | null,
): boolean | null {
  if (operator === 'is') {
    const wanted = operand.toLowerCase();
    if (wanted === 'null' || wanted === 'unknown') return value === null;
    return value === (wanted === 'true');
  }
  if (operator === 'isdistinct') {
    if (value === null) return operand !== 'null';
    return compared(value, operand, type) !== 0;
  }
  if (value === null || value === undefined) return null;
  switch (operator) {
    case 'in':
      return members.some((member) => compared(value, member, type) === 0);
    case 'like':
    case 'ilike':
      return isLike(textOf(value), operand, operator === 'ilike');
    case 'match':
    case 'imatch':
      return matches({ text: textOf(value), pattern: operand, isCaseBlind: operator === 'imatch' });
    default: {
      const order = compared(value, operand, type);
      if (order === null) return null;
      return holdsFor(operator, order);
    }
  }
}

function holdsFor(operator: 'eq' | 'neq' | 'lt' | 'lte' | 'gt' | 'gte', order: number): boolean {
  switch (operator) {
    case 'eq':
      return order === 0;
    case 'neq':
      return order !== 0;
    case 'lt':
      return order < 0;
    case 'lte':
      return order <= 0;
    case 'gt':
      return order > 0;
    case 'gte':
      return order >= 0;
  }
}

const NUMBERS = new Set(['int2', 'int4', 'int8', 'numeric', 'float4', 'float8', 'oid']);
const TIMES = new Set(['timestamptz', 'timestamp', 'date']);
const TRUE = new Set(['t', 'true', 'y', 'yes', 'on', '1']);

/** Negative, zero or positive, as `value` stands to `operand`; null where the operand is no value of the type. */
function compared(value: unknown, operand: string, type: string): number | null {
  if (NUMBERS.has(type)) return difference(Number(value), operand.trim() === '' ? Number.NaN : Number(operand));
  if (TIMES.has(type)) return difference(Date.parse(textOf(value)), Date.parse(operand));
  if (type === 'bool') return difference(Number(value === true), Number(TRUE.has(operand.toLowerCase())));
  const [left, right] = type === 'uuid' ? [textOf(value), operand.toLowerCase()] : [textOf(value), operand];
  return left === right ? 0 : left < right ? -1 : 1;
}

function difference(left: number, right: number): number | null {
  const order = left - right;
  return Number.isNaN(order) ? null : order;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** SQL's LIKE: `%` any characters, `_` one, `\` takes the next as it is. Never more than length × pattern steps. */
function isLike(text: string, pattern: string, isCaseBlind: boolean): boolean {
  const characters = [...(isCaseBlind ? text.toLowerCase() : text)];
  const tokens = [...(isCaseBlind ? pattern.toLowerCase() : pattern).matchAll(/\\(.)|([\s\S])/gu)].map(
    ([, escaped, plain]) => ({ plain, literal: escaped ?? plain }),
  );
  let at = 0;
  let token = 0;
  let lastAny = -1;
  let retryAt = 0;
  while (at < characters.length) {
    const wanted = tokens[token];
    if (wanted?.plain === '%') {
      lastAny = token;
      retryAt = at;
      token += 1;
    } else if (wanted !== undefined && (wanted.plain === '_' || wanted.literal === characters[at])) {
      at += 1;
      token += 1;
    } else if (lastAny >= 0) {
      retryAt += 1;
      at = retryAt;
      token = lastAny + 1;
    } else {
      return false;
    }
  }
  return tokens.slice(token).every((rest) => rest.plain === '%');
}
