-- M-06 (FX-68): the admin's pending commissions are a difference, below zero where more was paid than is still owed.
create or replace function public.admin_figures()
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
