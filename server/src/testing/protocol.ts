import type { TestServer } from './index.ts';

/** Status and code of the official client's error; null on success. */
export function refusalOf(answer: {
  readonly error: {
    readonly status?: number | undefined;
    readonly code?: unknown;
    readonly message: string;
  } | null;
}): readonly [number | undefined, unknown] | null {
  const { error } = answer;
  return error === null ? null : [error.status, error.code];
}

export type RawAnswer = {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
};

/** A request to the door of accounts that the client's types do not allow: its headers, another body. */
export async function ask(
  server: TestServer,
  method: string,
  path: string,
  given: {
    readonly body?: unknown;
    readonly bearer?: string | undefined;
    readonly headers?: Readonly<Record<string, string>>;
  } = {},
): Promise<RawAnswer> {
  const response = await server.fetch(`/auth/v1${path}`, {
    method,
    redirect: 'manual',
    headers: {
      ...(method === 'GET' ? {} : { 'content-type': 'application/json;charset=UTF-8' }),
      'x-supabase-api-version': '2024-01-01',
      ...(given.bearer === undefined ? {} : { authorization: `Bearer ${given.bearer}` }),
      ...given.headers,
    },
    ...(given.body === undefined ? {} : { body: JSON.stringify(given.body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  return {
    status: response.status,
    headers: response.headers,
    body: isJson ? (JSON.parse(text) as Record<string, unknown>) : {},
  };
}
