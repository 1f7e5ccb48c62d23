import { comparableOf, compared } from './comparable.ts';
import type { Comparable } from './comparable.ts';
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

/** A condition on a column of a known type. */
export type TypedCondition = Condition & {
  readonly type: string;
  /** What the value is compared with. */
  readonly wanted: readonly Comparable[];
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

/** The condition, on a column of that type (PostgreSQL's short name). @throws BadFilter where the type has no such value. */
export function typed(condition: Condition, type: string): TypedCondition {
  const { column, operator, operand, members } = condition;
  const meant = (text: string): Comparable => {
    const value = comparableOf(text, type);
    if (value === null) throw new BadFilter(`The value of ${column} is no ${type}: ${text.slice(0, 100)}`);
    return value;
  };
  switch (operator) {
    case 'is':
      if (type !== 'bool' && !/^null$/iu.test(operand)) throw new BadFilter(`The column ${column} is no bool`);
      return { ...condition, type, wanted: [] };
    case 'in':
      return { ...condition, type, wanted: members.map(meant) };
    case 'like':
    case 'ilike':
    case 'match':
    case 'imatch':
      return { ...condition, type, wanted: [] };
    case 'isdistinct':
      return { ...condition, type, wanted: operand === 'null' ? [] : [meant(operand)] };
    default:
      return { ...condition, type, wanted: [meant(operand)] };
  }
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
 * `matches` answers regular expressions.
 */
export function holds(
  condition: TypedCondition,
  value: unknown,
  matches: (regex: Regex) => boolean | null,
): boolean | null {
  const answer = plainAnswer(condition, value, matches);
  return answer === null ? null : answer !== condition.isNegated;
}

function plainAnswer(
  { operator, operand, type, wanted }: TypedCondition,
  value: unknown,
  matches: (regex: Regex) => boolean | null,
): boolean | null {
  if (operator === 'is') {
    const word = operand.toLowerCase();
    if (word === 'null' || word === 'unknown') return value === null;
    return value === (word === 'true');
  }
  if (operator === 'isdistinct') {
    if (value === null || wanted[0] === undefined) return (value === null) !== (wanted[0] === undefined);
    return orderOf(value, type, wanted[0]) !== 0;
  }
  if (value === null || value === undefined) return null;
  switch (operator) {
    case 'in':
      return wanted.some((member) => orderOf(value, type, member) === 0);
    case 'like':
    case 'ilike':
      return isLike(textOf(value), operand, operator === 'ilike');
    case 'match':
    case 'imatch':
      return matches({ text: textOf(value), pattern: operand, isCaseBlind: operator === 'imatch' });
    default: {
      const order = wanted[0] === undefined ? null : orderOf(value, type, wanted[0]);
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

function orderOf(value: unknown, type: string, wanted: Comparable): number | null {
  const known = comparableOf(textOf(value), type);
  return known === null ? null : compared(known, wanted);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** SQL's LIKE: `%` any characters, `_` one, `\` takes the next as it is. Never more than length × pattern steps. */
function isLike(text: string, pattern: string, isCaseBlind: boolean): boolean {
  const characters = [...(isCaseBlind ? text.toLowerCase() : text)];
  const tokens = [...(isCaseBlind ? pattern.toLowerCase() : pattern).matchAll(/\\([\s\S])|([\s\S])/gu)].map(
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
