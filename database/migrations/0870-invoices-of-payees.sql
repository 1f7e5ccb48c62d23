-- AC-04: a business without a mandate sends its own invoice for a transfer that it has asked for; accepted by an admin, it is paid with its
-- tax, and kept (decision 0100).

create table public.payee_invoices (
  id uuid primary key default gen_random_uuid(),
  request_id uuid not null references public.payment_requests (id) on delete cascade,
  payee_id uuid not null references public.profiles (id) on delete restrict,
  -- As its payee wrote it.
  number text not null,
  invoiced_on date not null,
  -- Before tax.
  amount numeric(12, 2) not null,
  vat_rate numeric(4, 2),
  vat_amount numeric(12, 2),
  -- Under which number the tax is charged.
  vat_number text,
  -- Lapsed: its payee sent another, or its request was refused or came back.
  status text not null default 'sent',
  sent_at timestamptz not null default private.now(),
  decided_at timestamptz,
  refusal_reason text,
  name text not null,
  size integer not null,
  is_test boolean not null,
  constraint payee_invoices_of_a_request unique (id, request_id),
  constraint payee_invoices_number_is_a_line check (private.is_line(number, 40) and number <> '' and number = btrim(number)),
  constraint payee_invoices_amount_is_some check (amount > 0),
  constraint payee_invoices_vat_is_whole check (num_nonnulls(vat_rate, vat_amount, vat_number) in (0, 3)),
  constraint payee_invoices_vat_is_of_its_rate check (vat_rate > 0 and vat_amount = private.vat_of(amount, vat_rate)),
  constraint payee_invoices_vat_number_is_a_line check (private.is_line(vat_number, 13)),
  constraint payee_invoices_status_is_known check (status in ('sent', 'accepted', 'refused', 'lapsed')),
  constraint payee_invoices_decision_has_a_time check (case status when 'sent' then decided_at is null when 'lapsed' then true
    else decided_at is not null end),
  constraint payee_invoices_refusal_has_a_reason check ((status = 'refused') = (refusal_reason is not null)),
  constraint payee_invoices_reason_is_a_text check (private.is_text(refusal_reason, 500) and btrim(refusal_reason) <> ''),
  constraint payee_invoices_name_is_a_line check (private.is_line(name, 255) and btrim(name) <> ''),
  constraint payee_invoices_size_is_bounded check (size between 1 and 5242880)
);
-- A number stands for one invoice of its payee; a request has one that is looked at, or was accepted.
create unique index payee_invoices_have_numbers_of_their_own on public.payee_invoices (payee_id, lower(number)) where status in ('sent', 'accepted');
create unique index payee_invoices_stand_alone on public.payee_invoices (request_id) where status in ('sent', 'accepted');
create index payee_invoices_by_request on public.payee_invoices (request_id, sent_at desc);

create table private.payee_invoice_files (
  invoice_id uuid primary key references public.payee_invoices (id) on delete cascade,
  bytes bytea not null,
  hash bytea not null generated always as (sha256(bytes)) stored,
  constraint payee_invoice_files_are_pdfs check (substr(bytes, 1, 5) = '\x255044462d' and length(bytes) <= 5242880)
);

alter table public.payee_invoices enable row level security;
alter table public.payee_invoices force row level security;
alter table private.payee_invoice_files enable row level security;
alter table private.payee_invoice_files force row level security;
grant select on public.payee_invoices to authenticated, service_role;
grant select, insert, update, delete on public.payee_invoices to parrain_service;
grant select, insert on private.payee_invoice_files to parrain_service;
create policy payee_invoices_service_all on public.payee_invoices to parrain_service using (true) with check (true);
create policy payee_invoice_files_service_all on private.payee_invoice_files to parrain_service using (true) with check (true);
create policy payee_invoices_secret_read on public.payee_invoices for select to service_role using (true);
create policy payee_invoices_authenticated_read on public.payee_invoices for select to authenticated using (
  (select private.user_role()) in ('admin', 'comptable') or payee_id = (select private.uid()));

-- What was sent stays as it was sent; it goes with the test data that it is of, and otherwise never.
create function private.guard_payee_invoice() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'DELETE' and private.is_cleaning() then
    if tg_table_name = 'payee_invoice_files' then return old; end if;
    if (to_jsonb(old) ->> 'is_test')::boolean then return old; end if;
  end if;
  if tg_op <> 'UPDATE' or tg_table_name = 'payee_invoice_files' then perform private.refuse('forbidden'); end if;
  if to_jsonb(new) - array['status', 'decided_at', 'refusal_reason'] <> to_jsonb(old) - array['status', 'decided_at', 'refusal_reason'] then
    perform private.refuse('forbidden');
  end if;
  if (old.status, new.status) not in (('sent', 'accepted'), ('sent', 'refused'), ('sent', 'lapsed'), ('accepted', 'lapsed')) then
    perform private.refuse('invoice_too_late');
  end if;
  return new;
end
$$;
create trigger payee_invoices_guard before update or delete on public.payee_invoices for each row execute function private.guard_payee_invoice();
create trigger payee_invoice_files_are_never_changed before update or delete on private.payee_invoice_files
  for each row execute function private.guard_payee_invoice();
create trigger payee_invoice_files_are_never_emptied before truncate on private.payee_invoice_files
  for each statement execute function private.guard_payee_invoice();
create trigger payee_invoices_limit after insert on public.payee_invoices for each row execute function private.limit_writes('payee_invoice', '20');

-- VAT is that of the mandate, or of the payee's own invoice; an invoice without VAT stands by itself.
alter table public.payment_requests
  add column payee_invoice_id uuid,
  add constraint payment_requests_invoice_is_its_own foreign key (payee_invoice_id, id)
    references public.payee_invoices (id, request_id) on delete restrict not valid,
  add constraint payment_requests_invoice_is_of_a_transfer check (payee_invoice_id is null or payment_method = 'virement') not valid,
  drop constraint payment_requests_vat_is_whole,
  add constraint payment_requests_vat_is_whole check (num_nonnulls(vat_mandate_id, payee_invoice_id) < 2 and case when vat_rate is null
    then num_nonnulls(vat_amount, vat_mandate_id) = 0 else vat_amount is not null and num_nonnulls(vat_mandate_id, payee_invoice_id) = 1 end) not valid;
create unique index payment_requests_by_payee_invoice on public.payment_requests (payee_invoice_id, id) where payee_invoice_id is not null;

do $$
declare
  kinds text[];
begin
  select array_agg(m.found[1] order by m.place) || '{invoice_received,invoice_accepted,invoice_refused}' into kinds
    from pg_constraint c, regexp_matches(pg_get_constraintdef(c.oid), '[{,('']([a-z_]+)(?=[},''])', 'g') with ordinality m (found, place)
    where c.conname = 'notices_kind_is_known' and c.conrelid = 'public.notices'::regclass;
  alter table public.notices drop constraint notices_kind_is_known;
  execute format('alter table public.notices add constraint notices_kind_is_known check (kind = any (%L)) not valid', kinds);
end
$$;

-- What an invoice for this request has to say; refused where none may be sent, or no longer. Holds the request.
create function private.payee_invoice_terms(p_request_id uuid) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('client');
  r public.payment_requests;
begin
  select * into r from public.payment_requests t where t.id = p_request_id and t.client_id = me for update;
  if not found then perform private.refuse('request_not_found'); end if;
  if r.payment_method <> 'virement' or r.vat_mandate_id is not null or not private.may_be_self_billed(me)
      or private.mandate_in_force(me) is not null then
    perform private.refuse('invoice_not_offered');
  end if;
  if r.status not in ('pending', 'approved') or r.payee_invoice_id is not null
      or exists (select from public.payment_batch_lines l where l.request_id = r.id and l.status in ('queued', 'paid')) then
    perform private.refuse('invoice_too_late');
  end if;
  return (select jsonb_build_object('amount', r.amount::text, 'charges_vat', d.charges_vat, 'today', private.today(),
    -- The services are those that earned it.
    'from', (select (min(e.at) at time zone 'Europe/Paris')::date from public.ledger_entries e where e.payee_id = me and e.act = 'validation'))
    from private.payee_details d where d.payee_id = me);
end
$$;

-- Another one takes the place of what nobody has decided yet.
create function private.send_payee_invoice(p_request_id uuid, p_number text, p_day date, p_amount numeric, p_vat numeric, p_total numeric,
  p_name text, p_bytes bytea) returns public.payee_invoices
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('client');
  terms constant jsonb := private.payee_invoice_terms(p_request_id);
  rate constant numeric := case when (terms ->> 'charges_vat')::boolean then private.vat_rate_on(p_day) end;
  vat constant numeric := private.vat_of((terms ->> 'amount')::numeric, rate);
  i public.payee_invoices;
begin
  if (p_day between (terms ->> 'from')::date and private.today()) is not true
      or (p_amount, p_vat, p_total) is distinct from
        ((terms ->> 'amount')::numeric, coalesce(vat, 0), (terms ->> 'amount')::numeric + coalesce(vat, 0)) then
    perform private.refuse('invoice_mismatch');
  end if;
  update public.payee_invoices t set status = 'lapsed' where t.request_id = p_request_id and t.status = 'sent';
  insert into public.payee_invoices (request_id, payee_id, number, invoiced_on, amount, vat_rate, vat_amount, vat_number, name, size, is_test)
  select r.id, me, btrim(p_number), p_day, p_amount, rate, vat,
    case when rate is not null then (select d.vat_number from private.payee_details d where d.payee_id = me) end, p_name, length(p_bytes), r.is_test
  from public.payment_requests r where r.id = p_request_id returning * into i;
  insert into private.payee_invoice_files (invoice_id, bytes) values (i.id, p_bytes);
  perform private.append_audit('payment_requests', p_request_id, 'send_invoice', null,
    jsonb_build_object('invoice_sha256', encode(sha256(p_bytes), 'hex')), null);
  perform private.end_notices(array['invoice_refused', 'invoice_received'], null, p_request_id, null);
  perform private.tell('invoice_received', private.active_admins(), null, p_request_id);
  return i;
exception when unique_violation then
  perform private.refuse('invoice_number_taken');
end
$$;

-- Accepted, its tax and its number are the request's; the same decision again is the same answer.
create function private.decide_payee_invoice(p_invoice_id uuid, p_accepts boolean, p_reason text)
returns table (invoice public.payee_invoices, already boolean)
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  r public.payment_requests;
  i public.payee_invoices;
  why constant text := nullif(btrim(p_reason), '');
begin
  if p_accepts is null then perform private.refuse('decision_required'); end if;
  if not p_accepts and why is null then perform private.refuse('refusal_reason_required'); end if;
  select * into r from public.payment_requests t
    where t.id = (select n.request_id from public.payee_invoices n where n.id = p_invoice_id) for update;
  if not found then perform private.refuse('request_not_found'); end if;
  select * into i from public.payee_invoices t where t.id = p_invoice_id for update;
  if p_accepts and i.status = 'accepted' or not p_accepts and i.status = 'refused' and i.refusal_reason = why then
    return query select i, true;
    return;
  end if;
  if i.status <> 'sent' then perform private.refuse('invoice_too_late'); end if;
  if p_accepts then
    if not exists (select from private.payee_details d where d.payee_id = i.payee_id and (d.charges_vat is true) = (i.vat_rate is not null)
        and (i.vat_rate is null or d.vat_number = i.vat_number and d.vat_accepted_at is not null)) then
      perform private.refuse('invoice_vat_waits');
    end if;
    update public.payee_invoices t set status = 'accepted', decided_at = private.now() where t.id = i.id returning * into i;
    update public.payment_requests t set payee_invoice_id = i.id, vat_rate = i.vat_rate, vat_amount = i.vat_amount where t.id = r.id;
  else
    update public.payee_invoices t set status = 'refused', decided_at = private.now(), refusal_reason = why where t.id = i.id returning * into i;
    perform private.append_audit('payment_requests', r.id, 'refuse_invoice', null, '{}', why);
  end if;
  perform private.end_notices(array['invoice_received'], null, r.id, null);
  perform private.tell(case when p_accepts then 'invoice_accepted' else 'invoice_refused' end, array[i.payee_id], null, r.id);
  return query select i, false;
end
$$;

create function private.payee_invoice_file(p_invoice_id uuid) returns table (name text, bytes bytea)
language plpgsql stable security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin', 'comptable', 'client');
begin
  return query select i.name, f.bytes
    from public.payee_invoices i join private.payee_invoice_files f on f.invoice_id = i.id
    where i.id = p_invoice_id and (i.payee_id = me or private.user_role() <> 'client');
  if not found then perform private.refuse('proof_not_found'); end if;
end
$$;

-- A request that is refused or comes back leaves its invoice to be sent for another one.
create function private.lapse_payee_invoice() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  update public.payee_invoices i set status = 'lapsed' where i.request_id = new.id and i.status in ('sent', 'accepted');
  perform private.end_notices(array['invoice_received', 'invoice_refused'], null, new.id, null);
  return null;
end
$$;
create trigger payment_requests_lapse_invoice after update of status on public.payment_requests
  for each row when (new.status in ('rejected', 'returned') and old.status <> new.status) execute function private.lapse_payee_invoice();

do $$
declare
  f regprocedure;
begin
  for f in select p.oid::regprocedure from pg_proc p where p.pronamespace = 'private'::regnamespace
      and p.proname in ('guard_payee_invoice', 'payee_invoice_terms', 'send_payee_invoice', 'decide_payee_invoice', 'payee_invoice_file',
        'lapse_payee_invoice') loop
    execute format('alter function %s owner to parrain_service', f);
    execute format('revoke execute on function %s from public', f);
  end loop;
end
$$;
grant execute on function private.payee_invoice_terms(uuid), private.send_payee_invoice(uuid, text, date, numeric, numeric, numeric, text, bytea),
  private.decide_payee_invoice(uuid, boolean, text), private.payee_invoice_file(uuid) to authenticated;

create or replace function private.guard_payment_request() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  left_ numeric;
  v_line text;
  v_usable_from timestamptz;
  v_settlement constant text[] := array['settlement_reference', 'association_name', 'association_number', 'version', 'updated_at'];
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
  if (new.id, new.client_id, new.amount, new.payment_method, new.payment_details, new.created_at, new.is_test, new.iban_id, new.vat_mandate_id)
      is distinct from (old.id, old.client_id, old.amount, old.payment_method, old.payment_details, old.created_at, old.is_test, old.iban_id,
        old.vat_mandate_id) then
    perform private.refuse('forbidden');
  end if;
  -- AC-04: a request without a mandate takes the tax of the payee's own invoice, once, as long as nothing pays it.
  if (new.vat_rate, new.vat_amount, new.payee_invoice_id) is distinct from (old.vat_rate, old.vat_amount, old.payee_invoice_id) then
    if old.vat_mandate_id is not null or old.payee_invoice_id is not null or new.status <> old.status or old.status not in ('pending', 'approved')
        or not exists (select from public.payee_invoices i where i.id = new.payee_invoice_id and i.request_id = new.id and i.status = 'accepted'
          and (i.amount, i.vat_rate, i.vat_amount) is not distinct from (new.amount, new.vat_rate, new.vat_amount)) then
      perform private.refuse('forbidden');
    end if;
    if exists (select from public.payment_batch_lines l where l.request_id = old.id and l.status in ('queued', 'paid')) then
      perform private.refuse('invoice_too_late');
    end if;
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
    -- AC-04: an invoice that was sent is looked at before its request is paid: the tax cannot follow. What the bank has paid is paid.
    if new.status = 'paid' and v_line is distinct from 'paid'
        and exists (select from public.payee_invoices i where i.request_id = new.id and i.status = 'sent') then
      perform private.refuse('invoice_waits');
    end if;
    -- PO-04: nothing goes to a changed account before its day. What the bank has paid is paid.
    if new.status = 'paid' and v_line is distinct from 'paid' then
      select i.usable_from into v_usable_from from public.payee_ibans i where i.id = new.iban_id and i.usable_from > private.now();
      if found then perform private.refuse('iban_not_usable_yet', jsonb_build_object('from', v_usable_from)); end if;
    end if;
  elsif old.status in ('paid', 'returned') then
    -- DF-02: a reference that was not known at the payment is said once.
    if to_jsonb(new) - v_settlement <> to_jsonb(old) - v_settlement
        or (old.settlement_reference is not null and new.settlement_reference is distinct from old.settlement_reference)
        or (old.association_name is not null and new.association_name is distinct from old.association_name)
        or (old.association_number is not null and new.association_number is distinct from old.association_number) then
      perform private.refuse('request_illegal_move');
    end if;
  elsif old.status = 'rejected' then
    perform private.refuse('request_illegal_move');
  end if;
  new.version := old.version + 1;
  new.updated_at := private.now();
  return new;
end
$$;

create or replace function private.guard_payment_batch_line() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  v_status text;
begin
  select b.status into v_status from public.payment_batches b where b.id = coalesce(new.batch_id, old.batch_id);
  if tg_op = 'DELETE' then
    -- With its batch, whose own guard has said yes, or from a draft.
    if v_status is null or v_status = 'draft' or private.is_cleaning() then return old; end if;
    perform private.refuse('batch_illegal_move');
  end if;
  if tg_op = 'INSERT' then
    if v_status <> 'draft' or new.status <> 'queued' then perform private.refuse('batch_illegal_move'); end if;
    if exists (select from public.paid_periods q where q.payee_id = new.payee_id and q.month >= new.month and q.returned_at is null) then
      perform private.refuse('period_already_paid');
    end if;
    if exists (select from public.payee_invoices i where i.request_id = new.request_id and i.status = 'sent') then
      perform private.refuse('invoice_waits');
    end if;
    return new;
  end if;
  if (new.id, new.batch_id, new.request_id, new.payee_id, new.month, new.amount, new.account_id,
        new.vat_rate, new.vat_amount, new.vat_mandate_id)
      is distinct from (old.id, old.batch_id, old.request_id, old.payee_id, old.month, old.amount, old.account_id,
        old.vat_rate, old.vat_amount, old.vat_mandate_id) then perform private.refuse('forbidden'); end if;
  -- A bank sends money back for weeks after its batch was settled.
  if (old.status, new.status) = ('paid', 'returned') then return new; end if;
  if old.status <> 'queued' or new.status = 'returned' or v_status not in ('released', 'sent') then perform private.refuse('batch_illegal_move'); end if;
  return new;
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
    if num_nonnulls(new.vat_mandate_id, new.payee_invoice_id) = 0 and not exists (select from private.paper_settings s where s.issues_papers) then return null; end if;
    -- As it was asked for: with the VAT of its mandate, or without any. What the payee has invoiced makes a receipt.
    select * into mandate from private.mandates m
      where new.payee_invoice_id is null and m.id = coalesce(new.vat_mandate_id, private.mandate_in_force(new.client_id)) and (m.vat_number is null) = (new.vat_mandate_id is null);
    kind := case when found then 'F' || mandate.payee_siren else 'R' end;
  end if;
  perform private.issue_paper(kind, new.client_id, new.id, null, null, new.amount + coalesce(new.vat_amount, 0), new.is_test, jsonb_build_object(
      'mandate', private.mandate_on_paper(mandate), 'method', new.payment_method, 'reference', new.settlement_reference,
      'association', new.association_name, 'association_number', new.association_number, 'asked_at', new.created_at, 'paid_at', new.paid_at,
      'returned_at', new.returned_at, 'receipt', former.label, 'receipt_on', former.issued_on)
    -- What comes back is what was paid: of the same contracts.
    || jsonb_strip_nulls(jsonb_build_object('lines', case when former.id is null
      then private.contracts_settled(new.client_id, new.id, new.amount) else former.content -> 'lines' end))
    || case when new.payee_invoice_id is null then private.vat_on_paper(new.amount, new.vat_rate, new.vat_amount, mandate)
      else (select jsonb_build_object('invoice', jsonb_strip_nulls(jsonb_build_object('number', i.number, 'on', i.invoiced_on,
        'base', i.amount::text, 'rate', i.vat_rate::text, 'vat', i.vat_amount::text)))
        from public.payee_invoices i where i.id = new.payee_invoice_id) end
    || case when former.series ~ '^T?F' then jsonb_build_object('company', former.content -> 'company', 'payee', former.content -> 'payee',
      'mandate', former.content -> 'mandate') || jsonb_strip_nulls(jsonb_build_object('vat', former.content -> 'vat')) else '{}' end);
  return null;
end
$$;
