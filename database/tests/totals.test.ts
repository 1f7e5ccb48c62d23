import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Client } from 'pg';

import { saleState, saleStatuses } from '@parrain/domain/sale';

import { asSeen, brokenInvariants, only } from '../src/testing.ts';
import { aCircle, aWorld, outcome, requestPayment } from './world.ts';
import type { World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await aWorld();
});
afterAll(() => world.db.drop());

const violations = async () => brokenInvariants(world.db.asOwner);

describe('the totals behind the dashboards', () => {
  test('[S-03, S-05] the database and the domain read the same state of a sale', async () => {
    const rows = await world.db.asOwner<{
      status: (typeof saleStatuses)[number];
      ready: boolean;
      admin: boolean;
      corrects: string | null;
      state: string;
    }>(
      `select status, ready, admin, corrects, private.sale_state(status, ready, admin, corrects) as state
       from unnest($1::text[]) status, (values (false), (true)) r (ready), (values (false), (true)) a (admin),
         (values (null::uuid), ('00000000-0000-4000-8000-000000000001')) c (corrects)
       -- What the constraints of a sale allow.
       where (not ready or status in ('pending', 'validated')) and (status <> 'validated' or ready)
         and (not admin or status = 'validated') and (corrects is null or admin)`,
      [saleStatuses],
    );
    expect(rows.length).toBeGreaterThan(7);
    for (const { status, ready, admin, corrects, state } of rows) {
      expect(state).toBe(
        saleState({ status, readyForValidation: ready, adminValidated: admin, correctsSaleId: corrects }),
      );
    }
  });

  test('[M-10] counting never waits: two acts on one commercial, open at the same time', async () => {
    const { db, mine } = world;
    const ids = await db.asOwner<{ id: string }>(
      `insert into public.sales (referred_contact_name, commercial_id, friend_referrer_id)
       select 'Ami ' || n, $1, $2 from generate_series(1, 2) n returning id`,
      [mine.commercial.id, mine.client.id],
    );
    const [first, second] = [new Client(db.owner), new Client(db.owner)];
    await Promise.all([first.connect(), second.connect()]);
    try {
      for (const [index, client] of [first, second].entries()) {
        await client.query(`begin; set local lock_timeout = '1s'`);
        await client.query(`update public.sales set status = 'contacted' where id = $1`, [ids[index]?.id]);
      }
      await Promise.all([first.query('commit'), second.query('commit')]);
    } finally {
      await Promise.all([first.end(), second.end()]);
    }
    expect(await violations()).toEqual([]);
  });

  test('[M-10, D-07] many rows at once, and then their removal, are counted to the cent', async () => {
    const { db, mine, others } = world;
    const before = only(await db.become(mine.commercial, (run) => run('select * from public.commercial_figures()')));
    await db.asOwner(
      `insert into public.sales (referred_contact_name, commercial_id, friend_referrer_id, client_referrer_id, status, contract_amount)
       select 'Ami ' || n, case when n % 5 > 0 then $1::uuid end, case when n % 3 > 0 then $2::uuid end, case when n % 2 > 0 then $3::uuid end,
         case when n % 4 = 0 then 'rejected' else 'contacted' end, n + 0.37
       from generate_series(1, 500) n`,
      [mine.commercial.id, mine.client.id, others.client.id],
    );
    expect(await violations()).toEqual([]);
    await db.asOwner(
      `update public.sales set commercial_id = $1 where commercial_id = $2 and referred_contact_name like 'Ami %'`,
      [others.commercial.id, mine.commercial.id],
    );
    expect(await violations()).toEqual([]);
    await db.asOwner(`update public.sales set status = 'rejected' where referred_contact_name like 'Ami %'`);
    await db.asOwner(`delete from public.sales where referred_contact_name like 'Ami %'`);
    expect(await violations()).toEqual([]);
    const after = only(await db.become(mine.commercial, (run) => run('select * from public.commercial_figures()')));
    // The two sales of the test above, which were the commercial's, are gone as well.
    expect({ ...after, referrals: 0, to_follow_up: 0 }).toEqual({ ...before, referrals: 0, to_follow_up: 0 });
  });

  test('[FX-68] the admin’s pending commissions are a plain difference; the paid ones are those of validated sales alone', async () => {
    const other = await aWorld();
    const figures = async () =>
      only(
        await other.db.become(other.admin, (run) =>
          run<Record<string, string>>('select pending_commissions, paid_commissions from public.admin_figures()'),
        ),
      );
    // Two sales of 123,46 € and 50 € each; one client is paid 20 €, then every sale is annulled.
    expect(await figures()).toEqual({ pending_commissions: '346.92', paid_commissions: '346.92' });
    await other.db.become(other.admin, (run) => run(asSeen.decide, [other.mine.request, 'approved', null]));
    await other.db.become(other.admin, (run) => run(asSeen.decide, [other.mine.request, 'paid', null]));
    for (const { validated } of [other.mine, other.others])
      await other.db.become(other.admin, (run) => run(asSeen.cancel, [validated.id, 'Erreur']));
    expect(await figures()).toEqual({ pending_commissions: '-20.00', paid_commissions: '0.00' });
    // A commission past every guard, of a sale that nobody validated, is none.
    await other.db.asOwner('alter table public.commission_payments disable trigger user');
    await other.db.asOwner(
      `insert into public.commission_payments (sale_id, recipient_id, type, amount) values ($1, $2, 'client', 500)`,
      [other.mine.open.id, other.mine.client.id],
    );
    expect(await figures()).toMatchObject({ paid_commissions: '0.00' });
    await other.db.drop();
  });

  test('[AD-03, S-11] what is owed to clients: the debt of one is not taken from what another waits for', async () => {
    const { db, admin, scale } = world;
    const circle = await aCircle(db, admin, scale);
    await db.become(admin, (run) => run(asSeen.decide, [circle.request, 'approved', null]));
    await db.become(admin, (run) => run(asSeen.decide, [circle.request, 'paid', null]));
    await db.become(admin, (run) => run(asSeen.cancel, [circle.validated.id, 'Erreur']));
    await requestPayment(db, world.mine.client, '5.00');
    const shown = only(
      await db.become(admin, (run) =>
        run<{ commissions_due: string }>('select commissions_due from public.admin_figures()'),
      ),
    );
    const counted = only(
      await db.asOwner<{ due: string; debts: string }>(`
        select sum(greatest(b.earned - b.reversed - b.paid, 0)) as due, sum(greatest(b.paid + b.reversed - b.earned, 0)) as debts
        from public.balances b join public.profiles p on p.id = b.profile_id where p.role = 'client'`),
    );
    expect(Number(counted.debts)).toBe(20);
    expect(shown.commissions_due).toBe(counted.due);
  });

  test('[P-04] a total is seen by those who see its sales alone, and nobody writes it', async () => {
    const { db, admin, mine } = world;
    await db.become(mine.commercial, (run) =>
      run(`select private.update_sale_status($1, 'contacted', null, null, null)`, [mine.open.id]),
    );
    // As the night after next will have counted.
    await db.asOwner(
      `begin; select set_config('app.at', (now() + interval '2 days')::text, true); select private.count_months(0);
       select private.count_control(); commit`,
    );
    const tables = await db.asOwner<{ name: string }>(
      `select c.oid::regclass::text as name from pg_class c where c.relnamespace = 'figures'::regnamespace and c.relkind = 'r' order by 1`,
    );
    expect(tables.map(({ name }) => name)).toEqual([
      'figures.audit_subjects',
      'figures.best_referrers',
      'figures.company_totals',
      'figures.control_months',
      'figures.control_until',
      'figures.counted_until',
      'figures.last_referrals',
      'figures.referral_delays',
      'figures.referral_months',
      'figures.referrer_totals',
      'figures.sale_totals',
      'figures.validated_months',
    ]);
    for (const { name } of tables) {
      const count = `select count(*)::int as n from ${name}`;
      const all = only(await db.asOwner<{ n: number }>(count)).n;
      expect(all).toBeGreaterThan(0);
      expect(only(await db.become(admin, (run) => run<{ n: number }>(count))).n).toBe(all);
      expect(only(await db.become('service_role', (run) => run<{ n: number }>(count))).n).toBe(all);
      expect(await outcome(db.become('anon', (run) => run(count)))).toBe('42501');
      for (const who of [admin, mine.commercial, mine.client, 'service_role'] as const) {
        expect(await outcome(db.become(who, (run) => run(`delete from ${name}`)))).toBe('42501');
      }
    }
    const seen = async (who: typeof admin, sql: string) =>
      only(await db.become(who, (run) => run<{ n: number }>(sql))).n;
    const notOf = (column: string, id: string) => `count(*) filter (where ${column} <> '${id}')::int as n`;
    for (const name of ['sale_totals', 'referrer_totals', 'validated_months', 'last_referrals'])
      expect([
        name,
        await seen(mine.commercial, `select ${notOf('commercial_id', mine.commercial.id)} from figures.${name}`),
      ]).toEqual([name, 0]);
    expect(await seen(mine.client, `select ${notOf('referrer_id', mine.client.id)} from figures.referrer_totals`)).toBe(
      0,
    );
    const ofAdmins = await db.asOwner<{ name: string }>(
      `select tablename as name from pg_policies where schemaname = 'figures' and right(policyname, 11) = '_admin_read' order by 1`,
    );
    expect(ofAdmins.map(({ name }) => name)).toEqual([
      'audit_subjects',
      'best_referrers',
      'company_totals',
      'control_months',
      'control_until',
      'referral_delays',
      'referral_months',
    ]);
    for (const who of [mine.commercial, mine.client]) {
      for (const { name } of ofAdmins)
        expect([name, await seen(who, `select count(*)::int as n from figures.${name}`)]).toEqual([name, 0]);
      expect(await outcome(db.become(who, (run) => run('select from figures.recounted_sales')))).toBe('42501');
    }
    for (const name of ['sale_totals', 'validated_months', 'last_referrals', 'counted_until'])
      expect([name, await seen(mine.client, `select count(*)::int as n from figures.${name}`)]).toEqual([name, 0]);
  });

  test('[P-04] what is kept is counted anew, and a difference is found', async () => {
    const { db } = world;
    await db.asOwner('update figures.sale_totals set contract_amount = contract_amount + 0.01 where sales > 0');
    await db.asOwner(`update figures.referrer_totals set referrals = referrals + 1`);
    await db.asOwner(`update figures.company_totals set number = number + 1 where what = 'clients'`);
    expect((await violations()).map((f) => f.invariant.id)).toEqual(['I6b', 'I6c', 'I6d']);
    await db.asOwner('select private.recount()');
    expect(await violations()).toEqual([]);
  });
});
