-- EX-04: clients come in from a file. Its lines wait in the server until the person confirms what would become of them; then they
-- are written in one transaction, which keeps what it made so that it can be undone.

-- The rows of an import are counted and audited together by its own functions, which set this for their transaction: one row at a
-- time, 20 000 of them would change one total 20 000 times, and each change would walk past all the former ones.
create function private.is_importing() returns boolean
language sql stable parallel safe
return coalesce(current_setting('app.importing', true), '') = 'on';
alter function private.is_importing() owner to parrain_service;
grant execute on function private.is_importing() to authenticated, service_role, parrain_service;

create or replace trigger profiles_audit after insert or update or delete on public.profiles
  for each row when (not private.is_importing()) execute function private.audit_change();
create or replace trigger profiles_limit_invitations after insert on public.profiles
  for each row when (new.id is distinct from private.uid() and not private.is_importing())
  execute function private.limit_writes('invitation', '300');
create or replace trigger profiles_counted_on_insert after insert on public.profiles
  for each row when (not private.is_importing()) execute function private.count_profile();
create or replace trigger profiles_counted_on_delete after delete on public.profiles
  for each row when (not private.is_importing()) execute function private.count_profile();
create or replace trigger profiles_counted_by_role after insert or delete on public.profiles
  for each row when (not private.is_importing()) execute function private.count_role();
create or replace trigger profiles_forget_mails_deleted after delete on public.profiles
  for each row when (not private.is_importing()) execute function private.forget_mails_to();

-- As private.append_audit does for one: the entries of many rows that one act made, or took away.
create function private.append_audits(p_entity text, p_action text, p_rows jsonb[]) returns void
language plpgsql security definer set search_path = '' as $$
begin
  with entries as materialized (
    select row(0, clock_timestamp(), nullif(current_setting('app.user_id', true), '')::uuid,
      coalesce(nullif(current_setting('app.user_role', true), ''), nullif(current_setting('app.actor', true), ''), session_user),
      p_entity, (r.row_ ->> 'id')::uuid, p_action,
      private.without_personal_data(case p_action when 'delete' then r.row_ end),
      private.without_personal_data(case p_action when 'insert' then r.row_ end),
      nullif(current_setting('app.reason', true), ''), nullif(current_setting('app.request_id', true), ''),
      (select a.hash from public.audit_entries a where a.entity = p_entity and a.entity_id = (r.row_ ->> 'id')::uuid
        order by a.id desc limit 1), ''::bytea)::public.audit_entries as entry
    from (select jsonb_strip_nulls(u.row_ - 'updated_at') as row_ from unnest(p_rows) u (row_)) r)
  insert into public.audit_entries (at, actor_id, actor, entity, entity_id, action, before, after, reason, request_id, previous_hash, hash)
  select (e.entry).at, (e.entry).actor_id, (e.entry).actor, (e.entry).entity, (e.entry).entity_id, (e.entry).action, (e.entry).before,
    (e.entry).after, (e.entry).reason, (e.entry).request_id, (e.entry).previous_hash, private.audit_hash(e.entry)
  from entries e;
  perform private.add_to_company('trail_' || p_entity, coalesce(cardinality(p_rows), 0), 0);
end
$$;

create table private.imports (
  id uuid primary key default gen_random_uuid(),
  kind text not null,
  made_by uuid not null references public.profiles (id) on delete cascade,
  file_name text not null,
  read_at timestamptz not null default private.now(),
  -- The file as it was read, a list of cells for each line, its titles first; gone once they are written.
  lines jsonb,
  written_at timestamptz,
  written integer,
  left_out integer,
  undone_at timestamptz,
  removed integer not null default 0,
  constraint imports_kind_is_known check (kind in ('clients')),
  constraint imports_lines_is_bounded check (octet_length(lines::text) <= 20000000),
  constraint imports_file_name_is_a_line check (private.is_line(file_name, 255)),
  constraint imports_wait_or_are_written check ((lines is null) = (written_at is not null)),
  constraint imports_written_says_how_many check (num_nulls(written_at, written, left_out) in (0, 3)),
  constraint imports_undone_was_written check (undone_at is null or written_at is not null)
);
create index imports_by_person on private.imports (made_by, written_at desc);
create index imports_by_age on private.imports (read_at) where written_at is null;

-- What an import made, line by line, as long as it is there.
create table private.imported_rows (
  import_id uuid not null references private.imports (id) on delete cascade,
  line integer not null,
  profile_id uuid not null references public.profiles (id) on delete cascade,
  -- The mail with the temporary password: none was asked for, it waits for its turn, it is in the outbox, it never will be.
  invitation text,
  -- Why an undoing left it.
  left_because text,
  primary key (import_id, line),
  constraint imported_rows_profile_once unique (profile_id),
  constraint imported_rows_invitation_is_known check (invitation in ('due', 'sent', 'never')),
  constraint imported_rows_left_because_is_known check (left_because in ('signed_in', 'referral', 'money', 'changed'))
);
create index imported_rows_to_invite on private.imported_rows (import_id, line) where invitation = 'due';

-- What a person said that a column of their files is: « Raison sociale » is the company. An empty field is « not imported ».
create table private.import_columns (
  profile_id uuid not null references public.profiles (id) on delete cascade,
  kind text not null,
  title text not null,
  field text not null,
  used_at timestamptz not null default private.now(),
  primary key (profile_id, kind, title),
  constraint import_columns_kind_is_known check (kind in ('clients')),
  constraint import_columns_title_is_a_line check (private.is_line(title, 120)),
  constraint import_columns_field_is_a_line check (private.is_line(field, 30))
);

-- Puts a file's lines aside, in place of the person's former one that nobody confirmed. A commercial's own clients are no 20 000.
create function private.stage_import(p_kind text, p_file_name text, p_lines jsonb) returns uuid
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin', 'commercial');
  v_most integer := case private.user_role() when 'admin' then 20000 else 2000 end;
  v_id uuid;
begin
  if jsonb_array_length(p_lines) - 1 > v_most then
    perform private.refuse('import_too_long', jsonb_build_object('most', v_most));
  end if;
  perform private.limit_per_day('import', me, 100);
  delete from private.imports i where i.made_by = me and i.written_at is null;
  insert into private.imports (kind, made_by, file_name, lines) values (p_kind, me, p_file_name, p_lines) returning id into v_id;
  return v_id;
end
$$;

-- My file that waits, or was written since: whoever confirms it twice at once waits here for the first.
create function private.staged_import(p_import uuid) returns table (kind text, lines jsonb, written integer, left_out integer)
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin', 'commercial');
begin
  return query select i.kind, i.lines, i.written, i.left_out from private.imports i
    where i.id = p_import and i.made_by = me for update;
  if not found then perform private.refuse('import_not_found'); end if;
end
$$;

create function private.remembered_columns(p_kind text) returns table (title text, field text)
language plpgsql stable security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin', 'commercial');
begin
  return query select c.title, c.field from private.import_columns c where c.profile_id = me and c.kind = p_kind;
end
$$;

-- Keeps the two hundred titles that the person used last.
create function private.remember_columns(p_kind text, p_columns jsonb) returns void
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin', 'commercial');
begin
  insert into private.import_columns as c (profile_id, kind, title, field)
  select me, p_kind, e.key, e.value from jsonb_each_text(p_columns) e
  on conflict (profile_id, kind, title) do update set field = excluded.field, used_at = excluded.used_at;
  delete from private.import_columns c where (c.profile_id, c.kind, c.title) in (
    select o.profile_id, o.kind, o.title from private.import_columns o where o.profile_id = me
      order by o.used_at desc, o.title offset 200);
end
$$;

-- The commercial whom a file names: by address, or by a name that one of them alone has. Null where there is none.
create function private.commercial_named(p_name text) returns uuid
language sql stable security definer set search_path = ''
begin atomic
  select coalesce(
    (select c.id from public.profiles c
      where c.email = lower(btrim(p_name)) and c.role = 'commercial' and c.deactivated_at is null),
    (select (array_agg(c.id))[1] from public.profiles c
      where lower(c.full_name) = lower(btrim(p_name)) and c.role = 'commercial' and c.deactivated_at is null
      having count(*) = 1));
end;

-- What keeps lines from becoming clients, as far as the caller may know it: an address that somebody has, named where the caller
-- sees them, and a commercial who is none.
create function private.client_line_obstacles(p_lines jsonb) returns table (line integer, obstacle text, known_as text)
language plpgsql stable security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin', 'commercial');
  is_admin constant boolean := private.user_role() = 'admin';
begin
  return query
    with given as materialized (
      select l.line, lower(btrim(l.email)) as email, l.commercial
      from jsonb_to_recordset(p_lines) as l (line integer, email text, commercial text)),
    unknown as materialized (
      select n.commercial from (select distinct g.commercial from given g) n
      where is_admin and n.commercial is not null and private.commercial_named(n.commercial) is null)
    select g.line, 'email_taken', case when is_admin or p.commercial_id = me then p.full_name end
      from given g join public.profiles p on p.email = g.email and p.email <> ''
    union all
    select g.line, 'email_taken', null from given g
      where exists (select from auth.users u where u.email = g.email and not u.is_sso_user and u.deleted_at is null)
        and not exists (select from public.profiles p where p.email = g.email and p.email <> '')
    union all
    select g.line, 'commercial_not_found', null from given g join unknown u on u.commercial = g.commercial;
end
$$;

-- F-13, AD-06, for all lines of a file or for none: each becomes a client as private.invite_client would make them, but without a
-- password: that comes with the invitation, or with « Mot de passe oublié ». Said again it is the same import.
create function private.import_clients(
  p_import uuid, p_lines jsonb, p_commercial_id uuid, p_invites boolean, p_left_out integer)
returns integer
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin', 'commercial');
  is_admin constant boolean := private.user_role() = 'admin';
  v_import private.imports;
  v_is_test boolean;
  v_written integer;
begin
  select * into v_import from private.imports i where i.id = p_import and i.made_by = me and i.kind = 'clients' for update;
  if not found then perform private.refuse('import_not_found'); end if;
  if v_import.written_at is not null then return v_import.written; end if;
  if not is_admin and p_commercial_id is distinct from me then perform private.refuse('forbidden'); end if;
  if is_admin and p_commercial_id is not null then perform private.require_active_commercial(p_commercial_id); end if;
  if jsonb_array_length(p_lines) = 0 or jsonb_array_length(p_lines) > jsonb_array_length(v_import.lines) - 1
    or exists (select from private.client_line_obstacles(p_lines)) then
    perform private.refuse('import_changed');
  end if;
  -- None of the commercials leaves while they are given clients.
  perform 1 from public.profiles c where is_admin and c.role = 'commercial' and c.deactivated_at is null order by c.id for share;
  select p.is_test into v_is_test from public.profiles p where p.id = me;
  perform set_config('app.importing', 'on', true);
  with given as materialized (
    select gen_random_uuid() as id, l.line, lower(btrim(l.email)) as email, btrim(l.name) as full_name,
      nullif(btrim(l.phone), '') as phone, nullif(btrim(l.company), '') as company, nullif(btrim(l.notes), '') as notes,
      coalesce(n.id, p_commercial_id) as commercial_id
    from jsonb_to_recordset(p_lines) as l (
      line integer, email text, name text, phone text, company text, notes text, commercial text)
    left join (
      select d.commercial, private.commercial_named(d.commercial) as id
      from (select distinct o.commercial from jsonb_to_recordset(p_lines) as o (commercial text) where is_admin) d) n
      on n.commercial = l.commercial),
  users as (
    insert into auth.users (id, email, email_confirmed_at, raw_app_meta_data)
    select g.id, g.email, now(), '{"role": "client", "provider": "email", "providers": ["email"]}' from given g),
  identities as (
    insert into auth.identities (user_id, provider, provider_id, identity_data)
    select g.id, 'email', g.id::text,
      jsonb_build_object('sub', g.id, 'email', g.email, 'email_verified', true, 'phone_verified', false)
    from given g),
  people as (
    insert into public.profiles (id, full_name, email, phone, role, company, notes, commercial_id, is_test, updated_at)
    select g.id, g.full_name, g.email, g.phone, 'client', g.company, g.notes, g.commercial_id, v_is_test, private.now() from given g)
  insert into private.imported_rows (import_id, line, profile_id, invitation)
  select p_import, g.line, g.id, case when p_invites then 'due' end from given g;
  get diagnostics v_written = row_count;
  perform set_config('app.importing', '', true);
  perform private.append_audits('profiles', 'insert', array(
    select to_jsonb(p) from private.imported_rows r join public.profiles p on p.id = r.profile_id
    where r.import_id = p_import order by r.line));
  perform private.add_to_company('clients', v_written, 0);
  perform private.add_to_company('role_client', v_written, 0);
  update private.imports i set lines = null, written_at = private.now(), written = v_written, left_out = p_left_out where i.id = p_import;
  return v_written;
exception
  -- Somebody came in by another way since the file was looked at, or a line stands twice.
  when unique_violation then perform private.refuse('import_changed');
end
$$;

-- The imports that I may look at, the latest first: mine, an admin's are all. What an undoing left is told by its reasons.
create function private.imports_done(p_kind text)
returns table (id uuid, file_name text, made_by uuid, made_by_name text, written_at timestamptz, written integer, left_out integer,
  undone_at timestamptz, removed integer, here integer, invitations_due integer, invitations_sent integer, kept jsonb)
language plpgsql stable security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin', 'commercial');
begin
  return query
    select i.id, i.file_name, i.made_by, p.full_name, i.written_at, i.written, i.left_out, i.undone_at, i.removed,
      r.here, r.due, r.sent, r.kept
    from private.imports i join public.profiles p on p.id = i.made_by
    cross join lateral (
      select coalesce(sum(k.number), 0)::integer as here, coalesce(sum(k.due), 0)::integer as due,
        coalesce(sum(k.sent), 0)::integer as sent,
        coalesce(jsonb_object_agg(k.left_because, k.number) filter (where k.left_because is not null), '{}') as kept
      from (select m.left_because, count(*) as number, count(*) filter (where m.invitation = 'due') as due,
          count(*) filter (where m.invitation = 'sent') as sent
        from private.imported_rows m where m.import_id = i.id group by m.left_because) k) r
    where i.written_at is not null and i.kind = p_kind and (private.user_role() = 'admin' or i.made_by = me)
    order by i.written_at desc, i.id limit 20;
end
$$;

-- Takes back what an import made and nothing has been added to since; the rest stays, and the import says why. Said again it
-- tries what it left once more.
create function private.undo_import(p_import uuid) returns table (removed integer, kept integer)
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin', 'commercial');
  v_import private.imports;
  v_gone uuid[];
begin
  select * into v_import from private.imports i
    where i.id = p_import and i.written_at is not null and (private.user_role() = 'admin' or i.made_by = me) for update;
  if not found then perform private.refuse('import_not_found'); end if;
  -- A validation, a sign-in or a change of the same instant is waited for, then seen.
  perform 1 from public.profiles p join private.imported_rows r on r.profile_id = p.id where r.import_id = p_import
    order by p.id for update of p;
  update private.imported_rows r set left_because = case
      when u.last_sign_in_at is not null or u.email_proven_at is not null then 'signed_in'
      when exists (select from public.commission_payments c where c.recipient_id = p.id)
        or exists (select from public.payment_requests q where q.client_id = p.id)
        or exists (select from public.ledger_entries l where l.payee_id = p.id)
        or exists (select from public.disputes d where d.payee_id = p.id)
        or exists (select from private.payee_details y where y.payee_id = p.id) then 'money'
      when exists (select from public.sales s where s.friend_referrer_id = p.id)
        or exists (select from public.sales s where s.client_referrer_id = p.id) then 'referral'
      when p.updated_at > v_import.written_at then 'changed' end
    from public.profiles p join auth.users u on u.id = p.id
    where r.import_id = p_import and p.id = r.profile_id;
  v_gone := array(select r.profile_id from private.imported_rows r where r.import_id = p_import and r.left_because is null);
  perform private.append_audits('profiles', 'delete', array(
    select to_jsonb(p) from public.profiles p where p.id = any (v_gone) order by p.id));
  update private.mails m set recipient = null, sealed = case when m.status <> 'failed' then m.sealed end
    where m.recipient in (select p.email from public.profiles p where p.id = any (v_gone));
  -- A password that opens nothing is not mailed.
  update private.mails m set status = 'withdrawn', status_since = now(), sealed = null
    where m.status = 'queued' and m.id in (select u.invitation_mail_id from auth.users u where u.id = any (v_gone));
  perform set_config('app.importing', 'on', true);
  delete from figures.referrer_totals t where t.referrer_id = any (v_gone);
  delete from public.profiles p where p.id = any (v_gone);
  delete from auth.users u where u.id = any (v_gone);
  perform set_config('app.importing', '', true);
  perform private.add_to_company('clients', -cardinality(v_gone), 0);
  perform private.add_to_company('role_client', -cardinality(v_gone), 0);
  update private.imports i set undone_at = private.now(), removed = i.removed + cardinality(v_gone) where i.id = p_import;
  return query select cardinality(v_gone), (select count(*)::integer from private.imported_rows r where r.import_id = p_import);
end
$$;

do $$
declare
  t text;
  f regprocedure;
begin
  foreach t in array array['imports', 'imported_rows', 'import_columns'] loop
    execute format('alter table private.%I enable row level security', t);
    execute format('alter table private.%I force row level security', t);
    execute format('grant select, insert, update, delete on private.%I to parrain_service', t);
    execute format('create policy %I on private.%I to parrain_service using (true) with check (true)', t || '_service_all', t);
  end loop;
  for f in select p.oid::regprocedure from pg_proc p where p.pronamespace = 'private'::regnamespace
      and p.proname in ('append_audits', 'stage_import', 'staged_import', 'remembered_columns', 'remember_columns', 'commercial_named',
        'client_line_obstacles', 'import_clients', 'imports_done', 'undo_import') loop
    execute format('alter function %s owner to parrain_service', f);
    execute format('grant execute on function %s to parrain_service', f);
  end loop;
end
$$;
grant execute on function private.stage_import(text, text, jsonb), private.staged_import(uuid), private.remembered_columns(text),
  private.remember_columns(text, jsonb), private.client_line_obstacles(jsonb),
  private.import_clients(uuid, jsonb, uuid, boolean, integer), private.imports_done(text), private.undo_import(uuid)
  to authenticated;
