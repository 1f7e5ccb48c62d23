import { apiErrorFrom, ApiError, unreachableError } from './api-error.ts';

interface RestAnswer<Data> {
  data: Data | null;
  error: { message: string; code?: string; details?: string | null } | null;
  status: number;
}

/**
 * The rows of an answer of the official client, or an ApiError:
 * `const sales = rowsOf(await client.from('sales').select('…'))`. For `.single()` it gives the one row.
 */
export function rowsOf<Data>(answer: RestAnswer<Data>): Data {
  if (answer.error) {
    if (answer.status === 0) throw unreachableError();
    throw apiErrorFrom(answer.status, JSON.stringify(answer.error));
  }
  if (answer.data === null) throw new ApiError({ status: answer.status, code: 'unexpected' });
  return answer.data;
}

/** Number of rows: the answer to a `select` with `{ count: 'exact', head: true }`. */
export function countOf({ count, ...answer }: RestAnswer<unknown> & { count: number | null }): number {
  if (answer.error) rowsOf(answer);
  // An answer without its count is no answer: nobody is told « 0 » for it.
  if (count === null) throw new ApiError({ status: answer.status, code: 'unexpected' });
  return count;
}
