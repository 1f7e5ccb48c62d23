-- SC-01: what is written from now on is held to its version. The locks of these constraints wait for the validations that the former
-- function began.
alter table public.sale_terms
  add constraint sale_terms_sale_id_fkey foreign key (sale_id) references public.sales (id) on delete cascade not valid,
  add constraint sale_terms_version_id_fkey foreign key (version_id, number, first_day)
    references public.scale_versions (id, number, first_day) on delete restrict not valid;

-- A client's commission is kept for as long as the version of its contract says.
create or replace function private.post_commissions() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  holds_doubtful constant boolean := (select c.hold_doubtful from public.company_settings c);
begin
  insert into public.commission_holds (commission_id, payee_id, amount, until, is_under_check, is_test)
  select k.id, k.recipient_id, k.amount, k.created_at + make_interval(days => k.hold_days), k.is_under_check, k.is_test
  from (
    select n.id, n.recipient_id, n.amount, n.created_at, n.is_test,
      case n.type when 'client' then coalesce((v.rules ->> 'client_hold_days')::integer, 0) else 0 end as hold_days,
      case when holds_doubtful then private.is_under_check(n.sale_id, coalesce(s.friend_referrer_id, s.client_referrer_id))
        else false end as is_under_check
    from new_rows n
    join public.sales s on s.id = n.sale_id and s.corrects_sale_id is null
    join public.sale_terms t on t.sale_id = s.id
    join public.scale_versions v on v.id = t.version_id
    where n.amount > 0) k
  where k.hold_days > 0 or k.is_under_check;
  if exists (select from new_rows n join public.sales s on s.id = n.sale_id where s.corrects_sale_id is not null) then
    with corrected as (
      select h.commission_id, n.id, n.recipient_id, n.amount, n.created_at, h.until, n.is_test, h.amount + n.amount as left_
      from new_rows n
      join public.sales s on s.id = n.sale_id
      join public.commission_payments o on o.sale_id = s.corrects_sale_id and o.type = n.type
      join public.commission_holds h on h.commission_id = o.id
      where n.amount <> 0 and h.ended_at is null
      order by h.commission_id for update of h),
    changed as (
      update public.commission_holds h set amount = case when c.left_ > 0 then c.left_ else h.amount end,
        ended_at = case when c.left_ > 0 then null else c.created_at end, is_corrected = c.left_ = 0,
        is_under_check = h.is_under_check and c.left_ > 0
      from corrected c where h.commission_id = c.commission_id)
    insert into public.commission_holds (commission_id, payee_id, amount, until, ended_at, is_corrected, is_test)
    select c.id, c.recipient_id, abs(c.amount), c.until, c.created_at, true, c.is_test from corrected c where c.left_ > 0;
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

-- A validated sale has its commissions, and the version that gave them.
create or replace function private.check_sale_is_paid() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  expected integer := 1 + (coalesce(new.friend_referrer_id, new.client_referrer_id) is not null)::integer;
begin
  if new.admin_validated and (select count(*) from public.commission_payments p where p.sale_id = new.id) <> expected then
    raise exception using errcode = 'check_violation', message = 'a validated sale has one commission per beneficiary side';
  end if;
  if new.admin_validated and new.corrects_sale_id is null
    and not exists (select from public.sale_terms t where t.sale_id = new.id) then
    raise exception using errcode = 'check_violation', message = 'a validated sale keeps the version of its scale';
  end if;
  return null;
end
$$;
