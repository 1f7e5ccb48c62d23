-- no transaction
-- UI-08, UI-09: who was paid more than is theirs, found without a look at every account; first calls, read from the index alone.

drop index concurrently if exists public.balances_below_zero;
create index concurrently balances_below_zero on public.balances (profile_id) where earned - reversed - held - reserved - paid < 0;

drop index concurrently if exists public.sales_by_first_call;
create index concurrently sales_by_first_call on public.sales (commercial_id, created_at) include (contacted_at)
  where contacted_at is not null and corrects_sale_id is null;
