-- EX-04: referrals come in from a file, by the rules of one referral (F-15, CS-02, CS-03), in the rooms that 0400 made for clients.

alter table private.imports drop constraint imports_kind_is_known;
alter table private.imports add constraint imports_kind_is_known check (kind in ('clients', 'referrals'));
alter table private.import_columns drop constraint import_columns_kind_is_known;
alter table private.import_columns add constraint import_columns_kind_is_known check (kind in ('clients', 'referrals'));
alter table private.imported_rows alter column profile_id drop not null;
alter table private.imported_rows add column sale_id uuid references public.sales (id) on delete cascade,
  add constraint imported_rows_sale_once unique (sale_id),
  add constraint imported_rows_made_one_thing check (num_nonnulls(profile_id, sale_id) = 1),
  add constraint imported_rows_invitation_is_of_a_client check (invitation is null or profile_id is not null),
  drop constraint imported_rows_left_because_is_known,
  add constraint imported_rows_left_because_is_known check (
    left_because in ('signed_in', 'referral', 'money', 'changed', 'answered'));
-- Who said no before, as the company's file has it. A file proves no agreement: only the friend's own answer does (CS-03).
alter table public.call_consents drop constraint call_consents_place_is_known;
alter table public.call_consents add constraint call_consents_place_is_known check (
  place in ('public_page', 'mailed_link', 'imported_file'));

-- Rows of an import are audited and looked at for doubts together; nobody is told of each.
create or replace trigger sales_audit after insert or update or delete on public.sales
  for each row when (not private.is_importing()) execute function private.audit_change();
create or replace trigger sales_tell_people_insert after insert on public.sales
  for each row when (not private.is_importing()) execute function private.tell_sale_move();
create or replace trigger sales_doubt after insert on public.sales for each row
  when (new.corrects_sale_id is null and (new.friend_referrer_id is not null or new.client_referrer_id is not null)
    and not private.is_importing())
  execute function private.doubt_sale();

-- As 0390 has it, but what came from a file says nothing of how fast its client refers.
create or replace function private.doubt_sale() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  v_payee constant uuid := coalesce(new.friend_referrer_id, new.client_referrer_id);
  v_doubts private.doubt[] := array(select d from private.doubts_of_sale(new.id) d);
  v_most integer;
begin
  if cardinality(v_doubts) > 0 then perform private.keep_doubts(new.id, null, v_payee, v_doubts); end if;
  if tg_op = 'INSERT' and new.friend_referrer_id is not null then
    select r.most into v_most from public.doubt_rules r where r.code = 'burst';
    if (select count(*) from (select from public.sales s where s.friend_referrer_id = v_payee
        and s.created_at > new.created_at - interval '1 hour' and s.corrects_sale_id is null
        and not exists (select from private.imported_rows r where r.sale_id = s.id) limit v_most + 1) c) > v_most then
      perform private.keep_doubts(null, null, v_payee, array[row('burst', 'number', null)::private.doubt]);
    end if;
  end if;
  return null;
end
$$;

-- As 0380 has it, but an undone import takes its own untouched referrals away.
create or replace function private.guard_sale() returns trigger
language plpgsql set search_path = '' as $$
declare
  person constant text[] := array['referred_contact_name', 'referred_contact_email', 'referred_contact_phone', 'personal_message',
    'commercial_notes'];
begin
  if tg_op = 'DELETE' then
    if private.is_importing() and old.version = 1
      and exists (select from private.imported_rows r where r.sale_id = old.id) then
      return old;
    end if;
    if not (private.is_cleaning() and old.is_test) and (old.admin_validated or old.status <> 'rejected') then
      perform private.refuse('sale_not_editable');
    end if;
    return old;
  end if;
  if old.ready_for_validation and coalesce(current_setting('app.friend', true), '') = 'on'
    and to_jsonb(new) - person = to_jsonb(old) - person then
    new.version := old.version + 1;
    new.updated_at := private.now();
    return new;
  end if;
  if old.admin_validated then
    perform private.refuse('sale_not_editable');
  end if;
  if (new.id, new.created_at, new.corrects_sale_id, new.is_test) is distinct from (old.id, old.created_at, old.corrects_sale_id, old.is_test)
    or new.client_referrer_id is distinct from old.client_referrer_id then
    perform private.refuse('sale_not_editable');
  end if;
  if new.friend_referrer_id is distinct from old.friend_referrer_id and not (private.is_open(old) and exists (
      select from private.refused_referrals r where r.sale_id = old.id and r.client_id = new.friend_referrer_id)) then
    perform private.refuse('sale_not_editable');
  end if;
  -- Signed by the commercial: only the company's decision is left (S-02, W6).
  if old.status = 'validated' and not (new.status = 'rejected' or new.admin_validated or (
      (new.status, new.contract_amount, new.contract_description) is not distinct from (old.status, old.contract_amount, old.contract_description)
      and new.commercial_id is distinct from old.commercial_id)) then
    perform private.refuse('sale_not_editable');
  end if;
  if new.admin_validated and (not old.ready_for_validation
      or (new.contract_amount, new.contract_description) is distinct from (old.contract_amount, old.contract_description)) then
    perform private.refuse('sale_not_ready');
  end if;
  new.version := old.version + 1;
  new.updated_at := private.now();
  return new;
end
$$;

-- As 0025 has it; and an import of referrals, which takes one lock in the place of thousands, keeps all single ones out meanwhile.
create or replace function private.lock_contact(p_mark bytea) returns void
language sql volatile set search_path = '' as $$
  select pg_advisory_xact_lock_shared(hashtextextended('contacts', 0));
  select pg_advisory_xact_lock(hashtextextended(encode(p_mark, 'hex'), 0))
$$;

-- The client whom a file names, among those whom the caller sees: by address, by short id (I-03) or by id. Null where there is none,
-- or more than one.
create function private.client_named(p_name text) returns uuid
language sql stable security definer set search_path = ''
begin atomic
  with given as (select lower(btrim(p_name)) as name),
  ids as (
    select case when g.name ~ '^#?[0-9a-f]{8}$' then (ltrim(g.name, '#') || '-0000-0000-0000-000000000000')::uuid
        when g.name ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then g.name::uuid end as low,
      case when g.name ~ '^#?[0-9a-f]{8}$' then (ltrim(g.name, '#') || '-ffff-ffff-ffff-ffffffffffff')::uuid
        when g.name ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then g.name::uuid end as high
    from given g),
  named as (
    select p.id, p.email = g.name as is_exact from given g join public.profiles p
        on p.email <> '' and private.mailbox_of(p.email) = private.mailbox_of(g.name) and g.name like '%@%'
      where p.role = 'client' and p.deactivated_at is null
        and (private.user_role() = 'admin' or p.commercial_id = private.uid())
    union all
    select p.id, false from ids i join public.profiles p on p.id between i.low and i.high
      where p.role = 'client' and p.deactivated_at is null
        and (private.user_role() = 'admin' or p.commercial_id = private.uid()))
  select coalesce((select n.id from named n where n.is_exact limit 1), (select (array_agg(n.id))[1] from named n having count(*) = 1));
end;

-- Of each line: whose it would be, its friend as referrals are compared, and what first keeps it from being one, by the rules of
-- private.refer_friend; named as far as the caller may know. Lines are compared with one another by who asks.
create function private.referral_line_obstacles(p_lines jsonb, p_source text)
returns table (line integer, client_id uuid, mailbox text, phone text, obstacle text, known_as text)
language plpgsql stable security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin', 'commercial');
  is_admin constant boolean := private.user_role() = 'admin';
  v_months constant integer := (select c.first_referral_months from public.company_settings c);
begin
  return query
    with given as materialized (
      select l.line, l.referrer, lower(nullif(btrim(l.email), '')) as email, private.mailbox_of(lower(nullif(btrim(l.email), ''))) as mailbox,
        private.phone_of(l.phone) as phone, decode(l.mark, 'hex') as mark, nullif(btrim(l.reference), '') as reference
      from jsonb_to_recordset(p_lines) as l (line integer, referrer text, email text, phone text, mark text, reference text)),
    referrers as materialized (
      select n.referrer, private.client_named(n.referrer) as id from (select distinct g.referrer from given g) n),
    known as materialized (
      select g.*, c.id as client_id, c.full_name as client_name, private.mailbox_of(c.email) as own_mailbox,
        private.phone_of(c.phone) as own_phone, m.id is not null as is_followed
      from given g left join referrers r on r.referrer = g.referrer left join public.profiles c on c.id = r.id
        left join public.profiles m on m.id = c.commercial_id and m.deactivated_at is null)
    select k.line, k.client_id, k.mailbox, k.phone, o.obstacle,
      case o.obstacle
        when 'friend_is_staff' then case when is_admin then person.full_name end
        when 'friend_is_client' then case when is_admin or person.commercial_id = me then person.full_name end
        when 'friend_already_invited' then k.client_name
        when 'friend_referred_before' then (select p.full_name from public.sales s join public.profiles p on p.id = s.friend_referrer_id
          where s.id = earlier.id and (is_admin or s.commercial_id = me))
        when 'reference_known' then referenced.known_as end
    from known k
    left join lateral (
      select p.role, p.full_name, p.commercial_id from public.profiles p
      where p.email <> '' and private.mailbox_of(p.email) = k.mailbox order by p.role = 'client' limit 1) person on true
    -- `is not distinct from`: one client may have thousands, so their friend's address or telephone is what is looked for.
    left join lateral (
      (select true as is_open from public.sales s
      where private.mailbox_of(s.referred_contact_email) = k.mailbox and s.referred_contact_email is not null
        and s.friend_referrer_id is not distinct from k.client_id and not s.admin_validated and s.status <> 'rejected' limit 1)
      union all
      (select true from public.sales s
      where k.mailbox is null and private.phone_of(s.referred_contact_phone) = k.phone and s.referred_contact_phone is not null
        and s.friend_referrer_id is not distinct from k.client_id and not s.admin_validated and s.status <> 'rejected' limit 1)
      limit 1) own on true
    left join lateral (
      select private.earlier_referral(k.client_id, k.email, k.phone) as id where v_months is not null and k.client_id is not null) earlier on true
    left join lateral (
      select case when is_admin or s.commercial_id = me then s.referred_contact_name end as known_as, true as is_known
      from public.external_references e join public.sales s on s.id = e.sale_id
      where e.source = btrim(p_source) and e.reference = k.reference) referenced on true
    cross join lateral (
      select case
        when k.client_id is null then 'referrer_not_found'
        when num_nonnulls(k.mailbox, k.phone) = 0 then 'contact_missing'
        when exists (select from private.opted_out d where d.mark = k.mark) then 'friend_opted_out'
        when k.mailbox = k.own_mailbox or k.mailbox is null and k.phone = k.own_phone then 'self_referral'
        when not k.is_followed then 'commercial_missing'
        when person.role <> 'client' then 'friend_is_staff'
        when person.role is not null then 'friend_is_client'
        when own.is_open then 'friend_already_invited'
        when earlier.id is not null then 'friend_referred_before'
        when referenced.is_known then 'reference_known' end as obstacle) o;
end
$$;

-- All lines of a file, or none: each becomes a referral of the client whom it names, as private.refer_friend would make it, and
-- nobody is written to. Tries that came too late are kept as those of a client are (CS-02). Said again it is the same import.
create function private.import_referrals(p_import uuid, p_lines jsonb, p_source text, p_too_late jsonb, p_left_out integer)
returns integer
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin', 'commercial');
  v_import private.imports;
  v_first_counts constant boolean := exists (select from public.company_settings c where c.first_referral_months is not null);
  v_written integer;
  v_doubted record;
begin
  select * into v_import from private.imports i where i.id = p_import and i.made_by = me and i.kind = 'referrals' for update;
  if not found then perform private.refuse('import_not_found'); end if;
  if v_import.written_at is not null then return v_import.written; end if;
  if jsonb_array_length(p_lines) = 0
    or jsonb_array_length(p_lines) + jsonb_array_length(p_too_late) > jsonb_array_length(v_import.lines) - 1 then
    perform private.refuse('import_changed');
  end if;
  -- No referral and no refusal comes in beside it (0025, 0350), no client leaves (V-13) and no commercial of theirs.
  perform pg_advisory_xact_lock(hashtextextended('contacts', 0));
  perform 1 from public.profiles p
    where p.id in (select private.client_named(n.referrer) from (
      select distinct l.referrer from jsonb_to_recordset(p_lines) as l (referrer text)) n)
    order by p.id for no key update;
  perform 1 from public.profiles c where c.role = 'commercial' and c.deactivated_at is null order by c.id for share;
  with o as materialized (select * from private.referral_line_obstacles(p_lines, p_source))
  select count(*) into v_written from (
    select 1 from o where o.obstacle is not null
    union all
    -- A line of the same friend before it: by address, or, without one, by telephone; of another client too where the first counts.
    select 1 from o where o.mailbox is not null group by o.client_id, o.mailbox having count(*) > 1
    union all
    select 1 from (select d.line, d.mailbox, min(d.line) over (partition by d.client_id, d.phone) as first_line
      from o d where d.phone is not null) t where t.mailbox is null and t.first_line < t.line
    union all
    select 1 from o where v_first_counts and o.mailbox is not null group by o.mailbox having count(distinct o.client_id) > 1
    union all
    select 1 from o where v_first_counts and o.phone is not null group by o.phone having count(distinct o.client_id) > 1) wrong;
  if v_written > 0 then perform private.refuse('import_changed'); end if;
  perform set_config('app.importing', 'on', true);
  with given as materialized (
    select gen_random_uuid() as id, l.line, c.id as client_id, c.commercial_id, c.is_test, btrim(l.name) as name,
      lower(nullif(btrim(l.email), '')) as email, nullif(btrim(l.phone), '') as phone, nullif(btrim(l.note), '') as note,
      nullif(btrim(l.reference), '') as reference, l.refuses_calls, l.refusal
    from jsonb_to_recordset(p_lines) as l (line integer, referrer text, name text, email text, phone text, note text, reference text,
      refuses_calls boolean, refusal text)
    join (select d.referrer, private.client_named(d.referrer) as id
      from (select distinct o.referrer from jsonb_to_recordset(p_lines) as o (referrer text)) d) n on n.referrer = l.referrer
    join public.profiles c on c.id = n.id),
  made as (
    insert into public.sales (id, referred_contact_name, referred_contact_email, referred_contact_phone, commercial_notes,
      commercial_id, friend_referrer_id, is_test)
    select g.id, g.name, g.email, g.phone, g.note, g.commercial_id, g.client_id, g.is_test from given g),
  named as (
    insert into public.external_references (source, reference, sale_id)
    select btrim(p_source), g.reference, g.id from given g where g.reference is not null),
  refusals as (
    insert into public.call_consents (sale_id, is_given, statement, version, place)
    select g.id, false, g.refusal, '1', 'imported_file' from given g where g.refuses_calls)
  insert into private.imported_rows (import_id, line, sale_id) select p_import, g.line, g.id from given g;
  get diagnostics v_written = row_count;
  perform set_config('app.importing', '', true);
  perform private.append_audits('sales', 'insert', array(
    select to_jsonb(s) from private.imported_rows r join public.sales s on s.id = r.sale_id where r.import_id = p_import order by r.line));
  for v_doubted in
    select s.id, s.friend_referrer_id, array_agg(d) as doubts
    from private.imported_rows r join public.sales s on s.id = r.sale_id cross join lateral private.doubts_of_sale(s.id) d
    where r.import_id = p_import group by s.id order by min(r.line)
  loop
    perform private.keep_doubts(v_doubted.id, null, v_doubted.friend_referrer_id, v_doubted.doubts);
  end loop;
  insert into private.refused_referrals (sale_id, client_id)
  select e.id, c.id from jsonb_to_recordset(p_too_late) as l (referrer text, email text, phone text)
    cross join lateral private.client_named(l.referrer) as c (id)
    cross join lateral private.earlier_referral(c.id, lower(nullif(btrim(l.email), '')), l.phone) as e (id)
    where e.id is not null
  on conflict do nothing;
  update private.imports i set lines = null, written_at = private.now(), written = v_written, left_out = p_left_out where i.id = p_import;
  return v_written;
exception
  -- A reference stands twice.
  when unique_violation then perform private.refuse('import_changed');
end
$$;

-- Takes away the referrals of an import that nobody has touched: no move, no answer of the friend, nothing kept about them.
create function private.undo_imported_referrals(p_import uuid) returns table (removed integer, kept integer)
language plpgsql security definer set search_path = '' as $$
declare
  v_gone uuid[];
begin
  perform 1 from public.sales s join private.imported_rows r on r.sale_id = s.id where r.import_id = p_import order by s.id for update of s;
  update private.imported_rows r set left_because = case
      when exists (select from public.call_consents c where c.sale_id = s.id and c.place <> 'imported_file') then 'answered'
      when s.version > 1
        or exists (select from public.follow_ups f where f.sale_id = s.id)
        or exists (select from public.news_requests n where n.sale_id = s.id)
        or exists (select from public.doubtful_cases d where d.sale_id = s.id and d.status <> 'open') then 'changed' end
    from public.sales s
    where r.import_id = p_import and s.id = r.sale_id;
  v_gone := array(select r.sale_id from private.imported_rows r where r.import_id = p_import and r.left_because is null);
  perform private.append_audits('sales', 'delete', array(
    select to_jsonb(s) from public.sales s where s.id = any (v_gone) order by s.id));
  perform set_config('app.importing', 'on', true);
  delete from public.sales s where s.id = any (v_gone);
  perform set_config('app.importing', '', true);
  -- Months that were counted with them are counted anew, as private.forget_counted does.
  delete from figures.counted_until;
  delete from figures.validated_months;
  delete from figures.referral_months;
  delete from figures.best_referrers;
  update private.imports i set undone_at = private.now(), removed = i.removed + cardinality(v_gone) where i.id = p_import;
  return query select cardinality(v_gone), (select count(*)::integer from private.imported_rows r where r.import_id = p_import);
end
$$;

-- As 0400 has it, for either kind.
create or replace function private.undo_import(p_import uuid) returns table (removed integer, kept integer)
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin', 'commercial');
  v_import private.imports;
  v_gone uuid[];
begin
  select * into v_import from private.imports i
    where i.id = p_import and i.written_at is not null and (private.user_role() = 'admin' or i.made_by = me) for update;
  if not found then perform private.refuse('import_not_found'); end if;
  if v_import.kind = 'referrals' then
    return query select * from private.undo_imported_referrals(p_import);
    return;
  end if;
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
  f regprocedure;
begin
  for f in select p.oid::regprocedure from pg_proc p where p.pronamespace = 'private'::regnamespace
      and p.proname in ('client_named', 'referral_line_obstacles', 'import_referrals', 'undo_imported_referrals') loop
    execute format('alter function %s owner to parrain_service', f);
    execute format('grant execute on function %s to parrain_service', f);
  end loop;
end
$$;
grant execute on function private.referral_line_obstacles(jsonb, text),
  private.import_referrals(uuid, jsonb, text, jsonb, integer) to authenticated;
