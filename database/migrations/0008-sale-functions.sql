-- The moves of a sale. Each is one statement for the server: rights, locks, rules and writes are all in here.

create function private.require_role(variadic p_roles text[]) returns uuid
language plpgsql stable set search_path = '' as $$
begin
  if private.uid() is null then
    raise exception using errcode = 'PR401', message = 'session_expired';
  end if;
  if not (private.user_role() = any (p_roles)) then perform private.refuse('forbidden'); end if;
  return private.uid();
end
$$;

-- The scale a sale is counted with where nobody chose one: the sale's own while it lives, else the default.
create function private.scale_for(p_chosen uuid, p_sales_own uuid) returns public.commission_rates
language plpgsql stable security definer set search_path = '' as $$
declare
  scale public.commission_rates;
begin
  if p_chosen is not null then
    select * into scale from public.commission_rates r where r.id = p_chosen;
    if not found then perform private.refuse('scale_not_found'); end if;
    if scale.archived_at is not null then perform private.refuse('scale_archived'); end if;
    return scale;
  end if;
  select * into scale from public.commission_rates r where r.id = p_sales_own and r.archived_at is null;
  if found then return scale; end if;
  select * into scale from public.commission_rates r where r.archived_at is null
    order by r.is_default desc, r.created_at, r.id limit 1;
  return scale;
end
$$;

-- S-02, S-03, V-09: the commercial moves a referral of theirs.
create function private.update_sale_status(
  p_sale_id uuid, p_status text, p_contract_amount numeric, p_contract_description text, p_commercial_notes text)
returns public.sales
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('commercial');
  sale public.sales;
  scale public.commission_rates;
  is_final boolean := p_status in ('validated', 'pending_validation', 'pending_final_validation');
  has_referrer boolean;
begin
  if p_status is null or p_status not in ('pending', 'contacted', 'in_negotiation', 'pending_validation', 'pending_final_validation', 'validated', 'rejected') then
    perform private.refuse('invalid_input');
  end if;
  select * into sale from public.sales s where s.id = p_sale_id and s.commercial_id = me for update;
  if not found then perform private.refuse('sale_not_found'); end if;
  if sale.admin_validated or sale.status = 'validated' then perform private.refuse('sale_not_editable'); end if;
  has_referrer := coalesce(sale.friend_referrer_id, sale.client_referrer_id) is not null;

  sale.contract_amount := coalesce(p_contract_amount, sale.contract_amount);
  sale.contract_description := coalesce(nullif(btrim(p_contract_description), ''), sale.contract_description);
  sale.commercial_notes := coalesce(p_commercial_notes, sale.commercial_notes);
  sale.status := case when p_status in ('pending_validation', 'pending_final_validation') then 'pending' else p_status end;
  sale.ready_for_validation := is_final;
  if is_final and (sale.contract_amount is null or sale.contract_description is null) then
    perform private.refuse('contract_details_required');
  end if;
  if is_final then
    scale := private.scale_for(null, sale.commission_rate);
  end if;
  -- What the commission would be, for those who wait for the decision (CO-10, CL-04); the validation computes it anew.
  update public.sales s set
    status = sale.status,
    ready_for_validation = sale.ready_for_validation,
    rejection_reason = case when p_status = 'rejected' then s.rejection_reason end,
    contract_amount = sale.contract_amount,
    contract_description = sale.contract_description,
    commercial_notes = sale.commercial_notes,
    commission_rate = scale.id,
    client_commission_type = scale.client_commission_type,
    client_commission_rate = scale.client_commission_amount,
    commercial_commission_type = scale.commercial_commission_type,
    commercial_commission_rate = scale.commercial_commission_amount,
    client_commission_amount = case when scale.id is null then null when not has_referrer then 0
      else private.commission(scale.client_commission_type, scale.client_commission_amount, sale.contract_amount) end,
    commercial_commission_amount =
      private.commission(scale.commercial_commission_type, scale.commercial_commission_amount, sale.contract_amount)
    where s.id = sale.id returning * into sale;
  return sale;
end
$$;

-- F-16, S-04, AD-12: the admin validates what they saw; all or nothing, and the same again is the same answer.
create function private.validate_sale(
  p_sale_id uuid, p_commission_rate_id uuid default null, p_seen_version integer default null,
  p_expected_contract_amount numeric default null, p_expected_client_commission numeric default null,
  p_expected_commercial_commission numeric default null)
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
  if p_seen_version is distinct from s.version and p_seen_version is not null
    or p_expected_contract_amount <> s.contract_amount
    or p_expected_client_commission <> for_client
    or p_expected_commercial_commission <> for_commercial then
    perform private.refuse('sale_changed');
  end if;
  if for_client + for_commercial > s.contract_amount then perform private.refuse('commission_exceeds_contract'); end if;

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

-- F-16, V-04: the admin refuses, and says why.
create function private.refuse_sale(p_sale_id uuid, p_reason text, p_seen_version integer default null)
returns table (sale public.sales, already boolean)
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  s public.sales;
begin
  if coalesce(btrim(p_reason), '') = '' then perform private.refuse('refusal_reason_required'); end if;
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
create function private.cancel_validation(p_sale_id uuid, p_reason text)
returns table (sale public.sales, already boolean)
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  s public.sales;
  correction public.sales;
begin
  if coalesce(btrim(p_reason), '') = '' then perform private.refuse('refusal_reason_required'); end if;
  select * into s from public.sales t where t.id = p_sale_id for update;
  if not found then perform private.refuse('sale_not_found'); end if;
  if not s.admin_validated or s.corrects_sale_id is not null then perform private.refuse('sale_not_cancellable'); end if;
  if me in (s.friend_referrer_id, s.client_referrer_id, s.commercial_id) then perform private.refuse('self_validation'); end if;
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

-- RE-12, P-07: a commercial's referrals with the referrer's name. The id asked for must be the caller's own, unless an admin asks.
-- An out-parameter may not share its name with the argument, hence the argument's own name; the REST door accepts any.
create function public.get_commercial_sales(p_commercial_id uuid)
returns table (
  id uuid, created_at timestamptz, status text, referred_contact_name text, referred_contact_email text,
  referred_contact_phone text, personal_message text, contract_amount numeric, contract_description text, commercial_notes text,
  commercial_id uuid, client_referrer_id uuid, friend_referrer_id uuid, commission_rate uuid, ready_for_validation boolean,
  admin_validated boolean, rejection_reason text, validated_at timestamptz, validated_by uuid, client_commission_amount numeric,
  commercial_commission_amount numeric, corrects_sale_id uuid, correction_reason text, version integer, updated_at timestamptz,
  client_name text, client_email text)
language sql stable set search_path = '' rows 50 as $$
  select s.id, s.created_at, s.status, s.referred_contact_name, s.referred_contact_email, s.referred_contact_phone,
    s.personal_message, s.contract_amount, s.contract_description, s.commercial_notes, s.commercial_id, s.client_referrer_id,
    s.friend_referrer_id, s.commission_rate, s.ready_for_validation, s.admin_validated, s.rejection_reason, s.validated_at,
    s.validated_by, s.client_commission_amount, s.commercial_commission_amount, s.corrects_sale_id, s.correction_reason,
    s.version, s.updated_at, r.full_name, r.email
  from public.sales s
  left join public.profiles r on r.id = coalesce(s.friend_referrer_id, s.client_referrer_id)
  where s.commercial_id = p_commercial_id
    and (p_commercial_id = (select private.uid()) or (select private.user_role()) = 'admin')
  order by s.created_at desc
$$;
