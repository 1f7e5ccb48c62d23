-- EX-04: an import of clients is undone a thousand at a time, in one transaction. Some sixty keys point at a client and each is looked up for
-- each client, so 20 000 in one statement took 15 s on a quiet machine and more than the limit of a statement on a busy one.

drop function private.undo_import(uuid);

-- Takes back what an import made and nothing has been added to since, from the client after p_after on; the rest stays, and the import says why.
-- The last client looked at is the next p_after; null ends it. Said again from the start, it tries what it left once more.
create function private.undo_import(p_import uuid, p_after uuid default null)
  returns table (removed integer, kept integer, looked_at uuid)
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin', 'commercial');
  v_import private.imports;
  v_looked_at uuid[];
  v_gone uuid[];
begin
  select * into v_import from private.imports i
    where i.id = p_import and i.written_at is not null and (private.user_role() = 'admin' or i.made_by = me) for update;
  if not found then perform private.refuse('import_not_found'); end if;
  if v_import.kind = 'referrals' then
    return query select u.removed, u.kept, null::uuid from private.undo_imported_referrals(p_import) u;
    return;
  end if;
  -- A validation, a sign-in or a change of the same instant is waited for, then seen.
  v_looked_at := array(
    select p.id from public.profiles p join private.imported_rows r on r.profile_id = p.id
    where r.import_id = p_import and (p_after is null or p.id > p_after) order by p.id limit 1000 for update of p);
  update private.imported_rows r set left_because = case
      when u.last_sign_in_at is not null or u.email_proven_at is not null then 'signed_in'
      when exists (select from public.commission_payments c where c.recipient_id = p.id)
        or exists (select from public.payment_requests q where q.client_id = p.id)
        or exists (select from public.ledger_entries l where l.payee_id = p.id)
        or exists (select from public.disputes d where d.payee_id = p.id)
        or exists (select from private.payee_details y where y.payee_id = p.id) then 'money'
      when exists (select from public.sales s where s.friend_referrer_id = p.id)
        or exists (select from public.sales s where s.client_referrer_id = p.id) then 'referral'
      when p.updated_at > v_import.written_at then 'changed' end
    from public.profiles p join auth.users u on u.id = p.id
    where r.import_id = p_import and r.profile_id = any (v_looked_at) and p.id = r.profile_id;
  v_gone := array(
    select r.profile_id from private.imported_rows r
    where r.import_id = p_import and r.profile_id = any (v_looked_at) and r.left_because is null);
  perform private.append_audits('profiles', 'delete', array(
    select to_jsonb(p) from public.profiles p where p.id = any (v_gone) order by p.id));
  update private.mails m set recipient = null, sealed = case when m.status <> 'failed' then m.sealed end
    where m.recipient in (select p.email from public.profiles p where p.id = any (v_gone));
  -- A password that opens nothing is not mailed.
  update private.mails m set status = 'withdrawn', status_since = now(), sealed = null
    where m.status = 'queued' and m.id in (select u.invitation_mail_id from auth.users u where u.id = any (v_gone));
  perform set_config('app.importing', 'on', true);
  delete from figures.referrer_totals t where t.referrer_id = any (v_gone);
  delete from public.profiles p where p.id = any (v_gone);
  delete from auth.users u where u.id = any (v_gone);
  perform set_config('app.importing', '', true);
  perform private.add_to_company('clients', -cardinality(v_gone), 0);
  perform private.add_to_company('role_client', -cardinality(v_gone), 0);
  update private.imports i set undone_at = private.now(), removed = i.removed + cardinality(v_gone) where i.id = p_import;
  return query select cardinality(v_gone), (select count(*)::integer from private.imported_rows r where r.import_id = p_import),
    v_looked_at[cardinality(v_looked_at)];
end
$$;

alter function private.undo_import(uuid, uuid) owner to parrain_service;
revoke execute on function private.undo_import(uuid, uuid) from public;
grant execute on function private.undo_import(uuid, uuid) to authenticated;
