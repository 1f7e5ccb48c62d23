-- DF-10: an appointment that a visitor asks for is mailed to the operator, and without a mail server nobody read it. The admins are told
-- on screen, and have the list of those that wait.

alter table private.appointment_requests add column handled_at timestamptz,
  add column handled_by uuid references public.profiles (id) on delete set null;
create index appointment_requests_waiting on private.appointment_requests (created_at) where handled_at is null;
create index appointment_requests_by_handler on private.appointment_requests (handled_by) where handled_by is not null;
grant update on private.appointment_requests to parrain_service;

alter table public.notices add column appointment_id uuid references private.appointment_requests (id) on delete cascade;
create index notices_by_appointment on public.notices (appointment_id) where appointment_id is not null;
-- What notices are about already, and their kinds, stay whichever they are.
do $$
declare
  one_thing text;
  kinds text[];
begin
  select pg_get_constraintdef(c.oid) into one_thing from pg_constraint c
    where c.conname = 'notices_are_about_one_thing' and c.conrelid = 'public.notices'::regclass;
  alter table public.notices drop constraint notices_are_about_one_thing;
  execute 'alter table public.notices add constraint notices_are_about_one_thing '
    || replace(one_thing, 'num_nonnulls(', 'num_nonnulls(appointment_id, ') || ' not valid';
  select array_agg(m.found[1] order by m.place) || '{appointment_asked}' into kinds
    from pg_constraint c, regexp_matches(pg_get_constraintdef(c.oid), '[{,('']([a-z_]+)(?=[},''])', 'g')
      with ordinality m (found, place)
    where c.conname = 'notices_kind_is_known' and c.conrelid = 'public.notices'::regclass;
  alter table public.notices drop constraint notices_kind_is_known;
  execute format('alter table public.notices add constraint notices_kind_is_known check (kind = any (%L)) not valid', kinds);
end
$$;

-- Keeps what a visitor asked for, and tells the admins.
create function private.ask_appointment(p_name text, p_email text, p_phone text, p_slot text, p_message text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  v_id uuid;
begin
  insert into private.appointment_requests (name, email, phone, preferred_slot, message)
    values (p_name, p_email, p_phone, p_slot, p_message) returning id into v_id;
  with written as (
    insert into public.notices (recipient_id, kind, appointment_id)
    select p.id, 'appointment_asked', v_id from public.profiles p
    where p.id = any ((select private.active_admins())::uuid[])
    order by p.id
    returning id)
  insert into private.notice_mails (notice_id) select w.id from written w;
end
$$;

-- Those that wait for an admin, the oldest first.
create function private.appointments_shown() returns table (
  id uuid, name text, email text, phone text, preferred_slot text, message text, created_at timestamptz, total bigint)
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
begin
  return query select a.id, a.name, a.email, a.phone, a.preferred_slot, a.message, a.created_at, count(*) over ()
    from private.appointment_requests a where a.handled_at is null order by a.created_at, a.id limit 100;
end
$$;

-- An admin has answered it; said twice, it is the same. Its notices are read with it.
create function private.end_appointment(p_id uuid) returns void
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
begin
  update private.appointment_requests a set handled_at = now(), handled_by = me where a.id = p_id and a.handled_at is null;
  update public.notices n set read_at = now() where n.appointment_id = p_id and n.read_at is null;
end
$$;

do $$
declare
  f regprocedure;
begin
  for f in select p.oid::regprocedure from pg_proc p where p.pronamespace = 'private'::regnamespace
      and p.proname in ('ask_appointment', 'appointments_shown', 'end_appointment') loop
    execute format('alter function %s owner to parrain_service', f);
    execute format('grant execute on function %s to parrain_service', f);
  end loop;
end
$$;
grant execute on function private.appointments_shown(), private.end_appointment(uuid) to authenticated;
