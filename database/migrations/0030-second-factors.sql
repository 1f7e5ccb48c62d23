-- Second factors and passkeys (AU-17): what a person has besides their password, and what a session without it may not do.

create table auth.factors (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  factor_type text not null,
  status text not null default 'unverified',
  friendly_name text not null default '',
  phone text,
  -- Of an authenticator application. Sealed: it makes every code to come.
  secret_sealed bytea,
  -- The last thirty seconds for which a code was accepted: no code is good twice.
  last_step bigint,
  -- Wrong answers in a row, and the last of them: the next has to wait longer and longer.
  failures integer not null default 0,
  failed_at timestamptz,
  last_challenged_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint factors_type_is_known check (factor_type in ('totp', 'phone', 'webauthn', 'recovery_code')),
  constraint factors_status_is_known check (status in ('unverified', 'verified')),
  constraint factors_name_is_bounded check (length(friendly_name) <= 120),
  constraint factors_have_what_their_type_needs check ((factor_type = 'totp') = (secret_sealed is not null)
    and (factor_type = 'phone') = (phone is not null)),
  constraint factors_name_is_unique unique (user_id, friendly_name)
);
create index factors_unverified_by_age on auth.factors (created_at) where status = 'unverified';

-- Codes on paper, each good once, for whoever lost their other factor. Only hashes are kept.
create table auth.recovery_codes (
  factor_id uuid not null references auth.factors (id) on delete cascade,
  code_hash bytea not null,
  used_at timestamptz,
  primary key (factor_id, code_hash)
);

-- Public keys of authenticators: of a second factor, or, without one, a passkey, which signs in by itself.
create table auth.webauthn_credentials (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  factor_id uuid references auth.factors (id) on delete cascade,
  credential_id text not null,
  public_key bytea not null,
  sign_count bigint not null default 0,
  transports text[] not null default '{}',
  aaguid text not null default '',
  is_backed_up boolean not null default false,
  friendly_name text not null default '',
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  constraint webauthn_credentials_id_is_unique unique (credential_id),
  constraint webauthn_credentials_factor_has_one unique (factor_id),
  constraint webauthn_credentials_name_is_bounded check (length(friendly_name) <= 120)
);
create index webauthn_credentials_by_user on auth.webauthn_credentials (user_id);

-- Questions that wait for their answer, once, for some minutes: to a factor, or, without one, to a passkey.
create table auth.challenges (
  id uuid primary key default gen_random_uuid(),
  kind text not null,
  factor_id uuid references auth.factors (id) on delete cascade,
  user_id uuid references auth.users (id) on delete cascade,
  -- What an authenticator must sign; public by nature.
  webauthn_challenge text,
  -- Of the code in an SMS only the hash is kept.
  code_hash bytea,
  ip text,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  answered_at timestamptz,
  constraint challenges_kind_is_known check (kind in ('factor', 'passkey_registration', 'passkey_authentication')),
  constraint challenges_of_factors_name_them check ((kind = 'factor') = (factor_id is not null))
);
create index challenges_by_factor on auth.challenges (factor_id);
create index challenges_by_user on auth.challenges (user_id);
create index challenges_by_expiry on auth.challenges (expires_at);

do $$
declare
  target text;
begin
  foreach target in array array['factors', 'recovery_codes', 'webauthn_credentials', 'challenges'] loop
    execute format('alter table auth.%I enable row level security', target);
    execute format('alter table auth.%I force row level security', target);
    execute format('create policy %I on auth.%I to parrain_service using (true) with check (true)', target || '_service_all', target);
    execute format('grant select, insert, update, delete on auth.%I to parrain_service', target);
  end loop;
end
$$;

-- Which factor answered for a session. Without any, the session is of the first level again.
alter table auth.session_methods add column factor_id uuid references auth.factors (id) on delete cascade;
create index session_methods_by_factor on auth.session_methods (factor_id) where factor_id is not null;
-- Refresh tokens from before a second factor was given are never good again, not even for a moment.
alter table auth.sessions add column refresh_counter_min bigint not null default 0;
-- Kept by trigger, so that private.identify() needs no other look-up.
alter table auth.users add column has_verified_factor boolean not null default false;
alter table public.company_settings add column require_admin_two_factor boolean not null default false;

-- Holds, whoever writes: a person is known to have a verified factor, and a session to be of the second level, exactly as
-- long as the factor is there.
create function private.keep_second_factors() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  v_user uuid := coalesce(new.user_id, old.user_id);
  v_has boolean;
begin
  -- One at a time for a person: of two factors removed at once, the second sees the first gone.
  perform 1 from auth.users u where u.id = v_user for no key update;
  if tg_op = 'DELETE' or new.status = 'unverified' then
    delete from auth.session_methods m where m.factor_id = coalesce(old.id, new.id);
    update auth.sessions s set aal = 'aal1', factor_id = null
      where s.user_id = v_user and s.aal = 'aal2'
        and not exists (select 1 from auth.session_methods m where m.session_id = s.id and m.factor_id is not null);
  end if;
  v_has := exists (select 1 from auth.factors f
    where f.user_id = v_user and f.status = 'verified' and f.factor_type <> 'recovery_code');
  update auth.users u set has_verified_factor = v_has where u.id = v_user and u.has_verified_factor <> v_has;
  -- Codes on paper replace another factor: they go with the last one.
  if not v_has then delete from auth.factors f where f.user_id = v_user and f.factor_type = 'recovery_code'; end if;
  return null;
end
$$;
create trigger factors_keep_second_factors after insert or delete or update of status on auth.factors
  for each row execute function private.keep_second_factors();

-- Seconds before a factor may be tried again: nothing for four mistakes, then 15 s, doubling, up to a quarter of an hour.
create function private.factor_wait(f auth.factors) returns double precision
language sql volatile set search_path = ''
return case when f.failures < 5 then 0
  else greatest(0, least(15 * 2 ^ least(f.failures - 5, 10), 900) - extract(epoch from clock_timestamp() - f.failed_at)) end;

create or replace function private.identify() returns void
language plpgsql security definer set search_path = '' as $$
declare
  claims jsonb := nullif(current_setting('request.jwt.claims', true), '')::jsonb;
  person record;
begin
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

-- Whether every admin needs a second factor. Whoever asks it of the others has one: nobody shuts themselves out.
create function private.require_admin_two_factor(p_required boolean) returns public.company_settings
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  settings public.company_settings;
begin
  if p_required and not (select u.has_verified_factor from auth.users u where u.id = me) then
    perform private.refuse('two_factor_setup_required');
  end if;
  update public.company_settings c set require_admin_two_factor = p_required, updated_at = now() returning * into settings;
  return settings;
end
$$;

-- For a commercial or a client who lost what they sign in with: their factors go, and every session with them, so that
-- whoever found it is out. Of an admin only whoever holds the secret key may.
create function private.reset_second_factors(p_person_id uuid) returns table (email text, full_name text, removed bigint)
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  person public.profiles;
begin
  select * into person from public.profiles p where p.id = p_person_id for no key update;
  if not found then perform private.refuse('not_found'); end if;
  if person.role = 'admin' then perform private.refuse('forbidden'); end if;
  perform 1 from auth.users u where u.id = p_person_id for no key update;
  with gone as (delete from auth.factors f where f.user_id = p_person_id returning f.status)
  select count(*) filter (where g.status = 'verified') into removed from gone g;
  if removed > 0 then
    delete from auth.sessions s where s.user_id = p_person_id;
    insert into auth.audit_entries (user_id, action, detail)
      values (p_person_id, 'factor_removed', jsonb_build_object('by', me, 'count', removed));
    perform private.append_audit('profiles', p_person_id, 'reset_second_factor', null, null, null);
  end if;
  email := person.email;
  full_name := person.full_name;
  return next;
end
$$;

alter function private.reset_second_factors(uuid) owner to parrain_service;
alter function private.keep_second_factors() owner to parrain_service;
alter function private.require_admin_two_factor(boolean) owner to parrain_service;
grant execute on function private.factor_wait(auth.factors), private.require_admin_two_factor(boolean) to parrain_service;
grant execute on function private.require_admin_two_factor(boolean), private.reset_second_factors(uuid) to authenticated;
grant execute on function private.reset_second_factors(uuid) to parrain_service;
