-- Whoever invited somebody and was told « envoi en cours » finds out what became of the mail; where it never leaves, the person
-- gets other credentials, which are shown once (FX-08).

-- The mail of an invitation of mine that nobody has used yet. An admin asks for anybody's but another admin's.
create function private.pending_invitation(p_person uuid) returns table (email text, full_name text, mail_id uuid)
language plpgsql stable security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin', 'commercial');
begin
  return query select p.email, p.full_name, u.invitation_mail_id
    from public.profiles p join auth.users u on u.id = p.id
    where p.id = p_person and p.role <> 'admin' and (private.user_role() = 'admin' or p.commercial_id = me)
      and p.deactivated_at is null and u.temporary_password_until is not null and u.last_sign_in_at is null;
  if not found then perform private.refuse('invitation_not_pending'); end if;
end
$$;

-- Puts another temporary password in place of one whose mail never left, or of a lapsed one. Only the password whose mail is
-- certain not to leave is replaced: two who ask at once, the second finds the first's.
create function private.renew_invitation(p_person uuid, p_password_hash text, p_temporary_until timestamptz) returns boolean
language plpgsql security definer set search_path = '' as $$
declare
  v_pending record;
begin
  select * into v_pending from private.pending_invitation(p_person);
  update auth.users u set encrypted_password = p_password_hash, temporary_password_until = p_temporary_until,
      invitation_mail_id = null, updated_at = now()
    where u.id = p_person and u.last_sign_in_at is null and u.temporary_password_until is not null
      and u.invitation_mail_id is not distinct from v_pending.mail_id
      and not exists (select from private.mails m where m.id = u.invitation_mail_id and m.status not in ('failed', 'withdrawn'));
  return found;
end
$$;

do $$
declare
  f regprocedure;
begin
  foreach f in array array['private.pending_invitation(uuid)',
    'private.renew_invitation(uuid, text, timestamptz)']::regprocedure[] loop
    execute format('alter function %s owner to parrain_service', f);
    execute format('grant execute on function %s to authenticated, parrain_service', f);
  end loop;
end
$$;
