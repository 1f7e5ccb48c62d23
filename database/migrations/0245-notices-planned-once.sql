-- A notice is planned once for each connection: telling people was planned anew at every step of a sale, which took a tenth of a
-- validation and a fifth of a referral or a status move (decision 0024).

-- `(select p_recipients)` hides how many there are from the planner, as in private.add_sale_effects.
create or replace function private.tell(p_kind text, p_recipients uuid[], p_sale_id uuid, p_request_id uuid) returns void
language plpgsql security definer set search_path = '' as $$
declare
  is_past constant boolean := coalesce(current_setting('app.at', true), '') <> '';
begin
  with written as (
    insert into public.notices (recipient_id, kind, sale_id, request_id, read_at)
    select p.id, p_kind, p_sale_id, p_request_id,
      case when p.id = private.uid() or is_past and private.now() < now() - interval '3 days' then private.now() end
    from public.profiles p where p.id = any ((select p_recipients)::uuid[]) and p.deactivated_at is null
    order by p.id
    on conflict do nothing
    returning id)
  insert into private.notice_mails (notice_id) select w.id from written w where not is_past;
end
$$;
