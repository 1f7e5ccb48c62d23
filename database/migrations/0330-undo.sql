-- NV-09: for a moment, a commercial takes back the move of a referral, and those who were told of it were not.

-- How long: the ten seconds of the screen, and the way there and back. Mails about a move wait for longer than that.
create function private.undo_window() returns interval
language sql immutable parallel safe
return interval '30 seconds';

-- The referral becomes what the journal says it was before that one move; the journal keeps both. A signature stays: its own dialog
-- says so.
create function private.undo_sale_status(p_sale_id uuid, p_seen_version integer) returns public.sales
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('commercial');
  sale public.sales;
  moved_at timestamptz;
  before jsonb;
begin
  select * into sale from public.sales s where s.id = p_sale_id and s.commercial_id = me for update;
  if not found then perform private.refuse('sale_not_found'); end if;
  moved_at := sale.updated_at;
  select e.before into before from public.audit_entries e
    where e.entity = 'sales' and e.entity_id = sale.id and e.actor_id = me and e.action = 'update'
      and (e.after ->> 'version')::integer = p_seen_version and e.before ?| array['status', 'ready_for_validation']
    order by e.id desc limit 1;
  if sale.version is distinct from p_seen_version or before is null or sale.status = 'validated' or sale.admin_validated
    or moved_at < private.now() - private.undo_window() then
    perform private.refuse('sale_move_final');
  end if;
  -- The columns that a move writes; the version goes on.
  sale := jsonb_populate_record(sale, before);
  update public.sales s set
    status = sale.status,
    ready_for_validation = sale.ready_for_validation,
    rejection_reason = sale.rejection_reason,
    contract_amount = sale.contract_amount,
    contract_description = sale.contract_description,
    commercial_notes = sale.commercial_notes,
    commission_rate = sale.commission_rate,
    client_commission_type = sale.client_commission_type,
    client_commission_rate = sale.client_commission_rate,
    commercial_commission_type = sale.commercial_commission_type,
    commercial_commission_rate = sale.commercial_commission_rate,
    client_commission_amount = sale.client_commission_amount,
    commercial_commission_amount = sale.commercial_commission_amount
    where s.id = sale.id returning * into sale;
  -- News of the move, and of the way back: what is written in one transaction carries its instant.
  delete from public.notices n where n.sale_id = sale.id and n.created_at in (moved_at, sale.updated_at);
  return sale;
end
$$;
alter function private.undo_sale_status(uuid, integer) owner to parrain_service;
grant execute on function private.undo_sale_status(uuid, integer) to parrain_service, authenticated;
grant execute on function private.undo_window() to parrain_service;

-- NV-09: who marked all their news as read finds new again what was new. The instant at which they were marked names them.
create function private.unmark_all_notices(p_read_at timestamptz) returns integer
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin', 'commercial', 'client');
  changed integer;
begin
  update public.notices n set read_at = null where n.recipient_id = me and n.read_at = p_read_at;
  get diagnostics changed = row_count;
  return changed;
end
$$;
alter function private.unmark_all_notices(timestamptz) owner to parrain_service;
grant execute on function private.unmark_all_notices(timestamptz) to parrain_service, authenticated;
