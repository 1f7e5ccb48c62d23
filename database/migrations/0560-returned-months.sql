-- PO-02, PO-05: a commercial's month that the bank sends back after its line was paid is taken back by that line, as a client's request is:
-- the same act of the ledger, the same kind of paper, a notice to its payee. The row of the payment stays, with the day and the reason; the
-- month is due again, and paid by a row of its own.

alter table public.paid_periods
  -- The line of a batch that paid it.
  add column line_id uuid references public.payment_batch_lines (id) on delete cascade,
  add column returned_at timestamptz,
  add column return_reason text
    constraint paid_periods_return_reason_is_a_text check (private.is_text(return_reason, 500) and btrim(return_reason) <> '');
alter table public.paid_periods disable trigger user;
update public.paid_periods q set line_id = l.id from public.payment_batch_lines l
  where q.method = 'virement' and l.payee_id = q.payee_id and l.month = q.month and l.status = 'paid';
alter table public.paid_periods enable trigger user;
alter table public.paid_periods
  drop constraint paid_periods_once_per_month,
  add constraint paid_periods_once_per_line unique (line_id),
  add constraint paid_periods_transfer_has_its_line check ((method = 'virement') = (line_id is not null)),
  add constraint paid_periods_return_has_a_reason check ((returned_at is null) = (return_reason is null)),
  add constraint paid_periods_only_transfers_return check (returned_at is null or method = 'virement');
-- What came back is paid no longer.
create unique index paid_periods_pay_a_month_once on public.paid_periods (payee_id, month) where returned_at is null;
create index paid_periods_by_payee on public.paid_periods (payee_id, month);
alter table public.payment_batch_lines drop constraint payment_batch_lines_months_do_not_return;
grant update on public.paid_periods to parrain_service;

-- What was paid stays paid, until its line comes back. Test data goes, with its transfers.
create or replace function private.guard_paid_period() returns trigger
language plpgsql set search_path = '' as $$
begin
  if tg_op = 'DELETE' then
    if private.is_cleaning() and old.is_test then return old; end if;
  elsif old.returned_at is null and new.returned_at is not null
      and to_jsonb(new) - array['returned_at', 'return_reason'] = to_jsonb(old) - array['returned_at', 'return_reason']
      and exists (select from public.payment_batch_lines l where l.id = old.line_id and l.status = 'returned') then
    return new;
  end if;
  perform private.refuse('forbidden');
end
$$;

create or replace function private.post_paid_period() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  insert into public.ledger_entries (at, act, source_id, payee_id, debit, credit, amount, detail, actor_id, is_test)
  select coalesce(new.returned_at, new.paid_at), k.act, new.id, new.payee_id, k.debit, k.credit, k.amount, new.method, private.uid(), new.is_test
  from (values (false, 'payroll', 'available', 'paid', new.amount), (false, 'vat', 'vat', 'vat_paid', new.vat_amount),
    (true, 'return', 'paid', 'available', new.amount), (true, 'vat_return', 'vat_paid', 'vat', new.vat_amount))
    k (is_return, act, debit, credit, amount)
  -- The VAT of a cent or two is none.
  where k.is_return = (new.returned_at is not null) and k.amount > 0;
  return null;
end
$$;
create trigger paid_periods_post_return after update on public.paid_periods
  for each row when (old.returned_at is null and new.returned_at is not null) execute function private.post_paid_period();

-- The transfers that commissions, holds, adjustments, requests, paid months, their VAT and their returns make.
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
  from public.paid_periods q where q.vat_amount > 0
  union all
  select q.id, 'return', 1, q.payee_id, 'paid', 'available', q.amount, q.method, q.is_test, q.returned_at
  from public.paid_periods q where q.returned_at is not null
  union all
  select q.id, 'vat_return', 1, q.payee_id, 'vat_paid', 'vat', q.vat_amount, q.method, q.is_test, q.returned_at
  from public.paid_periods q where q.returned_at is not null and q.vat_amount > 0;

-- What takes a paper of a month back: an annulment of the receipt, a credit note of the invoice, as of a request.
create or replace function private.make_paper_of_period() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  mandate private.mandates;
  former public.papers;
  kind text;
begin
  if new.returned_at is not null then
    select * into former from public.papers p where p.period_id = new.id;
    if not found then return null; end if;
    kind := case when former.series ~ '^T?F' then 'A' || right(former.series, 9) else 'AR' end;
  else
    if new.vat_mandate_id is null and (not exists (select from private.paper_settings s where s.issues_papers)
        or not exists (select from private.payee_details d where d.payee_id = new.payee_id and d.status <> 'salarie')) then
      return null;
    end if;
    select * into mandate from private.mandates m where m.id = coalesce(new.vat_mandate_id, private.mandate_in_force(new.payee_id))
      and (m.vat_number is null) = (new.vat_mandate_id is null);
    kind := case when found then 'F' || mandate.payee_siren else 'R' end;
  end if;
  perform private.issue_paper(kind, new.payee_id, null, new.id, null, new.amount + coalesce(new.vat_amount, 0), new.is_test, jsonb_build_object(
      'mandate', private.mandate_on_paper(mandate), 'month', new.month, 'paid_at', new.paid_at)
    || private.vat_on_paper(new.amount, new.vat_rate, new.vat_amount, mandate)
    || case when former.id is null then '{}' else jsonb_build_object('returned_at', new.returned_at,
      'receipt', former.label, 'receipt_on', former.issued_on) end
    || case when former.series ~ '^T?F' then jsonb_build_object('company', former.content -> 'company', 'payee', former.content -> 'payee',
      'mandate', former.content -> 'mandate') || jsonb_strip_nulls(jsonb_build_object('vat', former.content -> 'vat')) else '{}' end);
  return null;
end
$$;
create constraint trigger paid_periods_make_return_paper after update on public.paid_periods deferrable initially deferred
  for each row when (old.returned_at is null and new.returned_at is not null) execute function private.make_paper_of_period();

-- What a commercial is due for a month: what the ledger made available until its end, less all that was paid and did not come back. Whether
-- it is a test's too.
create or replace function private.period_due(p_payee_id uuid, p_month date, out due numeric, out is_test boolean)
language sql stable set search_path = '' as $$
  select coalesce(sum(case when e.credit = 'available' then e.amount else -e.amount end)
      filter (where e.act in ('payroll', 'return') or e.at < private.month_start((p_month + interval '1 month')::date)), 0),
    coalesce(bool_or(e.is_test), false)
  from public.ledger_entries e where e.payee_id = p_payee_id and 'available' in (e.debit, e.credit)
$$;

-- A month that came back is due again, with its reason and its day. What a later month was paid with is what it was paid with: the earlier
-- one that came back since is carried on to the next one.
create or replace view public.commission_periods with (security_invoker = true) as
  with moved as (
    select e.payee_id, private.month_of(e.at) as month, sum(case when e.credit = 'available' then e.amount else -e.amount end) as amount
    from public.ledger_entries e
    where e.act not in ('payroll', 'return') and 'available' in (e.debit, e.credit)
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
    left join public.paid_periods q on q.payee_id = n.payee_id and q.month = n.month and q.returned_at is null
    window upto as (partition by n.payee_id order by n.month),
      earlier as (partition by n.payee_id order by n.month rows between unbounded preceding and 1 preceding))
  select s.payee_id, p.full_name, p.email, s.month, (coalesce(s.paid, s.due) - s.moved)::numeric(14, 2) as carried, s.moved::numeric(14, 2) as moved,
    coalesce(s.paid, s.due)::numeric(14, 2) as due,
    case when s.paid is not null then 'paid'
      when s.month >= private.last_month_begun() then 'open'
      when s.due <= 0 or s.month < s.paid_until then 'carried'
      when l.status = 'queued' then 'in_batch'
      else 'due' end as status,
    s.paid_at, l.batch_id, case when s.paid is null then l.reason end as rejection,
    v.rate as vat_rate, (case when s.paid is not null then s.vat_amount when l.status = 'queued' then l.vat_amount
      else private.vat_of(s.due, v.rate) end)::numeric(12, 2) as vat_amount,
    case when s.paid is null and l.status = 'returned' then l.decided_at end as returned_at
  from sums s join public.profiles p on p.id = s.payee_id
  -- What the last line of a batch said of it.
  left join lateral (
    select k.status, k.batch_id, k.reason, k.decided_at, k.vat_rate, k.vat_amount from public.payment_batch_lines k
    where k.payee_id = s.payee_id and k.month = s.month
    order by k.status in ('rejected', 'returned'), k.decided_at desc limit 1) l on true
  -- What was paid, or is in a batch, keeps its VAT; what is due has that of today.
  cross join lateral (select case when s.paid is not null then s.vat_rate
    when s.month >= private.last_month_begun() or s.due <= 0 or s.month < s.paid_until then null
    when l.status = 'queued' then l.vat_rate
    else private.vat_rate_of(s.payee_id) end as rate) v;

-- A month that came back waits for a batch again.
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
    and not exists (select from public.paid_periods q where q.payee_id = p.id and q.month >= m.month and q.returned_at is null)
    and not exists (select from public.payment_batch_lines l where l.payee_id = p.id and l.status = 'queued');

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

-- Whoever writes: while a line may pay a payee, nothing else does, and what a line paid is what it says.
create or replace function private.guard_period_in_batch() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if exists (select from public.payment_batch_lines l where l.payee_id = new.payee_id and l.status = 'queued')
      or (new.method = 'virement') <> exists (select from public.payment_batch_lines l
        where l.id = new.line_id and l.payee_id = new.payee_id and l.month = new.month and l.amount = new.amount
          and (l.vat_rate, l.vat_amount, l.vat_mandate_id) is not distinct from (new.vat_rate, new.vat_amount, new.vat_mandate_id) and l.status = 'paid') then
    perform private.refuse('period_in_batch');
  end if;
  return new;
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
    if exists (select from public.paid_periods q where q.payee_id = l.payee_id and q.month >= l.month and q.returned_at is null) then
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

-- A month that comes back is taken back by its line. What is said again changes nothing.
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

-- The payee is told that their month came back, with its reason.
alter table public.notices drop constraint notices_kind_is_known,
  add constraint notices_kind_is_known check (kind in (
    'referral_received', 'referral_contacted', 'referral_in_negotiation', 'referral_signed', 'referral_refused',
    'referral_late', 'referral_still_late', 'call_back_due', 'news_asked', 'call_agreed', 'call_declined', 'contacts_to_erase',
    'referrals_imported', 'contract_to_validate', 'contract_validated', 'contract_refused', 'contract_annulled',
    'payment_received', 'payment_to_decide', 'payment_approved', 'payment_refused', 'payment_paid', 'payment_annulled',
    'payment_returned', 'month_rejected', 'month_returned', 'dispute_opened', 'dispute_answered', 'dispute_closed',
    'adjustment_annulled', 'archive_ready', 'archive_failed'));

-- What came back of a month stands in the history, with its batch and its reason.
create or replace view public.payments_made with (security_invoker = true) as
  select e.source_id, e.id as entry_id, e.at, e.act, e.payee_id, p.full_name as payee_name, p.role as payee_role, e.detail as method,
    (case when e.credit = 'paid' then e.amount else -e.amount end)::numeric(12, 2) as amount,
    r.settlement_reference as reference, case when e.act = 'return' then coalesce(r.return_reason, q.return_reason) end as reason,
    q.month, coalesce(l.batch_id, k.batch_id) as batch_id, b.number as batch_number,
    (case when e.credit = 'paid' then 1 else -1 end * coalesce(r.vat_amount, q.vat_amount))::numeric(12, 2) as vat_amount
  from public.ledger_entries e
  join public.profiles p on p.id = e.payee_id
  left join public.payment_requests r on r.id = e.source_id
  left join public.paid_periods q on q.id = e.source_id
  left join public.payment_batch_lines l on l.request_id = r.id and l.status in ('paid', 'returned')
  left join public.payment_batch_lines k on k.id = q.line_id
  left join public.payment_batches b on b.id = coalesce(l.batch_id, k.batch_id)
  where e.credit = 'paid' or e.debit = 'paid';

create or replace view public.account_lines with (security_invoker = true) as
  select l.source_id, l.id as entry_id, l.at, l.payee_id, l.act, l.debit, l.credit, l.amount, l.detail, l.change, l.available,
    (select c.sale_id from public.commission_payments c where c.id = l.source_id) as sale_id,
    (select s.referred_contact_name from public.commission_payments c join public.sales s on s.id = c.sale_id
      where c.id = l.source_id) as contact_name,
    (select r.payment_method from public.payment_requests r where r.id = l.source_id) as payment_method,
    (select r.status from public.payment_requests r where r.id = l.source_id) as request_status,
    case l.act
      when 'correction' then (select s.correction_reason from public.commission_payments c join public.sales s on s.id = c.sale_id
        where c.id = l.source_id)
      when 'refusal' then (select r.rejection_reason from public.payment_requests r where r.id = l.source_id)
      when 'return' then coalesce(
        (select r.return_reason from public.payment_requests r where r.id = l.source_id),
        (select q.return_reason from public.paid_periods q where q.id = l.source_id))
      else (select m.body from public.disputes d join public.dispute_messages m on m.dispute_id = d.id
        and m.created_at = case when (l.act = 'adjustment') = (d.adjustment > 0) then d.closed_at else d.adjustment_annulled_at end
        where d.id = l.source_id and l.act in ('adjustment', 'deduction') limit 1) end as reason
  from (
    select e.id, e.at, e.payee_id, e.act, e.debit, e.credit, e.amount, e.detail, e.source_id, k.change,
      (sum(k.change) over (partition by e.payee_id order by e.id))::numeric(14, 2) as available
    from public.ledger_entries e
    cross join lateral (select (case when e.credit = 'available' then e.amount when e.debit = 'available' then -e.amount else 0 end)
      ::numeric(12, 2) as change) k) l;

-- PP-04: a payment that comes back, in whichever year, no longer counts in that of its day.
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
      where q.returned_at is null and q.paid_at >= private.month_start(make_date(p_year, 1, 1)) and q.paid_at < private.month_start(make_date(p_year + 1, 1, 1))
        and (p_payee_id is null or q.payee_id = p_payee_id)) m
    group by m.payee_id) s
  join public.profiles p on p.id = s.payee_id
  left join private.payee_details d on d.payee_id = p.id;
end
$$;

-- What came back was not paid.
create or replace function public.admin_figures()
returns table (validated_sales bigint, revenue numeric, commercials bigint, clients bigint, pending_commissions numeric,
  paid_commissions numeric, sales_to_validate bigint, requests_to_decide bigint, requests_to_pay bigint, commissions_due numeric,
  cancelled_validations bigint, payments_made numeric, to_validate_amount numeric, to_decide_amount numeric, to_pay_amount numeric,
  oldest_to_validate timestamptz, oldest_to_decide timestamptz, oldest_to_pay timestamptz)
language sql stable set search_path = '' rows 1 as $$
  with sales as (
    select coalesce(sum(t.sales) filter (where t.state = 'validated'), 0) as validated,
      coalesce(sum(t.sales) filter (where t.state = 'correction'), 0) as cancelled,
      coalesce(sum(t.contract_amount) filter (where t.state in ('validated', 'correction')), 0) as revenue,
      coalesce(sum(t.client_commission) filter (where t.state in ('validated', 'correction')), 0) as of_clients,
      coalesce(sum(t.commercial_commission) filter (where t.state in ('validated', 'correction')), 0) as of_commercials,
      coalesce(sum(t.sales) filter (where t.state in ('awaiting_final_validation', 'awaiting_admin_validation')), 0) as to_validate,
      coalesce(sum(t.contract_amount) filter (where t.state in ('awaiting_final_validation', 'awaiting_admin_validation')), 0)
        as to_validate_amount
    from figures.sale_totals t),
  company as (
    select coalesce(sum(t.number) filter (where t.what = 'active_commercials'), 0) as commercials,
      coalesce(sum(t.number) filter (where t.what = 'clients'), 0) as clients,
      coalesce(sum(t.number) filter (where t.what = 'requests_pending'), 0) as pending,
      coalesce(sum(t.amount) filter (where t.what = 'requests_pending'), 0) as pending_amount,
      coalesce(sum(t.number) filter (where t.what = 'requests_approved'), 0) as approved,
      coalesce(sum(t.amount) filter (where t.what = 'requests_approved'), 0) as approved_amount,
      coalesce(sum(t.amount) filter (where t.what = 'requests_paid'), 0) as paid
    from figures.company_totals t),
  debts as (select coalesce(sum(b.paid - b.earned + b.reversed), 0) as amount from public.balances b join public.profiles p on p.id = b.profile_id
    where p.role = 'client' and b.paid > b.earned - b.reversed),
  -- What disputes gave and took of what is due to clients (LG-06).
  adjusted as (
    select coalesce(sum(d.adjustment), 0) as amount from public.disputes d join public.profiles p on p.id = d.payee_id
    where d.adjustment is not null and d.adjustment_annulled_at is null and p.role = 'client'),
  payroll as (select coalesce(sum(q.amount), 0) as paid from public.paid_periods q where q.returned_at is null)
  -- M-03: a commission is « paid » from the moment its sale is validated. What is due to the clients is what they earned
  -- less what they were paid; what one of them was paid too much takes nothing off what another is owed.
  select s.validated - s.cancelled, s.revenue, c.commercials, c.clients, s.of_clients + s.of_commercials - c.paid - m.paid,
    s.of_clients + s.of_commercials, s.to_validate, c.pending, c.approved, s.of_clients - c.paid + d.amount + a.amount,
    s.cancelled, c.paid + m.paid, s.to_validate_amount, c.pending_amount, c.approved_amount,
    -- Each the first entry of an index, whatever the number of rows.
    (select w.created_at from public.sales w where w.ready_for_validation and not w.admin_validated order by w.created_at limit 1),
    (select r.created_at from public.payment_requests r where r.status = 'pending' order by r.created_at limit 1),
    (select r.created_at from public.payment_requests r where r.status = 'approved' order by r.created_at limit 1)
  from sales s, company c, debts d, adjusted a, payroll m
  where (select private.user_role()) = 'admin'
$$;

-- EX-02: the return of a month has the reference of the month.
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
      when n.act = 'payroll' or n.act in ('vat', 'return', 'vat_return') and exists (select from public.paid_periods o where o.id = n.source_id) then 'PAIE-' || left(n.source_id::text, 8)
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
