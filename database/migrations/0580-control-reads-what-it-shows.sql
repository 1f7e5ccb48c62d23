-- LG-02: the sums of the control page look up the sale of a correction alone. Beside one list of all commissions, PostgreSQL looked up the
-- sale of each and threw nearly all away.
create or replace view figures.expected_ledger with (security_invoker = true) as
  select c.id as source_id, 'validation' as act, 1::smallint as line, c.recipient_id as payee_id, 'charged' as debit,
    case when h.commission_id is null then 'available' else 'held' end as credit, c.amount::numeric(12, 2) as amount, c.type as detail,
    c.is_test, c.created_at as at
  from public.commission_payments c
  left join public.commission_holds h on h.commission_id = c.id
  where c.amount > 0
  union all
  select c.id, 'correction', 1, c.recipient_id, case when k.commission_id is null then 'available' else 'held' end, 'charged',
    abs(c.amount)::numeric(12, 2), c.type, c.is_test, c.created_at
  from public.commission_payments c
  left join public.commission_holds h on h.commission_id = c.id
  -- What a correction takes back, where it was kept until then.
  left join public.sales s on s.id = c.sale_id
  left join public.commission_payments o on o.sale_id = s.corrects_sale_id and o.type = c.type
  left join public.commission_holds k on k.commission_id = case when h.commission_id is null then o.id else c.id end and k.is_corrected
  where c.amount < 0
  union all
  select h.commission_id, 'release', 1, h.payee_id, 'held', 'available', h.amount, null, h.is_test, h.ended_at
  from public.commission_holds h where h.ended_at is not null and not h.is_corrected
  union all
  select d.id, case when k.amount > 0 then 'adjustment' else 'deduction' end, 1, d.payee_id,
    case when k.amount > 0 then 'adjusted' else 'available' end, case when k.amount > 0 then 'available' else 'adjusted' end,
    abs(k.amount)::numeric(12, 2), null, d.is_test, k.at
  from public.disputes d
  cross join lateral (values (d.adjustment, d.closed_at), (-d.adjustment, d.adjustment_annulled_at)) k (amount, at)
  where d.adjustment is not null and k.at is not null
  union all
  select r.id, 'request', 1, r.client_id, 'available', 'reserved', r.amount, null, r.is_test, r.created_at from public.payment_requests r
  union all
  select r.id, 'refusal', 1, r.client_id, 'reserved', 'available', r.amount, null, r.is_test, r.updated_at
  from public.payment_requests r where r.status = 'rejected'
  union all
  select r.id, 'settlement', 1, r.client_id, 'reserved', 'paid', r.amount, r.payment_method, r.is_test, r.paid_at
  from public.payment_requests r where r.paid_at is not null
  union all
  select r.id, 'return', 1, r.client_id, 'paid', 'available', r.amount, r.payment_method, r.is_test, r.returned_at
  from public.payment_requests r where r.returned_at is not null
  union all
  select q.id, 'payroll', 1, q.payee_id, 'available', 'paid', q.amount, q.method, q.is_test, q.paid_at from public.paid_periods q
  union all
  select r.id, 'vat', 1, r.client_id, 'vat', 'vat_paid', r.vat_amount, r.payment_method, r.is_test, r.paid_at
  from public.payment_requests r where r.paid_at is not null and r.vat_amount > 0
  union all
  select r.id, 'vat_return', 1, r.client_id, 'vat_paid', 'vat', r.vat_amount, r.payment_method, r.is_test, r.returned_at
  from public.payment_requests r where r.returned_at is not null and r.vat_amount > 0
  union all
  select q.id, 'vat', 1, q.payee_id, 'vat', 'vat_paid', q.vat_amount, q.method, q.is_test, q.paid_at
  from public.paid_periods q where q.vat_amount > 0
  union all
  select q.id, 'return', 1, q.payee_id, 'paid', 'available', q.amount, q.method, q.is_test, q.returned_at
  from public.paid_periods q where q.returned_at is not null
  union all
  select q.id, 'vat_return', 1, q.payee_id, 'vat_paid', 'vat', q.vat_amount, q.method, q.is_test, q.returned_at
  from public.paid_periods q where q.returned_at is not null and q.vat_amount > 0;

-- Each balance has its person: the list of accounts is counted without joining them.
create view figures.counted_payee_accounts with (security_invoker = true) as
  select count(*) as row_count from public.balances;
grant select on figures.counted_payee_accounts to authenticated, service_role;
