-- Every euro as a transfer from one account to another, and balances as the sums of transfers (decision 0030).

create table public.ledger_entries (
  id bigint generated always as identity,
  at timestamptz not null,
  act text not null,
  -- The row whose act it is: a commission, a payment request. An act is posted once.
  source_id uuid not null,
  line smallint not null default 1,
  payee_id uuid not null references public.profiles (id) on delete restrict,
  debit text not null,
  credit text not null,
  amount numeric(12, 2) not null,
  -- Of what is charged the side (client, commercial), of what is paid the means of payment.
  detail text,
  actor_id uuid,
  is_test boolean not null,
  primary key (source_id, act, line),
  constraint ledger_entries_amount_is_positive check (amount > 0),
  constraint ledger_entries_transfer_is_known check ((act, debit, credit) in (
    ('validation', 'charged', 'available'),
    ('correction', 'available', 'charged'),
    ('request', 'available', 'reserved'),
    ('refusal', 'reserved', 'available'),
    ('settlement', 'reserved', 'paid'))),
  constraint ledger_entries_detail_is_of_its_account check (
    (detail is null) = (act in ('request', 'refusal'))
    and (act not in ('validation', 'correction') or detail in ('client', 'commercial'))
    and (act <> 'settlement' or detail in ('virement', 'cheque_cadeau', 'association', 'remise_societe')))
);
-- One payee's statement, in the order in which their balance changed.
create index ledger_entries_by_payee on public.ledger_entries (payee_id, id desc);
grant select, insert, delete on public.ledger_entries to parrain_service;
grant select on public.ledger_entries to authenticated, service_role;
create policy ledger_entries_authenticated_read on public.ledger_entries for select to authenticated using (
  case when (select private.user_role()) = 'admin' then true else payee_id = (select private.uid()) end);

-- Each payee's balance as their transfers make it.
create view figures.recounted_balances with (security_invoker = true) as
  select e.payee_id as profile_id,
    coalesce(sum(e.amount) filter (where e.debit = 'charged'), 0) as earned,
    coalesce(sum(e.amount) filter (where e.credit = 'charged'), 0) as reversed,
    coalesce(sum(case when e.credit = 'reserved' then e.amount when e.debit = 'reserved' then -e.amount end), 0) as reserved,
    coalesce(sum(e.amount) filter (where e.credit = 'paid'), 0) as paid
  from public.ledger_entries e
  group by e.payee_id;
grant select on figures.recounted_balances to parrain_service;

-- The transfers that commissions and requests make: what must stand in the ledger, and nothing else (`npm run verify`). The day is
-- that of the row; a refused request is frozen since its refusal.
create view figures.expected_ledger with (security_invoker = true) as
  select c.id as source_id, case when c.amount > 0 then 'validation' else 'correction' end as act, 1::smallint as line,
    c.recipient_id as payee_id, case when c.amount > 0 then 'charged' else 'available' end as debit,
    case when c.amount > 0 then 'available' else 'charged' end as credit, abs(c.amount)::numeric(12, 2) as amount, c.type as detail,
    c.is_test, c.created_at as at
  from public.commission_payments c where c.amount <> 0
  union all
  select r.id, 'request', 1, r.client_id, 'available', 'reserved', r.amount, null, r.is_test, r.created_at from public.payment_requests r
  union all
  select r.id, 'refusal', 1, r.client_id, 'reserved', 'available', r.amount, null, r.is_test, r.updated_at
  from public.payment_requests r where r.status = 'rejected'
  union all
  select r.id, 'settlement', 1, r.client_id, 'reserved', 'paid', r.amount, r.payment_method, r.is_test, r.paid_at
  from public.payment_requests r where r.status = 'paid';
grant select on figures.expected_ledger to parrain_service;

-- What stands before the ledger comes over. An owner of tables without more rights sees none of their rows; the server's role does.
set local role parrain_service;
insert into public.ledger_entries (at, act, source_id, line, payee_id, debit, credit, amount, detail, is_test)
select e.at, e.act, e.source_id, e.line, e.payee_id, e.debit, e.credit, e.amount, e.detail, e.is_test
from figures.expected_ledger e
-- Of one instant, what is asked for comes before its end.
order by e.at, e.act in ('refusal', 'settlement'), e.source_id;

do $$
declare
  differing uuid;
begin
  select coalesce(b.profile_id, r.profile_id) into differing
  from public.balances b full join figures.recounted_balances r on r.profile_id = b.profile_id
  where (coalesce(b.earned, 0), coalesce(b.reversed, 0), coalesce(b.reserved, 0), coalesce(b.paid, 0))
    <> (coalesce(r.earned, 0), coalesce(r.reversed, 0), coalesce(r.reserved, 0), coalesce(r.paid, 0))
  limit 1;
  if found then
    raise exception 'Le solde de % n’est pas la somme de ses commissions et de ses demandes : lancez « npm run verify » avec la version précédente.', differing;
  end if;
end
$$;
reset role;

alter table public.ledger_entries enable row level security;
alter table public.ledger_entries force row level security;
create policy ledger_entries_service_all on public.ledger_entries to parrain_service using (true) with check (true);
create policy ledger_entries_secret_read on public.ledger_entries for select to service_role using (true);

-- Written once: a mistake is made good by another transfer. Only test data goes, with the cleaning.
create function private.guard_ledger_entry() returns trigger
language plpgsql set search_path = '' as $$
begin
  if tg_op = 'DELETE' and private.is_cleaning() and old.is_test then return old; end if;
  perform private.refuse('forbidden');
end
$$;
create trigger ledger_entries_guard before update or delete on public.ledger_entries
  for each row execute function private.guard_ledger_entry();
create trigger ledger_entries_are_append_only before truncate on public.ledger_entries
  for each statement execute function private.guard_ledger_entry();

-- A balance is the sum of its transfers. Payees are added to in the order of their ids, so that two acts never wait for each other.
create function private.post_to_balances() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  d record;
begin
  for d in
    select n.payee_id,
      coalesce(sum(n.amount) filter (where n.debit = 'charged'), 0) as earned,
      coalesce(sum(n.amount) filter (where n.credit = 'charged'), 0) as reversed,
      coalesce(sum(case when n.credit = 'reserved' then n.amount when n.debit = 'reserved' then -n.amount end), 0) as reserved,
      coalesce(sum(n.amount) filter (where n.credit = 'paid'), 0) as paid
    from new_rows n group by n.payee_id order by n.payee_id
  loop
    update public.balances b set earned = b.earned + d.earned, reversed = b.reversed + d.reversed,
        reserved = b.reserved + d.reserved, paid = b.paid + d.paid
      where b.profile_id = d.payee_id;
    if not found then
      -- A first commission; another one of the same instant may have come first.
      insert into public.balances as b (profile_id, earned, reversed, reserved, paid)
      values (d.payee_id, d.earned, d.reversed, d.reserved, d.paid)
      on conflict (profile_id) do update set earned = b.earned + excluded.earned, reversed = b.reversed + excluded.reversed,
        reserved = b.reserved + excluded.reserved, paid = b.paid + excluded.paid;
    end if;
  end loop;
  return null;
end
$$;
create trigger ledger_entries_post after insert on public.ledger_entries
  referencing new table as new_rows for each statement execute function private.post_to_balances();

-- A commission is charged to the company and due to its payee; a correction's goes back. One that rounds to nothing moves nothing.
create function private.post_commissions() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  insert into public.ledger_entries (at, act, source_id, payee_id, debit, credit, amount, detail, actor_id, is_test)
  select n.created_at, k.act, n.id, n.recipient_id, k.debit, k.credit, abs(n.amount), n.type, private.uid(), n.is_test
  from new_rows n
  join (values (1, 'validation', 'charged', 'available'), (-1, 'correction', 'available', 'charged')) k (sign, act, debit, credit)
    on k.sign = sign(n.amount)
  order by n.recipient_id;
  return null;
end
$$;
drop trigger commission_payments_count on public.commission_payments;
drop function private.count_commissions();
create trigger commission_payments_post after insert on public.commission_payments
  referencing new table as new_rows for each statement execute function private.post_commissions();

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
  select b.earned - b.reversed - b.reserved - b.paid into left_ from public.balances b where b.profile_id = new.client_id for update;
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

-- What is asked for is set aside; a refusal gives it back, a settlement pays it. Approvals move no money.
create function private.post_payment_request() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  insert into public.ledger_entries (at, act, source_id, payee_id, debit, credit, amount, detail, actor_id, is_test)
  select coalesce(new.paid_at, new.updated_at), k.act, new.id, new.client_id, k.debit, k.credit, new.amount,
    case k.act when 'settlement' then new.payment_method end, private.uid(), new.is_test
  from (values ('pending', 'request', 'available', 'reserved'), ('rejected', 'refusal', 'reserved', 'available'),
    ('paid', 'settlement', 'reserved', 'paid')) k (status, act, debit, credit)
  where k.status = new.status;
  return null;
end
$$;
create trigger payment_requests_post after insert on public.payment_requests
  for each row execute function private.post_payment_request();
create trigger payment_requests_post_decision after update on public.payment_requests
  for each row when (old.status <> new.status and new.status in ('rejected', 'paid')) execute function private.post_payment_request();

-- « Clean database »: the transfers of test data go, and balances are what is left of them. Whoever posts writes a commission or a
-- request first, and is excluded with it.
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
  update public.balances b set (earned, reversed, reserved, paid) =
      (select r.earned, r.reversed, r.reserved, r.paid from figures.recounted_balances r where r.profile_id = b.profile_id)
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

alter function private.post_to_balances() owner to parrain_service;
alter function private.post_commissions() owner to parrain_service;
alter function private.post_payment_request() owner to parrain_service;
grant execute on function private.guard_ledger_entry(), private.post_to_balances(), private.post_commissions(),
  private.post_payment_request() to parrain_service;
