import type { SupabaseClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { aClient, aCommercial, anAdmin, aSale, aScale, aValidatedSale, startTestServer } from '../testing/index.ts';
import type { Person, Sale, TestServer } from '../testing/index.ts';

let server: TestServer;
let admin: Person;
let commercial: Person;
let client: Person;
let referrer: Person;
let scale: { readonly id: string };
let validated: Sale;
let pending: Sale;
let rejected: Sale;
let asAdmin: SupabaseClient;
let asCommercial: SupabaseClient;
let asClient: SupabaseClient;

beforeAll(async () => {
  server = await startTestServer({ doors: ['rest'], jobs: false });
  const db = server.database;
  admin = await anAdmin(db, { fullName: 'Aline Admin' });
  commercial = await aCommercial(db, { fullName: 'Corentin « Coco » Commercial' });
  client = await aClient(db, { commercial, fullName: 'Clarisse Cliente', email: 'clarisse+test@example.fr' });
  referrer = await aClient(db, { commercial, fullName: 'Rémi Référent' });
  scale = await aScale(db, { name: 'Barème à 10 %' });
  validated = await aValidatedSale(db, {
    admin,
    commercial,
    friendReferrer: client,
    clientReferrer: referrer,
    scale,
    contactName: 'Paul Validé',
  });
  pending = await aSale(db, {
    commercial,
    friendReferrer: client,
    contactName: 'Paula, "dite" (en cours)',
    contractAmount: '10.50',
  });
  rejected = await aSale(db, { commercial, friendReferrer: client, status: 'rejected', rejectionReason: 'Hors zone' });
  await db.become(client, (run) =>
    run(`select from private.request_payment(100, 'virement', '{"iban": "FR76 •••• 0189"}', '\\x00')`),
  );
  asAdmin = await server.client(admin);
  asCommercial = await server.client(commercial);
  asClient = await server.client(client);
});
afterAll(() => server.close());

/** The data of a reading that must succeed. */
async function data<Rows>(query: PromiseLike<{ data: unknown; error: unknown }>): Promise<Rows> {
  const { data: rows, error } = await query;
  expect(error).toBeNull();
  return rows as Rows;
}

const EVERY_NAME =
  '*, commercial:profiles!sales_commercial_id_fkey(id, full_name, email), ' +
  'client_referrer:profiles!sales_client_referrer_id_fkey(full_name), ' +
  'friend_referrer:profiles!sales_friend_referrer_id_fkey(full_name), commission_rate:commission_rates(*)';

describe('the readings of the dashboards', () => {
  test('[RE-01] a profile by id is one object, and 406 where there is none', async () => {
    const profile = await data(asClient.from('profiles').select('*').eq('id', client.id).single());
    expect(profile).toMatchObject({
      id: client.id,
      full_name: 'Clarisse Cliente',
      role: 'client',
      commercial_id: commercial.id,
    });

    const none = await asClient.from('profiles').select('*').eq('id', admin.id).single();
    expect(none.status).toBe(406);
    expect(none.error).toMatchObject({
      code: 'PGRST116',
      message: 'Cannot coerce the result to a single JSON object',
      details: 'The result contains 0 rows',
    });
    const several = await asAdmin.from('profiles').select('*').single();
    expect(several.error).toMatchObject({ code: 'PGRST116', details: 'The result contains 4 rows' });
    expect(await data(asClient.from('profiles').select('id').eq('id', admin.id).maybeSingle())).toBeNull();
  });

  test('[RE-02] a profile by e-mail, plus sign and all', async () => {
    const found = await data(
      asCommercial.from('profiles').select('id').eq('email', 'clarisse+test@example.fr').single(),
    );
    expect(found).toEqual({ id: client.id });
  });

  test('[RE-03] profiles by role, newest first', async () => {
    const clients = await data(
      asAdmin.from('profiles').select('full_name').eq('role', 'client').order('created_at', { ascending: false }),
    );
    expect(clients).toEqual([{ full_name: 'Rémi Référent' }, { full_name: 'Clarisse Cliente' }]);
  });

  test('[RE-04] the clients of a commercial', async () => {
    const clients: { id: string }[] = await data(
      asCommercial.from('profiles').select('*').eq('commercial_id', commercial.id).eq('role', 'client'),
    );
    expect(clients.map(({ id }) => id).sort()).toEqual([client.id, referrer.id].sort());
  });

  test('[RE-05] every sale with its commercial, referrers and scale, the scale under its column’s own name', async () => {
    const sales: Record<string, unknown>[] = await data(
      asAdmin.from('sales').select(EVERY_NAME).order('created_at', { ascending: true }),
    );
    expect(sales).toHaveLength(3);
    expect(sales[0]).toMatchObject({
      id: validated.id,
      contract_amount: 1234.56,
      client_commission_amount: 123.46,
      commercial: { id: commercial.id, full_name: 'Corentin « Coco » Commercial', email: commercial.email },
      client_referrer: { full_name: 'Rémi Référent' },
      friend_referrer: { full_name: 'Clarisse Cliente' },
      commission_rate: { id: scale.id, name: 'Barème à 10 %', client_commission_amount: 10 },
    });
    expect(sales[1]).toMatchObject({
      id: pending.id,
      client_referrer: null,
      commission_rate: null,
      contract_amount: 10.5,
    });
  });

  test('[RE-06] the sales of a commercial', async () => {
    const sales: { id: string }[] = await data(
      asCommercial.from('sales').select('*').eq('commercial_id', commercial.id),
    );
    expect(sales).toHaveLength(3);
  });

  test('[RE-07] the sales of a friend referrer, validated ones by validation, with the commercial’s name', async () => {
    const all: { id: string }[] = await data(
      asClient
        .from('sales')
        .select('*, profiles!sales_commercial_id_fkey(full_name)')
        .eq('friend_referrer_id', client.id)
        .order('created_at', { ascending: false }),
    );
    expect(all.map(({ id }) => id)).toEqual([rejected.id, pending.id, validated.id]);
    expect(all[0]).toMatchObject({ profiles: { full_name: 'Corentin « Coco » Commercial' } });
    const done = await data(
      asClient
        .from('sales')
        .select('id, commercial_id(full_name)')
        .eq('friend_referrer_id', client.id)
        .eq('status', 'validated')
        .order('validated_at', { ascending: false }),
    );
    expect(done).toEqual([{ id: validated.id, commercial_id: { full_name: 'Corentin « Coco » Commercial' } }]);
  });

  test('[RE-08] the commission payments with recipient and sale', async () => {
    const payments = await data(
      asAdmin
        .from('commission_payments')
        .select('type, amount, recipient:profiles(full_name), sale:sales(referred_contact_name)')
        .order('type'),
    );
    expect(payments).toEqual([
      {
        type: 'client',
        amount: 123.46,
        recipient: { full_name: 'Clarisse Cliente' },
        sale: { referred_contact_name: 'Paul Validé' },
      },
      {
        type: 'commercial',
        amount: 50,
        recipient: { full_name: 'Corentin « Coco » Commercial' },
        sale: { referred_contact_name: 'Paul Validé' },
      },
    ]);
  });

  test('[RE-09] a client’s paid commissions with the sale’s name, by payment', async () => {
    const payments = await data(
      asClient
        .from('commission_payments')
        .select('amount, sales(referred_contact_name)')
        .eq('recipient_id', client.id)
        .eq('type', 'client')
        .eq('status', 'paid')
        .not('paid_at', 'is', null)
        .order('paid_at', { ascending: false }),
    );
    expect(payments).toEqual([{ amount: 123.46, sales: { referred_contact_name: 'Paul Validé' } }]);
  });

  test('[RE-10] the payment requests with their client', async () => {
    const requests = await data(
      asAdmin.from('payment_requests').select('amount, status, client:profiles(full_name, email)'),
    );
    expect(requests).toEqual([
      { amount: 100, status: 'pending', client: { full_name: 'Clarisse Cliente', email: 'clarisse+test@example.fr' } },
    ]);
  });

  test('[RE-11] the scales', async () => {
    expect(await data(asAdmin.from('commission_rates').select('*'))).toEqual([
      expect.objectContaining({ id: scale.id }),
    ]);
  });

  test.each(['commercial_id', 'p_commercial_id', 'id', 'commercial_uuid'])(
    '[RE-12] get_commercial_sales takes the commercial’s id under the name %s',
    async (argument) => {
      const sales: { id: string }[] = await data(
        asCommercial.rpc('get_commercial_sales', { [argument]: commercial.id }),
      );
      expect(sales.map(({ id }) => id)).toEqual([rejected.id, pending.id, validated.id]);
      expect(sales[2]).toMatchObject({ client_name: 'Clarisse Cliente', contract_amount: 1234.56 });
    },
  );

  test('[FX-68] without get_commercial_sales the same is read from the sales, then from each referrer', async () => {
    const called: { id: string; client_name: string | null }[] = await data(
      asCommercial.rpc('get_commercial_sales', { id: commercial.id }),
    );
    const sales: { id: string; friend_referrer_id: string | null; client_referrer_id: string | null }[] = await data(
      asCommercial
        .from('sales')
        .select('*')
        .eq('commercial_id', commercial.id)
        .order('created_at', { ascending: false }),
    );
    const read = await Promise.all(
      sales.map(async (sale) => {
        const referrerId = sale.friend_referrer_id ?? sale.client_referrer_id;
        if (referrerId === null) return { id: sale.id, client_name: null };
        const found = asCommercial.from('profiles').select('full_name, email').eq('id', referrerId).single();
        const { full_name: name, email } = await data<{ full_name: string; email: string }>(found);
        expect(email).toContain('@');
        return { id: sale.id, client_name: name };
      }),
    );
    expect(read).toEqual(called.map(({ id, client_name }) => ({ id, client_name })));
  });

  test('[RE-12] a call is also a reading: columns, filters, order, page and count', async () => {
    const {
      data: rows,
      count,
      status,
    } = await asCommercial
      .rpc('get_commercial_sales', { id: commercial.id }, { count: 'exact' })
      .select('id, status')
      .in('status', ['validated', 'pending'])
      .order('status')
      .limit(1);
    expect({ rows, count, status }).toEqual({ rows: [{ id: pending.id, status: 'pending' }], count: 2, status: 206 });
    const byGet = await data(
      asCommercial
        .rpc('get_commercial_sales', { id: commercial.id }, { get: true })
        .eq('status', 'rejected')
        .select('id'),
    );
    expect(byGet).toEqual([{ id: rejected.id }]);
  });

  test('[AD-03] the figures of each dashboard are one call', async () => {
    expect(await data(asAdmin.rpc('admin_figures').single())).toMatchObject({ validated_sales: 1, revenue: 1234.56 });
    expect(await data(asCommercial.rpc('commercial_figures').single())).toMatchObject({ clients: 2, referrals: 3 });
    expect(await data(asClient.rpc('client_figures').single())).toMatchObject({
      available: 23.46,
      requests_in_progress: 100,
    });
  });

  test('[AD-06] the clients’ summaries are a view, which carries the foreign keys of what it shows', async () => {
    const summaries = await data(
      asAdmin
        .from('client_summaries')
        .select(
          'full_name, total_referrals, revenue_generated, commercial_id(full_name), sales!sales_friend_referrer_id_fkey(status)',
        )
        .order('full_name')
        .order('created_at', { referencedTable: 'sales' }),
    );
    expect(summaries).toEqual([
      {
        full_name: 'Clarisse Cliente',
        total_referrals: 3,
        revenue_generated: 1234.56,
        commercial_id: { full_name: 'Corentin « Coco » Commercial' },
        sales: [{ status: 'validated' }, { status: 'pending' }, { status: 'rejected' }],
      },
      expect.objectContaining({ full_name: 'Rémi Référent', total_referrals: 0, revenue_generated: 0, sales: [] }),
    ]);
  });
});

describe('embeds', () => {
  test('[RE-05] an embed is nested, ordered, limited and filtered by its own path', async () => {
    const people = await data(
      asAdmin
        .from('profiles')
        .select(
          'full_name, sales!sales_commercial_id_fkey(status, rate:commission_rates(name), commission_payments(type))',
        )
        .eq('role', 'commercial')
        .neq('sales.status', 'rejected')
        .order('created_at', { referencedTable: 'sales', ascending: false })
        .order('type', { referencedTable: 'sales.commission_payments' })
        .limit(2, { referencedTable: 'sales' })
        .limit(1, { referencedTable: 'sales.commission_payments' }),
    );
    expect(people).toEqual([
      {
        full_name: 'Corentin « Coco » Commercial',
        sales: [
          { status: 'pending', rate: null, commission_payments: [] },
          { status: 'validated', rate: { name: 'Barème à 10 %' }, commission_payments: [{ type: 'client' }] },
        ],
      },
    ]);
  });

  test('[RE-05] inner drops the rows without a match, a null filter keeps or drops them', async () => {
    const withRate = await data(
      asAdmin.from('sales').select('id, commission_rates!inner(name)').eq('commission_rates.name', 'Barème à 10 %'),
    );
    expect(withRate).toEqual([{ id: validated.id, commission_rates: { name: 'Barème à 10 %' } }]);
    expect(
      await data(asAdmin.from('sales').select('id, commission_rates!inner()').eq('commission_rates.name', 'autre')),
    ).toEqual([]);
    expect(
      await data(asAdmin.from('sales').select('id, commission_payments()').not('commission_payments', 'is', null)),
    ).toEqual([{ id: validated.id }]);
    const without: unknown[] = await data(
      asAdmin.from('sales').select('id, commission_payments()').is('commission_payments', null),
    );
    expect(without).toHaveLength(2);
    const either = await data(
      asAdmin
        .from('sales')
        .select('id, commission_payments()')
        .or('commission_payments.not.is.null,status.eq.rejected')
        .order('created_at'),
    );
    expect(either).toEqual([{ id: validated.id }, { id: rejected.id }]);
  });

  test('[RE-05] every page holds the rows it would hold if all were read, whatever filters and orders the parents', async () => {
    const names =
      'status, commercial:profiles!sales_commercial_id_fkey(full_name), ...profiles!sales_client_referrer_id_fkey(referrer:full_name)';
    const asked = [
      (columns: string) => asAdmin.from('sales').select(columns).order('created_at', { ascending: false }),
      (columns: string) => asAdmin.from('sales').select(columns).order('commercial(full_name)').order('status'),
      (columns: string) =>
        asAdmin.from('sales').select(`${columns}, commission_payments!inner(type)`).order('created_at'),
      (columns: string) =>
        asAdmin.from('sales').select(`${columns}, commission_payments()`).is('commission_payments', null).order('id'),
    ];
    for (const read of asked) {
      const whole: unknown[] = await data(read(names));
      for (const offset of whole.keys()) {
        expect(await data(read(names).range(offset, offset))).toEqual([whole[offset]]);
      }
    }
  });

  test('[RE-05] a to-one relation orders its parents', async () => {
    const sales: { id: string }[] = await data(
      asAdmin
        .from('sales')
        .select('id, client_referrer:profiles!sales_client_referrer_id_fkey()')
        .order('client_referrer(full_name)', { ascending: true, nullsFirst: false })
        .limit(1),
    );
    expect(sales).toEqual([{ id: validated.id }]);
  });

  test('[RE-05] a spread lifts the columns of one, and makes arrays of many', async () => {
    const [sale] = await data<[unknown]>(
      asAdmin
        .from('sales')
        .select('id, ...profiles!sales_commercial_id_fkey(seller:full_name), ...commission_payments(type, amount)')
        .eq('id', validated.id)
        .order('type', { referencedTable: 'commission_payments' }),
    );
    expect(sale).toEqual({
      id: validated.id,
      seller: 'Corentin « Coco » Commercial',
      type: ['client', 'commercial'],
      amount: [123.46, 50],
    });
  });

  test('[RE-05] a relation to itself: the table is the many, the column is the one', async () => {
    const [row] = await data<[unknown]>(
      asAdmin.from('profiles').select('full_name, commercial_id(full_name)').eq('id', client.id),
    );
    expect(row).toEqual({
      full_name: 'Clarisse Cliente',
      commercial_id: { full_name: 'Corentin « Coco » Commercial' },
    });
    const [seller] = await data<[{ clients: unknown[] }]>(
      asAdmin.from('profiles').select('clients:profiles(id)').eq('id', commercial.id),
    );
    expect(seller.clients).toHaveLength(2);
  });

  test('[RE-05] a balance is one object, being at most one', async () => {
    const [row] = await data<[unknown]>(asAdmin.from('profiles').select('balances(earned)').eq('id', client.id));
    expect(row).toEqual({ balances: { earned: 123.46 } });
  });
});

describe('filters', () => {
  const found = async (filter: string, table = 'sales'): Promise<unknown> => {
    const response = await server.fetch(`/rest/v1/${table}?select=id&order=created_at&${filter}`, {}, admin);
    const rows = (await response.json()) as { id: string }[] | { code: string };
    return Array.isArray(rows) ? rows.map(({ id }) => id) : rows;
  };

  test.each([
    ['status=eq.pending', ['pending']],
    ['status=neq.pending', ['validated', 'rejected']],
    ['status=not.eq.pending', ['validated', 'rejected']],
    ['contract_amount=gt.10.5', ['validated']],
    ['contract_amount=gte.10.5', ['validated', 'pending']],
    ['contract_amount=lt.10.5', []],
    ['contract_amount=lte.10.50', ['pending']],
    ['contract_amount=is.null', ['rejected']],
    ['contract_amount=not.is.null', ['validated', 'pending']],
    ['contract_amount=is.not_null', ['validated', 'pending']],
    ['admin_validated=is.true', ['validated']],
    ['admin_validated=eq.true', ['validated']],
    ['admin_validated=not.eq.true', ['pending', 'rejected']],
    ['referred_contact_name=like.Paul *', ['validated', 'rejected']],
    ['referred_contact_name=ilike.paula*', ['pending']],
    ['referred_contact_name=ilike(any).{*validé,*COURS)}', ['validated', 'pending']],
    ['referred_contact_name=like(all).{P*,*a*,*,*}', ['validated', 'pending', 'rejected']],
    ['referred_contact_name=match.^Paula', ['pending']],
    ['referred_contact_name=imatch.^PAULA', ['pending']],
    ['status=in.(pending,rejected)', ['pending', 'rejected']],
    ['status=in.()', []],
    ['status=not.in.(pending)', ['validated', 'rejected']],
    ['status=eq(any).{pending,validated}', ['validated', 'pending']],
    ['commission_rate=isdistinct.00000000-0000-4000-8000-000000000000', ['validated', 'pending', 'rejected']],
    ['referred_contact_name=fts(french).validés', ['validated']],
    ['referred_contact_name=plfts.paul', ['validated', 'rejected']],
    ['referred_contact_name=wfts(simple).paul -contact', ['validated']],
    ['referred_contact_name=phfts.paul contact', ['rejected']],
    ['or=(status.eq.pending,contract_amount.gt.1000)', ['validated', 'pending']],
    ['not.or=(status.eq.pending,admin_validated.is.true)', ['rejected']],
    ['and=(status.neq.pending,or(contract_amount.is.null,contract_amount.lt.5))', ['rejected']],
    ['or=(referred_contact_name.eq."Paula, \\"dite\\" (en cours)",status.in.(validated))', ['validated', 'pending']],
    ['referred_contact_name->>absent=is.null', ['validated', 'pending', 'rejected']],
  ])('[RE-05] %s', async (filter, expected) => {
    const names = new Map([
      [validated.id, 'validated'],
      [pending.id, 'pending'],
      [rejected.id, 'rejected'],
    ]);
    const ids = await found(filter.replace(/[+]/gu, '%2B'));
    expect(Array.isArray(ids) ? ids.map((id) => names.get(id as string)) : ids).toEqual(expected);
  });

  test('[RE-10] JSON is read by path, contained, cast and renamed', async () => {
    const rows = await data(
      asAdmin
        .from('payment_requests')
        .select('payment_details->iban, masked:payment_details->>iban, amount::text, at:created_at::date')
        .contains('payment_details', { iban: 'FR76 •••• 0189' })
        .eq('payment_details->>iban', 'FR76 •••• 0189'),
    );
    expect(rows).toEqual([
      {
        iban: 'FR76 •••• 0189',
        masked: 'FR76 •••• 0189',
        amount: '100.00',
        at: expect.stringMatching(/^\d{4}-\d\d-\d\d$/u),
      },
    ]);
    expect(await data(asAdmin.from('payment_requests').select('id').eq('payment_details->>iban', 'autre'))).toEqual([]);
  });

  test('[RE-05] members that hold commas, quotes and parentheses', async () => {
    const rows = await data(
      asAdmin.from('sales').select('id').in('referred_contact_name', ['Paula, "dite" (en cours)', 'a,b']),
    );
    expect(rows).toEqual([{ id: pending.id }]);
  });

  test('[A-61] a value is only ever a value', async () => {
    for (const hostile of ["'; drop table sales; --", '$1', "\\'", '%', '"', '(select 1)', '\u202e', 'null']) {
      expect(await data(asAdmin.from('sales').select('id').eq('referred_contact_name', hostile))).toEqual([]);
    }
    const nul = await asAdmin.from('sales').select('id').eq('referred_contact_name', 'a\0b');
    expect(nul.status).toBe(400);
    expect(await data(asAdmin.from('sales').select('id').limit(1))).toHaveLength(1);
  });
});

describe('pages, counts and shapes', () => {
  test('[RE-05] a page of a counted list is 206 with its range, the whole list 200', async () => {
    const page = await server.fetch(
      '/rest/v1/sales?select=id&limit=2&offset=1',
      { headers: { prefer: 'count=exact' } },
      admin,
    );
    expect(page.status).toBe(206);
    expect(page.headers.get('content-range')).toBe('1-2/3');
    expect(page.headers.get('preference-applied')).toBe('count=exact');
    expect(page.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(page.headers.get('content-location')).toBe('/rest/v1/sales?select=id&limit=2&offset=1');

    const whole = await asAdmin.from('sales').select('id', { count: 'exact' });
    expect({ status: whole.status, count: whole.count }).toEqual({ status: 200, count: 3 });
    const second = await asAdmin.from('sales').select('id', { count: 'exact' }).range(2, 9);
    expect({ status: second.status, count: second.count, rows: second.data?.length }).toEqual({
      status: 206,
      count: 3,
      rows: 1,
    });
  });

  test('[RE-05] head counts without rows', async () => {
    const {
      data: rows,
      count,
      status,
    } = await asAdmin.from('sales').select('*', { count: 'exact', head: true }).eq('status', 'pending');
    expect({ rows, count, status }).toEqual({ rows: null, count: 1, status: 200 });
  });

  test('[RE-05] past the end: 416 where it is counted, an empty list where it is not', async () => {
    const past = await asAdmin.from('sales').select('id', { count: 'exact' }).range(5, 9);
    expect(past.status).toBe(416);
    expect(past.error).toMatchObject({
      code: 'PGRST103',
      details: 'An offset of 5 was requested, but there are only 3 rows.',
    });
    expect(await data(asAdmin.from('sales').select('id').range(5, 9))).toEqual([]);
    expect(await data(asAdmin.from('sales').select('id').limit(0))).toEqual([]);
    const range = await server.fetch(
      '/rest/v1/sales?select=id',
      { headers: { range: '1-1', 'range-unit': 'items' } },
      admin,
    );
    expect(range.headers.get('content-range')).toBe('1-1/*');
    const inverted = await server.fetch('/rest/v1/sales?select=id', { headers: { range: '3-1' } }, admin);
    expect(inverted.status).toBe(416);
  });

  test('[A-27] a planned or estimated count tells only who sees every row what the planner guesses', async () => {
    await server.database.asOwner('analyze public.sales');
    for (const count of ['planned', 'estimated'] as const) {
      const guess = (await asAdmin.from('sales').select('id', { count })).count;
      // The planner guesses how many rows a policy lets through; an estimate under a page of rows is counted.
      if (count === 'planned') expect(guess).toBeGreaterThan(0);
      else expect(guess).toBe(3);
      const other = await server.client(await aClient(server.database));
      expect((await other.from('sales').select('id', { count })).count).toBe(0);
      expect((await asClient.from('sales').select('id', { count, head: true })).count).toBe(3);
    }
  });

  test('[RE-05] no list is longer than a thousand rows, at any level', async () => {
    const many = await aCommercial(server.database);
    await server.database.asOwner(
      `insert into public.sales (referred_contact_name, commercial_id) select 'n' || n, $1 from generate_series(1, 1100) n`,
      [many.id],
    );
    const seller = await server.client(many);
    const rows = await seller.from('sales').select('id', { count: 'exact' }).limit(5000);
    expect({ status: rows.status, count: rows.count, rows: rows.data?.length }).toEqual({
      status: 206,
      count: 1100,
      rows: 1000,
    });
    const [me] = await data<[{ sales: unknown[] }]>(
      seller.from('profiles').select('sales!sales_commercial_id_fkey(id)').eq('id', many.id),
    );
    expect(me.sales).toHaveLength(1000);
    const estimated = await asAdmin
      .from('sales')
      .select('id', { count: 'estimated' })
      .eq('commercial_id', many.id)
      .limit(1);
    expect(estimated.count).toBeGreaterThan(1000);
    await server.database.asOwner(`update public.sales set status = 'rejected' where commercial_id = $1`, [many.id]);
    await server.database.asOwner('delete from public.sales where commercial_id = $1', [many.id]);
  });

  test('[RE-05] CSV quotes what must be', async () => {
    const csv = await data(
      asAdmin
        .from('sales')
        .select('referred_contact_name, contract_amount, note:rejection_reason')
        .order('created_at')
        .csv(),
    );
    expect(csv).toBe(
      'referred_contact_name,contract_amount,note\nPaul Validé,1234.56,\n"Paula, ""dite"" (en cours)",10.50,\nPaul Contact,,Hors zone',
    );
    expect(await data(asAdmin.from('sales').select('id').eq('status', 'contacted').csv())).toBe('id');
  });

  test('[RE-05] nulls can be left out', async () => {
    const [row] = await data<[unknown]>(
      asAdmin.from('sales').select('status, contract_amount').eq('id', rejected.id).stripNulls(),
    );
    expect(row).toEqual({ status: 'rejected' });
  });

  test('[RE-05] the headers that the client reads are exposed to other origins', async () => {
    const response = await server.fetch(
      '/rest/v1/sales?select=id',
      { headers: { origin: 'https://app.example.fr', prefer: 'count=exact' } },
      admin,
    );
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.get('access-control-expose-headers')).toContain('content-range');
    const refused = await server.fetch('/rest/v1/nothing', { headers: { origin: 'https://app.example.fr' } }, admin);
    expect(refused.headers.get('access-control-allow-origin')).toBe('*');
    const preflight = await fetch(`${server.url}/rest/v1/sales`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://app.example.fr',
        'access-control-request-method': 'PATCH',
        'access-control-request-headers': 'apikey,prefer',
      },
    });
    expect(preflight.ok).toBe(true);
    const options = await fetch(`${server.url}/rest/v1/sales`, { method: 'OPTIONS' });
    expect(options.ok).toBe(true);
  });
});
