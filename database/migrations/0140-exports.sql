-- A file of a company's data leaves: who took which list, in which form, and how many rows (EX-01).

create function private.record_export(p_list text, p_format text, p_rows bigint) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform private.require_role('admin', 'commercial', 'client');
  -- Its filters are not kept: a search is often a name.
  perform private.append_audit('exports', gen_random_uuid(), 'export', null,
    jsonb_build_object('list', p_list, 'format', p_format, 'rows', p_rows), null);
end
$$;
alter function private.record_export(text, text, bigint) owner to parrain_service;
grant execute on function private.record_export(text, text, bigint) to authenticated;
