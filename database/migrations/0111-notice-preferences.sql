-- TM-02: each person chooses what they are mailed, and when. What the law or their safety asks for is no notice, and always comes.

create table public.notice_preferences (
  profile_id uuid not null references public.profiles (id) on delete cascade,
  topic text not null,
  delivery text not null,
  updated_at timestamptz not null default now(),
  primary key (profile_id, topic),
  constraint notice_preferences_topic_is_known check (topic in ('referrals', 'contracts', 'payments')),
  -- At once is what a person without a row gets.
  constraint notice_preferences_delivery_is_known check (delivery in ('at_once', 'each_morning', 'never'))
);
alter table public.notice_preferences enable row level security;
alter table public.notice_preferences force row level security;
grant select, insert, update, delete on public.notice_preferences to parrain_service;
grant select on public.notice_preferences to authenticated, service_role;
create policy notice_preferences_service_all on public.notice_preferences to parrain_service using (true) with check (true);
create policy notice_preferences_secret_read on public.notice_preferences for select to service_role using (true);
create policy notice_preferences_authenticated_read on public.notice_preferences for select to authenticated using (
  profile_id = (select private.uid()));

create function private.choose_notices(p_topic text, p_delivery text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin', 'commercial', 'client');
begin
  insert into public.notice_preferences as c (profile_id, topic, delivery) values (me, p_topic, p_delivery)
  on conflict (profile_id, topic) do update set delivery = excluded.delivery, updated_at = now()
    where c.delivery <> excluded.delivery;
end
$$;
grant execute on function private.choose_notices(text, text) to authenticated;

-- The link of a mail says no for its reader, who may be signed in nowhere: to some topics, on screen nothing changes.
create function private.refuse_notice_mails(p_profile_id uuid, p_topics text[]) returns boolean
language plpgsql security definer set search_path = '' as $$
begin
  perform 1 from public.profiles p where p.id = p_profile_id for key share;
  if not found then return false; end if;
  insert into public.notice_preferences as c (profile_id, topic, delivery) select p_profile_id, t, 'never' from unnest(p_topics) t
  on conflict (profile_id, topic) do update set delivery = 'never', updated_at = now() where c.delivery <> 'never';
  return true;
end
$$;

do $$
declare
  f regprocedure;
begin
  for f in select p.oid::regprocedure from pg_proc p where p.pronamespace = 'private'::regnamespace
      and p.proname in ('choose_notices', 'refuse_notice_mails') loop
    execute format('alter function %s owner to parrain_service', f);
    execute format('grant execute on function %s to parrain_service', f);
  end loop;
end
$$;
