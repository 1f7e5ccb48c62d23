-- EI-02: payees' own electronic invoices come in through the plateforme agréée, and are matched to the transfers that they are of
-- (decision 0103). A flow is noted once, its document is read by whoever has its lease, and what is not matched waits for an admin.

-- Flows that came in are noted until then, by the platform's clock.
alter table private.e_invoicing add column received_until timestamptz not null default now() - interval '30 days';

create table private.received_invoices (
  id uuid primary key default gen_random_uuid(),
  -- The host that brought it: two platforms may have one name for two flows.
  platform text not null,
  flow_id text not null,
  noted_at timestamptz not null default now(),
  state text not null default 'noted',
  attempts integer not null default 0,
  run_at timestamptz not null default now(),
  leased_until timestamptz not null default '-infinity',
  -- Why the last try failed.
  words text,
  -- What the XML says, with amounts as the wire has them; null where nothing could be read.
  data jsonb,
  is_credit boolean not null default false,
  -- Keyed hashes of the accounts that it gives (PO-04).
  iban_marks bytea[] not null default '{}',
  -- Why it waits for an admin, and when it was last compared with the open requests.
  reason text,
  tried_at timestamptz not null default '-infinity',
  payee_id uuid references public.profiles (id) on delete set null,
  invoice_id uuid references public.payee_invoices (id) on delete restrict,
  name text,
  decided_at timestamptz,
  refusal_reason text,
  constraint received_invoices_are_noted_once unique (platform, flow_id),
  constraint received_invoices_platform_is_a_line check (private.is_line(platform, 255) and platform <> ''),
  constraint received_invoices_flow_is_a_line check (private.is_line(flow_id, 100) and flow_id <> ''),
  constraint received_invoices_state_is_known check (state in ('noted', 'listed', 'matched', 'accepted', 'refused', 'aside')),
  constraint received_invoices_words_are_a_text check (private.is_text(words, 1000)),
  constraint received_invoices_data_is_bounded check (length(data::text) <= 8000),
  constraint received_invoices_reason_is_a_line check (private.is_line(reason, 40)),
  constraint received_invoices_name_is_a_line check (private.is_line(name, 255) and btrim(name) <> ''),
  constraint received_invoices_matched_have_an_invoice check (case when state in ('matched', 'accepted') then invoice_id is not null
    when state = 'refused' then true else invoice_id is null end),
  constraint received_invoices_credits_are_never_matched check (not (is_credit and invoice_id is not null)),
  constraint received_invoices_decision_has_a_time check ((state in ('accepted', 'refused', 'aside')) = (decided_at is not null)),
  constraint received_invoices_refusal_has_a_reason check ((state = 'refused') = (refusal_reason is not null)),
  constraint received_invoices_refusal_is_a_text check (private.is_text(refusal_reason, 500) and btrim(refusal_reason) <> '')
);
create index received_invoices_due on private.received_invoices (run_at, id) where state = 'noted';
create index received_invoices_listed on private.received_invoices (tried_at, id) where state = 'listed';
create index received_invoices_matched on private.received_invoices (noted_at desc) where state = 'matched';
create index received_invoices_decided on private.received_invoices (decided_at desc) where decided_at is not null;
create index received_invoices_by_payee on private.received_invoices (payee_id) where payee_id is not null;
create unique index received_invoices_by_invoice on private.received_invoices (invoice_id) where invoice_id is not null;

-- As the platform gave it.
create table private.received_invoice_files (
  received_id uuid primary key references private.received_invoices (id) on delete restrict,
  bytes bytea not null,
  hash bytea not null generated always as (sha256(bytes)) stored,
  constraint received_invoice_files_are_bounded check (length(bytes) between 1 and 5242880)
);

-- What the seller's platform is told: approved (205) or refused (210). Its id is the name of the flow at the platform (trackingId).
create table private.received_invoice_statuses (
  id uuid primary key default gen_random_uuid(),
  received_id uuid not null references private.received_invoices (id) on delete restrict,
  code text not null,
  reason text,
  at timestamptz not null default now(),
  -- Statuses of one invoice leave in their order.
  place bigint not null generated always as identity,
  state text not null default 'waiting',
  words text,
  attempts integer not null default 0,
  run_at timestamptz not null default now(),
  leased_until timestamptz not null default '-infinity',
  asked_at timestamptz,
  flow_id text,
  constraint received_invoice_statuses_code_is_known check (code in ('205', '210')),
  constraint received_invoice_statuses_refusal_has_a_reason check ((code = '210') = (reason is not null)),
  constraint received_invoice_statuses_reason_is_a_text check (private.is_text(reason, 500)),
  constraint received_invoice_statuses_state_is_known check (state in ('waiting', 'deposited', 'refused')),
  constraint received_invoice_statuses_words_are_a_text check (private.is_text(words, 1000)),
  constraint received_invoice_statuses_flow_is_a_line check (private.is_line(flow_id, 100)),
  constraint received_invoice_statuses_deposited_has_a_flow check ((state = 'deposited') = (flow_id is not null))
);
create index received_invoice_statuses_due on private.received_invoice_statuses (run_at, place) where state = 'waiting';
create index received_invoice_statuses_by_invoice on private.received_invoice_statuses (received_id, place);

do $$
declare
  name text;
begin
  foreach name in array array['received_invoices', 'received_invoice_files', 'received_invoice_statuses'] loop
    execute format('alter table private.%I enable row level security', name);
    execute format('alter table private.%I force row level security', name);
    execute format('grant select, insert on private.%I to parrain_service', name);
    execute format('create policy %I on private.%I to parrain_service using (true) with check (true)', name || '_service_all', name);
  end loop;
end
$$;
grant update on private.received_invoices, private.received_invoice_statuses to parrain_service;
grant delete on private.received_invoice_files to parrain_service;

-- A file stays as it came, until its invoice is set aside: then it is none of this product's.
create function private.guard_received_invoice_file() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'DELETE' and exists (select from private.received_invoices r where r.id = old.received_id and r.state = 'aside') then
    return old;
  end if;
  perform private.refuse('forbidden');
end
$$;
create trigger received_invoice_files_are_never_changed before update or delete on private.received_invoice_files
  for each row execute function private.guard_received_invoice_file();
create trigger received_invoice_files_are_never_emptied before truncate on private.received_invoice_files
  for each statement execute function private.guard_received_invoice_file();

-- An invoice that a platform brought may be XML; a payee's own file is a PDF (`send_payee_invoice`).
alter table private.payee_invoice_files
  drop constraint payee_invoice_files_are_pdfs,
  add constraint payee_invoice_files_are_invoices check (length(bytes) <= 5242880
    and (substr(bytes, 1, 5) = '\x255044462d' or substr(bytes, 1, 1) = '\x3c' or substr(bytes, 1, 4) = '\xefbbbf3c')) not valid;

-- The bound is a payee's: an admin matches as many as came.
drop trigger payee_invoices_limit on public.payee_invoices;
create trigger payee_invoices_limit after insert on public.payee_invoices for each row
  when (new.payee_id = private.uid()) execute function private.limit_writes('payee_invoice', '20');

-- What an invoice of this payee for this request has to say; refused where none may be sent, or no longer. Holds the request.
create function private.invoice_terms_of(p_payee_id uuid, p_request_id uuid) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  r public.payment_requests;
begin
  select * into r from public.payment_requests t where t.id = p_request_id and t.client_id = p_payee_id for update;
  if not found then perform private.refuse('request_not_found'); end if;
  if r.payment_method <> 'virement' or r.vat_mandate_id is not null or not private.may_be_self_billed(p_payee_id)
      or private.mandate_in_force(p_payee_id) is not null then
    perform private.refuse('invoice_not_offered');
  end if;
  if r.status not in ('pending', 'approved') or r.payee_invoice_id is not null
      or exists (select from public.payment_batch_lines l where l.request_id = r.id and l.status in ('queued', 'paid')) then
    perform private.refuse('invoice_too_late');
  end if;
  return (select jsonb_build_object('amount', r.amount::text, 'charges_vat', d.charges_vat, 'today', private.today(),
    -- The services are those that earned it.
    'from', (select (min(e.at) at time zone 'Europe/Paris')::date from public.ledger_entries e
      where e.payee_id = p_payee_id and e.act = 'validation'))
    from private.payee_details d where d.payee_id = p_payee_id);
end
$$;

create or replace function private.payee_invoice_terms(p_request_id uuid) returns jsonb
language sql security definer set search_path = ''
return private.invoice_terms_of(private.require_role('client'), p_request_id);

-- Keeps an invoice for an admin to decide, once its day and amounts are those of its request. Another one takes the place of what nobody
-- has decided yet.
create function private.keep_payee_invoice(p_payee_id uuid, p_request_id uuid, p_number text, p_day date, p_amount numeric, p_vat numeric,
  p_total numeric, p_name text, p_bytes bytea, p_act text) returns public.payee_invoices
language plpgsql security definer set search_path = '' as $$
declare
  terms constant jsonb := private.invoice_terms_of(p_payee_id, p_request_id);
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
  select r.id, p_payee_id, btrim(p_number), p_day, p_amount, rate, vat,
    case when rate is not null then (select d.vat_number from private.payee_details d where d.payee_id = p_payee_id) end, p_name,
    length(p_bytes), r.is_test
  from public.payment_requests r where r.id = p_request_id returning * into i;
  insert into private.payee_invoice_files (invoice_id, bytes) values (i.id, p_bytes);
  perform private.append_audit('payment_requests', p_request_id, p_act, null,
    jsonb_build_object('invoice_sha256', encode(sha256(p_bytes), 'hex')), null);
  perform private.end_notices(array['invoice_refused', 'invoice_received'], null, p_request_id, null);
  perform private.tell('invoice_received', private.active_admins(), null, p_request_id);
  return i;
exception when unique_violation then
  perform private.refuse('invoice_number_taken');
end
$$;

create or replace function private.send_payee_invoice(p_request_id uuid, p_number text, p_day date, p_amount numeric, p_vat numeric,
  p_total numeric, p_name text, p_bytes bytea) returns public.payee_invoices
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('client');
begin
  if substr(p_bytes, 1, 5) is distinct from '\x255044462d' then perform private.refuse('invalid_input'); end if;
  return private.keep_payee_invoice(me, p_request_id, p_number, p_day, p_amount, p_vat, p_total, p_name, p_bytes, 'send_invoice');
end
$$;

-- Real transfers that wait for an invoice: of this payee, or of all of them. Nothing pays them yet, and none is being looked at.
create function private.requests_to_invoice(p_payee_id uuid) returns setof public.payment_requests
language sql stable security definer set search_path = ''
begin atomic
  select r.* from public.payment_requests r
    where (p_payee_id is null or r.client_id = p_payee_id) and r.payment_method = 'virement' and r.status in ('pending', 'approved')
      and r.vat_mandate_id is null and r.payee_invoice_id is null and not r.is_test
      and not exists (select from public.payment_batch_lines l where l.request_id = r.id and l.status in ('queued', 'paid'))
      and not exists (select from public.payee_invoices i where i.request_id = r.id and i.status = 'sent');
end;

-- Notes flows that came in, each once, and only then that they are read until this instant.
create function private.note_received_invoices(p_platform text, p_flow_ids text[], p_until timestamptz) returns integer
language plpgsql security definer set search_path = '' as $$
declare
  noted integer;
begin
  insert into private.received_invoices (platform, flow_id)
  select p_platform, f.id from (select distinct u.id from unnest(p_flow_ids) u (id) order by 1) f
    on conflict (platform, flow_id) do nothing;
  get diagnostics noted = row_count;
  update private.e_invoicing s set received_until = p_until where s.received_until < p_until;
  return noted;
end
$$;

-- Flows whose document is to be read, leased for two minutes, four at a time.
create function private.claim_received_invoices(p_platform text) returns table (id uuid, attempts integer, flow_id text)
language sql volatile security definer set search_path = ''
begin atomic
  with due as (
    select r.id from private.received_invoices r
      where r.state = 'noted' and r.platform = p_platform and r.run_at <= now() and r.leased_until < now()
        and exists (select from private.e_invoicing s where s.is_on and s.paused_until <= now())
      order by r.run_at, r.id limit 4 for update of r skip locked)
  update private.received_invoices r set leased_until = now() + interval '2 minutes', attempts = r.attempts + 1
    from due where r.id = due.id returning r.id, r.attempts, r.flow_id;
end;

-- Keeps a document and what it says, by the attempt that read it.
-- @returns false where another node has it by now.
create function private.keep_received_invoice(p_id uuid, p_attempt integer, p_name text, p_bytes bytea, p_data jsonb, p_is_credit boolean,
  p_iban_marks bytea[], p_reason text) returns boolean
language plpgsql security definer set search_path = '' as $$
begin
  update private.received_invoices r set state = 'listed', leased_until = '-infinity', words = null, name = p_name, data = p_data,
      is_credit = p_is_credit, iban_marks = p_iban_marks, reason = p_reason
    where r.id = p_id and r.attempts = p_attempt and r.state = 'noted';
  if not found then return false; end if;
  if p_bytes is not null then
    insert into private.received_invoice_files (received_id, bytes) values (p_id, p_bytes);
  end if;
  return true;
end
$$;

-- The waits of both queues (0101), in seconds; a platform that asks for patience gets it, eight hours at most.
create function private.e_invoice_delay(p_attempt integer, p_retry_after integer) returns double precision
language sql volatile set search_path = ''
return greatest((array[60, 300, 900, 3600, 7200, 14400, 28800])[least(p_attempt, 7)] * (0.9 + random() * 0.2),
  -- The least of a value and of none is the value.
  case when p_retry_after is not null then least(p_retry_after, 28800) end);

-- A document that could not be read yet: never given up.
create function private.retry_received_invoice(p_id uuid, p_attempt integer, p_words text, p_retry_after integer) returns void
language plpgsql security definer set search_path = '' as $$
begin
  update private.received_invoices r set leased_until = '-infinity', words = p_words,
      run_at = now() + private.e_invoice_delay(p_attempt, p_retry_after) * interval '1 second'
    where r.id = p_id and r.attempts = p_attempt and r.state = 'noted';
  if found and p_retry_after is not null then
    update private.e_invoicing s set paused_until = greatest(s.paused_until, now() + least(p_retry_after, 28800) * interval '1 second');
  end if;
end
$$;

-- Invoices that wait, with what they may be of: those first that were compared longest ago.
create function private.received_invoices_to_match(p_most integer) returns table (id uuid, data jsonb, facts jsonb)
language sql volatile security definer set search_path = ''
begin atomic
  with asked as (
    select r.id from private.received_invoices r where r.state = 'listed' and r.data is not null
      order by r.tried_at limit p_most for update skip locked),
  tried as (
    update private.received_invoices r set tried_at = clock_timestamp() from asked where r.id = asked.id returning r.id, r.data, r.iban_marks)
  select t.id, t.data, jsonb_build_object('company_siren', (select s.siren from private.paper_settings s), 'today', private.today(),
    'sellers', (select coalesce(jsonb_agg(jsonb_build_object('id', d.payee_id, 'siren', d.siren, 'vat_number', d.vat_number,
        'has_iban', f.has_iban, 'is_offered', private.may_be_self_billed(d.payee_id) and private.mandate_in_force(d.payee_id) is null,
        'charges_vat', d.charges_vat is true,
        'from', (select (min(e.at) at time zone 'Europe/Paris')::date from public.ledger_entries e
          where e.payee_id = d.payee_id and e.act = 'validation'),
        'is_number_taken', exists (select from public.payee_invoices i
          where i.payee_id = d.payee_id and lower(i.number) = lower(t.data ->> 'number') and i.status in ('sent', 'accepted')),
        'requests', (select coalesce(jsonb_agg(jsonb_build_object('id', q.id, 'amount', q.amount::text) order by q.created_at, q.id), '[]')
          from private.requests_to_invoice(d.payee_id) q)) order by d.payee_id), '[]')
      from private.payee_details d
      join public.profiles p on p.id = d.payee_id and p.role = 'client' and not p.is_test and p.deactivated_at is null
      cross join lateral (select exists (select from public.payee_ibans b
        where b.client_id = d.payee_id and b.mark = any (t.iban_marks)) as has_iban) f
      where f.has_iban or d.siren = (t.data ->> 'sellerSiren') or d.siren = substr(t.data ->> 'sellerVat', 5)))
  from tried t;
end;

-- Makes it the invoice of this request, to be accepted by an admin as any other (AC-04): by the same checks, and of the payee's own SIREN.
create function private.take_received_invoice(p_received_id uuid, p_request_id uuid) returns public.payee_invoices
language plpgsql security definer set search_path = '' as $$
declare
  v private.received_invoices;
  r public.payment_requests;
  i public.payee_invoices;
begin
  select * into v from private.received_invoices t where t.id = p_received_id for update;
  if not found then perform private.refuse('not_found'); end if;
  if v.state <> 'listed' then perform private.refuse('invoice_too_late'); end if;
  select * into r from public.payment_requests t where t.id = p_request_id for update;
  if not found then perform private.refuse('request_not_found'); end if;
  if v.is_credit or v.data is null or r.is_test or exists (select from private.payee_details d where d.payee_id = r.client_id
      and (d.siren <> coalesce(v.data ->> 'sellerSiren', d.siren)
        or coalesce(v.data ->> 'sellerVat', '') like 'FR%' and d.siren <> substr(v.data ->> 'sellerVat', 5))) then
    perform private.refuse('invoice_not_offered');
  end if;
  if not exists (select from private.requests_to_invoice(r.client_id) q where q.id = r.id) then perform private.refuse('invoice_too_late'); end if;
  if (v.data ->> 'currency', coalesce(v.data ->> 'due', v.data ->> 'total')) is distinct from ('EUR', v.data ->> 'total') then
    perform private.refuse('invoice_mismatch');
  end if;
  select k.* into i from private.received_invoice_files f, private.keep_payee_invoice(r.client_id, r.id, v.data ->> 'number',
      (v.data ->> 'day')::date, (v.data ->> 'amount')::numeric, coalesce((v.data ->> 'vat')::numeric, 0), (v.data ->> 'total')::numeric,
      v.name, f.bytes, 'receive_invoice') k
    where f.received_id = v.id;
  if i.id is null then perform private.refuse('not_found'); end if;
  update private.received_invoices t set state = 'matched', invoice_id = i.id, payee_id = r.client_id, reason = null where t.id = v.id;
  return i;
end
$$;

-- What the comparison found: a request, or why an admin has to say.
-- @returns true where it is matched now.
create function private.match_received_invoice(p_id uuid, p_payee_id uuid, p_request_id uuid, p_reason text) returns boolean
language plpgsql security definer set search_path = '' as $$
begin
  if p_request_id is null then
    update private.received_invoices r set payee_id = p_payee_id, reason = p_reason
      where r.id = p_id and r.state = 'listed' and (r.payee_id, r.reason) is distinct from (p_payee_id, p_reason);
    return false;
  end if;
  perform private.take_received_invoice(p_id, p_request_id);
  return true;
exception when sqlstate 'PR001' then
  -- It changed since it was compared: it is compared again.
  update private.received_invoices r set payee_id = p_payee_id,
      reason = case sqlerrm when 'invoice_number_taken' then 'number_taken' else 'no_request' end
    where r.id = p_id and r.state = 'listed';
  return false;
end
$$;

-- A decision of an admin on the invoice is one on the flow that brought it; one that lapses is to be matched anew.
create function private.follow_payee_invoice() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  v private.received_invoices;
begin
  update private.received_invoices r
    set state = case new.status when 'lapsed' then 'listed' else new.status end,
      invoice_id = case when new.status <> 'lapsed' then r.invoice_id end,
      decided_at = case when new.status <> 'lapsed' then private.now() end,
      refusal_reason = case when new.status = 'refused' then new.refusal_reason end,
      tried_at = '-infinity'
    where r.invoice_id = new.id returning r.* into v;
  if found and new.status in ('accepted', 'refused') then
    insert into private.received_invoice_statuses (received_id, code, reason)
    values (v.id, case new.status when 'accepted' then '205' else '210' end, new.refusal_reason);
  end if;
  return null;
end
$$;
create trigger payee_invoices_follow after update of status on public.payee_invoices
  for each row when (old.status <> new.status) execute function private.follow_payee_invoice();

-- What waits for an admin, and what was decided of late, with how its status left. Candidates are open requests of that amount before tax.
create function private.received_invoices_shown() returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.require_role('admin');
  return jsonb_build_object(
    'waiting', (select count(*) from private.received_invoices r where r.state = 'listed'),
    'unread', (select count(*) from private.received_invoices r where r.state = 'noted'),
    'invoices', (select coalesce(jsonb_agg(jsonb_build_object('id', r.id, 'state', r.state, 'noted_at', r.noted_at, 'data', r.data,
        'is_credit', r.is_credit, 'reason', r.reason, 'refusal_reason', r.refusal_reason, 'decided_at', r.decided_at,
        'has_file', exists (select from private.received_invoice_files f where f.received_id = r.id),
        'payee_name', (select p.full_name from public.profiles p where p.id = r.payee_id),
        'request_id', (select i.request_id from public.payee_invoices i where i.id = r.invoice_id),
        'told', (select jsonb_build_object('code', s.code, 'state', s.state, 'words', s.words) from private.received_invoice_statuses s
          where s.received_id = r.id order by s.place desc limit 1),
        'candidates', case when r.state = 'listed' and not r.is_credit then (
          select coalesce(jsonb_agg(jsonb_build_object('id', q.id, 'amount', q.amount::text, 'created_at', q.created_at, 'name', p.full_name)
            order by q.created_at, q.id), '[]')
          from private.requests_to_invoice(null) q
          join public.profiles p on p.id = q.client_id join private.payee_details d on d.payee_id = q.client_id
          where q.amount = (r.data ->> 'amount')::numeric and d.siren = coalesce(r.data ->> 'sellerSiren', d.siren)
            and private.may_be_self_billed(q.client_id) and private.mandate_in_force(q.client_id) is null) else '[]' end)
        order by (r.state = 'listed') desc, r.payee_id is null, coalesce(r.decided_at, r.noted_at) desc, r.id), '[]')
      from (
        (select * from private.received_invoices l where l.state = 'listed' order by l.payee_id is null, l.noted_at desc limit 100)
        union all
        (select * from private.received_invoices m where m.state = 'matched' order by m.noted_at desc limit 50)
        union all
        (select * from private.received_invoices c where c.decided_at > now() - interval '30 days' order by c.decided_at desc limit 10)) r));
end
$$;

create function private.received_invoice_file(p_id uuid) returns table (name text, bytes bytea)
language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.require_role('admin');
  return query select r.name, f.bytes from private.received_invoices r join private.received_invoice_files f on f.received_id = r.id
    where r.id = p_id;
  if not found then perform private.refuse('not_found'); end if;
end
$$;

-- An admin says which request it is of.
create function private.match_received_by_hand(p_id uuid, p_request_id uuid) returns public.payee_invoices
language plpgsql security definer set search_path = '' as $$
begin
  perform private.require_role('admin');
  return private.take_received_invoice(p_id, p_request_id);
end
$$;

-- Its sender is told why; the same refusal again is the same answer.
create function private.refuse_received_invoice(p_id uuid, p_reason text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  why constant text := nullif(btrim(p_reason), '');
  v private.received_invoices;
begin
  perform private.require_role('admin');
  if why is null then perform private.refuse('refusal_reason_required'); end if;
  select * into v from private.received_invoices r where r.id = p_id for update;
  if not found then perform private.refuse('not_found'); end if;
  if v.state = 'refused' and v.refusal_reason = why then return; end if;
  -- Without its number no status can name it.
  if v.state <> 'listed' or v.data ->> 'number' is null then perform private.refuse('invoice_too_late'); end if;
  update private.received_invoices r set state = 'refused', decided_at = private.now(), refusal_reason = why where r.id = p_id;
  insert into private.received_invoice_statuses (received_id, code, reason) values (p_id, '210', why);
  perform private.audit_received_invoice(p_id, 'refuse_received_invoice', '{}', why);
end
$$;

-- Not of the programme: nothing is said to its sender, and its file goes.
create function private.set_aside_received_invoice(p_id uuid) returns void
language plpgsql security definer set search_path = '' as $$
declare
  v private.received_invoices;
begin
  perform private.require_role('admin');
  select * into v from private.received_invoices r where r.id = p_id for update;
  if not found then perform private.refuse('not_found'); end if;
  if v.state = 'aside' then return; end if;
  if v.state <> 'listed' then perform private.refuse('invoice_too_late'); end if;
  perform private.audit_received_invoice(p_id, 'set_aside_received_invoice', '{}', null);
  update private.received_invoices r set state = 'aside', decided_at = private.now() where r.id = p_id;
  delete from private.received_invoice_files f where f.received_id = p_id;
end
$$;

-- In the trail of its request where it has one, else of the company: by its file's hash, which names nobody.
create function private.audit_received_invoice(p_id uuid, p_act text, p_after jsonb, p_reason text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  v_request_id uuid;
  v_hash text;
begin
  select i.request_id, encode(f.hash, 'hex') into v_request_id, v_hash
    from private.received_invoices r left join public.payee_invoices i on i.id = r.invoice_id
    left join private.received_invoice_files f on f.received_id = r.id where r.id = p_id;
  perform private.append_audit(case when v_request_id is null then 'company_settings' else 'payment_requests' end,
    coalesce(v_request_id, '00000000-0000-0000-0000-000000000001'), p_act, null,
    p_after || jsonb_strip_nulls(jsonb_build_object('invoice_sha256', v_hash)), p_reason);
end
$$;

-- Statuses that are due, leased for two minutes, four at a time; of one invoice the oldest first.
create function private.claim_received_statuses() returns table (id uuid, attempts integer, code text, reason text, at timestamptz, data jsonb,
  company_siren text, refused_flows text[])
language sql volatile security definer set search_path = ''
begin atomic
  with due as (
    select s.id from private.received_invoice_statuses s
      where s.state = 'waiting' and s.run_at <= now() and s.leased_until < now()
        and exists (select from private.e_invoicing x where x.is_on and x.paused_until <= now())
        and not exists (select from private.received_invoice_statuses o
          where o.received_id = s.received_id and o.place < s.place and o.state = 'waiting')
      order by s.run_at, s.place
      limit greatest(0, 4 - (select count(*) from private.received_invoice_statuses b where b.state = 'waiting' and b.leased_until >= now()))
      for update of s skip locked)
  update private.received_invoice_statuses s set leased_until = now() + interval '2 minutes', attempts = s.attempts + 1
    from due, private.received_invoices r where s.id = due.id and r.id = s.received_id
    returning s.id, s.attempts, s.code, s.reason, s.at, r.data, (select p.siren from private.paper_settings p), '{}'::text[];
end;

create function private.begin_received_status(p_id uuid, p_attempt integer) returns boolean
language plpgsql security definer set search_path = '' as $$
begin
  update private.received_invoice_statuses s set asked_at = now()
    where s.id = p_id and s.attempts = p_attempt and s.state = 'waiting' and s.leased_until >= now();
  return found;
end
$$;

-- What came of a try: « deposited », « refused », or « later », for as long as it takes.
-- @returns in how many seconds it is tried again; null where it is over.
create function private.settle_received_status(p_id uuid, p_attempt integer, p_outcome text, p_flow_id text, p_words text, p_retry_after integer)
returns double precision
language plpgsql security definer set search_path = '' as $$
declare
  delay constant double precision := case when p_outcome = 'later' then private.e_invoice_delay(p_attempt, p_retry_after) end;
  s private.received_invoice_statuses;
begin
  update private.received_invoice_statuses x set leased_until = '-infinity', words = p_words,
      state = case p_outcome when 'later' then 'waiting' else p_outcome end, flow_id = p_flow_id,
      run_at = now() + coalesce(delay, 0) * interval '1 second'
    where x.id = p_id and x.attempts = p_attempt and x.state = 'waiting' returning * into s;
  if not found then return null; end if;
  if p_outcome <> 'later' then
    perform private.audit_received_invoice(s.received_id, 'tell_invoice',
      jsonb_build_object('e_invoice_status', s.code, 'is_told', p_outcome = 'deposited'), null);
  elsif p_retry_after is not null then
    update private.e_invoicing x set paused_until = greatest(x.paused_until, now() + least(p_retry_after, 28800) * interval '1 second');
  end if;
  return delay;
end
$$;

do $$
declare
  f regprocedure;
begin
  for f in select p.oid::regprocedure from pg_proc p where p.pronamespace = 'private'::regnamespace
      and p.proname in ('guard_received_invoice_file', 'invoice_terms_of', 'payee_invoice_terms', 'keep_payee_invoice', 'requests_to_invoice',
        'note_received_invoices', 'claim_received_invoices', 'keep_received_invoice', 'e_invoice_delay', 'retry_received_invoice',
        'received_invoices_to_match', 'take_received_invoice', 'match_received_invoice', 'follow_payee_invoice', 'received_invoices_shown',
        'received_invoice_file', 'match_received_by_hand', 'refuse_received_invoice', 'set_aside_received_invoice', 'audit_received_invoice',
        'claim_received_statuses', 'begin_received_status', 'settle_received_status') loop
    execute format('alter function %s owner to parrain_service', f);
    execute format('revoke execute on function %s from public', f);
    execute format('grant execute on function %s to parrain_service', f);
  end loop;
end
$$;
grant execute on function private.received_invoices_shown(), private.received_invoice_file(uuid), private.match_received_by_hand(uuid, uuid),
  private.refuse_received_invoice(uuid, text), private.set_aside_received_invoice(uuid) to authenticated;
