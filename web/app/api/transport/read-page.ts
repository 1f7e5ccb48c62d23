import { ApiError } from './api-error.ts';
import { rowsOf } from './read.ts';

/** One page of a list, and how many rows the whole list has. */
export interface Page<Row> {
  rows: readonly Row[];
  rowCount: number;
}

interface PageAnswer {
  data: readonly unknown[] | null;
  error: { message: string; code?: string; details?: string | null } | null;
  status: number;
  count: number | null;
}

/**
 * Reads one page (from 0) of a query made with `{ count: 'exact' }`, each row in the domain's words. Where the list has
 * shrunk meanwhile and the page is no more, gives the last page there is.
 */
export async function readPage<Row>(
  query: (from: number, to: number) => PromiseLike<PageAnswer>,
  { page, pageSize }: { page: number; pageSize: number },
  toDomain: (row: unknown) => Row,
): Promise<Page<Row>> {
  const read = async (at: number): Promise<Page<Row>> => {
    const answer = await query(at * pageSize, (at + 1) * pageSize - 1);
    const rows = rowsOf(answer).map(toDomain);
    return { rows, rowCount: answer.count ?? rows.length };
  };
  if (page === 0) return read(0);
  const asked = await read(page).catch((error: unknown) => {
    if (error instanceof ApiError && error.status === 416) return undefined;
    throw error;
  });
  if (asked && asked.rows.length > 0) return asked;
  const first = await read(0);
  const last = Math.ceil(first.rowCount / pageSize) - 1;
  return last > 0 ? read(Math.min(last, page)) : first;
}

/** A text that a person typed, as the operand of `ilike` inside an `or`: its wildcards and punctuation mean themselves. */
export function containing(search: string): string {
  // The server reads a star as « any text »: here it stands for one character, whichever.
  const literal = search
    .trim()
    .replace(/[\\%_]/g, '\\$&')
    .replaceAll('*', '_');
  return `"%${literal.replace(/[\\"]/g, '\\$&')}%"`;
}
