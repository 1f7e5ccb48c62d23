-- no transaction
-- Each night looks for the contacts of whom nothing was heard. Built while people work: an installation has a million sales.
drop index if exists public.sales_by_last_contact;
create index concurrently sales_by_last_contact on public.sales (updated_at)
  where not ready_for_validation and corrects_sale_id is null
    and num_nonnulls(referred_contact_email, referred_contact_phone) > 0;
