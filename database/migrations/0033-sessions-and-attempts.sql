-- How long a session may last, as the configuration says when it opens and at each refresh: kept in not_after, which every
-- door asks for. And guessing at the password of a number is slowed down as at that of an address.

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

-- Asked before a password is looked at, of an address or of a telephone number. Gives 0 where it may be, else the seconds to wait.
create or replace function private.begin_sign_in(p_email text, p_network text, p_ip text) returns double precision
language plpgsql volatile set search_path = '' as $$
declare
  v_account text := private.sign_in_account(p_email);
  v_wait double precision;
  v_tried private.sign_in_failures;
begin
  v_wait := greatest(
    private.take_token('auth:password:' || p_network, 30, 60),
    private.take_token('auth:password:' || p_network || ':' || v_account, 10, 60));
  if v_wait > 0 then return v_wait; end if;

  select * into v_tried from private.sign_in_failures f
    where f.account = v_account and f.failures >= 5 and f.last_at > clock_timestamp() - interval '15 minutes'
    for update;
  if not found then return 0; end if;
  -- Someone is guessing. Whoever comes from where the owner signed in before is not made to wait for it.
  if exists (
      select 1 from auth.audit_entries e
      where e.action = 'login' and e.ip = p_ip and e.at > now() - interval '90 days' and e.user_id in (
        select u.id from auth.users u where u.email = lower(p_email) and not u.is_sso_user and u.deleted_at is null
        union all
        select u.id from auth.users u where u.phone = p_email and u.deleted_at is null)) then
    return 0;
  end if;
  v_wait := least(2 ^ least(v_tried.failures - 5, 10), 60)
    - extract(epoch from clock_timestamp() - v_tried.last_at);
  if v_wait > 0 then return v_wait; end if;
  -- One try per delay, however many come at the same instant.
  update private.sign_in_failures f set last_at = clock_timestamp() where f.account = v_account;
  return 0;
end
$$;
