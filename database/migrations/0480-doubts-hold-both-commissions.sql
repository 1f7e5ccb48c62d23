-- FD-01: of a doubtful sale the commercial's commission is kept with the client's, where the company keeps money (decision 0034); and a
-- reason names ten people at most, of however many share a telephone.

-- As 0390 has it, but one plan for a connection's life, and no more people than an admin reads.
create or replace function private.doubts_of_sale(p_sale_id uuid) returns setof private.doubt
language plpgsql stable security definer set search_path = '' set plan_cache_mode = 'force_generic_plan' as $$
declare
  -- A switchboard's number, or one typed in where none was known, says no more of a thousand people than of ten.
  most_named constant integer := 10;
  s record;
  friend_mailbox text;
  own_mailbox text;
  friend_phone text;
  own_phone text;
  own_name text;
begin
  select p.id as payee_id, t.commercial_id, t.referred_contact_name, t.referred_contact_email, t.referred_contact_phone,
      p.email, p.phone, p.full_name into s
    from public.sales t join public.profiles p on p.id = coalesce(t.friend_referrer_id, t.client_referrer_id)
    where t.id = p_sale_id;
  if not found then return; end if;
  friend_mailbox := private.loose_mailbox_of(s.referred_contact_email);
  own_mailbox := private.loose_mailbox_of(s.email);
  friend_phone := private.phone_of(s.referred_contact_phone);
  own_phone := private.phone_of(s.phone);
  if length(friend_phone) < 8 then friend_phone := null; end if;
  if length(own_phone) < 8 then own_phone := null; end if;
  own_name := private.likeness_of_name(s.full_name);
  if friend_mailbox = own_mailbox then return next row('self_referral', 'email', null)::private.doubt; end if;
  if friend_phone = own_phone then return next row('self_referral', 'phone', null)::private.doubt; end if;
  if private.likeness_of_name(s.referred_contact_name) = own_name then
    return next row('self_referral', 'name', null)::private.doubt;
  end if;
  return query select k.rule, 'email', o.id
    from (values ('known_friend', friend_mailbox), ('team_referrer', own_mailbox)) k (rule, mailbox)
    cross join lateral (select p.id from public.profiles p
      where private.loose_mailbox_of(p.email) = k.mailbox and p.email <> '' and p.deactivated_at is null
        and case k.rule when 'known_friend' then p.id <> s.payee_id else p.role <> 'client' end limit most_named) o;
  if num_nonnulls(friend_phone, own_phone) > 0 then
    return query select k.rule, 'phone', o.id
      from (values ('known_friend', friend_phone), ('team_referrer', own_phone)) k (rule, phone)
      cross join lateral (select p.id from public.profiles p
        where private.phone_of(p.phone) = k.phone and p.phone is not null and p.deactivated_at is null
          and case k.rule when 'known_friend' then p.id <> s.payee_id else p.role <> 'client' end limit most_named) o;
  end if;
  return query select 'team_referrer', 'name', p.id from public.profiles p
    where p.id = s.commercial_id and private.likeness_of_name(p.full_name) = own_name;
end
$$;

-- As 0392 has it, but for both sides. What weighs on a sale is a case about it or about its referrer, whoever is paid.
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

-- As 0392 has it, for both sides.
create or replace function private.end_checks(p_case public.doubtful_cases) returns void
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
      join public.commission_payments p on p.id = h.commission_id join public.sales s on s.id = p.sale_id
      where coalesce(s.friend_referrer_id, s.client_referrer_id) = p_case.payee_id and h.is_under_check
      order by h.commission_id for update of h);
  end if;
  for v_payee in
    with ended as (
      update public.commission_holds h set is_under_check = false
      from public.commission_payments p join public.sales s on s.id = p.sale_id
      where h.commission_id = any (ids) and p.id = h.commission_id and not exists (
        select from public.doubtful_cases c where c.status <> 'cleared' and (c.sale_id = p.sale_id
          or c.payee_id = coalesce(s.friend_referrer_id, s.client_referrer_id) and c.sale_id is null and c.request_id is null))
      returning h.payee_id)
    select distinct e.payee_id from ended e order by e.payee_id
  loop
    perform private.release_holds(v_payee, 1000);
  end loop;
end
$$;

-- As 0221 has it: of what is kept, what is due to clients.
create or replace function public.due_soon()
returns table (step text, number bigint, amount numeric)
language sql stable set search_path = '' rows 4 as $$
  with figures as (select * from public.admin_figures() f),
  kept as (select coalesce(sum(h.amount), 0) as held, count(*) as number from public.commission_holds h
    join public.commission_payments p on p.id = h.commission_id and p.type = 'client' where h.ended_at is null),
  steps as (
    select 1 as place, 'to_pay' as step, f.requests_to_pay as number, f.to_pay_amount as amount from figures f
    union all select 2, 'to_decide', f.requests_to_decide, f.to_decide_amount from figures f
    union all select 3, 'available', null, f.commissions_due - f.to_pay_amount - f.to_decide_amount - k.held from figures f, kept k
    union all select 4, 'held', k.number, k.held from kept k where k.number > 0 and (select private.user_role()) = 'admin'
    union all select 5, 'forecast', f.sales_to_validate, (
      select coalesce(sum(t.client_commission), 0) from figures.sale_totals t
      where t.state in ('awaiting_final_validation', 'awaiting_admin_validation')) from figures f)
  select s.step, s.number, s.amount from steps s order by s.place
$$;
