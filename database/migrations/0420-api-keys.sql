-- WH-01: keys of the company for other software: named, scoped, shown once, revocable, with a database role of their own.

grant usage on schema public, private to api_key;
grant execute on function private.now(), private.uid(), private.user_role() to api_key;

create table public.api_keys (
  id uuid primary key default gen_random_uuid(),
  created_at timestamptz not null default private.now(),
  name text not null,
  -- The first letters, by which its owner tells it from the others.
  prefix text not null,
  scopes text[] not null,
  expires_at timestamptz,
  created_by uuid references public.profiles (id) on delete set null,
  revoked_at timestamptz,
  revoked_by uuid references public.profiles (id) on delete set null,
  -- To the minute.
  last_used_at timestamptz,
  constraint api_keys_name_is_a_line check (private.is_line(name, 80) and btrim(name) <> ''),
  constraint api_keys_prefix_is_one check (prefix ~ '^prk_[A-Za-z0-9_-]{8}$'),
  constraint api_keys_scopes_are_known check (
    scopes <@ array['read', 'referrals', 'payments'] and cardinality(scopes) between 1 and 3),
  constraint api_keys_revoker_means_revoked check (revoked_by is null or revoked_at is not null)
);
create unique index api_keys_have_names_of_their_own on public.api_keys (lower(name)) where revoked_at is null;
create index api_keys_by_maker on public.api_keys (created_by) where created_by is not null;
create index api_keys_by_revoker on public.api_keys (revoked_by) where revoked_by is not null;

create table private.api_key_secrets (
  key_id uuid primary key references public.api_keys (id) on delete cascade,
  hash bytea not null unique,
  constraint api_key_secrets_hash_is_one check (octet_length(hash) = 32)
);

alter table public.api_keys enable row level security;
alter table public.api_keys force row level security;
alter table private.api_key_secrets enable row level security;
alter table private.api_key_secrets force row level security;
grant select, insert, update on public.api_keys to parrain_service;
grant select, insert, delete on private.api_key_secrets to parrain_service;
grant select on public.api_keys to authenticated, service_role;
create policy api_keys_service_all on public.api_keys to parrain_service using (true) with check (true);
create policy api_key_secrets_service_all on private.api_key_secrets to parrain_service using (true) with check (true);
create policy api_keys_secret_read on public.api_keys for select to service_role using (true);
create policy api_keys_admin_read on public.api_keys for select to authenticated using (
  (select private.user_role()) = 'admin');

create function private.is_key_alive(k public.api_keys) returns boolean
language sql stable
return k.revoked_at is null and (k.expires_at is null or k.expires_at > now());

-- An admin makes a key. The server drew it and keeps its hash alone. It opens a door that outlives the session, so the session is
-- a fresh one.
create function private.create_api_key(p_name text, p_scopes text[], p_expires_on date, p_prefix text, p_hash bytea)
returns public.api_keys
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  made public.api_keys;
begin
  if not private.is_session_fresh() then perform private.refuse('reauthentication_required'); end if;
  if p_expires_on <= private.today() then perform private.refuse('api_key_end_is_over'); end if;
  -- One after the other, so that the count is right.
  perform pg_advisory_xact_lock(hashtextextended('api-keys', 0));
  if (select count(*) from public.api_keys k where private.is_key_alive(k)) >= 50 then
    perform private.refuse('api_keys_full');
  end if;
  if exists (select from public.api_keys k where lower(k.name) = lower(btrim(p_name)) and k.revoked_at is null) then
    perform private.refuse('api_key_name_taken');
  end if;
  insert into public.api_keys (name, prefix, scopes, expires_at, created_by)
  values (btrim(p_name), p_prefix, p_scopes, (p_expires_on + 1)::timestamp at time zone 'Europe/Paris', me)
  returning * into made;
  insert into private.api_key_secrets (key_id, hash) values (made.id, p_hash);
  perform private.append_audit('api_keys', made.id, 'create', null,
    jsonb_build_object('name', made.name, 'scopes', made.scopes, 'expires_on', p_expires_on), null);
  return made;
end
$$;

-- Any admin revokes a key, at once on every node; its name stays for the trail. Revoked already is no trouble.
create function private.revoke_api_key(p_id uuid) returns public.api_keys
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  k public.api_keys;
begin
  select * into k from public.api_keys t where t.id = p_id for update;
  if not found then perform private.refuse('api_key_not_found'); end if;
  if k.revoked_at is not null then return k; end if;
  update public.api_keys t set revoked_at = now(), revoked_by = me where t.id = k.id returning * into k;
  delete from private.api_key_secrets s where s.key_id = k.id;
  perform private.append_audit('api_keys', k.id, 'revoke', null, null, null);
  return k;
end
$$;

-- Asked once a request, before anything else: the key of this hash, if it lives, and how long it has to wait. No row otherwise.
create function private.begin_key_request(p_hash bytea) returns table (id uuid, wait double precision)
language plpgsql security definer set search_path = '' as $$
declare
  k public.api_keys;
begin
  select t.* into k from private.api_key_secrets s join public.api_keys t on t.id = s.key_id
    where s.hash = p_hash and private.is_key_alive(t);
  if not found then return; end if;
  update public.api_keys t set last_used_at = now()
    where t.id = k.id and (t.last_used_at is null or t.last_used_at < now() - interval '1 minute');
  return query select k.id, private.take_token('api-key:' || k.id, 300, 60);
end
$$;

-- As 0002 has it, and for a key: it lives, and its scopes are left for policies and functions to ask for.
create or replace function private.identify() returns void
language plpgsql security definer set search_path = '' as $$
declare
  claims jsonb := nullif(current_setting('request.jwt.claims', true), '')::jsonb;
  person record;
  key public.api_keys;
begin
  if claims ->> 'role' = 'api_key' then
    select * into key from public.api_keys k where k.id = (claims ->> 'key_id')::uuid and private.is_key_alive(k);
    if not found then
      raise exception using errcode = 'PR401', message = 'api_key_refused';
    end if;
    perform set_config('app.user_id', key.id::text, true), set_config('app.user_role', 'api_key', true),
      set_config('app.commercial_id', '', true), set_config('app.key_scopes', array_to_string(key.scopes, ' '), true);
    return;
  end if;
  if claims ->> 'role' is distinct from 'authenticated' then
    perform set_config('app.user_id', '', true), set_config('app.user_role', '', true), set_config('app.commercial_id', '', true);
    return;
  end if;
  select p.id, p.role, p.commercial_id, u.password_change_required,
      -- Session and token both: a token from before the factor was given stays one of the first level.
      u.has_verified_factor and (s.aal <> 'aal2' or claims ->> 'aal' is distinct from 'aal2') as is_factor_due,
      p.role = 'admin' and not u.has_verified_factor
        and (select c.require_admin_two_factor from public.company_settings c where c.id = 1) as is_setup_due
    into person
    from auth.sessions s
    join auth.users u on u.id = s.user_id
    join public.profiles p on p.id = u.id
    where s.id = (claims ->> 'session_id')::uuid and s.user_id = (claims ->> 'sub')::uuid
      and (s.not_after is null or s.not_after > now())
      and (u.banned_until is null or u.banned_until <= now())
      and u.deleted_at is null and p.deactivated_at is null;
  if not found then
    raise exception using errcode = 'PR401', message = 'session_expired';
  end if;
  if person.is_factor_due then
    raise exception using errcode = 'PR401', message = 'second_factor_required';
  end if;
  if person.password_change_required then
    raise exception using errcode = 'PR401', message = 'password_change_required';
  end if;
  if person.is_setup_due then
    raise exception using errcode = 'PR401', message = 'two_factor_setup_required';
  end if;
  perform set_config('app.user_id', person.id::text, true), set_config('app.user_role', person.role, true),
    set_config('app.commercial_id', coalesce(person.commercial_id::text, ''), true);
end
$$;

-- Whether the key of this transaction has the scope; of a person's transaction, never.
create function private.key_may(p_scope text) returns boolean
language sql stable parallel safe
return coalesce(private.user_role() = 'api_key'
  and p_scope = any (string_to_array(current_setting('app.key_scopes', true), ' ')), false);

-- As require_role, where a key of that scope may do the same.
create function private.require_role_or_scope(p_role text, p_scope text) returns uuid
language plpgsql stable set search_path = '' as $$
begin
  if private.key_may(p_scope) then return private.uid(); end if;
  if private.user_role() = 'api_key' then perform private.refuse('scope_missing', jsonb_build_object('scope', p_scope)); end if;
  return private.require_role(p_role);
end
$$;

grant select on public.sales, public.profiles, public.commission_rates, public.commission_payments, public.payment_requests,
  public.balances, public.ledger_entries to api_key;
create policy sales_key_read on public.sales for select to api_key using ((select private.key_may('read')));
create policy profiles_key_read on public.profiles for select to api_key using ((select private.key_may('read')));
create policy commission_rates_key_read on public.commission_rates for select to api_key using ((select private.key_may('read')));
create policy commission_payments_key_read on public.commission_payments for select to api_key using ((select private.key_may('read')));
create policy payment_requests_key_read on public.payment_requests for select to api_key using ((select private.key_may('read')));
create policy balances_key_read on public.balances for select to api_key using ((select private.key_may('read')));
create policy ledger_entries_key_read on public.ledger_entries for select to api_key using ((select private.key_may('read')));

-- As 0282 has it; a key of the scope « payments » marks as paid what an admin approved.
create or replace function private.decide_payment_request(
  p_request_id uuid, p_status text, p_admin_notes text, p_rejection_reason text, p_seen_version integer, p_expected_amount numeric,
  p_reference text default null, p_association_name text default null, p_association_number text default null)
returns table (request public.payment_requests, already boolean)
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role_or_scope('admin', 'payments');
  r public.payment_requests;
  note text := nullif(btrim(p_admin_notes), '');
  -- The source's page has one field for both: the note of a refusal is its reason.
  why text := coalesce(nullif(btrim(p_rejection_reason), ''), note);
begin
  if private.user_role() = 'api_key' and p_status is distinct from 'paid' then perform private.refuse('key_only_pays'); end if;
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

-- Kept answers are a person's, or a key's.
alter table private.idempotency_keys
  add column api_key_id uuid references public.api_keys (id) on delete cascade,
  drop constraint idempotency_keys_pkey,
  alter column user_id drop not null,
  add constraint idempotency_keys_are_of_one check (num_nonnulls(user_id, api_key_id) = 1);
create unique index idempotency_keys_are_used_once on private.idempotency_keys (coalesce(user_id, api_key_id), key);
create index idempotency_keys_by_user on private.idempotency_keys (user_id) where user_id is not null;
create index idempotency_keys_by_api_key on private.idempotency_keys (api_key_id) where api_key_id is not null;

-- As 0042 has it, for a key as well.
create or replace function private.claim_idempotency_key(p_key text, p_request_hash bytea)
returns table (claimed boolean, status integer, body text)
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.uid();
  is_key boolean := private.user_role() = 'api_key';
  earlier private.idempotency_keys;
begin
  insert into private.idempotency_keys (user_id, api_key_id, key, request_hash)
  values (case when not is_key then me end, case when is_key then me end, p_key, p_request_hash) on conflict do nothing;
  if found then
    return query select true, null::integer, null::text;
    return;
  end if;
  select * into earlier from private.idempotency_keys k where coalesce(k.user_id, k.api_key_id) = me and k.key = p_key;
  if earlier.request_hash <> p_request_hash then perform private.refuse('idempotency_key_reused'); end if;
  if earlier.status is null then perform private.refuse('request_in_progress'); end if;
  return query select false, earlier.status, earlier.body;
end
$$;

create or replace function private.keep_idempotent_answer(p_key text, p_status integer, p_body text) returns void
language sql security definer set search_path = ''
begin atomic
  update private.idempotency_keys set status = p_status, body = p_body
    where coalesce(user_id, api_key_id) = private.uid() and key = p_key;
end;

create or replace function private.finish_idempotent_answer(p_key text, p_status integer, p_body text)
returns table (status integer, body text)
language plpgsql security definer set search_path = '' as $$
begin
  update private.idempotency_keys k set status = p_status, body = p_body
    where coalesce(k.user_id, k.api_key_id) = private.uid() and k.key = p_key and k.status = 102;
  return query select k.status, k.body from private.idempotency_keys k
    where coalesce(k.user_id, k.api_key_id) = private.uid() and k.key = p_key;
end
$$;

do $$
declare
  f regprocedure;
begin
  for f in select p.oid::regprocedure from pg_proc p where p.pronamespace = 'private'::regnamespace
      and p.proname in ('create_api_key', 'revoke_api_key', 'begin_key_request') loop
    execute format('alter function %s owner to parrain_service', f);
  end loop;
end
$$;
grant execute on function private.is_key_alive(public.api_keys), private.create_api_key(text, text[], date, text, bytea),
  private.revoke_api_key(uuid), private.begin_key_request(bytea), private.key_may(text), private.require_role_or_scope(text, text)
  to parrain_service;
grant execute on function private.create_api_key(text, text[], date, text, bytea), private.revoke_api_key(uuid) to authenticated;
grant execute on function private.key_may(text),
  private.decide_payment_request(uuid, text, text, text, integer, numeric, text, text, text),
  private.claim_idempotency_key(text, bytea), private.keep_idempotent_answer(text, integer, text),
  private.finish_idempotent_answer(text, integer, text) to api_key;
