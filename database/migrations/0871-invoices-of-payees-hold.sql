-- AC-04: the constraints of the file before hold for all that there is.
alter table public.payment_requests validate constraint payment_requests_invoice_is_its_own,
  validate constraint payment_requests_invoice_is_of_a_transfer, validate constraint payment_requests_vat_is_whole;
alter table public.notices validate constraint notices_kind_is_known;
