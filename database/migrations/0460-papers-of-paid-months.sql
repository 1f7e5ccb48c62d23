-- PP-02: a commercial who is an agent or a company and is paid by month (PO-05) gets a paper for it, as a client does for a request: an
-- invoice where a mandate of self-billing is in force (PP-05), else a receipt. Who is employed has a pay slip.

alter table public.papers
  add column period_id uuid references public.paid_periods (id) on delete cascade,
  drop constraint papers_are_of_a_payment_or_of_a_quarter,
  add constraint papers_are_of_a_payment_a_month_or_a_quarter check (num_nonnulls(request_id, period_id, quarter) = 1
    and (quarter is not null) = (series ~ '^T?RT$')),
  add constraint papers_say_each_month_once unique (period_id, series);

-- Numbers a paper and writes it, with both parties as they are known now, or as `p_content` says. The row of the series is locked last of
-- all, so whoever waits for a number waits for nothing else. The day never goes back, though an older transaction may come later.
create function private.issue_paper(p_kind text, p_payee_id uuid, p_request_id uuid, p_period_id uuid, p_quarter date, p_amount numeric,
  p_is_test boolean, p_content jsonb) returns void
language plpgsql security definer set search_path = '' as $$
declare
  today date := private.today();
  given private.paper_series;
begin
  insert into private.paper_series as s (series, year, last, last_on)
  values (case when p_is_test then 'T' else '' end || p_kind, extract(year from today), 1, today)
  on conflict (series, year) do update set last = s.last + 1, last_on = greatest(s.last_on, excluded.last_on)
  returning * into given;
  insert into public.papers (series, year, number, label, payee_id, request_id, period_id, quarter, issued_on, amount, is_test, content)
  select given.series, given.year, given.last,
    given.series || '-' || given.year::text || '-' || lpad(given.last::text, greatest(4, length(given.last::text)), '0'),
    p_payee_id, p_request_id, p_period_id, p_quarter, given.last_on, p_amount, p_is_test, jsonb_build_object(
      'company', (select jsonb_build_object('legal_name', s.legal_name, 'street', s.street, 'postal_code', s.postal_code, 'city', s.city,
        'siren', s.siren, 'vat_number', s.vat_number) from private.paper_settings s),
      'payee', jsonb_build_object('name', p.full_name) || coalesce((select jsonb_build_object('status', d.status,
        'legal_name', d.legal_name, 'street', d.street, 'postal_code', d.postal_code, 'city', d.city, 'siren', d.siren, 'rna', d.rna,
        'vat_number', d.vat_number) from private.payee_details d where d.payee_id = p.id), '{}'),
      'contest_until', given.last_on + (select s.contest_days from private.paper_settings s)) || p_content
  from public.profiles p where p.id = p_payee_id;
end
$$;

create function private.mandate_on_paper(m private.mandates) returns jsonb
language sql immutable set search_path = ''
return case when m.id is not null then jsonb_build_object('version', m.version, 'accepted_at', m.accepted_at) end;

-- A credit note names both parties as its invoice does: an account may be closed since.
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
    if not exists (select from private.paper_settings s where s.issues_papers) then return null; end if;
    select * into mandate from private.mandates m where m.id = private.mandate_in_force(new.client_id);
    kind := case when found then 'F' || mandate.payee_siren else 'R' end;
  end if;
  perform private.issue_paper(kind, new.client_id, new.id, null, null, new.amount, new.is_test, jsonb_build_object(
      'mandate', private.mandate_on_paper(mandate), 'method', new.payment_method, 'reference', new.settlement_reference,
      'association', new.association_name, 'asked_at', new.created_at, 'paid_at', new.paid_at, 'returned_at', new.returned_at,
      'receipt', former.label, 'receipt_on', former.issued_on)
    || case when former.series ~ '^T?F' then jsonb_build_object('company', former.content -> 'company', 'payee', former.content -> 'payee',
      'mandate', former.content -> 'mandate') else '{}' end);
  return null;
end
$$;

-- Runs when the payment is about to commit, as that of a request does.
create function private.make_paper_of_period() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  mandate private.mandates;
  kind text;
begin
  if not exists (select from private.paper_settings s where s.issues_papers)
      or not exists (select from private.payee_details d where d.payee_id = new.payee_id and d.status <> 'salarie') then
    return null;
  end if;
  select * into mandate from private.mandates m where m.id = private.mandate_in_force(new.payee_id);
  kind := case when found then 'F' || mandate.payee_siren else 'R' end;
  perform private.issue_paper(kind, new.payee_id, null, new.id, null, new.amount, new.is_test, jsonb_build_object(
    'mandate', private.mandate_on_paper(mandate), 'month', new.month, 'paid_at', new.paid_at));
  return null;
end
$$;
create constraint trigger paid_periods_make_paper after insert on public.paid_periods
  deferrable initially deferred for each row execute function private.make_paper_of_period();

-- Nobody is paid anything for which no paper could be made. All who wait for their month are named, so that they are asked at once.
create function private.guard_payee_of_period() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if private.is_payee_incomplete(new.payee_id) then
    perform private.refuse('payee_incomplete', jsonb_build_object('payees', (
      select left(string_agg(p.full_name, ', ' order by p.full_name), 500)
      from public.profiles p left join public.balances b on b.profile_id = p.id
      where p.id = new.payee_id or p.role = 'commercial' and b.earned - b.reversed - b.held - b.reserved - b.paid > 0
        and private.is_payee_incomplete(p.id))));
  end if;
  return new;
end
$$;
create trigger paid_periods_payee_is_complete before insert on public.paid_periods
  for each row execute function private.guard_payee_of_period();

create or replace function private.make_quarterly_statements(p_most integer) returns integer
language plpgsql security definer set search_path = '' as $$
declare
  v_quarter constant date := (date_trunc('quarter', private.last_month_begun()::timestamp) - interval '3 months')::date;
  payee record;
  said jsonb;
  made integer := 0;
begin
  perform pg_advisory_xact_lock(hashtext('parrain.quarterly_statements'));
  if not exists (select from private.paper_settings s where s.issues_papers) then return 0; end if;
  for payee in
    select d.payee_id, p.is_test from private.payee_details d join public.profiles p on p.id = d.payee_id
    where d.status = 'agent' and p.role = 'commercial'
      and not exists (select from public.papers q where q.payee_id = d.payee_id and q.quarter = v_quarter)
      and exists (select from public.ledger_entries e where e.payee_id = d.payee_id
        and e.at < private.month_start((v_quarter + interval '3 months')::date))
    order by d.payee_id
  loop
    exit when made >= p_most;
    said := private.quarter_content(payee.payee_id, v_quarter);
    continue when said -> 'lines' = '[]' and (said ->> 'closing')::numeric = 0;
    perform private.issue_paper('RT', payee.payee_id, null, null, v_quarter, (said ->> 'closing')::numeric, payee.is_test, said);
    made := made + 1;
  end loop;
  return made;
end
$$;

-- The trail has the hash of a paper with what it is of: a request, a paid month, a payee's quarter.
create or replace function private.keep_paper(p_paper_id uuid, p_bytes bytea) returns bytea
language plpgsql security definer set search_path = '' as $$
declare
  kept private.paper_files;
  paper public.papers;
begin
  select * into strict paper from public.papers p where p.id = p_paper_id;
  insert into private.paper_files (paper_id, bytes) values (p_paper_id, p_bytes) on conflict (paper_id) do nothing returning * into kept;
  if found then
    perform private.append_audit(case when paper.request_id is not null then 'payment_requests'
        when paper.period_id is not null then 'paid_periods' else 'profiles' end,
      coalesce(paper.request_id, paper.period_id, paper.payee_id), 'issue', null,
      jsonb_build_object('paper', paper.label, 'paper_hash', encode(kept.hash, 'hex')), null);
  else
    select * into kept from private.paper_files f where f.paper_id = p_paper_id;
  end if;
  return kept.bytes;
end
$$;

-- Whose invoices may be written: a business that charges no VAT, where the company has papers made (decision 0032).
create or replace function private.may_be_self_billed(p_payee_id uuid) returns boolean
language sql stable security definer set search_path = ''
return exists (
  select from private.payee_details d
  join public.profiles p on p.id = d.payee_id
  join private.paper_settings s on s.issues_papers
  where d.payee_id = p_payee_id and p.role in ('client', 'commercial') and p.deactivated_at is null
    and d.status in ('micro', 'societe', 'agent') and not d.charges_vat);

create or replace function private.accept_mandate(p_version text, p_text text) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('client', 'commercial');
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

create or replace function private.revoke_mandate() returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('client', 'commercial');
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

do $$
declare
  f regprocedure;
begin
  for f in select p.oid::regprocedure from pg_proc p where p.pronamespace = 'private'::regnamespace
      and p.proname in ('issue_paper', 'make_paper_of_period', 'guard_payee_of_period') loop
    execute format('alter function %s owner to parrain_service', f);
    execute format('grant execute on function %s to parrain_service', f);
  end loop;
end
$$;
grant execute on function private.mandate_on_paper(private.mandates) to parrain_service;
