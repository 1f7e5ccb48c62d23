-- A new temporary password for somebody who has none that works, given by an admin, or by the commercial of a client who never signed in
-- (decision 0092).

-- A commercial passes on an invitation until its first sign-in; an admin whatever temporary password was not used yet.
create or replace function private.pending_invitation(p_person uuid) returns table (email text, full_name text, mail_id uuid)
language plpgsql stable security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin', 'commercial');
begin
  return query select p.email, p.full_name, u.invitation_mail_id
    from public.profiles p join auth.users u on u.id = p.id
    where p.id = p_person and p.role <> 'admin' and p.deactivated_at is null and u.temporary_password_until > '-infinity'
      and (private.user_role() = 'admin' or (p.commercial_id = me and u.last_sign_in_at is null));
  if not found then perform private.refuse('invitation_not_pending'); end if;
end
$$;

create or replace function private.renew_invitation(p_person uuid, p_password_hash text, p_temporary_until timestamptz) returns boolean
language plpgsql security definer set search_path = '' as $$
declare
  v_pending record;
begin
  select * into v_pending from private.pending_invitation(p_person);
  update auth.users u set encrypted_password = p_password_hash, temporary_password_until = p_temporary_until,
      invitation_mail_id = null, updated_at = now()
    where u.id = p_person and u.temporary_password_until > '-infinity'
      and (private.user_role() = 'admin' or u.last_sign_in_at is null)
      and u.invitation_mail_id is not distinct from v_pending.mail_id
      and not exists (select from private.mails m where m.id = u.invitation_mail_id and m.status not in ('failed', 'withdrawn'));
  return found;
end
$$;

-- Whether the caller may give this person a new temporary password. A commercial: a client of theirs who never signed in and whose
-- password was never their own.
create function private.may_give_temporary_password(p_person uuid) returns boolean
language plpgsql stable security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin', 'commercial');
begin
  return exists (select from public.profiles p join auth.users u on u.id = p.id
    where p.id = p_person and p.role <> 'admin' and p.deactivated_at is null and not u.is_sso_user and u.email <> ''
      and (private.user_role() = 'admin'
        or (p.commercial_id = me and u.last_sign_in_at is null and u.temporary_password_until is not null)));
end
$$;
alter function private.may_give_temporary_password(uuid) owner to parrain_service;
grant execute on function private.may_give_temporary_password(uuid) to authenticated;

-- Replaces the password, ends the sessions and voids what was mailed to sign in with. Gives the mail that held the former one too.
create function private.give_temporary_password(p_person uuid, p_password_hash text, p_temporary_until timestamptz)
returns table (id uuid, full_name text, email text, role text, former_mail_id uuid)
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin', 'commercial');
  person public.profiles;
begin
  select * into person from public.profiles p where p.id = p_person for no key update;
  -- Of others' people a commercial learns nothing, not even that they are there.
  if not found or (private.user_role() = 'commercial' and person.commercial_id is distinct from me) then
    perform private.refuse('not_found');
  end if;
  select u.invitation_mail_id into former_mail_id from auth.users u where u.id = p_person for no key update;
  if not private.may_give_temporary_password(p_person) then
    perform private.refuse(case when private.user_role() = 'commercial' then 'invitation_not_pending' else 'forbidden' end);
  end if;
  update auth.users u set encrypted_password = p_password_hash, temporary_password_until = p_temporary_until,
      password_change_required = true, invitation_mail_id = null, updated_at = now()
    where u.id = p_person;
  delete from auth.sessions s where s.user_id = p_person;
  delete from auth.one_time_tokens o where o.user_id = p_person;
  delete from auth.flow_states f where f.user_id = p_person;
  insert into auth.audit_entries (user_id, action, detail)
    values (p_person, 'temporary_password_given', jsonb_build_object('by', me));
  perform private.append_audit('profiles', p_person, 'give_temporary_password', null, null, null);
  return query select person.id, person.full_name, person.email, person.role, former_mail_id;
end
$$;
alter function private.give_temporary_password(uuid, text, timestamptz) owner to parrain_service;
grant execute on function private.give_temporary_password(uuid, text, timestamptz) to authenticated;
