import type { Client } from 'pg';

import type { Statement } from './capture.ts';

/** One transaction a list: what a careful programmer would write at least for each act on a sale. */
export type PlainReference = Readonly<Record<'validation' | 'referral' | 'statusMove', readonly Statement[]>>;

/**
 * A plain reference for the acts on a sale: the same over plain tables, without triggers, constraints, row level security or
 * totals, out of the sales that the queue holds. A validation is identity, lock, update, two commissions and one audit entry,
 * with six indexes on the sales. The end of the queue is followed by its beginning: the reference may be faster than it is long.
 */
export async function makePlainReference(owner: Client, login: string): Promise<PlainReference> {
  await owner.query(TABLES);
  await owner.query(`
    grant usage on schema plain, bench to ${login};
    grant select, insert, update on all tables in schema plain to ${login};
    grant select on bench.queue to ${login};
    grant usage on all sequences in schema plain to ${login}`);
  await owner.query('analyze plain.sales, plain.commissions, plain.audit_entries');
  const { rows } = await owner.query<{ id: string; user_id: string; waiting: string }>(
    'select id, user_id, (select count(*) from bench.queue) as waiting from plain.sessions limit 1',
  );
  const [session] = rows;
  if (session === undefined) throw new Error('Nobody is signed in');
  // The sale that this transaction took: the next of the queue.
  const saleAt = (place: 'nextval' | 'currval'): string =>
    `(select id from bench.queue where n = (select 1 + ${place}('plain.taken') % ${session.waiting}))`;
  const sale = saleAt('currval');
  const identity = `select u.id from plain.sessions s join plain.users u on u.id = s.user_id
      where s.id = '${session.id}' and u.deleted_at is null and (s.not_after is null or s.not_after > now())`;
  const lock = `select id, version, contract_amount from plain.sales where id = ${saleAt('nextval')} for update`;
  const statements = (...texts: readonly string[]): readonly Statement[] => texts.map((text) => ({ text, values: [] }));
  return {
    validation: statements(
      identity,
      lock,
      `update plain.sales set status = 'validated', admin_validated = true, validated_at = now(), validated_by = '${session.user_id}',
          version = version + 1, updated_at = now(), client_commission_amount = round(contract_amount * 0.05, 2),
          commercial_commission_amount = round(contract_amount * 0.03, 2)
        where id = ${sale}`,
      `insert into plain.commissions (sale_id, recipient_id, type, amount)
        select s.id, r.recipient_id, r.type, r.amount from plain.sales s, lateral (values
          (s.friend_referrer_id, 'client', s.client_commission_amount),
          (s.commercial_id, 'commercial', s.commercial_commission_amount)) r (recipient_id, type, amount)
        where s.id = ${sale} and r.recipient_id is not null`,
      `insert into plain.audit_entries (actor_id, entity, entity_id, action, before, after)
        values ('${session.user_id}', 'sales', ${sale}, 'update', jsonb_build_object('status', 'pending'),
          jsonb_build_object('status', 'validated', 'admin_validated', true))`,
    ),
    // Identity, « was this friend invited already », the sale with who referred it, one audit entry.
    referral: statements(
      identity,
      `select s.id from (select nextval('plain.taken') as n offset 0) taken
        left join plain.sales s on s.friend_referrer_id = '${session.user_id}'
          and s.referred_contact_email = 'ami' || taken.n || '@ailleurs.example'`,
      `insert into plain.sales (id, created_at, updated_at, status, referred_contact_name, referred_contact_email,
          referred_contact_phone, personal_message, commercial_id, friend_referrer_id, ready_for_validation, admin_validated, version, is_test)
        select gen_random_uuid(), now(), now(), 'pending', '${FRIEND.name}', 'ami' || currval('plain.taken') || '@ailleurs.example',
          '${FRIEND.phone}', '${FRIEND.message}', commercial_id, friend_referrer_id, false, false, 1, false
        from plain.sales where id = ${sale} returning *`,
      `insert into plain.audit_entries (actor_id, entity, entity_id, action, after)
        values ('${session.user_id}', 'sales', ${sale}, 'insert', jsonb_build_object('status', 'pending'))`,
    ),
    statusMove: statements(
      identity,
      lock,
      `update plain.sales set status = 'contacted', commercial_notes = '${NOTE}', version = version + 1, updated_at = now()
        where id = ${sale} returning *`,
      `insert into plain.audit_entries (actor_id, entity, entity_id, action, before, after)
        values ('${session.user_id}', 'sales', ${sale}, 'update', jsonb_build_object('status', 'pending'),
          jsonb_build_object('status', 'contacted'))`,
    ),
  };
}

/** Values of the referral and of the status move, the same for ours and for the plain tables. */
export const FRIEND = { name: 'Camille Bernard', phone: '0612345678', message: 'Je te recommande cette entreprise.' };
export const NOTE = 'Rappeler lundi';

const TABLES = `
  create schema plain;
  create sequence plain.taken;
  create table plain.users as select id, email, deleted_at from auth.users;
  alter table plain.users add primary key (id);
  create table plain.sessions as select id, user_id, not_after from auth.sessions;
  alter table plain.sessions add primary key (id);
  create table plain.sales as select * from public.sales;
  alter table plain.sales add primary key (id);
  create index on plain.sales (created_at desc);
  create index on plain.sales (commercial_id, created_at desc);
  create index on plain.sales (friend_referrer_id, created_at desc);
  create index on plain.sales (status, created_at desc);
  create index on plain.sales (validated_at desc) where admin_validated;
  create table plain.commissions (id uuid primary key default gen_random_uuid(), sale_id uuid not null, recipient_id uuid not null,
    type text not null, amount numeric(12, 2) not null, created_at timestamptz not null default now());
  insert into plain.commissions (sale_id, recipient_id, type, amount, created_at)
    select sale_id, recipient_id, type, amount, created_at from public.commission_payments;
  create index on plain.commissions (sale_id);
  create index on plain.commissions (recipient_id, created_at desc);
  create table plain.audit_entries (id bigint generated always as identity primary key, at timestamptz not null default now(),
    actor_id uuid, entity text not null, entity_id uuid not null, action text not null, before jsonb, after jsonb);
  insert into plain.audit_entries (at, actor_id, entity, entity_id, action, before, after)
    select at, actor_id, entity, entity_id, action, before, after from public.audit_entries;
  create index on plain.audit_entries (entity, entity_id);`;
