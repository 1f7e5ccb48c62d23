-- SC-02: what a payee brought in before, at less cost. Its query was planned at each call, which took eight times what it takes to run; now its
-- plan is kept. The bounds of the window are computed once and not for each contract in it, and nothing is read to say that no contract earns
-- nothing.

create or replace function private.standing_of(p_side text, p_rules jsonb, p_payee_id uuid, p_rate_id uuid, p_is_test boolean, p_before jsonb,
  out "position" bigint, out window_key text, out is_first boolean, out cap_room bigint)
language plpgsql stable set search_path = '' set plan_cache_mode = 'force_generic_plan' as $$
declare
  day constant date := private.today();
  since date;
  until date;
  since_at timestamptz;
  until_at timestamptz;
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
    since_at := private.month_start(since);
    until_at := private.month_start(until);
    select coalesce(sum(case when not c.is_correction then 1 when c.is_whole then -1 else 0 end), 0), coalesce(sum(c.contract) * 100, 0),
      coalesce(sum(c.given) * 100, 0)
    into seen_count, seen_revenue, seen_given
    from private.contracts_of(p_side, p_payee_id, since_at, p_is_test) c
    where c.counted_at >= since_at and c.counted_at < until_at and (p_rules ? 'counts_over' or c.rate_id = p_rate_id);
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

-- Nothing is earned of nothing, whatever the terms: a validation asks it of each side.
create or replace function private.earned_of_sale(p_sale_id uuid, p_side text, p_type text, p_rate numeric, p_contract numeric) returns numeric
language plpgsql stable set search_path = '' as $$
declare
  t public.commission_terms;
begin
  if p_contract <= 0 then return 0; end if;
  select * into t from public.commission_terms k where k.sale_id = p_sale_id and k.type = p_side;
  if not found then return private.commission(p_type, p_rate, p_contract); end if;
  return private.earned(t.rules, p_contract, t.position, t.is_first, t.cap_room);
end
$$;
