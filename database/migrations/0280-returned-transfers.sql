-- PO-02: what a bank sends back after a transfer was settled: a transfer of its own, from what is paid to what is available. A
-- returned request is an end of its own, so that what is paid, summed by status, is what was kept.

alter table public.payment_requests
  add column returned_at timestamptz,
  add column return_reason text
    constraint payment_requests_return_reason_is_a_text check (private.is_text(return_reason, 500) and btrim(return_reason) <> ''),
  drop constraint payment_requests_status_is_known,
  drop constraint payment_requests_times_follow_the_status,
  add constraint payment_requests_status_is_known check (status in ('pending', 'approved', 'rejected', 'paid', 'returned')),
  add constraint payment_requests_times_follow_the_status check (
    (status in ('approved', 'paid', 'returned')) = (approved_at is not null) and (status in ('paid', 'returned')) = (paid_at is not null)
    and (status = 'returned') = (returned_at is not null)),
  add constraint payment_requests_return_has_a_reason check ((status = 'returned') = (return_reason is not null)),
  add constraint payment_requests_only_transfers_return check (status <> 'returned' or payment_method = 'virement');
drop index public.payment_requests_by_payment;
create index payment_requests_by_payment on public.payment_requests (paid_at) where paid_at is not null;
create index payment_requests_by_return on public.payment_requests (returned_at) where returned_at is not null;

alter table figures.company_totals drop constraint company_totals_what_is_known,
  add constraint company_totals_what_is_known check (what in ('clients', 'active_commercials', 'requests_pending',
    'requests_approved', 'requests_paid', 'requests_returned', 'requests_rejected', 'role_admin', 'role_commercial', 'role_client')
    or what like 'trail\_%');
create or replace view figures.counted_payment_requests with (security_invoker = true) as
  select substr(t.what, length('requests_') + 1) as status, t.number as row_count
  from figures.company_totals t
  where t.what in ('requests_pending', 'requests_approved', 'requests_paid', 'requests_returned', 'requests_rejected');

alter table public.payment_batch_lines
  drop constraint payment_batch_lines_status_is_known,
  drop constraint payment_batch_lines_rejection_has_a_reason,
  add constraint payment_batch_lines_status_is_known check (status in ('queued', 'paid', 'rejected', 'returned')),
  add constraint payment_batch_lines_failure_has_a_reason check (
    (status in ('rejected', 'returned')) = (reason is not null) and (reason_code is null or status in ('rejected', 'returned')));

alter table public.notices drop constraint notices_kind_is_known,
  add constraint notices_kind_is_known check (kind in (
    'referral_received', 'referral_contacted', 'referral_in_negotiation', 'referral_signed', 'referral_refused',
    'referral_late', 'referral_still_late', 'call_back_due', 'news_asked',
    'contract_to_validate', 'contract_validated', 'contract_refused', 'contract_annulled',
    'payment_received', 'payment_to_decide', 'payment_approved', 'payment_refused', 'payment_paid', 'payment_annulled',
    'payment_returned', 'dispute_opened', 'dispute_answered', 'dispute_closed'));

alter table public.ledger_entries drop constraint ledger_entries_transfer_is_known,
  drop constraint ledger_entries_detail_is_of_its_account,
  add constraint ledger_entries_transfer_is_known check ((act, debit, credit) in (
    ('validation', 'charged', 'available'),
    ('validation', 'charged', 'held'),
    ('release', 'held', 'available'),
    ('correction', 'available', 'charged'),
    ('correction', 'held', 'charged'),
    ('request', 'available', 'reserved'),
    ('refusal', 'reserved', 'available'),
    ('settlement', 'reserved', 'paid'),
    ('return', 'paid', 'available'))),
  add constraint ledger_entries_detail_is_of_its_account check (
    (detail is null) = (act in ('release', 'request', 'refusal'))
    and (act not in ('validation', 'correction') or detail in ('client', 'commercial'))
    and (act <> 'return' or detail = 'virement')
    and (act <> 'settlement' or detail in ('virement', 'cheque_cadeau', 'association', 'remise_societe')));

-- Each payee's balance as their transfers make it.
create or replace view figures.recounted_balances with (security_invoker = true) as
  select e.payee_id as profile_id,
    coalesce(sum(e.amount) filter (where e.debit = 'charged'), 0) as earned,
    coalesce(sum(e.amount) filter (where e.credit = 'charged'), 0) as reversed,
    coalesce(sum(case when e.credit = 'reserved' then e.amount when e.debit = 'reserved' then -e.amount end), 0) as reserved,
    coalesce(sum(case when e.credit = 'paid' then e.amount when e.debit = 'paid' then -e.amount end), 0) as paid,
    coalesce(sum(case when e.credit = 'held' then e.amount when e.debit = 'held' then -e.amount end), 0) as held
  from public.ledger_entries e
  group by e.payee_id;
create or replace function private.post_to_balances() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  d record;
begin
  for d in
    select n.payee_id,
      coalesce(sum(n.amount) filter (where n.debit = 'charged'), 0) as earned,
      coalesce(sum(n.amount) filter (where n.credit = 'charged'), 0) as reversed,
      coalesce(sum(case when n.credit = 'reserved' then n.amount when n.debit = 'reserved' then -n.amount end), 0) as reserved,
      coalesce(sum(case when n.credit = 'paid' then n.amount when n.debit = 'paid' then -n.amount end), 0) as paid,
      coalesce(sum(case when n.credit = 'held' then n.amount when n.debit = 'held' then -n.amount end), 0) as held
    from new_rows n group by n.payee_id order by n.payee_id
  loop
    update public.balances b set earned = b.earned + d.earned, reversed = b.reversed + d.reversed,
        reserved = b.reserved + d.reserved, paid = b.paid + d.paid, held = b.held + d.held
      where b.profile_id = d.payee_id;
    if not found then
      -- A first commission; another one of the same instant may have come first.
      insert into public.balances as b (profile_id, earned, reversed, reserved, paid, held)
      values (d.payee_id, d.earned, d.reversed, d.reserved, d.paid, d.held)
      on conflict (profile_id) do update set earned = b.earned + excluded.earned, reversed = b.reversed + excluded.reversed,
        reserved = b.reserved + excluded.reserved, paid = b.paid + excluded.paid, held = b.held + excluded.held;
    end if;
  end loop;
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
  select r.id, 'request', 1, r.client_id, 'available', 'reserved', r.amount, null, r.is_test, r.created_at from public.payment_requests r
  union all
  select r.id, 'refusal', 1, r.client_id, 'reserved', 'available', r.amount, null, r.is_test, r.updated_at
  from public.payment_requests r where r.status = 'rejected'
  union all
  select r.id, 'settlement', 1, r.client_id, 'reserved', 'paid', r.amount, r.payment_method, r.is_test, r.paid_at
  from public.payment_requests r where r.paid_at is not null
  union all
  select r.id, 'return', 1, r.client_id, 'paid', 'available', r.amount, r.payment_method, r.is_test, r.returned_at
  from public.payment_requests r where r.returned_at is not null;

-- What is asked for is set aside; a refusal gives it back, a settlement pays it, the bank's return makes it available again.
create or replace function private.post_payment_request() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  insert into public.ledger_entries (at, act, source_id, payee_id, debit, credit, amount, detail, actor_id, is_test)
  select coalesce(new.returned_at, new.paid_at, new.updated_at), k.act, new.id, new.client_id, k.debit, k.credit, new.amount,
    case when k.act in ('settlement', 'return') then new.payment_method end, private.uid(), new.is_test
  from (values ('pending', 'request', 'available', 'reserved'), ('rejected', 'refusal', 'reserved', 'available'),
    ('paid', 'settlement', 'reserved', 'paid'), ('returned', 'return', 'paid', 'available')) k (status, act, debit, credit)
  where k.status = new.status;
  return null;
end
$$;
drop trigger payment_requests_post_decision on public.payment_requests;
create trigger payment_requests_post_decision after update on public.payment_requests
  for each row when (old.status <> new.status and new.status in ('rejected', 'paid', 'returned'))
  execute function private.post_payment_request();

-- Legal moves, and what each of them needs of the balance, whose row lock makes simultaneous requests wait for one another (V-16).
-- A request in a batch is decided by its line: rejected by the bank, or returned after it was paid (PO-02).
create or replace function private.guard_payment_request() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  left_ numeric;
  v_line text;
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
  if (new.id, new.client_id, new.amount, new.payment_method, new.payment_details, new.created_at, new.is_test)
      is distinct from (old.id, old.client_id, old.amount, old.payment_method, old.payment_details, old.created_at, old.is_test) then
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
  elsif old.status in ('rejected', 'paid', 'returned') then
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
    return new;
  end if;
  if (new.batch_id, new.request_id) <> (old.batch_id, old.request_id) then perform private.refuse('forbidden'); end if;
  -- A bank sends money back for weeks after its batch was settled.
  if (old.status, new.status) = ('paid', 'returned') then return new; end if;
  if old.status <> 'queued' or new.status = 'returned' or v_status not in ('released', 'sent') then perform private.refuse('batch_illegal_move'); end if;
  return new;
end
$$;

-- PO-02: what became of lines: [{"request_id", "status": "paid" | "rejected" | "returned", "code", "reason"}]; null: all that wait are
-- paid. What is said again changes nothing; what is said otherwise is refused. A rejected line gives the money back, and so does one
-- that comes back after it was paid.
drop function private.settle_batch(uuid, jsonb);
create function private.settle_batch(p_batch_id uuid, p_outcomes jsonb)
returns table (paid integer, rejected integer, returned integer, already integer)
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  b public.payment_batches;
  o record;
begin
  paid := 0; rejected := 0; returned := 0; already := 0;
  select * into b from public.payment_batches t where t.id = p_batch_id for update;
  if not found then perform private.refuse('batch_not_found'); end if;
  if b.status = 'draft' then perform private.refuse('batch_illegal_move'); end if;
  if p_outcomes is null then
    select jsonb_agg(jsonb_build_object('request_id', l.request_id, 'status', 'paid')) into p_outcomes
      from public.payment_batch_lines l where l.batch_id = b.id and l.status = 'queued';
  end if;
  -- Requests in the order of their ids, then balances in that of their owners, as everybody takes them.
  perform 1 from public.payment_requests r
    where r.id in (select (x ->> 'request_id')::uuid from jsonb_array_elements(p_outcomes) x) order by r.id for update;
  perform 1 from public.balances k where k.profile_id in (select r.client_id from public.payment_requests r
    where r.id in (select (x ->> 'request_id')::uuid from jsonb_array_elements(p_outcomes) x)) order by k.profile_id for update;
  for o in
    select x.request_id, x.status as told, x.code, nullif(btrim(x.reason), '') as why, l.status as stands
    from jsonb_to_recordset(p_outcomes) as x (request_id uuid, status text, code text, reason text)
    left join public.payment_batch_lines l on l.request_id = x.request_id and l.batch_id = b.id
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
      where l.batch_id = b.id and l.request_id = o.request_id;
    if o.told = 'paid' then
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
alter function private.settle_batch(uuid, jsonb) owner to parrain_service;
grant execute on function private.settle_batch(uuid, jsonb) to authenticated, parrain_service;

-- PO-02: a transfer that was paid, alone or in a batch, comes back from the bank. The same again is the same answer.
create function private.return_payment(p_request_id uuid, p_reason text, p_seen_version integer)
returns table (request public.payment_requests, already boolean)
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
  update public.payment_batch_lines l set status = 'returned', reason = btrim(p_reason), decided_at = private.now()
    where l.request_id = r.id and l.status = 'paid';
  update public.payment_requests t set status = 'returned', returned_at = private.now(), return_reason = btrim(p_reason)
    where t.id = r.id returning * into r;
  return query select r, false;
end
$$;
alter function private.return_payment(uuid, text, integer) owner to parrain_service;
grant execute on function private.return_payment(uuid, text, integer) to authenticated, parrain_service;

create or replace view public.batch_summaries with (security_invoker = true) as
  select b.id, b.number, b.status, b.created_at, b.execution_on, b.format, b.released_at, b.sent_at, b.settled_at, b.version,
    (select m.full_name from public.profiles m where m.id = b.made_by) as made_by_name, b.made_by,
    (select m.full_name from public.profiles m where m.id = b.released_by) as released_by_name,
    s.lines, s.total, s.paid, s.rejected, s.returned
  from public.payment_batches b
  cross join lateral (
    select count(*)::integer as lines, coalesce(sum(r.amount), 0)::numeric(14, 2) as total,
      (count(*) filter (where l.status = 'paid'))::integer as paid, (count(*) filter (where l.status = 'rejected'))::integer as rejected,
      (count(*) filter (where l.status = 'returned'))::integer as returned
    from public.payment_batch_lines l join public.payment_requests r on r.id = l.request_id where l.batch_id = b.id) s;

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
      when 'return' then (select r.return_reason from public.payment_requests r where r.id = l.source_id) end as reason
  from (
    select e.id, e.at, e.payee_id, e.act, e.debit, e.credit, e.amount, e.detail, e.source_id, k.change,
      (sum(k.change) over (partition by e.payee_id order by e.id))::numeric(14, 2) as available
    from public.ledger_entries e
    cross join lateral (select (case when e.credit = 'available' then e.amount when e.debit = 'available' then -e.amount else 0 end)
      ::numeric(12, 2) as change) k) l;

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
    upper(case when n.sale_id is null then 'DEM-' || left(n.source_id::text, 8) else 'CTR-' || left(n.sale_id::text, 8) end), n.at,
    case n.act when 'validation' then 'Commission' when 'correction' then 'Reprise de commission'
        when 'release' then 'Fin du délai d’une commission' when 'settlement' then 'Paiement'
        when 'return' then 'Retour d’un paiement' else 'Mouvement (' || n.act || ')' end
      || case n.detail when 'client' then ' du client' when 'commercial' then ' du commercial' when 'virement' then ' par virement'
        when 'cheque_cadeau' then ' en chèque cadeau' when 'association' then ' à une association' when 'remise_societe' then ' en remise'
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
      coalesce(s.accounts, c.accounts) -> case
        when o.account in ('available', 'reserved') then p.role
        when o.account in ('charged', 'held') then o.account
        when o.account = 'paid' then 'paid_' || n.detail
        else 'other' end as account
    from (values (1, n.debit), (2, n.credit)) o (side, account)) k;
end
$$;

-- The reason of a return is the reason of its entry in the trail.
create or replace function private.audit_change() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  old_row jsonb;
  new_row jsonb;
  id uuid;
  why text;
begin
  if tg_op <> 'INSERT' then old_row := to_jsonb(old) - array['updated_at']; end if;
  if tg_op <> 'DELETE' then new_row := to_jsonb(new) - array['updated_at']; end if;
  id := case when tg_table_name = 'company_settings' then '00000000-0000-0000-0000-000000000001'
    else coalesce(new_row ->> 'id', old_row ->> 'id')::uuid end;
  why := coalesce(new_row ->> 'correction_reason',
    case when new_row ->> 'rejection_reason' is distinct from old_row ->> 'rejection_reason' then new_row ->> 'rejection_reason' end,
    case when new_row ->> 'approval_annulled_reason' is distinct from old_row ->> 'approval_annulled_reason'
      then new_row ->> 'approval_annulled_reason' end,
    case when new_row ->> 'return_reason' is distinct from old_row ->> 'return_reason' then new_row ->> 'return_reason' end);
  if tg_op = 'UPDATE' then
    select jsonb_object_agg(o.key, o.value), jsonb_object_agg(o.key, new_row -> o.key) into old_row, new_row
      from jsonb_each(old_row) o where o.value is distinct from new_row -> o.key;
    if old_row is null then return null; end if;
    -- What a validation gives, and to whom, whether these changed in it or not. A correction is a new sale, whose entry says all of it.
    if tg_table_name = 'sales' and new_row -> 'admin_validated' = 'true' then
      new_row := new_row || jsonb_strip_nulls(jsonb_build_object(
        'client_commission_amount', new.client_commission_amount, 'commercial_commission_amount', new.commercial_commission_amount,
        'friend_referrer_id', new.friend_referrer_id, 'client_referrer_id', new.client_referrer_id,
        'commercial_id', new.commercial_id));
    end if;
  end if;
  if tg_op = 'INSERT' then new_row := jsonb_strip_nulls(new_row); end if;
  if tg_op = 'DELETE' then old_row := jsonb_strip_nulls(old_row); end if;
  perform private.append_audit(tg_table_name, id, lower(tg_op), private.without_personal_data(old_row),
    private.without_personal_data(new_row), why);
  return null;
end
$$;
