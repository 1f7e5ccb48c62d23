-- Accounts that sign in (schema auth, never exposed).

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
  -- Kept by trigger, so that private.identify() needs no other look-up.
  has_verified_factor boolean not null default false,
  -- When the account's holder showed that its address is theirs: by a link or code that was mailed there, by credentials that
  -- only a mail held, through a provider that vouches for it. An account that is confirmed without a mail shows nothing.
  email_proven_at timestamptz,
  -- The mail that holds the temporary password: while it may leave, the password is shown to nobody.
  invitation_mail_id uuid,
  -- AU-08: after twenty wrong codes within a day an account is entered by link, not by code (decision 0011). Null before the first.
  wrong_codes integer,
  wrong_codes_since timestamptz,
  constraint users_email_is_lower_case check (email = lower(email)),
  constraint users_email_is_a_line check (private.is_line(email, 255)),
  constraint users_new_email_is_a_line check (private.is_line(new_email, 255)),
  constraint users_phone_is_a_line check (private.is_line(phone, 40)),
  constraint users_new_phone_is_a_line check (private.is_line(new_phone, 40)),
  constraint users_encrypted_password_is_a_line check (private.is_line(encrypted_password, 2000)),
  constraint users_raw_user_meta_data_is_bounded check (octet_length(raw_user_meta_data::text) <= 65536),
  constraint users_raw_app_meta_data_is_bounded check (octet_length(raw_app_meta_data::text) <= 65536)
);
create unique index users_email_is_unique on auth.users (email) where not is_sso_user and deleted_at is null;
create unique index users_phone_is_unique on auth.users (phone) where phone is not null and deleted_at is null;
create index users_by_creation on auth.users (created_at desc);
create index users_by_new_phone on auth.users (new_phone) where new_phone is not null;
create index users_anonymous_by_age on auth.users (created_at) where is_anonymous;
grant select, insert, update, delete on auth.users to parrain_service;

-- Another address is another mailbox.
create function private.forget_email_proof() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.email_proven_at := null;
  return new;
end
$$;
create trigger users_forget_email_proof before update of email on auth.users
  for each row when (old.email is distinct from new.email) execute function private.forget_email_proof();

create function private.prove_email(p_user uuid) returns void
language sql volatile set search_path = ''
begin atomic
  update auth.users u set email_proven_at = now() where u.id = p_user and u.email is not null and u.email_proven_at is null;
end;

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
  constraint identities_subject_is_unique unique (provider, provider_id),
  constraint identities_provider_is_a_line check (private.is_line(provider, 255)),
  constraint identities_provider_id_is_a_line check (private.is_line(provider_id, 2000)),
  constraint identities_identity_data_is_bounded check (octet_length(identity_data::text) <= 65536)
);
create index identities_by_user on auth.identities (user_id);
create index identities_by_email on auth.identities (email) where email is not null;
grant select, insert, update, delete on auth.identities to parrain_service;

-- The address that both sides have confirmed takes the old one's place, wherever the person is known by it.
create function private.change_email(p_user uuid, p_email text) returns void
language plpgsql security definer set search_path = '' as $$
begin
  update auth.users u set email = lower(p_email), email_confirmed_at = now(), new_email = null, is_anonymous = false, updated_at = now(),
      raw_user_meta_data = u.raw_user_meta_data || case when u.raw_user_meta_data ? 'email'
        then jsonb_build_object('email', lower(p_email), 'email_verified', true) else '{"email_verified": true}' end
    where u.id = p_user;
  insert into auth.identities as i (user_id, provider, provider_id, identity_data)
  values (p_user, 'email', p_user::text, jsonb_build_object('sub', p_user, 'email', lower(p_email), 'email_verified', true, 'phone_verified', false))
  on conflict (provider, provider_id) do update
    set identity_data = i.identity_data || jsonb_build_object('email', lower(p_email), 'email_verified', true), updated_at = now();
  update public.profiles p set email = lower(p_email), updated_at = now() where p.id = p_user;
exception when unique_violation then
  perform private.refuse('email_taken');
end
$$;

-- The same for a telephone number, without its +.
create function private.change_phone(p_user uuid, p_phone text) returns void
language plpgsql security definer set search_path = '' as $$
begin
  update auth.users u set phone = p_phone, phone_confirmed_at = now(), new_phone = null, is_anonymous = false, updated_at = now(),
      raw_user_meta_data = u.raw_user_meta_data || case when u.raw_user_meta_data ? 'phone_verified' then '{"phone_verified": true}' else '{}' end::jsonb
    where u.id = p_user;
  insert into auth.identities as i (user_id, provider, provider_id, identity_data)
  values (p_user, 'phone', p_user::text, jsonb_build_object('sub', p_user, 'phone', p_phone, 'email_verified', false, 'phone_verified', true))
  on conflict (provider, provider_id) do update
    set identity_data = i.identity_data || jsonb_build_object('phone', p_phone, 'phone_verified', true), updated_at = now();
  update public.profiles p set phone = '+' || p_phone, updated_at = now() where p.id = p_user and p.phone is null;
end
$$;

-- What happened to an account stays written: the server adds to its journal and changes nothing in it. It cuts it after a year by
-- itself, and can take nothing younger away; what tells how an account came to be is kept as long as the log.
create table auth.audit_entries (
  id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  user_id uuid,
  action text not null,
  ip text,
  detail jsonb not null default '{}',
  constraint audit_entries_ip_is_a_line check (private.is_line(ip, 100)),
  constraint audit_entries_detail_is_bounded check (octet_length(detail::text) <= 8000)
);
create index audit_entries_by_user on auth.audit_entries (user_id, id desc);
grant select, insert, delete on auth.audit_entries to parrain_service;
create policy audit_entries_kept_a_year on auth.audit_entries as restrictive for delete to parrain_service
  using (at < now() - interval '1 year' and action not in ('user_created', 'verified'));
