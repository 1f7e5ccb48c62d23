-- AC-04: a commercial who invoices by themselves sends an invoice for the month that is due, as a client does for a transfer that they asked
-- for (decision 0107). Accepted, its tax is the month's: in batches, payments, papers and the journal. Every step of it holds the payee's balance.

alter table public.payee_invoices
  alter column request_id drop not null,
  -- The month of a commercial that it is for, in a request's place.
  add column month date,
  add constraint payee_invoices_are_of_a_request_or_a_month check (num_nonnulls(request_id, month) = 1) not valid,
  add constraint payee_invoices_month_is_its_first_day check (extract(day from month) = 1) not valid,
  add constraint payee_invoices_of_a_month unique (id, payee_id, month);
create unique index payee_invoices_stand_alone_in_a_month on public.payee_invoices (payee_id, month) where status in ('sent', 'accepted');
create index payee_invoices_by_month on public.payee_invoices (payee_id, month, sent_at desc) where month is not null;

alter table public.payment_batch_lines
  add column payee_invoice_id uuid,
  add constraint payment_batch_lines_invoice_is_its_own foreign key (payee_invoice_id, payee_id, month)
    references public.payee_invoices (id, payee_id, month) on delete cascade not valid,
  add constraint payment_batch_lines_invoice_is_of_a_month check (payee_invoice_id is null or month is not null) not valid,
  drop constraint payment_batch_lines_vat_is_whole,
  add constraint payment_batch_lines_vat_is_whole check (num_nonnulls(vat_mandate_id, payee_invoice_id) < 2 and case when vat_rate is null
    then num_nonnulls(vat_amount, vat_mandate_id) = 0 else vat_amount is not null and num_nonnulls(vat_mandate_id, payee_invoice_id) = 1 end) not valid;
create index payment_batch_lines_by_payee_invoice on public.payment_batch_lines (payee_invoice_id) where payee_invoice_id is not null;
alter table public.paid_periods
  add column payee_invoice_id uuid,
  add constraint paid_periods_invoice_is_its_own foreign key (payee_invoice_id, payee_id, month)
    references public.payee_invoices (id, payee_id, month) on delete restrict not valid,
  drop constraint paid_periods_vat_is_whole,
  add constraint paid_periods_vat_is_whole check (num_nonnulls(vat_mandate_id, payee_invoice_id) < 2 and case when vat_rate is null
    then num_nonnulls(vat_amount, vat_mandate_id) = 0 else vat_amount is not null and num_nonnulls(vat_mandate_id, payee_invoice_id) = 1 end) not valid;
create unique index paid_periods_by_payee_invoice on public.paid_periods (payee_invoice_id) where payee_invoice_id is not null;

alter table public.notices
  add column invoice_id uuid references public.payee_invoices (id) on delete cascade,
  drop constraint notices_are_about_one_thing,
  add constraint notices_are_about_one_thing check (num_nonnulls(debt_act_id, client_id, appointment_id, sale_id, request_id, dispute_id,
    archive_id, line_id, import_id, iban_id, invoice_id) = 1) not valid;
create index notices_by_invoice on public.notices (invoice_id) where invoice_id is not null;
do $$
declare
  kinds text[];
begin
  select array_agg(m.found[1] order by m.place) || '{invoice_lapsed}' into kinds
    from pg_constraint c, regexp_matches(pg_get_constraintdef(c.oid), '[{,('']([a-z_]+)(?=[},''])', 'g') with ordinality m (found, place)
    where c.conname = 'notices_kind_is_known' and c.conrelid = 'public.notices'::regclass;
  alter table public.notices drop constraint notices_kind_is_known;
  execute format('alter table public.notices add constraint notices_kind_is_known check (kind = any (%L)) not valid', kinds);
end
$$;

-- What is said of the invoice of a month; what was said of it before is dealt with.
create function private.tell_of_invoice(p_kind text, p_recipients uuid[], p_invoice_id uuid) returns void
language plpgsql security definer set search_path = '' as $$
begin
  update public.notices n set read_at = private.now() where n.id in (
    select o.id from public.notices o where o.invoice_id = p_invoice_id and o.read_at is null and o.kind <> 'invoice_accepted' for update skip locked);
  with written as (
    insert into public.notices (recipient_id, kind, invoice_id)
    select p.id, p_kind, p_invoice_id from public.profiles p where p.id = any (p_recipients) and p.deactivated_at is null order by p.id
    returning id)
  insert into private.notice_mails (notice_id) select w.id from written w;
end
$$;

-- Whoever writes their own invoices once papers are made: who is offered a mandate, and a business abroad, who is offered none (AC-08).
create function private.may_invoice(p_payee_id uuid) returns boolean
language sql stable security definer set search_path = ''
return private.may_be_self_billed(p_payee_id) or exists (
  select from private.payee_details d
  join public.profiles p on p.id = d.payee_id
  join private.paper_settings s on s.issues_papers
  where d.payee_id = p_payee_id and p.role in ('client', 'commercial') and p.deactivated_at is null and d.country <> 'FR'
    and d.status in ('societe', 'agent'));

-- True of a commercial who writes their own invoice for a month: paid by transfer, and without a mandate.
create function private.invoices_months(p_payee_id uuid) returns boolean
language sql stable security definer set search_path = ''
return private.may_invoice(p_payee_id) and private.is_paid_by_transfer(p_payee_id) and private.mandate_in_force(p_payee_id) is null;

-- With which tax a month of this sum is paid, and by what: the payee's own invoice that was accepted, else a mandate, else none.
create function private.month_tax(p_payee_id uuid, p_month date, p_due numeric, out invoice_id uuid, out mandate_id bigint, out rate numeric, out vat numeric)
language sql stable security definer set search_path = ''
begin atomic
  select i.id, case when i.id is null then v.mandate end, case when i.id is not null then i.vat_rate else v.rate end,
    case when i.id is not null then i.vat_amount else private.vat_of(p_due, v.rate) end
  from (select private.vat_mandate(p_payee_id) as mandate, private.vat_rate_of(p_payee_id) as rate) v
  left join public.payee_invoices i on i.payee_id = p_payee_id and i.month = p_month and i.status = 'accepted' and i.amount = p_due;
end;

-- What an invoice of this payee for this month has to say; refused where none may be sent, or no longer. Holds the payee's balance.
create function private.month_invoice_terms_of(p_payee_id uuid, p_month date) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  d record;
begin
  perform 1 from public.profiles p where p.id = p_payee_id for no key update;
  perform 1 from public.balances b where b.profile_id = p_payee_id for update;
  -- What waits is the last month that is over: it has what those before it left.
  if p_month is distinct from (private.last_month_begun() - interval '1 month')::date then perform private.refuse('invoice_too_late'); end if;
  if not private.invoices_months(p_payee_id) then perform private.refuse('invoice_not_offered'); end if;
  if exists (select from public.paid_periods q where q.payee_id = p_payee_id and q.month >= p_month and q.returned_at is null)
      or exists (select from public.payment_batch_lines l where l.payee_id = p_payee_id and l.status = 'queued')
      or exists (select from public.payee_invoices i where i.payee_id = p_payee_id and i.month = p_month and i.status = 'accepted') then
    perform private.refuse('invoice_too_late');
  end if;
  select * into d from private.period_due(p_payee_id, p_month);
  if d.due <= 0 then perform private.refuse('invoice_not_offered'); end if;
  return (select jsonb_build_object('amount', d.due::numeric(12, 2)::text, 'charges_vat', t.charges_vat, 'today', private.today(), 'is_test', d.is_test,
    'from', (select (min(e.at) at time zone 'Europe/Paris')::date from public.ledger_entries e
      where e.payee_id = p_payee_id and e.act = 'validation'))
    from private.payee_details t where t.payee_id = p_payee_id);
end
$$;

create function private.payee_month_invoice_terms(p_month date) returns jsonb
language sql security definer set search_path = ''
return private.month_invoice_terms_of(private.require_role('commercial'), p_month);

create or replace function private.invoice_terms_of(p_payee_id uuid, p_request_id uuid) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  r public.payment_requests;
begin
  select * into r from public.payment_requests t where t.id = p_request_id and t.client_id = p_payee_id for update;
  if not found then perform private.refuse('request_not_found'); end if;
  if r.payment_method <> 'virement' or r.vat_mandate_id is not null or not private.may_invoice(p_payee_id)
      or private.mandate_in_force(p_payee_id) is not null then
    perform private.refuse('invoice_not_offered');
  end if;
  if r.status not in ('pending', 'approved') or r.payee_invoice_id is not null
      or exists (select from public.payment_batch_lines l where l.request_id = r.id and l.status in ('queued', 'paid')) then
    perform private.refuse('invoice_too_late');
  end if;
  return (select jsonb_build_object('amount', r.amount::text, 'charges_vat', d.charges_vat, 'today', private.today(), 'is_test', r.is_test,
    -- The services are those that earned it.
    'from', (select (min(e.at) at time zone 'Europe/Paris')::date from public.ledger_entries e
      where e.payee_id = p_payee_id and e.act = 'validation'))
    from private.payee_details d where d.payee_id = p_payee_id);
end
$$;

-- Keeps an invoice for an admin to decide, once its day and amounts are those of its request, or of its month. Another one takes the place
-- of what nobody has decided yet; that of a month, of what was sent for one before it too.
drop function private.keep_payee_invoice(uuid, uuid, text, date, numeric, numeric, numeric, text, bytea, text);
create function private.keep_payee_invoice(p_payee_id uuid, p_request_id uuid, p_number text, p_day date, p_amount numeric, p_vat numeric,
  p_total numeric, p_name text, p_bytes bytea, p_act text, p_month date default null) returns public.payee_invoices
language plpgsql security definer set search_path = '' as $$
declare
  terms constant jsonb := case when p_month is null then private.invoice_terms_of(p_payee_id, p_request_id)
    else private.month_invoice_terms_of(p_payee_id, p_month) end;
  rate constant numeric := case when (terms ->> 'charges_vat')::boolean then private.vat_rate_on(p_day) end;
  vat constant numeric := private.vat_of((terms ->> 'amount')::numeric, rate);
  i public.payee_invoices;
begin
  if (p_day between (terms ->> 'from')::date and private.today()) is not true
      or (p_amount, p_vat, p_total) is distinct from
        ((terms ->> 'amount')::numeric, coalesce(vat, 0), (terms ->> 'amount')::numeric + coalesce(vat, 0)) then
    perform private.refuse('invoice_mismatch');
  end if;
  if p_month is null then
    update public.payee_invoices t set status = 'lapsed' where t.request_id = p_request_id and t.status = 'sent';
  else
    perform private.lapse_month_invoice(t.id, false) from public.payee_invoices t
      where t.payee_id = p_payee_id and t.month <= p_month and t.status in ('sent', 'accepted') and not private.is_invoice_used(t.id);
  end if;
  insert into public.payee_invoices (request_id, month, payee_id, number, invoiced_on, amount, vat_rate, vat_amount, vat_number, name, size, is_test)
  select case when p_month is null then p_request_id end, p_month, p_payee_id, btrim(p_number), p_day, (terms ->> 'amount')::numeric, rate, vat,
    case when rate is not null then (select d.vat_number from private.payee_details d where d.payee_id = p_payee_id) end, p_name,
    length(p_bytes), (terms ->> 'is_test')::boolean
  returning * into i;
  insert into private.payee_invoice_files (invoice_id, bytes) values (i.id, p_bytes);
  if p_month is null then
    perform private.append_audit('payment_requests', p_request_id, p_act, null,
      jsonb_build_object('invoice_sha256', encode(sha256(p_bytes), 'hex')), null);
    perform private.end_notices(array['invoice_refused', 'invoice_received'], null, p_request_id, null);
    perform private.tell('invoice_received', private.active_admins(), null, p_request_id);
  else
    perform private.append_audit('profiles', p_payee_id, p_act, null,
      jsonb_build_object('invoice_sha256', encode(sha256(p_bytes), 'hex'), 'month', to_char(p_month, 'YYYY-MM')), null);
    update public.notices n set read_at = private.now() where n.recipient_id = p_payee_id and n.read_at is null
      and n.kind in ('invoice_refused', 'invoice_lapsed') and n.invoice_id is not null;
    perform private.tell_of_invoice('invoice_received', private.active_admins(), i.id);
  end if;
  return i;
exception when unique_violation then
  perform private.refuse('invoice_number_taken');
end
$$;

drop function private.send_payee_invoice(uuid, text, date, numeric, numeric, numeric, text, bytea);
create function private.send_payee_invoice(p_request_id uuid, p_number text, p_day date, p_amount numeric, p_vat numeric,
  p_total numeric, p_name text, p_bytes bytea, p_month date default null) returns public.payee_invoices
language plpgsql security definer set search_path = '' as $$
declare
  -- A client asks for transfers, a commercial has months.
  me uuid := private.require_role(case when p_month is null then 'client' else 'commercial' end);
begin
  if not private.is_whole_pdf(p_bytes) then perform private.refuse('invalid_input'); end if;
  return private.keep_payee_invoice(me, p_request_id, p_number, p_day, p_amount, p_vat, p_total, p_name, p_bytes, 'send_invoice', p_month);
end
$$;

-- A PDF that a reader opens: the mark of one at its start, and its end where an end has to be.
create function private.is_whole_pdf(p_bytes bytea) returns boolean language sql immutable set search_path = ''
return coalesce(substr(p_bytes, 1, 5) = '\x255044462d' and position('\x2525454f46'::bytea in substr(p_bytes, greatest(length(p_bytes) - 1023, 6))) > 0
  and position('\x737461727478726566'::bytea in p_bytes) > 0, false);

-- True once something pays it: the bank, or a payment that stands.
create function private.is_invoice_used(p_invoice_id uuid) returns boolean
language sql stable security definer set search_path = ''
return exists (select from public.paid_periods q where q.payee_invoice_id = p_invoice_id and q.returned_at is null)
  or exists (select from public.payment_batch_lines l join public.payment_batches b on b.id = l.batch_id
    where l.payee_invoice_id = p_invoice_id and l.status = 'queued' and b.status <> 'draft');

create function private.lapse_month_invoice(p_invoice_id uuid, p_tells boolean) returns void
language plpgsql security definer set search_path = '' as $$
declare
  i public.payee_invoices;
begin
  update public.payee_invoices t set status = 'lapsed' where t.id = p_invoice_id and t.status in ('sent', 'accepted') returning * into i;
  if not found then return; end if;
  if p_tells then
    perform private.tell_of_invoice('invoice_lapsed', array[i.payee_id], i.id);
  else
    update public.notices n set read_at = private.now() where n.invoice_id = i.id and n.read_at is null and n.kind <> 'invoice_accepted';
  end if;
end
$$;

-- What a month is due has changed since: its invoice says another sum.
create function private.lapse_changed_months() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.lapse_month_invoice(i.id, true)
    from public.payee_invoices i cross join lateral private.period_due(i.payee_id, i.month) d
    where i.payee_id = new.payee_id and i.month is not null and i.status in ('sent', 'accepted') and d.due <> i.amount
      and not private.is_invoice_used(i.id);
  return null;
end
$$;
-- What is written now counts in the month that runs: only what is of a day before, or a payment, changes one that is over.
create trigger ledger_entries_lapse_invoices after insert on public.ledger_entries
  for each row when (new.at < now() or new.act in ('payroll', 'return')) execute function private.lapse_changed_months();

-- A month that comes back leaves its invoice to be sent again.
create function private.lapse_returned_month() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.lapse_month_invoice(new.payee_invoice_id, false);
  return null;
end
$$;
create trigger paid_periods_lapse_invoice after update on public.paid_periods
  for each row when (old.returned_at is null and new.returned_at is not null and new.payee_invoice_id is not null)
  execute function private.lapse_returned_month();

-- What is invoiced is paid from its invoice's day on; what waits to be looked at is paid after that. What the bank has paid is paid.
create function private.guard_invoiced_month() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if new.method <> 'virement' and exists (select from public.payee_invoices i
      where i.payee_id = new.payee_id and i.month = new.month and i.status = 'sent') then
    perform private.refuse('invoice_waits');
  end if;
  if new.paid_at < (select private.month_start(i.invoiced_on) from public.payee_invoices i where i.id = new.payee_invoice_id) then
    perform private.refuse('payment_day_refused');
  end if;
  if new.payee_invoice_id is not null and not exists (select from public.payee_invoices i where i.id = new.payee_invoice_id
      and i.status = 'accepted' and (i.amount, i.vat_rate, i.vat_amount) is not distinct from (new.amount, new.vat_rate, new.vat_amount)) then
    perform private.refuse('forbidden');
  end if;
  return new;
end
$$;
create trigger paid_periods_paid_once_invoiced before insert on public.paid_periods
  for each row execute function private.guard_invoiced_month();

create or replace function private.decide_payee_invoice(p_invoice_id uuid, p_accepts boolean, p_reason text)
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
  select * into i from public.payee_invoices t where t.id = p_invoice_id;
  if not found then perform private.refuse('request_not_found'); end if;
  if i.month is null then
    select * into r from public.payment_requests t where t.id = i.request_id for update;
  else
    perform 1 from public.profiles p where p.id = i.payee_id for no key update;
    perform 1 from public.balances b where b.profile_id = i.payee_id for update;
  end if;
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
    if i.month is not null and (select d.due from private.period_due(i.payee_id, i.month) d) <> i.amount then
      perform private.refuse('invoice_too_late');
    end if;
    update public.payee_invoices t set status = 'accepted', decided_at = private.now() where t.id = i.id returning * into i;
    if i.month is null then
      update public.payment_requests t set payee_invoice_id = i.id, vat_rate = i.vat_rate, vat_amount = i.vat_amount where t.id = r.id;
    else
      perform private.append_audit('profiles', i.payee_id, 'accept_invoice', null, jsonb_strip_nulls(jsonb_build_object(
        'month', to_char(i.month, 'YYYY-MM'), 'amount', i.amount, 'vat_amount', i.vat_amount)), null);
    end if;
  else
    update public.payee_invoices t set status = 'refused', decided_at = private.now(), refusal_reason = why where t.id = i.id returning * into i;
    if i.month is null then
      perform private.append_audit('payment_requests', r.id, 'refuse_invoice', null, '{}', why);
    else
      perform private.append_audit('profiles', i.payee_id, 'refuse_invoice', null, jsonb_build_object('month', to_char(i.month, 'YYYY-MM')), why);
    end if;
  end if;
  if i.month is null then
    perform private.end_notices(array['invoice_received'], null, r.id, null);
    perform private.tell(case when p_accepts then 'invoice_accepted' else 'invoice_refused' end, array[i.payee_id], null, r.id);
  else
    perform private.tell_of_invoice(case when p_accepts then 'invoice_accepted' else 'invoice_refused' end, array[i.payee_id], i.id);
  end if;
  return query select i, false;
end
$$;

create or replace function private.payee_invoice_file(p_invoice_id uuid) returns table (name text, bytes bytea)
language plpgsql stable security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin', 'comptable', 'client', 'commercial');
begin
  return query select i.name, f.bytes
    from public.payee_invoices i join private.payee_invoice_files f on f.invoice_id = i.id
    where i.id = p_invoice_id and (i.payee_id = me or private.user_role() in ('admin', 'comptable'));
  if not found then perform private.refuse('proof_not_found'); end if;
end
$$;

-- Invoices of months are of no request: they go with the test transfers of their months.
create or replace function private.forget_paid_periods() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  delete from public.paid_periods q where q.id in (select o.source_id from old_rows o where o.act = 'payroll');
  if private.is_cleaning() then delete from public.payee_invoices i where i.month is not null and i.is_test; end if;
  return null;
end
$$;

-- The same tax wherever a month is summed, gathered or paid.
do $$
declare
  target record;
  change text[];
  body text;
begin
  for target in select c.name, array_agg(array[c.old, c.new] order by c.place) as changes from (select row_number() over () as place, v.* from (values
    ('private.pay_periods(date, jsonb, date)', $a$  v_mandate bigint;
  rate_ numeric;
$a$, $b$  v_tax record;
$b$),
    ('private.pay_periods(date, jsonb, date)', $a$    v_mandate := private.vat_mandate(l.payee_id);
    rate_ := case when v_mandate is not null then private.vat_rate_on(private.today()) end;
    if due_ is distinct from l.amount or private.vat_of(due_, rate_) is distinct from l.vat_amount then$a$,
      $b$    select * into v_tax from private.month_tax(l.payee_id, p_month, due_);
    if due_ is distinct from l.amount or v_tax.vat is distinct from l.vat_amount then$b$),
    ('private.pay_periods(date, jsonb, date)', 'is_test, vat_mandate_id, vat_rate, vat_amount, paid_at)', 'is_test, vat_mandate_id, payee_invoice_id, vat_rate, vat_amount, paid_at)'),
    ('private.pay_periods(date, jsonb, date)', 'test_, v_mandate, rate_, private.vat_of(due_, rate_),', 'test_, v_tax.mandate_id, v_tax.invoice_id, v_tax.rate, v_tax.vat,'),
    ('private.make_batch(uuid[], numeric, jsonb)', 'd.due + coalesce(private.vat_of(d.due, private.vat_rate_of(l.payee_id)), 0) is distinct',
      'd.due + coalesce((select k.vat from private.month_tax(l.payee_id, l.month, d.due) k), 0) is distinct'),
    ('private.make_batch(uuid[], numeric, jsonb)', 'account_id, vat_mandate_id, vat_rate, vat_amount)', 'account_id, vat_mandate_id, payee_invoice_id, vat_rate, vat_amount)'),
    ('private.make_batch(uuid[], numeric, jsonb)', 'private.vat_mandate(x.payee_id), v.rate, private.vat_of(k.due, v.rate)', 'v.mandate_id, v.invoice_id, v.rate, v.vat'),
    ('private.make_batch(uuid[], numeric, jsonb)', '(select private.vat_rate_of(x.payee_id) as rate) v', 'private.month_tax(x.payee_id, x.month, k.due) v'),
    ('private.require_releasable(uuid, integer, numeric, date)', 'd.due <> l.amount
', 'd.due <> l.amount
      -- Its invoice said another sum since.
      or l.payee_invoice_id is not null and not exists (select from public.payee_invoices n where n.id = l.payee_invoice_id and n.status = ''accepted'')
'),
    ('private.settle_batch(uuid, jsonb, date)', 'l.vat_rate, l.vat_amount, l.vat_mandate_id
', 'l.vat_rate, l.vat_amount, l.vat_mandate_id, l.payee_invoice_id
'),
    ('private.settle_batch(uuid, jsonb, date)', 'vat_amount, vat_mandate_id, line_id, paid_at)', 'vat_amount, vat_mandate_id, payee_invoice_id, line_id, paid_at)'),
    ('private.settle_batch(uuid, jsonb, date)', 'o.vat_amount, o.vat_mandate_id, o.request_id,', 'o.vat_amount, o.vat_mandate_id, o.payee_invoice_id, o.request_id,'),
    ('private.guard_payment_batch_line()', 'where i.request_id = new.request_id and i.status = ''sent'')', 'where i.status = ''sent''
        and (i.request_id = new.request_id or i.payee_id = new.payee_id and i.month = new.month))'),
    ('private.guard_payment_batch_line()', 'new.vat_rate, new.vat_amount, new.vat_mandate_id)', 'new.vat_rate, new.vat_amount, new.vat_mandate_id, new.payee_invoice_id)'),
    ('private.guard_payment_batch_line()', 'old.vat_rate, old.vat_amount, old.vat_mandate_id)', 'old.vat_rate, old.vat_amount, old.vat_mandate_id, old.payee_invoice_id)'),
    ('private.guard_period_in_batch()', '(l.vat_rate, l.vat_amount, l.vat_mandate_id) is not distinct from (new.vat_rate, new.vat_amount, new.vat_mandate_id)',
      '(l.vat_rate, l.vat_amount, l.vat_mandate_id, l.payee_invoice_id)
            is not distinct from (new.vat_rate, new.vat_amount, new.vat_mandate_id, new.payee_invoice_id)'),
    -- Other software is told of requests; the months of commercials are the company's own.
    ('private.record_webhook_step()', 'old.request_id, before - array[''id'',', 'old.request_id, before - array[''payee_invoice_id'', ''id'','),
    ('private.record_webhook_step()', 'new.request_id, now_row - array[''id'',', 'new.request_id, now_row - array[''payee_invoice_id'', ''id'','),
    -- The payee's own invoice is the piece of a month too, of what is paid and of what comes back.
    ('private.open_entries(date)', 'on n.id = w.payee_invoice_id', 'on n.id = coalesce(w.payee_invoice_id, b.payee_invoice_id)'),
    -- What the payee has invoiced makes a receipt, whatever mandate came since.
    ('private.make_paper_of_period()', 'if new.vat_mandate_id is null and (not exists', 'if num_nonnulls(new.vat_mandate_id, new.payee_invoice_id) = 0 and (not exists'),
    ('private.make_paper_of_period()', 'm where m.id = coalesce(', 'm where new.payee_invoice_id is null and m.id = coalesce('),
    ('private.make_paper_of_period()', '    || private.vat_on_paper(new.amount, new.vat_rate, new.vat_amount, mandate)
', $b$    || case when new.payee_invoice_id is null then private.vat_on_paper(new.amount, new.vat_rate, new.vat_amount, mandate)
      else (select jsonb_build_object('invoice', jsonb_strip_nulls(jsonb_build_object('number', i.number, 'on', i.invoiced_on,
        'base', i.amount::text, 'rate', i.vat_rate::text, 'vat', i.vat_amount::text)))
        from public.payee_invoices i where i.id = new.payee_invoice_id) end
$b$),
    ('private.payee_shown(uuid)', '-- What keeps a business abroad', $b$'may_invoice', private.may_invoice(payee.id),
    -- What keeps a business abroad$b$)) v (name, old, new)) c group by c.name loop
    body := pg_get_functiondef(target.name::regprocedure);
    foreach change slice 1 in array target.changes loop
      if array_length(string_to_array(body, change[1]), 1) <> 2 then raise exception '% is not as expected: %', target.name, change[1]; end if;
      body := replace(body, change[1], change[2]);
    end loop;
    execute body;
  end loop;
end
$$;

-- Whether an invoice is awaited, waits, or was decided, of a month that is to be paid; and the tax of the one that was accepted.
do $$
declare
  body text := pg_get_viewdef('public.commission_periods'::regclass);
  change text[];
begin
  foreach change slice 1 in array array[
    ['ELSE private.vat_of(s.due, v.rate)', 'ELSE v.vat'],
    ['ELSE private.vat_rate_of(s.payee_id)
                END AS rate) v', 'ELSE x.rate
                END AS rate, x.vat, x.offers) v'],
    ['CROSS JOIN LATERAL ( SELECT
                CASE
                    WHEN (s.paid IS NOT NULL) THEN s.vat_rate', 'LEFT JOIN LATERAL ( SELECT k.rate, k.vat, private.invoices_months(s.payee_id) AS offers
           FROM private.month_tax(s.payee_id, s.month, s.due) k
          WHERE s.paid IS NULL AND s.month < private.last_month_begun() AND s.due > 0 AND s.month >= COALESCE(s.paid_until, s.month)) x ON true
     CROSS JOIN LATERAL ( SELECT
                CASE
                    WHEN (s.paid IS NOT NULL) THEN s.vat_rate'],
    ['END AS returned_at
', 'END AS returned_at,
        CASE
            WHEN s.paid IS NOT NULL THEN ( SELECT ''accepted''::text FROM public.paid_periods q WHERE q.payee_id = s.payee_id AND q.month = s.month
              AND q.returned_at IS NULL AND q.payee_invoice_id IS NOT NULL)
            WHEN (s.month >= private.last_month_begun() OR s.due <= 0 OR s.month < s.paid_until) THEN NULL::text
            ELSE COALESCE(( SELECT i.status FROM public.payee_invoices i WHERE i.payee_id = s.payee_id AND i.month = s.month AND i.status <> ''lapsed''
              ORDER BY i.sent_at DESC LIMIT 1), CASE WHEN v.offers AND l.status IS DISTINCT FROM ''queued'' AND s.month = (private.last_month_begun() - interval ''1 month'')::date THEN ''awaited''::text END)
        END AS invoice
']]
  loop
    if array_length(string_to_array(body, change[1]), 1) <> 2 then raise exception 'commission_periods is not as expected: %', change[1]; end if;
    body := replace(body, change[1], change[2]);
  end loop;
  execute 'create or replace view public.commission_periods with (security_invoker = true) as ' || body;

  body := pg_get_viewdef('public.transfers_to_make'::regclass);
  foreach change slice 1 in array array[
    ['COALESCE(private.vat_of(d.due, private.vat_rate_of(p.id)), (0)::numeric)', 'COALESCE(( SELECT k.vat FROM private.month_tax(p.id, d.month, d.due) k), (0)::numeric)'],
    ['WHEN (private.is_outside_eea(a.iban) AND (a.bic IS NULL)) THEN ''no_bic''::text', 'WHEN (private.is_outside_eea(a.iban) AND (a.bic IS NULL)) THEN ''no_bic''::text
            WHEN (EXISTS ( SELECT FROM public.payee_invoices n WHERE n.payee_id = p.id AND n.month = d.month AND n.status = ''sent'')) THEN ''invoice''::text']]
  loop
    if array_length(string_to_array(body, change[1]), 1) <> 2 then raise exception 'transfers_to_make is not as expected: %', change[1]; end if;
    body := replace(body, change[1], change[2]);
  end loop;
  execute 'create or replace view public.transfers_to_make with (security_invoker = true) as ' || body;
end
$$;

do $$
declare
  f regprocedure;
begin
  for f in select p.oid::regprocedure from pg_proc p where p.pronamespace = 'private'::regnamespace
      and p.proname in ('tell_of_invoice', 'may_invoice', 'invoices_months', 'month_tax', 'month_invoice_terms_of', 'payee_month_invoice_terms', 'keep_payee_invoice',
        'send_payee_invoice', 'is_whole_pdf', 'is_invoice_used', 'lapse_month_invoice', 'lapse_changed_months', 'lapse_returned_month',
        'guard_invoiced_month') loop
    execute format('revoke all on function %s from public', f);
    execute format('alter function %s owner to parrain_service', f);
  end loop;
end
$$;
grant execute on function private.payee_month_invoice_terms(date), private.send_payee_invoice(uuid, text, date, numeric, numeric, numeric, text, bytea, date)
  to authenticated;
-- The views of months ask these as their reader.
grant execute on function private.invoices_months(uuid), private.month_tax(uuid, date, numeric)
  to authenticated, service_role;
