-- Rate limits, and guessing that gets slower and slower without ever shutting an account's owner out.

create unlogged table private.rate_limits (
  bucket text primary key,
  tokens double precision not null,
  refilled_at timestamptz not null default clock_timestamp()
);
create index rate_limits_by_age on private.rate_limits (refilled_at);
grant select, insert, update, delete on private.rate_limits to parrain_service;

-- A token bucket shared by every node. Gives 0 where the call is allowed, else the seconds to wait.
-- A refusal takes nothing: it leaves what there was, less one, so that a negative number reads « refused ».
create function private.take_token(p_bucket text, p_capacity double precision, p_per_seconds double precision) returns double precision
language sql volatile security definer set search_path = ''
begin atomic
  insert into private.rate_limits as r (bucket, tokens, refilled_at)
  values (p_bucket, p_capacity - 1, clock_timestamp())
  on conflict (bucket) do update set
    tokens = least(p_capacity, r.tokens + (r.tokens < 0)::integer
      + extract(epoch from clock_timestamp() - r.refilled_at) * p_capacity / p_per_seconds) - 1,
    refilled_at = clock_timestamp()
  returning case when tokens >= 0 then 0 else -tokens * p_per_seconds / p_capacity end;
end;

-- What one person can make grow has a bound per day (FX-07), enforced where it grows: docs/operations/limits.md lists them.
-- Counts one more of something for a person, in the caller's transaction: what is taken back counts for nothing. While the
-- demo company's history is told, days go by in a second. @refuses daily_limit, with the seconds until the next is free.
create function private.limit_per_day(p_what text, p_person uuid, p_most integer) returns void
language plpgsql security definer set search_path = '' as $$
declare
  v_wait double precision;
begin
  if p_person is null or coalesce(current_setting('app.at', true), '') <> '' then return; end if;
  v_wait := private.take_token('day:' || p_what || ':' || p_person, p_most, 86400);
  if v_wait > 0 then
    perform private.refuse('daily_limit', jsonb_build_object('retryAfterSeconds', ceil(v_wait)));
  end if;
end
$$;

-- A table's rows of a day: what is counted, then how many a person may write; or how many a client, and how many a commercial,
-- where the company's own admins are not counted.
create function private.limit_writes() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  most integer := tg_argv[1];
begin
  if tg_nargs = 3 then
    most := case private.user_role() when 'client' then tg_argv[1] when 'commercial' then tg_argv[2] end;
  end if;
  if most is not null then perform private.limit_per_day(tg_argv[0], private.uid(), most); end if;
  return null;
end
$$;

-- Failures in a row per address, known or not, so that both are treated alike; the address itself is not kept.
create unlogged table private.sign_in_failures (
  account text primary key,
  failures integer not null,
  last_at timestamptz not null default clock_timestamp()
);
create index sign_in_failures_by_age on private.sign_in_failures (last_at);
grant select, insert, update, delete on private.sign_in_failures to parrain_service;

create function private.sign_in_account(p_email text) returns text
language sql immutable parallel safe set search_path = ''
return encode(sha256(convert_to(lower(p_email), 'UTF8')), 'hex');

-- Asked before a password is looked at, of an address or of a telephone number. Gives 0 where it may be, else the seconds to wait.
create function private.begin_sign_in(p_email text, p_network text, p_ip text) returns double precision
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

create function private.sign_in_failed(p_email text) returns void
language sql volatile set search_path = ''
begin atomic
  insert into private.sign_in_failures as f (account, failures) values (private.sign_in_account(p_email), 1)
  on conflict (account) do update set
    failures = case when f.last_at < clock_timestamp() - interval '15 minutes' then 1 else f.failures + 1 end,
    last_at = clock_timestamp();
end;

-- A good password costs nothing: what begin_sign_in took is given back.
create function private.sign_in_succeeded(p_email text, p_network text) returns void
language sql volatile set search_path = ''
begin atomic
  delete from private.sign_in_failures f where f.account = private.sign_in_account(p_email);
  update private.rate_limits r set tokens = r.tokens + 1
    where r.bucket in ('auth:password:' || p_network, 'auth:password:' || p_network || ':' || private.sign_in_account(p_email));
end;
