import type { Database, Query, Transaction } from '#platform/database';
import type { FastifyInstance } from 'fastify';
import fc from 'fast-check';
import { loadModule, parseSync } from 'libpg-query';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { buildApp } from '../app.ts';
import { openLibrary } from '../testing/library.ts';
import { aClient, anAdmin, startTestServer } from '../testing/index.ts';
import type { TestServer } from '../testing/index.ts';
import { loadSchemaCache } from './schema-cache.ts';

/**
 * No text of a request reaches SQL unbound: whatever is asked of the door, each statement that it sends is read by
 * PostgreSQL’s own parser, and holds nothing but the schema’s names, our own words and numbers, and response keys.
 */

let server: TestServer;
let app: FastifyInstance;
let headers: Record<string, Record<string, string>>;
const names = new Set<string>();
let sent: Query[] = [];

beforeAll(async () => {
  await loadModule();
  server = await startTestServer({ doors: ['rest'], jobs: false });
  await openLibrary(server.database);
  const { services } = server;
  app = await buildApp({ ...services, db: recording(services.db) }, ['rest']);
  const apikey = services.keys.publishableKey;
  const as = async (person: Promise<Awaited<ReturnType<typeof aClient>>>): Promise<Record<string, string>> => ({
    apikey,
    authorization: `Bearer ${await server.tokenOf(await person)}`,
  });
  headers = { reader: await as(aClient(server.database)), admin: await as(anAdmin(server.database)) };
  const cache = await loadSchemaCache(services.db);
  for (const relation of cache.relations.values()) {
    for (const name of [relation.name, ...relation.columns.keys(), ...relation.computed.keys()]) names.add(name);
  }
  for (const list of cache.relationships.values()) for (const { constraint } of list) names.add(constraint);
  for (const [name, entries] of cache.functions) {
    names.add(name);
    for (const entry of entries) for (const argument of entry.arguments) names.add(argument.name);
  }
});
afterAll(async () => {
  await app.close();
  await server.close();
});

/** The database, and what is sent to it. */
function recording(db: Database): Database {
  return {
    ...db,
    withRequest: (context) => recording(db.withRequest(context)),
    async queryAs(identity, query, options) {
      sent.push(query);
      return db.queryAs(identity, query, options);
    },
    transactionAs: async (identity, work, options) =>
      db.transactionAs(
        identity,
        async (tx) => {
          const query: Transaction['query'] = async (one, values) => {
            sent.push(typeof one === 'string' ? { text: one } : one);
            return tx.query(one, values);
          };
          return work({ ...tx, query });
        },
        options,
      ),
  };
}

/** Schemas, functions, types, aliases that our statements name, whatever is asked. */
const OURS = new Set(
  `public private pg_catalog figures counted_sales counted_profiles counted_payment_requests row_count body rows total ids
   written given element value excluded counted yes rights
   coalesce json_agg row_to_json to_json to_jsonb json_strip_nulls count sum string_agg concat_ws replace to_tsvector to_tsquery
   plainto_tsquery phraseto_tsquery websearch_to_tsquery json_to_record json_to_recordset jsonb_to_record json_array_elements
   jsonb_build_object set_config current_setting nullif user_role uid find_sales find_profiles nextval pg_get_serial_sequence
   text int4 int8 int2 numeric float4 float8 bool uuid date time timestamp timestamptz interval json jsonb regconfig regclass tsvector
   varchar bpchar xml bytea int4range
   = <> > >= < <= ~~ ~~* ~ ~* @> <@ && << >> &< &> -|- @@ -> ->> || + in not_distinct current_user
   service_role admin (row)`
    .split(/\s+/u)
    .filter((word) => word !== ''),
);
const OUR_TEXTS = new Set([
  '[]',
  '',
  ',',
  '"',
  '""',
  '[",\\r\\n]',
  "'",
  '^(?!-(\\d+(\\.\\d+)?(e[-+]?\\d+)?|[Ii]nfinity)$)[-=+@\\t\\r\\n＝＋－＠]',
  '[",\r\n]',
  '\n',
  '0',
  '1',
  'rest.updated',
  'admin',
  'service_role',
  'moi',
  '{}',
  'public.books',
  'id',
  '2026-01-02T03:04:05Z',
  '2026-01-02 03:04:05+00',
  't',
  'f',
  'true',
  'false',
  '00000000-0000-0000-0000-000000000000',
]);

type Found = { readonly identifiers: Set<string>; readonly texts: Set<string>; readonly keys: Set<string> };

/** Every name and every constant of a parsed statement; response keys apart, which are the names of outputs. */
function readTree(node: unknown, found: Found): void {
  if (Array.isArray(node)) {
    for (const inner of node) readTree(inner, found);
    return;
  }
  if (typeof node !== 'object' || node === null) return;
  for (const [name, value] of Object.entries(node)) {
    if (name === 'A_Const') readConstant(value, found);
    else if (name === 'sval' && typeof value === 'string') found.identifiers.add(value);
    else if (name === 'ResTarget') {
      const target = value as { name?: string; val?: unknown; indirection?: unknown };
      if (target.name !== undefined) found.keys.add(target.name);
      readTree(target.val, found);
    } else if (typeof value === 'string' && NAMING.has(name)) found.identifiers.add(value);
    else readTree(value, found);
  }
}

const NAMING = new Set(['relname', 'schemaname', 'aliasname', 'ctename', 'catalogname', 'conname', 'colname']);

function readConstant(constant: unknown, { texts }: Found): void {
  const { sval } = constant as { sval?: { sval?: string } };
  if (sval !== undefined) texts.add(sval.sval ?? '');
}

const isAlias = (name: string): boolean => /^[tc]\d+$/u.test(name);

/** @param keys what the request itself names its answer’s keys. */
function expectOnlyOurs(queries: readonly Query[], keys: ReadonlySet<string>): void {
  for (const { text } of queries) {
    const { stmts } = parseSync(text) as { stmts?: unknown[] };
    expect(stmts).toHaveLength(1);
    const found: Found = { identifiers: new Set(), texts: new Set(), keys: new Set() };
    readTree(stmts, found);
    const foreign = [...found.identifiers].filter((name) => !names.has(name) && !OURS.has(name) && !isAlias(name));
    expect({ text, foreign: foreign.filter((name) => !keys.has(name)) }).toEqual({ text, foreign: [] });
    expect({ text, texts: [...found.texts].filter((one) => !OUR_TEXTS.has(one)) }).toEqual({ text, texts: [] });
    const foreignKeys = [...found.keys].filter((name) => !names.has(name) && !OURS.has(name) && !isAlias(name));
    expect({ text, keys: foreignKeys.filter((name) => !keys.has(name)) }).toEqual({ text, keys: [] });
  }
}

const SENTINEL = 'zqx7';
/** Texts of an attempted SQL injection; each holds the sentinel. */
const hostile = fc
  .tuple(
    fc.constantFrom(
      "'",
      "''",
      '"',
      '\\',
      "\\'",
      '--',
      '/*',
      '*/',
      ';',
      '$1',
      '$$',
      ')',
      '(',
      ',',
      '}',
      '{',
      '%',
      '*',
      ':',
      '::text',
      ' or 1=1',
      "'); drop table public.sales; --",
      '" from auth.users --',
      "e'\\",
      'U&"',
      '\u0000',
      '\n',
      '\u2028',
      '￼',
      '𝒳',
      '.',
      '->',
      '->>0',
      '!inner',
      'null',
      'not.',
      'eq.',
    ),
    fc.string({ maxLength: 6 }),
  )
  .map(([fragment, noise]) => `${fragment}${SENTINEL}${noise}${fragment}`);

const table = fc.constantFrom('authors', 'books', 'genres', 'sales', 'profiles', 'book_list');
const columnsOf: Record<string, readonly string[]> = {
  authors: ['id', 'name', 'tags', 'info', 'Nom de plume', 'balance'],
  books: ['id', 'title', 'price', 'full_title', 'words'],
  genres: ['id', 'name'],
  sales: ['id', 'status', 'referred_contact_name', 'commercial_id', 'contract_amount'],
  profiles: ['id', 'full_name', 'email', 'role'],
  book_list: ['id', 'shout'],
};
const embedsOf: Record<string, readonly string[]> = {
  authors: ['books!author_id', 'first_book'],
  books: ['author_id', 'genres', 'by_same_author', 'covers'],
  genres: ['books'],
  sales: ['profiles!sales_commercial_id_fkey', 'commission_payments'],
  profiles: ['sales!sales_commercial_id_fkey'],
  book_list: ['authors'],
};
const quoted = (text: string): string => `"${text.replace(/["\\]/gu, '\\$&')}"`;
const encode = encodeURIComponent;

function pairs(name: string): fc.Arbitrary<{ query: string; keys: string[] }> {
  const columns = columnsOf[name] ?? [];
  const column = fc.constantFrom(...columns);
  const embed = fc.constantFrom(...(embedsOf[name] ?? []));
  const operator = fc.constantFrom(
    'eq',
    'neq',
    'gt',
    'lte',
    'like',
    'ilike',
    'match',
    'not.imatch',
    'cs',
    'cd',
    'ov',
    'sl',
    'nxr',
    'adj',
    'isdistinct',
    'fts',
    'fts(french)',
    'wfts',
    'like(any)',
    'eq(all)',
    'in',
    'is',
    'nothing',
  );
  const alias = fc.stringMatching(/^[a-zé_][\w é$]{0,6}[a-z]$/u);
  const filter = fc
    .tuple(column, operator, hostile)
    .map(([one, how, value]) => `${encode(one)}=${encode(`${how}.${value}`)}`);
  const members = fc
    .tuple(column, fc.array(hostile, { maxLength: 3 }))
    .map(([one, values]) => `${encode(one)}=${encode(`in.(${values.map(quoted).join(',')})`)}`);
  const tree = fc
    .tuple(column, operator, hostile, hostile)
    .map(
      ([one, how, value, other]) =>
        `or=${encode(`(${quoted(one)}.${how}.${quoted(value)},and(${quoted(one)}.eq.${other}))`)}`,
    );
  const path = fc
    .tuple(column, hostile, hostile)
    .map(([one, key, value]) => `${encode(`${quoted(one)}->>${quoted(key)}`)}=${encode(`eq.${value}`)}`);
  const order = fc
    .tuple(column, hostile)
    .map(([one, key]) => `order=${encode(`${quoted(one)}->${quoted(key)}.desc.nullslast,${quoted(one)}`)}`);
  const raw = fc
    .tuple(
      fc.constantFrom(
        'select',
        'order',
        'limit',
        'offset',
        'columns',
        'on_conflict',
        'and',
        'or',
        'x.y',
        'books.order',
      ),
      hostile,
    )
    .map(([key, value]) => `${key}=${encode(value)}`);
  const ownKey = fc.tuple(hostile, hostile).map(([key, value]) => `${encode(key)}=${encode(value)}`);
  const page = fc.tuple(fc.nat(2000), fc.nat(5000)).map(([limit, offset]) => `limit=${limit}&offset=${offset}`);
  const select = fc
    .tuple(column, alias, hostile, embed, alias, hostile)
    .map(([one, first, key, relation, second, value]) => ({
      query: `select=${encode(`${quoted(first)}:${quoted(one)},info:${quoted(one)}->${quoted(key)}::text,${quoted(second)}:${relation}(id)`)}&${encode(`${quoted(second)}.id`)}=${encode(`eq.${value}`)}`,
      keys: [first, second, 'info'],
    }));
  const plain = fc
    .array(fc.oneof(filter, members, tree, path, order, page, raw, ownKey), { minLength: 1, maxLength: 4 })
    .map((list) => ({ query: list.join('&'), keys: [] as string[] }));
  return fc.oneof(
    plain,
    fc.tuple(select, plain).map(([one, two]) => ({ query: `${one.query}&${two.query}`, keys: one.keys })),
  );
}

const preference = fc.oneof(
  fc.constantFrom(
    '',
    'count=exact',
    'count=estimated',
    'count=planned',
    'return=representation',
    'missing=default',
    'tx=rollback',
  ),
  hostile.map((text) => `timezone=${text}`.replace(/[^\x20-\x7e]/gu, '')),
  hostile.map((text) => text.replace(/[^\x20-\x7e]/gu, '')),
);

type Request = {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'DELETE';
  readonly url: string;
  readonly headers?: Record<string, string>;
  readonly payload?: string;
};

async function ask(request: Request, keys: readonly string[] = []): Promise<number> {
  sent = [];
  const { statusCode, body } = await app.inject(request);
  expectOnlyOurs(sent, new Set(keys));
  for (const { text } of sent) expect(text).not.toContain(SENTINEL);
  // A fault of ours would be 500 and say nothing; PostgreSQL’s own limits may say so.
  if (statusCode >= 500) expect([statusCode, request, body]).toEqual([0, request, '']);
  return statusCode;
}

describe('[X-61] no text of a request stands in a statement', () => {
  const as = fc.constantFrom('reader', 'admin');
  const RUNS = { numRuns: 300 } as const;

  test('[X-61] readings: filters, trees, lists, JSON paths, orders, pages, aliases, embeds, headers', async () => {
    const answers = new Map<number, number>();
    await fc.assert(
      fc.asyncProperty(
        table.chain((name) => fc.record({ name: fc.constant(name), asked: pairs(name) })),
        preference,
        fc.constantFrom('GET' as const, 'HEAD' as const),
        fc.constantFrom(
          '*/*',
          'text/csv',
          'application/vnd.pgrst.object+json',
          'application/vnd.pgrst.array+json;nulls=stripped',
        ),
        as,
        async ({ name, asked }, prefer, method, accept, who) => {
          const status = await ask(
            {
              method,
              url: `/rest/v1/${name}?${asked.query}`,
              headers: { ...headers[who], prefer, accept, range: '0-9' },
            },
            asked.keys,
          );
          answers.set(status, (answers.get(status) ?? 0) + 1);
        },
      ),
      RUNS,
    );
    // Something must have been read, or nothing was tried.
    expect(answers.get(200) ?? 0).toBeGreaterThan(10);
  });

  test('[X-61] writes: bodies, their keys, column lists, conflicts, filters', async () => {
    const answers = new Map<number, number>();
    const value = fc.oneof(hostile, fc.integer(), fc.constant(null), fc.boolean(), fc.array(hostile, { maxLength: 2 }));
    const row = fc.record(
      {
        id: fc.integer({ min: 1000, max: 1_000_000 }),
        name: value,
        info: value,
        tags: fc.array(hostile, { maxLength: 2 }),
      },
      { requiredKeys: ['id', 'name'] },
    );
    const foreignRow = fc.dictionary(hostile, value, { maxKeys: 3 });
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(row, fc.array(row, { minLength: 1, maxLength: 3 }), foreignRow),
        fc.constantFrom('POST' as const, 'PATCH' as const, 'DELETE' as const),
        fc.oneof(
          fc.constant('columns=id,name,tags'),
          fc.constant('on_conflict=id'),
          hostile.map((text) => `columns=${encode(text)}`),
        ),
        hostile.map((text) => `name=${encode(`eq.${text}`)}`),
        fc.constantFrom('resolution=merge-duplicates', 'resolution=ignore-duplicates', 'missing=default', ''),
        preference,
        async (body, method, first, second, resolution, prefer) => {
          const status = await ask({
            method,
            url: `/rest/v1/authors?${first}&${second}&select=id,name`,
            headers: {
              ...headers['reader'],
              'content-type': 'application/json',
              prefer: `return=representation, ${resolution}, ${prefer}`,
            },
            payload: JSON.stringify(body),
          });
          answers.set(status, (answers.get(status) ?? 0) + 1);
        },
      ),
      RUNS,
    );
    expect((answers.get(201) ?? 0) + (answers.get(200) ?? 0)).toBeGreaterThan(10);
  });

  test('[X-61] CSV and forms', async () => {
    await fc.assert(
      fc.asyncProperty(hostile, hostile, fc.boolean(), async (name, value, isForm) => {
        await ask({
          method: 'POST',
          url: '/rest/v1/genres',
          headers: { ...headers['reader'], 'content-type': isForm ? 'application/x-www-form-urlencoded' : 'text/csv' },
          payload: isForm
            ? `id=900&${encode(name)}=${encode(value)}`
            : `id,name\n900,"${value.replaceAll('"', '""')}"\n${value},${name}`,
        });
      }),
      { numRuns: 100 },
    );
  });

  test('[X-61] calls: names, arguments by body and by query, bodies whole', async () => {
    const answers = new Map<number, number>();
    const called = fc.oneof(
      {
        weight: 9,
        arbitrary: fc.constantFrom('add', 'shout', 'echo', 'books_of', 'one_book', 'numbers', 'overloaded'),
      },
      { weight: 1, arbitrary: hostile.map(encode) },
    );
    await fc.assert(
      fc.asyncProperty(called, hostile, hostile, fc.nat(4), async (name, argument, value, how) => {
        const url = `/rest/v1/rpc/${name}`;
        const requests: Request[] = [
          { method: 'GET', url: `${url}?${encode(argument)}=${encode(value)}&a=${encode(value)}` },
          {
            method: 'POST',
            url,
            payload: JSON.stringify({ a: value }),
            headers: { 'content-type': 'application/json' },
          },
          {
            method: 'POST',
            url,
            payload: JSON.stringify({ [argument]: value }),
            headers: { 'content-type': 'application/json' },
          },
          { method: 'POST', url, payload: value, headers: { 'content-type': 'text/plain' } },
          {
            method: 'GET',
            url: `${url}?author=1&upto=2&book=1&title=${encode(`eq.${value}`)}&order=${encode(argument)}`,
          },
        ];
        const request = requests[how];
        if (request === undefined) return;
        const status = await ask({ ...request, headers: { ...headers['reader'], ...request.headers } });
        answers.set(status, (answers.get(status) ?? 0) + 1);
      }),
      RUNS,
    );
    expect(answers.get(200) ?? 0).toBeGreaterThan(5);
  });

  test('[X-61] the check itself sees what is not bound', () => {
    for (const text of [
      `select '${SENTINEL}'`,
      `select "${SENTINEL}" from public.sales`,
      `select 1 from public.${SENTINEL}`,
      `select ${SENTINEL}(1)`,
      'select 1; select 2',
      `select 1::${SENTINEL}`,
      `select id as "${SENTINEL}" from public.sales`,
    ]) {
      expect(() => expectOnlyOurs([{ text }], new Set())).toThrow();
    }
  });
});
