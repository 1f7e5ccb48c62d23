-- PO-01, PO-02: a transfer, its line in a batch and in the bank's file are of the total, VAT included. The bank's reports are read back by
-- reference, so nothing of them changes.

create or replace view public.transfers_to_make with (security_invoker = true) as
  select r.id, r.client_id, p.full_name as client_name, (r.amount + coalesce(r.vat_amount, 0))::numeric(12, 2) as amount,
    r.payment_details ->> 'beneficiary_name' as beneficiary,
    r.payment_details ->> 'iban' as iban, r.created_at, r.is_test,
    case when p.deactivated_at is not null then 'closed'
      when b.earned - b.reversed - b.held - b.reserved - b.paid < 0 then 'debt'
      when private.is_payee_incomplete(r.client_id) then 'incomplete'
      when coalesce(btrim(r.payment_details ->> 'iban'), '') = '' then 'no_iban'
      when coalesce(btrim(r.payment_details ->> 'beneficiary_name'), '') = '' then 'no_name'
      when i.usable_from > now() then 'iban' end as obstacle,
    case when i.usable_from > now() then i.usable_from end as iban_usable_from,
    private.sharers_of_iban(i.mark, r.client_id) as iban_shared_with, null::date as month
  from public.payment_requests r
  join public.profiles p on p.id = r.client_id
  join public.balances b on b.profile_id = r.client_id
  left join public.payee_ibans i on i.id = r.iban_id
  where r.status = 'approved' and r.payment_method = 'virement'
    and not exists (select from public.payment_batch_lines l where l.request_id = r.id and l.status in ('queued', 'paid'))
  union all
  -- The last month that is over of each agent and company, with what those before it left: it stands under the payee's id.
  select p.id, p.id, p.full_name, (d.due + coalesce(private.vat_of(d.due, private.vat_rate_of(p.id)), 0))::numeric(12, 2),
    a.holder, a.iban, private.month_start(m.next), d.is_test,
    case when p.deactivated_at is not null then 'closed'
      when a.id is null then 'no_iban'
      when i.usable_from > now() then 'iban' end,
    case when i.usable_from > now() then i.usable_from end,
    private.sharers_of_iban(i.mark, p.id), m.month
  from public.profiles p
  cross join (select (private.last_month_begun() - interval '1 month')::date as month, private.last_month_begun() as next) m
  cross join lateral private.period_due(p.id, m.month) d
  left join lateral private.bank_account_of(p.id) a on true
  left join public.payee_ibans i on i.id = a.iban_id
  where p.role = 'commercial' and private.is_paid_by_transfer(p.id) and d.due > 0
    and not exists (select from public.paid_periods q where q.payee_id = p.id and q.month >= m.month)
    and not exists (select from public.payment_batch_lines l where l.payee_id = p.id and l.status = 'queued');

create or replace view public.batch_lines with (security_invoker = true) as
  select l.batch_id, l.id, l.status, l.reason_code, l.reason, l.decided_at,
    coalesce(l.amount + coalesce(l.vat_amount, 0), r.amount + coalesce(r.vat_amount, 0))::numeric(12, 2) as amount,
    p.id as client_id, p.full_name as client_name, coalesce(a.holder, r.payment_details ->> 'beneficiary_name') as beneficiary,
    coalesce(a.iban, r.payment_details ->> 'iban') as iban, replace(l.id::text, '-', '') as reference,
    case when i.usable_from > now() then i.usable_from end as iban_usable_from,
    private.sharers_of_iban(i.mark, p.id) as iban_shared_with, l.month
  from public.payment_batch_lines l
  left join public.payment_requests r on r.id = l.request_id
  left join public.bank_accounts a on a.id = l.account_id
  join public.profiles p on p.id = coalesce(l.payee_id, r.client_id)
  left join public.payee_ibans i on i.id = coalesce(a.iban_id, r.iban_id);

create or replace view public.batch_summaries with (security_invoker = true) as
  select b.id, b.number, b.status, b.created_at, b.execution_on, b.format, b.released_at, b.sent_at, b.settled_at, b.version,
    (select m.full_name from public.profiles m where m.id = b.made_by) as made_by_name, b.made_by,
    (select m.full_name from public.profiles m where m.id = b.released_by) as released_by_name,
    s.lines, s.total, s.paid, s.rejected, s.returned
  from public.payment_batches b
  cross join lateral (
    select count(*)::integer as lines, coalesce(sum(coalesce(l.amount + coalesce(l.vat_amount, 0), r.amount + coalesce(r.vat_amount, 0))), 0)::numeric(14, 2) as total,
      (count(*) filter (where l.status = 'paid'))::integer as paid, (count(*) filter (where l.status = 'rejected'))::integer as rejected,
      (count(*) filter (where l.status = 'returned'))::integer as returned
    from public.payment_batch_lines l left join public.payment_requests r on r.id = l.request_id where l.batch_id = b.id) s;

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
    if exists (select from public.paid_periods q where q.payee_id = new.payee_id and q.month >= new.month) then
      perform private.refuse('period_already_paid');
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

create or replace function private.guard_period_in_batch() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if exists (select from public.payment_batch_lines l where l.payee_id = new.payee_id and l.status = 'queued')
      or (new.method = 'virement') <> exists (select from public.payment_batch_lines l
        where l.payee_id = new.payee_id and l.month = new.month and l.amount = new.amount
          and (l.vat_rate, l.vat_amount, l.vat_mandate_id) is not distinct from (new.vat_rate, new.vat_amount, new.vat_mandate_id) and l.status = 'paid') then
    perform private.refuse('period_in_batch');
  end if;
  return new;
end
$$;

create or replace function private.record_webhook_step() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  now_row constant jsonb := case when tg_op <> 'DELETE' then to_jsonb(new) end;
  before constant jsonb := case when tg_op <> 'INSERT' then to_jsonb(old) end;
  state text;
begin
  if private.is_cleaning() or not exists (select from private.webhooks w where w.off_since is null) then return null; end if;
  case tg_table_name
    when 'sales' then
      state := private.sale_state(new.status, new.ready_for_validation, new.admin_validated, new.corrects_sale_id);
      if tg_op = 'INSERT' or state <> private.sale_state(old.status, old.ready_for_validation, old.admin_validated, old.corrects_sale_id) then
        perform private.record_webhook_event('sale.' || state, new.id, coalesce(new.corrects_sale_id, new.id), now_row);
      end if;
    when 'payment_requests' then
      if tg_op = 'INSERT' or new.status <> old.status then
        perform private.record_webhook_event('payment_request.' || new.status, new.id, new.id, now_row);
      end if;
    when 'payment_batch_lines' then
      -- Other software is told of requests: the months of commercials are the company's own.
      if coalesce(now_row, before) ->> 'request_id' is null then return null; end if;
      if tg_op = 'DELETE' then
        perform private.record_webhook_event('payout.removed', old.request_id, old.request_id, before - array['id', 'payee_id', 'month', 'amount', 'account_id',
          'vat_rate', 'vat_amount', 'vat_mandate_id']);
      elsif tg_op = 'INSERT' or new.status <> old.status then
        perform private.record_webhook_event('payout.' || new.status, new.request_id, new.request_id, now_row - array['id', 'payee_id', 'month', 'amount', 'account_id',
          'vat_rate', 'vat_amount', 'vat_mandate_id']);
      end if;
    when 'profiles' then
      if tg_op = 'INSERT' then
        perform private.record_webhook_event('person.created', new.id, new.id, now_row);
      elsif tg_op = 'DELETE' then
        perform private.record_webhook_event('person.deleted', old.id, old.id, jsonb_build_object('id', old.id, 'role', old.role));
      elsif (new.deactivated_at is null) <> (old.deactivated_at is null) then
        perform private.record_webhook_event(case when new.deactivated_at is null then 'person.reactivated' else 'person.deactivated' end,
          new.id, new.id, now_row);
      elsif now_row - 'updated_at' <> before - 'updated_at' then
        perform private.record_webhook_event('person.updated', new.id, new.id, now_row);
      end if;
  end case;
  return null;
end
$$;

create or replace function private.make_batch(p_request_ids uuid[], p_expected_total numeric, p_months jsonb default '[]') returns uuid
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  v_batch uuid;
  found record;
  are_test boolean[];
  v_total numeric := 0;
  l record;
  d record;
  account public.bank_accounts;
begin
  -- Requests in the order of their ids, then balances in that of their owners, as everybody takes them.
  perform 1 from public.payment_requests r where r.id = any (p_request_ids) order by r.id for update;
  perform 1 from public.balances b where b.profile_id in (select (x ->> 'payee_id')::uuid from jsonb_array_elements(p_months) x)
    order by b.profile_id for update;
  select count(*) as number, coalesce(sum(r.amount + coalesce(r.vat_amount, 0)), 0) as total,
      coalesce(bool_and(r.status = 'approved' and r.payment_method = 'virement'), true) as are_due, array_agg(distinct r.is_test) as tests
    into found from public.payment_requests r where r.id = any (p_request_ids);
  if found.number <> cardinality(p_request_ids) or found.number + jsonb_array_length(p_months) = 0 then
    perform private.refuse('request_not_found');
  end if;
  if not found.are_due then perform private.refuse('request_changed'); end if;
  if exists (select from public.payment_batch_lines t where t.request_id = any (p_request_ids) and t.status in ('queued', 'paid')) then
    perform private.refuse('request_in_batch');
  end if;
  v_total := found.total; are_test := found.tests;
  for l in select x.payee_id, x.month, x.amount from jsonb_to_recordset(p_months) x (payee_id uuid, month date, amount numeric)
      order by x.payee_id loop
    if not exists (select from public.profiles p where p.id = l.payee_id and p.role = 'commercial') then
      perform private.refuse('commercial_not_found');
    end if;
    -- One month alone, the last that is over: what is due has all that those before it left.
    if l.month is distinct from (private.last_month_begun() - interval '1 month')::date then perform private.refuse('period_changed'); end if;
    if exists (select from public.payment_batch_lines t where t.payee_id = l.payee_id and t.status = 'queued') then
      perform private.refuse('period_in_batch');
    end if;
    if exists (select from public.paid_periods q where q.payee_id = l.payee_id and q.month >= l.month) then
      perform private.refuse('period_already_paid');
    end if;
    select * into d from private.period_due(l.payee_id, l.month);
    account := private.bank_account_of(l.payee_id);
    if d.due <= 0 then perform private.refuse('period_carried_on'); end if;
    if d.due + coalesce(private.vat_of(d.due, private.vat_rate_of(l.payee_id)), 0) is distinct from l.amount or account.id is null or not private.is_paid_by_transfer(l.payee_id) then
      perform private.refuse('period_changed');
    end if;
    v_total := v_total + l.amount; are_test := are_test || d.is_test;
  end loop;
  if v_total is distinct from p_expected_total then perform private.refuse('request_changed'); end if;
  if true = any (are_test) and false = any (are_test) then perform private.refuse('batch_mixes_test_data'); end if;
  insert into public.payment_batches (made_by, is_test) values (me, true = any (are_test)) returning id into v_batch;
  insert into public.payment_batch_lines (id, batch_id, request_id) select i, v_batch, i from unnest(p_request_ids) i order by i;
  -- With the VAT of this instant, as it was seen.
  insert into public.payment_batch_lines (id, batch_id, payee_id, month, amount, account_id, vat_mandate_id, vat_rate, vat_amount)
  select gen_random_uuid(), v_batch, x.payee_id, x.month, k.due, (private.bank_account_of(x.payee_id)).id,
    private.vat_mandate(x.payee_id), v.rate, private.vat_of(k.due, v.rate)
  from jsonb_to_recordset(p_months) x (payee_id uuid, month date)
  cross join lateral private.period_due(x.payee_id, x.month) k
  cross join lateral (select private.vat_rate_of(x.payee_id) as rate) v
  order by x.payee_id;
  return v_batch;
end
$$;

create or replace function private.require_releasable(p_batch_id uuid, p_seen_version integer, p_expected_total numeric, p_execution_on date)
returns public.payment_batches
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  b public.payment_batches := private.lock_batch(p_batch_id, p_seen_version);
  v_total numeric;
  v_blocked text;
begin
  if b.status <> 'draft' then perform private.refuse('batch_illegal_move'); end if;
  if p_execution_on is null or p_execution_on < private.today() or p_execution_on > private.today() + 60
      or extract(isodow from p_execution_on) > 5 then
    perform private.refuse('execution_day_refused');
  end if;
  perform 1 from public.payment_requests r join public.payment_batch_lines l on l.request_id = r.id
    where l.batch_id = b.id order by r.id for update of r;
  perform 1 from public.balances k join public.payment_batch_lines l on l.payee_id = k.profile_id
    where l.batch_id = b.id order by k.profile_id for update of k;
  select sum(coalesce(l.amount + coalesce(l.vat_amount, 0), r.amount + coalesce(r.vat_amount, 0))) into v_total
    from public.payment_batch_lines l left join public.payment_requests r on r.id = l.request_id where l.batch_id = b.id;
  if v_total is distinct from p_expected_total then perform private.refuse('batch_changed'); end if;
  if b.made_by = me and v_total > (select c.release_above from public.company_settings c) then
    perform private.refuse('second_admin_required');
  end if;
  if not exists (select from private.company_account) then perform private.refuse('company_account_missing'); end if;
  select string_agg(distinct o.full_name, ', ' order by o.full_name) into v_blocked from (
    select p.full_name
    from public.payment_batch_lines l
    join public.payment_requests r on r.id = l.request_id
    join public.profiles p on p.id = r.client_id
    join public.balances k on k.profile_id = r.client_id
    left join public.payee_ibans i on i.id = r.iban_id
    where l.batch_id = b.id and (p.deactivated_at is not null or i.usable_from > private.now()
      or k.earned - k.reversed - k.held - k.reserved - k.paid < 0
      or not exists (select from private.payment_secrets s where s.request_id = r.id))
    union all
    -- Of a month, the account must still be the one that its payee has, and the sum what they are due.
    select p.full_name
    from public.payment_batch_lines l
    join public.profiles p on p.id = l.payee_id
    join public.bank_accounts a on a.id = l.account_id
    join public.payee_ibans i on i.id = a.iban_id
    cross join lateral private.period_due(l.payee_id, l.month) d
    where l.batch_id = b.id and (p.deactivated_at is not null or i.usable_from > private.now() or d.due <> l.amount
      or a.id is distinct from (private.bank_account_of(l.payee_id)).id or not private.is_paid_by_transfer(l.payee_id)
      or not exists (select from private.bank_account_secrets s where s.account_id = a.id))) o;
  if v_blocked is not null then perform private.refuse('batch_blocked', jsonb_build_object('payees', left(v_blocked, 500))); end if;
  return b;
end
$$;

create or replace function private.batch_orders(p_batch_id uuid, p_seen_version integer, p_expected_total numeric, p_execution_on date)
returns table (request_id uuid, amount numeric, details_sealed bytea, account_sealed bytea)
language plpgsql security definer set search_path = '' rows 1000 as $$
declare
  b public.payment_batches := private.require_releasable(p_batch_id, p_seen_version, p_expected_total, p_execution_on);
begin
  return query select l.id, coalesce(l.amount + coalesce(l.vat_amount, 0), r.amount + coalesce(r.vat_amount, 0)), coalesce(s.details_sealed, t.details_sealed), c.sealed
    from public.payment_batch_lines l
    left join public.payment_requests r on r.id = l.request_id
    left join private.payment_secrets s on s.request_id = l.request_id
    left join private.bank_account_secrets t on t.account_id = l.account_id
    cross join private.company_account c
    where l.batch_id = b.id order by l.id;
end
$$;

create or replace function private.settle_batch(p_batch_id uuid, p_outcomes jsonb)
returns table (paid integer, rejected integer, returned integer, already integer)
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  b public.payment_batches;
  o record;
  q public.paid_periods;
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
    if o.month is not null and o.told = 'returned' then perform private.refuse('period_return_by_hand'); end if;
    if o.stands = o.told then
      already := already + 1;
      continue;
    end if;
    if o.stands <> (case o.told when 'returned' then 'paid' else 'queued' end) then perform private.refuse('batch_line_decided'); end if;
    update public.payment_batch_lines l set status = o.told, decided_at = private.now(),
        reason = case when o.told <> 'paid' then o.why end, reason_code = case when o.told <> 'paid' then o.code end
      where l.id = o.request_id;
    if o.month is not null then
      if o.told = 'paid' then
        insert into public.paid_periods (payee_id, month, amount, paid_by, is_test, method, vat_rate, vat_amount, vat_mandate_id)
        values (o.payee_id, o.month, o.amount, me, b.is_test, 'virement', o.vat_rate, o.vat_amount, o.vat_mandate_id) returning * into q;
        perform private.append_audit('paid_periods', q.id, 'insert', null, jsonb_strip_nulls(jsonb_build_object('month', to_char(q.month, 'YYYY-MM'),
          'amount', q.amount, 'vat_amount', q.vat_amount, 'payee_id', q.payee_id, 'method', 'virement')), null);
        paid := paid + 1;
      else
        perform private.tell_of_month('month_rejected', o.request_id);
        rejected := rejected + 1;
      end if;
    elsif o.told = 'paid' then
      update public.payment_requests r set status = 'paid', paid_at = private.now() where r.id = o.request_id;
      paid := paid + 1;
    elsif o.told = 'returned' then
      update public.payment_requests r set status = 'returned', returned_at = private.now(), return_reason = o.why where r.id = o.request_id;
      returned := returned + 1;
    else
      update public.payment_requests r set status = 'rejected', approved_at = null, rejection_reason = o.why where r.id = o.request_id;
      rejected := rejected + 1;
    end if;
  end loop;
  if b.status <> 'settled' and not exists (select from public.payment_batch_lines l where l.batch_id = b.id and l.status = 'queued') then
    update public.payment_batches t set status = 'settled', settled_at = private.now() where t.id = b.id;
  end if;
  return next;
end
$$;
