-- PO-04: a payee's accounts. One that replaces another is used 48 hours after it was given, or once its owner has confirmed it by the
-- link of the mail that tells them of it.

create table public.payee_ibans (
  id uuid primary key default gen_random_uuid(),
  client_id uuid not null references public.profiles (id) on delete cascade,
  -- A keyed hash: two of the same account are recognised, none is read.
  mark bytea not null,
  created_at timestamptz not null default private.now(),
  usable_from timestamptz not null,
  confirmed_at timestamptz,
  constraint payee_ibans_mark_is_a_hash check (octet_length(mark) = 32),
  constraint payee_ibans_are_told_apart unique (client_id, mark),
  constraint payee_ibans_confirmed_is_usable check (confirmed_at is null or usable_from <= confirmed_at)
);
create index payee_ibans_by_mark on public.payee_ibans (mark);
alter table public.payee_ibans enable row level security;
alter table public.payee_ibans force row level security;
grant select, insert, update, delete on public.payee_ibans to parrain_service;
grant select on public.payee_ibans to authenticated, service_role;
create policy payee_ibans_service_all on public.payee_ibans to parrain_service using (true) with check (true);
create policy payee_ibans_secret_read on public.payee_ibans for select to service_role using (true);
create policy payee_ibans_authenticated_read on public.payee_ibans for select to authenticated using (
  case when (select private.user_role()) = 'admin' then true else client_id = (select private.uid()) end);

alter table public.payment_requests add column iban_id uuid references public.payee_ibans (id) on delete restrict;
create index payment_requests_by_iban on public.payment_requests (iban_id) where iban_id is not null;

-- An account stays what it is; it may be confirmed, once.
create function private.guard_payee_iban() returns trigger
language plpgsql set search_path = '' as $$
begin
  if old.confirmed_at is null and new.confirmed_at is not null and new.usable_from < old.usable_from
    and (new.id, new.client_id, new.mark, new.created_at) = (old.id, old.client_id, old.mark, old.created_at) then
    return new;
  end if;
  perform private.refuse('forbidden');
end
$$;
create trigger payee_ibans_guard before update on public.payee_ibans
  for each row execute function private.guard_payee_iban();

-- The account of a client's request, whose balance is locked. Their first one is usable at once, and so is one that they had before
-- accounts were marked, which its masked form tells.
create function private.payee_iban(p_client_id uuid, p_mark bytea, p_shown text) returns uuid
language plpgsql security definer set search_path = '' as $$
declare
  v_id uuid;
begin
  insert into public.payee_ibans (client_id, mark, usable_from)
  select p_client_id, p_mark, private.now() + case when not exists (
        select from public.payment_requests r where r.client_id = p_client_id and r.payment_method = 'virement')
      or exists (
        select from public.payment_requests r where r.client_id = p_client_id and r.payment_method = 'virement'
          and r.iban_id is null and r.payment_details ->> 'iban' = p_shown)
    then interval '0' else interval '48 hours' end
  on conflict on constraint payee_ibans_are_told_apart do nothing;
  select i.id into v_id from public.payee_ibans i where i.client_id = p_client_id and i.mark = p_mark;
  return v_id;
end
$$;

-- F-10, V-14, V-16: asks for a part of what was earned. The balance's row lock decides between simultaneous requests.
-- What was kept for this client until now is available first. PO-06: within what the company accepts. PO-04: to an account that is known,
-- or from its day on.
drop function private.request_payment(numeric, text, jsonb, bytea);
create function private.request_payment(p_amount numeric, p_method text, p_details jsonb, p_details_sealed bytea, p_iban_mark bytea default null)
returns public.payment_requests
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('client');
  balance public.balances;
  rules public.company_settings;
  is_test_person boolean;
  created public.payment_requests;
begin
  -- A cleaning, a deletion or a closure of the same instant is waited for, then the client is found gone.
  select p.is_test into is_test_person from public.profiles p where p.id = me and p.deactivated_at is null for share;
  if not found then raise exception using errcode = 'PR401', message = 'session_expired'; end if;
  perform private.release_holds(me, 1000);
  select * into balance from public.balances b where b.profile_id = me for update;
  if balance.earned - balance.reversed - balance.held - balance.reserved - balance.paid < 0 then perform private.refuse('balance_in_debt'); end if;
  select * into rules from public.company_settings;
  if not private.accepts_requests_on(extract(day from private.today())::integer, rules.requests_from_day, rules.requests_to_day) then
    perform private.refuse('requests_closed', jsonb_build_object('from', rules.requests_from_day, 'to', rules.requests_to_day));
  end if;
  if not coalesce(p_method = any (rules.payment_methods), false) then perform private.refuse('method_not_offered'); end if;
  if p_amount is null or p_amount < rules.smallest_request or p_amount <> round(p_amount, 2) then
    perform private.refuse('amount_out_of_range', jsonb_build_object('smallest', rules.smallest_request::text, 'available',
      coalesce(balance.earned - balance.reversed - balance.held - balance.reserved - balance.paid, 0)::numeric(14, 2)::text));
  end if;
  insert into public.payment_requests (client_id, amount, payment_method, payment_details, is_test, iban_id)
  values (me, p_amount, p_method, p_details, is_test_person,
    case when p_method = 'virement' and p_iban_mark is not null then private.payee_iban(me, p_iban_mark, p_details ->> 'iban') end)
  returning * into created;
  if p_details_sealed is not null then
    insert into private.payment_secrets (request_id, details_sealed) values (created.id, p_details_sealed);
  end if;
  return created;
end
$$;

-- Legal moves, and what each of them needs of the balance, whose row lock makes simultaneous requests wait for one another (V-16).
-- A request in a batch is decided by its line: rejected by the bank, or returned after it was paid (PO-02).
create or replace function private.guard_payment_request() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  left_ numeric;
  v_line text;
  v_usable_from timestamptz;
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
  if (new.id, new.client_id, new.amount, new.payment_method, new.payment_details, new.created_at, new.is_test, new.iban_id)
      is distinct from (old.id, old.client_id, old.amount, old.payment_method, old.payment_details, old.created_at, old.is_test, old.iban_id) then
    perform private.refuse('forbidden');
  end if;
  if new.status <> old.status then
    select l.status into v_line from public.payment_batch_lines l where l.request_id = old.id
      order by l.status = 'queued' desc, l.status = 'paid' desc limit 1;
    if v_line = 'queued' then perform private.refuse('request_in_batch'); end if;
    if not ((old.status, new.status) in (('pending', 'approved'), ('pending', 'rejected'), ('approved', 'paid'), ('approved', 'pending'))
        or coalesce(v_line = 'rejected', false) and (old.status, new.status) = ('approved', 'rejected')
        or v_line is distinct from 'paid' and (old.status, new.status) = ('paid', 'returned')) then
      perform private.refuse('request_illegal_move');
    end if;
    if new.status = 'returned' and (new.paid_at, new.approved_at) is distinct from (old.paid_at, old.approved_at) then
      perform private.refuse('forbidden');
    end if;
    if new.status = 'pending' and new.approval_annulled_reason is null then perform private.refuse('refusal_reason_required'); end if;
    -- Someone who owes the company (S-11) is neither approved nor paid before the debt is gone. What the bank has paid is paid.
    if new.status in ('approved', 'paid') and left_ < 0 and v_line is distinct from 'paid' then perform private.refuse('balance_in_debt'); end if;
    -- PO-04: nothing goes to a changed account before its day. What the bank has paid is paid.
    if new.status = 'paid' and v_line is distinct from 'paid' then
      select i.usable_from into v_usable_from from public.payee_ibans i where i.id = new.iban_id and i.usable_from > private.now();
      if found then perform private.refuse('iban_not_usable_yet', jsonb_build_object('from', v_usable_from)); end if;
    end if;
  elsif old.status in ('rejected', 'paid', 'returned') then
    perform private.refuse('request_illegal_move');
  end if;
  new.version := old.version + 1;
  new.updated_at := private.now();
  return new;
end
$$;

-- Whoever else is paid on the same account, by name, as far as the asker may see them: a case to doubt.
create function private.sharers_of_iban(p_mark bytea, p_client_id uuid) returns text
language sql stable set search_path = '' as $$
  select string_agg(p.full_name, ', ' order by p.full_name)
  from public.payee_ibans o join public.profiles p on p.id = o.client_id
  where o.mark = p_mark and o.client_id <> p_client_id
$$;
grant execute on function private.sharers_of_iban(bytea, uuid) to authenticated, service_role, parrain_service;

create or replace view public.transfers_to_make with (security_invoker = true) as
  select r.id, r.client_id, p.full_name as client_name, r.amount, r.payment_details ->> 'beneficiary_name' as beneficiary,
    r.payment_details ->> 'iban' as iban, r.created_at, r.is_test,
    case when p.deactivated_at is not null then 'closed'
      when b.earned - b.reversed - b.held - b.reserved - b.paid < 0 then 'debt'
      when i.usable_from > now() then 'iban' end as obstacle,
    case when i.usable_from > now() then i.usable_from end as iban_usable_from,
    private.sharers_of_iban(i.mark, r.client_id) as iban_shared_with
  from public.payment_requests r
  join public.profiles p on p.id = r.client_id
  join public.balances b on b.profile_id = r.client_id
  left join public.payee_ibans i on i.id = r.iban_id
  where r.status = 'approved' and r.payment_method = 'virement'
    and not exists (select from public.payment_batch_lines l where l.request_id = r.id and l.status in ('queued', 'paid'));

create or replace view public.batch_lines with (security_invoker = true) as
  select l.batch_id, l.request_id as id, l.status, l.reason_code, l.reason, l.decided_at, r.amount, r.client_id,
    p.full_name as client_name, r.payment_details ->> 'beneficiary_name' as beneficiary, r.payment_details ->> 'iban' as iban,
    replace(r.id::text, '-', '') as reference,
    case when i.usable_from > now() then i.usable_from end as iban_usable_from,
    private.sharers_of_iban(i.mark, r.client_id) as iban_shared_with
  from public.payment_batch_lines l
  join public.payment_requests r on r.id = l.request_id
  join public.profiles p on p.id = r.client_id
  left join public.payee_ibans i on i.id = r.iban_id;

create or replace function private.require_releasable(p_batch_id uuid, p_seen_version integer, p_expected_total numeric, p_execution_on date)
returns public.payment_batches
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  b public.payment_batches := private.lock_batch(p_batch_id, p_seen_version);
  v_total numeric;
  v_blocked text;
begin
  if b.status <> 'draft' then perform private.refuse('batch_illegal_move'); end if;
  if p_execution_on is null or p_execution_on < private.today() or p_execution_on > private.today() + 60
      or extract(isodow from p_execution_on) > 5 then
    perform private.refuse('execution_day_refused');
  end if;
  perform 1 from public.payment_requests r join public.payment_batch_lines l on l.request_id = r.id
    where l.batch_id = b.id order by r.id for update of r;
  select sum(r.amount) into v_total from public.payment_requests r join public.payment_batch_lines l on l.request_id = r.id
    where l.batch_id = b.id;
  if v_total is distinct from p_expected_total then perform private.refuse('batch_changed'); end if;
  if b.made_by = me and v_total > (select c.release_above from public.company_settings c) then
    perform private.refuse('second_admin_required');
  end if;
  if not exists (select from private.company_account) then perform private.refuse('company_account_missing'); end if;
  select string_agg(p.full_name, ', ' order by p.full_name) into v_blocked
    from public.payment_batch_lines l
    join public.payment_requests r on r.id = l.request_id
    join public.profiles p on p.id = r.client_id
    join public.balances k on k.profile_id = r.client_id
    left join public.payee_ibans i on i.id = r.iban_id
    where l.batch_id = b.id and (p.deactivated_at is not null or i.usable_from > private.now() or k.earned - k.reversed - k.held - k.reserved - k.paid < 0
      or not exists (select from private.payment_secrets s where s.request_id = r.id));
  if v_blocked is not null then perform private.refuse('batch_blocked', jsonb_build_object('payees', left(v_blocked, 500))); end if;
  return b;
end
$$;

-- The account of a request, for those who see the request.
create view public.request_ibans with (security_invoker = true) as
  select r.id, i.usable_from, i.confirmed_at, private.sharers_of_iban(i.mark, r.client_id) as shared_with
  from public.payment_requests r join public.payee_ibans i on i.id = r.iban_id;
grant select on public.request_ibans to authenticated, service_role;

-- The owner of the mailbox says that the account is theirs, without signing in. Said twice, or too late, it changes nothing.
create function private.confirm_iban(p_id uuid) returns text
language plpgsql security definer set search_path = '' as $$
declare
  i public.payee_ibans;
begin
  select * into i from public.payee_ibans t where t.id = p_id for update;
  if not found then perform private.refuse('iban_link_unknown'); end if;
  if i.confirmed_at is not null then return 'already'; end if;
  if i.usable_from <= private.now() then return 'usable'; end if;
  update public.payee_ibans t set usable_from = private.now(), confirmed_at = private.now() where t.id = i.id;
  perform private.append_audit('profiles', i.client_id, 'confirm_iban', null, null, null);
  return 'confirmed';
end
$$;

do $$
declare
  f regprocedure;
begin
  for f in select p.oid::regprocedure from pg_proc p where p.pronamespace = 'private'::regnamespace
      and p.proname in ('payee_iban', 'request_payment', 'confirm_iban') loop
    execute format('alter function %s owner to parrain_service', f);
    execute format('grant execute on function %s to parrain_service', f);
  end loop;
end
$$;
grant execute on function private.guard_payee_iban() to parrain_service;
grant execute on function private.request_payment(numeric, text, jsonb, bytea, bytea) to authenticated;
