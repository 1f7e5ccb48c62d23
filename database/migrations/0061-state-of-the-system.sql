-- The state of the system as its admin sees it: what waits, what failed, how much room is taken, and the alarms that say so.
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
alter table private.alarms enable row level security;
alter table private.alarms force row level security;
create policy alarms_service_all on private.alarms to parrain_service using (true) with check (true);
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

alter function private.system_figures() owner to parrain_service;
alter function private.open_alarms() owner to parrain_service;
alter function private.system_state() owner to parrain_service;
alter function private.try_mail_again(uuid) owner to parrain_service;
grant execute on function private.open_alarms(), private.system_state(), private.try_mail_again(uuid) to authenticated;
