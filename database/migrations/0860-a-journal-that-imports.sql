-- AC-02, AC-03, AC-06: the journal says what an accountant posts (decision 0096). The charge and the debt stand on the document of a
-- payment, the payment against a transit account, both lettered; so does a debt that is repaid (AC-05); what is earned and not paid at the end of a financial year stands in 408
-- by setting. The lines of a closed month are kept as they were closed.

-- An older chart has accounts that nothing is posted to any more; it stays one.
create or replace function private.is_chart(p_accounts jsonb) returns boolean
language sql immutable set search_path = ''
return coalesce(jsonb_typeof(p_accounts) = 'object'
  and p_accounts ?& array['charged', 'client', 'commercial', 'paid_association', 'paid_cheque_cadeau', 'paid_remise_societe', 'paid_virement']
  and (select bool_and(a.key in ('charged', 'client', 'commercial', 'paid_virement', 'paid_cheque_cadeau', 'paid_association', 'paid_remise_societe',
        'vat', 'vat_collected', 'accrued', 'salary', 'salary_due', 'held', 'adjusted', 'paid_paie', 'other')
      and coalesce(a.value ->> 'number' ~ '^[1-7][0-9]{2}[0-9A-Z]{0,9}$', false)
      and coalesce(private.is_line(a.value ->> 'label', 100) and btrim(a.value ->> 'label') <> '', false))
    from jsonb_each(p_accounts) a), false);

alter table private.accounting_settings
  add column posts_payments boolean not null default true,
  add column posts_payroll boolean not null default false,
  add column accrues boolean not null default false,
  add column year_ends_in integer not null default 12
    constraint accounting_settings_year_ends_in_a_month check (year_ends_in between 1 and 12);

-- The number of transfers of the ledger up to the month's end; null for a month that was closed when an entry was a transfer.
alter table private.accounting_months add column transfers bigint;

-- The code of a payee in the accountant's own books.
create table private.accounting_codes (
  payee_id uuid primary key references public.profiles (id) on delete cascade,
  code text not null,
  constraint accounting_codes_code_is_one check (code ~ '^[0-9A-Z]{1,17}$'),
  constraint accounting_codes_are_of_one_payee unique (code)
);

-- The lines of the closed months. `use` is the account's use in the settings, or `former` for a debt that was posted at the contract.
create table private.accounting_entries (
  number bigint not null,
  place integer not null,
  month date not null references private.accounting_months (month) on delete cascade,
  at timestamptz not null,
  use text not null,
  payee_id uuid references public.profiles (id) on delete restrict,
  account_number text not null,
  account_label text not null,
  auxiliary_code text,
  auxiliary_name text,
  piece text not null,
  piece_at timestamptz not null,
  label text not null,
  debit numeric(14, 2) not null,
  credit numeric(14, 2) not null,
  lettering text,
  lettered_at timestamptz,
  primary key (number, place),
  constraint accounting_entries_have_one_side check ((debit > 0) <> (credit > 0) and debit >= 0 and credit >= 0)
);
create index accounting_entries_by_month on private.accounting_entries (month, number, place);
create index accounting_entries_by_payee on private.accounting_entries (payee_id);
create index accounting_entries_to_reverse on private.accounting_entries (use) where use in ('accrued', 'former');

do $$
declare
  name text;
begin
  foreach name in array array['accounting_codes', 'accounting_entries'] loop
    execute format('alter table private.%I enable row level security', name);
    execute format('alter table private.%I force row level security', name);
    execute format('create policy %I on private.%I to parrain_service using (true) with check (true)', name || '_service_all', name);
    execute format('grant select, insert, update, delete on private.%I to parrain_service', name);
  end loop;
end
$$;

create or replace function private.guard_accounting() returns trigger
language plpgsql set search_path = '' as $$
begin
  if tg_op = 'DELETE' and private.is_cleaning() and tg_table_name in ('accounting_months', 'accounting_entries') then return old; end if;
  perform private.refuse('forbidden');
end
$$;

-- What is closed keeps its bytes: its lines as they were read from the ledger until now, two a transfer.
set local role parrain_service;
insert into private.accounting_entries (number, place, month, at, use, payee_id, account_number, account_label, auxiliary_code, auxiliary_name,
  piece, piece_at, label, debit, credit)
select n.number, k.side, m.month, n.at, case when k.is_payees then 'former' else k.account end, n.payee_id,
  coalesce(s.accounts -> k.used, s.accounts -> 'other') ->> 'number', coalesce(s.accounts -> k.used, s.accounts -> 'other') ->> 'label',
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
  case when k.side = 1 then n.amount else 0.00 end, case when k.side = 2 then n.amount else 0.00 end
from (
  select e.*, q.sale_id, row_number() over (order by e.at, e.id) as number
  from public.ledger_entries e left join public.commission_payments q on q.id = e.source_id
  where e.at < private.month_start(((select max(m.month) from private.accounting_months m) + interval '1 month')::date)
    and private.is_accounted(e.debit, e.credit)) n
join public.profiles p on p.id = n.payee_id
join private.accounting_months m on m.month = private.month_of(n.at)
join private.accounting_settings s on s.id = m.settings_id
left join private.accounting_payees y on y.payee_id = n.payee_id
cross join lateral (
  select o.side, o.account, o.account in ('available', 'reserved', 'held') as is_payees,
    case when o.account in ('available', 'reserved') then p.role when o.account in ('paid', 'vat_paid') then 'paid_' || n.detail else o.account end as used
  from (values (1, n.debit), (2, n.credit)) o (side, account)) k;

-- The bank stands in the books of the bank: a payment goes through a transit account, unless the company chose another one.
insert into private.accounting_settings (journal_code, journal_label, accounts, set_by)
select s.journal_code, s.journal_label, (s.accounts - array['held', 'adjusted', 'paid_paie', 'other'])
  || (select coalesce(jsonb_object_agg(k.use, '{"number": "471000", "label": "Compte d’attente"}'::jsonb), '{}')
    from unnest(array['paid_virement', 'paid_association']) k (use) where s.accounts #>> array[k.use, 'number'] = '512000')
  || jsonb_build_object('vat', coalesce(s.accounts -> 'vat', '{"number": "445660", "label": "TVA sur autres biens et services"}'),
    'vat_collected', '{"number": "445710", "label": "TVA collectée"}'::jsonb,
    'accrued', '{"number": "408100", "label": "Fournisseurs, factures non parvenues"}'::jsonb,
    'salary', '{"number": "641000", "label": "Rémunérations du personnel"}'::jsonb,
    'salary_due', '{"number": "428600", "label": "Personnel, autres charges à payer"}'::jsonb), null
from private.accounting_settings s order by s.id desc limit 1;
reset role;

create trigger accounting_entries_guard before delete or update on private.accounting_entries
  for each row execute function private.guard_accounting();
create trigger accounting_entries_stay before truncate on private.accounting_entries
  for each statement execute function private.guard_accounting();
drop table private.accounting_payees;

-- « A » to « Z », then « AA ».
create function private.letters(p_number bigint) returns text
language plpgsql immutable set search_path = '' as $$
declare
  rest bigint := p_number;
  letters text := '';
begin
  while rest > 0 loop
    letters := chr(65 + ((rest - 1) % 26)::integer) || letters;
    rest := (rest - 1) / 26;
  end loop;
  return letters;
end
$$;

-- The lines of the months that are open, up to a day: of each payment its document and its settlement, of each financial year's end what is
-- earned and not paid, and what takes that back on the first day after it. In a return the settlement is taken back first.
create function private.open_entries(p_before date)
returns table (number bigint, place integer, at timestamptz, use text, payee_id uuid, account_number text, account_label text, auxiliary_code text,
  auxiliary_name text, piece text, piece_at timestamptz, label text, debit numeric, credit numeric, lettering text, lettered_at timestamptz)
language plpgsql stable security definer set search_path = '' rows 1000 as $$
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
      coalesce(q.series, o.series) ~ '^T?[FA][0-9]' as is_invoice,
      coalesce(q.label, o.label, case when b.id is null then 'DEM-' else 'PAIE-' end || upper(left(e.source_id::text, 8))) as piece,
      coalesce(private.month_start(coalesce(q.issued_on, o.issued_on)), e.at) as piece_at
    from public.ledger_entries e
    join people t on t.id = e.payee_id
    left join public.ledger_entries v on v.source_id = e.source_id and v.act = case when e.debit = 'paid' then 'vat_return' else 'vat' end
    left join public.paid_periods b on b.id = e.source_id
    left join public.papers q on q.request_id = e.source_id and q.series ~ '^T?A' = (e.debit = 'paid')
    left join public.papers o on o.period_id = e.source_id and o.series ~ '^T?A' = (e.debit = 'paid')
    where e.at >= private.month_start(from_) and e.at < private.month_start(p_before) and (e.credit = 'paid' or e.debit = 'paid')
    union all
    -- Money that comes in from a payee takes its commission out of the charge.
    select e.id, e.at, e.payee_id, null, e.act = 'repayment', true, e.amount, e.amount, t.name, t.code, t.use, t.use = 'salary_due', 'virement', false,
      'REMB-' || upper(left(e.source_id::text, 8)), e.at
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

-- The journal's lines in the columns of the FEC: of closed months as they are kept, of open ones as the ledger makes them.
drop function private.accounting_lines(date, date);
create function private.accounting_lines(p_from date, p_before date)
returns table ("JournalCode" text, "JournalLib" text, "EcritureNum" bigint, "EcritureDate" timestamptz, "CompteNum" text, "CompteLib" text,
  "CompAuxNum" text, "CompAuxLib" text, "PieceRef" text, "PieceDate" timestamptz, "EcritureLib" text, "Debit" numeric, "Credit" numeric,
  "EcritureLet" text, "DateLet" timestamptz, "ValidDate" timestamptz, "Montantdevise" text, "Idevise" text, side integer)
language plpgsql stable security definer set search_path = '' rows 1000 as $$
declare
  me uuid := private.require_role('admin', 'comptable');
begin
  return query
  select s.journal_code, s.journal_label, i.number, i.at, i.account_number, i.account_label, i.auxiliary_code, i.auxiliary_name, i.piece, i.piece_at,
    i.label, i.debit, i.credit, i.lettering, i.lettered_at, i.closed_at, null::text, null::text, i.place
  from (
    select e.number, e.place, e.at, e.account_number, e.account_label, e.auxiliary_code, e.auxiliary_name, e.piece, e.piece_at, e.label,
      e.debit, e.credit, e.lettering, e.lettered_at, m.closed_at, m.settings_id
    from private.accounting_entries e join private.accounting_months m on m.month = e.month
    where e.month >= p_from and e.month < p_before
    union all
    select o.number, o.place, o.at, o.account_number, o.account_label, o.auxiliary_code, o.auxiliary_name, o.piece, o.piece_at, o.label,
      o.debit, o.credit, o.lettering, o.lettered_at, null, (select max(l.id) from private.accounting_settings l)
    from private.open_entries(p_before) o where o.at >= private.month_start(p_from)) i
  join private.accounting_settings s on s.id = i.settings_id;
end
$$;

create or replace function private.accounting_total(p_from date, p_before date) returns table (lines bigint, total numeric)
language plpgsql stable security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
begin
  return query select count(*), coalesce(sum(l."Debit"), 0.00) from private.accounting_lines(p_from, p_before) l;
end
$$;

create or replace function private.close_accounting_months(p_until date) returns integer
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  before_ constant date := (p_until + interval '1 month')::date;
  last private.accounting_months;
  from_ date;
  closed integer;
begin
  if extract(day from p_until) <> 1 or p_until >= private.month_of(private.now()) then perform private.refuse('accounting_month_not_over'); end if;
  lock table private.accounting_settings, private.accounting_months, public.ledger_entries in share row exclusive mode;
  select * into last from private.accounting_months m order by m.month desc limit 1;
  from_ := coalesce((last.month + interval '1 month')::date, (select private.month_of(min(e.at)) from public.ledger_entries e), p_until);
  with lines as materialized (select o.* from private.open_entries(before_) o),
  months as (
    insert into private.accounting_months (month, settings_id, last_number, transfers, closed_at, closed_by)
    select k.month::date, (select max(s.id) from private.accounting_settings s),
      coalesce((select max(l.number) from lines l where l.at < private.month_start((k.month + interval '1 month')::date)), last.last_number, 0),
      (select count(*) from public.ledger_entries e
        where e.at < private.month_start((k.month + interval '1 month')::date) and private.is_accounted(e.debit, e.credit)),
      private.now(), me
    from generate_series(from_::timestamp, p_until::timestamp, interval '1 month') k (month)
    returning month),
  kept as (
    insert into private.accounting_entries (number, place, month, at, use, payee_id, account_number, account_label, auxiliary_code, auxiliary_name,
      piece, piece_at, label, debit, credit, lettering, lettered_at)
    select l.number, l.place, private.month_of(l.at), l.at, l.use, l.payee_id, l.account_number, l.account_label, l.auxiliary_code, l.auxiliary_name,
      l.piece, l.piece_at, l.label, l.debit, l.credit, l.lettering, l.lettered_at from lines l)
  select count(*) into closed from months;
  if closed > 0 then
    perform private.append_audit('company_settings', '00000000-0000-0000-0000-000000000001', 'update', null,
      jsonb_build_object('accounting_closed', to_char(p_until, 'YYYY-MM')), null);
  end if;
  return closed;
end
$$;

create or replace function private.accounting_shown() returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin', 'comptable');
begin
  return (select jsonb_build_object('journal_code', s.journal_code, 'journal_label', s.journal_label, 'accounts', s.accounts,
      'posts_payments', s.posts_payments, 'posts_payroll', s.posts_payroll, 'accrues', s.accrues, 'year_ends_in', s.year_ends_in,
      -- Commercials whom the journal takes for employees because nobody has said their status.
      'without_status', (select count(*) from public.profiles p where p.role = 'commercial' and p.deactivated_at is null
        and not exists (select from private.payee_details d where d.payee_id = p.id)),
      'closed_until', (select max(m.month) from private.accounting_months m))
    from private.accounting_settings s order by s.id desc limit 1);
end
$$;

drop function private.accounting_words(text, text, jsonb);
create function private.accounting_words(s private.accounting_settings) returns text
language sql stable set search_path = ''
return s.journal_code || ' ' || s.journal_label || ' · '
  || (select string_agg((a.value ->> 'number') || ' ' || (a.value ->> 'label'), ' · ' order by a.key) from jsonb_each(s.accounts) a)
  || case when s.posts_payments then '' else ' · sans les paiements' end || case when s.posts_payroll then ' · avec les salariés' else '' end
  || case when s.accrues then ' · factures non parvenues en fin d’exercice' else '' end || ' · exercice clos au mois ' || s.year_ends_in::text;

-- A node of the version before says accounts alone: what it does not know stays.
drop function private.set_accounting(text, text, jsonb);
create function private.set_accounting(p_journal_code text, p_journal_label text, p_accounts jsonb, p_posts_payments boolean default null,
  p_posts_payroll boolean default null, p_accrues boolean default null, p_year_ends_in integer default null) returns void
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  before private.accounting_settings;
  after private.accounting_settings;
begin
  lock table private.accounting_settings in share row exclusive mode;
  select * into before from private.accounting_settings s order by s.id desc limit 1;
  after := before;
  after.journal_code := p_journal_code;
  after.journal_label := btrim(p_journal_label);
  after.accounts := before.accounts || p_accounts;
  after.posts_payments := coalesce(p_posts_payments, before.posts_payments);
  after.posts_payroll := coalesce(p_posts_payroll, before.posts_payroll);
  after.accrues := coalesce(p_accrues, before.accrues);
  after.year_ends_in := coalesce(p_year_ends_in, before.year_ends_in);
  if before = after then return; end if;
  insert into private.accounting_settings (journal_code, journal_label, accounts, posts_payments, posts_payroll, accrues, year_ends_in, set_by)
  values (after.journal_code, after.journal_label, after.accounts, after.posts_payments, after.posts_payroll, after.accrues, after.year_ends_in, me);
  perform private.append_audit('company_settings', '00000000-0000-0000-0000-000000000001', 'update',
    jsonb_build_object('accounting', private.accounting_words(before)), jsonb_build_object('accounting', private.accounting_words(after)), null);
end
$$;

-- The payees whom the journal names, by name, with their code: the chosen one, or the beginning of their id.
create function private.accounting_codes_shown(p_search text)
returns table (payee_id uuid, name text, email text, code text, is_chosen boolean)
language plpgsql stable security definer set search_path = '' rows 50 as $$
declare
  me uuid := private.require_role('admin', 'comptable');
begin
  return query
  select p.id, coalesce(d.legal_name, p.full_name), p.email, coalesce(k.code, upper(left(p.id::text, 8))), k.code is not null
  from public.profiles p
  left join private.payee_details d on d.payee_id = p.id
  left join private.accounting_codes k on k.payee_id = p.id
  where p.role in ('client', 'commercial') and exists (select from public.ledger_entries e where e.payee_id = p.id)
    and (p_search = '' or private.plain_letters(coalesce(d.legal_name, p.full_name) || ' ' || p.email || ' ' || coalesce(k.code, '')) ilike
      '%' || replace(replace(private.plain_letters(p_search), '\', '\\'), '%', '\%') || '%')
  order by 2, p.id limit 50;
end
$$;

-- None where the code is taken back.
create function private.set_accounting_code(p_payee_id uuid, p_code text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  payee public.profiles := private.payee_named(p_payee_id);
  before constant text := (select k.code from private.accounting_codes k where k.payee_id = payee.id);
begin
  if before is not distinct from p_code then return; end if;
  if p_code is null then
    delete from private.accounting_codes k where k.payee_id = payee.id;
  else
    insert into private.accounting_codes as k (payee_id, code) values (payee.id, p_code) on conflict (payee_id) do update set code = excluded.code;
  end if;
  perform private.append_audit('profiles', payee.id, 'update', jsonb_build_object('accounting_code', before),
    jsonb_build_object('accounting_code', p_code), null);
exception when unique_violation then
  perform private.refuse('accounting_code_taken');
end
$$;

alter function private.open_entries(date) owner to parrain_service;
alter function private.accounting_lines(date, date) owner to parrain_service;
alter function private.set_accounting(text, text, jsonb, boolean, boolean, boolean, integer) owner to parrain_service;
alter function private.accounting_codes_shown(text) owner to parrain_service;
alter function private.set_accounting_code(uuid, text) owner to parrain_service;
grant execute on function private.letters(bigint), private.accounting_words(private.accounting_settings), private.open_entries(date) to parrain_service;
grant execute on function private.accounting_lines(date, date), private.set_accounting(text, text, jsonb, boolean, boolean, boolean, integer),
  private.accounting_codes_shown(text), private.set_accounting_code(uuid, text) to authenticated;
