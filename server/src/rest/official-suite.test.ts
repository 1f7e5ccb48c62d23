import type { SupabaseClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { openLibrary } from '../testing/library.ts';
import { aClient, startTestServer } from '../testing/index.ts';
import type { Person, TestServer } from '../testing/index.ts';

/** Differences that the official client's own suite showed (rows FX-40 to FX-46), tested by that client. */

let server: TestServer;
let reader: Person;
let library: SupabaseClient;

beforeAll(async () => {
  server = await startTestServer({ doors: ['rest'], jobs: false });
  await openLibrary(server.database);
  await server.database.asOwner(FUNCTIONS);
  reader = await aClient(server.database);
  library = await server.client(reader);
});
afterAll(() => server.close());

const FUNCTIONS = `
create function public.echo_document(jsonb) returns jsonb language sql immutable as $$ select $1 $$;
create function public.unnamed_number(integer) returns integer language sql immutable as $$ select $1 $$;
create function public.two_unnamed(json, json) returns json language sql immutable as $$ select $1 $$;
create function public.unnamed_default(integer default 1) returns integer language sql immutable as $$ select $1 $$;
create function public.latest_book(public.authors) returns public.books language sql stable as
  $$ select * from public.books b where b.author_id = $1.id order by b.id desc limit 1 $$;
create function public.header(name text) returns text language sql stable as
  $$ select current_setting('request.headers', true)::json ->> name $$;
create function public.request() returns json language sql stable as $$ select json_build_object(
  'method', current_setting('request.method', true), 'path', current_setting('request.path', true),
  'cookies', current_setting('request.cookies', true)::json) $$;
grant execute on all functions in schema public to authenticated;
`;

describe('count as a column', () => {
  test('[FX-40] `count` of a relation is one row with its number of rows', async () => {
    expect(await library.from('books').select('count')).toMatchObject({ status: 200, data: [{ count: 3 }] });
    expect((await library.from('books').select('count').eq('author_id', 1).single()).data).toEqual({ count: 2 });
    expect((await library.from('books').select('n:count').eq('author_id', 9)).data).toEqual([{ n: 0 }]);
    expect((await library.from('books').select('count::text')).data).toEqual([{ count: '3' }]);
  });

  test('[FX-40] an embedded `count` counts the rows that the caller sees, under the embed’s own filters', async () => {
    const counts = library.from('authors').select('id,books!books_author_id_fkey(count)').order('id');
    expect((await counts).data).toEqual([
      { id: 1, books: [{ count: 2 }] },
      { id: 2, books: [{ count: 1 }] },
      { id: 3, books: [{ count: 0 }] },
    ]);
    const dear = library.from('authors').select('id,books!books_author_id_fkey(count)').eq('id', 1);
    expect((await dear.gt('books.price', 12.75)).data).toEqual([{ id: 1, books: [{ count: 1 }] }]);
    const all = await library.from('authors').select('*,books!books_author_id_fkey(count)').eq('id', 2).single();
    expect(all.data).toMatchObject({ name: 'Hugo', books: [{ count: 1 }] });
  });

  test('[FX-40] beside `count` no column is shown and nothing is ordered', async () => {
    expect((await library.from('books').select('id,count')).error).toMatchObject({ code: '42803' });
    expect((await library.from('books').select('count').order('id')).error).toMatchObject({ code: '42803' });
    expect((await library.from('books').select('count()')).error).toMatchObject({ code: 'PGRST123' });
  });
});

describe('functions without argument names', () => {
  const called = async (name: string, body: string, type = 'application/json') => {
    const init = { method: 'POST', body, headers: { 'content-type': type } };
    const response = await server.fetch(`/rest/v1/rpc/${name}`, init, reader);
    return [response.status, await response.json()];
  };

  test('[FX-41] one unnamed json, jsonb or text argument gets the whole body', async () => {
    expect(await called('echo', '{"": 1}')).toEqual([200, { '': 1 }]);
    expect(await called('echo_document', '{"a": [1, 2]}')).toEqual([200, { a: [1, 2] }]);
    expect(await called('echo_document', '[]')).toEqual([200, []]);
    expect(await called('shout', '{"a": 1}', 'text/plain')).toEqual([200, '{"A": 1}']);
  });

  test.each(['unnamed_number', 'two_unnamed', 'unnamed_default', 'full_title'])(
    '[FX-41] with any other unnamed argument there is no such function: %s',
    async (name) => {
      for (const body of ['{}', '{"": 1}', '1']) {
        expect(await called(name, body)).toMatchObject([404, { code: 'PGRST202' }]);
      }
      const byGet = await server.fetch(`/rest/v1/rpc/${name}?=1`, {}, reader);
      expect([byGet.status, await byGet.json()]).toMatchObject([404, { code: 'PGRST202' }]);
    },
  );

  test('[FX-46] PGRST202 says what was looked for in the official words', async () => {
    const details = async (args: object | undefined, get = false) => {
      const { error } = await library.rpc('subtract', args, { get });
      return [error?.message, error?.details];
    };
    const end = 'but no matches were found in the schema cache.';
    const orWhole = 'or with a single unnamed json/jsonb parameter';
    expect(await details({ a: 1 })).toEqual([
      'Could not find the function public.subtract(a) in the schema cache',
      `Searched for the function public.subtract with parameter a ${orWhole}, ${end}`,
    ]);
    expect(await details({ a: 1, b: 2 })).toEqual([
      'Could not find the function public.subtract(a, b) in the schema cache',
      `Searched for the function public.subtract with parameters a, b ${orWhole}, ${end}`,
    ]);
    expect(await details(undefined)).toEqual([
      'Could not find the function public.subtract without parameters in the schema cache',
      `Searched for the function public.subtract without parameters ${orWhole}, ${end}`,
    ]);
    expect(await details({ a: 1 }, true)).toEqual([
      'Could not find the function public.subtract(a) in the schema cache',
      `Searched for the function public.subtract with parameter a, ${end}`,
    ]);
    expect(await called('subtract', 'x', 'text/plain')).toMatchObject([
      404,
      {
        message: 'Could not find the function public.subtract in the schema cache',
        details: `Searched for the function public.subtract with a single unnamed text parameter, ${end}`,
      },
    ]);
  });
});

describe('what functions give', () => {
  test('[FX-42] a value is counted as one, also by GET and by HEAD', async () => {
    for (const how of [{}, { get: true }, { head: true }] as const) {
      const { status, count, data } = await library.rpc('add', { a: 1 }, { count: 'exact', ...how });
      expect([status, count, data]).toEqual([200, 1, 'head' in how ? null : 11]);
    }
  });

  test('[FX-42] a set of values is counted beyond the page', async () => {
    const { status, count, data } = await library.rpc('numbers', { upto: 9 }, { count: 'exact' }).range(2, 3);
    expect([status, count, data]).toEqual([206, 9, [3, 4]]);
  });

  test('[FX-43] one composite value that a filter leaves out is null', async () => {
    const left = await library.rpc('one_book', { book: 3 }).eq('id', 4);
    expect([left.status, left.data, left.error]).toEqual([200, null, null]);
    expect((await library.rpc('one_book', { book: 3 }).eq('id', 3)).data).toMatchObject({ id: 3 });
    // A request for exactly one row is told that there is none.
    expect((await library.rpc('one_book', { book: 3 }).eq('id', 4).single()).error).toMatchObject({ code: 'PGRST116' });
  });

  test('[FX-43] an empty computed relation of one row is an object whose fields are null', async () => {
    const one = library.from('authors').select('latest_book(id,title)');
    expect((await one.eq('id', 3).single()).data).toEqual({ latest_book: { id: null, title: null } });
    const set = library.from('authors').select('first_book(title)');
    expect((await set.eq('id', 3).single()).data).toEqual({ first_book: null });
  });

  test('[FX-44] a function reads the request’s headers, method, path and cookies', async () => {
    const init = { headers: { 'x-trace': 'abc', cookie: 'theme=sombre; taille=2=3' } };
    const header = await server.fetch('/rest/v1/rpc/header?name=x-trace', init, reader);
    expect(await header.json()).toBe('abc');
    const request = await server.fetch('/rest/v1/rpc/request', { ...init }, reader);
    expect(await request.json()).toEqual({
      method: 'GET',
      path: '/rpc/request',
      cookies: { theme: 'sombre', taille: '2=3' },
    });
    expect((await library.rpc('request')).data).toMatchObject({ method: 'POST', cookies: {} });
  });
});

test('[FX-44] where no function reads the request, no transaction says it', async () => {
  const plain = await startTestServer({ doors: ['rest', 'realtime'], jobs: false });
  try {
    const person = await aClient(plain.database);
    // Made after the schema was read, so that it alone could see the settings.
    await (await plain.client(person)).from('profiles').select('id');
    await plain.database.asOwner(`
      create function public.seen() returns text language sql stable as
        $$ select current_setting(concat('request', '.method'), true) $$;
      grant execute on function public.seen() to authenticated; notify pgrst, 'reload schema'`);
    const seen = async () => (await plain.client(person)).rpc('seen');
    await expect.poll(async () => (await seen()).status).toBe(200);
    expect((await seen()).data).toBeNull();
  } finally {
    await plain.close();
  }
});
