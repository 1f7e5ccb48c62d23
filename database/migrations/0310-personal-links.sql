-- CS-01: a friend comes in by themselves. Each client may have a link of their own; who follows it and fills in its form becomes a
-- referral of that client by the rules of F-15, and says, with proof, whether they agree to be called (CS-03).

-- What the company says of itself to who follows a link; nothing where null.
alter table public.company_settings add column presentation text
  constraint company_settings_presentation_is_a_text check (private.is_text(presentation, 500));

create function private.set_company_presentation(p_text text) returns public.company_settings
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  settings public.company_settings;
begin
  update public.company_settings c set presentation = nullif(btrim(p_text), ''), updated_at = now() returning * into settings;
  return settings;
end
$$;
grant execute on function private.set_company_presentation(text) to authenticated;

-- The link of a client: made when it is first asked for, replaced when they renew it. The former one then opens nothing.
create table private.personal_links (
  client_id uuid primary key references public.profiles (id) on delete cascade,
  token text not null,
  made_at timestamptz not null default private.now(),
  constraint personal_links_token_is_unique unique (token),
  constraint personal_links_token_is_a_token check (token ~ '^[0-9a-z]{12,40}$')
);
alter table private.personal_links enable row level security;
alter table private.personal_links force row level security;
grant select, insert, update on private.personal_links to parrain_service;
create policy personal_links_service_all on private.personal_links to parrain_service using (true) with check (true);

-- What a friend said about being called: the sentence as they read it, its version, when and where. Nothing is ever changed: another
-- answer is another row, and the latest counts.
create table public.call_consents (
  id uuid primary key default gen_random_uuid(),
  sale_id uuid not null references public.sales (id) on delete cascade,
  is_given boolean not null,
  statement text not null,
  version text not null,
  place text not null,
  said_at timestamptz not null default private.now(),
  constraint call_consents_place_is_known check (place in ('public_page')),
  constraint call_consents_statement_is_a_text check (private.is_text(statement, 500)),
  constraint call_consents_version_is_a_line check (private.is_line(version, 40))
);
create index call_consents_by_sale on public.call_consents (sale_id, said_at desc);
alter table public.call_consents enable row level security;
alter table public.call_consents force row level security;
grant select, insert on public.call_consents to parrain_service;
grant select on public.call_consents to authenticated, service_role;
create policy call_consents_service_all on public.call_consents to parrain_service using (true) with check (true);
create policy call_consents_secret_read on public.call_consents for select to service_role using (true);
-- Whoever may call: the referral's commercial, and the admins. Its referrer is not told what their friend agreed to.
create policy call_consents_authenticated_read on public.call_consents for select to authenticated using (
  case when (select private.user_role()) = 'admin' then true
    when (select private.user_role()) = 'commercial' then exists (
      select from public.sales s where s.id = sale_id and s.commercial_id = (select private.uid()))
    else false end);

-- A telephone number as one text, however it is written: « +33 (0)6 12 34 56 78 » is « 0612345678 ».
create function private.phone_of(p_phone text) returns text
language sql immutable parallel safe
return nullif(regexp_replace(regexp_replace(regexp_replace(p_phone, '[^0-9+]', '', 'g'), '^(\+|00)330?', '0'), '^\+', '00'), '');
grant execute on function private.phone_of(text) to anon, authenticated, service_role, parrain_service;

-- What keeps a client from referring a friend now; empty where nothing does.
create function private.obstacles_of(p_client uuid, p_is_mail_sent boolean) returns text[]
language sql stable security definer set search_path = ''
begin atomic
  select array_remove(array[
    case when p_is_mail_sent and not exists (
      select from auth.users u where u.id = p_client and u.email_proven_at is not null) then 'address_not_proven' end,
    case when not exists (
      select from public.profiles p join public.profiles c on c.id = p.commercial_id
      where p.id = p_client and c.deactivated_at is null) then 'commercial_missing' end], null);
end;

create or replace function private.referral_obstacles(p_is_mail_sent boolean) returns text[]
language plpgsql stable security definer set search_path = '' as $$
declare
  me uuid := private.require_role('client');
begin
  return private.obstacles_of(me, p_is_mail_sent);
end
$$;

-- F-15, S-07: one referral of a client, whoever brings it in; the sale goes to the client's commercial. What one client brings in
-- within a day is bounded under the name `p_bucket`.
create function private.refer_friend(
  p_client uuid, p_name text, p_email text, p_phone text, p_message text, p_is_mail_sent boolean, p_bucket text) returns public.sales
language plpgsql security definer set search_path = '' as $$
declare
  client public.profiles;
  sale public.sales;
  v_email text := lower(nullif(btrim(p_email), ''));
  v_mailbox text := private.mailbox_of(v_email);
  -- A telephone tells people apart only where there is no address: families share one.
  v_phone text := case when v_email is null then private.phone_of(p_phone) end;
  v_obstacle text;
begin
  -- A client being deleted at the same instant (V-13) is waited for, then found gone; two invitations of one client queue.
  select * into client from public.profiles p where p.id = p_client for no key update;
  if not found then raise exception using errcode = 'PR401', message = 'session_expired'; end if;
  if v_mailbox = private.mailbox_of(client.email) or v_phone = private.phone_of(client.phone) then
    perform private.refuse('self_referral');
  end if;
  v_obstacle := (private.obstacles_of(p_client, p_is_mail_sent))[1];
  if v_obstacle is not null then perform private.refuse(v_obstacle); end if;
  -- FX-12: a referral brings somebody new.
  if exists (select from public.profiles p where p.email <> '' and private.mailbox_of(p.email) = v_mailbox and p.role <> 'client') then
    perform private.refuse('friend_is_staff');
  end if;
  if exists (select from public.profiles p where p.email <> '' and private.mailbox_of(p.email) = v_mailbox) then
    perform private.refuse('friend_is_client');
  end if;
  -- One message per friend: a referral that lives is followed up by the commercial, not by a second mail.
  if exists (select 1 from public.sales s where s.friend_referrer_id = p_client
      and (private.mailbox_of(s.referred_contact_email) = v_mailbox or private.phone_of(s.referred_contact_phone) = v_phone)
      and not s.admin_validated and s.status <> 'rejected') then
    perform private.refuse('friend_already_invited');
  end if;
  perform private.limit_per_day(p_bucket, p_client, 20);
  insert into public.sales (referred_contact_name, referred_contact_email, referred_contact_phone, personal_message,
    commercial_id, friend_referrer_id, is_test)
  values (btrim(p_name), v_email, nullif(btrim(p_phone), ''), nullif(btrim(p_message), ''),
    client.commercial_id, p_client, client.is_test)
  returning * into sale;
  return sale;
end
$$;

create or replace function private.invite_friend(
  p_name text, p_email text, p_phone text, p_message text, p_is_mail_sent boolean default true) returns public.sales
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('client');
begin
  return private.refer_friend(me, p_name, p_email, p_phone, p_message, p_is_mail_sent, 'friend');
end
$$;

-- My link; `p_token` becomes it where I have none.
create function private.my_personal_link(p_token text) returns text
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('client');
  v_token text;
begin
  insert into private.personal_links (client_id, token) values (me, p_token) on conflict (client_id) do nothing;
  select l.token into v_token from private.personal_links l where l.client_id = me;
  return v_token;
end
$$;

-- Another link in place of mine, such as one that fell into the wrong hands.
create function private.renew_personal_link(p_token text) returns text
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('client');
begin
  perform private.limit_per_day('personal-link', me, 20);
  insert into private.personal_links as l (client_id, token) values (me, p_token)
  on conflict (client_id) do update set token = excluded.token, made_at = private.now();
  return p_token;
end
$$;
grant execute on function private.my_personal_link(text), private.renew_personal_link(text) to authenticated;

-- Whom a link belongs to, and whether a friend can come in by it now. No row: there is no such link.
create function private.read_personal_link(p_token text, p_is_mail_sent boolean)
returns table (client_id uuid, referrer_name text, is_open boolean)
language sql stable security definer set search_path = ''
begin atomic
  select p.id, p.full_name, p.deactivated_at is null and (u.banned_until is null or u.banned_until <= now())
      and u.deleted_at is null and private.obstacles_of(p.id, p_is_mail_sent) = '{}'
    from private.personal_links l join public.profiles p on p.id = l.client_id join auth.users u on u.id = p.id
    where l.token = p_token;
end;

-- CS-01: a friend's own referral, by somebody's link. A sentence they agreed to is kept with it.
create function private.refer_by_link(
  p_token text, p_name text, p_email text, p_phone text, p_message text, p_is_mail_sent boolean,
  p_consent text, p_consent_version text) returns public.sales
language plpgsql security definer set search_path = '' as $$
declare
  link record;
  sale public.sales;
begin
  select * into link from private.read_personal_link(p_token, p_is_mail_sent);
  if not found or not link.is_open then perform private.refuse('personal_link_closed'); end if;
  sale := private.refer_friend(link.client_id, p_name, p_email, p_phone, p_message, p_is_mail_sent, 'friend-by-link');
  if p_consent is not null then
    insert into public.call_consents (sale_id, is_given, statement, version, place)
    values (sale.id, true, p_consent, p_consent_version, 'public_page');
  end if;
  return sale;
end
$$;

-- A friend who left a telephone number alone says no: as private.opt_out_contact does for an address.
create function private.opt_out_phone(p_phone text, p_mark bytea) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform private.lock_contact(p_mark);
  insert into private.opted_out (mark) values (p_mark) on conflict do nothing;
  update public.sales s set
    status = 'rejected', rejection_reason = coalesce(s.rejection_reason, 'Cette personne ne souhaite pas être contactée'),
    referred_contact_name = 'Contact effacé', referred_contact_phone = null, personal_message = null, commercial_notes = null
    where private.phone_of(s.referred_contact_phone) = private.phone_of(p_phone) and s.referred_contact_email is null
      and s.status <> 'validated' and not s.ready_for_validation;
end
$$;
create trigger sales_forget_follow_up_of_phone after update of referred_contact_phone on public.sales for each row
  when (old.referred_contact_email is null and old.referred_contact_phone is not null and new.referred_contact_phone is null)
  execute function private.forget_follow_up();

-- As before, but for a friend who is forgotten by their telephone number.
create or replace function private.tell_sale_move() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  awaiting constant text[] := array['awaiting_final_validation', 'awaiting_admin_validation'];
  referrer uuid := coalesce(new.friend_referrer_id, new.client_referrer_id);
  before text := case when tg_op = 'UPDATE' then private.sale_state(old.status, old.ready_for_validation, old.admin_validated, old.corrects_sale_id) end;
  after text := private.sale_state(new.status, new.ready_for_validation, new.admin_validated, new.corrects_sale_id);
begin
  if before = after then return null; end if;
  case
    when after = 'correction' then
      perform private.tell('contract_annulled', array[referrer, new.commercial_id], new.id, null);
    when after = 'pending' and before is null then
      perform private.tell('referral_received', array[new.commercial_id], new.id, null);
    when after = 'contacted' then
      perform private.tell('referral_contacted', array[referrer], new.id, null);
    when after = 'in_negotiation' then
      perform private.tell('referral_in_negotiation', array[referrer], new.id, null);
    when after = any (awaiting) and not coalesce(before = any (awaiting), false) then
      perform private.tell('referral_signed', array[referrer], new.id, null);
      perform private.tell('contract_to_validate', private.active_admins(), new.id, null);
    when after = 'validated' then
      perform private.tell('contract_validated', array[referrer, new.commercial_id], new.id, null);
    when after = 'rejected' and before = any (awaiting) and private.user_role() = 'admin' then
      perform private.tell('contract_refused', array[referrer, new.commercial_id], new.id, null);
    -- Of a friend who asked to be forgotten, nothing is told.
    when after = 'rejected' and before is not null
      and not (num_nonnulls(old.referred_contact_email, old.referred_contact_phone) > 0
        and num_nonnulls(new.referred_contact_email, new.referred_contact_phone) = 0) then
      perform private.tell('referral_refused', array[referrer], new.id, null);
    else null;
  end case;
  return null;
end
$$;

do $$
declare
  f regprocedure;
begin
  for f in select p.oid::regprocedure from pg_proc p where p.pronamespace = 'private'::regnamespace
      and p.proname in ('set_company_presentation', 'obstacles_of', 'refer_friend', 'my_personal_link', 'renew_personal_link', 'read_personal_link',
        'refer_by_link', 'opt_out_phone') loop
    execute format('alter function %s owner to parrain_service', f);
    execute format('grant execute on function %s to parrain_service', f);
  end loop;
end
$$;
