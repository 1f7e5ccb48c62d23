-- PP-02: the invoice that a payment makes for who gave the mandate of self-billing (PP-05), and the credit note that takes it back.

-- An invoice has a series of its own for each seller, by SIREN: F552100554, and A552100554 for its credit notes.
create function private.is_paper_series(p_series text) returns boolean
language sql immutable set search_path = ''
return p_series ~ '^T?(R|AR|[FA][0-9]{9})$';
alter table private.paper_series drop constraint paper_series_series_is_known,
  add constraint paper_series_series_is_known check (length(series) <= 12 and private.is_paper_series(series));
alter table public.papers drop constraint papers_series_is_known,
  add constraint papers_series_is_known check (length(series) <= 12 and private.is_paper_series(series)
    and starts_with(series, 'T') = is_test);

-- Runs when the payment is about to commit: whoever waits for a number waits for nothing else. The day never goes back, though an older
-- transaction may come later. A credit note names both parties as its invoice does: an account may be closed since.
create or replace function private.make_paper() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  today date := private.today();
  mandate private.mandates;
  former public.papers;
  kind text;
  given private.paper_series;
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
  insert into private.paper_series as s (series, year, last, last_on)
  values (case when new.is_test then 'T' else '' end || kind, extract(year from today), 1, today)
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
    'mandate', case when mandate.id is not null then jsonb_build_object('version', mandate.version, 'accepted_at', mandate.accepted_at) end,
    'method', new.payment_method, 'reference', new.settlement_reference, 'association', new.association_name, 'asked_at', new.created_at, 'paid_at', new.paid_at, 'returned_at', new.returned_at,
    'receipt', former.label, 'receipt_on', former.issued_on)
    || case when former.series ~ '^T?F' then jsonb_build_object('company', former.content -> 'company', 'payee', former.content -> 'payee',
      'mandate', former.content -> 'mandate') else '{}' end
  from public.profiles p where p.id = new.client_id;
  return null;
end
$$;
grant execute on function private.is_paper_series(text) to parrain_service;
