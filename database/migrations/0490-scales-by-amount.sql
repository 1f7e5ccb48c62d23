-- A scale may be meant for contracts from an amount on: it is then proposed by itself, and the forecast is counted with it (SC-03).
-- By default no scale has one, and the default scale is the one proposed.

alter table public.commission_rates add column from_contract_amount numeric(12, 2),
  add constraint commission_rates_threshold_is_positive check (from_contract_amount > 0);

-- The live scale whose threshold a contract reaches, the highest of them; else what it was before: the sale's own while it
-- lives, else the default. The admin is proposed the same threshold (`proposedScale` in the domain).
create function private.scale_for_contract(p_contract_amount numeric, p_sales_own uuid) returns public.commission_rates
language plpgsql stable security definer set search_path = '' as $$
declare
  scale public.commission_rates;
begin
  select * into scale from public.commission_rates r
    where r.archived_at is null and r.from_contract_amount <= p_contract_amount
    order by r.from_contract_amount desc, r.is_default desc, r.created_at desc, r.id limit 1;
  if found then return scale; end if;
  select * into scale from public.commission_rates r
    where r.archived_at is null and (r.is_default or r.from_contract_amount is null)
    order by (r.id = p_sales_own and r.from_contract_amount is null) is true desc, r.is_default desc, r.created_at, r.id limit 1;
  if found then return scale; end if;
  return private.scale_for(null, null);
end
$$;
alter function private.scale_for_contract(numeric, uuid) owner to parrain_service;

-- The forecast is that of the scale proposed for the contract.
create or replace function private.move_sale(
  sale public.sales, p_status text, p_contract_amount numeric, p_contract_description text, p_commercial_notes text, p_emptied text[])
returns public.sales
language plpgsql security definer set search_path = '' as $$
declare
  scale public.commission_rates;
  is_final boolean := p_status in ('validated', 'pending_validation', 'pending_final_validation');
  has_referrer boolean;
begin
  if p_status is null or p_status not in ('pending', 'contacted', 'in_negotiation', 'pending_validation', 'pending_final_validation', 'validated', 'rejected') then
    perform private.refuse('invalid_input');
  end if;
  if sale.admin_validated or sale.status = 'validated' then perform private.refuse('sale_not_editable'); end if;
  has_referrer := coalesce(sale.friend_referrer_id, sale.client_referrer_id) is not null;

  if 'contract_amount' = any (p_emptied) then sale.contract_amount := null; end if;
  if 'contract_description' = any (p_emptied) then sale.contract_description := null; end if;
  if 'commercial_notes' = any (p_emptied) then sale.commercial_notes := null; end if;
  sale.contract_amount := coalesce(p_contract_amount, sale.contract_amount);
  sale.contract_description := coalesce(nullif(btrim(p_contract_description), ''), sale.contract_description);
  sale.commercial_notes := coalesce(p_commercial_notes, sale.commercial_notes);
  sale.status := case when p_status in ('pending_validation', 'pending_final_validation') then 'pending' else p_status end;
  sale.ready_for_validation := is_final;
  if is_final and (sale.contract_amount is null or sale.contract_description is null) then
    perform private.refuse('contract_details_required');
  end if;
  if is_final then
    scale := private.scale_for_contract(sale.contract_amount, sale.commission_rate);
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

drop function private.create_commission_rate(text, text, text, numeric, text, numeric, uuid, integer);
-- F-07, S-12: a new scale; where it replaces another, that one is archived in the same breath.
create function private.create_commission_rate(
  p_name text, p_description text, p_client_type text, p_client_amount numeric, p_commercial_type text, p_commercial_amount numeric,
  p_replaces_id uuid default null, p_client_hold_days integer default 0,
  p_from_contract_amount numeric default null)
returns public.commission_rates
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  created public.commission_rates;
  replaced public.commission_rates;
begin
  if p_replaces_id is not null then
    select * into replaced from public.commission_rates r where r.id = p_replaces_id for update;
    if not found then perform private.refuse('scale_not_found'); end if;
    if replaced.archived_at is not null then perform private.refuse('scale_archived'); end if;
    update public.commission_rates r set archived_at = private.now(), is_default = false where r.id = p_replaces_id;
  end if;
  -- One default at a time, also when two scales are created at once.
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtext('private.commission_rates.default'));
  insert into public.commission_rates (name, description, client_commission_type, client_commission_amount,
    commercial_commission_type, commercial_commission_amount, is_default, replaces_id, is_test,
    client_hold_days, from_contract_amount)
  values (btrim(p_name), nullif(btrim(p_description), ''), p_client_type, p_client_amount, p_commercial_type, p_commercial_amount,
    coalesce(replaced.is_default, false) or not exists (select 1 from public.commission_rates r where r.is_default),
    p_replaces_id, (select p.is_test from public.profiles p where p.id = me), p_client_hold_days, p_from_contract_amount)
  returning * into created;
  return created;
end
$$;
alter function private.create_commission_rate(text, text, text, numeric, text, numeric, uuid, integer, numeric) owner to parrain_service;
grant execute on function private.create_commission_rate(text, text, text, numeric, text, numeric, uuid, integer, numeric)
  to authenticated, parrain_service;
