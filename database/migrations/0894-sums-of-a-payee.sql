-- no transaction
-- SC-02: sums of a commercial's contracts in a window; those of a client are few.
drop index concurrently if exists public.sales_validated_by_commercial;
create index concurrently sales_validated_by_commercial on public.sales (commercial_id, validated_at)
  include (commission_rate, contract_amount, commercial_commission_amount, corrects_sale_id, contract_left, is_test) where admin_validated;
