-- AC-07: what the law asks a paper to say of each party, by its status, and the contracts that a payment settles, one by one.

alter table private.payee_details
  -- « SARL », « SAS à capital variable »: of a company.
  add column legal_form text,
  add column capital numeric(14, 2),
  -- The town of the registry: RCS of a company, RSAC of an agent commercial. The number there is the SIREN.
  add column registry_city text;
alter table private.payee_details
  add constraint payee_details_legal_form_is_a_line check (private.is_line(legal_form, 60) and btrim(legal_form) <> '') not valid,
  add constraint payee_details_capital_is_some check (capital > 0) not valid,
  add constraint payee_details_registry_city_is_a_line check (private.is_line(registry_city, 120) and btrim(registry_city) <> '') not valid,
  add constraint payee_details_form_is_of_a_company check (status = 'societe' or num_nonnulls(legal_form, capital) = 0) not valid,
  add constraint payee_details_registry_is_of_who_has_one check (status in ('societe', 'agent') or registry_city is null) not valid;

alter table private.paper_settings
  add column siret text,
  add column legal_form text,
  add column capital numeric(14, 2),
  add column registry_city text;
alter table private.paper_settings
  add constraint paper_settings_siret_is_one check (private.is_line(siret, 14) and private.is_siret(siret)) not valid,
  add constraint paper_settings_siret_is_of_the_siren check (siret is null or (left(siret, 9) = siren) is true) not valid,
  add constraint paper_settings_legal_form_is_a_line check (private.is_line(legal_form, 60) and btrim(legal_form) <> '') not valid,
  add constraint paper_settings_capital_is_some check (capital > 0) not valid,
  add constraint paper_settings_registry_city_is_a_line check (private.is_line(registry_city, 120) and btrim(registry_city) <> '') not valid;

drop function private.set_payee_details(uuid, text, text, text, text, text, text, text, boolean, text, text, text, text);
create function private.set_payee_details(p_payee_id uuid, p_status text, p_legal_name text, p_street text, p_postal_code text, p_city text,
  p_siren text, p_rna text, p_charges_vat boolean, p_vat_number text, p_first_name text default null, p_last_name text default null,
  p_siret text default null, p_legal_form text default null, p_capital numeric default null, p_registry_city text default null) returns jsonb
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
    (payee_id, status, legal_name, first_name, last_name, street, postal_code, city, siren, siret, rna, charges_vat, vat_number, legal_form,
      capital, registry_city, updated_at)
  values (payee.id, p_status, btrim(p_legal_name), btrim(p_first_name), btrim(p_last_name), btrim(p_street), p_postal_code, btrim(p_city),
    p_siren, p_siret, p_rna, p_charges_vat, p_vat_number, btrim(p_legal_form), p_capital, btrim(p_registry_city), now())
  on conflict (payee_id) do update set
    (status, legal_name, first_name, last_name, street, postal_code, city, siren, siret, rna, charges_vat, vat_number, legal_form, capital,
      registry_city, updated_at)
      = (excluded.status, excluded.legal_name, excluded.first_name, excluded.last_name, excluded.street, excluded.postal_code, excluded.city,
        excluded.siren, excluded.siret, excluded.rna, excluded.charges_vat, excluded.vat_number, excluded.legal_form, excluded.capital,
        excluded.registry_city, excluded.updated_at),
    regularity_dealt_at = case when d.status = excluded.status then d.regularity_dealt_at end,
    -- Accepted of this number and this seller alone.
    (vat_accepted_at, vat_accepted_by, vat_register) = (
      select d.vat_accepted_at, d.vat_accepted_by, d.vat_register
      where (d.status, d.legal_name, d.siren, d.vat_number)
        is not distinct from (excluded.status, excluded.legal_name, excluded.siren, excluded.vat_number))
  returning * into after;
  if to_jsonb(before) - array['updated_at', 'vat_accepted_at', 'vat_accepted_by', 'vat_register', 'regularity_dealt_at'] is distinct from
      to_jsonb(after) - array['updated_at', 'vat_accepted_at', 'vat_accepted_by', 'vat_register', 'regularity_dealt_at'] then
    perform private.append_audit('profiles', payee.id, 'update',
      case when before.payee_id is not null then jsonb_build_object('payee_status', before.status) end,
      jsonb_build_object('payee_status', after.status, 'payee_details', '•••'), null);
  end if;
  return private.payee_shown(payee.id);
end
$$;
revoke execute on function private.set_payee_details(uuid, text, text, text, text, text, text, text, boolean, text, text, text, text, text,
  numeric, text) from public;
alter function private.set_payee_details(uuid, text, text, text, text, text, text, text, boolean, text, text, text, text, text, numeric, text)
  owner to parrain_service;
grant execute on function private.set_payee_details(uuid, text, text, text, text, text, text, text, boolean, text, text, text, text, text,
  numeric, text) to authenticated;

drop function private.set_paper_settings(boolean, text, text, text, text, text, text, integer);
create function private.set_paper_settings(p_issues_papers boolean, p_legal_name text, p_street text, p_postal_code text, p_city text,
  p_siren text, p_vat_number text, p_contest_days integer, p_siret text default null, p_legal_form text default null,
  p_capital numeric default null, p_registry_city text default null) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  before jsonb;
  after jsonb;
begin
  -- One change after the other, so that the trail says what each of them replaced.
  lock table private.paper_settings in share row exclusive mode;
  select private.paper_settings_words(s) into before from private.paper_settings s;
  insert into private.paper_settings as s (issues_papers, legal_name, street, postal_code, city, siren, vat_number, contest_days, siret,
    legal_form, capital, registry_city)
  values (p_issues_papers, btrim(p_legal_name), btrim(p_street), p_postal_code, btrim(p_city), p_siren, p_vat_number, p_contest_days,
    p_siret, btrim(p_legal_form), p_capital, btrim(p_registry_city))
  on conflict (id) do update set (issues_papers, legal_name, street, postal_code, city, siren, vat_number, contest_days, siret, legal_form,
      capital, registry_city, updated_at)
    = (excluded.issues_papers, excluded.legal_name, excluded.street, excluded.postal_code, excluded.city, excluded.siren,
      excluded.vat_number, excluded.contest_days, excluded.siret, excluded.legal_form, excluded.capital, excluded.registry_city, now())
  returning private.paper_settings_words(s) into after;
  if before is distinct from after then
    perform private.append_audit('company_settings', '00000000-0000-0000-0000-000000000001', 'update', before, after, null);
  end if;
  return private.paper_settings_shown();
end
$$;
revoke execute on function private.set_paper_settings(boolean, text, text, text, text, text, text, integer, text, text, numeric, text)
  from public;
alter function private.set_paper_settings(boolean, text, text, text, text, text, text, integer, text, text, numeric, text)
  owner to parrain_service;
grant execute on function private.set_paper_settings(boolean, text, text, text, text, text, text, integer, text, text, numeric, text)
  to authenticated;

-- « Lumeo Habitat · SARL · 20000.00 € · 12 rue des Lilas, 35000 Rennes · 732829320 · 73282932000074 · RCS Rennes », for the trail.
create or replace function private.paper_settings_words(s private.paper_settings) returns jsonb
language sql immutable set search_path = ''
return jsonb_build_object('issues_papers', s.issues_papers, 'contest_days', s.contest_days, 'paper_identity',
  concat_ws(' · ', s.legal_name, s.legal_form, s.capital::text || ' €', s.street || ', ' || s.postal_code || ' ' || s.city, s.siren, s.siret,
    'RCS ' || s.registry_city, s.vat_number));

-- The contracts that a payment settles, the oldest first, each with the day of its validation and what the payment pays of it: a payee's
-- payments follow each other along what their contracts give, in the order in which it fell due. What a contract gave and lost again is
-- not paid for; an adjustment stands by itself; what takes back more than its own shortens what comes next. No name of a friend: they may
-- be forgotten. Sums up to the payment, to the cent: what nothing else explains is a last line without a contract.
create function private.contracts_settled(p_payee_id uuid, p_source_id uuid, p_amount numeric, p_before timestamptz default null) returns jsonb
language sql stable security definer set search_path = ''
return (
  with due as (
    select coalesce(s.corrects_sale_id, s.id) as sale_id, case when s.id is null then e.source_id end as other_id, min(e.id) as place,
      min(e.at) as at, sum(case when e.credit = 'available' then e.amount else -e.amount end) as amount
    from public.ledger_entries e
    left join public.commission_payments c on c.id = e.source_id
    left join public.sales s on s.id = c.sale_id
    where e.payee_id = p_payee_id and 'available' in (e.debit, e.credit) and e.act not in ('request', 'refusal', 'payroll', 'return')
      and (p_before is null or e.at < p_before)
    group by 1, 2),
  span as (
    select coalesce((select sum(case when e.credit = 'paid' then e.amount else -e.amount end)
        from public.ledger_entries e
        where e.payee_id = p_payee_id and 'paid' in (e.debit, e.credit) and e.id < (
          select min(o.id) from public.ledger_entries o where o.source_id = p_source_id and o.act in ('settlement', 'payroll'))), 0)
      - coalesce((select sum(d.amount) from due d where d.amount < 0), 0) as low),
  placed as (
    select d.*, sum(d.amount) over (order by d.place) as until from due d where d.amount > 0),
  paid as (
    select p.place, p.sale_id, p.at, p.amount as whole,
      least(p.until, s.low + p_amount) - greatest(p.until - p.amount, s.low) as amount
    from placed p cross join span s
    where p.until > s.low and p.until - p.amount < s.low + p_amount),
  lines as (
    select t.place, upper(left(t.sale_id::text, 8)) as contract, (coalesce(s.validated_at, t.at) at time zone 'Europe/Paris')::date as day,
      t.amount, t.whole
    from paid t left join public.sales s on s.id = t.sale_id
    union all
    select null, null, null, p_amount - coalesce((select sum(t.amount) from paid t), 0), null)
  select coalesce(jsonb_agg(jsonb_strip_nulls(jsonb_build_object('contract', l.contract, 'on', l.day, 'amount', l.amount::text,
    'of', case when l.amount <> l.whole then l.whole::text end)) order by l.place nulls last), '[]')
  from lines l where l.amount > 0);

create or replace function private.issue_paper(p_kind text, p_payee_id uuid, p_request_id uuid, p_period_id uuid, p_quarter date,
  p_amount numeric, p_is_test boolean, p_content jsonb) returns void
language plpgsql security definer set search_path = '' as $$
declare
  today date := private.today();
  given private.paper_series;
  known jsonb := coalesce((select jsonb_build_object('status', d.status,
    'legal_name', d.legal_name, 'street', d.street, 'postal_code', d.postal_code, 'city', d.city, 'siren', d.siren, 'siret', d.siret,
    'rna', d.rna, 'vat_number', d.vat_number, 'legal_form', d.legal_form, 'capital', d.capital::text, 'registry_city', d.registry_city)
    from private.payee_details d where d.payee_id = p_payee_id), '{}');
begin
  if p_content ? 'vat' then
    -- Another seller's establishment and registry than the mandate's are not the seller's.
    if known ->> 'siren' is distinct from p_content #>> '{vat,numbers,siren}' then
      known := known - array['siret', 'legal_form', 'capital', 'registry_city'];
    end if;
    known := (p_content #> '{vat,seller}') || jsonb_strip_nulls(known) || (p_content #> '{vat,numbers}');
  end if;
  insert into private.paper_series as s (series, year, last, last_on)
  values (case when p_is_test then 'T' else '' end || p_kind, extract(year from today), 1, today)
  on conflict (series, year) do update set last = s.last + 1, last_on = greatest(s.last_on, excluded.last_on)
  returning * into given;
  insert into public.papers (series, year, number, label, payee_id, request_id, period_id, quarter, issued_on, amount, is_test, content)
  select given.series, given.year, given.last,
    given.series || '-' || given.year::text || '-' || lpad(given.last::text, greatest(4, length(given.last::text)), '0'),
    p_payee_id, p_request_id, p_period_id, p_quarter, given.last_on, p_amount, p_is_test, jsonb_build_object(
      'company', (select jsonb_build_object('legal_name', s.legal_name, 'street', s.street, 'postal_code', s.postal_code, 'city', s.city,
        'siren', s.siren, 'siret', s.siret, 'vat_number', s.vat_number, 'legal_form', s.legal_form, 'capital', s.capital::text,
        'registry_city', s.registry_city) from private.paper_settings s),
      'payee', jsonb_build_object('name', p.full_name) || known,
      'contest_until', given.last_on + (select s.contest_days from private.paper_settings s)) || p_content
      || case when p_content ? 'vat' then jsonb_build_object('vat', (p_content -> 'vat') - array['seller', 'numbers']) else '{}' end
  from public.profiles p where p.id = p_payee_id;
end
$$;

create or replace function private.make_paper() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  mandate private.mandates;
  former public.papers;
  kind text;
begin
  if new.status = 'returned' then
    select * into former from public.papers p where p.request_id = new.id;
    if not found then return null; end if;
    kind := case when former.series ~ '^T?F' then 'A' || right(former.series, 9) else 'AR' end;
  else
    if new.vat_mandate_id is null and not exists (select from private.paper_settings s where s.issues_papers) then return null; end if;
    -- As it was asked for: with the VAT of its mandate, or without any.
    select * into mandate from private.mandates m
      where m.id = coalesce(new.vat_mandate_id, private.mandate_in_force(new.client_id)) and (m.vat_number is null) = (new.vat_mandate_id is null);
    kind := case when found then 'F' || mandate.payee_siren else 'R' end;
  end if;
  perform private.issue_paper(kind, new.client_id, new.id, null, null, new.amount + coalesce(new.vat_amount, 0), new.is_test, jsonb_build_object(
      'mandate', private.mandate_on_paper(mandate), 'method', new.payment_method, 'reference', new.settlement_reference,
      'association', new.association_name, 'association_number', new.association_number, 'asked_at', new.created_at, 'paid_at', new.paid_at,
      'returned_at', new.returned_at, 'receipt', former.label, 'receipt_on', former.issued_on)
    -- What comes back is what was paid: of the same contracts.
    || jsonb_strip_nulls(jsonb_build_object('lines', case when former.id is null
      then private.contracts_settled(new.client_id, new.id, new.amount) else former.content -> 'lines' end))
    || private.vat_on_paper(new.amount, new.vat_rate, new.vat_amount, mandate)
    || case when former.series ~ '^T?F' then jsonb_build_object('company', former.content -> 'company', 'payee', former.content -> 'payee',
      'mandate', former.content -> 'mandate') || jsonb_strip_nulls(jsonb_build_object('vat', former.content -> 'vat')) else '{}' end);
  return null;
end
$$;

create or replace function private.make_paper_of_period() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  mandate private.mandates;
  former public.papers;
  kind text;
begin
  if new.returned_at is not null then
    select * into former from public.papers p where p.period_id = new.id;
    if not found then return null; end if;
    kind := case when former.series ~ '^T?F' then 'A' || right(former.series, 9) else 'AR' end;
  else
    if new.vat_mandate_id is null and (not exists (select from private.paper_settings s where s.issues_papers)
        or not exists (select from private.payee_details d where d.payee_id = new.payee_id and d.status <> 'salarie')) then
      return null;
    end if;
    select * into mandate from private.mandates m where m.id = coalesce(new.vat_mandate_id, private.mandate_in_force(new.payee_id))
      and (m.vat_number is null) = (new.vat_mandate_id is null);
    kind := case when found then 'F' || mandate.payee_siren else 'R' end;
  end if;
  perform private.issue_paper(kind, new.payee_id, null, new.id, null, new.amount + coalesce(new.vat_amount, 0), new.is_test, jsonb_build_object(
      'mandate', private.mandate_on_paper(mandate), 'month', new.month, 'paid_at', new.paid_at)
    || jsonb_strip_nulls(jsonb_build_object('lines', case when former.id is null
      then private.contracts_settled(new.payee_id, new.id, new.amount, private.month_start((new.month + interval '1 month')::date))
      else former.content -> 'lines' end))
    || private.vat_on_paper(new.amount, new.vat_rate, new.vat_amount, mandate)
    || case when former.id is null then '{}' else jsonb_build_object('returned_at', new.returned_at,
      'receipt', former.label, 'receipt_on', former.issued_on) end
    || case when former.series ~ '^T?F' then jsonb_build_object('company', former.content -> 'company', 'payee', former.content -> 'payee',
      'mandate', former.content -> 'mandate') || jsonb_strip_nulls(jsonb_build_object('vat', former.content -> 'vat')) else '{}' end);
  return null;
end
$$;

revoke execute on function private.contracts_settled(uuid, uuid, numeric, timestamptz) from public;
alter function private.contracts_settled(uuid, uuid, numeric, timestamptz) owner to parrain_service;
grant execute on function private.contracts_settled(uuid, uuid, numeric, timestamptz) to parrain_service;
