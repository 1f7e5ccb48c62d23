-- NV-04, NV-09: clients go to another commercial, several together, and come back as they were.

-- A client under lock goes to another commercial, and their open referrals with them: all that were the former one's, or only
-- these. Gives those that moved.
create function private.hand_over_client(client public.profiles, p_commercial_id uuid, p_only uuid[]) returns uuid[]
language plpgsql security definer set search_path = '' as $$
declare
  moved uuid[];
begin
  perform private.require_active_commercial(p_commercial_id);
  with followed as (
    update public.sales s set commercial_id = p_commercial_id
      where (s.friend_referrer_id = client.id or s.client_referrer_id = client.id) and not s.admin_validated
        and s.status <> 'rejected' and s.commercial_id is not distinct from client.commercial_id
        and (p_only is null or s.id = any (p_only))
      returning s.id)
  select coalesce(array_agg(f.id order by f.id), '{}') into moved from followed f;
  update public.profiles p set commercial_id = p_commercial_id where p.id = client.id;
  return moved;
end
$$;
alter function private.hand_over_client(public.profiles, uuid, uuid[]) owner to parrain_service;
grant execute on function private.hand_over_client(public.profiles, uuid, uuid[]) to parrain_service;

-- As 0013 has it, the move said once.
create or replace function private.update_client(
  p_id uuid, p_full_name text, p_phone text, p_company text, p_notes text, p_commercial_id uuid)
returns public.profiles
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin', 'commercial');
  client public.profiles;
begin
  select * into client from public.profiles p where p.id = p_id and p.role = 'client'
    and (private.user_role() = 'admin' or p.commercial_id = me) for update;
  if not found then perform private.refuse('client_not_found'); end if;
  if private.user_role() = 'admin' and p_commercial_id is not null and p_commercial_id is distinct from client.commercial_id then
    perform private.hand_over_client(client, p_commercial_id, null);
  end if;
  update public.profiles p set full_name = btrim(p_full_name), phone = nullif(btrim(p_phone), ''), company = nullif(btrim(p_company), ''),
    notes = nullif(btrim(p_notes), '')
    where p.id = p_id returning * into client;
  return client;
end
$$;

-- The admin's act on one of many: from the commercial that was on screen, to another. Gives the referrals that moved; named
-- again on the way back, they are those that return.
create function private.assign_client(p_id uuid, p_commercial_id uuid, p_seen_commercial_id uuid, p_only uuid[]) returns uuid[]
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  client public.profiles;
begin
  select * into client from public.profiles p where p.id = p_id and p.role = 'client' for update;
  if not found then perform private.refuse('client_not_found'); end if;
  if client.commercial_id is distinct from p_seen_commercial_id then perform private.refuse('client_changed'); end if;
  if client.commercial_id = p_commercial_id then return '{}'; end if;
  return private.hand_over_client(client, p_commercial_id, p_only);
end
$$;
alter function private.assign_client(uuid, uuid, uuid, uuid[]) owner to parrain_service;
grant execute on function private.assign_client(uuid, uuid, uuid, uuid[]) to parrain_service, authenticated;
