-- AC-04: the constraints of the file before hold for all that there is.
alter table public.payee_invoices validate constraint payee_invoices_are_of_a_request_or_a_month,
  validate constraint payee_invoices_month_is_its_first_day;
alter table public.payment_batch_lines validate constraint payment_batch_lines_invoice_is_its_own,
  validate constraint payment_batch_lines_invoice_is_of_a_month, validate constraint payment_batch_lines_vat_is_whole;
alter table public.paid_periods validate constraint paid_periods_invoice_is_its_own, validate constraint paid_periods_vat_is_whole;
alter table public.notices validate constraint notices_are_about_one_thing, validate constraint notices_kind_is_known;
