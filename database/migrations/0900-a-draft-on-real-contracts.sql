-- SC-05: a draft of a scale is tried on the real contracts of the last twelve months before it is published (decision 0106). Nothing is
-- written by the trial; its totals stand with the version that was published knowing them.

-- Contracts, cents that they gave and would have given, and the day of the trial; null where nobody tried. `sha256` is that of the draft.
alter table public.scale_versions add column simulation jsonb;

-- Every contract of a scale validated from an instant on, and each of its corrections, folded by the rules of a side: what it gave, what it
-- would have given. In the order of validations; what came before, and what counts from other scales, as it was.
create function private.fold_side(p_side text, p_rules jsonb, p_rate_id uuid, p_since timestamptz, p_is_test boolean)
returns table (contract_id uuid, payee_id uuid, validated_at timestamptz, moved numeric, given numeric, would_give numeric, is_over_cap boolean)
language plpgsql stable set search_path = '' as $$
declare
  unit constant text := coalesce(p_rules ->> 'window', 'year');
  cap constant bigint := p_rules ->> 'cap_period';
  counts_all constant boolean := p_rules ? 'counts_over';
  -- The bonus asks whether there ever was a contract, of any scale.
  looks_at_all constant boolean := counts_all or p_rules ? 'bonus_first';
  since constant timestamptz := case
    when p_rules ? 'bonus_first' or unit = 'lifetime' then '-infinity'
    when p_rules ? 'steps' or cap is not null
      then private.month_start(date_trunc(unit, p_since at time zone 'Europe/Paris')::date)
    else p_since end;
  e record;
  payee uuid;
  window_ timestamp;
  -- Cents that the window gave so far.
  so_far bigint;
  stands bigint;
  first boolean;
  room bigint;
  total numeric;
  -- Of contracts that were corrected: position, first, room and what they would give.
  frozen jsonb := '{}';
begin
  for e in
    with entries as (
      select s.id, o.id as contract, o.validated_at as counted_at, s.validated_at as at, s.corrects_sale_id is not null as is_correction,
        s.contract_left as rest, s.contract_amount as amount, o.commission_rate = p_rate_id as is_own,
        case p_side when 'client' then coalesce(o.friend_referrer_id, o.client_referrer_id) else o.commercial_id end as payee,
        case p_side when 'client' then s.client_commission_amount else s.commercial_commission_amount end as gave,
        case unit when 'lifetime' then '-infinity' else date_trunc(unit, o.validated_at at time zone 'Europe/Paris') end as counted_in
      from public.sales o join public.sales s on coalesce(s.corrects_sale_id, s.id) = o.id
      where o.admin_validated and o.corrects_sale_id is null and o.is_test = p_is_test and o.validated_at >= since
        and (o.commission_rate = p_rate_id or looks_at_all) and s.admin_validated)
    select t.*,
      sum(case when t.is_correction then case when t.rest is null then -1 else 0 end else 1 end) over ever as contracts_ever,
      sum(case when t.is_correction then case when t.rest is null then -1 else 0 end else 1 end) filter (where t.is_own or counts_all)
        over within as contracts_before,
      sum(t.amount) filter (where t.is_own or counts_all) over within as revenue_before,
      count(*) over (partition by t.contract) > 1 as is_corrected
    from entries t where t.payee is not null
    window ever as (partition by t.payee order by t.at, t.is_correction, t.id rows between unbounded preceding and 1 preceding),
      within as (partition by t.payee, t.counted_in order by t.at, t.is_correction, t.id rows between unbounded preceding and 1 preceding)
    order by t.payee, t.counted_in, t.at, t.is_correction, t.id
  loop
    if (payee, window_) is distinct from (e.payee, e.counted_in) then
      payee := e.payee; window_ := e.counted_in; so_far := 0; frozen := '{}';
    end if;
    if not e.is_own or e.counted_at < p_since then
      if e.is_own or counts_all then so_far := so_far + (e.gave * 100)::bigint; end if;
      continue;
    end if;
    if e.is_correction then
      stands := frozen #>> array[e.contract::text, '0'];
      first := frozen #>> array[e.contract::text, '1'];
      room := frozen #>> array[e.contract::text, '2'];
      total := private.earned(p_rules, coalesce(e.rest, 0), stands, first, room);
      would_give := total - (frozen #>> array[e.contract::text, '3'])::numeric;
    else
      stands := case when p_rules ? 'measure' then e.contracts_before else e.revenue_before * 100 end;
      first := coalesce(e.contracts_ever, 0) = 0;
      room := greatest(cap - so_far, 0);
      total := private.earned(p_rules, e.amount, stands, first, room);
      would_give := total;
    end if;
    if e.is_corrected then
      frozen := frozen || jsonb_build_object(e.contract, jsonb_build_array(stands, first, room, total));
    end if;
    contract_id := e.contract; payee_id := e.payee; validated_at := e.counted_at; moved := e.amount; given := e.gave;
    is_over_cap := room = 0;
    so_far := so_far + (would_give * 100)::bigint;
    return next;
  end loop;
end
$$;

-- What a scale gave in the last twelve months, that of today included, and what its contracts would have given by other rules: by month, by
-- payee (those who would gain or lose most, and how many there are), contracts that would give nothing, and the largest differences.
create function private.simulate_rules(p_rate_id uuid, p_rules jsonb) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  first_month constant date := date_trunc('month', private.today()) - interval '11 months';
  listed constant integer := 5;
  tests constant boolean := (select r.is_test from public.commission_rates r where r.id = p_rate_id);
  answer jsonb;
begin
  with folded as materialized (
    select k.side, f.contract_id, f.payee_id, date_trunc('month', f.validated_at at time zone 'Europe/Paris')::date as month,
      sum(f.moved) as left_, sum(f.given) as given, sum(f.would_give) as would_give, bool_or(f.is_over_cap) as is_over_cap
    from (values ('client'), ('commercial')) k (side)
    cross join lateral private.fold_side(k.side, p_rules -> k.side, p_rate_id, private.month_start(first_month), tests) f
    group by k.side, f.contract_id, f.payee_id, f.validated_at),
  by_month as (
    select f.month, count(distinct f.contract_id) as contracts,
      coalesce(sum(f.given) filter (where f.side = 'client'), 0) as client, coalesce(sum(f.would_give) filter (where f.side = 'client'), 0) as would_client,
      coalesce(sum(f.given) filter (where f.side = 'commercial'), 0) as commercial,
      coalesce(sum(f.would_give) filter (where f.side = 'commercial'), 0) as would_commercial
    from folded f group by f.month),
  by_payee as (
    select f.side, f.payee_id, count(*) as contracts, sum(f.given) as given, sum(f.would_give) as would_give, sum(f.would_give - f.given) as change
    from folded f group by f.side, f.payee_id),
  ranked as (
    select b.*, row_number() over (order by b.change desc, b.payee_id, b.side) as most, row_number() over (order by b.change, b.payee_id, b.side) as least
    from by_payee b),
  nothing as (
    select f.side, f.given,
      case when f.left_ <= 0 then 'annulled'
        when f.left_ * 100 < (p_rules #>> array[f.side, 'min_contract'])::bigint then 'min_contract'
        when f.is_over_cap then 'cap_period' else 'rounded' end as reason
    from folded f where f.would_give = 0)
  select jsonb_build_object(
    'sha256', encode(private.rules_hash(p_rules), 'hex'),
    'totals', (select jsonb_build_object('contracts', coalesce(sum(m.contracts), 0),
      'before', (coalesce(sum(m.client + m.commercial), 0) * 100)::bigint, 'after', (coalesce(sum(m.would_client + m.would_commercial), 0) * 100)::bigint)
      from by_month m),
    'months', (select jsonb_agg(jsonb_build_object('month', d.month, 'contracts', coalesce(m.contracts, 0), 'client', coalesce(m.client, 0),
      'would_client', coalesce(m.would_client, 0), 'commercial', coalesce(m.commercial, 0), 'would_commercial', coalesce(m.would_commercial, 0))
      order by d.month)
      from (select (first_month + make_interval(months => n))::date as month from generate_series(0, 11) n) d left join by_month m using (month)),
    'payees', (select jsonb_build_object('gain', count(*) filter (where b.change > 0), 'lose', count(*) filter (where b.change < 0),
      'same', count(*) filter (where b.change = 0), 'gained', coalesce(sum(b.change) filter (where b.change > 0), 0),
      'lost', coalesce(sum(b.change) filter (where b.change < 0), 0)) from by_payee b),
    'most', (select coalesce(jsonb_agg(jsonb_build_object('side', r.side, 'payee_id', r.payee_id, 'name', p.full_name, 'contracts', r.contracts,
      'given', r.given, 'would_give', r.would_give)
      order by r.change < 0, abs(r.change) desc, r.payee_id, r.side), '[]')
      from ranked r join public.profiles p on p.id = r.payee_id
      where r.most <= listed and r.change > 0 or r.least <= listed and r.change < 0),
    'nothing', (select coalesce(jsonb_agg(to_jsonb(n) order by n.side, n.reason), '[]') from (
      select k.side, k.reason, count(*) as contracts, sum(k.given) as given from nothing k group by k.side, k.reason) n),
    'largest', (select coalesce(jsonb_agg(to_jsonb(l) order by abs(l.would_give - l.given) desc, l.sale_id, l.side), '[]') from (
      select f.contract_id as sale_id, f.side, p.full_name as name, f.left_ as contract, f.given, f.would_give
      from folded f join public.profiles p on p.id = f.payee_id where f.would_give <> f.given
      order by abs(f.would_give - f.given) desc, f.contract_id, f.side limit listed) l))
  into answer;
  return answer;
end
$$;

-- The same of a draft as `publish_scale_version` takes it, for an admin who is about to publish it.
create function private.simulate_scale(p_rate_id uuid, p_first_day date, p_client_type text, p_client_amount numeric, p_commercial_type text,
  p_commercial_amount numeric, p_client_hold_days integer default 0, p_from_contract_amount numeric default null, p_client_rules jsonb default null,
  p_commercial_rules jsonb default null, p_last_day date default null) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  me constant uuid := private.require_role('admin');
  rules constant jsonb := private.scale_rules(p_client_type, p_client_amount, p_commercial_type, p_commercial_amount, p_client_hold_days,
    p_from_contract_amount, p_client_rules, p_commercial_rules, p_last_day);
  scale public.commission_rates;
begin
  perform private.check_rules(rules, coalesce(p_first_day, private.today()));
  select * into scale from public.commission_rates r where r.id = p_rate_id;
  if not found then perform private.refuse('scale_not_found'); end if;
  if scale.archived_at is not null then perform private.refuse('scale_archived'); end if;
  return private.simulate_rules(p_rate_id, rules);
end
$$;

-- SC-05: the version keeps what its admin saw that it would have changed.
drop function private.publish_scale_version(uuid, integer, date, text, text, text, numeric, text, numeric, integer, numeric, jsonb, jsonb, date);
CREATE FUNCTION private.publish_scale_version(p_rate_id uuid, p_seen_number integer, p_first_day date, p_name text, p_description text, p_client_type text, p_client_amount numeric, p_commercial_type text, p_commercial_amount numeric, p_client_hold_days integer DEFAULT 0, p_from_contract_amount numeric DEFAULT NULL::numeric, p_client_rules jsonb DEFAULT NULL::jsonb, p_commercial_rules jsonb DEFAULT NULL::jsonb, p_last_day date DEFAULT NULL::date, p_seen_simulation jsonb DEFAULT NULL::jsonb)
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
  run jsonb;
begin
  perform private.check_rules(rules, day);
  -- What is kept is what was seen and still is. Before the lock: no validation waits for it.
  if p_seen_simulation is not null then
    run := private.simulate_rules(p_rate_id, rules) -> 'totals';
    if run is distinct from p_seen_simulation then perform private.refuse('simulation_changed'); end if;
    run := run || jsonb_build_object('on', today);
  end if;
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
  insert into public.scale_versions (rate_id, number, name, description, first_day, rules, sha256, published_at, published_by, is_test, simulation)
  values (p_rate_id, last + 1, btrim(p_name), nullif(btrim(p_description), ''), day, rules, private.rules_hash(rules),
    -- After every validation that took the version before: these had the lock.
    coalesce(nullif(current_setting('app.at', true), '')::timestamptz, clock_timestamp()), me, scale.is_test, run)
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

alter function private.simulate_scale(uuid, date, text, numeric, text, numeric, integer, numeric, jsonb, jsonb, date) owner to parrain_service;
alter function private.publish_scale_version(uuid, integer, date, text, text, text, numeric, text, numeric, integer, numeric, jsonb, jsonb, date, jsonb)
  owner to parrain_service;
revoke execute on function private.fold_side(text, jsonb, uuid, timestamptz, boolean), private.simulate_rules(uuid, jsonb),
  private.simulate_scale(uuid, date, text, numeric, text, numeric, integer, numeric, jsonb, jsonb, date),
  private.publish_scale_version(uuid, integer, date, text, text, text, numeric, text, numeric, integer, numeric, jsonb, jsonb, date, jsonb)
  from public;
grant execute on function private.fold_side(text, jsonb, uuid, timestamptz, boolean), private.simulate_rules(uuid, jsonb) to parrain_service;
grant execute on function private.simulate_scale(uuid, date, text, numeric, text, numeric, integer, numeric, jsonb, jsonb, date),
  private.publish_scale_version(uuid, integer, date, text, text, text, numeric, text, numeric, integer, numeric, jsonb, jsonb, date, jsonb)
  to authenticated;
