-- AC-08: a payee abroad. A person has an address there; a business has a number there, and is paid with reverse charge (CGI 283-2, 259-1°)
-- where the company has a VAT number (CGI 286 ter); where it has none, the payment is refused and says so (decision 0102).

-- Countries of the European Union: domain/src/country.ts has them too, with the form of their VAT numbers.
create function private.is_in_eu(p_country text) returns boolean language sql immutable set search_path = ''
return p_country = any ('{AT,BE,BG,CY,CZ,DE,DK,EE,ES,FI,FR,GR,HR,HU,IE,IT,LT,LU,LV,MT,NL,PL,PT,RO,SE,SI,SK}'::text[]);
revoke all on function private.is_in_eu(text) from public;
grant execute on function private.is_in_eu(text) to authenticated, service_role, parrain_service;

alter table private.payee_details
  add column country text not null default 'FR',
  -- Of a business abroad: its VAT number in the European Union, its number in a register elsewhere.
  add column number_abroad text;
alter table private.payee_details
  drop constraint payee_details_business_has_a_siren,
  drop constraint payee_details_postal_code_is_one;
alter table private.payee_details
  add constraint payee_details_country_is_one check (country ~ '^[A-Z]{2}$') not valid,
  add constraint payee_details_business_has_a_siren check (country <> 'FR' or siren is not null or status not in ('micro', 'societe', 'agent')
    and (status <> 'association' or rna is not null)) not valid,
  add constraint payee_details_postal_code_is_one check (private.is_line(postal_code, 16)
    and case when country = 'FR' then postal_code ~ '^[0-9]{5}$' else btrim(postal_code) <> '' end) not valid,
  add constraint payee_details_abroad_is_somebody check (country = 'FR' or status in ('particulier', 'societe', 'agent')) not valid,
  add constraint payee_details_abroad_has_no_french_number check (country = 'FR' or charges_vat is not true
    and num_nonnulls(siren, siret, legal_form, capital, registry_city) = 0) not valid,
  add constraint payee_details_number_abroad_is_of_a_business check (
    (number_abroad is not null) = (country <> 'FR' and status in ('societe', 'agent'))) not valid,
  add constraint payee_details_number_abroad_is_one check (private.is_line(number_abroad, 30) and btrim(number_abroad) <> ''
    and (not private.is_in_eu(country) or number_abroad ~ '^[A-Z]{2}[0-9A-Z+*]{2,12}$')) not valid;

-- What keeps the company from paying a business abroad with reverse charge: no VAT number, or a rate that is not kept here; null where
-- nothing does, and where no paper is made.
create function private.reverse_charge_obstacle() returns text
language sql stable security definer set search_path = ''
return (select case when s.vat_number is null then 'no_vat_number' when s.postal_code ~ '^9[78]' then 'overseas' end
  from private.paper_settings s where s.issues_papers);

-- A business whose services the company owes the VAT of. Monaco is France for VAT.
create function private.is_reverse_charged(d private.payee_details) returns boolean
language sql immutable set search_path = ''
return d.country not in ('FR', 'MC') and d.status in ('societe', 'agent');

create function private.abroad_obstacle(p_payee_id uuid) returns text
language sql stable security definer set search_path = ''
return (select private.reverse_charge_obstacle() from private.payee_details d where d.payee_id = p_payee_id and private.is_reverse_charged(d));

-- Refused from the request on; what the bank has paid is paid.
create function private.guard_payee_abroad() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  v_payees text;
begin
  if tg_table_name = 'payment_batches' then
    select string_agg(distinct p.full_name, ', ' order by p.full_name) into v_payees
      from public.payment_batch_lines l
      left join public.payment_requests r on r.id = l.request_id
      join public.profiles p on p.id = coalesce(l.payee_id, r.client_id)
      where l.batch_id = new.id and private.abroad_obstacle(p.id) is not null;
  elsif tg_table_name = 'paid_periods' then
    if new.method <> 'virement' then
      select p.full_name into v_payees from public.profiles p where p.id = new.payee_id and private.abroad_obstacle(p.id) is not null;
    end if;
  elsif not exists (select from public.payment_batch_lines l where l.request_id = new.id and l.status = 'paid') then
    select p.full_name into v_payees from public.profiles p where p.id = new.client_id and private.abroad_obstacle(p.id) is not null;
  end if;
  if v_payees is not null then
    perform private.refuse('payee_abroad', jsonb_build_object('payees', left(v_payees, 500), 'reason', private.reverse_charge_obstacle()));
  end if;
  return new;
end
$$;
create trigger payment_requests_payee_abroad_is_asked before insert on public.payment_requests
  for each row execute function private.guard_payee_abroad();
create trigger payment_requests_payee_abroad before update on public.payment_requests
  for each row when (new.status in ('approved', 'paid') and old.status <> new.status) execute function private.guard_payee_abroad();
create trigger payment_batches_payees_abroad before update on public.payment_batches
  for each row when (old.status = 'draft' and new.status = 'released') execute function private.guard_payee_abroad();
create trigger paid_periods_payee_abroad before insert on public.paid_periods
  for each row execute function private.guard_payee_abroad();

-- Nobody invoices by the rules of another country in its business's place.
create or replace function private.may_be_self_billed(p_payee_id uuid) returns boolean
language sql stable security definer set search_path = ''
return exists (
  select from private.payee_details d
  join public.profiles p on p.id = d.payee_id
  join private.paper_settings s on s.issues_papers
  where d.payee_id = p_payee_id and p.role in ('client', 'commercial') and p.deactivated_at is null and d.country = 'FR'
    and d.status in ('micro', 'societe', 'agent') and (not d.charges_vat or d.postal_code !~ '^9[78]' and s.postal_code !~ '^9[78]'));

-- The VAT that the company owes itself for a payment, frozen with its receipt: of the rate of the payment's day. What comes back takes
-- back what was.
create function private.reverse_charge_on_paper(p_kind text, p_payee_id uuid, p_request_id uuid, p_period_id uuid, p_amount numeric,
  p_paid_at text) returns jsonb
language sql stable security definer set search_path = ''
return jsonb_strip_nulls(jsonb_build_object('reverse_charge', case
  when p_kind ~ '^A' then (
    select p.content -> 'reverse_charge' from public.papers p
    where (p.request_id = p_request_id or p.period_id = p_period_id) and p.series !~ '^T?A')
  when p_kind = 'R' then (
    select jsonb_build_object('country', d.country, 'rate', v.rate::text, 'amount', private.vat_of(p_amount, v.rate)::text)
    from private.payee_details d
    cross join lateral (select private.vat_rate_on((p_paid_at::timestamptz at time zone 'Europe/Paris')::date) as rate) v
    where d.payee_id = p_payee_id and private.is_reverse_charged(d) and private.reverse_charge_obstacle() is null
      and exists (select from private.paper_settings s where s.issues_papers)) end));

create or replace function private.issue_paper(p_kind text, p_payee_id uuid, p_request_id uuid, p_period_id uuid, p_quarter date,
  p_amount numeric, p_is_test boolean, p_content jsonb) returns void
language plpgsql security definer set search_path = '' as $$
declare
  today date := private.today();
  given private.paper_series;
  known jsonb := coalesce((select jsonb_build_object('status', d.status,
    'legal_name', d.legal_name, 'street', d.street, 'postal_code', d.postal_code, 'city', d.city, 'siren', d.siren, 'siret', d.siret,
    'rna', d.rna, 'vat_number', d.vat_number, 'legal_form', d.legal_form, 'capital', d.capital::text, 'registry_city', d.registry_city,
    'country', nullif(d.country, 'FR'), 'number_abroad', d.number_abroad)
    from private.payee_details d where d.payee_id = p_payee_id), '{}');
begin
  if p_content ? 'vat' then
    -- Abroad since: the invoice names the seller whom its mandate kept.
    if known ->> 'country' is not null then known := '{}'; end if;
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
      || private.reverse_charge_on_paper(p_kind, p_payee_id, p_request_id, p_period_id, p_amount, p_content ->> 'paid_at')
      || case when p_content ? 'vat' then jsonb_build_object('vat', (p_content -> 'vat') - array['seller', 'numbers']) else '{}' end
  from public.profiles p where p.id = p_payee_id;
end
$$;

create or replace function private.is_chart(p_accounts jsonb) returns boolean
language sql immutable set search_path = ''
return coalesce(jsonb_typeof(p_accounts) = 'object'
  and p_accounts ?& array['charged', 'client', 'commercial', 'paid_association', 'paid_cheque_cadeau', 'paid_remise_societe', 'paid_virement']
  and (select bool_and(a.key in ('charged', 'client', 'commercial', 'paid_virement', 'paid_cheque_cadeau', 'paid_association', 'paid_remise_societe',
        'vat', 'vat_collected', 'vat_eu', 'vat_eu_due', 'vat_abroad', 'vat_abroad_due', 'accrued', 'salary', 'salary_due', 'held', 'adjusted', 'paid_paie', 'other')
      and coalesce(a.value ->> 'number' ~ '^[1-7][0-9]{2}[0-9A-Z]{0,9}$', false)
      and coalesce(private.is_line(a.value ->> 'label', 100) and btrim(a.value ->> 'label') <> '', false))
    from jsonb_each(p_accounts) a), false);

-- The usual accounts of the reverse charge; outside the European Union the same ones until somebody says another.
set local role parrain_service;
insert into private.accounting_settings (journal_code, journal_label, accounts, posts_payments, posts_payroll, accrues, year_ends_in, set_by)
select s.journal_code, s.journal_label, s.accounts || jsonb_build_object(
    'vat_eu', k.deductible, 'vat_eu_due', k.due, 'vat_abroad', k.deductible, 'vat_abroad_due', k.due),
  s.posts_payments, s.posts_payroll, s.accrues, s.year_ends_in, null
from private.accounting_settings s
cross join (values ('{"number": "445662", "label": "TVA déductible intracommunautaire"}'::jsonb,
  '{"number": "445200", "label": "TVA due intracommunautaire"}'::jsonb)) k (deductible, due)
order by s.id desc limit 1;
reset role;

create or replace function private.open_entries(p_before date)
returns table (number bigint, place integer, at timestamptz, use text, payee_id uuid, account_number text, account_label text, auxiliary_code text, auxiliary_name text, piece text, piece_at timestamptz, label text, debit numeric, credit numeric, lettering text, lettered_at timestamptz)
language plpgsql stable security definer set search_path = '' as $$
declare
  s constant private.accounting_settings := (select l from private.accounting_settings l order by l.id desc limit 1);
  closed constant private.accounting_months := (select m from private.accounting_months m order by m.month desc limit 1);
  from_ constant date := coalesce((closed.month + interval '1 month')::date,
    (select private.month_of(min(e.at)) from public.ledger_entries e), p_before);
  first_year constant timestamp := date_trunc('year', from_::timestamp);
  given constant bigint := (select count(distinct i.lettering) from private.accounting_entries i where i.month >= first_year and i.lettering is not null);
  -- A company without a VAT number recovers none: the tax is part of the charge.
  recovers constant boolean := exists (select from private.paper_settings c where c.vat_number is not null);
begin
  return query
  with people as (
    -- A commercial is in the payroll until their status says otherwise.
    select p.id, coalesce(d.legal_name, p.full_name) as name, coalesce(k.code, upper(left(p.id::text, 8))) as code,
      case when d.status in ('micro', 'societe', 'agent') then 'commercial'
        when d.status = 'salarie' or d.status is null and p.role = 'commercial' then 'salary_due' else 'client' end as use
    from public.profiles p
    left join private.payee_details d on d.payee_id = p.id
    left join private.accounting_codes k on k.payee_id = p.id
  ), payments as (
    select e.id, e.at, e.payee_id, e.detail, e.debit = 'paid' as is_back, false as is_debt, e.amount, e.amount + coalesce(v.amount, 0.00) as total,
      t.name, t.code, t.use, t.use = 'salary_due' as is_staff,
      case when e.detail = 'paie' then 'virement' else e.detail end as means,
      coalesce(q.series, o.series) ~ '^T?[FA][0-9]' as is_invoice, n.id is not null as is_theirs,
      coalesce(n.number, q.label, o.label, case when b.id is null then 'DEM-' else 'PAIE-' end || upper(left(e.source_id::text, 8))) as piece,
      coalesce(private.month_start(coalesce(n.invoiced_on, q.issued_on, o.issued_on)), e.at) as piece_at,
      coalesce(q.content, o.content) -> 'reverse_charge' as reverse
    from public.ledger_entries e
    join people t on t.id = e.payee_id
    left join public.ledger_entries v on v.source_id = e.source_id and v.act = case when e.debit = 'paid' then 'vat_return' else 'vat' end
    left join public.paid_periods b on b.id = e.source_id
    left join public.papers q on q.request_id = e.source_id and q.series ~ '^T?A' = (e.debit = 'paid')
    left join public.papers o on o.period_id = e.source_id and o.series ~ '^T?A' = (e.debit = 'paid')
    -- AC-04: the payee's own invoice is the piece, of what is paid and of what comes back.
    left join public.payment_requests w on w.id = e.source_id
    left join public.payee_invoices n on n.id = w.payee_invoice_id
    where e.at >= private.month_start(from_) and e.at < private.month_start(p_before) and (e.credit = 'paid' or e.debit = 'paid')
    union all
    -- Money that comes in from a payee takes its commission out of the charge.
    select e.id, e.at, e.payee_id, null, e.act = 'repayment', true, e.amount, e.amount, t.name, t.code, t.use, t.use = 'salary_due', 'virement', false, false,
      'REMB-' || upper(left(e.source_id::text, 8)), e.at, null
    from public.debt_acts d
    join public.ledger_entries e on e.source_id = d.id and e.act in ('repayment', 'repayment_annulment')
    join people t on t.id = e.payee_id
    where d.kind = 'repayment' and e.at >= private.month_start(from_) and e.at < private.month_start(p_before)
  ), steps as (
    select p.*, x.step, x.place, x.use as line_use, x.debit as gives, x.credit as takes, not p.is_staff and r.is_settled as is_lettered
    from payments p
    cross join lateral (select case when p.means in ('virement', 'association') then s.posts_payments else true end as is_settled,
      -- A discount is VAT included: on an account of discounts stands what is before tax.
      case when p.means = 'remise_societe' and recovers and s.accounts #>> '{paid_remise_societe,number}' like '709%'
        then p.total - round(p.total / (1 + coalesce(private.vat_rate_on(private.month_of(p.at)), 0) / 100), 2) else 0.00 end as discount_vat) r
    cross join lateral (values
      (1, 1, case when p.is_staff then 'salary' else 'charged' end, case when recovers then p.amount else p.total end, 0.00),
      (1, 2, 'vat', case when recovers then p.total - p.amount else 0.00 end, 0.00),
      (1, 3, p.use, 0.00, p.total),
      -- A payee abroad: the company owes the tax itself, and deducts it.
      (1, 4, case when private.is_in_eu(p.reverse ->> 'country') then 'vat_eu' else 'vat_abroad' end, coalesce((p.reverse ->> 'amount')::numeric, 0.00), 0.00),
      (1, 5, case when private.is_in_eu(p.reverse ->> 'country') then 'vat_eu_due' else 'vat_abroad_due' end, 0.00, coalesce((p.reverse ->> 'amount')::numeric, 0.00)),
      (2, 1, p.use, p.total, 0.00),
      (2, 2, 'paid_' || p.means, 0.00, p.total - r.discount_vat),
      (2, 3, 'vat_collected', 0.00, r.discount_vat)) x (step, place, use, debit, credit)
    where x.debit + x.credit > 0 and case when p.is_staff then case x.step when 1 then s.posts_payroll else (p.detail = 'virement' or p.is_debt) and s.posts_payments end
      else x.step = 1 or r.is_settled end
  ), pairs as (
    -- One letter a pair, of no other pair of its year: programs that know no auxiliary account match by it too.
    select p.id, private.letters(case when p.year = first_year then given else 0 end + row_number() over (partition by p.year order by p.at, p.id)) as letters
    from (select distinct i.id, i.at, date_trunc('year', i.at at time zone 'Europe/Paris') as year from steps i where i.is_lettered) p
  ), ends as (
    select (m.month + interval '1 month')::date as next_month
    from generate_series(from_::timestamp, (p_before - interval '1 month')::timestamp, interval '1 month') m (month)
    where s.accrues and extract(month from m.month) = s.year_ends_in
  ), earned as (
    select n.next_month, t.id as payee_id, t.name, t.code, d.amount
    from ends n
    cross join lateral (
      select e.payee_id, sum(case when e.credit in ('available', 'reserved', 'held') then e.amount else 0.00 end
        - case when e.debit in ('available', 'reserved', 'held') then e.amount else 0.00 end) as amount
      from public.ledger_entries e where e.at < private.month_start(n.next_month) group by e.payee_id) d
    join people t on t.id = d.payee_id and t.use <> 'salary_due'
    where d.amount > 0
  ), to_reverse as (
    select i.account_number, i.account_label, i.auxiliary_code, i.auxiliary_name, i.payee_id, i.use, sum(i.credit - i.debit) as amount
    from private.accounting_entries i where i.use in ('accrued', 'former')
    group by 1, 2, 3, 4, 5, 6 having sum(i.credit - i.debit) <> 0
  ), lines as (
    select p.at, 1 as rank, p.id, case when p.is_back then 3 - p.step else p.step end as step, p.place, p.line_use as use, p.payee_id,
      null::text as account_number, null::text as account_label,
      case when p.line_use = p.use then p.code end as code, case when p.line_use = p.use then p.name end as name, p.piece, p.piece_at,
      case when p.is_debt then case when p.is_back then '' else 'Annulation : ' end || case p.step when 2 then 'Remboursement ' else 'Commissions reprises ' end
        when p.step = 2 then case when p.is_back then 'Retour d’un paiement' else 'Paiement' end
          || case p.means when 'cheque_cadeau' then ' en chèque cadeau ' when 'association' then ' à une association ' when 'remise_societe' then ' en remise ' else ' par virement ' end
        when p.is_staff then 'Commissions (paie) '
        when p.is_theirs then case when p.is_back then 'Annulation de facture ' else 'Facture ' end
        when p.is_back then case when p.is_invoice then 'Avoir ' else 'Annulation de commissions ' end
        when p.is_invoice then 'Autofacture ' else 'Commissions ' end || p.name as label,
      case when p.is_back then p.takes else p.gives end as debit, case when p.is_back then p.gives else p.takes end as credit,
      case when p.is_lettered and p.line_use = p.use then r.letters end as lettering, case when p.is_lettered and p.line_use = p.use then p.at end as lettered_at
    from steps p left join pairs r on r.id = p.id
    union all
    select private.month_start(e.next_month) - k.before, k.rank, 0, 1, case k.rank when 2 then row_number() over w + 1 else row_number() over w end::integer,
      'accrued', e.payee_id, null, null, e.code, e.name, 'FNP-' || to_char(e.next_month - 1, 'YYYYMM'), private.month_start(e.next_month) - k.before,
      k.label || e.name, case k.rank when 0 then e.amount else 0.00 end, case k.rank when 2 then e.amount else 0.00 end, null, null
    from earned e
    cross join (values (2, interval '1 microsecond', 'Commissions à recevoir sur pièce '), (0, interval '0', 'Extourne ')) k (rank, before, label)
    where k.rank = 2 or e.next_month < p_before
    window w as (partition by e.next_month, k.rank order by e.name, e.payee_id)
    union all
    select private.month_start(e.next_month) - k.before, k.rank, 0, 1, case k.rank when 2 then 1 else count(*) + 1 end::integer,
      'charged', null, null, null, null, null, 'FNP-' || to_char(e.next_month - 1, 'YYYYMM'), private.month_start(e.next_month) - k.before,
      k.label, case k.rank when 2 then sum(e.amount) else 0.00 end, case k.rank when 0 then sum(e.amount) else 0.00 end, null, null
    from earned e
    cross join (values (2, interval '1 microsecond', 'Commissions à recevoir sur pièce'), (0, interval '0', 'Extourne des factures non parvenues')) k (rank, before, label)
    where k.rank = 2 or e.next_month < p_before
    group by e.next_month, k.rank, k.before, k.label
    union all
    -- A debt that a closed month holds without a document: earned at its end, or posted at the contract as was done once.
    select private.month_start(from_), 0, 0, 1, row_number() over (order by i.auxiliary_name, i.account_number, i.payee_id, i.use)::integer,
      i.use, i.payee_id, i.account_number, i.account_label, i.auxiliary_code, i.auxiliary_name, 'REPRISE-' || to_char(from_ - 1, 'YYYYMM'),
      private.month_start(from_), 'Extourne ' || i.auxiliary_name, greatest(i.amount, 0.00), greatest(-i.amount, 0.00), null, null
    from to_reverse i where from_ < p_before
    union all
    select private.month_start(from_), 0, 0, 1, count(*)::integer + 1, 'charged', null, null, null, null, null, 'REPRISE-' || to_char(from_ - 1, 'YYYYMM'),
      private.month_start(from_), 'Extourne des commissions sans pièce', greatest(-sum(i.amount), 0.00), greatest(sum(i.amount), 0.00), null, null
    from to_reverse i where from_ < p_before having sum(i.amount) <> 0
  )
  select coalesce(closed.last_number, 0) + dense_rank() over (order by l.at, l.rank, l.id, l.step), l.place, l.at, l.use, l.payee_id,
    coalesce(l.account_number, s.accounts -> l.use ->> 'number'), coalesce(l.account_label, s.accounts -> l.use ->> 'label'),
    l.code, l.name, l.piece, l.piece_at, l.label, l.debit, l.credit, l.lettering, l.lettered_at
  from lines l;
end
$$;

drop function private.set_payee_details(uuid, text, text, text, text, text, text, text, boolean, text, text, text, text, text, numeric, text);
create function private.set_payee_details(p_payee_id uuid, p_status text, p_legal_name text, p_street text, p_postal_code text, p_city text,
  p_siren text, p_rna text, p_charges_vat boolean, p_vat_number text, p_first_name text default null, p_last_name text default null,
  p_siret text default null, p_legal_form text default null, p_capital numeric default null, p_registry_city text default null,
  p_country text default null, p_number_abroad text default null) returns jsonb
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
      capital, registry_city, country, number_abroad, updated_at)
  values (payee.id, p_status, btrim(p_legal_name), btrim(p_first_name), btrim(p_last_name), btrim(p_street), p_postal_code, btrim(p_city),
    p_siren, p_siret, p_rna, p_charges_vat, p_vat_number, btrim(p_legal_form), p_capital, btrim(p_registry_city),
    coalesce(p_country, 'FR'), p_number_abroad, now())
  on conflict (payee_id) do update set
    (status, legal_name, first_name, last_name, street, postal_code, city, siren, siret, rna, charges_vat, vat_number, legal_form, capital,
      registry_city, country, number_abroad, updated_at)
      = (excluded.status, excluded.legal_name, excluded.first_name, excluded.last_name, excluded.street, excluded.postal_code, excluded.city,
        excluded.siren, excluded.siret, excluded.rna, excluded.charges_vat, excluded.vat_number, excluded.legal_form, excluded.capital,
        excluded.registry_city, excluded.country, excluded.number_abroad, excluded.updated_at),
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

drop function public.das2_payees(integer, uuid);
drop function private.das2_payees(integer, uuid);
create function private.das2_payees(p_year integer, p_payee_id uuid)
returns table (id uuid, full_name text, role text, status text, legal_name text, first_name text, last_name text, street text,
  postal_code text, city text, country text, siren text, siret text, rna text, paid numeric, gift_cards numeric, discounts numeric, counted numeric,
  is_employee boolean)
language plpgsql stable security definer set search_path = '' rows 1000 as $$
declare
  settings constant jsonb := private.das2_settings_shown();
begin
  if p_year is null or p_year not between 2000 and 2999 then perform private.refuse('invalid_input'); end if;
  return query
  select p.id, p.full_name, p.role, d.status, d.legal_name, d.first_name, d.last_name, d.street, d.postal_code, d.city, d.country, d.siren, d.siret,
    d.rna, s.paid, s.gift_cards, s.discounts,
    s.paid - case when (settings ->> 'counts_gift_cards')::boolean then 0 else s.gift_cards end
      - case when (settings ->> 'counts_discounts')::boolean then 0 else s.discounts end,
    coalesce(d.status = 'salarie', false)
  from (
    select m.payee_id, sum(m.amount) as paid,
      coalesce(sum(m.amount) filter (where m.method = 'cheque_cadeau'), 0) as gift_cards,
      coalesce(sum(m.amount) filter (where m.method = 'remise_societe'), 0) as discounts
    from (
      select r.client_id as payee_id, r.amount + coalesce(r.vat_amount, 0) as amount, r.payment_method as method
      from public.payment_requests r
      where r.status = 'paid' and r.paid_at >= private.month_start(make_date(p_year, 1, 1))
        and r.paid_at < private.month_start(make_date(p_year + 1, 1, 1))
        and (p_payee_id is null or r.client_id = p_payee_id)
      union all
      select q.payee_id, q.amount + coalesce(q.vat_amount, 0), null
      from public.paid_periods q
      where q.returned_at is null and q.paid_at >= private.month_start(make_date(p_year, 1, 1)) and q.paid_at < private.month_start(make_date(p_year + 1, 1, 1))
        and (p_payee_id is null or q.payee_id = p_payee_id)) m
    group by m.payee_id) s
  join public.profiles p on p.id = s.payee_id
  left join private.payee_details d on d.payee_id = p.id;
end
$$;
create function public.das2_payees(p_year integer, p_payee_id uuid default null)
returns table (id uuid, full_name text, role text, status text, legal_name text, first_name text, last_name text, street text,
  postal_code text, city text, country text, siren text, siret text, rna text, paid numeric, gift_cards numeric, discounts numeric, counted numeric,
  is_employee boolean)
language sql stable set search_path = '' rows 1000
as $$ select * from private.das2_payees(p_year, p_payee_id) $$;
alter function private.das2_payees(integer, uuid) owner to parrain_service;
grant execute on function private.das2_payees(integer, uuid), public.das2_payees(integer, uuid) to authenticated;

create or replace function private.payee_shown(p_payee_id uuid) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  payee public.profiles := private.payee_named(p_payee_id);
begin
  return jsonb_build_object('role', payee.role,
    'is_asked', coalesce((select s.issues_papers from private.paper_settings s), false) and payee.deactivated_at is null,
    'details', (select to_jsonb(d) - array['payee_id', 'updated_at', 'vat_accepted_by', 'regularity_dealt_at']
      from private.payee_details d where d.payee_id = payee.id),
    -- With whom the mandate is; null where none is asked for.
    'mandatary', case when private.may_be_self_billed(payee.id) then (
      select to_jsonb(s) - array['id', 'updated_at', 'issues_papers', 'vat_number', 'contest_days'] from private.paper_settings s) end,
    'mandate', (select jsonb_build_object('version', m.version, 'text', m.text, 'accepted_at', m.accepted_at, 'revoked_at', m.revoked_at,
        'is_in_force', m.id is not distinct from private.mandate_in_force(payee.id))
      from private.mandates m where m.payee_id = payee.id order by m.id desc limit 1),
    -- What keeps a business abroad from being paid, and the number that its invoice names the company by.
    'reverse_charge_obstacle', private.reverse_charge_obstacle(),
    'company_vat_number', (select s.vat_number from private.paper_settings s, private.payee_details d
      where s.issues_papers and d.payee_id = payee.id and private.is_reverse_charged(d)));
end
$$;

create or replace view public.transfers_to_make with (security_invoker = true) as
  select r.id, r.client_id, p.full_name as client_name, (r.amount + coalesce(r.vat_amount, 0))::numeric(12, 2) as amount,
    r.payment_details ->> 'beneficiary_name' as beneficiary,
    r.payment_details ->> 'iban' as iban, r.created_at, r.is_test,
    case when p.deactivated_at is not null then 'closed'
      when b.earned - b.reversed - b.held - b.reserved - b.paid < 0 then 'debt'
      when private.is_payee_incomplete(r.client_id) then 'incomplete'
      when private.abroad_obstacle(r.client_id) is not null then 'abroad'
      when coalesce(btrim(r.payment_details ->> 'iban'), '') = '' then 'no_iban'
      when coalesce(btrim(r.payment_details ->> 'beneficiary_name'), '') = '' then 'no_name'
      when private.is_outside_eea(r.payment_details ->> 'iban') and coalesce(r.payment_details ->> 'bic', '') = '' then 'no_bic'
      when exists (select from public.payee_invoices n where n.request_id = r.id and n.status = 'sent') then 'invoice'
      when i.usable_from > now() then 'iban' end as obstacle,
    case when i.usable_from > now() then i.usable_from end as iban_usable_from,
    private.sharers_of_iban(i.mark, r.client_id) as iban_shared_with, null::date as month, public.standing(r) as standing
  from public.payment_requests r
  join public.profiles p on p.id = r.client_id
  join public.balances b on b.profile_id = r.client_id
  left join public.payee_ibans i on i.id = r.iban_id
  where r.status = 'approved' and r.payment_method = 'virement'
    and not exists (select from public.payment_batch_lines l where l.request_id = r.id and l.status in ('queued', 'paid'))
  union all
  -- The last month that is over of each commercial, with what those before it left: it stands under the payee's id.
  select p.id, p.id, p.full_name,
    (d.due + case when t.is_transfer then coalesce(private.vat_of(d.due, private.vat_rate_of(p.id)), 0) else 0 end)::numeric(12, 2),
    a.holder, a.iban, private.month_start(private.last_month_begun()), d.is_test,
    case when not t.is_transfer then case when private.is_payee_known(p.id) then 'payroll' else 'no_status' end
      when p.deactivated_at is not null then 'closed'
      when private.abroad_obstacle(p.id) is not null then 'abroad'
      when a.id is null then 'no_iban'
      when private.is_outside_eea(a.iban) and a.bic is null then 'no_bic'
      when i.usable_from > now() then 'iban' end,
    case when i.usable_from > now() then i.usable_from end,
    private.sharers_of_iban(i.mark, p.id), d.month,
    (select coalesce(jsonb_agg(jsonb_build_object('code', 'case', 'case_id', w.case_id, 'case_status', w.case_status) order by w.case_id), '[]')
      from private.weighing_cases(null, null, array[p.id]) w)
  from public.months_to_pay d
  join public.profiles p on p.id = d.payee_id
  cross join lateral (select private.is_paid_by_transfer(p.id) as is_transfer) t
  left join lateral private.bank_account_of(p.id) a on true
  left join public.payee_ibans i on i.id = a.iban_id
  where not exists (select from public.payment_batch_lines l where l.payee_id = p.id and l.status = 'queued');

create or replace function public.standing(public.payment_requests) returns jsonb
language sql stable
begin atomic
  select coalesce(jsonb_agg(jsonb_strip_nulls(s.said) order by s.place), '[]') from (
    select 1 as place, jsonb_build_object('code', 'closed') as said from public.profiles p
      where p.id = $1.client_id and p.deactivated_at is not null
    union all
    select 2, jsonb_build_object('code', 'debt') from public.balances b
      where b.profile_id = $1.client_id and b.earned - b.reversed - b.held - b.reserved - b.paid < 0
    union all
    select 3, jsonb_build_object('code', 'incomplete') where private.is_payee_incomplete($1.client_id)
    union all
    select 4, jsonb_build_object('code', 'case', 'case_id', w.case_id, 'case_status', w.case_status,
        'is_held', (select c.hold_doubtful from public.company_settings c))
      from private.weighing_cases(null, $1.id, array[$1.client_id]) w
    union all
    select 5, jsonb_build_object('code', 'batch', 'batch_id', b.id, 'batch_number', b.number)
      from public.payment_batch_lines l join public.payment_batches b on b.id = l.batch_id
      where l.request_id = $1.id and l.status = 'queued'
    union all
    select 6, jsonb_build_object('code', 'iban', 'from', i.usable_from) from public.payee_ibans i
      where i.id = $1.iban_id and i.usable_from > private.now()
    union all
    select 7, jsonb_build_object('code', 'shared_iban', 'names', h.names)
      from public.payee_ibans i cross join lateral private.sharers_of_iban(i.mark, i.client_id) h (names)
      where i.id = $1.iban_id and h.names is not null
    union all
    select 8, jsonb_build_object('code', 'vat') where $1.payment_method = 'virement' and $1.vat_rate is null
      and private.is_vat_waiting($1.client_id)
    union all
    select 9, jsonb_build_object('code', 'abroad') where private.abroad_obstacle($1.client_id) is not null
    union all
    select 10, jsonb_build_object('code', 'invoice') from public.payee_invoices i where i.request_id = $1.id and i.status = 'sent'
  ) s
  where $1.status in ('pending', 'approved');
end;

do $$
declare
  f regprocedure;
begin
  foreach f in array array['private.reverse_charge_obstacle()', 'private.is_reverse_charged(private.payee_details)', 'private.abroad_obstacle(uuid)',
      'private.guard_payee_abroad()', 'private.reverse_charge_on_paper(text, uuid, uuid, uuid, numeric, text)',
      'private.set_payee_details(uuid, text, text, text, text, text, text, text, boolean, text, text, text, text, text, numeric, text, text, text)']::regprocedure[] loop
    execute format('revoke all on function %s from public', f);
    execute format('alter function %s owner to parrain_service', f);
  end loop;
end
$$;
grant execute on function private.abroad_obstacle(uuid) to authenticated, service_role;
grant execute on function private.set_payee_details(uuid, text, text, text, text, text, text, text, boolean, text, text, text, text, text, numeric,
  text, text, text) to authenticated;
