import type { Transaction } from '#platform/database';

import type { Reply } from './exchange.ts';
import { only } from './statement.ts';
import { RestError } from './rest-error.ts';

/** Reply settings that a function of the database makes, by `set_config('response.status', …)` and `response.headers`. */
export type Said = {
  status: number | null;
  headers: readonly (readonly [name: string, value: string])[];
};

/** These are the connection's, and no function knows them. */
const OF_CONNECTION: ReadonlySet<string> = new Set(['connection', 'content-length', 'transfer-encoding']);

/**
 * Reads both settings at the end of a transaction.
 * @throws RestError PGRST111, PGRST112 where they are not of the official form: the transaction is rolled back
 */
export async function readSaid(tx: Transaction, said: Said): Promise<void> {
  const { status, headers } = await only(
    tx.query<{ status: string | null; headers: string | null }>({
      text: `select nullif(current_setting('response.status', true), '') as status,
        nullif(current_setting('response.headers', true), '') as headers`,
    }),
  );
  if (status !== null && !/^[1-5]\d\d$/u.test(status)) {
    throw new RestError(500, 'PGRST112', 'response.status guc must be a valid status code');
  }
  said.status = status === null ? null : Number(status);
  said.headers = headers === null ? [] : headersIn(headers);
}

function headersIn(json: string): Said['headers'] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(json);
  } catch (cause) {
    throw notHeaders(cause);
  }
  if (!Array.isArray(parsed)) throw notHeaders();
  return parsed.map((one: unknown) => {
    const [pair, ...more] = typeof one === 'object' && one !== null ? Object.entries(one) : [];
    if (pair === undefined || more.length > 0) throw notHeaders();
    const [name, value] = pair as [string, unknown];
    if (typeof value !== 'string' || !/^[\w!#$%&'*+.^`|~-]+$/u.test(name) || /[^\t\x20-\x7e\x80-\xff]/u.test(value)) {
      throw notHeaders();
    }
    return [name.toLowerCase(), value] as const;
  });
}

function notHeaders(cause?: unknown): RestError {
  return new RestError(
    500,
    'PGRST111',
    'response.headers guc must be a JSON array composed of objects with a single key and a string value',
    { cause },
  );
}

/** The reply with the status and the headers that the function chose; a cookie is one more, any other header the only one. */
export function withSaid(reply: Reply, { status, headers }: Said): Reply {
  const said: Record<string, string | string[]> = { ...reply.headers };
  for (const [name, value] of headers) {
    if (OF_CONNECTION.has(name)) continue;
    const before = said[name];
    said[name] = name === 'set-cookie' && before !== undefined ? [before, value].flat() : value;
  }
  return { ...reply, status: status ?? reply.status, headers: said };
}
