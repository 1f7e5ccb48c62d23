-- The figures of the dashboards and of long lists, out of the kept totals, never summed in the browser.

-- Counts. `figures.counted_<relation>` has some columns of a relation and, for each of their combinations, how many rows
-- have it: a count whose conditions speak of these columns alone is a sum over it. For who sees every row that is counted
-- only: the admin, or a commercial counting their own sales.
create view figures.counted_sales with (security_invoker = true) as
  select nullif(t.commercial_id, '00000000-0000-0000-0000-000000000000') as commercial_id, s.status, s.ready_for_validation,
    s.admin_validated,
    -- Of what is corrected only whether it is: nothing else may be asked of it.
    case when t.state = 'correction' then '00000000-0000-0000-0000-000000000000'::uuid end as corrects_sale_id,
    t.sales as row_count
  from figures.sale_totals t
  -- What private.sale_state reads, read back: the constraints of sales leave no other combination.
  join (values
    ('pending', 'pending', false, false), ('contacted', 'contacted', false, false),
    ('in_negotiation', 'in_negotiation', false, false), ('rejected', 'rejected', false, false),
    ('awaiting_final_validation', 'pending', true, false), ('awaiting_admin_validation', 'validated', true, false),
    ('validated', 'validated', true, true), ('correction', 'validated', true, true)
  ) s (state, status, ready_for_validation, admin_validated) on s.state = t.state;

create view figures.counted_payment_requests with (security_invoker = true) as
  select substr(t.what, length('requests_') + 1) as status, t.number as row_count
  from figures.company_totals t where t.what in ('requests_pending', 'requests_approved', 'requests_paid', 'requests_rejected');

create view figures.counted_profiles with (security_invoker = true) as
  select substr(t.what, length('role_') + 1) as role, t.number as row_count
  from figures.company_totals t where t.what in ('role_admin', 'role_commercial', 'role_client');

create view figures.counted_commission_payments with (security_invoker = true) as
  select t.commissions as row_count from figures.sale_totals t;

create view figures.counted_audit_entries with (security_invoker = true) as
  select substr(t.what, length('trail_') + 1) as entity, t.number as row_count
  from figures.company_totals t where t.what like 'trail\_%';

grant select on figures.counted_sales, figures.counted_payment_requests, figures.counted_profiles,
  figures.counted_commission_payments, figures.counted_audit_entries to authenticated, service_role;

-- What the totals should be, counted out of the rows: for `private.recount()` and `npm run verify`.
create view figures.recounted_sales with (security_invoker = true) as
  select coalesce(s.commercial_id, '00000000-0000-0000-0000-000000000000') as commercial_id,
    private.sale_state(s.status, s.ready_for_validation, s.admin_validated, s.corrects_sale_id) as state,
    count(*) as sales, coalesce(sum(s.contract_amount), 0) as contract_amount,
    coalesce(sum(s.client_commission_amount), 0) as client_commission,
    coalesce(sum(s.commercial_commission_amount), 0) as commercial_commission,
    count(*) filter (where s.admin_validated)
      + count(coalesce(s.friend_referrer_id, s.client_referrer_id)) filter (where s.admin_validated) as commissions
  from public.sales s
  group by 1, 2;
create view figures.recounted_referrers with (security_invoker = true) as
  select coalesce(s.friend_referrer_id, s.client_referrer_id) as referrer_id,
    coalesce(s.commercial_id, '00000000-0000-0000-0000-000000000000') as commercial_id, s.friend_referrer_id is not null as as_friend,
    count(*) filter (where s.corrects_sale_id is null) as referrals,
    count(*) filter (where s.status = 'validated' and s.corrects_sale_id is null)
      - count(*) filter (where s.corrects_sale_id is not null) as signed_contracts,
    coalesce(sum(s.contract_amount) filter (where s.status = 'validated'), 0) as revenue
  from public.sales s
  where coalesce(s.friend_referrer_id, s.client_referrer_id) is not null
  group by 1, 2, 3;
create view figures.recounted_company with (security_invoker = true) as
  select 'clients' as what, count(*) as number, 0::numeric as amount from public.profiles p where p.role = 'client'
  union all
  select 'active_commercials', count(*), 0 from public.profiles p where p.role = 'commercial' and p.deactivated_at is null
  union all
  select 'requests_' || r.status, count(*), sum(r.amount) from public.payment_requests r group by r.status
  union all
  select 'role_' || p.role, count(*), 0 from public.profiles p group by p.role
  union all
  select 'trail_' || a.entity, count(*), 0 from public.audit_entries a group by a.entity;
grant select on figures.recounted_sales, figures.recounted_referrers, figures.recounted_company to parrain_service;

-- Counts everything anew: where rows were there before these totals, or were written past their triggers. Whoever counts anew
-- keeps others from writing meanwhile.
create function private.recount() returns void
language plpgsql security definer set search_path = '' as $$
begin
  lock table public.profiles, public.sales, public.payment_requests, public.audit_entries in share row exclusive mode;
  delete from figures.sale_totals;
  delete from figures.referrer_totals;
  delete from figures.company_totals;
  insert into figures.sale_totals (commercial_id, state, sales, contract_amount, client_commission, commercial_commission, commissions)
  select r.commercial_id, r.state, r.sales, r.contract_amount, r.client_commission, r.commercial_commission, r.commissions
  from figures.recounted_sales r;
  insert into figures.referrer_totals (referrer_id, commercial_id, as_friend, referrals, signed_contracts, revenue)
  select r.referrer_id, r.commercial_id, r.as_friend, r.referrals, r.signed_contracts, r.revenue from figures.recounted_referrers r;
  insert into figures.company_totals (what, number, amount) select r.what, r.number, r.amount from figures.recounted_company r;
end
$$;

-- M-04, M-05, M-06, AD-03. The admin's pending commissions are a difference, below zero where more was paid than is still owed
-- (FX-68).
create function public.admin_figures()
returns table (validated_sales bigint, revenue numeric, commercials bigint, clients bigint, pending_commissions numeric,
  paid_commissions numeric, sales_to_validate bigint, requests_to_decide bigint, requests_to_pay bigint, commissions_due numeric)
language sql stable set search_path = '' rows 1 as $$
  with sales as (
    select coalesce(sum(t.sales) filter (where t.state = 'validated'), 0)
        - coalesce(sum(t.sales) filter (where t.state = 'correction'), 0) as validated,
      coalesce(sum(t.contract_amount) filter (where t.state in ('validated', 'correction')), 0) as revenue,
      coalesce(sum(t.client_commission) filter (where t.state in ('validated', 'correction')), 0) as of_clients,
      coalesce(sum(t.commercial_commission) filter (where t.state in ('validated', 'correction')), 0) as of_commercials,
      coalesce(sum(t.sales) filter (where t.state in ('awaiting_final_validation', 'awaiting_admin_validation')), 0) as to_validate
    from figures.sale_totals t),
  company as (
    select coalesce(sum(t.number) filter (where t.what = 'active_commercials'), 0) as commercials,
      coalesce(sum(t.number) filter (where t.what = 'clients'), 0) as clients,
      coalesce(sum(t.number) filter (where t.what = 'requests_pending'), 0) as pending,
      coalesce(sum(t.number) filter (where t.what = 'requests_approved'), 0) as approved,
      coalesce(sum(t.amount) filter (where t.what = 'requests_paid'), 0) as paid
    from figures.company_totals t),
  debts as (select coalesce(sum(b.paid - b.earned + b.reversed), 0) as amount from public.balances b where b.paid > b.earned - b.reversed)
  -- M-03: a commission is « paid » from the moment its sale is validated. What is due to the clients is what they earned
  -- less what they were paid; what one of them was paid too much takes nothing off what another is owed.
  select s.validated, s.revenue, c.commercials, c.clients, s.of_clients + s.of_commercials - c.paid,
    s.of_clients + s.of_commercials, s.to_validate, c.pending, c.approved, s.of_clients - c.paid + d.amount
  from sales s, company c, debts d
  where (select private.user_role()) = 'admin'
$$;

-- CO-04, CO-08, M-09. A commercial's pending commissions are of contracts signed and not yet validated by an admin (S-08); what is
-- only transmitted for validation is a forecast, counted apart (FX-64).
create function public.commercial_figures()
returns table (clients bigint, referrals bigint, signed_contracts bigint, revenue numeric, validated_contracts bigint,
  validated_revenue numeric, commissions_earned numeric, commissions_pending numeric, to_follow_up bigint,
  commissions_forecast numeric, transmitted_contracts bigint)
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
    coalesce(sum(t.sales) filter (where t.state = 'awaiting_final_validation'), 0)
  from figures.sale_totals t where t.commercial_id = (select private.uid())
$$;

-- CL-02, CL-06, CL-07, M-07, M-08, CL-10: « mine » is what is paid to me, and what waits on referrals of mine.
create function public.client_figures()
returns table (friends_invited bigint, signed_contracts bigint, total_commissions numeric, validated_commissions numeric,
  pending_commissions numeric, available numeric, debt numeric, requests_in_progress numeric, requests_in_progress_count bigint,
  payments_received numeric, sales_generated numeric, forecast_commission numeric)
language sql stable set search_path = '' rows 1 as $$
  with mine as (
    select count(*) filter (where s.corrects_sale_id is null) as invited,
      count(*) filter (where s.status = 'validated' and s.corrects_sale_id is null) - count(*) filter (where s.corrects_sale_id is not null) as signed,
      coalesce(sum(s.client_commission_amount) filter (where s.status = 'validated' and not s.admin_validated), 0) as pending,
      coalesce(sum(s.contract_amount) filter (where s.status = 'validated'), 0) as revenue
    from public.sales s where s.friend_referrer_id = (select private.uid())),
  earned as (
    select coalesce(sum(p.amount), 0) as total from public.commission_payments p
    where p.recipient_id = (select private.uid()) and p.type = 'client'),
  balance as (
    select coalesce(sum(b.earned - b.reversed), 0) as earned, coalesce(sum(b.reserved), 0) as reserved, coalesce(sum(b.paid), 0) as paid
    from public.balances b where b.profile_id = (select private.uid()))
  select m.invited, m.signed, e.total + m.pending, e.total, m.pending, greatest(b.earned - b.reserved - b.paid, 0), greatest(b.paid - b.earned, 0), b.reserved,
    (select count(*) from public.payment_requests r where r.client_id = (select private.uid()) and r.status in ('pending', 'approved')),
    b.paid, m.revenue, private.fixed_client_commission()
  from mine m, earned e, balance b
  where (select private.uid()) is not null
$$;

grant execute on function public.admin_figures(), public.commercial_figures(), public.client_figures() to authenticated;

-- D-07, CO-05, AD-06: each client with what they brought in, as far as the asker may see it.
create view public.client_summaries with (security_invoker = true) as
  select p.id, p.full_name, p.email, p.phone, p.company, p.notes, p.commercial_id, p.created_at, p.is_test,
    t.total_referrals, t.signed_contracts, t.revenue_generated
  from public.profiles p
  cross join lateral (
    select coalesce(sum(t.referrals), 0)::bigint as total_referrals,
      coalesce(sum(t.signed_contracts), 0)::bigint as signed_contracts,
      coalesce(sum(t.revenue), 0)::numeric(14, 2) as revenue_generated
    from figures.referrer_totals t where t.referrer_id = p.id) t
  where p.role = 'client';
grant select on public.client_summaries to authenticated, service_role;

-- RE-12, P-07: a commercial's referrals with the referrer's name. The id asked for must be the caller's own, unless an admin asks.
-- An out-parameter may not share its name with the argument, hence the argument's own name; the REST door accepts any.
create function public.get_commercial_sales(p_commercial_id uuid)
returns table (
  id uuid, created_at timestamptz, status text, referred_contact_name text, referred_contact_email text,
  referred_contact_phone text, personal_message text, contract_amount numeric, contract_description text, commercial_notes text,
  commercial_id uuid, client_referrer_id uuid, friend_referrer_id uuid, commission_rate uuid, ready_for_validation boolean,
  admin_validated boolean, rejection_reason text, validated_at timestamptz, validated_by uuid, client_commission_amount numeric,
  commercial_commission_amount numeric, corrects_sale_id uuid, correction_reason text, version integer, updated_at timestamptz,
  client_name text, client_email text)
language sql stable set search_path = '' rows 50 as $$
  select s.id, s.created_at, s.status, s.referred_contact_name, s.referred_contact_email, s.referred_contact_phone,
    s.personal_message, s.contract_amount, s.contract_description, s.commercial_notes, s.commercial_id, s.client_referrer_id,
    s.friend_referrer_id, s.commission_rate, s.ready_for_validation, s.admin_validated, s.rejection_reason, s.validated_at,
    s.validated_by, s.client_commission_amount, s.commercial_commission_amount, s.corrects_sale_id, s.correction_reason,
    s.version, s.updated_at, r.full_name, r.email
  from public.sales s
  left join public.profiles r on r.id = coalesce(s.friend_referrer_id, s.client_referrer_id)
  where s.commercial_id = p_commercial_id
    and (p_commercial_id = (select private.uid()) or (select private.user_role()) = 'admin')
  order by s.created_at desc
$$;
grant execute on function public.get_commercial_sales(uuid) to authenticated;
