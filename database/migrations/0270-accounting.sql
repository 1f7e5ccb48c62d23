-- EX-02: the ledger as an accounting journal. Its accounts are settings, its past months are closed; what is closed stays as it is.

-- Exactly the accounts that a transfer needs, each a number of the French chart and its words.
create function private.is_chart(p_accounts jsonb) returns boolean
language sql immutable set search_path = ''
return coalesce(jsonb_typeof(p_accounts) = 'object'
  and (select array_agg(k order by k) from jsonb_object_keys(p_accounts) k)
    = array['charged', 'client', 'commercial', 'held', 'other', 'paid_association', 'paid_cheque_cadeau', 'paid_remise_societe', 'paid_virement']
  and (select bool_and(coalesce(a.value ->> 'number' ~ '^[1-7][0-9]{2}[0-9A-Z]{0,9}$', false)
      and coalesce(private.is_line(a.value ->> 'label', 100) and btrim(a.value ->> 'label') <> '', false))
    from jsonb_each(p_accounts) a), false);

-- Each change is a new row: a closed month keeps the row it was closed with. The last one holds.
create table private.accounting_settings (
  id bigint generated always as identity primary key,
  journal_code text not null,
  journal_label text not null,
  accounts jsonb not null,
  set_at timestamptz not null default now(),
  set_by uuid,
  constraint accounting_settings_journal_code_is_one check (journal_code ~ '^[0-9A-Z]{1,10}$'),
  constraint accounting_settings_journal_label_is_a_line check (private.is_line(journal_label, 100) and btrim(journal_label) <> ''),
  constraint accounting_settings_accounts_are_a_chart check (private.is_chart(accounts))
);

-- A month whose entries are final: no other may come into it. Numbers go on without end: that of a month's last entry is kept.
create table private.accounting_months (
  month date primary key,
  settings_id bigint not null references private.accounting_settings (id) on delete restrict,
  last_number bigint not null,
  closed_at timestamptz not null,
  closed_by uuid,
  constraint accounting_months_month_is_its_first_day check (extract(day from month) = 1),
  constraint accounting_months_last_number_is_not_negative check (last_number >= 0)
);

-- A payee's name as the first month that was closed with it had it.
create table private.accounting_payees (
  payee_id uuid primary key references public.profiles (id) on delete cascade,
  name text not null
);

do $$
declare
  name text;
begin
  foreach name in array array['accounting_settings', 'accounting_months', 'accounting_payees'] loop
    execute format('alter table private.%I enable row level security', name);
    execute format('alter table private.%I force row level security', name);
    execute format('create policy %I on private.%I to parrain_service using (true) with check (true)', name || '_service_all', name);
    execute format('grant select, insert, update, delete on private.%I to parrain_service', name);
  end loop;
end
$$;

grant execute on function private.is_chart(jsonb) to parrain_service;
set local role parrain_service;
insert into private.accounting_settings (journal_code, journal_label, accounts) values ('PAR', 'Parrainage', '{
  "charged": {"number": "622200", "label": "Commissions et courtages sur ventes"},
  "held": {"number": "468600", "label": "Charges à payer"},
  "client": {"number": "467000", "label": "Autres comptes débiteurs ou créditeurs"},
  "commercial": {"number": "401000", "label": "Fournisseurs"},
  "paid_virement": {"number": "512000", "label": "Banques"},
  "paid_cheque_cadeau": {"number": "467100", "label": "Chèques cadeaux à remettre"},
  "paid_association": {"number": "512000", "label": "Banques"},
  "paid_remise_societe": {"number": "709700", "label": "Rabais, remises et ristournes accordés"},
  "other": {"number": "471000", "label": "Compte d’attente"}}');
reset role;

-- Between what is available and what is asked for, a payee's account does not move.
create function private.is_accounted(p_debit text, p_credit text) returns boolean
language sql immutable set search_path = ''
return not (p_debit in ('available', 'reserved') and p_credit in ('available', 'reserved'));

create function private.guard_accounting() returns trigger
language plpgsql set search_path = '' as $$
begin
  if tg_op = 'DELETE' and private.is_cleaning() and tg_table_name = 'accounting_months' then return old; end if;
  perform private.refuse('forbidden');
end
$$;
create trigger accounting_settings_guard before update or delete on private.accounting_settings
  for each row execute function private.guard_accounting();
create trigger accounting_settings_stay before truncate on private.accounting_settings
  for each statement execute function private.guard_accounting();
create trigger accounting_months_guard before update or delete on private.accounting_months
  for each row execute function private.guard_accounting();
create trigger accounting_months_stay before truncate on private.accounting_months
  for each statement execute function private.guard_accounting();

-- An act whose day is in a closed month is refused: it would change what the accountant has.
create function private.guard_closed_months() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if exists (select from new_rows n where n.at < (
      select private.month_start((max(m.month) + interval '1 month')::date) from private.accounting_months m)) then
    perform private.refuse('accounting_month_closed');
  end if;
  return null;
end
$$;
create trigger ledger_entries_of_open_months after insert on public.ledger_entries
  referencing new table as new_rows for each statement execute function private.guard_closed_months();

-- Transfers are deleted by a cleaning of test data alone: the months that had some are open again.
create function private.reopen_accounting() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  delete from private.accounting_months m where m.month >= (select private.month_of(min(o.at)) from old_rows o);
  return null;
end
$$;
create trigger ledger_entries_reopen after delete on public.ledger_entries
  referencing old table as old_rows for each statement execute function private.reopen_accounting();

create function private.set_accounting(p_journal_code text, p_journal_label text, p_accounts jsonb) returns void
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  before private.accounting_settings;
begin
  lock table private.accounting_settings in share row exclusive mode;
  select * into before from private.accounting_settings s order by s.id desc limit 1;
  if (before.journal_code, before.journal_label, before.accounts) = (p_journal_code, btrim(p_journal_label), p_accounts) then return; end if;
  insert into private.accounting_settings (journal_code, journal_label, accounts, set_by)
  values (p_journal_code, btrim(p_journal_label), p_accounts, me);
  perform private.append_audit('company_settings', '00000000-0000-0000-0000-000000000001', 'update',
    jsonb_build_object('accounting', private.accounting_words(before.journal_code, before.journal_label, before.accounts)),
    jsonb_build_object('accounting', private.accounting_words(p_journal_code, btrim(p_journal_label), p_accounts)), null);
end
$$;

-- « PAR Parrainage · 401000 Fournisseurs · … », for the trail.
create function private.accounting_words(p_code text, p_label text, p_accounts jsonb) returns text
language sql immutable set search_path = ''
return p_code || ' ' || p_label || ' · ' || (
  select string_agg((a.value ->> 'number') || ' ' || (a.value ->> 'label'), ' · ' order by a.key) from jsonb_each(p_accounts) a);

-- Closes every month up to this one that is not closed yet. Whoever is posting is waited for.
create function private.close_accounting_months(p_until date) returns integer
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  from_ date;
  closed integer;
begin
  if extract(day from p_until) <> 1 or p_until >= private.month_of(private.now()) then perform private.refuse('accounting_month_not_over'); end if;
  lock table private.accounting_settings, private.accounting_months, public.ledger_entries in share row exclusive mode;
  select coalesce((select (max(m.month) + interval '1 month')::date from private.accounting_months m),
    (select private.month_of(min(e.at)) from public.ledger_entries e), p_until) into from_;
  insert into private.accounting_months (month, settings_id, last_number, closed_at, closed_by)
  select k.month::date, (select max(s.id) from private.accounting_settings s),
    (select count(*) from public.ledger_entries e
      where e.at < private.month_start((k.month + interval '1 month')::date) and private.is_accounted(e.debit, e.credit)),
    private.now(), me
  from generate_series(from_::timestamp, p_until::timestamp, interval '1 month') k (month);
  get diagnostics closed = row_count;
  insert into private.accounting_payees (payee_id, name)
  select p.id, p.full_name from public.profiles p
  where exists (select from public.ledger_entries e where e.payee_id = p.id and e.at < private.month_start((p_until + interval '1 month')::date))
  on conflict (payee_id) do nothing;
  if closed > 0 then
    perform private.append_audit('company_settings', '00000000-0000-0000-0000-000000000001', 'update', null,
      jsonb_build_object('accounting_closed', to_char(p_until, 'YYYY-MM')), null);
  end if;
  return closed;
end
$$;

-- The journal's name and accounts, and the last closed month, as admins see them.
create function private.accounting_shown() returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
begin
  return (select jsonb_build_object('journal_code', s.journal_code, 'journal_label', s.journal_label, 'accounts', s.accounts,
      'closed_until', (select max(m.month) from private.accounting_months m))
    from private.accounting_settings s order by s.id desc limit 1);
end
$$;

-- Two lines of each transfer, its debit first, numbered from the ledger's beginning. A closed month has the accounts and the names that
-- it was closed with. Nothing in it comes from what people typed but the names of payees.
create function private.accounting_lines(p_from date, p_before date)
returns table ("JournalCode" text, "JournalLib" text, "EcritureNum" bigint, "EcritureDate" timestamptz, "CompteNum" text, "CompteLib" text,
  "CompAuxNum" text, "CompAuxLib" text, "PieceRef" text, "PieceDate" timestamptz, "EcritureLib" text, "Debit" numeric, "Credit" numeric,
  "EcritureLet" text, "DateLet" text, "ValidDate" timestamptz, "Montantdevise" text, "Idevise" text, side integer)
language plpgsql stable security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  from_ constant timestamptz := p_from::timestamp at time zone 'Europe/Paris';
  before_ constant timestamptz := p_before::timestamp at time zone 'Europe/Paris';
  base constant bigint := (select count(*) from public.ledger_entries b where b.at < from_ and private.is_accounted(b.debit, b.credit));
begin
  return query
  select coalesce(s.journal_code, c.journal_code), coalesce(s.journal_label, c.journal_label), n.number, n.at,
    k.account ->> 'number', k.account ->> 'label',
    case when k.is_payees then upper(left(n.payee_id::text, 8)) end, case when k.is_payees then coalesce(y.name, p.full_name) end,
    upper(case when n.sale_id is null then 'DEM-' || left(n.source_id::text, 8) else 'CTR-' || left(n.sale_id::text, 8) end), n.at,
    case n.act when 'validation' then 'Commission' when 'correction' then 'Reprise de commission'
        when 'release' then 'Fin du délai d’une commission' when 'settlement' then 'Paiement' else 'Mouvement (' || n.act || ')' end
      || case n.detail when 'client' then ' du client' when 'commercial' then ' du commercial' when 'virement' then ' par virement'
        when 'cheque_cadeau' then ' en chèque cadeau' when 'association' then ' à une association' when 'remise_societe' then ' en remise'
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
      coalesce(s.accounts, c.accounts) -> case
        when o.account in ('available', 'reserved') then p.role
        when o.account in ('charged', 'held') then o.account
        when o.account = 'paid' then 'paid_' || n.detail
        else 'other' end as account
    from (values (1, n.debit), (2, n.credit)) o (side, account)) k;
end
$$;

do $$
declare
  name text;
begin
  foreach name in array array['private.set_accounting(text, text, jsonb)', 'private.close_accounting_months(date)',
      'private.accounting_shown()', 'private.accounting_lines(date, date)',
      'private.guard_closed_months()', 'private.reopen_accounting()'] loop
    execute format('alter function %s owner to parrain_service', name);
  end loop;
end
$$;
grant execute on function private.set_accounting(text, text, jsonb), private.close_accounting_months(date), private.accounting_shown(),
  private.accounting_lines(date, date) to authenticated;
grant execute on function private.guard_accounting(), private.guard_closed_months(), private.reopen_accounting(),
  private.accounting_words(text, text, jsonb) to parrain_service;
grant execute on function private.is_accounted(text, text) to parrain_service;
