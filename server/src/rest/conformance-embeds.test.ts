// @module-tag long: src/rest/reads.test.ts holds its subject in the quick ring
import type { SupabaseClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { openLibrary } from '../testing/library.ts';
import { aClient, startTestServer } from '../testing/index.ts';
import type { TestServer } from '../testing/index.ts';

/** Relations by the official client: embedding (contract §2.4) and how a name becomes one of them (§2.5). */

let server: TestServer;
let library: SupabaseClient;

beforeAll(async () => {
  server = await startTestServer({ doors: ['rest'], jobs: false });
  await openLibrary(server.database);
  library = await server.client(await aClient(server.database));
});
afterAll(() => server.close());

type Asked = PromiseLike<{ data: unknown; error: { code: string; message: string } | null; status: number }>;

async function rows(query: Asked): Promise<unknown> {
  const { data, error, status } = await query;
  return error === null ? data : [status, error.code];
}

describe('which relation is meant', () => {
  const book = (select: string): Asked => library.from('books').select(select).eq('id', 2).single();

  test.each<[string, () => Asked, unknown]>([
    ['many to one, by the foreign key’s column', () => book('author_id(name)'), { author_id: { name: 'Colette' } }],
    ['by the constraint', () => book('books_editor_id_fkey(name)'), { books_editor_id_fkey: { name: 'Hugo' } }],
    ['by the table and the constraint', () => book('a:authors!books_author_id_fkey(name)'), { a: { name: 'Colette' } }],
    ['by the table and the column', () => book('authors!editor_id(name)'), { authors: { name: 'Hugo' } }],
    ['by the table alone where several lead there', () => book('authors(name)'), [300, 'PGRST201']],
    ['by a hint that leads nowhere', () => book('authors!price(name)'), [400, 'PGRST200']],
    [
      'one to one, from the side without the key',
      () => library.from('books').select('covers(colour)').eq('id', 1).single(),
      { covers: { colour: 'bleu' } },
    ],
    ['one to one, none', () => book('covers(colour)'), { covers: null }],
    [
      'one to one, from the key',
      () => library.from('covers').select('books(title)').eq('book_id', 3).single(),
      { books: { title: 'Les Misérables' } },
    ],
    [
      'one to many, by the table and the other side’s column',
      () => library.from('authors').select('books!author_id(id)').eq('id', 1).single(),
      { books: [{ id: 1 }, { id: 2 }] },
    ],
    [
      'one to many, by the constraint',
      () => library.from('authors').select('books!books_editor_id_fkey(id)').eq('id', 2).single(),
      { books: [{ id: 1 }, { id: 2 }] },
    ],
    [
      'one to many, none',
      () => library.from('authors').select('books!author_id(id)').eq('id', 3).single(),
      { books: [] },
    ],
    [
      'of itself: the table is the many',
      () => library.from('books').select('books(id)').eq('id', 1).single(),
      { books: [{ id: 2 }] },
    ],
    [
      'of itself: the column is the one',
      () => book('sequel_of(title)'),
      { sequel_of: { title: 'Claudine à l’école' } },
    ],
    [
      'of itself: the table with the column is the many',
      () => library.from('books').select('books!sequel_of(id)').eq('id', 1).single(),
      { books: [{ id: 2 }] },
    ],
    [
      'many to many',
      () => library.from('books').select('genres(name)').eq('id', 2).single(),
      { genres: [{ name: 'roman' }] },
    ],
    [
      'many to many, from the other side',
      () => library.from('genres').select('books(id)').eq('id', 1).single(),
      { books: [{ id: 1 }, { id: 2 }, { id: 3 }] },
    ],
    [
      'many to many, by the junction',
      () => library.from('books').select('genres!book_genres(id)').eq('id', 1).single(),
      { genres: [{ id: 1 }, { id: 2 }] },
    ],
    ['many to many, by another junction', () => book('genres!placements(id)'), [400, 'PGRST200']],
    ['a junction that is no primary key joins nothing', () => book('shelves(name)'), [400, 'PGRST200']],
    [
      'and is itself embedded',
      () => library.from('books').select('placements(shelves(name))').eq('id', 1).single(),
      { placements: [{ shelves: { name: 'haut' } }, { shelves: { name: 'bas' } }] },
    ],
    [
      'many to many of itself, ambiguous both ways',
      () => library.from('readers').select('readers!friendships(name)').eq('id', 1).single(),
      [300, 'PGRST201'],
    ],
    [
      'by a key of two columns',
      () => library.from('prints').select('editions(label)').eq('id', 1).single(),
      { editions: { label: 'première' } },
    ],
    [
      'by a key of two columns, none',
      () => library.from('prints').select('editions(label)').eq('id', 4).single(),
      { editions: null },
    ],
    [
      'by a key of two columns, the many',
      () => library.from('editions').select('prints(id)').eq('number', 2).single(),
      { prints: [{ id: 2 }, { id: 3 }] },
    ],
    [
      'from a view',
      () => library.from('book_list').select('shout,authors(name)').eq('id', 2).single(),
      { shout: 'CLAUDINE À PARIS', authors: { name: 'Colette' } },
    ],
    [
      'to a view',
      () => library.from('authors').select('book_list(shout)').eq('id', 2).single(),
      { book_list: [{ shout: 'LES MISÉRABLES' }] },
    ],
    ['computed, many', () => book('by_same_author(id)'), { by_same_author: [{ id: 1 }] }],
    [
      'computed, one',
      () => library.from('authors').select('first_book(title)').eq('id', 2).single(),
      { first_book: { title: 'Les Misérables' } },
    ],
    [
      'computed, none',
      () => library.from('authors').select('first_book(title)').eq('id', 3).single(),
      { first_book: null },
    ],
    [
      'computed, and from there on',
      () => book('by_same_author(author_id(name))'),
      { by_same_author: [{ author_id: { name: 'Colette' } }] },
    ],
    ['nothing of that name', () => book('nothing(*)'), [400, 'PGRST200']],
  ])('[RE-05] %s', async (_, query, expected) => {
    expect(await rows(query())).toEqual(expected);
  });

  test('[RE-05] an ambiguous name says between what, and how to choose', async () => {
    const { error } = await library.from('books').select('authors(name)');
    expect(error).toMatchObject({
      code: 'PGRST201',
      message: "Could not embed because more than one relationship was found for 'books' and 'authors'",
      hint: "Try changing 'authors' to one of the following: 'authors!books_author_id_fkey', 'authors!books_editor_id_fkey'. Find the desired relationship in the 'details' key.",
      details: [
        {
          cardinality: 'many-to-one',
          embedding: 'books with authors',
          relationship: 'books_author_id_fkey using books(author_id) and authors(id)',
        },
        {
          cardinality: 'many-to-one',
          embedding: 'books with authors',
          relationship: 'books_editor_id_fkey using books(editor_id) and authors(id)',
        },
      ],
    });
    const many = await library.from('readers').select('readers(name)');
    expect(many.error?.details).toContainEqual({
      cardinality: 'many-to-many',
      embedding: 'readers with readers',
      relationship: 'friendships using friendships_reader_id_fkey(reader_id) and friendships_friend_id_fkey(friend_id)',
    });
  });

  test('[RE-05] a computed column is selected, filtered, sorted, and no part of *', async () => {
    const { data } = await library
      .from('books')
      .select('id,full_title')
      .order('full_title', { ascending: false })
      .limit(2);
    expect(data).toEqual([
      { id: 3, full_title: 'Les Misérables (25.00)' },
      { id: 2, full_title: 'Claudine à Paris (13.00)' },
    ]);
    expect(await rows(library.from('books').select('id').like('full_title', '%(13.00)'))).toEqual([{ id: 2 }]);
    const all = await library.from('books').select('*').eq('id', 1).single();
    expect(Object.keys(all.data as object)).not.toContain('full_title');
    expect(await rows(library.from('authors').select('full_title'))).toEqual([400, '42703']);
    const far = await library.from('books').select('full_title,authors!author_id(name)').order('id').range(1, 1);
    expect(far.data).toEqual([{ full_title: 'Claudine à Paris (13.00)', authors: { name: 'Colette' } }]);
    const written = await library
      .from('books')
      .update({ pages: 251 })
      .eq('id', 2)
      .select('full_title,by_same_author(id)')
      .single();
    expect(written.data).toEqual({ full_title: 'Claudine à Paris (13.00)', by_same_author: [{ id: 1 }] });
    await library.from('books').update({ pages: 250 }).eq('id', 2);
  });
});

describe('what an embed holds', () => {
  test.each<[string, () => Asked, unknown]>([
    [
      'filters shape it, not its parent',
      () => library.from('authors').select('id,books!author_id(id)').gt('books.id', 1).order('id'),
      [
        { id: 1, books: [{ id: 2 }] },
        { id: 2, books: [{ id: 3 }] },
        { id: 3, books: [] },
      ],
    ],
    [
      'inner drops the parents without one',
      () => library.from('authors').select('id,books!author_id!inner(id)').gt('books.id', 2),
      [{ id: 2, books: [{ id: 3 }] }],
    ],
    [
      'hint and join in either order',
      () => library.from('authors').select('id,books!inner!author_id(id)').gt('books.id', 2),
      [{ id: 2, books: [{ id: 3 }] }],
    ],
    [
      'left is said or not',
      () => library.from('authors').select('id,books!author_id!left(id)').gt('books.id', 2).eq('id', 1),
      [{ id: 1, books: [] }],
    ],
    [
      'not null keeps those who have one',
      () => library.from('authors').select('id,books!author_id(id)').not('books', 'is', null).order('id'),
      [
        { id: 1, books: [{ id: 1 }, { id: 2 }] },
        { id: 2, books: [{ id: 3 }] },
      ],
    ],
    [
      'null keeps those who have none',
      () => library.from('authors').select('id,books!author_id()').is('books', null),
      [{ id: 3 }],
    ],
    [
      'null of a filtered one',
      () => library.from('authors').select('id,books!author_id()').eq('books.id', 3).is('books', null).order('id'),
      [{ id: 1 }, { id: 3 }],
    ],
    [
      'null within an or',
      () => library.from('authors').select('id,books!author_id()').or('books.is.null,id.eq.1').order('id'),
      [{ id: 1 }, { id: 3 }],
    ],
    [
      'nothing selected only filters',
      () => library.from('authors').select('id,books!author_id!inner()').eq('books.title', 'Les Misérables'),
      [{ id: 2 }],
    ],
    [
      'anything but null',
      () => library.from('authors').select('id,books!author_id(id)').eq('books', 1),
      [400, 'PGRST120'],
    ],
    [
      'by its alias',
      () => library.from('authors').select('id,livres:books!author_id!inner(id)').eq('livres.id', 3),
      [{ id: 2, livres: [{ id: 3 }] }],
    ],
    [
      'by its table though it has an alias',
      () => library.from('authors').select('id,livres:books!author_id!inner(id)').eq('books.id', 3),
      [{ id: 2, livres: [{ id: 3 }] }],
    ],
    [
      'its own order and limit',
      () =>
        library
          .from('authors')
          .select('books!author_id(id)')
          .eq('id', 1)
          .order('id', { referencedTable: 'books', ascending: false })
          .limit(1, { referencedTable: 'books' }),
      [{ books: [{ id: 2 }] }],
    ],
    [
      'its own range',
      () =>
        library
          .from('authors')
          .select('books!author_id(id)')
          .eq('id', 1)
          .order('id', { referencedTable: 'books' })
          .range(1, 1, { referencedTable: 'books' }),
      [{ books: [{ id: 2 }] }],
    ],
    [
      'its own or',
      () =>
        library
          .from('authors')
          .select('books!author_id(id)')
          .eq('id', 1)
          .or('id.eq.1,title.eq.x', { referencedTable: 'books' }),
      [{ books: [{ id: 1 }] }],
    ],
    [
      'two levels down',
      () =>
        library
          .from('authors')
          .select('books!author_id(id,genres(id))')
          .eq('id', 1)
          .eq('books.genres.id', 2)
          .order('id', { referencedTable: 'books' }),
      [
        {
          books: [
            { id: 1, genres: [{ id: 2 }] },
            { id: 2, genres: [] },
          ],
        },
      ],
    ],
    [
      'inner two levels down',
      () => library.from('authors').select('id,books!author_id!inner(id,genres!inner(id))').eq('books.genres.id', 2),
      [{ id: 1, books: [{ id: 1, genres: [{ id: 2 }] }] }],
    ],
    [
      'parents sorted by a column of the one',
      () =>
        library
          .from('books')
          .select('id,author:authors!author_id(name)')
          .order('author(name)', { ascending: false })
          .order('id')
          .limit(1),
      [{ id: 3, author: { name: 'Hugo' } }],
    ],
    [
      'parents sorted by the many',
      () => library.from('authors').select('id,books!author_id(id)').order('books(id)'),
      [400, 'PGRST118'],
    ],
    ['a path that is not selected', () => library.from('authors').select('id').eq('books.id', 1), [400, 'PGRST108']],
    [
      'an order of what is not selected',
      () => library.from('authors').select('id').order('id', { referencedTable: 'books' }),
      [400, 'PGRST108'],
    ],
    ['a column that it has not', () => library.from('authors').select('books!author_id(nothing)'), [400, '42703']],
    [
      'an embed under its column’s own name comes last',
      () => library.from('books').select('*,author_id:authors!author_id(name)').eq('id', 3).single(),
      expect.objectContaining({ id: 3, author_id: { name: 'Hugo' } }),
    ],
    [
      'what a policy hides is not embedded',
      () => library.from('authors').select('books!author_id(id)').eq('id', 2),
      [{ books: [{ id: 3 }] }],
    ],
    [
      'a hidden one is null',
      () => library.from('covers').select('book_id,books(id)').eq('book_id', 1),
      [{ book_id: 1, books: { id: 1 } }],
    ],
  ])('[RE-05] %s', async (_, query, expected) => {
    expect(await rows(query())).toEqual(expected);
  });

  test('[RE-05] counts are of the parents that are left', async () => {
    const { count, data } = await library
      .from('authors')
      .select('id,books!author_id!inner(id)', { count: 'exact' })
      .gt('books.id', 0)
      .order('id')
      .limit(1);
    expect([count, data]).toEqual([2, [{ id: 1, books: [{ id: 1 }, { id: 2 }] }]]);
    const head = await library.from('authors').select('id,books!author_id!inner()', { count: 'exact', head: true });
    expect(head.count).toBe(2);
  });
});

describe('spread', () => {
  test.each<[string, () => Asked, unknown]>([
    [
      'of the one: columns among the parent’s',
      () => library.from('books').select('id,...authors!author_id(auteur:name,born)').eq('id', 1),
      [{ id: 1, auteur: 'Colette', born: '1873-01-28' }],
    ],
    [
      'of the one that is not there: nulls',
      () => library.from('books').select('id,...covers(colour)').eq('id', 2),
      [{ id: 2, colour: null }],
    ],
    [
      'of the many: parallel arrays',
      () => library.from('authors').select('id,...books!author_id(id_livre:id,title)').eq('id', 1),
      [{ id: 1, id_livre: [1, 2], title: ['Claudine à l’école', 'Claudine à Paris'] }],
    ],
    [
      'of the many, none',
      () => library.from('authors').select('...books!author_id(title)').eq('id', 3),
      [{ title: [] }],
    ],
    [
      'of many to many, in order',
      () => library.from('books').select('...genres(name)').eq('id', 1).order('name', { referencedTable: 'genres' }),
      [{ name: ['humour', 'roman'] }],
    ],
    [
      'within a spread',
      () => library.from('covers').select('colour,...books(title,...authors!author_id(name))').eq('book_id', 3),
      [{ colour: 'rouge', title: 'Les Misérables', name: 'Hugo' }],
    ],
    [
      'with an embed inside',
      () => library.from('covers').select('...books(authors!author_id(name))').eq('book_id', 3),
      [{ authors: { name: 'Hugo' } }],
    ],
    [
      'inner',
      () => library.from('books').select('id,...covers!inner(colour)').order('id'),
      [
        { id: 1, colour: 'bleu' },
        { id: 3, colour: 'rouge' },
      ],
    ],
    [
      'of a computed relation',
      () => library.from('books').select('...by_same_author(autres:id)').eq('id', 1),
      [{ autres: [2] }],
    ],
    ['of nothing', () => library.from('books').select('...covers()'), [400, 'PGRST100']],
  ])('[RE-05] %s', async (_, query, expected) => {
    expect(await rows(query())).toEqual(expected);
  });
});

describe('own limits', () => {
  const nested = (depth: number): string => (depth === 0 ? 'id' : `id,books!sequel_of(${nested(depth - 1)})`);

  test('[RE-05] [D-76] embeds are four deep and sixteen in number at most', async () => {
    expect((await library.from('books').select(nested(4))).status).toBe(200);
    expect(await rows(library.from('books').select(nested(5)))).toEqual([400, 'PGRST100']);
    expect(await rows(library.from('books').select(nested(10)))).toEqual([400, 'PGRST100']);
    const wide = (count: number): string =>
      Array.from({ length: count }, (_, index) => `c${index}:covers(colour)`).join(',');
    expect((await library.from('books').select(wide(16))).status).toBe(200);
    expect(await rows(library.from('books').select(wide(17)))).toEqual([400, 'PGRST100']);
  });

  test('[RE-05] [D-76] a hundred items are selected, sixty conditions and 500 members given at most', async () => {
    const items = (count: number): string => Array.from({ length: count }, (_, index) => `c${index}:id`).join(',');
    expect((await library.from('books').select(items(100)).limit(1)).status).toBe(200);
    expect(await rows(library.from('books').select(items(101)))).toEqual([400, 'PGRST100']);
    expect(await rows(library.from('books').select(items(200)))).toEqual([400, 'PGRST100']);
    const conditions = (count: number): string =>
      Array.from({ length: count }, (_, index) => `id.eq.${index}`).join(',');
    expect((await library.from('books').select('id').or(conditions(60))).status).toBe(200);
    expect(await rows(library.from('books').select('id').or(conditions(61)))).toEqual([400, 'PGRST100']);
    const members = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
    expect((await library.from('books').select('id').in('id', members(500))).status).toBe(200);
    expect(await rows(library.from('books').select('id').in('id', members(501)))).toEqual([400, 'PGRST100']);
    const many = await library.from('books').select('id').in('id', members(5000));
    // Beyond 16 kB Node itself refuses the line.
    expect(many.status).toBe(431);
  });

  test('[RE-05] [D-76] a page has a thousand rows at most, whatever is asked, at every level', async () => {
    await server.database.asOwner(
      `insert into public.editions select 'xx', n, null from generate_series(1, 1100) n;
       insert into public.genres select n, 'g' from generate_series(100, 1250) n;
       insert into public.book_genres select 3, n from generate_series(100, 1250) n`,
    );
    for (const limit of [1_000_000_000, undefined]) {
      const query = library.from('editions').select('number', { count: 'exact' });
      const { data, count, status } = await (limit === undefined ? query : query.limit(limit));
      expect([data?.length, count, status]).toEqual([1000, 1102, 206]);
    }
    const inner = await library.from('books').select('genres(id)').eq('id', 3).single();
    expect(inner.data?.genres).toHaveLength(1000);
  });
});
