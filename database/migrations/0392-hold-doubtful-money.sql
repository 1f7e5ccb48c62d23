-- FD-01: where the company says so, the money of a doubtful case is kept until an admin decides. By default nothing is: validation
-- and payment go on as the specification has them.
alter table public.company_settings add column hold_doubtful boolean not null default false;

create function private.set_hold_doubtful(p_is_held boolean) returns public.company_settings
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  settings public.company_settings;
begin
  if p_is_held is null then perform private.refuse('invalid_input'); end if;
  update public.company_settings c set hold_doubtful = p_is_held, updated_at = now() returning * into settings;
  return settings;
end
$$;

-- A commission whose sale or payee was doubtful when it was validated is kept as one whose scale keeps it (LG-03), and beyond its day
-- while the check goes on. Its payee reads that there is one, and nothing of it.
alter table public.commission_holds add column is_under_check boolean not null default false,
  add constraint commission_holds_under_check_is_kept check (ended_at is null or not is_under_check);

-- Whether a case weighs on what a payee earns by a sale. A decision of the same instant is waited for.
create function private.is_under_check(p_sale_id uuid, p_payee_id uuid) returns boolean
language plpgsql security definer set search_path = '' as $$
begin
  perform from public.doubtful_cases c
    where c.status <> 'cleared' and (c.sale_id = p_sale_id or c.payee_id = p_payee_id and c.sale_id is null and c.request_id is null)
    order by c.id for share;
  return found;
end
$$;

-- As 0260 has it, but what is under check does not end by its day. The check ends once.
create or replace function private.guard_commission_hold() returns trigger
language plpgsql set search_path = '' as $$
begin
  if tg_op = 'DELETE' and private.is_cleaning() and old.is_test then return old; end if;
  if tg_op = 'UPDATE' and old.ended_at is null
    and (new.commission_id, new.payee_id, new.until, new.is_test) = (old.commission_id, old.payee_id, old.until, old.is_test) then
    if new.ended_at is not null and new.amount = old.amount
      and (new.is_corrected or new.until <= new.ended_at and not old.is_under_check) then
      return new;
    end if;
    -- Less is kept after a correction in part.
    if new.ended_at is null and new.amount < old.amount
      and (new.is_corrected, new.is_under_check) = (old.is_corrected, old.is_under_check) then
      return new;
    end if;
    if new.ended_at is null and old.is_under_check and not new.is_under_check
      and (new.amount, new.is_corrected) = (old.amount, old.is_corrected) then
      return new;
    end if;
  end if;
  perform private.refuse('forbidden');
end
$$;

-- As 0260 has it, but what is doubtful is kept too.
create or replace function private.post_commissions() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  holds_doubtful constant boolean := (select c.hold_doubtful from public.company_settings c);
begin
  insert into public.commission_holds (commission_id, payee_id, amount, until, is_under_check, is_test)
  select k.id, k.recipient_id, k.amount, k.created_at + make_interval(days => k.client_hold_days), k.is_under_check, k.is_test
  from (
    select n.id, n.recipient_id, n.amount, n.created_at, n.is_test, r.client_hold_days,
      case when holds_doubtful then private.is_under_check(n.sale_id, n.recipient_id) else false end as is_under_check
    from new_rows n
    join public.sales s on s.id = n.sale_id
    join public.commission_rates r on r.id = s.commission_rate
    where n.type = 'client' and n.amount > 0) k
  where k.client_hold_days > 0 or k.is_under_check;
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

-- As 0221 has it, but for what is under check.
create or replace function private.release_holds(p_payee_id uuid, p_most integer) returns integer
language plpgsql security definer set search_path = '' as $$
declare
  ids uuid[];
begin
  if p_payee_id is null then
    ids := array(select h.commission_id from public.commission_holds h
      where h.ended_at is null and h.until <= private.now() and not h.is_under_check
      order by h.until, h.commission_id limit p_most for update skip locked);
  else
    ids := array(select h.commission_id from public.commission_holds h
      where h.payee_id = p_payee_id and h.ended_at is null and h.until <= private.now() and not h.is_under_check
      order by h.until, h.commission_id limit p_most for update);
  end if;
  if cardinality(ids) > 0 then
    update public.commission_holds h set ended_at = private.now() where h.commission_id = any (ids);
    insert into public.ledger_entries (at, act, source_id, payee_id, debit, credit, amount, actor_id, is_test)
    select private.now(), 'release', h.commission_id, h.payee_id, 'held', 'available', h.amount, private.uid(), h.is_test
    from public.commission_holds h where h.commission_id = any (ids)
    order by h.payee_id, h.until, h.commission_id;
  end if;
  return cardinality(ids);
end
$$;
-- What is under check stands before all that is due: the job would read it each time.
drop index public.commission_holds_by_end;
create index commission_holds_by_end on public.commission_holds (until, commission_id) where ended_at is null and not is_under_check;

-- Once a case is cleared: ends the check of what no other case weighs on, and gives what is due of it. Whoever clears two cases of one
-- commission at once waits for the other here, and then sees both.
create function private.end_checks(p_case public.doubtful_cases) returns void
language plpgsql security definer set search_path = '' as $$
declare
  ids uuid[];
  v_payee uuid;
begin
  if p_case.sale_id is not null then
    ids := array(select h.commission_id from public.commission_payments p join public.commission_holds h on h.commission_id = p.id
      where p.sale_id = p_case.sale_id and h.is_under_check order by h.commission_id for update of h);
  elsif p_case.request_id is null then
    ids := array(select h.commission_id from public.commission_holds h
      where h.payee_id = p_case.payee_id and h.is_under_check order by h.commission_id for update);
  end if;
  for v_payee in
    with ended as (
      update public.commission_holds h set is_under_check = false
      from public.commission_payments p
      where h.commission_id = any (ids) and p.id = h.commission_id and not exists (
        select from public.doubtful_cases c where c.status <> 'cleared'
          and (c.sale_id = p.sale_id or c.payee_id = h.payee_id and c.sale_id is null and c.request_id is null))
      returning h.payee_id)
    select distinct e.payee_id from ended e order by e.payee_id
  loop
    perform private.release_holds(v_payee, 1000);
  end loop;
end
$$;
create index commission_holds_under_check on public.commission_holds (payee_id) where is_under_check;

-- As 0390 has it, and a case that is cleared gives back what was kept for it.
create or replace function private.decide_doubtful_case(
  p_case_id uuid, p_decision text, p_reason text, p_seen_version integer, p_is_pair_cleared boolean default false)
returns table (decided public.doubtful_cases, already boolean)
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  c public.doubtful_cases;
  v_before text;
begin
  if p_decision is null or p_decision not in ('confirmed', 'cleared') or coalesce(btrim(p_reason), '') = ''
      or not private.is_text(p_reason, 2000) then
    perform private.refuse('invalid_input');
  end if;
  if p_seen_version is null then perform private.refuse('seen_required'); end if;
  select * into c from public.doubtful_cases t where t.id = p_case_id for update;
  if not found then perform private.refuse('case_not_found'); end if;
  if c.status = p_decision and c.decided_by = me and c.reason = btrim(p_reason) and c.version = p_seen_version + 1 then
    return query select c, true;
    return;
  end if;
  if c.version <> p_seen_version then perform private.refuse('case_changed'); end if;
  if (c.status, p_decision) not in (('open', 'confirmed'), ('open', 'cleared'), ('confirmed', 'cleared')) then
    perform private.refuse('case_already_decided');
  end if;
  v_before := c.status;
  update public.doubtful_cases t set status = p_decision, decided_at = private.now(), decided_by = me, reason = btrim(p_reason),
      version = t.version + 1
    where t.id = c.id returning * into c;
  if p_decision = 'cleared' and p_is_pair_cleared then
    insert into private.undoubted_pairs (rule, one_id, other_id)
    select r.rule, least(c.payee_id, r.person_id), greatest(c.payee_id, r.person_id)
    from public.doubt_reasons r where r.case_id = c.id and r.person_id is not null
    on conflict do nothing;
  end if;
  if p_decision = 'cleared' then perform private.end_checks(c); end if;
  perform private.append_audit('doubtful_cases', c.id, 'update', jsonb_build_object('status', v_before),
    jsonb_build_object('status', c.status,
      'rules', (select jsonb_agg(distinct r.rule) from public.doubt_reasons r where r.case_id = c.id))
      || case when p_decision = 'cleared' and p_is_pair_cleared then '{"is_pair_cleared": true}'::jsonb else '{}' end, c.reason);
  return query select c, false;
end
$$;

-- A request in doubt is not approved before its case is cleared; it may be refused.
create function private.check_request_is_clear() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if exists (select from public.company_settings s where s.hold_doubtful)
      and exists (select from public.doubtful_cases c where c.request_id = new.id and c.status <> 'cleared') then
    perform private.refuse('request_under_check');
  end if;
  return new;
end
$$;
create trigger payment_requests_clear before update of status on public.payment_requests for each row
  when (old.status = 'pending' and new.status = 'approved') execute function private.check_request_is_clear();

-- My requests that wait for a check; not why.
create function private.own_requests_under_check() returns setof uuid
language plpgsql stable security definer set search_path = '' as $$
declare
  me uuid := private.require_role('client');
begin
  return query select r.id from public.payment_requests r
    where r.client_id = me and r.status = 'pending'
      and exists (select from public.doubtful_cases c where c.request_id = r.id and c.status <> 'cleared')
      and exists (select from public.company_settings s where s.hold_doubtful);
end
$$;

-- As 0290 has it, but what is under check is not available, whatever its day.
create or replace function public.client_figures()
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
  -- What is kept for some days yet (LG-03), or for a check (FD-01); what has come to its end is available, posted or not.
  kept as (
    select coalesce(sum(h.amount), 0) as held from public.commission_holds h
    where h.payee_id = (select private.uid()) and h.ended_at is null and (h.until > private.now() or h.is_under_check)),
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

grant execute on function private.guard_commission_hold() to parrain_service;
do $$
declare
  f regprocedure;
begin
  for f in select p.oid::regprocedure from pg_proc p where p.pronamespace = 'private'::regnamespace
      and p.proname in ('set_hold_doubtful', 'is_under_check', 'end_checks', 'check_request_is_clear', 'own_requests_under_check') loop
    execute format('alter function %s owner to parrain_service', f);
    execute format('grant execute on function %s to parrain_service', f);
  end loop;
end
$$;
grant execute on function private.set_hold_doubtful(boolean), private.own_requests_under_check() to authenticated;
