-- DF-06: a client who registered by themselves could invite nobody, and nobody was told. The admins are; the client may ask; and the
-- company may give each one to a commercial at once: always the same, or each in turn.

alter table public.company_settings
  add column new_clients text not null default 'by_hand',
  add column new_clients_to uuid references public.profiles (id) on delete set null,
  add constraint company_settings_new_clients_are_given check (new_clients in ('by_hand', 'to_one', 'in_turn')) not valid,
  add constraint company_settings_one_receives_new_clients check (new_clients = 'to_one' or new_clients_to is null) not valid;
create index company_settings_by_receiver on public.company_settings (new_clients_to);

-- The last time that each commercial was given a client in turn.
create table private.turns (
  commercial_id uuid primary key references public.profiles (id) on delete cascade,
  taken_at timestamptz not null
);
alter table private.turns enable row level security;
alter table private.turns force row level security;
grant select, insert, update, delete on private.turns to parrain_service;
create policy turns_service_all on private.turns to parrain_service using (true) with check (true);

-- « Demander un commercial »: the last time that a client asked.
create table private.commercial_wishes (
  client_id uuid primary key references public.profiles (id) on delete cascade,
  asked_at timestamptz not null
);
alter table private.commercial_wishes enable row level security;
alter table private.commercial_wishes force row level security;
grant select, insert, update, delete on private.commercial_wishes to parrain_service;
create policy commercial_wishes_service_all on private.commercial_wishes to parrain_service using (true) with check (true);

alter table public.notices add column client_id uuid references public.profiles (id) on delete cascade;
create index notices_by_client on public.notices (client_id) where client_id is not null;
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
    || replace(one_thing, 'num_nonnulls(', 'num_nonnulls(client_id, ') || ' not valid';
  select array_agg(m.found[1] order by m.place) || '{client_alone,commercial_asked,client_received,commercial_given}' into kinds
    from pg_constraint c, regexp_matches(pg_get_constraintdef(c.oid), '[{,('']([a-z_]+)(?=[},''])', 'g')
      with ordinality m (found, place)
    where c.conname = 'notices_kind_is_known' and c.conrelid = 'public.notices'::regclass;
  alter table public.notices drop constraint notices_kind_is_known;
  execute format('alter table public.notices add constraint notices_kind_is_known check (kind = any (%L)) not valid', kinds);
end
$$;

-- As private.tell, about a client.
create function private.tell_of_client(p_kind text, p_recipients uuid[], p_client_id uuid) returns void
language plpgsql security definer set search_path = '' as $$
begin
  with written as (
    insert into public.notices (recipient_id, kind, client_id, read_at)
    select p.id, p_kind, p_client_id, case when p.id = private.uid() then private.now() end
    from public.profiles p where p.id = any ((select p_recipients)::uuid[]) and p.deactivated_at is null
    order by p.id
    returning id)
  insert into private.notice_mails (notice_id) select w.id from written w;
end
$$;

-- The commercial who receives a new client; null where an admin chooses.
create function private.receiver_of_new_clients() returns uuid
language plpgsql security definer set search_path = '' as $$
declare
  settings public.company_settings;
  v_next uuid;
begin
  -- Those who register at the same instant take their turns one after the other.
  select * into settings from public.company_settings c where c.new_clients <> 'by_hand' for no key update;
  if settings.new_clients = 'to_one' then
    select p.id into v_next from public.profiles p where p.id = settings.new_clients_to and p.deactivated_at is null;
  elsif settings.new_clients = 'in_turn' then
    select p.id into v_next from public.profiles p left join private.turns t on t.commercial_id = p.id
      where p.role = 'commercial' and p.deactivated_at is null and not p.is_test
      order by t.taken_at nulls first, p.created_at, p.id limit 1;
    if v_next is not null then
      insert into private.turns as t (commercial_id, taken_at) values (v_next, clock_timestamp())
        on conflict (commercial_id) do update set taken_at = excluded.taken_at;
    end if;
  end if;
  return v_next;
end
$$;

-- A client who came by themselves, once their address or number is theirs: a commercial is theirs at once, or the admins are told.
create function private.receive_client(p_id uuid) returns void
language plpgsql security definer set search_path = '' as $$
declare
  v_receiver uuid;
begin
  perform from public.profiles p join auth.users u on u.id = p.id
    where p.id = p_id and p.role = 'client' and p.commercial_id is null and p.deactivated_at is null and not u.is_anonymous
      and num_nonnulls(u.email_confirmed_at, u.phone_confirmed_at) > 0
      and not exists (select from public.notices n where n.client_id = p_id)
    for update of p;
  if not found then return; end if;
  v_receiver := private.receiver_of_new_clients();
  if v_receiver is null then
    perform private.tell_of_client('client_alone', private.active_admins(), p_id);
  else
    update public.profiles p set commercial_id = v_receiver where p.id = p_id;
  end if;
end
$$;

create function private.receive_registered() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.receive_client(new.id);
  return null;
end
$$;

-- A client who had no commercial has one: both are told, and what the admins were told of is done.
create function private.tell_commercial_given() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  update public.notices n set read_at = private.now() where n.id in (
    select o.id from public.notices o
    where o.client_id = new.id and o.read_at is null and o.kind in ('client_alone', 'commercial_asked')
    for update skip locked);
  delete from private.commercial_wishes w where w.client_id = new.id;
  perform private.tell_of_client('client_received', array[new.commercial_id], new.id);
  perform private.tell_of_client('commercial_given', array[new.id], new.id);
  return null;
end
$$;

-- « Demander un commercial »: the admins are told, once a day at most. Gives the instant; null where one follows the client already.
create function private.ask_commercial() returns timestamptz
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('client');
  v_asked_at timestamptz;
begin
  perform from public.profiles p where p.id = me for no key update;
  if 'commercial_missing' <> all (private.obstacles_of(me, false)) then return null; end if;
  insert into private.commercial_wishes as w (client_id, asked_at) values (me, private.now())
    on conflict (client_id) do update set asked_at = excluded.asked_at where w.asked_at <= private.now() - interval '1 day'
    returning asked_at into v_asked_at;
  if found then
    perform private.tell_of_client('commercial_asked', private.active_admins(), me);
    return v_asked_at;
  end if;
  select w.asked_at into v_asked_at from private.commercial_wishes w where w.client_id = me;
  return v_asked_at;
end
$$;

-- When the client asked for a commercial; null where they did not.
create function private.commercial_asked_at() returns timestamptz
language plpgsql stable security definer set search_path = '' as $$
declare
  me uuid := private.require_role('client');
begin
  return (select w.asked_at from private.commercial_wishes w where w.client_id = me);
end
$$;

create function private.set_new_clients(p_given text, p_to uuid) returns public.company_settings
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  settings public.company_settings;
begin
  if p_given is null or p_given not in ('by_hand', 'to_one', 'in_turn') then perform private.refuse('invalid_input'); end if;
  if p_given = 'to_one' then perform private.require_active_commercial(p_to); end if;
  update public.company_settings c
    set new_clients = p_given, new_clients_to = case when p_given = 'to_one' then p_to end, updated_at = now()
    returning * into settings;
  return settings;
end
$$;

do $$
declare
  f regprocedure;
begin
  for f in select p.oid::regprocedure from pg_proc p where p.pronamespace = 'private'::regnamespace
      and p.proname in ('tell_of_client', 'receiver_of_new_clients', 'receive_client', 'receive_registered', 'tell_commercial_given',
        'ask_commercial', 'commercial_asked_at', 'set_new_clients') loop
    execute format('alter function %s owner to parrain_service', f);
    execute format('grant execute on function %s to parrain_service', f);
  end loop;
end
$$;
grant execute on function private.ask_commercial(), private.commercial_asked_at(), private.set_new_clients(text, uuid) to authenticated;

-- An account that the server itself makes is of somebody who registers; one that a person invites has its commercial, and whoever
-- imports thousands without one knows it.
create trigger profiles_received after insert on public.profiles
  for each row when (new.role = 'client' and new.commercial_id is null and current_user = 'parrain_service'
    and current_setting('app.importing', true) is distinct from 'on')
  execute function private.receive_registered();
create trigger users_received after update of email_confirmed_at, phone_confirmed_at on auth.users
  for each row when (num_nonnulls(old.email_confirmed_at, old.phone_confirmed_at) = 0
    and num_nonnulls(new.email_confirmed_at, new.phone_confirmed_at) > 0)
  execute function private.receive_registered();
create trigger profiles_tell_commercial_given after update of commercial_id on public.profiles
  for each row when (old.commercial_id is null and new.commercial_id is not null) execute function private.tell_commercial_given();
