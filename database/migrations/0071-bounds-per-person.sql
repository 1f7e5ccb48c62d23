-- What one person can make grow has a bound per day (FX-07), enforced where it grows: docs/operations/limits.md lists them.

-- Counts one more of something for a person, in the caller's transaction: what is taken back counts for nothing. While the
-- demo company's history is told, days go by in a second. @refuses daily_limit, with the seconds until the next is free.
create function private.limit_per_day(p_what text, p_person uuid, p_most integer) returns void
language plpgsql security definer set search_path = '' as $$
declare
  v_wait double precision;
begin
  if p_person is null or coalesce(current_setting('app.at', true), '') <> '' then return; end if;
  v_wait := private.take_token('day:' || p_what || ':' || p_person, p_most, 86400);
  if v_wait > 0 then
    perform private.refuse('daily_limit', jsonb_build_object('retryAfterSeconds', ceil(v_wait)));
  end if;
end
$$;
alter function private.limit_per_day(text, uuid, integer) owner to parrain_service;
grant execute on function private.limit_per_day(text, uuid, integer) to parrain_service;

-- One's own name and telephone: the one direct write of a person. Each change is told to every admin who looks.
create function private.limit_profile_changes() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if new.id = private.uid() then perform private.limit_per_day('profile', new.id, 30); end if;
  return null;
end
$$;
alter function private.limit_profile_changes() owner to parrain_service;
create trigger profiles_limit_changes after update of full_name, phone on public.profiles
  for each row when ((old.full_name, old.phone) is distinct from (new.full_name, new.phone))
  execute function private.limit_profile_changes();

-- The trail is kept for ten years. An admin's decisions are the company's own, and are not counted.
create function private.limit_audit_entries() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  case private.user_role()
    when 'client' then perform private.limit_per_day('audit', private.uid(), 500);
    when 'commercial' then perform private.limit_per_day('audit', private.uid(), 5000);
    else null;
  end case;
  return null;
end
$$;
alter function private.limit_audit_entries() owner to parrain_service;
create trigger audit_entries_limit after insert on public.audit_entries
  for each row execute function private.limit_audit_entries();

-- Answers that are kept for a retry, two days each.
create function private.limit_idempotency_keys() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  case private.user_role()
    when 'client' then perform private.limit_per_day('idempotency', new.user_id, 500);
    when 'commercial' then perform private.limit_per_day('idempotency', new.user_id, 5000);
    else null;
  end case;
  return null;
end
$$;
alter function private.limit_idempotency_keys() owner to parrain_service;
create trigger idempotency_keys_limit after insert on private.idempotency_keys
  for each row execute function private.limit_idempotency_keys();

-- Each request for closure writes to every admin.
create function private.limit_closure_requests() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.limit_per_day('closure', private.uid(), 3);
  return null;
end
$$;
alter function private.limit_closure_requests() owner to parrain_service;
create trigger account_closure_requests_limit after insert on public.account_closure_requests
  for each row execute function private.limit_closure_requests();

-- A person has a hundred devices at most: the one that was used longest ago gives way.
create function private.limit_sessions() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.limit_per_day('session', new.user_id, 1000);
  delete from auth.sessions s where s.id in (
    select o.id from auth.sessions o where o.user_id = new.user_id and o.id <> new.id
    order by greatest(o.created_at, o.refreshed_at) desc offset 99);
  return null;
end
$$;
alter function private.limit_sessions() owner to parrain_service;
create trigger sessions_limit after insert on auth.sessions
  for each row execute function private.limit_sessions();

-- Files, five million bytes each.
create function private.limit_files() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.limit_per_day('file', private.uid(), 100);
  return null;
end
$$;
alter function private.limit_files() owner to parrain_service;
create trigger objects_limit after insert or update of etag on storage.objects
  for each row execute function private.limit_files();
