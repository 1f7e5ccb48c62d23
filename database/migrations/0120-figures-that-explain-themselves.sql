-- What each card counts, said under it: the validations that were cancelled, what still waits and for how much, and how long the
-- oldest has waited. And the client's account, line by line.

drop function public.admin_figures();
drop function public.commercial_figures();
drop function public.client_figures();

-- M-04, M-05, M-06, AD-03. The admin's pending commissions are a difference, below zero where more was paid than is still owed
-- (FX-68).
create function public.admin_figures()
returns table (validated_sales bigint, revenue numeric, commercials bigint, clients bigint, pending_commissions numeric,
  paid_commissions numeric, sales_to_validate bigint, requests_to_decide bigint, requests_to_pay bigint, commissions_due numeric,
  cancelled_validations bigint, payments_made numeric, to_validate_amount numeric, to_decide_amount numeric, to_pay_amount numeric,
  oldest_to_validate timestamptz, oldest_to_decide timestamptz, oldest_to_pay timestamptz)
language sql stable set search_path = '' rows 1 as $$
  with sales as (
    select coalesce(sum(t.sales) filter (where t.state = 'validated'), 0) as validated,
      coalesce(sum(t.sales) filter (where t.state = 'correction'), 0) as cancelled,
      coalesce(sum(t.contract_amount) filter (where t.state in ('validated', 'correction')), 0) as revenue,
      coalesce(sum(t.client_commission) filter (where t.state in ('validated', 'correction')), 0) as of_clients,
      coalesce(sum(t.commercial_commission) filter (where t.state in ('validated', 'correction')), 0) as of_commercials,
      coalesce(sum(t.sales) filter (where t.state in ('awaiting_final_validation', 'awaiting_admin_validation')), 0) as to_validate,
      coalesce(sum(t.contract_amount) filter (where t.state in ('awaiting_final_validation', 'awaiting_admin_validation')), 0)
        as to_validate_amount
    from figures.sale_totals t),
  company as (
    select coalesce(sum(t.number) filter (where t.what = 'active_commercials'), 0) as commercials,
      coalesce(sum(t.number) filter (where t.what = 'clients'), 0) as clients,
      coalesce(sum(t.number) filter (where t.what = 'requests_pending'), 0) as pending,
      coalesce(sum(t.amount) filter (where t.what = 'requests_pending'), 0) as pending_amount,
      coalesce(sum(t.number) filter (where t.what = 'requests_approved'), 0) as approved,
      coalesce(sum(t.amount) filter (where t.what = 'requests_approved'), 0) as approved_amount,
      coalesce(sum(t.amount) filter (where t.what = 'requests_paid'), 0) as paid
    from figures.company_totals t),
  debts as (select coalesce(sum(b.paid - b.earned + b.reversed), 0) as amount from public.balances b where b.paid > b.earned - b.reversed)
  -- M-03: a commission is « paid » from the moment its sale is validated. What is due to the clients is what they earned
  -- less what they were paid; what one of them was paid too much takes nothing off what another is owed.
  select s.validated - s.cancelled, s.revenue, c.commercials, c.clients, s.of_clients + s.of_commercials - c.paid,
    s.of_clients + s.of_commercials, s.to_validate, c.pending, c.approved, s.of_clients - c.paid + d.amount,
    s.cancelled, c.paid, s.to_validate_amount, c.pending_amount, c.approved_amount,
    -- Each the first entry of an index, whatever the number of rows.
    (select w.created_at from public.sales w where w.ready_for_validation and not w.admin_validated order by w.created_at limit 1),
    (select r.created_at from public.payment_requests r where r.status = 'pending' order by r.created_at limit 1),
    (select r.created_at from public.payment_requests r where r.status = 'approved' order by r.created_at limit 1)
  from sales s, company c, debts d
  where (select private.user_role()) = 'admin'
$$;

-- CO-04, CO-08, M-09. A commercial's pending commissions are of contracts signed and not yet validated by an admin (S-08); what is
-- only transmitted for validation is a forecast, counted apart (FX-64).
create function public.commercial_figures()
returns table (clients bigint, referrals bigint, signed_contracts bigint, revenue numeric, validated_contracts bigint,
  validated_revenue numeric, commissions_earned numeric, commissions_pending numeric, to_follow_up bigint,
  commissions_forecast numeric, transmitted_contracts bigint, cancelled_validations bigint)
language sql stable set search_path = '' rows 1 as $$
  select (select count(*) from public.profiles p where p.commercial_id = (select private.uid()) and p.role = 'client'),
    coalesce(sum(t.sales) filter (where t.state <> 'correction'), 0),
    coalesce(sum(t.sales) filter (where t.state in ('awaiting_admin_validation', 'validated')), 0)
      - coalesce(sum(t.sales) filter (where t.state = 'correction'), 0),
    coalesce(sum(t.contract_amount) filter (where t.state in ('awaiting_admin_validation', 'validated', 'correction')), 0),
    coalesce(sum(t.sales) filter (where t.state = 'validated'), 0) - coalesce(sum(t.sales) filter (where t.state = 'correction'), 0),
    coalesce(sum(t.contract_amount) filter (where t.state in ('validated', 'correction')), 0),
    coalesce(sum(t.commercial_commission) filter (where t.state in ('validated', 'correction')), 0),
    coalesce(sum(t.commercial_commission) filter (where t.state = 'awaiting_admin_validation'), 0),
    coalesce(sum(t.sales) filter (where t.state in ('pending', 'contacted', 'in_negotiation')), 0),
    coalesce(sum(t.commercial_commission) filter (where t.state = 'awaiting_final_validation'), 0),
    coalesce(sum(t.sales) filter (where t.state = 'awaiting_final_validation'), 0),
    coalesce(sum(t.sales) filter (where t.state = 'correction'), 0)
  from figures.sale_totals t where t.commercial_id = (select private.uid())
$$;

-- CL-02, CL-06, CL-07, M-07, M-08, CL-10: « mine » is what is paid to me, and what waits on referrals of mine.
create function public.client_figures()
returns table (friends_invited bigint, signed_contracts bigint, total_commissions numeric, validated_commissions numeric,
  pending_commissions numeric, available numeric, debt numeric, requests_in_progress numeric, requests_in_progress_count bigint,
  payments_received numeric, sales_generated numeric, forecast_commission numeric, contracts_to_validate bigint,
  sales_to_validate_amount numeric)
language sql stable set search_path = '' rows 1 as $$
  with mine as (
    select count(*) filter (where s.corrects_sale_id is null) as invited,
      count(*) filter (where s.status = 'validated' and s.corrects_sale_id is null) - count(*) filter (where s.corrects_sale_id is not null) as signed,
      coalesce(sum(s.client_commission_amount) filter (where s.status = 'validated' and not s.admin_validated), 0) as pending,
      coalesce(sum(s.contract_amount) filter (where s.status = 'validated'), 0) as revenue,
      count(*) filter (where s.status = 'validated' and not s.admin_validated) as to_validate,
      coalesce(sum(s.contract_amount) filter (where s.status = 'validated' and not s.admin_validated), 0) as to_validate_amount
    from public.sales s where s.friend_referrer_id = (select private.uid())),
  earned as (
    select coalesce(sum(p.amount), 0) as total from public.commission_payments p
    where p.recipient_id = (select private.uid()) and p.type = 'client'),
  balance as (
    select coalesce(sum(b.earned - b.reversed), 0) as earned, coalesce(sum(b.reserved), 0) as reserved, coalesce(sum(b.paid), 0) as paid
    from public.balances b where b.profile_id = (select private.uid()))
  select m.invited, m.signed, e.total + m.pending, e.total, m.pending, greatest(b.earned - b.reserved - b.paid, 0), greatest(b.paid - b.earned, 0), b.reserved,
    (select count(*) from public.payment_requests r where r.client_id = (select private.uid()) and r.status in ('pending', 'approved')),
    b.paid, m.revenue, private.fixed_client_commission(), m.to_validate, m.to_validate_amount
  from mine m, earned e, balance b
  where (select private.uid()) is not null
$$;

-- The client's account, each line with the balance after it: commissions as they were credited or taken back, and requests as they
-- were made, unless they were refused. The newest line's balance is what is available, or what is owed where it is below zero.
create function public.client_statement()
returns table (id uuid, at timestamptz, kind text, amount numeric, balance numeric, sale_id uuid, contact_name text,
  payment_method text, request_status text)
language sql stable set search_path = '' rows 50 as $$
  select l.id, l.at, l.kind, l.amount, sum(l.amount) over (order by l.at, l.id)::numeric(14, 2), l.sale_id, l.contact_name,
    l.payment_method, l.request_status
  from (
    select p.id, coalesce(p.paid_at, p.created_at) as at, case when p.amount < 0 then 'correction' else 'commission' end as kind, p.amount, p.sale_id,
      s.referred_contact_name as contact_name, null as payment_method, null as request_status
    from public.commission_payments p
    left join public.sales s on s.id = p.sale_id
    where p.recipient_id = (select private.uid()) and p.type = 'client'
    union all
    select r.id, r.created_at, 'request', -r.amount, null, null, r.payment_method, r.status
    from public.payment_requests r where r.client_id = (select private.uid()) and r.status <> 'rejected') l
$$;

grant execute on function public.admin_figures(), public.commercial_figures(), public.client_figures(), public.client_statement()
  to authenticated;
