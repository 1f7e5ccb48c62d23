-- People and scales as the admin's lists and panels show them (NV-02, PI-03), out of the kept totals.

-- AD-04: each commercial with what they brought in. Contracts, revenue and commissions are of validated sales, their corrections
-- taken off (M-04, M-09); the conversion is validated contracts of referrals, null where there is no referral.
create view public.commercial_summaries with (security_invoker = true) as
  select p.id, p.full_name, p.email, p.phone, p.created_at, p.deactivated_at, p.is_test,
    (select count(*) from public.profiles c where c.commercial_id = p.id and c.role = 'client') as clients,
    t.referrals, t.contracts, t.conversion, t.revenue, t.commissions
  from public.profiles p
  left join lateral (
    select f.referrals, f.contracts, round(f.contracts::numeric / nullif(f.referrals, 0), 4) as conversion, f.revenue, f.commissions
    from (
      select coalesce(sum(t.sales) filter (where t.state <> 'correction'), 0)::bigint as referrals,
        (coalesce(sum(t.sales) filter (where t.state = 'validated'), 0)
          - coalesce(sum(t.sales) filter (where t.state = 'correction'), 0))::bigint as contracts,
        coalesce(sum(t.contract_amount) filter (where t.state in ('validated', 'correction')), 0)::numeric(14, 2) as revenue,
        coalesce(sum(t.commercial_commission) filter (where t.state in ('validated', 'correction')), 0)::numeric(14, 2) as commissions
      from figures.sale_totals t where t.commercial_id = p.id) f) t on true
  where p.role = 'commercial';

-- D-07, CO-05, AD-06. `earned`: commissions credited, less what was taken back; null where the asker sees no balance (P-03).
-- A left join, for a count of the rows needs no sum.
create or replace view public.client_summaries with (security_invoker = true) as
  select p.id, p.full_name, p.email, p.phone, p.company, p.notes, p.commercial_id, p.created_at, p.is_test,
    t.total_referrals, t.signed_contracts, t.revenue_generated, p.deactivated_at,
    case when (select private.user_role()) = 'admin'
      then coalesce((select b.earned - b.reversed from public.balances b where b.profile_id = p.id), 0)::numeric(14, 2) end as earned
  from public.profiles p
  left join lateral (
    select coalesce(sum(t.referrals), 0)::bigint as total_referrals,
      coalesce(sum(t.signed_contracts), 0)::bigint as signed_contracts,
      coalesce(sum(t.revenue), 0)::numeric(14, 2) as revenue_generated
    from figures.referrer_totals t where t.referrer_id = p.id) t on true
  where p.role = 'client';

-- The same where all clients are compared: everybody's sums are made at once, instead of one by one.
create view public.client_rankings with (security_invoker = true) as
  select p.id, p.full_name, p.email, p.phone, p.company, p.notes, p.commercial_id, p.created_at, p.is_test,
    coalesce(t.total_referrals, 0) as total_referrals, coalesce(t.signed_contracts, 0) as signed_contracts,
    coalesce(t.revenue_generated, 0)::numeric(14, 2) as revenue_generated, p.deactivated_at,
    case when (select private.user_role()) = 'admin' then coalesce(b.earned - b.reversed, 0)::numeric(14, 2) end as earned
  from public.profiles p
  left join (
    select t.referrer_id, sum(t.referrals)::bigint as total_referrals, sum(t.signed_contracts)::bigint as signed_contracts,
      sum(t.revenue) as revenue_generated
    from figures.referrer_totals t group by t.referrer_id) t on t.referrer_id = p.id
  left join public.balances b on b.profile_id = p.id
  where p.role = 'client';

-- The last referral of each referrer with each commercial (nil: nobody), up to figures.counted_until.
create table figures.last_referrals (
  referrer_id uuid not null references public.profiles (id) on delete cascade,
  commercial_id uuid not null,
  at timestamptz not null,
  primary key (referrer_id, commercial_id)
);
alter table figures.last_referrals enable row level security;
alter table figures.last_referrals force row level security;
create policy last_referrals_service_all on figures.last_referrals to parrain_service using (true) with check (true);
create policy last_referrals_secret_read on figures.last_referrals for select to service_role using (true);
create policy last_referrals_authenticated_read on figures.last_referrals for select to authenticated using (
  case when (select private.user_role()) = 'admin' then true else commercial_id = (select private.uid()) end);
grant select, insert, update, delete on figures.last_referrals to parrain_service;
grant select on figures.last_referrals to authenticated, service_role;

-- They are counted and forgotten with the months (private.count_months).
create function private.count_last_referrals() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  delete from figures.last_referrals;
  if tg_op = 'INSERT' then
    insert into figures.last_referrals
    select coalesce(s.friend_referrer_id, s.client_referrer_id),
      coalesce(s.commercial_id, '00000000-0000-0000-0000-000000000000'), max(s.created_at)
    from public.sales s
    where coalesce(s.friend_referrer_id, s.client_referrer_id) is not null and s.corrects_sale_id is null
      and s.created_at < (select max(n.at) from new_rows n)
    group by 1, 2;
  end if;
  return null;
end
$$;
create trigger counted_until_last_referrals after insert on figures.counted_until referencing new table as new_rows
  for each statement execute function private.count_last_referrals();
create trigger counted_until_last_referrals_forgotten after delete on figures.counted_until
  for each statement execute function private.count_last_referrals();

-- Who referred somebody since the last count; by the date alone, however the planner guesses it.
create function private.referrers_since_count() returns setof uuid
language sql stable set search_path = '' set enable_seqscan = off rows 100 as $$
  select distinct coalesce(s.friend_referrer_id, s.client_referrer_id)
  from public.sales s
  where s.created_at >= (select c.at from figures.counted_until c) and s.corrects_sale_id is null
    and coalesce(s.friend_referrer_id, s.client_referrer_id) is not null
$$;

-- PI-03: clients who referred somebody once, and nobody in six months, as far as the asker sees their referrals.
create view public.sleeping_referrers with (security_invoker = true) as
  select p.id, p.full_name, p.email, p.phone, p.company, p.commercial_id, p.created_at, l.at as last_referral_at
  from (
    select k.referrer_id, max(k.at) as at
    from (
      select f.referrer_id, f.at from figures.last_referrals f
      union all
      -- A small company is not counted by night.
      select coalesce(s.friend_referrer_id, s.client_referrer_id), s.created_at
      from public.sales s
      where not exists (select from figures.counted_until) and s.corrects_sale_id is null
        and coalesce(s.friend_referrer_id, s.client_referrer_id) is not null) k
    group by k.referrer_id
    having max(k.at) < private.now() - interval '6 months') l
  join public.profiles p on p.id = l.referrer_id
  where p.role = 'client' and p.deactivated_at is null
    and not exists (select from private.referrers_since_count() r (id) where r.id = l.referrer_id);

-- How many of a person's sales are in each state, and what they amount to: a commercial's, or a client's as their referrer (M-02).
create function public.person_figures(p_id uuid)
returns table (state text, sales bigint, contract_amount numeric, client_commission numeric, commercial_commission numeric)
language sql stable set search_path = '' rows 8 as $$
  select t.state, sum(t.sales)::bigint, sum(t.contract_amount), sum(t.client_commission), sum(t.commercial_commission)
  from figures.sale_totals t where t.commercial_id = p_id
  group by t.state having sum(t.sales) > 0
  union all
  select f.state, count(*), coalesce(sum(f.contract_amount), 0), coalesce(sum(f.client_commission_amount), 0),
    coalesce(sum(f.commercial_commission_amount), 0)
  from (
    select private.sale_state(s.status, s.ready_for_validation, s.admin_validated, s.corrects_sale_id) as state, s.contract_amount,
      s.client_commission_amount, s.commercial_commission_amount
    from public.sales s where s.friend_referrer_id = p_id
    union all
    select private.sale_state(s.status, s.ready_for_validation, s.admin_validated, s.corrects_sale_id), s.contract_amount,
      s.client_commission_amount, s.commercial_commission_amount
    from public.sales s where s.client_referrer_id = p_id and s.friend_referrer_id is null) f
  group by f.state
$$;

-- AU-17: who among these people has a second factor that could be taken from them.
create function private.people_with_second_factor(p_ids uuid[]) returns setof uuid
language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.require_role('admin');
  return query select distinct f.user_id from auth.factors f
    join public.profiles p on p.id = f.user_id
    where f.user_id = any (p_ids) and f.status = 'verified' and p.role <> 'admin';
end
$$;
create function public.people_with_second_factor(p_ids uuid[]) returns table (id uuid)
language sql stable set search_path = '' rows 5 as $$
  select f.id from private.people_with_second_factor(p_ids) f (id)
$$;

-- PI-03: what each scale cost and brought in, by the months in which contracts were validated, corrections taken off.
create function public.scale_figures(p_from date, p_to date)
returns table (id uuid, contracts bigint, revenue numeric, client_commissions numeric, commercial_commissions numeric)
language sql stable set search_path = '' rows 20 as $$
  select v.commission_rate, sum(v.contracts)::bigint, sum(v.revenue), sum(v.client_commission), sum(v.commercial_commission)
  from private.validated_in(p_from, p_to) v
  where (select private.user_role()) = 'admin'
  group by v.commission_rate
$$;

-- The same by month and commercial, for its export.
create view public.scale_months with (security_invoker = true) as
  select v.month, v.commercial_id, v.commission_rate, sum(v.contracts)::bigint as contracts, sum(v.revenue)::numeric(14, 2) as revenue,
    sum(v.client_commission)::numeric(14, 2) as client_commissions,
    sum(v.commercial_commission)::numeric(14, 2) as commercial_commissions
  from private.validated_in('2000-01-01', '2100-01-01') v
  where (select private.user_role()) = 'admin'
  group by v.month, v.commercial_id, v.commission_rate;

grant select on public.commercial_summaries, public.client_rankings, public.sleeping_referrers, public.scale_months to authenticated, service_role;
grant execute on function public.person_figures(uuid), public.people_with_second_factor(uuid[]), public.scale_figures(date, date)
  to authenticated;

do $$
declare
  f regprocedure;
begin
  for f in select p.oid::regprocedure from pg_proc p where p.pronamespace = 'private'::regnamespace
      and p.proname in ('count_last_referrals', 'people_with_second_factor') loop
    execute format('alter function %s owner to parrain_service', f);
    execute format('grant execute on function %s to parrain_service', f);
  end loop;
end
$$;
grant execute on function private.people_with_second_factor(uuid[]) to authenticated;
grant execute on function private.referrers_since_count() to authenticated, service_role, parrain_service;
