-- The trail says which year, quarter or month a file of the accounting is of. A node of the version before names none.

drop function private.record_export(text, text, bigint);

create function private.record_export(p_list text, p_format text, p_rows bigint, p_period text default null) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform private.require_role('admin', 'commercial', 'client', 'comptable');
  -- Its filters are not kept: a search is often a name.
  perform private.append_audit('exports', gen_random_uuid(), 'export', null,
    jsonb_strip_nulls(jsonb_build_object('list', p_list, 'format', p_format, 'rows', p_rows, 'period', p_period)), null);
end
$$;
alter function private.record_export(text, text, bigint, text) owner to parrain_service;
grant execute on function private.record_export(text, text, bigint, text) to authenticated;
