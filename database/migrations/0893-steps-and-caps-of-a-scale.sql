-- SC-02: a side of a scale may have steps, caps, a smallest contract and a bonus for the first contract; a scale may have a last day
-- (decision 0104). What a commission was computed with is frozen beside it: a side without such rules reads and writes nothing more.

alter table public.commission_rates add column client_rules jsonb, add column commercial_rules jsonb, add column last_day date;

-- Of a side with such rules, what its commission was computed with: the rules, and where its payee stood just before.
create table public.commission_terms (
  sale_id uuid not null references public.sale_terms (sale_id) on delete cascade,
  type text not null constraint commission_terms_type_is_known check (type in ('client', 'commercial')),
  rules jsonb not null,
  -- Cents, or contracts where the steps count them; of the payee, in the window, on this side.
  position bigint constraint commission_terms_position_is_none_below_zero check (position >= 0),
  window_key text,
  is_first boolean,
  -- Cents that the cap of the window left.
  cap_room bigint constraint commission_terms_room_is_none_below_zero check (cap_room >= 0),
  primary key (sale_id, type)
);
alter table public.commission_terms enable row level security;
alter table public.commission_terms force row level security;
grant select, insert, delete on public.commission_terms to parrain_service;
grant select on public.commission_terms to authenticated, service_role, api_key;
create policy commission_terms_service_all on public.commission_terms to parrain_service using (true) with check (true);
create policy commission_terms_secret_read on public.commission_terms for select to service_role using (true);
create policy commission_terms_key_read on public.commission_terms for select to api_key using ((select private.key_may('read')));
-- Of a commission, whoever has it: not the other side.
create policy commission_terms_authenticated_read on public.commission_terms for select to authenticated using (
  case when (select private.user_role()) = 'admin' then true
    else exists (select from public.commission_payments p where p.sale_id = commission_terms.sale_id and p.type = commission_terms.type
      and p.recipient_id = (select private.uid())) end);
create trigger commission_terms_guard before update or delete on public.commission_terms
  for each row execute function private.guard_sale_terms();
create trigger commission_terms_are_kept before truncate on public.commission_terms
  for each statement execute function private.refuse_audit_change();

-- True of a side that has more than its kind and its value.
create function private.has_rules(p_side jsonb) returns boolean
language sql immutable parallel safe
return p_side - '{kind,value}'::text[] <> '{}';

-- The rules of one side beside its kind and value, as an admin may write them: else refused by the name of the first one that is wrong.
create function private.check_side_rules(p_kind text, p_rules jsonb) returns void
language plpgsql immutable parallel safe set search_path = '' as $$
declare
  amount constant text := '^[1-9][0-9]{0,11}$';
  counts constant boolean := p_rules ->> 'measure' = 'count';
  wrong text;
  step record;
  last bigint := 0;
begin
  if p_rules is null then return; end if;
  if jsonb_typeof(p_rules) <> 'object' then perform private.refuse('scale_rules_wrong', '{"rule": "rules"}'); end if;
  select e.key into wrong from jsonb_each(p_rules) e
    where not case e.key
      when 'steps' then jsonb_typeof(e.value) = 'array' and jsonb_array_length(e.value) between 1 and 23
      when 'measure' then e.value = '"count"' and p_rules ? 'steps'
      when 'mode' then e.value = '"reached"' and p_rules ? 'steps' and not p_rules ? 'measure'
      when 'counts_over' then e.value = '"all"' and p_rules ? 'steps'
      when 'window' then e.value in ('"quarter"', '"lifetime"') and (p_rules ? 'steps' or p_rules ? 'cap_period')
      when 'cap_contract' then jsonb_typeof(e.value) = 'number' and e.value::text ~ amount
      when 'cap_period' then jsonb_typeof(e.value) = 'number' and e.value::text ~ amount
      when 'min_contract' then jsonb_typeof(e.value) = 'number' and e.value::text ~ amount
      when 'bonus_first' then jsonb_typeof(e.value) = 'number' and e.value::text ~ amount
      else false end
    order by e.key limit 1;
  if found then perform private.refuse('scale_rules_wrong', jsonb_build_object('rule', wrong)); end if;
  -- A fixed amount is not cut into slices: it is that of the step reached.
  if p_rules ? 'steps' and p_kind = 'fixed' and not p_rules ? 'mode' and not coalesce(counts, false) then
    perform private.refuse('scale_rules_wrong', '{"rule": "mode"}');
  end if;
  for step in select s.value as said from jsonb_array_elements(p_rules -> 'steps') with ordinality s (value, place) order by s.place loop
    if jsonb_typeof(step.said) <> 'object' or (select array_agg(k order by k) from jsonb_object_keys(step.said) k) <> '{from,value}'::text[]
      or jsonb_typeof(step.said -> 'from') <> 'number' or jsonb_typeof(step.said -> 'value') <> 'number'
      or not (step.said ->> 'from' ~ amount and step.said ->> 'value' ~ amount)
      or (step.said ->> 'from')::bigint <= last
      or p_kind = 'percentage' and (step.said ->> 'value')::bigint > 10000 then
      perform private.refuse('scale_rules_wrong', '{"rule": "steps"}');
    end if;
    last := (step.said ->> 'from')::bigint;
  end loop;
end
$$;

drop function private.scale_rules(text, numeric, text, numeric, integer, numeric);
-- The rules of a version, from what the form of a scale asks.
create function private.scale_rules(p_client_type text, p_client_amount numeric, p_commercial_type text, p_commercial_amount numeric,
  p_client_hold_days integer, p_from_contract_amount numeric, p_client_rules jsonb, p_commercial_rules jsonb, p_last_day date) returns jsonb
language sql immutable parallel safe
return jsonb_strip_nulls(jsonb_build_object(
  'client', coalesce(p_client_rules, '{}') || jsonb_build_object('kind', p_client_type, 'value', (p_client_amount * 100)::bigint),
  'commercial', coalesce(p_commercial_rules, '{}') || jsonb_build_object('kind', p_commercial_type, 'value', (p_commercial_amount * 100)::bigint),
  'client_hold_days', nullif(p_client_hold_days, 0),
  'from_contract_amount', (p_from_contract_amount * 100)::bigint,
  'last_day', p_last_day));

-- Refuses the rules of a version that begins on a day.
create function private.check_rules(p_rules jsonb, p_first_day date) returns void
language plpgsql immutable parallel safe set search_path = '' as $$
begin
  perform private.check_side_rules(p_rules #>> '{client,kind}', (p_rules -> 'client') - '{kind,value}'::text[]),
    private.check_side_rules(p_rules #>> '{commercial,kind}', (p_rules -> 'commercial') - '{kind,value}'::text[]);
  if (p_rules ->> 'last_day')::date < p_first_day then perform private.refuse('scale_rules_wrong', '{"rule": "last_day"}'); end if;
end
$$;

-- The commission of a contract by the rules of a side, in euros: the domain computes alike (`earned`). In this order: smallest contract,
-- steps, one rounding, cap of the contract, bonus of the first one, what the cap of the window leaves.
create function private.earned(p_side jsonb, p_contract numeric, p_position bigint, p_is_first boolean, p_cap_room bigint) returns numeric
language plpgsql immutable parallel safe set search_path = '' as $$
declare
  cents constant bigint := p_contract * 100;
  place constant bigint := coalesce(p_position, 0);
  -- Of the first step, or of the whole.
  rate bigint := p_side ->> 'value';
  -- Cents by basis points.
  exact bigint;
  total bigint;
begin
  if cents <= 0 or cents < (p_side ->> 'min_contract')::bigint then return 0; end if;
  if p_side ? 'steps' and not p_side ? 'measure' and not p_side ? 'mode' then
    select sum(greatest(least(place + cents, s.until) - greatest(place, s.since), 0) * s.gives) into exact
    from (
      select k.since, k.gives, lead(k.since, 1, 9223372036854775807) over (order by k.since) as until
      from (select 0::bigint as since, rate as gives
        union all select (e.value ->> 'from')::bigint, (e.value ->> 'value')::bigint from jsonb_array_elements(p_side -> 'steps') e) k) s;
  else
    if p_side ? 'steps' then
      rate := coalesce((select (e.value ->> 'value')::bigint from jsonb_array_elements(p_side -> 'steps') e
        where (e.value ->> 'from')::bigint <= place + case when p_side ? 'measure' then 0 else cents end
        order by (e.value ->> 'from')::bigint desc limit 1), rate);
    end if;
    exact := case p_side ->> 'kind' when 'percentage' then cents * rate else rate * 10000 end;
  end if;
  total := (exact + 5000) / 10000;
  total := least(total, (p_side ->> 'cap_contract')::bigint);
  if p_is_first then total := total + coalesce((p_side ->> 'bonus_first')::bigint, 0); end if;
  if p_side ? 'cap_period' then total := least(total, greatest(coalesce(p_cap_room, (p_side ->> 'cap_period')::bigint), 0)); end if;
  return round(total::numeric / 100, 2);
end
$$;

-- What a side of a contract earns before its payee's position is known: a forecast.
create function private.forecast(p_type text, p_value numeric, p_rules jsonb, p_contract numeric) returns numeric
language plpgsql immutable parallel safe set search_path = '' as $$
begin
  if p_rules is null then return private.commission(p_type, p_value, p_contract); end if;
  return private.earned(p_rules || jsonb_build_object('kind', p_type, 'value', (p_value * 100)::bigint), p_contract, 0, false, null);
end
$$;

-- What a validated contract of an amount earns on a side, by what was frozen at its validation.
create function private.earned_of_sale(p_sale_id uuid, p_side text, p_type text, p_rate numeric, p_contract numeric) returns numeric
language plpgsql stable set search_path = '' as $$
declare
  t public.commission_terms;
begin
  select * into t from public.commission_terms k where k.sale_id = p_sale_id and k.type = p_side;
  if not found then return private.commission(p_type, p_rate, p_contract); end if;
  return private.earned(t.rules, p_contract, t.position, t.is_first, t.cap_room);
end
$$;

-- Contracts and corrections of a payee on a side, validated from an instant on: a correction counts at the instant of its contract.
create function private.contracts_of(p_side text, p_payee_id uuid, p_from timestamptz, p_is_test boolean)
returns table (rate_id uuid, is_correction boolean, is_whole boolean, contract numeric, given numeric, counted_at timestamptz)
language sql stable as $$
  select s.commission_rate, s.corrects_sale_id is not null, s.contract_left is null, s.contract_amount, s.commercial_commission_amount,
    case when s.corrects_sale_id is null then s.validated_at
      else (select o.validated_at from public.sales o where o.id = s.corrects_sale_id) end
  from public.sales s
  where p_side = 'commercial' and s.commercial_id = p_payee_id and s.admin_validated and s.validated_at >= p_from and s.is_test = p_is_test
  union all
  select s.commission_rate, s.corrects_sale_id is not null, s.contract_left is null, s.contract_amount, s.client_commission_amount,
    case when s.corrects_sale_id is null then s.validated_at
      else (select o.validated_at from public.sales o where o.id = s.corrects_sale_id) end
  from public.sales s
  where p_side = 'client' and (s.friend_referrer_id = p_payee_id or s.friend_referrer_id is null and s.client_referrer_id = p_payee_id)
    and s.admin_validated and s.validated_at >= p_from and s.is_test = p_is_test
$$;

-- True of a payee of whom a contract stands on a side: validated, and not annulled in whole.
create function private.has_contract(p_side text, p_payee_id uuid, p_is_test boolean) returns boolean
language sql stable set search_path = '' as $$
  select exists (
    select from (
      select s.id from public.sales s where p_side = 'commercial' and s.commercial_id = p_payee_id
        and s.admin_validated and s.corrects_sale_id is null and s.is_test = p_is_test
      union all
      select s.id from public.sales s where p_side = 'client' and s.friend_referrer_id = p_payee_id
        and s.admin_validated and s.corrects_sale_id is null and s.is_test = p_is_test
      union all
      select s.id from public.sales s where p_side = 'client' and s.client_referrer_id = p_payee_id and s.friend_referrer_id is null
        and s.admin_validated and s.corrects_sale_id is null and s.is_test = p_is_test) o
    where not exists (select from public.sales c where c.corrects_sale_id = o.id and c.contract_left is null))
$$;

-- Where a payee stands on a side just before a contract, as its rules ask it; null where they ask nothing. `p_before` are contracts that are
-- looked at as validated already: their number, their sum and what they give, in cents.
create function private.standing_of(p_side text, p_rules jsonb, p_payee_id uuid, p_rate_id uuid, p_is_test boolean, p_before jsonb,
  out "position" bigint, out window_key text, out is_first boolean, out cap_room bigint)
language plpgsql stable set search_path = '' as $$
declare
  day constant date := private.today();
  since date;
  until date;
  seen_count bigint;
  seen_revenue bigint;
  seen_given bigint;
begin
  if p_rules ? 'steps' or p_rules ? 'cap_period' then
    case coalesce(p_rules ->> 'window', 'year')
      when 'year' then
        since := date_trunc('year', day::timestamp); until := since + interval '1 year'; window_key := to_char(day, 'YYYY');
      when 'quarter' then
        since := date_trunc('quarter', day::timestamp); until := since + interval '3 months'; window_key := to_char(day, 'YYYY"-Q"Q');
      else since := '-infinity'; until := 'infinity'; window_key := 'all';
    end case;
    select coalesce(sum(case when not c.is_correction then 1 when c.is_whole then -1 else 0 end), 0), coalesce(sum(c.contract) * 100, 0),
      coalesce(sum(c.given) * 100, 0)
    into seen_count, seen_revenue, seen_given
    from private.contracts_of(p_side, p_payee_id, private.month_start(since), p_is_test) c
    where c.counted_at >= private.month_start(since) and c.counted_at < private.month_start(until)
      and (p_rules ? 'counts_over' or c.rate_id = p_rate_id);
    if p_rules ? 'steps' then
      "position" := case when p_rules ? 'measure' then seen_count + coalesce((p_before ->> 'count')::bigint, 0)
        else seen_revenue + coalesce((p_before ->> 'revenue')::bigint, 0) end;
    end if;
    if p_rules ? 'cap_period' then
      cap_room := greatest((p_rules ->> 'cap_period')::bigint - seen_given - coalesce((p_before ->> 'given')::bigint, 0), 0);
    end if;
  end if;
  if p_rules ? 'bonus_first' then
    is_first := p_before is null and not private.has_contract(p_side, p_payee_id, p_is_test);
  end if;
end
$$;

CREATE OR REPLACE FUNCTION private.open_scale()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  rules constant jsonb := private.scale_rules(new.client_commission_type, new.client_commission_amount, new.commercial_commission_type,
    new.commercial_commission_amount, new.client_hold_days, new.from_contract_amount, new.client_rules, new.commercial_rules, new.last_day);
  first_day constant date := (new.created_at at time zone 'Europe/Paris')::date;
begin
  perform private.check_rules(rules, first_day);
  insert into public.scale_versions (rate_id, number, name, description, first_day, rules, sha256, published_at, published_by, is_test)
  values (new.id, 1, new.name, new.description, first_day, rules, private.rules_hash(rules),
    new.created_at, private.uid(), new.is_test);
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.guard_commission_rate()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  free text[] := array['is_default', 'archived_at'];
  of_version constant text[] := array['name', 'description', 'client_commission_type', 'client_commission_amount',
    'commercial_commission_type', 'commercial_commission_amount', 'client_hold_days', 'from_contract_amount', 'client_rules', 'commercial_rules', 'last_day'];
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
      new.from_contract_amount, new.client_rules, new.commercial_rules, new.last_day)) then
    perform private.refuse('scale_in_use');
  end if;
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION private.scales_to_move()
 RETURNS TABLE(id uuid, name text, description text, rules jsonb)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select o.id, v.name, v.description, v.rules
  from public.commission_rates o cross join lateral private.scale_version_on(o.id, private.today()) v
  where o.archived_at is null
    and (o.name, o.description, private.scale_rules(o.client_commission_type, o.client_commission_amount, o.commercial_commission_type,
      o.commercial_commission_amount, o.client_hold_days, o.from_contract_amount, o.client_rules, o.commercial_rules,
      o.last_day)) is distinct from (v.name, v.description, v.rules)
$function$;

CREATE OR REPLACE FUNCTION private.begin_scale_versions()
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
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
    from_contract_amount = (d.rules ->> 'from_contract_amount')::numeric / 100,
    client_rules = nullif((d.rules -> 'client') - '{kind,value}'::text[], '{}'),
    commercial_rules = nullif((d.rules -> 'commercial') - '{kind,value}'::text[], '{}'),
    last_day = (d.rules ->> 'last_day')::date
  from private.scales_to_move() d
  where r.id = d.id;
  get diagnostics begun = row_count;
  return begun;
end
$function$;

drop function private.create_commission_rate(text, text, text, numeric, text, numeric, uuid, integer, numeric);

CREATE FUNCTION private.create_commission_rate(p_name text, p_description text, p_client_type text, p_client_amount numeric, p_commercial_type text, p_commercial_amount numeric, p_replaces_id uuid DEFAULT NULL::uuid, p_client_hold_days integer DEFAULT 0, p_from_contract_amount numeric DEFAULT NULL::numeric, p_client_rules jsonb DEFAULT NULL::jsonb, p_commercial_rules jsonb DEFAULT NULL::jsonb, p_last_day date DEFAULT NULL::date)
 RETURNS public.commission_rates
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
  created public.commission_rates;
  replaced public.commission_rates;
begin
  if p_replaces_id is not null then
    select * into replaced from public.commission_rates r where r.id = p_replaces_id for update;
    if not found then perform private.refuse('scale_not_found'); end if;
    if replaced.archived_at is not null then perform private.refuse('scale_archived'); end if;
    update public.commission_rates r set archived_at = private.now(), is_default = false where r.id = p_replaces_id;
  end if;
  -- One default at a time, also when two scales are created at once.
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtext('private.commission_rates.default'));
  insert into public.commission_rates (name, description, client_commission_type, client_commission_amount,
    commercial_commission_type, commercial_commission_amount, is_default, replaces_id, is_test,
    client_hold_days, from_contract_amount, client_rules, commercial_rules, last_day)
  values (btrim(p_name), nullif(btrim(p_description), ''), p_client_type, p_client_amount, p_commercial_type, p_commercial_amount,
    coalesce(replaced.is_default, false) or not exists (select 1 from public.commission_rates r where r.is_default),
    p_replaces_id, (select p.is_test from public.profiles p where p.id = me), p_client_hold_days, p_from_contract_amount,
    nullif(jsonb_strip_nulls(p_client_rules), '{}'), nullif(jsonb_strip_nulls(p_commercial_rules), '{}'), p_last_day)
  returning * into created;
  return created;
end
$function$;

drop function private.publish_scale_version(uuid, integer, date, text, text, text, numeric, text, numeric, integer, numeric);

CREATE FUNCTION private.publish_scale_version(p_rate_id uuid, p_seen_number integer, p_first_day date, p_name text, p_description text, p_client_type text, p_client_amount numeric, p_commercial_type text, p_commercial_amount numeric, p_client_hold_days integer DEFAULT 0, p_from_contract_amount numeric DEFAULT NULL::numeric, p_client_rules jsonb DEFAULT NULL::jsonb, p_commercial_rules jsonb DEFAULT NULL::jsonb, p_last_day date DEFAULT NULL::date)
 RETURNS public.scale_versions
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me constant uuid := private.require_role('admin');
  today constant date := private.today();
  day constant date := coalesce(p_first_day, today);
  scale public.commission_rates;
  last integer;
  rules constant jsonb := private.scale_rules(p_client_type, p_client_amount, p_commercial_type, p_commercial_amount, p_client_hold_days,
    p_from_contract_amount, p_client_rules, p_commercial_rules, p_last_day);
  published public.scale_versions;
begin
  perform private.check_rules(rules, day);
  perform private.hold_versions(true);
  select * into scale from public.commission_rates r where r.id = p_rate_id for update;
  if not found then perform private.refuse('scale_not_found'); end if;
  if scale.archived_at is not null then perform private.refuse('scale_archived'); end if;
  if day < today or day > today + interval '2 years' then perform private.refuse('scale_day_is_over'); end if;
  select max(v.number) into last from public.scale_versions v where v.rate_id = p_rate_id;
  -- What another admin published meanwhile is looked at first.
  if p_seen_number is distinct from last then perform private.refuse('changed_meanwhile'); end if;
  select v.* into published from private.scale_version_on(p_rate_id, day) v;
  if (published.rules, published.name, published.description) is not distinct from (rules, btrim(p_name), nullif(btrim(p_description), '')) then
    perform private.refuse('rules_unchanged');
  end if;
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
$function$;

CREATE OR REPLACE FUNCTION private.scale_for(p_chosen uuid, p_sales_own uuid)
 RETURNS public.commission_rates
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  scale public.commission_rates;
begin
  if p_chosen is not null then
    select * into scale from public.commission_rates r where r.id = p_chosen;
    if not found then perform private.refuse('scale_not_found'); end if;
    if scale.archived_at is not null then perform private.refuse('scale_archived'); end if;
    return scale;
  end if;
  select * into scale from public.commission_rates r where r.id = p_sales_own and r.archived_at is null
    and (r.last_day >= private.today()) is not false;
  if found then return scale; end if;
  select * into scale from public.commission_rates r where r.archived_at is null and (r.last_day >= private.today()) is not false
    order by r.is_default desc, r.created_at, r.id limit 1;
  return scale;
end
$function$;

CREATE OR REPLACE FUNCTION private.scale_for_contract(p_contract_amount numeric, p_sales_own uuid)
 RETURNS public.commission_rates
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  scale public.commission_rates;
begin
  select * into scale from public.commission_rates r
    where r.archived_at is null and (r.last_day >= private.today()) is not false and r.from_contract_amount <= p_contract_amount
    order by r.from_contract_amount desc, r.is_default desc, r.created_at desc, r.id limit 1;
  if found then return scale; end if;
  select * into scale from public.commission_rates r
    where r.archived_at is null and (r.last_day >= private.today()) is not false and (r.is_default or r.from_contract_amount is null)
    order by (r.id = p_sales_own and r.from_contract_amount is null) is true desc, r.is_default desc, r.created_at, r.id limit 1;
  if found then return scale; end if;
  return private.scale_for(null, null);
end
$function$;

CREATE OR REPLACE FUNCTION private.client_rewards()
 RETURNS TABLE(from_contract_amount numeric, type text, amount numeric)
 LANGUAGE sql
 STABLE SECURITY DEFINER ROWS 3
 SET search_path TO ''
AS $function$
  select null::numeric, r.client_commission_type, r.client_commission_amount
  from private.scale_for_contract(0, null) r where r.id is not null
  union all
  (select distinct on (r.from_contract_amount) r.from_contract_amount, r.client_commission_type, r.client_commission_amount
   from public.commission_rates r where r.archived_at is null and (r.last_day >= private.today()) is not false and r.from_contract_amount is not null
   order by r.from_contract_amount, r.is_default desc, r.created_at desc, r.id)
  order by 1 nulls first
  limit 20
$function$;

CREATE OR REPLACE FUNCTION private.fixed_client_commission()
 RETURNS numeric
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select case when r.client_commission_type = 'fixed' and r.client_rules is null then r.client_commission_amount end
  from private.scale_for(null, null) r
$function$;

CREATE OR REPLACE FUNCTION private.move_sale(sale public.sales, p_status text, p_contract_amount numeric, p_contract_description text, p_commercial_notes text, p_emptied text[])
 RETURNS public.sales
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  scale public.commission_rates;
  is_final boolean := p_status in ('validated', 'pending_validation', 'pending_final_validation');
  has_referrer boolean;
begin
  if p_status is null or p_status not in ('pending', 'contacted', 'in_negotiation', 'pending_validation', 'pending_final_validation', 'validated', 'rejected') then
    perform private.refuse('invalid_input');
  end if;
  if sale.admin_validated or sale.status = 'validated' then perform private.refuse('sale_not_editable'); end if;
  has_referrer := coalesce(sale.friend_referrer_id, sale.client_referrer_id) is not null;

  if 'contract_amount' = any (p_emptied) then sale.contract_amount := null; end if;
  if 'contract_description' = any (p_emptied) then sale.contract_description := null; end if;
  if 'commercial_notes' = any (p_emptied) then sale.commercial_notes := null; end if;
  sale.contract_amount := coalesce(p_contract_amount, sale.contract_amount);
  sale.contract_description := coalesce(nullif(btrim(p_contract_description), ''), sale.contract_description);
  sale.commercial_notes := coalesce(p_commercial_notes, sale.commercial_notes);
  sale.status := case when p_status in ('pending_validation', 'pending_final_validation') then 'pending' else p_status end;
  sale.ready_for_validation := is_final;
  if is_final and (sale.contract_amount is null or sale.contract_description is null) then
    perform private.refuse('contract_details_required');
  end if;
  if is_final then
    scale := private.scale_for_contract(sale.contract_amount, sale.commission_rate);
  end if;
  -- What the commission would be, for those who wait for the decision (CO-10, CL-04); the validation computes it anew.
  update public.sales s set
    status = sale.status,
    ready_for_validation = sale.ready_for_validation,
    rejection_reason = case when p_status = 'rejected' then s.rejection_reason end,
    contract_amount = sale.contract_amount,
    contract_description = sale.contract_description,
    commercial_notes = sale.commercial_notes,
    commission_rate = scale.id,
    client_commission_type = scale.client_commission_type,
    client_commission_rate = scale.client_commission_amount,
    commercial_commission_type = scale.commercial_commission_type,
    commercial_commission_rate = scale.commercial_commission_amount,
    client_commission_amount = case when scale.id is null then null when not has_referrer then 0
      else private.forecast(scale.client_commission_type, scale.client_commission_amount, scale.client_rules, sale.contract_amount) end,
    commercial_commission_amount =
      private.forecast(scale.commercial_commission_type, scale.commercial_commission_amount, scale.commercial_rules, sale.contract_amount)
    where s.id = sale.id returning * into sale;
  return sale;
end
$function$;

CREATE OR REPLACE FUNCTION private.cancel_validation(p_sale_id uuid, p_reason text, p_seen_version integer, p_expected_client_commission numeric, p_expected_commercial_commission numeric, p_contract_left numeric DEFAULT NULL::numeric, p_seen_contract numeric DEFAULT NULL::numeric)
 RETURNS TABLE(sale public.sales, already boolean)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
  s public.sales;
  latest public.sales;
  before numeric;
  after constant numeric := coalesce(p_contract_left, 0);
  from_client numeric;
  from_commercial numeric;
begin
  if coalesce(btrim(p_reason), '') = '' then perform private.refuse('refusal_reason_required'); end if;
  if num_nulls(p_seen_version, p_expected_client_commission, p_expected_commercial_commission) > 0
    or after > 0 and p_seen_contract is null then
    perform private.refuse('seen_required');
  end if;
  select * into s from public.sales t where t.id = p_sale_id for update;
  if not found then perform private.refuse('sale_not_found'); end if;
  if not s.admin_validated or s.corrects_sale_id is not null then perform private.refuse('sale_not_cancellable'); end if;
  if me in (s.friend_referrer_id, s.client_referrer_id, s.commercial_id) then perform private.refuse('self_validation'); end if;
  select * into latest from public.sales t where t.corrects_sale_id = s.id order by t.created_at desc limit 1;
  before := private.left_of_contract(s.id);
  -- The same decision again is the same answer.
  if latest.id is not null and after = before then
    if p_seen_version <> s.version or p_expected_client_commission <> -latest.client_commission_amount
      or p_expected_commercial_commission <> -latest.commercial_commission_amount
      or p_seen_contract <> before - latest.contract_amount then
      perform private.refuse('sale_changed');
    end if;
    return query select latest, true;
    return;
  end if;
  if before = 0 then perform private.refuse('sale_not_cancellable'); end if;
  if p_seen_version <> s.version or p_seen_contract <> before then perform private.refuse('sale_changed'); end if;
  if after < 0 or after >= before or after <> round(after, 2) then
    perform private.refuse('corrected_amount_out_of_range', jsonb_build_object('left', before::text));
  end if;
  from_client := case when coalesce(s.friend_referrer_id, s.client_referrer_id) is null then 0
    else private.earned_of_sale(s.id, 'client', s.client_commission_type, s.client_commission_rate, before)
      - private.earned_of_sale(s.id, 'client', s.client_commission_type, s.client_commission_rate, after) end;
  from_commercial := private.earned_of_sale(s.id, 'commercial', s.commercial_commission_type, s.commercial_commission_rate, before)
    - private.earned_of_sale(s.id, 'commercial', s.commercial_commission_type, s.commercial_commission_rate, after);
  if p_expected_client_commission <> from_client or p_expected_commercial_commission <> from_commercial then
    perform private.refuse('sale_changed');
  end if;
  return query select private.write_correction(s, before, after, -from_client, -from_commercial, p_reason), false;
end
$function$;

CREATE OR REPLACE FUNCTION private.correct_contract(p_sale_id uuid, p_reason text, p_seen_version integer, p_seen_corrections integer, p_seen_contract numeric, p_contract_left numeric, p_expected_client_commission numeric, p_expected_commercial_commission numeric)
 RETURNS TABLE(sale public.sales, already boolean)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
  s public.sales;
  latest public.sales;
  before numeric;
  made integer;
  has_referrer boolean;
  for_client numeric;
  for_commercial numeric;
  more_client numeric;
  more_commercial numeric;
begin
  if coalesce(btrim(p_reason), '') = '' then perform private.refuse('refusal_reason_required'); end if;
  if num_nulls(p_seen_version, p_seen_corrections, p_seen_contract, p_contract_left, p_expected_client_commission,
      p_expected_commercial_commission) > 0 then
    perform private.refuse('seen_required');
  end if;
  select * into s from public.sales t where t.id = p_sale_id for update;
  if not found then perform private.refuse('sale_not_found'); end if;
  if not s.admin_validated or s.corrects_sale_id is not null then perform private.refuse('contract_not_correctable'); end if;
  if me in (s.friend_referrer_id, s.client_referrer_id, s.commercial_id) then perform private.refuse('self_validation'); end if;
  before := private.left_of_contract(s.id);
  made := (select count(*) from public.sales t where t.corrects_sale_id = s.id);
  has_referrer := coalesce(s.friend_referrer_id, s.client_referrer_id) is not null;
  for_client := case when has_referrer then private.earned_of_sale(s.id, 'client', s.client_commission_type, s.client_commission_rate, p_contract_left) else 0 end;
  for_commercial := private.earned_of_sale(s.id, 'commercial', s.commercial_commission_type, s.commercial_commission_rate, p_contract_left);
  -- The same decision again is the same answer.
  if made = p_seen_corrections + 1 and before = p_contract_left and p_seen_version = s.version then
    select * into latest from public.sales t where t.corrects_sale_id = s.id order by t.created_at desc limit 1;
    if latest.contract_amount = p_contract_left - p_seen_contract
      and (p_expected_client_commission, p_expected_commercial_commission) = (for_client, for_commercial) then
      return query select latest, true;
      return;
    end if;
  end if;
  if before = 0 then perform private.refuse('contract_not_correctable'); end if;
  if (p_seen_version, p_seen_corrections, p_seen_contract) <> (s.version, made, before) then perform private.refuse('sale_changed'); end if;
  if p_contract_left <= 0 or p_contract_left > 9999999.99 or p_contract_left = before or p_contract_left <> round(p_contract_left, 2) then
    perform private.refuse('corrected_amount_invalid', jsonb_build_object('left', before::text));
  end if;
  if (p_expected_client_commission, p_expected_commercial_commission) <> (for_client, for_commercial) then
    perform private.refuse('sale_changed');
  end if;
  more_client := case when has_referrer
    then for_client - private.earned_of_sale(s.id, 'client', s.client_commission_type, s.client_commission_rate, before) else 0 end;
  more_commercial := for_commercial - private.earned_of_sale(s.id, 'commercial', s.commercial_commission_type, s.commercial_commission_rate, before);
  -- What is added is kept with what it is added to. Where that is kept no longer though it should be, it would be free at once.
  if more_client > 0 or more_commercial > 0 then
    if exists (
      select from public.commission_payments p
      join public.commission_rates r on r.id = s.commission_rate
      left join public.commission_holds h on h.commission_id = p.id
      where p.sale_id = s.id and case p.type when 'client' then more_client else more_commercial end > 0
        and (h.commission_id is null or h.ended_at is not null)
        and (h.is_corrected
          or p.type = 'client' and h.commission_id is null and p.created_at + make_interval(days => r.client_hold_days) > private.now()
          or (select c.hold_doubtful from public.company_settings c)
            and private.is_under_check(s.id, coalesce(s.friend_referrer_id, s.client_referrer_id)))) then
      perform private.refuse('contract_cannot_grow');
    end if;
  end if;
  return query select private.write_correction(s, before, p_contract_left, more_client, more_commercial, p_reason), false;
end
$function$;

CREATE OR REPLACE FUNCTION private.check_sale_is_paid()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  contract constant uuid := coalesce(new.corrects_sale_id, new.id);
  has_referrer constant boolean := coalesce(new.friend_referrer_id, new.client_referrer_id) is not null;
  left_ constant numeric := case when new.corrects_sale_id is null then new.contract_amount else coalesce(new.contract_left, 0) end;
  -- Of a correction, what was left before it.
  before constant numeric := left_ - new.contract_amount;
  expected constant integer := 1 + has_referrer::integer;
begin
  if new.admin_validated and (new.client_commission_amount, new.commercial_commission_amount) is distinct from (
      case when has_referrer then private.earned_of_sale(contract, 'client', new.client_commission_type, new.client_commission_rate, left_)
        - private.earned_of_sale(contract, 'client', new.client_commission_type, new.client_commission_rate, before) else 0 end,
      private.earned_of_sale(contract, 'commercial', new.commercial_commission_type, new.commercial_commission_rate, left_)
        - private.earned_of_sale(contract, 'commercial', new.commercial_commission_type, new.commercial_commission_rate, before)) then
    raise exception using errcode = 'check_violation', constraint = 'sales_commissions_are_those_of_their_terms',
      message = 'the commissions of a validated sale are those of its terms';
  end if;
  if new.admin_validated and (select count(*) from public.commission_payments p where p.sale_id = new.id) <> expected then
    raise exception using errcode = 'check_violation', message = 'a validated sale has one commission per beneficiary side';
  end if;
  if new.admin_validated and new.corrects_sale_id is null
    and not exists (select from public.sale_terms t where t.sale_id = new.id) then
    raise exception using errcode = 'check_violation', message = 'a validated sale keeps the version of its scale';
  end if;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.validate_sale(p_sale_id uuid, p_commission_rate_id uuid, p_seen_version integer, p_expected_contract_amount numeric, p_expected_client_commission numeric, p_expected_commercial_commission numeric, p_scale_version_id uuid DEFAULT NULL::uuid, p_version_reason text DEFAULT NULL::text)
 RETURNS TABLE(sale public.sales, already boolean)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
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
  by_client_rules boolean;
  by_commercial_rules boolean;
  client_stands record;
  commercial_stands record;
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
  elsif (v.rules ->> 'last_day')::date < private.today() then
    perform private.refuse('scale_is_over');
  end if;
  client_rate := (v.rules #>> '{client,value}')::numeric / 100;
  commercial_rate := (v.rules #>> '{commercial,value}')::numeric / 100;
  by_client_rules := beneficiary is not null and private.has_rules(v.rules -> 'client');
  by_commercial_rules := private.has_rules(v.rules -> 'commercial');
  -- SC-02: what was validated meanwhile of the same payees counts, each contract at its own place.
  if by_client_rules or by_commercial_rules then
    perform private.lock_balances(array_remove(array[beneficiary, s.commercial_id], null));
  end if;
  if by_client_rules then
    client_stands := private.standing_of('client', v.rules -> 'client', beneficiary, scale.id, s.is_test, null);
    for_client := private.earned(v.rules -> 'client', s.contract_amount, client_stands.position, client_stands.is_first, client_stands.cap_room);
  else
    for_client := case when beneficiary is null then 0
      else private.commission(v.rules #>> '{client,kind}', client_rate, s.contract_amount) end;
  end if;
  if by_commercial_rules then
    commercial_stands := private.standing_of('commercial', v.rules -> 'commercial', s.commercial_id, scale.id, s.is_test, null);
    for_commercial := private.earned(v.rules -> 'commercial', s.contract_amount, commercial_stands.position, commercial_stands.is_first,
      commercial_stands.cap_room);
  else
    for_commercial := private.commission(v.rules #>> '{commercial,kind}', commercial_rate, s.contract_amount);
  end if;
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
  if by_client_rules then
    insert into public.commission_terms (sale_id, type, rules, position, window_key, is_first, cap_room)
    values (s.id, 'client', v.rules -> 'client', client_stands.position, client_stands.window_key, client_stands.is_first, client_stands.cap_room);
  end if;
  if by_commercial_rules then
    insert into public.commission_terms (sale_id, type, rules, position, window_key, is_first, cap_room)
    values (s.id, 'commercial', v.rules -> 'commercial', commercial_stands.position, commercial_stands.window_key, commercial_stands.is_first,
      commercial_stands.cap_room);
  end if;
  insert into public.commission_payments (sale_id, recipient_id, type, amount)
  select s.id, r.recipient_id, r.type, r.amount
  from (values (beneficiary, 'client', for_client), (s.commercial_id, 'commercial', for_commercial)) r (recipient_id, type, amount)
  where r.recipient_id is not null
  -- Balances are locked in the order of their owners, so that two validations never wait for each other.
  order by r.recipient_id;
  return query select s, false;
end
$function$;

-- What contracts would earn, validated now one after the other in this order by the same scale: each counts for those after it.
create function private.preview_commissions(p_sale_ids uuid[], p_contract_amount numeric, p_commission_rate_id uuid, p_scale_version_id uuid)
returns table (sale_id uuid, side text, amount numeric, "position" bigint, window_key text, is_first boolean, cap_room bigint, rules jsonb)
language plpgsql stable security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  scale public.commission_rates;
  v public.scale_versions;
  s public.sales;
  payee uuid;
  contract numeric;
  stands record;
  -- Of each side, payee and scale, what the contracts before add.
  added jsonb := '{}';
  key text;
begin
  if cardinality(p_sale_ids) > 200 then perform private.refuse('invalid_input'); end if;
  for s in select t.* from unnest(p_sale_ids) with ordinality i (id, place) join public.sales t on t.id = i.id order by i.place loop
    contract := coalesce(p_contract_amount, s.contract_amount);
    if contract is null then continue; end if;
    if scale.id is null or p_commission_rate_id is null then
      scale := private.scale_for(p_commission_rate_id, s.commission_rate);
      if scale.id is null then perform private.refuse('scale_not_found'); end if;
      v := private.scale_version_on(scale.id, private.today());
      if p_scale_version_id <> v.id then
        select * into v from public.scale_versions o where o.id = p_scale_version_id and o.rate_id = scale.id and o.withdrawn_at is null;
        if not found then perform private.refuse('scale_not_found'); end if;
      elsif (v.rules ->> 'last_day')::date < private.today() then
        perform private.refuse('scale_is_over');
      end if;
    end if;
    sale_id := s.id;
    foreach side in array array['client', 'commercial'] loop
      payee := case side when 'client' then coalesce(s.friend_referrer_id, s.client_referrer_id) else s.commercial_id end;
      rules := v.rules -> side;
      key := concat_ws(' ', side, payee, scale.id);
      stands := private.standing_of(side, case when payee is null then '{}' else rules end, payee, scale.id, s.is_test, added -> key);
      amount := case when payee is null then 0
        else private.earned(rules, contract, stands.position, stands.is_first, stands.cap_room) end;
      added := added || jsonb_build_object(key, jsonb_build_object(
        'count', coalesce((added #>> array[key, 'count'])::bigint, 0) + 1,
        'revenue', coalesce((added #>> array[key, 'revenue'])::bigint, 0) + (contract * 100)::bigint,
        'given', coalesce((added #>> array[key, 'given'])::bigint, 0) + (amount * 100)::bigint));
      "position" := stands.position;
      window_key := stands.window_key;
      is_first := stands.is_first;
      cap_room := stands.cap_room;
      return next;
    end loop;
  end loop;
end
$$;

-- SC-02: what a contract of an amount would earn if it were validated now, and where its payees stand.
create function public.preview_commissions(p_sale_id uuid, p_contract_amount numeric default null, p_commission_rate_id uuid default null,
  p_scale_version_id uuid default null)
returns table (sale_id uuid, side text, amount numeric, "position" bigint, window_key text, is_first boolean, cap_room bigint, rules jsonb)
language sql stable rows 2 set search_path = '' as $$
  select * from private.preview_commissions(array[p_sale_id], p_contract_amount, p_commission_rate_id, p_scale_version_id)
$$;
-- SC-02: the same of several contracts that would be validated one after the other.
create function public.preview_validations(p_sale_ids uuid[], p_commission_rate_id uuid default null)
returns table (sale_id uuid, side text, amount numeric, "position" bigint, window_key text, is_first boolean, cap_room bigint, rules jsonb)
language sql stable rows 100 set search_path = '' as $$
  select * from private.preview_commissions(p_sale_ids, null, p_commission_rate_id, null)
$$;

-- The commissions of a validated sale are held to their terms at the end of its transaction, by `check_sale_is_paid`.
alter table public.sales drop constraint sales_client_commission_is_the_scale_s, drop constraint sales_commercial_commission_is_the_scale_s;

alter function private.create_commission_rate(text, text, text, numeric, text, numeric, uuid, integer, numeric, jsonb, jsonb, date)
  owner to parrain_service;
alter function private.publish_scale_version(uuid, integer, date, text, text, text, numeric, text, numeric, integer, numeric, jsonb, jsonb, date)
  owner to parrain_service;
alter function private.preview_commissions(uuid[], numeric, uuid, uuid) owner to parrain_service;
grant execute on function private.has_rules(jsonb), private.check_side_rules(text, jsonb), private.check_rules(jsonb, date),
  private.scale_rules(text, numeric, text, numeric, integer, numeric, jsonb, jsonb, date),
  private.earned(jsonb, numeric, bigint, boolean, bigint), private.forecast(text, numeric, jsonb, numeric),
  private.earned_of_sale(uuid, text, text, numeric, numeric), private.contracts_of(text, uuid, timestamptz, boolean),
  private.has_contract(text, uuid, boolean), private.standing_of(text, jsonb, uuid, uuid, boolean, jsonb)
  to parrain_service;
grant execute on function
  private.create_commission_rate(text, text, text, numeric, text, numeric, uuid, integer, numeric, jsonb, jsonb, date),
  private.publish_scale_version(uuid, integer, date, text, text, text, numeric, text, numeric, integer, numeric, jsonb, jsonb, date),
  private.preview_commissions(uuid[], numeric, uuid, uuid), public.preview_commissions(uuid, numeric, uuid, uuid),
  public.preview_validations(uuid[], uuid)
  to authenticated;
