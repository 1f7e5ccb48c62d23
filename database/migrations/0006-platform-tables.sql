-- What the server keeps for itself: secrets, rate limits, idempotent answers, mails, files, appointment requests.

create table private.secrets (
  name text primary key,
  value bytea not null,
  created_at timestamptz not null default now()
);

create unlogged table private.rate_limits (
  bucket text primary key,
  tokens double precision not null,
  refilled_at timestamptz not null default clock_timestamp()
);
create index rate_limits_by_age on private.rate_limits (refilled_at);

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

create table private.idempotency_keys (
  user_id uuid not null references auth.users (id) on delete cascade,
  key text not null,
  request_hash bytea not null,
  status integer,
  body text,
  created_at timestamptz not null default now(),
  primary key (user_id, key),
  constraint idempotency_keys_key_is_bounded check (length(key) between 1 and 200)
);
create index idempotency_keys_by_age on private.idempotency_keys (created_at);

create table private.mails (
  id uuid primary key default gen_random_uuid(),
  status text not null default 'queued',
  template text not null default '',
  attempts integer not null default 0,
  last_error text,
  created_at timestamptz not null default now(),
  accepted_at timestamptz,
  constraint mails_status_is_known check (status in ('queued', 'accepted', 'failed'))
);
create index mails_by_age on private.mails (created_at);

create table private.appointment_requests (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  email text not null,
  phone text,
  preferred_slot text,
  message text,
  created_at timestamptz not null default now()
);

create table storage.objects (
  id uuid primary key default gen_random_uuid(),
  bucket_id text not null,
  name text not null,
  owner uuid,
  content bytea not null,
  content_type text not null,
  cache_control text not null default 'max-age=3600',
  etag text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint objects_bucket_is_known check (bucket_id in ('logos')),
  constraint objects_name_is_unique unique (bucket_id, name),
  constraint objects_size_is_bounded check (octet_length(content) <= 5242880)
);
