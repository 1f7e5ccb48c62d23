-- CS-04: a contact without contract is forgotten once nothing was heard for as long as the company says. The admins first read a list of
-- who will be, and may keep one, with a reason.

-- Three years at most, as the public page of a personal link promises.
alter table public.company_settings add column contact_months smallint not null default 36
  constraint company_settings_contact_months_are_bounded check (contact_months between 6 and 36);

create function private.set_contact_months(p_months integer) returns public.company_settings
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  settings public.company_settings;
begin
  update public.company_settings c set contact_months = p_months, updated_at = now() returning * into settings;
  return settings;
end
$$;

-- Who will be forgotten and when; kept by an admin, the contact has as long again.
create table private.announced_erasures (
  sale_id uuid primary key references public.sales (id) on delete cascade,
  announced_at timestamptz not null default private.now(),
  -- A day of France.
  erase_on date not null,
  kept_at timestamptz
);
create index announced_erasures_by_day on private.announced_erasures (erase_on, sale_id) where kept_at is null;
alter table private.announced_erasures enable row level security;
alter table private.announced_erasures force row level security;
grant select, insert, update, delete on private.announced_erasures to parrain_service;
create policy announced_erasures_service_all on private.announced_erasures to parrain_service using (true) with check (true);

-- Contacts heard of after this instant are too young to be announced: the list is read for thirty days before the company's months end.
create function private.contacts_heard_since() returns timestamptz
language sql stable security definer set search_path = ''
begin atomic
  select private.now() - make_interval(months => c.contact_months) + interval '30 days' from public.company_settings c;
end;

-- Whether nothing was heard of a contact without contract since then: no change of the referral, no answer of theirs, no note or day to
-- call back, no admin who kept it.
create function private.is_forgettable(s public.sales, p_since timestamptz) returns boolean
language sql stable security definer set search_path = ''
begin atomic
  select not s.ready_for_validation and s.corrects_sale_id is null
    and num_nonnulls(s.referred_contact_email, s.referred_contact_phone) > 0 and s.updated_at < p_since
    and not exists (select from public.call_consents c where c.sale_id = s.id and c.said_at >= p_since)
    and not exists (
      select from public.follow_ups f where f.sale_id = s.id and (f.updated_at >= p_since or f.call_back_on >= private.today()))
    and not exists (select from private.announced_erasures a where a.sale_id = s.id and a.kept_at >= p_since);
end;

-- Announces who is forgotten in thirty days, and tells the admins once. Gives how many.
create function private.announce_erasures() returns integer
language plpgsql security definer set search_path = '' as $$
declare
  v_since timestamptz := private.contacts_heard_since();
  v_announced uuid[];
begin
  with announced as (
    insert into private.announced_erasures as a (sale_id, erase_on)
    select s.id, private.today() + 30 from public.sales s
      where not s.ready_for_validation and s.corrects_sale_id is null
        and num_nonnulls(s.referred_contact_email, s.referred_contact_phone) > 0 and s.updated_at < v_since
        and private.is_forgettable(s, v_since)
        and not exists (select from private.announced_erasures o where o.sale_id = s.id and o.kept_at is null)
    on conflict (sale_id) do update set announced_at = excluded.announced_at, erase_on = excluded.erase_on, kept_at = null
      where a.kept_at is not null
    returning a.sale_id)
  select array_agg(a.sale_id order by a.sale_id) into v_announced from announced a;
  if v_announced is null then return 0; end if;
  perform private.tell('contacts_to_erase', private.active_admins(), v_announced[1], null);
  return cardinality(v_announced);
end
$$;

-- Forgets up to `p_most` contacts whose day has come, and gives how many. One of whom something was heard is announced no more.
create function private.erase_announced(p_most integer) returns integer
language plpgsql security definer set search_path = '' as $$
declare
  v_since timestamptz := private.contacts_heard_since();
  v_due uuid[];
begin
  delete from private.announced_erasures a using public.sales s
    where s.id = a.sale_id and a.kept_at is null and not private.is_forgettable(s, v_since);
  select array_agg(d.sale_id) into v_due from (
    select a.sale_id from private.announced_erasures a where a.kept_at is null and a.erase_on <= private.today()
      order by a.erase_on, a.sale_id limit p_most for update skip locked) d;
  if v_due is null then return 0; end if;
  update public.sales s set
    status = 'rejected', rejection_reason = coalesce(s.rejection_reason, 'Contact effacé : sans nouvelles depuis longtemps'),
    referred_contact_name = 'Contact effacé', referred_contact_email = null, referred_contact_phone = null,
    personal_message = null, commercial_notes = null
    where s.id = any (v_due);
  return cardinality(v_due);
end
$$;

-- The admin's list, the first to go first: two hundred of them, and how many there are.
create function private.contacts_to_erase()
returns table (sale_id uuid, contact_name text, referrer_name text, last_heard_at timestamptz, erase_on date, total bigint)
language plpgsql stable security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
begin
  return query select s.id, s.referred_contact_name, p.full_name, s.updated_at, a.erase_on, count(*) over ()
    from private.announced_erasures a join public.sales s on s.id = a.sale_id
    left join public.profiles p on p.id = coalesce(s.friend_referrer_id, s.client_referrer_id)
    where a.kept_at is null order by a.erase_on, a.sale_id limit 200;
end
$$;

-- The admin keeps one, and says why.
create function private.keep_contact(p_sale_id uuid, p_reason text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
begin
  if coalesce(btrim(p_reason), '') = '' or not private.is_text(p_reason, 2000) then perform private.refuse('invalid_input'); end if;
  update private.announced_erasures a set kept_at = private.now() where a.sale_id = p_sale_id and a.kept_at is null;
  if not found then perform private.refuse('contact_not_announced'); end if;
  perform private.append_audit('sales', p_sale_id, 'keep_contact', '{}', '{}', btrim(p_reason));
end
$$;

-- As 0380 has it, and what was announced of them.
create or replace function private.forget_follow_up() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if num_nonnulls(new.referred_contact_email, new.referred_contact_phone) > 0 then return null; end if;
  delete from public.follow_ups f where f.sale_id = new.id;
  delete from private.refused_referrals r where r.sale_id = new.id;
  delete from private.announced_erasures a where a.sale_id = new.id;
  return null;
end
$$;

do $$
declare
  f regprocedure;
begin
  for f in select p.oid::regprocedure from pg_proc p where p.pronamespace = 'private'::regnamespace
      and p.proname in ('set_contact_months', 'contacts_heard_since', 'is_forgettable', 'announce_erasures', 'erase_announced',
        'contacts_to_erase', 'keep_contact') loop
    execute format('alter function %s owner to parrain_service', f);
    execute format('grant execute on function %s to parrain_service', f);
  end loop;
end
$$;
grant execute on function private.set_contact_months(integer), private.contacts_to_erase(), private.keep_contact(uuid, text)
  to authenticated;
