-- Ways in without a password, and accounts without an address (AU-04, AU-07, AU-08, AU-13): one-time codes, exchanges with a
-- verifier, changes of address and number.

-- What a browser that proved itself elsewhere exchanges for its session, once, with the verifier only it has.
create table auth.flow_states (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  -- Of the code only the hash is kept.
  code_hash bytea not null,
  code_challenge text not null,
  -- How the person proved who they are, as the session will say.
  method text not null,
  provider text,
  -- The provider's own tokens, which the client gets with its session. Sealed.
  provider_tokens_sealed bytea,
  session_not_after timestamptz,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  constraint flow_states_code_is_unique unique (code_hash)
);
create index flow_states_by_user on auth.flow_states (user_id);
create index flow_states_by_expiry on auth.flow_states (expires_at);
alter table auth.flow_states enable row level security;
alter table auth.flow_states force row level security;
create policy flow_states_service_all on auth.flow_states to parrain_service using (true) with check (true);
grant select, insert, update, delete on auth.flow_states to parrain_service;

-- The code of a mail is good for a shorter time than its link; a link asked for with a challenge gives a code to exchange.
alter table auth.one_time_tokens
  add column code_expires_at timestamptz,
  add column code_challenge text,
  -- Of the two confirmations of a change of address: whether the other is still to come.
  add column needs_other boolean not null default false;

-- Who signs in by telephone, wallet or without a name has no address: an empty one, as the protocol writes it.
drop index public.profiles_email_is_unique;
create unique index profiles_email_is_unique on public.profiles (email) where email <> '';
create index users_by_new_phone on auth.users (new_phone) where new_phone is not null;
-- Whose code was sent to an address or a number.
create index one_time_tokens_by_destination on auth.one_time_tokens (relates_to, kind);
create index users_anonymous_by_age on auth.users (created_at) where is_anonymous;

create or replace function private.create_account(
  p_id uuid, p_email text, p_password_hash text, p_role text, p_full_name text, p_phone text default null,
  p_commercial_id uuid default null, p_company text default null, p_notes text default null, p_is_test boolean default false,
  p_temporary_until timestamptz default null, p_email_confirmed_at timestamptz default now(), p_user_metadata jsonb default '{}')
returns public.profiles
language plpgsql security definer set search_path = '' as $$
declare
  created public.profiles;
begin
  insert into auth.users (id, email, encrypted_password, temporary_password_until, password_change_required, email_confirmed_at,
    invited_at, raw_app_meta_data, raw_user_meta_data)
  values (p_id, lower(p_email), p_password_hash, p_temporary_until, p_temporary_until is not null,
    case when p_email is not null then p_email_confirmed_at end,
    case when p_temporary_until is not null then now() end,
    jsonb_build_object('role', p_role)
      || case when p_email is null then '{}' else jsonb_build_object('provider', 'email', 'providers', jsonb_build_array('email')) end,
    p_user_metadata);
  if p_email is not null then
    insert into auth.identities (user_id, provider, provider_id, identity_data)
    values (p_id, 'email', p_id::text, jsonb_build_object('sub', p_id, 'email', lower(p_email),
      'email_verified', p_email_confirmed_at is not null, 'phone_verified', false));
  end if;
  insert into public.profiles (id, full_name, email, phone, role, company, notes, commercial_id, is_test)
  values (p_id, btrim(p_full_name), coalesce(lower(p_email), ''), nullif(btrim(p_phone), ''), p_role, nullif(btrim(p_company), ''),
    nullif(btrim(p_notes), ''), p_commercial_id, p_is_test)
  returning * into created;
  return created;
exception when unique_violation then
  perform private.refuse('email_taken');
end
$$;

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

alter function private.change_email(uuid, text) owner to parrain_service;
alter function private.change_phone(uuid, text) owner to parrain_service;
grant execute on function private.change_email(uuid, text), private.change_phone(uuid, text) to parrain_service;

-- What happened to an account stays written: the server adds to its journal and changes nothing in it.
revoke update, delete on auth.audit_entries from parrain_service;
