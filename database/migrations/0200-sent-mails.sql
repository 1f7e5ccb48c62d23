-- TM-04: the admin sees what was sent to whom, and what failed and why. A mail's record keeps its recipient for as long as it is
-- kept, 90 days, and until that person is forgotten; its text goes once it is accepted, and that of a code, a password or a
-- sign-in link with its last try.

alter table private.mails add column recipient text
  constraint mails_recipient_is_a_line check (private.is_line(recipient, 320));
-- A code, a password or a link that opens a session: sent once, never again from the list.
alter table private.mails add column is_secret boolean not null default true;
update private.mails set is_secret = false
  where template like 'notice%' or template in ('friend-invitation', 'appointment-request', 'account-closure-request',
    'account-closure-decision', 'alarm', 'trial', 'account_exists', 'password_changed', 'second-factor-reset');
update private.mails set sealed = null where is_secret and status = 'failed';
alter table private.mails add constraint mails_secret_goes_with_the_last_try check (
  not (is_secret and status = 'failed' and sealed is not null));
alter table private.mails add column may_be_sent_again boolean not null
  generated always as (status = 'failed' and sealed is not null) stored;
create index mails_newest on private.mails (created_at desc, id desc);
create index mails_by_recipient on private.mails (recipient) where recipient is not null;
drop index private.mails_by_age;

-- The records of mails, never a text. Its owner reads them: no key opens the schema they are in.
create view public.sent_mails with (security_barrier = true) as
select m.id, m.created_at, m.template, m.status, m.status_since, m.attempts, m.last_error, m.is_secret, m.may_be_sent_again,
  m.recipient, p.full_name as recipient_name
from private.mails m left join public.profiles p on p.email = m.recipient
where case when current_user = 'authenticated' then (select private.user_role()) = 'admin' else true end;
grant create on schema public to parrain_service;
alter view public.sent_mails owner to parrain_service;
revoke create on schema public from parrain_service;
grant select on public.sent_mails to authenticated, service_role;

-- Whoever is forgotten is no longer named in the list either, and nothing that waits of theirs is kept.
create function private.forget_mails_to() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  update private.mails m set recipient = null, sealed = case when m.status <> 'failed' then m.sealed end
    where m.recipient = case tg_table_name when 'sales' then to_jsonb(old) ->> 'referred_contact_email' else to_jsonb(old) ->> 'email' end;
  return null;
end
$$;
create trigger sales_forget_mails after update of referred_contact_email on public.sales for each row
  when (old.referred_contact_email is not null and new.referred_contact_email is null) execute function private.forget_mails_to();
create trigger profiles_forget_mails_deactivated after update of deactivated_at on public.profiles for each row
  when (old.deactivated_at is null and new.deactivated_at is not null) execute function private.forget_mails_to();
create trigger profiles_forget_mails_deleted after delete on public.profiles for each row execute function private.forget_mails_to();

-- An admin has a mail that failed tried once more, from its first attempt. False where it has not failed, or its text is gone.
create or replace function private.try_mail_again(p_mail uuid) returns boolean
language plpgsql security definer set search_path = '' as $$
declare
  template text;
begin
  perform private.require_role('admin');
  update private.mails m set status = 'queued', status_since = now(), attempts = 0
    where m.id = p_mail and m.may_be_sent_again returning m.template into template;
  if not found then return false; end if;
  perform graphile_worker.add_job('send_mail', json_build_object('id', p_mail), max_attempts => 12);
  -- The trail holds no personal data: to whom stands in the record, as long as that is kept.
  perform private.append_audit('mails', p_mail, 'send_again', null, jsonb_build_object('template', template), null);
  return true;
end
$$;

-- « État du système »: the list of mails has its own place.
create or replace function private.system_state() returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.require_role('admin');
  return private.system_figures() || jsonb_build_object(
    'alarms', private.open_alarms(),
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

-- A notice beyond what one person is mailed in an hour waits until the next may leave, and not in the way of other people's.
alter table private.notice_mails add column held_until timestamptz not null default '-infinity';
drop index private.notice_mails_by_state;
create index notice_mails_by_state on private.notice_mails (state, held_until);

alter function private.forget_mails_to() owner to parrain_service;
grant execute on function private.forget_mails_to() to parrain_service;
alter function private.try_mail_again(uuid) owner to parrain_service;
alter function private.system_state() owner to parrain_service;
