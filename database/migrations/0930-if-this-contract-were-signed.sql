-- SC-05: what a referral earns its commercial or its referrer if its contract is signed at an amount, by the rules of today and from where
-- they stand now. Each reads their own side alone; nothing is written, and the validation computes anew.
create function private.preview_own_commission(p_sale_id uuid, p_contract_amount numeric)
returns table (side text, amount numeric, "position" bigint, window_key text, is_first boolean, cap_room bigint, rules jsonb)
language plpgsql stable security definer set search_path = '' as $$
declare
  me constant uuid := private.require_role('commercial', 'client');
  s public.sales;
  scale public.commission_rates;
  v public.scale_versions;
  stands record;
begin
  select t.* into s from public.sales t
    where t.id = p_sale_id and me in (t.commercial_id, coalesce(t.friend_referrer_id, t.client_referrer_id)) and t.corrects_sale_id is null;
  if not found then perform private.refuse('sale_not_found'); end if;
  if s.admin_validated or s.status = 'rejected' then perform private.refuse('sale_not_editable'); end if;
  if p_contract_amount is null or p_contract_amount <= 0 or p_contract_amount > 9999999.99 or p_contract_amount <> round(p_contract_amount, 2) then
    perform private.refuse('invalid_input');
  end if;
  scale := private.scale_for_contract(p_contract_amount, s.commission_rate);
  v := private.scale_version_on(scale.id, private.today());
  -- Nothing is known yet: the admin chooses a scale when they validate.
  if v.id is null or (v.rules ->> 'last_day')::date < private.today() then return; end if;
  side := case when me = s.commercial_id then 'commercial' else 'client' end;
  rules := v.rules -> side;
  stands := private.standing_of(side, rules, me, scale.id, s.is_test, null);
  amount := private.earned(rules, p_contract_amount, stands.position, stands.is_first, stands.cap_room);
  "position" := stands.position;
  window_key := stands.window_key;
  is_first := stands.is_first;
  cap_room := stands.cap_room;
  return next;
end
$$;
create function public.preview_own_commission(p_sale_id uuid, p_contract_amount numeric)
returns table (side text, amount numeric, "position" bigint, window_key text, is_first boolean, cap_room bigint, rules jsonb)
language sql stable rows 1 set search_path = '' as $$
  select * from private.preview_own_commission(p_sale_id, p_contract_amount)
$$;
alter function private.preview_own_commission(uuid, numeric) owner to parrain_service;
grant execute on function private.preview_own_commission(uuid, numeric), public.preview_own_commission(uuid, numeric) to authenticated;
