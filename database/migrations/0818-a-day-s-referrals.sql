-- UI-06: the referrals of a commercial's day, and how many there are.

/* 1 late, 2 the day to call back has come, 3 new; null where nothing is to be done today. Who set a later day has answered for today. */
create function private.today_rank(s public.sales, p_call_back_on date, p_follow_up_days integer) returns integer
language sql stable parallel safe
return case
  when s.corrects_sale_id is not null or s.ready_for_validation or s.status not in ('pending', 'contacted', 'in_negotiation')
    or p_call_back_on > (now() at time zone 'Europe/Paris')::date then null
  when s.status = 'pending' and s.created_at <= now() - make_interval(hours => 24 * p_follow_up_days) then 1
  when p_call_back_on is not null then 2
  when s.status = 'pending' then 3
end;
revoke all on function private.today_rank(public.sales, date, integer) from public;
grant execute on function private.today_rank(public.sales, date, integer) to authenticated, service_role;

create function public.today_rank(public.sales) returns integer
language sql stable parallel safe
begin atomic
  select private.today_rank($1,
    (select f.call_back_on from public.follow_ups f where f.sale_id = $1.id),
    (select c.follow_up_days from public.company_settings c));
end;
revoke all on function public.today_rank(public.sales) from public;
grant execute on function public.today_rank(public.sales) to authenticated, service_role;

/* Of who asks: in one reading of their open referrals, which an index has apart from the others. */
create function public.referral_counts() returns table (today bigint, call_back bigint, late bigint, total bigint)
language sql stable rows 1 set search_path = '' as $$
  select count(private.today_rank(s, f.call_back_on, c.follow_up_days)),
    count(*) filter (where f.call_back_on <= (now() at time zone 'Europe/Paris')::date),
    count(*) filter (where s.status = 'pending' and s.created_at <= now() - make_interval(hours => 24 * c.follow_up_days)),
    (select coalesce(sum(t.sales), 0)::bigint from figures.sale_totals t
      where t.commercial_id = (select private.uid()) and t.state <> 'correction')
  from public.sales s
    left join public.follow_ups f on f.sale_id = s.id
    left join public.company_settings c on true
  where s.commercial_id = (select private.uid()) and s.status in ('pending', 'contacted', 'in_negotiation')
    and not s.ready_for_validation and s.corrects_sale_id is null
$$;
revoke all on function public.referral_counts() from public;
grant execute on function public.referral_counts() to authenticated;
