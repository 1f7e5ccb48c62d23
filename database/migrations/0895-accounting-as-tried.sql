-- Findings of a trial of the accounting: a repaid debt lowers the DAS2 of its year (AC-10).

-- What a payee paid back in a year was not disposed of by them: it lowers what counts, never below zero, and what is left over is said.
drop function public.das2_payees(integer, uuid);
drop function private.das2_payees(integer, uuid);
create function private.das2_payees(p_year integer, p_payee_id uuid)
returns table (id uuid, full_name text, role text, status text, legal_name text, first_name text, last_name text, street text,
  postal_code text, city text, country text, siren text, siret text, rna text, paid numeric, gift_cards numeric, discounts numeric, counted numeric,
  is_employee boolean, repaid numeric, repaid_left numeric)
language plpgsql stable security definer set search_path = '' rows 1000 as $$
declare
  settings constant jsonb := private.das2_settings_shown();
  since timestamptz;
  before timestamptz;
begin
  if p_year is null or p_year not between 2000 and 2999 then perform private.refuse('invalid_input'); end if;
  since := private.month_start(make_date(p_year, 1, 1));
  before := private.month_start(make_date(p_year + 1, 1, 1));
  return query
  select p.id, p.full_name, p.role, d.status, d.legal_name, d.first_name, d.last_name, d.street, d.postal_code, d.city, d.country, d.siren, d.siret,
    d.rna, s.paid, s.gift_cards, s.discounts, greatest(c.counted - s.repaid, 0), coalesce(d.status = 'salarie', false),
    s.repaid, greatest(s.repaid - c.counted, 0)
  from (
    select m.payee_id, coalesce(sum(m.amount) filter (where not m.is_back), 0) as paid,
      coalesce(sum(m.amount) filter (where m.method = 'cheque_cadeau'), 0) as gift_cards,
      coalesce(sum(m.amount) filter (where m.method = 'remise_societe'), 0) as discounts,
      coalesce(sum(m.amount) filter (where m.is_back), 0) as repaid
    from (
      select r.client_id as payee_id, r.amount + coalesce(r.vat_amount, 0) as amount, r.payment_method as method, false as is_back
      from public.payment_requests r
      where r.status = 'paid' and r.paid_at >= since and r.paid_at < before and (p_payee_id is null or r.client_id = p_payee_id)
      union all
      select q.payee_id, q.amount + coalesce(q.vat_amount, 0), null, false
      from public.paid_periods q
      where q.returned_at is null and q.paid_at >= since and q.paid_at < before and (p_payee_id is null or q.payee_id = p_payee_id)
      union all
      -- One that was taken back as a mistake never came in, whichever year it was taken back in.
      select a.payee_id, a.amount, null, true
      from public.debt_acts a
      where a.kind = 'repayment' and a.annulled_at is null and a.at >= since and a.at < before
        and (p_payee_id is null or a.payee_id = p_payee_id)) m
    group by m.payee_id) s
  cross join lateral (select s.paid - case when (settings ->> 'counts_gift_cards')::boolean then 0 else s.gift_cards end
    - case when (settings ->> 'counts_discounts')::boolean then 0 else s.discounts end as counted) c
  join public.profiles p on p.id = s.payee_id
  left join private.payee_details d on d.payee_id = p.id;
end
$$;
create function public.das2_payees(p_year integer, p_payee_id uuid default null)
returns table (id uuid, full_name text, role text, status text, legal_name text, first_name text, last_name text, street text,
  postal_code text, city text, country text, siren text, siret text, rna text, paid numeric, gift_cards numeric, discounts numeric, counted numeric,
  is_employee boolean, repaid numeric, repaid_left numeric)
language sql stable set search_path = '' rows 1000
as $$ select * from private.das2_payees(p_year, p_payee_id) $$;
alter function private.das2_payees(integer, uuid) owner to parrain_service;
grant execute on function private.das2_payees(integer, uuid), public.das2_payees(integer, uuid) to authenticated;

-- EX-02: an account is of the class that its use needs: a charge in the bank's account is no charge. What a migration copies was set before.
create function private.is_account_of(p_use text, p_number text) returns boolean
language sql immutable set search_path = ''
return p_number ~ case p_use
  when 'charged' then '^6' when 'salary' then '^6'
  when 'client' then '^4' when 'commercial' then '^4' when 'accrued' then '^4' when 'salary_due' then '^4'
  -- Who deducts nothing has the tax in the charge.
  when 'vat' then '^(445|6)' when 'vat_eu' then '^(445|6)' when 'vat_abroad' then '^(445|6)'
  when 'vat_collected' then '^445' when 'vat_eu_due' then '^445' when 'vat_abroad_due' then '^445'
  when 'paid_virement' then '^[45]' when 'paid_association' then '^[45]'
  when 'paid_cheque_cadeau' then '^[3-6]' when 'paid_remise_societe' then '^[467]'
  else '' end;
grant execute on function private.is_account_of(text, text) to parrain_service;

create function private.check_chart_of_uses() returns trigger
language plpgsql set search_path = '' as $$
begin
  if exists (select from jsonb_each(new.accounts) a where not private.is_account_of(a.key, a.value ->> 'number')) then
    raise exception using errcode = 'check_violation', constraint = 'accounting_settings_accounts_are_of_their_use',
      message = 'an account is of the class that its use needs';
  end if;
  return new;
end
$$;
grant execute on function private.check_chart_of_uses() to parrain_service;
create trigger accounting_settings_uses before insert on private.accounting_settings
  for each row when (new.set_by is not null) execute function private.check_chart_of_uses();

-- AC-09: a transfer that was paid alone, in no batch, ends the account as well, once its return says a code of an account.
create function private.ends_account(p_code text) returns boolean
language sql immutable set search_path = ''
return coalesce(p_code in ('AC01', 'AC03', 'AC04', 'AC06', 'AC07', 'AC14', 'AG01', 'BE06', 'MD07'), false);
grant execute on function private.ends_account(text) to authenticated, parrain_service, service_role;

drop trigger payment_batch_lines_close_account on public.payment_batch_lines;
create trigger payment_batch_lines_close_account after update of status on public.payment_batch_lines
  for each row when (new.status in ('rejected', 'returned') and old.status <> new.status and private.ends_account(new.reason_code))
  execute function private.close_refused_account();

create or replace function private.return_payment(p_request_id uuid, p_reason text, p_seen_version integer, p_returned_on date default null)
returns table (request public.payment_requests, already boolean)
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  code constant text := substring(p_reason from '\(([A-Z]{2}[0-9A-Z]{2})\)[\s.]*$');
  r public.payment_requests;
begin
  if coalesce(btrim(p_reason), '') = '' then perform private.refuse('refusal_reason_required'); end if;
  if p_seen_version is null then perform private.refuse('seen_required'); end if;
  select * into r from public.payment_requests t where t.id = p_request_id for update;
  if not found then perform private.refuse('request_not_found'); end if;
  if r.status = 'returned' and p_seen_version = r.version - 1 and r.return_reason = btrim(p_reason) then
    return query select r, true;
    return;
  end if;
  if p_seen_version <> r.version then perform private.refuse('request_changed'); end if;
  if r.status <> 'paid' or r.payment_method <> 'virement' then perform private.refuse('request_illegal_move'); end if;
  update public.payment_batch_lines l set status = 'returned', reason = btrim(p_reason), decided_at = private.now(), reason_code = code
    where l.request_id = r.id and l.status = 'paid';
  if not found and private.ends_account(code) then
    update public.payee_ibans i set usable_from = private.never(), confirmed_at = null, lift_reason = null
      where i.id = r.iban_id and i.usable_from < private.never();
  end if;
  update public.payment_requests t set status = 'returned', returned_at = private.payment_instant(p_returned_on, t.paid_at), return_reason = btrim(p_reason)
    where t.id = r.id returning * into r;
  return query select r, false;
end
$$;

-- LG-06, AC-05: what is due differs from what the commissions leave by what was adjusted (waivers within it), waived and repaid: each is said.
drop function public.due_soon();
create function public.due_soon()
returns table (step text, number bigint, amount numeric, repaid numeric, waived numeric)
language sql stable rows 11 set search_path = '' as $$
  with sales as (
    select coalesce(sum(t.client_commission + t.commercial_commission) filter (where t.state in ('validated', 'correction')), 0) as credited,
      coalesce(sum(t.client_commission + t.commercial_commission)
        filter (where t.state in ('awaiting_final_validation', 'awaiting_admin_validation')), 0) as forecast,
      coalesce(sum(t.sales) filter (where t.state in ('awaiting_final_validation', 'awaiting_admin_validation')), 0)::bigint as awaiting
    from figures.sale_totals t),
  requests as (
    select coalesce(sum(t.number) filter (where t.what = 'requests_pending'), 0)::bigint as pending,
      coalesce(sum(t.amount) filter (where t.what = 'requests_pending'), 0) as pending_amount,
      coalesce(sum(t.number) filter (where t.what = 'requests_approved'), 0)::bigint as approved,
      coalesce(sum(t.amount) filter (where t.what = 'requests_approved'), 0) as approved_amount,
      coalesce(sum(t.amount) filter (where t.what = 'requests_paid'), 0) as paid
    from figures.company_totals t),
  payroll as (select coalesce(sum(q.amount), 0) as paid from public.paid_periods q where q.returned_at is null),
  adjusted as (
    select coalesce(sum(d.amount) filter (where d.kind <> 'repayment'), 0) as amount, coalesce(sum(d.amount) filter (where d.kind = 'repayment'), 0) as repaid,
      coalesce(sum(d.amount) filter (where d.kind = 'waiver'), 0) as waived
    from (
      select 'adjustment' as kind, o.adjustment as amount from public.disputes o
      where o.adjustment is not null and o.adjustment_annulled_at is null
      union all
      select t.kind, t.amount from public.debt_acts t where t.at is not null and t.annulled_at is null) d),
  kept as (
    select coalesce(sum(h.amount) filter (where not h.is_under_check), 0) as held, count(*) filter (where not h.is_under_check) as number,
      coalesce(sum(h.amount) filter (where h.is_under_check), 0) as checked, count(*) filter (where h.is_under_check) as checks
    from public.commission_holds h where h.ended_at is null),
  queued as materialized (
    select l.payee_id, l.month, coalesce(r.amount, l.amount) as amount
    from public.payment_batches b
    join public.payment_batch_lines l on l.batch_id = b.id and l.status = 'queued'
    left join public.payment_requests r on r.id = l.request_id
    where b.status <> 'settled'),
  batches as (
    select count(*) as number, coalesce(sum(q.amount), 0) as amount, count(*) filter (where q.month is null) as requests,
      coalesce(sum(q.amount) filter (where q.month is null), 0) as of_requests
    from queued q),
  -- A month in a batch is due for what its line says.
  commercials as (
    select b.earned - b.reversed - b.held - b.reserved - b.paid as available, q.amount as queued,
      case when q.amount is null then y.due end as due
    from public.profiles p
    join public.balances b on b.profile_id = p.id
    left join public.months_to_pay y on y.payee_id = p.id
    left join queued q on q.payee_id = p.id and q.month is not null
    where p.role = 'commercial'),
  of_commercials as (
    select coalesce(sum(c.available), 0) as available, count(c.due) as months, coalesce(sum(c.due), 0) as due,
      coalesce(sum(c.available - coalesce(c.due, 0) - coalesce(c.queued, 0))
        filter (where c.available >= 0 or c.due is not null or c.queued is not null), 0) as open_month,
      count(*) filter (where c.available < 0 and c.due is null and c.queued is null) as overpaid,
      coalesce(sum(c.available) filter (where c.available < 0 and c.due is null and c.queued is null), 0) as overpaid_amount
    from commercials c),
  below_zero as (
    select count(*) as number, coalesce(sum(b.earned - b.reversed - b.held - b.reserved - b.paid), 0) as amount
    from public.balances b join public.profiles p on p.id = b.profile_id
    where b.earned - b.reversed - b.held - b.reserved - b.paid < 0 and p.role = 'client')
  select k.step, k.number, k.amount, case k.step when 'adjusted' then a.repaid end, case k.step when 'adjusted' then a.waived end
  from sales s, requests r, payroll m, adjusted a, kept h, batches q, of_commercials c, below_zero z,
    lateral (values
      ('to_pay', r.approved - q.requests, r.approved_amount - q.of_requests),
      ('to_decide', r.pending, r.pending_amount),
      ('in_batch', q.number, q.amount),
      ('months_due', c.months, c.due),
      ('available', null, s.credited - r.paid - m.paid + a.amount + a.repaid - r.pending_amount - r.approved_amount - h.held - h.checked
        - c.available - z.amount),
      ('month_open', null, c.open_month),
      ('held', h.number, h.held),
      ('checked', h.checks, h.checked),
      ('overpaid', z.number + c.overpaid, z.amount + c.overpaid_amount),
      ('adjusted', null, a.amount),
      ('forecast', s.awaiting, s.forecast)) k (step, number, amount)
  where (select private.user_role()) = 'admin'
$$;
grant execute on function public.due_soon() to authenticated;

create or replace view public.payee_accounts with (security_invoker = true) as
 SELECT p.id,
    p.full_name,
    p.role,
    (((b.earned - COALESCE(a.given, (0)::numeric)) - COALESCE(a.repaid, (0)::numeric)))::numeric(14,2) AS earned,
    (((b.reversed - COALESCE(a.taken, (0)::numeric)) - COALESCE(a.given_back, (0)::numeric)))::numeric(14,2) AS reversed,
    b.reserved,
    b.paid,
    (((((b.earned - b.reversed) - b.held) - b.reserved) - b.paid))::numeric(14,2) AS available,
    b.held,
    ((COALESCE(a.given, (0)::numeric) - COALESCE(a.taken, (0)::numeric)))::numeric(14,2) AS adjusted,
    (( SELECT COALESCE(sum(
                CASE e.act
                    WHEN 'vat'::text THEN e.amount
                    ELSE (- e.amount)
                END), (0)::numeric) AS "coalesce"
           FROM public.ledger_entries e
          WHERE ((e.payee_id = p.id) AND (e.act = ANY (ARRAY['vat'::text, 'vat_return'::text])))))::numeric(14,2) AS vat_paid,
    b.repaid,
    coalesce(a.waived, 0::numeric)::numeric(14,2) AS waived
   FROM ((public.balances b
     JOIN public.profiles p ON ((p.id = b.profile_id)))
     LEFT JOIN ( SELECT d.payee_id,
            sum(e.amount) FILTER (WHERE (e.debit = 'adjusted'::text)) AS given,
            sum(e.amount) FILTER (WHERE (e.credit = 'adjusted'::text)) AS taken,
            sum(e.amount) FILTER (WHERE (e.debit = 'repaid'::text)) AS repaid,
            sum(e.amount) FILTER (WHERE (e.credit = 'repaid'::text)) AS given_back,
            sum(CASE e.act WHEN 'waiver'::text THEN e.amount WHEN 'waiver_annulment'::text THEN (- e.amount) END) AS waived
           FROM (( SELECT o.id,
                    o.payee_id
                   FROM public.disputes o
                  WHERE (o.adjustment IS NOT NULL)
                UNION ALL
                 SELECT t.id,
                    t.payee_id
                   FROM public.debt_acts t
                  WHERE (t.at IS NOT NULL)) d
             JOIN public.ledger_entries e ON (((e.source_id = d.id) AND (e.act = ANY (ARRAY['adjustment'::text, 'deduction'::text, 'repayment'::text, 'repayment_annulment'::text, 'waiver'::text, 'waiver_annulment'::text])))))
          GROUP BY d.payee_id) a ON ((a.payee_id = p.id)));

-- AC-02: where tax is posted, the journal hangs on the company's VAT number: whether there is one is said before a month is closed for good.
create or replace function private.close_accounting_months(p_until date)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $$
declare
  me uuid := private.require_role('admin');
  before_ constant date := (p_until + interval '1 month')::date;
  last private.accounting_months;
  from_ date;
  closed integer;
begin
  if extract(day from p_until) <> 1 or p_until >= private.month_of(private.now()) then perform private.refuse('accounting_month_not_over'); end if;
  lock table private.accounting_settings, private.accounting_months, public.ledger_entries in share row exclusive mode;
  select * into last from private.accounting_months m order by m.month desc limit 1;
  from_ := coalesce((last.month + interval '1 month')::date, (select private.month_of(min(e.at)) from public.ledger_entries e), p_until);
  if not exists (select from private.paper_settings) and exists (
      select from public.ledger_entries e
      where e.at >= private.month_start(from_) and e.at < private.month_start(before_)
        and (e.act in ('vat', 'vat_return') or e.act = 'settlement' and e.detail = 'remise_societe'
          and (select s.accounts #>> '{paid_remise_societe,number}' from private.accounting_settings s order by s.id desc limit 1) like '709%')) then
    perform private.refuse('accounting_vat_unknown');
  end if;
  with lines as materialized (select o.* from private.open_entries(before_) o),
  months as (
    insert into private.accounting_months (month, settings_id, last_number, transfers, closed_at, closed_by)
    select k.month::date, (select max(s.id) from private.accounting_settings s),
      coalesce((select max(l.number) from lines l where l.at < private.month_start((k.month + interval '1 month')::date)), last.last_number, 0),
      (select count(*) from public.ledger_entries e
        where e.at < private.month_start((k.month + interval '1 month')::date) and private.is_accounted(e.debit, e.credit)),
      private.now(), me
    from generate_series(from_::timestamp, p_until::timestamp, interval '1 month') k (month)
    returning month),
  kept as (
    insert into private.accounting_entries (number, place, month, at, use, payee_id, account_number, account_label, auxiliary_code, auxiliary_name,
      piece, piece_at, label, debit, credit, lettering, lettered_at)
    select l.number, l.place, private.month_of(l.at), l.at, l.use, l.payee_id, l.account_number, l.account_label, l.auxiliary_code, l.auxiliary_name,
      l.piece, l.piece_at, l.label, l.debit, l.credit, l.lettering, l.lettered_at from lines l)
  select count(*) into closed from months;
  if closed > 0 then
    perform private.append_audit('company_settings', '00000000-0000-0000-0000-000000000001', 'update', null,
      jsonb_build_object('accounting_closed', to_char(p_until, 'YYYY-MM')), null);
  end if;
  return closed;
end
$$;
