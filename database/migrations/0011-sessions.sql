-- Sessions, how they were opened, and the keys that sign their tokens.

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
  -- Refresh tokens from before a second factor was given are never good again, not even for a moment.
  refresh_counter_min bigint not null default 0,
  -- Where an identity provider decides how long a session lasts at most.
  provider_not_after timestamptz,
  -- AU-13: a session that a recovery or an invitation opened may choose a password without the current one, for as long as a link
  -- is good. Any other one gives the current password.
  password_free_until timestamptz,
  constraint sessions_aal_is_known check (aal in ('aal1', 'aal2')),
  constraint sessions_ip_is_a_line check (private.is_line(ip, 100)),
  constraint sessions_user_agent_is_bounded check (octet_length(user_agent::text) <= 2000),
  constraint sessions_tag_is_a_line check (private.is_line(tag, 255))
);
create index sessions_by_user on auth.sessions (user_id);
create index sessions_by_end on auth.sessions (not_after) where not_after is not null;
grant select, insert, update, delete on auth.sessions to parrain_service;

-- A person has a hundred devices at most: the one that was used longest ago gives way.
create function private.limit_sessions() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.limit_per_day('session', new.user_id, 1000);
  delete from auth.sessions s where s.id in (
    select o.id from auth.sessions o where o.user_id = new.user_id and o.id <> new.id
    order by greatest(o.created_at, o.refreshed_at) desc offset 99);
  return null;
end
$$;
create trigger sessions_limit after insert on auth.sessions
  for each row execute function private.limit_sessions();

-- How long a session may last, as the configuration says when it opens and at each refresh, is kept in not_after, which every
-- door asks for.
-- When a session that was last used at that time ends; null where nothing limits it.
create function private.session_end(
  s auth.sessions, p_used_at timestamptz, p_max_seconds double precision, p_idle_seconds double precision,
  p_low_aal_seconds double precision) returns timestamptz
language sql stable set search_path = ''
return least(
  s.provider_not_after,
  s.created_at + make_interval(secs => p_max_seconds),
  p_used_at + make_interval(secs => p_idle_seconds),
  -- Of the first level, while the person has a second factor to give.
  case when s.aal = 'aal1' and (select u.has_verified_factor from auth.users u where u.id = s.user_id)
    then s.created_at + make_interval(secs => p_low_aal_seconds) end);

create table auth.session_methods (
  session_id uuid not null references auth.sessions (id) on delete cascade,
  method text not null,
  provider text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- Which factor answered for a session. Without any, the session is of the first level again.
  factor_id uuid,
  primary key (session_id, method),
  constraint session_methods_provider_is_a_line check (private.is_line(provider, 255))
);
create index session_methods_by_factor on auth.session_methods (factor_id) where factor_id is not null;
grant select, insert, update, delete on auth.session_methods to parrain_service;

-- One's open sessions, the newest use first. Nothing here opens one: neither key nor counter.
create function private.my_sessions()
returns table (id uuid, created_at timestamptz, last_used_at timestamptz, user_agent text, ip text, is_current boolean)
language plpgsql stable security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin', 'commercial', 'client');
begin
  return query select s.id, s.created_at, greatest(s.created_at, s.refreshed_at), s.user_agent, s.ip,
      s.id::text = nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'session_id'
    from auth.sessions s
    where s.user_id = me and (s.not_after is null or s.not_after > now())
    order by 6 desc, 3 desc, s.id
    limit 200;
end
$$;

-- Ends one session of one's own, at once. False where there is none of that name any more.
create function private.end_my_session(p_id uuid) returns boolean
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin', 'commercial', 'client');
begin
  delete from auth.sessions s where s.id = p_id and s.user_id = me;
  if not found then return false; end if;
  insert into auth.audit_entries (user_id, action, detail) values (me, 'logout', '{"scope": "one"}');
  return true;
end
$$;

grant execute on function private.my_sessions(), private.end_my_session(uuid) to authenticated;

create table auth.signing_keys (
  kid text primary key,
  algorithm text not null default 'ES256',
  public_jwk jsonb not null,
  private_jwk_sealed bytea not null,
  created_at timestamptz not null default now(),
  signs_from timestamptz not null default now(),
  retired_at timestamptz
);
grant select, insert, update, delete on auth.signing_keys to parrain_service;
