import type { SupabaseClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { openLibrary } from '../testing/library.ts';
import { aClient, anAdmin, startTestServer } from '../testing/index.ts';
import type { Person, TestServer } from '../testing/index.ts';

/** Calls, answers and hints as PostgREST has them, by the unmodified official client (DF-50, DF-51). */

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
create function public.whole(text) returns text language sql immutable as $$ select $1 $$;
create function public.none_or_whole() returns text language sql immutable as $$ select 'none' $$;
create function public.none_or_whole(text) returns text language sql immutable as $$ select $1 $$;
create function public.maybe_whole() returns text language sql immutable as $$ select 'none' $$;
create function public.maybe_whole(text default 'x') returns text language sql immutable as $$ select $1 $$;
create function public.json_or_jsonb(jsonb) returns text language sql immutable as $$ select 'jsonb' $$;
create function public.json_or_jsonb(json) returns text language sql immutable as $$ select 'json' $$;
create function public.chosen(b integer, a integer default 1, c integer default 1) returns integer language sql immutable as $$ select 3 $$;
create function public.chosen(b text, a integer default 1) returns integer language sql immutable as $$ select 2 $$;
create function public.chosen(b integer, a integer default 1) returns integer language sql immutable as $$ select 1 $$;
create function public.joined(sep text, variadic words text[]) returns text language sql immutable as
  $$ select array_to_string(words, sep) $$;
create function public.all_of(variadic numbers integer[] default '{}') returns integer language sql immutable as
  $$ select cardinality(numbers) $$;
create function public.answers(status text, headers text default '') returns text language plpgsql stable as $$ begin
  perform set_config('response.status', status, true), set_config('response.headers', headers, true); return 'fait'; end $$;
create function public.answers_rows(status text) returns setof public.genres language plpgsql stable as $$ begin
  perform set_config('response.status', status, true); return query select * from public.genres order by id; end $$;
create function public.tells_headers() returns trigger language plpgsql as $$ begin
  perform set_config('response.headers', '[{"X-Said": "oui"}]', true); return new; end $$;
create trigger genres_tell before insert on public.genres for each row execute function public.tells_headers();
grant execute on all functions in schema public to authenticated;
create function public.adder() returns integer language sql as $$ select 1 $$;
revoke execute on function public.adder() from public, authenticated;
create table public.kiwis (id integer primary key);
notify pgrst, 'reload schema';
`;

async function send(method: string, path: string, body?: string, headers: Record<string, string> = {}) {
  const init = {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body }),
  };
  const response = await server.fetch(`/rest/v1/${path}`, init, reader);
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? null : (JSON.parse(text) as unknown),
  };
}

const HINT =
  'Try renaming the parameters or the function itself in the database so function overloading can be resolved';

describe('which function is called', () => {
  test('[DF-50] one unnamed text argument takes the whole body, by the name "" as well', async () => {
    expect(await library.rpc('whole', { '': 'test' })).toMatchObject({ status: 200, data: '{"":"test"}' });
    expect((await send('POST', 'rpc/whole', 'bonjour', { 'content-type': 'text/plain' })).body).toBe('bonjour');
    expect(await library.rpc('whole', { a: 1 })).toMatchObject({ status: 404, error: { code: 'PGRST202' } });
  });

  test('[DF-50] inside overloads, the one without arguments or the one with the whole body', async () => {
    expect(await library.rpc('none_or_whole')).toMatchObject({ status: 200, data: 'none' });
    expect(await library.rpc('none_or_whole', { '': true })).toMatchObject({ status: 200, data: '{"":true}' });
    expect(await library.rpc('maybe_whole', { '': 'x' })).toMatchObject({ status: 200, data: '{"":"x"}' });
  });

  test('[DF-50] where both could be meant: 300 PGRST203, the candidates in the official order', async () => {
    expect(await library.rpc('maybe_whole')).toMatchObject({
      status: 300,
      error: {
        code: 'PGRST203',
        message:
          'Could not choose the best candidate function between: public.maybe_whole(), public.maybe_whole( => text)',
        details: null,
        hint: HINT,
      },
    });
    expect(await library.rpc('json_or_jsonb', { any: 1 })).toMatchObject({
      status: 300,
      error: {
        code: 'PGRST203',
        message:
          'Could not choose the best candidate function between: public.json_or_jsonb( => json), public.json_or_jsonb( => jsonb)',
      },
    });
    const signatures = [
      'public.chosen(b => integer, a => integer)',
      'public.chosen(b => text, a => integer)',
      'public.chosen(b => integer, a => integer, c => integer)',
    ];
    expect(await library.rpc('chosen', { b: 1 })).toMatchObject({
      status: 300,
      error: {
        code: 'PGRST203',
        message: `Could not choose the best candidate function between: ${signatures.join(', ')}`,
      },
    });
    expect(await library.rpc('chosen', { b: 1, c: 2 })).toMatchObject({ status: 200, data: 3 });
  });

  test('[DF-50] VARIADIC arguments, from JSON and from repeated parameters', async () => {
    expect(await library.rpc('joined', { sep: '-', words: ['a', 'b', 'c'] })).toMatchObject({
      status: 200,
      data: 'a-b-c',
    });
    expect(await library.rpc('all_of', { numbers: [1, 2] })).toMatchObject({ status: 200, data: 2 });
    expect(await library.rpc('all_of')).toMatchObject({ status: 200, data: 0 });
    expect((await send('GET', 'rpc/joined?sep=-&words=a&words=b%20c')).body).toBe('a-b c');
    expect((await send('GET', 'rpc/all_of?numbers=4')).body).toBe(1);
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await send('POST', 'rpc/joined', 'sep=%2B&words=a&words=b', form)).body).toBe('a+b');
    // Of any other argument the last counts.
    expect((await send('GET', 'rpc/add?a=1&a=2&b=3')).body).toBe(5);
  });
});

describe('what a function says of the reply', () => {
  test('[DF-51] its status and its headers are used', async () => {
    const teapot = await library.rpc('answers', { status: '202' });
    expect([teapot.status, teapot.data, teapot.error]).toEqual([202, 'fait', null]);
    const headers =
      '[{"X-Mine": "un"}, {"Set-Cookie": "a=1"}, {"Set-Cookie": "b=2"}, {"Cache-Control": "max-age=60"}, {"Content-Length": "1"}]';
    for (const said of [
      await send('POST', 'rpc/answers', JSON.stringify({ status: '', headers })),
      await send('GET', `rpc/answers?status=&headers=${encodeURIComponent(headers)}`),
    ]) {
      expect([said.status, said.body]).toEqual([200, 'fait']);
      expect(said.headers.get('x-mine')).toBe('un');
      expect(said.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
      expect(said.headers.get('cache-control')).toBe('max-age=60');
    }
    const rows = await library.rpc('answers_rows', { status: '207' }).select('id').limit(1);
    expect([rows.status, rows.data]).toEqual([207, [{ id: 1 }]]);
    const byGet = await library.rpc('answers_rows', { status: '203' }, { get: true }).select('id').limit(1);
    expect([byGet.status, byGet.data]).toEqual([203, [{ id: 1 }]]);
  });

  test('[DF-51] a trigger of a write says them as well, and the next request says nothing of it', async () => {
    const made = await send('POST', 'genres', '{"id":70,"name":"dit"}');
    expect([made.status, made.headers.get('x-said')]).toEqual([201, 'oui']);
    expect((await send('GET', 'genres?id=eq.70')).headers.get('x-said')).toBeNull();
  });

  test.each([
    ['abc', '', 'PGRST112', 'response.status guc must be a valid status code'],
    ['99', '', 'PGRST112', 'response.status guc must be a valid status code'],
    [
      '',
      '{"a": "b"}',
      'PGRST111',
      'response.headers guc must be a JSON array composed of objects with a single key and a string value',
    ],
    [
      '',
      '[{"a": "b", "c": "d"}]',
      'PGRST111',
      'response.headers guc must be a JSON array composed of objects with a single key and a string value',
    ],
    [
      '',
      '[{"a": "b\\r\\nc: d"}]',
      'PGRST111',
      'response.headers guc must be a JSON array composed of objects with a single key and a string value',
    ],
  ])('[DF-51] « %s » and « %s » are no status and no headers: %s', async (status, headers, code, message) => {
    expect(await library.rpc('answers', { status, headers })).toMatchObject({ status: 500, error: { code, message } });
  });
});

describe('PUT of one row by its key', () => {
  test('[DF-51] makes it, then replaces it', async () => {
    const made = await send('PUT', 'genres?id=eq.50', '{"id":50,"name":"essai"}');
    expect([made.status, made.body]).toEqual([201, null]);
    const replaced = await send('PUT', 'genres?id=eq.50', '[{"id":50,"name":"conte"}]');
    expect([replaced.status, replaced.body]).toEqual([204, null]);
    const shown = await send('PUT', 'genres?id=eq.50', '{"id":50,"name":"fable"}', { prefer: 'return=representation' });
    expect([shown.status, shown.body]).toEqual([200, [{ id: 50, name: 'fable' }]]);
    expect((await library.from('genres').select().eq('id', 50).single()).data).toEqual({ id: 50, name: 'fable' });
  });

  test('[DF-51] a key of two columns', async () => {
    const path = 'editions?country=eq.be&number=eq.3';
    expect((await send('PUT', path, '{"country":"be","number":3,"label":"neuve"}')).status).toBe(201);
    expect((await send('PUT', path, '{"country":"be","number":3,"label":"vieille"}')).status).toBe(204);
    expect((await library.from('editions').select('label').eq('country', 'be').single()).data).toEqual({
      label: 'vieille',
    });
  });

  test.each([
    ['genres', 405, 'PGRST105'],
    ['genres?name=eq.x', 405, 'PGRST105'],
    ['genres?id=eq.1&name=eq.x', 405, 'PGRST105'],
    ['genres?id=gt.1', 405, 'PGRST105'],
    ['genres?id=not.eq.1', 405, 'PGRST105'],
    ['genres?or=(id.eq.1)', 405, 'PGRST105'],
    ['editions?country=eq.fr', 405, 'PGRST105'],
    ['genres?id=eq.1&limit=1', 400, 'PGRST114'],
    ['genres?id=eq.2', 400, 'PGRST115'],
    ['book_list?id=eq.1', 405, 'PGRST105'],
  ])('[DF-51] PUT %s of the row 1: %i %s, and nothing is written', async (path, status, code) => {
    const before = await server.database.asOwner('select * from public.genres order by id');
    expect(await send('PUT', path, '{"id":1,"name":"autre"}')).toMatchObject({ status, body: { code } });
    expect(await server.database.asOwner('select * from public.genres order by id')).toEqual(before);
  });

  test('[DF-51] grants and policies decide: no table of the product is written so, by an admin neither', async () => {
    const admin = await anAdmin(server.database);
    const id = '00000000-0000-4000-8000-000000000001';
    const init = {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id, status: 'validated' }),
    };
    const response = await server.fetch(`/rest/v1/sales?id=eq.${id}`, init, admin);
    expect([response.status, await response.json()]).toMatchObject([403, { code: '42501' }]);
  });
});

describe('near names', () => {
  test('[DF-51] PGRST205 hints at the near table, PGRST202 at the near function or its arguments', async () => {
    const table = await library.from('author').select();
    expect(table.error).toMatchObject({
      code: 'PGRST205',
      message: "Could not find the table 'public.author' in the schema cache",
      hint: "Perhaps you meant the table 'public.authors'",
    });
    expect((await library.rpc('overload', { a: 1 })).error).toMatchObject({
      code: 'PGRST202',
      hint: 'Perhaps you meant to call the function public.overloaded',
    });
    expect((await library.rpc('add', { a: 1, c: 2 })).error).toMatchObject({
      code: 'PGRST202',
      hint: 'Perhaps you meant to call the function public.add(a, b)',
    });
    expect((await library.from('zzz').select()).error).toMatchObject({ code: 'PGRST205', hint: null });
  });

  test('[DF-51] and never at what the caller may not use', async () => {
    expect((await library.from('kiwi').select()).error).toMatchObject({ code: 'PGRST205', hint: null });
    expect((await library.rpc('addr')).error?.hint).toBe('Perhaps you meant to call the function public.add');
    const visitor = await server.client();
    expect((await visitor.from('author').select()).error).toMatchObject({ code: 'PGRST205', hint: null });
    expect((await visitor.rpc('ad')).error).toMatchObject({ code: 'PGRST202', hint: null });
  });

  test('[DF-51] a missing column of an embed is named by its alias', async () => {
    const missing = async (select: string) => (await library.from('books').select(select)).error;
    expect(await missing('title,author_id(nothing)')).toMatchObject({
      code: '42703',
      message: 'column authors_1.nothing does not exist',
    });
    expect(await missing('writer:author_id(books!books_author_id_fkey(nothing))')).toMatchObject({
      message: 'column books_2.nothing does not exist',
    });
    expect(await missing('nothing')).toMatchObject({ message: 'column books.nothing does not exist' });
  });
});
