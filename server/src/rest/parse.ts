import { cursorOn } from './cursor.ts';
import type { At, Condition, Field, OrderTerm, ParsedQuery, SelectItem } from './grammar.ts';
import { CONDITIONS_MAX } from './limits.ts';
import { parseFilter, parseLogic } from './parse-filter.ts';
import { parseJsonPath, parseSelect } from './parse-select.ts';
import type { Pair } from './query-string.ts';
import { RestError, tooMuch, unparsable } from './rest-error.ts';

/**
 * Reads the pairs of a query string (contract §2.2). Nothing is looked up here: names are only text.
 * @throws RestError PGRST100, with the place and what was expected there.
 */
export function parseQuery(pairs: readonly Pair[]): ParsedQuery {
  let select: SelectItem[] | null = null;
  let columns: string[] | null = null;
  let onConflict: string[] | null = null;
  const filters: At<{ condition: Condition }>[] = [];
  const orders: At<{ terms: OrderTerm[] }>[] = [];
  const limits: At<{ count: number }>[] = [];
  const offsets: At<{ count: number }>[] = [];

  for (const { key, value } of pairs) {
    switch (key) {
      case 'select':
        if (select !== null) throw unparsable('select parameter', 1, 'unexpected second select');
        select = parseSelect(value);
        break;
      case 'columns':
        columns = parseNames(value, 'columns parameter');
        break;
      case 'on_conflict':
        onConflict = parseNames(value, 'on_conflict parameter');
        break;
      default: {
        const { path, last, field } = parseKey(key);
        switch (last) {
          case 'order':
            orders.push({ path, terms: parseOrder(value) });
            break;
          case 'limit':
            limits.push({ path, count: parseCount('limit', value) });
            break;
          case 'offset':
            offsets.push({ path, count: parseCount('offset', value) });
            break;
          case 'and':
          case 'or': {
            const negated = path.at(-1) === 'not';
            filters.push({ path: negated ? path.slice(0, -1) : path, condition: parseLogic(last, negated, value) });
            break;
          }
          default:
            filters.push({ path, condition: parseFilter(field, value) });
        }
      }
    }
  }
  const conditions = filters.reduce((sum, { condition }) => sum + conditionsIn(condition), 0);
  if (conditions > CONDITIONS_MAX) throw tooMuch(`At most ${CONDITIONS_MAX} conditions can be given`);
  return { select: select ?? [{ kind: 'all' }], filters, orders, limits, offsets, columns, onConflict };
}

/** `embed.embed.column->path`: `last` is the final name where it is a bare word, so that reserved words are known. */
function parseKey(key: string): { path: string[]; last: string | null; field: Field } {
  const cursor = cursorOn(key, `parameter name (${key})`);
  const path: string[] = [];
  for (;;) {
    const isQuoted = cursor.lookingAt('"');
    const name = cursor.name();
    if (cursor.accept('.')) {
      path.push(name);
      continue;
    }
    const jsonPath = parseJsonPath(cursor);
    cursor.expectEnd();
    return { path, last: isQuoted || jsonPath.length > 0 ? null : name, field: { name, path: jsonPath } };
  }
}

function parseOrder(value: string): OrderTerm[] {
  const cursor = cursorOn(value, `order (${value})`);
  const terms: OrderTerm[] = [];
  do {
    cursor.skipSpaces();
    const name = cursor.name();
    const isRelated = cursor.accept('(');
    const field = { name: isRelated ? cursor.name() : name, path: parseJsonPath(cursor) };
    if (isRelated) cursor.expect(')');
    const direction = cursor.match(/\.(?:asc|desc)(?=[.,]|$)/uy);
    const nulls = cursor.match(/\.nulls(?:first|last)(?=,|$)/uy);
    terms.push({
      field,
      relation: isRelated ? name : null,
      descending: direction === '.desc',
      nulls: nulls === null ? null : nulls === '.nullsfirst' ? 'first' : 'last',
    });
  } while (cursor.accept(','));
  cursor.expectEnd();
  return terms;
}

function parseCount(name: 'limit' | 'offset', value: string): number {
  if (!/^-?\d{1,15}$/u.test(value)) throw unparsable(`${name} parameter (${value})`, 1, 'expecting an integer');
  const count = Number(value);
  if (name === 'limit' && count < 0) {
    throw new RestError(416, 'PGRST103', 'Requested range not satisfiable', {
      details: 'Limit should be greater than or equal to zero.',
    });
  }
  // A negative start is the start, as the official server has it.
  return Math.max(count, 0);
}

function parseNames(value: string, what: string): string[] {
  const cursor = cursorOn(value, `${what} (${value})`);
  const names: string[] = [];
  do {
    cursor.skipSpaces();
    names.push(cursor.name());
    cursor.skipSpaces();
  } while (cursor.accept(','));
  cursor.expectEnd();
  return [...new Set(names)];
}

function conditionsIn(condition: Condition): number {
  return condition.kind === 'compare' ? 1 : condition.conditions.reduce((sum, inner) => sum + conditionsIn(inner), 0);
}
