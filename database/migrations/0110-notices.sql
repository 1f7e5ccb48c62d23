-- TM-01, TM-03: each person is told what happens to what is theirs. A notice names the kind of event and the row it is about,
-- written with the event in its own transaction; its words and its mail are made from the row as it is read, so that it keeps
-- no personal data of its own.

-- « #0b5a40 »: the colour of the company's mails; none is the product's own.
alter table public.company_settings add column brand_color text
  constraint company_settings_brand_color_is_a_color check (brand_color ~ '^#[0-9a-f]{6}$');

create function private.set_company_color(p_color text) returns public.company_settings
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  settings public.company_settings;
begin
  update public.company_settings c set brand_color = p_color, updated_at = now() returning * into settings;
  return settings;
end
$$;
grant execute on function private.set_company_color(text) to authenticated;

create table public.notices (
  id uuid primary key default gen_random_uuid(),
  recipient_id uuid not null references public.profiles (id) on delete cascade,
  kind text not null,
  sale_id uuid references public.sales (id) on delete cascade,
  request_id uuid references public.payment_requests (id) on delete cascade,
  created_at timestamptz not null default private.now(),
  -- One's own act is known already.
  read_at timestamptz,
  constraint notices_kind_is_known check (kind in (
    'referral_received', 'referral_contacted', 'referral_in_negotiation', 'referral_signed', 'referral_refused',
    'contract_to_validate', 'contract_validated', 'contract_refused', 'contract_annulled',
    'payment_received', 'payment_to_decide', 'payment_approved', 'payment_refused', 'payment_paid', 'payment_annulled')),
  constraint notices_are_about_one_thing check (num_nonnulls(sale_id, request_id) = 1)
);
create index notices_by_recipient on public.notices (recipient_id, created_at desc, id desc);
create index notices_unread on public.notices (recipient_id) where read_at is null;
create index notices_by_sale on public.notices (sale_id) where sale_id is not null;
create index notices_by_request on public.notices (request_id) where request_id is not null;
create index notices_by_age on public.notices (created_at);
-- A status that goes to and fro is told once.
create unique index notices_told_once on public.notices (recipient_id, kind, sale_id)
  where kind in ('referral_contacted', 'referral_in_negotiation');

alter table public.notices enable row level security;
alter table public.notices force row level security;
grant select, insert, update, delete on public.notices to parrain_service;
grant select on public.notices to authenticated, service_role;
create policy notices_service_all on public.notices to parrain_service using (true) with check (true);
create policy notices_secret_read on public.notices for select to service_role using (true);
create policy notices_authenticated_read on public.notices for select to authenticated using (
  recipient_id = (select private.uid()));

-- Notices that are still to be mailed: the outbox of what is written with an event and sent after its commit. A job would be
-- announced, and an announcement makes commits wait for one another.
create table private.notice_mails (
  notice_id uuid primary key references public.notices (id) on delete cascade,
  state text not null default 'due',
  constraint notice_mails_state_is_known check (state in ('due', 'morning'))
);
create index notice_mails_by_state on private.notice_mails (state);
alter table private.notice_mails enable row level security;
alter table private.notice_mails force row level security;
grant select, insert, update, delete on private.notice_mails to parrain_service;
create policy notice_mails_service_all on private.notice_mails to parrain_service using (true) with check (true);

-- Tells people of an event. What is told of the demo company's past is not mailed, and is old news after three days.
create function private.tell(p_kind text, p_recipients uuid[], p_sale_id uuid, p_request_id uuid) returns void
language plpgsql security definer set search_path = '' as $$
declare
  is_past constant boolean := coalesce(current_setting('app.at', true), '') <> '';
begin
  with written as (
    insert into public.notices (recipient_id, kind, sale_id, request_id, read_at)
    select p.id, p_kind, p_sale_id, p_request_id,
      case when p.id = private.uid() or is_past and private.now() < now() - interval '3 days' then private.now() end
    from public.profiles p where p.id = any (p_recipients) and p.deactivated_at is null
    order by p.id
    on conflict do nothing
    returning id)
  insert into private.notice_mails (notice_id) select w.id from written w where not is_past;
end
$$;

create function private.active_admins() returns uuid[]
language sql stable security definer set search_path = ''
begin atomic
  select coalesce(array_agg(p.id), '{}') from public.profiles p where p.role = 'admin' and p.deactivated_at is null;
end;

-- Each step of a referral, to those whom it concerns.
create function private.tell_sale_move() returns trigger
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
    when after = 'rejected' and before is not null and not (old.referred_contact_email is not null and new.referred_contact_email is null) then
      perform private.tell('referral_refused', array[referrer], new.id, null);
    else null;
  end case;
  return null;
end
$$;
create trigger sales_tell_people_insert after insert on public.sales for each row execute function private.tell_sale_move();
create trigger sales_tell_people_update after update of status, ready_for_validation, admin_validated on public.sales
  for each row execute function private.tell_sale_move();

-- Each step of a payment request, to its client; a new one to the admins too.
create function private.tell_request_move() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'INSERT' then
    perform private.tell('payment_received', array[new.client_id], null, new.id);
    perform private.tell('payment_to_decide', private.active_admins(), null, new.id);
  else
    perform private.tell(case new.status when 'pending' then 'payment_annulled' when 'rejected' then 'payment_refused'
      else 'payment_' || new.status end, array[new.client_id], null, new.id);
  end if;
  return null;
end
$$;
create trigger payment_requests_tell_people_insert after insert on public.payment_requests
  for each row execute function private.tell_request_move();
create trigger payment_requests_tell_people_update after update of status on public.payment_requests
  for each row when (old.status <> new.status) execute function private.tell_request_move();

-- Marks notices of mine as read, or as unread again. Gives how many it changed.
create function private.mark_notices(p_ids uuid[], p_is_read boolean) returns integer
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin', 'commercial', 'client');
  changed integer;
begin
  update public.notices n set read_at = case when p_is_read then now() end
    where n.recipient_id = me and n.id = any (p_ids) and (n.read_at is null) = p_is_read;
  get diagnostics changed = row_count;
  return changed;
end
$$;

-- Marks all notices of mine as read that were there when I looked: one that came since stays new.
create function private.mark_all_notices(p_until timestamptz) returns integer
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin', 'commercial', 'client');
  changed integer;
begin
  update public.notices n set read_at = now() where n.recipient_id = me and n.read_at is null and n.created_at <= p_until;
  get diagnostics changed = row_count;
  return changed;
end
$$;
grant execute on function private.mark_notices(uuid[], boolean), private.mark_all_notices(timestamptz) to authenticated;

-- The realtime door tells of notices too, to their recipient.
create or replace function private.record_changes() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  case tg_table_name
    when 'sales' then
      insert into private.changes (table_name, operation, key, audience)
      select tg_table_name, tg_op, c.id, array[c.commercial_id, c.friend_referrer_id] from changed c;
    when 'commission_payments' then
      insert into private.changes (table_name, operation, key, audience)
      select tg_table_name, tg_op, c.id, array[c.recipient_id] from changed c;
    when 'payment_requests' then
      insert into private.changes (table_name, operation, key, audience)
      select tg_table_name, tg_op, c.id, array[c.client_id] from changed c;
    when 'balances' then
      insert into private.changes (table_name, operation, key, audience)
      select tg_table_name, tg_op, c.profile_id, array[c.profile_id] from changed c;
    when 'notices' then
      insert into private.changes (table_name, operation, key, audience)
      select tg_table_name, tg_op, c.id, array[c.recipient_id] from changed c;
    when 'profiles' then
      -- A commercial is seen by each of their clients.
      insert into private.changes (table_name, operation, key, audience)
      select tg_table_name, tg_op, c.id, case when c.role <> 'commercial' then array[c.id, c.commercial_id] end from changed c;
    when 'commission_rates' then
      insert into private.changes (table_name, operation, key, audience)
      select tg_table_name, tg_op, c.id, '{}' from changed c;
    when 'company_settings' then
      insert into private.changes (table_name, operation, key)
      select tg_table_name, tg_op, c.id from changed c;
  end case;
  -- A notification makes commits wait for one another. A server that acts for somebody speaks after its commit instead;
  -- whoever else writes notifies here, always with the same words, so that PostgreSQL says them once per transaction.
  if found and coalesce(current_setting('app.user_id', true), '') = '' and coalesce(current_setting('app.actor', true), '') = '' then
    perform pg_notify('parrain_changes', '');
  end if;
  return null;
end
$$;
create trigger notices_tell_insert after insert on public.notices referencing new table as changed
  for each statement execute function private.record_changes();
create trigger notices_tell_update after update on public.notices referencing new table as changed
  for each statement execute function private.record_changes();
create trigger notices_tell_delete after delete on public.notices referencing old table as changed
  for each statement execute function private.record_changes();

-- An account that is closed is told nothing more, and what it was told goes.
create function private.forget_notices() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  delete from public.notices n where n.recipient_id = new.id;
  return null;
end
$$;
create trigger profiles_forget_notices after update of deactivated_at on public.profiles
  for each row when (old.deactivated_at is null and new.deactivated_at is not null) execute function private.forget_notices();

do $$
declare
  f regprocedure;
begin
  for f in select p.oid::regprocedure from pg_proc p where p.pronamespace = 'private'::regnamespace and p.prosecdef
      and p.proname in ('set_company_color', 'tell', 'active_admins', 'tell_sale_move', 'tell_request_move', 'mark_notices',
        'mark_all_notices', 'record_changes', 'forget_notices') loop
    execute format('alter function %s owner to parrain_service', f);
    execute format('grant execute on function %s to parrain_service', f);
  end loop;
end
$$;
