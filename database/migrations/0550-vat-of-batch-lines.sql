-- PO-01, PP-02: a line of a batch says the VAT that its amount holds.
create or replace view public.batch_lines with (security_invoker = true) as
  select l.batch_id, l.id, l.status, l.reason_code, l.reason, l.decided_at,
    coalesce(l.amount + coalesce(l.vat_amount, 0), r.amount + coalesce(r.vat_amount, 0))::numeric(12, 2) as amount,
    p.id as client_id, p.full_name as client_name, coalesce(a.holder, r.payment_details ->> 'beneficiary_name') as beneficiary,
    coalesce(a.iban, r.payment_details ->> 'iban') as iban, replace(l.id::text, '-', '') as reference,
    case when i.usable_from > now() then i.usable_from end as iban_usable_from,
    private.sharers_of_iban(i.mark, p.id) as iban_shared_with, l.month,
    coalesce(l.vat_rate, r.vat_rate) as vat_rate, coalesce(l.vat_amount, r.vat_amount) as vat_amount
  from public.payment_batch_lines l
  left join public.payment_requests r on r.id = l.request_id
  left join public.bank_accounts a on a.id = l.account_id
  join public.profiles p on p.id = coalesce(l.payee_id, r.client_id)
  left join public.payee_ibans i on i.id = coalesce(a.iban_id, r.iban_id);
