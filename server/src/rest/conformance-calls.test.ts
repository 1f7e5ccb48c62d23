// @module-tag long: src/rest/reads.test.ts holds its subject in the quick ring
import { createClient } from '@supabase/supabase-js';
import type { SupabaseClient } from '@supabase/supabase-js';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { bounded as boundedBy, openLibrary } from '../testing/library.ts';
import { aClient, startTestServer } from '../testing/index.ts';
import type { Person, TestServer } from '../testing/index.ts';

/** Functions by the official client (contract §2.9), errors that a function words itself (§2.11), and a schema that changes. */

let server: TestServer;
let reader: Person;
let library: SupabaseClient;

beforeAll(async () => {
  server = await startTestServer({ doors: ['rest', 'realtime'], jobs: false });
  await openLibrary(server.database);
  reader = await aClient(server.database);
  library = await server.client(reader);
});
afterAll(() => server.close());

type Asked = PromiseLike<{ data: unknown; error: { code: string } | null; status: number }>;

async function outcome(query: Asked): Promise<unknown> {
  const { data, error, status } = await query;
  return error === null ? [status, data] : [status, error.code];
}

describe('rpc', () => {
  test.each<[string, () => Asked, unknown]>([
    ['a value, its arguments by name', () => library.rpc('add', { a: 1, b: 2 }), [200, 3]],
    ['a default', () => library.rpc('add', { a: 1 }), [200, 11]],
    ['by GET', () => library.rpc('add', { a: 1, b: 2 }, { get: true }), [200, 3]],
    ['a list by GET', () => library.rpc('sums', { numbers: [1, 2, 3] }, { get: true }), [200, 6]],
    ['a list by POST', () => library.rpc('sums', { numbers: [1, 2, 3] }), [200, 6]],
    ['rows', () => library.rpc('books_of', { author: 1 }).select('id'), [200, [{ id: 1 }, { id: 2 }]]],
    [
      'rows, filtered, sorted and cut',
      () =>
        library.rpc('books_of', { author: 1 }).select('id').gt('pages', 100).order('id', { ascending: false }).limit(1),
      [200, [{ id: 2 }]],
    ],
    [
      'rows with their relations',
      () => library.rpc('books_of', { author: 2 }).select('id,author_id(name)'),
      [200, [{ id: 3, author_id: { name: 'Hugo' } }]],
    ],
    [
      'rows by GET, a filter beside an argument',
      () => library.rpc('books_of', { author: 1 }, { get: true }).select('id').eq('id', 2),
      [200, [{ id: 2 }]],
    ],
    ['one of several', () => library.rpc('books_of', { author: 1 }).select('id').single(), [406, 'PGRST116']],
    [
      'one row',
      () => library.rpc('one_book', { book: 3 }).select('id,title'),
      [200, { id: 3, title: 'Les Misérables' }],
    ],
    ['a list of values', () => library.rpc('numbers', { upto: 3 }), [200, [1, 2, 3]]],
    ['a part of it', () => library.rpc('numbers', { upto: 9 }).range(2, 3), [200, [3, 4]]],
    ['a table of its own', () => library.rpc('pairs').select('letter').eq('place', 2), [200, [{ letter: 'b' }]]],
    ['a table of its own has no relations', () => library.rpc('pairs').select('letter,books(id)'), [400, 'PGRST200']],
    ['nothing', () => library.rpc('nothing'), [204, null]],
    ['one unnamed JSON', () => library.rpc('echo', { any: { thing: [1] } }), [200, { any: { thing: [1] } }]],
    ['overloaded, by how many arguments', () => library.rpc('overloaded', { a: 1, b: 2 }), [200, 'two']],
    ['overloaded, by types alone', () => library.rpc('overloaded', { a: 1 }), [300, 'PGRST203']],
    ['no such function', () => library.rpc('subtract', { a: 1 }), [404, 'PGRST202']],
    ['an argument that it has not', () => library.rpc('add', { a: 1, c: 2 }), [404, 'PGRST202']],
    ['an argument too few', () => library.rpc('add', { b: 1 }), [404, 'PGRST202']],
    ['an argument of another type', () => library.rpc('add', { a: 'x' }), [400, '22P02']],
    ['a column that the rows have not', () => library.rpc('books_of', { author: 1 }).select('nothing'), [400, '42703']],
    ['a visitor without the right', async () => (await server.client()).rpc('add', { a: 1 }), [401, '42501']],
    ['writing by GET', () => library.rpc('rename_author', { author: 3, new_name: 'x' }, { get: true }), [405, '25006']],
    [
      'writing, and what was written',
      () => library.rpc('rename_author', { author: 3, new_name: 'Anonyme' }).select('id,name').single(),
      [200, { id: 3, name: 'Anonyme' }],
    ],
    [
      'an argument that looks like a filter',
      () => library.rpc('rename_author', { author: 3, new_name: 'eq.Inconnu' }).select('name'),
      [200, [{ name: 'eq.Inconnu' }]],
    ],
  ])('[RE-12] %s', async (_, query, expected) => {
    expect(await outcome(query())).toEqual(expected);
  });

  test('[RE-12] counts and heads', async () => {
    const counted = await library.rpc('books_of', { author: 1 }, { count: 'exact' }).select('id').limit(1);
    expect([counted.status, counted.count, counted.data]).toEqual([206, 2, [{ id: 1 }]]);
    const head = await library.rpc('books_of', { author: 1 }, { head: true, count: 'exact' });
    expect([head.status, head.count, head.data]).toEqual([200, 2, null]);
    // An argument that is an object makes it a POST.
    const posted = await library.rpc('echo', { a: { b: 1 } }, { head: true });
    expect([posted.status, posted.data]).toEqual([204, null]);
  });

  test('[RE-12] in a query string a dotted value is an argument unless an operator starts it', async () => {
    for (const [value, shouted] of [
      ['jean.dupont@exemple.fr', 'JEAN.DUPONT@EXEMPLE.FR'],
      ['2.5', '2.5'],
      ['is.it', 'IS.IT'],
    ]) {
      await server.database.asOwner(
        `create or replace function public.upper_of(said text) returns text language sql immutable as $$ select upper(said) $$;
         grant execute on function public.upper_of(text) to authenticated; notify pgrst`,
      );
      await expect
        .poll(async () => outcome(library.rpc('upper_of', { said: value }, { get: true })))
        .toEqual([200, shouted]);
    }
  });

  test('[RE-12] a body whole: text, bytes, JSON that is no object', async () => {
    const call = async (
      name: string,
      type: string,
      body: string | Uint8Array<ArrayBuffer>,
    ): Promise<[number, unknown]> => {
      const response = await server.fetch(
        `/rest/v1/rpc/${name}`,
        { method: 'POST', body, headers: { 'content-type': type } },
        reader,
      );
      return [response.status, await response.json()];
    };
    expect(await call('shout', 'text/plain', 'bonjour')).toEqual([200, 'BONJOUR']);
    expect(await call('measure', 'application/octet-stream', new Uint8Array([0, 255, 10]))).toEqual([200, 3]);
    expect(await call('echo', 'application/json', '[1,{"a":2.50}]')).toEqual([200, [1, { a: 2.5 }]]);
    expect(await call('add', 'application/x-www-form-urlencoded', 'a=1&b=2')).toEqual([200, 3]);
    expect(await call('add', 'application/json', '[1]')).toMatchObject([404, { code: 'PGRST202' }]);
    expect(await call('add', 'application/json', '{')).toMatchObject([400, { code: 'PGRST102' }]);
    expect(await call('add', 'image/png', 'x')).toMatchObject([400, { code: 'PGRST102' }]);
  });

  test('[RE-12] what could not be found or chosen is said', async () => {
    const unknown = await library.rpc('subtract', { a: 1, b: 2 });
    expect(unknown.error).toMatchObject({
      message: 'Could not find the function public.subtract(a, b) in the schema cache',
      details:
        'Searched for the function public.subtract with parameters a, b or with a single unnamed json/jsonb parameter, but no matches were found in the schema cache.',
      hint: null,
    });
    const several = await library.rpc('overloaded', { a: 1 });
    expect(several.error?.message).toBe(
      'Could not choose the best candidate function between: public.overloaded(a => integer), public.overloaded(a => text)',
    );
    const verb = await server.fetch('/rest/v1/rpc/add', { method: 'DELETE' }, reader);
    expect([verb.status, await verb.json()]).toMatchObject([405, { code: 'PGRST101' }]);
  });

  test('[RE-12] bounded, tried, and asked for one: nothing is kept where it cannot be answered', async () => {
    const names = async (): Promise<unknown> => server.database.asOwner('select name from public.authors order by id');
    const before = await names();
    const bounded = await boundedBy(library.rpc('rename_all', { new_name: 'tous' }), 1);
    expect([bounded.status, bounded.error?.code]).toEqual([400, 'PGRST124']);
    const one = await library.rpc('rename_all', { new_name: 'tous' }).single();
    expect([one.status, one.error?.code]).toEqual([406, 'PGRST116']);
    const tried = await library.rpc('rename_all', { new_name: 'tous' }).select('name').limit(1).rollback();
    expect([tried.status, tried.data]).toEqual([200, [{ name: 'tous' }]]);
    expect(await names()).toEqual(before);
    const notRows = await boundedBy(library.rpc('add', { a: 1 }), 1);
    expect([notRows.status, notRows.error?.code]).toEqual([400, 'PGRST128']);
  });
});

describe('errors that a function words', () => {
  const says = async (state: string, said: string, more?: string): Promise<Response> =>
    server.fetch(
      '/rest/v1/rpc/says',
      {
        method: 'POST',
        body: JSON.stringify({ state, said, ...(more === undefined ? {} : { more }) }),
        headers: { 'content-type': 'application/json' },
      },
      reader,
    );

  test('[E-01] PGRST: body, status and headers are the function’s', async () => {
    const response = await says(
      'PGRST',
      '{"code":"MINE","message":"non","details":"parce que","hint":"plus tard"}',
      '{"status":418,"headers":{"X-Mine":"1"}}',
    );
    expect([response.status, response.headers.get('x-mine'), await response.json()]).toEqual([
      418,
      '1',
      { code: 'MINE', message: 'non', details: 'parce que', hint: 'plus tard' },
    ]);
    for (const [said, more] of [
      ['non', '{"status":418}'],
      ['{"code":"a","message":"b"}', 'non'],
      ['{"code":"a","message":"b"}', '{"status":"x"}'],
      ['{"code":"a","message":"b"}', '{"status":99}'],
    ] as const) {
      const bad = await says('PGRST', said, more);
      expect([bad.status, ((await bad.json()) as { code: string }).code]).toEqual([500, 'PGRST121']);
    }
  });

  test.each([
    ['08006', 503],
    ['09000', 500],
    ['0L000', 403],
    ['0P000', 403],
    ['22023', 400],
    ['23502', 400],
    ['23503', 409],
    ['23505', 409],
    ['23514', 400],
    ['25006', 405],
    ['25001', 500],
    ['28P01', 403],
    ['2D000', 500],
    ['38000', 500],
    ['39000', 500],
    ['3B000', 500],
    ['40003', 500],
    ['42501', 403],
    ['42703', 400],
    ['42883', 404],
    ['42P01', 404],
    ['42P17', 500],
    ['53100', 503],
    ['53400', 500],
    ['54000', 500],
    ['55006', 500],
    ['57014', 500],
    ['57P01', 503],
    ['58030', 500],
    ['F0000', 500],
    ['HV000', 500],
    ['P0001', 400],
    ['P0002', 500],
    ['XX000', 500],
    ['PT409', 409],
    ['21000', 500],
  ])('[E-01] SQLSTATE %s is %i', async (state, status) => {
    expect((await says(state, 'non')).status).toBe(status);
  });

  test('[E-01] two of them depend on what is said', async () => {
    expect((await says('21000', 'UPDATE requires a WHERE clause')).status).toBe(400);
    expect((await says('22023', 'role "x" does not exist')).status).toBe(401);
  });
});

describe('a schema that changes', () => {
  test('[RE-01] what a migration makes is there once it says so, and what it drops is gone', async () => {
    expect((await library.from('newcomer').select()).status).toBe(404);
    await server.database.asOwner(
      `create table public.newcomer (id integer primary key); alter table public.newcomer enable row level security;
       grant select on public.newcomer to authenticated; create policy newcomer_all on public.newcomer for select using (true);
       notify pgrst, 'reload schema'`,
    );
    await expect.poll(async () => (await library.from('newcomer').select()).status).toBe(200);
    await server.database.asOwner(`drop table public.newcomer; notify pgrst, 'reload schema'`);
    await expect.poll(async () => (await library.from('newcomer').select()).error?.code).toBe('PGRST205');
  });

  test('[RE-01] while the schema cannot be read again, the old one serves', async () => {
    // The catalogue is read as the service: without its right to log in as it, every reload fails.
    const db = server.database;
    await db
      .asOwner(
        `create table public.later (id integer primary key); grant select on public.later to authenticated;
       alter function pg_catalog.format_type(oid, integer) owner to current_user`,
      )
      .catch(() => undefined);
    await db.asOwner(`revoke execute on function pg_catalog.format_type(oid, integer) from public; notify pgrst`);
    // Time itself: it tries, and fails, unseen.
    await wait(200);
    try {
      expect((await library.from('genres').select('id').limit(1)).status).toBe(200);
    } finally {
      await db.asOwner('grant execute on function pg_catalog.format_type(oid, integer) to public');
    }
    // It is tried again by itself.
    await expect.poll(async () => (await library.from('later').select()).status).toBe(200);
  });
});

test('[P-04] the secret key acts as the service, in no browser', async () => {
  const service = createClient(server.url, server.services.keys.secretKey, { auth: { persistSession: false } });
  expect((await service.from('profiles').select('id')).status).toBe(200);
});
