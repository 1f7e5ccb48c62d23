-- CS-02: the first referral of a person counts. Where the company says for how many months, the same person is refused to the
-- next referrer; the try is kept for the admin, who may decide otherwise.

-- Null: a person may have several referrers, as the specification has it (F-15).
alter table public.company_settings add column first_referral_months smallint
  constraint company_settings_first_referral_months_are_some check (first_referral_months between 1 and 60);

create function private.set_first_referral_months(p_months integer) returns public.company_settings
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  settings public.company_settings;
begin
  update public.company_settings c set first_referral_months = p_months, updated_at = now() returning * into settings;
  return settings;
end
$$;

-- Who tried to refer the friend of a referral that another had made. It holds nothing of the friend, and goes with the referral,
-- with the client, with the friend who is forgotten, and after a year.
create table private.refused_referrals (
  sale_id uuid not null references public.sales (id) on delete cascade,
  client_id uuid not null references public.profiles (id) on delete cascade,
  refused_at timestamptz not null default private.now(),
  primary key (sale_id, client_id, refused_at)
);
create index refused_referrals_by_client on private.refused_referrals (client_id);
create index refused_referrals_by_age on private.refused_referrals (refused_at);
alter table private.refused_referrals enable row level security;
alter table private.refused_referrals force row level security;
grant select, insert, delete on private.refused_referrals to parrain_service;
create policy refused_referrals_service_all on private.refused_referrals to parrain_service using (true) with check (true);

-- Another client's referral of the same person, by address or telephone, that counts now; null where there is none. A refused one
-- counts no longer.
create function private.earlier_referral(p_client uuid, p_email text, p_phone text) returns uuid
language sql stable security definer set search_path = ''
begin atomic
  with same as (
    select s.id, s.created_at, s.friend_referrer_id, s.corrects_sale_id, s.status, s.is_test from public.sales s
      where private.mailbox_of(s.referred_contact_email) = private.mailbox_of(p_email) and s.referred_contact_email is not null
    union all
    select s.id, s.created_at, s.friend_referrer_id, s.corrects_sale_id, s.status, s.is_test from public.sales s
      where private.phone_of(s.referred_contact_phone) = private.phone_of(p_phone) and s.referred_contact_phone is not null)
  select s.id from same s join public.profiles c on c.id = p_client cross join public.company_settings settings
    where s.friend_referrer_id <> c.id and s.is_test = c.is_test and s.corrects_sale_id is null and s.status <> 'rejected'
      and s.created_at > private.now() - make_interval(months => settings.first_referral_months)
    order by s.created_at, s.id limit 1;
end;

-- As 0310 has it, and then the first referral counts.
create or replace function private.refer_friend(
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
  v_contact text;
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
  if exists (select from public.company_settings c where c.first_referral_months is not null) then
    -- Two referrers of one person queue here, always address before telephone: the second sees the first one's referral.
    foreach v_contact in array array_remove(array[v_mailbox, private.phone_of(p_phone)], null) loop
      perform pg_advisory_xact_lock(hashtextextended('first-referral:' || v_contact, 0));
    end loop;
    if private.earlier_referral(p_client, v_email, p_phone) is not null then perform private.refuse('friend_referred_before'); end if;
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

-- Keeps a refused try. The refusal took its own transaction back, so this is the server's next one.
create function private.record_refused_referral(p_client uuid, p_email text, p_phone text) returns void
language sql security definer set search_path = ''
begin atomic
  insert into private.refused_referrals (sale_id, client_id)
  select e.id, p_client from private.earlier_referral(p_client, p_email, p_phone) as e (id) where e.id is not null
  on conflict do nothing;
end;

-- Those to whom a referral was refused, latest try first.
create function private.refused_referrers(p_sale_id uuid)
returns table (client_id uuid, full_name text, tries integer, last_at timestamptz)
language plpgsql stable security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
begin
  return query select p.id, p.full_name, count(*)::integer, max(r.refused_at)
    from private.refused_referrals r join public.profiles p on p.id = r.client_id
    where r.sale_id = p_sale_id group by p.id, p.full_name order by max(r.refused_at) desc, p.id;
end
$$;

-- The admin decides otherwise: an open referral goes to a client to whom it was refused, and its commercial keeps it. The former
-- referrer stands among the refused from then on, so that it can be given back; their message and news of it go.
create function private.give_referral(p_sale_id uuid, p_client_id uuid, p_reason text, p_seen_version integer) returns public.sales
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  sale public.sales;
  v_former uuid;
begin
  if coalesce(btrim(p_reason), '') = '' or not private.is_text(p_reason, 2000) then perform private.refuse('invalid_input'); end if;
  if p_seen_version is null then perform private.refuse('seen_required'); end if;
  select * into sale from public.sales s where s.id = p_sale_id for update;
  if not found then perform private.refuse('sale_not_found'); end if;
  if sale.version <> p_seen_version then perform private.refuse('sale_changed'); end if;
  if not private.is_open(sale) then perform private.refuse('sale_not_editable'); end if;
  if not exists (select from private.refused_referrals r where r.sale_id = sale.id and r.client_id = p_client_id) then
    perform private.refuse('client_not_found');
  end if;
  v_former := sale.friend_referrer_id;
  perform set_config('app.reason', btrim(p_reason), true);
  update public.sales s set friend_referrer_id = p_client_id, personal_message = null where s.id = sale.id returning * into sale;
  perform set_config('app.reason', '', true);
  delete from private.refused_referrals r where r.sale_id = sale.id and r.client_id = p_client_id;
  insert into private.refused_referrals (sale_id, client_id) values (sale.id, v_former) on conflict do nothing;
  delete from public.notices n where n.sale_id = sale.id and n.recipient_id = v_former;
  return sale;
end
$$;

-- As 0021 has it, but an open referral may go to a client to whom it was refused.
create or replace function private.guard_sale() returns trigger
language plpgsql set search_path = '' as $$
begin
  if tg_op = 'DELETE' then
    if not (private.is_cleaning() and old.is_test) and (old.admin_validated or old.status <> 'rejected') then
      perform private.refuse('sale_not_editable');
    end if;
    return old;
  end if;
  if old.admin_validated then
    perform private.refuse('sale_not_editable');
  end if;
  if (new.id, new.created_at, new.corrects_sale_id, new.is_test) is distinct from (old.id, old.created_at, old.corrects_sale_id, old.is_test)
    or new.client_referrer_id is distinct from old.client_referrer_id then
    perform private.refuse('sale_not_editable');
  end if;
  if new.friend_referrer_id is distinct from old.friend_referrer_id and not (private.is_open(old) and exists (
      select from private.refused_referrals r where r.sale_id = old.id and r.client_id = new.friend_referrer_id)) then
    perform private.refuse('sale_not_editable');
  end if;
  -- Signed by the commercial: only the company's decision is left (S-02, W6).
  if old.status = 'validated' and not (new.status = 'rejected' or new.admin_validated or (
      (new.status, new.contract_amount, new.contract_description) is not distinct from (old.status, old.contract_amount, old.contract_description)
      and new.commercial_id is distinct from old.commercial_id)) then
    perform private.refuse('sale_not_editable');
  end if;
  if new.admin_validated and (not old.ready_for_validation
      or (new.contract_amount, new.contract_description) is distinct from (old.contract_amount, old.contract_description)) then
    perform private.refuse('sale_not_ready');
  end if;
  new.version := old.version + 1;
  new.updated_at := private.now();
  return new;
end
$$;

-- As 0201 has it, and of whom else the friend was refused.
create or replace function private.forget_follow_up() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  delete from public.follow_ups f where f.sale_id = new.id;
  delete from private.refused_referrals r where r.sale_id = new.id;
  return null;
end
$$;

do $$
declare
  f regprocedure;
begin
  for f in select p.oid::regprocedure from pg_proc p where p.pronamespace = 'private'::regnamespace
      and p.proname in ('set_first_referral_months', 'earlier_referral', 'record_refused_referral', 'refused_referrers', 'give_referral') loop
    execute format('alter function %s owner to parrain_service', f);
    execute format('grant execute on function %s to parrain_service', f);
  end loop;
end
$$;
grant execute on function private.set_first_referral_months(integer), private.refused_referrers(uuid),
  private.give_referral(uuid, uuid, text, integer) to authenticated;
