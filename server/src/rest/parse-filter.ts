import { cursorOn, unescaped } from './cursor.ts';
import type { Cursor } from './cursor.ts';
import { IS_VALUES, PLAIN, QUANTIFIABLE, TEXT_SEARCH } from './grammar.ts';
import type { Comparison, Condition, Field } from './grammar.ts';
import { LIST_MEMBERS_MAX, LOGIC_DEPTH_MAX } from './limits.ts';
import { parseJsonPath } from './parse-select.ts';
import { tooMuch } from './rest-error.ts';

/** Reads the value of `column=value`: an operator and the raw rest as its operand. */
export function parseFilter(field: Field, value: string): Condition {
  const cursor = cursorOn(value, `filter (${value})`);
  const negated = cursor.accept('not.');
  return { kind: 'compare', negated, field, comparison: parseComparison(cursor, 'alone') };
}

/** Reads the value of `and=(…)` or `or=(…)`. */
export function parseLogic(operator: 'and' | 'or', negated: boolean, value: string): Condition {
  const cursor = cursorOn(value, `logic tree (${value})`);
  cursor.skipSpaces();
  const condition = parseTree(cursor, operator, negated, 1);
  cursor.skipSpaces();
  cursor.expectEnd();
  return condition;
}

function parseTree(cursor: Cursor, operator: 'and' | 'or', negated: boolean, depth: number): Condition {
  if (depth > LOGIC_DEPTH_MAX) throw tooMuch(`Conditions can be nested at most ${LOGIC_DEPTH_MAX} deep`);
  const conditions: Condition[] = [];
  cursor.expect('(');
  do {
    cursor.skipSpaces();
    conditions.push(parseCondition(cursor, depth));
    cursor.skipSpaces();
  } while (cursor.accept(','));
  cursor.expect(')');
  return { kind: 'logic', negated, operator, conditions };
}

function parseCondition(cursor: Cursor, depth: number): Condition {
  const logic = cursor.match(/(?:not\.)?(?:and|or)(?=\()/uy);
  if (logic !== null) {
    return parseTree(cursor, logic.endsWith('and') ? 'and' : 'or', logic.startsWith('not.'), depth + 1);
  }
  const field = { name: cursor.name(), path: parseJsonPath(cursor) };
  cursor.expect('.');
  const negated = cursor.accept('not.');
  return { kind: 'compare', negated, field, comparison: parseComparison(cursor, 'in a tree') };
}

/** Place of a value: alone it is the raw rest; in a tree it ends at a comma or a parenthesis, unless quoted. */
type Place = 'alone' | 'in a tree';

function parseComparison(cursor: Cursor, place: Place): Comparison {
  const start = cursor.position();
  const operator = cursor.match(/[a-z]+/uy) ?? '';
  if (operator === 'in') {
    cursor.expect('.');
    const members = parseList(cursor);
    if (place === 'alone') cursor.expectEnd();
    return { operator, members };
  }
  if (operator === 'is') {
    cursor.expect('.');
    const word = cursor.match(/[a-z_]+/iuy)?.toLowerCase();
    const value = IS_VALUES.find((known) => known === word);
    if (value === undefined) throw cursor.fail('null, not_null, true, false or unknown');
    if (place === 'alone') cursor.expectEnd();
    return { operator, value };
  }
  const quantifiable = QUANTIFIABLE.find((known) => known === operator);
  if (quantifiable !== undefined) {
    const quantifier = cursor.accept('(any)') ? 'any' : cursor.accept('(all)') ? 'all' : null;
    cursor.expect('.');
    return { operator: quantifiable, quantifier, operand: parseOperand(cursor, place) };
  }
  const plain = PLAIN.find((known) => known === operator);
  if (plain !== undefined) {
    cursor.expect('.');
    return { operator: plain, operand: parseOperand(cursor, place) };
  }
  const textSearch = TEXT_SEARCH.find((known) => known === operator);
  if (textSearch !== undefined) {
    const config = cursor.match(/\([\p{L}\p{N}_]+\)/uy)?.slice(1, -1) ?? null;
    cursor.expect('.');
    return { operator: textSearch, config, operand: parseOperand(cursor, place) };
  }
  cursor.backTo(start);
  throw cursor.fail('an operator (eq, gt, ...)');
}

function parseOperand(cursor: Cursor, place: Place): string {
  if (place === 'alone') return cursor.match(/[\s\S]*/uy) ?? '';
  const quoted = parseQuotedMember(cursor);
  if (quoted !== null) return quoted;
  // An array or a range keeps its commas.
  const braced = cursor.match(/\{[^{}]*\}(?=[,)])/uy);
  if (braced !== null) return braced;
  return cursor.match(/[^,)]*/uy) ?? '';
}

function parseList(cursor: Cursor): string[] {
  cursor.expect('(');
  if (cursor.accept(')')) return [];
  const members: string[] = [];
  do {
    members.push(parseQuotedMember(cursor) ?? cursor.match(/[^,)]*/uy) ?? '');
    if (members.length > LIST_MEMBERS_MAX) throw tooMuch(`A list can have at most ${LIST_MEMBERS_MAX} members`);
  } while (cursor.accept(','));
  cursor.expect(')');
  return members;
}

/**
 * A member in quotes. The official client quotes members that hold a comma or a parenthesis without escaping the quotes
 * inside, so the closing quote is the first one that a comma or a parenthesis follows; without one, quotes are letters.
 */
function parseQuotedMember(cursor: Cursor): string | null {
  const found = cursor.match(/"(?:[^"\\]|\\[\s\S]|"(?![,)]))*"(?=[,)])/uy);
  return found === null ? null : unescaped(found.slice(1, -1));
}
