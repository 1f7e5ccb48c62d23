-- A small contract may cost more in commissions than it brings in (FX-62): the screen says it and asks once more, the rule is
-- that each percentage is at most 100 (V-17).
alter table public.sales drop constraint sales_commissions_stay_below_the_contract;
alter table public.commission_rates
  drop constraint commission_rates_percentages_are_at_most_100,
  add constraint commission_rates_percentages_are_at_most_100 check (
    (client_commission_type <> 'percentage' or client_commission_amount <= 100)
    and (commercial_commission_type <> 'percentage' or commercial_commission_amount <= 100));
