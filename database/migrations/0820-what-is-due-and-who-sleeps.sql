-- UI-08, UI-09: all that the company owes, in parts that add up to it; this month beside the same days of the one before; the last
-- act of each commercial, who waits for their first call and how long a first call takes them.

/*
 * Parts of what is due, to clients and commercials, before VAT: together they are what the ledger says, in one statement. `overpaid` is
 * below zero. Two rows are no part of it: `adjusted`, which is in it and in none of the cards, and `forecast`, which may come to it.
 */
create or replace function public.due_soon() returns table (step text, number bigint, amount numeric)
language sql stable rows 11 set search_path = '' as $$
  with sales as (
    select coalesce(sum(t.client_commission + t.commercial_commission) filter (where t.state in ('validated', 'correction')), 0) as credited,
      coalesce(sum(t.client_commission + t.commercial_commission)
        filter (where t.state in ('awaiting_final_validation', 'awaiting_admin_validation')), 0) as forecast,
      coalesce(sum(t.sales) filter (where t.state in ('awaiting_final_validation', 'awaiting_admin_validation')), 0)::bigint as awaiting
    from figures.sale_totals t),
  requests as (
    select coalesce(sum(t.number) filter (where t.what = 'requests_pending'), 0)::bigint as pending,
      coalesce(sum(t.amount) filter (where t.what = 'requests_pending'), 0) as pending_amount,
      coalesce(sum(t.number) filter (where t.what = 'requests_approved'), 0)::bigint as approved,
      coalesce(sum(t.amount) filter (where t.what = 'requests_approved'), 0) as approved_amount,
      coalesce(sum(t.amount) filter (where t.what = 'requests_paid'), 0) as paid
    from figures.company_totals t),
  payroll as (select coalesce(sum(q.amount), 0) as paid from public.paid_periods q where q.returned_at is null),
  adjusted as (
    select coalesce(sum(d.adjustment), 0) as amount from public.disputes d
    where d.adjustment is not null and d.adjustment_annulled_at is null),
  kept as (
    select coalesce(sum(h.amount) filter (where not h.is_under_check), 0) as held, count(*) filter (where not h.is_under_check) as number,
      coalesce(sum(h.amount) filter (where h.is_under_check), 0) as checked, count(*) filter (where h.is_under_check) as checks
    from public.commission_holds h where h.ended_at is null),
  queued as materialized (
    select l.payee_id, l.month, coalesce(r.amount, l.amount) as amount
    from public.payment_batches b
    join public.payment_batch_lines l on l.batch_id = b.id and l.status = 'queued'
    left join public.payment_requests r on r.id = l.request_id
    where b.status <> 'settled'),
  batches as (
    select count(*) as number, coalesce(sum(q.amount), 0) as amount, count(*) filter (where q.month is null) as requests,
      coalesce(sum(q.amount) filter (where q.month is null), 0) as of_requests
    from queued q),
  -- A month in a batch is due for what its line says.
  commercials as (
    select b.earned - b.reversed - b.held - b.reserved - b.paid as available, q.amount as queued,
      case when q.amount is null then y.due end as due
    from public.profiles p
    join public.balances b on b.profile_id = p.id
    left join public.months_to_pay y on y.payee_id = p.id
    left join queued q on q.payee_id = p.id and q.month is not null
    where p.role = 'commercial'),
  of_commercials as (
    select coalesce(sum(c.available), 0) as available, count(c.due) as months, coalesce(sum(c.due), 0) as due,
      coalesce(sum(c.available - coalesce(c.due, 0) - coalesce(c.queued, 0))
        filter (where c.available >= 0 or c.due is not null or c.queued is not null), 0) as open_month,
      count(*) filter (where c.available < 0 and c.due is null and c.queued is null) as overpaid,
      coalesce(sum(c.available) filter (where c.available < 0 and c.due is null and c.queued is null), 0) as overpaid_amount
    from commercials c),
  below_zero as (
    select count(*) as number, coalesce(sum(b.earned - b.reversed - b.held - b.reserved - b.paid), 0) as amount
    from public.balances b join public.profiles p on p.id = b.profile_id
    where b.earned - b.reversed - b.held - b.reserved - b.paid < 0 and p.role = 'client')
  select k.step, k.number, k.amount
  from sales s, requests r, payroll m, adjusted a, kept h, batches q, of_commercials c, below_zero z,
    lateral (values
      ('to_pay', r.approved - q.requests, r.approved_amount - q.of_requests),
      ('to_decide', r.pending, r.pending_amount),
      ('in_batch', q.number, q.amount),
      ('months_due', c.months, c.due),
      ('available', null, s.credited - r.paid - m.paid + a.amount - r.pending_amount - r.approved_amount - h.held - h.checked
        - c.available - z.amount),
      ('month_open', null, c.open_month),
      ('held', h.number, h.held),
      ('checked', h.checks, h.checked),
      ('overpaid', z.number + c.overpaid, z.amount + c.overpaid_amount),
      ('adjusted', null, a.amount),
      ('forecast', s.awaiting, s.forecast)) k (step, number, amount)
  where (select private.user_role()) = 'admin'
$$;

/* What was validated and registered since the month began, and in as many days of the month before. */
create function public.month_trends() returns table (what text, this_month numeric, month_before numeric)
language sql stable rows 3 set search_path = '' as $$
  with months as (
    select private.month_start(d.month) as begins, private.now() as ends, private.month_start(d.before) as begins_before,
      least(private.month_start(d.before) + (private.now() - private.month_start(d.month)), private.month_start(d.month)) as ends_before
    from (select k.month, (k.month - interval '1 month')::date as before from (select private.month_of(private.now())) k (month)) d),
  sold as (
    select p.created_at >= m.begins as is_now, case when s.contract_left is null then sign(s.contract_amount) else 0 end as contracts,
      s.contract_amount as revenue
    from months m
    join public.commission_payments p on p.type = 'commercial' and p.created_at >= m.begins_before and p.created_at <= m.ends
      and (p.created_at >= m.begins or p.created_at < m.ends_before)
    join public.sales s on s.id = p.sale_id),
  come as (
    select p.created_at >= m.begins as is_now
    from months m
    join public.profiles p on p.role = 'client' and p.created_at >= m.begins_before and p.created_at <= m.ends
      and (p.created_at >= m.begins or p.created_at < m.ends_before))
  select k.what, k.this_month, k.month_before
  from (
      select coalesce(sum(s.contracts) filter (where s.is_now), 0) as contracts,
        coalesce(sum(s.contracts) filter (where not s.is_now), 0) as contracts_before,
        coalesce(sum(s.revenue) filter (where s.is_now), 0) as revenue,
        coalesce(sum(s.revenue) filter (where not s.is_now), 0) as revenue_before
      from sold s) t,
    (select count(*) filter (where c.is_now) as clients, count(*) filter (where not c.is_now) as clients_before from come c) c,
    lateral (values ('contracts', t.contracts, t.contracts_before), ('revenue', t.revenue, t.revenue_before),
      ('clients', c.clients, c.clients_before)) k (what, this_month, month_before)
  where (select private.user_role()) = 'admin'
$$;
revoke all on function public.month_trends() from public;
grant execute on function public.month_trends() to authenticated;

/*
 * A first call is late for what came until then: the company's days before a referral is late (TM-05), or else the working days within
 * which it promises an answer (UI-03), none of which is the day it came. Null where it says neither.
 */
create function private.first_call_was_due_until() returns timestamptz
language sql stable set search_path = '' as $$
  select coalesce(private.now() - make_interval(hours => 24 * c.follow_up_days),
    (select (min(k.day) at time zone 'Europe/Paris') - interval '1 microsecond' from (
      select d.day from (
        select date_trunc('day', private.now() at time zone 'Europe/Paris') - make_interval(days => n) as day from generate_series(1, 21) n) d
      where extract(isodow from d.day) < 6 order by d.day desc limit coalesce(c.answer_days, 0)) k))
  from public.company_settings c
$$;

/* Last time that a commercial signed in or changed something; for the admin alone. */
create function private.last_activity_of(p_id uuid) returns timestamptz
language sql stable security definer set search_path = '' as $$
  select greatest(
    (select max(a.at) from public.audit_entries a where a.actor_id = p_id),
    (select e.at from auth.audit_entries e where e.user_id = p_id and e.action = 'login' order by e.id desc limit 1))
  where private.user_role() = 'admin'
$$;

/* Whole days from a referral to its first contact, for half of those of the last three months; null where there was none. For the admin. */
create function private.first_call_days_of(p_id uuid) returns integer
language sql stable security definer set search_path = '' as $$
  select percentile_disc(0.5) within group (order by floor(extract(epoch from s.contacted_at - s.created_at) / 86400))::integer
  from public.sales s
  where s.commercial_id = p_id and s.created_at >= private.now() - interval '3 months' and s.contacted_at is not null
    and s.corrects_sale_id is null and private.user_role() = 'admin'
$$;

alter function private.last_activity_of(uuid) owner to parrain_service;
alter function private.first_call_days_of(uuid) owner to parrain_service;
revoke all on function private.first_call_was_due_until(), private.last_activity_of(uuid), private.first_call_days_of(uuid) from public;
grant execute on function private.first_call_was_due_until(), private.last_activity_of(uuid), private.first_call_days_of(uuid)
  to authenticated, service_role;

create or replace view public.commercial_summaries with (security_invoker = true) as
select p.id, p.full_name, p.email, p.phone, p.created_at, p.deactivated_at, p.is_test,
  (select count(*) from public.profiles c where c.commercial_id = p.id and c.role = 'client') as clients,
  t.referrals, t.contracts, t.conversion, t.revenue, t.commissions,
  private.last_activity_of(p.id) as last_activity_at,
  -- Referrals that nobody contacted yet, and when the oldest of them came that is not put off to a later day.
  t.waiting,
  w.since as waiting_since,
  coalesce(w.since <= (select private.first_call_was_due_until()), false) as is_late,
  private.first_call_days_of(p.id) as first_call_days
from public.profiles p
left join lateral (
  select f.referrals, f.contracts, round(f.contracts::numeric / nullif(f.referrals, 0)::numeric, 4) as conversion, f.revenue, f.commissions,
    f.waiting
  from (
    select coalesce(sum(t_1.sales) filter (where t_1.state <> 'correction'), 0)::bigint as referrals,
      (coalesce(sum(t_1.sales) filter (where t_1.state = 'validated'), 0)
        - coalesce(sum(t_1.sales) filter (where t_1.state = 'correction'), 0))::bigint as contracts,
      coalesce(sum(t_1.contract_amount) filter (where t_1.state in ('validated', 'correction')), 0)::numeric(14,2) as revenue,
      coalesce(sum(t_1.commercial_commission) filter (where t_1.state in ('validated', 'correction')), 0)::numeric(14,2) as commissions,
      coalesce(sum(t_1.sales) filter (where t_1.state = 'pending'), 0)::bigint as waiting
    from figures.sale_totals t_1 where t_1.commercial_id = p.id) f) t on true
left join lateral (
  select s.created_at as since from public.sales s
  where s.commercial_id = p.id and s.status = 'pending' and not s.ready_for_validation and s.corrects_sale_id is null
    and not exists (select from public.follow_ups u where u.sale_id = s.id and u.call_back_on > (now() at time zone 'Europe/Paris')::date)
  order by s.created_at limit 1) w on true
where p.role = 'commercial';
