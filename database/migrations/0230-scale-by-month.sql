-- PI-03: what one scale cost and brought in month by month, for its panel (NV-02).
create function public.scale_by_month(p_id uuid, p_from date, p_to date)
returns table (month date, contracts bigint, revenue numeric, client_commissions numeric, commercial_commissions numeric)
language sql stable set search_path = '' rows 24 as $$
  select v.month, sum(v.contracts)::bigint, sum(v.revenue), sum(v.client_commission), sum(v.commercial_commission)
  from private.validated_in(p_from, p_to) v
  where v.commission_rate = p_id and (select private.user_role()) = 'admin'
  group by v.month order by v.month
$$;
grant execute on function public.scale_by_month(uuid, date, date) to authenticated;
