-- no transaction
-- Built while people work, for the searches of 0520.
drop index if exists public.payment_requests_by_reference_terms;
create index concurrently payment_requests_by_reference_terms on public.payment_requests
  using gin (private.plain_letters(settlement_reference) gin_trgm_ops) where settlement_reference is not null;
drop index if exists private.mails_by_recipient_terms;
create index concurrently mails_by_recipient_terms on private.mails
  using gin (private.plain_letters(recipient) gin_trgm_ops) where recipient is not null;
