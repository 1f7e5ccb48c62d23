-- AC-01: a payment has its own day, said by the admin or read from the bank's file; today where nobody says one. A node of the version
-- before says none.

-- The instant of an act on a day that is said: its noon, for a day that is over. A person's day is refused outside its bounds; a bank's is
-- brought into them, as nobody can have the file say another.
create function private.payment_instant(p_day date, p_since timestamptz, p_booked date default null) returns timestamptz
language plpgsql stable set search_path = '' as $$
declare
  since constant date := (p_since at time zone 'Europe/Paris')::date;
  day constant date := case when p_booked is null then p_day else least(greatest(p_booked, since), private.today()) end;
begin
  if day is null or day = private.today() then return private.now(); end if;
  if day > private.today() or day < since then perform private.refuse('payment_day_refused'); end if;
  return greatest((day + time '12:00') at time zone 'Europe/Paris', p_since);
end
$$;
alter function private.payment_instant(date, timestamptz, date) owner to parrain_service;

drop function private.decide_payment_request(uuid, text, text, text, integer, numeric, text, text, text);

create function private.decide_payment_request(p_request_id uuid, p_status text, p_admin_notes text, p_rejection_reason text, p_seen_version integer, p_expected_amount numeric, p_reference text default null, p_association_name text default null, p_association_number text default null, p_paid_on date default null) returns table (request public.payment_requests, already boolean)
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role_or_scope('admin', 'payments');
  r public.payment_requests;
  note text := nullif(btrim(p_admin_notes), '');
  -- The source's page has one field for both: the note of a refusal is its reason.
  why text := coalesce(nullif(btrim(p_rejection_reason), ''), note);
begin
  if private.user_role() = 'api_key' and p_status is distinct from 'paid' then perform private.refuse('key_only_pays'); end if;
  if p_status is null or p_status not in ('approved', 'rejected', 'paid') then perform private.refuse('decision_required'); end if;
  if p_status = 'rejected' and why is null then perform private.refuse('refusal_reason_required'); end if;
  select * into r from public.payment_requests t where t.id = p_request_id for update;
  if not found then perform private.refuse('request_not_found'); end if;
  if p_expected_amount <> r.amount + coalesce(r.vat_amount, 0) then perform private.refuse('request_changed'); end if;
  if r.status = p_status and coalesce(p_seen_version, r.version) in (r.version - 1, r.version)
      and (p_status <> 'rejected' or r.rejection_reason = why) then
    return query select r, true;
    return;
  end if;
  if p_seen_version <> r.version then perform private.refuse('request_changed'); end if;
  if not ((r.status, p_status) in (('pending', 'approved'), ('pending', 'rejected'), ('approved', 'paid'))) then
    perform private.refuse('request_illegal_move');
  end if;
  if p_status <> 'rejected' and exists (select 1 from public.profiles p where p.id = r.client_id and p.deactivated_at is not null) then
    perform private.refuse('beneficiary_unavailable');
  end if;
  update public.payment_requests t set
    status = p_status,
    admin_notes = coalesce(note, t.admin_notes),
    rejection_reason = case when p_status = 'rejected' then why end,
    approval_annulled_reason = null,
    approved_at = case when p_status = 'approved' then private.now() else t.approved_at end,
    paid_at = case when p_status = 'paid' then private.payment_instant(p_paid_on, t.created_at) end,
    settlement_reference = case when p_status = 'paid' then nullif(btrim(p_reference), '') end,
    association_name = case when p_status = 'paid' then nullif(btrim(p_association_name), '') end,
    association_number = case when p_status = 'paid' then p_association_number end
    where t.id = r.id returning * into r;
  return query select r, false;
end
$$;
alter function private.decide_payment_request(uuid, text, text, text, integer, numeric, text, text, text, date) owner to parrain_service;
grant execute on function private.decide_payment_request(uuid, text, text, text, integer, numeric, text, text, text, date) to authenticated;
grant execute on function private.decide_payment_request(uuid, text, text, text, integer, numeric, text, text, text, date) to api_key;

drop function private.settle_batch(uuid, jsonb);

create function private.settle_batch(p_batch_id uuid, p_outcomes jsonb, p_on date default null) returns table (paid integer, rejected integer, returned integer, already integer)
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  b public.payment_batches;
  o record;
  q public.paid_periods;
  v_paid uuid[] := '{}';
  v_paid_at timestamptz[] := '{}';
begin
  paid := 0; rejected := 0; returned := 0; already := 0;
  select * into b from public.payment_batches t where t.id = p_batch_id for update;
  if not found then perform private.refuse('batch_not_found'); end if;
  if b.status = 'draft' then perform private.refuse('batch_illegal_move'); end if;
  if p_outcomes is null then
    select jsonb_agg(jsonb_build_object('request_id', l.id, 'status', 'paid')) into p_outcomes
      from public.payment_batch_lines l where l.batch_id = b.id and l.status = 'queued';
  end if;
  -- Requests in the order of their ids, then balances in that of their owners, as everybody takes them.
  perform 1 from public.payment_requests r
    where r.id in (select (x ->> 'request_id')::uuid from jsonb_array_elements(p_outcomes) x) order by r.id for update;
  perform 1 from public.balances k where k.profile_id in (
      select coalesce(l.payee_id, r.client_id) from public.payment_batch_lines l left join public.payment_requests r on r.id = l.request_id
      where l.id in (select (x ->> 'request_id')::uuid from jsonb_array_elements(p_outcomes) x)) order by k.profile_id for update;
  for o in
    select x.request_id, x.status as told, x.code, nullif(btrim(x.reason), '') as why, x.day, l.status as stands, l.payee_id, l.month, l.amount,
      l.vat_rate, l.vat_amount, l.vat_mandate_id
    from jsonb_to_recordset(p_outcomes) as x (request_id uuid, status text, code text, reason text, day date)
    left join public.payment_batch_lines l on l.id = x.request_id and l.batch_id = b.id
    order by x.request_id
  loop
    if o.stands is null or o.told is null or o.told not in ('paid', 'rejected', 'returned') then perform private.refuse('batch_line_unknown'); end if;
    if o.told <> 'paid' and o.why is null then perform private.refuse('refusal_reason_required'); end if;
    if o.stands = o.told then
      already := already + 1;
      continue;
    end if;
    if o.stands <> (case o.told when 'returned' then 'paid' else 'queued' end) then perform private.refuse('batch_line_decided'); end if;
    -- Nearly all of a batch, hence in one statement below.
    if o.told = 'paid' and o.month is null then
      v_paid := v_paid || o.request_id;
      v_paid_at := v_paid_at || private.payment_instant(p_on, b.created_at, o.day);
      continue;
    end if;
    update public.payment_batch_lines l set status = o.told, decided_at = private.now(),
        reason = case when o.told <> 'paid' then o.why end, reason_code = case when o.told <> 'paid' then o.code end
      where l.id = o.request_id;
    if o.month is not null then
      if o.told = 'paid' then
        insert into public.paid_periods (payee_id, month, amount, paid_by, is_test, method, vat_rate, vat_amount, vat_mandate_id, line_id, paid_at)
        values (o.payee_id, o.month, o.amount, me, b.is_test, 'virement', o.vat_rate, o.vat_amount, o.vat_mandate_id, o.request_id,
          private.payment_instant(p_on, b.created_at, o.day)) returning * into q;
        perform private.append_audit('paid_periods', q.id, 'insert', null, jsonb_strip_nulls(jsonb_build_object('month', to_char(q.month, 'YYYY-MM'),
          'amount', q.amount, 'vat_amount', q.vat_amount, 'payee_id', q.payee_id, 'method', 'virement')), null);
        paid := paid + 1;
      elsif o.told = 'returned' then
        update public.paid_periods t set returned_at = private.payment_instant(p_on, t.paid_at, o.day), return_reason = o.why where t.line_id = o.request_id returning * into strict q;
        perform private.append_audit('paid_periods', q.id, 'update', jsonb_build_object('returned_at', null),
          jsonb_strip_nulls(jsonb_build_object('month', to_char(q.month, 'YYYY-MM'), 'amount', q.amount, 'vat_amount', q.vat_amount,
            'payee_id', q.payee_id, 'returned_at', q.returned_at)), o.why);
        perform private.tell_of_month('month_returned', o.request_id);
        returned := returned + 1;
      else
        perform private.tell_of_month('month_rejected', o.request_id);
        rejected := rejected + 1;
      end if;
    elsif o.told = 'returned' then
      update public.payment_requests r set status = 'returned', returned_at = private.payment_instant(p_on, r.paid_at, o.day), return_reason = o.why where r.id = o.request_id;
      returned := returned + 1;
    else
      update public.payment_requests r set status = 'rejected', approved_at = null, rejection_reason = o.why where r.id = o.request_id;
      rejected := rejected + 1;
    end if;
  end loop;
  update public.payment_batch_lines l set status = 'paid', decided_at = private.now() where l.batch_id = b.id and l.id = any (v_paid);
  update public.payment_requests r set status = 'paid', paid_at = x.at from unnest(v_paid, v_paid_at) x (id, at) where r.id = x.id;
  paid := paid + cardinality(v_paid);
  if b.status <> 'settled' and not exists (select from public.payment_batch_lines l where l.batch_id = b.id and l.status = 'queued') then
    update public.payment_batches t set status = 'settled', settled_at = coalesce((
        select max(coalesce(r.paid_at, k.paid_at)) from public.payment_batch_lines l
        left join public.payment_requests r on r.id = l.request_id left join public.paid_periods k on k.line_id = l.id
        where l.batch_id = b.id), private.now())
      where t.id = b.id;
  end if;
  return next;
end
$$;
alter function private.settle_batch(uuid, jsonb, date) owner to parrain_service;
grant execute on function private.settle_batch(uuid, jsonb, date) to authenticated;

drop function private.pay_periods(date, jsonb);

create function private.pay_periods(p_month date, p_lines jsonb, p_paid_on date default null) returns table (paid integer, already integer)
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
    select * into before from public.paid_periods t where t.payee_id = l.payee_id and t.month >= p_month and t.returned_at is null order by t.month desc limit 1;
    if before.id is not null then
      select * into before from public.paid_periods t where t.payee_id = l.payee_id and t.month = p_month and t.returned_at is null;
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
    insert into public.paid_periods (payee_id, month, amount, paid_by, is_test, vat_mandate_id, vat_rate, vat_amount, paid_at)
      values (l.payee_id, p_month, due_, me, test_, v_mandate, rate_, private.vat_of(due_, rate_),
        private.payment_instant(p_paid_on, private.month_start((p_month + interval '1 month')::date))) returning * into q;
    perform private.append_audit('paid_periods', q.id, 'insert', null,
      jsonb_strip_nulls(jsonb_build_object('month', to_char(q.month, 'YYYY-MM'), 'amount', q.amount, 'vat_amount', q.vat_amount,
        'payee_id', q.payee_id)), null);
    paid := paid + 1;
  end loop;
  return next;
end
$$;
alter function private.pay_periods(date, jsonb, date) owner to parrain_service;
grant execute on function private.pay_periods(date, jsonb, date) to authenticated;

drop function private.return_payment(uuid, text, integer);

create function private.return_payment(p_request_id uuid, p_reason text, p_seen_version integer, p_returned_on date default null) returns table (request public.payment_requests, already boolean)
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  r public.payment_requests;
begin
  if coalesce(btrim(p_reason), '') = '' then perform private.refuse('refusal_reason_required'); end if;
  if p_seen_version is null then perform private.refuse('seen_required'); end if;
  select * into r from public.payment_requests t where t.id = p_request_id for update;
  if not found then perform private.refuse('request_not_found'); end if;
  if r.status = 'returned' and p_seen_version = r.version - 1 and r.return_reason = btrim(p_reason) then
    return query select r, true;
    return;
  end if;
  if p_seen_version <> r.version then perform private.refuse('request_changed'); end if;
  if r.status <> 'paid' or r.payment_method <> 'virement' then perform private.refuse('request_illegal_move'); end if;
  update public.payment_batch_lines l set status = 'returned', reason = btrim(p_reason), decided_at = private.now(),
      reason_code = substring(p_reason from '\(([A-Z]{2}[0-9A-Z]{2})\)[\s.]*$')
    where l.request_id = r.id and l.status = 'paid';
  update public.payment_requests t set status = 'returned', returned_at = private.payment_instant(p_returned_on, t.paid_at), return_reason = btrim(p_reason)
    where t.id = r.id returning * into r;
  return query select r, false;
end
$$;
alter function private.return_payment(uuid, text, integer, date) owner to parrain_service;
grant execute on function private.return_payment(uuid, text, integer, date) to authenticated;

-- An entry of a day that the control has counted already: it is counted again from the start.
create function private.forget_control_of_past() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if exists (select from new_rows n where n.at < private.now() - interval '1 hour') then
    lock table figures.control_until in row exclusive mode;
    delete from figures.control_until;
    delete from figures.control_months;
  end if;
  return null;
end
$$;
alter function private.forget_control_of_past() owner to parrain_service;
create trigger ledger_entries_of_past after insert on public.ledger_entries referencing new table as new_rows
  for each statement execute function private.forget_control_of_past();

-- A payment of a quarter whose statement is made already stands in the next one, with its own day: each opens where the former closed.
create or replace function private.quarter_content(p_payee_id uuid, p_quarter date) returns jsonb
language sql stable security definer set search_path = ''
return (
  with former as (
    select (q.content ->> 'through')::bigint as through from public.papers q
    where q.payee_id = p_payee_id and q.quarter < p_quarter order by q.quarter desc limit 1),
  lines as (
    select e.id, e.at, e.act, e.source_id,
      e.at < private.month_start(p_quarter) and e.id <= coalesce((select f.through from former f), e.id) as is_before,
      case when e.credit = 'available' then e.amount else -e.amount end as amount
    from public.ledger_entries e
    where e.payee_id = p_payee_id and 'available' in (e.debit, e.credit)
      and e.at < private.month_start((p_quarter + interval '3 months')::date))
  select jsonb_build_object(
    'opening', coalesce(sum(l.amount) filter (where l.is_before), 0)::text,
    'closing', coalesce(sum(l.amount), 0)::text,
    'through', coalesce(max(l.id), 0),
    'lines', coalesce(jsonb_agg(jsonb_build_object('at', l.at, 'act', l.act, 'amount', l.amount::text, 'contract', upper(left(s.id::text, 8)),
        'contract_amount', s.contract_amount::text, 'contract_left', s.contract_left::text, 'type', s.commercial_commission_type,
        'rate', s.commercial_commission_rate::text) order by l.at, l.id) filter (where not l.is_before), '[]'))
  from lines l
  left join public.commission_payments c on c.id = l.source_id
  left join public.sales s on s.id = c.sale_id);

create or replace function private.make_quarterly_statements(p_most integer) returns integer
language plpgsql security definer set search_path = '' as $$
declare
  v_quarter constant date := (date_trunc('quarter', private.last_month_begun()::timestamp) - interval '3 months')::date;
  payee record;
  said jsonb;
  made integer := 0;
begin
  perform pg_advisory_xact_lock(hashtext('parrain.quarterly_statements'));
  if not exists (select from private.paper_settings s where s.issues_papers) then return 0; end if;
  for payee in
    select d.payee_id, p.is_test from private.payee_details d join public.profiles p on p.id = d.payee_id
    where d.status = 'agent' and p.role = 'commercial'
      and not exists (select from public.papers q where q.payee_id = d.payee_id and q.quarter = v_quarter)
      and exists (select from public.ledger_entries e where e.payee_id = d.payee_id
        and e.at < private.month_start((v_quarter + interval '3 months')::date))
    order by d.payee_id
  loop
    exit when made >= p_most;
    -- An entry that is on its way is waited for: it is in this statement, or in the next one.
    perform 1 from public.balances b where b.profile_id = payee.payee_id for update;
    said := private.quarter_content(payee.payee_id, v_quarter);
    continue when said -> 'lines' = '[]' and (said ->> 'closing')::numeric = 0;
    perform private.issue_paper('RT', payee.payee_id, null, null, v_quarter, (said ->> 'closing')::numeric, payee.is_test, said);
    made := made + 1;
  end loop;
  return made;
end
$$;
