-- PO-01, PO-02: approved transfers gathered in a batch, its file for the bank, and what became of each line (decision 0031).

alter table public.company_settings add column release_above numeric(12, 2)
  constraint company_settings_release_above_is_an_amount check (release_above between 0 and 9999999999);

create table public.payment_batches (
  id uuid primary key default gen_random_uuid(),
  number integer generated always as identity,
  status text not null default 'draft',
  made_by uuid references public.profiles (id) on delete set null,
  created_at timestamptz not null default private.now(),
  -- A day of France, on which the bank is asked to pay.
  execution_on date,
  -- The version of pain.001.001.
  format text,
  released_by uuid references public.profiles (id) on delete set null,
  released_at timestamptz,
  sent_at timestamptz,
  settled_at timestamptz,
  version integer not null default 1,
  updated_at timestamptz not null default private.now(),
  is_test boolean not null,
  constraint payment_batches_status_is_known check (status in ('draft', 'released', 'sent', 'settled')),
  constraint payment_batches_format_is_known check (format in ('03', '09')),
  constraint payment_batches_release_is_whole check (
    (status = 'draft') = (released_at is null) and (status = 'draft') = (execution_on is null) and (status = 'draft') = (format is null)),
  constraint payment_batches_times_follow_the_status check (
    (status = 'settled') = (settled_at is not null) and (sent_at is null or status in ('sent', 'settled'))
    and (status <> 'sent' or sent_at is not null))
);
create index payment_batches_by_creation on public.payment_batches (created_at desc, id);
create index payment_batches_by_maker on public.payment_batches (made_by);
create index payment_batches_by_releaser on public.payment_batches (released_by);

create table public.payment_batch_lines (
  batch_id uuid not null references public.payment_batches (id) on delete cascade,
  request_id uuid not null references public.payment_requests (id) on delete cascade,
  status text not null default 'queued',
  -- ISO 20022's code of a rejection: AC04.
  reason_code text,
  reason text,
  decided_at timestamptz,
  primary key (batch_id, request_id),
  constraint payment_batch_lines_status_is_known check (status in ('queued', 'paid', 'rejected')),
  constraint payment_batch_lines_decided_has_its_time check ((status = 'queued') = (decided_at is null)),
  constraint payment_batch_lines_rejection_has_a_reason check (
    (status = 'rejected') = (reason is not null) and (reason_code is null or status = 'rejected')),
  constraint payment_batch_lines_reason_is_a_text check (private.is_text(reason, 500) and btrim(reason) <> ''),
  constraint payment_batch_lines_reason_code_is_one check (private.is_line(reason_code, 4) and reason_code ~ '^[0-9A-Z]{4}$')
);
-- PO-02: no request is paid twice. It stands in one line that may pay it, or did.
create unique index payment_batch_lines_pay_once on public.payment_batch_lines (request_id) where status in ('queued', 'paid');
create index payment_batch_lines_by_request on public.payment_batch_lines (request_id);

-- What was given to the bank, byte for byte: sealed, for it holds the accounts in clear.
create table private.batch_files (
  batch_id uuid primary key references public.payment_batches (id) on delete cascade,
  sealed bytea not null,
  sha256 bytea not null,
  constraint batch_files_sha256_is_one check (octet_length(sha256) = 32)
);

do $$
declare
  name text;
begin
  foreach name in array array['public.payment_batches', 'public.payment_batch_lines', 'private.batch_files'] loop
    execute format('alter table %s enable row level security', name);
    execute format('alter table %s force row level security', name);
    execute format('grant select, insert, update, delete on %s to parrain_service', name);
    execute format('create policy %I on %s to parrain_service using (true) with check (true)', split_part(name, '.', 2) || '_service_all', name);
    if name like 'public.%' then
      execute format('grant select on %s to authenticated, service_role', name);
      execute format('create policy %I on %s for select to service_role using (true)', split_part(name, '.', 2) || '_secret_read', name);
      execute format('create policy %I on %s for select to authenticated using ((select private.user_role()) = ''admin'')',
        split_part(name, '.', 2) || '_authenticated_read', name);
    end if;
  end loop;
end
$$;

create function private.guard_payment_batch() returns trigger
language plpgsql set search_path = '' as $$
begin
  if tg_op = 'DELETE' then
    if old.status = 'draft' or private.is_cleaning() and old.is_test then return old; end if;
    perform private.refuse('batch_illegal_move');
  end if;
  if tg_op = 'INSERT' then
    if new.status <> 'draft' then perform private.refuse('batch_illegal_move'); end if;
    return new;
  end if;
  if (new.id, new.number, new.created_at, new.is_test) <> (old.id, old.number, old.created_at, old.is_test)
      or old.status <> 'draft' and (new.execution_on, new.format, new.released_at) <> (old.execution_on, old.format, old.released_at) then
    perform private.refuse('forbidden');
  end if;
  if new.status <> old.status
      and not ((old.status, new.status) in (('draft', 'released'), ('released', 'sent'), ('released', 'settled'), ('sent', 'settled'))) then
    perform private.refuse('batch_illegal_move');
  end if;
  -- A person who is forgotten leaves the name, and nothing else of the batch.
  if new.status <> old.status then
    new.version := old.version + 1;
    new.updated_at := private.now();
  end if;
  return new;
end
$$;
create trigger payment_batches_guard before insert or update or delete on public.payment_batches
  for each row execute function private.guard_payment_batch();
create trigger payment_batches_audit after insert or update or delete on public.payment_batches
  for each row execute function private.audit_change();

-- Lines come and go while the batch is a draft; each is decided once, when the file has been made.
create function private.guard_payment_batch_line() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  v_status text;
begin
  select b.status into v_status from public.payment_batches b where b.id = coalesce(new.batch_id, old.batch_id);
  if tg_op = 'DELETE' then
    -- With its batch, whose own guard has said yes, or from a draft.
    if v_status is null or v_status = 'draft' or private.is_cleaning() then return old; end if;
    perform private.refuse('batch_illegal_move');
  end if;
  if tg_op = 'INSERT' then
    if v_status <> 'draft' or new.status <> 'queued' then perform private.refuse('batch_illegal_move'); end if;
    return new;
  end if;
  if (new.batch_id, new.request_id) <> (old.batch_id, old.request_id) then perform private.refuse('forbidden'); end if;
  if old.status <> 'queued' or v_status not in ('released', 'sent') then perform private.refuse('batch_illegal_move'); end if;
  return new;
end
$$;
create trigger payment_batch_lines_guard before insert or update or delete on public.payment_batch_lines
  for each row execute function private.guard_payment_batch_line();

-- A batch without a line is no batch: the last one taken out of a draft, or a cleaning, takes it along.
create function private.drop_empty_batches() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  delete from public.payment_batches b where b.id in (select o.batch_id from old_rows o)
    and not exists (select from public.payment_batch_lines l where l.batch_id = b.id);
  return null;
end
$$;
create trigger payment_batch_lines_drop_empty after delete on public.payment_batch_lines
  referencing old table as old_rows for each statement execute function private.drop_empty_batches();

-- Legal moves, and what each of them needs of the balance, whose row lock makes simultaneous requests wait for one another (V-16).
-- A request in a batch is decided by its line; the bank's rejection is the one way from approved to refused (PO-02).
create or replace function private.guard_payment_request() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  left_ numeric;
  v_line text;
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
    select l.status into v_line from public.payment_batch_lines l where l.request_id = old.id
      order by l.status = 'queued' desc, l.status = 'paid' desc limit 1;
    if v_line = 'queued' then perform private.refuse('request_in_batch'); end if;
    if not ((old.status, new.status) in (('pending', 'approved'), ('pending', 'rejected'), ('approved', 'paid'), ('approved', 'pending'))
        or coalesce(v_line = 'rejected', false) and (old.status, new.status) = ('approved', 'rejected')) then
      perform private.refuse('request_illegal_move');
    end if;
    if new.status = 'pending' and new.approval_annulled_reason is null then perform private.refuse('refusal_reason_required'); end if;
    -- Someone who owes the company (S-11) is neither approved nor paid before the debt is gone. What the bank has paid is paid.
    if new.status in ('approved', 'paid') and left_ < 0 and v_line is distinct from 'paid' then perform private.refuse('balance_in_debt'); end if;
  elsif old.status in ('rejected', 'paid') then
    perform private.refuse('request_illegal_move');
  end if;
  new.version := old.version + 1;
  new.updated_at := private.now();
  return new;
end
$$;

-- Approved transfers that no batch has, and what keeps one from being paid, as far as the database knows.
create view public.transfers_to_make with (security_invoker = true) as
  select r.id, r.client_id, p.full_name as client_name, r.amount, r.payment_details ->> 'beneficiary_name' as beneficiary,
    r.payment_details ->> 'iban' as iban, r.created_at, r.is_test,
    case when p.deactivated_at is not null then 'closed'
      when b.earned - b.reversed - b.held - b.reserved - b.paid < 0 then 'debt' end as obstacle
  from public.payment_requests r
  join public.profiles p on p.id = r.client_id
  join public.balances b on b.profile_id = r.client_id
  where r.status = 'approved' and r.payment_method = 'virement'
    and not exists (select from public.payment_batch_lines l where l.request_id = r.id and l.status in ('queued', 'paid'));

create view public.batch_summaries with (security_invoker = true) as
  select b.id, b.number, b.status, b.created_at, b.execution_on, b.format, b.released_at, b.sent_at, b.settled_at, b.version,
    (select m.full_name from public.profiles m where m.id = b.made_by) as made_by_name, b.made_by,
    (select m.full_name from public.profiles m where m.id = b.released_by) as released_by_name,
    s.lines, s.total, s.paid, s.rejected
  from public.payment_batches b
  cross join lateral (
    select count(*)::integer as lines, coalesce(sum(r.amount), 0)::numeric(14, 2) as total,
      (count(*) filter (where l.status = 'paid'))::integer as paid, (count(*) filter (where l.status = 'rejected'))::integer as rejected
    from public.payment_batch_lines l join public.payment_requests r on r.id = l.request_id where l.batch_id = b.id) s;

create view public.batch_lines with (security_invoker = true) as
  select l.batch_id, l.request_id as id, l.status, l.reason_code, l.reason, l.decided_at, r.amount, r.client_id,
    p.full_name as client_name, r.payment_details ->> 'beneficiary_name' as beneficiary, r.payment_details ->> 'iban' as iban,
    replace(r.id::text, '-', '') as reference
  from public.payment_batch_lines l
  join public.payment_requests r on r.id = l.request_id
  join public.profiles p on p.id = r.client_id;
grant select on public.transfers_to_make, public.batch_summaries, public.batch_lines to authenticated, service_role;

-- PO-01: gathers approved transfers, as they were seen: so many, so much.
create function private.make_batch(p_request_ids uuid[], p_expected_total numeric) returns uuid
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  v_batch uuid;
  found record;
begin
  perform 1 from public.payment_requests r where r.id = any (p_request_ids) order by r.id for update;
  select count(*) as number, sum(r.amount) as total, bool_and(r.status = 'approved' and r.payment_method = 'virement') as are_due,
      bool_or(r.is_test) as any_test, bool_and(r.is_test) as all_test into found
    from public.payment_requests r where r.id = any (p_request_ids);
  if found.number = 0 or found.number <> cardinality(p_request_ids) then perform private.refuse('request_not_found'); end if;
  if not found.are_due or found.total is distinct from p_expected_total then perform private.refuse('request_changed'); end if;
  if found.any_test <> found.all_test then perform private.refuse('batch_mixes_test_data'); end if;
  if exists (select from public.payment_batch_lines l where l.request_id = any (p_request_ids) and l.status in ('queued', 'paid')) then
    perform private.refuse('request_in_batch');
  end if;
  insert into public.payment_batches (made_by, is_test) values (me, found.all_test) returning id into v_batch;
  insert into public.payment_batch_lines (batch_id, request_id) select v_batch, i from unnest(p_request_ids) i order by i;
  return v_batch;
end
$$;

-- A batch, locked, as it was seen.
create function private.lock_batch(p_batch_id uuid, p_seen_version integer) returns public.payment_batches
language plpgsql security definer set search_path = '' as $$
declare
  b public.payment_batches;
begin
  select * into b from public.payment_batches t where t.id = p_batch_id for update;
  if not found then perform private.refuse('batch_not_found'); end if;
  if p_seen_version is null then perform private.refuse('seen_required'); end if;
  if p_seen_version <> b.version then perform private.refuse('batch_changed'); end if;
  return b;
end
$$;

-- Takes lines out of a draft; with its last line the draft is gone. Null takes all.
create function private.leave_batch(p_batch_id uuid, p_request_ids uuid[]) returns void
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  v_status text;
begin
  select b.status into v_status from public.payment_batches b where b.id = p_batch_id for update;
  if not found then perform private.refuse('batch_not_found'); end if;
  if v_status <> 'draft' then perform private.refuse('batch_illegal_move'); end if;
  delete from public.payment_batch_lines l
    where l.batch_id = p_batch_id and (p_request_ids is null or l.request_id = any (p_request_ids));
end
$$;

-- Whether a draft may be released now by the one who asks: on this day, this much, by a second admin where it is above the
-- company's amount, to payees who may be paid. Its requests stay locked.
create function private.require_releasable(p_batch_id uuid, p_seen_version integer, p_expected_total numeric, p_execution_on date)
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
    where l.batch_id = b.id and (p.deactivated_at is not null or k.earned - k.reversed - k.held - k.reserved - k.paid < 0
      or not exists (select from private.payment_secrets s where s.request_id = r.id));
  if v_blocked is not null then perform private.refuse('batch_blocked', jsonb_build_object('payees', left(v_blocked, 500))); end if;
  return b;
end
$$;

-- What the file is made from: the one reading of these accounts, which the release itself records.
create function private.batch_orders(p_batch_id uuid, p_seen_version integer, p_expected_total numeric, p_execution_on date)
returns table (request_id uuid, amount numeric, details_sealed bytea, account_sealed bytea)
language plpgsql security definer set search_path = '' rows 1000 as $$
declare
  b public.payment_batches := private.require_releasable(p_batch_id, p_seen_version, p_expected_total, p_execution_on);
begin
  return query select r.id, r.amount, s.details_sealed, a.sealed
    from public.payment_batch_lines l
    join public.payment_requests r on r.id = l.request_id
    join private.payment_secrets s on s.request_id = r.id
    cross join private.company_account a
    where l.batch_id = b.id order by r.id;
end
$$;

create function private.release_batch(
  p_batch_id uuid, p_seen_version integer, p_expected_total numeric, p_execution_on date, p_format text, p_file_sealed bytea, p_sha256 bytea)
returns void
language plpgsql security definer set search_path = '' as $$
declare
  b public.payment_batches := private.require_releasable(p_batch_id, p_seen_version, p_expected_total, p_execution_on);
begin
  insert into private.batch_files (batch_id, sealed, sha256) values (b.id, p_file_sealed, p_sha256);
  update public.payment_batches t set status = 'released', execution_on = p_execution_on, format = p_format,
      released_by = private.uid(), released_at = private.now()
    where t.id = b.id;
end
$$;

-- PO-01: the file as it was made. Each download is in the trail.
create function private.batch_file(p_batch_id uuid) returns table (number integer, sealed bytea, sha256 bytea)
language plpgsql security definer set search_path = '' rows 1 as $$
declare
  me uuid := private.require_role('admin');
begin
  return query select b.number, f.sealed, f.sha256
    from public.payment_batches b join private.batch_files f on f.batch_id = b.id where b.id = p_batch_id;
  if not found then perform private.refuse('batch_not_found'); end if;
  perform private.append_audit('payment_batches', p_batch_id, 'export', null, null, null);
end
$$;

create function private.send_batch(p_batch_id uuid, p_seen_version integer) returns void
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  b public.payment_batches := private.lock_batch(p_batch_id, p_seen_version);
begin
  if b.status <> 'released' then perform private.refuse('batch_illegal_move'); end if;
  update public.payment_batches t set status = 'sent', sent_at = private.now() where t.id = b.id;
end
$$;

-- PO-02: what became of lines: [{"request_id", "status": "paid" | "rejected", "code", "reason"}]; null: all that wait are paid.
-- What is said again changes nothing; what is said otherwise is refused. A rejected line gives the money back.
create function private.settle_batch(p_batch_id uuid, p_outcomes jsonb)
returns table (paid integer, rejected integer, already integer)
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  b public.payment_batches;
  o record;
begin
  paid := 0; rejected := 0; already := 0;
  select * into b from public.payment_batches t where t.id = p_batch_id for update;
  if not found then perform private.refuse('batch_not_found'); end if;
  if b.status = 'draft' then perform private.refuse('batch_illegal_move'); end if;
  if p_outcomes is null then
    select jsonb_agg(jsonb_build_object('request_id', l.request_id, 'status', 'paid')) into p_outcomes
      from public.payment_batch_lines l where l.batch_id = b.id and l.status = 'queued';
  end if;
  -- Requests in the order of their ids, then balances in that of their owners, as everybody takes them.
  perform 1 from public.payment_requests r
    where r.id in (select (x ->> 'request_id')::uuid from jsonb_array_elements(p_outcomes) x) order by r.id for update;
  perform 1 from public.balances k where k.profile_id in (select r.client_id from public.payment_requests r
    where r.id in (select (x ->> 'request_id')::uuid from jsonb_array_elements(p_outcomes) x)) order by k.profile_id for update;
  for o in
    select x.request_id, x.status as told, x.code, nullif(btrim(x.reason), '') as why, l.status as stands
    from jsonb_to_recordset(p_outcomes) as x (request_id uuid, status text, code text, reason text)
    left join public.payment_batch_lines l on l.request_id = x.request_id and l.batch_id = b.id
    order by x.request_id
  loop
    if o.stands is null or o.told is null or o.told not in ('paid', 'rejected') then perform private.refuse('batch_line_unknown'); end if;
    if o.told = 'rejected' and o.why is null then perform private.refuse('refusal_reason_required'); end if;
    if o.stands = o.told then
      already := already + 1;
      continue;
    end if;
    if o.stands <> 'queued' then perform private.refuse('batch_line_decided'); end if;
    update public.payment_batch_lines l set status = o.told, decided_at = private.now(),
        reason = case when o.told = 'rejected' then o.why end, reason_code = case when o.told = 'rejected' then o.code end
      where l.batch_id = b.id and l.request_id = o.request_id;
    if o.told = 'paid' then
      update public.payment_requests r set status = 'paid', paid_at = private.now() where r.id = o.request_id;
      paid := paid + 1;
    else
      update public.payment_requests r set status = 'rejected', approved_at = null, rejection_reason = o.why where r.id = o.request_id;
      rejected := rejected + 1;
    end if;
  end loop;
  if b.status <> 'settled' and not exists (select from public.payment_batch_lines l where l.batch_id = b.id and l.status = 'queued') then
    update public.payment_batches t set status = 'settled', settled_at = private.now() where t.id = b.id;
  end if;
  return next;
end
$$;

create function private.set_release_above(p_amount numeric) returns public.company_settings
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  settings public.company_settings;
begin
  update public.company_settings c set release_above = p_amount, updated_at = now() returning * into settings;
  return settings;
end
$$;

do $$
declare
  f regprocedure;
begin
  for f in select p.oid::regprocedure from pg_proc p where p.pronamespace = 'private'::regnamespace
      and p.proname in ('guard_payment_batch', 'guard_payment_batch_line', 'drop_empty_batches', 'make_batch', 'lock_batch', 'leave_batch',
        'require_releasable', 'batch_orders', 'release_batch', 'batch_file', 'send_batch', 'settle_batch', 'set_release_above') loop
    execute format('alter function %s owner to parrain_service', f);
    execute format('grant execute on function %s to parrain_service', f);
  end loop;
end
$$;
grant execute on function private.make_batch(uuid[], numeric), private.leave_batch(uuid, uuid[]),
  private.batch_orders(uuid, integer, numeric, date), private.release_batch(uuid, integer, numeric, date, text, bytea, bytea),
  private.batch_file(uuid), private.send_batch(uuid, integer), private.settle_batch(uuid, jsonb), private.set_release_above(numeric)
  to authenticated;
