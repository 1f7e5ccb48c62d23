-- PI-02: a commercial's open referrals by age, and what a client earned month by month.

-- As 0121 has it, but part of the query that asks: nothing is put aside between the two.
create or replace function private.validated_in(p_from date, p_to date)
returns table (month date, commercial_id uuid, commission_rate uuid, contracts bigint, revenue numeric, client_commission numeric,
  commercial_commission numeric)
language sql stable rows 1000 as $$
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
alter function private.validated_in(date, date) reset all;

-- Referrals that wait for the asking commercial's next move, by the days since the invitation: 0 to 6, 7 to 13, 14 to 29, 30 and more.
create function public.open_referrals_by_age()
returns table (from_days integer, referrals bigint)
language sql stable set search_path = '' rows 4 as $$
  select a.from_days, count(s.id)
  from (values (0, 7), (7, 14), (14, 30), (30, 100000)) a (from_days, to_days)
  left join public.sales s on s.commercial_id = (select private.uid())
    and s.status in ('pending', 'contacted', 'in_negotiation') and not s.ready_for_validation
    and s.created_at <= private.now() - make_interval(days => a.from_days)
    and s.created_at > private.now() - make_interval(days => a.to_days)
  where (select private.user_role()) = 'commercial'
  group by a.from_days order by a.from_days
$$;

-- CL-10: what was credited to the asking client in each month, less what was taken back.
create function public.client_months()
returns table (month date, earned numeric)
language sql stable set search_path = '' rows 24 as $$
  select private.month_of(coalesce(p.paid_at, p.created_at)), sum(p.amount)
  from public.commission_payments p
  where p.recipient_id = (select private.uid()) and p.type = 'client'
  group by 1 order by 1
$$;

grant execute on function public.open_referrals_by_age(), public.client_months() to authenticated;
