import { argon2, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';

import type { OwnerConnection } from '@parrain/database/embedded';
import { Client, escapeIdentifier } from 'pg';

import { startLoad } from './load.ts';
import type { Load } from './load.ts';
import type { Product } from './product.ts';
import { PASSWORD, seed } from '@parrain/database/seed';
import type { Sizes } from '@parrain/database/seed';

/** Fixture of a bench section: the server on a seeded database, and its callers. */
export type Bench = {
  readonly product: Product;
  readonly sizes: Sizes;
  readonly owner: Client;
  /** A login that may become `authenticated`, for what is run without the server. */
  readonly login: OwnerConnection;
  readonly load: Load;
  readonly rounds: number;
  readonly seconds: number;
  readonly warmUpSeconds: number;
  readonly say: (sentence: string) => void;
  readonly close: () => Promise<void>;
};

/** Fills the database of a product that just started, and opens it to the bench. */
export async function openCompany(
  product: Product,
  options: Pick<Bench, 'sizes' | 'rounds' | 'seconds' | 'warmUpSeconds' | 'say'>,
): Promise<Bench> {
  const address = await product.owner();
  const seeder = new Client(address);
  await seeder.connect();
  await seed(seeder, options.sizes, await passwordHash());
  // A night has passed: screens read what it counted.
  await seeder.query('select private.count_months(), private.count_control()');
  await seeder.query('select private.count_words()');
  await seeder.query('vacuum analyze');
  await seeder.end();

  const owner = new Client(address);
  await owner.connect();
  const password = randomBytes(18).toString('hex');
  await owner.query(`
    create role bench_login login noinherit password '${password}';
    grant authenticated to bench_login;
    -- The server closed its database to all but its own login.
    grant connect on database ${escapeIdentifier(address.database)} to bench_login;
    create schema bench;
    -- A statement is prepared before the role is taken: names must be found, rights are asked for at its execution.
    grant usage on schema public, private, auth, bench to bench_login;
    grant execute on function private.identify() to bench_login;
    grant usage on schema bench to authenticated`);
  const load = startLoad('127.0.0.1', product.port);
  return {
    ...options,
    product,
    owner,
    login: { ...address, user: 'bench_login', password },
    load,
    async close() {
      load.stop();
      await owner.end();
    },
  };
}

/** As the authentication door keeps passwords, at its own cost. */
export async function passwordHash(): Promise<string> {
  const nonce = randomBytes(16);
  const hash = await hashPassword(nonce);
  const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64').replace(/=+$/u, '');
  return `$argon2id$v=19$m=19456,t=2,p=1$${text(nonce)}$${text(hash)}`;
}

/** One hash of a password, as the authentication door makes it. */
export async function hashPassword(nonce: Uint8Array = randomBytes(16)): Promise<Uint8Array> {
  return promisify(argon2)('argon2id', {
    message: PASSWORD,
    nonce,
    parallelism: 1,
    tagLength: 32,
    memory: 19_456,
    passes: 2,
  });
}

/** A user signed in over HTTP, as the page does. */
export type SignedIn = {
  readonly id: string;
  readonly token: string;
  readonly refreshToken: string;
  /** The whole answer, as a browser keeps it. */
  readonly session: object;
};

export async function signIn({ product }: Pick<Bench, 'product'>, email: string): Promise<SignedIn> {
  const response = await fetch(`${product.url}/auth/v1/token?grant_type=password`, {
    method: 'POST',
    headers: { apikey: product.publishableKey, 'content-type': 'application/json', 'x-forwarded-for': someAddress() },
    body: JSON.stringify({ email, password: PASSWORD }),
  });
  const session = (await response.json()) as {
    readonly access_token?: string;
    readonly refresh_token?: string;
    readonly user?: { readonly id: string };
  };
  if (session.access_token === undefined || session.refresh_token === undefined || session.user === undefined) {
    throw new Error(`${email} could not sign in: ${response.status} ${JSON.stringify(session)}`);
  }
  return { id: session.user.id, token: session.access_token, refreshToken: session.refresh_token, session };
}

/** An address as of a visitor from somewhere: the bench's server trusts one proxy, which is the bench. */
export function someAddress(): string {
  const [a = 0, b = 0, c = 0] = randomBytes(3);
  return `10.${a}.${b}.${c}`;
}

export type RequestOptions = {
  readonly method?: string;
  readonly path: string;
  readonly who?: SignedIn;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
};

/** A whole request, as bytes. */
export function requestBytes({ product }: Pick<Bench, 'product'>, options: RequestOptions): Buffer {
  const { method = 'GET', path, who, headers = {}, body } = options;
  const text = body === undefined ? '' : JSON.stringify(body);
  const lines = [
    `${method} ${path} HTTP/1.1`,
    `host: 127.0.0.1:${product.port}`,
    `apikey: ${product.publishableKey}`,
    ...(who === undefined ? [] : [`authorization: Bearer ${who.token}`]),
    ...(body === undefined ? [] : ['content-type: application/json', `content-length: ${Buffer.byteLength(text)}`]),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${text}`);
}

/** The same request by fetch, for what reads the answer. @throws Error where it is refused. */
export async function ask({ product }: Pick<Bench, 'product'>, options: RequestOptions): Promise<unknown> {
  const { method = 'GET', path, who, headers = {}, body } = options;
  const response = await fetch(`${product.url}${path}`, {
    method,
    headers: {
      apikey: product.publishableKey,
      ...(who === undefined ? {} : { authorization: `Bearer ${who.token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 300)}`);
  return JSON.parse(text);
}
