-- PO-03: what proves a payment: its reference, of a donation the association that received it, and a file.

-- A number of the RNA (« W751234567 »), or a SIREN with its key.
create function private.is_association_number(p_number text) returns boolean
language sql immutable set search_path = ''
return case
  when p_number ~ '^W[0-9][0-9A-Z][0-9]{7}$' then true
  when p_number ~ '^[0-9]{9}$' and p_number <> '000000000' then (
    select sum(case when k.place % 2 = 0 then k.digit * 2 / 10 + k.digit * 2 % 10 else k.digit end) % 10 = 0
    from (select n as place, substr(p_number, n, 1)::integer as digit from generate_series(1, 9) n) k)
  else false end;
grant execute on function private.is_association_number(text) to parrain_service;

alter table public.payment_requests
  add column settlement_reference text
    constraint payment_requests_settlement_reference_is_a_line check (private.is_line(settlement_reference, 140)
      and btrim(settlement_reference) <> ''),
  add column association_name text
    constraint payment_requests_association_name_is_a_line check (private.is_line(association_name, 255) and btrim(association_name) <> ''),
  add column association_number text
    constraint payment_requests_association_number_is_one check (
      private.is_line(association_number, 10)
      and (association_number is null or private.is_association_number(association_number))),
  add constraint payment_requests_association_is_whole check ((association_name is null) = (association_number is null)),
  add constraint payment_requests_association_is_of_a_donation check (association_name is null or payment_method = 'association'),
  add constraint payment_requests_settlement_is_of_a_payment check (
    num_nonnulls(settlement_reference, association_name) = 0 or status in ('paid', 'returned'));

-- F-08, S-09, V-05: the admin approves, refuses or marks paid what was on screen: its version, and its amount where money
-- is promised or leaves. The same decision again is the same answer, as long as nothing came after it.
drop function private.decide_payment_request(uuid, text, text, text, integer, numeric);
create function private.decide_payment_request(
  p_request_id uuid, p_status text, p_admin_notes text, p_rejection_reason text, p_seen_version integer, p_expected_amount numeric,
  p_reference text default null, p_association_name text default null, p_association_number text default null)
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
    paid_at = case when p_status = 'paid' then private.now() end,
    settlement_reference = case when p_status = 'paid' then nullif(btrim(p_reference), '') end,
    association_name = case when p_status = 'paid' then nullif(btrim(p_association_name), '') end,
    association_number = case when p_status = 'paid' then p_association_number end
    where t.id = r.id returning * into r;
  return query select r, false;
end
$$;
alter function private.decide_payment_request(uuid, text, text, text, integer, numeric, text, text, text) owner to parrain_service;
grant execute on function private.decide_payment_request(uuid, text, text, text, integer, numeric, text, text, text)
  to authenticated, parrain_service;

-- The file that proves a payment, for its payee and the admins. Its bytes are sealed: a gift card's code is money.
create table public.payment_proofs (
  request_id uuid primary key references public.payment_requests (id) on delete cascade,
  name text not null,
  content_type text not null,
  size integer not null,
  sha256 bytea not null,
  added_at timestamptz not null default private.now(),
  constraint payment_proofs_name_is_a_line check (private.is_line(name, 255) and btrim(name) <> ''),
  constraint payment_proofs_content_type_is_known check (
    content_type in ('application/pdf', 'image/png', 'image/jpeg', 'image/webp')),
  constraint payment_proofs_size_is_bounded check (size between 1 and 5242880),
  constraint payment_proofs_sha256_is_one check (octet_length(sha256) = 32)
);
create table private.proof_files (
  request_id uuid primary key references public.payment_proofs (request_id) on delete cascade,
  sealed bytea not null
);
alter table public.payment_proofs enable row level security;
alter table public.payment_proofs force row level security;
alter table private.proof_files enable row level security;
alter table private.proof_files force row level security;
grant select, insert, update, delete on public.payment_proofs, private.proof_files to parrain_service;
grant select on public.payment_proofs to authenticated, service_role;
create policy payment_proofs_service_all on public.payment_proofs to parrain_service using (true) with check (true);
create policy proof_files_service_all on private.proof_files to parrain_service using (true) with check (true);
create policy payment_proofs_secret_read on public.payment_proofs for select to service_role using (true);
-- Whoever sees the request: its payee, and the admins.
create policy payment_proofs_authenticated_read on public.payment_proofs for select to authenticated using (
  exists (select from public.payment_requests r where r.id = request_id));

-- A payment has one file; another one replaces it, and the trail has the hash of each.
create function private.attach_proof(p_request_id uuid, p_name text, p_content_type text, p_size integer, p_sha256 bytea, p_sealed bytea)
returns void
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  r public.payment_requests;
begin
  select * into r from public.payment_requests t where t.id = p_request_id for update;
  if not found then perform private.refuse('request_not_found'); end if;
  if r.status <> 'paid' then perform private.refuse('request_illegal_move'); end if;
  insert into public.payment_proofs as p (request_id, name, content_type, size, sha256)
  values (r.id, p_name, p_content_type, p_size, p_sha256)
  on conflict (request_id) do update set name = excluded.name, content_type = excluded.content_type, size = excluded.size,
    sha256 = excluded.sha256, added_at = private.now();
  insert into private.proof_files as f (request_id, sealed) values (r.id, p_sealed)
  on conflict (request_id) do update set sealed = excluded.sealed;
  perform private.append_audit('payment_requests', r.id, 'attach_proof', null,
    jsonb_build_object('proof_sha256', encode(p_sha256, 'hex')), null);
end
$$;

create function private.payment_proof(p_request_id uuid)
returns table (name text, content_type text, sha256 bytea, sealed bytea)
language plpgsql stable security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin', 'client');
begin
  return query select p.name, p.content_type, p.sha256, f.sealed
    from public.payment_proofs p
    join private.proof_files f on f.request_id = p.request_id
    join public.payment_requests r on r.id = p.request_id
    where p.request_id = p_request_id and (r.client_id = me or private.user_role() = 'admin');
  if not found then perform private.refuse('proof_not_found'); end if;
end
$$;
alter function private.attach_proof(uuid, text, text, integer, bytea, bytea) owner to parrain_service;
alter function private.payment_proof(uuid) owner to parrain_service;
grant execute on function private.attach_proof(uuid, text, text, integer, bytea, bytea), private.payment_proof(uuid)
  to authenticated, parrain_service;
