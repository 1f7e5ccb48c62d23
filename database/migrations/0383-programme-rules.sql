-- CS-05: the rules of the programme. The company writes a draft and publishes it; each published version is kept for ever, and each client
-- accepts the one in force, with a proof.

-- Nothing of a published version is ever changed.
create table private.programme_rules (
  version integer primary key,
  body text not null,
  -- Of the text, in UTF-8.
  sha256 bytea not null,
  published_at timestamptz not null default private.now(),
  -- The admin, whose account may be gone one day.
  published_by uuid not null,
  constraint programme_rules_sha256_is_one check (octet_length(sha256) = 32),
  constraint programme_rules_version_is_counted check (version >= 1),
  constraint programme_rules_body_is_a_text check (private.is_text(body, 20000) and btrim(body) <> '')
);

-- What is written and not published yet: one row at most.
create table private.programme_rules_draft (
  is_only boolean primary key default true,
  body text not null,
  saved_at timestamptz not null default private.now(),
  constraint programme_rules_draft_is_one check (is_only),
  constraint programme_rules_draft_body_is_a_text check (private.is_text(body, 20000))
);

-- Who accepted which version, when, and the hash of the text as they read it. Never changed.
create table private.rules_acceptances (
  client_id uuid not null references public.profiles (id) on delete cascade,
  version integer not null references private.programme_rules (version) on delete restrict,
  sha256 bytea not null,
  accepted_at timestamptz not null default private.now(),
  primary key (client_id, version)
);
create index rules_acceptances_by_version on private.rules_acceptances (version, accepted_at desc, client_id);

alter table private.programme_rules enable row level security;
alter table private.programme_rules force row level security;
alter table private.programme_rules_draft enable row level security;
alter table private.programme_rules_draft force row level security;
alter table private.rules_acceptances enable row level security;
alter table private.rules_acceptances force row level security;
grant select, insert on private.programme_rules, private.rules_acceptances to parrain_service;
grant select, insert, update, delete on private.programme_rules_draft to parrain_service;
create policy programme_rules_service_all on private.programme_rules to parrain_service using (true) with check (true);
create policy programme_rules_draft_service_all on private.programme_rules_draft to parrain_service using (true) with check (true);
create policy rules_acceptances_service_all on private.rules_acceptances to parrain_service using (true) with check (true);

-- What is in force; no row until something is published.
create function private.rules_in_force() returns private.programme_rules
language sql stable security definer set search_path = ''
begin atomic
  select r from private.programme_rules r order by r.version desc limit 1;
end;

-- The version that I have still to accept: null for all but clients, and where nothing is published.
create function private.rules_to_accept() returns integer
language sql stable security definer set search_path = ''
begin atomic
  select max(r.version) from private.programme_rules r
    where private.user_role() = 'client'
    having not exists (select from private.rules_acceptances a where a.client_id = private.uid() and a.version = max(r.version));
end;

-- The admin's view: the draft, every version with how many accepted it, and how many clients there are.
create function private.rules_shown() returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
begin
  return jsonb_build_object(
    'draft', (select d.body from private.programme_rules_draft d),
    'clients', (select count(*) from public.profiles p where p.role = 'client' and p.deactivated_at is null),
    'versions', (select coalesce(jsonb_agg(jsonb_build_object('version', r.version, 'body', r.body, 'published_at', r.published_at,
        'sha256', encode(r.sha256, 'hex'), 'accepted', (
          select count(*) from private.rules_acceptances a join public.profiles p on p.id = a.client_id and p.deactivated_at is null
            where a.version = r.version)) order by r.version desc), '[]') from private.programme_rules r));
end
$$;

create function private.save_rules_draft(p_body text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
begin
  if coalesce(btrim(p_body), '') = '' then
    delete from private.programme_rules_draft;
  else
    insert into private.programme_rules_draft as d (body) values (p_body)
    on conflict (is_only) do update set body = excluded.body, saved_at = private.now();
  end if;
end
$$;

-- Publishes a text as the version after the one that the admin saw in force (0 where there was none).
create function private.publish_rules(p_body text, p_seen_version integer) returns integer
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  v_current private.programme_rules;
  v_new private.programme_rules;
begin
  perform pg_advisory_xact_lock(hashtextextended('programme-rules', 0));
  if coalesce(btrim(p_body), '') = '' then perform private.refuse('invalid_input'); end if;
  v_current := private.rules_in_force();
  if coalesce(v_current.version, 0) is distinct from p_seen_version then perform private.refuse('rules_changed'); end if;
  if v_current.body = p_body then perform private.refuse('rules_unchanged'); end if;
  insert into private.programme_rules (version, body, sha256, published_by)
  values (coalesce(v_current.version, 0) + 1, p_body, sha256(convert_to(p_body, 'UTF8')), me) returning * into v_new;
  delete from private.programme_rules_draft;
  perform private.append_audit('company_settings', '00000000-0000-0000-0000-000000000001', 'update', '{}',
    jsonb_build_object('programme_rules', v_new.version, 'rules_sha256', encode(v_new.sha256, 'hex')), null);
  return v_new.version;
end
$$;

-- I accept the version in force, as I read it. Said twice, it is the first time that counts.
create function private.accept_rules(p_version integer) returns timestamptz
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('client');
  v_current private.programme_rules := private.rules_in_force();
  v_accepted_at timestamptz;
begin
  if v_current.version is distinct from p_version then perform private.refuse('rules_changed'); end if;
  insert into private.rules_acceptances (client_id, version, sha256) values (me, v_current.version, v_current.sha256)
  on conflict do nothing returning accepted_at into v_accepted_at;
  if not found then
    return (select a.accepted_at from private.rules_acceptances a where a.client_id = me and a.version = p_version);
  end if;
  perform private.append_audit('profiles', me, 'update', '{}',
    jsonb_build_object('rules_accepted', v_current.version, 'rules_sha256', encode(v_current.sha256, 'hex')), null);
  return v_accepted_at;
end
$$;

-- Clients and the latest version that each accepted, those who have not accepted the one in force first: two hundred of them, and how
-- many there are.
create function private.rules_acceptances_shown(p_search text)
returns table (client_id uuid, full_name text, version integer, accepted_at timestamptz, total bigint)
language plpgsql stable security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  v_version integer := (private.rules_in_force()).version;
begin
  return query select p.id, p.full_name, a.version, a.accepted_at, count(*) over ()
    from public.profiles p
    left join lateral (
      select r.version, r.accepted_at from private.rules_acceptances r where r.client_id = p.id order by r.version desc limit 1) a on true
    where p.role = 'client' and p.deactivated_at is null
      and (coalesce(btrim(p_search), '') = '' or position(lower(btrim(p_search)) in lower(p.full_name)) > 0)
    order by (a.version is not distinct from v_version), p.full_name, p.id limit 200;
end
$$;

do $$
declare
  f regprocedure;
begin
  for f in select p.oid::regprocedure from pg_proc p where p.pronamespace = 'private'::regnamespace
      and p.proname in ('rules_in_force', 'rules_to_accept', 'rules_shown', 'save_rules_draft', 'publish_rules', 'accept_rules',
        'rules_acceptances_shown') loop
    execute format('alter function %s owner to parrain_service', f);
    execute format('grant execute on function %s to parrain_service', f);
  end loop;
end
$$;
grant execute on function private.rules_in_force(), private.rules_to_accept(), private.rules_shown(), private.save_rules_draft(text),
  private.publish_rules(text, integer), private.accept_rules(integer), private.rules_acceptances_shown(text) to authenticated;
