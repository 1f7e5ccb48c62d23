-- LG-04: a validated contract is taken back in whole or in part. A correction stays a mirrored sale (decision 0002) whose amount may be
-- a part: its commissions are what the recorded scale gives for what is left of the contract, less what it gave before, so that
-- rounding never drifts and the last correction leaves zero (decision 0030).

-- Of a correction in part, what it leaves of the contract; null where nothing is left, and of every other sale.
alter table public.sales add column contract_left numeric(12, 2),
  add constraint sales_contract_left_is_of_a_correction check (contract_left is null or contract_left > 0 and corrects_sale_id is not null),
  drop constraint sales_client_commission_is_the_scale_s,
  drop constraint sales_commercial_commission_is_the_scale_s,
  -- I3: what is recorded is what the recorded scale gives, to the cent; nothing for a client where nobody referred.
  add constraint sales_client_commission_is_the_scale_s check (
    client_commission_amount is null
    or client_commission_amount = case
      when friend_referrer_id is null and client_referrer_id is null then 0
      when contract_left is null then private.commission(client_commission_type, client_commission_rate, contract_amount)
      else private.commission(client_commission_type, client_commission_rate, contract_left)
        - private.commission(client_commission_type, client_commission_rate, contract_left - contract_amount) end),
  add constraint sales_commercial_commission_is_the_scale_s check (
    commercial_commission_amount is null
    or commercial_commission_amount = case
      when contract_left is null then private.commission(commercial_commission_type, commercial_commission_rate, contract_amount)
      else private.commission(commercial_commission_type, commercial_commission_rate, contract_left)
        - private.commission(commercial_commission_type, commercial_commission_rate, contract_left - contract_amount) end),
  drop constraint sales_corrected_once;
-- Each correction leaves less than the one before: the first entry of a contract's is the last one made.
create unique index sales_by_corrected on public.sales (corrects_sale_id, coalesce(contract_left, 0)) where corrects_sale_id is not null;

-- What is left of a validated contract.
create function private.left_of_contract(p_sale_id uuid) returns numeric
language sql stable set search_path = '' as $$
  select coalesce(
    (select coalesce(c.contract_left, 0) from public.sales c where c.corrects_sale_id = p_sale_id
      order by coalesce(c.contract_left, 0) limit 1),
    (select s.contract_amount from public.sales s where s.id = p_sale_id))
$$;
grant execute on function private.left_of_contract(uuid) to parrain_service;

-- Corrections of a contract wait for one another, and each takes from what the one before left, under the same terms.
create function private.guard_correction() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  corrected public.sales;
begin
  select * into corrected from public.sales s where s.id = new.corrects_sale_id for update;
  if not corrected.admin_validated or corrected.corrects_sale_id is not null
    or private.left_of_contract(corrected.id) + new.contract_amount <> coalesce(new.contract_left, 0)
    or (new.commercial_id, new.client_referrer_id, new.friend_referrer_id, new.commission_rate, new.client_commission_type,
        new.client_commission_rate, new.commercial_commission_type, new.commercial_commission_rate)
      is distinct from (corrected.commercial_id, corrected.client_referrer_id, corrected.friend_referrer_id, corrected.commission_rate,
        corrected.client_commission_type, corrected.client_commission_rate, corrected.commercial_commission_type,
        corrected.commercial_commission_rate) then
    raise exception using errcode = 'check_violation', message = 'a correction takes back a part of its contract, under its terms';
  end if;
  return new;
end
$$;
alter function private.guard_correction() owner to parrain_service;
grant execute on function private.guard_correction() to parrain_service;
create trigger sales_correction_guard before insert on public.sales
  for each row when (new.corrects_sale_id is not null) execute function private.guard_correction();

drop function private.cancel_validation(uuid, text, integer, numeric, numeric);
-- S-11, LG-04: « Annuler la validation », in whole or down to `p_contract_left`: a new, opposite sale with its own opposite
-- commissions. Nothing is edited. What is expected is what this correction takes back; `p_seen_contract` is what was left on screen.
create function private.cancel_validation(
  p_sale_id uuid, p_reason text, p_seen_version integer, p_expected_client_commission numeric, p_expected_commercial_commission numeric,
  p_contract_left numeric default null, p_seen_contract numeric default null)
returns table (sale public.sales, already boolean)
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  s public.sales;
  latest public.sales;
  correction public.sales;
  before numeric;
  after constant numeric := coalesce(p_contract_left, 0);
  from_client numeric;
  from_commercial numeric;
begin
  if coalesce(btrim(p_reason), '') = '' then perform private.refuse('refusal_reason_required'); end if;
  if num_nulls(p_seen_version, p_expected_client_commission, p_expected_commercial_commission) > 0
    or after > 0 and p_seen_contract is null then
    perform private.refuse('seen_required');
  end if;
  select * into s from public.sales t where t.id = p_sale_id for update;
  if not found then perform private.refuse('sale_not_found'); end if;
  if not s.admin_validated or s.corrects_sale_id is not null then perform private.refuse('sale_not_cancellable'); end if;
  if me in (s.friend_referrer_id, s.client_referrer_id, s.commercial_id) then perform private.refuse('self_validation'); end if;
  select * into latest from public.sales t where t.corrects_sale_id = s.id order by coalesce(t.contract_left, 0) limit 1;
  before := case when latest.id is null then s.contract_amount else coalesce(latest.contract_left, 0) end;
  -- The same decision again is the same answer.
  if latest.id is not null and after = before then
    if p_seen_version <> s.version or p_expected_client_commission <> -latest.client_commission_amount
      or p_expected_commercial_commission <> -latest.commercial_commission_amount
      or p_seen_contract <> before - latest.contract_amount then
      perform private.refuse('sale_changed');
    end if;
    return query select latest, true;
    return;
  end if;
  if before = 0 then perform private.refuse('sale_not_cancellable'); end if;
  if p_seen_version <> s.version or p_seen_contract <> before then perform private.refuse('sale_changed'); end if;
  if after < 0 or after >= before or after <> round(after, 2) then
    perform private.refuse('corrected_amount_out_of_range', jsonb_build_object('left', before::text));
  end if;
  from_client := case when coalesce(s.friend_referrer_id, s.client_referrer_id) is null then 0
    else private.commission(s.client_commission_type, s.client_commission_rate, before)
      - private.commission(s.client_commission_type, s.client_commission_rate, after) end;
  from_commercial := private.commission(s.commercial_commission_type, s.commercial_commission_rate, before)
    - private.commission(s.commercial_commission_type, s.commercial_commission_rate, after);
  if p_expected_client_commission <> from_client or p_expected_commercial_commission <> from_commercial then
    perform private.refuse('sale_changed');
  end if;
  insert into public.sales (status, referred_contact_name, referred_contact_email, referred_contact_phone, contract_amount,
    contract_description, commercial_id, client_referrer_id, friend_referrer_id, commission_rate, ready_for_validation,
    admin_validated, validated_at, validated_by, client_commission_amount, commercial_commission_amount, client_commission_type,
    client_commission_rate, commercial_commission_type, commercial_commission_rate, corrects_sale_id, correction_reason, is_test,
    contract_left)
  values ('validated', s.referred_contact_name, s.referred_contact_email, s.referred_contact_phone, after - before,
    s.contract_description, s.commercial_id, s.client_referrer_id, s.friend_referrer_id, s.commission_rate, true,
    true, private.now(), me, -from_client, -from_commercial, s.client_commission_type,
    s.client_commission_rate, s.commercial_commission_type, s.commercial_commission_rate, s.id, btrim(p_reason), s.is_test,
    nullif(after, 0))
  returning * into correction;
  insert into public.commission_payments (sale_id, recipient_id, type, amount)
  select correction.id, p.recipient_id, p.type, -case p.type when 'client' then from_client else from_commercial end
  from public.commission_payments p where p.sale_id = s.id
  order by p.recipient_id;
  return query select correction, false;
end
$$;
alter function private.cancel_validation(uuid, text, integer, numeric, numeric, numeric, numeric) owner to parrain_service;
grant execute on function private.cancel_validation(uuid, text, integer, numeric, numeric, numeric, numeric) to authenticated, parrain_service;

-- A part of what is kept may be taken back: it becomes a hold of its own, under the correction's commission, ended at once; the rest is
-- kept on. What takes back all the rest ends the hold itself.
create or replace function private.guard_commission_hold() returns trigger
language plpgsql set search_path = '' as $$
begin
  if tg_op = 'DELETE' and private.is_cleaning() and old.is_test then return old; end if;
  if tg_op = 'UPDATE' and old.ended_at is null and new.ended_at is not null and (new.is_corrected or new.until <= new.ended_at)
    and (new.commission_id, new.payee_id, new.amount, new.until, new.is_test)
      = (old.commission_id, old.payee_id, old.amount, old.until, old.is_test) then
    return new;
  end if;
  -- Less is kept after a correction in part.
  if tg_op = 'UPDATE' and old.ended_at is null and new.ended_at is null and new.amount < old.amount
    and (new.commission_id, new.payee_id, new.until, new.is_corrected, new.is_test)
      = (old.commission_id, old.payee_id, old.until, old.is_corrected, old.is_test) then
    return new;
  end if;
  perform private.refuse('forbidden');
end
$$;
create or replace function private.post_commissions() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  insert into public.commission_holds (commission_id, payee_id, amount, until, is_test)
  select n.id, n.recipient_id, n.amount, n.created_at + make_interval(days => r.client_hold_days), n.is_test
  from new_rows n
  join public.sales s on s.id = n.sale_id
  join public.commission_rates r on r.id = s.commission_rate
  where n.type = 'client' and n.amount > 0 and r.client_hold_days > 0;
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
        ended_at = case when c.left_ > 0 then null else c.created_at end, is_corrected = c.left_ = 0
      from corrected c where h.commission_id = c.commission_id)
    insert into public.commission_holds (commission_id, payee_id, amount, until, ended_at, is_corrected, is_test)
    select c.id, c.recipient_id, -c.amount, c.until, c.created_at, true, c.is_test from corrected c where c.left_ > 0;
  end if;
  insert into public.ledger_entries (at, act, source_id, payee_id, debit, credit, amount, detail, actor_id, is_test)
  select n.created_at, k.act, n.id, n.recipient_id,
    case when k.sign = 1 then 'charged' when exists (
      select from public.sales s
      join public.commission_payments o on o.sale_id = s.corrects_sale_id and o.type = n.type
      join public.commission_holds h on h.commission_id = n.id or h.commission_id = o.id and h.is_corrected
      where s.id = n.sale_id) then 'held' else 'available' end,
    case when k.sign = -1 then 'charged' when exists (
      select from public.commission_holds h where h.commission_id = n.id) then 'held' else 'available' end,
    abs(n.amount), n.type, private.uid(), n.is_test
  from new_rows n
  join (values (1, 'validation'), (-1, 'correction')) k (sign, act) on k.sign = sign(n.amount)
  order by n.recipient_id;
  return null;
end
$$;

-- The transfers that commissions, holds and requests make.
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
  select r.id, 'request', 1, r.client_id, 'available', 'reserved', r.amount, null, r.is_test, r.created_at from public.payment_requests r
  union all
  select r.id, 'refusal', 1, r.client_id, 'reserved', 'available', r.amount, null, r.is_test, r.updated_at
  from public.payment_requests r where r.status = 'rejected'
  union all
  select r.id, 'settlement', 1, r.client_id, 'reserved', 'paid', r.amount, r.payment_method, r.is_test, r.paid_at
  from public.payment_requests r where r.status = 'paid';


-- Counts. A correction in part takes no contract back: it is counted apart, its amounts with those of other corrections.
alter table figures.sale_totals add column partial_corrections bigint not null default 0;
alter type private.sale_effect add attribute partial_corrections integer;
create or replace function private.effect_of(s public.sales, p_sign integer) returns private.sale_effect
language sql immutable parallel safe
return row(
  coalesce(s.commercial_id, '00000000-0000-0000-0000-000000000000'),
  private.sale_state(s.status, s.ready_for_validation, s.admin_validated, s.corrects_sale_id),
  coalesce(s.friend_referrer_id, s.client_referrer_id), s.friend_referrer_id is not null,
  case when s.contract_left is null then p_sign else 0 end, p_sign * coalesce(s.contract_amount, 0),
  p_sign * coalesce(s.client_commission_amount, 0), p_sign * coalesce(s.commercial_commission_amount, 0),
  case when s.admin_validated then p_sign * (1 + (coalesce(s.friend_referrer_id, s.client_referrer_id) is not null)::integer)
    else 0 end,
  case when s.contract_left is null then 0 else p_sign end)::private.sale_effect;

create or replace function private.add_sale_effects(p_effects private.sale_effect[]) returns void
language plpgsql security definer set search_path = '' as $$
begin
  with change as (
    select e.commercial_id, e.state, sum(e.sales) as sales, sum(e.contract_amount) as contract_amount,
      sum(e.client_commission) as client_commission, sum(e.commercial_commission) as commercial_commission,
      sum(e.commissions) as commissions,
      sum(e.partial_corrections) as partial_corrections
    from unnest((select p_effects)) e
    group by e.commercial_id, e.state
    having (sum(e.sales), sum(e.contract_amount), sum(e.client_commission), sum(e.commercial_commission), sum(e.commissions),
      sum(e.partial_corrections)) <> (0, 0, 0, 0, 0, 0)),
  place as (
    select c.*, free.id
    from change c
    left join lateral (select f.id from figures.sale_totals f where f.commercial_id = c.commercial_id and f.state = c.state
      limit 1 for update skip locked) free on true),
  added as (
    update figures.sale_totals t set sales = t.sales + p.sales, contract_amount = t.contract_amount + p.contract_amount,
      client_commission = t.client_commission + p.client_commission,
      commercial_commission = t.commercial_commission + p.commercial_commission, commissions = t.commissions + p.commissions,
      partial_corrections = t.partial_corrections + p.partial_corrections
    from place p where t.id = p.id)
  insert into figures.sale_totals (commercial_id, state, sales, contract_amount, client_commission, commercial_commission, commissions,
    partial_corrections)
  select p.commercial_id, p.state, p.sales, p.contract_amount, p.client_commission, p.commercial_commission, p.commissions,
    p.partial_corrections
  from place p where p.id is null;

  with change as (
    select e.referrer_id, e.commercial_id, e.as_friend,
      coalesce(sum(e.sales) filter (where e.state <> 'correction'), 0) as referrals,
      coalesce(sum(case e.state when 'correction' then -e.sales else e.sales end)
        filter (where e.state in ('awaiting_admin_validation', 'validated', 'correction')), 0) as signed_contracts,
      coalesce(sum(e.contract_amount) filter (where e.state in ('awaiting_admin_validation', 'validated', 'correction')), 0) as revenue
    from unnest((select p_effects)) e
    where e.referrer_id is not null
    group by e.referrer_id, e.commercial_id, e.as_friend),
  place as (
    select c.*, free.id
    from change c
    left join lateral (select f.id from figures.referrer_totals f
      where f.referrer_id = c.referrer_id and f.commercial_id = c.commercial_id and f.as_friend = c.as_friend
      limit 1 for update skip locked) free on true
    where (c.referrals, c.signed_contracts, c.revenue) <> (0, 0, 0)),
  added as (
    update figures.referrer_totals t set referrals = t.referrals + p.referrals,
      signed_contracts = t.signed_contracts + p.signed_contracts, revenue = t.revenue + p.revenue
    from place p where t.id = p.id)
  insert into figures.referrer_totals (referrer_id, commercial_id, as_friend, referrals, signed_contracts, revenue)
  select p.referrer_id, p.commercial_id, p.as_friend, p.referrals, p.signed_contracts, p.revenue
  from place p where p.id is null;
end
$$;

create or replace view figures.counted_sales with (security_invoker = true) as
  select nullif(t.commercial_id, '00000000-0000-0000-0000-000000000000') as commercial_id, s.status, s.ready_for_validation,
    s.admin_validated,
    -- Of what is corrected only whether it is: nothing else may be asked of it.
    case when t.state = 'correction' then '00000000-0000-0000-0000-000000000000'::uuid end as corrects_sale_id,
    t.sales + t.partial_corrections as row_count
  from figures.sale_totals t
  -- What private.sale_state reads, read back: the constraints of sales leave no other combination.
  join (values
    ('pending', 'pending', false, false), ('contacted', 'contacted', false, false),
    ('in_negotiation', 'in_negotiation', false, false), ('rejected', 'rejected', false, false),
    ('awaiting_final_validation', 'pending', true, false), ('awaiting_admin_validation', 'validated', true, false),
    ('validated', 'validated', true, true), ('correction', 'validated', true, true)
  ) s (state, status, ready_for_validation, admin_validated) on s.state = t.state;

create or replace view figures.recounted_sales with (security_invoker = true) as
  select coalesce(s.commercial_id, '00000000-0000-0000-0000-000000000000') as commercial_id,
    private.sale_state(s.status, s.ready_for_validation, s.admin_validated, s.corrects_sale_id) as state,
    count(*) filter (where s.contract_left is null) as sales, coalesce(sum(s.contract_amount), 0) as contract_amount,
    coalesce(sum(s.client_commission_amount), 0) as client_commission,
    coalesce(sum(s.commercial_commission_amount), 0) as commercial_commission,
    count(*) filter (where s.admin_validated)
      + count(coalesce(s.friend_referrer_id, s.client_referrer_id)) filter (where s.admin_validated) as commissions,
    count(s.contract_left) as partial_corrections
  from public.sales s
  group by 1, 2;
create or replace view figures.recounted_referrers with (security_invoker = true) as
  select coalesce(s.friend_referrer_id, s.client_referrer_id) as referrer_id,
    coalesce(s.commercial_id, '00000000-0000-0000-0000-000000000000') as commercial_id, s.friend_referrer_id is not null as as_friend,
    count(*) filter (where s.corrects_sale_id is null) as referrals,
    count(*) filter (where s.status = 'validated' and s.corrects_sale_id is null)
      - count(*) filter (where s.corrects_sale_id is not null and s.contract_left is null) as signed_contracts,
    coalesce(sum(s.contract_amount) filter (where s.status = 'validated'), 0) as revenue
  from public.sales s
  where coalesce(s.friend_referrer_id, s.client_referrer_id) is not null
  group by 1, 2, 3;
create or replace function private.recount() returns void
language plpgsql security definer set search_path = '' as $$
begin
  lock table public.profiles, public.sales, public.payment_requests, public.audit_entries in share row exclusive mode;
  delete from figures.sale_totals;
  delete from figures.referrer_totals;
  delete from figures.company_totals;
  insert into figures.sale_totals (commercial_id, state, sales, contract_amount, client_commission, commercial_commission, commissions,
    partial_corrections)
  select r.commercial_id, r.state, r.sales, r.contract_amount, r.client_commission, r.commercial_commission, r.commissions,
    r.partial_corrections
  from figures.recounted_sales r;
  insert into figures.referrer_totals (referrer_id, commercial_id, as_friend, referrals, signed_contracts, revenue)
  select r.referrer_id, r.commercial_id, r.as_friend, r.referrals, r.signed_contracts, r.revenue from figures.recounted_referrers r;
  insert into figures.company_totals (what, number, amount) select r.what, r.number, r.amount from figures.recounted_company r;
end
$$;

create or replace function private.validated_in(p_from date, p_to date)
returns table (month date, commercial_id uuid, commission_rate uuid, contracts bigint, revenue numeric, client_commission numeric,
  commercial_commission numeric)
language sql stable rows 1000 as $$
  select m.month, m.commercial_id, m.commission_rate, m.contracts, m.revenue, m.client_commission, m.commercial_commission
  from figures.validated_months m where m.month >= p_from and m.month < p_to
  union all
  select private.month_of(p.created_at), s.commercial_id, s.commission_rate, sum(case when s.contract_left is null then sign(s.contract_amount) else 0 end)::bigint, sum(s.contract_amount),
    sum(s.client_commission_amount), sum(s.commercial_commission_amount)
  from public.commission_payments p
  join public.sales s on s.id = p.sale_id
  where p.type = 'commercial' and p.created_at < private.month_start(p_to)
    and p.created_at >= greatest(private.month_start(p_from), (select c.at from figures.counted_until c))
  group by 1, 2, 3
$$;
alter function private.validated_in(date, date) reset all;

create or replace function private.count_months(p_least integer default 5000) returns void
language plpgsql security definer set search_path = '' as $$
declare
  -- Who wrote shortly before midnight may commit shortly after.
  v_until timestamptz := date_trunc('day', private.now() - interval '1 hour', 'Europe/Paris');
  v_month date := private.month_of(private.now());
  v_period record;
begin
  lock table figures.counted_until in exclusive mode;
  delete from figures.counted_until;
  delete from figures.validated_months;
  delete from figures.referral_months;
  delete from figures.best_referrers;
  if (select count(*) from (select from public.sales s where s.created_at < v_until limit p_least) few) < p_least then return; end if;
  insert into figures.validated_months
  select private.month_of(p.created_at), s.commercial_id, s.commission_rate, sum(case when s.contract_left is null then sign(s.contract_amount) else 0 end), sum(s.contract_amount),
    sum(s.client_commission_amount), sum(s.commercial_commission_amount)
  from public.commission_payments p
  join public.sales s on s.id = p.sale_id
  where p.type = 'commercial' and p.created_at < v_until
  group by 1, 2, 3;
  insert into figures.referral_months
  select private.month_of(s.created_at),
    case when c.id is null then private.sale_state(s.status, s.ready_for_validation, s.admin_validated, null) else 'cancelled' end,
    case when s.admin_validated then floor(extract(epoch from s.validated_at - s.created_at) / 86400) else -1 end, count(*)
  from public.sales s
  left join public.sales c on c.corrects_sale_id = s.id and c.contract_left is null
  where s.corrects_sale_id is null and s.created_at < v_until
  group by 1, 2, 3;
  for v_period in
    select * from (values (v_month, v_month + interval '1 month'), (v_month - interval '1 month', v_month),
      (date_trunc('quarter', v_month), date_trunc('quarter', v_month) + interval '3 months'),
      (date_trunc('year', v_month), date_trunc('year', v_month) + interval '1 year'),
      (v_month - interval '11 months', v_month + interval '1 month'), ('2000-01-01', '2100-01-01')) p (from_month, to_month)
  loop
    insert into figures.best_referrers
    select v_period.from_month, v_period.to_month, b.referrer_id, b.contracts, b.revenue
    from private.referrers_in(v_period.from_month::date, v_period.to_month::date) b
    on conflict do nothing;
  end loop;
  insert into figures.counted_until (at) values (v_until);
end
$$;

create or replace function private.referrers_in(p_from date, p_to date)
returns table (referrer_id uuid, contracts bigint, revenue numeric)
language sql stable set search_path = '' rows 5 as $$
  select coalesce(s.friend_referrer_id, s.client_referrer_id), sum(case when s.contract_left is null then sign(s.contract_amount) else 0 end)::bigint, sum(s.contract_amount)
  from public.commission_payments p
  join public.sales s on s.id = p.sale_id
  where p.type = 'commercial' and p.created_at >= private.month_start(p_from) and p.created_at < private.month_start(p_to)
    and coalesce(s.friend_referrer_id, s.client_referrer_id) is not null
  group by 1
  having sum(s.contract_amount) > 0
  order by 3 desc, 1 limit 5
$$;

create or replace function public.referral_funnel(p_from date, p_to date)
returns table (state text, referrals bigint, median_days integer, counted_at timestamptz)
language sql stable set search_path = '' rows 8 as $$
  with found as (
    select m.state, m.days, m.referrals from figures.referral_months m where m.month >= p_from and m.month < p_to
    union all
    select case when c.id is null then private.sale_state(s.status, s.ready_for_validation, s.admin_validated, null) else 'cancelled' end,
      case when s.admin_validated then floor(extract(epoch from s.validated_at - s.created_at) / 86400)::integer else -1 end, count(*)
    from public.sales s
    -- A validation that was taken back; of the others the index is not asked.
    left join public.sales c on c.corrects_sale_id = s.id and c.contract_left is null and s.admin_validated
    where s.corrects_sale_id is null and s.created_at < private.month_start(p_to)
      and s.created_at >= greatest(private.month_start(p_from), (select c.at from figures.counted_until c))
    group by 1, 2),
  running as (
    select f.state, f.days, f.referrals, sum(f.referrals) over (partition by f.state order by f.days) as up_to,
      sum(f.referrals) over (partition by f.state) as total
    from found f)
  select r.state, sum(r.referrals)::bigint, min(r.days) filter (where r.up_to * 2 >= r.total and r.days >= 0),
    (select c.at from figures.counted_until c)
  from running r
  where (select private.user_role()) = 'admin'
  group by r.state
$$;

create or replace function public.client_figures()
returns table (friends_invited bigint, signed_contracts bigint, total_commissions numeric, validated_commissions numeric,
  pending_commissions numeric, available numeric, debt numeric, requests_in_progress numeric, requests_in_progress_count bigint,
  payments_received numeric, sales_generated numeric, forecast_commission numeric, contracts_to_validate bigint,
  sales_to_validate_amount numeric, held numeric)
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
    b.paid, m.revenue, private.fixed_client_commission(), m.to_validate, m.to_validate_amount, k.held
  from mine m, earned e, balance b, kept k
  where (select private.uid()) is not null
$$;

create or replace function public.person_figures(p_id uuid)
returns table (state text, sales bigint, contract_amount numeric, client_commission numeric, commercial_commission numeric)
language sql stable set search_path = '' rows 8 as $$
  select t.state, sum(t.sales)::bigint, sum(t.contract_amount), sum(t.client_commission), sum(t.commercial_commission)
  from figures.sale_totals t where t.commercial_id = p_id
  group by t.state having sum(t.sales + t.partial_corrections) > 0
  union all
  select f.state, count(*) filter (where f.contract_left is null), coalesce(sum(f.contract_amount), 0), coalesce(sum(f.client_commission_amount), 0),
    coalesce(sum(f.commercial_commission_amount), 0)
  from (
    select private.sale_state(s.status, s.ready_for_validation, s.admin_validated, s.corrects_sale_id) as state, s.contract_amount,
      s.client_commission_amount, s.commercial_commission_amount, s.contract_left
    from public.sales s where s.friend_referrer_id = p_id
    union all
    select private.sale_state(s.status, s.ready_for_validation, s.admin_validated, s.corrects_sale_id), s.contract_amount,
      s.client_commission_amount, s.commercial_commission_amount, s.contract_left
    from public.sales s where s.client_referrer_id = p_id and s.friend_referrer_id is null) f
  group by f.state
$$;

create or replace function public.network_branch(p_level text, p_commercial_id uuid default null, p_referrer_id uuid default null)
returns table (kind text, id uuid, name text, detail text, is_active boolean, clients bigint, referrals bigint, contracts bigint,
  revenue numeric, commissions numeric, status text, ready_for_validation boolean, admin_validated boolean, is_cancelled boolean)
language sql stable set search_path = '' rows 200 as $$
  with sold as (
    select coalesce(s.friend_referrer_id, s.client_referrer_id) as referrer_id,
      count(*) filter (where s.corrects_sale_id is null) as referrals,
      count(*) filter (where s.admin_validated and s.corrects_sale_id is null)
        - count(*) filter (where s.corrects_sale_id is not null and s.contract_left is null) as contracts,
      coalesce(sum(s.contract_amount) filter (where s.admin_validated), 0) as revenue,
      coalesce(sum(case when (select private.user_role()) = 'admin' then s.client_commission_amount else 0 end
        + s.commercial_commission_amount) filter (where s.admin_validated), 0) as commissions
    from public.sales s
    where p_level = 'commercial'
      and (s.commercial_id = p_commercial_id or p_commercial_id is null and s.commercial_id is null)
    group by 1),
  referred as (
    select s.* from public.sales s
    where s.corrects_sale_id is null and case p_level
      when 'own' then s.friend_referrer_id = (select private.uid())
      when 'client' then (s.commercial_id = p_commercial_id or p_commercial_id is null and s.commercial_id is null)
        and (s.friend_referrer_id = p_referrer_id or s.friend_referrer_id is null and s.client_referrer_id = p_referrer_id)
      when 'commercial' then (s.commercial_id = p_commercial_id or p_commercial_id is null and s.commercial_id is null)
        and s.friend_referrer_id is null and s.client_referrer_id is null
      else false end)
  select 'commercial', t.commercial_id, p.full_name, p.email, p.deactivated_at is null,
    (select count(*) from public.profiles c where c.role = 'client' and c.commercial_id is not distinct from t.commercial_id),
    t.referrals, t.contracts, t.revenue, t.commissions, null::text, null::boolean, null::boolean, null::boolean
  from (
    select k.commercial_id, coalesce(sum(f.sales) filter (where f.state <> 'correction'), 0)::bigint as referrals,
      (coalesce(sum(f.sales) filter (where f.state = 'validated'), 0)
        - coalesce(sum(f.sales) filter (where f.state = 'correction'), 0))::bigint as contracts,
      coalesce(sum(f.contract_amount) filter (where f.state in ('validated', 'correction')), 0) as revenue,
      coalesce(sum(f.client_commission + f.commercial_commission) filter (where f.state in ('validated', 'correction')), 0) as commissions
    from (select c.id as commercial_id from public.profiles c where c.role = 'commercial' union all select null) k
    left join figures.sale_totals f
      on f.commercial_id = coalesce(k.commercial_id, '00000000-0000-0000-0000-000000000000')
    where p_level = 'company' and (select private.user_role()) = 'admin'
    group by 1) t
  left join public.profiles p on p.id = t.commercial_id
  where t.commercial_id is not null or t.referrals > 0
    or exists (select from public.profiles c where c.role = 'client' and c.commercial_id is null)
  union all
  select 'client', k.id, p.full_name, coalesce(p.company, p.email), p.deactivated_at is null, null,
    coalesce(t.referrals, 0), coalesce(t.contracts, 0), coalesce(t.revenue, 0), coalesce(t.commissions, 0), null::text, null::boolean, null::boolean, null::boolean
  from (
    select c.id from public.profiles c
      where p_level = 'commercial' and c.role = 'client'
        and (c.commercial_id = p_commercial_id or p_commercial_id is null and c.commercial_id is null)
    union select t.referrer_id from sold t where t.referrer_id is not null) k
  left join sold t on t.referrer_id = k.id
  left join public.profiles p on p.id = k.id
  union all
  select 'referral', s.id, s.referred_contact_name, s.referred_contact_email, null, null, null, null,
    case when s.admin_validated then s.contract_amount + coalesce(c.contract_amount, 0) else 0 end,
    case when s.admin_validated then case (select private.user_role())
      when 'admin' then s.client_commission_amount + s.commercial_commission_amount
        + coalesce(c.client_commission_amount + c.commercial_commission_amount, 0)
      when 'commercial' then s.commercial_commission_amount + coalesce(c.commercial_commission_amount, 0)
      else s.client_commission_amount + coalesce(c.client_commission_amount, 0) end else 0 end,
    s.status, s.ready_for_validation, s.admin_validated, coalesce(c.is_whole, false)
  from referred s
  left join lateral (
    select sum(k.contract_amount) as contract_amount, sum(k.client_commission_amount) as client_commission_amount,
      sum(k.commercial_commission_amount) as commercial_commission_amount, bool_or(k.contract_left is null) as is_whole
    from public.sales k where k.corrects_sale_id = s.id) c on s.admin_validated
$$;

create or replace function public.find_anything(p_text text)
returns table (kind text, id uuid, name text, detail text, amount numeric, status text, ready_for_validation boolean,
  admin_validated boolean, is_cancelled boolean, created_at timestamptz)
language plpgsql stable set search_path = '' rows 20 as $$
declare
  asked constant text := private.plain_letters(btrim(left(p_text, 80)));
  most constant integer := 100;
  low constant uuid := case when asked ~ '^#?[0-9a-f]{8}$' then (ltrim(asked, '#') || '-0000-0000-0000-000000000000')::uuid end;
  high constant uuid := case when low is not null then (ltrim(asked, '#') || '-ffff-ffff-ffff-ffffffffffff')::uuid end;
  euros constant numeric := case when asked ~ '^\d{1,8}([.,]\d{1,2})?$' then replace(asked, ',', '.')::numeric end;
  people uuid[] := private.look_up('profiles', asked, most, false);
  sales uuid[] := private.look_up('sales', asked, most, false);
begin
  if cardinality(people || sales) = 0 and low is null and euros is null then
    people := private.look_up('profiles', asked, most, true);
    sales := private.look_up('sales', asked, most, true);
  end if;
  return query
  select f.kind, f.id, f.name, f.detail, f.amount, f.status, f.ready_for_validation, f.admin_validated, f.is_cancelled, f.created_at
  from (
    select a.*, row_number() over (partition by a.kind order by a.fit, a.nearness, a.created_at desc, a.id) as place from (
      select b.*, case when k.plain = asked then 0 when k.plain like k.starts then 1 when k.plain like k.inner_starts then 2
          when k.plain like k.holds then 3 else 4 end as fit,
        -- What holds the words is as near as the rest of what does; what is only alike has its place.
        case when k.plain like k.holds then 0 else array_position(people || sales, b.id) end as nearness
      from (
        select p.role as kind, p.id, p.full_name as name, coalesce(nullif(p.email, ''), p.company) as detail, null::numeric as amount,
          null::text as status, null::boolean as ready_for_validation, null::boolean as admin_validated,
          p.deactivated_at is not null as is_cancelled, p.created_at
        from public.profiles p where p.id = any (people)
        union all
        select 'sale', s.id, s.referred_contact_name, s.contract_description, s.contract_amount, s.status, s.ready_for_validation,
          s.admin_validated, exists (select from public.sales c where c.corrects_sale_id = s.id and c.contract_left is null), s.created_at
        from public.sales s where s.id = any (sales) or low is not null and s.id between low and high
        union all
        select 'request', r.id, c.full_name, r.payment_method, r.amount, r.status, null, null, null, r.created_at
        from public.payment_requests r join public.profiles c on c.id = r.client_id
        where r.client_id = any (people) or low is not null and r.id between low and high
          or euros is not null and r.client_id = (select private.uid()) and r.amount = euros
      ) b,
      lateral (select private.plain_letters(b.name) as plain, asked || '%' as starts, '% ' || asked || '%' as inner_starts,
        '%' || asked || '%' as holds) k
    ) a) f
  where f.place <= 5
  order by f.fit, f.nearness, f.created_at desc, f.id;
end
$$;
