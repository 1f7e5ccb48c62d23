-- EI-02, AC-04: an electronic invoice is matched to the month of a commercial as it is to a transfer; what the platform says of our answers is
-- read; other suppliers are set aside once for all; a queue that stands still is told by an alarm (decision 0109).

-- Months that wait for the invoice of their commercial: the last one that is over, where nothing pays it yet and none is being looked at.
create function private.months_to_invoice(p_payee_id uuid) returns table (payee_id uuid, month date, amount numeric)
language sql stable security definer set search_path = ''
begin atomic
  select p.id, m.month, d.due::numeric(12, 2)
  from public.profiles p
  cross join (select (private.last_month_begun() - interval '1 month')::date as month) m
  cross join lateral private.period_due(p.id, m.month) d
  where (p_payee_id is null or p.id = p_payee_id) and p.role = 'commercial' and not p.is_test and p.deactivated_at is null
    and private.invoices_months(p.id) and d.due > 0 and not d.is_test
    and not exists (select from public.paid_periods q where q.payee_id = p.id and q.month >= m.month and q.returned_at is null)
    and not exists (select from public.payment_batch_lines l where l.payee_id = p.id and l.status = 'queued')
    and not exists (select from public.payee_invoices i where i.payee_id = p.id and i.month = m.month and i.status in ('sent', 'accepted'));
end;

-- Invoices that wait, with what they may be of: those first that were compared longest ago.
create or replace function private.received_invoices_to_match(p_most integer) returns table (id uuid, data jsonb, facts jsonb)
language sql volatile security definer set search_path = ''
begin atomic
  with asked as (
    select r.id from private.received_invoices r where r.state = 'listed' and r.data is not null
      order by r.tried_at limit p_most for update skip locked),
  tried as (
    update private.received_invoices r set tried_at = clock_timestamp() from asked where r.id = asked.id returning r.id, r.data, r.iban_marks)
  select t.id, t.data, jsonb_build_object('company_siren', (select s.siren from private.paper_settings s), 'today', private.today(),
    'sellers', (select coalesce(jsonb_agg(jsonb_build_object('id', d.payee_id, 'siren', d.siren, 'vat_number', d.vat_number,
        'has_iban', f.has_iban, 'of', case p.role when 'commercial' then 'month' else 'request' end,
        'is_offered', case p.role when 'commercial' then private.invoices_months(d.payee_id)
          else private.may_be_self_billed(d.payee_id) and private.mandate_in_force(d.payee_id) is null end,
        'charges_vat', d.charges_vat is true,
        'from', (select (min(e.at) at time zone 'Europe/Paris')::date from public.ledger_entries e
          where e.payee_id = d.payee_id and e.act = 'validation'),
        'is_number_taken', exists (select from public.payee_invoices i
          where i.payee_id = d.payee_id and lower(i.number) = lower(t.data ->> 'number') and i.status in ('sent', 'accepted')),
        'requests', (select coalesce(jsonb_agg(jsonb_build_object('id', q.id, 'amount', q.amount::text) order by q.created_at, q.id), '[]')
          from private.requests_to_invoice(d.payee_id) q),
        'months', (select coalesce(jsonb_agg(jsonb_build_object('id', m.month, 'amount', m.amount::text)), '[]')
          from private.months_to_invoice(d.payee_id) m)) order by d.payee_id), '[]')
      from private.payee_details d
      join public.profiles p on p.id = d.payee_id and p.role in ('client', 'commercial') and not p.is_test and p.deactivated_at is null
      cross join lateral (select exists (select from public.payee_ibans b
        where b.client_id = d.payee_id and b.mark = any (t.iban_marks)) as has_iban) f
      where f.has_iban or d.siren = (t.data ->> 'sellerSiren') or d.siren = substr(t.data ->> 'sellerVat', 5)))
  from tried t;
end;

-- Makes it the invoice of this request, or of this month of its payee, to be accepted by an admin as any other (AC-04): by the same checks, and of
-- the payee's own SIREN.
drop function private.take_received_invoice(uuid, uuid);
create function private.take_received_invoice(p_received_id uuid, p_request_id uuid, p_payee_id uuid default null, p_month date default null)
returns public.payee_invoices
language plpgsql security definer set search_path = '' as $$
declare
  v private.received_invoices;
  r public.payment_requests;
  i public.payee_invoices;
  seller uuid := p_payee_id;
begin
  select * into v from private.received_invoices t where t.id = p_received_id for update;
  if not found then perform private.refuse('not_found'); end if;
  if v.state <> 'listed' then perform private.refuse('invoice_too_late'); end if;
  if p_month is null then
    select * into r from public.payment_requests t where t.id = p_request_id for update;
    if not found then perform private.refuse('request_not_found'); end if;
    seller := r.client_id;
  else
    -- As whoever sends, decides or pays it: another may have come meanwhile.
    perform 1 from public.profiles p where p.id = seller for no key update;
    perform 1 from public.balances b where b.profile_id = seller for update;
  end if;
  if v.is_credit or v.data is null or r.is_test or exists (select from private.payee_details d where d.payee_id = seller
      and (d.siren <> coalesce(v.data ->> 'sellerSiren', d.siren)
        or coalesce(v.data ->> 'sellerVat', '') like 'FR%' and d.siren <> substr(v.data ->> 'sellerVat', 5))) then
    perform private.refuse('invoice_not_offered');
  end if;
  if p_month is null and not exists (select from private.requests_to_invoice(seller) q where q.id = r.id)
      or p_month is not null and not exists (select from private.months_to_invoice(seller) m where m.month = p_month) then
    perform private.refuse('invoice_too_late');
  end if;
  if (v.data ->> 'currency', coalesce(v.data ->> 'due', v.data ->> 'total')) is distinct from ('EUR', v.data ->> 'total') then
    perform private.refuse('invoice_mismatch');
  end if;
  select k.* into i from private.received_invoice_files f, private.keep_payee_invoice(seller, r.id, v.data ->> 'number',
      (v.data ->> 'day')::date, (v.data ->> 'amount')::numeric, coalesce((v.data ->> 'vat')::numeric, 0), (v.data ->> 'total')::numeric,
      v.name, f.bytes, 'receive_invoice', p_month) k
    where f.received_id = v.id;
  if i.id is null then perform private.refuse('not_found'); end if;
  update private.received_invoices t set state = 'matched', invoice_id = i.id, payee_id = seller, reason = null where t.id = v.id;
  return i;
end
$$;

drop function private.match_received_by_hand(uuid, uuid);
create function private.match_received_by_hand(p_id uuid, p_request_id uuid, p_payee_id uuid default null, p_month date default null)
returns public.payee_invoices
language plpgsql security definer set search_path = '' as $$
begin
  perform private.require_role('admin');
  return private.take_received_invoice(p_id, p_request_id, p_payee_id, p_month);
end
$$;

-- What the comparison found: a request or a month, or why an admin has to say. What is of a supplier that an admin set aside is set aside.
-- @returns true where it is matched now.
drop function private.match_received_invoice(uuid, uuid, uuid, text);
create function private.match_received_invoice(p_id uuid, p_payee_id uuid, p_request_id uuid, p_reason text, p_month date default null) returns boolean
language plpgsql security definer set search_path = '' as $$
declare
  v private.received_invoices;
begin
  if p_request_id is null and p_month is null then
    select * into v from private.received_invoices r where r.id = p_id and r.state = 'listed' for update;
    if not found then return false; end if;
    if (v.payee_id, v.reason) is distinct from (p_payee_id, p_reason) then
      update private.received_invoices r set payee_id = p_payee_id, reason = p_reason where r.id = p_id returning * into v;
    end if;
    if p_payee_id is null and exists (select from private.set_aside_suppliers s where s.siren = private.supplier_of(v)) then
      perform private.put_received_aside(p_id, true);
    end if;
    return false;
  end if;
  perform private.take_received_invoice(p_id, p_request_id, p_payee_id, p_month);
  return true;
exception when sqlstate 'PR001' then
  -- It changed since it was compared: it is compared again.
  update private.received_invoices r set payee_id = p_payee_id,
      reason = case when sqlerrm = 'invoice_number_taken' then 'number_taken' when p_month is null then 'no_request' else 'no_month' end
    where r.id = p_id and r.state = 'listed';
  return false;
end
$$;

-- In the trail of its request or, of a month, of its payee; else of the company: by its file's hash, which names nobody.
create or replace function private.audit_received_invoice(p_id uuid, p_act text, p_after jsonb, p_reason text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  i public.payee_invoices;
  v_hash text;
begin
  select encode(f.hash, 'hex') into v_hash from private.received_invoice_files f where f.received_id = p_id;
  select n.* into i from private.received_invoices r join public.payee_invoices n on n.id = r.invoice_id where r.id = p_id;
  perform private.append_audit(
    case when i.request_id is not null then 'payment_requests' when i.month is not null then 'profiles' else 'company_settings' end,
    coalesce(i.request_id, case when i.month is not null then i.payee_id end, '00000000-0000-0000-0000-000000000001'), p_act, null,
    p_after || jsonb_strip_nulls(jsonb_build_object('invoice_sha256', v_hash, 'month', to_char(i.month, 'YYYY-MM'))), p_reason);
end
$$;

-- What the platform says of an answer that it took: « accepted » or « refused », by its acknowledgement. Given again, it is an answer of its own.
alter table private.received_invoice_statuses
  add column checked_at timestamptz not null default '-infinity',
  drop constraint received_invoice_statuses_state_is_known,
  add constraint received_invoice_statuses_state_is_known check (state in ('waiting', 'deposited', 'accepted', 'refused')) not valid,
  drop constraint received_invoice_statuses_deposited_has_a_flow,
  add constraint received_invoice_statuses_deposited_has_a_flow check (case state when 'waiting' then flow_id is null when 'refused' then true
    else flow_id is not null end) not valid;

-- Answers whose acknowledgement is awaited, those first that were asked about longest ago.
create function private.received_statuses_to_check(p_most integer) returns table (id uuid, flow_id text)
language sql volatile security definer set search_path = ''
begin atomic
  with asked as (
    select s.id from private.received_invoice_statuses s where s.state = 'deposited' order by s.checked_at limit p_most for update skip locked)
  update private.received_invoice_statuses s set checked_at = clock_timestamp() from asked where s.id = asked.id returning s.id, s.flow_id;
end;

create function private.say_received_acknowledgement(p_id uuid, p_flow_id text, p_is_taken boolean, p_words text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  s private.received_invoice_statuses;
begin
  update private.received_invoice_statuses x set state = case when p_is_taken then 'accepted' else 'refused' end, words = p_words
    where x.id = p_id and x.state = 'deposited' and x.flow_id = p_flow_id returning * into s;
  if not found then return; end if;
  perform private.audit_received_invoice(s.received_id, 'tell_invoice', jsonb_build_object('e_invoice_status', s.code)
    || case when p_is_taken then '{"is_taken": true}'::jsonb else '{"is_told": false}'::jsonb end, null);
end
$$;

-- An admin gives an answer again that the platform would not take.
create function private.answer_received_again(p_id uuid) returns void
language plpgsql security definer set search_path = '' as $$
declare
  s private.received_invoice_statuses;
begin
  perform private.require_role('admin');
  perform 1 from private.received_invoices r where r.id = p_id for update;
  if not found then perform private.refuse('not_found'); end if;
  select * into s from private.received_invoice_statuses x where x.received_id = p_id order by x.place desc limit 1;
  if s.state = 'waiting' then return; end if;
  if s.state is distinct from 'refused' then perform private.refuse('invoice_too_late'); end if;
  insert into private.received_invoice_statuses (received_id, code, reason) values (p_id, s.code, s.reason);
  perform private.audit_received_invoice(p_id, 'answer_invoice_again', jsonb_build_object('e_invoice_status', s.code), null);
end
$$;

-- Suppliers who are none of the programme's (electricity, telephone…): what comes of them is set aside by itself.
create table private.set_aside_suppliers (
  siren text primary key,
  name text,
  since timestamptz not null default now(),
  invoices integer not null default 0,
  last_at timestamptz,
  constraint set_aside_suppliers_siren_is_one check (private.is_line(siren, 9) and siren ~ '^[0-9]{9}$'),
  constraint set_aside_suppliers_name_is_a_line check (private.is_line(name, 200) and btrim(name) <> '')
);
alter table private.set_aside_suppliers enable row level security;
alter table private.set_aside_suppliers force row level security;
grant select, insert, update, delete on private.set_aside_suppliers to parrain_service;
create policy set_aside_suppliers_service_all on private.set_aside_suppliers to parrain_service using (true) with check (true);

alter table private.received_invoices
  -- Set aside because of its supplier, not one by one.
  add column by_rule boolean not null default false,
  add constraint received_invoices_by_rule_are_aside check (not by_rule or state = 'aside') not valid;

-- The one SIREN that an invoice's seller gives, by itself or in a French VAT number.
create function private.seller_siren(p_data jsonb) returns text
language sql immutable set search_path = ''
return (select case when count(distinct n.siren) = 1 then min(n.siren) end
  from (values (p_data ->> 'sellerSiren'), (substring(p_data ->> 'sellerVat' from '^FR[0-9A-Z]{2}([0-9]{9})$'))) n (siren)
  where n.siren ~ '^[0-9]{9}$');

-- The seller of an invoice where they are no payee, by their SIREN or by an account that was paid: whom an admin may set aside once for all.
create function private.supplier_of(r private.received_invoices) returns text
language sql stable security definer set search_path = ''
return (select s.siren from (select private.seller_siren(r.data) as siren) s
  where s.siren is not null and r.payee_id is null
    and not exists (select from private.payee_details d where d.siren = s.siren)
    and not exists (select from public.payee_ibans b where b.mark = any (r.iban_marks)));

-- Nothing is said to its sender, and its file goes.
create function private.put_received_aside(p_id uuid, p_by_rule boolean) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform private.audit_received_invoice(p_id, 'set_aside_received_invoice', '{}', null);
  update private.received_invoices r set state = 'aside', decided_at = private.now(), by_rule = p_by_rule where r.id = p_id;
  delete from private.received_invoice_files f where f.received_id = p_id;
  if p_by_rule then
    update private.set_aside_suppliers s set invoices = s.invoices + 1, last_at = private.now()
      where s.siren = (select private.seller_siren(r.data) from private.received_invoices r where r.id = p_id);
  end if;
end
$$;

create or replace function private.set_aside_received_invoice(p_id uuid) returns void
language plpgsql security definer set search_path = '' as $$
declare
  v private.received_invoices;
begin
  perform private.require_role('admin');
  select * into v from private.received_invoices r where r.id = p_id for update;
  if not found then perform private.refuse('not_found'); end if;
  if v.state = 'aside' then return; end if;
  if v.state <> 'listed' then perform private.refuse('invoice_too_late'); end if;
  perform private.put_received_aside(p_id, false);
end
$$;

-- This invoice, all that wait of its supplier, and those to come.
-- @returns how many were set aside now.
create function private.set_aside_supplier(p_id uuid) returns integer
language plpgsql security definer set search_path = '' as $$
declare
  v private.received_invoices;
  v_siren text;
  v_other uuid;
  done integer := 0;
begin
  perform private.require_role('admin');
  -- One after the other: each would wait for rows that another holds.
  perform pg_advisory_xact_lock(hashtext('private.set_aside_suppliers'));
  select * into v from private.received_invoices r where r.id = p_id for update;
  if not found then perform private.refuse('not_found'); end if;
  if v.state = 'aside' and v.by_rule then return 0; end if;
  v_siren := private.supplier_of(v);
  if v.state <> 'listed' or v_siren is null then perform private.refuse('invoice_too_late'); end if;
  insert into private.set_aside_suppliers (siren, name)
  select v_siren, nullif(btrim(n.name), '') from (select left(v.data ->> 'sellerName', 200) as name) n
    on conflict (siren) do nothing;
  for v_other in
    select r.id from private.received_invoices r where r.state = 'listed' and private.seller_siren(r.data) = v_siren order by r.id for update
  loop
    if (select private.supplier_of(r) is not null from private.received_invoices r where r.id = v_other) then
      perform private.put_received_aside(v_other, true);
      done := done + 1;
    end if;
  end loop;
  perform private.append_audit('company_settings', '00000000-0000-0000-0000-000000000001', 'set_aside_supplier', null,
    jsonb_build_object('supplier_siren', v_siren, 'supplier_invoices', done), null);
  return done;
end
$$;

-- The supplier's invoices wait once more; those that it had set aside in thirty days are asked for again from the platform.
-- @returns how many come back.
create function private.restore_supplier(p_siren text) returns integer
language plpgsql security definer set search_path = '' as $$
declare
  done integer;
begin
  perform private.require_role('admin');
  perform pg_advisory_xact_lock(hashtext('private.set_aside_suppliers'));
  delete from private.set_aside_suppliers s where s.siren = p_siren;
  if not found then return 0; end if;
  update private.received_invoices r set state = 'noted', by_rule = false, decided_at = null, reason = null, run_at = now(), tried_at = '-infinity'
    where r.decided_at > now() - interval '30 days' and r.by_rule and private.seller_siren(r.data) = p_siren;
  get diagnostics done = row_count;
  perform private.append_audit('company_settings', '00000000-0000-0000-0000-000000000001', 'restore_supplier', null,
    jsonb_build_object('supplier_siren', p_siren, 'supplier_invoices', done), null);
  return done;
end
$$;

-- What waits for an admin, and what was decided of late, with how its status left. Candidates are open requests, and months, of that amount
-- before tax.
create or replace function private.received_invoices_shown() returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.require_role('admin');
  return (with months as materialized (select * from private.months_to_invoice(null)) select jsonb_build_object(
    'waiting', (select count(*) from private.received_invoices r where r.state = 'listed'),
    'unread', (select count(*) from private.received_invoices r where r.state = 'noted'),
    'invoices', (select coalesce(jsonb_agg(jsonb_build_object('id', r.id, 'state', r.state, 'noted_at', r.noted_at, 'data', r.data,
        'is_credit', r.is_credit, 'reason', r.reason, 'refusal_reason', r.refusal_reason, 'decided_at', r.decided_at,
        'has_file', exists (select from private.received_invoice_files f where f.received_id = r.id),
        'payee_name', (select p.full_name from public.profiles p where p.id = r.payee_id),
        'request_id', (select i.request_id from public.payee_invoices i where i.id = r.invoice_id),
        'month', (select i.month from public.payee_invoices i where i.id = r.invoice_id),
        -- Whose later invoices may be set aside by themselves.
        'supplier', case when r.state = 'listed' then private.supplier_of(r) end,
        'told', (select jsonb_build_object('code', s.code, 'state', s.state, 'words', s.words) from private.received_invoice_statuses s
          where s.received_id = r.id order by s.place desc limit 1),
        'candidates', case when r.state = 'listed' and not r.is_credit then (
          select coalesce(jsonb_agg(jsonb_build_object('of', c.of, 'id', c.id, 'payee_id', c.payee_id, 'amount', c.amount::text,
            'created_at', c.created_at, 'name', p.full_name) order by c.created_at, c.payee_id, c.id), '[]')
          from (select 'request' as of, q.id::text, q.client_id as payee_id, q.amount, q.created_at from private.requests_to_invoice(null) q
              where private.may_be_self_billed(q.client_id) and private.mandate_in_force(q.client_id) is null
            union all select 'month', m.month::text, m.payee_id, m.amount, private.month_start(m.month) from months m) c
          join public.profiles p on p.id = c.payee_id join private.payee_details d on d.payee_id = c.payee_id
          where c.amount = (r.data ->> 'amount')::numeric and d.siren = coalesce(r.data ->> 'sellerSiren', d.siren)) else '[]' end)
        order by (r.state = 'listed') desc, r.payee_id is null, coalesce(r.decided_at, r.noted_at) desc, r.id), '[]')
      from (
        (select * from private.received_invoices l where l.state = 'listed' order by l.payee_id is null, l.noted_at desc limit 100)
        union all
        (select * from private.received_invoices m where m.state = 'matched' order by m.noted_at desc limit 50)
        union all
        -- An answer that its platform did not take is still to be given.
        (select * from private.received_invoices c where c.decided_at > now() - interval '30 days' and not c.by_rule
          order by coalesce((select s.state from private.received_invoice_statuses s where s.received_id = c.id order by s.place desc limit 1), '')
            = 'refused' desc, c.decided_at desc limit 10)) r),
    'suppliers', (select coalesce(jsonb_agg(jsonb_build_object('siren', s.siren, 'name', s.name, 'invoices', s.invoices, 'last_at', s.last_at)
        order by s.name, s.siren), '[]')
      from private.set_aside_suppliers s)));
end
$$;

-- OP-03: a queue that the platform keeps from leaving, for the alarm: since the first try that failed, until what waits has left.
alter table private.e_invoices add column failing_since timestamptz;
alter table private.received_invoice_statuses add column failing_since timestamptz;
create function private.note_failing_queue() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  new.failing_since := case when new.state = 'waiting' then coalesce(old.failing_since, case when new.words is not null then now() end) end;
  return new;
end
$$;
create trigger e_invoices_note_failures before update of state, words on private.e_invoices
  for each row execute function private.note_failing_queue();
create trigger received_invoice_statuses_note_failures before update of state, words on private.received_invoice_statuses
  for each row execute function private.note_failing_queue();
do $$
declare
  body text := pg_get_functiondef('private.system_figures()'::regprocedure);
  old constant text := '    -- pg_database_size asks';
begin
  if array_length(string_to_array(body, old), 1) <> 2 then raise exception 'system_figures is not as expected'; end if;
  execute replace(body, old, $b$    'e_invoices', (select jsonb_build_object('failing_since', min(q.failing_since), 'last_error', (array_agg(q.words order by q.run_at desc))[1])
      from (select e.failing_since, e.words, e.run_at from private.e_invoices e where e.state = 'waiting'
        union all select s.failing_since, s.words, s.run_at from private.received_invoice_statuses s where s.state = 'waiting') q
      where q.failing_since is not null and exists (select from private.e_invoicing x where x.is_on)),
$b$ || old);
end
$$;
alter table private.alarms drop constraint alarms_kind_is_known,
  add constraint alarms_kind_is_known check (kind in ('mail_stuck', 'disk_nearly_full', 'backup_too_old', 'invariant_broken',
    'webhook_failing', 'legal_notice_missing', 'e_invoices_stuck')) not valid;

do $$
declare
  f regprocedure;
begin
  for f in select p.oid::regprocedure from pg_proc p where p.pronamespace = 'private'::regnamespace
      and p.proname in ('months_to_invoice', 'take_received_invoice', 'match_received_by_hand', 'match_received_invoice', 'received_statuses_to_check',
        'say_received_acknowledgement', 'answer_received_again', 'seller_siren', 'supplier_of', 'put_received_aside', 'set_aside_supplier',
        'restore_supplier', 'note_failing_queue') loop
    execute format('alter function %s owner to parrain_service', f);
    execute format('revoke execute on function %s from public', f);
    execute format('grant execute on function %s to parrain_service', f);
  end loop;
end
$$;
grant execute on function private.match_received_by_hand(uuid, uuid, uuid, date), private.answer_received_again(uuid),
  private.set_aside_supplier(uuid), private.restore_supplier(text) to authenticated;
