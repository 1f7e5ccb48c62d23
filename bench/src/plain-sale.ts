import type { Client } from 'pg';

import type { Statement } from './capture.ts';

/**
 * A plain reference for a validation: the same act over plain tables, without triggers, constraints, row level security or
 * totals, out of the sales that the queue holds. It is what a careful programmer would write at least: identity, lock, update,
 * two commissions, one audit entry, six indexes on the sales.
 */
export async function makePlainReference(owner: Client, login: string): Promise<readonly Statement[]> {
  await owner.query(TABLES);
  await owner.query(`
    grant usage on schema plain, bench to ${login};
    grant select, insert, update on all tables in schema plain to ${login};
    grant select on bench.queue to ${login};
    grant usage on all sequences in schema plain to ${login}`);
  await owner.query('analyze plain.sales, plain.commissions, plain.audit_entries');
  const { rows } = await owner.query<{ id: string; user_id: string }>('select id, user_id from plain.sessions limit 1');
  const [session] = rows;
  if (session === undefined) throw new Error('Nobody is signed in');
  // The sale that this transaction took: the next of the queue.
  const sale = `(select id from bench.queue where n = (select currval('plain.taken')))`;
  return [
    `select u.id from plain.sessions s join plain.users u on u.id = s.user_id
      where s.id = '${session.id}' and u.deleted_at is null and (s.not_after is null or s.not_after > now())`,
    `select id, version, contract_amount from plain.sales
      where id = (select id from bench.queue where n = (select nextval('plain.taken'))) for update`,
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
  ].map((text) => ({ text, values: [] }));
}

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
