-- What the realtime door tells: which rows changed, kept for an hour so that a node that lost its connection misses nothing.

-- Names the row, never its content: whoever may be told reads it again, under row level security, as it then is.
create table private.changes (
  id bigint generated always as identity,
  -- The transaction: a reader knows by it what was already committed when it last looked.
  xid xid8 not null default pg_current_xact_id(),
  table_name text not null,
  operation text not null,
  key text not null,
  -- Who of those who are no admin could read the row: null where anyone might. It spares questions, it grants nothing.
  audience uuid[],
  at timestamptz not null default clock_timestamp(),
  -- Read by transaction, then in their order.
  primary key (xid, id),
  constraint changes_operation_is_known check (operation in ('INSERT', 'UPDATE', 'DELETE'))
);
create index changes_by_age on private.changes using brin (at);
grant select, insert, delete on private.changes to parrain_service;

-- One entry per changed row. The audience says of each table what its policy says of people.
create function private.record_changes() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  case tg_table_name
    when 'sales' then
      insert into private.changes (table_name, operation, key, audience)
      select tg_table_name, tg_op, c.id, array[c.commercial_id, c.friend_referrer_id] from changed c;
    when 'commission_payments' then
      insert into private.changes (table_name, operation, key, audience)
      select tg_table_name, tg_op, c.id, array[c.recipient_id] from changed c;
    when 'payment_requests' then
      insert into private.changes (table_name, operation, key, audience)
      select tg_table_name, tg_op, c.id, array[c.client_id] from changed c;
    when 'balances' then
      insert into private.changes (table_name, operation, key, audience)
      select tg_table_name, tg_op, c.profile_id, array[c.profile_id] from changed c;
    when 'profiles' then
      -- A commercial is seen by each of their clients.
      insert into private.changes (table_name, operation, key, audience)
      select tg_table_name, tg_op, c.id, case when c.role <> 'commercial' then array[c.id, c.commercial_id] end from changed c;
    when 'commission_rates' then
      insert into private.changes (table_name, operation, key, audience)
      select tg_table_name, tg_op, c.id, '{}' from changed c;
    when 'company_settings' then
      insert into private.changes (table_name, operation, key)
      select tg_table_name, tg_op, c.id from changed c;
  end case;
  -- A notification makes commits wait for one another. A server that acts for somebody speaks after its commit instead;
  -- whoever else writes notifies here, always with the same words, so that PostgreSQL says them once per transaction.
  if found and coalesce(current_setting('app.user_id', true), '') = '' and coalesce(current_setting('app.actor', true), '') = '' then
    perform pg_notify('parrain_changes', '');
  end if;
  return null;
end
$$;
do $$
declare
  target text;
begin
  foreach target in array array['sales', 'commission_payments', 'payment_requests', 'balances', 'profiles', 'commission_rates', 'company_settings'] loop
    execute format('create trigger %I after insert on public.%I referencing new table as changed
      for each statement execute function private.record_changes()', target || '_tell_insert', target);
    execute format('create trigger %I after update on public.%I referencing new table as changed
      for each statement execute function private.record_changes()', target || '_tell_update', target);
    execute format('create trigger %I after delete on public.%I referencing old table as changed
      for each statement execute function private.record_changes()', target || '_tell_delete', target);
  end loop;
end
$$;

-- What nodes tell each other (broadcasts, presence) where it is too long for a notification. Nothing of it outlives a crash.
create unlogged table private.node_messages (
  id uuid primary key default gen_random_uuid(),
  content text not null,
  at timestamptz not null default clock_timestamp()
);
create index node_messages_by_age on private.node_messages (at);
grant select, insert, delete on private.node_messages to parrain_service;

-- Messages of private topics that their sender asked to keep: whoever joins later is told them again.
create table private.kept_broadcasts (
  id uuid primary key default gen_random_uuid(),
  room text not null,
  event text not null,
  -- JSON as text, or bytes.
  json text,
  bytes bytea,
  at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  constraint kept_broadcasts_say_one_thing check (num_nonnulls(json, bytes) = 1),
  constraint kept_broadcasts_are_bounded check (
    octet_length(room) <= 300 and octet_length(event) <= 1020 and octet_length(json) <= 65536 and octet_length(bytes) <= 65536
  ),
  constraint kept_broadcasts_end_within_three_days check (expires_at <= at + interval '72 hours 1 minute')
);
create index kept_broadcasts_by_room on private.kept_broadcasts (room, at desc);
create index kept_broadcasts_by_end on private.kept_broadcasts (expires_at);
grant select, insert, delete on private.kept_broadcasts to parrain_service;
