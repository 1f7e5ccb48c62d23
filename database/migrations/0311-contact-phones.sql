-- no transaction
-- Built while people work: an installation has a million sales.
drop index if exists public.sales_by_contact_phone;
create index concurrently sales_by_contact_phone on public.sales (private.phone_of(referred_contact_phone))
  where referred_contact_phone is not null;
