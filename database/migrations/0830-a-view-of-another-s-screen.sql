-- UI-15: an admin sees the screen of a commercial or a client, and changes nothing there.

-- The token of a view names whose screen it is (sub) and who looks (act, RFC 8693). It lives as the looking admin's session does,
-- and its transactions read only: PostgreSQL gives no way back from there.
create or replace function private.identify() returns void
language plpgsql security definer set search_path = '' as $$
declare
  claims jsonb := nullif(current_setting('request.jwt.claims', true), '')::jsonb;
  viewed constant boolean := claims ? 'act';
  person record;
  key public.api_keys;
begin
  if claims ->> 'role' = 'api_key' then
    select * into key from public.api_keys k where k.id = (claims ->> 'key_id')::uuid and private.is_key_alive(k);
    if not found then
      raise exception using errcode = 'PR401', message = 'api_key_refused';
    end if;
    perform set_config('app.user_id', key.id::text, true), set_config('app.user_role', 'api_key', true),
      set_config('app.commercial_id', '', true), set_config('app.key_scopes', array_to_string(key.scopes, ' '), true);
    return;
  end if;
  if claims ->> 'role' is distinct from 'authenticated' then
    perform set_config('app.user_id', '', true), set_config('app.user_role', '', true), set_config('app.commercial_id', '', true);
    return;
  end if;
  select p.id, p.role, p.commercial_id, u.password_change_required,
      -- Session and token both: a token from before the factor was given stays one of the first level.
      u.has_verified_factor and (s.aal <> 'aal2' or claims ->> 'aal' is distinct from 'aal2') as is_factor_due,
      p.role = 'admin' and not u.has_verified_factor
        and (select c.require_admin_two_factor from public.company_settings c where c.id = 1) as is_setup_due
    into person
    from auth.sessions s
    join auth.users u on u.id = s.user_id
    join public.profiles p on p.id = u.id
    where s.id = (claims ->> 'session_id')::uuid
      and s.user_id = (case when viewed then claims #>> '{act,sub}' else claims ->> 'sub' end)::uuid
      and (s.not_after is null or s.not_after > now())
      and (u.banned_until is null or u.banned_until <= now())
      and u.deleted_at is null and p.deactivated_at is null;
  if not found then
    raise exception using errcode = 'PR401', message = 'session_expired';
  end if;
  if person.is_factor_due then
    raise exception using errcode = 'PR401', message = 'second_factor_required';
  end if;
  if person.password_change_required then
    raise exception using errcode = 'PR401', message = 'password_change_required';
  end if;
  if person.is_setup_due then
    raise exception using errcode = 'PR401', message = 'two_factor_setup_required';
  end if;
  if viewed then
    perform set_config('transaction_read_only', 'on', true);
    select p.id, p.role, p.commercial_id into person from public.profiles p
      where p.id = (claims ->> 'sub')::uuid and person.role = 'admin' and private.may_be_viewed(p);
    if not found then
      raise exception using errcode = 'PR401', message = 'session_expired';
    end if;
  end if;
  perform set_config('app.user_id', person.id::text, true), set_config('app.user_role', person.role, true),
    set_config('app.commercial_id', coalesce(person.commercial_id::text, ''), true);
end
$$;

create function private.may_be_viewed(p public.profiles) returns boolean
language sql stable set search_path = '' as $$
  select p.role in ('commercial', 'client') and p.deactivated_at is null
$$;
alter function private.may_be_viewed(public.profiles) owner to parrain_service;

create function private.begin_view(p_person_id uuid) returns table (email text, full_name text, role text)
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  person public.profiles;
begin
  select * into person from public.profiles p where p.id = p_person_id;
  if not found then perform private.refuse('not_found'); end if;
  if not private.may_be_viewed(person) then perform private.refuse('forbidden'); end if;
  perform private.append_audit('profiles', person.id, 'view', null, null, null);
  return query select person.email, person.full_name, person.role;
end
$$;
alter function private.begin_view(uuid) owner to parrain_service;
grant execute on function private.begin_view(uuid) to authenticated;

-- A reading locks nobody's row; an edit that begins with what is shown still does.
create or replace function private.payee_named(p_payee_id uuid) returns public.profiles
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin', 'commercial', 'client');
  payee public.profiles;
begin
  if p_payee_id is distinct from me and private.user_role() <> 'admin' then perform private.refuse('forbidden'); end if;
  if current_setting('transaction_read_only') = 'off' then
    perform 1 from public.profiles p where p.id = p_payee_id for no key update;
  end if;
  select * into payee from public.profiles p where p.id = p_payee_id and p.role in ('commercial', 'client');
  if not found then perform private.refuse('payee_unknown'); end if;
  return payee;
end
$$;
