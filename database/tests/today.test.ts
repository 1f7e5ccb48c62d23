import { afterAll, beforeAll, expect, test } from 'vitest';

import { aCommercial, createTestDatabase, only } from '../src/testing.ts';
import type { Person, TestDatabase } from '../src/testing.ts';

let db: TestDatabase;
let commercial: Person;
beforeAll(async () => {
  db = await createTestDatabase();
  commercial = await aCommercial(db);
  await db.asOwner('update public.company_settings set follow_up_days = 7');
  // Fifty colleagues, of whom nothing is known but their referrals; what is written in this way counts in no total.
  await db.asOwner(
    `begin; set local session_replication_role = replica;
     insert into public.sales (referred_contact_name, commercial_id, status, created_at)
       select 'Décidé', '${commercial.id}', 'rejected', now() - n * interval '1 minute' from generate_series(1, 3000) n;
     insert into public.sales (referred_contact_name, commercial_id, status, created_at)
       select 'D’un collègue', md5((n % 50)::text)::uuid, case when n % 4 = 0 then 'pending' else 'rejected' end,
         now() - n * interval '1 minute' from generate_series(1, 30000) n;
     commit`,
  );
  for (const [name, status, age, day] of [
    ['Nouveau', 'pending', '2 hours', null],
    ['Plus ancien', 'pending', '2 days', null],
    ['En attente', 'pending', '5 days', null],
    ['À rappeler', 'contacted', '4 days', 0],
    ['En retard', 'pending', '9 days', null],
    ['En retard et à rappeler', 'pending', '8 days', -1],
    ['En retard, prévu demain', 'pending', '8 days', 1],
    ['Contacté', 'contacted', '30 days', null],
    ['Refusé', 'rejected', '1 day', null],
  ] as const) {
    const sale = only(
      await db.asOwner<{ id: string }>(
        `insert into public.sales (referred_contact_name, commercial_id, status, created_at)
          values ($1, $2, $3, now() - $4::interval) returning id`,
        [name, commercial.id, status, age],
      ),
    );
    if (day !== null)
      await db.asOwner(
        'insert into public.follow_ups (sale_id, call_back_on) values ($1, private.today() + $2::integer)',
        [sale.id, day],
      );
  }
  await db.asOwner('vacuum analyze public.sales');
});
afterAll(() => db.drop());

const ofToday = () => `from public.sales s where s.commercial_id = '${commercial.id}' and s.corrects_sale_id is null
  and s.status in ('pending', 'contacted', 'in_negotiation') and not s.ready_for_validation and public.today_rank(s) is not null
  order by public.today_rank(s), s.created_at, s.id`;

test('[UI-06] late, due, new, waiting; the oldest first; who set a later day has answered for today', async () => {
  const rows = await db.become(commercial, (run) =>
    run<{ name: string }>(`select s.referred_contact_name as name ${ofToday()}`),
  );
  expect(rows.map(({ name }) => name)).toEqual([
    'En retard',
    'En retard et à rappeler',
    'À rappeler',
    'Plus ancien',
    'Nouveau',
    'En attente',
  ]);
});

test('[UI-06] the counts are those of the lists, of one’s own referrals alone', async () => {
  const counts = async (who: Person) =>
    only(await db.become(who, (run) => run<Record<string, string>>('select * from public.referral_counts()')));
  expect(await counts(commercial)).toEqual({ today: '6', call_back: '2', late: '3', total: '9' });
  expect(await counts(await aCommercial(db))).toEqual({ today: '0', call_back: '0', late: '0', total: '0' });
  await db.asOwner('update public.company_settings set follow_up_days = null');
  expect(await counts(commercial)).toEqual({ today: '6', call_back: '2', late: '0', total: '9' });
  await db.asOwner('update public.company_settings set follow_up_days = 7');
});

type Plan = {
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Node Type': string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Plan[];
};
const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

test('[UI-06] among tens of thousands of referrals, list and counts read the open ones of who asks, by an index', async () => {
  // A function's own plan is not shown: its body is explained as it stands.
  const { body } = only(
    await db.asOwner<{ body: string }>(`select prosrc as body from pg_proc where proname = 'referral_counts'`),
  );
  for (const sql of [`select s.id, public.today_rank(s) ${ofToday()} limit 21`, body]) {
    const rows = await db.become(commercial, (run) =>
      run<{ 'QUERY PLAN': [{ Plan: Plan }] }>(`explain (analyze, format json) ${sql}`),
    );
    const onSales = nodesOf(only(rows)['QUERY PLAN'][0].Plan).filter((node) => node['Relation Name'] === 'sales');
    expect(onSales.map((node) => node['Node Type'])).not.toContain('Seq Scan');
    const read = onSales.map(
      (node) => (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'],
    );
    expect(Math.max(...read)).toBeLessThanOrEqual(8);
  }
});
