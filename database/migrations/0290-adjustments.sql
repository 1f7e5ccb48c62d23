-- LG-06: a dispute may end with an adjustment, a sum more or less on its payee's account, given with the company's last word (decision
-- 0030). It stands with its dispute: its reason is the message that closed it. One made by mistake is annulled by the opposite one.

alter table public.disputes
  add column adjustment numeric(12, 2),
  add column adjustment_annulled_at timestamptz,
  add column adjustment_annulled_by uuid references public.profiles (id) on delete restrict,
  add constraint disputes_adjustment_is_of_their_end check (adjustment is null or closed_at is not null),
  add constraint disputes_adjustment_is_sensible check (adjustment <> 0 and abs(adjustment) <= 10000),
  add constraint disputes_adjustment_annulled_is_one check (
    (adjustment_annulled_at is null) = (adjustment_annulled_by is null) and (adjustment_annulled_at is null or adjustment is not null));
create index disputes_adjusted on public.disputes (closed_at) where adjustment is not null;
create index disputes_by_annuller on public.disputes (adjustment_annulled_by) where adjustment_annulled_by is not null;

-- Once closed, closed, but for the annulment of its adjustment; what was said stays said.
create or replace function private.guard_dispute() returns trigger
language plpgsql set search_path = '' as $$
begin
  if tg_op = 'UPDATE' and new.version = old.version + 1
    and (new.id, new.payee_id, new.entry_id, new.source_id, new.act, new.line, new.created_at, new.is_test)
      = (old.id, old.payee_id, old.entry_id, old.source_id, old.act, old.line, old.created_at, old.is_test)
    and (old.closed_at is null and new.adjustment_annulled_at is null
      or (new.closed_at, new.closed_by, new.adjustment) = (old.closed_at, old.closed_by, old.adjustment)
        and old.adjustment_annulled_at is null and new.adjustment_annulled_at is not null) then
    return new;
  end if;
  if tg_op = 'DELETE' and private.is_cleaning() and old.is_test then return old; end if;
  perform private.refuse('forbidden');
end
$$;

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
    ('return', 'paid', 'available'))),
  add constraint ledger_entries_detail_is_of_its_account check (
    (detail is null) = (act in ('release', 'adjustment', 'deduction', 'request', 'refusal'))
    and (act not in ('validation', 'correction') or detail in ('client', 'commercial'))
    and (act <> 'return' or detail = 'virement')
    and (act <> 'settlement' or detail in ('virement', 'cheque_cadeau', 'association', 'remise_societe')));

-- An adjustment, then its annulment, are one transfer each.
create function private.post_adjustment() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  amount constant numeric := case when old.adjustment is null then new.adjustment else -new.adjustment end;
begin
  insert into public.ledger_entries (at, act, source_id, payee_id, debit, credit, amount, actor_id, is_test)
  values (coalesce(new.adjustment_annulled_at, new.closed_at), case when amount > 0 then 'adjustment' else 'deduction' end, new.id,
    new.payee_id, case when amount > 0 then 'adjusted' else 'available' end, case when amount > 0 then 'available' else 'adjusted' end,
    abs(amount), private.uid(), new.is_test);
  return null;
end
$$;
create trigger disputes_post after update on public.disputes
  for each row when (new.adjustment is distinct from old.adjustment or new.adjustment_annulled_at is distinct from old.adjustment_annulled_at)
  execute function private.post_adjustment();

-- Each payee's balance as their transfers make it. What an adjustment gives counts as earned, what it takes as reversed: both only grow,
-- so that nobody has ever asked for more than they were given, also where an adjustment is annulled after it was paid.
create or replace view figures.recounted_balances with (security_invoker = true) as
  select e.payee_id as profile_id,
    coalesce(sum(e.amount) filter (where e.debit in ('charged', 'adjusted')), 0) as earned,
    coalesce(sum(e.amount) filter (where e.credit in ('charged', 'adjusted')), 0) as reversed,
    coalesce(sum(case when e.credit = 'reserved' then e.amount when e.debit = 'reserved' then -e.amount end), 0) as reserved,
    coalesce(sum(case when e.credit = 'paid' then e.amount when e.debit = 'paid' then -e.amount end), 0) as paid,
    coalesce(sum(case when e.credit = 'held' then e.amount when e.debit = 'held' then -e.amount end), 0) as held
  from public.ledger_entries e
  group by e.payee_id;

create or replace function private.post_to_balances() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  d record;
begin
  for d in
    select n.payee_id,
      coalesce(sum(n.amount) filter (where n.debit in ('charged', 'adjusted')), 0) as earned,
      coalesce(sum(n.amount) filter (where n.credit in ('charged', 'adjusted')), 0) as reversed,
      coalesce(sum(case when n.credit = 'reserved' then n.amount when n.debit = 'reserved' then -n.amount end), 0) as reserved,
      coalesce(sum(case when n.credit = 'paid' then n.amount when n.debit = 'paid' then -n.amount end), 0) as paid,
      coalesce(sum(case when n.credit = 'held' then n.amount when n.debit = 'held' then -n.amount end), 0) as held
    from new_rows n group by n.payee_id order by n.payee_id
  loop
    update public.balances b set earned = b.earned + d.earned, reversed = b.reversed + d.reversed,
        reserved = b.reserved + d.reserved, paid = b.paid + d.paid, held = b.held + d.held
      where b.profile_id = d.payee_id;
    if not found then
      -- A first commission; another one of the same instant may have come first.
      insert into public.balances as b (profile_id, earned, reversed, reserved, paid, held)
      values (d.payee_id, d.earned, d.reversed, d.reserved, d.paid, d.held)
      on conflict (profile_id) do update set earned = b.earned + excluded.earned, reversed = b.reversed + excluded.reversed,
        reserved = b.reserved + excluded.reserved, paid = b.paid + excluded.paid, held = b.held + excluded.held;
    end if;
  end loop;
  return null;
end
$$;

-- The transfers that commissions, holds, adjustments and requests make.
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
  from public.payment_requests r where r.returned_at is not null;

drop function private.close_dispute(uuid, text, integer);
-- The company's last word, on the thread as it was read, with or without an adjustment. What is taken back is never more than what this
-- payee was given. The same again is the same answer.
create function private.close_dispute(p_dispute_id uuid, p_body text, p_seen_version integer, p_adjustment numeric default null)
returns table (dispute public.disputes, already boolean)
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  d public.disputes;
  given numeric;
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
    select b.earned - b.reversed into given from public.balances b where b.profile_id = d.payee_id for update;
    if p_adjustment = 0 or abs(p_adjustment) > 10000 or p_adjustment <> round(p_adjustment, 2)
      or -p_adjustment > greatest(coalesce(given, 0), 0) then
      perform private.refuse('adjustment_out_of_range', jsonb_build_object('given', greatest(coalesce(given, 0), 0)::text));
    end if;
  end if;
  update public.disputes t set version = t.version + 1, closed_at = private.now(), closed_by = me, adjustment = p_adjustment
    where t.id = d.id returning * into d;
  if d.adjustment is not null then
    perform private.append_audit('disputes', d.id, 'update', jsonb_build_object('adjustment', null),
      jsonb_build_object('adjustment', d.adjustment, 'payee_id', d.payee_id), btrim(p_body));
  end if;
  perform private.say_in_dispute(d, 'dispute_closed', p_body);
  return query select d, false;
end
$$;

-- An adjustment made by mistake: the opposite one, with its reason, in the same thread. The same again is the same answer.
create function private.annul_adjustment(p_dispute_id uuid, p_body text, p_seen_version integer)
returns table (dispute public.disputes, already boolean)
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  d public.disputes;
begin
  if coalesce(btrim(p_body), '') = '' then perform private.refuse('message_required'); end if;
  if p_seen_version is null then perform private.refuse('seen_required'); end if;
  lock table public.balances in row exclusive mode;
  select * into d from public.disputes t where t.id = p_dispute_id for update;
  if not found then perform private.refuse('dispute_not_found'); end if;
  if d.adjustment is null then perform private.refuse('adjustment_not_found'); end if;
  if d.adjustment_annulled_at is not null then
    if d.adjustment_annulled_by <> me or p_seen_version <> d.version - 1 or btrim(p_body) is distinct from (
        select m.body from public.dispute_messages m where m.dispute_id = d.id order by m.created_at desc, m.id desc limit 1) then
      perform private.refuse('adjustment_annulled');
    end if;
    return query select d, true;
    return;
  end if;
  if p_seen_version <> d.version then perform private.refuse('dispute_changed'); end if;
  update public.disputes t set version = t.version + 1, adjustment_annulled_at = private.now(), adjustment_annulled_by = me
    where t.id = d.id returning * into d;
  perform private.append_audit('disputes', d.id, 'update', jsonb_build_object('adjustment', d.adjustment),
    jsonb_build_object('adjustment', null, 'payee_id', d.payee_id), btrim(p_body));
  perform private.say_in_dispute(d, 'adjustment_annulled', p_body);
  return query select d, false;
end
$$;

alter table public.notices drop constraint notices_kind_is_known,
  add constraint notices_kind_is_known check (kind in (
    'referral_received', 'referral_contacted', 'referral_in_negotiation', 'referral_signed', 'referral_refused',
    'referral_late', 'referral_still_late', 'call_back_due', 'news_asked',
    'contract_to_validate', 'contract_validated', 'contract_refused', 'contract_annulled',
    'payment_received', 'payment_to_decide', 'payment_approved', 'payment_refused', 'payment_paid', 'payment_annulled',
    'payment_returned', 'dispute_opened', 'dispute_answered', 'dispute_closed', 'adjustment_annulled'));

-- A line of an adjustment has the words that it was given with.
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
      when 'return' then (select r.return_reason from public.payment_requests r where r.id = l.source_id)
      else (select m.body from public.disputes d join public.dispute_messages m on m.dispute_id = d.id
        and m.created_at = case when (l.act = 'adjustment') = (d.adjustment > 0) then d.closed_at else d.adjustment_annulled_at end
        where d.id = l.source_id and l.act in ('adjustment', 'deduction') limit 1) end as reason
  from (
    select e.id, e.at, e.payee_id, e.act, e.debit, e.credit, e.amount, e.detail, e.source_id, k.change,
      (sum(k.change) over (partition by e.payee_id order by e.id))::numeric(14, 2) as available
    from public.ledger_entries e
    cross join lateral (select (case when e.credit = 'available' then e.amount when e.debit = 'available' then -e.amount else 0 end)
      ::numeric(12, 2) as change) k) l;

-- Everybody whose account has a line. What commissions gave and took, and what adjustments did, are told apart.
create or replace view public.payee_accounts with (security_invoker = true) as
  select p.id, p.full_name, p.role, (b.earned - a.given)::numeric(14, 2) as earned, (b.reversed - a.taken)::numeric(14, 2) as reversed,
    b.reserved, b.paid, (b.earned - b.reversed - b.held - b.reserved - b.paid)::numeric(14, 2) as available, b.held,
    (a.given - a.taken)::numeric(14, 2) as adjusted
  from public.balances b
  join public.profiles p on p.id = b.profile_id
  cross join lateral (
    select coalesce(sum(e.amount) filter (where e.act = 'adjustment'), 0) as given,
      coalesce(sum(e.amount) filter (where e.act = 'deduction'), 0) as taken
    from public.disputes d
    join public.ledger_entries e on e.source_id = d.id and e.act in ('adjustment', 'deduction')
    where d.payee_id = p.id and d.adjustment is not null) a;

-- What is due to clients counts their adjustments.
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
  debts as (select coalesce(sum(b.paid - b.earned + b.reversed), 0) as amount from public.balances b where b.paid > b.earned - b.reversed),
  -- What disputes gave and took of what is due to clients (LG-06).
  adjusted as (
    select coalesce(sum(d.adjustment), 0) as amount from public.disputes d join public.profiles p on p.id = d.payee_id
    where d.adjustment is not null and d.adjustment_annulled_at is null and p.role = 'client')
  -- M-03: a commission is « paid » from the moment its sale is validated. What is due to the clients is what they earned
  -- less what they were paid; what one of them was paid too much takes nothing off what another is owed.
  select s.validated - s.cancelled, s.revenue, c.commercials, c.clients, s.of_clients + s.of_commercials - c.paid,
    s.of_clients + s.of_commercials, s.to_validate, c.pending, c.approved, s.of_clients - c.paid + d.amount + a.amount,
    s.cancelled, c.paid, s.to_validate_amount, c.pending_amount, c.approved_amount,
    -- Each the first entry of an index, whatever the number of rows.
    (select w.created_at from public.sales w where w.ready_for_validation and not w.admin_validated order by w.created_at limit 1),
    (select r.created_at from public.payment_requests r where r.status = 'pending' order by r.created_at limit 1),
    (select r.created_at from public.payment_requests r where r.status = 'approved' order by r.created_at limit 1)
  from sales s, company c, debts d, adjusted a
  where (select private.user_role()) = 'admin'
$$;

drop function public.client_figures();
-- What a client has, and what of it disputes gave or took.
create function public.client_figures()
returns table (friends_invited bigint, signed_contracts bigint, total_commissions numeric, validated_commissions numeric,
  pending_commissions numeric, available numeric, debt numeric, requests_in_progress numeric, requests_in_progress_count bigint,
  payments_received numeric, sales_generated numeric, forecast_commission numeric, contracts_to_validate bigint,
  sales_to_validate_amount numeric, held numeric, adjusted numeric)
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
  -- What is kept for some days yet (LG-03); what has come to its end is available, posted or not.
  kept as (
    select coalesce(sum(h.amount), 0) as held from public.commission_holds h
    where h.payee_id = (select private.uid()) and h.ended_at is null and h.until > private.now()),
  balance as (
    select coalesce(sum(b.earned - b.reversed), 0) as earned, coalesce(sum(b.reserved), 0) as reserved, coalesce(sum(b.paid), 0) as paid
    from public.balances b where b.profile_id = (select private.uid()))
  select m.invited, m.signed, e.total + m.pending, e.total, m.pending, greatest(b.earned - k.held - b.reserved - b.paid, 0),
    greatest(b.paid + k.held - b.earned, 0), b.reserved,
    (select count(*) from public.payment_requests r where r.client_id = (select private.uid()) and r.status in ('pending', 'approved')),
    b.paid, m.revenue, private.fixed_client_commission(), m.to_validate, m.to_validate_amount, k.held,
    (select coalesce(sum(d.adjustment), 0) from public.disputes d
      where d.payee_id = (select private.uid()) and d.adjustment is not null and d.adjustment_annulled_at is null)
  from mine m, earned e, balance b, kept k
  where (select private.uid()) is not null
$$;

-- EX-02: adjustments have an account of their own. A closed month keeps the settings it was closed with, which had none.
create or replace function private.is_chart(p_accounts jsonb) returns boolean
language sql immutable set search_path = ''
return coalesce(jsonb_typeof(p_accounts) = 'object'
  and (select array_agg(k order by k) from jsonb_object_keys(p_accounts) k where k <> 'adjusted')
    = array['charged', 'client', 'commercial', 'held', 'other', 'paid_association', 'paid_cheque_cadeau', 'paid_remise_societe', 'paid_virement']
  and (select bool_and(coalesce(a.value ->> 'number' ~ '^[1-7][0-9]{2}[0-9A-Z]{0,9}$', false)
      and coalesce(private.is_line(a.value ->> 'label', 100) and btrim(a.value ->> 'label') <> '', false))
    from jsonb_each(p_accounts) a), false);
set local role parrain_service;
insert into private.accounting_settings (journal_code, journal_label, accounts)
select s.journal_code, s.journal_label, s.accounts || '{"adjusted": {"number": "622280", "label": "Ajustements de commissions"}}'
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
      when n.sale_id is null then 'DEM-' || left(n.source_id::text, 8) else 'CTR-' || left(n.sale_id::text, 8) end), n.at,
    case n.act when 'validation' then 'Commission' when 'correction' then 'Reprise de commission'
        when 'release' then 'Fin du délai d’une commission' when 'settlement' then 'Paiement'
        when 'return' then 'Retour d’un paiement' when 'adjustment' then 'Ajustement en plus' when 'deduction' then 'Ajustement en moins' else 'Mouvement (' || n.act || ')' end
      || case n.detail when 'client' then ' du client' when 'commercial' then ' du commercial' when 'virement' then ' par virement'
        when 'cheque_cadeau' then ' en chèque cadeau' when 'association' then ' à une association' when 'remise_societe' then ' en remise'
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

alter function private.post_adjustment() owner to parrain_service;
alter function private.close_dispute(uuid, text, integer, numeric) owner to parrain_service;
alter function private.annul_adjustment(uuid, text, integer) owner to parrain_service;
grant execute on function private.post_adjustment() to parrain_service;
grant execute on function private.close_dispute(uuid, text, integer, numeric), private.annul_adjustment(uuid, text, integer)
  to authenticated, parrain_service;
grant execute on function public.client_figures() to authenticated;
