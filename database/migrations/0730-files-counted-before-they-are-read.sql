-- DF-22, DF-27: a file that cannot be read is a try like any other. Each file is counted before it is read, whoever's and whatever
-- it is for; what was counted when its lines were put aside is no longer. Another sheet or separator of the same file is read again:
-- hence two hundred a day.

create function private.count_file_read() returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform private.limit_per_day('file-read', private.require_role('admin', 'commercial'), 200);
end
$$;
alter function private.count_file_read() owner to parrain_service;
revoke all on function private.count_file_read() from public;
grant execute on function private.count_file_read() to parrain_service, authenticated;

create or replace function private.stage_import(p_kind text, p_file_name text, p_lines jsonb) returns uuid
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin', 'commercial');
  v_most integer := case private.user_role() when 'admin' then 20000 else 2000 end;
  v_id uuid;
begin
  if jsonb_array_length(p_lines) - 1 > v_most then
    perform private.refuse('import_too_long', jsonb_build_object('most', v_most));
  end if;
  delete from private.imports i where i.made_by = me and i.written_at is null;
  insert into private.imports (kind, made_by, file_name, lines) values (p_kind, me, p_file_name, p_lines) returning id into v_id;
  return v_id;
end
$$;
