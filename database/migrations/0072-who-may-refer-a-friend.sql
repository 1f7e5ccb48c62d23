-- A friend is written to only by a client whose mailbox has answered and whom a commercial follows (FX-04), and is neither
-- the client themselves nor somebody the company knows (FX-12).

-- When the account's holder showed that its address is theirs: by a link or code that was mailed there, by credentials that
-- only a mail held, through a provider that vouches for it. An account that is confirmed without a mail shows nothing.
alter table auth.users
  add column email_proven_at timestamptz,
  -- The mail that holds the temporary password: while it may leave, the password is shown to nobody.
  add column invitation_mail_id uuid;

update auth.users u set email_proven_at = coalesce(u.email_confirmed_at, now())
  where u.email is not null and (u.invited_at is not null and u.last_sign_in_at is not null
    or exists (select from auth.audit_entries e where e.user_id = u.id and (e.action = 'user_created'
      or e.action = 'verified' and coalesce(e.detail ->> 'type', '') not in ('sms', 'phone_change')))
    or exists (select from auth.identities i where i.user_id = u.id and i.email = u.email and i.provider <> 'email'
      and i.identity_data ->> 'email_verified' = 'true'));

-- Another address is another mailbox.
create function private.forget_email_proof() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.email_proven_at := null;
  return new;
end
$$;
create trigger users_forget_email_proof before update of email on auth.users
  for each row when (old.email is distinct from new.email) execute function private.forget_email_proof();

create function private.prove_email(p_user uuid) returns void
language sql volatile set search_path = ''
begin atomic
  update auth.users u set email_proven_at = now() where u.id = p_user and u.email is not null and u.email_proven_at is null;
end;
grant execute on function private.prove_email(uuid) to parrain_service;

-- The mailbox behind an address: « jean+x@… » is « jean@… », and where the provider says so, dots count for nothing.
create function private.mailbox_of(p_email text) returns text
language sql immutable parallel safe
return case
  when split_part(lower(btrim(p_email)), '@', 2) in ('gmail.com', 'googlemail.com')
    then replace(split_part(split_part(lower(btrim(p_email)), '@', 1), '+', 1), '.', '') || '@gmail.com'
  when p_email like '+%' then lower(btrim(p_email))
  else split_part(split_part(lower(btrim(p_email)), '@', 1), '+', 1) || '@' || split_part(lower(btrim(p_email)), '@', 2)
end;
-- An index is kept up to date with the rights of who writes.
grant execute on function private.mailbox_of(text) to anon, authenticated, service_role, parrain_service;
create index profiles_by_mailbox on public.profiles (private.mailbox_of(email)) where email <> '';

-- What keeps me from referring a friend now; empty where nothing does. Where no mail leaves, no address needs to be proven.
create function private.referral_obstacles(p_is_mail_sent boolean) returns text[]
language plpgsql stable security definer set search_path = '' as $$
declare
  me uuid := private.require_role('client');
begin
  return array_remove(array[
    case when p_is_mail_sent and not exists (
      select from auth.users u where u.id = me and u.email_proven_at is not null) then 'address_not_proven' end,
    case when not exists (
      select from public.profiles p join public.profiles c on c.id = p.commercial_id
      where p.id = me and c.deactivated_at is null) then 'commercial_missing' end], null);
end
$$;

-- F-15, S-07: a client refers a friend; the sale goes to the client's commercial.
drop function private.invite_friend(text, text, text, text);
create function private.invite_friend(
  p_name text, p_email text, p_phone text, p_message text, p_is_mail_sent boolean default true) returns public.sales
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('client');
  client public.profiles;
  sale public.sales;
  v_mailbox text := private.mailbox_of(p_email);
  v_obstacle text;
begin
  -- A client being deleted at the same instant (V-13) is waited for, then found gone; two invitations of one client queue.
  select * into client from public.profiles p where p.id = me for no key update;
  if not found then raise exception using errcode = 'PR401', message = 'session_expired'; end if;
  if v_mailbox = private.mailbox_of(client.email) then perform private.refuse('self_referral'); end if;
  v_obstacle := (private.referral_obstacles(p_is_mail_sent))[1];
  if v_obstacle is not null then perform private.refuse(v_obstacle); end if;
  -- FX-12: a referral brings somebody new.
  if exists (select from public.profiles p where p.email <> '' and private.mailbox_of(p.email) = v_mailbox and p.role <> 'client') then
    perform private.refuse('friend_is_staff');
  end if;
  if exists (select from public.profiles p where p.email <> '' and private.mailbox_of(p.email) = v_mailbox) then
    perform private.refuse('friend_is_client');
  end if;
  -- One message per friend: a referral that lives is followed up by the commercial, not by a second mail.
  if exists (select 1 from public.sales s where s.friend_referrer_id = me and private.mailbox_of(s.referred_contact_email) = v_mailbox
      and not s.admin_validated and s.status <> 'rejected') then
    perform private.refuse('friend_already_invited');
  end if;
  perform private.limit_per_day('friend', me, 20);
  insert into public.sales (referred_contact_name, referred_contact_email, referred_contact_phone, personal_message,
    commercial_id, friend_referrer_id, is_test)
  values (btrim(p_name), lower(btrim(p_email)), nullif(btrim(p_phone), ''), nullif(btrim(p_message), ''),
    client.commercial_id, me, client.is_test)
  returning * into sale;
  return sale;
end
$$;

do $$
declare
  f regprocedure;
begin
  foreach f in array array['private.referral_obstacles(boolean)',
    'private.invite_friend(text, text, text, text, boolean)']::regprocedure[] loop
    execute format('alter function %s owner to parrain_service', f);
    execute format('grant execute on function %s to authenticated, parrain_service', f);
  end loop;
end
$$;

-- How many accounts one person opens for others in a day: each is a mail to somebody who did not ask for it.
create function private.limit_invitations() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if private.uid() is distinct from new.id then perform private.limit_per_day('invitation', private.uid(), 300); end if;
  return null;
end
$$;
alter function private.limit_invitations() owner to parrain_service;
create trigger profiles_limit_invitations after insert on public.profiles
  for each row execute function private.limit_invitations();
