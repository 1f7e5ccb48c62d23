-- UI-12: the company's accountant reads its accounting, its statements and its papers, and changes nothing.

alter table public.profiles drop constraint profiles_role_is_known,
  add constraint profiles_role_is_known check (role in ('admin', 'commercial', 'client', 'comptable')) not valid;
alter table figures.company_totals drop constraint company_totals_what_is_known,
  add constraint company_totals_what_is_known check (what in ('clients', 'active_commercials', 'requests_pending', 'requests_approved',
    'requests_paid', 'requests_returned', 'requests_rejected', 'role_admin', 'role_commercial', 'role_client', 'role_comptable')
    or what like 'trail\_%') not valid;
create or replace view figures.counted_profiles with (security_invoker = true) as
  select substr(t.what, length('role_') + 1) as role, t.number as row_count
  from figures.company_totals t
  where t.what in ('role_admin', 'role_commercial', 'role_client', 'role_comptable');

-- What their own screens show: the transfers and the papers. Of people they read no row: not a telephone number, not a note.
alter policy ledger_entries_authenticated_read on public.ledger_entries using (
  case when (select private.user_role()) in ('admin', 'comptable') then true else payee_id = (select private.uid()) end);
alter policy papers_authenticated_read on public.papers using (
  (select private.user_role()) in ('admin', 'comptable') or payee_id = (select private.uid()));
-- Nor how the company runs its programme.
alter policy company_settings_authenticated_read on public.company_settings using (
  (select private.uid()) is not null and (select private.user_role()) <> 'comptable');

create or replace function private.accounting_shown()
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin', 'comptable');
begin
  return (select jsonb_build_object('journal_code', s.journal_code, 'journal_label', s.journal_label, 'accounts', s.accounts,
      'closed_until', (select max(m.month) from private.accounting_months m))
    from private.accounting_settings s order by s.id desc limit 1);
end
$function$;

create or replace function private.das2_settings_shown()
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin', 'comptable');
begin
  return jsonb_build_object(
    'counts_gift_cards', coalesce((select s.counts_gift_cards from private.das2_settings s), true),
    'counts_discounts', coalesce((select s.counts_discounts from private.das2_settings s), false));
end
$function$;

create or replace function private.accounting_lines(p_from date, p_before date)
 RETURNS TABLE("JournalCode" text, "JournalLib" text, "EcritureNum" bigint, "EcritureDate" timestamp with time zone, "CompteNum" text, "CompteLib" text, "CompAuxNum" text, "CompAuxLib" text, "PieceRef" text, "PieceDate" timestamp with time zone, "EcritureLib" text, "Debit" numeric, "Credit" numeric, "EcritureLet" text, "DateLet" text, "ValidDate" timestamp with time zone, "Montantdevise" text, "Idevise" text, side integer)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin', 'comptable');
  from_ constant timestamptz := p_from::timestamp at time zone 'Europe/Paris';
  before_ constant timestamptz := p_before::timestamp at time zone 'Europe/Paris';
  base constant bigint := (select count(*) from public.ledger_entries b where b.at < from_ and private.is_accounted(b.debit, b.credit));
begin
  return query
  select coalesce(s.journal_code, c.journal_code), coalesce(s.journal_label, c.journal_label), n.number, n.at,
    k.account ->> 'number', k.account ->> 'label',
    case when k.is_payees then upper(left(n.payee_id::text, 8)) end, case when k.is_payees then coalesce(y.name, p.full_name) end,
    upper(case when n.act in ('adjustment', 'deduction') then 'CON-' || left(n.source_id::text, 8)
      when n.act = 'payroll' or n.act in ('vat', 'return', 'vat_return') and exists (select from public.paid_periods o where o.id = n.source_id) then 'PAIE-' || left(n.source_id::text, 8)
      when n.sale_id is null then 'DEM-' || left(n.source_id::text, 8) else 'CTR-' || left(n.sale_id::text, 8) end), n.at,
    case n.act when 'validation' then 'Commission' when 'correction' then 'Reprise de commission'
        when 'release' then 'Fin du délai d’une commission' when 'settlement' then 'Paiement'
        when 'return' then 'Retour d’un paiement' when 'adjustment' then 'Ajustement en plus' when 'deduction' then 'Ajustement en moins'
        when 'payroll' then 'Commissions payées' when 'vat' then 'TVA d’une autofacture' when 'vat_return' then 'TVA d’un avoir' else 'Mouvement (' || n.act || ')' end
      || case n.detail when 'client' then ' du client' when 'commercial' then ' du commercial' when 'virement' then ' par virement'
        when 'cheque_cadeau' then ' en chèque cadeau' when 'association' then ' à une association' when 'remise_societe' then ' en remise'
        when 'paie' then ' avec la paie'
        else '' end,
    case when k.side = 1 then n.amount else 0.00 end, case when k.side = 2 then n.amount else 0.00 end,
    null::text, null::text, m.closed_at, null::text, null::text, k.side
  from (
    select e.*, q.sale_id, base + row_number() over (order by e.at, e.id) as number
    from public.ledger_entries e left join public.commission_payments q on q.id = e.source_id
    where e.at >= from_ and e.at < before_ and private.is_accounted(e.debit, e.credit)) n
  join public.profiles p on p.id = n.payee_id
  left join private.accounting_payees y on y.payee_id = n.payee_id
  left join private.accounting_months m on m.month = private.month_of(n.at)
  left join private.accounting_settings s on s.id = m.settings_id
  cross join (select l.* from private.accounting_settings l order by l.id desc limit 1) c
  cross join lateral (
    select o.side, o.account in ('available', 'reserved', 'held') as is_payees,
      coalesce(a.chart -> case
        when o.account in ('available', 'reserved') then p.role
        when o.account in ('paid', 'vat_paid') then 'paid_' || n.detail
        else o.account end, a.chart -> 'other') as account
    from (values (1, n.debit), (2, n.credit)) o (side, account), (select coalesce(s.accounts, c.accounts) as chart) a) k;
end
$function$;

-- Their account, as everybody's: its devices, and the trail of what they take away.

create or replace function private.my_sessions()
 RETURNS TABLE(id uuid, created_at timestamp with time zone, last_used_at timestamp with time zone, user_agent text, ip text, is_current boolean)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin', 'commercial', 'client', 'comptable');
begin
  return query select s.id, s.created_at, greatest(s.created_at, s.refreshed_at), s.user_agent, s.ip,
      s.id::text = nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'session_id'
    from auth.sessions s
    where s.user_id = me and (s.not_after is null or s.not_after > now())
    order by 6 desc, 3 desc, s.id
    limit 200;
end
$function$;

create or replace function private.end_my_session(p_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin', 'commercial', 'client', 'comptable');
begin
  delete from auth.sessions s where s.id = p_id and s.user_id = me;
  if not found then return false; end if;
  insert into auth.audit_entries (user_id, action, detail) values (me, 'logout', '{"scope": "one"}');
  return true;
end
$function$;

create or replace function private.record_export(p_list text, p_format text, p_rows bigint)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_role('admin', 'commercial', 'client', 'comptable');
  -- Its filters are not kept: a search is often a name.
  perform private.append_audit('exports', gen_random_uuid(), 'export', null,
    jsonb_build_object('list', p_list, 'format', p_format, 'rows', p_rows), null);
end
$function$;

-- Neither found nor counted among the people of the programme; one of the demo goes with its data.

create or replace function private.clean_test_data(p_company_name text)
 RETURNS TABLE(deleted jsonb, password_change_required boolean)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
  session_id constant uuid := (current_setting('request.jwt.claims')::jsonb ->> 'session_id')::uuid;
  counted jsonb;
  held jsonb;
  payees uuid[];
  admins uuid[];
begin
  if not private.is_session_fresh() then perform private.refuse('reauthentication_required'); end if;
  if p_company_name is not null and not exists (select from public.company_settings c
      where lower(regexp_replace(btrim(c.company_name), '\s+', ' ', 'g') collate "pg_c_utf8")
        = lower(regexp_replace(btrim(p_company_name), '\s+', ' ', 'g') collate "pg_c_utf8")) then
    perform private.refuse('confirmation_required');
  end if;
  perform private.exclude_writers();
  select jsonb_agg(h order by h.kind) into held from private.what_holds_test_data() h;
  if held is not null then perform private.refuse('cleaning_held', jsonb_build_object('held_by', held)); end if;

  perform set_config('app.cleaning', 'on', true);
  select to_jsonb(c) into counted from private.count_test_data() c;
  payees := array(select distinct e.payee_id from public.ledger_entries e where e.is_test);
  delete from public.ledger_entries t where t.is_test;
  delete from public.commission_holds t where t.is_test;
  delete from public.payment_requests t where t.is_test;
  delete from public.commission_payments t where t.is_test;
  delete from public.sales t where t.is_test and t.corrects_sale_id is not null;
  delete from public.sales t where t.is_test;
  update public.commission_rates t set replaces_id = null
    where t.replaces_id in (select r.id from public.commission_rates r where r.is_test);
  delete from public.commission_rates t where t.is_test;
  delete from auth.users u using public.profiles p where p.id = u.id and p.is_test and p.role = 'client';
  delete from auth.users u using public.profiles p where p.id = u.id and p.is_test and p.role in ('commercial', 'comptable');

  -- A real commercial may have earned on test sales: what they keep is what is left in the ledger.
  delete from public.balances b where b.profile_id = any (payees)
    and not exists (select from public.ledger_entries e where e.payee_id = b.profile_id);
  update public.balances b set (earned, reversed, reserved, paid, held) =
      (select r.earned, r.reversed, r.reserved, r.paid, r.held from figures.recounted_balances r where r.profile_id = b.profile_id)
    where b.profile_id = any (payees);

  admins := array(select p.id from public.profiles p where p.is_test);
  update public.profiles p set is_test = false where p.id = any (admins);
  update auth.users u set encrypted_password = null, temporary_password_until = null, password_change_required = true,
      phone = null, new_email = null, new_phone = null, updated_at = now()
    where u.id = any (admins);
  delete from auth.sessions s where s.user_id = any (admins) and s.id <> session_id;
  delete from auth.one_time_tokens t where t.user_id = any (admins);
  delete from auth.webauthn_credentials c where c.user_id = any (admins) and c.factor_id is null;
  delete from auth.identities i where i.user_id = any (admins) and i.provider <> 'email';

  perform private.append_audit('company_settings', '00000000-0000-0000-0000-000000000001', 'clean', counted, null, null);
  return query select counted, me = any (admins);
end
$function$;

create or replace function private.look_up(p_relation text, p_text text, p_most integer, p_is_near boolean)
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET enable_seqscan TO 'off'
 SET enable_indexscan TO 'off'
AS $function$
declare
  -- How alike a text and a part of the terms must be: one wrong letter changes three trigrams, two that are swapped four.
  alike constant real := 0.36;
  looked_at constant integer := 300;
  newest constant integer := 500;
  enough constant integer := 50;
  scope text;
  terms text;
  condition text;
  words text[];
  arms text[];
  found uuid[];
begin
  case p_relation
    when 'profiles' then
      terms := 'private.person_terms(t.full_name, t.email, t.phone, t.company)';
      scope := case private.user_role() when 'admin' then 't.role in (''client'', ''commercial'')' when 'commercial' then 't.commercial_id = $1' end;
    when 'sales' then
      terms := 'private.sale_terms(t.referred_contact_name, t.referred_contact_email, t.referred_contact_phone, t.contract_description)';
      scope := case private.user_role() when 'admin' then 't.corrects_sale_id is null'
        when 'commercial' then 't.commercial_id = $1 and t.corrects_sale_id is null'
        when 'client' then 't.friend_referrer_id = $1 and t.corrects_sale_id is null' end;
  end case;
  -- The three longest words say enough.
  words := array(select w.word from regexp_split_to_table(p_text, '\s+') w (word) where w.word <> '' order by length(w.word) desc limit 3);
  if scope is null or coalesce(words[1], '') !~ '[[:alnum:]]{3}' then return '{}'; end if;
  if p_is_near then
    condition := private.near_condition(terms, p_text);
    if condition <> '' then
      execute format('select coalesce(array_agg(f.id), ''{}'') from (
          select c.id from (
            select t.id, public.word_similarity($2, %3$s) as likeness from public.%1$I t where %2$s and (%4$s) limit $4) c
          where c.likeness >= $5
          order by c.likeness desc, c.id limit $3) f', p_relation, scope, terms, condition)
        into found using private.uid(), p_text, p_most, looked_at, alike;
    end if;
    if cardinality(found) >= enough then return found; end if;
    -- What came since the last night, and what nearly everything holds: among the newest.
    execute format('select coalesce($4, ''{}'') || coalesce(array_agg(f.id), ''{}'') from (
        select c.id from (
          select t.id, public.word_similarity($2, %3$s) as likeness from (%1$s) t where %2$s) c
        where c.likeness >= $5 and c.id <> all (coalesce($4, ''{}''))
        order by c.likeness desc, c.id limit $3) f',
        case when p_relation = 'profiles' and private.user_role() = 'admin' then
          format('select p.* from unnest(array[''client'', ''commercial'']) r (role)
            cross join lateral (select * from public.profiles p where p.role = r.role order by p.created_at desc limit %s) p', looked_at)
        else
          format('select * from public.%I t where %s order by t.created_at desc limit %s', p_relation, scope, looked_at)
        end, scope, terms)
      into found using private.uid(), p_text, p_most, found, alike;
    return found;
  end if;
  -- No trigram index looks for one or two letters anywhere, but it does where a word begins: after a space, or as the first of all,
  -- which is an arm of its own for each of them.
  with asked as (
    select w.place, w.word ~ '^[[:alnum:]]{1,2}$' as is_short, regexp_replace(w.word, '([\\%_])', '\\\1', 'g') || '%' as begins
    from unnest(words) with ordinality w (word, place))
  select array_agg(a.arm) into arms from (
    select string_agg(format('%s like %L', terms, case when w.place = f.place then '' when w.is_short then '% ' else '%' end || w.begins), ' and ') as arm
    from asked w cross join (select 0 as place union all select s.place from asked s where s.is_short) f
    group by f.place) a;
  -- Of what stands in every tenth sale, the newest hold enough: no index is quick at finding half a table.
  if p_relation = 'sales' and private.user_role() = 'admin' then
    execute format('select coalesce(array_agg(t.id), ''{}'') from (
        select * from public.sales s order by s.created_at desc, s.id limit %3$s) t where %1$s and (%2$s)',
        scope, array_to_string(arms, ' or '), newest)
      into found;
    if cardinality(found) >= enough then return found; end if;
  end if;
  execute 'select (coalesce(array_agg(f.id), ''{}''))[1:$2] from (' || (
      select string_agg(format('(select t.id from public.%I t where %s and %s limit $2)', p_relation, scope, a.arm), ' union ')
      from unnest(arms) a (arm)) || ') f'
    into found using private.uid(), p_most;
  return found;
end
$function$;

create or replace function private.count_words()
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  lock table private.known_words in exclusive mode;
  delete from private.known_words;
  insert into private.known_words (word, holders)
  -- Cut roughly first: letters are made plain once for each word, and not once for each row.
  with cut as (
    select w.word, count(*) as holders
    from (
      select concat_ws(' ', s.referred_contact_name, s.referred_contact_email, s.contract_description) as words
      from public.sales s where s.corrects_sale_id is null
      union all
      select concat_ws(' ', p.full_name, p.email, p.company) from public.profiles p where p.role in ('client', 'commercial')) t,
      string_to_table(translate(lower(t.words), e'0123456789@.-_,;:/()\'’«»\n', repeat(' ', 26)), ' ') w (word)
    where length(w.word) >= 3
    group by w.word)
  select left(x.word, 40), sum(c.holders)
  from cut c, regexp_split_to_table(private.plain_letters(c.word), '[^[:alpha:]]+') x (word)
  where length(x.word) >= 3
  group by 1;
end
$function$;

-- The files that name people (statements, payments) are read as an admin reads them: by an accountant, in a transaction that
-- can write nothing. PostgreSQL gives no way back from there.
create function private.read_as_accountant() returns void
language plpgsql security definer set search_path = '' as $$
begin
  if private.user_role() = 'comptable' then
    perform set_config('transaction_read_only', 'on', true), set_config('app.user_role', 'admin', true);
  end if;
end
$$;

-- The journal between two days: its lines, and its total, debit and credit alike.
create function private.accounting_total(p_from date, p_before date) returns table (lines bigint, total numeric)
language plpgsql stable security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
begin
  return query select 2 * count(*), coalesce(sum(e.amount), 0.00) from public.ledger_entries e
    where e.at >= p_from::timestamp at time zone 'Europe/Paris' and e.at < p_before::timestamp at time zone 'Europe/Paris'
      and private.is_accounted(e.debit, e.credit);
end
$$;

-- Those who have access, and those who had it.
create function private.accountants() returns table (id uuid, full_name text, email text, created_at timestamptz,
  deactivated_at timestamptz, last_sign_in_at timestamptz)
language plpgsql stable security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
begin
  return query select p.id, p.full_name, p.email, p.created_at, p.deactivated_at, u.last_sign_in_at
    from public.profiles p join auth.users u on u.id = p.id where p.role = 'comptable'
    order by p.deactivated_at is not null, p.full_name, p.id;
end
$$;

-- One whom the demo's admin invites is of the demo, and goes with it: its password is public.
create function private.invite_accountant(p_id uuid, p_email text, p_full_name text, p_password_hash text, p_temporary_until timestamptz)
returns public.profiles language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
begin
  return private.create_account(p_id, p_email, p_password_hash, 'comptable', p_full_name,
    p_is_test => (select p.is_test from public.profiles p where p.id = me), p_temporary_until => p_temporary_until);
end
$$;

-- As a commercial leaves: the account of somebody who never came is removed, another one is kept for the trail and signs in no more.
create function private.withdraw_accountant(p_id uuid) returns void
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
begin
  perform from public.profiles p where p.id = p_id and p.role = 'comptable' for update;
  if not found then perform private.refuse('not_found'); end if;
  delete from auth.users u where u.id = p_id and u.last_sign_in_at is null;
  if found then return; end if;
  update public.profiles p set deactivated_at = private.now() where p.id = p_id and p.deactivated_at is null;
  delete from auth.sessions s where s.user_id = p_id;
end
$$;

create function private.give_accountant_back(p_id uuid) returns void
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
begin
  update public.profiles p set deactivated_at = null where p.id = p_id and p.role = 'comptable';
  if not found then perform private.refuse('not_found'); end if;
end
$$;

create function private.dossier_sent_at(p_period text) returns timestamptz
language plpgsql stable security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
begin
  return (select max(a.at) from public.audit_entries a where a.entity = 'exports' and a.action = 'send' and a.after ->> 'period' = p_period);
end
$$;

-- True where the mail is to leave now: twice within ten minutes is once.
create function private.note_dossier_sent(p_period text, p_recipients integer) returns boolean
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
begin
  perform pg_advisory_xact_lock(hashtextextended('dossier-sent', 0));
  if private.dossier_sent_at(p_period) > clock_timestamp() - interval '10 minutes' then return false; end if;
  perform private.append_audit('exports', gen_random_uuid(), 'send', null,
    jsonb_build_object('list', 'dossier', 'period', p_period, 'recipients', p_recipients), null);
  return true;
end
$$;

do $$
declare
  f regprocedure;
begin
  for f in select p.oid::regprocedure from pg_proc p where p.pronamespace = 'private'::regnamespace
      and p.proname in ('read_as_accountant', 'accounting_total', 'accountants', 'invite_accountant', 'withdraw_accountant',
        'give_accountant_back', 'dossier_sent_at', 'note_dossier_sent') loop
    execute format('alter function %s owner to parrain_service', f);
    execute format('revoke execute on function %s from public', f);
    execute format('grant execute on function %s to authenticated, parrain_service', f);
  end loop;
end
$$;
