-- EX-03: the company's whole data as an archive of CSV files, asked for by an admin, made in the background, kept for seven days.

create table private.archives (
  id uuid primary key default gen_random_uuid(),
  asked_by uuid references public.profiles (id) on delete set null,
  asked_at timestamptz not null default now(),
  status text not null default 'making',
  -- A making that was cut is begun again with the next number: what the earlier one still writes is then refused.
  attempt integer not null default 0,
  row_count bigint,
  size bigint,
  ended_at timestamptz,
  constraint archives_status_is_known check (status in ('making', 'ready', 'failed')),
  constraint archives_end_once check ((status = 'making') = (ended_at is null)),
  constraint archives_ready_have_bytes check ((status = 'ready') = (size is not null) and (status = 'ready') = (row_count is not null)),
  constraint archives_size_is_positive check (size > 0)
);
create unique index archives_are_made_one_at_a_time on private.archives ((true)) where status = 'making';

-- The bytes, some megabytes a row. Unlogged: they are made again rather than backed up, replicated or kept after a crash.
create unlogged table private.archive_parts (
  archive_id uuid not null references private.archives (id) on delete cascade,
  place integer not null,
  bytes bytea not null,
  primary key (archive_id, place)
);
-- They are compressed already.
alter table private.archive_parts alter column bytes set storage external;

do $$
declare
  name text;
begin
  foreach name in array array['archives', 'archive_parts'] loop
    execute format('alter table private.%I enable row level security', name);
    execute format('alter table private.%I force row level security', name);
    execute format('grant select, insert, update, delete on private.%I to parrain_service', name);
    execute format('create policy %I on private.%I to parrain_service using (true) with check (true)', name || '_service_all', name);
  end loop;
end
$$;

-- When an archive goes: the night after.
create function private.archive_expires_at(p_ended_at timestamptz) returns timestamptz
language sql immutable set search_path = ''
return p_ended_at + interval '7 days';

create function private.is_archive_whole(p_archive private.archives) returns boolean
language sql stable security definer set search_path = ''
begin atomic
  select p_archive.status = 'ready' and p_archive.size = (
    select coalesce(sum(octet_length(p.bytes)), 0) from private.archive_parts p where p.archive_id = p_archive.id);
end;

-- One is made at a time: whoever asks meanwhile gets that one.
create function private.ask_archive() returns void
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  asked private.archives;
begin
  insert into private.archives as a (asked_by) values (me) on conflict do nothing returning * into asked;
  if not found then return; end if;
  delete from private.archives a where a.status = 'failed';
  perform private.append_audit('exports', asked.id, 'ask', null, jsonb_build_object('list', 'archive'), null);
end
$$;

-- The archives of the screen, the newest first: one that is being made or failed, and the last that is ready.
create function private.archives_shown() returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
begin
  return coalesce((select jsonb_agg(jsonb_build_object(
      'id', a.id, 'asked_at', a.asked_at, 'asked_by', p.full_name, 'ended_at', a.ended_at, 'size', a.size, 'row_count', a.row_count,
      'status', case when a.status = 'ready' and not private.is_archive_whole(a) then 'failed' else a.status end,
      'expires_at', private.archive_expires_at(a.ended_at)) order by a.asked_at desc)
    from private.archives a left join public.profiles p on p.id = a.asked_by
    where a.ended_at is null or private.archive_expires_at(a.ended_at) > now()), '[]');
end
$$;

-- The archive that an admin takes away.
create function private.archive_taken(p_id uuid) returns table (asked_at timestamptz, row_count bigint, size bigint)
language plpgsql stable security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
begin
  return query select a.asked_at, a.row_count, a.size from private.archives a
    where a.id = p_id and private.is_archive_whole(a) and private.archive_expires_at(a.ended_at) > now();
  if not found then perform private.refuse('archive_gone'); end if;
end
$$;

-- A making begins, or begins again. Gives nothing where none is asked for.
create function private.begin_archive() returns private.archives
language plpgsql security definer set search_path = '' as $$
declare
  begun private.archives;
begin
  update private.archives a set attempt = a.attempt + 1 where a.status = 'making' returning * into begun;
  delete from private.archive_parts p where p.archive_id = begun.id;
  return begun;
end
$$;

create function private.add_archive_part(p_id uuid, p_attempt integer, p_place integer, p_bytes bytea) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform from private.archives a where a.id = p_id and a.attempt = p_attempt and a.status = 'making' for share;
  if not found then perform private.refuse('archive_gone'); end if;
  insert into private.archive_parts (archive_id, place, bytes) values (p_id, p_place, p_bytes);
end
$$;

-- A notice about an archive goes with it.
alter table public.notices add column archive_id uuid references private.archives (id) on delete cascade,
  drop constraint notices_kind_is_known,
  drop constraint notices_are_about_one_thing,
  add constraint notices_kind_is_known check (kind in (
    'referral_received', 'referral_contacted', 'referral_in_negotiation', 'referral_signed', 'referral_refused',
    'referral_late', 'referral_still_late', 'call_back_due', 'news_asked', 'call_agreed', 'call_declined',
    'contract_to_validate', 'contract_validated', 'contract_refused', 'contract_annulled',
    'payment_received', 'payment_to_decide', 'payment_approved', 'payment_refused', 'payment_paid', 'payment_annulled',
    'payment_returned', 'dispute_opened', 'dispute_answered', 'dispute_closed', 'adjustment_annulled',
    'archive_ready', 'archive_failed')),
  add constraint notices_are_about_one_thing check (num_nonnulls(sale_id, request_id, dispute_id, archive_id) = 1);
create index notices_by_archive on public.notices (archive_id) where archive_id is not null;

alter table public.notice_preferences drop constraint notice_preferences_topic_is_known,
  add constraint notice_preferences_topic_is_known check (topic in ('referrals', 'contracts', 'payments', 'data'));

-- A making has ended: every admin is told, and one that is ready replaces those before it.
create function private.end_archive(p_id uuid, p_attempt integer, p_row_count bigint, p_size bigint) returns void
language plpgsql security definer set search_path = '' as $$
declare
  outcome constant text := case when p_size is null then 'failed' else 'ready' end;
begin
  update private.archives a set status = outcome, ended_at = now(), row_count = p_row_count, size = p_size
    where a.id = p_id and a.attempt = p_attempt and a.status = 'making';
  if not found then perform private.refuse('archive_gone'); end if;
  if outcome = 'ready' then
    delete from private.archives a where a.id <> p_id;
  else
    delete from private.archive_parts p where p.archive_id = p_id;
  end if;
  with written as (
    insert into public.notices (recipient_id, kind, archive_id)
    select p.id, 'archive_' || outcome, p_id from public.profiles p
    where p.id = any ((select private.active_admins())::uuid[])
    order by p.id
    returning id)
  insert into private.notice_mails (notice_id) select w.id from written w;
end
$$;

do $$
declare
  f regprocedure;
begin
  for f in select p.oid::regprocedure from pg_proc p where p.pronamespace = 'private'::regnamespace
      and p.proname in ('archive_expires_at', 'is_archive_whole', 'ask_archive', 'archives_shown', 'archive_taken', 'begin_archive',
        'add_archive_part', 'end_archive') loop
    execute format('alter function %s owner to parrain_service', f);
    execute format('grant execute on function %s to parrain_service', f);
  end loop;
end
$$;
grant execute on function private.ask_archive(), private.archives_shown(), private.archive_taken(uuid) to authenticated;
