-- no transaction
-- Built while people work: an installation has a million sales.
drop index if exists public.profiles_by_terms;
create index concurrently profiles_by_terms on public.profiles
  using gin (private.person_terms(full_name, email, phone, company) gin_trgm_ops);
drop index if exists public.sales_by_commercial_and_terms;
create index concurrently sales_by_commercial_and_terms on public.sales using gin (commercial_id,
  private.sale_terms(referred_contact_name, referred_contact_email, referred_contact_phone, contract_description) gin_trgm_ops);
