-- no transaction
-- Built while people work: an installation has a million sales.
drop index if exists public.sales_by_contact_mailbox;
create index concurrently sales_by_contact_mailbox on public.sales (private.mailbox_of(referred_contact_email))
  where referred_contact_email is not null;
