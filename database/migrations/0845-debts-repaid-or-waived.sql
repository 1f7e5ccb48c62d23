-- AC-05: what a payee owes (an available balance below zero) is repaid, or waived with a reason; an admin may start an adjustment.
-- Decision 0097. Above the company's amount a waiver waits for another admin, and so does an adjustment that an admin starts for a payee.

create table public.debt_acts (
  id uuid primary key default gen_random_uuid(),
  payee_id uuid not null references public.profiles (id) on delete restrict,
  kind text not null,
  amount numeric(12, 2) not null,
  -- The debt that it was decided on: what is left is the difference.
  debt_before numeric(12, 2) not null,
  -- Its place in the ledger: the repayment's own day, the instant of the waiver. None while a waiver waits for another admin.
  at timestamptz,
  method text,
  reference text,
  reason text,
  created_at timestamptz not null default private.now(),
  decided_by uuid not null references public.profiles (id) on delete restrict,
  confirmed_by uuid references public.profiles (id) on delete restrict,
  given_up_at timestamptz,
  given_up_by uuid references public.profiles (id) on delete restrict,
  annulled_at timestamptz,
  annulled_by uuid references public.profiles (id) on delete restrict,
  annulled_reason text,
  is_test boolean not null,
  constraint debt_acts_kind_is_known check (kind = any ('{repayment,waiver}')),
  constraint debt_acts_are_of_a_debt check (amount > 0 and amount <= debt_before),
  constraint debt_acts_repayment_has_its_means check ((kind = 'repayment') = (method is not null)),
  constraint debt_acts_method_is_known check (method = any ('{virement,cheque,especes,autre}')),
  constraint debt_acts_reference_is_of_a_repayment check (reference is null or kind = 'repayment'),
  constraint debt_acts_reference_is_a_line check (private.is_line(reference, 140)),
  constraint debt_acts_waiver_has_a_reason check ((kind = 'waiver') = (reason is not null)),
  constraint debt_acts_reason_is_a_text check (private.is_text(reason, 500) and btrim(reason) <> ''),
  constraint debt_acts_only_waivers_wait check (at is not null or kind = 'waiver'),
  constraint debt_acts_confirmed_by_another check (confirmed_by is null or kind = 'waiver' and at is not null and confirmed_by <> decided_by),
  constraint debt_acts_given_up_never_stood check ((given_up_at is null) = (given_up_by is null) and (given_up_at is null or at is null)),
  constraint debt_acts_annulment_is_whole check (num_nonnulls(annulled_at, annulled_by, annulled_reason) in (0, 3)),
  constraint debt_acts_annulled_stood check (annulled_at is null or at is not null),
  constraint debt_acts_annulled_reason_is_a_text check (private.is_text(annulled_reason, 500) and btrim(annulled_reason) <> '')
);
create index debt_acts_by_payee on public.debt_acts (payee_id, created_at desc);
create unique index debt_acts_one_waits on public.debt_acts (payee_id) where at is null and given_up_at is null;
create index debt_acts_by_decider on public.debt_acts (decided_by);
create index debt_acts_by_confirmer on public.debt_acts (confirmed_by) where confirmed_by is not null;
create index debt_acts_by_leaver on public.debt_acts (given_up_by) where given_up_by is not null;
create index debt_acts_by_annuller on public.debt_acts (annulled_by) where annulled_by is not null;

alter table public.debt_acts enable row level security;
alter table public.debt_acts force row level security;
grant select, insert, update, delete on public.debt_acts to parrain_service;
grant select on public.debt_acts to authenticated, service_role;
create policy debt_acts_service_all on public.debt_acts to parrain_service using (true) with check (true);
create policy debt_acts_secret_read on public.debt_acts for select to service_role using (true);
-- A payee reads what was done on their account, not what waits or was given up.
create policy debt_acts_authenticated_read on public.debt_acts for select to authenticated using (
  (select private.user_role()) in ('admin', 'comptable') or payee_id = (select private.uid()) and at is not null);

-- An adjustment that an admin starts is a thread of no line, which its payee reads once it is closed.
alter table public.disputes alter column entry_id drop not null, alter column source_id drop not null,
  alter column act drop not null, alter column line drop not null,
  add column opened_by uuid references public.profiles (id) on delete restrict,
  add column proposed numeric(12, 2),
  add constraint disputes_are_of_a_line_or_the_companys check (
    num_nonnulls(entry_id, source_id, act, line) = case when opened_by is null then 4 else 0 end and (opened_by is null) = (proposed is null)),
  add constraint disputes_proposed_is_sensible check (proposed <> 0 and abs(proposed) <= 10000);
create index disputes_by_opener on public.disputes (opened_by) where opened_by is not null;
grant delete on public.disputes to parrain_service;
alter policy disputes_authenticated_read on public.disputes using (
  (select private.user_role()) = 'admin' or payee_id = (select private.uid()) and (opened_by is null or closed_at is not null));

create or replace function private.guard_dispute() returns trigger
language plpgsql set search_path = '' as $$
begin
  if tg_op = 'UPDATE' and new.version = old.version + 1
    and (new.id, new.payee_id, new.entry_id, new.source_id, new.act, new.line, new.created_at, new.is_test, new.opened_by, new.proposed)
      is not distinct from
      (old.id, old.payee_id, old.entry_id, old.source_id, old.act, old.line, old.created_at, old.is_test, old.opened_by, old.proposed)
    and (old.closed_at is null and new.adjustment_annulled_at is null
      or (new.closed_at, new.closed_by, new.adjustment) = (old.closed_at, old.closed_by, old.adjustment)
        and old.adjustment_annulled_at is null and new.adjustment_annulled_at is not null) then
    return new;
  end if;
  if tg_op = 'DELETE' and private.is_cleaning() and old.is_test then return old; end if;
  perform private.refuse('forbidden');
end
$$;

-- What one person repaid, less what was annulled of it. `earned` counts what comes in, `reversed` its annulment, as with adjustments, so
-- that every formula of what is available stays; this is what of it was no commission.
alter table public.balances add column repaid numeric(14, 2) not null default 0;

alter table public.ledger_entries drop constraint ledger_entries_transfer_is_known,
  drop constraint ledger_entries_detail_is_of_its_account,
  add constraint ledger_entries_transfer_is_known check (act || ' ' || debit || ' ' || credit = any ('{
    validation charged available,
    validation charged held,
    release held available,
    correction available charged,
    correction held charged,
    adjustment adjusted available,
    deduction available adjusted,
    repayment repaid available,
    repayment_annulment available repaid,
    waiver adjusted available,
    waiver_annulment available adjusted,
    request available reserved,
    refusal reserved available,
    settlement reserved paid,
    return paid available,
    payroll available paid,
    vat vat vat_paid,
    vat_return vat_paid vat}')) not valid,
  add constraint ledger_entries_detail_is_of_its_account check (coalesce(act || ' ' || detail, act) = any ('{
    validation client, validation commercial,
    correction client, correction commercial,
    release, adjustment, deduction, repayment, repayment_annulment, waiver, waiver_annulment, request, refusal,
    settlement virement, settlement cheque_cadeau, settlement association, settlement remise_societe,
    return virement,
    payroll virement, payroll paie,
    vat virement, vat paie,
    vat_return virement, vat_return paie}')) not valid;

create or replace view figures.recounted_balances with (security_invoker = true) as
  select e.payee_id as profile_id,
    coalesce(sum(e.amount) filter (where e.debit in ('charged', 'adjusted', 'repaid')), 0) as earned,
    coalesce(sum(e.amount) filter (where e.credit in ('charged', 'adjusted', 'repaid')), 0) as reversed,
    coalesce(sum(case when e.credit = 'reserved' then e.amount when e.debit = 'reserved' then -e.amount end), 0) as reserved,
    coalesce(sum(case when e.credit = 'paid' then e.amount when e.debit = 'paid' then -e.amount end), 0) as paid,
    coalesce(sum(case when e.credit = 'held' then e.amount when e.debit = 'held' then -e.amount end), 0) as held,
    coalesce(sum(case when e.debit = 'repaid' then e.amount when e.credit = 'repaid' then -e.amount end), 0) as repaid
  from public.ledger_entries e group by e.payee_id;

create or replace function private.post_to_balances() returns trigger
language plpgsql security definer set search_path = '' set enable_seqscan = off as $$
declare
  told integer;
begin
  update public.balances b set earned = b.earned + d.earned, reversed = b.reversed + d.reversed,
      reserved = b.reserved + d.reserved, paid = b.paid + d.paid, held = b.held + d.held,
      repaid = b.repaid + d.repaid
  from (
    select n.payee_id,
      coalesce(sum(n.amount) filter (where n.debit in ('charged', 'adjusted', 'repaid')), 0) as earned,
      coalesce(sum(n.amount) filter (where n.credit in ('charged', 'adjusted', 'repaid')), 0) as reversed,
      coalesce(sum(case when n.credit = 'reserved' then n.amount when n.debit = 'reserved' then -n.amount end), 0) as reserved,
      coalesce(sum(case when n.credit = 'paid' then n.amount when n.debit = 'paid' then -n.amount end), 0) as paid,
      coalesce(sum(case when n.credit = 'held' then n.amount when n.debit = 'held' then -n.amount end), 0) as held,
      coalesce(sum(case when n.debit = 'repaid' then n.amount when n.credit = 'repaid' then -n.amount end), 0) as repaid
    from new_rows n group by n.payee_id) d
  where b.profile_id = d.payee_id;
  get diagnostics told = row_count;
  if told < (select count(distinct n.payee_id) from new_rows n) then
    raise exception 'A transfer was posted for somebody who has no balance';
  end if;
  return null;
end
$$;

create or replace function private.clean_test_data(p_company_name text)
 RETURNS TABLE(deleted jsonb, password_change_required boolean)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
  session_id constant uuid := (current_setting('request.jwt.claims')::jsonb ->> 'session_id')::uuid;
  counted jsonb;
  held jsonb;
  payees uuid[];
  admins uuid[];
begin
  if not private.is_session_fresh() then perform private.refuse('reauthentication_required'); end if;
  if p_company_name is not null and not exists (select from public.company_settings c
      where lower(regexp_replace(btrim(c.company_name), '\s+', ' ', 'g') collate "pg_c_utf8")
        = lower(regexp_replace(btrim(p_company_name), '\s+', ' ', 'g') collate "pg_c_utf8")) then
    perform private.refuse('confirmation_required');
  end if;
  perform private.exclude_writers();
  select jsonb_agg(h order by h.kind) into held from private.what_holds_test_data() h;
  if held is not null then perform private.refuse('cleaning_held', jsonb_build_object('held_by', held)); end if;

  perform set_config('app.cleaning', 'on', true);
  select to_jsonb(c) into counted from private.count_test_data() c;
  payees := array(select distinct e.payee_id from public.ledger_entries e where e.is_test);
  delete from public.ledger_entries t where t.is_test;
  delete from public.commission_holds t where t.is_test;
  delete from public.payment_requests t where t.is_test;
  delete from public.commission_payments t where t.is_test;
  delete from public.sales t where t.is_test and t.corrects_sale_id is not null;
  delete from public.sales t where t.is_test;
  update public.commission_rates t set replaces_id = null
    where t.replaces_id in (select r.id from public.commission_rates r where r.is_test);
  delete from public.commission_rates t where t.is_test;
  delete from auth.users u using public.profiles p where p.id = u.id and p.is_test and p.role = 'client';
  delete from auth.users u using public.profiles p where p.id = u.id and p.is_test and p.role in ('commercial', 'comptable');

  -- A real commercial may have earned on test sales: what they keep is what is left in the ledger.
  delete from public.balances b where b.profile_id = any (payees)
    and not exists (select from public.ledger_entries e where e.payee_id = b.profile_id);
  update public.balances b set (earned, reversed, reserved, paid, held, repaid) =
      (select r.earned, r.reversed, r.reserved, r.paid, r.held, r.repaid from figures.recounted_balances r where r.profile_id = b.profile_id)
    where b.profile_id = any (payees);

  admins := array(select p.id from public.profiles p where p.is_test);
  update public.profiles p set is_test = false where p.id = any (admins);
  update auth.users u set encrypted_password = null, temporary_password_until = null, password_change_required = true,
      phone = null, new_email = null, new_phone = null, updated_at = now()
    where u.id = any (admins);
  delete from auth.sessions s where s.user_id = any (admins) and s.id <> session_id;
  delete from auth.one_time_tokens t where t.user_id = any (admins);
  delete from auth.webauthn_credentials c where c.user_id = any (admins) and c.factor_id is null;
  delete from auth.identities i where i.user_id = any (admins) and i.provider <> 'email';

  perform private.append_audit('company_settings', '00000000-0000-0000-0000-000000000001', 'clean', counted, null, null);
  return query select counted, me = any (admins);
end
$function$;

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
  from public.paid_periods q where q.returned_at is not null and q.vat_amount > 0
  union all
  select t.id, t.kind || k.suffix, 1, t.payee_id, case when k.suffix <> '' then 'available' when t.kind = 'repayment' then 'repaid' else 'adjusted' end,
    case when k.suffix = '' then 'available' when t.kind = 'repayment' then 'repaid' else 'adjusted' end, t.amount, null, t.is_test, k.at
  from public.debt_acts t cross join lateral (values ('', t.at), ('_annulment', t.annulled_at)) k (suffix, at) where k.at is not null;

create or replace view public.account_lines with (security_invoker = true) as
  select l.source_id, l.id as entry_id, l.at, l.payee_id, l.act, l.debit, l.credit, l.amount, l.detail, l.change, l.available,
    (select c.sale_id from public.commission_payments c where c.id = l.source_id) as sale_id,
    (select s.referred_contact_name from public.commission_payments c join public.sales s on s.id = c.sale_id
      where c.id = l.source_id) as contact_name,
    (select r.payment_method from public.payment_requests r where r.id = l.source_id) as payment_method,
    (select r.status from public.payment_requests r where r.id = l.source_id) as request_status,
    case l.act
      when 'correction' then (select s.correction_reason from public.commission_payments c join public.sales s on s.id = c.sale_id
        where c.id = l.source_id)
      when 'refusal' then (select r.rejection_reason from public.payment_requests r where r.id = l.source_id)
      when 'return' then coalesce(
        (select r.return_reason from public.payment_requests r where r.id = l.source_id),
        (select q.return_reason from public.paid_periods q where q.id = l.source_id))
      when 'repayment' then (select t.reference from public.debt_acts t where t.id = l.source_id)
      when 'waiver' then (select t.reason from public.debt_acts t where t.id = l.source_id)
      when 'repayment_annulment' then (select t.annulled_reason from public.debt_acts t where t.id = l.source_id)
      when 'waiver_annulment' then (select t.annulled_reason from public.debt_acts t where t.id = l.source_id)
      else (select m.body from public.disputes d join public.dispute_messages m on m.dispute_id = d.id
        and m.created_at = case when (l.act = 'adjustment') = (d.adjustment > 0) then d.closed_at else d.adjustment_annulled_at end
        where d.id = l.source_id and l.act in ('adjustment', 'deduction') limit 1) end as reason,
    case l.act when 'repayment' then (select t.method from public.debt_acts t where t.id = l.source_id) end as repayment_method
  from (
    select e.id, e.at, e.payee_id, e.act, e.debit, e.credit, e.amount, e.detail, e.source_id, k.change,
      (sum(k.change) over (partition by e.payee_id order by e.id))::numeric(14, 2) as available
    from public.ledger_entries e
    cross join lateral (select (case when e.credit = 'available' then e.amount when e.debit = 'available' then -e.amount else 0 end)
      ::numeric(12, 2) as change) k) l;

create or replace view public.payee_accounts with (security_invoker = true) as
  select p.id, p.full_name, p.role, (b.earned - coalesce(a.given, 0) - coalesce(a.repaid, 0))::numeric(14, 2) as earned,
    (b.reversed - coalesce(a.taken, 0) - coalesce(a.given_back, 0))::numeric(14, 2) as reversed, b.reserved, b.paid,
    (b.earned - b.reversed - b.held - b.reserved - b.paid)::numeric(14, 2) as available, b.held,
    (coalesce(a.given, 0) - coalesce(a.taken, 0))::numeric(14, 2) as adjusted,
    (select coalesce(sum(case e.act when 'vat' then e.amount else -e.amount end), 0) from public.ledger_entries e
      where e.payee_id = p.id and e.act in ('vat', 'vat_return'))::numeric(14, 2) as vat_paid,
    b.repaid
  from public.balances b
  join public.profiles p on p.id = b.profile_id
  left join (
    select d.payee_id, sum(e.amount) filter (where e.debit = 'adjusted') as given, sum(e.amount) filter (where e.credit = 'adjusted') as taken,
      sum(e.amount) filter (where e.debit = 'repaid') as repaid, sum(e.amount) filter (where e.credit = 'repaid') as given_back
    from (
      select o.id, o.payee_id from public.disputes o where o.adjustment is not null
      union all
      select t.id, t.payee_id from public.debt_acts t where t.at is not null) d
    join public.ledger_entries e on e.source_id = d.id
      and e.act in ('adjustment', 'deduction', 'repayment', 'repayment_annulment', 'waiver', 'waiver_annulment')
    group by d.payee_id) a on a.payee_id = p.id;

-- Money that somebody paid back was not earned.
create or replace view public.client_summaries with (security_invoker = true) as
  select p.id, p.full_name, p.email, p.phone, p.company, p.notes, p.commercial_id, p.created_at, p.is_test,
    t.total_referrals, t.signed_contracts, t.revenue_generated, p.deactivated_at,
    case when (select private.user_role()) = 'admin'
      then coalesce((select b.earned - b.reversed - b.repaid from public.balances b where b.profile_id = p.id), 0)::numeric(14, 2) end as earned
  from public.profiles p
  left join lateral (
    select coalesce(sum(t.referrals), 0)::bigint as total_referrals,
      coalesce(sum(t.signed_contracts), 0)::bigint as signed_contracts,
      coalesce(sum(t.revenue), 0)::numeric(14, 2) as revenue_generated
    from figures.referrer_totals t where t.referrer_id = p.id) t on true
  where p.role = 'client';

create or replace view public.client_rankings with (security_invoker = true) as
  select p.id, p.full_name, p.email, p.phone, p.company, p.notes, p.commercial_id, p.created_at, p.is_test,
    coalesce(t.total_referrals, 0) as total_referrals, coalesce(t.signed_contracts, 0) as signed_contracts,
    coalesce(t.revenue_generated, 0)::numeric(14, 2) as revenue_generated, p.deactivated_at,
    case when (select private.user_role()) = 'admin' then coalesce(b.earned - b.reversed - b.repaid, 0)::numeric(14, 2) end as earned
  from public.profiles p
  left join (
    select t.referrer_id, sum(t.referrals)::bigint as total_referrals, sum(t.signed_contracts)::bigint as signed_contracts,
      sum(t.revenue) as revenue_generated
    from figures.referrer_totals t group by t.referrer_id) t on t.referrer_id = p.id
  left join public.balances b on b.profile_id = p.id
  where p.role = 'client';

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
  -- What adjustments gave and took of what is due to clients (LG-06), and what of their debts was repaid or waived (AC-05).
  adjusted as (
    select coalesce(sum(d.amount), 0) as amount
    from (
      select o.payee_id, o.adjustment as amount from public.disputes o where o.adjustment is not null and o.adjustment_annulled_at is null
      union all
      select t.payee_id, t.amount from public.debt_acts t where t.at is not null and t.annulled_at is null) d
    join public.profiles p on p.id = d.payee_id where p.role = 'client'),
  payroll as (select coalesce(sum(q.amount), 0) as paid from public.paid_periods q where q.returned_at is null)
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

create or replace function public.due_soon() returns table (step text, number bigint, amount numeric)
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
    select coalesce(sum(d.amount) filter (where d.kind <> 'repayment'), 0) as amount, coalesce(sum(d.amount) filter (where d.kind = 'repayment'), 0) as repaid
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
  select k.step, k.number, k.amount
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

drop function public.client_figures();
create function public.client_figures()
returns table (friends_invited bigint, signed_contracts bigint, total_commissions numeric, validated_commissions numeric,
  pending_commissions numeric, available numeric, debt numeric, requests_in_progress numeric, requests_in_progress_count bigint,
  payments_received numeric, sales_generated numeric, forecast_commission numeric, contracts_to_validate bigint,
  sales_to_validate_amount numeric, held numeric, adjusted numeric, repaid numeric)
language sql stable set search_path = '' rows 1 as $$
  with mine as (
    select count(*) filter (where s.corrects_sale_id is null) as invited,
      count(*) filter (where s.status = 'validated' and s.corrects_sale_id is null) - count(*) filter (where s.corrects_sale_id is not null and s.contract_left is null) as signed,
      coalesce(sum(s.client_commission_amount) filter (where s.status = 'validated' and not s.admin_validated), 0) as pending,
      coalesce(sum(s.contract_amount) filter (where s.status = 'validated'), 0) as revenue,
      count(*) filter (where s.status = 'validated' and not s.admin_validated) as to_validate,
      coalesce(sum(s.contract_amount) filter (where s.status = 'validated' and not s.admin_validated), 0) as to_validate_amount
    from public.sales s where s.friend_referrer_id = (select private.uid())),
  earned as (
    select coalesce(sum(p.amount), 0) as total from public.commission_payments p
    where p.recipient_id = (select private.uid()) and p.type = 'client'),
  -- What is kept for some days yet (LG-03), or for a check (FD-01); what has come to its end is available, posted or not.
  kept as (
    select coalesce(sum(h.amount), 0) as held from public.commission_holds h
    where h.payee_id = (select private.uid()) and h.ended_at is null and (h.until > private.now() or h.is_under_check)),
  debt_acts as (
    select coalesce(sum(t.amount) filter (where t.kind = 'waiver'), 0) as waived, coalesce(sum(t.amount) filter (where t.kind = 'repayment'), 0) as repaid
    from public.debt_acts t where t.payee_id = (select private.uid()) and t.at is not null and t.annulled_at is null),
  balance as (
    select coalesce(sum(b.earned - b.reversed), 0) as earned, coalesce(sum(b.reserved), 0) as reserved, coalesce(sum(b.paid), 0) as paid
    from public.balances b where b.profile_id = (select private.uid()))
  select m.invited, m.signed, e.total + m.pending, e.total, m.pending, greatest(b.earned - k.held - b.reserved - b.paid, 0),
    greatest(b.paid + k.held - b.earned, 0), b.reserved,
    (select count(*) from public.payment_requests r where r.client_id = (select private.uid()) and r.status in ('pending', 'approved')),
    b.paid, m.revenue, private.fixed_client_commission(), m.to_validate, m.to_validate_amount, k.held,
    (select coalesce(sum(d.adjustment), 0) from public.disputes d
      where d.payee_id = (select private.uid()) and d.adjustment is not null and d.adjustment_annulled_at is null) + w.waived, w.repaid
  from mine m, earned e, balance b, kept k, debt_acts w
  where (select private.uid()) is not null
$$;
grant execute on function public.client_figures() to authenticated;

-- A repayment, a waiver and their annulment are one transfer each, and never of more than what is owed, whoever writes.
create function private.post_debt_act() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  is_undone constant boolean := new.annulled_at is not null;
  account constant text := case new.kind when 'repayment' then 'repaid' else 'adjusted' end;
  debt numeric;
begin
  perform private.lock_balances(array[new.payee_id]);
  select -(b.earned - b.reversed - b.held - b.reserved - b.paid) into debt from public.balances b where b.profile_id = new.payee_id;
  if not is_undone and new.amount > debt then
    perform private.refuse('debt_changed', jsonb_build_object('debt', greatest(debt, 0)::text));
  end if;
  insert into public.ledger_entries (at, act, source_id, payee_id, debit, credit, amount, actor_id, is_test)
  values (coalesce(new.annulled_at, new.at), new.kind || case when is_undone then '_annulment' else '' end, new.id, new.payee_id,
    case when is_undone then 'available' else account end, case when is_undone then account else 'available' end, new.amount,
    private.uid(), new.is_test);
  return null;
end
$$;
create trigger debt_acts_post after insert on public.debt_acts for each row when (new.at is not null) execute function private.post_debt_act();
create trigger debt_acts_post_later after update on public.debt_acts
  for each row when (new.at is distinct from old.at or new.annulled_at is distinct from old.annulled_at) execute function private.post_debt_act();

-- What one admin gives a payee alone, by waivers and by adjustments of their own, is within the company's amount over twelve months.
create function private.exceeds_one_admin(p_payee_id uuid, p_amount numeric) returns boolean
language sql stable security definer set search_path = ''
return p_amount > 0 and p_amount
  + coalesce((select sum(t.amount) from public.debt_acts t where t.payee_id = p_payee_id and t.kind = 'waiver' and t.at is not null
      and t.confirmed_by is null and t.annulled_at is null and t.at > private.now() - interval '1 year'), 0)
  + coalesce((select sum(d.adjustment) from public.disputes d where d.payee_id = p_payee_id and d.opened_by = d.closed_by and d.adjustment > 0
      and d.adjustment_annulled_at is null and d.closed_at > private.now() - interval '1 year'), 0)
  > (select c.release_above from public.company_settings c);

-- Decided once: what waits comes into force or is given up, what is in force is annulled.
create function private.guard_debt_act() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'INSERT' then
    if new.kind = 'waiver' and new.at is not null and new.confirmed_by is null and private.exceeds_one_admin(new.payee_id, new.amount) then
      perform private.refuse('second_admin_to_confirm');
    end if;
    if new.annulled_at is null and new.given_up_at is null then return new; end if;
  end if;
  if tg_op = 'UPDATE'
    and (new.id, new.payee_id, new.kind, new.amount, new.method, new.reference, new.reason, new.created_at, new.decided_by, new.is_test)
      is not distinct from
      (old.id, old.payee_id, old.kind, old.amount, old.method, old.reference, old.reason, old.created_at, old.decided_by, old.is_test)
    and (old.at is null and old.given_up_at is null and new.annulled_at is null and num_nonnulls(new.confirmed_by, new.given_up_at) = 1
      or old.at is not null and old.annulled_at is null and new.annulled_at is not null
        and (new.at, new.debt_before, new.confirmed_by) is not distinct from (old.at, old.debt_before, old.confirmed_by)) then
    return new;
  end if;
  if tg_op = 'DELETE' and private.is_cleaning() and old.is_test then return old; end if;
  perform private.refuse('forbidden');
end
$$;
create trigger debt_acts_guard before insert or update or delete on public.debt_acts for each row execute function private.guard_debt_act();

-- A cleaning of test data takes acts and threads away with the ledger: those that never came into it too.
create function private.forget_debt_acts() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  delete from public.debt_acts t where t.is_test;
  delete from public.disputes d where d.is_test and d.opened_by is not null;
  return null;
end
$$;
create trigger ledger_entries_forget_debt_acts after delete on public.ledger_entries for each statement execute function private.forget_debt_acts();

alter table public.notices add column debt_act_id uuid references public.debt_acts (id) on delete cascade;
create index notices_by_debt_act on public.notices (debt_act_id) where debt_act_id is not null;
do $$
declare
  one_thing text;
  kinds text[];
begin
  select pg_get_constraintdef(c.oid) into one_thing from pg_constraint c
    where c.conname = 'notices_are_about_one_thing' and c.conrelid = 'public.notices'::regclass;
  alter table public.notices drop constraint notices_are_about_one_thing;
  execute 'alter table public.notices add constraint notices_are_about_one_thing '
    || replace(one_thing, 'num_nonnulls(', 'num_nonnulls(debt_act_id, ') || ' not valid';
  select array_agg(m.found[1] order by m.place) || '{debt_repaid,debt_waived,debt_act_annulled,waiver_to_confirm,account_adjusted,adjustment_to_confirm}'
    into kinds
    from pg_constraint c, regexp_matches(pg_get_constraintdef(c.oid), '[{,('']([a-z_]+)(?=[},''])', 'g')
      with ordinality m (found, place)
    where c.conname = 'notices_kind_is_known' and c.conrelid = 'public.notices'::regclass;
  alter table public.notices drop constraint notices_kind_is_known;
  execute format('alter table public.notices add constraint notices_kind_is_known check (kind = any (%L)) not valid', kinds);
end
$$;

create function private.tell_of_debt_act(p_kind text, p_act public.debt_acts) returns void
language plpgsql security definer set search_path = '' as $$
begin
  with written as (
    insert into public.notices (recipient_id, kind, debt_act_id)
    select p.id, p_kind, p_act.id from public.profiles p
    where p.id = any (case p_kind when 'waiver_to_confirm' then private.active_admins() else array[p_act.payee_id] end)
      and p.id <> private.uid() and p.deactivated_at is null
    order by p.id
    returning id)
  insert into private.notice_mails (notice_id) select w.id from written w;
end
$$;

-- A payee's account, locked, with what has come to its end; test where a transfer of theirs is.
create function private.lock_account(p_payee_id uuid, out available numeric, out is_test boolean)
language plpgsql security definer set search_path = '' as $$
begin
  -- A cleaning of test data holds balances before all else.
  lock table public.balances in row exclusive mode;
  select p.is_test into is_test from public.profiles p where p.id = p_payee_id and p.role in ('client', 'commercial') for share;
  if not found then perform private.refuse('payee_unknown'); end if;
  perform private.release_holds(p_payee_id, 1000);
  perform private.lock_balances(array[p_payee_id]);
  select b.earned - b.reversed - b.held - b.reserved - b.paid into available from public.balances b where b.profile_id = p_payee_id;
  is_test := is_test or exists (select from public.ledger_entries e where e.payee_id = p_payee_id and e.is_test);
end
$$;

-- AC-05: a debt is repaid, or waived with a reason; the debt is the one that was on screen. Sent again it is the same act.
create function private.settle_debt(p_payee_id uuid, p_kind text, p_amount numeric, p_seen_debt numeric, p_paid_on date default null,
  p_method text default null, p_reference text default null, p_reason text default null)
returns table (act public.debt_acts, already boolean)
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  why constant text := nullif(btrim(p_reason), '');
  account record;
  debt numeric;
  last_ public.debt_acts;
  waits boolean;
begin
  if p_kind is null or p_kind not in ('repayment', 'waiver') then perform private.refuse('decision_required'); end if;
  if p_kind = 'waiver' and why is null then perform private.refuse('message_required'); end if;
  if p_seen_debt is null then perform private.refuse('seen_required'); end if;
  select * into account from private.lock_account(p_payee_id);
  debt := greatest(-account.available, 0);
  select * into last_ from public.debt_acts t where t.payee_id = p_payee_id order by t.created_at desc, t.id desc limit 1;
  if (debt <> p_seen_debt or last_.at is null) and last_.annulled_at is null and last_.given_up_at is null
    and (last_.kind, last_.amount, last_.debt_before, last_.decided_by) = (p_kind, p_amount, p_seen_debt, me)
    and (last_.method, last_.reference, last_.reason) is not distinct from
      (p_method, nullif(btrim(p_reference), ''), case p_kind when 'waiver' then why end) then
    return query select last_, true;
    return;
  end if;
  if debt <> p_seen_debt or p_amount is null or p_amount <= 0 or p_amount > debt or p_amount <> round(p_amount, 2) then
    perform private.refuse('debt_changed', jsonb_build_object('debt', debt::text));
  end if;
  waits := p_kind = 'waiver' and coalesce(private.exceeds_one_admin(p_payee_id, p_amount), false);
  if p_kind = 'waiver' and exists (select from public.debt_acts t where t.payee_id = p_payee_id and t.at is null and t.given_up_at is null) then
    perform private.refuse('debt_act_waits');
  end if;
  insert into public.debt_acts (payee_id, kind, amount, debt_before, at, method, reference, reason, decided_by, is_test)
  values (p_payee_id, p_kind, p_amount, debt,
    case when p_kind = 'repayment' then private.payment_instant(p_paid_on,
        (select min(e.at) from public.ledger_entries e where e.payee_id = p_payee_id))
      when not waits then private.now() end,
    p_method, nullif(btrim(p_reference), ''), case p_kind when 'waiver' then why end, me, account.is_test)
  returning * into last_;
  perform private.append_audit('debt_acts', last_.id, 'insert', null, jsonb_strip_nulls(jsonb_build_object('kind', p_kind, 'amount', p_amount,
    'payee_id', p_payee_id, 'method', p_method, 'at', last_.at, 'waits', case when waits then true end)), last_.reason);
  perform private.tell_of_debt_act(case when waits then 'waiver_to_confirm' when p_kind = 'waiver' then 'debt_waived' else 'debt_repaid' end, last_);
  return query select last_, false;
end
$$;

-- A waiver that waits comes into force by another admin, or is given up by any.
create function private.decide_waiver(p_act_id uuid, p_confirms boolean) returns table (act public.debt_acts, already boolean)
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  t public.debt_acts;
  account record;
begin
  lock table public.balances in row exclusive mode;
  select * into t from public.debt_acts a where a.id = p_act_id for update;
  if not found then perform private.refuse('not_found'); end if;
  if p_confirms is null then perform private.refuse('decision_required'); end if;
  if t.at is not null or t.given_up_at is not null then
    if (case when p_confirms then t.confirmed_by else t.given_up_by end) is distinct from me or t.annulled_at is not null then
      perform private.refuse('account_changed');
    end if;
    return query select t, true;
    return;
  end if;
  if p_confirms then
    if t.decided_by = me then perform private.refuse('second_admin_to_confirm'); end if;
    select * into account from private.lock_account(t.payee_id);
    if t.amount > -account.available then
      perform private.refuse('debt_changed', jsonb_build_object('debt', greatest(-account.available, 0)::text));
    end if;
    update public.debt_acts a set at = private.now(), confirmed_by = me, debt_before = -account.available where a.id = t.id returning * into t;
  else
    update public.debt_acts a set given_up_at = private.now(), given_up_by = me where a.id = t.id returning * into t;
  end if;
  perform private.append_audit('debt_acts', t.id, 'update', jsonb_build_object('waits', true),
    jsonb_build_object('kind', t.kind, 'amount', t.amount, 'payee_id', t.payee_id, 'confirmed', p_confirms), t.reason);
  update public.notices n set read_at = private.now() where n.debt_act_id = t.id and n.kind = 'waiver_to_confirm' and n.read_at is null;
  if p_confirms then perform private.tell_of_debt_act('debt_waived', t); end if;
  return query select t, false;
end
$$;

-- A mistake is taken back by the opposite transfer, with a reason that the payee reads.
create function private.annul_debt_act(p_act_id uuid, p_reason text) returns table (act public.debt_acts, already boolean)
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  t public.debt_acts;
begin
  if coalesce(btrim(p_reason), '') = '' then perform private.refuse('message_required'); end if;
  lock table public.balances in row exclusive mode;
  select * into t from public.debt_acts a where a.id = p_act_id for update;
  if not found then perform private.refuse('not_found'); end if;
  if t.annulled_at is not null and t.annulled_by = me and t.annulled_reason = btrim(p_reason) then
    return query select t, true;
    return;
  end if;
  if t.at is null or t.annulled_at is not null then perform private.refuse('account_changed'); end if;
  update public.debt_acts a set annulled_at = private.now(), annulled_by = me, annulled_reason = btrim(p_reason) where a.id = t.id returning * into t;
  perform private.append_audit('debt_acts', t.id, 'update', jsonb_build_object('amount', t.amount),
    jsonb_build_object('kind', t.kind, 'amount', t.amount, 'payee_id', t.payee_id, 'annulled', true), t.annulled_reason);
  perform private.tell_of_debt_act('debt_act_annulled', t);
  return query select t, false;
end
$$;

-- An adjustment is within its bounds, and takes at most what was given: what the payee paid back was not.
create function private.check_adjustment(p_payee_id uuid, p_amount numeric) returns void
language plpgsql security definer set search_path = '' as $$
declare
  given numeric;
begin
  select b.earned - b.reversed - b.repaid into given from public.balances b where b.profile_id = p_payee_id for update;
  if p_amount is null or p_amount = 0 or abs(p_amount) > 10000 or p_amount <> round(p_amount, 2)
    or -p_amount > greatest(coalesce(given, 0), 0) then
    perform private.refuse('adjustment_out_of_range', jsonb_build_object('given', greatest(coalesce(given, 0), 0)::text));
  end if;
end
$$;

-- As 0290 has it, and of a thread that the company started.
create or replace function private.close_dispute(p_dispute_id uuid, p_body text, p_seen_version integer, p_adjustment numeric default null)
returns table (dispute public.disputes, already boolean)
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  d public.disputes;
begin
  if coalesce(btrim(p_body), '') = '' then perform private.refuse('message_required'); end if;
  if p_seen_version is null then perform private.refuse('seen_required'); end if;
  -- A cleaning of test data holds balances before it comes to disputes.
  if p_adjustment is not null then lock table public.balances in row exclusive mode; end if;
  select * into d from public.disputes t where t.id = p_dispute_id for update;
  if not found then perform private.refuse('dispute_not_found'); end if;
  if d.closed_at is not null then
    if d.closed_by <> me or p_seen_version <> d.version - 1 or d.adjustment is distinct from p_adjustment
      or btrim(p_body) is distinct from (
        select m.body from public.dispute_messages m where m.dispute_id = d.id order by m.created_at desc, m.id desc limit 1) then
      perform private.refuse('dispute_closed');
    end if;
    return query select d, true;
    return;
  end if;
  if p_seen_version <> d.version then perform private.refuse('dispute_changed'); end if;
  if p_adjustment is not null then
    perform private.check_adjustment(d.payee_id, p_adjustment);
    -- One that the company started waits for another admin, who gives what was proposed or nothing.
    if d.opened_by is not null and p_adjustment <> d.proposed then perform private.refuse('dispute_changed'); end if;
    if d.opened_by = me then perform private.refuse('second_admin_to_confirm'); end if;
  end if;
  update public.disputes t set version = t.version + 1, closed_at = private.now(), closed_by = me, adjustment = p_adjustment
    where t.id = d.id returning * into d;
  if d.adjustment is not null then
    perform private.append_audit('disputes', d.id, 'update', jsonb_build_object('adjustment', null),
      jsonb_build_object('adjustment', d.adjustment, 'payee_id', d.payee_id), btrim(p_body));
  end if;
  if d.opened_by is null or d.adjustment is not null then
    perform private.say_in_dispute(d, case when d.opened_by is null then 'dispute_closed' else 'account_adjusted' end, p_body);
  else
    insert into public.dispute_messages (dispute_id, author_id, body) values (d.id, me, btrim(p_body));
  end if;
  perform private.end_notices(array['adjustment_to_confirm'], null, null, d.id);
  return query select d, false;
end
$$;

-- AC-05: an admin starts an adjustment, for a payee or against, with a reason that they read: a thread that begins and ends with it. Above
-- the company's amount one for the payee stays open until another admin closes it.
create function private.start_adjustment(p_payee_id uuid, p_amount numeric, p_reason text, p_seen_available numeric)
returns table (dispute public.disputes, already boolean)
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  account record;
  d public.disputes;
begin
  if coalesce(btrim(p_reason), '') = '' then perform private.refuse('message_required'); end if;
  if p_seen_available is null then perform private.refuse('seen_required'); end if;
  select * into account from private.lock_account(p_payee_id);
  select * into d from public.disputes t where t.payee_id = p_payee_id and t.opened_by is not null order by t.created_at desc, t.id desc limit 1;
  if (account.available <> p_seen_available or d.closed_at is null) and d.opened_by = me and d.proposed = p_amount and d.adjustment_annulled_at is null
    and (d.closed_at is null or d.adjustment is not null)
    and btrim(p_reason) = (select m.body from public.dispute_messages m where m.dispute_id = d.id order by m.created_at, m.id limit 1) then
    return query select d, true;
    return;
  end if;
  if account.available <> p_seen_available then perform private.refuse('account_changed'); end if;
  if d.opened_by is not null and d.closed_at is null then perform private.refuse('debt_act_waits'); end if;
  perform private.check_adjustment(p_payee_id, p_amount);
  insert into public.disputes (payee_id, opened_by, proposed, is_test) values (p_payee_id, me, p_amount, account.is_test) returning * into d;
  if private.exceeds_one_admin(p_payee_id, p_amount) then
    insert into public.dispute_messages (dispute_id, author_id, body) values (d.id, me, btrim(p_reason));
    with written as (
      insert into public.notices (recipient_id, kind, dispute_id)
      select p.id, 'adjustment_to_confirm', d.id from public.profiles p
      where p.id = any (private.active_admins()) and p.id <> me order by p.id
      returning id)
    insert into private.notice_mails (notice_id) select w.id from written w;
  else
    update public.disputes t set version = t.version + 1, closed_at = private.now(), closed_by = me, adjustment = p_amount
      where t.id = d.id returning * into d;
    perform private.say_in_dispute(d, 'account_adjusted', p_reason);
  end if;
  perform private.append_audit('disputes', d.id, 'update', jsonb_build_object('adjustment', null),
    jsonb_strip_nulls(jsonb_build_object('adjustment', d.adjustment, 'proposed', d.proposed, 'payee_id', d.payee_id)), btrim(p_reason));
  return query select d, false;
end
$$;

do $$
declare
  f regprocedure;
begin
  for f in select p.oid::regprocedure from pg_proc p where p.pronamespace = 'private'::regnamespace
      and p.proname in ('post_debt_act', 'exceeds_one_admin', 'guard_debt_act', 'forget_debt_acts', 'tell_of_debt_act', 'lock_account', 'settle_debt',
        'decide_waiver', 'annul_debt_act', 'check_adjustment', 'start_adjustment') loop
    execute format('alter function %s owner to parrain_service', f);
    execute format('revoke execute on function %s from public', f);
  end loop;
end
$$;
grant execute on function private.settle_debt(uuid, text, numeric, numeric, date, text, text, text), private.decide_waiver(uuid, boolean),
  private.annul_debt_act(uuid, text), private.start_adjustment(uuid, numeric, text, numeric) to authenticated;
