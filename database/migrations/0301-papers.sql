-- PP-02: papers of payments. The data of a paper and its number are written by the transaction that pays; its bytes come later,
-- from these data alone, and are kept with their hash. A paper is never changed: a transfer that comes back makes another.

-- Corsica's and the overseas departments' numbers have a letter in the second place.
alter table private.payee_details drop constraint payee_details_rna_is_one,
  add constraint payee_details_rna_is_one check (private.is_line(rna, 10) and rna ~ '^W[0-9][0-9A-Z][0-9]{7}$');

-- The last number of each series and year. Locked last of all by a payment, until it ends: a number is given once, and none is missing.
create table private.paper_series (
  series text not null,
  year integer not null,
  last integer not null,
  last_on date not null,
  primary key (series, year),
  constraint paper_series_series_is_known check (series in ('R', 'AR', 'TR', 'TAR')),
  constraint paper_series_numbers_begin_at_1 check (last >= 1),
  constraint paper_series_days_are_of_their_year check (extract(year from last_on) = year)
);

create table public.papers (
  id uuid primary key default gen_random_uuid(),
  series text not null,
  year integer not null,
  number integer not null,
  -- « R-2026-0001 », as people write it.
  label text not null,
  payee_id uuid not null references public.profiles (id) on delete restrict,
  request_id uuid not null references public.payment_requests (id) on delete cascade,
  issued_on date not null,
  amount numeric(12, 2) not null,
  -- What stands on it, as it was known then.
  content jsonb not null,
  is_test boolean not null,
  created_at timestamptz not null default private.now(),
  -- Test data have series of their own: they go when they are cleaned, and leave no hole among the real ones.
  constraint papers_series_is_known check ((series, is_test) in (('R', false), ('AR', false), ('TR', true), ('TAR', true))),
  constraint papers_label_is_of_their_number check (label = series || '-' || year::text || '-' || lpad(number::text, greatest(4, length(number::text)), '0')),
  constraint papers_number_is_given_once unique (series, year, number),
  constraint papers_say_each_payment_once unique (request_id, series),
  constraint papers_numbers_begin_at_1 check (number >= 1),
  constraint papers_days_are_of_their_year check (extract(year from issued_on) = year),
  constraint papers_amount_is_positive check (amount > 0)
);
create index papers_by_payee on public.papers (payee_id, issued_on desc, id desc);
create index papers_by_day on public.papers (issued_on desc, id desc);

create table private.paper_files (
  paper_id uuid primary key references public.papers (id) on delete cascade,
  bytes bytea not null,
  hash bytea not null generated always as (sha256(bytes)) stored,
  constraint paper_files_are_pdfs check (bytes is null or substr(bytes, 1, 5) = '\x255044462d' and length(bytes) <= 5000000)
);

alter table public.papers enable row level security;
alter table public.papers force row level security;
grant select on public.papers to authenticated, service_role;
grant select, insert on public.papers to parrain_service;
create policy papers_service_all on public.papers to parrain_service using (true) with check (true);
create policy papers_secret_read on public.papers for select to service_role using (true);
create policy papers_authenticated_read on public.papers for select to authenticated using (
  (select private.user_role()) = 'admin' or payee_id = (select private.uid()));
do $$
declare
  name text;
begin
  foreach name in array array['paper_series', 'paper_files'] loop
    execute format('alter table private.%I enable row level security', name);
    execute format('alter table private.%I force row level security', name);
    execute format('create policy %I on private.%I to parrain_service using (true) with check (true)', name || '_service_all', name);
  end loop;
end
$$;
grant select, insert, update on private.paper_series to parrain_service;
grant select, insert on private.paper_files to parrain_service;

-- Nothing of a paper changes; those of test data go with them.
create function private.guard_paper() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'DELETE' and private.is_cleaning() then
    if tg_table_name = 'paper_files' then return old; end if;
    if (to_jsonb(old) ->> 'is_test')::boolean then return old; end if;
  end if;
  perform private.refuse('forbidden');
end
$$;
create trigger papers_are_never_changed before update or delete on public.papers for each row execute function private.guard_paper();
create trigger papers_are_never_emptied before truncate on public.papers for each statement execute function private.guard_paper();
create trigger paper_files_are_never_changed before update or delete on private.paper_files
  for each row execute function private.guard_paper();
create trigger paper_files_are_never_emptied before truncate on private.paper_files
  for each statement execute function private.guard_paper();

-- Runs when the payment is about to commit: whoever waits for a number waits for nothing else, so two payments never wait for each
-- other. The day never goes back, though an older transaction may come later.
create function private.make_paper() returns trigger
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
    'method', new.payment_method, 'reference', new.settlement_reference, 'association', new.association_name, 'asked_at', new.created_at, 'paid_at', new.paid_at, 'returned_at', new.returned_at,
    'receipt', (select r.label from public.papers r where r.request_id = new.id))
  from public.profiles p where p.id = new.client_id;
  return null;
end
$$;
create constraint trigger payment_requests_make_paper after update on public.payment_requests
  deferrable initially deferred for each row
  when (old.status <> new.status and new.status in ('paid', 'returned'))
  execute function private.make_paper();

-- The bytes of a paper, kept by whoever made them first; the trail has their hash.
create function private.keep_paper(p_paper_id uuid, p_bytes bytea) returns bytea
language plpgsql security definer set search_path = '' as $$
declare
  kept private.paper_files;
  paper public.papers;
begin
  select * into strict paper from public.papers p where p.id = p_paper_id;
  insert into private.paper_files (paper_id, bytes) values (p_paper_id, p_bytes) on conflict (paper_id) do nothing returning * into kept;
  if found then
    perform private.append_audit('payment_requests', paper.request_id, 'issue', null,
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
      and p.proname in ('make_paper', 'keep_paper', 'guard_paper') loop
    execute format('alter function %s owner to parrain_service', f);
    execute format('grant execute on function %s to parrain_service', f);
  end loop;
end
$$;
