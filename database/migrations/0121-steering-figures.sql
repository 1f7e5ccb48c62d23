-- PI-01: the figures behind the charts of « Vue d'ensemble ». What is validated never changes: beyond a few thousand rows a night's
-- work counts it by month, and a chart adds only what came since. Nobody's validation waits for any of this, or pays for it.

-- Up to when the tables below have counted; no row: everything is read from the sales themselves.
create table figures.counted_until (
  id boolean primary key default true,
  at timestamptz not null,
  constraint counted_until_is_one_row check (id)
);

-- Contracts validated in a month (in France), their corrections taken off in the month of the correction.
create table figures.validated_months (
  month date not null,
  commercial_id uuid not null,
  commission_rate uuid not null,
  contracts bigint not null,
  revenue numeric(16, 2) not null,
  client_commission numeric(16, 2) not null,
  commercial_commission numeric(16, 2) not null,
  primary key (month, commercial_id, commission_rate)
);

-- Referrals by the month they were made in, and where they stood when they were counted; of validated ones, in how many days.
create table figures.referral_months (
  month date not null,
  state text not null,
  days integer not null,
  referrals bigint not null,
  primary key (month, state, days)
);

-- The first referrers of each month and of the periods that the screen offers, as they stood when they were counted.
create table figures.best_referrers (
  from_month date not null,
  to_month date not null,
  referrer_id uuid not null references public.profiles (id) on delete cascade,
  contracts bigint not null,
  revenue numeric(16, 2) not null,
  primary key (from_month, to_month, referrer_id)
);
create index best_referrers_by_referrer on figures.best_referrers (referrer_id);

do $$
declare
  name text;
begin
  foreach name in array array['counted_until', 'validated_months', 'referral_months', 'best_referrers'] loop
    execute format('alter table figures.%I enable row level security', name);
    execute format('alter table figures.%I force row level security', name);
    execute format('create policy %I on figures.%I to parrain_service using (true) with check (true)', name || '_service_all', name);
    execute format('create policy %I on figures.%I for select to service_role using (true)', name || '_secret_read', name);
    execute format('grant select, insert, update, delete on figures.%I to parrain_service', name);
    execute format('grant select on figures.%I to authenticated, service_role', name);
  end loop;
end
$$;
create policy counted_until_authenticated_read on figures.counted_until for select to authenticated using (
  (select private.user_role()) in ('admin', 'commercial'));
create policy validated_months_authenticated_read on figures.validated_months for select to authenticated using (
  (select private.user_role()) = 'admin' or commercial_id = (select private.uid()));
create policy referral_months_admin_read on figures.referral_months for select to authenticated using (
  (select private.user_role()) = 'admin');
create policy best_referrers_admin_read on figures.best_referrers for select to authenticated using (
  (select private.user_role()) = 'admin');

-- The month of an instant, in France.
create function private.month_of(p_at timestamptz) returns date
language sql stable parallel safe
return date_trunc('month', p_at at time zone 'Europe/Paris')::date;
-- The instant at which a month begins in France.
create function private.month_start(p_month date) returns timestamptz
language sql stable parallel safe
return p_month::timestamp at time zone 'Europe/Paris';
grant execute on function private.month_of(timestamptz), private.month_start(date) to authenticated, service_role, parrain_service;

-- Contracts validated in some months, as far as the asker may see them. Each validated sale and each correction has one commission of
-- its commercial, of the same instant: the index of commissions by date stands for one of the sales.
create function private.validated_in(p_from date, p_to date)
returns table (month date, commercial_id uuid, commission_rate uuid, contracts bigint, revenue numeric, client_commission numeric,
  commercial_commission numeric)
language sql stable set search_path = '' rows 1000 as $$
  select m.month, m.commercial_id, m.commission_rate, m.contracts, m.revenue, m.client_commission, m.commercial_commission
  from figures.validated_months m where m.month >= p_from and m.month < p_to
  union all
  select private.month_of(p.created_at), s.commercial_id, s.commission_rate, sum(sign(s.contract_amount))::bigint, sum(s.contract_amount),
    sum(s.client_commission_amount), sum(s.commercial_commission_amount)
  from public.commission_payments p
  join public.sales s on s.id = p.sale_id
  where p.type = 'commercial' and p.created_at < private.month_start(p_to)
    and p.created_at >= greatest(private.month_start(p_from), (select c.at from figures.counted_until c))
  group by 1, 2, 3
$$;

grant execute on function private.sale_state(text, boolean, boolean, uuid) to authenticated, service_role;
grant execute on function private.validated_in(date, date) to authenticated, service_role, parrain_service;

-- Each night: counts anew all that is before midnight. A small company needs none of it.
create function private.count_months(p_least integer default 5000) returns void
language plpgsql security definer set search_path = '' as $$
declare
  -- Who wrote shortly before midnight may commit shortly after.
  v_until timestamptz := date_trunc('day', private.now() - interval '1 hour', 'Europe/Paris');
  v_month date := private.month_of(private.now());
  v_period record;
begin
  lock table figures.counted_until in exclusive mode;
  delete from figures.counted_until;
  delete from figures.validated_months;
  delete from figures.referral_months;
  delete from figures.best_referrers;
  if (select count(*) from (select from public.sales s where s.created_at < v_until limit p_least) few) < p_least then return; end if;
  insert into figures.validated_months
  select private.month_of(p.created_at), s.commercial_id, s.commission_rate, sum(sign(s.contract_amount)), sum(s.contract_amount),
    sum(s.client_commission_amount), sum(s.commercial_commission_amount)
  from public.commission_payments p
  join public.sales s on s.id = p.sale_id
  where p.type = 'commercial' and p.created_at < v_until
  group by 1, 2, 3;
  insert into figures.referral_months
  select private.month_of(s.created_at),
    case when c.id is null then private.sale_state(s.status, s.ready_for_validation, s.admin_validated, null) else 'cancelled' end,
    case when s.admin_validated then floor(extract(epoch from s.validated_at - s.created_at) / 86400) else -1 end, count(*)
  from public.sales s
  left join public.sales c on c.corrects_sale_id = s.id
  where s.corrects_sale_id is null and s.created_at < v_until
  group by 1, 2, 3;
  for v_period in
    select * from (values (v_month, v_month + interval '1 month'), (v_month - interval '1 month', v_month),
      (date_trunc('quarter', v_month), date_trunc('quarter', v_month) + interval '3 months'),
      (date_trunc('year', v_month), date_trunc('year', v_month) + interval '1 year'),
      (v_month - interval '11 months', v_month + interval '1 month'), ('2000-01-01', '2100-01-01')) p (from_month, to_month)
  loop
    insert into figures.best_referrers
    select v_period.from_month, v_period.to_month, b.referrer_id, b.contracts, b.revenue
    from private.referrers_in(v_period.from_month::date, v_period.to_month::date) b
    on conflict do nothing;
  end loop;
  insert into figures.counted_until (at) values (v_until);
end
$$;

-- The five referrers who brought most in some months, read from the sales.
create function private.referrers_in(p_from date, p_to date)
returns table (referrer_id uuid, contracts bigint, revenue numeric)
language sql stable set search_path = '' rows 5 as $$
  select coalesce(s.friend_referrer_id, s.client_referrer_id), sum(sign(s.contract_amount))::bigint, sum(s.contract_amount)
  from public.commission_payments p
  join public.sales s on s.id = p.sale_id
  where p.type = 'commercial' and p.created_at >= private.month_start(p_from) and p.created_at < private.month_start(p_to)
    and coalesce(s.friend_referrer_id, s.client_referrer_id) is not null
  group by 1
  having sum(s.contract_amount) > 0
  order by 3 desc, 1 limit 5
$$;
grant execute on function private.referrers_in(date, date) to authenticated, service_role, parrain_service;

-- A validated sale is deleted by a cleaning alone: what was counted is then no longer so, until the next night.
create function private.forget_counted() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if exists (select from old_rows o where o.admin_validated) then
    delete from figures.counted_until;
    delete from figures.validated_months;
    delete from figures.referral_months;
    delete from figures.best_referrers;
  end if;
  return null;
end
$$;
create trigger sales_forgotten after delete on public.sales referencing old table as old_rows
  for each statement execute function private.forget_counted();
alter function private.count_months(integer) owner to parrain_service;
alter function private.forget_counted() owner to parrain_service;
grant execute on function private.count_months(integer), private.forget_counted() to parrain_service;

-- Revenue and commissions by month: the admin's are the company's (M-04, M-05), a commercial's their own (M-09).
create function public.sales_by_month(p_from date, p_to date)
returns table (month date, contracts bigint, revenue numeric, client_commissions numeric, commercial_commissions numeric)
language sql stable set search_path = '' rows 24 as $$
  select v.month, sum(v.contracts)::bigint, sum(v.revenue), sum(v.client_commission), sum(v.commercial_commission)
  from private.validated_in(p_from, p_to) v
  group by v.month order by v.month
$$;

create function public.best_commercials(p_from date, p_to date)
returns table (id uuid, full_name text, contracts bigint, revenue numeric, commissions numeric)
language sql stable set search_path = '' rows 5 as $$
  select b.commercial_id, p.full_name, b.contracts, b.revenue, b.commissions
  from (
    select v.commercial_id, sum(v.contracts)::bigint as contracts, sum(v.revenue) as revenue,
      sum(v.client_commission) + sum(v.commercial_commission) as commissions
    from private.validated_in(p_from, p_to) v
    group by v.commercial_id having sum(v.revenue) > 0
    order by 3 desc, 1 limit 5) b
  join public.profiles p on p.id = b.commercial_id
  where (select private.user_role()) = 'admin'
  order by b.revenue desc, b.commercial_id
$$;

-- `counted_at`: the night at which they were ranked; null where they are ranked now.
create function public.best_referrers(p_from date, p_to date)
returns table (id uuid, full_name text, contracts bigint, revenue numeric, counted_at timestamptz)
language sql stable set search_path = '' rows 5 as $$
  with ranked as (
    select b.referrer_id, b.contracts, b.revenue, c.at
    from figures.best_referrers b cross join figures.counted_until c
    where b.from_month = p_from and b.to_month = p_to
    union all
    select r.referrer_id, r.contracts, r.revenue, null
    from private.referrers_in(p_from, p_to) r
    where not exists (select from figures.counted_until))
  select r.referrer_id, p.full_name, r.contracts, r.revenue, r.at
  from ranked r join public.profiles p on p.id = r.referrer_id
  where (select private.user_role()) = 'admin'
  order by r.revenue desc, r.referrer_id
$$;

-- Where the referrals made in some months stand, and the median of the days from the invitation to the validation. `counted_at`: as
-- it was that night, but for what was made since.
create function public.referral_funnel(p_from date, p_to date)
returns table (state text, referrals bigint, median_days integer, counted_at timestamptz)
language sql stable set search_path = '' rows 8 as $$
  with found as (
    select m.state, m.days, m.referrals from figures.referral_months m where m.month >= p_from and m.month < p_to
    union all
    select case when c.id is null then private.sale_state(s.status, s.ready_for_validation, s.admin_validated, null) else 'cancelled' end,
      case when s.admin_validated then floor(extract(epoch from s.validated_at - s.created_at) / 86400)::integer else -1 end, count(*)
    from public.sales s
    -- A validation that was taken back; of the others the index is not asked.
    left join public.sales c on c.corrects_sale_id = s.id and s.admin_validated
    where s.corrects_sale_id is null and s.created_at < private.month_start(p_to)
      and s.created_at >= greatest(private.month_start(p_from), (select c.at from figures.counted_until c))
    group by 1, 2),
  running as (
    select f.state, f.days, f.referrals, sum(f.referrals) over (partition by f.state order by f.days) as up_to,
      sum(f.referrals) over (partition by f.state) as total
    from found f)
  select r.state, sum(r.referrals)::bigint, min(r.days) filter (where r.up_to * 2 >= r.total and r.days >= 0),
    (select c.at from figures.counted_until c)
  from running r
  where (select private.user_role()) = 'admin'
  group by r.state
$$;

-- What the company may have to pay its clients within 90 days, by how near it is. The first three are what is due (admin_figures); the
-- last comes to it if all that waits is validated.
create function public.due_soon()
returns table (step text, number bigint, amount numeric)
language sql stable set search_path = '' rows 4 as $$
  with figures as (select * from public.admin_figures() f),
  steps as (
    select 1 as place, 'to_pay' as step, f.requests_to_pay as number, f.to_pay_amount as amount from figures f
    union all select 2, 'to_decide', f.requests_to_decide, f.to_decide_amount from figures f
    union all select 3, 'available', null, f.commissions_due - f.to_pay_amount - f.to_decide_amount from figures f
    union all select 4, 'forecast', f.sales_to_validate, (
      select coalesce(sum(t.client_commission), 0) from figures.sale_totals t
      where t.state in ('awaiting_final_validation', 'awaiting_admin_validation')) from figures f)
  select s.step, s.number, s.amount from steps s order by s.place
$$;

grant execute on function public.sales_by_month(date, date), public.best_commercials(date, date), public.best_referrers(date, date),
  public.referral_funnel(date, date), public.due_soon() to authenticated;
