-- LG-03: a scale may keep a client's commission for some days before it can be asked for. By default it keeps nothing.

alter table public.commission_rates add column client_hold_days smallint not null default 0,
  add constraint commission_rates_hold_is_within_a_year check (client_hold_days between 0 and 365);

-- A commission that was kept: until when, and how it ended.
create table public.commission_holds (
  commission_id uuid primary key references public.commission_payments (id) on delete restrict,
  payee_id uuid not null references public.profiles (id) on delete restrict,
  amount numeric(12, 2) not null,
  until timestamptz not null,
  ended_at timestamptz,
  -- Taken back before its end: it never was available.
  is_corrected boolean not null default false,
  is_test boolean not null,
  constraint commission_holds_amount_is_positive check (amount > 0),
  constraint commission_holds_corrected_is_ended check (ended_at is not null or not is_corrected)
);
create index commission_holds_by_payee on public.commission_holds (payee_id, until) where ended_at is null;
create index commission_holds_by_end on public.commission_holds (until, commission_id) where ended_at is null;
alter table public.commission_holds enable row level security;
alter table public.commission_holds force row level security;
grant select, insert, update, delete on public.commission_holds to parrain_service;
grant select on public.commission_holds to authenticated, service_role;
create policy commission_holds_service_all on public.commission_holds to parrain_service using (true) with check (true);
create policy commission_holds_secret_read on public.commission_holds for select to service_role using (true);
create policy commission_holds_authenticated_read on public.commission_holds for select to authenticated using (
  case when (select private.user_role()) = 'admin' then true else payee_id = (select private.uid()) end);

-- A hold ends once: by a correction, or when its day has come.
create function private.guard_commission_hold() returns trigger
language plpgsql set search_path = '' as $$
begin
  if tg_op = 'DELETE' and private.is_cleaning() and old.is_test then return old; end if;
  if tg_op = 'UPDATE' and old.ended_at is null and new.ended_at is not null and (new.is_corrected or new.until <= new.ended_at)
    and (new.commission_id, new.payee_id, new.amount, new.until, new.is_test)
      = (old.commission_id, old.payee_id, old.amount, old.until, old.is_test) then
    return new;
  end if;
  perform private.refuse('forbidden');
end
$$;
create trigger commission_holds_guard before update or delete on public.commission_holds
  for each row execute function private.guard_commission_hold();
create trigger commission_holds_stay before truncate on public.commission_holds
  for each statement execute function private.guard_commission_hold();

alter table public.ledger_entries drop constraint ledger_entries_transfer_is_known,
  drop constraint ledger_entries_detail_is_of_its_account,
  add constraint ledger_entries_transfer_is_known check ((act, debit, credit) in (
    ('validation', 'charged', 'available'),
    ('validation', 'charged', 'held'),
    ('release', 'held', 'available'),
    ('correction', 'available', 'charged'),
    ('correction', 'held', 'charged'),
    ('request', 'available', 'reserved'),
    ('refusal', 'reserved', 'available'),
    ('settlement', 'reserved', 'paid'))),
  add constraint ledger_entries_detail_is_of_its_account check (
    (detail is null) = (act in ('release', 'request', 'refusal'))
    and (act not in ('validation', 'correction') or detail in ('client', 'commercial'))
    and (act <> 'settlement' or detail in ('virement', 'cheque_cadeau', 'association', 'remise_societe')));

alter table public.balances add column held numeric(14, 2) not null default 0,
  drop constraint balances_are_not_negative,
  drop constraint balances_never_promise_more_than_earned,
  add constraint balances_are_not_negative check (earned >= 0 and reversed >= 0 and reserved >= 0 and paid >= 0 and held >= 0),
  add constraint balances_never_promise_more_than_earned check (reserved + paid + held <= earned);

-- Each payee's balance as their transfers make it.
create or replace view figures.recounted_balances with (security_invoker = true) as
  select e.payee_id as profile_id,
    coalesce(sum(e.amount) filter (where e.debit = 'charged'), 0) as earned,
    coalesce(sum(e.amount) filter (where e.credit = 'charged'), 0) as reversed,
    coalesce(sum(case when e.credit = 'reserved' then e.amount when e.debit = 'reserved' then -e.amount end), 0) as reserved,
    coalesce(sum(e.amount) filter (where e.credit = 'paid'), 0) as paid,
    coalesce(sum(case when e.credit = 'held' then e.amount when e.debit = 'held' then -e.amount end), 0) as held
  from public.ledger_entries e
  group by e.payee_id;

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
  left join public.commission_holds k on k.commission_id = o.id and k.is_corrected
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

create or replace function private.post_to_balances() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  d record;
begin
  for d in
    select n.payee_id,
      coalesce(sum(n.amount) filter (where n.debit = 'charged'), 0) as earned,
      coalesce(sum(n.amount) filter (where n.credit = 'charged'), 0) as reversed,
      coalesce(sum(case when n.credit = 'reserved' then n.amount when n.debit = 'reserved' then -n.amount end), 0) as reserved,
      coalesce(sum(n.amount) filter (where n.credit = 'paid'), 0) as paid,
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

-- A commission is charged to the company and due to its payee, or kept for them as long as its scale says; a correction's goes back
-- from where it is. Holds are locked before balances, whoever acts.
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
    update public.commission_holds h set ended_at = n.created_at, is_corrected = true
    from new_rows n
    join public.sales s on s.id = n.sale_id
    join public.commission_payments o on o.sale_id = s.corrects_sale_id and o.type = n.type
    where n.amount < 0 and h.commission_id = o.id and h.ended_at is null;
  end if;
  insert into public.ledger_entries (at, act, source_id, payee_id, debit, credit, amount, detail, actor_id, is_test)
  select n.created_at, k.act, n.id, n.recipient_id,
    case when k.sign = 1 then 'charged' when exists (
      select from public.sales s
      join public.commission_payments o on o.sale_id = s.corrects_sale_id and o.type = n.type
      join public.commission_holds h on h.commission_id = o.id and h.is_corrected
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

-- Ends the holds whose day has come: everybody's, as many as asked for, those that another node is at left to it; or one payee's,
-- before they ask for a payment. Gives how many.
create function private.release_holds(p_payee_id uuid, p_most integer) returns integer
language plpgsql security definer set search_path = '' as $$
declare
  ids uuid[];
begin
  if p_payee_id is null then
    ids := array(select h.commission_id from public.commission_holds h
      where h.ended_at is null and h.until <= private.now()
      order by h.until, h.commission_id limit p_most for update skip locked);
  else
    ids := array(select h.commission_id from public.commission_holds h
      where h.payee_id = p_payee_id and h.ended_at is null and h.until <= private.now()
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

-- Legal moves, and what each of them needs of the balance, whose row lock makes simultaneous requests wait for one another (V-16).
create or replace function private.guard_payment_request() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  left_ numeric;
begin
  if tg_op = 'DELETE' then
    if not (private.is_cleaning() and old.is_test) then perform private.refuse('forbidden'); end if;
    return old;
  end if;
  select b.earned - b.reversed - b.held - b.reserved - b.paid into left_ from public.balances b where b.profile_id = new.client_id for update;
  if tg_op = 'INSERT' then
    if new.status <> 'pending' then perform private.refuse('request_illegal_move'); end if;
    if left_ is null or left_ < new.amount then
      perform private.refuse('amount_out_of_range', jsonb_build_object('available', greatest(coalesce(left_, 0), 0)::numeric(14, 2)::text));
    end if;
    return new;
  end if;
  if (new.id, new.client_id, new.amount, new.payment_method, new.payment_details, new.created_at, new.is_test)
      is distinct from (old.id, old.client_id, old.amount, old.payment_method, old.payment_details, old.created_at, old.is_test) then
    perform private.refuse('forbidden');
  end if;
  if new.status <> old.status then
    if not ((old.status, new.status) in (('pending', 'approved'), ('pending', 'rejected'), ('approved', 'paid'), ('approved', 'pending'))) then
      perform private.refuse('request_illegal_move');
    end if;
    if new.status = 'pending' and new.approval_annulled_reason is null then perform private.refuse('refusal_reason_required'); end if;
    -- Someone who owes the company (S-11) is neither approved nor paid before the debt is gone.
    if new.status in ('approved', 'paid') and left_ < 0 then perform private.refuse('balance_in_debt'); end if;
  elsif old.status in ('rejected', 'paid') then
    perform private.refuse('request_illegal_move');
  end if;
  new.version := old.version + 1;
  new.updated_at := private.now();
  return new;
end
$$;

-- F-10, V-14, V-16: asks for a part of what was earned. The balance's row lock decides between simultaneous requests.
-- What was kept for this client until now is available first.
create or replace function private.request_payment(p_amount numeric, p_method text, p_details jsonb, p_details_sealed bytea)
returns public.payment_requests
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('client');
  balance public.balances;
  is_test_person boolean;
  created public.payment_requests;
begin
  -- A cleaning, a deletion or a closure of the same instant is waited for, then the client is found gone.
  select p.is_test into is_test_person from public.profiles p where p.id = me and p.deactivated_at is null for share;
  if not found then raise exception using errcode = 'PR401', message = 'session_expired'; end if;
  perform private.release_holds(me, 1000);
  select * into balance from public.balances b where b.profile_id = me for update;
  if balance.earned - balance.reversed - balance.held - balance.reserved - balance.paid < 0 then perform private.refuse('balance_in_debt'); end if;
  if p_amount is null or p_amount < 1 or p_amount <> round(p_amount, 2) then
    perform private.refuse('amount_out_of_range', jsonb_build_object('available',
      coalesce(balance.earned - balance.reversed - balance.held - balance.reserved - balance.paid, 0)::numeric(14, 2)::text));
  end if;
  insert into public.payment_requests (client_id, amount, payment_method, payment_details, is_test)
  values (me, p_amount, p_method, p_details, is_test_person)
  returning * into created;
  if p_details_sealed is not null then
    insert into private.payment_secrets (request_id, details_sealed) values (created.id, p_details_sealed);
  end if;
  return created;
end
$$;

drop function private.create_commission_rate(text, text, text, numeric, text, numeric, uuid);
-- F-07, S-12: a new scale; where it replaces another, that one is archived in the same breath.
create function private.create_commission_rate(
  p_name text, p_description text, p_client_type text, p_client_amount numeric, p_commercial_type text, p_commercial_amount numeric,
  p_replaces_id uuid default null, p_client_hold_days integer default 0)
returns public.commission_rates
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  created public.commission_rates;
  replaced public.commission_rates;
begin
  if p_replaces_id is not null then
    select * into replaced from public.commission_rates r where r.id = p_replaces_id for update;
    if not found then perform private.refuse('scale_not_found'); end if;
    if replaced.archived_at is not null then perform private.refuse('scale_archived'); end if;
    update public.commission_rates r set archived_at = private.now(), is_default = false where r.id = p_replaces_id;
  end if;
  -- One default at a time, also when two scales are created at once.
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtext('private.commission_rates.default'));
  insert into public.commission_rates (name, description, client_commission_type, client_commission_amount,
    commercial_commission_type, commercial_commission_amount, is_default, replaces_id, is_test,
    client_hold_days)
  values (btrim(p_name), nullif(btrim(p_description), ''), p_client_type, p_client_amount, p_commercial_type, p_commercial_amount,
    coalesce(replaced.is_default, false) or not exists (select 1 from public.commission_rates r where r.is_default),
    p_replaces_id, (select p.is_test from public.profiles p where p.id = me), p_client_hold_days)
  returning * into created;
  return created;
end
$$;

drop function public.client_figures();
-- CL-02, CL-06, CL-07, M-07, M-08, CL-10: « mine » is what is paid to me, and what waits on referrals of mine.
create function public.client_figures()
returns table (friends_invited bigint, signed_contracts bigint, total_commissions numeric, validated_commissions numeric,
  pending_commissions numeric, available numeric, debt numeric, requests_in_progress numeric, requests_in_progress_count bigint,
  payments_received numeric, sales_generated numeric, forecast_commission numeric, contracts_to_validate bigint,
  sales_to_validate_amount numeric, held numeric)
language sql stable set search_path = '' rows 1 as $$
  with mine as (
    select count(*) filter (where s.corrects_sale_id is null) as invited,
      count(*) filter (where s.status = 'validated' and s.corrects_sale_id is null) - count(*) filter (where s.corrects_sale_id is not null) as signed,
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

-- What the company may have to pay its clients within 90 days, by how near it is. All but the last are what is due (admin_figures); the
-- last comes to it if all that waits is validated.
create or replace function public.due_soon()
returns table (step text, number bigint, amount numeric)
language sql stable set search_path = '' rows 4 as $$
  with figures as (select * from public.admin_figures() f),
  kept as (select coalesce(sum(h.amount), 0) as held, count(*) as number from public.commission_holds h where h.ended_at is null),
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

create or replace view public.payee_accounts with (security_invoker = true) as
  select p.id, p.full_name, p.role, b.earned, b.reversed, b.reserved, b.paid,
    (b.earned - b.reversed - b.held - b.reserved - b.paid)::numeric(14, 2) as available, b.held
  from public.balances b join public.profiles p on p.id = b.profile_id;

-- The sums of the ledger and those of the lists, by month in France, between two instants. As far as the asker may see them. What is
-- kept has acts of its own.
create or replace function private.control_between(p_from timestamptz, p_to timestamptz)
returns table (source text, act text, detail text, month date, amount numeric)
language sql stable set search_path = '' rows 100 as $$
  select 'ledger', case when e.act <> 'release' and 'held' in (e.debit, e.credit) then e.act || '_held' else e.act end, coalesce(e.detail, ''), private.month_of(e.at), sum(e.amount)
  from public.ledger_entries e where e.at >= p_from and e.at < p_to
  group by 2, 3, 4
  union all
  select 'lists', case when x.act <> 'release' and 'held' in (x.debit, x.credit) then x.act || '_held' else x.act end, coalesce(x.detail, ''), private.month_of(x.at), sum(x.amount)
  from figures.expected_ledger x where x.at >= p_from and x.at < p_to
  group by 2, 3, 4
$$;

-- Nobody writes until this transaction ends. Whoever is writing goes first: where they hold a lock that this waits for, it lets
-- go of its own and begins again, so that neither waits for the other.
create or replace function private.exclude_writers() returns void
language plpgsql security definer set search_path = '' as $$
declare
  before constant text := current_setting('lock_timeout');
begin
  for attempt in 1 .. 50 loop
    begin
      perform set_config('lock_timeout', '200ms', true);
      lock table auth.users, public.profiles, public.commission_rates, public.sales, public.commission_payments,
        public.payment_requests, public.commission_holds, public.balances in exclusive mode;
      perform set_config('lock_timeout', before, true);
      return;
    exception when lock_not_available or deadlock_detected then
      perform pg_catalog.pg_sleep(0.05);
    end;
  end loop;
  perform private.refuse('unavailable');
end
$$;

-- « Clean database »: the transfers of test data go, and balances are what is left of them. Whoever posts writes a commission, a
-- hold or a request first, and is excluded with it.
create or replace function private.clean_test_data(p_company_name text)
returns table (deleted jsonb, password_change_required boolean)
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  session_id constant uuid := (current_setting('request.jwt.claims')::jsonb ->> 'session_id')::uuid;
  counted jsonb;
  held jsonb;
  payees uuid[];
  admins uuid[];
begin
  if not private.is_session_fresh() then perform private.refuse('reauthentication_required'); end if;
  if not exists (select from public.company_settings c
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
  delete from auth.users u using public.profiles p where p.id = u.id and p.is_test and p.role = 'commercial';

  -- A real commercial may have earned on test sales: what they keep is what is left in the ledger.
  delete from public.balances b where b.profile_id = any (payees)
    and not exists (select from public.ledger_entries e where e.payee_id = b.profile_id);
  update public.balances b set (earned, reversed, reserved, paid, held) =
      (select r.earned, r.reversed, r.reserved, r.paid, r.held from figures.recounted_balances r where r.profile_id = b.profile_id)
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
$$;

alter function private.create_commission_rate(text, text, text, numeric, text, numeric, uuid, integer) owner to parrain_service;
alter function private.release_holds(uuid, integer) owner to parrain_service;
grant execute on function private.create_commission_rate(text, text, text, numeric, text, numeric, uuid, integer) to authenticated, parrain_service;
grant execute on function private.guard_commission_hold(), private.release_holds(uuid, integer) to parrain_service;
grant execute on function public.client_figures() to authenticated;
