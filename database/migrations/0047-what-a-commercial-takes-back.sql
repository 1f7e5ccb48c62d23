-- F-12: what a commercial noted of a sale may be taken back before its validation: null keeps a field, naming it empties it.

drop function private.update_sale_status(uuid, text, numeric, text, text);

create function private.update_sale_status(
  p_sale_id uuid, p_status text, p_contract_amount numeric, p_contract_description text, p_commercial_notes text,
  p_emptied text[] default '{}')
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
alter function private.update_sale_status(uuid, text, numeric, text, text, text[]) owner to parrain_service;
grant execute on function private.update_sale_status(uuid, text, numeric, text, text, text[]) to authenticated;
