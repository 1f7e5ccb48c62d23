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
  constraint factors_have_what_their_type_needs check ((factor_type = 'totp') = (secret_sealed is not null)
    and (factor_type = 'phone') = (phone is not null)),
  constraint factors_name_is_unique unique (user_id, friendly_name),
  constraint factors_friendly_name_is_a_line check (private.is_line(friendly_name, 120)),
  constraint factors_phone_is_a_line check (private.is_line(phone, 40))
);
create index factors_unverified_by_age on auth.factors (created_at) where status = 'unverified';
grant select, insert, update, delete on auth.factors to parrain_service;
alter table auth.session_methods add constraint session_methods_factor_id_fkey
  foreign key (factor_id) references auth.factors (id) on delete cascade;

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

-- Codes on paper, each good once, for whoever lost their other factor. Only hashes are kept.
create table auth.recovery_codes (
  factor_id uuid not null references auth.factors (id) on delete cascade,
  code_hash bytea not null,
  used_at timestamptz,
  primary key (factor_id, code_hash)
);
grant select, insert, update, delete on auth.recovery_codes to parrain_service;

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
  constraint webauthn_credentials_friendly_name_is_a_line check (private.is_line(friendly_name, 120)),
  constraint webauthn_credentials_credential_id_is_a_line check (private.is_line(credential_id, 2000)),
  constraint webauthn_credentials_aaguid_is_a_line check (private.is_line(aaguid, 64)),
  constraint webauthn_credentials_transports_is_bounded check (octet_length(transports::text) <= 500)
);
create index webauthn_credentials_by_user on auth.webauthn_credentials (user_id);
grant select, insert, update, delete on auth.webauthn_credentials to parrain_service;

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
  constraint challenges_of_factors_name_them check ((kind = 'factor') = (factor_id is not null)),
  constraint challenges_webauthn_challenge_is_a_line check (private.is_line(webauthn_challenge, 500)),
  constraint challenges_ip_is_a_line check (private.is_line(ip, 100))
);
create index challenges_by_factor on auth.challenges (factor_id);
create index challenges_by_user on auth.challenges (user_id);
create index challenges_by_expiry on auth.challenges (expires_at);
grant select, insert, update, delete on auth.challenges to parrain_service;

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
grant execute on function private.reset_second_factors(uuid) to authenticated;
