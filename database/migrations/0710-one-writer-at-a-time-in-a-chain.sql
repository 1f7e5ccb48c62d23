-- DF-21: two acts at once on one chain of the trail both followed the same entry, and the chain was broken for ever. Appending is
-- now one after the other for each chain, wherever it is asked from.

-- Waits until nobody else adds to this chain, to the end of the transaction. What a row of a table stands for is held by its row,
-- which its own changes hold already: a transaction that changes a hundred thousand of them needs no lock more. The rest is few.
create function private.hold_chain(p_entity text, p_entity_id uuid) returns void
language plpgsql security definer set search_path = '' as $$
begin
  case p_entity
    when 'profiles' then perform from public.profiles t where t.id = p_entity_id for no key update;
    when 'sales' then perform from public.sales t where t.id = p_entity_id for no key update;
    when 'payment_requests' then perform from public.payment_requests t where t.id = p_entity_id for no key update;
    when 'paid_periods' then perform from public.paid_periods t where t.id = p_entity_id for no key update;
    when 'account_closure_requests' then perform from public.account_closure_requests t where t.id = p_entity_id for no key update;
    when 'commission_rates' then perform from public.commission_rates t where t.id = p_entity_id for no key update;
    -- Frozen rows, that no role may lock: only their trigger adds to their chains.
    when 'commission_payments' then raise exception 'the chain of a commission is its trigger''s';
    else perform pg_advisory_xact_lock(hashtextextended('audit ' || p_entity || ' ' || p_entity_id, 0));
  end case;
  -- The row is gone, or never was: its id alone is left to hold.
  if not found then perform pg_advisory_xact_lock(hashtextextended('audit ' || p_entity || ' ' || p_entity_id, 0)); end if;
end
$$;

-- Adds an entry to a chain that the transaction holds.
create function private.chain_entry(
  p_entity text, p_entity_id uuid, p_action text, p_before jsonb, p_after jsonb, p_reason text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  entry public.audit_entries;
begin
  entry.id := 0;
  entry.at := coalesce(nullif(current_setting('app.at', true), '')::timestamptz, clock_timestamp());
  entry.actor_id := nullif(current_setting('app.user_id', true), '')::uuid;
  entry.actor := coalesce(nullif(current_setting('app.user_role', true), ''), nullif(current_setting('app.actor', true), ''), session_user);
  entry.entity := p_entity;
  entry.entity_id := p_entity_id;
  entry.action := p_action;
  entry.before := p_before;
  entry.after := p_after;
  entry.reason := coalesce(p_reason, nullif(current_setting('app.reason', true), ''));
  entry.request_id := nullif(current_setting('app.request_id', true), '');
  select a.hash into entry.previous_hash from public.audit_entries a
    where a.entity = p_entity and a.entity_id = p_entity_id order by a.id desc limit 1;
  insert into public.audit_entries (at, actor_id, actor, entity, entity_id, action, before, after, reason, request_id, previous_hash, hash)
  values (entry.at, entry.actor_id, entry.actor, entry.entity, entry.entity_id, entry.action, entry.before, entry.after,
    entry.reason, entry.request_id, entry.previous_hash, private.audit_hash(entry));
  perform private.add_to_company('trail_' || p_entity, 1, 0);
  -- The trail is kept for ten years: what one person adds in a day is bounded (FX-07). An admin's decisions are the company's own.
  case private.user_role()
    when 'client' then perform private.limit_per_day('audit', private.uid(), 500);
    when 'commercial' then perform private.limit_per_day('audit', private.uid(), 5000);
    else null;
  end case;
end
$$;

-- Writes one entry, and counts it: the way into the trail for whoever asks. Everything that identifies a person is left out or
-- masked by the caller, so that erasing a person never needs an entry to change.
create or replace function private.append_audit(
  p_entity text, p_entity_id uuid, p_action text, p_before jsonb, p_after jsonb, p_reason text) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform private.hold_chain(p_entity, p_entity_id);
  perform private.chain_entry(p_entity, p_entity_id, p_action, p_before, p_after, p_reason);
end
$$;

-- As private.append_audit does for one: the entries of many rows that one act made, or took away.
create or replace function private.append_audits(p_entity text, p_action text, p_rows jsonb[]) returns void
language plpgsql security definer set search_path = '' as $$
begin
  if p_action <> 'insert' then
    perform private.hold_chain(p_entity, i.id) from (select (u.row_ ->> 'id')::uuid as id from unnest(p_rows) u (row_) order by 1) i;
  end if;
  with entries as materialized (
    select row(0, clock_timestamp(), nullif(current_setting('app.user_id', true), '')::uuid,
      coalesce(nullif(current_setting('app.user_role', true), ''), nullif(current_setting('app.actor', true), ''), session_user),
      p_entity, (r.row_ ->> 'id')::uuid, p_action,
      private.without_personal_data(case p_action when 'delete' then r.row_ end),
      private.without_personal_data(case p_action when 'insert' then r.row_ end),
      nullif(current_setting('app.reason', true), ''), nullif(current_setting('app.request_id', true), ''),
      (select a.hash from public.audit_entries a where a.entity = p_entity and a.entity_id = (r.row_ ->> 'id')::uuid
        order by a.id desc limit 1), ''::bytea)::public.audit_entries as entry
    from (select jsonb_strip_nulls(u.row_ - 'updated_at') as row_ from unnest(p_rows) u (row_)) r)
  insert into public.audit_entries (at, actor_id, actor, entity, entity_id, action, before, after, reason, request_id, previous_hash, hash)
  select (e.entry).at, (e.entry).actor_id, (e.entry).actor, (e.entry).entity, (e.entry).entity_id, (e.entry).action, (e.entry).before,
    (e.entry).after, (e.entry).reason, (e.entry).request_id, (e.entry).previous_hash, private.audit_hash(e.entry)
  from entries e;
  perform private.add_to_company('trail_' || p_entity, coalesce(cardinality(p_rows), 0), 0);
end
$$;

create or replace function private.audit_change() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  old_row jsonb;
  new_row jsonb;
  id uuid;
  why text;
begin
  if tg_op <> 'INSERT' then old_row := to_jsonb(old) - array['updated_at']; end if;
  if tg_op <> 'DELETE' then new_row := to_jsonb(new) - array['updated_at']; end if;
  id := case when tg_table_name = 'company_settings' then '00000000-0000-0000-0000-000000000001'
    else coalesce(new_row ->> 'id', old_row ->> 'id')::uuid end;
  why := coalesce(new_row ->> 'correction_reason',
    case when new_row ->> 'rejection_reason' is distinct from old_row ->> 'rejection_reason' then new_row ->> 'rejection_reason' end,
    case when new_row ->> 'approval_annulled_reason' is distinct from old_row ->> 'approval_annulled_reason'
      then new_row ->> 'approval_annulled_reason' end,
    case when new_row ->> 'return_reason' is distinct from old_row ->> 'return_reason' then new_row ->> 'return_reason' end);
  if tg_op = 'UPDATE' then
    select jsonb_object_agg(o.key, o.value), jsonb_object_agg(o.key, new_row -> o.key) into old_row, new_row
      from jsonb_each(old_row) o where o.value is distinct from new_row -> o.key;
    if old_row is null then return null; end if;
    -- What a validation gives, and to whom, whether these changed in it or not. A correction is a new sale, whose entry says all of it.
    if tg_table_name = 'sales' and new_row -> 'admin_validated' = 'true' then
      new_row := new_row || jsonb_strip_nulls(jsonb_build_object(
        'client_commission_amount', new.client_commission_amount, 'commercial_commission_amount', new.commercial_commission_amount,
        'friend_referrer_id', new.friend_referrer_id, 'client_referrer_id', new.client_referrer_id,
        'commercial_id', new.commercial_id));
    end if;
  end if;
  if tg_op = 'INSERT' then new_row := jsonb_strip_nulls(new_row); end if;
  if tg_op = 'DELETE' then old_row := jsonb_strip_nulls(old_row); end if;
  -- These chains are held by something else than the row; of the others, the change that fired this holds the row already.
  if tg_table_name in ('company_settings', 'payment_batches') then perform private.hold_chain(tg_table_name, id); end if;
  perform private.chain_entry(tg_table_name, id, lower(tg_op), private.without_personal_data(old_row),
    private.without_personal_data(new_row), why);
  return null;
end
$$;

-- An entry that breaks its chain, with the cause. An entry « acknowledge_break » of the company's own chain names one that is known:
-- it takes nothing out of the trail, and holds for that entry as it stood then.
create view figures.audit_breaks with (security_invoker = true) as
  with broken as materialized (
    select e.id, e.entity, e.entity_id, e.at, e.hash_again, e.previous_hash, e.hash <> e.hash_again as is_changed
    from (select a.*, private.audit_hash(a) as hash_again,
        lag(a.hash) over (partition by a.entity, a.entity_id order by a.id) as previous_again
      from public.audit_entries a) e
    where e.previous_hash is distinct from e.previous_again or e.hash <> e.hash_again),
  caused as (
    select b.id, b.entity, b.entity_id, b.at, encode(b.hash_again, 'hex') as hash, case
      when b.is_changed then 'changed'
      -- It follows an entry that another follows too: both were written at once.
      when exists (select from public.audit_entries a where a.entity = b.entity and a.entity_id = b.entity_id and a.id < b.id
          and a.hash is not distinct from b.previous_hash) or b.previous_hash is null then 'simultaneous'
      else 'missing' end as cause
    from broken b)
  select c.id, c.entity, c.entity_id, c.at, c.hash, c.cause, exists (
    select from public.audit_entries k
    where k.entity = 'company_settings' and k.entity_id = '00000000-0000-0000-0000-000000000001' and k.action = 'acknowledge_break'
      and (k.after ->> 'entry')::bigint = c.id and k.after ->> 'hash' = c.hash and k.after ->> 'cause' = c.cause) as is_acknowledged
  from caused c;
grant select on figures.audit_breaks to parrain_service;

-- Sets down that the company knows of a break and why it came about.
create function private.acknowledge_break(p_entry bigint, p_reason text) returns text
language plpgsql security definer set search_path = '' as $$
declare
  b figures.audit_breaks;
begin
  if coalesce(length(btrim(p_reason)), 0) not between 10 and 500 then raise exception 'a break is acknowledged with a reason'; end if;
  perform private.hold_chain('company_settings', '00000000-0000-0000-0000-000000000001');
  select * into b from figures.audit_breaks t where t.id = p_entry;
  if not found then return null; end if;
  if not b.is_acknowledged then
    perform private.append_audit('company_settings', '00000000-0000-0000-0000-000000000001', 'acknowledge_break', null,
      jsonb_build_object('entry', b.id, 'entity', b.entity, 'entity_id', b.entity_id, 'cause', b.cause, 'hash', b.hash), btrim(p_reason));
  end if;
  return b.cause;
end
$$;

alter function private.hold_chain(text, uuid) owner to parrain_service;
alter function private.chain_entry(text, uuid, text, jsonb, jsonb, text) owner to parrain_service;
alter function private.acknowledge_break(bigint, text) owner to parrain_service;
grant execute on function private.hold_chain(text, uuid), private.chain_entry(text, uuid, text, jsonb, jsonb, text),
  private.acknowledge_break(bigint, text) to parrain_service;
