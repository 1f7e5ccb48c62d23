-- What people do with their own account: take their data away, ask for it to be closed.

create table public.account_closure_requests (
  id uuid primary key default gen_random_uuid(),
  profile_id uuid not null references public.profiles (id) on delete cascade,
  -- Why, in the person's own words, and what the admin answers: kept out of the audit trail.
  personal_message text,
  notes text,
  status text not null default 'pending',
  requested_at timestamptz not null default private.now(),
  decided_at timestamptz,
  decided_by uuid,
  constraint account_closure_requests_status_is_known check (status in ('pending', 'withdrawn', 'accepted', 'rejected')),
  constraint account_closure_requests_decision_is_dated check ((status in ('accepted', 'rejected')) = (decided_at is not null)),
  constraint account_closure_requests_refusal_says_why check (status <> 'rejected' or notes is not null),
  constraint account_closure_requests_personal_message_is_a_text check (private.is_text(personal_message, 500)),
  constraint account_closure_requests_notes_is_a_text check (private.is_text(notes, 500))
);
create unique index account_closure_requests_one_waits on public.account_closure_requests (profile_id) where status = 'pending';
create index account_closure_requests_by_profile on public.account_closure_requests (profile_id, requested_at desc);
create index account_closure_requests_waiting on public.account_closure_requests (requested_at) where status = 'pending';
grant select, insert, update, delete on public.account_closure_requests to parrain_service;
grant select on public.account_closure_requests to authenticated, service_role;
create policy account_closure_requests_authenticated_read on public.account_closure_requests for select to authenticated using (
  (select private.user_role()) = 'admin' or profile_id = (select private.uid()));
create trigger account_closure_requests_audit after insert or update or delete on public.account_closure_requests
  for each row execute function private.audit_change();

-- Each request for closure writes to every admin.
create trigger account_closure_requests_limit after insert on public.account_closure_requests
  for each row execute function private.limit_writes('closure', '3');

-- What the authentication service holds of me, without anything that opens an account: no hash, no secret, no token.
create function private.my_account_data() returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin', 'commercial', 'client');
begin
  return jsonb_build_object(
    'account', (select jsonb_strip_nulls(jsonb_build_object('id', u.id, 'email', u.email, 'phone', u.phone, 'created_at', u.created_at,
        'email_confirmed_at', u.email_confirmed_at, 'phone_confirmed_at', u.phone_confirmed_at, 'invited_at', u.invited_at,
        'last_sign_in_at', u.last_sign_in_at, 'new_email', u.new_email, 'new_phone', u.new_phone, 'user_metadata', u.raw_user_meta_data))
      from auth.users u where u.id = me),
    'identities', (select coalesce(jsonb_agg(jsonb_build_object('provider', i.provider, 'provider_id', i.provider_id, 'data', i.identity_data,
        'created_at', i.created_at, 'last_sign_in_at', i.last_sign_in_at) order by i.created_at), '[]')
      from auth.identities i where i.user_id = me),
    'sessions', (select coalesce(jsonb_agg(jsonb_build_object('created_at', s.created_at, 'last_used_at', s.last_used_at,
        'user_agent', s.user_agent, 'ip', s.ip, 'is_current', s.is_current)), '[]')
      from private.my_sessions() s),
    'second_factors', (select coalesce(jsonb_agg(jsonb_build_object('type', f.factor_type, 'name', f.friendly_name, 'phone', f.phone,
        'status', f.status, 'created_at', f.created_at) order by f.created_at), '[]')
      from auth.factors f where f.user_id = me),
    'passkeys', (select coalesce(jsonb_agg(jsonb_build_object('name', c.friendly_name, 'created_at', c.created_at,
        'last_used_at', c.last_used_at) order by c.created_at), '[]')
      from auth.webauthn_credentials c where c.user_id = me and c.factor_id is null),
    'account_events', (select coalesce(jsonb_agg(jsonb_build_object('at', e.at, 'action', e.action, 'ip', e.ip) order by e.id desc), '[]')
      from (select a.id, a.at, a.action, a.ip from auth.audit_entries a where a.user_id = me order by a.id desc limit 1000) e));
end
$$;

-- Asks for one's account to be closed. Gives the request and the admins who are to be told.
create function private.request_account_closure(p_message text)
returns table (request public.account_closure_requests, admin_emails text[])
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin', 'commercial', 'client');
  asked public.account_closure_requests;
begin
  perform 1 from public.profiles p where p.id = me for no key update;
  if private.user_role() = 'admin' then perform private.require_another_admin(me); end if;
  if exists (select 1 from public.account_closure_requests r where r.profile_id = me and r.status = 'pending') then
    perform private.refuse('closure_already_asked');
  end if;
  insert into public.account_closure_requests (profile_id, personal_message) values (me, nullif(btrim(p_message), ''))
    returning * into asked;
  return query select asked, array(select p.email from public.profiles p
    where p.role = 'admin' and p.deactivated_at is null and p.id <> me and p.email is not null order by p.created_at limit 20);
end
$$;

create function private.withdraw_account_closure() returns public.account_closure_requests
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin', 'commercial', 'client');
  asked public.account_closure_requests;
begin
  update public.account_closure_requests r set status = 'withdrawn' where r.profile_id = me and r.status = 'pending'
    returning * into asked;
  if not found then perform private.refuse('closure_not_found'); end if;
  return asked;
end
$$;

-- A company keeps an admin who can sign in. The locks make two departures of the same instant queue.
create function private.require_another_admin(p_id uuid) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform 1 from public.profiles p where p.role = 'admin' and p.deactivated_at is null order by p.id for no key update;
  if not exists (select 1 from public.profiles p where p.role = 'admin' and p.deactivated_at is null and p.id <> p_id) then
    perform private.refuse('last_admin');
  end if;
end
$$;

-- Decides of a request. Accepted: an account on which nothing rests is deleted; of another, what accounting law does not
-- ask to keep is erased, and nobody signs in with it any more.
create function private.decide_account_closure(p_id uuid, p_accept boolean, p_notes text, p_reassign_to uuid)
returns table (outcome text, full_name text, email text)
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  asked public.account_closure_requests;
  leaving public.profiles;
  result text := 'rejected';
begin
  select * into asked from public.account_closure_requests r where r.id = p_id for update;
  if not found then perform private.refuse('closure_not_found'); end if;
  if asked.status <> 'pending' then perform private.refuse('closure_already_decided'); end if;
  if asked.profile_id = me then perform private.refuse('own_closure'); end if;
  if not p_accept and coalesce(btrim(p_notes), '') = '' then perform private.refuse('refusal_reason_required'); end if;
  select * into leaving from public.profiles p where p.id = asked.profile_id for update;
  update public.account_closure_requests r set status = case when p_accept then 'accepted' else 'rejected' end,
      notes = nullif(btrim(p_notes), ''), decided_at = private.now(), decided_by = me
    where r.id = p_id;
  if p_accept then
    case leaving.role
      when 'admin' then
        perform private.require_another_admin(leaving.id);
        perform private.close_account(leaving.id);
        result := 'closed';
      when 'commercial' then
        select case when r.outcome = 'removed' then 'deleted' else 'closed' end into result
          from private.remove_commercial(leaving.id, p_reassign_to) r;
        if result = 'closed' then perform private.close_account(leaving.id); end if;
      else
        perform 1 from public.sales s where s.friend_referrer_id = leaving.id or s.client_referrer_id = leaving.id for update;
        perform private.require_no_open_request(leaving.id);
        if exists (select 1 from public.sales s where s.friend_referrer_id = leaving.id or s.client_referrer_id = leaving.id)
          or exists (select 1 from public.commission_payments c where c.recipient_id = leaving.id)
          or exists (select 1 from public.payment_requests r where r.client_id = leaving.id) then
          perform private.close_account(leaving.id);
          result := 'closed';
        else
          delete from auth.users u where u.id = leaving.id;
          result := 'deleted';
        end if;
    end case;
  end if;
  return query select result, leaving.full_name, leaving.email;
end
$$;

-- Every way in is gone; name and address stay beside the sales and payments that must be kept.
create function private.close_account(p_id uuid) returns void
language plpgsql security definer set search_path = '' as $$
begin
  update public.profiles p set deactivated_at = coalesce(p.deactivated_at, private.now()), phone = null, company = null, notes = null
    where p.id = p_id;
  delete from auth.sessions s where s.user_id = p_id;
  delete from auth.one_time_tokens t where t.user_id = p_id;
  delete from auth.webauthn_credentials c where c.user_id = p_id;
  delete from auth.factors f where f.user_id = p_id;
  delete from auth.identities i where i.user_id = p_id and i.provider <> 'email';
  update auth.users u set encrypted_password = null, temporary_password_until = null, password_change_required = false,
      phone = null, new_email = null, new_phone = null, raw_user_meta_data = '{}', updated_at = now()
    where u.id = p_id;
end
$$;

grant execute on function private.my_account_data(), private.request_account_closure(text), private.withdraw_account_closure(),
  private.decide_account_closure(uuid, boolean, text, uuid) to authenticated;
