-- PO-05: commercials' commissions by month. A month of a commercial that is over is due: what the ledger made available to them until its
-- end, less what earlier paid months took. Whatever is not paid, a debt too, is carried on to the next month (decision 0031).

create table public.paid_periods (
  id uuid primary key default gen_random_uuid(),
  payee_id uuid not null references public.profiles (id) on delete restrict,
  month date not null,
  amount numeric(12, 2) not null,
  paid_at timestamptz not null default private.now(),
  paid_by uuid not null references public.profiles (id) on delete restrict,
  is_test boolean not null,
  constraint paid_periods_once_per_month unique (payee_id, month),
  constraint paid_periods_month_is_its_first_day check (extract(day from month) = 1),
  constraint paid_periods_amount_is_positive check (amount > 0)
);
create index paid_periods_by_payer on public.paid_periods (paid_by);

alter table public.paid_periods enable row level security;
alter table public.paid_periods force row level security;
grant select, insert, delete on public.paid_periods to parrain_service;
grant select on public.paid_periods to authenticated, service_role;
create policy paid_periods_service_all on public.paid_periods to parrain_service using (true) with check (true);
create policy paid_periods_secret_read on public.paid_periods for select to service_role using (true);
create policy paid_periods_authenticated_read on public.paid_periods for select to authenticated using (
  (select private.user_role()) = 'admin' or payee_id = (select private.uid()));

-- What was paid stays paid. Test data goes, with its transfers.
create function private.guard_paid_period() returns trigger
language plpgsql set search_path = '' as $$
begin
  if tg_op = 'DELETE' and private.is_cleaning() and old.is_test then return old; end if;
  perform private.refuse('forbidden');
end
$$;
create trigger paid_periods_guard before update or delete on public.paid_periods
  for each row execute function private.guard_paid_period();
create function private.forget_paid_periods() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  delete from public.paid_periods q where q.id in (select o.source_id from old_rows o where o.act = 'payroll');
  return null;
end
$$;
create trigger ledger_entries_forget_paid_periods after delete on public.ledger_entries
  referencing old table as old_rows for each statement execute function private.forget_paid_periods();

alter table public.ledger_entries drop constraint ledger_entries_transfer_is_known,
  drop constraint ledger_entries_detail_is_of_its_account,
  add constraint ledger_entries_transfer_is_known check ((act, debit, credit) in (
    ('validation', 'charged', 'available'),
    ('validation', 'charged', 'held'),
    ('release', 'held', 'available'),
    ('correction', 'available', 'charged'),
    ('correction', 'held', 'charged'),
    ('adjustment', 'adjusted', 'available'),
    ('deduction', 'available', 'adjusted'),
    ('request', 'available', 'reserved'),
    ('refusal', 'reserved', 'available'),
    ('settlement', 'reserved', 'paid'),
    ('return', 'paid', 'available'),
    ('payroll', 'available', 'paid'))),
  add constraint ledger_entries_detail_is_of_its_account check (
    (detail is null) = (act in ('release', 'adjustment', 'deduction', 'request', 'refusal'))
    and (act not in ('validation', 'correction') or detail in ('client', 'commercial'))
    and (act <> 'return' or detail = 'virement')
    and (act <> 'payroll' or detail = 'paie')
    and (act <> 'settlement' or detail in ('virement', 'cheque_cadeau', 'association', 'remise_societe')));

create function private.post_paid_period() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  insert into public.ledger_entries (at, act, source_id, payee_id, debit, credit, amount, detail, actor_id, is_test)
  values (new.paid_at, 'payroll', new.id, new.payee_id, 'available', 'paid', new.amount, 'paie', private.uid(), new.is_test);
  return null;
end
$$;
create trigger paid_periods_post after insert on public.paid_periods
  for each row execute function private.post_paid_period();

-- The transfers that commissions, holds, adjustments, requests and paid months make.
create or replace view figures.expected_ledger with (security_invoker = true) as
  select c.id as source_id, case when c.amount > 0 then 'validation' else 'correction' end as act, 1::smallint as line,
    c.recipient_id as payee_id, case when c.amount > 0 then 'charged' when k.commission_id is null then 'available' else 'held' end as debit,
    case when c.amount < 0 then 'charged' when h.commission_id is null then 'available' else 'held' end as credit,
    abs(c.amount)::numeric(12, 2) as amount, c.type as detail, c.is_test, c.created_at as at
  from public.commission_payments c
  left join public.commission_holds h on h.commission_id = c.id
  -- What a correction takes back, where it was kept until then.
  left join public.sales s on s.id = c.sale_id and c.amount < 0
  left join public.commission_payments o on o.sale_id = s.corrects_sale_id and o.type = c.type
  left join public.commission_holds k on k.commission_id = case when h.commission_id is null then o.id else c.id end and k.is_corrected
  where c.amount <> 0
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
  select q.id, 'payroll', 1, q.payee_id, 'available', 'paid', q.amount, 'paie', q.is_test, q.paid_at from public.paid_periods q;

-- The month that lasts. It is over an hour after its end: who wrote shortly before midnight may commit shortly after.
create function private.last_month_begun() returns date
language sql stable set search_path = ''
return private.month_of(private.now() - interval '1 hour');
grant execute on function private.last_month_begun() to authenticated, service_role, parrain_service;

-- Each commercial's months, from that of their first commission to this one. `due` is what is to be paid at its end, `carried` what came
-- from the months before. A month that a later one was paid with, or that leaves nothing to pay, is carried on.
create view public.commission_periods with (security_invoker = true) as
  with moved as (
    select e.payee_id, private.month_of(e.at) as month, sum(case when e.credit = 'available' then e.amount else -e.amount end) as amount
    from public.ledger_entries e
    where e.act <> 'payroll' and 'available' in (e.debit, e.credit)
      and e.payee_id in (select p.id from public.profiles p where p.role = 'commercial')
    group by 1, 2),
  months as (
    select s.payee_id, k.month::date as month
    from (select m.payee_id, min(m.month) as first from moved m group by m.payee_id) s
    cross join lateral generate_series(s.first::timestamp, private.month_of(private.now())::timestamp, interval '1 month') k (month)),
  sums as (
    select n.payee_id, n.month, coalesce(m.amount, 0) as moved, q.amount as paid, q.paid_at,
      sum(coalesce(m.amount, 0)) over upto - coalesce(sum(q.amount) over earlier, 0) as due,
      max(q.month) over (partition by n.payee_id) as paid_until
    from months n
    left join moved m on m.payee_id = n.payee_id and m.month = n.month
    left join public.paid_periods q on q.payee_id = n.payee_id and q.month = n.month
    window upto as (partition by n.payee_id order by n.month),
      earlier as (partition by n.payee_id order by n.month rows between unbounded preceding and 1 preceding))
  select s.payee_id, p.full_name, p.email, s.month, (s.due - s.moved)::numeric(14, 2) as carried, s.moved::numeric(14, 2) as moved,
    coalesce(s.paid, s.due)::numeric(14, 2) as due,
    case when s.paid is not null then 'paid'
      when s.month >= private.last_month_begun() then 'open'
      when s.due <= 0 or s.month < s.paid_until then 'carried'
      else 'due' end as status,
    s.paid_at
  from sums s join public.profiles p on p.id = s.payee_id;
grant select on public.commission_periods to authenticated, service_role;

-- PO-05: marks a month paid, to each commercial of [{"payee_id", "amount"}] what was seen as due to them, all of them or none. The same
-- again is the same answer.
create function private.pay_periods(p_month date, p_lines jsonb)
returns table (paid integer, already integer)
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  l record;
  before public.paid_periods;
  q public.paid_periods;
  due_ numeric;
  test_ boolean;
begin
  paid := 0; already := 0;
  if p_month is null or extract(day from p_month) <> 1 or p_month >= private.last_month_begun() then perform private.refuse('period_not_over'); end if;
  -- A cleaning of test data holds balances before all else. Payees are taken in the order of their ids, as everybody takes them.
  lock table public.balances in row exclusive mode;
  perform 1 from public.balances b
    where b.profile_id in (select (x ->> 'payee_id')::uuid from jsonb_array_elements(p_lines) x) order by b.profile_id for update;
  for l in select (x ->> 'payee_id')::uuid as payee_id, (x ->> 'amount')::numeric as amount from jsonb_array_elements(p_lines) x order by 1 loop
    if not exists (select from public.profiles p where p.id = l.payee_id and p.role = 'commercial') then
      perform private.refuse('commercial_not_found');
    end if;
    select * into before from public.paid_periods t where t.payee_id = l.payee_id and t.month >= p_month order by t.month desc limit 1;
    if before.id is not null then
      select * into before from public.paid_periods t where t.payee_id = l.payee_id and t.month = p_month;
      if before.id is null or before.amount <> l.amount then perform private.refuse('period_already_paid'); end if;
      already := already + 1;
      continue;
    end if;
    select coalesce(sum(case when e.credit = 'available' then e.amount else -e.amount end)
        filter (where e.act <> 'payroll' and e.at < private.month_start((p_month + interval '1 month')::date)), 0)
        - coalesce(sum(e.amount) filter (where e.act = 'payroll'), 0),
      coalesce(bool_or(e.is_test), false)
      into due_, test_
      from public.ledger_entries e where e.payee_id = l.payee_id and 'available' in (e.debit, e.credit);
    if due_ <= 0 then perform private.refuse('period_carried_on'); end if;
    if due_ is distinct from l.amount then perform private.refuse('period_changed'); end if;
    insert into public.paid_periods (payee_id, month, amount, paid_by, is_test) values (l.payee_id, p_month, due_, me, test_) returning * into q;
    perform private.append_audit('paid_periods', q.id, 'insert', null,
      jsonb_build_object('month', to_char(q.month, 'YYYY-MM'), 'amount', q.amount, 'payee_id', q.payee_id), null);
    paid := paid + 1;
  end loop;
  return next;
end
$$;

-- EX-02: what is paid with the wages has an account of its own. A closed month keeps the settings it was closed with, which had none.
create or replace function private.is_chart(p_accounts jsonb) returns boolean
language sql immutable set search_path = ''
return coalesce(jsonb_typeof(p_accounts) = 'object'
  and (select array_agg(k order by k) from jsonb_object_keys(p_accounts) k where k not in ('adjusted', 'paid_paie'))
    = array['charged', 'client', 'commercial', 'held', 'other', 'paid_association', 'paid_cheque_cadeau', 'paid_remise_societe', 'paid_virement']
  and (select bool_and(coalesce(a.value ->> 'number' ~ '^[1-7][0-9]{2}[0-9A-Z]{0,9}$', false)
      and coalesce(private.is_line(a.value ->> 'label', 100) and btrim(a.value ->> 'label') <> '', false))
    from jsonb_each(p_accounts) a), false);
set local role parrain_service;
insert into private.accounting_settings (journal_code, journal_label, accounts)
select s.journal_code, s.journal_label, s.accounts || '{"paid_paie": {"number": "421000", "label": "Personnel – rémunérations dues"}}'
from private.accounting_settings s order by s.id desc limit 1;
reset role;
create or replace function private.accounting_lines(p_from date, p_before date)
returns table ("JournalCode" text, "JournalLib" text, "EcritureNum" bigint, "EcritureDate" timestamptz, "CompteNum" text, "CompteLib" text,
  "CompAuxNum" text, "CompAuxLib" text, "PieceRef" text, "PieceDate" timestamptz, "EcritureLib" text, "Debit" numeric, "Credit" numeric,
  "EcritureLet" text, "DateLet" text, "ValidDate" timestamptz, "Montantdevise" text, "Idevise" text, side integer)
language plpgsql stable security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  from_ constant timestamptz := p_from::timestamp at time zone 'Europe/Paris';
  before_ constant timestamptz := p_before::timestamp at time zone 'Europe/Paris';
  base constant bigint := (select count(*) from public.ledger_entries b where b.at < from_ and private.is_accounted(b.debit, b.credit));
begin
  return query
  select coalesce(s.journal_code, c.journal_code), coalesce(s.journal_label, c.journal_label), n.number, n.at,
    k.account ->> 'number', k.account ->> 'label',
    case when k.is_payees then upper(left(n.payee_id::text, 8)) end, case when k.is_payees then coalesce(y.name, p.full_name) end,
    upper(case when n.act in ('adjustment', 'deduction') then 'CON-' || left(n.source_id::text, 8)
      when n.act = 'payroll' then 'PAIE-' || left(n.source_id::text, 8)
      when n.sale_id is null then 'DEM-' || left(n.source_id::text, 8) else 'CTR-' || left(n.sale_id::text, 8) end), n.at,
    case n.act when 'validation' then 'Commission' when 'correction' then 'Reprise de commission'
        when 'release' then 'Fin du délai d’une commission' when 'settlement' then 'Paiement'
        when 'return' then 'Retour d’un paiement' when 'adjustment' then 'Ajustement en plus' when 'deduction' then 'Ajustement en moins'
        when 'payroll' then 'Commissions payées' else 'Mouvement (' || n.act || ')' end
      || case n.detail when 'client' then ' du client' when 'commercial' then ' du commercial' when 'virement' then ' par virement'
        when 'cheque_cadeau' then ' en chèque cadeau' when 'association' then ' à une association' when 'remise_societe' then ' en remise'
        when 'paie' then ' avec la paie'
        else '' end,
    case when k.side = 1 then n.amount else 0.00 end, case when k.side = 2 then n.amount else 0.00 end,
    null::text, null::text, m.closed_at, null::text, null::text, k.side
  from (
    select e.*, q.sale_id, base + row_number() over (order by e.at, e.id) as number
    from public.ledger_entries e left join public.commission_payments q on q.id = e.source_id
    where e.at >= from_ and e.at < before_ and private.is_accounted(e.debit, e.credit)) n
  join public.profiles p on p.id = n.payee_id
  left join private.accounting_payees y on y.payee_id = n.payee_id
  left join private.accounting_months m on m.month = private.month_of(n.at)
  left join private.accounting_settings s on s.id = m.settings_id
  cross join (select l.* from private.accounting_settings l order by l.id desc limit 1) c
  cross join lateral (
    select o.side, o.account in ('available', 'reserved', 'held') as is_payees,
      coalesce(a.chart -> case
        when o.account in ('available', 'reserved') then p.role
        when o.account = 'paid' then 'paid_' || n.detail
        else o.account end, a.chart -> 'other') as account
    from (values (1, n.debit), (2, n.credit)) o (side, account), (select coalesce(s.accounts, c.accounts) as chart) a) k;
end
$$;

-- What commercials were paid is paid, and no commission that waits; a debt of theirs is none of clients.
create or replace function public.admin_figures()
returns table (validated_sales bigint, revenue numeric, commercials bigint, clients bigint, pending_commissions numeric,
  paid_commissions numeric, sales_to_validate bigint, requests_to_decide bigint, requests_to_pay bigint, commissions_due numeric,
  cancelled_validations bigint, payments_made numeric, to_validate_amount numeric, to_decide_amount numeric, to_pay_amount numeric,
  oldest_to_validate timestamptz, oldest_to_decide timestamptz, oldest_to_pay timestamptz)
language sql stable set search_path = '' rows 1 as $$
  with sales as (
    select coalesce(sum(t.sales) filter (where t.state = 'validated'), 0) as validated,
      coalesce(sum(t.sales) filter (where t.state = 'correction'), 0) as cancelled,
      coalesce(sum(t.contract_amount) filter (where t.state in ('validated', 'correction')), 0) as revenue,
      coalesce(sum(t.client_commission) filter (where t.state in ('validated', 'correction')), 0) as of_clients,
      coalesce(sum(t.commercial_commission) filter (where t.state in ('validated', 'correction')), 0) as of_commercials,
      coalesce(sum(t.sales) filter (where t.state in ('awaiting_final_validation', 'awaiting_admin_validation')), 0) as to_validate,
      coalesce(sum(t.contract_amount) filter (where t.state in ('awaiting_final_validation', 'awaiting_admin_validation')), 0)
        as to_validate_amount
    from figures.sale_totals t),
  company as (
    select coalesce(sum(t.number) filter (where t.what = 'active_commercials'), 0) as commercials,
      coalesce(sum(t.number) filter (where t.what = 'clients'), 0) as clients,
      coalesce(sum(t.number) filter (where t.what = 'requests_pending'), 0) as pending,
      coalesce(sum(t.amount) filter (where t.what = 'requests_pending'), 0) as pending_amount,
      coalesce(sum(t.number) filter (where t.what = 'requests_approved'), 0) as approved,
      coalesce(sum(t.amount) filter (where t.what = 'requests_approved'), 0) as approved_amount,
      coalesce(sum(t.amount) filter (where t.what = 'requests_paid'), 0) as paid
    from figures.company_totals t),
  debts as (select coalesce(sum(b.paid - b.earned + b.reversed), 0) as amount from public.balances b join public.profiles p on p.id = b.profile_id
    where p.role = 'client' and b.paid > b.earned - b.reversed),
  -- What disputes gave and took of what is due to clients (LG-06).
  adjusted as (
    select coalesce(sum(d.adjustment), 0) as amount from public.disputes d join public.profiles p on p.id = d.payee_id
    where d.adjustment is not null and d.adjustment_annulled_at is null and p.role = 'client'),
  payroll as (select coalesce(sum(q.amount), 0) as paid from public.paid_periods q)
  -- M-03: a commission is « paid » from the moment its sale is validated. What is due to the clients is what they earned
  -- less what they were paid; what one of them was paid too much takes nothing off what another is owed.
  select s.validated - s.cancelled, s.revenue, c.commercials, c.clients, s.of_clients + s.of_commercials - c.paid - m.paid,
    s.of_clients + s.of_commercials, s.to_validate, c.pending, c.approved, s.of_clients - c.paid + d.amount + a.amount,
    s.cancelled, c.paid + m.paid, s.to_validate_amount, c.pending_amount, c.approved_amount,
    -- Each the first entry of an index, whatever the number of rows.
    (select w.created_at from public.sales w where w.ready_for_validation and not w.admin_validated order by w.created_at limit 1),
    (select r.created_at from public.payment_requests r where r.status = 'pending' order by r.created_at limit 1),
    (select r.created_at from public.payment_requests r where r.status = 'approved' order by r.created_at limit 1)
  from sales s, company c, debts d, adjusted a, payroll m
  where (select private.user_role()) = 'admin'
$$;

do $$
declare
  name text;
begin
  foreach name in array array['private.forget_paid_periods()', 'private.post_paid_period()', 'private.pay_periods(date, jsonb)'] loop
    execute format('alter function %s owner to parrain_service', name);
  end loop;
end
$$;
grant execute on function private.guard_paid_period(), private.forget_paid_periods(), private.post_paid_period() to parrain_service;
grant execute on function private.pay_periods(date, jsonb) to authenticated, parrain_service;
