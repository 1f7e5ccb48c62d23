-- PP-01: what a payee is, what papers say of them, and of the company. Nothing is asked of anybody until the company has papers made.

-- Luhn's key. domain/src/siren.ts says the same. Null of null, which a constraint lets pass.
create function private.is_siren(p_siren text) returns boolean
language sql immutable set search_path = ''
return p_siren ~ '^[0-9]{9}$' and p_siren <> '000000000' and (
  select sum(case when d.place % 2 = 1 then d.digit when d.digit > 4 then d.digit * 2 - 9 else d.digit * 2 end) % 10 = 0
  from (select n.place, substr(p_siren, n.place, 1)::integer as digit from generate_series(1, length(p_siren)) n (place)
    where p_siren ~ '^[0-9]{9}$') d);

-- A key of two figures is computed from the SIREN; one with a letter is checked in its form alone.
create function private.is_vat_number(p_number text, p_siren text) returns boolean
language sql immutable set search_path = ''
return p_number ~ '^FR[0-9A-HJ-NP-Z]{2}[0-9]{9}$' and right(p_number, 9) = p_siren
  and case when p_number ~ '^FR[0-9]{11}$'
    then substr(p_number, 3, 2) = lpad(((12 + 3 * (right(p_number, 9)::bigint % 97)) % 97)::text, 2, '0') else true end;

create table private.payee_details (
  payee_id uuid primary key references public.profiles (id) on delete cascade,
  status text not null,
  legal_name text,
  street text,
  postal_code text,
  city text,
  siren text,
  rna text,
  charges_vat boolean,
  vat_number text,
  updated_at timestamptz not null default now(),
  constraint payee_details_status_is_known check (status in ('particulier', 'micro', 'societe', 'association', 'agent', 'salarie')),
  constraint payee_details_names_whom_papers_name check (
    num_nonnulls(legal_name, street, postal_code, city) = case status when 'salarie' then 0 else 4 end),
  constraint payee_details_business_has_a_siren check (
    siren is not null or status not in ('micro', 'societe', 'agent') and (status <> 'association' or rna is not null)),
  constraint payee_details_person_has_no_number check (status not in ('particulier', 'salarie') or num_nonnulls(siren, rna) = 0),
  constraint payee_details_rna_is_of_an_association check (rna is null or status = 'association'),
  constraint payee_details_vat_is_of_a_business check ((charges_vat is not null) = (status in ('micro', 'societe', 'agent'))),
  constraint payee_details_vat_number_is_of_who_charges_it check ((vat_number is not null) = coalesce(charges_vat, false)),
  constraint payee_details_legal_name_is_a_line check (private.is_line(legal_name, 120) and btrim(legal_name) <> ''),
  constraint payee_details_street_is_a_line check (private.is_line(street, 200) and btrim(street) <> ''),
  constraint payee_details_postal_code_is_one check (private.is_line(postal_code, 5) and postal_code ~ '^[0-9]{5}$'),
  constraint payee_details_city_is_a_line check (private.is_line(city, 120) and btrim(city) <> ''),
  constraint payee_details_siren_is_one check (private.is_line(siren, 9) and private.is_siren(siren)),
  constraint payee_details_rna_is_one check (private.is_line(rna, 10) and rna ~ '^W[0-9A-Z][0-9]{8}$'),
  constraint payee_details_vat_number_is_one check (private.is_line(vat_number, 13) and private.is_vat_number(vat_number, siren))
);

-- The company as papers name it.
create table private.paper_settings (
  id boolean primary key default true,
  issues_papers boolean not null default false,
  legal_name text not null,
  street text not null,
  postal_code text not null,
  city text not null,
  siren text not null,
  vat_number text,
  updated_at timestamptz not null default now(),
  constraint paper_settings_is_one_row check (id),
  constraint paper_settings_legal_name_is_a_line check (private.is_line(legal_name, 120) and btrim(legal_name) <> ''),
  constraint paper_settings_street_is_a_line check (private.is_line(street, 200) and btrim(street) <> ''),
  constraint paper_settings_postal_code_is_one check (private.is_line(postal_code, 5) and postal_code ~ '^[0-9]{5}$'),
  constraint paper_settings_city_is_a_line check (private.is_line(city, 120) and btrim(city) <> ''),
  constraint paper_settings_siren_is_one check (private.is_line(siren, 9) and private.is_siren(siren)),
  constraint paper_settings_vat_number_is_one check (private.is_line(vat_number, 13) and private.is_vat_number(vat_number, siren))
);

do $$
declare
  name text;
begin
  foreach name in array array['payee_details', 'paper_settings'] loop
    execute format('alter table private.%I enable row level security', name);
    execute format('alter table private.%I force row level security', name);
    execute format('create policy %I on private.%I to parrain_service using (true) with check (true)', name || '_service_all', name);
    execute format('grant select, insert, update, delete on private.%I to parrain_service', name);
  end loop;
end
$$;

-- Whether a payment must wait for what papers say of this payee: never, where the company has none made.
create function private.is_payee_incomplete(p_payee_id uuid) returns boolean
language sql stable security definer set search_path = ''
return exists (select from private.paper_settings s where s.issues_papers)
  and not exists (select from private.payee_details d where d.payee_id = p_payee_id);

-- Nobody is promised or paid anything for which no paper could be made. What the bank has paid is paid.
create function private.guard_payee_of_request() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if private.is_payee_incomplete(new.client_id)
      and not exists (select from public.payment_batch_lines l where l.request_id = new.id and l.status = 'paid') then
    perform private.refuse('payee_incomplete',
      jsonb_build_object('payees', (select p.full_name from public.profiles p where p.id = new.client_id)));
  end if;
  return new;
end
$$;
create trigger payment_requests_payee_is_complete before update on public.payment_requests
  for each row when (new.status in ('approved', 'paid') and old.status <> new.status) execute function private.guard_payee_of_request();

-- Transfers that were approved before the company had papers made wait at the release of their batch.
create function private.guard_payees_of_batch() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  v_payees text;
begin
  select string_agg(distinct p.full_name, ', ' order by p.full_name) into v_payees
    from public.payment_batch_lines l
    join public.payment_requests r on r.id = l.request_id
    join public.profiles p on p.id = r.client_id
    where l.batch_id = new.id and private.is_payee_incomplete(r.client_id);
  if v_payees is not null then perform private.refuse('payee_incomplete', jsonb_build_object('payees', left(v_payees, 500))); end if;
  return new;
end
$$;
create trigger payment_batches_payees_are_complete before update on public.payment_batches
  for each row when (old.status = 'draft' and new.status = 'released') execute function private.guard_payees_of_batch();

-- Whose details these are: one's own, or for an admin a client's or a commercial's. Locked, so that no closure passes by.
create function private.payee_named(p_payee_id uuid) returns public.profiles
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin', 'commercial', 'client');
  payee public.profiles;
begin
  if p_payee_id is distinct from me and private.user_role() <> 'admin' then perform private.refuse('forbidden'); end if;
  select * into payee from public.profiles p
    where p.id = p_payee_id and p.role in ('commercial', 'client') for no key update;
  if not found then perform private.refuse('payee_unknown'); end if;
  return payee;
end
$$;

create function private.payee_shown(p_payee_id uuid) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  payee public.profiles := private.payee_named(p_payee_id);
begin
  return jsonb_build_object('role', payee.role,
    'is_asked', coalesce((select s.issues_papers from private.paper_settings s), false) and payee.deactivated_at is null,
    'details', (select to_jsonb(d) - array['payee_id', 'updated_at'] from private.payee_details d where d.payee_id = payee.id));
end
$$;

-- The trail has the status and that something changed, never what: a person is erased without it.
create function private.set_payee_details(p_payee_id uuid, p_status text, p_legal_name text, p_street text, p_postal_code text,
  p_city text, p_siren text, p_rna text, p_charges_vat boolean, p_vat_number text) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  payee public.profiles := private.payee_named(p_payee_id);
  before private.payee_details;
  after private.payee_details;
begin
  if payee.deactivated_at is not null then perform private.refuse('payee_unknown'); end if;
  if not coalesce(case payee.role when 'client' then p_status in ('particulier', 'micro', 'societe', 'association')
      else p_status in ('salarie', 'agent', 'societe') end, false) then
    perform private.refuse('invalid_input');
  end if;
  select * into before from private.payee_details d where d.payee_id = payee.id;
  insert into private.payee_details as d
    (payee_id, status, legal_name, street, postal_code, city, siren, rna, charges_vat, vat_number, updated_at)
  values (payee.id, p_status, btrim(p_legal_name), btrim(p_street), p_postal_code, btrim(p_city), p_siren, p_rna, p_charges_vat,
    p_vat_number, now())
  on conflict (payee_id) do update set (status, legal_name, street, postal_code, city, siren, rna, charges_vat, vat_number, updated_at)
    = (excluded.status, excluded.legal_name, excluded.street, excluded.postal_code, excluded.city, excluded.siren, excluded.rna,
      excluded.charges_vat, excluded.vat_number, excluded.updated_at)
  returning * into after;
  if to_jsonb(before) - 'updated_at' is distinct from to_jsonb(after) - 'updated_at' then
    perform private.append_audit('profiles', payee.id, 'update',
      case when before.payee_id is not null then jsonb_build_object('payee_status', before.status) end,
      jsonb_build_object('payee_status', after.status, 'payee_details', '•••'), null);
  end if;
  return private.payee_shown(payee.id);
end
$$;

create function private.paper_settings_shown() returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
begin
  return (select to_jsonb(s) - array['id', 'updated_at'] from private.paper_settings s);
end
$$;

create function private.set_paper_settings(p_issues_papers boolean, p_legal_name text, p_street text, p_postal_code text, p_city text,
  p_siren text, p_vat_number text) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  before jsonb;
  after jsonb;
begin
  -- One change after the other, so that the trail says what each of them replaced.
  lock table private.paper_settings in share row exclusive mode;
  select private.paper_settings_words(s) into before from private.paper_settings s;
  insert into private.paper_settings as s (issues_papers, legal_name, street, postal_code, city, siren, vat_number)
  values (p_issues_papers, btrim(p_legal_name), btrim(p_street), p_postal_code, btrim(p_city), p_siren, p_vat_number)
  on conflict (id) do update set (issues_papers, legal_name, street, postal_code, city, siren, vat_number, updated_at)
    = (excluded.issues_papers, excluded.legal_name, excluded.street, excluded.postal_code, excluded.city, excluded.siren,
      excluded.vat_number, now())
  returning private.paper_settings_words(s) into after;
  if before is distinct from after then
    perform private.append_audit('company_settings', '00000000-0000-0000-0000-000000000001', 'update', before, after, null);
  end if;
  return private.paper_settings_shown();
end
$$;

-- « Lumeo Habitat SARL · 12 rue des Lilas, 35000 Rennes · 732829320 · FR44732829320 », for the trail.
create function private.paper_settings_words(s private.paper_settings) returns jsonb
language sql immutable set search_path = ''
return jsonb_build_object('issues_papers', s.issues_papers, 'paper_identity',
  concat_ws(' · ', s.legal_name, s.street || ', ' || s.postal_code || ' ' || s.city, s.siren, s.vat_number));

-- What papers say of somebody goes with them; papers that were made keep what they say.
create or replace function private.close_account(p_id uuid) returns void
language plpgsql security definer set search_path = '' as $$
begin
  update public.profiles p set deactivated_at = coalesce(p.deactivated_at, private.now()), phone = null, company = null, notes = null
    where p.id = p_id;
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
      and p.proname in ('is_payee_incomplete', 'guard_payee_of_request', 'guard_payees_of_batch', 'payee_named', 'payee_shown',
        'set_payee_details', 'paper_settings_shown', 'set_paper_settings') loop
    execute format('alter function %s owner to parrain_service', f);
    execute format('grant execute on function %s to parrain_service', f);
  end loop;
end
$$;
grant execute on function private.is_siren(text), private.is_vat_number(text, text),
  private.paper_settings_words(private.paper_settings) to parrain_service;
grant execute on function private.payee_shown(uuid),
  private.set_payee_details(uuid, text, text, text, text, text, text, text, boolean, text), private.paper_settings_shown(),
  private.set_paper_settings(boolean, text, text, text, text, text, text) to authenticated;
