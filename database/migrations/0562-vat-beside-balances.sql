-- PP-03, PP-02: a payee's account says how much VAT was paid beside what is due to them, less what came back. It is no part of their balance.

create index ledger_entries_of_vat on public.ledger_entries (payee_id) where act in ('vat', 'vat_return');
create or replace view public.payee_accounts with (security_invoker = true) as
  select p.id, p.full_name, p.role, (b.earned - coalesce(a.given, 0))::numeric(14, 2) as earned,
    (b.reversed - coalesce(a.taken, 0))::numeric(14, 2) as reversed, b.reserved, b.paid,
    (b.earned - b.reversed - b.held - b.reserved - b.paid)::numeric(14, 2) as available, b.held,
    (coalesce(a.given, 0) - coalesce(a.taken, 0))::numeric(14, 2) as adjusted,
    (select coalesce(sum(case e.act when 'vat' then e.amount else -e.amount end), 0) from public.ledger_entries e
      where e.payee_id = p.id and e.act in ('vat', 'vat_return'))::numeric(14, 2) as vat_paid
  from public.balances b
  join public.profiles p on p.id = b.profile_id
  left join (
    select d.payee_id, sum(e.amount) filter (where e.act = 'adjustment') as given,
      sum(e.amount) filter (where e.act = 'deduction') as taken
    from public.disputes d
    join public.ledger_entries e on e.source_id = d.id and e.act in ('adjustment', 'deduction')
    where d.adjustment is not null
    group by d.payee_id) a on a.payee_id = p.id;
