-- How long a session may last, as the configuration says when it opens and at each refresh: kept in not_after, which every
-- door asks for.

-- Where an identity provider decides how long a session lasts at most.
alter table auth.sessions add column provider_not_after timestamptz;
create index sessions_by_end on auth.sessions (not_after) where not_after is not null;

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

grant execute on function private.session_end(auth.sessions, timestamptz, double precision, double precision, double precision)
  to parrain_service;
