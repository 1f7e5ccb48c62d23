-- PP-02: the quarterly statement of an agent commercial (C. com. R134-3): every commission of a quarter that is over and how it was
-- worked out, what was paid, what is due. A numbered paper like the others; it is made by a job, soon after the quarter's end.

create or replace function private.is_paper_series(p_series text) returns boolean
language sql immutable set search_path = ''
return p_series ~ '^T?(R|AR|RT|[FA][0-9]{9})$';

alter table public.papers alter column request_id drop not null,
  -- The first day of the quarter that it is the statement of.
  add column quarter date,
  add constraint papers_are_of_a_payment_or_of_a_quarter check ((request_id is null) = (quarter is not null)
    and (quarter is not null) = (series ~ '^T?RT$')),
  add constraint papers_quarter_is_its_first_day check (extract(day from quarter) = 1 and extract(month from quarter) in (1, 4, 7, 10)),
  add constraint papers_say_each_quarter_once unique (payee_id, quarter),
  drop constraint papers_amount_is_positive,
  -- A quarter may take back more than it gave.
  add constraint papers_amount_is_positive check (amount > 0 or quarter is not null);
grant delete on public.papers to parrain_service;

-- What is said of a quarter: from the ledger, each line with what it was worked out from. No name of a friend: they may be forgotten.
create function private.quarter_content(p_payee_id uuid, p_quarter date) returns jsonb
language sql stable security definer set search_path = ''
return (
  with lines as (
    select e.id, e.at, e.act, e.source_id, e.at < private.month_start(p_quarter) as is_before,
      case when e.credit = 'available' then e.amount else -e.amount end as amount
    from public.ledger_entries e
    where e.payee_id = p_payee_id and 'available' in (e.debit, e.credit)
      and e.at < private.month_start((p_quarter + interval '3 months')::date))
  select jsonb_build_object(
    'opening', coalesce(sum(l.amount) filter (where l.is_before), 0)::text,
    'closing', coalesce(sum(l.amount), 0)::text,
    'lines', coalesce(jsonb_agg(jsonb_build_object('at', l.at, 'act', l.act, 'amount', l.amount::text, 'contract', upper(left(s.id::text, 8)),
        'contract_amount', s.contract_amount::text, 'contract_left', s.contract_left::text, 'type', s.commercial_commission_type,
        'rate', s.commercial_commission_rate::text) order by l.at, l.id) filter (where not l.is_before), '[]'))
  from lines l
  left join public.commission_payments c on c.id = l.source_id
  left join public.sales s on s.id = c.sale_id);

-- Makes the statements that are missing of the last quarter that is over, at most so many; how many were made. One node at a time.
create function private.make_quarterly_statements(p_most integer) returns integer
language plpgsql security definer set search_path = '' as $$
declare
  v_quarter constant date := (date_trunc('quarter', private.last_month_begun()::timestamp) - interval '3 months')::date;
  today date := private.today();
  settings private.paper_settings;
  payee record;
  said jsonb;
  given private.paper_series;
  made integer := 0;
begin
  perform pg_advisory_xact_lock(hashtext('parrain.quarterly_statements'));
  select * into settings from private.paper_settings s where s.issues_papers;
  if not found then return 0; end if;
  for payee in
    select d.*, p.full_name, p.is_test from private.payee_details d join public.profiles p on p.id = d.payee_id
    where d.status = 'agent' and p.role = 'commercial'
      and not exists (select from public.papers q where q.payee_id = d.payee_id and q.quarter = v_quarter)
      and exists (select from public.ledger_entries e where e.payee_id = d.payee_id
        and e.at < private.month_start((v_quarter + interval '3 months')::date))
    order by d.payee_id
  loop
    exit when made >= p_most;
    said := private.quarter_content(payee.payee_id, v_quarter);
    continue when said -> 'lines' = '[]' and (said ->> 'closing')::numeric = 0;
    insert into private.paper_series as s (series, year, last, last_on)
    values (case when payee.is_test then 'TRT' else 'RT' end, extract(year from today), 1, today)
    on conflict (series, year) do update set last = s.last + 1, last_on = greatest(s.last_on, excluded.last_on)
    returning * into given;
    insert into public.papers (series, year, number, label, payee_id, quarter, issued_on, amount, is_test, content)
    values (given.series, given.year, given.last,
      given.series || '-' || given.year::text || '-' || lpad(given.last::text, greatest(4, length(given.last::text)), '0'),
      payee.payee_id, v_quarter, given.last_on, (said ->> 'closing')::numeric, payee.is_test,
      said || jsonb_build_object(
        'company', jsonb_build_object('legal_name', settings.legal_name, 'street', settings.street, 'postal_code', settings.postal_code,
          'city', settings.city, 'siren', settings.siren, 'vat_number', settings.vat_number),
        'payee', jsonb_build_object('name', payee.full_name, 'status', payee.status, 'legal_name', payee.legal_name, 'street', payee.street,
          'postal_code', payee.postal_code, 'city', payee.city, 'siren', payee.siren, 'vat_number', payee.vat_number),
        'contest_until', given.last_on + settings.contest_days));
    made := made + 1;
  end loop;
  return made;
end
$$;

-- Those of test data go with the transfers that they say.
create function private.forget_quarterly_statements() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  delete from public.papers p where p.quarter is not null and p.is_test and p.payee_id in (select o.payee_id from old_rows o);
  return null;
end
$$;
create trigger ledger_entries_forget_quarterly_statements after delete on public.ledger_entries
  referencing old table as old_rows for each statement execute function private.forget_quarterly_statements();

-- The trail has the hash of a quarter's paper with its payee.
create or replace function private.keep_paper(p_paper_id uuid, p_bytes bytea) returns bytea
language plpgsql security definer set search_path = '' as $$
declare
  kept private.paper_files;
  paper public.papers;
begin
  select * into strict paper from public.papers p where p.id = p_paper_id;
  insert into private.paper_files (paper_id, bytes) values (p_paper_id, p_bytes) on conflict (paper_id) do nothing returning * into kept;
  if found then
    perform private.append_audit(case when paper.quarter is null then 'payment_requests' else 'profiles' end,
      coalesce(paper.request_id, paper.payee_id), 'issue', null,
      jsonb_build_object('paper', paper.label, 'paper_hash', encode(kept.hash, 'hex')), null);
  else
    select * into kept from private.paper_files f where f.paper_id = p_paper_id;
  end if;
  return kept.bytes;
end
$$;

do $$
declare
  f regprocedure;
begin
  for f in select p.oid::regprocedure from pg_proc p where p.pronamespace = 'private'::regnamespace
      and p.proname in ('quarter_content', 'make_quarterly_statements', 'forget_quarterly_statements') loop
    execute format('alter function %s owner to parrain_service', f);
    execute format('grant execute on function %s to parrain_service', f);
  end loop;
end
$$;
