import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import type { Person, Who } from '../src/testing.ts';
import { aBatch, aWorld, outcome } from './world.ts';
import type { World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await aWorld();
  await aBatch(world.db, world.admin);
  // As if each request was paid, and proven.
  await world.db.asOwner(
    `insert into public.payment_proofs (request_id, name, content_type, size, sha256)
     select id, 'preuve.pdf', 'application/pdf', 1, sha256('x') from public.payment_requests`,
  );
  await world.db.asOwner(
    `insert into public.papers (series, year, number, label, payee_id, request_id, issued_on, amount, is_test, content)
     select 'R', 2026, row_number() over (), 'R-2026-000' || row_number() over (), client_id, id, '2026-01-02', amount, false, '{}' from public.payment_requests`,
  );
  // As if each had sent an invoice of their own.
  await world.db.asOwner(
    `insert into public.payee_invoices (request_id, payee_id, number, invoiced_on, amount, name, size, is_test)
     select id, client_id, id::text, '2026-01-02', amount, 'facture.pdf', 1, false from public.payment_requests`,
  );
  // As if the scale of their commissions kept them for a day.
  await world.db.asOwner(
    `insert into public.commission_holds (commission_id, payee_id, amount, until, is_test)
     select id, recipient_id, amount, now() + interval '1 day', is_test from public.commission_payments where type = 'client'`,
  );
  // As if last month had been paid to each commercial.
  await world.db.asOwner(
    `insert into public.paid_periods (payee_id, month, amount, paid_by, is_test)
     select recipient_id, (private.month_of(now()) - interval '1 month')::date, 0.01, $1, false
     from public.commission_payments where type = 'commercial'`,
    [world.admin.id],
  );
  // As if each of them had owed something that was waived.
  await world.db.asOwner('alter table public.debt_acts disable trigger user');
  await world.db.asOwner(
    `insert into public.debt_acts (payee_id, kind, amount, debt_before, at, reason, decided_by, is_test)
     select distinct payee_id, 'waiver', 1, 1, now(), 'Geste', $1::uuid, false from public.ledger_entries`,
    [world.admin.id],
  );
  // As if each request was paid by the ledger, and each client had accepted the rules.
  await world.db.asOwner(
    `insert into public.ledger_entries (at, act, source_id, payee_id, debit, credit, amount, detail, is_test)
     select now(), 'settlement', id, client_id, 'reserved', 'paid', 0.01, 'virement', false from public.payment_requests order by client_id`,
  );
  await world.db.asOwner(
    `insert into private.programme_rules (version, body, sha256, published_by) values (1, 'Règles', sha256('x'), $1)`,
    [world.admin.id],
  );
  await world.db.asOwner(
    `insert into private.rules_acceptances (client_id, version, sha256)
     select id, 1, sha256('x') from public.profiles where role = 'client'`,
  );
});
afterAll(() => world.db.drop());

/** Everyone who can knock: each sees « all », « own » rows, « none » (an empty list), or is « denied » before any row. */
const identities = ['admin', 'commercial', 'client', 'anon', 'service_role'] as const;
type IdentityName = (typeof identities)[number];
type Sight = 'all' | 'own' | 'none' | 'denied';

function who(name: IdentityName): Who {
  switch (name) {
    case 'admin':
      return world.admin;
    case 'commercial':
      return world.mine.commercial;
    case 'client':
      return world.mine.client;
    case 'anon':
    case 'service_role':
      return name;
  }
}

/** The expected sight of each exposed relation (P-01 to P-04). A relation that is missing here fails the test below. */
const sights: Record<string, Record<IdentityName, Sight>> = {
  profiles: { admin: 'all', commercial: 'own', client: 'own', anon: 'denied', service_role: 'all' },
  sales: { admin: 'all', commercial: 'own', client: 'own', anon: 'denied', service_role: 'all' },
  commission_rates: { admin: 'all', commercial: 'none', client: 'none', anon: 'denied', service_role: 'all' },
  scale_versions: { admin: 'all', commercial: 'none', client: 'none', anon: 'denied', service_role: 'all' },
  sale_terms: { admin: 'all', commercial: 'own', client: 'own', anon: 'denied', service_role: 'all' },
  commission_terms: { admin: 'all', commercial: 'own', client: 'own', anon: 'denied', service_role: 'all' },
  commission_payments: { admin: 'all', commercial: 'own', client: 'own', anon: 'denied', service_role: 'all' },
  payment_requests: { admin: 'all', commercial: 'none', client: 'own', anon: 'denied', service_role: 'all' },
  payment_proofs: { admin: 'all', commercial: 'none', client: 'own', anon: 'denied', service_role: 'all' },
  bank_accounts: { admin: 'all', commercial: 'own', client: 'none', anon: 'denied', service_role: 'all' },
  payee_ibans: { admin: 'all', commercial: 'own', client: 'own', anon: 'denied', service_role: 'all' },
  request_ibans: { admin: 'all', commercial: 'none', client: 'own', anon: 'denied', service_role: 'all' },
  company_settings: { admin: 'all', commercial: 'all', client: 'all', anon: 'denied', service_role: 'all' },
  balances: { admin: 'all', commercial: 'own', client: 'own', anon: 'denied', service_role: 'all' },
  account_lines: { admin: 'all', commercial: 'own', client: 'own', anon: 'denied', service_role: 'all' },
  commission_holds: { admin: 'all', commercial: 'none', client: 'own', anon: 'denied', service_role: 'all' },
  payee_accounts: { admin: 'all', commercial: 'own', client: 'own', anon: 'denied', service_role: 'all' },
  ledger_entries: { admin: 'all', commercial: 'own', client: 'own', anon: 'denied', service_role: 'all' },
  audit_entries: { admin: 'all', commercial: 'none', client: 'none', anon: 'denied', service_role: 'all' },
  audit_entries_about: { admin: 'all', commercial: 'none', client: 'none', anon: 'denied', service_role: 'all' },
  account_closure_requests: { admin: 'all', commercial: 'none', client: 'own', anon: 'denied', service_role: 'all' },
  payee_invoices: { admin: 'all', commercial: 'none', client: 'own', anon: 'denied', service_role: 'all' },
  papers: { admin: 'all', commercial: 'none', client: 'own', anon: 'denied', service_role: 'all' },
  payment_batches: { admin: 'all', commercial: 'none', client: 'none', anon: 'denied', service_role: 'all' },
  payment_batch_lines: { admin: 'all', commercial: 'none', client: 'none', anon: 'denied', service_role: 'all' },
  batch_summaries: { admin: 'all', commercial: 'none', client: 'none', anon: 'denied', service_role: 'all' },
  batch_lines: { admin: 'all', commercial: 'none', client: 'none', anon: 'denied', service_role: 'all' },
  transfers_to_make: { admin: 'all', commercial: 'none', client: 'none', anon: 'denied', service_role: 'all' },
  payments_made: { admin: 'all', commercial: 'own', client: 'own', anon: 'denied', service_role: 'all' },
  accepted_rules: { admin: 'all', commercial: 'none', client: 'none', anon: 'denied', service_role: 'all' },
  notices: { admin: 'own', commercial: 'own', client: 'own', anon: 'denied', service_role: 'all' },
  notice_preferences: { admin: 'own', commercial: 'own', client: 'own', anon: 'denied', service_role: 'all' },
  paid_periods: { admin: 'all', commercial: 'own', client: 'none', anon: 'denied', service_role: 'all' },
  commission_periods: { admin: 'all', commercial: 'own', client: 'none', anon: 'denied', service_role: 'all' },
  debt_acts: { admin: 'all', commercial: 'own', client: 'own', anon: 'denied', service_role: 'all' },
  disputes: { admin: 'all', commercial: 'own', client: 'own', anon: 'denied', service_role: 'all' },
  dispute_messages: { admin: 'all', commercial: 'own', client: 'own', anon: 'denied', service_role: 'all' },
  api_keys: { admin: 'all', commercial: 'none', client: 'none', anon: 'denied', service_role: 'all' },
  doubtful_cases: { admin: 'all', commercial: 'none', client: 'none', anon: 'denied', service_role: 'all' },
  doubt_reasons: { admin: 'all', commercial: 'none', client: 'none', anon: 'denied', service_role: 'all' },
  doubt_rules: { admin: 'all', commercial: 'none', client: 'none', anon: 'denied', service_role: 'all' },
  doubt_rule_figures: { admin: 'all', commercial: 'none', client: 'none', anon: 'denied', service_role: 'all' },
  external_references: { admin: 'all', commercial: 'own', client: 'none', anon: 'denied', service_role: 'all' },
  follow_ups: { admin: 'all', commercial: 'own', client: 'none', anon: 'denied', service_role: 'all' },
  correction_requests: { admin: 'all', commercial: 'own', client: 'none', anon: 'denied', service_role: 'all' },
  call_consents: { admin: 'all', commercial: 'own', client: 'none', anon: 'denied', service_role: 'all' },
  friend_messages: { admin: 'all', commercial: 'own', client: 'none', anon: 'denied', service_role: 'all' },
  news_requests: { admin: 'all', commercial: 'own', client: 'own', anon: 'denied', service_role: 'all' },
  sent_mails: { admin: 'all', commercial: 'none', client: 'none', anon: 'denied', service_role: 'all' },
  client_summaries: { admin: 'all', commercial: 'own', client: 'own', anon: 'denied', service_role: 'all' },
  client_rankings: { admin: 'all', commercial: 'own', client: 'own', anon: 'denied', service_role: 'all' },
  commercial_summaries: { admin: 'all', commercial: 'own', client: 'own', anon: 'denied', service_role: 'all' },
};

/** Figures that no row of the world shows to its owner: figures.test.ts says who sees which. */
const figuresOfTheirAsker = ['months_to_pay', 'scale_months', 'sleeping_referrers'];

/** Keys of a person's own rows. */
function own(relation: string, name: IdentityName): string[] {
  const { commercial, client, open, validated, request, closure } = world.mine;
  const me = { admin: world.admin.id, commercial: commercial.id, client: client.id }[
    name as Exclude<Person['role'], 'comptable'>
  ];
  switch (relation) {
    case 'profiles':
      return [commercial.id, client.id];
    case 'sales':
      return [open.id, validated.id];
    case 'sale_terms':
    case 'commission_terms':
      return [validated.id];
    case 'call_consents':
    case 'correction_requests':
    case 'external_references':
    case 'follow_ups':
    case 'friend_messages':
    case 'news_requests':
      return [open.id];
    case 'payment_requests':
    case 'request_ibans':
    case 'payment_proofs':
      return [request];
    case 'account_closure_requests':
      return [closure];
    case 'client_summaries':
    case 'client_rankings':
      return [client.id];
    case 'commercial_summaries':
      return [commercial.id];
    case 'balances':
      return [me];
    case 'commission_payments':
    case 'ledger_entries':
    case 'account_lines':
    case 'commission_holds':
    case 'payee_accounts':
    case 'payments_made':
    case 'papers':
    case 'payee_invoices':
    case 'payee_ibans':
    case 'notices':
    case 'notice_preferences':
    case 'bank_accounts':
    case 'paid_periods':
    case 'commission_periods':
    case 'debt_acts':
    case 'disputes':
    case 'dispute_messages':
      return [me];
    default:
      throw new Error(`Nobody owns ${relation}`);
  }
}

const keyColumn: Record<string, string> = {
  balances: 'profile_id',
  commission_payments: 'recipient_id',
  ledger_entries: 'payee_id',
  account_lines: 'payee_id',
  payments_made: 'payee_id',
  accepted_rules: 'client_id',
  commission_holds: 'payee_id',
  correction_requests: 'sale_id',
  call_consents: 'sale_id',
  sale_terms: 'sale_id',
  commission_terms: 'sale_id',
  payee_invoices: 'payee_id',
  papers: 'payee_id',
  bank_accounts: 'payee_id',
  payee_ibans: 'client_id',
  payment_proofs: 'request_id',
  external_references: 'sale_id',
  follow_ups: 'sale_id',
  friend_messages: 'sale_id',
  news_requests: 'sale_id',
  payment_batch_lines: 'request_id',
  notices: 'recipient_id',
  paid_periods: 'payee_id',
  commission_periods: 'payee_id',
  debt_acts: 'payee_id',
  disputes: 'payee_id',
  dispute_messages: 'author_id',
  doubt_rules: 'code',
  doubt_rule_figures: 'code',
  notice_preferences: 'profile_id',
};

describe('reading', () => {
  test('[P-04] each exposed relation has its verdict', async () => {
    const rows = await world.db.asOwner<{ name: string }>(
      `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'v', 'm', 'p', 'f') order by 1`,
    );
    expect(rows.map((row) => row.name)).toEqual([...Object.keys(sights), ...figuresOfTheirAsker].toSorted());
  });

  for (const [relation, verdicts] of Object.entries(sights)) {
    for (const name of identities) {
      test(`[P-01, P-02, P-03, P-04] ${relation} : ${name} voit ${verdicts[name]}`, async () => {
        const key = keyColumn[relation] ?? 'id';
        const read = () =>
          world.db.become(who(name), (run) =>
            run<{ key: string }>(`select distinct ${key} as key from public.${relation} order by 1`),
          );
        if (verdicts[name] === 'denied') {
          expect(await outcome(read())).toBe('42501');
          return;
        }
        const seen = (await read()).map((row) => row.key);
        const all = (
          await world.db.asOwner<{ key: string }>(`select distinct ${key} as key from public.${relation} order by 1`)
        ).map((row) => row.key);
        expect(all.length).toBeGreaterThan(0);
        if (verdicts[name] === 'all') expect(seen).toEqual(all);
        if (verdicts[name] === 'none') expect(seen).toEqual([]);
        if (verdicts[name] === 'own') {
          // A payee may have several rows of one key.
          expect([...new Set(seen)]).toEqual(own(relation, name).toSorted());
          expect(seen.length).toBeLessThan(all.length);
        }
      });
    }
  }
});

test('[P-04][PO-05] what is to be paid for a month that is over is the admin’s to read, and each commercial’s own', async () => {
  const read = (name: IdentityName) =>
    world.db.become(who(name), async (run) => {
      await run(`select set_config('app.at', (now() + interval '32 days')::text, true)`);
      return run<{ payee_id: string }>('select payee_id from public.months_to_pay');
    });
  const all = await read('admin');
  expect(all.length).toBeGreaterThan(0);
  expect((await read('service_role')).length).toBe(all.length);
  const theirs = (await read('commercial')).map(({ payee_id: payee }) => payee);
  expect(theirs).toEqual(all.map(({ payee_id: payee }) => payee).filter((payee) => payee === world.mine.commercial.id));
  expect(await read('client')).toEqual([]);
  expect(await outcome(read('anon'))).toBe('42501');
});

test('[P-04][PI-03] the months of a scale are the admin’s', async () => {
  const read = (name: IdentityName) => world.db.become(who(name), (run) => run('select from public.scale_months'));
  expect((await read('admin')).length).toBeGreaterThan(0);
  for (const name of ['commercial', 'client', 'service_role'] as const) expect(await read(name)).toEqual([]);
  expect(await outcome(read('anon'))).toBe('42501');
  const [scale] = await world.db.asOwner<{ id: string }>(
    'select commission_rate as id from public.sales where admin_validated limit 1',
  );
  const one = (name: IdentityName) =>
    world.db.become(who(name), (run) =>
      run(`select from public.scale_by_month($1, '2000-01-01', '2100-01-01')`, [scale?.id]),
    );
  expect((await one('admin')).length).toBeGreaterThan(0);
  for (const name of ['commercial', 'client'] as const) expect(await one(name)).toEqual([]);
  for (const name of ['anon', 'service_role'] as const) expect(await outcome(one(name))).toBe('42501');
});

describe('writing', () => {
  const views = new Set([
    'client_summaries',
    'client_rankings',
    'commercial_summaries',
    'audit_entries_about',
    'account_lines',
    'payee_accounts',
    'sent_mails',
    'batch_summaries',
    'batch_lines',
    'transfers_to_make',
    'commission_periods',
    'request_ibans',
    'doubt_rule_figures',
    'payments_made',
    'accepted_rules',
  ]);
  const tables = Object.keys(sights).filter((name) => !views.has(name));
  const targets = { own: 'mine', other: 'others' } as const;

  for (const table of tables) {
    for (const name of identities) {
      test(`[P-04, P-06] ${table}: ${name} inserts and deletes nothing directly`, async () => {
        const key = keyColumn[table] ?? 'id';
        expect(
          await outcome(world.db.become(who(name), (run) => run(`insert into public.${table} default values`))),
        ).toBe('42501');
        expect(
          await outcome(
            world.db.become(who(name), (run) => run(`delete from public.${table} where ${key} is not null`)),
          ),
        ).toBe('42501');
      });

      test(`[P-04, P-06] ${table}: ${name} changes no column directly, but their name and telephone`, async () => {
        const columns = await world.db.asOwner<{ name: string }>(
          `select attname as name from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped
             -- An « always » identity refuses everyone before rights are asked for.
             and attidentity <> 'a'`,
          [`public.${table}`],
        );
        const writable: string[] = [];
        for (const column of columns) {
          const code = await outcome(
            world.db.become(who(name), (run) =>
              run(`update public.${table} set ${column.name} = ${column.name} where false`),
            ),
          );
          if (code === 'ok') writable.push(column.name);
          else expect(code).toBe('42501');
        }
        const isPerson = name !== 'anon' && name !== 'service_role';
        expect(writable).toEqual(table === 'profiles' && isPerson ? ['full_name', 'phone'] : []);
      });
    }
  }

  for (const name of ['admin', 'commercial', 'client'] as const) {
    for (const [target, circle] of Object.entries(targets)) {
      test(`[P-04] profiles: ${name} changes their own name alone (${target})`, async () => {
        const me = who(name) as { id: string };
        const id = target === 'own' ? me.id : world[circle].client.id;
        const changed = await world.db.become(who(name), (run) =>
          run<{ id: string }>(`update public.profiles set full_name = 'Nom Changé' where id = $1 returning id`, [id]),
        );
        expect(changed.map((row) => row.id)).toEqual(target === 'own' ? [me.id] : []);
      });
    }
  }
});

describe('schemas that are not exposed', () => {
  test('[P-04] auth, storage, private and graphile_worker are closed to every key', async () => {
    const relations = await world.db.asOwner<{ name: string }>(
      `select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where n.nspname in ('auth', 'storage', 'private', 'graphile_worker') and c.relkind in ('r', 'v', 'p')`,
    );
    expect(relations.length).toBeGreaterThan(10);
    for (const relation of relations) {
      for (const name of identities) {
        const code = await outcome(world.db.become(who(name), (run) => run(`select 1 from ${relation.name} limit 1`)));
        expect(`${relation.name} ${name} ${code}`).toBe(`${relation.name} ${name} 42501`);
      }
    }
  });

  test('[P-04] who is nobody reads nothing, even with somebody’s role', async () => {
    const client = new Client(world.db.owner);
    await client.connect();
    try {
      await client.query('begin');
      await client.query('set local role authenticated');
      const seen: [string, number | null][] = [];
      for (const name of Object.keys(sights))
        seen.push([name, (await client.query(`select from public.${name}`)).rowCount]);
      expect(seen).toEqual(Object.keys(sights).map((name) => [name, 0]));
    } finally {
      await client.end();
    }
  });

  test('[P-04] the login role can read nothing by itself', async () => {
    const rows = await world.db.asOwner<{ granted: string }>(
      `select table_schema || '.' || table_name as granted from information_schema.role_table_grants where grantee in ('authenticator', 'PUBLIC')
         and table_schema in ('public', 'auth', 'storage', 'private')`,
    );
    expect(rows).toEqual([]);
    const [role] = await world.db.asOwner<{ rolinherit: boolean; rolsuper: boolean; rolbypassrls: boolean }>(
      `select rolinherit, rolsuper, rolbypassrls from pg_roles where rolname = 'authenticator'`,
    );
    expect(role).toEqual({ rolinherit: false, rolsuper: false, rolbypassrls: false });
  });

  test('[P-04] [A-39] each function that acts with other rights has a fixed path, an owner without privileges, and is nobody’s by default', async () => {
    const functions = await world.db.asOwner<{ name: string; owner: string; path: string | null; open: boolean }>(
      `select p.oid::regprocedure::text as name, p.proowner::regrole::text as owner,
         (select string_agg(setting, ',') from unnest(p.proconfig) setting
           -- What the planner is told is no matter of rights.
           where setting !~ '^(enable_\\w+|plan_cache_mode)=') as path,
         exists (select 1 from aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a where a.grantee = 0) as open
       from pg_proc p where p.pronamespace in ('public'::regnamespace, 'private'::regnamespace, 'auth'::regnamespace) and p.prosecdef`,
    );
    expect(functions.length).toBeGreaterThan(20);
    for (const f of functions) {
      expect(f).toMatchObject({ owner: 'parrain_service', path: 'search_path=""', open: false });
    }
  });

  test('[P-04] no function may be run by everybody', async () => {
    const rows = await world.db.asOwner<{ name: string }>(
      `select p.oid::regprocedure::text as name from pg_proc p
       where p.pronamespace in ('public'::regnamespace, 'private'::regnamespace, 'auth'::regnamespace)
         and not exists (select 1 from pg_depend d where d.objid = p.oid and d.deptype = 'e')
         and exists (select 1 from aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a where a.grantee = 0)`,
    );
    expect(rows).toEqual([]);
  });
});

describe('identity', () => {
  test('[S-10] a closed session reads nothing any more', async () => {
    const { db, mine } = world;
    const ghost = { ...mine.client, sessionId: '00000000-0000-4000-8000-000000000000' };
    expect(await outcome(db.become(ghost, (run) => run('select 1')))).toBe('session_expired');
  });

  test('[P-07] a session is good for its owner alone', async () => {
    const { db, mine, others } = world;
    expect(await outcome(db.become({ ...mine.client, id: others.client.id }, (run) => run('select 1')))).toBe(
      'session_expired',
    );
  });

  test('[AD-05] a deactivated commercial can do nothing any more, at once', async () => {
    const { db, admin } = world;
    const leaving = await aWorldMember();
    await db.asOwner('update public.profiles set deactivated_at = now() where id = $1', [leaving.id]);
    expect(await outcome(db.become(leaving, (run) => run('select 1')))).toBe('session_expired');
    expect(await outcome(db.become(admin, (run) => run('select 1')))).toBe('ok');
  });

  test('[V-19] as long as the temporary password is not replaced, nothing else is allowed', async () => {
    const { db } = world;
    const invited = await aWorldMember();
    await db.asOwner('update auth.users set password_change_required = true where id = $1', [invited.id]);
    expect(await outcome(db.become(invited, (run) => run('select 1')))).toBe('password_change_required');
  });

  test('[P-04] without an identity nothing is read; the role alone is not enough', async () => {
    const rows = await world.db.asOwner<{ n: string }>(
      `with switched as (select set_config('role', 'authenticated', true)) select 'x' as n from switched`,
    );
    expect(rows).toHaveLength(1);
    const seen = await world.db.become('anon', async (run) => {
      await run(`select set_config('role', 'none', true)`);
      await run(`set local role authenticated`);
      return run('select id from public.sales');
    });
    expect(seen).toEqual([]);
  });

  test('[OP-06] the server takes away what its security log holds since more than a year, but how accounts came to be', async () => {
    const { db } = world;
    await db.asOwner('delete from auth.audit_entries');
    await db.asOwner(
      `insert into auth.audit_entries (action, at) select action, now() - age from
         unnest(array['login', 'user_created', 'verified']) action,
         unnest(array[interval '366 days', interval '364 days', interval '0']) age`,
    );
    await db.become('parrain_service', (run) => run('delete from auth.audit_entries'));
    const left = await db.asOwner(
      'select action, count(*)::int as number from auth.audit_entries group by 1 order by 1',
    );
    expect(left).toEqual([
      { action: 'login', number: 2 },
      { action: 'user_created', number: 3 },
      { action: 'verified', number: 3 },
    ]);
  });

  async function aWorldMember() {
    const { aCommercial } = await import('../src/testing.ts');
    return aCommercial(world.db);
  }
});
