-- DF-28: what one may write of oneself through the REST door is what the forms take: names stand in mails of the company to people who
-- did not ask for them, telephones in links that call. And nobody has hundreds of requests wait at once.

-- A run of digits that could be called, marks between them or not. domain/src/name.ts says the same.
create function private.has_phone_number(p_text text) returns boolean
language sql immutable parallel safe
return p_text ~ '[0-9]([[:space:]./()\u00a0\u202f-]*[0-9]){5}';

-- A sentence, or what one sells with. domain/src/name.ts says the same.
create function private.has_sentence(p_text text) returns boolean
language sql immutable parallel safe
return p_text ~ '[!?;:¿¡…€$£]' or p_text ~ '[[:lower:]]{4}\.[[:space:]]+[^[:space:]]'
  or array_length(regexp_split_to_array(btrim(p_text), '[[:space:]]+'), 1) > 8;

-- Guards the one write that a person has of a table itself; every other goes through a form.
create function private.guard_own_words() returns trigger
language plpgsql set search_path = '' as $$
begin
  if current_user <> 'authenticated' then return new; end if;
  if new.full_name is distinct from old.full_name
    and (private.has_phone_number(new.full_name) or private.has_sentence(new.full_name)) then
    raise exception using errcode = '23514', constraint = 'profiles_full_name_is_a_name', message = 'not a name';
  end if;
  if new.phone is distinct from old.phone and new.phone is not null
    and not (new.phone ~ '^[-+0-9 .()/\u00a0\u2007\u2009-\u2015\u202f]+$' and length(regexp_replace(new.phone, '[^0-9]', '', 'g')) >= 4) then
    raise exception using errcode = '23514', constraint = 'profiles_phone_is_a_line', message = 'not a telephone';
  end if;
  return new;
end
$$;
create trigger profiles_own_words before update of full_name, phone on public.profiles
  for each row execute function private.guard_own_words();

-- How many of somebody's requests may wait for a decision at once.
create function private.bound_open_requests() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if new.client_id = private.uid() and (select count(*) from public.payment_requests r
      where r.client_id = new.client_id and r.status = 'pending') >= 20 then
    perform private.refuse('too_many_open_requests', jsonb_build_object('most', 20));
  end if;
  return new;
end
$$;
create trigger payment_requests_bound_open before insert on public.payment_requests
  for each row when (new.status = 'pending') execute function private.bound_open_requests();

alter function private.bound_open_requests() owner to parrain_service;
grant execute on function private.has_phone_number(text), private.has_sentence(text), private.guard_own_words()
  to authenticated, service_role, parrain_service;
grant execute on function private.bound_open_requests() to parrain_service;
