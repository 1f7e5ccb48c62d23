import { randomBytes } from 'node:crypto';

import { companyKeyHash } from '../platform/identity.ts';
import { only } from './index.ts';
import type { Person, TestServer } from './index.ts';

export type CompanyKey = { readonly id: string; readonly secret: string };

/** A key of the company, made by the product's own function. */
export async function aCompanyKey(
  { database }: Pick<TestServer, 'database'>,
  admin: Person,
  scopes: readonly string[] = ['read', 'referrals', 'payments'],
): Promise<CompanyKey> {
  const secret = `prk_${randomBytes(32).toString('base64url')}`;
  const made = await database.become(admin, (run) =>
    run<{ id: string }>('select id from private.create_api_key($1, $2, null, $3, $4)', [
      `Clé ${secret.slice(4, 12)}`,
      scopes,
      secret.slice(0, 12),
      companyKeyHash(secret),
    ]),
  );
  return { id: only(made).id, secret };
}

export type KeyReply = {
  readonly status: number;
  // The shape is what the tests are about.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
  readonly text: string;
  readonly headers: Headers;
};

/** A call of other software: a function with a body, or a GET without one. */
export async function callWithKey(
  { url }: Pick<TestServer, 'url'>,
  secret: string,
  path: string,
  options: { readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<KeyReply> {
  const response = await fetch(`${url}${path}`, {
    method: options.body === undefined ? 'GET' : 'POST',
    headers: {
      authorization: `Bearer ${secret}`,
      ...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...options.headers,
    },
    ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
  });
  const text = await response.text();
  return { status: response.status, body: JSON.parse(text), text, headers: response.headers };
}
