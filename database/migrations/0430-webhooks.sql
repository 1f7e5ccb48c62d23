-- WH-02: other software is told of each step of a sale, a payment request, a payout and a person (decision 0037). An event is written
-- for each address that asked for it, in the transaction of the act; the server sends it after the commit.

create table private.webhooks (
  id uuid primary key,
  url text not null,
  description text,
  events text[] not null,
  secret_sealed bytea not null,
  -- The secret before the last change: valid beside the new one for a day.
  former_secret_sealed bytea,
  former_secret_until timestamptz,
  created_at timestamptz not null default now(),
  -- Tries that failed in a row, and since when.
  failures integer not null default 0,
  failing_since timestamptz,
  -- Null as long as events are sent.
  off_since timestamptz,
  off_because text,
  constraint webhooks_url_is_an_address check (private.is_line(url, 2000) and url ~ '^https?://[^/?#@]+'),
  constraint webhooks_description_is_a_line check (private.is_line(description, 120) and btrim(description) <> ''),
  constraint webhooks_events_are_known check (cardinality(events) > 0 and events <@ array[
    'sale.pending', 'sale.contacted', 'sale.in_negotiation', 'sale.awaiting_final_validation', 'sale.awaiting_admin_validation',
    'sale.validated', 'sale.rejected', 'sale.correction',
    'payment_request.pending', 'payment_request.approved', 'payment_request.rejected', 'payment_request.paid', 'payment_request.returned',
    'payout.queued', 'payout.removed', 'payout.paid', 'payout.rejected', 'payout.returned',
    'person.created', 'person.updated', 'person.deactivated', 'person.reactivated', 'person.deleted']),
  constraint webhooks_former_secret_has_its_end check ((former_secret_sealed is null) = (former_secret_until is null)),
  constraint webhooks_failures_have_their_start check ((failures = 0) = (failing_since is null)),
  constraint webhooks_off_has_a_reason check (
    (off_since is null) = (off_because is null) and off_because in ('admin', 'gone', 'failures'))
);

-- What is sent, and its log: the outbox of what is written with an act. A job would be announced, and an announcement makes
-- commits wait for one another (decision 0008).
create table private.webhook_deliveries (
  -- The message's own id: the same at each try, so that its receiver can tell a repetition.
  id uuid primary key default gen_random_uuid(),
  number bigint generated always as identity,
  webhook_id uuid not null references private.webhooks (id) on delete cascade,
  type text not null,
  -- The row that the event is about: a person who is forgotten is forgotten here too.
  object_id uuid,
  -- Events of one stream are sent in their order.
  stream_id uuid not null,
  -- The row as admins read it, when it happened.
  data jsonb not null,
  occurred_at timestamptz not null default private.now(),
  created_at timestamptz not null default now(),
  -- A test, or one sent again by hand: tried once, at once, and nothing waits for it.
  is_single_try boolean not null default false,
  status text not null default 'pending',
  attempts integer not null default 0,
  run_at timestamptz not null default now(),
  -- The node that sends it has until then; after that it has died, and another sends it again.
  leased_until timestamptz not null default '-infinity',
  answered_at timestamptz,
  answer_status integer,
  answer text,
  error text,
  took_ms integer,
  constraint webhook_deliveries_status_is_known check (status in ('pending', 'delivered', 'failed', 'dropped')),
  constraint webhook_deliveries_answer_is_bounded check (octet_length(answer) <= 4096),
  constraint webhook_deliveries_error_is_a_line check (private.is_line(error, 200))
);
create index webhook_deliveries_waiting on private.webhook_deliveries (webhook_id, number) where status = 'pending';
create index webhook_deliveries_in_order on private.webhook_deliveries (webhook_id, stream_id, number) where status = 'pending';
create index webhook_deliveries_newest on private.webhook_deliveries (webhook_id, number desc);
create index webhook_deliveries_by_object on private.webhook_deliveries (object_id) where object_id is not null;
create index webhook_deliveries_by_age on private.webhook_deliveries (created_at);

do $$
declare
  name text;
begin
  foreach name in array array['webhooks', 'webhook_deliveries'] loop
    execute format('alter table private.%I enable row level security', name);
    execute format('alter table private.%I force row level security', name);
    execute format('grant select, insert, update, delete on private.%I to parrain_service', name);
    execute format('create policy %I on private.%I to parrain_service using (true) with check (true)', name || '_service_all', name);
  end loop;
end
$$;

-- Writes an event for each address that asked for its type.
create function private.record_webhook_event(p_type text, p_object_id uuid, p_stream_id uuid, p_data jsonb) returns void
language sql security definer set search_path = ''
begin atomic
  insert into private.webhook_deliveries (webhook_id, type, object_id, stream_id, data)
  select w.id, p_type, p_object_id, p_stream_id, p_data
    from private.webhooks w where w.off_since is null and p_type = any (w.events);
end;

-- The step that a row has reached. A correction follows the sale that it corrects; a payout follows its request.
create function private.record_webhook_step() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  now_row constant jsonb := case when tg_op <> 'DELETE' then to_jsonb(new) end;
  before constant jsonb := case when tg_op <> 'INSERT' then to_jsonb(old) end;
  state text;
begin
  if private.is_cleaning() or not exists (select from private.webhooks w where w.off_since is null) then return null; end if;
  case tg_table_name
    when 'sales' then
      state := private.sale_state(new.status, new.ready_for_validation, new.admin_validated, new.corrects_sale_id);
      if tg_op = 'INSERT' or state <> private.sale_state(old.status, old.ready_for_validation, old.admin_validated, old.corrects_sale_id) then
        perform private.record_webhook_event('sale.' || state, new.id, coalesce(new.corrects_sale_id, new.id), now_row);
      end if;
    when 'payment_requests' then
      if tg_op = 'INSERT' or new.status <> old.status then
        perform private.record_webhook_event('payment_request.' || new.status, new.id, new.id, now_row);
      end if;
    when 'payment_batch_lines' then
      if tg_op = 'DELETE' then
        perform private.record_webhook_event('payout.removed', old.request_id, old.request_id, before);
      elsif tg_op = 'INSERT' or new.status <> old.status then
        perform private.record_webhook_event('payout.' || new.status, new.request_id, new.request_id, now_row);
      end if;
    when 'profiles' then
      if tg_op = 'INSERT' then
        perform private.record_webhook_event('person.created', new.id, new.id, now_row);
      elsif tg_op = 'DELETE' then
        perform private.record_webhook_event('person.deleted', old.id, old.id, jsonb_build_object('id', old.id, 'role', old.role));
      elsif (new.deactivated_at is null) <> (old.deactivated_at is null) then
        perform private.record_webhook_event(case when new.deactivated_at is null then 'person.reactivated' else 'person.deactivated' end,
          new.id, new.id, now_row);
      elsif now_row - 'updated_at' <> before - 'updated_at' then
        perform private.record_webhook_event('person.updated', new.id, new.id, now_row);
      end if;
  end case;
  return null;
end
$$;
create trigger sales_webhooks_insert after insert on public.sales for each row execute function private.record_webhook_step();
create trigger sales_webhooks_update after update of status, ready_for_validation, admin_validated on public.sales
  for each row execute function private.record_webhook_step();
create trigger payment_requests_webhooks_insert after insert on public.payment_requests
  for each row execute function private.record_webhook_step();
create trigger payment_requests_webhooks_update after update of status on public.payment_requests
  for each row execute function private.record_webhook_step();
create trigger payment_batch_lines_webhooks after insert or update or delete on public.payment_batch_lines
  for each row execute function private.record_webhook_step();
create trigger profiles_webhooks after insert or update or delete on public.profiles
  for each row execute function private.record_webhook_step();

-- What a person's row no longer says, no event of it says either, nor an answer that may repeat it. Named to run before the
-- event of the same act is written.
create function private.forget_in_webhooks() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'DELETE' then
    delete from private.webhook_deliveries d where d.object_id = old.id;
  else
    update private.webhook_deliveries d set answer = null,
        data = d.data || (select jsonb_object_agg(k.key, to_jsonb(new) -> k.key) from unnest(tg_argv) k (key))
      where d.object_id = new.id and d.data ->> 'id' = new.id::text;
  end if;
  return null;
end
$$;
create trigger sales_forget_in_webhooks_deleted after delete on public.sales for each row execute function private.forget_in_webhooks();
create trigger payment_requests_forget_in_webhooks_deleted after delete on public.payment_requests
  for each row execute function private.forget_in_webhooks();
create trigger profiles_forget_in_webhooks_deleted after delete on public.profiles for each row execute function private.forget_in_webhooks();
create trigger sales_forget_in_webhooks after update on public.sales for each row
  when ((old.referred_contact_name, old.referred_contact_email, old.referred_contact_phone, old.personal_message, old.commercial_notes)
    is distinct from (new.referred_contact_name, new.referred_contact_email, new.referred_contact_phone, new.personal_message, new.commercial_notes))
  execute function private.forget_in_webhooks('referred_contact_name', 'referred_contact_email', 'referred_contact_phone',
    'personal_message', 'commercial_notes');
create trigger payment_requests_forget_in_webhooks after update on public.payment_requests for each row
  when (old.payment_details is distinct from new.payment_details) execute function private.forget_in_webhooks('payment_details');
create trigger profiles_forget_in_webhooks after update on public.profiles for each row
  when ((old.full_name, old.email, old.phone, old.company, old.notes) is distinct from (new.full_name, new.email, new.phone, new.company, new.notes))
  execute function private.forget_in_webhooks('full_name', 'email', 'phone', 'company', 'notes');

-- The deliveries that are due, for a node that sends them: four at a time for each address, and of a stream the earliest alone.
create function private.claim_webhook_deliveries() returns table (id uuid, attempts integer, webhook_id uuid, url text, body text,
  secret_sealed bytea, former_secret_sealed bytea)
language sql volatile security definer set search_path = ''
begin atomic
  with due as (
    select first.id from private.webhooks w cross join lateral (
      select d.id from private.webhook_deliveries d
        where d.webhook_id = w.id and d.status = 'pending' and d.run_at <= now() and d.leased_until < now()
          and (d.is_single_try or w.off_since is null and not exists (
            select from private.webhook_deliveries e where e.webhook_id = d.webhook_id and e.stream_id = d.stream_id
              and e.status = 'pending' and e.number < d.number and not e.is_single_try))
        order by d.number
        limit greatest(0, 4 - (select count(*) from private.webhook_deliveries busy
          where busy.webhook_id = w.id and busy.status = 'pending' and busy.leased_until >= now()))
        for update of d skip locked) first)
  update private.webhook_deliveries d set leased_until = now() + interval '1 minute', attempts = d.attempts + 1
    from due, private.webhooks w where d.id = due.id and w.id = d.webhook_id
    returning d.id, d.attempts, w.id, w.url,
      jsonb_build_object('id', d.id, 'type', d.type, 'version', 1, 'timestamp', d.occurred_at, 'data', d.data)::text,
      w.secret_sealed, case when w.former_secret_until > now() then w.former_secret_sealed end;
end;

-- An address is sent nothing more: what waited is dropped, and can be sent again by hand.
create function private.turn_webhook_off(p_id uuid, p_because text) returns void
language sql security definer set search_path = ''
begin atomic
  update private.webhooks w set off_since = now(), off_because = p_because where w.id = p_id and w.off_since is null;
  update private.webhook_deliveries d set status = 'dropped' where d.webhook_id = p_id and d.status = 'pending' and not d.is_single_try;
end;

-- What became of a try, by the attempt that made it. A receiver that fails is tried nine times within 24 hours, told to the admins
-- by an alarm, and turned off after three days; one that says 410 is gone at once.
-- @returns in how many seconds it is tried again; null where it is over.
create function private.settle_webhook_delivery(p_id uuid, p_attempt integer, p_status integer, p_answer text, p_error text,
  p_took_ms integer, p_retry_after integer) returns double precision
language plpgsql security definer set search_path = '' as $$
declare
  delays constant integer[] := array[5, 60, 300, 1800, 7200, 18000, 28800, 28800];
  is_done constant boolean := coalesce(p_status between 200 and 299, false);
  d private.webhook_deliveries;
  w private.webhooks;
  delay double precision;
begin
  select * into d from private.webhook_deliveries x where x.id = p_id;
  -- The address first, then its deliveries, as an admin who turns it off locks them.
  select * into w from private.webhooks x where x.id = d.webhook_id;
  if not is_done or w.failures > 0 then
    select * into w from private.webhooks x where x.id = d.webhook_id for no key update;
  end if;
  if not is_done and not d.is_single_try then
    delay := delays[p_attempt] * (0.9 + random() * 0.2);
    -- The receiver may ask for more patience, up to the longest.
    if p_retry_after is not null then delay := greatest(delay, least(p_retry_after, 28800)); end if;
    if p_attempt > cardinality(delays) then delay := null; end if;
  end if;
  update private.webhook_deliveries x set answered_at = now(), answer_status = p_status, answer = p_answer, error = p_error, took_ms = p_took_ms,
      leased_until = '-infinity', status = case when is_done then 'delivered' when delay is null then 'failed' else 'pending' end,
      run_at = now() + coalesce(delay, 0) * interval '1 second'
    where x.id = p_id and x.status = 'pending' and x.attempts = p_attempt;
  if not found then return null; end if;
  if is_done then
    if w.failures > 0 then update private.webhooks x set failures = 0, failing_since = null where x.id = w.id; end if;
  elsif p_status = 410 then
    update private.webhook_deliveries x set status = 'failed' where x.id = p_id;
    perform private.turn_webhook_off(w.id, 'gone');
    return null;
  elsif not d.is_single_try then
    update private.webhooks x set failures = x.failures + 1, failing_since = coalesce(x.failing_since, now()) where x.id = w.id;
    if w.failing_since < now() - interval '3 days' then
      perform private.turn_webhook_off(w.id, 'failures');
      return null;
    end if;
  end if;
  return delay;
end
$$;

-- The host alone: the rest of an address may be a secret of its receiver.
create function private.host_of_url(p_url text) returns text
language sql immutable parallel safe set search_path = ''
return substring(p_url from '^https?://([^/?#]+)');

create function private.audit_webhook(p_what text, p_before text, p_after text) returns void
language sql security definer set search_path = ''
begin atomic
  select private.append_audit('company_settings', '00000000-0000-0000-0000-000000000001', 'update',
    jsonb_build_object(p_what, p_before), jsonb_build_object(p_what, p_after), null);
end;

create function private.webhooks_shown() returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.require_role('admin');
  return coalesce((select jsonb_agg(jsonb_build_object('id', w.id, 'url', w.url, 'description', w.description, 'events', w.events,
      'created_at', w.created_at, 'off_since', w.off_since, 'off_because', w.off_because,
      'failing_since', w.failing_since, 'failures', w.failures,
      'former_secret_until', case when w.former_secret_until > now() then w.former_secret_until end,
      'waiting', (select count(*) from private.webhook_deliveries d where d.webhook_id = w.id and d.status = 'pending'))
    order by w.created_at, w.id) from private.webhooks w), '[]');
end
$$;

create function private.add_webhook(p_id uuid, p_url text, p_description text, p_events text[], p_secret_sealed bytea) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform private.require_role('admin');
  -- It tells of everything for longer than the session lasts, as a key of the company does.
  if not private.is_session_fresh() then perform private.refuse('reauthentication_required'); end if;
  -- One after the other, so that the count holds.
  lock table private.webhooks in share row exclusive mode;
  if (select count(*) from private.webhooks) >= 10 then perform private.refuse('webhooks_full'); end if;
  insert into private.webhooks (id, url, description, events, secret_sealed)
    values (p_id, p_url, nullif(btrim(p_description), ''), p_events, p_secret_sealed);
  perform private.audit_webhook('webhook', null, private.host_of_url(p_url));
end
$$;

-- The address's row, locked; refused where it is gone.
create function private.lock_webhook(p_id uuid) returns private.webhooks
language plpgsql security definer set search_path = '' as $$
declare
  w private.webhooks;
begin
  perform private.require_role('admin');
  select * into w from private.webhooks x where x.id = p_id for no key update;
  if not found then perform private.refuse('webhook_not_found'); end if;
  return w;
end
$$;

create function private.update_webhook(p_id uuid, p_url text, p_description text, p_events text[]) returns void
language plpgsql security definer set search_path = '' as $$
declare
  w constant private.webhooks := private.lock_webhook(p_id);
begin
  if w.url <> p_url and not private.is_session_fresh() then perform private.refuse('reauthentication_required'); end if;
  update private.webhooks x set url = p_url, description = nullif(btrim(p_description), ''), events = p_events where x.id = w.id;
  perform private.audit_webhook('webhook', private.host_of_url(w.url), private.host_of_url(p_url));
end
$$;

create function private.remove_webhook(p_id uuid) returns void
language plpgsql security definer set search_path = '' as $$
declare
  w constant private.webhooks := private.lock_webhook(p_id);
begin
  delete from private.webhooks x where x.id = w.id;
  perform private.audit_webhook('webhook', private.host_of_url(w.url), null);
end
$$;

-- Turned on again, it starts anew: what happened meanwhile is not sent.
create function private.switch_webhook(p_id uuid, p_is_on boolean) returns void
language plpgsql security definer set search_path = '' as $$
declare
  w constant private.webhooks := private.lock_webhook(p_id);
begin
  if p_is_on = (w.off_since is null) then return; end if;
  if p_is_on then
    update private.webhooks x set off_since = null, off_because = null, failures = 0, failing_since = null where x.id = w.id;
  else
    perform private.turn_webhook_off(w.id, 'admin');
  end if;
  perform private.audit_webhook('webhook_on', case when not p_is_on then private.host_of_url(w.url) end,
    case when p_is_on then private.host_of_url(w.url) end);
end
$$;

-- The secret before is valid for a day more, so that its receiver can change over without missing anything.
create function private.roll_webhook_secret(p_id uuid, p_secret_sealed bytea) returns timestamptz
language plpgsql security definer set search_path = '' as $$
declare
  w constant private.webhooks := private.lock_webhook(p_id);
  until_then constant timestamptz := now() + interval '24 hours';
begin
  update private.webhooks x set secret_sealed = p_secret_sealed, former_secret_sealed = w.secret_sealed, former_secret_until = until_then
    where x.id = w.id;
  perform private.audit_webhook('webhook_secret', null, private.host_of_url(w.url));
  return until_then;
end
$$;

-- The log of an address, newest first, fifty at a time.
create function private.webhook_log(p_id uuid, p_before bigint) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.require_role('admin');
  return coalesce((select jsonb_agg(jsonb_build_object('id', d.id, 'number', d.number, 'type', d.type, 'object_id', d.object_id,
      'status', d.status, 'attempts', d.attempts, 'created_at', d.created_at,
      'run_at', case when d.status = 'pending' then d.run_at end, 'answered_at', d.answered_at, 'answer_status', d.answer_status,
      'answer', d.answer, 'error', d.error, 'took_ms', d.took_ms) order by d.number desc)
    from (select * from private.webhook_deliveries x where x.webhook_id = p_id and (p_before is null or x.number < p_before)
      order by x.number desc limit 50) d), '[]');
end
$$;

-- Sends a test event: tried once, also where the address is off.
create function private.test_webhook(p_id uuid) returns uuid
language plpgsql security definer set search_path = '' as $$
declare
  w constant private.webhooks := private.lock_webhook(p_id);
  made uuid;
begin
  insert into private.webhook_deliveries (webhook_id, type, stream_id, data, is_single_try)
    values (w.id, 'webhook.test', w.id, '{}', true) returning id into made;
  return made;
end
$$;

-- The same message once more, with its id. One that waits for its next try leaves now.
create function private.send_webhook_again(p_delivery_id uuid) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform private.require_role('admin');
  update private.webhook_deliveries d set run_at = now() where d.id = p_delivery_id and d.status = 'pending';
  if found then return; end if;
  update private.webhook_deliveries d set status = 'pending', is_single_try = true, run_at = now(), leased_until = '-infinity'
    where d.id = p_delivery_id and d.status <> 'pending';
  if not found then perform private.refuse('webhook_delivery_not_found'); end if;
end
$$;

-- Alarms know of addresses that fail, or that the server turned off.
alter table private.alarms drop constraint alarms_kind_is_known;
alter table private.alarms add constraint alarms_kind_is_known
  check (kind in ('mail_stuck', 'disk_nearly_full', 'backup_too_old', 'invariant_broken', 'webhook_failing'));

-- What the server itself watches, for metrics and alarms: counts and instants, of nobody in particular.
create or replace function private.system_figures() returns jsonb
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
    'failing_webhooks', (select coalesce(jsonb_agg(distinct private.host_of_url(w.url)), '[]') from private.webhooks w
      where w.off_because in ('gone', 'failures')
        or w.off_since is null and w.failures >= 5 and w.failing_since < now() - interval '30 minutes'),
    -- pg_database_size asks for the right to connect, which only the server's login has.
    'database_bytes', (select sum(pg_total_relation_size(oid)) from pg_class where relkind in ('r', 'm')),
    'installed_at', (select min(applied_at) from private.migrations));
end
$$;

do $$
declare
  f regprocedure;
begin
  for f in select p.oid::regprocedure from pg_proc p where p.pronamespace = 'private'::regnamespace
      and p.proname in ('record_webhook_event', 'record_webhook_step', 'forget_in_webhooks', 'claim_webhook_deliveries', 'turn_webhook_off',
        'settle_webhook_delivery', 'host_of_url', 'audit_webhook', 'webhooks_shown', 'add_webhook', 'lock_webhook', 'update_webhook', 'remove_webhook',
        'switch_webhook', 'roll_webhook_secret', 'webhook_log', 'test_webhook', 'send_webhook_again', 'system_figures') loop
    execute format('alter function %s owner to parrain_service', f);
    execute format('grant execute on function %s to parrain_service', f);
  end loop;
end
$$;
grant execute on function private.webhooks_shown(), private.add_webhook(uuid, text, text, text[], bytea),
  private.update_webhook(uuid, text, text, text[]), private.remove_webhook(uuid), private.switch_webhook(uuid, boolean),
  private.roll_webhook_secret(uuid, bytea), private.webhook_log(uuid, bigint), private.test_webhook(uuid),
  private.send_webhook_again(uuid) to authenticated;
