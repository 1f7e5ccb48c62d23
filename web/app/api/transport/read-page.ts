import { searchedPhone } from '@parrain/domain/phone';
import { withoutInvisible } from '@parrain/domain/visible-text';
import { plainLetters } from '@parrain/domain/without-accents';
import { rowsOf } from './read.ts';

/**
 * One page of a list, read by keyset: the rows after or before a row, not the rows at an offset, so that a row that comes
 * or goes meanwhile makes none be skipped or shown twice (NV-07).
 */
export interface Page<Row> {
  rows: readonly Row[];
  /** Number of rows in the whole list. */
  rowCount: number;
  /** Number of rows before the page; null where the list has changed since the walk began. */
  from: number | null;
  /** Marks of the pages to go to; null where there is none. */
  first: PageMark | null;
  previous: PageMark | null;
  next: PageMark | null;
  last: PageMark | null;
  /** It is the one before the page that is being read: it leads nowhere. */
  isPrevious?: boolean;
  /** The query string of the whole list, its filters and its order: its export reads by it (EX-01). */
  query: string;
}

/** The page on screen while another one is read: under a new search or sort its marks would skip rows. */
export const previousPage = <P extends object>(page: P | undefined) => page && { ...page, isPrevious: true };

/** A page of a list: `firstPage`, `lastPage`, or what another page named as its next or previous. */
export type PageMark = string;

/** Rows that are selected at once, at most: as many as one request reads with ease (NV-04). */
export const selectableMax = 500;

/** The query by which the rows of a selection are exported, in the list's order (EX-01). */
export function selectionQuery(page: Pick<Page<unknown>, 'query'>, ids: readonly string[]): string {
  const order = new URLSearchParams(page.query).get('order');
  return new URLSearchParams({ id: `in.(${ids.join(',')})`, ...(order === null ? {} : { order }) }).toString();
}

export const firstPage: PageMark = '';
const lastPage: PageMark = 'last';

/** A column of a list's order. The last one is the row's own id, so that no two rows are at the same place. */
export interface OrderColumn {
  column: string;
  desc?: boolean;
  /** Place of the rows without a value, in a column that may have none. */
  nulls?: 'first' | 'last';
}

/** The part of the official client's query builder that a page uses. */
interface ListQuery extends PromiseLike<ListAnswer> {
  or: (filters: string) => ListQuery;
  order: (column: string, options: { ascending: boolean; nullsFirst?: boolean }) => ListQuery;
  limit: (count: number) => ListQuery;
}

interface ListAnswer {
  data: readonly unknown[] | null;
  error: { message: string; code?: string; details?: string | null } | null;
  status: number;
  count: number | null;
}

type Key = readonly (string | null)[];

type Place =
  | { kind: 'first' | 'last' }
  /** `at`: how many rows were before the page, in a list of `of` rows; null where that was not known. */
  | { kind: 'after' | 'before'; key: Key; at: number | null; of: number };

/**
 * Reads the page that `mark` names, each row in the domain's words. `query` makes the filtered query with the options of
 * its `select`, which must name every column of `order`. A page whose rows are gone is the nearest one there is.
 */
export async function readPage<Row>(
  query: (options: { count?: 'exact'; head?: boolean }) => ListQuery,
  { mark, pageSize, order }: { mark: PageMark; pageSize: number; order: readonly OrderColumn[] },
  toDomain: (row: unknown) => Row,
): Promise<Page<Row>> {
  const place = placeOf(mark, order.length);
  const isBackwards = place.kind === 'last' || place.kind === 'before';
  const direction = isBackwards ? order.map(reversed) : order;
  const isEnd = place.kind === 'first' || place.kind === 'last';
  let reading = query(isEnd ? { count: 'exact' } : {});
  if ('key' in place) reading = reading.or(beyond(direction, place.key));
  reading = ordered(reading, direction);
  // One row more tells whether the list goes on.
  const [answer, counted] = await Promise.all([
    reading.limit(pageSize + 1),
    // The rows beyond a row are not the whole list: that is counted apart.
    isEnd ? undefined : query({ count: 'exact', head: true }),
  ]);
  const found = rowsOf(answer);
  if (counted?.error) rowsOf(counted);
  const rowCount = (counted ?? answer).count ?? found.length;
  const again = (other: PageMark) => readPage(query, { mark: other, pageSize, order }, toDomain);
  if (place.kind === 'after' && found.length === 0) return again(lastPage);
  if (place.kind === 'before' && found.length < pageSize) return again(firstPage);

  // The last page holds what is left after full ones, as it does for who walks there from the first.
  const size = place.kind === 'last' ? rowCount % pageSize || pageSize : pageSize;
  const taken = found.slice(0, size);
  const goesOn = found.length > taken.length;
  const rows = isBackwards ? taken.toReversed() : taken;
  const hasPrevious = place.kind === 'after' || (isBackwards && goesOn);
  const hasNext = place.kind === 'before' || (!isBackwards && goesOn);
  const from = fromOf(place, { rowCount, size: rows.length, hasPrevious });
  const markOf = (side: 'after' | 'before', row: unknown): PageMark =>
    JSON.stringify({
      [side]: keyOf(row, order),
      at: from === null ? null : side === 'after' ? from + rows.length : from,
      of: rowCount,
    });
  return {
    rows: rows.map(toDomain),
    rowCount,
    from,
    first: hasPrevious ? firstPage : null,
    previous: hasPrevious ? markOf('before', rows[0]) : null,
    next: hasNext ? markOf('after', rows.at(-1)) : null,
    last: hasNext ? lastPage : null,
    query: queryOf(ordered(query({}), order)),
  };
}

function ordered(list: ListQuery, order: readonly OrderColumn[]): ListQuery {
  let inOrder = list;
  for (const { column, desc = false, nulls } of order) {
    // Said of a column that always has a value, it would keep the index from being used.
    const missing = nulls === undefined ? {} : { nullsFirst: nulls === 'first' };
    inOrder = inOrder.order(column, { ascending: !desc, ...missing });
  }
  return inOrder;
}

/** Query string that the official client would send; its columns only where they narrow the list to rows with a joined one. */
function queryOf(list: ListQuery): string {
  const { searchParams } = new URL((list as unknown as { url: URL }).url);
  if (!searchParams.get('select')?.includes('!inner')) searchParams.delete('select');
  return searchParams.toString();
}

function fromOf(
  place: Place,
  { rowCount, size, hasPrevious }: { rowCount: number; size: number; hasPrevious: boolean },
): number | null {
  if (!hasPrevious) return 0;
  if (place.kind === 'last') return rowCount - size;
  if (!('key' in place) || place.at === null || place.of !== rowCount) return null;
  const from = place.kind === 'after' ? place.at : place.at - size;
  return from > 0 && from < rowCount ? from : null;
}

/** A mark as it came back from the history entry, where anything may stand: what cannot be read is the first page. */
function placeOf(mark: PageMark, length: number): Place {
  if (mark === lastPage) return { kind: 'last' };
  try {
    const { after, before, at, of } = JSON.parse(mark) as Record<string, unknown>;
    const key: unknown = after ?? before;
    const isKey =
      Array.isArray(key) && key.length === length && key.every((part) => part === null || typeof part === 'string');
    if (!isKey || typeof of !== 'number') return { kind: 'first' };
    return {
      kind: after === undefined ? 'before' : 'after',
      key: key as Key,
      at: typeof at === 'number' ? at : null,
      of,
    };
  } catch {
    return { kind: 'first' };
  }
}

function keyOf(row: unknown, order: readonly OrderColumn[]): Key {
  const fields = row as Readonly<Record<string, string | number | boolean | null>>;
  return order.map(({ column }) => {
    const value = fields[column];
    if (value === undefined) throw new Error(`A page is ordered by ${column}, which its query does not select`);
    return value === null ? null : String(value);
  });
}

function reversed({ column, desc = false, nulls }: OrderColumn): OrderColumn {
  const missing = nulls === undefined ? {} : { nulls: nulls === 'first' ? ('last' as const) : ('first' as const) };
  return { column, desc: !desc, ...missing };
}

/**
 * The rows that come after a key, as the operand of an `or` whose arms exclude each other: `a.lt.1,and(a.eq.1,id.gt.2)`.
 * The server then starts each arm at its own place in the index.
 */
function beyond(order: readonly OrderColumn[], key: Key): string {
  const arms = order.flatMap(({ column, desc = false, nulls }, depth) => {
    const value = key[depth] ?? null;
    const steps =
      value === null
        ? nulls === 'first'
          ? [`${column}.not.is.null`]
          : []
        : [`${column}.${desc ? 'lt' : 'gt'}.${quoted(value)}`, ...(nulls === 'last' ? [`${column}.is.null`] : [])];
    const same = order.slice(0, depth).map((before, at) => {
      const equal = key[at] ?? null;
      return equal === null ? `${before.column}.is.null` : `${before.column}.eq.${quoted(equal)}`;
    });
    return steps.map((step) => (same.length === 0 ? step : `and(${[...same, step].join(',')})`));
  });
  return arms.join(',');
}

/** A text that a person typed, as the operand of `like` inside an `or`: its wildcards and punctuation mean themselves. */
function containing(search: string): string {
  // The server reads a star as « any text »: here it stands for one character, whichever.
  const literal = search
    .trim()
    .replace(/[\\%_]/g, '\\$&')
    .replaceAll('*', '_');
  return quoted(`%${literal}%`);
}

/**
 * The condition of an `or` that finds a text among a row's terms: each of its words, in whichever order (DF-38), without a look at
 * accents and case; a telephone number however it is written (DF-36).
 */
export function inTerms(search: string): string {
  const words = plainLetters(withoutInvisible(search))
    .split(/\s+/u)
    .filter((word) => word !== '');
  const conditions = [...new Set(words)].map((word) => `terms.like.${containing(word)}`);
  const typed =
    conditions.length > 1 ? `and(${conditions.join(',')})` : (conditions[0] ?? `terms.like.${containing('')}`);
  const number = searchedPhone(search);
  return number === null || words.join('') === number ? typed : `${typed},terms.like.${containing(number)}`;
}

/** A value of a filter inside an `or`. */
function quoted(value: string): string {
  return `"${value.replace(/[\\"]/g, '\\$&')}"`;
}
