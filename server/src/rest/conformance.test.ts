// @module-tag long: src/rest/reads.test.ts holds its subject in the quick ring
import type { SupabaseClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { openLibrary } from '../testing/library.ts';
import { aClient, anAdmin, startTestServer } from '../testing/index.ts';
import type { Person, TestServer } from '../testing/index.ts';

/** Conformance of the official client's reading methods, request and answer (contract §2.12). */

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

const authors = () => library.from('authors');
const everyId = () => library.from('authors').select('id');
type Ask = (query: ReturnType<typeof everyId>) => PromiseLike<unknown>;

/** The ids of the authors that a filter leaves. */
async function ids(filter: Ask): Promise<unknown> {
  const { data, error, status } = (await filter(everyId().order('id'))) as {
    data: { id: number }[] | null;
    error: { code: string } | null;
    status: number;
  };
  return error === null ? data?.map(({ id }) => id) : [status, error.code];
}

describe('select', () => {
  test('[RE-01] columns, every column, none named', async () => {
    const { data, status, count } = await authors().select('id, name').eq('id', 1);
    expect([status, data, count]).toEqual([200, [{ id: 1, name: 'Colette' }], null]);
    const all = await authors().select().eq('id', 2).single();
    expect(all.data).toEqual({
      id: 2,
      name: 'Hugo',
      born: '1802-02-26',
      tags: ['roman', 'poésie'],
      info: { prix: { année: 1825 }, villes: ['Besançon'] },
      office_hours: '[14,18)',
      'Nom de plume': null,
      balance: 0,
      created_at: '2026-01-02T03:04:05+00:00',
    });
  });

  test('[RE-01] aliases, quoted names, casts, and a number that JSON would round', async () => {
    const { data } = await authors()
      .select('nom:name, "Nom de plume", an:born::text, n:id::text, tot:balance::numeric')
      .eq('id', 1);
    expect(data).toEqual([{ nom: 'Colette', 'Nom de plume': 'Willy', an: '1873-01-28', n: '1', tot: 0 }]);
    for (const type of ['int4', 'bigint', 'double precision', 'jsonb', 'uuid']) {
      const { error } = await authors().select(`x:"Nom de plume"::${type}`).eq('id', 3);
      expect(error?.code).toBe('22P02');
    }
    for (const type of ['regclass', 'authors', 'text[]', 'xml']) {
      expect((await authors().select(`name::${type}`)).status).toBe(400);
    }
  });

  test('[RE-01] paths into JSON, arrays and rows', async () => {
    const { data } = await authors()
      .select(
        'info->villes, info->villes->>0, an:info->prix->>année, info->prix->année, tags->0, last:info->villes->>-1, none:info->a->b->>c',
      )
      .eq('id', 1)
      .single();
    expect(data).toEqual({ villes: 'Paris', an: '1920', année: 1920, tags: 'roman', last: 'Saint-Tropez', none: null });
    expect(await ids((query) => query.eq('info->prix->>année', '1825'))).toEqual([2]);
    expect(await ids((query) => query.gt('info->prix->année', 1900))).toEqual([1]);
    const sorted = await authors().select('id').order('info->prix->>année', { ascending: false, nullsFirst: false });
    expect(sorted.data?.map(({ id }) => id as number)).toEqual([1, 2, 3]);
  });

  test('[RE-01] counts: exact, planned, estimated, and alone', async () => {
    for (const count of ['exact', 'planned', 'estimated'] as const) {
      const page = await authors().select('id', { count }).limit(2);
      expect([page.status, page.count, page.data?.length]).toEqual([206, 3, 2]);
      const head = await authors().select('*', { count, head: true });
      expect([head.status, head.count, head.data]).toEqual([200, 3, null]);
    }
    const none = await authors().select('id', { count: 'exact' }).eq('id', 99);
    expect([none.status, none.count, none.data]).toEqual([200, 0, []]);
    const missing = await server.fetch('/rest/v1/nowhere', { method: 'HEAD' }, reader);
    expect([missing.status, missing.headers.get('proxy-status')]).toEqual([404, 'PostgREST; error=PGRST205']);
  });

  test('[RE-01] what is unknown', async () => {
    const column = await authors().select('nothing');
    expect([column.status, column.error?.code]).toEqual([400, '42703']);
    const table = await library.from('nowhere').select();
    expect([table.status, table.error]).toEqual([
      404,
      expect.objectContaining({
        code: 'PGRST205',
        message: "Could not find the table 'public.nowhere' in the schema cache",
      }),
    ]);
    const aggregate = await authors().select('id.sum()');
    expect([aggregate.status, aggregate.error?.code]).toEqual([400, 'PGRST123']);
  });
});

describe('filters', () => {
  test.each<[string, Ask, unknown]>([
    ['eq', (query) => query.eq('name', 'Hugo'), [2]],
    ['eq of a value with signs', (query) => query.eq('Nom de plume', 'a,b(c)"d"'), [3]],
    ['eq of the word null', (query) => query.eq('name', 'null'), []],
    ['neq', (query) => query.neq('name', 'Hugo'), [1, 3]],
    ['gt', (query) => query.gt('id', 2), [3]],
    ['gte', (query) => query.gte('id', 2), [2, 3]],
    ['lt', (query) => query.lt('id', 2), [1]],
    ['lte', (query) => query.lte('born', '1850-01-01'), [2]],
    ['like', (query) => query.like('name', '%o%'), [1, 2, 3]],
    ['like with stars', (query) => query.like('name', 'C*'), [1]],
    ['likeAllOf', (query) => query.likeAllOf('name', ['%o%', '%e']), [1]],
    ['likeAnyOf', (query) => query.likeAnyOf('name', ['C%', 'H%']), [1, 2]],
    ['ilike', (query) => query.ilike('name', 'c%'), [1]],
    ['ilikeAllOf', (query) => query.ilikeAllOf('name', ['%O%', '%E']), [1]],
    ['ilikeAnyOf', (query) => query.ilikeAnyOf('name', ['c%', 'h%']), [1, 2]],
    ['regexMatch', (query) => query.regexMatch('name', '^[CH]'), [1, 2]],
    ['regexIMatch', (query) => query.regexIMatch('name', '^c'), [1]],
    ['is null', (query) => query.is('born', null), [3]],
    ['isDistinct', (query) => query.isDistinct('Nom de plume', 'Willy'), [2, 3]],
    ['in', (query) => query.in('name', ['Hugo', 'Colette', 'Hugo']), [1, 2]],
    ['in, of values with signs', (query) => query.in('Nom de plume', ['a,b(c)"d"', 'Willy']), [1, 3]],
    ['in of nothing', (query) => query.in('name', []), []],
    ['notIn', (query) => query.notIn('id', [1, 2]), [3]],
    ['contains, of a list', (query) => query.contains('tags', ['roman', 'poésie']), [2]],
    ['contains, of JSON', (query) => query.contains('info', { villes: ['Paris'] }), [1]],
    ['containedBy', (query) => query.containedBy('tags', ['roman', 'théâtre', 'x']), [1, 3]],
    ['overlaps', (query) => query.overlaps('tags', ['poésie', 'théâtre']), [1, 2]],
    ['rangeGt', (query) => query.rangeGt('office_hours', '[1,13)'), [2]],
    ['rangeGte', (query) => query.rangeGte('office_hours', '[14,15)'), [2]],
    ['rangeLt', (query) => query.rangeLt('office_hours', '[12,13)'), [1]],
    ['rangeLte', (query) => query.rangeLte('office_hours', '[8,12)'), [1]],
    ['rangeAdjacent', (query) => query.rangeAdjacent('office_hours', '[12,14)'), [1, 2]],
    ['contains, of a range', (query) => query.contains('office_hours', '[9,10)'), [1]],
    ['textSearch', (query) => query.textSearch('name', 'hugo'), [2]],
    ['match', (query) => query.match({ name: 'Hugo', id: 2 }), [2]],
    ['not', (query) => query.not('name', 'eq', 'Hugo'), [1, 3]],
    ['not is', (query) => query.not('born', 'is', null), [1, 2]],
    ['not in', (query) => query.not('id', 'in', '(1,2)'), [3]],
    ['filter', (query) => query.filter('name', 'in', '("Hugo","Colette")'), [1, 2]],
    ['or', (query) => query.or('id.eq.1,name.eq.Hugo'), [1, 2]],
    ['or, nested', (query) => query.or('and(id.gt.1,id.lt.3),not.and(born.not.is.null,id.lt.3)'), [2, 3]],
    [
      'or of a list and a text in quotes',
      (query) => query.or('tags.cs.{roman,poésie},"Nom de plume".eq."a,b(c)\\"d\\""'),
      [2, 3],
    ],
    ['two of one column', (query) => query.gt('id', 1).lt('id', 3), [2]],
    ['gt any', (query) => query.filter('id', 'gt(any)', '{1,2}'), [2, 3]],
    ['eq all', (query) => query.filter('id', 'eq(all)', '{1,2}'), []],
    ['an unknown column', (query) => query.eq('nothing', 1), [400, '42703']],
    ['a value of another type', (query) => query.eq('id', 'x'), [400, '22P02']],
    ['an unknown operator', (query) => query.filter('id', 'equals', 1), [400, 'PGRST100']],
    ['a tree that does not close', (query) => query.or('id.eq.1,and(id.eq.2'), [400, 'PGRST100']],
    ['is of something else', (query) => query.filter('id', 'is', 'maybe'), [400, 'PGRST100']],
    ['a bad pattern', (query) => query.regexMatch('name', '('), [400, '2201B']],
    ['a bad query of words', (query) => query.textSearch('name', 'a & '), [400, '42601']],
    ['an operator that the type has not', (query) => query.filter('id', 'cs', '{1}'), [404, '42883']],
  ])('[RE-02] %s', async (_, filter, expected) => {
    expect(await ids(filter)).toEqual(expected);
  });

  test('[RE-02] words are searched in a language', async () => {
    for (const [type, query] of [
      [undefined, 'misérable'],
      ['plain', 'les misérables'],
      ['phrase', 'claudine paris'],
      ['websearch', 'claudine -paris'],
    ] as const) {
      const { data, error } = await library
        .from('books')
        .select('id')
        .textSearch('words', query, { config: 'french', ...(type === undefined ? {} : { type }) })
        .order('id');
      expect(error).toBeNull();
      expect(data?.map(({ id }) => id as number)).toEqual(
        { undefined: [3], plain: [3], phrase: [], websearch: [1] }[String(type)],
      );
    }
  });
});

describe('order, limit and range', () => {
  test('[RE-03] up, down, nulls first and last, several', async () => {
    const sorted = async (
      apply: (query: ReturnType<ReturnType<typeof authors>['select']>) => PromiseLike<{ data: unknown }>,
    ) => ((await apply(authors().select('id'))).data as { id: number }[]).map(({ id }) => id);
    expect(await sorted((query) => query.order('name'))).toEqual([1, 2, 3]);
    expect(await sorted((query) => query.order('name', { ascending: false }))).toEqual([3, 2, 1]);
    expect(await sorted((query) => query.order('born', { nullsFirst: true }))).toEqual([3, 2, 1]);
    expect(await sorted((query) => query.order('born', { ascending: false, nullsFirst: false }))).toEqual([1, 2, 3]);
    expect(await sorted((query) => query.order('balance').order('id', { ascending: false }))).toEqual([3, 2, 1]);
    expect((await authors().select('id').order('nothing')).error?.code).toBe('42703');
  });

  test('[RE-03] limit and range', async () => {
    const { data } = await authors().select('id').order('id').limit(1);
    expect(data).toEqual([{ id: 1 }]);
    const page = await authors().select('id', { count: 'exact' }).order('id').range(1, 1);
    expect([page.status, page.data, page.count]).toEqual([206, [{ id: 2 }], 3]);
    expect((await authors().select('id').limit(0)).data).toEqual([]);
    const far = await authors().select('id', { count: 'exact' }).range(10, 12);
    expect([far.status, far.error?.code, far.error?.details]).toEqual([
      416,
      'PGRST103',
      'An offset of 10 was requested, but there are only 3 rows.',
    ]);
    expect(await authors().select('id').range(10, 12)).toMatchObject({ status: 200, data: [] });
    const negative = await authors().select('id').limit(-1);
    expect([negative.status, negative.error?.code]).toEqual([416, 'PGRST103']);
  });

  test('[RE-03] the Range header, with and against limit and offset', async () => {
    const get = async (query: string, range: string): Promise<[number, string | null, unknown]> => {
      const response = await server.fetch(
        `/rest/v1/authors?select=id&order=id&${query}`,
        { headers: { range, 'range-unit': 'items' } },
        reader,
      );
      return [response.status, response.headers.get('content-range'), await response.json()];
    };
    expect(await get('', '1-1')).toEqual([200, '1-1/*', [{ id: 2 }]]);
    expect(await get('', '1-')).toEqual([200, '1-2/*', [{ id: 2 }, { id: 3 }]]);
    expect(await get('limit=1', '0-5')).toEqual([200, '0-0/*', [{ id: 1 }]]);
    expect(await get('offset=2', '0-5')).toEqual([200, '2-2/*', [{ id: 3 }]]);
    expect((await get('', '3-1'))[0]).toBe(416);
  });
});

describe('shapes of an answer', () => {
  test('[RE-01] single and maybeSingle', async () => {
    expect((await authors().select('id').eq('id', 1).single()).data).toEqual({ id: 1 });
    const none = await authors().select('id').eq('id', 9).single();
    expect([none.status, none.error]).toEqual([
      406,
      expect.objectContaining({
        code: 'PGRST116',
        message: 'Cannot coerce the result to a single JSON object',
        details: 'The result contains 0 rows',
      }),
    ]);
    expect(await authors().select('id').eq('id', 9).maybeSingle()).toMatchObject({
      status: 200,
      data: null,
      error: null,
    });
    expect((await authors().select('id').eq('id', 1).maybeSingle()).data).toEqual({ id: 1 });
    const several = await authors().select('id').maybeSingle();
    expect([several.status, several.error?.code]).toEqual([406, 'PGRST116']);
  });

  test('[RE-01] csv', async () => {
    const { data, error } = await authors().select('id,name,"Nom de plume",tags').order('id').csv();
    expect(error).toBeNull();
    expect(data).toBe(
      'id,name,Nom de plume,tags\n1,Colette,Willy,"{roman,théâtre}"\n2,Hugo,,"{roman,poésie}"\n3,Inconnu,"a,b(c)""d""",{}',
    );
    expect((await authors().select('id').eq('id', 9).csv()).data).toBe('id');
  });

  test('[RE-01] stripNulls', async () => {
    const { data } = await authors().select('id,born,info').eq('id', 3).stripNulls();
    expect(data).toEqual([{ id: 3 }]);
    const one = await authors().select('id,born').eq('id', 3).stripNulls().single();
    expect(one.data).toEqual({ id: 3 });
  });

  test('[RE-01] what is not done here says so: plans, GeoJSON, aggregates', async () => {
    expect(await authors().select('id').explain()).toMatchObject({ status: 406, error: { code: 'PGRST107' } });
    expect(await authors().select('id').geojson()).toMatchObject({ status: 406, error: { code: 'PGRST107' } });
  });

  test('[RE-01] another schema', async () => {
    for (const schema of ['auth', 'private', 'pg_catalog', 'information_schema']) {
      const { status, error } = await library.schema(schema).from('users').select();
      expect([status, error?.code]).toEqual([406, 'PGRST106']);
    }
    const named = await library.schema('public').from('authors').select('id').eq('id', 1);
    expect(named.data).toEqual([{ id: 1 }]);
  });

  test('[RE-01] headers: range, type, place, preferences, who may vary', async () => {
    const response = await server.fetch(
      '/rest/v1/authors?select=id&limit=1',
      {
        headers: {
          prefer: 'count=exact, timezone=Europe/Paris, handling=lenient, unknown=yes',
          'accept-profile': 'public',
        },
      },
      reader,
    );
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'content-range': '0-0/3',
      'content-location': '/rest/v1/authors?select=id&limit=1',
      'content-profile': 'public',
      'preference-applied': 'count=exact, handling=lenient, timezone=Europe/Paris',
      'cache-control': 'no-store',
    });
    expect(response.headers.get('vary')).toContain('Accept, Prefer, Range');
  });

  test('[RE-01] a time zone is the caller’s, for one request; one that does not exist is refused', async () => {
    const at = async (prefer: string): Promise<[number, unknown]> => {
      const response = await server.fetch(
        '/rest/v1/authors?select=created_at&id=eq.1',
        { headers: { prefer } },
        reader,
      );
      const body: unknown = await response.json();
      return [response.status, Array.isArray(body) ? body : (body as { code: string }).code];
    };
    expect(await at('timezone=Europe/Paris')).toEqual([200, [{ created_at: '2026-01-02T04:04:05+01:00' }]]);
    expect(await at('')).toEqual([200, [{ created_at: '2026-01-02T03:04:05+00:00' }]]);
    expect(await at('timezone=Mars/Olympus')).toEqual([400, '22023']);
  });

  test('[RE-01] an unknown preference is refused where handling is strict', async () => {
    const response = await server.fetch(
      '/rest/v1/authors',
      { headers: { prefer: 'handling=strict, nothing=1' } },
      reader,
    );
    expect([response.status, await response.json()]).toEqual([
      400,
      expect.objectContaining({ code: 'PGRST122', details: 'Invalid preferences: nothing=1' }),
    ]);
  });

  test('[RE-01] OPTIONS says what may be done', async () => {
    const table = await server.fetch('/rest/v1/authors', { method: 'OPTIONS' }, reader);
    expect([table.status, table.headers.get('allow')]).toEqual([204, 'OPTIONS,GET,HEAD,POST,PUT,PATCH,DELETE']);
    const call = await server.fetch('/rest/v1/rpc/add', { method: 'OPTIONS' }, reader);
    expect(call.headers.get('allow')).toBe('OPTIONS,GET,HEAD,POST');
  });
});

describe('what the door says of itself', () => {
  type Described = {
    swagger: string;
    paths: Record<string, Record<string, unknown>>;
    definitions: Record<string, { properties: Record<string, unknown>; required?: string[] }>;
  };

  test('[RE-01] getOpenApiSpec: an admin and the secret key are told, nobody else', async () => {
    for (const headers of [
      { apikey: server.services.keys.secretKey },
      {
        apikey: server.services.keys.publishableKey,
        authorization: `Bearer ${await server.tokenOf(await anAdmin(server.database))}`,
      },
    ]) {
      const response = await fetch(`${server.url}/rest/v1/`, {
        headers: { ...headers, accept: 'application/openapi+json' },
      });
      expect([response.status, response.headers.get('content-type')]).toEqual([
        200,
        'application/openapi+json; charset=utf-8',
      ]);
      const described = (await response.json()) as Described;
      expect(described.swagger).toBe('2.0');
    }
    for (const person of [reader, undefined]) {
      const response = await server.fetch('/rest/v1/', {}, person);
      expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([404, 'PGRST126']);
    }
  });

  test('[RE-01] it names what the role may do, with types, keys and what must be said', async () => {
    const { paths, definitions } = (await (
      await server.fetch('/rest/v1/', {}, await anAdmin(server.database))
    ).json()) as Described;
    expect(Object.keys(paths['/authors'] ?? {})).toEqual(['get', 'post', 'patch', 'delete']);
    expect(Object.keys(paths['/sales'] ?? {})).toEqual(['get']);
    expect(Object.keys(paths['/profiles'] ?? {})).toEqual(['get', 'patch']);
    expect(Object.keys(paths['/rpc/add'] ?? {})).toEqual(['get', 'post']);
    expect(Object.keys(paths['/rpc/rename_author'] ?? {})).toEqual(['post']);
    expect(paths['/rpc/refuses']).toBeUndefined();
    expect(definitions['books']?.required).toEqual(['title', 'author_id']);
    expect(definitions['books']?.properties).toMatchObject({
      id: { type: 'integer', format: 'integer', description: 'Note:\nThis is a Primary Key.<pk/>' },
      author_id: { description: "Note:\nThis is a Foreign Key to `authors.id`.<fk table='authors' column='id'/>" },
      price: { type: 'number', format: 'numeric(8,2)' },
    });
    expect(definitions['authors']?.properties).toMatchObject({
      tags: { type: 'array', items: { type: 'string', format: 'text' } },
      info: { format: 'jsonb' },
    });
  });
});
