-- What a client asks to be paid, what the company decides, and the sealed details of where the money goes.

create table public.payment_requests (
  id uuid primary key default gen_random_uuid(),
  client_id uuid not null references public.profiles (id) on delete restrict,
  amount numeric(12, 2) not null,
  payment_method text not null default 'virement',
  -- The IBAN stands here masked; in clear it exists only sealed, in private.payment_secrets (V-18).
  payment_details jsonb not null default '{}',
  status text not null default 'pending',
  admin_notes text,
  rejection_reason text,
  created_at timestamptz not null default private.now(),
  approved_at timestamptz,
  paid_at timestamptz,
  version integer not null default 1,
  updated_at timestamptz not null default private.now(),
  is_test boolean not null default false,
  -- Why a request that had been approved waits again: its client reads it.
  approval_annulled_reason text,
  constraint payment_requests_amount_is_at_least_1 check (amount >= 1),
  constraint payment_requests_method_is_known check (
    payment_method in ('virement', 'cheque_cadeau', 'association', 'remise_societe')),
  constraint payment_requests_status_is_known check (status in ('pending', 'approved', 'rejected', 'paid')),
  constraint payment_requests_times_follow_the_status check (
    (status in ('approved', 'paid')) = (approved_at is not null) and (status = 'paid') = (paid_at is not null)),
  constraint payment_requests_refusal_has_a_reason check (
    (status = 'rejected') = (rejection_reason is not null) and length(btrim(rejection_reason)) > 0),
  constraint payment_requests_annulment_is_of_a_pending check (
    approval_annulled_reason is null or status = 'pending' and length(btrim(approval_annulled_reason)) > 0),
  -- Lines of text: it goes into a mail.
  constraint payment_requests_annulment_reason_is_a_text check (length(approval_annulled_reason) <= 500
    and approval_annulled_reason !~ '[\u0001-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]'),
  constraint payment_requests_admin_notes_is_a_text check (private.is_text(admin_notes, 2000)),
  constraint payment_requests_rejection_reason_is_a_text check (private.is_text(rejection_reason, 2000)),
  constraint payment_requests_payment_details_is_bounded check (octet_length(payment_details::text) <= 20000)
);
create index payment_requests_by_client on public.payment_requests (client_id, created_at desc);
create index payment_requests_by_status on public.payment_requests (status, created_at desc);
create index payment_requests_by_creation on public.payment_requests (created_at desc, id);
grant select, insert, update, delete on public.payment_requests to parrain_service;
grant select on public.payment_requests to authenticated, service_role;
create policy payment_requests_authenticated_read on public.payment_requests for select to authenticated using (
  case when (select private.user_role()) = 'admin' then true else client_id = (select private.uid()) end);

create table private.payment_secrets (
  request_id uuid primary key references public.payment_requests (id) on delete cascade,
  details_sealed bytea not null
);
grant select, insert, update, delete on private.payment_secrets to parrain_service;

-- Legal moves, and the balance that each of them touches.
create function private.guard_payment_request() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  balance public.balances;
begin
  if tg_op = 'DELETE' then
    if not (private.is_cleaning() and old.is_test) then perform private.refuse('forbidden'); end if;
    return old;
  end if;
  if tg_op = 'INSERT' then
    if new.status <> 'pending' then perform private.refuse('request_illegal_move'); end if;
    -- The row lock taken here is what makes simultaneous requests wait for one another.
    update public.balances b set reserved = b.reserved + new.amount
      where b.profile_id = new.client_id and b.earned - b.reversed - b.reserved - b.paid >= new.amount;
    if not found then
      select * into balance from public.balances b where b.profile_id = new.client_id;
      perform private.refuse('amount_out_of_range', jsonb_build_object('available',
        greatest(coalesce(balance.earned - balance.reversed - balance.reserved - balance.paid, 0), 0)::numeric(14, 2)::text));
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
    if new.status = 'rejected' then
      update public.balances b set reserved = b.reserved - old.amount where b.profile_id = old.client_id;
    elsif new.status in ('approved', 'paid') then
      -- Someone who owes the company (S-11) is neither approved nor paid before the debt is gone.
      update public.balances b set
          reserved = b.reserved - case new.status when 'paid' then old.amount else 0 end,
          paid = b.paid + case new.status when 'paid' then old.amount else 0 end
        where b.profile_id = old.client_id and b.earned - b.reversed - b.reserved - b.paid >= 0;
      if not found then perform private.refuse('balance_in_debt'); end if;
    end if;
  elsif old.status in ('rejected', 'paid') then
    perform private.refuse('request_illegal_move');
  end if;
  new.version := old.version + 1;
  new.updated_at := private.now();
  return new;
end
$$;
create trigger payment_requests_guard before insert or update or delete on public.payment_requests
  for each row execute function private.guard_payment_request();
create trigger payment_requests_audit after insert or update or delete on public.payment_requests for each row execute function private.audit_change();

create function private.count_payment_request() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if tg_op <> 'INSERT' then perform private.add_to_company('requests_' || old.status, -1, -old.amount); end if;
  if tg_op <> 'DELETE' then perform private.add_to_company('requests_' || new.status, 1, new.amount); end if;
  return null;
end
$$;
create trigger payment_requests_counted after insert or delete on public.payment_requests
  for each row execute function private.count_payment_request();
create trigger payment_requests_counted_on_update after update on public.payment_requests
  for each row when (old.status <> new.status) execute function private.count_payment_request();

-- F-10, V-14, V-16: asks for a part of what was earned. The balance's row lock decides between simultaneous requests.
create function private.request_payment(p_amount numeric, p_method text, p_details jsonb, p_details_sealed bytea)
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
  select * into balance from public.balances b where b.profile_id = me for update;
  if balance.earned - balance.reversed - balance.reserved - balance.paid < 0 then perform private.refuse('balance_in_debt'); end if;
  if p_amount is null or p_amount < 1 or p_amount <> round(p_amount, 2) then
    perform private.refuse('amount_out_of_range', jsonb_build_object('available',
      coalesce(balance.earned - balance.reversed - balance.reserved - balance.paid, 0)::numeric(14, 2)::text));
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

-- F-09: the client's own requests, with what the server needs to show them their own details in clear.
create function private.my_payment_requests()
returns table (request public.payment_requests, details_sealed bytea)
language plpgsql stable security definer set search_path = '' rows 20 as $$
declare
  me uuid := private.require_role('client');
begin
  return query select r, s.details_sealed
    from public.payment_requests r
    left join private.payment_secrets s on s.request_id = r.id
    where r.client_id = me
    order by r.created_at desc, r.id
    limit 1000;
end
$$;

-- F-08, S-09, V-05: the admin approves, refuses or marks paid what was on screen: its version, and its amount where money
-- is promised or leaves. The same decision again is the same answer, as long as nothing came after it.
create function private.decide_payment_request(
  p_request_id uuid, p_status text, p_admin_notes text, p_rejection_reason text, p_seen_version integer, p_expected_amount numeric)
returns table (request public.payment_requests, already boolean)
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  r public.payment_requests;
  note text := nullif(btrim(p_admin_notes), '');
  -- The source's page has one field for both: the note of a refusal is its reason.
  why text := coalesce(nullif(btrim(p_rejection_reason), ''), note);
begin
  if p_status is null or p_status not in ('approved', 'rejected', 'paid') then perform private.refuse('decision_required'); end if;
  if p_status = 'rejected' and why is null then perform private.refuse('refusal_reason_required'); end if;
  if p_seen_version is null or p_expected_amount is null and p_status <> 'rejected' then perform private.refuse('seen_required'); end if;
  select * into r from public.payment_requests t where t.id = p_request_id for update;
  if not found then perform private.refuse('request_not_found'); end if;
  if p_expected_amount <> r.amount then perform private.refuse('request_changed'); end if;
  if r.status = p_status and p_seen_version in (r.version - 1, r.version) and (p_status <> 'rejected' or r.rejection_reason = why) then
    return query select r, true;
    return;
  end if;
  if p_seen_version <> r.version then perform private.refuse('request_changed'); end if;
  if not ((r.status, p_status) in (('pending', 'approved'), ('pending', 'rejected'), ('approved', 'paid'))) then
    perform private.refuse('request_illegal_move');
  end if;
  if p_status <> 'rejected' and exists (select 1 from public.profiles p where p.id = r.client_id and p.deactivated_at is not null) then
    perform private.refuse('beneficiary_unavailable');
  end if;
  update public.payment_requests t set
    status = p_status,
    admin_notes = coalesce(note, t.admin_notes),
    rejection_reason = case when p_status = 'rejected' then why end,
    approval_annulled_reason = null,
    approved_at = case when p_status = 'approved' then private.now() else t.approved_at end,
    paid_at = case when p_status = 'paid' then private.now() end
    where t.id = r.id returning * into r;
  return query select r, false;
end
$$;

-- « Annuler l'approbation »: the request waits for a decision again; what it asks for stays set aside. Gives whom to tell.
create function private.annul_approval(p_request_id uuid, p_reason text, p_seen_version integer)
returns table (request public.payment_requests, already boolean, full_name text, email text)
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  r public.payment_requests;
  is_again boolean;
begin
  if coalesce(btrim(p_reason), '') = '' then perform private.refuse('refusal_reason_required'); end if;
  if p_seen_version is null then perform private.refuse('seen_required'); end if;
  select * into r from public.payment_requests t where t.id = p_request_id for update;
  if not found then perform private.refuse('request_not_found'); end if;
  is_again := coalesce(p_seen_version = r.version - 1 and r.approval_annulled_reason = btrim(p_reason), false);
  if not is_again then
    if p_seen_version <> r.version then perform private.refuse('request_changed'); end if;
    if r.status <> 'approved' then perform private.refuse('request_illegal_move'); end if;
    update public.payment_requests t set status = 'pending', approved_at = null, approval_annulled_reason = btrim(p_reason)
      where t.id = r.id returning * into r;
  end if;
  return query select r, is_again, p.full_name, p.email from public.profiles p
    where p.id = r.client_id;
end
$$;

-- V-18: the sealed details, for their owner, or for an admin whose reading is recorded. The server opens the seal.
create function private.reveal_payment_details(p_request_id uuid) returns bytea
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin', 'client');
  sealed bytea;
begin
  perform 1 from public.payment_requests r where r.id = p_request_id and (r.client_id = me or private.user_role() = 'admin');
  if not found then perform private.refuse('request_not_found'); end if;
  select s.details_sealed into sealed from private.payment_secrets s where s.request_id = p_request_id;
  if private.user_role() = 'admin' then
    perform private.append_audit('payment_requests', p_request_id, 'read', null, null, null);
  end if;
  return sealed;
end
$$;

-- What keeps an account open is named: a payment that is asked for, or approved and not yet made (FX-10).
create function private.require_no_open_request(p_client_id uuid) returns void
language plpgsql security definer set search_path = '' as $$
declare
  held record;
begin
  -- A request or a decision of the same instant is waited for.
  perform 1 from public.balances b where b.profile_id = p_client_id for update;
  select coalesce(sum(r.amount) filter (where r.status = 'pending'), 0)::text as pending,
      coalesce(sum(r.amount) filter (where r.status = 'approved'), 0)::text as approved, count(*) as requests into held
    from public.payment_requests r where r.client_id = p_client_id and r.status in ('pending', 'approved');
  if held.requests > 0 then
    perform private.refuse('closure_with_open_request', jsonb_build_object('pending', held.pending, 'approved', held.approved));
  end if;
end
$$;

grant execute on function private.request_payment(numeric, text, jsonb, bytea), private.my_payment_requests(),
  private.decide_payment_request(uuid, text, text, text, integer, numeric), private.annul_approval(uuid, text, integer),
  private.reveal_payment_details(uuid) to authenticated;
