// @module-tag long: src/rest/reads.test.ts holds its subject in the quick ring
import type { SupabaseClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

import { bounded, openLibrary } from '../testing/library.ts';
import { aClient, startTestServer } from '../testing/index.ts';
import type { Person, TestServer } from '../testing/index.ts';

/** Writes by the official client: preferences (contract §2.7) and what each verb does (§2.8). */

let server: TestServer;
let reader: Person;
let library: SupabaseClient;

beforeAll(async () => {
  server = await startTestServer({ doors: ['rest'], jobs: false });
  await openLibrary(server.database);
  reader = await aClient(server.database);
  library = await server.client(reader);
});
afterAll(() => server.close());
beforeEach(async () => {
  await server.database.asOwner(
    `delete from public.book_genres where genre_id > 2; delete from public.genres where id > 2;
     update public.genres set name = case id when 1 then 'roman' else 'humour' end;
     delete from public.books where id > 4`,
  );
});

const genres = () => library.from('genres');
const held = async (): Promise<unknown> => server.database.asOwner('select id, name from public.genres order by id');
const START = [
  { id: 1, name: 'roman' },
  { id: 2, name: 'humour' },
];

async function send(
  method: string,
  path: string,
  body: string,
  headers: Record<string, string> = {},
): Promise<Response> {
  return server.fetch(
    `/rest/v1/${path}`,
    { method, body, headers: { 'content-type': 'application/json', ...headers } },
    reader,
  );
}

describe('insert', () => {
  test('[RE-01] one row: 201 and nothing, or the row where it is asked', async () => {
    expect(await genres().insert({ id: 3, name: 'conte' })).toMatchObject({ status: 201, data: null, error: null });
    const { status, data } = await genres().insert({ id: 4, name: 'fable' }).select('nom:name').single();
    expect([status, data]).toEqual([201, { nom: 'fable' }]);
  });

  test('[RE-01] several rows, counted; none at all', async () => {
    const { status, count, data } = await genres()
      .insert(
        [
          { id: 3, name: 'conte' },
          { id: 4, name: 'fable' },
        ],
        { count: 'exact' },
      )
      .select('id');
    expect([status, count, data]).toEqual([201, 2, [{ id: 3 }, { id: 4 }]]);
    expect(await genres().insert([])).toMatchObject({ status: 201, error: null });
    expect(await genres().insert([]).select()).toMatchObject({ status: 201, data: [] });
  });

  test('[RE-01] rows of differing keys: null for what is absent, or its default where that is asked', async () => {
    const { data } = await library
      .from('books')
      .insert([
        { title: 'A', author_id: 3, price: 1, pages: 7 },
        { title: 'B', author_id: 3, price: 2 },
      ])
      .select('title,pages');
    expect(data).toEqual([
      { title: 'A', pages: 7 },
      { title: 'B', pages: null },
    ]);
    const defaulted = await library
      .from('books')
      .insert(
        [
          { id: 1001, title: 'C', author_id: 3, pages: 7 },
          { title: 'D', author_id: 3, price: '3.456' },
          { title: 'E', author_id: 3, pages: null },
        ],
        { defaultToNull: false },
      )
      .select('id,title,price,pages');
    expect(defaulted.error).toBeNull();
    expect(defaulted.data).toEqual([
      { id: 1001, title: 'C', price: 9.99, pages: 7 },
      { id: expect.any(Number), title: 'D', price: 3.46, pages: 100 },
      { id: expect.any(Number), title: 'E', price: 9.99, pages: null },
    ]);
    const differing = await send('POST', 'genres', '[{"id":3,"name":"a"},{"id":4}]');
    expect([differing.status, await differing.json()]).toEqual([
      400,
      expect.objectContaining({ code: 'PGRST102', message: 'All object keys must match' }),
    ]);
  });

  test('[RE-01] relations of what was written, and numbers as they were said', async () => {
    const { data } = await library
      .from('books')
      .insert({ title: 'F', author_id: 1, price: 0.1 + 0.2 })
      .select('price,author_id(name)')
      .single();
    expect(data).toEqual({ price: 0.3, author_id: { name: 'Colette' } });
    await send('POST', 'authors', '{"id":50,"name":"x","balance":9007199254740993}', { prefer: 'return=minimal' }).then(
      async (response) => expect([response.status, await response.json()]).toMatchObject([400, { code: '22003' }]),
    );
    const exact = await send('POST', 'authors?select=balance', '{"id":51,"name":"x","balance":9007199254.99}', {
      prefer: 'return=representation',
    });
    expect(await exact.text()).toBe('[{"balance":9007199254.99}]');
    await server.database.asOwner('delete from public.authors where id > 3');
  });

  test.each<[string, Record<string, unknown>, number, string]>([
    ['a key that is taken', { id: 1, name: 'x' }, 409, '23505'],
    ['nothing where something must be', { id: 3 }, 400, '23502'],
    ['a value of another type', { id: 'x', name: 'x' }, 400, '22P02'],
    ['a column that it has not', { id: 3, nothing: 1 }, 400, 'PGRST204'],
  ])('[RE-01] %s', async (_, row, status, code) => {
    const answer = await genres().insert(row);
    expect([answer.status, answer.error?.code]).toEqual([status, code]);
    expect(await held()).toEqual(START);
  });

  test('[RE-01] a key that leads nowhere, a policy, a column without a right', async () => {
    const foreign = await library.from('books').insert({ title: 'G', author_id: 99 });
    expect([foreign.status, foreign.error?.code]).toEqual([409, '23503']);
    const policy = await library.from('books').insert({ title: 'Interdit', author_id: 1 });
    expect([policy.status, policy.error?.code]).toEqual([403, '42501']);
    const right = await library.from('guarded').insert({ id: 3, owner: 'moi', note: 'x' });
    expect([right.status, right.error?.code]).toEqual([403, '42501']);
    expect(await library.from('guarded').insert({ id: 3, note: 'x' })).toMatchObject({ status: 201, error: null });
    const visitor = await (await server.client()).from('genres').insert({ id: 3, name: 'x' });
    expect([visitor.status, visitor.error?.code]).toEqual([401, '42501']);
    await server.database.asOwner('delete from public.guarded where id = 3');
  });

  test('[RE-01] headers-only says where the row is', async () => {
    const made = await send('POST', 'genres', '{"id":3,"name":"x"}', { prefer: 'return=headers-only' });
    expect([made.status, made.headers.get('location'), await made.text()]).toEqual([
      201,
      '/rest/v1/genres?id=eq.3',
      '',
    ]);
    expect(made.headers.get('preference-applied')).toBe('return=headers-only');
    const pair = await send('POST', 'book_genres', '{"book_id":2,"genre_id":3}', { prefer: 'return=headers-only' });
    expect(pair.headers.get('location')).toBe('/rest/v1/book_genres?book_id=eq.2&genre_id=eq.3');
  });

  test('[FX-15] no cell of a CSV answer is a formula to a spreadsheet; numbers stay numbers', async () => {
    const names = ['=HYPERLINK("http://x")', '+33612345678', '-1+1', '@SUM(A1)', '\t=1', '\r=1', '\n=1', '＝1', 'a=1'];
    await genres().insert(names.map((name, index) => ({ id: 10 + index, name })));
    const csv = await genres().select('id,name').gte('id', 10).order('id').csv();
    expect(csv.data).toBe(
      [
        'id,name',
        `10,"'=HYPERLINK(""http://x"")"`,
        "11,'+33612345678",
        "12,'-1+1",
        "13,'@SUM(A1)",
        "14,'\t=1",
        `15,"'\r=1"`,
        `16,"'\n=1"`,
        "17,'＝1",
        '18,a=1',
      ].join('\n'),
    );
    const written = await send('POST', 'authors?select=name,balance', '{"id":61,"name":"-Infinity","balance":-12.5}', {
      prefer: 'return=representation',
      accept: 'text/csv',
    });
    expect(await written.text()).toBe('name,balance\n-Infinity,-12.50');
    await server.database.asOwner('delete from public.authors where id = 61');
  });

  test('[RE-01] a body of CSV, and a form', async () => {
    const csv = await send('POST', 'genres?select=id,name', 'id,name\n3,"a, ""b"""\r\n4,NULL x\n', {
      'content-type': 'text/csv',
      prefer: 'return=representation',
    });
    expect([csv.status, await csv.json()]).toEqual([
      201,
      [
        { id: 3, name: 'a, "b"' },
        { id: 4, name: 'NULL x' },
      ],
    ]);
    const nothing = await send('POST', 'authors', 'id,name,born\n60,x,NULL', { 'content-type': 'text/csv' });
    expect(nothing.status).toBe(201);
    await server.database.asOwner('delete from public.authors where id = 60');
    for (const bad of ['id,name\n3', 'id,name\n5,"x', '']) {
      const refused = await send('POST', 'genres', bad, { 'content-type': 'text/csv' });
      expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([400, 'PGRST102']);
    }
    const form = await send('POST', 'genres', 'id=5&name=a+%26+b', {
      'content-type': 'application/x-www-form-urlencoded',
    });
    expect(form.status).toBe(201);
    expect(await held()).toContainEqual({ id: 5, name: 'a & b' });
    const xml = await send('POST', 'genres', '<a/>', { 'content-type': 'application/xml' });
    expect([xml.status, ((await xml.json()) as { code: string }).code]).toEqual([400, 'PGRST102']);
  });
});

describe('upsert', () => {
  test('[RE-01] 201 where something was made, 200 where nothing was', async () => {
    const made = await genres()
      .upsert([
        { id: 2, name: 'rire' },
        { id: 3, name: 'conte' },
      ])
      .select()
      .order('id');
    expect([made.status, made.data]).toEqual([
      201,
      [
        { id: 2, name: 'rire' },
        { id: 3, name: 'conte' },
      ],
    ]);
    expect(
      await genres().upsert([
        { id: 2, name: 'a' },
        { id: 3, name: 'b' },
      ]),
    ).toMatchObject({ status: 200, error: null });
    expect(await genres().upsert({ id: 3, name: 'c' }, { count: 'exact' })).toMatchObject({ status: 200, count: 1 });
    expect(await genres().upsert({ id: 4, name: 'd' })).toMatchObject({ status: 201 });
    expect(await held()).toEqual([
      { id: 1, name: 'roman' },
      { id: 2, name: 'a' },
      { id: 3, name: 'c' },
      { id: 4, name: 'd' },
    ]);
  });

  test('[RE-01] ignoring duplicates, by another unique column, by one that is none', async () => {
    const ignored = await genres()
      .upsert(
        [
          { id: 1, name: 'x' },
          { id: 3, name: 'y' },
        ],
        { ignoreDuplicates: true },
      )
      .select();
    expect([ignored.status, ignored.data]).toEqual([201, [{ id: 3, name: 'y' }]]);
    const byTitle = await library
      .from('books')
      .upsert({ title: 'Les Misérables', author_id: 2, price: 26 }, { onConflict: 'title' })
      .select('id,price');
    expect([byTitle.status, byTitle.data]).toEqual([200, [{ id: 3, price: 26 }]]);
    await library.from('books').update({ price: 25 }).eq('id', 3);
    const none = await genres().upsert({ id: 9, name: 'z' }, { onConflict: 'name' });
    expect([none.status, none.error?.code]).toEqual([400, '42P10']);
    const unknown = await genres().upsert({ id: 9, name: 'z' }, { onConflict: 'nothing' });
    expect([unknown.status, unknown.error?.code]).toEqual([400, 'PGRST204']);
    const twice = await genres().upsert([
      { id: 9, name: 'a' },
      { id: 9, name: 'b' },
    ]);
    expect([twice.status, twice.error?.code]).toEqual([500, '21000']);
  });

  test('[A-29] an upsert over a row of another is refused, and the row is as it was', async () => {
    const before = await server.database.asOwner('select * from public.guarded order by id');
    const { status, error } = await library.from('guarded').upsert({ id: 2, note: 'pris' });
    expect([status, error?.code]).toEqual([403, '42501']);
    expect(await server.database.asOwner('select * from public.guarded order by id')).toEqual(before);
  });
});

describe('update', () => {
  test('[RE-01] 204 and nothing, or the rows where they are asked; none is no error', async () => {
    expect(await genres().update({ name: 'x' }).eq('id', 1)).toMatchObject({ status: 204, data: null, error: null });
    const { status, data, count } = await genres()
      .update({ name: 'y' }, { count: 'exact' })
      .gte('id', 1)
      .select('name');
    expect([status, data, count]).toEqual([200, [{ name: 'y' }, { name: 'y' }], 2]);
    expect(await genres().update({ name: 'z' }).eq('id', 99).select()).toMatchObject({
      status: 200,
      data: [],
      error: null,
    });
    expect(await genres().update({ name: 'z' }).eq('id', 99)).toMatchObject({ status: 204, error: null });
    expect(await genres().update({}).eq('id', 1)).toMatchObject({ status: 204, error: null });
    const range = await send('PATCH', 'genres?id=gte.1', '{"name":"w"}', { prefer: 'count=exact' });
    expect(range.headers.get('content-range')).toBe('0-1/2');
  });

  test('[RE-01] of a relation’s rows, in an order, one alone', async () => {
    const { data } = await library
      .from('books')
      .update({ pages: 251 })
      .eq('id', 2)
      .select('pages,author_id(name)')
      .single();
    expect(data).toEqual({ pages: 251, author_id: { name: 'Colette' } });
    const two = await genres().update({ name: 'x' }).gte('id', 1).select().single();
    expect([two.status, two.error?.code, two.error?.details]).toEqual([406, 'PGRST116', 'The result contains 2 rows']);
    expect(await held()).toEqual(START);
  });

  test('[RE-01] without a filter it is refused, and so are an unknown column, two objects and no object', async () => {
    for (const [path, body, code] of [
      ['genres', '{"name":"x"}', '21000'],
      ['genres?id=eq.1', '{"nothing":1}', 'PGRST204'],
      ['genres?id=eq.1', '[{"name":"x"},{"name":"y"}]', 'PGRST102'],
      ['genres?id=eq.1', '', 'PGRST102'],
      ['genres?id=eq.1', '3', 'PGRST102'],
      ['genres?nothing=eq.1', '{"name":"x"}', '42703'],
    ] as const) {
      const response = await send('PATCH', path, body);
      expect([path, response.status, ((await response.json()) as { code: string }).code]).toEqual([path, 400, code]);
    }
    expect(await held()).toEqual(START);
  });

  test('[A-29] out of one’s own sight nothing is changed, and nothing moved there', async () => {
    expect(await library.from('books').update({ pages: 1 }).eq('id', 4).select('id')).toMatchObject({
      status: 200,
      data: [],
    });
    const moved = await library.from('books').update({ title: 'Interdit' }).eq('id', 3);
    expect([moved.status, moved.error?.code]).toEqual([403, '42501']);
  });
});

describe('delete', () => {
  test('[RE-01] 204 and nothing, or the rows where they are asked', async () => {
    await genres().insert([
      { id: 3, name: 'a' },
      { id: 4, name: 'b' },
      { id: 5, name: 'c' },
    ]);
    expect(await genres().delete().eq('id', 3)).toMatchObject({ status: 204, data: null, error: null });
    const { status, data, count } = await genres().delete({ count: 'exact' }).gte('id', 4).select('id');
    expect([status, data, count]).toEqual([200, [{ id: 4 }, { id: 5 }], 2]);
    expect(await genres().delete().eq('id', 99).select()).toMatchObject({ status: 200, data: [] });
  });

  test('[RE-01] without a filter, or with what others hold on to', async () => {
    const all = await send('DELETE', 'genres', '');
    expect([all.status, await all.json()]).toEqual([
      400,
      expect.objectContaining({ code: '21000', message: 'DELETE requires a WHERE clause' }),
    ]);
    const taken = await genres().delete().eq('id', 1);
    expect([taken.status, taken.error?.code]).toEqual([409, '23503']);
  });
});

describe('preferences', () => {
  test('[RE-01] maxAffected: more than so many, and nothing is kept', async () => {
    const many = await bounded(genres().update({ name: 'x' }).gte('id', 1), 1);
    expect([many.status, many.error?.code, many.error?.details]).toEqual([400, 'PGRST124', 'The query affects 2 rows']);
    expect(await held()).toEqual(START);
    expect(await bounded(genres().update({ name: 'roman' }).eq('id', 1), 1)).toMatchObject({ status: 204 });
    await genres().insert({ id: 3, name: 'a' });
    expect(await bounded(genres().delete().gt('id', 2), 0)).toMatchObject({ status: 400 });
    // Without handling=strict it has no meaning.
    const lenient = await send('PATCH', 'genres?id=gte.1', '{"name":"x"}', { prefer: 'max-affected=1' });
    expect(lenient.status).toBe(204);
  });

  test('[RE-01] rollback: everything happens, nothing is kept', async () => {
    const { status, data } = await genres().insert({ id: 3, name: 'essai' }).select().rollback();
    expect([status, data]).toEqual([201, [{ id: 3, name: 'essai' }]]);
    expect(await genres().delete().eq('id', 2).rollback()).toMatchObject({ status: 409 });
    expect(await held()).toEqual(START);
  });

  test('[RE-01] the first of a preference said twice counts, commas with and without spaces', async () => {
    const response = await send('POST', 'genres', '{"id":3,"name":"a"}', {
      prefer: 'count=exact,return=minimal, return=representation',
    });
    expect([response.status, await response.text(), response.headers.get('preference-applied')]).toEqual([
      201,
      '',
      'return=minimal, count=exact',
    ]);
    expect(response.headers.get('content-range')).toBe('*/1');
  });

  test('[RE-01] writes of a view that cannot be written', async () => {
    const view = await library.from('book_list').insert({ id: 1 });
    expect([view.status, view.error?.code]).toEqual([403, '42501']);
  });
});

describe('[D-75] bodies without measure', () => {
  test.each([
    ['a megabyte too much', () => `{"name":"${'a'.repeat(1_048_576)}"}`, 413],
    ['ten thousand deep', () => `{"name":${'['.repeat(10_000)}${']'.repeat(10_000)}}`, 400],
    [
      'a hundred thousand keys',
      () => `{${Array.from({ length: 80_000 }, (_, index) => `"k${index}":1`).join(',')}}`,
      400,
    ],
    ['a hundred thousand rows of nothing', () => `[${Array.from({ length: 300_000 }, () => '{}').join(',')}]`, 201],
  ])('[D-75] %s', async (_, body, status) => {
    const response = await send('POST', 'genres', body());
    expect(response.status).toBe(status);
    expect(await held()).toEqual(START);
  });
});
