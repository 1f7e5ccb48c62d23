-- NV-09: a scale that was archived a moment ago comes back; after that moment, a new version takes its place (S-12).

create function private.restore_commission_rate(p_id uuid) returns public.commission_rates
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  scale public.commission_rates;
begin
  select * into scale from public.commission_rates r where r.id = p_id for update;
  if not found then perform private.refuse('scale_not_found'); end if;
  if scale.archived_at is null then return scale; end if;
  if scale.archived_at < private.now() - interval '1 minute'
    or exists (select from public.commission_rates r where r.replaces_id = p_id) then
    perform private.refuse('scale_archived');
  end if;
  update public.commission_rates r set archived_at = null where r.id = p_id returning * into scale;
  return scale;
end
$$;
alter function private.restore_commission_rate(uuid) owner to parrain_service;
grant execute on function private.restore_commission_rate(uuid) to parrain_service, authenticated;
