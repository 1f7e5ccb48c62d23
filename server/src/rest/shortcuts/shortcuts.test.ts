import type { SupabaseClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import {
  aClient,
  aCommercial,
  anAdmin,
  asSeen,
  aScale,
  aValidatedSale,
  createTestDatabase,
  only,
  startTestServer,
} from '../../testing/index.ts';
import type { Person, TestDatabase, TestServer } from '../../testing/index.ts';
import { parseQuery } from '../parse.ts';
import { planRead, sourceOf } from '../plan.ts';
import { pairsOf } from '../query-string.ts';
import { loadSchemaCache } from '../schema-cache.ts';
import type { SchemaCache } from '../schema-cache.ts';
import { idsStatement, readStatement } from '../sql.ts';
import { keysetShortcut } from './keyset.ts';
import { searchShortcut } from './search.ts';

let server: TestServer;
let cache: SchemaCache;
let people: Record<'admin' | 'seller' | 'otherSeller' | 'client', Person>;
const clients = new Map<string, SupabaseClient>();

const NAMES = ['Éloïse Lefèvre', 'Paul 100% sûr', 'O’Brien_Ann', 'Zoé "la" Reine', 'Marc\\Slash', 'ab'];

beforeAll(async () => {
  server = await startTestServer({ doors: ['rest'], jobs: false });
  const db = server.database;
  const [admin, seller, otherSeller] = [await anAdmin(db), await aCommercial(db), await aCommercial(db)];
  const client = await aClient(db, { commercial: seller, fullName: 'Éloïse Lefèvre' });
  people = { admin, seller, otherSeller, client };
  const scale = await aScale(db);
  const sale = await aValidatedSale(db, { admin, commercial: seller, friendReferrer: client, scale });
  await aValidatedSale(db, { admin, commercial: seller, friendReferrer: client, scale });
  await db.become(admin, (run) => run(asSeen.cancel, [sale.id, 'Erreur']));
  await db.asOwner(
    `insert into public.sales (referred_contact_name, referred_contact_email, referred_contact_phone, contract_description,
       commercial_id, friend_referrer_id, status, rejection_reason, contract_amount, created_at)
     select ($1::text[])[n % 6 + 1] || case when n % 3 = 0 then '' else ' ' || n end, case when n % 7 = 0 then 'ami' || n || '@lefevre.fr' end,
       case when n % 5 = 0 then '+33 6 ' || n end, case when n % 11 = 0 then 'lefèvre, deux lignes' || e'\\n' || 'suite' else 'chantier commun' end,
       case n % 3 when 0 then $2::uuid when 1 then $3::uuid end, case when n % 4 = 0 then $4::uuid end,
       case n % 5 when 0 then 'rejected' when 1 then 'contacted' when 2 then 'in_negotiation' else 'pending' end,
       case when n % 5 = 0 then 'Hors zone' end, case when n % 7 > 3 then n * 1.37 end,
       case n % 7 when 0 then timestamptz '2026-03-29T00:00:00Z' else now() - n % 40 * interval '17 hours' end
     from generate_series(1, 4000) n`,
    [NAMES, seller.id, otherSeller.id, client.id],
  );
  await db.asOwner('analyze public.sales');
  cache = await loadSchemaCache(server.services.db);
  for (const [name, person] of Object.entries(people)) clients.set(name, await server.client(person));
});
afterAll(() => server.close());

type Name = keyof typeof people;

/** Ids that the caller sees and that satisfy the condition, read from PostgreSQL without any of our shortcuts. */
async function seen(as: Name, table: string, condition: string): Promise<string[]> {
  const rows = await server.database.become(people[as], (run) =>
    run<{ id: string }>(`select id from public.${table} where ${condition} order by id`),
  );
  return rows.map(({ id }) => id);
}

async function asked(as: Name, address: string): Promise<{ ids: string[]; total: number | null; status: number }> {
  const ids: string[] = [];
  let total: number | null = null;
  let status = 0;
  for (;;) {
    const answer = await server.fetch(
      `/rest/v1/${address}&select=id&order=id&limit=900&offset=${ids.length}`,
      { headers: { prefer: 'count=exact' } },
      people[as],
    );
    status = answer.status;
    const page = (await answer.json()) as { id: string }[];
    if (!Array.isArray(page)) return { ids, total, status };
    total ??= Number(answer.headers.get('content-range')?.split('/')[1]);
    ids.push(...page.map(({ id }) => id));
    if (page.length < 900) return { ids, total, status };
  }
}

const EVERYONE: readonly Name[] = ['admin', 'seller', 'otherSeller', 'client'];

describe('counts that are kept are the counts', () => {
  const of = (as: Name): string => people[as].id;
  test.each<[string, string, () => [string, string]]>([
    ['everything', 'sales', () => ['id=not.is.null', 'true']],
    ['one status', 'sales', () => ['status=eq.pending', `status = 'pending'`]],
    ['several', 'sales', () => ['status=in.(pending,rejected)', `status in ('pending', 'rejected')`]],
    ['validated', 'sales', () => ['admin_validated=is.true', 'admin_validated']],
    ['corrections apart', 'sales', () => ['corrects_sale_id=is.null', 'corrects_sale_id is null']],
    ['nobody’s', 'sales', () => ['commercial_id=is.null', 'commercial_id is null']],
    ['a commercial’s', 'sales', () => [`commercial_id=eq.${of('seller')}`, `commercial_id = '${of('seller')}'`]],
    ['not theirs', 'sales', () => [`commercial_id=neq.${of('seller')}`, `commercial_id <> '${of('seller')}'`]],
    [
      'a commercial’s or ready',
      'sales',
      () => [
        `or=(commercial_id.eq.${of('seller')},and(ready_for_validation.is.true,not.or(status.eq.rejected)))`,
        `commercial_id = '${of('seller')}' or (ready_for_validation and not status = 'rejected')`,
      ],
    ],
    [
      'a referrer’s',
      'sales',
      () => [`friend_referrer_id=eq.${of('client')}`, `friend_referrer_id = '${of('client')}'`],
    ],
    ['a role', 'profiles', () => ['role=eq.client', `role = 'client'`]],
    ['not a role', 'profiles', () => ['role=not.eq.client', `role <> 'client'`]],
    ['requests', 'payment_requests', () => ['status=eq.pending', `status = 'pending'`]],
    ['payments', 'commission_payments', () => ['id=not.is.null', 'true']],
    ['the trail', 'audit_entries', () => ['id=not.is.null', 'true']],
    ['the trail of sales', 'audit_entries', () => ['entity=eq.sales', `entity = 'sales'`]],
  ])('[P9] %s, of %s', async (_, table, conditions) => {
    const [query, sql] = conditions();
    for (const as of EVERYONE) {
      const ids = await seen(as, table, sql);
      for (const prefer of ['count=exact', 'count=exact,return=minimal']) {
        // A page that is full makes the total be looked up, one that is not is the total.
        for (const limit of [1, 0, 1000]) {
          const answer = await server.fetch(
            `/rest/v1/${table}?${query}&select=id&limit=${limit}`,
            { headers: { prefer } },
            people[as],
          );
          const total = Number(answer.headers.get('content-range')?.split('/')[1]);
          expect({ as, limit, total }).toEqual({ as, limit, total: ids.length });
        }
      }
      const { count } = await (clients.get(as) ?? (await server.client()))
        .from(table)
        .select('*', { count: 'exact', head: true })
        .or(query.startsWith('or=') ? query.slice(4, -1) : query.replace(/^(\w+)=/u, '$1.'));
      expect(count).toBe(ids.length);
    }
  });
});

describe('a page far behind', () => {
  const sql = (words: string): string =>
    words
      .split(',')
      .map((word) => `s.${word.replaceAll('.', ' ').replace(/nulls(first|last)/u, 'nulls $1')}`)
      .join(', ');

  test.each<[string, string, string]>([
    ['created_at.desc,id.asc', '', 'true'],
    ['created_at.asc,id.desc', '', 'true'],
    ['created_at.desc.nullslast,id', 'status=in.(pending,contacted)', `s.status in ('pending', 'contacted')`],
    [
      'created_at,id',
      'admin_validated=is.false&corrects_sale_id=is.null',
      'not s.admin_validated and s.corrects_sale_id is null',
    ],
    ['created_at.desc,id.desc', 'contract_description=ilike.*chantier*', `s.contract_description ilike '%chantier%'`],
    ['contract_amount.desc.nullslast,id.asc', '', 'true'],
    ['contract_amount.asc.nullsfirst,id.desc', '', 'true'],
    ['contract_amount.desc,id', '', 'true'],
    ['contract_amount.asc,id', 'status=neq.rejected', `s.status <> 'rejected'`],
    ['referred_contact_name.asc,id', '', 'true'],
    ['referred_contact_name.desc,id.desc', '', 'true'],
    ['referred_contact_phone.asc,id', '', 'true'],
    ['referred_contact_phone.desc,status,id.desc', '', 'true'],
    ['referred_contact_name,id', 'status=neq.rejected', `s.status <> 'rejected'`],
    ['id', 'referred_contact_email=is.null', 's.referred_contact_email is null'],
  ])('[P9] by %s, where %s, is the page', async (order, query, condition) => {
    const columns = 'select=id,status,commercial:profiles!commercial_id(full_name)';
    for (const as of ['admin', 'seller'] as const) {
      const mine = as === 'seller' ? `&commercial_id=eq.${people.seller.id}` : '';
      const address = `/rest/v1/sales?${columns}&${query}&order=${order}${mine}`;
      async function rowsAt(offset: number, limit: number, prefer = 'count=exact'): Promise<[number, string, unknown]> {
        const answer = await server.fetch(
          `${address}&limit=${limit}&offset=${offset}`,
          { headers: { prefer } },
          people[as],
        );
        return [answer.status, answer.headers.get('content-range') ?? '', await answer.json()];
      }
      const whole = await server.database.become(people[as], (run) =>
        run(`select s.id, s.status, case when p.id is not null then jsonb_build_object('full_name', p.full_name) end as commercial
          from public.sales s left join public.profiles p on p.id = s.commercial_id
          where ${condition}${as === 'seller' ? ` and s.commercial_id = '${people.seller.id}'` : ''} order by ${sql(order)}`),
      );
      const total = whole.length;
      if (as === 'admin') expect(total).toBeGreaterThan(1000);
      for (const offset of [1000, 1251, total - 30, total - 25, total - 1]) {
        if (offset < 1000 || offset >= total) continue;
        const page = whole.slice(offset, offset + 25);
        expect(await rowsAt(offset, 25)).toEqual([206, `${offset}-${offset + page.length - 1}/${total}`, page]);
      }
      for (const offset of [total, total + 1000].filter((at) => at >= 1000)) {
        const [status, , body] = await rowsAt(offset, 25);
        expect([status, (body as { code: string }).code]).toEqual([416, 'PGRST103']);
      }
    }
  });
});

describe('a page far behind, of other lists', () => {
  test('[P9] the trail, numbered otherwise', async () => {
    const trail = await server.database.asOwner<{ id: string }>('select id from public.audit_entries order by id desc');
    const answer = await server.fetch(
      '/rest/v1/audit_entries?select=id&order=id.desc&offset=1500&limit=3',
      { headers: { prefer: 'count=exact' } },
      people.admin,
    );
    expect(answer.headers.get('content-range')).toBe(`1500-1502/${trail.length}`);
    expect(await answer.json()).toEqual(trail.slice(1500, 1503).map(({ id }) => ({ id: Number(id) })));
  });

  test('[A-28] of what a policy hides, nothing: neither rows nor how many', async () => {
    for (const as of ['seller', 'client'] as const) {
      const answer = await server.fetch(
        '/rest/v1/audit_entries?select=id&order=id.desc&offset=1500&limit=3',
        { headers: { prefer: 'count=exact' } },
        people[as],
      );
      const { details } = (await answer.json()) as { details: string };
      expect([as, answer.status, details]).toEqual([
        as,
        416,
        'An offset of 1500 was requested, but there are only 0 rows.',
      ]);
      const others = await server.fetch(
        `/rest/v1/sales?select=id&commercial_id=eq.${people.otherSeller.id}&order=created_at.desc,id&offset=1000&limit=3`,
        { headers: { prefer: 'count=exact' } },
        people[as],
      );
      const shown = await seen(as, 'sales', `commercial_id = '${people.otherSeller.id}'`);
      expect([as, await others.json()]).toMatchObject([
        as,
        { details: `An offset of 1000 was requested, but there are only ${shown.length} rows.` },
      ]);
    }
  });
});

/** A term of an order, as a client knows it. */
type Term = { readonly column: string; readonly isDescending: boolean; readonly isNullFirst: boolean };

function termsOf(order: string): Term[] {
  return order.split(',').map((words) => {
    const [column = '', ...rest] = words.split('.');
    const isDescending = rest.includes('desc');
    const isNullFirst = rest.includes('nullsfirst') || (isDescending && !rest.includes('nullslast'));
    return { column, isDescending, isNullFirst };
  });
}

/** The condition of the rows after this one, as the official client takes it in `or`. */
function after(row: Readonly<Record<string, unknown>>, terms: readonly Term[]): string {
  const arms = terms.flatMap((own, at) => {
    const { column, isDescending, isNullFirst } = own;
    const equal = terms
      .slice(0, at)
      .map((term) => (row[term.column] === null ? `${term.column}.is.null` : is(term, 'eq')));
    const isNull = row[column] === null;
    const next = isNull
      ? isNullFirst
        ? [`${column}.not.is.null`]
        : []
      : [is(own, isDescending ? 'lt' : 'gt'), ...(isNullFirst || column === 'id' ? [] : [`${column}.is.null`])];
    return next.map((one) => (equal.length === 0 ? one : `and(${[...equal, one].join(',')})`));
  });
  function is({ column }: Term, operator: string): string {
    return `${column}.${operator}."${String(row[column]).replace(/["\\]/gu, '\\$&')}"`;
  }
  return arms.join(',');
}

function backwards(terms: readonly Term[]): Term[] {
  return terms.map((term) => ({ ...term, isDescending: !term.isDescending, isNullFirst: !term.isNullFirst }));
}

function written(terms: readonly Term[]): string {
  return terms
    .map(
      ({ column, isDescending, isNullFirst }) =>
        `${column}.${isDescending ? 'desc' : 'asc'}.${isNullFirst ? 'nullsfirst' : 'nullslast'}`,
    )
    .join(',');
}

const ORDERS = [
  'created_at.desc,id.asc',
  'created_at.asc,id.asc',
  'created_at.desc,id.desc',
  'contract_amount.desc.nullslast,id.desc',
  'contract_amount.asc.nullslast,id.asc',
  'referred_contact_name.asc,id.asc',
  'referred_contact_name.desc,id.desc',
  'status.asc,id.asc',
  'status.desc,id.desc',
];

describe('a page after a row', () => {
  test.each([
    ...ORDERS.map((order) => [order, '']),
    ['created_at.asc,id.desc', 'status=in.(pending,contacted)'],
    ['contract_amount.asc.nullsfirst,id.desc', 'status=neq.rejected'],
    ['contract_amount.desc,id', ''],
    ['referred_contact_phone.desc,status,id.desc', 'contract_description=ilike.*chantier*'],
    ['referred_contact_phone.asc,contract_amount.desc.nullslast,id', 'admin_validated=is.false'],
  ])('[RE-05] by %s, where « %s », neither skips nor repeats a row, either way', async (order = '', query = '') => {
    const terms = termsOf(order);
    const names = [...new Set(['id', ...terms.map(({ column }) => column)])].join(',');
    for (const as of ['admin', 'seller'] as const) {
      async function walk(direction: readonly Term[]): Promise<string[]> {
        const ids: string[] = [];
        let last: Record<string, unknown> | undefined;
        for (;;) {
          const since = last === undefined ? '' : `&or=${encodeURIComponent(`(${after(last, direction)})`)}`;
          const answer = await server.fetch(
            `/rest/v1/sales?select=${names},commercial:profiles!commercial_id(full_name)&${query}&order=${written(direction)}&limit=400${since}`,
            {},
            people[as],
          );
          const page = (await answer.json()) as Record<string, unknown>[];
          expect([answer.status, page]).toMatchObject([200, {}]);
          ids.push(...page.map(({ id }) => String(id)));
          last = page.at(-1);
          if (page.length < 400) return ids;
        }
      }
      const there = await walk(terms);
      const back = await walk(backwards(terms));
      expect(there.length).toBeGreaterThan(400);
      expect(new Set(there).size).toBe(there.length);
      expect([...back].reverse()).toEqual(there);
      // The whole list by offset, in the same order.
      const whole: string[] = [];
      while (whole.length % 1000 === 0) {
        const answer = await server.fetch(
          `/rest/v1/sales?select=id&${query}&order=${written(terms)}&limit=1000&offset=${whole.length}`,
          {},
          people[as],
        );
        const page = (await answer.json()) as { id: string }[];
        whole.push(...page.map(({ id }) => id));
        if (page.length === 0) break;
      }
      expect(there).toEqual(whole);
    }
  });

  test('[RE-05] a count beside it is of the rows after', async () => {
    const until = `created_at=lt.${encodeURIComponent(new Date().toISOString())}`;
    const since = encodeURIComponent(`(status.gt.pending,and(status.eq.pending,id.gt.${people.admin.id}))`);
    const answer = await server.fetch(
      `/rest/v1/sales?select=id&${until}&or=${since}&order=status,id&limit=10`,
      { headers: { prefer: 'count=exact' } },
      people.admin,
    );
    const expected = await seen(
      'admin',
      'sales',
      `status > 'pending' or status = 'pending' and id > '${people.admin.id}'`,
    );
    expect(answer.headers.get('content-range')).toBe(`0-9/${expected.length}`);
  });

  test('[A-28] by amount, a commercial is shown their own and no other', async () => {
    const since = encodeURIComponent('(contract_amount.lt.4000,contract_amount.is.null)');
    const address = `/rest/v1/sales?select=id&or=${since}&order=contract_amount.desc.nullslast,id&limit=1000`;
    // The admin has just read the same address, for whom the page was found past the policies.
    await (await server.fetch(address, {}, people.admin)).text();
    const answer = await server.fetch(address, {}, people.seller);
    const ids = ((await answer.json()) as { id: string }[]).map(({ id }) => id);
    const own = await seen('seller', 'sales', 'contract_amount < 4000 or contract_amount is null');
    expect(own.length).toBeGreaterThan(1000);
    expect(ids).toHaveLength(1000);
    expect(ids.filter((id) => !own.includes(id))).toEqual([]);
  });
});

describe('the rows that a page after a row reads', () => {
  let database: TestDatabase;
  let admin: Person;
  beforeAll(async () => {
    database = await createTestDatabase();
    admin = await anAdmin(database);
    await database.asOwner(
      `insert into public.sales (referred_contact_name, status, rejection_reason, contract_amount, created_at)
       select 'Nom ' || n / 2, case n % 5 when 0 then 'rejected' when 1 then 'contacted' else 'pending' end,
         case when n % 5 = 0 then 'Hors zone' end, case when n % 4 > 0 then (n / 3 + 1) * 1.5 end, now() - n / 2 * interval '1 minute'
       from generate_series(1, 3000) n`,
    );
    await database.asOwner('vacuum analyze public.sales');
  });
  afterAll(() => database.drop());

  type Plan = {
    readonly 'Node Type': string;
    readonly 'Relation Name'?: string;
    readonly 'Actual Rows': number;
    readonly 'Actual Loops': number;
    readonly 'Rows Removed by Filter'?: number;
    readonly Plans?: readonly Plan[];
  };
  const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

  test.each(ORDERS.flatMap((order) => [order, written(backwards(termsOf(order)))]))(
    '[RE-05] by %s: its own, out of an index',
    async (order) => {
      const terms = termsOf(order);
      const [{ column }] = terms as [Term];
      const sorted = terms
        .map(
          (term) => `${term.column} ${term.isDescending ? 'desc' : 'asc'} nulls ${term.isNullFirst ? 'first' : 'last'}`,
        )
        .join(', ');
      const rows = await database.asOwner<{ row: Record<string, unknown> }>(
        `select to_jsonb(s) as row from public.sales s order by ${sorted}`,
      );
      const missing = rows.findIndex(({ row }) => row[column] === null);
      for (const place of [
        Math.floor(rows.length / 2),
        Math.floor(rows.length / 8),
        ...(missing < 0 ? [] : [missing]),
      ]) {
        const query = `select=id,status&order=${written(terms)}&limit=25&or=${encodeURIComponent(`(${after(rows[place]?.row ?? {}, terms)})`)}`;
        const sales = cache.relations.get('sales');
        if (sales === undefined) throw new Error('There are no sales');
        const level = planRead(cache, sourceOf(sales), parseQuery(pairsOf(query)));
        const { arms, isHiddenByPolicies } = keysetShortcut(level) ?? { arms: [], isHiddenByPolicies: false };
        expect(arms.length).toBeGreaterThan(0);
        // The column that PostgreSQL keeps from the index is looked up past the policies.
        expect(isHiddenByPolicies).toBe(column === 'contract_amount');
        const from = 'public."sales" as t0';
        const media = { shape: 'array', stripNulls: false } as const;
        const { text, values } = isHiddenByPolicies
          ? idsStatement(level, arms, from)
          : readStatement(level, { from, media, showsRows: true, total: 'none', isLimited: true, arms });
        const {
          'QUERY PLAN': [{ Plan: plan }],
        } = only(
          await database.become(isHiddenByPolicies ? 'parrain_service' : admin, (run) =>
            run<{ 'QUERY PLAN': [{ Plan: Plan }] }>(`explain (analyze, format json) ${text}`, values),
          ),
        );
        const reads = nodesOf(plan).filter((node) => node['Relation Name'] === 'sales');
        expect(reads.map((node) => node['Node Type']).filter((type) => type === 'Seq Scan')).toEqual([]);
        expect(reads.map((node) => node['Rows Removed by Filter'] ?? 0).filter((removed) => removed > 0)).toEqual([]);
        // One row more than the page, where the index has the next: an order of another direction reads its equals whole.
        const read = reads.reduce((sum, node) => sum + node['Actual Rows'] * node['Actual Loops'], 0);
        expect(read).toBeLessThanOrEqual(40);
      }
    },
  );
});

describe('a search finds what a scan finds', () => {
  const COLUMNS = ['referred_contact_name', 'referred_contact_email', 'referred_contact_phone', 'contract_description'];
  const anywhere = (pattern: string): string =>
    `or=(${COLUMNS.map((column) => `${column}.ilike.${encodeURIComponent(`"${pattern.replace(/["\\]/gu, '\\$&')}"`)}`).join(',')})`;
  const scanned = (pattern: string): string =>
    COLUMNS.map((column) => `${column} ilike '${pattern.replaceAll('*', '%').replaceAll(`'`, `''`)}'`).join(' or ');

  test.each([
    '%lefèvre%',
    '%Éloïse%',
    '%deux lignes%suite%',
    '%100%\\%%',
    '%o_brien%',
    '%"la"%',
    '%Marc\\\\Slash%',
    '%commun%',
    '%ab%',
    '%a%',
    '%%',
    '*lefèvre*',
    'Éloïse%',
    '%Lefèvre',
    '%+33 6 1%',
    '%ami7@%',
    '%rien de tel%',
    `%d'apostrophe%`,
  ])('[P9] « %s » anywhere in a sale', async (pattern) => {
    for (const as of EVERYONE) {
      const found = await asked(as, `sales?${anywhere(pattern)}`);
      const expected = await seen(as, 'sales', scanned(pattern));
      expect({ as, ...found }).toEqual({ as, ids: expected, total: expected.length, status: found.status });
    }
  });

  test.each([
    'lefevre',
    'eloise',
    'zoe "la"',
    '100\\%',
    'o\\_brien',
    'deux lignes',
    "d'apostrophe",
    'rien de tel',
    'ab',
  ])('[P9] [NV-03] « %s » among a sale’s terms, which have no accents', async (plain) => {
    const terms = `private.sale_terms(referred_contact_name, referred_contact_email, referred_contact_phone, contract_description)`;
    const operand = encodeURIComponent(`"%${plain.replace(/["\\]/gu, '\\$&')}%"`);
    for (const as of EVERYONE) {
      const found = await asked(as, `sales?or=(terms.like.${operand},status.eq.rejected)`);
      const expected = await seen(
        as,
        'sales',
        `${terms} like '%${plain.replaceAll(`'`, `''`)}%' or status = 'rejected'`,
      );
      expect({ as, ...found }).toEqual({ as, ids: expected, total: expected.length, status: found.status });
      const alone = await asked(as, `sales?or=(terms.like.${operand})`);
      expect(alone.ids).toEqual(await seen(as, 'sales', `${terms} like '%${plain.replaceAll(`'`, `''`)}%'`));
    }
  });

  test('[P9] [NV-03] terms are looked up in the index, not in the rows', () => {
    const relation = cache.relations.get('sales');
    if (relation === undefined) throw new Error('There are no sales');
    const level = planRead(cache, sourceOf(relation), parseQuery(pairsOf('or=(terms.like.*lefevre*)')));
    expect(searchShortcut(level)?.find.values).toEqual(['%lefevre%']);
    const other = planRead(cache, sourceOf(relation), parseQuery(pairsOf('referred_contact_name=like.*lefevre*')));
    expect(searchShortcut(other)).toBeNull();
  });

  test('[DF-36, DF-38] words in any order and a number in any writing are looked up in the index', async () => {
    const db = server.database;
    const { id } = await aClient(db, {
      fullName: 'Bastien Kerguelen',
      email: 'b.kerguelen@exemple.fr',
      phone: '(+33) 6 98\u201176 54 32',
    });
    const find = async (search: string) => {
      const answer = await server.fetch(
        `/rest/v1/profiles?select=id&or=${encodeURIComponent(`(${search})`)}`,
        { headers: { prefer: 'count=exact' } },
        people.admin,
      );
      return {
        ids: ((await answer.json()) as { id: string }[]).map((row) => row.id),
        range: answer.headers.get('content-range'),
      };
    };
    const once = { ids: [id], range: '0-0/1' };
    expect(await find('and(terms.like."%kerguelen%",terms.like."%bastien%")')).toEqual(once);
    expect(await find('terms.like."%0698765432%"')).toEqual(once);
    expect(await find('and(terms.like."%+33%",terms.like."%98%"),terms.like."%0698765432%"')).toEqual(once);
    expect(await find('and(terms.like."%kerguelen%",terms.like."%nobody%")')).toEqual({ ids: [], range: '*/0' });
    const relation = cache.relations.get('profiles');
    if (relation === undefined) throw new Error('There are no profiles');
    const values = (search: string) =>
      searchShortcut(planRead(cache, sourceOf(relation), parseQuery(pairsOf(`or=(${search})`))))?.find.values;
    expect(values('and(terms.like.*bastien*,terms.like.*kerguelen*)')).toEqual(['%kerguelen%']);
    expect(values('and(terms.like.*698*,terms.like.*76*),terms.like.*0698*')).toEqual(['%698%', '%0698%']);
  });

  test('[P9] [NV-03] payments made, accounts and messages are found among long lists by indexes, whoever asks', async () => {
    const db = server.database;
    const { id: ruled } = await aClient(db, { fullName: 'Hélène Œuvré', email: 'h.oeuvre@exemple.fr' });
    await db.asOwner(
      `with plain as (select set_config('session_replication_role', 'replica', true)),
       mailed as (insert into private.mails (template, recipient, is_secret)
         select 'notice', case when n % 10 = 0 then 'h.oeuvre@exemple.fr' else 'boîte' || n || '@exemple.fr' end, false
         from plain, generate_series(1, 3000) n)
       insert into public.ledger_entries (at, act, source_id, payee_id, debit, credit, amount, detail, is_test)
       select now() - n * interval '1 minute', 'settlement', gen_random_uuid(), case when n % 500 = 0 then $1::uuid else $2::uuid end,
         'reserved', 'paid', 10, 'virement', false
       from plain, generate_series(1, 3000) n`,
      [ruled, people.client.id],
    );
    await db.asOwner('vacuum analyze private.mails, public.ledger_entries, public.profiles');
    for (const [list, key, plain, most] of [
      ['payments_made', 'source_id', 'helene oeuvre', 6],
      ['payee_accounts', 'id', 'helene oeuvre', 0],
      ['sent_mails', 'id', 'helene oeuvre', 300],
      ['sent_mails', 'id', 'boite1234', 1],
      ['sent_mails', 'id', 'personne de tel', 0],
    ] as const) {
      const search = `or=${encodeURIComponent(`(terms.like."%${plain}%")`)}`;
      for (const as of EVERYONE) {
        const answer = await server.fetch(
          `/rest/v1/${list}?select=${key}&order=${key}&limit=900&${search}`,
          { headers: { prefer: 'count=exact' } },
          people[as],
        );
        const ids = ((await answer.json()) as Record<string, string>[]).map((row) => row[key]);
        const expected = await db.become(people[as], (run) =>
          run<{ id: string }>(`select l.${key} as id from public.${list} l where public.terms(l) like $1 order by 1`, [
            `%${plain}%`,
          ]),
        );
        expect([list, plain, as, ids]).toEqual([list, plain, as, expected.map(({ id }) => id)]);
        expect(answer.headers.get('content-range')?.split('/')[1]).toBe(String(expected.length));
        if (as === 'admin') expect([list, plain, ids.length]).toEqual([list, plain, most]);
      }
      const relation = cache.relations.get(list);
      if (relation === undefined) throw new Error(`There is no ${list}`);
      const find = searchShortcut(planRead(cache, sourceOf(relation), parseQuery(pairsOf(search))))?.find;
      expect(find?.values).toEqual([`%${plain}%`]);
      const found = await db.become(people.admin, (run) =>
        run<{ ids: string[] | null }>(find?.text ?? '', [...(find?.values ?? [])]),
      );
      expect(only(found).ids?.length).toBeGreaterThanOrEqual(most);
    }
    for (const [index, condition] of [
      ['mails_by_recipient_terms', `private.mails where recipient is not null and private.plain_letters(recipient)`],
      [
        'payment_requests_by_reference_terms',
        `public.payment_requests where settlement_reference is not null and private.plain_letters(settlement_reference)`,
      ],
    ]) {
      const plan = await db.become('parrain_service', async (run) => {
        await run('set local enable_seqscan = off');
        return run(`explain select id from ${condition} like '%boite1234%'`);
      });
      expect(JSON.stringify(plan)).toContain(index);
    }
  });

  test('[LG-02] [A-28] all accounts are counted for an admin, and for everybody else their own', async () => {
    for (const as of EVERYONE) {
      const answer = await server.fetch(
        '/rest/v1/payee_accounts?select=id&limit=1',
        { headers: { prefer: 'count=exact' } },
        people[as],
      );
      const expected = await server.database.become(people[as], (run) => run('select id from public.payee_accounts'));
      expect([as, answer.headers.get('content-range')?.split('/')[1]]).toEqual([as, String(expected.length)]);
    }
  });

  test('[P9] in one column, with other conditions, and in people', async () => {
    for (const as of EVERYONE) {
      const one = await asked(as, 'sales?referred_contact_name=ilike.*zoé*&status=eq.pending');
      expect(one.ids).toEqual(await seen(as, 'sales', `referred_contact_name ilike '%zoé%' and status = 'pending'`));
      const otherwise = await asked(as, 'sales?or=(referred_contact_name.ilike.*zoé*,status.eq.rejected)');
      expect(otherwise.ids).toEqual(
        await seen(as, 'sales', `referred_contact_name ilike '%zoé%' or status = 'rejected'`),
      );
      const without = await asked(as, 'sales?referred_contact_name=not.ilike.*zoé*');
      expect(without.ids).toEqual(await seen(as, 'sales', `referred_contact_name not ilike '%zoé%'`));
      const person = await asked(as, 'profiles?or=(full_name.ilike.*lefèvre*,email.ilike.*lefèvre*)');
      expect(person.ids).toEqual(await seen(as, 'profiles', `full_name ilike '%lefèvre%' or email ilike '%lefèvre%'`));
    }
  });

  test('[A-28] what a search finds, nobody sees who may not see the row', async () => {
    const rows = await server.database.become(people.client, (run) =>
      run(`select private.find_sales('%lefèvre%', 2000) as ids`),
    );
    const { ids } = only(rows) as { ids: string[] };
    // Those whose terms are like it, with or without accents: the search itself then keeps what is like the pattern.
    const terms = `private.sale_terms(referred_contact_name, referred_contact_email, referred_contact_phone, contract_description)`;
    expect([...ids].sort()).toEqual(await seen('client', 'sales', `${terms} like '%lefevre%'`));
    expect(ids).toEqual(expect.arrayContaining(await seen('client', 'sales', scanned('%lefèvre%'))));
    const visitor = await server.fetch('/rest/v1/sales?referred_contact_name=ilike.*lef*&select=id');
    expect(visitor.status).toBe(401);
  });

  test('[X-61] a pattern is data, wherever it goes', async () => {
    for (const pattern of [`%'); drop table public.sales; --%`, '%$1%', `%\\'%`, '%$$%']) {
      const found = await asked('admin', `sales?referred_contact_name=ilike.${encodeURIComponent(pattern)}`);
      expect([found.status, found.ids]).toEqual([200, []]);
    }
  });
});
