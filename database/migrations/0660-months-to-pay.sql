-- PO-05: what is to be paid for the last month that is over was summed from every transfer there ever was, at each look at the payments. It is
-- what is available now, less what came since that month ended.

create index ledger_entries_of_tests on public.ledger_entries (payee_id) where is_test;

create view public.months_to_pay with (security_invoker = true) as
  select p.id as payee_id, m.month, d.due,
    exists (select from public.ledger_entries e where e.payee_id = p.id and e.is_test and 'available' in (e.debit, e.credit)) as is_test,
    exists (select from public.payment_batch_lines l where l.payee_id = p.id and l.month = m.month and l.status = 'queued') as is_in_batch
  from (select (private.last_month_begun() - interval '1 month')::date as month) m
  cross join public.profiles p
  join public.balances b on b.profile_id = p.id
  -- Who is paid, or paid back, is paid for a month before.
  left join (
    select e.payee_id, sum(case when e.credit = 'available' then e.amount else -e.amount end) as amount
    from public.ledger_entries e
    where e.at >= private.month_start(private.last_month_begun()) and e.act not in ('payroll', 'return')
      and 'available' in (e.debit, e.credit)
    group by e.payee_id) a on a.payee_id = p.id
  cross join lateral (
    select (b.earned - b.reversed - b.held - b.reserved - b.paid - coalesce(a.amount, 0))::numeric(14, 2) as due) d
  where p.role = 'commercial' and d.due > 0
    and not exists (select from public.paid_periods q where q.payee_id = p.id and q.month >= m.month and q.returned_at is null);
grant select on public.months_to_pay to authenticated, service_role;

-- As before, of that list.
create or replace view public.transfers_to_make with (security_invoker = true) as
  select r.id, r.client_id, p.full_name as client_name, (r.amount + coalesce(r.vat_amount, 0))::numeric(12, 2) as amount,
    r.payment_details ->> 'beneficiary_name' as beneficiary,
    r.payment_details ->> 'iban' as iban, r.created_at, r.is_test,
    case when p.deactivated_at is not null then 'closed'
      when b.earned - b.reversed - b.held - b.reserved - b.paid < 0 then 'debt'
      when private.is_payee_incomplete(r.client_id) then 'incomplete'
      when coalesce(btrim(r.payment_details ->> 'iban'), '') = '' then 'no_iban'
      when coalesce(btrim(r.payment_details ->> 'beneficiary_name'), '') = '' then 'no_name'
      when i.usable_from > now() then 'iban' end as obstacle,
    case when i.usable_from > now() then i.usable_from end as iban_usable_from,
    private.sharers_of_iban(i.mark, r.client_id) as iban_shared_with, null::date as month
  from public.payment_requests r
  join public.profiles p on p.id = r.client_id
  join public.balances b on b.profile_id = r.client_id
  left join public.payee_ibans i on i.id = r.iban_id
  where r.status = 'approved' and r.payment_method = 'virement'
    and not exists (select from public.payment_batch_lines l where l.request_id = r.id and l.status in ('queued', 'paid'))
  union all
  -- The last month that is over of each agent and company, with what those before it left: it stands under the payee's id.
  select p.id, p.id, p.full_name, (d.due + coalesce(private.vat_of(d.due, private.vat_rate_of(p.id)), 0))::numeric(12, 2),
    a.holder, a.iban, private.month_start(private.last_month_begun()), d.is_test,
    case when p.deactivated_at is not null then 'closed'
      when a.id is null then 'no_iban'
      when i.usable_from > now() then 'iban' end,
    case when i.usable_from > now() then i.usable_from end,
    private.sharers_of_iban(i.mark, p.id), d.month
  from public.months_to_pay d
  join public.profiles p on p.id = d.payee_id
  left join lateral private.bank_account_of(p.id) a on true
  left join public.payee_ibans i on i.id = a.iban_id
  where private.is_paid_by_transfer(p.id)
    and not exists (select from public.payment_batch_lines l where l.payee_id = p.id and l.status = 'queued');
