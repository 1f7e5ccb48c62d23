-- DF-24: one admin alone lifted the limit above which a batch has a second admin, and released it. What a control allows more than
-- before waits for another admin's word, or for 72 hours of which every admin is told.

create table private.control_changes (
  id uuid primary key default gen_random_uuid(),
  control text not null,
  value jsonb not null,
  asked_by uuid references public.profiles (id) on delete set null,
  asked_at timestamptz not null default now(),
  due_at timestamptz not null default now() + interval '72 hours',
  outcome text,
  ended_by uuid references public.profiles (id) on delete set null,
  ended_at timestamptz,
  constraint control_changes_control_is_known check (control in ('release_above', 'require_admin_two_factor', 'hold_doubtful')),
  constraint control_changes_outcome_is_known check (outcome in ('confirmed', 'applied', 'withdrawn')),
  constraint control_changes_end_once check ((outcome is null) = (ended_at is null)),
  constraint control_changes_value_is_small check (octet_length(value::text) <= 40),
  constraint control_changes_another_confirms check (outcome <> 'confirmed' or ended_by is distinct from asked_by)
);
create unique index control_changes_wait_one_at_a_time on private.control_changes (control) where outcome is null;
create index control_changes_by_asker on private.control_changes (asked_by);
create index control_changes_by_ender on private.control_changes (ended_by);
alter table private.control_changes enable row level security;
alter table private.control_changes force row level security;
grant select, insert, update, delete on private.control_changes to parrain_service;
create policy control_changes_service_all on private.control_changes to parrain_service using (true) with check (true);

-- Puts a control in force.
create function private.apply_control(p_control text, p_value jsonb) returns void
language plpgsql security definer set search_path = '' as $$
begin
  update public.company_settings c set
    release_above = case when p_control = 'release_above' then (p_value #>> '{}')::numeric else c.release_above end,
    require_admin_two_factor = case when p_control = 'require_admin_two_factor' then p_value::boolean else c.require_admin_two_factor end,
    hold_doubtful = case when p_control = 'hold_doubtful' then p_value::boolean else c.hold_doubtful end,
    updated_at = now();
end
$$;

-- Sets a control, or has its change wait where it binds admins less than before. What waited for the same control waits no more.
create function private.change_control(p_control text, p_value jsonb) returns public.company_settings
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  settings public.company_settings;
  is_looser boolean;
begin
  select * into settings from public.company_settings c where c.id = 1 for no key update;
  is_looser := case p_control
    when 'release_above' then settings.release_above is not null
      and (p_value = 'null' or (p_value #>> '{}')::numeric > settings.release_above)
    when 'require_admin_two_factor' then settings.require_admin_two_factor and not p_value::boolean
    when 'hold_doubtful' then settings.hold_doubtful and not p_value::boolean end;
  -- The same again waits on: its hours are not begun anew.
  if is_looser and exists (select from private.control_changes c
      where c.control = p_control and c.outcome is null and c.value = p_value) then
    return settings;
  end if;
  update private.control_changes c set outcome = 'withdrawn', ended_by = me, ended_at = now()
    where c.control = p_control and c.outcome is null;
  if is_looser then
    insert into private.control_changes (control, value, asked_by) values (p_control, p_value, me);
    perform private.append_audit('company_settings', '00000000-0000-0000-0000-000000000001', 'ask_control', null,
      jsonb_build_object('control', p_control, 'value', p_value), null);
  else
    perform private.apply_control(p_control, p_value);
  end if;
  select * into settings from public.company_settings c where c.id = 1;
  return settings;
end
$$;

create or replace function private.set_release_above(p_amount numeric) returns public.company_settings
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
begin
  return private.change_control('release_above', coalesce(to_jsonb(p_amount), 'null'));
end
$$;

create or replace function private.require_admin_two_factor(p_required boolean) returns public.company_settings
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
begin
  if p_required and not (select u.has_verified_factor from auth.users u where u.id = me) then
    perform private.refuse('two_factor_setup_required');
  end if;
  return private.change_control('require_admin_two_factor', to_jsonb(p_required));
end
$$;

create or replace function private.set_hold_doubtful(p_is_held boolean) returns public.company_settings
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
begin
  if p_is_held is null then perform private.refuse('invalid_input'); end if;
  return private.change_control('hold_doubtful', to_jsonb(p_is_held));
end
$$;

-- The changes that wait, for admins.
create function private.waiting_controls() returns table (
  id uuid, control text, value jsonb, asked_at timestamptz, due_at timestamptz, asked_by_name text, is_own boolean)
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
begin
  return query select c.id, c.control, c.value, c.asked_at, c.due_at, p.full_name, c.asked_by is not distinct from me
    from private.control_changes c left join public.profiles p on p.id = c.asked_by
    where c.outcome is null order by c.asked_at;
end
$$;

-- Another admin than who asked puts it in force at once; any admin gives it up.
create function private.end_control(p_id uuid, p_is_confirmed boolean) returns void
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  change private.control_changes;
begin
  select * into change from private.control_changes c where c.id = p_id and c.outcome is null for update;
  if not found then perform private.refuse('control_change_over'); end if;
  if p_is_confirmed and change.asked_by is not distinct from me then perform private.refuse('second_admin_to_confirm'); end if;
  update private.control_changes c set outcome = case when p_is_confirmed then 'confirmed' else 'withdrawn' end,
    ended_by = me, ended_at = now() where c.id = p_id;
  if p_is_confirmed then
    perform private.apply_control(change.control, change.value);
  else
    perform private.append_audit('company_settings', '00000000-0000-0000-0000-000000000001', 'withdraw_control', null,
      jsonb_build_object('control', change.control, 'value', change.value), null);
  end if;
end
$$;

-- What has waited for its 72 hours comes into force. Gives how many did.
create function private.apply_due_controls() returns integer
language plpgsql security definer set search_path = '' as $$
declare
  change private.control_changes;
  applied integer := 0;
begin
  for change in select * from private.control_changes c where c.outcome is null and c.due_at <= private.now()
      order by c.asked_at for update skip locked loop
    update private.control_changes c set outcome = 'applied', ended_at = now() where c.id = change.id;
    perform set_config('app.reason', '72 heures après la demande', true);
    perform private.apply_control(change.control, change.value);
    perform set_config('app.reason', '', true);
    applied := applied + 1;
  end loop;
  return applied;
end
$$;

do $$
declare
  f regprocedure;
begin
  for f in select p.oid::regprocedure from pg_proc p where p.pronamespace = 'private'::regnamespace
      and p.proname in ('apply_control', 'change_control', 'waiting_controls', 'end_control', 'apply_due_controls') loop
    execute format('alter function %s owner to parrain_service', f);
    execute format('grant execute on function %s to parrain_service', f);
  end loop;
end
$$;
grant execute on function private.waiting_controls(), private.end_control(uuid, boolean) to authenticated;
