-- PO-01, PP-01: a transfer whose payee cannot be paid says why: no account, no name, or nothing that a paper could name them by.

-- Asked by the view as whoever reads it: of a request that one may read.
grant execute on function private.is_payee_incomplete(uuid) to authenticated, service_role;

-- As 0281 has it, with what is missing of the payee, in the order in which it is to be mended.
create or replace view public.transfers_to_make with (security_invoker = true) as
  select r.id, r.client_id, p.full_name as client_name, r.amount, r.payment_details ->> 'beneficiary_name' as beneficiary,
    r.payment_details ->> 'iban' as iban, r.created_at, r.is_test,
    case when p.deactivated_at is not null then 'closed'
      when b.earned - b.reversed - b.held - b.reserved - b.paid < 0 then 'debt'
      when private.is_payee_incomplete(r.client_id) then 'incomplete'
      when coalesce(btrim(r.payment_details ->> 'iban'), '') = '' then 'no_iban'
      when coalesce(btrim(r.payment_details ->> 'beneficiary_name'), '') = '' then 'no_name'
      when i.usable_from > now() then 'iban' end as obstacle,
    case when i.usable_from > now() then i.usable_from end as iban_usable_from,
    private.sharers_of_iban(i.mark, r.client_id) as iban_shared_with
  from public.payment_requests r
  join public.profiles p on p.id = r.client_id
  join public.balances b on b.profile_id = r.client_id
  left join public.payee_ibans i on i.id = r.iban_id
  where r.status = 'approved' and r.payment_method = 'virement'
    and not exists (select from public.payment_batch_lines l where l.request_id = r.id and l.status in ('queued', 'paid'));
