-- TM-05: a referral that nobody contacts is not forgotten. Its commercial keeps a date to call back and a private note, is reminded,
-- then the admins are; and its referrer may ask for news.

-- Days after which a referral that nobody contacted reminds its commercial, then days more until the admins; off where null.
alter table public.company_settings
  add column follow_up_days smallint
    constraint company_settings_follow_up_days_is_bounded check (follow_up_days between 1 and 90),
  add column follow_up_admin_days smallint
    constraint company_settings_follow_up_admin_days_is_bounded check (follow_up_admin_days between 1 and 90),
  add constraint company_settings_admins_come_second check (follow_up_admin_days is null or follow_up_days is not null);

create function private.set_follow_ups(p_days integer, p_admin_days integer) returns public.company_settings
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  settings public.company_settings;
begin
  update public.company_settings c set follow_up_days = p_days, follow_up_admin_days = p_admin_days, updated_at = now()
    returning * into settings;
  return settings;
end
$$;
grant execute on function private.set_follow_ups(integer, integer) to authenticated;

-- What a commercial keeps of a referral for the company alone: `sales.commercial_notes` is read by the referrer too (decision 0005).
create table public.follow_ups (
  sale_id uuid primary key references public.sales (id) on delete cascade,
  private_note text,
  -- A day of France.
  call_back_on date,
  reminded_on date,
  updated_at timestamptz not null default private.now(),
  constraint follow_ups_private_note_is_a_text check (private.is_text(private_note, 2000)),
  constraint follow_ups_hold_something check (num_nonnulls(private_note, call_back_on) > 0)
);
create index follow_ups_by_day on public.follow_ups (call_back_on) where call_back_on is not null;
alter table public.follow_ups enable row level security;
alter table public.follow_ups force row level security;
grant select, insert, update, delete on public.follow_ups to parrain_service;
grant select on public.follow_ups to authenticated, service_role;
create policy follow_ups_service_all on public.follow_ups to parrain_service using (true) with check (true);
create policy follow_ups_secret_read on public.follow_ups for select to service_role using (true);
create policy follow_ups_authenticated_read on public.follow_ups for select to authenticated using (
  case when (select private.user_role()) = 'admin' then true
    when (select private.user_role()) = 'commercial' then exists (
      select from public.sales s where s.id = sale_id and s.commercial_id = (select private.uid()))
    else false end);

-- When the referrer last asked for news: seen by whoever sees the referral.
create table public.news_requests (
  sale_id uuid primary key references public.sales (id) on delete cascade,
  asked_at timestamptz not null default private.now()
);
alter table public.news_requests enable row level security;
alter table public.news_requests force row level security;
grant select, insert, update, delete on public.news_requests to parrain_service;
grant select on public.news_requests to authenticated, service_role;
create policy news_requests_service_all on public.news_requests to parrain_service using (true) with check (true);
create policy news_requests_secret_read on public.news_requests for select to service_role using (true);
create policy news_requests_authenticated_read on public.news_requests for select to authenticated using (
  exists (select from public.sales s where s.id = sale_id));

-- Reminders that were told: each once for a referral and step, whichever node tells it.
create table private.reminders (
  sale_id uuid not null references public.sales (id) on delete cascade,
  step text not null,
  told_at timestamptz not null default now(),
  primary key (sale_id, step),
  constraint reminders_step_is_known check (step in ('commercial', 'admin'))
);
alter table private.reminders enable row level security;
alter table private.reminders force row level security;
grant select, insert, update, delete on private.reminders to parrain_service;
create policy reminders_service_all on private.reminders to parrain_service using (true) with check (true);

-- Referrals that nobody has contacted yet.
create index sales_uncontacted on public.sales (created_at)
  where status = 'pending' and not ready_for_validation and corrects_sale_id is null;

alter table public.notices drop constraint notices_kind_is_known;
alter table public.notices add constraint notices_kind_is_known check (kind in (
  'referral_received', 'referral_contacted', 'referral_in_negotiation', 'referral_signed', 'referral_refused',
  'referral_late', 'referral_still_late', 'call_back_due', 'news_asked',
  'contract_to_validate', 'contract_validated', 'contract_refused', 'contract_annulled',
  'payment_received', 'payment_to_decide', 'payment_approved', 'payment_refused', 'payment_paid', 'payment_annulled'));

create function private.today() returns date
language sql stable set search_path = ''
return (private.now() at time zone 'Europe/Paris')::date;

-- Whether a referral is still to be followed up: nothing of it is decided or signed.
create function private.is_open(s public.sales) returns boolean
language sql immutable set search_path = ''
return s.corrects_sale_id is null and not s.ready_for_validation and s.status in ('pending', 'contacted', 'in_negotiation');

-- The commercial's date and note of a referral of theirs. Null empties one; with both empty nothing is kept.
create function private.keep_follow_up(p_sale_id uuid, p_private_note text, p_call_back_on date) returns void
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('commercial');
  sale public.sales;
  before public.follow_ups;
  v_note text := nullif(btrim(p_private_note), '');
begin
  select * into sale from public.sales s where s.id = p_sale_id and s.commercial_id = me and s.corrects_sale_id is null for update;
  if not found then perform private.refuse('sale_not_found'); end if;
  select * into before from public.follow_ups f where f.sale_id = sale.id;
  if p_call_back_on is distinct from before.call_back_on and p_call_back_on is not null then
    if not private.is_open(sale) then perform private.refuse('sale_not_editable'); end if;
    if p_call_back_on < private.today() then perform private.refuse('call_back_is_past'); end if;
  end if;
  if v_note is null and p_call_back_on is null then
    delete from public.follow_ups f where f.sale_id = sale.id;
    return;
  end if;
  insert into public.follow_ups as f (sale_id, private_note, call_back_on) values (sale.id, v_note, p_call_back_on)
  on conflict (sale_id) do update set private_note = excluded.private_note, call_back_on = excluded.call_back_on,
    reminded_on = case when f.call_back_on = excluded.call_back_on then f.reminded_on end, updated_at = private.now();
end
$$;

-- The referrer asks once, and again after thirty days, while the referral is still open.
create function private.ask_for_news(p_sale_id uuid) returns timestamptz
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('client');
  sale public.sales;
  v_asked_at timestamptz;
begin
  select * into sale from public.sales s where s.id = p_sale_id and s.friend_referrer_id = me for update;
  if not found then perform private.refuse('sale_not_found'); end if;
  if sale.commercial_id is null or not private.is_open(sale) then perform private.refuse('news_not_expected'); end if;
  insert into public.news_requests as n (sale_id) values (sale.id)
  on conflict (sale_id) do update set asked_at = private.now() where n.asked_at <= private.now() - interval '30 days'
  returning asked_at into v_asked_at;
  if not found then perform private.refuse('news_already_asked'); end if;
  perform private.tell('news_asked', array[sale.commercial_id], sale.id, null);
  return v_asked_at;
end
$$;
grant execute on function private.keep_follow_up(uuid, text, date), private.ask_for_news(uuid) to authenticated;

-- Tells the reminders that are due, up to `p_most` of each, and gives how many it told. What was due a month ago is told no more: a
-- company that turns this on is not flooded with its past.
create function private.tell_follow_ups(p_most integer) returns integer
language plpgsql security definer set search_path = '' as $$
declare
  v_days integer;
  v_admin_days integer;
  v_step text;
  v_after integer;
  due record;
  told integer := 0;
begin
  select c.follow_up_days, c.follow_up_days + c.follow_up_admin_days into v_days, v_admin_days from public.company_settings c;
  foreach v_step in array array['commercial', 'admin'] loop
    v_after := case v_step when 'commercial' then v_days else v_admin_days end;
    continue when v_after is null;
    for due in
      with late as (
        select s.id, s.commercial_id from public.sales s
        where s.status = 'pending' and not s.ready_for_validation and s.corrects_sale_id is null and s.commercial_id is not null
          and s.created_at <= now() - make_interval(days => v_after)
          and s.created_at > now() - make_interval(days => v_after + 30)
          and not exists (select from private.reminders r where r.sale_id = s.id and r.step = v_step)
        order by s.created_at limit p_most),
      marked as (
        insert into private.reminders (sale_id, step) select l.id, v_step from late l on conflict do nothing returning sale_id)
      select l.* from late l join marked m on m.sale_id = l.id order by l.id
    loop
      told := told + 1;
      if v_step = 'commercial' then
        perform private.tell('referral_late', array[due.commercial_id], due.id, null);
      else
        perform private.tell('referral_still_late', private.active_admins(), due.id, null);
      end if;
    end loop;
  end loop;
  for due in
    with due_today as (
      select f.sale_id, s.commercial_id from public.follow_ups f join public.sales s on s.id = f.sale_id
      where f.call_back_on <= private.today() and (f.reminded_on is null or f.reminded_on < f.call_back_on)
        and s.commercial_id is not null and private.is_open(s)
      order by f.call_back_on limit p_most for update of f skip locked),
    marked as (
      update public.follow_ups f set reminded_on = private.today() from due_today d where f.sale_id = d.sale_id returning f.sale_id)
    select d.* from due_today d join marked m on m.sale_id = d.sale_id order by d.sale_id
  loop
    told := told + 1;
    perform private.tell('call_back_due', array[due.commercial_id], due.sale_id, null);
  end loop;
  return told;
end
$$;

-- A friend who is forgotten leaves no note behind.
create function private.forget_follow_up() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  delete from public.follow_ups f where f.sale_id = new.id;
  return null;
end
$$;
create trigger sales_forget_follow_up after update of referred_contact_email on public.sales for each row
  when (old.referred_contact_email is not null and new.referred_contact_email is null) execute function private.forget_follow_up();

do $$
declare
  f regprocedure;
begin
  for f in select p.oid::regprocedure from pg_proc p where p.pronamespace = 'private'::regnamespace
      and p.proname in ('set_follow_ups', 'keep_follow_up', 'ask_for_news', 'tell_follow_ups', 'forget_follow_up') loop
    execute format('alter function %s owner to parrain_service', f);
    execute format('grant execute on function %s to parrain_service', f);
  end loop;
end
$$;
grant execute on function private.today(), private.is_open(public.sales) to parrain_service;
