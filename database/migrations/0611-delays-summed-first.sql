-- PI-01: as 0610 has it, but cheaper to read. What came since the night's count is summed without its months, and the days of all months
-- are summed before they are put in order: years of slow referrals are thousands of rows.

-- Days from the step where a referral was to the one it came to, as private.delays_between had them (0610).
create view figures.step_delays with (security_invoker = true) as
  select s.created_at, d.step, greatest(floor(extract(epoch from d.reached - d.since) / 86400), 0)::integer as days
  from public.sales s
  left join public.sales c on c.corrects_sale_id = s.id and c.contract_left is null and s.admin_validated
  cross join lateral (values
    ('contacted', s.created_at, case when s.contacted_at is distinct from s.negotiated_at then s.contacted_at end),
    ('negotiated', case when s.contacted_at = s.negotiated_at then s.created_at else s.contacted_at end,
      case when s.negotiated_at is distinct from s.signed_at then s.negotiated_at end),
    ('signed', case when s.negotiated_at is distinct from s.signed_at then s.negotiated_at
      when s.contacted_at = s.negotiated_at then s.created_at else s.contacted_at end, s.signed_at),
    ('validated', s.signed_at, case when c.id is null then s.validated_at end)) d (step, since, reached)
  where s.corrects_sale_id is null and s.status <> 'rejected' and d.reached is not null and d.since is not null;
grant select on figures.step_delays to authenticated, parrain_service;

create or replace function private.count_referral_delays() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  delete from figures.referral_delays;
  if tg_op = 'INSERT' then
    insert into figures.referral_delays
    select private.month_of(d.created_at), d.step, d.days, count(*)
    from figures.step_delays d where d.created_at < (select max(n.at) from new_rows n)
    group by 1, 2, 3;
  end if;
  return null;
end
$$;

create or replace function public.referral_delays(p_from date, p_to date)
returns table (step text, referrals bigint, median_days integer)
language sql stable set search_path = '' rows 4 as $$
  with found as (
    select m.step, m.days, m.referrals from figures.referral_delays m where m.month >= p_from and m.month < p_to
    union all
    select d.step, d.days, count(*)
    from figures.step_delays d
    where d.created_at < private.month_start(p_to)
      and d.created_at >= greatest(private.month_start(p_from), (select c.at from figures.counted_until c))
    group by 1, 2),
  summed as (select f.step, f.days, sum(f.referrals) as referrals from found f group by f.step, f.days),
  running as (
    select s.step, s.days, s.referrals, sum(s.referrals) over (partition by s.step order by s.days) as up_to,
      sum(s.referrals) over (partition by s.step) as total
    from summed s)
  select r.step, sum(r.referrals)::bigint, min(r.days) filter (where r.up_to * 2 >= r.total)
  from running r
  where (select private.user_role()) = 'admin'
  group by r.step
$$;
drop function private.delays_between(timestamptz, timestamptz);
