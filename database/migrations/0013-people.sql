-- People: who brings whom in, who leaves, who follows whom.

create table public.profiles (
  id uuid primary key references auth.users (id) on delete cascade,
  full_name text not null,
  email text not null,
  phone text,
  role text not null,
  created_at timestamptz not null default private.now(),
  company text,
  notes text,
  commercial_id uuid references public.profiles (id) on delete restrict,
  deactivated_at timestamptz,
  is_test boolean not null default false,
  updated_at timestamptz not null default now(),
  constraint profiles_role_is_known check (role in ('admin', 'commercial', 'client')),
  constraint profiles_email_is_lower_case check (email = lower(email)),
  constraint profiles_only_a_client_has_a_commercial check (commercial_id is null or role = 'client'),
  constraint profiles_full_name_is_a_name check (private.is_name(full_name)),
  constraint profiles_email_is_a_line check (private.is_line(email, 255)),
  constraint profiles_phone_is_a_line check (private.is_line(phone, 40)),
  constraint profiles_company_is_a_line check (private.is_line(company, 120)),
  constraint profiles_notes_is_a_text check (private.is_text(notes, 2000))
);
-- Who signs in by telephone, wallet or without a name has no address: an empty one, as the protocol writes it.
create unique index profiles_email_is_unique on public.profiles (email) where email <> '';
create index profiles_by_role on public.profiles (role, created_at desc);
create index profiles_by_commercial on public.profiles (commercial_id, created_at desc);
create index profiles_by_mailbox on public.profiles (private.mailbox_of(email)) where email <> '';
create index profiles_of_tests on public.profiles (id) where is_test;
grant select, insert, update, delete on public.profiles to parrain_service;
grant select on public.profiles to authenticated, service_role;
-- The one direct write of a person.
grant update (full_name, phone) on public.profiles to authenticated;

-- The planner must expect rows to pass: an `or` of three equalities looks to it like one row in a hundred, for which it would
-- rather read and sort all of a commercial's rows than follow the index that has them in order. Hence the `case`.
create policy profiles_authenticated_read on public.profiles for select to authenticated using (
  case when (select private.user_role()) = 'admin' then true else
    id = (select private.uid())
    or commercial_id = (select private.uid())
    or id = (select private.my_commercial_id()) end);
create policy profiles_owner_update on public.profiles for update to authenticated
  using (id = (select private.uid())) with check (id = (select private.uid()));

-- What of a person never changes. A test person who stays (an admin) becomes real with the cleaning.
create function private.guard_profile() returns trigger
language plpgsql set search_path = '' as $$
begin
  if (new.id, new.role, new.created_at) is distinct from (old.id, old.role, old.created_at)
    or new.is_test <> old.is_test and not (private.is_cleaning() and old.is_test) then
    perform private.refuse('forbidden');
  end if;
  new.updated_at := private.now();
  return new;
end
$$;
create trigger profiles_guard before update on public.profiles for each row execute function private.guard_profile();

-- The commercial of a client is a commercial: a foreign key alone cannot say it.
create function private.check_commercial() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if new.commercial_id is not null
    and not exists (select 1 from public.profiles p where p.id = new.commercial_id and p.role = 'commercial') then
    perform private.refuse('commercial_not_found');
  end if;
  return new;
end
$$;
create trigger profiles_commercial before insert or update of commercial_id on public.profiles
  for each row execute function private.check_commercial();

create trigger profiles_audit after insert or update or delete on public.profiles for each row execute function private.audit_change();

-- Each change of one's own name and telephone is told to every admin who looks.
create trigger profiles_limit_changes after update of full_name, phone on public.profiles
  for each row when ((old.full_name, old.phone) is distinct from (new.full_name, new.phone) and new.id = private.uid())
  execute function private.limit_writes('profile', '30');
-- How many accounts one person opens for others in a day: each is a mail to somebody who did not ask for it.
create trigger profiles_limit_invitations after insert on public.profiles
  for each row when (new.id is distinct from private.uid()) execute function private.limit_writes('invitation', '300');

create function private.count_profile() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  active constant text := 'active_commercials';
begin
  if tg_op = 'UPDATE' then
    perform private.add_to_company(active, (new.deactivated_at is null)::integer - (old.deactivated_at is null)::integer, 0);
  elsif tg_op = 'INSERT' then
    if new.role = 'client' then perform private.add_to_company('clients', 1, 0); end if;
    if new.role = 'commercial' and new.deactivated_at is null then perform private.add_to_company(active, 1, 0); end if;
  else
    if old.role = 'client' then perform private.add_to_company('clients', -1, 0); end if;
    if old.role = 'commercial' and old.deactivated_at is null then perform private.add_to_company(active, -1, 0); end if;
    delete from figures.sale_totals t where t.commercial_id = old.id;
    delete from figures.referrer_totals t where t.referrer_id = old.id;
  end if;
  return null;
end
$$;
create trigger profiles_counted_on_insert after insert on public.profiles
  for each row execute function private.count_profile();
create trigger profiles_counted_on_update after update of deactivated_at on public.profiles
  for each row when (new.role = 'commercial') execute function private.count_profile();
create trigger profiles_counted_on_delete after delete on public.profiles
  for each row execute function private.count_profile();

create function private.count_role() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if tg_op <> 'INSERT' then perform private.add_to_company('role_' || old.role, -1, 0); end if;
  if tg_op <> 'DELETE' then perform private.add_to_company('role_' || new.role, 1, 0); end if;
  return null;
end
$$;
create trigger profiles_counted_by_role after insert or delete on public.profiles
  for each row execute function private.count_role();
create trigger profiles_counted_by_role_on_update after update on public.profiles
  for each row when (old.role <> new.role) execute function private.count_role();

-- Searches. `ilike` may tell of rows by failing on them, so under row level security no index can serve it. This function and
-- private.find_sales look with the server's own sight and give ids alone; whoever asks for the rows still sees none that a
-- policy hides.
create function private.person_words(name text, email text, phone text, company text) returns text
language sql immutable parallel safe
return name || e'\n' || email || e'\n' || coalesce(phone, '') || e'\n' || coalesce(company, '');
grant execute on function private.person_words(text, text, text, text) to authenticated, service_role;
create index profiles_by_words on public.profiles
  using gin (private.person_words(full_name, email, phone, company) gin_trgm_ops);

-- The ids of every person whose words are like the pattern, as far as the caller's role could see them; null where they are more
-- than p_most, or cannot be found quickly: then whoever asks looks for itself, and finds what is common by walking its order.
-- Planned for the pattern it is given, and by the trigrams alone: a plan for any pattern would walk another index whole.
create function private.find_profiles(p_pattern text, p_most integer) returns uuid[]
language plpgsql security definer set search_path = '' set enable_seqscan = off set enable_indexscan = off
  set plan_cache_mode = force_custom_plan as $$
declare
  found uuid[];
begin
  -- Nobody else sees so many people that finding them first would help.
  if private.user_role() is distinct from 'admin' or p_pattern !~ '[[:alnum:]]{3}' then return null; end if;
  select coalesce(array_agg(f.id), '{}') into found from (
    select p.id from public.profiles p
    where private.person_words(p.full_name, p.email, p.phone, p.company) ilike p_pattern limit p_most + 1) f;
  return case when cardinality(found) > p_most then null else found end;
end
$$;
grant execute on function private.find_profiles(text, integer) to authenticated, service_role;

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
  values (p_id, lower(p_email), p_password_hash, p_temporary_until, p_temporary_until is not null,
    case when p_email is not null then p_email_confirmed_at end,
    case when p_temporary_until is not null then now() end,
    jsonb_build_object('role', p_role)
      || case when p_email is null then '{}' else jsonb_build_object('provider', 'email', 'providers', jsonb_build_array('email')) end,
    p_user_metadata);
  if p_email is not null then
    insert into auth.identities (user_id, provider, provider_id, identity_data)
    values (p_id, 'email', p_id::text, jsonb_build_object('sub', p_id, 'email', lower(p_email),
      'email_verified', p_email_confirmed_at is not null, 'phone_verified', false));
  end if;
  insert into public.profiles (id, full_name, email, phone, role, company, notes, commercial_id, is_test)
  values (p_id, btrim(p_full_name), coalesce(lower(p_email), ''), nullif(btrim(p_phone), ''), p_role, nullif(btrim(p_company), ''),
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

grant execute on function private.invite_commercial(uuid, text, text, text, text, timestamptz),
  private.invite_client(uuid, text, text, text, text, text, uuid, text, timestamptz), private.pending_invitation(uuid),
  private.renew_invitation(uuid, text, timestamptz), private.update_client(uuid, text, text, text, text, uuid),
  private.delete_client(uuid), private.remove_commercial(uuid, uuid), private.reactivate_commercial(uuid)
  to authenticated;
