-- SC-01: a scale has versions with a first day, and a validated contract keeps the one it was computed with (decision 0099). The columns of
-- `commission_rates` stay: they are the values of the version in force, moved by `begin_scale_versions`; no validation reads them.

create table public.scale_versions (
  id uuid primary key default gen_random_uuid(),
  rate_id uuid not null references public.commission_rates (id) on delete cascade,
  number integer not null constraint scale_versions_numbers_begin_at_1 check (number > 0),
  name text not null constraint scale_versions_name_is_a_line check (private.is_line(name, 120) and length(btrim(name)) > 0),
  description text constraint scale_versions_description_is_a_text check (private.is_text(description, 2000)),
  first_day date not null,
  -- Both sides in basis points or in cents; a rule that is not there is one that nobody made.
  rules jsonb not null,
  sha256 bytea not null,
  published_at timestamptz not null default private.now(),
  published_by uuid references public.profiles (id) on delete set null,
  withdrawn_at timestamptz constraint scale_versions_are_withdrawn_before_their_day
    check (withdrawn_at < first_day::timestamp at time zone 'Europe/Paris'),
  is_test boolean not null default false,
  constraint scale_versions_have_their_number unique (rate_id, number),
  -- What a sale keeps of its version is what the version says.
  constraint scale_versions_as_kept unique (id, number, first_day)
);
create index scale_versions_by_publisher on public.scale_versions (published_by) where published_by is not null;

create table public.sale_terms (
  sale_id uuid primary key,
  version_id uuid not null,
  number integer not null,
  first_day date not null,
  -- Why the admin took another version than that of the day.
  chosen_reason text constraint sale_terms_reason_is_a_text check (private.is_text(chosen_reason, 2000) and length(btrim(chosen_reason)) > 0)
);
create index sale_terms_by_version on public.sale_terms (version_id);

alter table public.scale_versions enable row level security;
alter table public.scale_versions force row level security;
alter table public.sale_terms enable row level security;
alter table public.sale_terms force row level security;
grant select, insert, update, delete on public.scale_versions to parrain_service;
grant select, insert, delete on public.sale_terms to parrain_service;
grant select on public.scale_versions, public.sale_terms to authenticated, service_role, api_key;
create policy scale_versions_service_all on public.scale_versions to parrain_service using (true) with check (true);
create policy scale_versions_secret_read on public.scale_versions for select to service_role using (true);
create policy scale_versions_key_read on public.scale_versions for select to api_key using ((select private.key_may('read')));
create policy scale_versions_admin_read on public.scale_versions for select to authenticated using ((select private.user_role()) = 'admin');
create policy sale_terms_service_all on public.sale_terms to parrain_service using (true) with check (true);
create policy sale_terms_secret_read on public.sale_terms for select to service_role using (true);
create policy sale_terms_key_read on public.sale_terms for select to api_key using ((select private.key_may('read')));
-- Of a sale, whoever may read it; of a commission, who has it.
create policy sale_terms_authenticated_read on public.sale_terms for select to authenticated using (
  case when (select private.user_role()) = 'admin' then true
    else exists (select from public.sales s where s.id = sale_terms.sale_id)
      or exists (select from public.commission_payments p where p.sale_id = sale_terms.sale_id) end);

-- The one text of a JSON value: keys in the order of their bytes, no space. The domain writes that of rules alike (`canonicalRules`).
create function private.canonical_json(j jsonb) returns text
language plpgsql immutable parallel safe set search_path = '' as $$
begin
  return case jsonb_typeof(j)
    when 'object' then (select '{' || coalesce(string_agg(to_json(e.key)::text || ':' || private.canonical_json(e.value), ','
      order by e.key collate "C"), '') || '}' from jsonb_each(j) e)
    when 'array' then (select '[' || coalesce(string_agg(private.canonical_json(e.value), ',' order by e.place), '') || ']'
      from jsonb_array_elements(j) with ordinality e (value, place))
    else j::text end;
end
$$;

create function private.rules_hash(p_rules jsonb) returns bytea
language sql immutable parallel safe
return sha256(convert_to(private.canonical_json(p_rules), 'UTF8'));

-- The rules of a version, from what the form of a scale asks.
create function private.scale_rules(p_client_type text, p_client_amount numeric, p_commercial_type text, p_commercial_amount numeric,
  p_client_hold_days integer, p_from_contract_amount numeric) returns jsonb
language sql immutable parallel safe
return jsonb_strip_nulls(jsonb_build_object(
  'client', jsonb_build_object('kind', p_client_type, 'value', (p_client_amount * 100)::bigint),
  'commercial', jsonb_build_object('kind', p_commercial_type, 'value', (p_commercial_amount * 100)::bigint),
  'client_hold_days', nullif(p_client_hold_days, 0),
  'from_contract_amount', (p_from_contract_amount * 100)::bigint));

-- The version of a day: the greatest (first day, number) that has begun, else the first one. The domain chooses alike (`versionOn`).
create function private.scale_version_on(p_rate_id uuid, p_day date) returns public.scale_versions
language sql stable security definer set search_path = '' as $$
  select v from public.scale_versions v where v.rate_id = p_rate_id and v.withdrawn_at is null
  order by v.first_day <= p_day desc, case when v.first_day <= p_day then v.first_day end desc,
    case when v.first_day <= p_day then v.number else -v.number end desc limit 1
$$;

-- Published is published: a version that has not begun may be withdrawn, once. Test data go with their scale.
create function private.guard_scale_version() returns trigger
language plpgsql set search_path = '' as $$
begin
  if tg_op = 'DELETE' and private.is_cleaning() and old.is_test then return old; end if;
  if tg_op = 'UPDATE' and to_jsonb(new) - 'withdrawn_at' = to_jsonb(old) - 'withdrawn_at' and old.withdrawn_at is null then return new; end if;
  -- The admin who published it may be gone: foreign keys alone empty it.
  if tg_op = 'UPDATE' and to_jsonb(new) - 'published_by' = to_jsonb(old) - 'published_by' and new.published_by is null then return new; end if;
  perform private.refuse('forbidden');
end
$$;
create function private.guard_sale_terms() returns trigger
language plpgsql set search_path = '' as $$
begin
  if tg_op = 'DELETE' and private.is_cleaning() then return old; end if;
  perform private.refuse('forbidden');
end
$$;
create trigger scale_versions_guard before update or delete on public.scale_versions
  for each row execute function private.guard_scale_version();
create trigger scale_versions_are_kept before truncate on public.scale_versions
  for each statement execute function private.refuse_audit_change();
create trigger sale_terms_guard before update or delete on public.sale_terms for each row execute function private.guard_sale_terms();
create trigger sale_terms_are_kept before truncate on public.sale_terms
  for each statement execute function private.refuse_audit_change();

-- Whoever makes a scale makes its first version.
create function private.open_scale() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  rules constant jsonb := private.scale_rules(new.client_commission_type, new.client_commission_amount, new.commercial_commission_type,
    new.commercial_commission_amount, new.client_hold_days, new.from_contract_amount);
begin
  insert into public.scale_versions (rate_id, number, name, description, first_day, rules, sha256, published_at, published_by, is_test)
  values (new.id, 1, new.name, new.description, (new.created_at at time zone 'Europe/Paris')::date, rules, private.rules_hash(rules),
    new.created_at, private.uid(), new.is_test);
  return null;
end
$$;
create trigger commission_rates_open after insert on public.commission_rates for each row execute function private.open_scale();

-- S-12: the values of a scale are those of its version in force. A real scale that replaced one of the demonstration forgets it with the
-- cleaning.
create or replace function private.guard_commission_rate() returns trigger
language plpgsql set search_path = '' as $$
declare
  free text[] := array['is_default', 'archived_at'];
  of_version constant text[] := array['name', 'description', 'client_commission_type', 'client_commission_amount',
    'commercial_commission_type', 'commercial_commission_amount', 'client_hold_days', 'from_contract_amount'];
  v public.scale_versions;
begin
  if tg_op = 'DELETE' then
    if not (private.is_cleaning() and old.is_test) then perform private.refuse('scale_in_use'); end if;
    return old;
  end if;
  if private.is_cleaning() and new.replaces_id is null then free := free || 'replaces_id'::text; end if;
  if to_jsonb(new) - free is not distinct from to_jsonb(old) - free then return new; end if;
  v := private.scale_version_on(new.id, private.today());
  if to_jsonb(new) - free - of_version is distinct from to_jsonb(old) - free - of_version
    or (v.name, v.description, v.rules) is distinct from (new.name, new.description, private.scale_rules(new.client_commission_type,
      new.client_commission_amount, new.commercial_commission_type, new.commercial_commission_amount, new.client_hold_days,
      new.from_contract_amount)) then
    perform private.refuse('scale_in_use');
  end if;
  return new;
end
$$;

-- A validation reads the version of its day, a publication changes it: they wait for each other, validations not for one another.
create function private.hold_versions(p_to_publish boolean) returns void
language plpgsql set search_path = '' as $$
begin
  if p_to_publish then perform pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtext('public.scale_versions'));
  else perform pg_catalog.pg_advisory_xact_lock_shared(pg_catalog.hashtext('public.scale_versions')); end if;
end
$$;

-- Scales whose values are not those of their version in force.
create function private.scales_to_move() returns table (id uuid, name text, description text, rules jsonb)
language sql stable security definer set search_path = '' as $$
  select o.id, v.name, v.description, v.rules
  from public.commission_rates o cross join lateral private.scale_version_on(o.id, private.today()) v
  where o.archived_at is null
    and (o.name, o.description, private.scale_rules(o.client_commission_type, o.client_commission_amount, o.commercial_commission_type,
      o.commercial_commission_amount, o.client_hold_days, o.from_contract_amount)) is distinct from (v.name, v.description, v.rules)
$$;

-- Brings the values of the scales to those of their version in force, at the first minute of its day and at each publication.
create function private.begin_scale_versions() returns integer
language plpgsql security definer set search_path = '' as $$
declare
  begun integer;
begin
  -- In most minutes nothing begins: no validation waits then.
  if not exists (select from private.scales_to_move()) then return 0; end if;
  perform private.hold_versions(true);
  update public.commission_rates r set name = d.name, description = d.description,
    client_commission_type = d.rules #>> '{client,kind}', client_commission_amount = (d.rules #>> '{client,value}')::numeric / 100,
    commercial_commission_type = d.rules #>> '{commercial,kind}',
    commercial_commission_amount = (d.rules #>> '{commercial,value}')::numeric / 100,
    client_hold_days = coalesce((d.rules ->> 'client_hold_days')::smallint, 0),
    from_contract_amount = (d.rules ->> 'from_contract_amount')::numeric / 100
  from private.scales_to_move() d
  where r.id = d.id;
  get diagnostics begun = row_count;
  return begun;
end
$$;

-- SC-01: a new version of a scale, from now on or from a day to come. It holds for what is validated after it, and for nothing before.
create function private.publish_scale_version(
  p_rate_id uuid, p_seen_number integer, p_first_day date, p_name text, p_description text, p_client_type text, p_client_amount numeric,
  p_commercial_type text, p_commercial_amount numeric, p_client_hold_days integer default 0, p_from_contract_amount numeric default null)
returns public.scale_versions
language plpgsql security definer set search_path = '' as $$
declare
  me constant uuid := private.require_role('admin');
  today constant date := private.today();
  day constant date := coalesce(p_first_day, today);
  scale public.commission_rates;
  last integer;
  rules constant jsonb := private.scale_rules(p_client_type, p_client_amount, p_commercial_type, p_commercial_amount, p_client_hold_days,
    p_from_contract_amount);
  published public.scale_versions;
begin
  perform private.hold_versions(true);
  select * into scale from public.commission_rates r where r.id = p_rate_id for update;
  if not found then perform private.refuse('scale_not_found'); end if;
  if scale.archived_at is not null then perform private.refuse('scale_archived'); end if;
  if day < today then perform private.refuse('scale_day_is_over'); end if;
  select max(v.number) into last from public.scale_versions v where v.rate_id = p_rate_id;
  -- What another admin published meanwhile is looked at first.
  if p_seen_number is distinct from last then perform private.refuse('changed_meanwhile'); end if;
  insert into public.scale_versions (rate_id, number, name, description, first_day, rules, sha256, published_at, published_by, is_test)
  values (p_rate_id, last + 1, btrim(p_name), nullif(btrim(p_description), ''), day, rules, private.rules_hash(rules),
    -- After every validation that took the version before: these had the lock.
    coalesce(nullif(current_setting('app.at', true), '')::timestamptz, clock_timestamp()), me, scale.is_test)
  returning * into published;
  if day > today then
    perform private.append_audit('commission_rates', p_rate_id, 'update', '{}',
      jsonb_build_object('version_to_come', published.number, 'first_day', day), null);
    insert into private.changes (table_name, operation, key, audience) values ('commission_rates', 'UPDATE', p_rate_id, '{}');
  else
    perform private.begin_scale_versions();
  end if;
  return published;
end
$$;

-- A version that has not begun is withdrawn: it stays in the history, and never rules.
create function private.withdraw_scale_version(p_version_id uuid) returns public.scale_versions
language plpgsql security definer set search_path = '' as $$
declare
  me constant uuid := private.require_role('admin');
  v public.scale_versions;
begin
  perform private.hold_versions(true);
  select * into v from public.scale_versions o where o.id = p_version_id for update;
  if not found then perform private.refuse('scale_not_found'); end if;
  if v.withdrawn_at is not null then return v; end if;
  if v.first_day <= private.today() then perform private.refuse('scale_version_begun'); end if;
  update public.scale_versions o set withdrawn_at = private.now() where o.id = v.id returning * into v;
  perform private.append_audit('commission_rates', v.rate_id, 'update',
    jsonb_build_object('version_to_come', v.number, 'first_day', v.first_day), '{}', null);
  insert into private.changes (table_name, operation, key, audience) values ('commission_rates', 'UPDATE', v.rate_id, '{}');
  return v;
end
$$;

drop function private.validate_sale(uuid, uuid, integer, numeric, numeric, numeric);

create function private.validate_sale(p_sale_id uuid, p_commission_rate_id uuid, p_seen_version integer, p_expected_contract_amount numeric,
  p_expected_client_commission numeric, p_expected_commercial_commission numeric, p_scale_version_id uuid default null,
  p_version_reason text default null)
returns table (sale public.sales, already boolean)
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  s public.sales;
  scale public.commission_rates;
  v public.scale_versions;
  why text;
  client_rate numeric;
  commercial_rate numeric;
  beneficiary uuid;
  for_client numeric;
  for_commercial numeric;
begin
  if num_nulls(p_seen_version, p_expected_contract_amount, p_expected_client_commission, p_expected_commercial_commission) > 0 then
    perform private.refuse('seen_required');
  end if;
  select * into s from public.sales t where t.id = p_sale_id for update;
  if not found then perform private.refuse('sale_not_found'); end if;
  if s.admin_validated then
    -- The same decision again is the same answer; another one, of an admin who saw other amounts, is told that it came too late.
    if s.corrects_sale_id is not null or p_commission_rate_id <> s.commission_rate
      or p_expected_contract_amount <> s.contract_amount
      or p_expected_client_commission <> s.client_commission_amount
      or p_expected_commercial_commission <> s.commercial_commission_amount
      or p_scale_version_id <> (select t.version_id from public.sale_terms t where t.sale_id = s.id) then
      perform private.refuse('sale_already_decided');
    end if;
    return query select s, true;
    return;
  end if;
  if s.status = 'rejected' then perform private.refuse('sale_already_decided'); end if;
  if not s.ready_for_validation then perform private.refuse('sale_not_ready'); end if;
  if s.commercial_id is null then perform private.refuse('sale_without_commercial'); end if;
  beneficiary := coalesce(s.friend_referrer_id, s.client_referrer_id);
  if me in (s.friend_referrer_id, s.client_referrer_id, s.commercial_id) then perform private.refuse('self_validation'); end if;
  scale := private.scale_for(p_commission_rate_id, s.commission_rate);
  if scale.id is null then perform private.refuse('scale_not_found'); end if;
  perform private.hold_versions(false);
  v := private.scale_version_on(scale.id, private.today());
  if p_scale_version_id <> v.id then
    why := nullif(btrim(p_version_reason), '');
    if why is null then perform private.refuse('version_reason_required'); end if;
    select * into v from public.scale_versions o
      where o.id = p_scale_version_id and o.rate_id = scale.id and o.withdrawn_at is null;
    if not found then perform private.refuse('scale_not_found'); end if;
  end if;
  client_rate := (v.rules #>> '{client,value}')::numeric / 100;
  commercial_rate := (v.rules #>> '{commercial,value}')::numeric / 100;
  for_client := case when beneficiary is null then 0
    else private.commission(v.rules #>> '{client,kind}', client_rate, s.contract_amount) end;
  for_commercial := private.commission(v.rules #>> '{commercial,kind}', commercial_rate, s.contract_amount);
  if p_seen_version <> s.version
    or p_expected_contract_amount <> s.contract_amount
    or p_expected_client_commission <> for_client
    or p_expected_commercial_commission <> for_commercial then
    perform private.refuse('sale_changed');
  end if;

  -- The reason of another version than the day's is that of the sale's own entry in the trail.
  if why is not null then perform set_config('app.correction_asked', why, true); end if;
  update public.sales t set
    status = 'validated', admin_validated = true, validated_at = private.now(), validated_by = me, commission_rate = scale.id,
    client_commission_type = v.rules #>> '{client,kind}', client_commission_rate = client_rate,
    commercial_commission_type = v.rules #>> '{commercial,kind}', commercial_commission_rate = commercial_rate,
    client_commission_amount = for_client, commercial_commission_amount = for_commercial
    where t.id = s.id returning * into s;
  if why is not null then perform set_config('app.correction_asked', '', true); end if;
  -- Before the commissions, which are kept for as long as this version says.
  insert into public.sale_terms (sale_id, version_id, number, first_day, chosen_reason) values (s.id, v.id, v.number, v.first_day, why);
  insert into public.commission_payments (sale_id, recipient_id, type, amount)
  select s.id, r.recipient_id, r.type, r.amount
  from (values (beneficiary, 'client', for_client), (s.commercial_id, 'commercial', for_commercial)) r (recipient_id, type, amount)
  where r.recipient_id is not null
  -- Balances are locked in the order of their owners, so that two validations never wait for each other.
  order by r.recipient_id;
  return query select s, false;
end
$$;

alter function private.scale_version_on(uuid, date) owner to parrain_service;
alter function private.open_scale() owner to parrain_service;
alter function private.scales_to_move() owner to parrain_service;
alter function private.begin_scale_versions() owner to parrain_service;
alter function private.publish_scale_version(uuid, integer, date, text, text, text, numeric, text, numeric, integer, numeric)
  owner to parrain_service;
alter function private.withdraw_scale_version(uuid) owner to parrain_service;
alter function private.validate_sale(uuid, uuid, integer, numeric, numeric, numeric, uuid, text) owner to parrain_service;
grant execute on function private.canonical_json(jsonb), private.rules_hash(jsonb),
  private.scale_rules(text, numeric, text, numeric, integer, numeric), private.scale_version_on(uuid, date),
  private.guard_scale_version(), private.guard_sale_terms(), private.hold_versions(boolean), private.scales_to_move(),
  private.begin_scale_versions()
  to parrain_service;
grant execute on function
  private.publish_scale_version(uuid, integer, date, text, text, text, numeric, text, numeric, integer, numeric),
  private.withdraw_scale_version(uuid), private.validate_sale(uuid, uuid, integer, numeric, numeric, numeric, uuid, text)
  to authenticated;

set local role parrain_service;
insert into public.scale_versions (rate_id, number, name, description, first_day, rules, sha256, published_at, is_test)
select r.id, 1, r.name, r.description, (r.created_at at time zone 'Europe/Paris')::date, k.rules, private.rules_hash(k.rules), r.created_at,
  r.is_test
from public.commission_rates r
cross join lateral (select private.scale_rules(r.client_commission_type, r.client_commission_amount, r.commercial_commission_type,
  r.commercial_commission_amount, r.client_hold_days, r.from_contract_amount) as rules) k;
reset role;
