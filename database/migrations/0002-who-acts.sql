-- Who a request acts for, as every policy and every function asks for it.

create function private.uid() returns uuid
language sql stable parallel safe return nullif(current_setting('app.user_id', true), '')::uuid;
create function private.user_role() returns text
language sql stable parallel safe return nullif(current_setting('app.user_role', true), '');
create function private.my_commercial_id() returns uuid
language sql stable parallel safe return nullif(current_setting('app.commercial_id', true), '')::uuid;

-- The names that policies written for the official client expect.
create function auth.uid() returns uuid language sql stable parallel safe return private.uid();
create function auth.role() returns text language sql stable parallel safe
  return nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'role';
create function auth.jwt() returns jsonb language sql stable parallel safe
  return nullif(current_setting('request.jwt.claims', true), '')::jsonb;

grant execute on function private.uid(), private.user_role(), private.my_commercial_id(), auth.uid(), auth.role(), auth.jwt()
  to anon, authenticated, service_role, parrain_service;

-- Called once at the start of a user's transaction, after request.jwt.claims is set and before the role is: checks that the
-- session is alive, then leaves the facts that every policy asks for in settings of this transaction.
create function private.identify() returns void
language plpgsql security definer set search_path = '' as $$
declare
  claims jsonb := nullif(current_setting('request.jwt.claims', true), '')::jsonb;
  person record;
begin
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
    where s.id = (claims ->> 'session_id')::uuid and s.user_id = (claims ->> 'sub')::uuid
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
  perform set_config('app.user_id', person.id::text, true), set_config('app.user_role', person.role, true),
    set_config('app.commercial_id', coalesce(person.commercial_id::text, ''), true);
end
$$;
grant execute on function private.identify() to authenticator;

-- The first line of every function that acts for a person: refuses whoever has none of these roles, else gives their id.
create function private.require_role(variadic p_roles text[]) returns uuid
language plpgsql stable set search_path = '' as $$
begin
  if private.uid() is null then
    raise exception using errcode = 'PR401', message = 'session_expired';
  end if;
  if not (private.user_role() = any (p_roles)) then perform private.refuse('forbidden'); end if;
  return private.uid();
end
$$;
grant execute on function private.require_role(text[]) to authenticated;
