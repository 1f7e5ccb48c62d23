-- LG-01: a validation costs less. PostgreSQL reads the text of all checks of a table anew for each statement that writes to it (a fifth of the
-- instructions of a validation): a list of words is one constant in it, not an expression for each word. Both balances of a validation
-- are one statement.

-- No word has a space in it: three of them with two spaces between are these three and no others.
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
    request available reserved,
    refusal reserved available,
    settlement reserved paid,
    return paid available,
    payroll available paid,
    vat vat vat_paid,
    vat_return vat_paid vat}')),
  add constraint ledger_entries_detail_is_of_its_account check (coalesce(act || ' ' || detail, act) = any ('{
    validation client, validation commercial,
    correction client, correction commercial,
    release, adjustment, deduction, request, refusal,
    settlement virement, settlement cheque_cadeau, settlement association, settlement remise_societe,
    return virement,
    payroll virement, payroll paie,
    vat virement, vat paie,
    vat_return virement, vat_return paie}'));
alter table public.commission_payments drop constraint commission_payments_type_is_known,
  add constraint commission_payments_type_is_known check (type = any ('{client,commercial}'));
alter table public.notices drop constraint notices_kind_is_known,
  add constraint notices_kind_is_known check (kind = any ('{
    referral_received, referral_contacted, referral_in_negotiation, referral_signed, referral_refused, referral_late,
    referral_still_late, call_back_due, news_asked, call_agreed, call_declined, contacts_to_erase, referrals_imported,
    contract_to_validate, contract_validated, contract_refused, contract_annulled, payment_received, payment_to_decide,
    payment_approved, payment_refused, payment_paid, payment_annulled, payment_returned, month_rejected, month_returned,
    dispute_opened, dispute_answered, dispute_closed, adjustment_annulled, archive_ready, archive_failed}'));
alter table public.sales drop constraint sales_ready_is_pending_or_validated,
  add constraint sales_ready_is_pending_or_validated check ((not ready_for_validation) or (status = any ('{pending,validated}')));
alter table public.sales drop constraint sales_status_is_known,
  add constraint sales_status_is_known check (status = any ('{pending,contacted,in_negotiation,validated,rejected}'));

-- A balance is the sum of its transfers. Whoever posts has locked the balances of all its payees before, in the order of their owners.
-- The statement is planned once for few payees and used for many: a balance is always found by its key.
create or replace function private.post_to_balances() returns trigger
language plpgsql security definer set search_path = '' set enable_seqscan = off as $$
declare
  told integer;
begin
  update public.balances b set earned = b.earned + d.earned, reversed = b.reversed + d.reversed,
      reserved = b.reserved + d.reserved, paid = b.paid + d.paid, held = b.held + d.held
  from (
    select n.payee_id,
      coalesce(sum(n.amount) filter (where n.debit in ('charged', 'adjusted')), 0) as earned,
      coalesce(sum(n.amount) filter (where n.credit in ('charged', 'adjusted')), 0) as reversed,
      coalesce(sum(case when n.credit = 'reserved' then n.amount when n.debit = 'reserved' then -n.amount end), 0) as reserved,
      coalesce(sum(case when n.credit = 'paid' then n.amount when n.debit = 'paid' then -n.amount end), 0) as paid,
      coalesce(sum(case when n.credit = 'held' then n.amount when n.debit = 'held' then -n.amount end), 0) as held
    from new_rows n group by n.payee_id) d
  where b.profile_id = d.payee_id;
  get diagnostics told = row_count;
  if told < (select count(distinct n.payee_id) from new_rows n) then
    raise exception 'A transfer was posted for somebody who has no balance';
  end if;
  return null;
end
$$;

create or replace function private.lock_balances(p_payee_ids uuid[]) returns void
language plpgsql security definer set search_path = '' set plan_cache_mode = 'force_generic_plan' as $$
declare
  locked integer;
begin
  lock table public.balances in row exclusive mode;
  perform 1 from public.balances b where b.profile_id = any (p_payee_ids) order by b.profile_id for update;
  get diagnostics locked = row_count;
  -- The same payee may be named twice.
  if locked < cardinality(p_payee_ids) and locked < (select count(distinct i) from unnest(p_payee_ids) i) then
    insert into public.balances (profile_id) select distinct i from unnest(p_payee_ids) i order by i on conflict do nothing;
    perform 1 from public.balances b where b.profile_id = any (p_payee_ids) order by b.profile_id for update;
  end if;
end
$$;

create or replace function private.post_commissions() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  holds_doubtful constant boolean := (select c.hold_doubtful from public.company_settings c);
begin
  insert into public.commission_holds (commission_id, payee_id, amount, until, is_under_check, is_test)
  select k.id, k.recipient_id, k.amount, k.created_at + make_interval(days => k.hold_days), k.is_under_check, k.is_test
  from (
    select n.id, n.recipient_id, n.amount, n.created_at, n.is_test,
      case n.type when 'client' then r.client_hold_days else 0 end as hold_days,
      case when holds_doubtful then private.is_under_check(n.sale_id, coalesce(s.friend_referrer_id, s.client_referrer_id))
        else false end as is_under_check
    from new_rows n
    join public.sales s on s.id = n.sale_id
    join public.commission_rates r on r.id = s.commission_rate
    where n.amount > 0) k
  where k.hold_days > 0 or k.is_under_check;
  if exists (select from new_rows n where n.amount < 0) then
    with corrected as (
      select h.commission_id, n.id, n.recipient_id, n.amount, n.created_at, h.until, n.is_test, h.amount + n.amount as left_
      from new_rows n
      join public.sales s on s.id = n.sale_id
      join public.commission_payments o on o.sale_id = s.corrects_sale_id and o.type = n.type
      join public.commission_holds h on h.commission_id = o.id
      where n.amount < 0 and h.ended_at is null
      order by h.commission_id for update of h),
    lessened as (
      update public.commission_holds h set amount = case when c.left_ > 0 then c.left_ else h.amount end,
        ended_at = case when c.left_ > 0 then null else c.created_at end, is_corrected = c.left_ = 0,
        is_under_check = h.is_under_check and c.left_ > 0
      from corrected c where h.commission_id = c.commission_id)
    insert into public.commission_holds (commission_id, payee_id, amount, until, ended_at, is_corrected, is_test)
    select c.id, c.recipient_id, -c.amount, c.until, c.created_at, true, c.is_test from corrected c where c.left_ > 0;
  end if;
  perform private.lock_balances(array(select n.recipient_id from new_rows n where n.amount <> 0));
  insert into public.ledger_entries (at, act, source_id, payee_id, debit, credit, amount, detail, actor_id, is_test)
  select n.created_at, case when n.amount > 0 then 'validation' else 'correction' end, n.id, n.recipient_id,
    case when n.amount > 0 then 'charged' when exists (
      select from public.sales s
      join public.commission_payments o on o.sale_id = s.corrects_sale_id and o.type = n.type
      join public.commission_holds h on h.commission_id = n.id or h.commission_id = o.id and h.is_corrected
      where s.id = n.sale_id) then 'held' else 'available' end,
    case when n.amount < 0 then 'charged' when exists (
      select from public.commission_holds h where h.commission_id = n.id) then 'held' else 'available' end,
    abs(n.amount), n.type, private.uid(), n.is_test
  from new_rows n where n.amount <> 0
  order by n.recipient_id;
  return null;
end
$$;
