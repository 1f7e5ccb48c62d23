-- Where the scale in force gives a client a fixed amount, a referral without a contract has its forecast already (CL-04, FX-73).
create function private.fixed_client_commission() returns numeric
language sql stable security definer set search_path = '' as $$
  select case r.client_commission_type when 'fixed' then r.client_commission_amount end
  from private.scale_for(null, null) r
$$;
alter function private.fixed_client_commission() owner to parrain_service;
grant execute on function private.fixed_client_commission() to parrain_service, authenticated;

drop function public.client_figures();
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
grant execute on function public.client_figures() to authenticated;
