-- PP-02, PP-05: the VAT of a payee who charges it and lets the company write their invoices (decision 0032). It stands beside the sum that it
-- is of, on the request or the paid month, with its rate and the mandate of that moment. Commissions and balances stay before tax.

-- The rate of a commission between two businesses of mainland France, by day. domain/src/legal-figures.ts has the same, with its source.
create function private.vat_rate_on(p_day date) returns numeric
language sql immutable set search_path = ''
return case when p_day >= date '2014-01-01' then 20.00 end;

-- To the cent, half away from zero, as domain/src/vat.ts.
create function private.vat_of(p_amount numeric, p_rate numeric) returns numeric
language sql immutable set search_path = ''
return round(p_amount * p_rate / 100, 2);

-- A mandate is with VAT, under the number that its payee had, or without. With it, it keeps who they were: what the bank has paid is
-- invoiced, also where the account was closed since.
alter table private.mandates add column vat_number text,
  add column seller jsonb,
  add constraint mandates_seller_is_kept_with_vat check ((seller is null) = (vat_number is null)),
  add constraint mandates_vat_number_is_the_payees check (private.is_line(vat_number, 13) and private.is_vat_number(vat_number, payee_siren));

alter table public.payment_requests
  add column vat_rate numeric(4, 2),
  add column vat_amount numeric(12, 2),
  add column vat_mandate_id bigint references private.mandates (id) on delete restrict,
  add constraint payment_requests_vat_is_whole check (num_nonnulls(vat_rate, vat_amount, vat_mandate_id) in (0, 3)),
  add constraint payment_requests_vat_is_of_a_transfer check (vat_rate is null or payment_method = 'virement'),
  add constraint payment_requests_vat_is_of_its_rate check (vat_rate > 0 and vat_amount = private.vat_of(amount, vat_rate));
alter table public.paid_periods
  add column vat_rate numeric(4, 2),
  add column vat_amount numeric(12, 2),
  add column vat_mandate_id bigint references private.mandates (id) on delete restrict,
  add constraint paid_periods_vat_is_whole check (num_nonnulls(vat_rate, vat_amount, vat_mandate_id) in (0, 3)),
  add constraint paid_periods_vat_is_of_its_rate check (vat_rate > 0 and vat_amount = private.vat_of(amount, vat_rate));
create index payment_requests_by_vat_mandate on public.payment_requests (vat_mandate_id) where vat_mandate_id is not null;
create index paid_periods_by_vat_mandate on public.paid_periods (vat_mandate_id) where vat_mandate_id is not null;
-- A month that is in a batch has the VAT of the instant at which it was gathered.
alter table public.payment_batch_lines
  add column vat_rate numeric(4, 2),
  add column vat_amount numeric(12, 2),
  add column vat_mandate_id bigint references private.mandates (id) on delete restrict,
  add constraint payment_batch_lines_vat_is_whole check (num_nonnulls(vat_rate, vat_amount, vat_mandate_id) in (0, 3)),
  add constraint payment_batch_lines_vat_is_of_a_month check (vat_rate is null or month is not null),
  add constraint payment_batch_lines_vat_is_of_its_rate check (vat_rate > 0 and vat_amount = private.vat_of(amount, vat_rate));
create index payment_batch_lines_by_vat_mandate on public.payment_batch_lines (vat_mandate_id) where vat_mandate_id is not null;

-- Whose invoices may be written: a business, where the company has papers made (decision 0032). With VAT, where both are in mainland
-- France or Corsica: overseas another rate is due, or none.
create or replace function private.may_be_self_billed(p_payee_id uuid) returns boolean
language sql stable security definer set search_path = ''
return exists (
  select from private.payee_details d
  join public.profiles p on p.id = d.payee_id
  join private.paper_settings s on s.issues_papers
  where d.payee_id = p_payee_id and p.role in ('client', 'commercial') and p.deactivated_at is null
    and d.status in ('micro', 'societe', 'agent') and (not d.charges_vat or d.postal_code !~ '^9[78]' and s.postal_code !~ '^9[78]'));

-- The mandate by which this payee's invoices are written, none where one of both has become somebody else since, or VAT began or ended.
create or replace function private.mandate_in_force(p_payee_id uuid) returns bigint
language sql stable security definer set search_path = ''
return (
  select m.id from private.mandates m
  join private.payee_details d on d.payee_id = m.payee_id and d.siren = m.payee_siren and d.vat_number is not distinct from m.vat_number
  join private.paper_settings s on s.siren = m.company_siren
  where m.payee_id = p_payee_id and m.revoked_at is null and private.may_be_self_billed(p_payee_id));

-- The mandate in force of a payee who charges VAT; null of any other.
create function private.vat_mandate(p_payee_id uuid) returns bigint
language sql stable security definer set search_path = ''
return (select m.id from private.mandates m where m.id = private.mandate_in_force(p_payee_id) and m.vat_number is not null);

-- What a transfer to this payee carries today beside its sum; null where it carries no VAT.
create function private.vat_rate_of(p_payee_id uuid) returns numeric
language sql stable security definer set search_path = ''
return case when private.vat_mandate(p_payee_id) is not null then private.vat_rate_on(private.today()) end;

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
  insert into private.mandates (payee_id, version, text, hash, payee_siren, company_siren, vat_number, seller)
  select me, p_version, p_text, text_hash, d.siren, s.siren, d.vat_number,
    case when d.vat_number is not null then jsonb_build_object('status', d.status, 'legal_name', d.legal_name, 'street', d.street,
      'postal_code', d.postal_code, 'city', d.city, 'siren', d.siren, 'vat_number', d.vat_number) end
  from private.payee_details d cross join private.paper_settings s where d.payee_id = me;
  perform private.append_audit('profiles', me, 'update', null,
    jsonb_build_object('mandate', p_version, 'mandate_hash', encode(text_hash, 'hex')), null);
  return private.payee_shown(me);
end
$$;

create or replace function private.request_payment(p_amount numeric, p_method text, p_details jsonb, p_details_sealed bytea, p_iban_mark bytea default null)
returns public.payment_requests
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('client');
  balance public.balances;
  rules public.company_settings;
  is_test_person boolean;
  v_mandate bigint;
  created public.payment_requests;
begin
  -- A cleaning, a deletion or a closure of the same instant is waited for, then the client is found gone.
  select p.is_test into is_test_person from public.profiles p where p.id = me and p.deactivated_at is null for share;
  if not found then raise exception using errcode = 'PR401', message = 'session_expired'; end if;
  perform private.release_holds(me, 1000);
  select * into balance from public.balances b where b.profile_id = me for update;
  if balance.earned - balance.reversed - balance.held - balance.reserved - balance.paid < 0 then perform private.refuse('balance_in_debt'); end if;
  select * into rules from public.company_settings;
  if not private.accepts_requests_on(extract(day from private.today())::integer, rules.requests_from_day, rules.requests_to_day) then
    perform private.refuse('requests_closed', jsonb_build_object('from', rules.requests_from_day, 'to', rules.requests_to_day));
  end if;
  if not coalesce(p_method = any (rules.payment_methods), false) then perform private.refuse('method_not_offered'); end if;
  if p_amount is null or p_amount < rules.smallest_request or p_amount <> round(p_amount, 2) then
    perform private.refuse('amount_out_of_range', jsonb_build_object('smallest', rules.smallest_request::text, 'available',
      coalesce(balance.earned - balance.reversed - balance.held - balance.reserved - balance.paid, 0)::numeric(14, 2)::text));
  end if;
  -- From here on the request has its VAT, whatever becomes of the mandate.
  v_mandate := case when p_method = 'virement' then private.vat_mandate(me) end;
  insert into public.payment_requests (client_id, amount, payment_method, payment_details, is_test, vat_mandate_id, vat_rate, vat_amount, iban_id)
  values (me, p_amount, p_method, p_details, is_test_person, v_mandate,
    case when v_mandate is not null then private.vat_rate_on(private.today()) end,
    case when v_mandate is not null then private.vat_of(p_amount, private.vat_rate_on(private.today())) end,
    case when p_method = 'virement' and p_iban_mark is not null then private.payee_iban(me, p_iban_mark, p_details ->> 'iban') end)
  returning * into created;
  if p_details_sealed is not null then
    insert into private.payment_secrets (request_id, details_sealed) values (created.id, p_details_sealed);
  end if;
  return created;
end
$$;

create or replace function private.guard_payment_request() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  left_ numeric;
  v_line text;
  v_usable_from timestamptz;
begin
  if tg_op = 'DELETE' then
    if not (private.is_cleaning() and old.is_test) then perform private.refuse('forbidden'); end if;
    return old;
  end if;
  select b.earned - b.reversed - b.held - b.reserved - b.paid into left_ from public.balances b where b.profile_id = new.client_id for update;
  if tg_op = 'INSERT' then
    if new.status <> 'pending' then perform private.refuse('request_illegal_move'); end if;
    if left_ is null or left_ < new.amount then
      perform private.refuse('amount_out_of_range', jsonb_build_object('available', greatest(coalesce(left_, 0), 0)::numeric(14, 2)::text));
    end if;
    return new;
  end if;
  if (new.id, new.client_id, new.amount, new.payment_method, new.payment_details, new.created_at, new.is_test, new.iban_id,
        new.vat_rate, new.vat_amount, new.vat_mandate_id)
      is distinct from (old.id, old.client_id, old.amount, old.payment_method, old.payment_details, old.created_at, old.is_test, old.iban_id,
        old.vat_rate, old.vat_amount, old.vat_mandate_id) then
    perform private.refuse('forbidden');
  end if;
  if new.status <> old.status then
    select l.status into v_line from public.payment_batch_lines l where l.request_id = old.id
      order by l.status = 'queued' desc, l.status = 'paid' desc limit 1;
    if v_line = 'queued' then perform private.refuse('request_in_batch'); end if;
    if not ((old.status, new.status) in (('pending', 'approved'), ('pending', 'rejected'), ('approved', 'paid'), ('approved', 'pending'))
        or coalesce(v_line = 'rejected', false) and (old.status, new.status) = ('approved', 'rejected')
        or v_line is distinct from 'paid' and (old.status, new.status) = ('paid', 'returned')) then
      perform private.refuse('request_illegal_move');
    end if;
    if new.status = 'returned' and (new.paid_at, new.approved_at) is distinct from (old.paid_at, old.approved_at) then
      perform private.refuse('forbidden');
    end if;
    if new.status = 'pending' and new.approval_annulled_reason is null then perform private.refuse('refusal_reason_required'); end if;
    -- Someone who owes the company (S-11) is neither approved nor paid before the debt is gone. What the bank has paid is paid.
    if new.status in ('approved', 'paid') and left_ < 0 and v_line is distinct from 'paid' then perform private.refuse('balance_in_debt'); end if;
    -- PO-04: nothing goes to a changed account before its day. What the bank has paid is paid.
    if new.status = 'paid' and v_line is distinct from 'paid' then
      select i.usable_from into v_usable_from from public.payee_ibans i where i.id = new.iban_id and i.usable_from > private.now();
      if found then perform private.refuse('iban_not_usable_yet', jsonb_build_object('from', v_usable_from)); end if;
    end if;
  elsif old.status in ('rejected', 'paid', 'returned') then
    perform private.refuse('request_illegal_move');
  end if;
  new.version := old.version + 1;
  new.updated_at := private.now();
  return new;
end
$$;

-- The ledger has the tax by itself, at the payment: what the company may deduct, paid to the payee beside the sum that they were owed. No
-- balance counts it: a payee is owed the tax by the invoice, which is issued and paid at once.
alter table public.ledger_entries drop constraint ledger_entries_transfer_is_known,
  drop constraint ledger_entries_detail_is_of_its_account,
  add constraint ledger_entries_transfer_is_known check ((act, debit, credit) in (
    ('validation', 'charged', 'available'),
    ('validation', 'charged', 'held'),
    ('release', 'held', 'available'),
    ('correction', 'available', 'charged'),
    ('correction', 'held', 'charged'),
    ('adjustment', 'adjusted', 'available'),
    ('deduction', 'available', 'adjusted'),
    ('request', 'available', 'reserved'),
    ('refusal', 'reserved', 'available'),
    ('settlement', 'reserved', 'paid'),
    ('return', 'paid', 'available'),
    ('payroll', 'available', 'paid'),
    ('vat', 'vat', 'vat_paid'),
    ('vat_return', 'vat_paid', 'vat'))),
  add constraint ledger_entries_detail_is_of_its_account check (
    (detail is null) = (act in ('release', 'adjustment', 'deduction', 'request', 'refusal'))
    and (act not in ('validation', 'correction') or detail in ('client', 'commercial'))
    and (act <> 'return' or detail = 'virement')
    and (act not in ('vat', 'vat_return') or detail in ('virement', 'paie'))
    and (act <> 'payroll' or detail in ('paie', 'virement'))
    and (act <> 'settlement' or detail in ('virement', 'cheque_cadeau', 'association', 'remise_societe')));

create or replace function private.post_payment_request() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  insert into public.ledger_entries (at, act, source_id, payee_id, debit, credit, amount, detail, actor_id, is_test)
  select coalesce(new.returned_at, new.paid_at, new.updated_at), k.act, new.id, new.client_id, k.debit, k.credit, k.amount,
    case when k.act in ('settlement', 'return', 'vat', 'vat_return') then new.payment_method end, private.uid(), new.is_test
  from (values ('pending', 'request', 'available', 'reserved', new.amount), ('rejected', 'refusal', 'reserved', 'available', new.amount),
    ('paid', 'settlement', 'reserved', 'paid', new.amount), ('returned', 'return', 'paid', 'available', new.amount),
    ('paid', 'vat', 'vat', 'vat_paid', new.vat_amount), ('returned', 'vat_return', 'vat_paid', 'vat', new.vat_amount))
    k (status, act, debit, credit, amount)
  where k.status = new.status and k.amount > 0;
  return null;
end
$$;

create or replace function private.post_paid_period() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  insert into public.ledger_entries (at, act, source_id, payee_id, debit, credit, amount, detail, actor_id, is_test)
  select new.paid_at, k.act, new.id, new.payee_id, k.debit, k.credit, k.amount, new.method, private.uid(), new.is_test
  from (values ('payroll', 'available', 'paid', new.amount), ('vat', 'vat', 'vat_paid', new.vat_amount)) k (act, debit, credit, amount)
  -- The VAT of a cent or two is none.
  where k.amount > 0;
  return null;
end
$$;
-- The transfers that commissions, holds, adjustments, requests, paid months and their VAT make.
create or replace view figures.expected_ledger with (security_invoker = true) as
  select c.id as source_id, case when c.amount > 0 then 'validation' else 'correction' end as act, 1::smallint as line,
    c.recipient_id as payee_id, case when c.amount > 0 then 'charged' when k.commission_id is null then 'available' else 'held' end as debit,
    case when c.amount < 0 then 'charged' when h.commission_id is null then 'available' else 'held' end as credit,
    abs(c.amount)::numeric(12, 2) as amount, c.type as detail, c.is_test, c.created_at as at
  from public.commission_payments c
  left join public.commission_holds h on h.commission_id = c.id
  -- What a correction takes back, where it was kept until then.
  left join public.sales s on s.id = c.sale_id and c.amount < 0
  left join public.commission_payments o on o.sale_id = s.corrects_sale_id and o.type = c.type
  left join public.commission_holds k on k.commission_id = case when h.commission_id is null then o.id else c.id end and k.is_corrected
  where c.amount <> 0
  union all
  select h.commission_id, 'release', 1, h.payee_id, 'held', 'available', h.amount, null, h.is_test, h.ended_at
  from public.commission_holds h where h.ended_at is not null and not h.is_corrected
  union all
  select d.id, case when k.amount > 0 then 'adjustment' else 'deduction' end, 1, d.payee_id,
    case when k.amount > 0 then 'adjusted' else 'available' end, case when k.amount > 0 then 'available' else 'adjusted' end,
    abs(k.amount)::numeric(12, 2), null, d.is_test, k.at
  from public.disputes d
  cross join lateral (values (d.adjustment, d.closed_at), (-d.adjustment, d.adjustment_annulled_at)) k (amount, at)
  where d.adjustment is not null and k.at is not null
  union all
  select r.id, 'request', 1, r.client_id, 'available', 'reserved', r.amount, null, r.is_test, r.created_at from public.payment_requests r
  union all
  select r.id, 'refusal', 1, r.client_id, 'reserved', 'available', r.amount, null, r.is_test, r.updated_at
  from public.payment_requests r where r.status = 'rejected'
  union all
  select r.id, 'settlement', 1, r.client_id, 'reserved', 'paid', r.amount, r.payment_method, r.is_test, r.paid_at
  from public.payment_requests r where r.paid_at is not null
  union all
  select r.id, 'return', 1, r.client_id, 'paid', 'available', r.amount, r.payment_method, r.is_test, r.returned_at
  from public.payment_requests r where r.returned_at is not null
  union all
  select q.id, 'payroll', 1, q.payee_id, 'available', 'paid', q.amount, q.method, q.is_test, q.paid_at from public.paid_periods q
  union all
  select r.id, 'vat', 1, r.client_id, 'vat', 'vat_paid', r.vat_amount, r.payment_method, r.is_test, r.paid_at
  from public.payment_requests r where r.paid_at is not null and r.vat_amount > 0
  union all
  select r.id, 'vat_return', 1, r.client_id, 'vat_paid', 'vat', r.vat_amount, r.payment_method, r.is_test, r.returned_at
  from public.payment_requests r where r.returned_at is not null and r.vat_amount > 0
  union all
  select q.id, 'vat', 1, q.payee_id, 'vat', 'vat_paid', q.vat_amount, q.method, q.is_test, q.paid_at
  from public.paid_periods q where q.vat_amount > 0;

-- An invoice with VAT is of the total. It names its seller by the numbers that the mandate was given with, and as they are now or, where
-- nothing is known of them any more, were then.
create or replace function private.issue_paper(p_kind text, p_payee_id uuid, p_request_id uuid, p_period_id uuid, p_quarter date, p_amount numeric,
  p_is_test boolean, p_content jsonb) returns void
language plpgsql security definer set search_path = '' as $$
declare
  today date := private.today();
  given private.paper_series;
  known constant jsonb := coalesce((select jsonb_build_object('status', d.status,
    'legal_name', d.legal_name, 'street', d.street, 'postal_code', d.postal_code, 'city', d.city, 'siren', d.siren, 'rna', d.rna,
    'vat_number', d.vat_number) from private.payee_details d where d.payee_id = p_payee_id), '{}');
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
      'payee', jsonb_build_object('name', p.full_name) || case when p_content ? 'vat'
        then (p_content #> '{vat,seller}') || jsonb_strip_nulls(known) || (p_content #> '{vat,numbers}') else known end,
      'contest_until', given.last_on + (select s.contest_days from private.paper_settings s)) || p_content
      || case when p_content ? 'vat' then jsonb_build_object('vat', (p_content -> 'vat') - array['seller', 'numbers']) else '{}' end
  from public.profiles p where p.id = p_payee_id;
end
$$;

-- Of the sum of a payment: its VAT and the numbers of whoever charges it, as papers have them. Nothing where there is none.
create function private.vat_on_paper(p_amount numeric, p_rate numeric, p_vat numeric, m private.mandates) returns jsonb
language sql immutable set search_path = ''
return case when p_vat is null then '{}' else jsonb_build_object('vat', jsonb_build_object('base', p_amount::text, 'rate', p_rate::text,
  'amount', p_vat::text, 'seller', m.seller, 'numbers', jsonb_build_object('siren', m.payee_siren, 'vat_number', m.vat_number))) end;

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
      'association', new.association_name, 'asked_at', new.created_at, 'paid_at', new.paid_at, 'returned_at', new.returned_at,
      'receipt', former.label, 'receipt_on', former.issued_on)
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
  kind text;
begin
  if new.vat_mandate_id is null and (not exists (select from private.paper_settings s where s.issues_papers)
      or not exists (select from private.payee_details d where d.payee_id = new.payee_id and d.status <> 'salarie')) then
    return null;
  end if;
  select * into mandate from private.mandates m where m.id = coalesce(new.vat_mandate_id, private.mandate_in_force(new.payee_id))
    and (m.vat_number is null) = (new.vat_mandate_id is null);
  kind := case when found then 'F' || mandate.payee_siren else 'R' end;
  perform private.issue_paper(kind, new.payee_id, null, new.id, null, new.amount + coalesce(new.vat_amount, 0), new.is_test, jsonb_build_object(
    'mandate', private.mandate_on_paper(mandate), 'month', new.month, 'paid_at', new.paid_at)
    || private.vat_on_paper(new.amount, new.vat_rate, new.vat_amount, mandate));
  return null;
end
$$;

-- EX-02: the tax has an account of its own, which a company that recovers none sets to that of its charge. A closed month keeps the
-- settings it was closed with, which had none.
create or replace function private.is_chart(p_accounts jsonb) returns boolean
language sql immutable set search_path = ''
return coalesce(jsonb_typeof(p_accounts) = 'object'
  and (select array_agg(k order by k) from jsonb_object_keys(p_accounts) k where k not in ('adjusted', 'paid_paie', 'vat'))
    = array['charged', 'client', 'commercial', 'held', 'other', 'paid_association', 'paid_cheque_cadeau', 'paid_remise_societe', 'paid_virement']
  and (select bool_and(coalesce(a.value ->> 'number' ~ '^[1-7][0-9]{2}[0-9A-Z]{0,9}$', false)
      and coalesce(private.is_line(a.value ->> 'label', 100) and btrim(a.value ->> 'label') <> '', false))
    from jsonb_each(p_accounts) a), false);
set local role parrain_service;
insert into private.accounting_settings (journal_code, journal_label, accounts)
select s.journal_code, s.journal_label, s.accounts || '{"vat": {"number": "445660", "label": "TVA sur autres biens et services"}}'
from private.accounting_settings s order by s.id desc limit 1;
reset role;
create or replace function private.accounting_lines(p_from date, p_before date)
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
    upper(case when n.act in ('adjustment', 'deduction') then 'CON-' || left(n.source_id::text, 8)
      when n.act = 'payroll' or n.act = 'vat' and exists (select from public.paid_periods o where o.id = n.source_id) then 'PAIE-' || left(n.source_id::text, 8)
      when n.sale_id is null then 'DEM-' || left(n.source_id::text, 8) else 'CTR-' || left(n.sale_id::text, 8) end), n.at,
    case n.act when 'validation' then 'Commission' when 'correction' then 'Reprise de commission'
        when 'release' then 'Fin du délai d’une commission' when 'settlement' then 'Paiement'
        when 'return' then 'Retour d’un paiement' when 'adjustment' then 'Ajustement en plus' when 'deduction' then 'Ajustement en moins'
        when 'payroll' then 'Commissions payées' when 'vat' then 'TVA d’une autofacture' when 'vat_return' then 'TVA d’un avoir' else 'Mouvement (' || n.act || ')' end
      || case n.detail when 'client' then ' du client' when 'commercial' then ' du commercial' when 'virement' then ' par virement'
        when 'cheque_cadeau' then ' en chèque cadeau' when 'association' then ' à une association' when 'remise_societe' then ' en remise'
        when 'paie' then ' avec la paie'
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
      coalesce(a.chart -> case
        when o.account in ('available', 'reserved') then p.role
        when o.account in ('paid', 'vat_paid') then 'paid_' || n.detail
        else o.account end, a.chart -> 'other') as account
    from (values (1, n.debit), (2, n.credit)) o (side, account), (select coalesce(s.accounts, c.accounts) as chart) a) k;
end
$$;

-- PP-04: sums count with their VAT, as the threshold does (CGI article 240).
create or replace function private.das2_payees(p_year integer, p_payee_id uuid)
returns table (id uuid, full_name text, role text, status text, legal_name text, street text, postal_code text, city text, siren text,
  rna text, paid numeric, gift_cards numeric, discounts numeric, counted numeric, is_employee boolean)
language plpgsql stable security definer set search_path = '' rows 1000 as $$
declare
  settings constant jsonb := private.das2_settings_shown();
begin
  if p_year is null or p_year not between 2000 and 2999 then perform private.refuse('invalid_input'); end if;
  return query
  select p.id, p.full_name, p.role, d.status, d.legal_name, d.street, d.postal_code, d.city, d.siren, d.rna,
    s.paid, s.gift_cards, s.discounts,
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
      where q.paid_at >= private.month_start(make_date(p_year, 1, 1)) and q.paid_at < private.month_start(make_date(p_year + 1, 1, 1))
        and (p_payee_id is null or q.payee_id = p_payee_id)) m
    group by m.payee_id) s
  join public.profiles p on p.id = s.payee_id
  left join private.payee_details d on d.payee_id = p.id;
end
$$;

-- PO-05: a month is paid with its VAT, which is seen with its sum.
create or replace view public.commission_periods with (security_invoker = true) as
  with moved as (
    select e.payee_id, private.month_of(e.at) as month, sum(case when e.credit = 'available' then e.amount else -e.amount end) as amount
    from public.ledger_entries e
    where e.act <> 'payroll' and 'available' in (e.debit, e.credit)
      and e.payee_id in (select p.id from public.profiles p where p.role = 'commercial')
    group by 1, 2),
  months as (
    select s.payee_id, k.month::date as month
    from (select m.payee_id, min(m.month) as first from moved m group by m.payee_id) s
    cross join lateral generate_series(s.first::timestamp, private.month_of(private.now())::timestamp, interval '1 month') k (month)),
  sums as (
    select n.payee_id, n.month, coalesce(m.amount, 0) as moved, q.amount as paid, q.paid_at,
      q.vat_rate, q.vat_amount,
      sum(coalesce(m.amount, 0)) over upto - coalesce(sum(q.amount) over earlier, 0) as due,
      max(q.month) over (partition by n.payee_id) as paid_until
    from months n
    left join moved m on m.payee_id = n.payee_id and m.month = n.month
    left join public.paid_periods q on q.payee_id = n.payee_id and q.month = n.month
    window upto as (partition by n.payee_id order by n.month),
      earlier as (partition by n.payee_id order by n.month rows between unbounded preceding and 1 preceding))
  select s.payee_id, p.full_name, p.email, s.month, (s.due - s.moved)::numeric(14, 2) as carried, s.moved::numeric(14, 2) as moved,
    coalesce(s.paid, s.due)::numeric(14, 2) as due,
    case when s.paid is not null then 'paid'
      when s.month >= private.last_month_begun() then 'open'
      when s.due <= 0 or s.month < s.paid_until then 'carried'
      when l.status = 'queued' then 'in_batch'
      else 'due' end as status,
    s.paid_at, l.batch_id, case when s.paid is null then l.reason end as rejection,
    v.rate as vat_rate, (case when s.paid is not null then s.vat_amount when l.status = 'queued' then l.vat_amount
      else private.vat_of(s.due, v.rate) end)::numeric(12, 2) as vat_amount
  from sums s join public.profiles p on p.id = s.payee_id
  -- What the last line of a batch said of it.
  left join lateral (
    select k.status, k.batch_id, k.reason, k.vat_rate, k.vat_amount from public.payment_batch_lines k
    where k.payee_id = s.payee_id and k.month = s.month
    order by k.status = 'rejected', k.decided_at desc limit 1) l on true
  -- What was paid, or is in a batch, keeps its VAT; what is due has that of today.
  cross join lateral (select case when s.paid is not null then s.vat_rate
    when s.month >= private.last_month_begun() or s.due <= 0 or s.month < s.paid_until then null
    when l.status = 'queued' then l.vat_rate
    else private.vat_rate_of(s.payee_id) end as rate) v;

create or replace function private.pay_periods(p_month date, p_lines jsonb)
returns table (paid integer, already integer)
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  l record;
  before public.paid_periods;
  q public.paid_periods;
  due_ numeric;
  v_mandate bigint;
  rate_ numeric;
  test_ boolean;
begin
  paid := 0; already := 0;
  if p_month is null or extract(day from p_month) <> 1 or p_month >= private.last_month_begun() then perform private.refuse('period_not_over'); end if;
  -- A cleaning of test data holds balances before all else. Payees are taken in the order of their ids, as everybody takes them.
  lock table public.balances in row exclusive mode;
  perform 1 from public.balances b
    where b.profile_id in (select (x ->> 'payee_id')::uuid from jsonb_array_elements(p_lines) x) order by b.profile_id for update;
  for l in select (x ->> 'payee_id')::uuid as payee_id, (x ->> 'amount')::numeric as amount, (x ->> 'vat_amount')::numeric as vat_amount from jsonb_array_elements(p_lines) x order by 1 loop
    if not exists (select from public.profiles p where p.id = l.payee_id and p.role = 'commercial') then
      perform private.refuse('commercial_not_found');
    end if;
    select * into before from public.paid_periods t where t.payee_id = l.payee_id and t.month >= p_month order by t.month desc limit 1;
    if before.id is not null then
      select * into before from public.paid_periods t where t.payee_id = l.payee_id and t.month = p_month;
      if before.id is null or before.amount <> l.amount or before.vat_amount is distinct from l.vat_amount then perform private.refuse('period_already_paid'); end if;
      already := already + 1;
      continue;
    end if;
    if exists (select from public.payment_batch_lines b where b.payee_id = l.payee_id and b.status = 'queued') then
      perform private.refuse('period_in_batch');
    end if;
    select d.due, d.is_test into due_, test_ from private.period_due(l.payee_id, p_month) d;
    if due_ <= 0 then perform private.refuse('period_carried_on'); end if;
    v_mandate := private.vat_mandate(l.payee_id);
    rate_ := case when v_mandate is not null then private.vat_rate_on(private.today()) end;
    if due_ is distinct from l.amount or private.vat_of(due_, rate_) is distinct from l.vat_amount then perform private.refuse('period_changed'); end if;
    insert into public.paid_periods (payee_id, month, amount, paid_by, is_test, vat_mandate_id, vat_rate, vat_amount)
      values (l.payee_id, p_month, due_, me, test_, v_mandate, rate_, private.vat_of(due_, rate_)) returning * into q;
    perform private.append_audit('paid_periods', q.id, 'insert', null,
      jsonb_strip_nulls(jsonb_build_object('month', to_char(q.month, 'YYYY-MM'), 'amount', q.amount, 'vat_amount', q.vat_amount,
        'payee_id', q.payee_id)), null);
    paid := paid + 1;
  end loop;
  return next;
end
$$;

-- What was paid of a commission, and the VAT that was paid with it.
create or replace view public.payments_made with (security_invoker = true) as
  select e.source_id, e.id as entry_id, e.at, e.act, e.payee_id, p.full_name as payee_name, p.role as payee_role, e.detail as method,
    (case when e.credit = 'paid' then e.amount else -e.amount end)::numeric(12, 2) as amount,
    r.settlement_reference as reference, case when e.act = 'return' then r.return_reason end as reason,
    q.month, coalesce(l.batch_id, k.batch_id) as batch_id, b.number as batch_number,
    (case when e.credit = 'paid' then 1 else -1 end * coalesce(r.vat_amount, q.vat_amount))::numeric(12, 2) as vat_amount
  from public.ledger_entries e
  join public.profiles p on p.id = e.payee_id
  left join public.payment_requests r on r.id = e.source_id
  left join public.paid_periods q on q.id = e.source_id
  left join public.payment_batch_lines l on l.request_id = r.id and l.status in ('paid', 'returned')
  left join public.payment_batch_lines k on k.payee_id = q.payee_id and k.month = q.month and k.status = 'paid'
  left join public.payment_batches b on b.id = coalesce(l.batch_id, k.batch_id)
  where e.credit = 'paid' or e.debit = 'paid';

do $$
declare
  f regprocedure;
begin
  for f in select p.oid::regprocedure from pg_proc p where p.pronamespace = 'private'::regnamespace
      and p.proname in ('vat_mandate', 'vat_rate_of') loop
    execute format('alter function %s owner to parrain_service', f);
    execute format('grant execute on function %s to parrain_service', f);
  end loop;
end
$$;
grant execute on function private.vat_on_paper(numeric, numeric, numeric, private.mandates) to parrain_service;
grant execute on function private.vat_rate_on(date) to parrain_service;
grant execute on function private.vat_of(numeric, numeric) to authenticated, service_role, parrain_service;
grant execute on function private.vat_rate_of(uuid) to authenticated, service_role;
