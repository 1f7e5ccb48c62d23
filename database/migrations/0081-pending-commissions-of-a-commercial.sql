-- A commercial's pending commissions are of contracts signed and not yet validated by an admin (M-09, S-08); what is only
-- transmitted for validation is a forecast, counted apart (FX-64).
drop function public.commercial_figures();
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
grant execute on function public.commercial_figures() to authenticated;
