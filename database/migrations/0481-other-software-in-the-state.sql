-- OP-03: « État du système » says how other software is served (WH-01, WH-02): what waits for it, which addresses are off, and keys.

-- As 0200 has it, with webhooks and keys.
create or replace function private.system_state() returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.require_role('admin');
  return private.system_figures() || jsonb_build_object(
    'alarms', private.open_alarms(),
    'webhooks', (select jsonb_build_object(
        'on', count(*) filter (where w.off_since is null),
        'off', coalesce(jsonb_agg(private.host_of_url(w.url) order by w.off_since) filter (where w.off_since is not null), '[]'),
        'waiting', (select count(*) from private.webhook_deliveries d where d.status = 'pending'),
        'oldest_waiting_at', (select min(d.created_at) from private.webhook_deliveries d where d.status = 'pending'))
      from private.webhooks w),
    'api_keys', (select jsonb_build_object('alive', count(*), 'last_used_at', max(k.last_used_at))
      from public.api_keys k where private.is_key_alive(k)),
    'postgres_version', current_setting('server_version'),
    'schema', (select jsonb_build_object('last', max(name), 'count', count(*), 'applied_at', max(applied_at)) from private.migrations),
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
