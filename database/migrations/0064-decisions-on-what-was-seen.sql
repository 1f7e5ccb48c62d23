-- Every decision says what was on screen, and an approval can be annulled until the money has left (FX-10, FX-11).

-- Why a request that had been approved waits again: its client reads it.
alter table public.payment_requests
  add column approval_annulled_reason text,
  add constraint payment_requests_annulment_is_of_a_pending check (
    approval_annulled_reason is null or status = 'pending' and length(btrim(approval_annulled_reason)) > 0),
  -- Lines of text: it goes into a mail.
  add constraint payment_requests_annulment_reason_is_a_text check (length(approval_annulled_reason) <= 500
    and approval_annulled_reason !~ '[\u0001-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]');

create or replace function private.guard_payment_request() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  balance public.balances;
begin
  if tg_op = 'DELETE' then
    if not (private.is_cleaning() and old.is_test) then perform private.refuse('forbidden'); end if;
    return old;
  end if;
  if tg_op = 'INSERT' then
    if new.status <> 'pending' then perform private.refuse('request_illegal_move'); end if;
    -- The row lock taken here is what makes simultaneous requests wait for one another.
    update public.balances b set reserved = b.reserved + new.amount
      where b.profile_id = new.client_id and b.earned - b.reversed - b.reserved - b.paid >= new.amount;
    if not found then
      select * into balance from public.balances b where b.profile_id = new.client_id;
      perform private.refuse('amount_out_of_range', jsonb_build_object('available',
        greatest(coalesce(balance.earned - balance.reversed - balance.reserved - balance.paid, 0), 0)::numeric(14, 2)::text));
    end if;
    return new;
  end if;
  if (new.id, new.client_id, new.amount, new.payment_method, new.payment_details, new.created_at, new.is_test)
      is distinct from (old.id, old.client_id, old.amount, old.payment_method, old.payment_details, old.created_at, old.is_test) then
    perform private.refuse('forbidden');
  end if;
  if new.status <> old.status then
    if not ((old.status, new.status) in (('pending', 'approved'), ('pending', 'rejected'), ('approved', 'paid'), ('approved', 'pending'))) then
      perform private.refuse('request_illegal_move');
    end if;
    if new.status = 'pending' and new.approval_annulled_reason is null then perform private.refuse('refusal_reason_required'); end if;
    if new.status = 'rejected' then
      update public.balances b set reserved = b.reserved - old.amount where b.profile_id = old.client_id;
    elsif new.status in ('approved', 'paid') then
      -- Someone who owes the company (S-11) is neither approved nor paid before the debt is gone.
      update public.balances b set
          reserved = b.reserved - case new.status when 'paid' then old.amount else 0 end,
          paid = b.paid + case new.status when 'paid' then old.amount else 0 end
        where b.profile_id = old.client_id and b.earned - b.reversed - b.reserved - b.paid >= 0;
      if not found then perform private.refuse('balance_in_debt'); end if;
    end if;
  elsif old.status in ('rejected', 'paid') then
    perform private.refuse('request_illegal_move');
  end if;
  new.version := old.version + 1;
  new.updated_at := private.now();
  return new;
end
$$;

-- The reason of an annulled approval is the reason of its audit entry, as that of a refusal is.
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
      then new_row ->> 'approval_annulled_reason' end);
  if tg_op = 'UPDATE' then
    select jsonb_object_agg(o.key, o.value), jsonb_object_agg(o.key, new_row -> o.key) into old_row, new_row
      from jsonb_each(old_row) o where o.value is distinct from new_row -> o.key;
    if old_row is null then return null; end if;
  end if;
  if tg_op = 'INSERT' then new_row := jsonb_strip_nulls(new_row); end if;
  if tg_op = 'DELETE' then old_row := jsonb_strip_nulls(old_row); end if;
  perform private.append_audit(tg_table_name, id, lower(tg_op), private.without_personal_data(old_row),
    private.without_personal_data(new_row), why);
  return null;
end
$$;

-- F-08, S-09, V-05: the admin approves, refuses or marks paid what was on screen: its version, and its amount where money
-- is promised or leaves. The same decision again is the same answer, as long as nothing came after it.
drop function private.decide_payment_request(uuid, text, text, text);
create function private.decide_payment_request(
  p_request_id uuid, p_status text, p_admin_notes text, p_rejection_reason text, p_seen_version integer, p_expected_amount numeric)
returns table (request public.payment_requests, already boolean)
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  r public.payment_requests;
  note text := nullif(btrim(p_admin_notes), '');
  -- The source's page has one field for both: the note of a refusal is its reason.
  why text := coalesce(nullif(btrim(p_rejection_reason), ''), note);
begin
  if p_status is null or p_status not in ('approved', 'rejected', 'paid') then perform private.refuse('decision_required'); end if;
  if p_status = 'rejected' and why is null then perform private.refuse('refusal_reason_required'); end if;
  if p_seen_version is null or p_expected_amount is null and p_status <> 'rejected' then perform private.refuse('seen_required'); end if;
  select * into r from public.payment_requests t where t.id = p_request_id for update;
  if not found then perform private.refuse('request_not_found'); end if;
  if p_expected_amount <> r.amount then perform private.refuse('request_changed'); end if;
  if r.status = p_status and p_seen_version in (r.version - 1, r.version) and (p_status <> 'rejected' or r.rejection_reason = why) then
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
    paid_at = case when p_status = 'paid' then private.now() end
    where t.id = r.id returning * into r;
  return query select r, false;
end
$$;

-- « Annuler l'approbation »: the request waits for a decision again; what it asks for stays set aside. Gives whom to tell.
create function private.annul_approval(p_request_id uuid, p_reason text, p_seen_version integer)
returns table (request public.payment_requests, already boolean, full_name text, email text)
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  r public.payment_requests;
  is_again boolean;
begin
  if coalesce(btrim(p_reason), '') = '' then perform private.refuse('refusal_reason_required'); end if;
  if p_seen_version is null then perform private.refuse('seen_required'); end if;
  select * into r from public.payment_requests t where t.id = p_request_id for update;
  if not found then perform private.refuse('request_not_found'); end if;
  is_again := coalesce(p_seen_version = r.version - 1 and r.approval_annulled_reason = btrim(p_reason), false);
  if not is_again then
    if p_seen_version <> r.version then perform private.refuse('request_changed'); end if;
    if r.status <> 'approved' then perform private.refuse('request_illegal_move'); end if;
    update public.payment_requests t set status = 'pending', approved_at = null, approval_annulled_reason = btrim(p_reason)
      where t.id = r.id returning * into r;
  end if;
  return query select r, is_again, p.full_name, p.email from public.profiles p
    where p.id = r.client_id;
end
$$;

-- F-16, S-04, AD-12: the admin validates what they saw; all or nothing, and the same again is the same answer.
drop function private.validate_sale(uuid, uuid, integer, numeric, numeric, numeric);
create function private.validate_sale(
  p_sale_id uuid, p_commission_rate_id uuid, p_seen_version integer, p_expected_contract_amount numeric,
  p_expected_client_commission numeric, p_expected_commercial_commission numeric)
returns table (sale public.sales, already boolean)
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  s public.sales;
  scale public.commission_rates;
  beneficiary uuid;
  for_client numeric;
  for_commercial numeric;
begin
  if num_nulls(p_seen_version, p_expected_contract_amount, p_expected_client_commission, p_expected_commercial_commission) > 0 then
    perform private.refuse('seen_required');
  end if;
  select * into s from public.sales t where t.id = p_sale_id for update;
  if not found then perform private.refuse('sale_not_found'); end if;
  if s.admin_validated then
    -- The same decision again is the same answer; another one, of an admin who saw other amounts, is told that it came too late.
    if s.corrects_sale_id is not null or p_commission_rate_id <> s.commission_rate
      or p_expected_contract_amount <> s.contract_amount
      or p_expected_client_commission <> s.client_commission_amount
      or p_expected_commercial_commission <> s.commercial_commission_amount then
      perform private.refuse('sale_already_decided');
    end if;
    return query select s, true;
    return;
  end if;
  if s.status = 'rejected' then perform private.refuse('sale_already_decided'); end if;
  if not s.ready_for_validation then perform private.refuse('sale_not_ready'); end if;
  if s.commercial_id is null then perform private.refuse('sale_without_commercial'); end if;
  beneficiary := coalesce(s.friend_referrer_id, s.client_referrer_id);
  if me in (s.friend_referrer_id, s.client_referrer_id, s.commercial_id) then perform private.refuse('self_validation'); end if;
  scale := private.scale_for(p_commission_rate_id, s.commission_rate);
  if scale.id is null then perform private.refuse('scale_not_found'); end if;
  for_client := case when beneficiary is null then 0
    else private.commission(scale.client_commission_type, scale.client_commission_amount, s.contract_amount) end;
  for_commercial := private.commission(scale.commercial_commission_type, scale.commercial_commission_amount, s.contract_amount);
  if p_seen_version <> s.version
    or p_expected_contract_amount <> s.contract_amount
    or p_expected_client_commission <> for_client
    or p_expected_commercial_commission <> for_commercial then
    perform private.refuse('sale_changed');
  end if;

  update public.sales t set
    status = 'validated', admin_validated = true, validated_at = private.now(), validated_by = me, commission_rate = scale.id,
    client_commission_type = scale.client_commission_type, client_commission_rate = scale.client_commission_amount,
    commercial_commission_type = scale.commercial_commission_type, commercial_commission_rate = scale.commercial_commission_amount,
    client_commission_amount = for_client, commercial_commission_amount = for_commercial
    where t.id = s.id returning * into s;
  insert into public.commission_payments (sale_id, recipient_id, type, amount)
  select s.id, r.recipient_id, r.type, r.amount
  from (values (beneficiary, 'client', for_client), (s.commercial_id, 'commercial', for_commercial)) r (recipient_id, type, amount)
  where r.recipient_id is not null
  -- Balances are locked in the order of their owners, so that two validations never wait for each other.
  order by r.recipient_id;
  return query select s, false;
end
$$;

-- F-16, V-04: the admin refuses what they saw, and says why.
drop function private.refuse_sale(uuid, text, integer);
create function private.refuse_sale(p_sale_id uuid, p_reason text, p_seen_version integer)
returns table (sale public.sales, already boolean)
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  s public.sales;
begin
  if coalesce(btrim(p_reason), '') = '' then perform private.refuse('refusal_reason_required'); end if;
  if p_seen_version is null then perform private.refuse('seen_required'); end if;
  select * into s from public.sales t where t.id = p_sale_id for update;
  if not found then perform private.refuse('sale_not_found'); end if;
  if s.status = 'rejected' and s.rejection_reason = btrim(p_reason) then
    return query select s, true;
    return;
  end if;
  if s.admin_validated or s.status = 'rejected' then perform private.refuse('sale_already_decided'); end if;
  if not s.ready_for_validation then perform private.refuse('sale_not_ready'); end if;
  if p_seen_version <> s.version then perform private.refuse('sale_changed'); end if;
  update public.sales t set
    status = 'rejected', ready_for_validation = false, admin_validated = false, rejection_reason = btrim(p_reason),
    commission_rate = null, client_commission_type = null, client_commission_rate = null, commercial_commission_type = null,
    commercial_commission_rate = null, client_commission_amount = null, commercial_commission_amount = null
    where t.id = s.id returning * into s;
  return query select s, false;
end
$$;

-- S-11: « Annuler la validation »: a new sale, the exact opposite, with its own opposite commissions. Nothing is edited.
drop function private.cancel_validation(uuid, text);
create function private.cancel_validation(
  p_sale_id uuid, p_reason text, p_seen_version integer, p_expected_client_commission numeric, p_expected_commercial_commission numeric)
returns table (sale public.sales, already boolean)
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  s public.sales;
  correction public.sales;
begin
  if coalesce(btrim(p_reason), '') = '' then perform private.refuse('refusal_reason_required'); end if;
  if num_nulls(p_seen_version, p_expected_client_commission, p_expected_commercial_commission) > 0 then
    perform private.refuse('seen_required');
  end if;
  select * into s from public.sales t where t.id = p_sale_id for update;
  if not found then perform private.refuse('sale_not_found'); end if;
  if not s.admin_validated or s.corrects_sale_id is not null then perform private.refuse('sale_not_cancellable'); end if;
  if me in (s.friend_referrer_id, s.client_referrer_id, s.commercial_id) then perform private.refuse('self_validation'); end if;
  if p_seen_version <> s.version or p_expected_client_commission <> s.client_commission_amount
    or p_expected_commercial_commission <> s.commercial_commission_amount then
    perform private.refuse('sale_changed');
  end if;
  select * into correction from public.sales t where t.corrects_sale_id = s.id;
  if found then
    return query select correction, true;
    return;
  end if;
  insert into public.sales (status, referred_contact_name, referred_contact_email, referred_contact_phone, contract_amount,
    contract_description, commercial_id, client_referrer_id, friend_referrer_id, commission_rate, ready_for_validation,
    admin_validated, validated_at, validated_by, client_commission_amount, commercial_commission_amount, client_commission_type,
    client_commission_rate, commercial_commission_type, commercial_commission_rate, corrects_sale_id, correction_reason, is_test)
  values ('validated', s.referred_contact_name, s.referred_contact_email, s.referred_contact_phone, -s.contract_amount,
    s.contract_description, s.commercial_id, s.client_referrer_id, s.friend_referrer_id, s.commission_rate, true,
    true, private.now(), me, -s.client_commission_amount, -s.commercial_commission_amount, s.client_commission_type,
    s.client_commission_rate, s.commercial_commission_type, s.commercial_commission_rate, s.id, btrim(p_reason), s.is_test)
  returning * into correction;
  insert into public.commission_payments (sale_id, recipient_id, type, amount)
  select correction.id, p.recipient_id, p.type, -p.amount from public.commission_payments p where p.sale_id = s.id
  order by p.recipient_id;
  return query select correction, false;
end
$$;

-- What keeps an account open is named: a payment that is asked for, or approved and not yet made (FX-10).
create function private.require_no_open_request(p_client_id uuid) returns void
language plpgsql security definer set search_path = '' as $$
declare
  held record;
begin
  -- A request or a decision of the same instant is waited for.
  perform 1 from public.balances b where b.profile_id = p_client_id for update;
  select coalesce(sum(r.amount) filter (where r.status = 'pending'), 0)::text as pending,
      coalesce(sum(r.amount) filter (where r.status = 'approved'), 0)::text as approved, count(*) as requests into held
    from public.payment_requests r where r.client_id = p_client_id and r.status in ('pending', 'approved');
  if held.requests > 0 then
    perform private.refuse('closure_with_open_request', jsonb_build_object('pending', held.pending, 'approved', held.approved));
  end if;
end
$$;

create or replace function private.decide_account_closure(p_id uuid, p_accept boolean, p_notes text, p_reassign_to uuid)
returns table (outcome text, full_name text, email text)
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  asked public.account_closure_requests;
  leaving public.profiles;
  result text := 'rejected';
begin
  select * into asked from public.account_closure_requests r where r.id = p_id for update;
  if not found then perform private.refuse('closure_not_found'); end if;
  if asked.status <> 'pending' then perform private.refuse('closure_already_decided'); end if;
  if asked.profile_id = me then perform private.refuse('own_closure'); end if;
  if not p_accept and coalesce(btrim(p_notes), '') = '' then perform private.refuse('refusal_reason_required'); end if;
  select * into leaving from public.profiles p where p.id = asked.profile_id for update;
  update public.account_closure_requests r set status = case when p_accept then 'accepted' else 'rejected' end,
      notes = nullif(btrim(p_notes), ''), decided_at = private.now(), decided_by = me
    where r.id = p_id;
  if p_accept then
    case leaving.role
      when 'admin' then
        perform private.require_another_admin(leaving.id);
        perform private.close_account(leaving.id);
        result := 'closed';
      when 'commercial' then
        select case when r.outcome = 'removed' then 'deleted' else 'closed' end into result
          from private.remove_commercial(leaving.id, p_reassign_to) r;
        if result = 'closed' then perform private.close_account(leaving.id); end if;
      else
        perform 1 from public.sales s where s.friend_referrer_id = leaving.id or s.client_referrer_id = leaving.id for update;
        perform private.require_no_open_request(leaving.id);
        if exists (select 1 from public.sales s where s.friend_referrer_id = leaving.id or s.client_referrer_id = leaving.id)
          or exists (select 1 from public.commission_payments c where c.recipient_id = leaving.id)
          or exists (select 1 from public.payment_requests r where r.client_id = leaving.id) then
          perform private.close_account(leaving.id);
          result := 'closed';
        else
          delete from auth.users u where u.id = leaving.id;
          result := 'deleted';
        end if;
    end case;
  end if;
  return query select result, leaving.full_name, leaving.email;
end
$$;

do $$
declare
  f regprocedure;
begin
  foreach f in array array['private.decide_payment_request(uuid, text, text, text, integer, numeric)',
    'private.annul_approval(uuid, text, integer)', 'private.validate_sale(uuid, uuid, integer, numeric, numeric, numeric)',
    'private.refuse_sale(uuid, text, integer)', 'private.cancel_validation(uuid, text, integer, numeric, numeric)',
    'private.require_no_open_request(uuid)']::regprocedure[] loop
    execute format('alter function %s owner to parrain_service', f);
    execute format('grant execute on function %s to parrain_service', f);
  end loop;
end
$$;
grant execute on function private.decide_payment_request(uuid, text, text, text, integer, numeric),
  private.annul_approval(uuid, text, integer), private.validate_sale(uuid, uuid, integer, numeric, numeric, numeric),
  private.refuse_sale(uuid, text, integer), private.cancel_validation(uuid, text, integer, numeric, numeric)
  to authenticated;
