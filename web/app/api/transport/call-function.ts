import { apiErrorFrom, unreachableError } from './api-error.ts';
import { supabase } from './client.ts';
import { expireSession } from './session.ts';

export interface FunctionCall {
  method?: 'GET' | 'POST' | undefined;
  /** Goes into the query string: `{ action: 'update_status' }`. */
  query?: Readonly<Record<string, string>> | undefined;
  /** A JSON payload, or a FormData for a file. */
  body?: Readonly<Record<string, unknown>> | FormData | undefined;
  /** For what moves money: the same key repeated has one effect (V-20). */
  idempotencyKey?: string | undefined;
  /** Sign-in and sign-up: a 401 there is an answer, not an expired session. */
  anonymous?: boolean | undefined;
}

/**
 * Calls a product function (`/functions/v1/<name>`) with the public key and the session's token, by the official client.
 * Gives its answer; throws an ApiError whose message is the French sentence to show. An expired session ends here too (E-02).
 */
export async function callFunction<ResponseBody>(name: string, call: FunctionCall = {}): Promise<ResponseBody> {
  const { method = 'POST', query, body, idempotencyKey, anonymous = false } = call;
  const client = await supabase().catch(() => {
    throw unreachableError();
  });
  const address = query ? `${name}?${new URLSearchParams(query)}` : name;
  const { data, error } = await client.functions.invoke<ResponseBody>(address, {
    method,
    ...(body === undefined ? {} : { body: body as Record<string, unknown> | FormData }),
    ...(idempotencyKey === undefined ? {} : { headers: { 'Idempotency-Key': idempotencyKey } }),
  });
  if (error === null) return data as ResponseBody;
  const reply: unknown = error.context;
  // Only an answer of the server carries its response; anything else never arrived.
  if (!(reply instanceof Response)) throw unreachableError();
  const failure = apiErrorFrom(reply.status, await reply.text());
  if (failure.status === 401 && !anonymous) await expireSession();
  throw failure;
}
