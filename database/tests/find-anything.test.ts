import { afterAll, beforeAll, expect, test } from 'vitest';

import { aClient, aCommercial, anAdmin, aSale, createTestDatabase, only } from '../src/testing.ts';
import type { Person, TestDatabase } from '../src/testing.ts';

type Found = { readonly kind: string; readonly id: string; readonly name: string; readonly amount: string | null };

let db: TestDatabase;
let people: Record<'admin' | 'seller' | 'otherSeller' | 'client' | 'otherClient', Person>;
beforeAll(async () => {
  db = await createTestDatabase();
  const [admin, seller, otherSeller] = [
    await anAdmin(db, { fullName: 'Ève Lefèvre' }),
    await aCommercial(db, { fullName: 'Noé Kervella' }),
    await aCommercial(db, { fullName: 'Ida Kervella' }),
  ];
  const [client, otherClient] = [
    await aClient(db, { commercial: seller, fullName: 'Éloïse Lefèvre' }),
    await aClient(db, { commercial: otherSeller, fullName: 'Arthur Lefèvre' }),
  ];
  people = { admin, seller, otherSeller, client, otherClient };
  await aSale(db, { commercial: seller, friendReferrer: client, contactName: 'Cœur Dubois' });
  await aSale(db, { commercial: otherSeller, friendReferrer: otherClient, contactName: 'Anaïs Dubois' });
  await aSale(db, { commercial: otherSeller, friendReferrer: otherClient, contactName: 'Cent 100% laine_douce' });
});
afterAll(() => db.drop());

/** Rows alone, without what their acts would post, count and announce. */
const withoutTriggers = (statement: string) =>
  db.asOwner(`begin; set local session_replication_role = replica; ${statement}; commit`);

/**
 * Result of a search, with the sales rows that it read: the counters of its own transaction, because those of other connections are
 * reported with a delay.
 */
const findCounted = (who: keyof typeof people, text: string) =>
  db.become(people[who], async (run) => {
    const counters = async () =>
      only(
        await run<{ walked: number; fetched: number; seeks: number }>(
          `select pg_stat_get_xact_tuples_returned('public.sales'::regclass)::integer as walked,
             pg_stat_get_xact_tuples_fetched('public.sales'::regclass)::integer as fetched,
             pg_stat_get_xact_numscans('public.sales_by_commercial_and_terms'::regclass)::integer as seeks`,
        ),
      );
    const before = await counters();
    const found = await run<Found>('select * from public.find_anything($1)', [text]);
    const after = await counters();
    return {
      names: found.map(({ name }) => name).toSorted(),
      /** Rows read one after the other. */
      walked: after.walked - before.walked,
      /** Rows read in all. */
      read: after.walked - before.walked + after.fetched - before.fetched,
      /** Number of lookups in the index of the terms. */
      seeks: after.seeks - before.seeks,
    };
  });

const find = (who: keyof typeof people, text: string) =>
  db.become(people[who], (run) => run<Found>('select * from public.find_anything($1)', [text]));
const names = async (who: keyof typeof people, text: string) =>
  (await find(who, text)).map(({ kind, name }) => `${kind}: ${name}`).toSorted();

test('[NV-03] each finds the people and the sales that they may read, and nobody else’s', async () => {
  expect(await names('admin', 'lefèvre')).toEqual(['client: Arthur Lefèvre', 'client: Éloïse Lefèvre']);
  expect(await names('admin', 'kervella')).toEqual(['commercial: Ida Kervella', 'commercial: Noé Kervella']);
  expect(await names('admin', 'dubois')).toEqual(['sale: Anaïs Dubois', 'sale: Cœur Dubois']);
  expect(await names('seller', 'lefevre')).toEqual(['client: Éloïse Lefèvre']);
  expect(await names('seller', 'dubois')).toEqual(['sale: Cœur Dubois']);
  expect(await names('seller', 'kervella')).toEqual([]);
  expect(await names('client', 'dubois')).toEqual(['sale: Cœur Dubois']);
  expect(await names('otherClient', 'dubois')).toEqual(['sale: Anaïs Dubois']);
  expect(await names('client', 'lefevre')).toEqual([]);
});

test('[NV-03] accents, ligatures, case and the order of words do not matter; typing errors are forgiven', async () => {
  for (const text of ['ELOISE', 'lefevre eloïse', 'éloïse lef'])
    expect([text, await names('admin', text)]).toEqual([text, ['client: Éloïse Lefèvre']]);
  expect(await names('admin', 'coeur')).toEqual(['sale: Cœur Dubois']);
  // A letter too many, one missing, two swapped.
  for (const text of ['kervvella', 'kervela', 'kevrella'])
    expect([text, await names('admin', text)]).toEqual([
      text,
      ['commercial: Ida Kervella', 'commercial: Noé Kervella'],
    ]);
  expect(await names('otherClient', 'anais dubios')).toEqual(['sale: Anaïs Dubois']);
});

test('[NV-03] a sale and a request answer to their short id, a client’s own request to its amount', async () => {
  const sale = only(
    await db.asOwner<{ id: string }>(`select id from public.sales where referred_contact_name = 'Anaïs Dubois'`),
  );
  const short = sale.id.slice(0, 8);
  expect((await find('admin', short.toUpperCase())).map(({ id }) => id)).toContain(sale.id);
  expect(await find('seller', short)).toEqual([]);
  await withoutTriggers(`insert into public.payment_requests (client_id, amount) values ('${people.client.id}', 12.5)`);
  const request = only(await db.asOwner<{ id: string }>('select id from public.payment_requests'));
  for (const [who, text] of [
    ['client', '12,50'],
    ['client', request.id.slice(0, 8)],
    ['admin', request.id.slice(0, 8)],
    ['admin', 'éloïse'],
  ] as const) {
    const found = (await find(who, text)).filter(({ kind }) => kind === 'request');
    expect([who, text, found.map(({ id, amount }) => [id, amount])]).toEqual([who, text, [[request.id, '12.50']]]);
  }
  expect(await find('otherClient', '12,50')).toEqual([]);
});

test('[NV-03] what is typed means itself, and one or two letters find nothing', async () => {
  expect(await names('admin', '100% laine_douce')).toEqual(['sale: Cent 100% laine_douce']);
  for (const text of ['', '%', '%%%', 'du', '___', '\\', "'; drop table public.sales; --", 'x'.repeat(500)])
    expect([text, (await find('admin', text)).filter(({ name }) => /Dubois/u.test(name))]).toEqual([text, []]);
});

test('[NV-03] among many sales it looks in the index of the terms, for what is there and for what nearly is', async () => {
  await withoutTriggers(
    `insert into public.sales (referred_contact_name, referred_contact_email, commercial_id, friend_referrer_id, created_at)
     select md5(n::text) || ' ' || md5((-n)::text), 'a' || n || '@exemple.fr', '${people.seller.id}', '${people.client.id}',
       now() - n * interval '1 minute'
     from generate_series(1, 3000) n`,
  );
  await db.asOwner('analyze public.sales');
  for (const text of ['anaïs dubois', 'anais dubios']) {
    const found = await findCounted('admin', text);
    expect(found.names).toContain('Anaïs Dubois');
    expect([text, found.walked]).toEqual([text, 0]);
    expect([text, found.seeks]).not.toEqual([text, 0]);
  }
});

test('[NV-03] one or two letters beside a word are what a word begins with, and an index finds both', async () => {
  await withoutTriggers(
    `insert into public.sales (referred_contact_name, commercial_id, created_at)
     select case when n = 4000 then 'Bo Zwingelstein' else 'Zwingelstein ' || case n when 1 then 'Bonnet' else 'Cabot' end end, '${people.seller.id}',
       now() - n * interval '1 hour' from generate_series(1, 4000) n`,
  );
  await db.asOwner('analyze public.sales');
  const found = await findCounted('admin', 'zwingelstein bo');
  expect(found.names).toEqual(['Bo Zwingelstein', 'Zwingelstein Bonnet']);
  // The newest five hundred, twice at most, and no row of the three thousand that hold the long word alone.
  expect(found.read).toBeLessThan(1500);
});

test('[NV-03] a word typed wrong goes to the words of a year, and to few of the rows; what is erased leaves them in the night', async () => {
  await withoutTriggers(
    `insert into public.sales (referred_contact_name, commercial_id, friend_referrer_id, created_at)
     values ('Barnabé Quiquampoix', '${people.seller.id}', '${people.otherClient.id}', now() - interval '1 year')`,
  );
  // Half the letters of what is typed stand in each of them.
  await withoutTriggers(
    `insert into public.sales (referred_contact_name, commercial_id, created_at)
     select 'Quiquette Ampoixelle ' || n, '${people.otherSeller.id}', now() - n * interval '1 minute' from generate_series(1, 6000) n`,
  );
  await db.asOwner('analyze public.sales');
  expect(await names('otherClient', 'barnabe quicampoix')).toEqual(['sale: Barnabé Quiquampoix']);
  expect(await names('admin', 'barnabe quicampoix')).not.toContain('sale: Barnabé Quiquampoix');
  await db.become('parrain_service', (run) => run('select private.count_words()'));
  for (const text of ['barnabe quicampoix', 'bernabé quiquampoix', 'quicampoix', 'quiquampiox'])
    expect([text, await names('admin', text)]).toEqual([text, expect.arrayContaining(['sale: Barnabé Quiquampoix'])]);
  expect(await names('seller', 'quicampoix')).toEqual(['sale: Barnabé Quiquampoix']);

  // The newest of what is searched for as it stands, and the newest once more for what is nearly so.
  expect((await findCounted('admin', 'barnabe quicampoix')).read).toBeLessThan(1500);

  await withoutTriggers(`delete from public.sales where referred_contact_name = 'Barnabé Quiquampoix'`);
  const known = () => db.asOwner(`select word from private.known_words where word like 'quiqu%' order by word`);
  expect(await known()).toEqual([{ word: 'quiquampoix' }, { word: 'quiquette' }]);
  await db.become('parrain_service', (run) => run('select private.count_words()'));
  expect(await known()).toEqual([{ word: 'quiquette' }]);
});
