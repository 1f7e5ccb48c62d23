-- PO-02, PO-05: what was paid, to clients and to commercials, and what came back of it: the ledger's transfers to and from « paid », each
-- with its request and its batch, or its month. Its sum is what the company has paid.
create view public.payments_made with (security_invoker = true) as
  select e.source_id, e.id as entry_id, e.at, e.act, e.payee_id, p.full_name as payee_name, p.role as payee_role, e.detail as method,
    (case when e.credit = 'paid' then e.amount else -e.amount end)::numeric(12, 2) as amount,
    r.settlement_reference as reference, case when e.act = 'return' then r.return_reason end as reason,
    q.month, l.batch_id, b.number as batch_number
  from public.ledger_entries e
  join public.profiles p on p.id = e.payee_id
  left join public.payment_requests r on r.id = e.source_id
  left join public.paid_periods q on q.id = e.source_id
  left join public.payment_batch_lines l on l.request_id = r.id and l.status in ('paid', 'returned')
  left join public.payment_batches b on b.id = l.batch_id
  where e.credit = 'paid' or e.debit = 'paid';
grant select on public.payments_made to authenticated, service_role;
