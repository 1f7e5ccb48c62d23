-- PO-02: what a transaction adds to a total again it adds where it left the row. Each update leaves a dead version, which stays until the
-- commit, and a search by key walks past them all: the lines of a batch took a time that grew with their square.
create or replace function private.add_to_company(p_what text, p_number bigint, p_amount numeric) returns void
language plpgsql security definer set search_path = '' as $$
declare
  -- Where this transaction left its row of this total.
  setting constant text := 'app.total_' || p_what;
  place tid := nullif(current_setting(setting, true), '');
begin
  if p_number = 0 and p_amount = 0 then return; end if;
  if place is not null then
    update figures.company_totals t set number = t.number + p_number, amount = t.amount + p_amount
    where t.ctid = place and t.what = p_what returning t.ctid into place;
  end if;
  if place is null then
    update figures.company_totals t set number = t.number + p_number, amount = t.amount + p_amount
    where t.id = (select f.id from figures.company_totals f where f.what = p_what limit 1 for update skip locked)
    returning t.ctid into place;
  end if;
  if place is null then
    insert into figures.company_totals as t (what, number, amount) values (p_what, p_number, p_amount) returning t.ctid into place;
  end if;
  perform set_config(setting, place::text, true);
end
$$;

-- What the bank has paid is one statement, not two a line.
create or replace function private.settle_batch(p_batch_id uuid, p_outcomes jsonb)
returns table (paid integer, rejected integer, returned integer, already integer)
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  b public.payment_batches;
  o record;
  q public.paid_periods;
  v_paid uuid[] := '{}';
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
    select x.request_id, x.status as told, x.code, nullif(btrim(x.reason), '') as why, l.status as stands, l.payee_id, l.month, l.amount,
      l.vat_rate, l.vat_amount, l.vat_mandate_id
    from jsonb_to_recordset(p_outcomes) as x (request_id uuid, status text, code text, reason text)
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
      continue;
    end if;
    update public.payment_batch_lines l set status = o.told, decided_at = private.now(),
        reason = case when o.told <> 'paid' then o.why end, reason_code = case when o.told <> 'paid' then o.code end
      where l.id = o.request_id;
    if o.month is not null then
      if o.told = 'paid' then
        insert into public.paid_periods (payee_id, month, amount, paid_by, is_test, method, vat_rate, vat_amount, vat_mandate_id, line_id)
        values (o.payee_id, o.month, o.amount, me, b.is_test, 'virement', o.vat_rate, o.vat_amount, o.vat_mandate_id, o.request_id) returning * into q;
        perform private.append_audit('paid_periods', q.id, 'insert', null, jsonb_strip_nulls(jsonb_build_object('month', to_char(q.month, 'YYYY-MM'),
          'amount', q.amount, 'vat_amount', q.vat_amount, 'payee_id', q.payee_id, 'method', 'virement')), null);
        paid := paid + 1;
      elsif o.told = 'returned' then
        update public.paid_periods t set returned_at = private.now(), return_reason = o.why where t.line_id = o.request_id returning * into strict q;
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
      update public.payment_requests r set status = 'returned', returned_at = private.now(), return_reason = o.why where r.id = o.request_id;
      returned := returned + 1;
    else
      update public.payment_requests r set status = 'rejected', approved_at = null, rejection_reason = o.why where r.id = o.request_id;
      rejected := rejected + 1;
    end if;
  end loop;
  update public.payment_batch_lines l set status = 'paid', decided_at = private.now() where l.batch_id = b.id and l.id = any (v_paid);
  update public.payment_requests r set status = 'paid', paid_at = private.now() where r.id = any (v_paid);
  paid := paid + cardinality(v_paid);
  if b.status <> 'settled' and not exists (select from public.payment_batch_lines l where l.batch_id = b.id and l.status = 'queued') then
    update public.payment_batches t set status = 'settled', settled_at = private.now() where t.id = b.id;
  end if;
  return next;
end
$$;
