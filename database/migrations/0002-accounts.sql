-- Accounts that sign in (schema auth, never exposed) and the people they are (public.profiles).

create table auth.users (
  id uuid primary key default gen_random_uuid(),
  email text,
  phone text,
  encrypted_password text,
  -- A temporary password (V-19) is good for one sign-in before this time; null for a password its owner chose.
  temporary_password_until timestamptz,
  password_change_required boolean not null default false,
  email_confirmed_at timestamptz,
  phone_confirmed_at timestamptz,
  invited_at timestamptz,
  confirmation_sent_at timestamptz,
  recovery_sent_at timestamptz,
  new_email text,
  email_change_sent_at timestamptz,
  new_phone text,
  phone_change_sent_at timestamptz,
  reauthentication_sent_at timestamptz,
  last_sign_in_at timestamptz,
  raw_app_meta_data jsonb not null default '{}',
  raw_user_meta_data jsonb not null default '{}',
  is_sso_user boolean not null default false,
  is_anonymous boolean not null default false,
  banned_until timestamptz,
  deleted_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint users_email_is_lower_case check (email = lower(email)),
  constraint users_email_is_bounded check (length(email) <= 255)
);
create unique index users_email_is_unique on auth.users (email) where not is_sso_user and deleted_at is null;
create unique index users_phone_is_unique on auth.users (phone) where phone is not null and deleted_at is null;
create index users_by_creation on auth.users (created_at desc);

create table auth.identities (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  provider text not null,
  provider_id text not null,
  identity_data jsonb not null default '{}',
  email text generated always as (lower(identity_data ->> 'email')) stored,
  last_sign_in_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint identities_subject_is_unique unique (provider, provider_id)
);
create index identities_by_user on auth.identities (user_id);

create table auth.sessions (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  created_at timestamptz not null default now(),
  refreshed_at timestamptz not null default now(),
  not_after timestamptz,
  aal text not null default 'aal1',
  factor_id uuid,
  user_agent text,
  ip text,
  tag text,
  -- A refresh token names its session and a counter, signed with this session's own (sealed) key: nothing to look up, nothing to steal.
  refresh_counter bigint not null default 0,
  refresh_key_sealed bytea not null,
  constraint sessions_aal_is_known check (aal in ('aal1', 'aal2'))
);
create index sessions_by_user on auth.sessions (user_id);

create table auth.session_methods (
  session_id uuid not null references auth.sessions (id) on delete cascade,
  method text not null,
  provider text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (session_id, method)
);

create table auth.one_time_tokens (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  kind text not null,
  -- Only hashes are kept: of the 256-bit link token, and of the short code.
  token_hash bytea not null,
  code_hash bytea,
  relates_to text not null default '',
  redirect_to text,
  attempts integer not null default 0,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  constraint one_time_tokens_kind_is_known check (kind in
    ('confirmation', 'recovery', 'email_change_current', 'email_change_new', 'phone_change', 'reauthentication')),
  constraint one_time_tokens_one_per_kind unique (user_id, kind),
  constraint one_time_tokens_hash_is_unique unique (token_hash)
);

create table auth.signing_keys (
  kid text primary key,
  algorithm text not null default 'ES256',
  public_jwk jsonb not null,
  private_jwk_sealed bytea not null,
  created_at timestamptz not null default now(),
  signs_from timestamptz not null default now(),
  retired_at timestamptz
);

create table auth.audit_entries (
  id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  user_id uuid,
  action text not null,
  ip text,
  detail jsonb not null default '{}'
);
create index audit_entries_by_user on auth.audit_entries (user_id, id desc);

create table public.profiles (
  id uuid primary key references auth.users (id) on delete cascade,
  full_name text not null,
  email text not null,
  phone text,
  role text not null,
  created_at timestamptz not null default private.now(),
  company text,
  notes text,
  commercial_id uuid references public.profiles (id) on delete restrict,
  deactivated_at timestamptz,
  is_test boolean not null default false,
  updated_at timestamptz not null default now(),
  constraint profiles_role_is_known check (role in ('admin', 'commercial', 'client')),
  constraint profiles_name_is_given check (length(btrim(full_name)) between 1 and 120),
  constraint profiles_email_is_lower_case check (email = lower(email)),
  constraint profiles_only_a_client_has_a_commercial check (commercial_id is null or role = 'client')
);
create unique index profiles_email_is_unique on public.profiles (email);
create index profiles_by_role on public.profiles (role, created_at desc);
create index profiles_by_commercial on public.profiles (commercial_id, created_at desc);
create index profiles_by_name on public.profiles using gin (full_name gin_trgm_ops);

create table public.company_settings (
  id smallint primary key default 1,
  company_name text not null default 'Mon Entreprise',
  logo_url text,
  updated_at timestamptz not null default now(),
  constraint company_settings_is_one_row check (id = 1),
  constraint company_settings_name_is_given check (length(btrim(company_name)) between 1 and 120)
);
insert into public.company_settings default values;
