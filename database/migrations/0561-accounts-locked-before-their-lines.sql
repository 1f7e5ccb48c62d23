-- LG-01, PO-05: the ledger's ids follow the order in which a payee's account changes only where its balance is locked before an entry takes
-- its id. Validations, corrections, adjustments and ends of holds took the id first and the lock afterwards: what was paid meanwhile stood
-- after them in the ledger, without having counted them.

-- Locks the balances of payees, as everybody takes them: after a cleaning of test data, in the order of their owners. Who has none yet has
-- one from now on, of nothing.
create function private.lock_balances(p_payee_ids uuid[]) returns void
language plpgsql security definer set search_path = '' set plan_cache_mode = 'force_generic_plan' as $$
declare
  locked integer;
begin
  lock table public.balances in row exclusive mode;
  perform 1 from public.balances b where b.profile_id = any (p_payee_ids) order by b.profile_id for update;
  get diagnostics locked = row_count;
  if locked < (select count(distinct i) from unnest(p_payee_ids) i) then
    insert into public.balances (profile_id) select distinct i from unnest(p_payee_ids) i order by i on conflict do nothing;
    perform 1 from public.balances b where b.profile_id = any (p_payee_ids) order by b.profile_id for update;
  end if;
end
$$;
alter function private.lock_balances(uuid[]) owner to parrain_service;
grant execute on function private.lock_balances(uuid[]) to parrain_service;

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

create or replace function private.post_adjustment() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  amount constant numeric := case when old.adjustment is null then new.adjustment else -new.adjustment end;
begin
  perform private.lock_balances(array[new.payee_id]);
  insert into public.ledger_entries (at, act, source_id, payee_id, debit, credit, amount, actor_id, is_test)
  values (coalesce(new.adjustment_annulled_at, new.closed_at), case when amount > 0 then 'adjustment' else 'deduction' end, new.id,
    new.payee_id, case when amount > 0 then 'adjusted' else 'available' end, case when amount > 0 then 'available' else 'adjusted' end,
    abs(amount), private.uid(), new.is_test);
  return null;
end
$$;

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
    perform private.lock_balances(array(select h.payee_id from public.commission_holds h where h.commission_id = any (ids)));
    insert into public.ledger_entries (at, act, source_id, payee_id, debit, credit, amount, actor_id, is_test)
    select private.now(), 'release', h.commission_id, h.payee_id, 'held', 'available', h.amount, private.uid(), h.is_test
    from public.commission_holds h where h.commission_id = any (ids)
    order by h.payee_id, h.until, h.commission_id;
  end if;
  return cardinality(ids);
end
$$;
