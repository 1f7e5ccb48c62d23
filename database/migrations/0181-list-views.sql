-- NV-05: the views that a person keeps of a list: its filters, its sort and its columns, under a name.

create table private.list_views (
  id uuid primary key default gen_random_uuid(),
  profile_id uuid not null references public.profiles (id) on delete cascade,
  list text not null,
  name text not null,
  -- The list's part of an address: « statut=rejected&periode=mois ».
  settings text not null,
  created_at timestamptz not null default now(),
  constraint list_views_name_once unique (profile_id, list, name),
  constraint list_views_list_is_a_word check (list ~ '^[a-z][a-z-]{0,39}$'),
  constraint list_views_name_is_a_line check (length(btrim(name)) > 0 and private.is_line(name, 60)),
  constraint list_views_settings_are_short check (private.is_line(settings, 1000))
);
alter table private.list_views enable row level security;
alter table private.list_views force row level security;
grant select, insert, update, delete on private.list_views to parrain_service;
create policy list_views_service_all on private.list_views to parrain_service using (true) with check (true);

create function private.my_list_views() returns table (id uuid, list text, name text, settings text, created_at timestamptz)
language plpgsql stable security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin', 'commercial', 'client');
begin
  return query select v.id, v.list, v.name, v.settings, v.created_at from private.list_views v
    where v.profile_id = me order by v.list, v.name;
end
$$;

-- A view of the same name is replaced. Nobody keeps more than fifty.
create function private.save_list_view(p_list text, p_name text, p_settings text) returns uuid
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin', 'commercial', 'client');
  saved uuid;
begin
  -- One after the other, so that the count is right.
  perform 1 from public.profiles p where p.id = me for no key update;
  insert into private.list_views as v (profile_id, list, name, settings) values (me, p_list, btrim(p_name), p_settings)
  on conflict on constraint list_views_name_once do update set settings = excluded.settings
  returning v.id into saved;
  if (select count(*) from private.list_views v where v.profile_id = me) > 50 then perform private.refuse('list_views_full'); end if;
  return saved;
end
$$;

create function private.delete_list_view(p_id uuid) returns boolean
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin', 'commercial', 'client');
begin
  delete from private.list_views v where v.id = p_id and v.profile_id = me;
  return found;
end
$$;

alter function private.my_list_views() owner to parrain_service;
alter function private.save_list_view(text, text, text) owner to parrain_service;
alter function private.delete_list_view(uuid) owner to parrain_service;
grant execute on function private.my_list_views(), private.save_list_view(text, text, text), private.delete_list_view(uuid)
  to authenticated, parrain_service;
