import { FunctionsHttpError } from '@supabase/supabase-js';

import type { Person, TestServer } from './index.ts';

/** A function's answer, as the official client's caller sees it. */
export type Reply = {
  readonly status: number;
  // The shape is what the tests are about.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
  readonly headers: Headers;
};

export type CallOptions = {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Idempotency-Key. */
  readonly key?: string;
};

/** Calls a function through the unmodified official client, as a person or a visitor. */
export async function callAs(
  server: TestServer,
  person: Person | undefined,
  name: string,
  body?: Record<string, unknown> | FormData,
  options: CallOptions = {},
): Promise<Reply> {
  const client = await server.client(person);
  const { data, error, response } = await client.functions.invoke(name, {
    method: options.method ?? 'POST',
    ...(body === undefined ? {} : { body }),
    ...(options.key === undefined ? {} : { headers: { 'Idempotency-Key': options.key } }),
  });
  if (error === null) return { status: response?.status ?? 0, body: data, headers: response?.headers ?? new Headers() };
  if (!(error instanceof FunctionsHttpError)) throw error;
  const context = error.context as Response;
  return { status: context.status, body: await context.json(), headers: context.headers };
}
