-- Who did what, when, from what to what, and why: append-only, in the transaction of the change itself.

create table public.audit_entries (
  id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  actor_id uuid,
  -- The acting person's role, or the reason given by the server when it acts by itself.
  actor text not null,
  entity text not null,
  entity_id uuid not null,
  action text not null,
  before jsonb,
  after jsonb,
  reason text,
  request_id text,
  -- Each entity's entries form a chain: an entry altered or removed by whoever owns the database shows in `npm run verify`.
  previous_hash bytea,
  hash bytea not null
);
create index audit_entries_by_entity on public.audit_entries (entity, entity_id, id desc);
-- The trail of one kind of thing, the newest first.
create index audit_entries_by_kind on public.audit_entries (entity, id desc);
-- Maintain: for the lock that private.recount() takes.
grant select, insert, maintain on public.audit_entries to parrain_service;
grant select on public.audit_entries to authenticated, service_role;
create policy audit_entries_admin_read on public.audit_entries for select to authenticated using (
  (select private.user_role()) = 'admin');

create function private.audit_hash(e public.audit_entries) returns bytea
language plpgsql immutable parallel safe as $$
begin
  return sha256(coalesce(e.previous_hash, ''::bytea) || convert_to(jsonb_build_array(
  extract(epoch from e.at), e.actor_id, e.actor, e.entity, e.entity_id, e.action, e.before, e.after, e.reason, e.request_id)::text, 'UTF8'));
end
$$;

-- Writes one entry, and counts it: the one way into the trail. Everything that identifies a person is left out or masked by the
-- caller, so that erasing a person never needs an entry to change.
create function private.append_audit(
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

-- What a person could be recognised by is recorded as changed, never with its value. Most changes hold nothing personal: they
-- are taken as they are, without being taken apart first.
create function private.without_personal_data(row_ jsonb) returns jsonb
language plpgsql immutable parallel safe set search_path = '' as $$
begin
  if row_ is null then return '{}'; end if;
  if not row_ ?| array['full_name', 'email', 'phone', 'company', 'notes', 'referred_contact_name', 'referred_contact_email',
      'referred_contact_phone', 'personal_message', 'payment_details'] then
    return row_;
  end if;
  return (
    select jsonb_object_agg(key, case
      when value <> 'null'::jsonb and key in ('full_name', 'email', 'phone', 'company', 'notes', 'referred_contact_name',
        'referred_contact_email', 'referred_contact_phone', 'personal_message', 'payment_details') then '"•••"'::jsonb
      else value end)
    from jsonb_each(row_));
end
$$;

-- One entry per changed row, with what changed alone. The reason of a refusal, a correction or an annulled approval is the
-- reason of its entry.
create function private.audit_change() returns trigger
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
      then new_row ->> 'approval_annulled_reason' end);
  if tg_op = 'UPDATE' then
    select jsonb_object_agg(o.key, o.value), jsonb_object_agg(o.key, new_row -> o.key) into old_row, new_row
      from jsonb_each(old_row) o where o.value is distinct from new_row -> o.key;
    if old_row is null then return null; end if;
  end if;
  if tg_op = 'INSERT' then new_row := jsonb_strip_nulls(new_row); end if;
  if tg_op = 'DELETE' then old_row := jsonb_strip_nulls(old_row); end if;
  perform private.append_audit(tg_table_name, id, lower(tg_op), private.without_personal_data(old_row),
    private.without_personal_data(new_row), why);
  return null;
end
$$;

create function private.refuse_audit_change() returns trigger
language plpgsql as $$
begin
  raise exception using errcode = 'PR001', message = 'forbidden', hint = 'The audit trail is append-only.';
end
$$;
create trigger audit_entries_are_append_only before update or delete or truncate on public.audit_entries
  for each statement execute function private.refuse_audit_change();
