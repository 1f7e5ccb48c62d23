-- People: who brings whom in, who leaves, who follows whom.

-- The one way an account comes into being: user, identity and profile together. For the server alone.
create function private.create_account(
  p_id uuid, p_email text, p_password_hash text, p_role text, p_full_name text, p_phone text default null,
  p_commercial_id uuid default null, p_company text default null, p_notes text default null, p_is_test boolean default false,
  p_temporary_until timestamptz default null, p_email_confirmed_at timestamptz default now(), p_user_metadata jsonb default '{}')
returns public.profiles
language plpgsql security definer set search_path = '' as $$
declare
  created public.profiles;
begin
  insert into auth.users (id, email, encrypted_password, temporary_password_until, password_change_required, email_confirmed_at,
    invited_at, raw_app_meta_data, raw_user_meta_data)
  values (p_id, lower(p_email), p_password_hash, p_temporary_until, p_temporary_until is not null, p_email_confirmed_at,
    case when p_temporary_until is not null then now() end,
    jsonb_build_object('provider', 'email', 'providers', jsonb_build_array('email'), 'role', p_role), p_user_metadata);
  insert into auth.identities (user_id, provider, provider_id, identity_data)
  values (p_id, 'email', p_id::text, jsonb_build_object('sub', p_id, 'email', lower(p_email),
    'email_verified', p_email_confirmed_at is not null, 'phone_verified', false));
  insert into public.profiles (id, full_name, email, phone, role, company, notes, commercial_id, is_test)
  values (p_id, btrim(p_full_name), lower(p_email), nullif(btrim(p_phone), ''), p_role, nullif(btrim(p_company), ''),
    nullif(btrim(p_notes), ''), p_commercial_id, p_is_test)
  returning * into created;
  return created;
exception when unique_violation then
  perform private.refuse('email_taken');
end
$$;

-- F-06, V-08.
create function private.invite_commercial(p_id uuid, p_email text, p_full_name text, p_phone text, p_password_hash text, p_temporary_until timestamptz)
returns public.profiles
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
begin
  return private.create_account(p_id, p_email, p_password_hash, 'commercial', p_full_name, p_phone,
    p_is_test => (select p.is_test from public.profiles p where p.id = me), p_temporary_until => p_temporary_until);
end
$$;

-- Nobody is given to a commercial who has left; the lock makes a departure of the same instant wait.
create function private.require_active_commercial(p_id uuid) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform 1 from public.profiles p where p.id = p_id and p.role = 'commercial' and p.deactivated_at is null for share;
  if not found then perform private.refuse('commercial_not_found'); end if;
end
$$;

-- F-13, AD-06: a commercial invites their own client; an admin says whose the client is.
create function private.invite_client(
  p_id uuid, p_email text, p_full_name text, p_phone text, p_company text, p_notes text, p_commercial_id uuid,
  p_password_hash text, p_temporary_until timestamptz)
returns public.profiles
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin', 'commercial');
begin
  if private.user_role() = 'commercial' and p_commercial_id <> me then
    perform private.refuse('forbidden');
  end if;
  if private.user_role() = 'admin' and p_commercial_id is not null then
    perform private.require_active_commercial(p_commercial_id);
  end if;
  return private.create_account(p_id, p_email, p_password_hash, 'client', p_full_name, p_phone,
    case when private.user_role() = 'commercial' then me else p_commercial_id end, p_company, p_notes,
    (select p.is_test from public.profiles p where p.id = me), p_temporary_until);
end
$$;

-- F-15, S-07: a client refers a friend; the sale goes to the client's commercial.
create function private.invite_friend(p_name text, p_email text, p_phone text, p_message text) returns public.sales
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('client');
  client public.profiles;
  sale public.sales;
begin
  -- A client being deleted at the same instant (V-13) is waited for, then found gone; two invitations of one client queue.
  select * into client from public.profiles p where p.id = me for no key update;
  if not found then raise exception using errcode = 'PR401', message = 'session_expired'; end if;
  if lower(btrim(p_email)) = client.email then perform private.refuse('self_referral'); end if;
  -- One message per friend: a referral that lives is followed up by the commercial, not by a second mail.
  if exists (select 1 from public.sales s where s.friend_referrer_id = me and s.referred_contact_email = lower(btrim(p_email))
      and not s.admin_validated and s.status <> 'rejected') then
    perform private.refuse('friend_already_invited');
  end if;
  insert into public.sales (referred_contact_name, referred_contact_email, referred_contact_phone, personal_message,
    commercial_id, friend_referrer_id, is_test)
  values (btrim(p_name), lower(btrim(p_email)), nullif(btrim(p_phone), ''), nullif(btrim(p_message), ''),
    client.commercial_id, me, client.is_test)
  returning * into sale;
  return sale;
end
$$;

-- AD-06, CO-06: corrects what is known of a client; only an admin moves them to another commercial (null: they stay where they
-- are), with their open referrals.
create function private.update_client(
  p_id uuid, p_full_name text, p_phone text, p_company text, p_notes text, p_commercial_id uuid) returns public.profiles
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin', 'commercial');
  client public.profiles;
begin
  select * into client from public.profiles p where p.id = p_id and p.role = 'client'
    and (private.user_role() = 'admin' or p.commercial_id = me) for update;
  if not found then perform private.refuse('client_not_found'); end if;
  if private.user_role() = 'admin' and p_commercial_id is not null and p_commercial_id is distinct from client.commercial_id then
    perform private.require_active_commercial(p_commercial_id);
    update public.sales s set commercial_id = p_commercial_id
      where (s.friend_referrer_id = p_id or s.client_referrer_id = p_id) and not s.admin_validated and s.status <> 'rejected'
        and s.commercial_id is not distinct from client.commercial_id;
    client.commercial_id := p_commercial_id;
  end if;
  update public.profiles p set full_name = btrim(p_full_name), phone = nullif(btrim(p_phone), ''), company = nullif(btrim(p_company), ''),
    notes = nullif(btrim(p_notes), ''), commercial_id = client.commercial_id
    where p.id = p_id returning * into client;
  return client;
end
$$;

-- F-14, V-13: removes a client to whom nothing is owed and on whom nothing hangs. The row lock makes a validation of the
-- same instant wait, and then find the client gone, or this find the commission.
create function private.delete_client(p_client_id uuid) returns text
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin', 'commercial');
  client public.profiles;
begin
  select * into client from public.profiles p where p.id = p_client_id and p.role = 'client'
    and (private.user_role() = 'admin' or p.commercial_id = me) for update;
  if not found then perform private.refuse('client_not_found'); end if;
  perform 1 from public.sales s where s.friend_referrer_id = p_client_id or s.client_referrer_id = p_client_id for update;
  if (select sum(s.contract_amount) from public.sales s
      where (s.friend_referrer_id = p_client_id or s.client_referrer_id = p_client_id) and s.status = 'validated') > 0 then
    perform private.refuse('client_has_revenue');
  end if;
  if exists (select 1 from public.commission_payments p where p.recipient_id = p_client_id) then
    perform private.refuse('client_has_commission');
  end if;
  if exists (select 1 from public.payment_requests r where r.client_id = p_client_id) then
    perform private.refuse('client_has_open_request');
  end if;
  if exists (select 1 from public.sales s
      where (s.friend_referrer_id = p_client_id or s.client_referrer_id = p_client_id) and s.status <> 'rejected') then
    perform private.refuse('client_has_live_referral');
  end if;
  delete from public.sales s where s.friend_referrer_id = p_client_id or s.client_referrer_id = p_client_id;
  delete from auth.users u where u.id = p_client_id;
  return client.full_name;
end
$$;

-- AD-05: a commercial with clients or sales is deactivated, after handing both over where asked; one with nothing is removed.
create function private.remove_commercial(p_commercial_id uuid, p_reassign_to uuid default null)
returns table (outcome text, full_name text)
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  leaving public.profiles;
begin
  select * into leaving from public.profiles p where p.id = p_commercial_id and p.role = 'commercial' for update;
  if not found then perform private.refuse('commercial_not_found'); end if;
  if p_reassign_to is not null then
    if p_reassign_to = p_commercial_id then perform private.refuse('commercial_not_found'); end if;
    perform private.require_active_commercial(p_reassign_to);
    update public.profiles p set commercial_id = p_reassign_to where p.commercial_id = p_commercial_id;
    update public.sales s set commercial_id = p_reassign_to
      where s.commercial_id = p_commercial_id and not s.admin_validated and s.status <> 'rejected';
  end if;
  if exists (select 1 from public.profiles p where p.commercial_id = p_commercial_id)
    or exists (select 1 from public.sales s where s.commercial_id = p_commercial_id) then
    update public.profiles p set deactivated_at = coalesce(p.deactivated_at, private.now()) where p.id = p_commercial_id;
    delete from auth.sessions s where s.user_id = p_commercial_id;
    return query select 'deactivated', leaving.full_name;
  else
    delete from auth.users u where u.id = p_commercial_id;
    return query select 'removed', leaving.full_name;
  end if;
end
$$;

create function private.reactivate_commercial(p_commercial_id uuid) returns public.profiles
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  back public.profiles;
begin
  update public.profiles p set deactivated_at = null where p.id = p_commercial_id and p.role = 'commercial' returning * into back;
  if not found then perform private.refuse('commercial_not_found'); end if;
  return back;
end
$$;

-- F-11, P-05: removes what was test data from its birth, and nothing else. Admins stay, so that someone can still sign in.
create function private.clean_test_data()
returns table (sales bigint, commission_payments bigint, payment_requests bigint, commission_rates bigint, clients bigint, commercials bigint)
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  counted record;
begin
  perform set_config('app.cleaning', 'on', true);
  select
    (select count(*) from public.sales t where t.is_test) as sales,
    (select count(*) from public.commission_payments t where t.is_test) as commission_payments,
    (select count(*) from public.payment_requests t where t.is_test) as payment_requests,
    (select count(*) from public.commission_rates t where t.is_test) as commission_rates,
    (select count(*) from public.profiles t where t.is_test and t.role = 'client') as clients,
    (select count(*) from public.profiles t where t.is_test and t.role = 'commercial') as commercials
    into counted;
  delete from public.payment_requests t where t.is_test;
  delete from public.commission_payments t where t.is_test;
  delete from public.sales t where t.is_test and t.corrects_sale_id is not null;
  delete from public.sales t where t.is_test;
  update public.commission_rates t set is_default = false where t.is_test and t.is_default;
  delete from public.commission_rates t where t.is_test and t.replaces_id is not null
    and not exists (select 1 from public.sales s where s.commission_rate = t.id);
  delete from public.commission_rates t where t.is_test and not exists (select 1 from public.sales s where s.commission_rate = t.id)
    and not exists (select 1 from public.commission_rates r where r.replaces_id = t.id);
  delete from auth.users u using public.profiles p where p.id = u.id and p.is_test and p.role = 'client'
    and not exists (select 1 from public.sales s where s.friend_referrer_id = p.id or s.client_referrer_id = p.id);
  delete from auth.users u using public.profiles p where p.id = u.id and p.is_test and p.role = 'commercial'
    and not exists (select 1 from public.sales s where s.commercial_id = p.id)
    and not exists (select 1 from public.profiles c where c.commercial_id = p.id);
  -- Whoever stays keeps a balance that its commissions alone explain.
  delete from public.balances b where not exists (select 1 from public.commission_payments p where p.recipient_id = b.profile_id);
  perform private.append_audit('company_settings', '00000000-0000-0000-0000-000000000001', 'clean', to_jsonb(counted), null, null);
  return query select counted.sales, counted.commission_payments, counted.payment_requests, counted.commission_rates,
    counted.clients, counted.commercials;
end
$$;
