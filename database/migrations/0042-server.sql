-- What the server keeps for itself: secrets, idempotent answers, mails, appointment requests, its own upkeep.

create table private.secrets (
  name text primary key,
  value bytea not null,
  created_at timestamptz not null default now()
);
grant select, insert, update, delete on private.secrets to parrain_service;

create table private.idempotency_keys (
  user_id uuid not null references auth.users (id) on delete cascade,
  key text not null,
  request_hash bytea not null,
  status integer,
  body text,
  created_at timestamptz not null default now(),
  primary key (user_id, key),
  constraint idempotency_keys_key_is_bounded check (length(key) between 1 and 200),
  constraint idempotency_keys_body_is_bounded check (octet_length(body::text) <= 1000000)
);
create index idempotency_keys_by_age on private.idempotency_keys (created_at);
grant select, insert, update, delete on private.idempotency_keys to parrain_service;

-- Answers that are kept for a retry, two days each.
create trigger idempotency_keys_limit after insert on private.idempotency_keys
  for each row execute function private.limit_writes('idempotency', '500', '5000');

-- V-20: claims an idempotency key for this transaction. A second caller waits here until the first has committed, then reads
-- its answer; where the first failed nothing was kept, and the second does the work.
create function private.claim_idempotency_key(p_key text, p_request_hash bytea)
returns table (claimed boolean, status integer, body text)
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.uid();
  earlier private.idempotency_keys;
begin
  insert into private.idempotency_keys (user_id, key, request_hash) values (me, p_key, p_request_hash) on conflict do nothing;
  if found then
    return query select true, null::integer, null::text;
    return;
  end if;
  select * into earlier from private.idempotency_keys k where k.user_id = me and k.key = p_key;
  if earlier.request_hash <> p_request_hash then perform private.refuse('idempotency_key_reused'); end if;
  if earlier.status is null then perform private.refuse('request_in_progress'); end if;
  return query select false, earlier.status, earlier.body;
end
$$;

create function private.keep_idempotent_answer(p_key text, p_status integer, p_body text) returns void
language sql security definer set search_path = ''
begin atomic
  update private.idempotency_keys set status = p_status, body = p_body where user_id = private.uid() and key = p_key;
end;

-- A call that still waits for something after its commit (a mail's acceptance) keeps status 102 and what it needs to end.
-- Whoever ends it first gives the answer that everyone gets.
create function private.finish_idempotent_answer(p_key text, p_status integer, p_body text)
returns table (status integer, body text)
language plpgsql security definer set search_path = '' as $$
begin
  update private.idempotency_keys k set status = p_status, body = p_body
    where k.user_id = private.uid() and k.key = p_key and k.status = 102;
  return query select k.status, k.body from private.idempotency_keys k where k.user_id = private.uid() and k.key = p_key;
end
$$;

grant execute on function private.claim_idempotency_key(text, bytea), private.keep_idempotent_answer(text, integer, text),
  private.finish_idempotent_answer(text, integer, text) to authenticated;

-- A mail says where it is: waiting, being handed over, accepted, refused for ever, or withdrawn before it left. Its sealed
-- text stands beside its state, so that a mail without one can never leave.
create table private.mails (
  id uuid primary key default gen_random_uuid(),
  status text not null default 'queued',
  template text not null default '',
  attempts integer not null default 0,
  last_error text,
  created_at timestamptz not null default now(),
  accepted_at timestamptz,
  sealed bytea,
  status_since timestamptz not null default now(),
  constraint mails_status_is_known check (status in ('queued', 'sending', 'accepted', 'failed', 'withdrawn')),
  constraint mails_lose_their_text_in_the_end check (sealed is null or status in ('queued', 'sending', 'failed'))
);
create index mails_by_age on private.mails (created_at);
create index mails_by_state on private.mails (status, status_since) where status <> 'accepted';
grant select, insert, update, delete on private.mails to parrain_service;

create table private.appointment_requests (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  email text not null,
  phone text,
  preferred_slot text,
  message text,
  created_at timestamptz not null default now(),
  constraint appointment_requests_name_is_a_name check (private.is_name(name)),
  constraint appointment_requests_email_is_a_line check (private.is_line(email, 255)),
  constraint appointment_requests_phone_is_a_line check (private.is_line(phone, 40)),
  constraint appointment_requests_preferred_slot_is_a_line check (private.is_line(preferred_slot, 120)),
  constraint appointment_requests_message_is_a_text check (private.is_text(message, 2000))
);
grant select, insert, update, delete on private.appointment_requests to parrain_service;

-- Backups and verifications that were run, by hand or on a schedule: what « État du système » and its alarms read.
create table private.maintenance_runs (
  id bigint generated always as identity primary key,
  kind text not null,
  started_at timestamptz not null,
  -- Both null while it runs, and for ever where its process died.
  finished_at timestamptz,
  succeeded boolean,
  -- A backup: its place and its size. A verification: the invariants that are broken.
  details jsonb,
  constraint maintenance_runs_kind_is_known check (kind in ('backup', 'verification')),
  constraint maintenance_runs_end_with_a_verdict check ((finished_at is null) = (succeeded is null)),
  constraint maintenance_runs_end_after_their_start check (finished_at >= started_at)
);
create index maintenance_runs_by_kind on private.maintenance_runs (kind, started_at desc);
grant select, insert, update, delete on private.maintenance_runs to parrain_service;

-- What is wrong with the system now, or was: its admin is told.
create table private.alarms (
  id bigint generated always as identity primary key,
  kind text not null,
  raised_at timestamptz not null default now(),
  -- Null as long as its cause lasts.
  cleared_at timestamptz,
  details jsonb not null,
  constraint alarms_kind_is_known check (kind in ('mail_stuck', 'disk_nearly_full', 'backup_too_old', 'invariant_broken')),
  constraint alarms_end_after_their_start check (cleared_at >= raised_at)
);
create unique index alarms_are_raised_once on private.alarms (kind) where cleared_at is null;
grant select, insert, update, delete on private.alarms to parrain_service;

grant select on private.migrations to parrain_service;

-- What the server itself watches, for metrics and alarms: counts and instants, of nobody in particular.
create function private.system_figures() returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  mails jsonb;
  jobs jsonb;
  runs jsonb;
begin
  select jsonb_build_object(
      'queued', count(*) filter (where status = 'queued' and attempts = 0),
      'retried', count(*) filter (where status = 'queued' and attempts > 0),
      'sending', count(*) filter (where status = 'sending'),
      'failed', count(*) filter (where status = 'failed'),
      'oldest_waiting_at', min(created_at) filter (where status in ('queued', 'sending')),
      -- Tried to the end: the mail server was away, where a refusal for ever is its recipient's matter.
      'given_up_at', max(status_since) filter (where status = 'failed' and attempts >= 12),
      'last_error', (array_agg(last_error order by status_since desc) filter (where status in ('queued', 'failed') and last_error is not null))[1])
    into mails from private.mails where status <> 'accepted';
  select jsonb_build_object(
      'waiting', count(*) filter (where attempts < max_attempts and run_at <= now()),
      'retried', count(*) filter (where attempts < max_attempts and run_at > now() and attempts > 0),
      'failed', count(*) filter (where attempts >= max_attempts and locked_at is null),
      'oldest_waiting_at', min(run_at) filter (where attempts < max_attempts and run_at <= now() and locked_at is null))
    into jobs from graphile_worker.jobs;
  select coalesce(jsonb_object_agg(kind, run), '{}') into runs from (
    select kind, jsonb_build_object(
        'last', (select to_jsonb(r) from private.maintenance_runs r where r.kind = k.kind and r.finished_at is not null
          order by r.started_at desc limit 1),
        'last_success_at', (select max(r.finished_at) from private.maintenance_runs r where r.kind = k.kind and r.succeeded)) as run
    from unnest(array['backup', 'verification']) k(kind)) each_kind;
  return jsonb_build_object('mails', mails, 'jobs', jobs, 'runs', runs,
    -- pg_database_size asks for the right to connect, which only the server's login has.
    'database_bytes', (select sum(pg_total_relation_size(oid)) from pg_class where relkind in ('r', 'm')),
    'installed_at', (select min(applied_at) from private.migrations));
end
$$;

-- Alarms whose cause lasts, for an admin.
create function private.open_alarms() returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.require_role('admin');
  return coalesce((select jsonb_agg(jsonb_build_object('kind', kind, 'raised_at', raised_at, 'details', details) order by raised_at)
    from private.alarms where cleared_at is null), '[]');
end
$$;

-- « État du système ». Recipients of mails stand in their sealed text, which the server alone can open.
create function private.system_state() returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.require_role('admin');
  return private.system_figures() || jsonb_build_object(
    'alarms', private.open_alarms(),
    'postgres_version', current_setting('server_version'),
    'schema', (select jsonb_build_object('last', max(name), 'count', count(*), 'applied_at', max(applied_at)) from private.migrations),
    'failed_mails', coalesce((select jsonb_agg(m order by m.status_since desc) from (
      select id, template, created_at, status_since, attempts, last_error, encode(sealed, 'base64') as sealed
      from private.mails where status = 'failed' order by status_since desc limit 50) m), '[]'),
    'failed_jobs', coalesce((select jsonb_agg(j order by j.failed_at desc) from (
      select task_identifier as task, count(*) as number, max(updated_at) as failed_at
      from graphile_worker.jobs where attempts >= max_attempts and locked_at is null group by 1 limit 50) j), '[]'),
    'tables', (select jsonb_agg(t order by t.bytes desc) from (
      select n.nspname || '.' || c.relname as name, pg_total_relation_size(c.oid) as bytes, 
        -- Negative before the first analyze.
        case when c.reltuples < 0 then pg_stat_get_live_tuples(c.oid) else c.reltuples::bigint end as number
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind = 'r' and n.nspname in ('public', 'auth', 'private', 'storage', 'figures') order by 2 desc limit 6) t));
end
$$;

-- An admin has a mail that failed tried once more, from its first attempt. False where it has not failed, or its text is gone.
create function private.try_mail_again(p_mail uuid) returns boolean
language plpgsql security definer set search_path = '' as $$
begin
  perform private.require_role('admin');
  update private.mails set status = 'queued', status_since = now(), attempts = 0
    where id = p_mail and status = 'failed' and sealed is not null;
  if not found then return false; end if;
  perform graphile_worker.add_job('send_mail', json_build_object('id', p_mail), max_attempts => 12);
  return true;
end
$$;

grant execute on function private.open_alarms(), private.system_state(), private.try_mail_again(uuid) to authenticated;
