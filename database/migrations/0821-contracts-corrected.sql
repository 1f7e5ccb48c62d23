-- UI-11: a validated contract is corrected, down or up, by « Corriger le contrat »; a contract that waits goes back to its commercial by
-- « Demander une correction » (decision 0084).

-- A correction in part takes back or adds; one of the whole takes back.
alter table public.sales drop constraint sales_amount_is_within_bounds,
  add constraint sales_amount_is_within_bounds check (
    case when corrects_sale_id is null then contract_amount > 0 when contract_left is null then contract_amount < 0
      else contract_amount <> 0 end
    and abs(contract_amount) <= 9999999.99 and coalesce(contract_left, 0) <= 9999999.99) not valid;

-- Corrections go down and up: what is left is what they add up to, whatever their order.
create or replace function private.left_of_contract(p_sale_id uuid) returns numeric
language sql stable set search_path = '' as $$
  select s.contract_amount + coalesce((select sum(c.contract_amount) from public.sales c where c.corrects_sale_id = s.id), 0)
  from public.sales s where s.id = p_sale_id
$$;

-- Corrections of a contract wait for one another, and each goes on from what the one before left, under the same terms.
create or replace function private.guard_correction() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  corrected public.sales;
begin
  select * into corrected from public.sales s where s.id = new.corrects_sale_id for update;
  if not corrected.admin_validated or corrected.corrects_sale_id is not null
    or private.left_of_contract(corrected.id) + new.contract_amount <> coalesce(new.contract_left, 0)
    or exists (select from public.sales c where c.corrects_sale_id = corrected.id and c.contract_left is null)
    or (new.commercial_id, new.client_referrer_id, new.friend_referrer_id, new.commission_rate, new.client_commission_type,
        new.client_commission_rate, new.commercial_commission_type, new.commercial_commission_rate)
      is distinct from (corrected.commercial_id, corrected.client_referrer_id, corrected.friend_referrer_id, corrected.commission_rate,
        corrected.client_commission_type, corrected.client_commission_rate, corrected.commercial_commission_type,
        corrected.commercial_commission_rate) then
    raise exception using errcode = 'check_violation', message = 'a correction takes back a part of its contract, under its terms';
  end if;
  -- A correction that waited for another one began before it: their instants are their order all the same.
  new.created_at := greatest(new.created_at,
    (select max(c.created_at) + interval '1 microsecond' from public.sales c where c.corrects_sale_id = corrected.id));
  return new;
end
$$;

-- The mirrored sale of a correction and its commissions (decision 0002), of a sale that the caller has locked and checked.
create function private.write_correction(
  s public.sales, p_before numeric, p_after numeric, p_client numeric, p_commercial numeric, p_reason text)
returns public.sales
language plpgsql security definer set search_path = '' as $$
declare
  correction public.sales;
begin
  insert into public.sales (status, referred_contact_name, referred_contact_email, referred_contact_phone, contract_amount,
    contract_description, commercial_id, client_referrer_id, friend_referrer_id, commission_rate, ready_for_validation,
    admin_validated, validated_at, validated_by, client_commission_amount, commercial_commission_amount, client_commission_type,
    client_commission_rate, commercial_commission_type, commercial_commission_rate, corrects_sale_id, correction_reason, is_test,
    contract_left)
  values ('validated', s.referred_contact_name, s.referred_contact_email, s.referred_contact_phone, p_after - p_before,
    s.contract_description, s.commercial_id, s.client_referrer_id, s.friend_referrer_id, s.commission_rate, true,
    true, private.now(), private.uid(), p_client, p_commercial, s.client_commission_type,
    s.client_commission_rate, s.commercial_commission_type, s.commercial_commission_rate, s.id, btrim(p_reason), s.is_test,
    nullif(p_after, 0))
  returning * into correction;
  insert into public.commission_payments (sale_id, recipient_id, type, amount)
  select correction.id, p.recipient_id, p.type, case p.type when 'client' then p_client else p_commercial end
  from public.commission_payments p where p.sale_id = s.id
  order by p.recipient_id;
  return correction;
end
$$;
alter function private.write_correction(public.sales, numeric, numeric, numeric, numeric, text) owner to parrain_service;
revoke all on function private.write_correction(public.sales, numeric, numeric, numeric, numeric, text) from public;

create or replace function private.cancel_validation(
  p_sale_id uuid, p_reason text, p_seen_version integer, p_expected_client_commission numeric, p_expected_commercial_commission numeric,
  p_contract_left numeric default null, p_seen_contract numeric default null)
returns table (sale public.sales, already boolean)
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  s public.sales;
  latest public.sales;
  before numeric;
  after constant numeric := coalesce(p_contract_left, 0);
  from_client numeric;
  from_commercial numeric;
begin
  if coalesce(btrim(p_reason), '') = '' then perform private.refuse('refusal_reason_required'); end if;
  if num_nulls(p_seen_version, p_expected_client_commission, p_expected_commercial_commission) > 0
    or after > 0 and p_seen_contract is null then
    perform private.refuse('seen_required');
  end if;
  select * into s from public.sales t where t.id = p_sale_id for update;
  if not found then perform private.refuse('sale_not_found'); end if;
  if not s.admin_validated or s.corrects_sale_id is not null then perform private.refuse('sale_not_cancellable'); end if;
  if me in (s.friend_referrer_id, s.client_referrer_id, s.commercial_id) then perform private.refuse('self_validation'); end if;
  select * into latest from public.sales t where t.corrects_sale_id = s.id order by t.created_at desc limit 1;
  before := private.left_of_contract(s.id);
  -- The same decision again is the same answer.
  if latest.id is not null and after = before then
    if p_seen_version <> s.version or p_expected_client_commission <> -latest.client_commission_amount
      or p_expected_commercial_commission <> -latest.commercial_commission_amount
      or p_seen_contract <> before - latest.contract_amount then
      perform private.refuse('sale_changed');
    end if;
    return query select latest, true;
    return;
  end if;
  if before = 0 then perform private.refuse('sale_not_cancellable'); end if;
  if p_seen_version <> s.version or p_seen_contract <> before then perform private.refuse('sale_changed'); end if;
  if after < 0 or after >= before or after <> round(after, 2) then
    perform private.refuse('corrected_amount_out_of_range', jsonb_build_object('left', before::text));
  end if;
  from_client := case when coalesce(s.friend_referrer_id, s.client_referrer_id) is null then 0
    else private.commission(s.client_commission_type, s.client_commission_rate, before)
      - private.commission(s.client_commission_type, s.client_commission_rate, after) end;
  from_commercial := private.commission(s.commercial_commission_type, s.commercial_commission_rate, before)
    - private.commission(s.commercial_commission_type, s.commercial_commission_rate, after);
  if p_expected_client_commission <> from_client or p_expected_commercial_commission <> from_commercial then
    perform private.refuse('sale_changed');
  end if;
  return query select private.write_correction(s, before, after, -from_client, -from_commercial, p_reason), false;
end
$$;

-- « Corriger le contrat »: the new amount of a validated contract, above what is left of it or below; its commissions become what the
-- scale that the sale keeps gives for it. Nothing is edited. How many corrections the screen showed makes a repeated request harmless,
-- also where the amount came back to what it was.
create function private.correct_contract(
  p_sale_id uuid, p_reason text, p_seen_version integer, p_seen_corrections integer, p_seen_contract numeric, p_contract_left numeric,
  p_expected_client_commission numeric, p_expected_commercial_commission numeric)
returns table (sale public.sales, already boolean)
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  s public.sales;
  latest public.sales;
  before numeric;
  made integer;
  has_referrer boolean;
  for_client numeric;
  for_commercial numeric;
  more_client numeric;
  more_commercial numeric;
begin
  if coalesce(btrim(p_reason), '') = '' then perform private.refuse('refusal_reason_required'); end if;
  if num_nulls(p_seen_version, p_seen_corrections, p_seen_contract, p_contract_left, p_expected_client_commission,
      p_expected_commercial_commission) > 0 then
    perform private.refuse('seen_required');
  end if;
  select * into s from public.sales t where t.id = p_sale_id for update;
  if not found then perform private.refuse('sale_not_found'); end if;
  if not s.admin_validated or s.corrects_sale_id is not null then perform private.refuse('contract_not_correctable'); end if;
  if me in (s.friend_referrer_id, s.client_referrer_id, s.commercial_id) then perform private.refuse('self_validation'); end if;
  before := private.left_of_contract(s.id);
  made := (select count(*) from public.sales t where t.corrects_sale_id = s.id);
  has_referrer := coalesce(s.friend_referrer_id, s.client_referrer_id) is not null;
  for_client := case when has_referrer then private.commission(s.client_commission_type, s.client_commission_rate, p_contract_left) else 0 end;
  for_commercial := private.commission(s.commercial_commission_type, s.commercial_commission_rate, p_contract_left);
  -- The same decision again is the same answer.
  if made = p_seen_corrections + 1 and before = p_contract_left and p_seen_version = s.version then
    select * into latest from public.sales t where t.corrects_sale_id = s.id order by t.created_at desc limit 1;
    if latest.contract_amount = p_contract_left - p_seen_contract
      and (p_expected_client_commission, p_expected_commercial_commission) = (for_client, for_commercial) then
      return query select latest, true;
      return;
    end if;
  end if;
  if before = 0 then perform private.refuse('contract_not_correctable'); end if;
  if (p_seen_version, p_seen_corrections, p_seen_contract) <> (s.version, made, before) then perform private.refuse('sale_changed'); end if;
  if p_contract_left <= 0 or p_contract_left > 9999999.99 or p_contract_left = before or p_contract_left <> round(p_contract_left, 2) then
    perform private.refuse('corrected_amount_invalid', jsonb_build_object('left', before::text));
  end if;
  if (p_expected_client_commission, p_expected_commercial_commission) <> (for_client, for_commercial) then
    perform private.refuse('sale_changed');
  end if;
  more_client := case when has_referrer
    then for_client - private.commission(s.client_commission_type, s.client_commission_rate, before) else 0 end;
  more_commercial := for_commercial - private.commission(s.commercial_commission_type, s.commercial_commission_rate, before);
  -- What is added is kept with what it is added to. Where that is kept no longer though it should be, it would be free at once.
  if more_client > 0 or more_commercial > 0 then
    if exists (
      select from public.commission_payments p
      join public.commission_rates r on r.id = s.commission_rate
      left join public.commission_holds h on h.commission_id = p.id
      where p.sale_id = s.id and case p.type when 'client' then more_client else more_commercial end > 0
        and (h.commission_id is null or h.ended_at is not null)
        and (h.is_corrected
          or p.type = 'client' and h.commission_id is null and p.created_at + make_interval(days => r.client_hold_days) > private.now()
          or (select c.hold_doubtful from public.company_settings c)
            and private.is_under_check(s.id, coalesce(s.friend_referrer_id, s.client_referrer_id)))) then
      perform private.refuse('contract_cannot_grow');
    end if;
  end if;
  return query select private.write_correction(s, before, p_contract_left, more_client, more_commercial, p_reason), false;
end
$$;
alter function private.correct_contract(uuid, text, integer, integer, numeric, numeric, numeric, numeric) owner to parrain_service;
revoke all on function private.correct_contract(uuid, text, integer, integer, numeric, numeric, numeric, numeric) from public;
grant execute on function private.correct_contract(uuid, text, integer, integer, numeric, numeric, numeric, numeric) to authenticated, parrain_service;

-- What is kept of a contract's commission is all of it, corrections included: what one adds is kept until the same day, what one takes
-- goes first from there. Its share stands beside it as a hold of its own, under the correction's commission, ended at once.
create or replace function private.guard_commission_hold() returns trigger
language plpgsql set search_path = '' as $$
begin
  if tg_op = 'DELETE' and private.is_cleaning() and old.is_test then return old; end if;
  if tg_op = 'UPDATE' and old.ended_at is null
    and (new.commission_id, new.payee_id, new.until, new.is_test) = (old.commission_id, old.payee_id, old.until, old.is_test) then
    if new.ended_at is not null and new.amount = old.amount
      and (new.is_corrected or new.until <= new.ended_at and not old.is_under_check) then
      return new;
    end if;
    -- Less or more is kept after a correction in part.
    if new.ended_at is null and new.amount <> old.amount
      and (new.is_corrected, new.is_under_check) = (old.is_corrected, old.is_under_check) then
      return new;
    end if;
    if new.ended_at is null and old.is_under_check and not new.is_under_check
      and (new.amount, new.is_corrected) = (old.amount, old.is_corrected) then
      return new;
    end if;
  end if;
  perform private.refuse('forbidden');
end
$$;
create or replace function private.post_commissions() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  holds_doubtful constant boolean := (select c.hold_doubtful from public.company_settings c);
begin
  insert into public.commission_holds (commission_id, payee_id, amount, until, is_under_check, is_test)
  select k.id, k.recipient_id, k.amount, k.created_at + make_interval(days => k.hold_days), k.is_under_check, k.is_test
  from (
    select n.id, n.recipient_id, n.amount, n.created_at, n.is_test,
      case n.type when 'client' then r.client_hold_days else 0 end as hold_days,
      case when holds_doubtful then private.is_under_check(n.sale_id, coalesce(s.friend_referrer_id, s.client_referrer_id))
        else false end as is_under_check
    from new_rows n
    join public.sales s on s.id = n.sale_id and s.corrects_sale_id is null
    join public.commission_rates r on r.id = s.commission_rate
    where n.amount > 0) k
  where k.hold_days > 0 or k.is_under_check;
  if exists (select from new_rows n join public.sales s on s.id = n.sale_id where s.corrects_sale_id is not null) then
    with corrected as (
      select h.commission_id, n.id, n.recipient_id, n.amount, n.created_at, h.until, n.is_test, h.amount + n.amount as left_
      from new_rows n
      join public.sales s on s.id = n.sale_id
      join public.commission_payments o on o.sale_id = s.corrects_sale_id and o.type = n.type
      join public.commission_holds h on h.commission_id = o.id
      where n.amount <> 0 and h.ended_at is null
      order by h.commission_id for update of h),
    changed as (
      update public.commission_holds h set amount = case when c.left_ > 0 then c.left_ else h.amount end,
        ended_at = case when c.left_ > 0 then null else c.created_at end, is_corrected = c.left_ = 0,
        is_under_check = h.is_under_check and c.left_ > 0
      from corrected c where h.commission_id = c.commission_id)
    insert into public.commission_holds (commission_id, payee_id, amount, until, ended_at, is_corrected, is_test)
    select c.id, c.recipient_id, abs(c.amount), c.until, c.created_at, true, c.is_test from corrected c where c.left_ > 0;
  end if;
  perform private.lock_balances(array(select n.recipient_id from new_rows n where n.amount <> 0));
  insert into public.ledger_entries (at, act, source_id, payee_id, debit, credit, amount, detail, actor_id, is_test)
  select n.created_at, case when n.amount > 0 then 'validation' else 'correction' end, n.id, n.recipient_id,
    case when n.amount > 0 then 'charged' when exists (
      select from public.sales s
      join public.commission_payments o on o.sale_id = s.corrects_sale_id and o.type = n.type
      join public.commission_holds h on h.commission_id = n.id or h.commission_id = o.id and h.is_corrected
      where s.id = n.sale_id) then 'held' else 'available' end,
    case when n.amount < 0 then 'charged' when exists (
      select from public.commission_holds h where h.commission_id = n.id) then 'held' else 'available' end,
    abs(n.amount), n.type, private.uid(), n.is_test
  from new_rows n where n.amount <> 0
  order by n.recipient_id;
  return null;
end
$$;

-- What the admin asked to have corrected of a contract, the last time; its commercial reads it, the referrer does not.
create table public.correction_requests (
  sale_id uuid primary key references public.sales (id) on delete cascade,
  message text not null constraint correction_requests_message_is_a_text
    check (private.is_text(message, 2000) and length(btrim(message)) > 0),
  asked_at timestamptz not null default private.now(),
  asked_by uuid references public.profiles (id) on delete set null
);
create index correction_requests_by_admin on public.correction_requests (asked_by) where asked_by is not null;
alter table public.correction_requests enable row level security;
alter table public.correction_requests force row level security;
grant select, insert, update, delete on public.correction_requests to parrain_service;
grant select on public.correction_requests to authenticated, service_role;
create policy correction_requests_service_all on public.correction_requests to parrain_service using (true) with check (true);
create policy correction_requests_secret_read on public.correction_requests for select to service_role using (true);
create policy correction_requests_authenticated_read on public.correction_requests for select to authenticated using (
  case when (select private.user_role()) = 'admin' then true
    when (select private.user_role()) = 'commercial' then exists (
      select from public.sales s where s.id = correction_requests.sale_id and s.commercial_id = (select private.uid()))
    else false end);

-- « Demander une correction »: the contract is in negotiation again, in the hands of its commercial, who is told what to correct.
create function private.ask_correction(p_sale_id uuid, p_message text, p_seen_version integer)
returns table (sale public.sales, already boolean)
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  s public.sales;
begin
  if coalesce(btrim(p_message), '') = '' then perform private.refuse('correction_message_required'); end if;
  if p_seen_version is null then perform private.refuse('seen_required'); end if;
  select * into s from public.sales t where t.id = p_sale_id for update;
  if not found then perform private.refuse('sale_not_found'); end if;
  if s.status = 'in_negotiation' and exists (
      select from public.correction_requests r where r.sale_id = s.id and r.message = btrim(p_message)) then
    return query select s, true;
    return;
  end if;
  if s.admin_validated or s.status = 'rejected' then perform private.refuse('sale_already_decided'); end if;
  if not s.ready_for_validation then perform private.refuse('sale_not_ready'); end if;
  if p_seen_version <> s.version then perform private.refuse('sale_changed'); end if;
  if s.commercial_id is null then perform private.refuse('sale_without_commercial'); end if;
  insert into public.correction_requests as r (sale_id, message, asked_by) values (s.id, btrim(p_message), me)
    on conflict (sale_id) do update set message = excluded.message, asked_at = excluded.asked_at, asked_by = excluded.asked_by;
  perform set_config('app.correction_asked', btrim(p_message), true);
  update public.sales t set
    status = 'in_negotiation', ready_for_validation = false,
    commission_rate = null, client_commission_type = null, client_commission_rate = null, commercial_commission_type = null,
    commercial_commission_rate = null, client_commission_amount = null, commercial_commission_amount = null
    where t.id = s.id returning * into s;
  perform set_config('app.correction_asked', '', true);
  return query select s, false;
end
$$;
alter function private.ask_correction(uuid, text, integer) owner to parrain_service;
revoke all on function private.ask_correction(uuid, text, integer) from public;
grant execute on function private.ask_correction(uuid, text, integer) to authenticated, parrain_service;

-- The commercial's day: what is to be corrected is to be done today, unless they set a later day.
create function private.today_rank(s public.sales, p_call_back_on date, p_follow_up_days integer, p_is_to_correct boolean) returns integer
language sql stable parallel safe
return case
  when s.corrects_sale_id is not null or s.ready_for_validation or s.status not in ('pending', 'contacted', 'in_negotiation')
    or p_call_back_on > (now() at time zone 'Europe/Paris')::date then null
  when s.status = 'pending' and s.created_at <= now() - make_interval(hours => 24 * p_follow_up_days) then 1
  when p_call_back_on is not null or p_is_to_correct then 2
  when s.status = 'pending' then 3
end;
revoke all on function private.today_rank(public.sales, date, integer, boolean) from public;
grant execute on function private.today_rank(public.sales, date, integer, boolean) to authenticated, service_role;
create or replace function public.today_rank(public.sales) returns integer
language sql stable parallel safe
begin atomic
  select private.today_rank($1,
    (select f.call_back_on from public.follow_ups f where f.sale_id = $1.id),
    (select c.follow_up_days from public.company_settings c),
    exists (select from public.correction_requests r where r.sale_id = $1.id));
end;
create or replace function public.referral_counts() returns table (today bigint, call_back bigint, late bigint, total bigint)
language sql stable rows 1 set search_path = '' as $$
  select count(private.today_rank(s, f.call_back_on, c.follow_up_days, r.sale_id is not null)),
    count(*) filter (where f.call_back_on <= (now() at time zone 'Europe/Paris')::date),
    count(*) filter (where s.status = 'pending' and s.created_at <= now() - make_interval(hours => 24 * c.follow_up_days)),
    (select coalesce(sum(t.sales), 0)::bigint from figures.sale_totals t
      where t.commercial_id = (select private.uid()) and t.state <> 'correction')
  from public.sales s
    left join public.follow_ups f on f.sale_id = s.id
    left join public.correction_requests r on r.sale_id = s.id
    left join public.company_settings c on true
  where s.commercial_id = (select private.uid()) and s.status in ('pending', 'contacted', 'in_negotiation')
    and not s.ready_for_validation and s.corrects_sale_id is null
$$;
drop function private.today_rank(public.sales, date, integer);

-- The kinds of notices stay what they are, and one more.
do $$
declare
  kinds text[];
begin
  select array_agg(m.found[1] order by m.place) || 'correction_asked'::text into kinds
    from pg_constraint c, regexp_matches(pg_get_constraintdef(c.oid), '[{,('']([a-z_]+)(?=[},''])', 'g')
      with ordinality m (found, place)
    where c.conname = 'notices_kind_is_known' and c.conrelid = 'public.notices'::regclass;
  alter table public.notices drop constraint notices_kind_is_known;
  execute format('alter table public.notices add constraint notices_kind_is_known check (kind = any (%L)) not valid', kinds);
end
$$;

-- What is asked for is why the contract goes back.
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
    case when new_row ->> 'return_reason' is distinct from old_row ->> 'return_reason' then new_row ->> 'return_reason' end,
    case when tg_table_name = 'sales' then nullif(current_setting('app.correction_asked', true), '') end);
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
  -- These chains are held by something else than the row; of the others, the change that fired this holds the row already.
  if tg_table_name in ('company_settings', 'payment_batches') then perform private.hold_chain(tg_table_name, id); end if;
  perform private.chain_entry(tg_table_name, id, lower(tg_op), private.without_personal_data(old_row),
    private.without_personal_data(new_row), why);
  return null;
end
$$;

create or replace function private.guard_sale() returns trigger
language plpgsql set search_path = '' as $$
declare
  person constant text[] := array['referred_contact_name', 'referred_contact_email', 'referred_contact_phone', 'personal_message',
    'commercial_notes'];
  v_from constant integer := private.funnel_step(old);
  v_to integer;
  v_at timestamptz;
begin
  if tg_op = 'DELETE' then
    if private.is_importing() and old.version = 1
      and exists (select from private.imported_rows r where r.sale_id = old.id) then
      return old;
    end if;
    if not (private.is_cleaning() and old.is_test) and (old.admin_validated or old.status <> 'rejected') then
      perform private.refuse('sale_not_editable');
    end if;
    return old;
  end if;
  if old.ready_for_validation and coalesce(current_setting('app.friend', true), '') = 'on'
    and to_jsonb(new) - person = to_jsonb(old) - person then
    new.version := old.version + 1;
    new.updated_at := private.now();
    return new;
  end if;
  if old.admin_validated then
    perform private.refuse('sale_not_editable');
  end if;
  if (new.id, new.created_at, new.corrects_sale_id, new.is_test) is distinct from (old.id, old.created_at, old.corrects_sale_id, old.is_test)
    or new.client_referrer_id is distinct from old.client_referrer_id then
    perform private.refuse('sale_not_editable');
  end if;
  if new.friend_referrer_id is distinct from old.friend_referrer_id and not (private.is_open(old) and exists (
      select from private.refused_referrals r where r.sale_id = old.id and r.client_id = new.friend_referrer_id)) then
    perform private.refuse('sale_not_editable');
  end if;
  -- Signed by the commercial: only the company's decision is left (S-02, W6).
  if old.status = 'validated' and not (new.status = 'rejected' or new.admin_validated
      or new.status = 'in_negotiation' and private.user_role() = 'admin' or (
      (new.status, new.contract_amount, new.contract_description) is not distinct from (old.status, old.contract_amount, old.contract_description)
      and new.commercial_id is distinct from old.commercial_id)) then
    perform private.refuse('sale_not_editable');
  end if;
  if new.admin_validated and (not old.ready_for_validation
      or (new.contract_amount, new.contract_description) is distinct from (old.contract_amount, old.contract_description)) then
    perform private.refuse('sale_not_ready');
  end if;
  v_to := private.funnel_step(new);
  -- A move that waited for another one began before it.
  v_at := greatest(private.now(), old.created_at, old.contacted_at, old.negotiated_at, old.signed_at);
  new.contacted_at := case when v_to >= 1 then case when v_from >= 1 then old.contacted_at else coalesce(new.contacted_at, v_at) end end;
  new.negotiated_at := case when v_to >= 2 then case when v_from >= 2 then old.negotiated_at else coalesce(new.negotiated_at, v_at) end end;
  new.signed_at := case when v_to >= 3 then case when v_from >= 3 then old.signed_at else coalesce(new.signed_at, v_at) end end;
  new.version := old.version + 1;
  new.updated_at := private.now();
  return new;
end
$$;

-- The commercial alone is told: for the referrer nothing new has happened.
create or replace function private.tell_sale_move() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  awaiting constant text[] := array['awaiting_final_validation', 'awaiting_admin_validation'];
  referrer uuid := coalesce(new.friend_referrer_id, new.client_referrer_id);
  before text := case when tg_op = 'UPDATE' then private.sale_state(old.status, old.ready_for_validation, old.admin_validated, old.corrects_sale_id) end;
  after text := private.sale_state(new.status, new.ready_for_validation, new.admin_validated, new.corrects_sale_id);
begin
  if before = after then return null; end if;
  if before = any (awaiting) and not after = any (awaiting) then
    perform private.end_notices(array['contract_to_validate'], new.id, null, null);
  elsif before is not null then
    perform private.end_notices(array['referral_received', 'referral_late', 'referral_still_late', 'call_back_due', 'news_asked',
      'correction_asked'], new.id, null, null);
  end if;
  case
    when after = 'correction' then
      perform private.tell('contract_annulled', array[referrer, new.commercial_id], new.id, null);
    when after = 'pending' and before is null then
      perform private.tell('referral_received', array[new.commercial_id], new.id, null);
    when after = 'contacted' then
      perform private.tell('referral_contacted', array[referrer], new.id, null);
    when after = 'in_negotiation' and before = any (awaiting) and private.user_role() = 'admin' then
      perform private.tell('correction_asked', array[new.commercial_id], new.id, null);
    when after = 'in_negotiation' then
      perform private.tell('referral_in_negotiation', array[referrer], new.id, null);
    when after = any (awaiting) and not coalesce(before = any (awaiting), false) then
      -- Signed again, once it is corrected, it is no news.
      if not exists (select from public.correction_requests r where r.sale_id = new.id) then
        perform private.tell('referral_signed', array[referrer], new.id, null);
      end if;
      perform private.tell('contract_to_validate', private.active_admins(), new.id, null);
    when after = 'validated' then
      perform private.tell('contract_validated', array[referrer, new.commercial_id], new.id, null);
    when after = 'rejected' and before = any (awaiting) and private.user_role() = 'admin' then
      perform private.tell('contract_refused', array[referrer, new.commercial_id], new.id, null);
    -- Of a friend who asked to be forgotten, nothing is told.
    when after = 'rejected' and before is not null
      and not (num_nonnulls(old.referred_contact_email, old.referred_contact_phone) > 0
        and num_nonnulls(new.referred_contact_email, new.referred_contact_phone) = 0) then
      perform private.tell('referral_refused', array[referrer], new.id, null);
    else null;
  end case;
  return null;
end
$$;

create or replace function private.forget_follow_up() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if num_nonnulls(new.referred_contact_email, new.referred_contact_phone) > 0 then return null; end if;
  delete from public.follow_ups f where f.sale_id = new.id;
  delete from public.correction_requests r where r.sale_id = new.id;
  delete from private.refused_referrals r where r.sale_id = new.id;
  delete from private.announced_erasures a where a.sale_id = new.id;
  return null;
end
$$;
