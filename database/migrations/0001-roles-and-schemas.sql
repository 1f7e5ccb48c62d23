-- Who may connect and act, and the schemas they see.

-- Roles belong to the whole cluster, so each is created only where it is missing.
do $$
declare
  wanted text;
begin
  foreach wanted in array array['anon', 'authenticated', 'service_role', 'parrain_service'] loop
    begin
      execute format('create role %I nologin noinherit', wanted);
    exception when duplicate_object or unique_violation then null;
    end;
  end loop;
  begin
    create role authenticator login noinherit;
  exception when duplicate_object or unique_violation then null;
  end;
end
$$;

grant anon, authenticated, service_role, parrain_service to authenticator;
-- The owner gives the security-definer functions to parrain_service, for which it must be a member of it.
do $$
begin
  execute format('grant parrain_service to %I', current_user);
exception when invalid_grant_operation or insufficient_privilege then null;
end
$$;

create schema if not exists auth;
create schema if not exists private;
create schema if not exists storage;
-- The totals of the dashboards, read under row level security by their functions and views; not exposed.
create schema figures;

revoke all on schema public from public;
grant usage on schema public to anon, authenticated, service_role, parrain_service;
grant usage on schema private, auth to authenticator, anon, authenticated, service_role, parrain_service;
grant usage on schema storage to parrain_service;
grant usage on schema figures to authenticated, service_role, parrain_service;
-- Needed by `alter function … owner to parrain_service`: the new owner must be allowed to create there.
grant create on schema private to parrain_service;

-- A new function is nobody's until it is granted by name.
alter default privileges revoke execute on functions from public;

-- Searches: trigrams serve `ilike '%…%'`, and btree_gin puts a key beside them in one index.
create extension if not exists pg_trgm with schema public;
create extension if not exists btree_gin with schema public;

-- The time of a transaction; or, while the demo company's history is being told, the instant it is told at.
create function private.now() returns timestamptz
language sql stable parallel safe
return coalesce(nullif(current_setting('app.at', true), '')::timestamptz, now());
grant execute on function private.now() to anon, authenticated, service_role, parrain_service;

-- A refusal that the server knows: the failure's code, with its parameters as JSON.
create function private.refuse(p_code text, p_params jsonb default '{}') returns void
language plpgsql as $$
begin
  raise exception using errcode = 'PR001', message = p_code, detail = p_params::text;
end
$$;
grant execute on function private.refuse(text, jsonb) to authenticated;

-- Test data (P-05) is removed by private.clean_test_data alone, which sets this for its transaction.
create function private.is_cleaning() returns boolean
language sql stable parallel safe
return coalesce(current_setting('app.cleaning', true), '') = 'on';
grant execute on function private.is_cleaning() to authenticated;
