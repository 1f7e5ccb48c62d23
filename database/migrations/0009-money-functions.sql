-- Scales, payment requests, company settings.

-- F-07, S-12: a new scale; where it replaces another, that one is archived in the same breath.
create function private.create_commission_rate(
  p_name text, p_description text, p_client_type text, p_client_amount numeric, p_commercial_type text, p_commercial_amount numeric,
  p_replaces_id uuid default null)
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
    commercial_commission_type, commercial_commission_amount, is_default, replaces_id, is_test)
  values (btrim(p_name), nullif(btrim(p_description), ''), p_client_type, p_client_amount, p_commercial_type, p_commercial_amount,
    coalesce(replaced.is_default, false) or not exists (select 1 from public.commission_rates r where r.is_default),
    p_replaces_id, (select p.is_test from public.profiles p where p.id = me))
  returning * into created;
  return created;
end
$$;

create function private.archive_commission_rate(p_id uuid) returns public.commission_rates
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  scale public.commission_rates;
begin
  update public.commission_rates r set archived_at = coalesce(r.archived_at, private.now()), is_default = false where r.id = p_id
    returning * into scale;
  if not found then perform private.refuse('scale_not_found'); end if;
  return scale;
end
$$;

create function private.set_default_commission_rate(p_id uuid) returns public.commission_rates
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  scale public.commission_rates;
begin
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtext('private.commission_rates.default'));
  select * into scale from public.commission_rates r where r.id = p_id for update;
  if not found then perform private.refuse('scale_not_found'); end if;
  if scale.archived_at is not null then perform private.refuse('scale_archived'); end if;
  update public.commission_rates r set is_default = false where r.is_default and r.id <> p_id;
  update public.commission_rates r set is_default = true where r.id = p_id returning * into scale;
  return scale;
end
$$;

-- F-10, V-14, V-16: asks for a part of what was earned. The balance's row lock decides between simultaneous requests.
-- Without an idempotency key, the same request again within 10 seconds is a double click.
create function private.request_payment(
  p_amount numeric, p_method text, p_details jsonb, p_details_sealed bytea, p_refuse_double_click boolean)
returns public.payment_requests
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('client');
  balance public.balances;
  created public.payment_requests;
begin
  select * into balance from public.balances b where b.profile_id = me for update;
  if balance.earned - balance.reversed - balance.reserved - balance.paid < 0 then perform private.refuse('balance_in_debt'); end if;
  if p_amount is null or p_amount < 1 or p_amount <> round(p_amount, 2) then
    perform private.refuse('amount_out_of_range', jsonb_build_object('available',
      coalesce(balance.earned - balance.reversed - balance.reserved - balance.paid, 0)::numeric(14, 2)::text));
  end if;
  insert into public.payment_requests (client_id, amount, payment_method, payment_details, is_test)
  values (me, p_amount, p_method, p_details, (select p.is_test from public.profiles p where p.id = me))
  returning * into created;
  if p_refuse_double_click and exists (
      select 1 from public.payment_requests r where r.client_id = me and r.id <> created.id and r.amount = p_amount
        and r.payment_method = p_method and r.payment_details = p_details and r.created_at > private.now() - interval '10 seconds') then
    perform private.refuse('duplicate_request');
  end if;
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

-- F-08, S-09, V-05: the admin approves, refuses or marks paid; the same decision again is the same answer.
create function private.decide_payment_request(
  p_request_id uuid, p_status text, p_admin_notes text, p_rejection_reason text default null)
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
  select * into r from public.payment_requests t where t.id = p_request_id for update;
  if not found then perform private.refuse('request_not_found'); end if;
  if r.status = p_status and (p_status <> 'rejected' or r.rejection_reason = why) then
    return query select r, true;
    return;
  end if;
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
    approved_at = case when p_status = 'approved' then private.now() else t.approved_at end,
    paid_at = case when p_status = 'paid' then private.now() end
    where t.id = r.id returning * into r;
  return query select r, false;
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

create function private.update_company_name(p_name text) returns public.company_settings
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  settings public.company_settings;
begin
  update public.company_settings c set company_name = btrim(p_name), updated_at = now() returning * into settings;
  return settings;
end
$$;

create function private.set_company_logo(p_url text) returns public.company_settings
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  settings public.company_settings;
begin
  update public.company_settings c set logo_url = p_url, updated_at = now() returning * into settings;
  return settings;
end
$$;

-- V-20: claims an idempotency key for this transaction. A second caller waits here until the first has committed, then reads
-- its answer; where the first failed nothing was kept, and the second does the work.
create function private.claim_idempotency_key(p_key text, p_request_hash bytea)
returns table (claimed boolean, status integer, body text)
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.uid();
  earlier private.idempotency_keys;
begin
  insert into private.idempotency_keys (user_id, key, request_hash) values (me, p_key, p_request_hash) on conflict do nothing;
  if found then
    return query select true, null::integer, null::text;
    return;
  end if;
  select * into earlier from private.idempotency_keys k where k.user_id = me and k.key = p_key;
  if earlier.request_hash <> p_request_hash then perform private.refuse('idempotency_key_reused'); end if;
  if earlier.status is null then perform private.refuse('request_in_progress'); end if;
  return query select false, earlier.status, earlier.body;
end
$$;

create function private.keep_idempotent_answer(p_key text, p_status integer, p_body text) returns void
language sql security definer set search_path = ''
begin atomic
  update private.idempotency_keys set status = p_status, body = p_body where user_id = private.uid() and key = p_key;
end;

-- A call that still waits for something after its commit (a mail's acceptance) keeps status 102 and what it needs to end.
-- Whoever ends it first gives the answer that everyone gets.
create function private.finish_idempotent_answer(p_key text, p_status integer, p_body text)
returns table (status integer, body text)
language plpgsql security definer set search_path = '' as $$
begin
  update private.idempotency_keys k set status = p_status, body = p_body
    where k.user_id = private.uid() and k.key = p_key and k.status = 102;
  return query select k.status, k.body from private.idempotency_keys k where k.user_id = private.uid() and k.key = p_key;
end
$$;
