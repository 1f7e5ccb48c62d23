-- Guessing passwords gets slower and slower, without ever shutting the account's owner out.

-- Failures in a row per address, known or not, so that both are treated alike; the address itself is not kept.
create unlogged table private.sign_in_failures (
  account text primary key,
  failures integer not null,
  last_at timestamptz not null default clock_timestamp()
);
create index sign_in_failures_by_age on private.sign_in_failures (last_at);
alter table private.sign_in_failures enable row level security;
alter table private.sign_in_failures force row level security;
create policy sign_in_failures_service_all on private.sign_in_failures to parrain_service using (true) with check (true);
grant select, insert, update, delete on private.sign_in_failures to parrain_service;

create function private.sign_in_account(p_email text) returns text
language sql immutable parallel safe set search_path = ''
return encode(sha256(convert_to(lower(p_email), 'UTF8')), 'hex');

-- Asked before a password is looked at. Gives 0 where it may be, else the seconds to wait.
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
      select 1 from auth.users u join auth.audit_entries e on e.user_id = u.id
      where u.email = lower(p_email) and e.action = 'login' and e.ip = p_ip and e.at > now() - interval '90 days') then
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

grant execute on function private.sign_in_account(text), private.begin_sign_in(text, text, text),
  private.sign_in_failed(text), private.sign_in_succeeded(text, text) to parrain_service;

-- Links and codes are looked up by their hash; those that lapsed are removed by age.
create index one_time_tokens_by_expiry on auth.one_time_tokens (expires_at);
