-- no transaction
-- UI-11: the constraints of the file before hold for all that there is; the corrections of a contract are found in their order.
alter table public.sales validate constraint sales_amount_is_within_bounds;
alter table public.notices validate constraint notices_kind_is_known;
drop index if exists public.sales_by_correction;
create index concurrently sales_by_correction on public.sales (corrects_sale_id, created_at) where corrects_sale_id is not null;
-- It let a contract have an amount once: an amount may come back.
drop index concurrently if exists public.sales_by_corrected;
