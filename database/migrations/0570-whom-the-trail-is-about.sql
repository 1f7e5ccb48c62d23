-- X-03: the trail of a person is read in the order of time, however much happened to them. The view of 0211 looked every sale of
-- theirs up, then sorted all entries: two seconds for 90 000 sales. Each entry is now filed, as it is written, under the people and
-- the sale that it is about. No foreign keys: the trail is append-only and outlives whom it speaks of, and this with it.

create table figures.audit_subjects (
  about_id uuid not null,
  at timestamptz not null,
  entry_id bigint not null,
  entity text not null
);
alter table figures.audit_subjects enable row level security;
alter table figures.audit_subjects force row level security;
grant select, insert on figures.audit_subjects to parrain_service;
grant select on figures.audit_subjects to authenticated, service_role;
create policy audit_subjects_service_all on figures.audit_subjects to parrain_service using (true) with check (true);
create policy audit_subjects_secret_read on figures.audit_subjects for select to service_role using (true);
-- A case, as other policies have it: of a bare comparison the planner takes one row in two hundred to pass, and sorts them all.
create policy audit_subjects_admin_read on figures.audit_subjects for select to authenticated using (
  case when (select private.user_role()) = 'admin' then true else false end);

-- Files an entry under whom and what else it is about: those that the thing names now, and those that it named before the change or
-- until it went. What the entry is of (`entity_id`) is not among them: the trail has an index of that.
create function private.file_audit_entry() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  subjects uuid[];
begin
  case new.entity
    when 'sales' then
      select array[s.commercial_id, s.client_referrer_id, s.friend_referrer_id, s.corrects_sale_id] into subjects
        from public.sales s where s.id = new.entity_id;
      if new.before ?| array['commercial_id', 'client_referrer_id', 'friend_referrer_id'] then
        subjects := subjects || array[(new.before ->> 'commercial_id')::uuid, (new.before ->> 'client_referrer_id')::uuid,
          (new.before ->> 'friend_referrer_id')::uuid, (new.before ->> 'corrects_sale_id')::uuid];
      end if;
    when 'commission_payments' then
      select array[c.sale_id, c.recipient_id] into subjects from public.commission_payments c where c.id = new.entity_id;
      subjects := coalesce(subjects, array[(new.before ->> 'sale_id')::uuid, (new.before ->> 'recipient_id')::uuid]);
    when 'payment_requests' then
      select array[r.client_id] into subjects from public.payment_requests r where r.id = new.entity_id;
      subjects := coalesce(subjects, array[(new.before ->> 'client_id')::uuid]);
    when 'account_closure_requests' then
      select array[r.profile_id] into subjects from public.account_closure_requests r where r.id = new.entity_id;
      subjects := coalesce(subjects, array[(new.before ->> 'profile_id')::uuid]);
    when 'paid_periods' then
      subjects := array[(new.after ->> 'payee_id')::uuid];
  end case;
  insert into figures.audit_subjects (about_id, at, entry_id, entity)
    select distinct s.id, new.at, new.id, new.entity from unnest(subjects) s (id) where s.id is not null;
  -- Who is given a sale has its whole trail, not what follows alone.
  if new.entity = 'sales' and new.action = 'update'
    and new.before ?| array['commercial_id', 'client_referrer_id', 'friend_referrer_id'] then
    insert into figures.audit_subjects (about_id, at, entry_id, entity)
      select s.id, a.at, a.id, a.entity
      from public.sales o cross join lateral unnest(array[o.commercial_id, o.client_referrer_id, o.friend_referrer_id]) s (id)
      join public.audit_entries a on a.entity = 'sales' and a.entity_id = o.id
      where o.id = new.entity_id and s.id is not null
      on conflict do nothing;
  end if;
  return null;
end
$$;
alter function private.file_audit_entry() owner to parrain_service;
create trigger audit_entries_filed after insert on public.audit_entries for each row
  when (new.entity in ('sales', 'commission_payments', 'payment_requests', 'account_closure_requests', 'paid_periods'))
  execute function private.file_audit_entry();

-- What the entries of before are filed under, and what `npm run verify` misses where it is not.
create view figures.expected_audit_subjects with (security_invoker = true) as
  select distinct i.id as about_id, a.at, a.id as entry_id, a.entity
  from public.audit_entries a
  left join public.sales s on a.entity = 'sales' and s.id = a.entity_id
  left join public.commission_payments c on a.entity = 'commission_payments' and c.id = a.entity_id
  left join public.payment_requests r on a.entity = 'payment_requests' and r.id = a.entity_id
  left join public.account_closure_requests q on a.entity = 'account_closure_requests' and q.id = a.entity_id
  cross join lateral (values
    (s.commercial_id), (s.client_referrer_id), (s.friend_referrer_id), (s.corrects_sale_id), (c.sale_id), (c.recipient_id),
    (r.client_id), (q.profile_id),
    ((a.before ->> 'commercial_id')::uuid), ((a.before ->> 'client_referrer_id')::uuid), ((a.before ->> 'friend_referrer_id')::uuid),
    ((a.before ->> 'corrects_sale_id')::uuid), ((a.before ->> 'sale_id')::uuid), ((a.before ->> 'recipient_id')::uuid),
    ((a.before ->> 'client_id')::uuid), ((a.before ->> 'profile_id')::uuid),
    (case when a.entity = 'paid_periods' then (a.after ->> 'payee_id')::uuid end)) i (id)
  where a.entity in ('sales', 'commission_payments', 'payment_requests', 'account_closure_requests', 'paid_periods') and i.id is not null;
grant select on figures.expected_audit_subjects to parrain_service;

set local role parrain_service;
insert into figures.audit_subjects (about_id, at, entry_id, entity)
  select e.about_id, e.at, e.entry_id, e.entity from figures.expected_audit_subjects e;
reset role;
-- The kind is in it too: a page of one kind, or its count, is read there.
alter table figures.audit_subjects add primary key (about_id, at, entry_id, entity);

-- As it was (0211), by what is filed. The trail is joined to a page of it, not to each of its halves, which would be sorted first; and
-- by a left join, so that a count reads what is filed and no entry.
create or replace view public.audit_entries_about with (security_invoker = true) as
  select f.id, f.at, a.actor_id, a.actor, f.entity, a.entity_id, a.action, a.before, a.after, a.reason, f.about_id
  from (
    select e.entity_id as about_id, e.at, e.id, e.entity from public.audit_entries e where e.entity in ('profiles', 'sales')
    union all
    select s.about_id, s.at, s.entry_id, s.entity from figures.audit_subjects s) f
  left join public.audit_entries a on a.id = f.id;
