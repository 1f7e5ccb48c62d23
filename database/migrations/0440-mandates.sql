-- PP-05: the mandate by which a payee lets the company write their invoices (CGI 289, I-2), with its proof; and for how many days a
-- paper may be contested.

alter table private.paper_settings add column contest_days integer not null default 15,
  add constraint paper_settings_contest_days_are_some check (contest_days between 1 and 90);

-- A row is what was accepted, word for word, and never changes but to be revoked. Another text is another row.
create table private.mandates (
  id bigint generated always as identity primary key,
  payee_id uuid not null references public.profiles (id) on delete cascade,
  version text not null,
  text text not null,
  hash bytea not null,
  -- Between whom: it is worth nothing for another company, nor for another payee.
  payee_siren text not null,
  company_siren text not null,
  accepted_at timestamptz not null default private.now(),
  revoked_at timestamptz,
  constraint mandates_version_is_a_line check (private.is_line(version, 20) and btrim(version) <> ''),
  constraint mandates_text_is_whole check (length(text) between 200 and 10000),
  constraint mandates_hash_is_of_the_text check (hash = sha256(convert_to(text, 'UTF8'))),
  constraint mandates_payee_siren_is_one check (private.is_line(payee_siren, 9) and private.is_siren(payee_siren)),
  constraint mandates_company_siren_is_one check (private.is_line(company_siren, 9) and private.is_siren(company_siren)),
  constraint mandates_are_revoked_afterwards check (revoked_at >= accepted_at)
);
create unique index mandates_one_of_a_payee on private.mandates (payee_id) where revoked_at is null;
create index mandates_by_payee on private.mandates (payee_id, id desc);

alter table private.mandates enable row level security;
alter table private.mandates force row level security;
create policy mandates_service_all on private.mandates to parrain_service using (true) with check (true);
grant select, insert, update (revoked_at) on private.mandates to parrain_service;

create function private.guard_mandate() returns trigger
language plpgsql set search_path = '' as $$
begin
  if old.revoked_at is not null or to_jsonb(old) - 'revoked_at' is distinct from to_jsonb(new) - 'revoked_at' then
    perform private.refuse('forbidden');
  end if;
  return new;
end
$$;
create trigger mandates_are_never_changed before update on private.mandates for each row execute function private.guard_mandate();

-- Whose invoices may be written: a business of a client that charges no VAT, where the company has papers made (decision 0032).
create function private.may_be_self_billed(p_payee_id uuid) returns boolean
language sql stable security definer set search_path = ''
return exists (
  select from private.payee_details d
  join public.profiles p on p.id = d.payee_id
  join private.paper_settings s on s.issues_papers
  where d.payee_id = p_payee_id and p.role = 'client' and p.deactivated_at is null
    and d.status in ('micro', 'societe') and not d.charges_vat);

-- The mandate by which this payee's invoices are written, none where one of both has become somebody else since.
create function private.mandate_in_force(p_payee_id uuid) returns bigint
language sql stable security definer set search_path = ''
return (
  select m.id from private.mandates m
  join private.payee_details d on d.payee_id = m.payee_id and d.siren = m.payee_siren
  join private.paper_settings s on s.siren = m.company_siren
  where m.payee_id = p_payee_id and m.revoked_at is null and private.may_be_self_billed(p_payee_id));

create or replace function private.payee_shown(p_payee_id uuid) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  payee public.profiles := private.payee_named(p_payee_id);
begin
  return jsonb_build_object('role', payee.role,
    'is_asked', coalesce((select s.issues_papers from private.paper_settings s), false) and payee.deactivated_at is null,
    'details', (select to_jsonb(d) - array['payee_id', 'updated_at'] from private.payee_details d where d.payee_id = payee.id),
    -- With whom the mandate is; null where none is asked for.
    'mandatary', case when private.may_be_self_billed(payee.id) then (
      select to_jsonb(s) - array['id', 'updated_at', 'issues_papers', 'vat_number', 'contest_days'] from private.paper_settings s) end,
    'mandate', (select jsonb_build_object('version', m.version, 'text', m.text, 'accepted_at', m.accepted_at, 'revoked_at', m.revoked_at,
        'is_in_force', m.id is not distinct from private.mandate_in_force(payee.id))
      from private.mandates m where m.payee_id = payee.id order by m.id desc limit 1));
end
$$;

-- By the payee alone: nobody gives a mandate for another. The same text again is the same mandate.
create function private.accept_mandate(p_version text, p_text text) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('client');
  payee public.profiles := private.payee_named(me);
  text_hash constant bytea := sha256(convert_to(p_text, 'UTF8'));
begin
  if not private.may_be_self_billed(me) then perform private.refuse('mandate_not_offered'); end if;
  if exists (select from private.mandates m where m.id = private.mandate_in_force(me) and m.hash = text_hash) then
    return private.payee_shown(me);
  end if;
  update private.mandates m set revoked_at = private.now() where m.payee_id = me and m.revoked_at is null;
  insert into private.mandates (payee_id, version, text, hash, payee_siren, company_siren)
  select me, p_version, p_text, text_hash, d.siren, s.siren
  from private.payee_details d cross join private.paper_settings s where d.payee_id = me;
  perform private.append_audit('profiles', me, 'update', null,
    jsonb_build_object('mandate', p_version, 'mandate_hash', encode(text_hash, 'hex')), null);
  return private.payee_shown(me);
end
$$;

-- What was written stays; from now on a payment makes a receipt.
create function private.revoke_mandate() returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('client');
  payee public.profiles := private.payee_named(me);
  ended private.mandates;
begin
  update private.mandates m set revoked_at = private.now() where m.payee_id = me and m.revoked_at is null returning * into ended;
  if found then
    perform private.append_audit('profiles', me, 'update',
      jsonb_build_object('mandate', ended.version, 'mandate_hash', encode(ended.hash, 'hex')), jsonb_build_object('mandate', null), null);
  end if;
  return private.payee_shown(me);
end
$$;

drop function private.set_paper_settings(boolean, text, text, text, text, text, text);
create function private.set_paper_settings(p_issues_papers boolean, p_legal_name text, p_street text, p_postal_code text, p_city text,
  p_siren text, p_vat_number text, p_contest_days integer) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  before jsonb;
  after jsonb;
begin
  -- One change after the other, so that the trail says what each of them replaced.
  lock table private.paper_settings in share row exclusive mode;
  select private.paper_settings_words(s) into before from private.paper_settings s;
  insert into private.paper_settings as s (issues_papers, legal_name, street, postal_code, city, siren, vat_number, contest_days)
  values (p_issues_papers, btrim(p_legal_name), btrim(p_street), p_postal_code, btrim(p_city), p_siren, p_vat_number, p_contest_days)
  on conflict (id) do update set (issues_papers, legal_name, street, postal_code, city, siren, vat_number, contest_days, updated_at)
    = (excluded.issues_papers, excluded.legal_name, excluded.street, excluded.postal_code, excluded.city, excluded.siren,
      excluded.vat_number, excluded.contest_days, now())
  returning private.paper_settings_words(s) into after;
  if before is distinct from after then
    perform private.append_audit('company_settings', '00000000-0000-0000-0000-000000000001', 'update', before, after, null);
  end if;
  return private.paper_settings_shown();
end
$$;

create or replace function private.paper_settings_words(s private.paper_settings) returns jsonb
language sql immutable set search_path = ''
return jsonb_build_object('issues_papers', s.issues_papers, 'contest_days', s.contest_days, 'paper_identity',
  concat_ws(' · ', s.legal_name, s.street || ', ' || s.postal_code || ' ' || s.city, s.siren, s.vat_number));

-- A paper says until which day it may be contested, as it stood when it was made.
create or replace function private.make_paper() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  v_series text := case when new.is_test then 'T' else '' end || case new.status when 'paid' then 'R' else 'AR' end;
  today date := private.today();
  given private.paper_series;
begin
  if new.status = 'returned' and not exists (select from public.papers p where p.request_id = new.id) then return null; end if;
  if new.status = 'paid' and not exists (select from private.paper_settings s where s.issues_papers) then return null; end if;
  insert into private.paper_series as s (series, year, last, last_on)
  values (v_series, extract(year from today), 1, today)
  on conflict (series, year) do update set last = s.last + 1, last_on = greatest(s.last_on, excluded.last_on)
  returning * into given;
  insert into public.papers (series, year, number, label, payee_id, request_id, issued_on, amount, is_test, content)
  select given.series, given.year, given.last,
    given.series || '-' || given.year::text || '-' || lpad(given.last::text, greatest(4, length(given.last::text)), '0'), new.client_id, new.id, given.last_on, new.amount, new.is_test, jsonb_build_object(
    'company', (select jsonb_build_object('legal_name', s.legal_name, 'street', s.street, 'postal_code', s.postal_code, 'city', s.city,
      'siren', s.siren, 'vat_number', s.vat_number) from private.paper_settings s),
    'payee', jsonb_build_object('name', p.full_name) || coalesce((select jsonb_build_object('status', d.status,
      'legal_name', d.legal_name, 'street', d.street, 'postal_code', d.postal_code, 'city', d.city, 'siren', d.siren, 'rna', d.rna,
      'vat_number', d.vat_number) from private.payee_details d where d.payee_id = p.id), '{}'),
    'contest_until', given.last_on + (select s.contest_days from private.paper_settings s),
    'method', new.payment_method, 'reference', new.settlement_reference, 'association', new.association_name, 'asked_at', new.created_at, 'paid_at', new.paid_at, 'returned_at', new.returned_at,
    'receipt', (select r.label from public.papers r where r.request_id = new.id))
  from public.profiles p where p.id = new.client_id;
  return null;
end
$$;

-- A mandate ends with the account; what was accepted stays as a proof for the invoices that it allowed.
create or replace function private.close_account(p_id uuid) returns void
language plpgsql security definer set search_path = '' as $$
begin
  update public.profiles p set deactivated_at = coalesce(p.deactivated_at, private.now()), phone = null, company = null, notes = null
    where p.id = p_id;
  update private.mandates m set revoked_at = private.now() where m.payee_id = p_id and m.revoked_at is null;
  delete from private.payee_details d where d.payee_id = p_id;
  delete from auth.sessions s where s.user_id = p_id;
  delete from auth.one_time_tokens t where t.user_id = p_id;
  delete from auth.webauthn_credentials c where c.user_id = p_id;
  delete from auth.factors f where f.user_id = p_id;
  delete from auth.identities i where i.user_id = p_id and i.provider <> 'email';
  update auth.users u set encrypted_password = null, temporary_password_until = null, password_change_required = false,
      phone = null, new_email = null, new_phone = null, raw_user_meta_data = '{}', updated_at = now()
    where u.id = p_id;
end
$$;

create or replace function private.my_account_data() returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin', 'commercial', 'client');
begin
  return jsonb_build_object(
    'account', (select jsonb_strip_nulls(jsonb_build_object('id', u.id, 'email', u.email, 'phone', u.phone, 'created_at', u.created_at,
        'email_confirmed_at', u.email_confirmed_at, 'phone_confirmed_at', u.phone_confirmed_at, 'invited_at', u.invited_at,
        'last_sign_in_at', u.last_sign_in_at, 'new_email', u.new_email, 'new_phone', u.new_phone, 'user_metadata', u.raw_user_meta_data))
      from auth.users u where u.id = me),
    'payee_details', (select to_jsonb(d) - 'payee_id' from private.payee_details d where d.payee_id = me),
    'mandates', (select coalesce(jsonb_agg(jsonb_build_object('version', m.version, 'text', m.text, 'hash', encode(m.hash, 'hex'),
        'accepted_at', m.accepted_at, 'revoked_at', m.revoked_at) order by m.id), '[]')
      from private.mandates m where m.payee_id = me),
    'identities', (select coalesce(jsonb_agg(jsonb_build_object('provider', i.provider, 'provider_id', i.provider_id, 'data', i.identity_data,
        'created_at', i.created_at, 'last_sign_in_at', i.last_sign_in_at) order by i.created_at), '[]')
      from auth.identities i where i.user_id = me),
    'sessions', (select coalesce(jsonb_agg(jsonb_build_object('created_at', s.created_at, 'last_used_at', s.last_used_at,
        'user_agent', s.user_agent, 'ip', s.ip, 'is_current', s.is_current)), '[]')
      from private.my_sessions() s),
    'second_factors', (select coalesce(jsonb_agg(jsonb_build_object('type', f.factor_type, 'name', f.friendly_name, 'phone', f.phone,
        'status', f.status, 'created_at', f.created_at) order by f.created_at), '[]')
      from auth.factors f where f.user_id = me),
    'passkeys', (select coalesce(jsonb_agg(jsonb_build_object('name', c.friendly_name, 'created_at', c.created_at,
        'last_used_at', c.last_used_at) order by c.created_at), '[]')
      from auth.webauthn_credentials c where c.user_id = me and c.factor_id is null),
    'account_events', (select coalesce(jsonb_agg(jsonb_build_object('at', e.at, 'action', e.action, 'ip', e.ip) order by e.id desc), '[]')
      from (select a.id, a.at, a.action, a.ip from auth.audit_entries a where a.user_id = me order by a.id desc limit 1000) e));
end
$$;

do $$
declare
  f regprocedure;
begin
  for f in select p.oid::regprocedure from pg_proc p where p.pronamespace = 'private'::regnamespace
      and p.proname in ('may_be_self_billed', 'mandate_in_force', 'accept_mandate', 'revoke_mandate', 'set_paper_settings') loop
    execute format('alter function %s owner to parrain_service', f);
    execute format('grant execute on function %s to parrain_service', f);
  end loop;
end
$$;
grant execute on function private.guard_mandate() to parrain_service;
grant execute on function private.accept_mandate(text, text), private.revoke_mandate(),
  private.set_paper_settings(boolean, text, text, text, text, text, text, integer) to authenticated;
