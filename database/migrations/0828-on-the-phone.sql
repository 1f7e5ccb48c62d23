-- UI-16: notices on the phone of whoever asks for them (Web Push), chosen topic by topic as mails are; nobody gets any unasked.

alter table public.notice_preferences add column on_phone boolean not null default false;

create function private.choose_phone(p_topic text, p_on_phone boolean) returns void
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin', 'commercial', 'client');
begin
  -- At once is what a person without a row is mailed.
  insert into public.notice_preferences as c (profile_id, topic, delivery, on_phone) values (me, p_topic, 'at_once', p_on_phone)
  on conflict (profile_id, topic) do update set on_phone = excluded.on_phone, updated_at = now()
    where c.on_phone <> excluded.on_phone;
end
$$;

-- Where a browser is reached by its push service, and the keys that only that browser reads with. It goes with its session: who
-- signs out of a device, there or from another, is told nothing more on it, and a person has as many as they have sessions.
create table private.push_subscriptions (
  session_id uuid primary key references auth.sessions (id) on delete cascade,
  profile_id uuid not null references public.profiles (id) on delete cascade,
  endpoint text not null,
  p256dh bytea not null,
  auth bytea not null,
  created_at timestamptz not null default now(),
  constraint push_subscriptions_endpoint_once unique (endpoint),
  constraint push_subscriptions_endpoint_is_a_line check (private.is_line(endpoint, 2000)),
  constraint push_subscriptions_p256dh_is_a_point check (octet_length(p256dh) = 65),
  constraint push_subscriptions_auth_is_a_secret check (octet_length(auth) = 16)
);
create index push_subscriptions_by_profile on private.push_subscriptions (profile_id);
alter table private.push_subscriptions enable row level security;
alter table private.push_subscriptions force row level security;
grant select, insert, update, delete on private.push_subscriptions to parrain_service;
create policy push_subscriptions_service_all on private.push_subscriptions to parrain_service using (true) with check (true);

-- Notices that are still to be sent to a phone: an outbox beside that of the mails, with a lease for the node that sends.
create table private.push_messages (
  notice_id uuid not null references public.notices (id) on delete cascade,
  session_id uuid not null references private.push_subscriptions (session_id) on delete cascade,
  attempts integer not null default 0,
  run_at timestamptz not null default now(),
  leased_until timestamptz not null default '-infinity',
  primary key (notice_id, session_id)
);
create index push_messages_by_time on private.push_messages (run_at);
create index push_messages_by_session on private.push_messages (session_id);
alter table private.push_messages enable row level security;
alter table private.push_messages force row level security;
grant select, insert, update, delete on private.push_messages to parrain_service;
create policy push_messages_service_all on private.push_messages to parrain_service using (true) with check (true);

-- What is mailed may be sent to a phone; whether its topic is wanted there is asked when it is sent, as of mails.
create function private.queue_pushes() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  insert into private.push_messages (notice_id, session_id)
  select n.id, s.session_id from written w
    join public.notices n on n.id = w.notice_id
    join private.push_subscriptions s on s.profile_id = n.recipient_id
  where n.read_at is null;
  return null;
end
$$;
create trigger notice_mails_queue_pushes after insert on private.notice_mails
  referencing new table as written for each statement execute function private.queue_pushes();

-- One's own devices; the keys are shown to nobody.
create function private.my_phones() returns table (endpoint text, user_agent text, created_at timestamptz, is_current boolean)
language plpgsql stable security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin', 'commercial', 'client');
  session constant uuid := (current_setting('request.jwt.claims')::jsonb ->> 'session_id')::uuid;
begin
  return query select p.endpoint, s.user_agent, p.created_at, p.session_id = session from private.push_subscriptions p
    join auth.sessions s on s.id = p.session_id where p.profile_id = me order by p.created_at, p.session_id;
end
$$;

-- The browser of this session. One that somebody else left there changes hands with its keys, which that browser alone gives.
create function private.subscribe_phone(p_endpoint text, p_p256dh bytea, p_auth bytea) returns void
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin', 'commercial', 'client');
  session constant uuid := (current_setting('request.jwt.claims')::jsonb ->> 'session_id')::uuid;
begin
  delete from private.push_subscriptions p where p.endpoint = p_endpoint and p.session_id <> session
    and (p.profile_id = me or (p.p256dh = p_p256dh and p.auth = p_auth));
  insert into private.push_subscriptions as p (session_id, profile_id, endpoint, p256dh, auth)
  values (session, me, p_endpoint, p_p256dh, p_auth)
  on conflict (session_id) do update set endpoint = excluded.endpoint, p256dh = excluded.p256dh, auth = excluded.auth;
exception when unique_violation then
  perform private.refuse('invalid_input');
end
$$;

create function private.unsubscribe_phone() returns void
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin', 'commercial', 'client');
begin
  delete from private.push_subscriptions p where p.profile_id = me
    and p.session_id = (current_setting('request.jwt.claims')::jsonb ->> 'session_id')::uuid;
end
$$;

-- A browser that its push service gave another address says so without a session: it knows the former address and its secret.
create function private.renew_phone(p_former text, p_former_auth bytea, p_endpoint text, p_p256dh bytea, p_auth bytea) returns boolean
language plpgsql security definer set search_path = '' as $$
begin
  update private.push_subscriptions p set endpoint = p_endpoint, p256dh = p_p256dh, auth = p_auth
    where p.endpoint = p_former and p.auth = p_former_auth;
  return found;
exception when unique_violation then
  return false;
end
$$;

do $$
declare
  f regprocedure;
begin
  for f in select p.oid::regprocedure from pg_proc p where p.pronamespace = 'private'::regnamespace
      and p.proname in ('choose_phone', 'queue_pushes', 'my_phones', 'subscribe_phone', 'unsubscribe_phone', 'renew_phone') loop
    execute format('alter function %s owner to parrain_service', f);
    execute format('grant execute on function %s to parrain_service', f);
  end loop;
end
$$;
grant execute on function private.choose_phone(text, boolean), private.my_phones(), private.subscribe_phone(text, bytea, bytea),
  private.unsubscribe_phone() to authenticated;
