-- no transaction
-- DF-03: the notices about an account, for the day on which its payee goes.
drop index if exists public.notices_by_iban;
create index concurrently notices_by_iban on public.notices (iban_id) where iban_id is not null;
