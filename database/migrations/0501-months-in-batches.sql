-- PO-05 through PO-01 and PO-02: what an agent or a company is due for a month is paid by a line of a batch, beside the requests of
-- clients. A line of a month has an id of its own, which its bank's reference says; that of a request has the request's. Nothing moves
-- before the bank has paid: the month is then marked paid as it is by hand, and stays due where the bank rejects the line (decision 0031).

alter table public.payment_batch_lines
  add column id uuid,
  add column payee_id uuid references public.profiles (id) on delete cascade,
  add column month date,
  add column amount numeric(12, 2),
  add column account_id uuid references public.bank_accounts (id) on delete cascade;
alter table public.payment_batch_lines disable trigger user;
update public.payment_batch_lines l set id = l.request_id;
alter table public.payment_batch_lines enable trigger user;
alter table public.payment_batch_lines
  drop constraint payment_batch_lines_pkey,
  alter column request_id drop not null,
  alter column id set not null,
  add primary key (id),
  add constraint payment_batch_lines_are_of_a_request_or_a_month check (
    num_nonnulls(request_id, month) = 1 and (request_id is null or request_id = id)
    and num_nonnulls(payee_id, month, amount, account_id) in (0, 4)),
  add constraint payment_batch_lines_month_is_its_first_day check (extract(day from month) = 1),
  add constraint payment_batch_lines_amount_is_positive check (amount > 0),
  add constraint payment_batch_lines_months_do_not_return check (month is null or status <> 'returned');
create index payment_batch_lines_by_batch on public.payment_batch_lines (batch_id);
-- A month is paid by one line at most, and who has a line that may pay has no other: each takes all that is due.
create unique index payment_batch_lines_pay_a_month_once on public.payment_batch_lines (payee_id, month) where status in ('queued', 'paid');
create unique index payment_batch_lines_pay_a_payee_once on public.payment_batch_lines (payee_id) where status = 'queued' and month is not null;
create index payment_batch_lines_by_payee on public.payment_batch_lines (payee_id, month);
create index payment_batch_lines_by_account on public.payment_batch_lines (account_id);
-- Who is paid sees where their own month stands.
create policy payment_batch_lines_payee_read on public.payment_batch_lines for select to authenticated using (payee_id = (select private.uid()));

-- With the payroll, or by the transfer of a batch: the accounts differ (EX-02).
alter table public.paid_periods
  add column method text not null default 'paie'
    constraint paid_periods_method_is_known check (method in ('paie', 'virement'));
alter table public.ledger_entries drop constraint ledger_entries_detail_is_of_its_account,
  add constraint ledger_entries_detail_is_of_its_account check (
    (detail is null) = (act in ('release', 'adjustment', 'deduction', 'request', 'refusal'))
    and (act not in ('validation', 'correction') or detail in ('client', 'commercial'))
    and (act <> 'return' or detail = 'virement')
    and (act <> 'payroll' or detail in ('paie', 'virement'))
    and (act <> 'settlement' or detail in ('virement', 'cheque_cadeau', 'association', 'remise_societe')));
create or replace function private.post_paid_period() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  insert into public.ledger_entries (at, act, source_id, payee_id, debit, credit, amount, detail, actor_id, is_test)
  values (new.paid_at, 'payroll', new.id, new.payee_id, 'available', 'paid', new.amount, new.method, private.uid(), new.is_test);
  return null;
end
$$;
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
  select q.id, 'payroll', 1, q.payee_id, 'available', 'paid', q.amount, q.method, q.is_test, q.paid_at from public.paid_periods q;

-- What a commercial is due for a month: what the ledger made available until its end, less all that was paid. Whether it is a test's too.
create function private.period_due(p_payee_id uuid, p_month date, out due numeric, out is_test boolean)
language sql stable set search_path = '' as $$
  select coalesce(sum(case when e.credit = 'available' then e.amount else -e.amount end)
      filter (where e.act <> 'payroll' and e.at < private.month_start((p_month + interval '1 month')::date)), 0)
      - coalesce(sum(e.amount) filter (where e.act = 'payroll'), 0),
    coalesce(bool_or(e.is_test), false)
  from public.ledger_entries e where e.payee_id = p_payee_id and 'available' in (e.debit, e.credit)
$$;

-- Who is paid by transfer: an agent or a company. Who is employed is paid with the payroll, and so is who has not said what they are.
create function private.is_paid_by_transfer(p_payee_id uuid) returns boolean
language sql stable security definer set search_path = ''
return exists (select from private.payee_details d where d.payee_id = p_payee_id and d.status in ('agent', 'societe'));

-- A month in a batch is paid by its line alone.
create or replace function private.pay_periods(p_month date, p_lines jsonb)
returns table (paid integer, already integer)
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  l record;
  before public.paid_periods;
  q public.paid_periods;
  due_ numeric;
  test_ boolean;
begin
  paid := 0; already := 0;
  if p_month is null or extract(day from p_month) <> 1 or p_month >= private.last_month_begun() then perform private.refuse('period_not_over'); end if;
  -- A cleaning of test data holds balances before all else. Payees are taken in the order of their ids, as everybody takes them.
  lock table public.balances in row exclusive mode;
  perform 1 from public.balances b
    where b.profile_id in (select (x ->> 'payee_id')::uuid from jsonb_array_elements(p_lines) x) order by b.profile_id for update;
  for l in select (x ->> 'payee_id')::uuid as payee_id, (x ->> 'amount')::numeric as amount from jsonb_array_elements(p_lines) x order by 1 loop
    if not exists (select from public.profiles p where p.id = l.payee_id and p.role = 'commercial') then
      perform private.refuse('commercial_not_found');
    end if;
    select * into before from public.paid_periods t where t.payee_id = l.payee_id and t.month >= p_month order by t.month desc limit 1;
    if before.id is not null then
      select * into before from public.paid_periods t where t.payee_id = l.payee_id and t.month = p_month;
      if before.id is null or before.amount <> l.amount then perform private.refuse('period_already_paid'); end if;
      already := already + 1;
      continue;
    end if;
    if exists (select from public.payment_batch_lines b where b.payee_id = l.payee_id and b.status = 'queued') then
      perform private.refuse('period_in_batch');
    end if;
    select d.due, d.is_test into due_, test_ from private.period_due(l.payee_id, p_month) d;
    if due_ <= 0 then perform private.refuse('period_carried_on'); end if;
    if due_ is distinct from l.amount then perform private.refuse('period_changed'); end if;
    insert into public.paid_periods (payee_id, month, amount, paid_by, is_test) values (l.payee_id, p_month, due_, me, test_) returning * into q;
    perform private.append_audit('paid_periods', q.id, 'insert', null,
      jsonb_build_object('month', to_char(q.month, 'YYYY-MM'), 'amount', q.amount, 'payee_id', q.payee_id), null);
    paid := paid + 1;
  end loop;
  return next;
end
$$;

-- Whoever writes: while a line may pay a payee, nothing else does, and what a line paid is paid by it.
create function private.guard_period_in_batch() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if exists (select from public.payment_batch_lines l where l.payee_id = new.payee_id and l.status = 'queued')
      or (new.method = 'virement') <> exists (select from public.payment_batch_lines l
        where l.payee_id = new.payee_id and l.month = new.month and l.amount = new.amount and l.status = 'paid') then
    perform private.refuse('period_in_batch');
  end if;
  return new;
end
$$;
create trigger paid_periods_not_beside_a_batch before insert on public.paid_periods
  for each row execute function private.guard_period_in_batch();

-- What the bank has paid is paid.
create or replace function private.guard_payee_of_period() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if new.method <> 'virement' and private.is_payee_incomplete(new.payee_id) then
    perform private.refuse('payee_incomplete', jsonb_build_object('payees', (
      select left(string_agg(p.full_name, ', ' order by p.full_name), 500)
      from public.profiles p left join public.balances b on b.profile_id = p.id
      where p.id = new.payee_id or p.role = 'commercial' and b.earned - b.reversed - b.held - b.reserved - b.paid > 0
        and private.is_payee_incomplete(p.id))));
  end if;
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
    if exists (select from public.paid_periods q where q.payee_id = new.payee_id and q.month >= new.month) then
      perform private.refuse('period_already_paid');
    end if;
    return new;
  end if;
  if (new.id, new.batch_id, new.request_id, new.payee_id, new.month, new.amount, new.account_id)
      is distinct from (old.id, old.batch_id, old.request_id, old.payee_id, old.month, old.amount, old.account_id) then perform private.refuse('forbidden'); end if;
  -- A bank sends money back for weeks after its batch was settled.
  if (old.status, new.status) = ('paid', 'returned') then return new; end if;
  if old.status <> 'queued' or new.status = 'returned' or v_status not in ('released', 'sent') then perform private.refuse('batch_illegal_move'); end if;
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
        perform private.record_webhook_event('payout.removed', old.request_id, old.request_id, before - array['id', 'payee_id', 'month', 'amount', 'account_id']);
      elsif tg_op = 'INSERT' or new.status <> old.status then
        perform private.record_webhook_event('payout.' || new.status, new.request_id, new.request_id, now_row - array['id', 'payee_id', 'month', 'amount', 'account_id']);
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

-- What waits to be gathered: approved requests, and the months of agents and companies, each with what keeps it from being paid.
create or replace view public.transfers_to_make with (security_invoker = true) as
  select r.id, r.client_id, p.full_name as client_name, r.amount, r.payment_details ->> 'beneficiary_name' as beneficiary,
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
  select p.id, p.id, p.full_name, d.due::numeric(12, 2), a.holder, a.iban, private.month_start(m.next), d.is_test,
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

create or replace view public.batch_summaries with (security_invoker = true) as
  select b.id, b.number, b.status, b.created_at, b.execution_on, b.format, b.released_at, b.sent_at, b.settled_at, b.version,
    (select m.full_name from public.profiles m where m.id = b.made_by) as made_by_name, b.made_by,
    (select m.full_name from public.profiles m where m.id = b.released_by) as released_by_name,
    s.lines, s.total, s.paid, s.rejected, s.returned
  from public.payment_batches b
  cross join lateral (
    select count(*)::integer as lines, coalesce(sum(coalesce(l.amount, r.amount)), 0)::numeric(14, 2) as total,
      (count(*) filter (where l.status = 'paid'))::integer as paid, (count(*) filter (where l.status = 'rejected'))::integer as rejected,
      (count(*) filter (where l.status = 'returned'))::integer as returned
    from public.payment_batch_lines l left join public.payment_requests r on r.id = l.request_id where l.batch_id = b.id) s;

create or replace view public.batch_lines with (security_invoker = true) as
  select l.batch_id, l.id, l.status, l.reason_code, l.reason, l.decided_at, coalesce(l.amount, r.amount)::numeric(12, 2) as amount,
    p.id as client_id, p.full_name as client_name, coalesce(a.holder, r.payment_details ->> 'beneficiary_name') as beneficiary,
    coalesce(a.iban, r.payment_details ->> 'iban') as iban, replace(l.id::text, '-', '') as reference,
    case when i.usable_from > now() then i.usable_from end as iban_usable_from,
    private.sharers_of_iban(i.mark, p.id) as iban_shared_with, l.month
  from public.payment_batch_lines l
  left join public.payment_requests r on r.id = l.request_id
  left join public.bank_accounts a on a.id = l.account_id
  join public.profiles p on p.id = coalesce(l.payee_id, r.client_id)
  left join public.payee_ibans i on i.id = coalesce(a.iban_id, r.iban_id);

create or replace view public.payments_made with (security_invoker = true) as
  select e.source_id, e.id as entry_id, e.at, e.act, e.payee_id, p.full_name as payee_name, p.role as payee_role, e.detail as method,
    (case when e.credit = 'paid' then e.amount else -e.amount end)::numeric(12, 2) as amount,
    r.settlement_reference as reference, case when e.act = 'return' then r.return_reason end as reason,
    q.month, coalesce(l.batch_id, k.batch_id) as batch_id, b.number as batch_number
  from public.ledger_entries e
  join public.profiles p on p.id = e.payee_id
  left join public.payment_requests r on r.id = e.source_id
  left join public.paid_periods q on q.id = e.source_id
  left join public.payment_batch_lines l on l.request_id = r.id and l.status in ('paid', 'returned')
  left join public.payment_batch_lines k on k.payee_id = q.payee_id and k.month = q.month and k.status = 'paid'
  left join public.payment_batches b on b.id = coalesce(l.batch_id, k.batch_id)
  where e.credit = 'paid' or e.debit = 'paid';

-- As 0341 has it, with the batch that a month is in, and why the bank rejected its last transfer.
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
    s.paid_at, l.batch_id, case when s.paid is null then l.reason end as rejection
  from sums s join public.profiles p on p.id = s.payee_id
  -- What the last line of a batch said of it.
  left join lateral (
    select k.status, k.batch_id, k.reason from public.payment_batch_lines k
    where k.payee_id = s.payee_id and k.month = s.month
    order by k.status = 'rejected', k.decided_at desc limit 1) l on true;

-- PO-01, PO-05: gathers approved transfers, and months of [{"payee_id", "month", "amount"}], as they were seen: so many, so much.
drop function private.make_batch(uuid[], numeric);
create function private.make_batch(p_request_ids uuid[], p_expected_total numeric, p_months jsonb default '[]') returns uuid
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
  select count(*) as number, coalesce(sum(r.amount), 0) as total,
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
    if d.due is distinct from l.amount or account.id is null or not private.is_paid_by_transfer(l.payee_id) then
      perform private.refuse('period_changed');
    end if;
    v_total := v_total + d.due; are_test := are_test || d.is_test;
  end loop;
  if v_total is distinct from p_expected_total then perform private.refuse('request_changed'); end if;
  if true = any (are_test) and false = any (are_test) then perform private.refuse('batch_mixes_test_data'); end if;
  insert into public.payment_batches (made_by, is_test) values (me, true = any (are_test)) returning id into v_batch;
  insert into public.payment_batch_lines (id, batch_id, request_id) select i, v_batch, i from unnest(p_request_ids) i order by i;
  insert into public.payment_batch_lines (id, batch_id, payee_id, month, amount, account_id)
  select gen_random_uuid(), v_batch, x.payee_id, x.month, x.amount, (private.bank_account_of(x.payee_id)).id
  from jsonb_to_recordset(p_months) x (payee_id uuid, month date, amount numeric) order by x.payee_id;
  return v_batch;
end
$$;

-- Takes lines out of a draft, by their ids; with its last line the draft is gone. Null takes all.
create or replace function private.leave_batch(p_batch_id uuid, p_request_ids uuid[]) returns void
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  v_status text;
begin
  select b.status into v_status from public.payment_batches b where b.id = p_batch_id for update;
  if not found then perform private.refuse('batch_not_found'); end if;
  if v_status <> 'draft' then perform private.refuse('batch_illegal_move'); end if;
  delete from public.payment_batch_lines l
    where l.batch_id = p_batch_id and (p_request_ids is null or l.id = any (p_request_ids));
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
  select sum(coalesce(l.amount, r.amount)) into v_total
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
  return query select l.id, coalesce(l.amount, r.amount), coalesce(s.details_sealed, t.details_sealed), c.sealed
    from public.payment_batch_lines l
    left join public.payment_requests r on r.id = l.request_id
    left join private.payment_secrets s on s.request_id = l.request_id
    left join private.bank_account_secrets t on t.account_id = l.account_id
    cross join private.company_account c
    where l.batch_id = b.id order by l.id;
end
$$;

-- As 0280 has it, with months: a line of one that is paid marks it paid, one that is rejected leaves it due and tells its payee. The
-- outcome names a line by its id, that of its request where it has one.
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
    select x.request_id, x.status as told, x.code, nullif(btrim(x.reason), '') as why, l.status as stands, l.payee_id, l.month, l.amount
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
        insert into public.paid_periods (payee_id, month, amount, paid_by, is_test, method)
        values (o.payee_id, o.month, o.amount, me, b.is_test, 'virement') returning * into q;
        perform private.append_audit('paid_periods', q.id, 'insert', null, jsonb_build_object('month', to_char(q.month, 'YYYY-MM'),
          'amount', q.amount, 'payee_id', q.payee_id, 'method', 'virement'), null);
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

-- Nobody for whom no paper could be made is in a file.
create or replace function private.guard_payees_of_batch() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  v_payees text;
begin
  select string_agg(distinct p.full_name, ', ' order by p.full_name) into v_payees
    from public.payment_batch_lines l
    left join public.payment_requests r on r.id = l.request_id
    join public.profiles p on p.id = coalesce(l.payee_id, r.client_id)
    where l.batch_id = new.id and private.is_payee_incomplete(p.id);
  if v_payees is not null then perform private.refuse('payee_incomplete', jsonb_build_object('payees', left(v_payees, 500))); end if;
  return new;
end
$$;

-- The payee of a month is told that the bank rejected it, with its reason.
alter table public.notices add column line_id uuid references public.payment_batch_lines (id) on delete cascade,
  drop constraint notices_are_about_one_thing,
  drop constraint notices_kind_is_known,
  add constraint notices_are_about_one_thing check (num_nonnulls(sale_id, request_id, dispute_id, archive_id, line_id) = 1),
  add constraint notices_kind_is_known check (kind in (
    'referral_received', 'referral_contacted', 'referral_in_negotiation', 'referral_signed', 'referral_refused',
    'referral_late', 'referral_still_late', 'call_back_due', 'news_asked', 'call_agreed', 'call_declined', 'contacts_to_erase',
    'contract_to_validate', 'contract_validated', 'contract_refused', 'contract_annulled',
    'payment_received', 'payment_to_decide', 'payment_approved', 'payment_refused', 'payment_paid', 'payment_annulled',
    'payment_returned', 'month_rejected', 'dispute_opened', 'dispute_answered', 'dispute_closed', 'adjustment_annulled',
    'archive_ready', 'archive_failed'));
create index notices_by_line on public.notices (line_id) where line_id is not null;
create function private.tell_of_month(p_kind text, p_line_id uuid) returns void
language sql security definer set search_path = ''
begin atomic
  with written as (
    insert into public.notices (recipient_id, kind, line_id)
    select p.id, p_kind, l.id from public.payment_batch_lines l join public.profiles p on p.id = l.payee_id
    where l.id = p_line_id and p.deactivated_at is null
    returning id)
  insert into private.notice_mails (notice_id) select w.id from written w;
end;

create or replace function private.close_account(p_id uuid) returns void
language plpgsql security definer set search_path = '' as $$
begin
  update public.profiles p set deactivated_at = coalesce(p.deactivated_at, private.now()), phone = null, company = null, notes = null
    where p.id = p_id;
  update private.mandates m set revoked_at = private.now() where m.payee_id = p_id and m.revoked_at is null;
  delete from private.payee_details d where d.payee_id = p_id;
  -- An account that money went to stays with its line, masked.
  delete from private.bank_account_secrets s using public.bank_accounts a where a.id = s.account_id and a.payee_id = p_id;
  delete from public.bank_accounts a where a.payee_id = p_id
    and not exists (select from public.payment_batch_lines l where l.account_id = a.id);
  delete from auth.sessions s where s.user_id = p_id;
  delete from auth.one_time_tokens t where t.user_id = p_id;
  delete from auth.webauthn_credentials c where c.user_id = p_id;
  delete from auth.factors f where f.user_id = p_id;
  delete from auth.identities i where i.user_id = p_id and i.provider <> 'email';
  update auth.users u set encrypted_password = null, temporary_password_until = null, password_change_required = false,
      phone = null, new_email = null, new_phone = null, raw_user_meta_data = '{}', updated_at = now()
    where u.id = p_id;
end
$$;

create or replace function private.my_account_data() returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin', 'commercial', 'client');
begin
  return jsonb_build_object(
    'account', (select jsonb_strip_nulls(jsonb_build_object('id', u.id, 'email', u.email, 'phone', u.phone, 'created_at', u.created_at,
        'email_confirmed_at', u.email_confirmed_at, 'phone_confirmed_at', u.phone_confirmed_at, 'invited_at', u.invited_at,
        'last_sign_in_at', u.last_sign_in_at, 'new_email', u.new_email, 'new_phone', u.new_phone, 'user_metadata', u.raw_user_meta_data))
      from auth.users u where u.id = me),
    'payee_details', (select to_jsonb(d) - 'payee_id' from private.payee_details d where d.payee_id = me),
    'bank_accounts', (select coalesce(jsonb_agg(jsonb_build_object('holder', b.holder, 'iban', b.iban, 'created_at', b.created_at)
        order by b.created_at), '[]') from public.bank_accounts b where b.payee_id = me),
    'mandates', (select coalesce(jsonb_agg(jsonb_build_object('version', m.version, 'text', m.text, 'hash', encode(m.hash, 'hex'),
        'accepted_at', m.accepted_at, 'revoked_at', m.revoked_at) order by m.id), '[]')
      from private.mandates m where m.payee_id = me),
    'identities', (select coalesce(jsonb_agg(jsonb_build_object('provider', i.provider, 'provider_id', i.provider_id, 'data', i.identity_data,
        'created_at', i.created_at, 'last_sign_in_at', i.last_sign_in_at) order by i.created_at), '[]')
      from auth.identities i where i.user_id = me),
    'sessions', (select coalesce(jsonb_agg(jsonb_build_object('created_at', s.created_at, 'last_used_at', s.last_used_at,
        'user_agent', s.user_agent, 'ip', s.ip, 'is_current', s.is_current)), '[]')
      from private.my_sessions() s),
    'second_factors', (select coalesce(jsonb_agg(jsonb_build_object('type', f.factor_type, 'name', f.friendly_name, 'phone', f.phone,
        'status', f.status, 'created_at', f.created_at) order by f.created_at), '[]')
      from auth.factors f where f.user_id = me),
    'passkeys', (select coalesce(jsonb_agg(jsonb_build_object('name', c.friendly_name, 'created_at', c.created_at,
        'last_used_at', c.last_used_at) order by c.created_at), '[]')
      from auth.webauthn_credentials c where c.user_id = me and c.factor_id is null),
    'account_events', (select coalesce(jsonb_agg(jsonb_build_object('at', e.at, 'action', e.action, 'ip', e.ip) order by e.id desc), '[]')
      from (select a.id, a.at, a.action, a.ip from auth.audit_entries a where a.user_id = me order by a.id desc limit 1000) e));
end
$$;

do $$
declare
  f regprocedure;
begin
  for f in select p.oid::regprocedure from pg_proc p where p.pronamespace = 'private'::regnamespace
      and p.proname in ('is_paid_by_transfer', 'guard_period_in_batch', 'make_batch', 'tell_of_month') loop
    execute format('alter function %s owner to parrain_service', f);
    execute format('grant execute on function %s to parrain_service', f);
  end loop;
end
$$;
grant execute on function private.period_due(uuid, date), private.is_paid_by_transfer(uuid) to authenticated, service_role, parrain_service;
grant execute on function private.make_batch(uuid[], numeric, jsonb) to authenticated;
