-- A page far behind costs what its offset skips. Totals by day tell how many sales of each state stand before a day, so that
-- the newest-first list of all sales skips a day's rows at most; other orders skip entries of an index alone.

-- How many sales of each state were made on each day (UTC). Several rows may share a key, and only their sum means anything
-- (decision 0007).
create table figures.sale_days (
  id bigint generated always as identity primary key,
  day date not null,
  state text not null,
  sales bigint not null
) with (fillfactor = 50);
create index sale_days_by_key on figures.sale_days (day, state);

alter table figures.sale_days enable row level security;
alter table figures.sale_days force row level security;
create policy sale_days_service_all on figures.sale_days to parrain_service using (true) with check (true);
create policy sale_days_secret_read on figures.sale_days for select to service_role using (true);
create policy sale_days_admin_read on figures.sale_days for select to authenticated using (
  (select private.user_role()) = 'admin');
grant select, insert, update, delete on figures.sale_days to parrain_service;
grant select on figures.sale_days to authenticated, service_role;

create function private.sale_day(s public.sales) returns date
language sql immutable parallel safe
return (s.created_at at time zone 'UTC')::date;

-- What one sale adds to its day, or takes from it.
create type private.sale_day_effect as (day date, state text, sales integer);

create function private.day_effect_of(s public.sales, p_sign integer) returns private.sale_day_effect
language sql immutable parallel safe
return row(private.sale_day(s),
  private.sale_state(s.status, s.ready_for_validation, s.admin_validated, s.corrects_sale_id), p_sign)::private.sale_day_effect;

create function private.add_sale_day_effects(p_effects private.sale_day_effect[]) returns void
language plpgsql security definer set search_path = '' as $$
begin
  with change as (
    select e.day, e.state, sum(e.sales) as sales from unnest((select p_effects)) e
    group by e.day, e.state
    having sum(e.sales) <> 0),
  place as (
    select c.*, free.id
    from change c
    left join lateral (select f.id from figures.sale_days f where f.day = c.day and f.state = c.state
      limit 1 for update skip locked) free on true),
  added as (
    update figures.sale_days t set sales = t.sales + p.sales from place p where t.id = p.id)
  insert into figures.sale_days (day, state, sales)
  select p.day, p.state, p.sales from place p where p.id is null;
end
$$;

create or replace function private.count_sales() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  case tg_op
    when 'INSERT' then
      perform private.add_sale_effects(array(select private.effect_of(n, 1) from new_rows n)),
        private.add_sale_day_effects(array(select private.day_effect_of(n, 1) from new_rows n));
    when 'UPDATE' then
      perform private.add_sale_effects(array(
          select private.effect_of(n, 1) from new_rows n union all select private.effect_of(o, -1) from old_rows o)),
        private.add_sale_day_effects(array(
          select private.day_effect_of(n, 1) from new_rows n union all select private.day_effect_of(o, -1) from old_rows o));
    when 'DELETE' then
      perform private.add_sale_effects(array(select private.effect_of(o, -1) from old_rows o)),
        private.add_sale_day_effects(array(select private.day_effect_of(o, -1) from old_rows o));
  end case;
  return null;
end
$$;

create view figures.recounted_sale_days with (security_invoker = true) as
  select private.sale_day(s) as day,
    private.sale_state(s.status, s.ready_for_validation, s.admin_validated, s.corrects_sale_id) as state, count(*) as sales
  from public.sales s
  group by 1, 2;
grant select on figures.recounted_sale_days to parrain_service;

create or replace view figures.recounted_company with (security_invoker = true) as
  select 'clients' as what, count(*) as number, 0::numeric as amount from public.profiles p where p.role = 'client'
  union all
  select 'active_commercials', count(*), 0 from public.profiles p where p.role = 'commercial' and p.deactivated_at is null
  union all
  select 'requests_' || r.status, count(*), sum(r.amount) from public.payment_requests r group by r.status
  union all
  select 'role_' || p.role, count(*), 0 from public.profiles p group by p.role
  union all
  select 'payments', count(*), 0 from public.commission_payments
  union all
  select 'audit_' || a.entity, count(*), 0 from public.audit_entries a group by a.entity;

-- Whoever counts anew keeps others from writing meanwhile.
grant maintain on public.audit_entries to parrain_service;
create or replace function private.recount() returns void
language plpgsql security definer set search_path = '' as $$
begin
  lock table public.profiles, public.sales, public.payment_requests, public.commission_payments, public.audit_entries in share row exclusive mode;
  delete from figures.sale_totals;
  delete from figures.referrer_totals;
  delete from figures.company_totals;
  delete from figures.sale_days;
  insert into figures.sale_totals (commercial_id, state, sales, contract_amount, client_commission, commercial_commission)
  select r.commercial_id, r.state, r.sales, r.contract_amount, r.client_commission, r.commercial_commission from figures.recounted_sales r;
  insert into figures.referrer_totals (referrer_id, commercial_id, as_friend, referrals, signed_contracts, revenue)
  select r.referrer_id, r.commercial_id, r.as_friend, r.referrals, r.signed_contracts, r.revenue from figures.recounted_referrers r;
  insert into figures.company_totals (what, number, amount) select r.what, r.number, r.amount from figures.recounted_company r;
  insert into figures.sale_days (day, state, sales) select r.day, r.state, r.sales from figures.recounted_sale_days r;
end
$$;

-- As `figures.counted_sales`, by day, whosever the sales are.
create view figures.dated_sales with (security_invoker = true) as
  select t.day, s.status, s.ready_for_validation, s.admin_validated,
    case when t.state = 'correction' then '00000000-0000-0000-0000-000000000000'::uuid end as corrects_sale_id,
    t.sales as row_count
  from figures.sale_days t
  join (values
    ('pending', 'pending', false, false), ('contacted', 'contacted', false, false),
    ('in_negotiation', 'in_negotiation', false, false), ('rejected', 'rejected', false, false),
    ('awaiting_final_validation', 'pending', true, false), ('awaiting_admin_validation', 'validated', true, false),
    ('validated', 'validated', true, true), ('correction', 'validated', true, true)
  ) s (state, status, ready_for_validation, admin_validated) on s.state = t.state;
grant select on figures.dated_sales to authenticated, service_role;

-- With the id that decides between equals: what a page skips is read in the index alone.
drop index public.sales_by_creation;
create index sales_by_creation on public.sales (created_at desc, id);
drop index public.commission_payments_by_creation;
create index commission_payments_by_creation on public.commission_payments (created_at desc, id);
drop index public.payment_requests_by_creation;
create index payment_requests_by_creation on public.payment_requests (created_at desc, id);

-- A commercial's own list, narrowed to a status.
create index sales_by_commercial_and_status on public.sales (commercial_id, status, created_at desc);
-- The trail of one kind of thing, the newest first.
create index audit_entries_by_kind on public.audit_entries (entity, id desc);

-- How many payments and entries of the trail there are.
alter table figures.company_totals drop constraint company_totals_what_is_known;
alter table figures.company_totals add constraint company_totals_what_is_known check (what in (
  'clients', 'active_commercials', 'requests_pending', 'requests_approved', 'requests_paid', 'requests_rejected',
  'role_admin', 'role_commercial', 'role_client', 'payments') or what like 'audit\_%');

create function private.count_payments() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.add_to_company('payments', (case tg_op when 'DELETE' then -1 else 1 end) * (select count(*) from changed_rows), 0);
  return null;
end
$$;
create trigger commission_payments_counted_on_insert after insert on public.commission_payments
  referencing new table as changed_rows for each statement execute function private.count_payments();
create trigger commission_payments_counted_on_delete after delete on public.commission_payments
  referencing old table as changed_rows for each statement execute function private.count_payments();

create function private.count_audit_entries() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.add_to_company('audit_' || c.entity, c.entries, 0)
  from (select n.entity, count(*) as entries from new_rows n group by n.entity) c;
  return null;
end
$$;
create trigger audit_entries_counted after insert on public.audit_entries
  referencing new table as new_rows for each statement execute function private.count_audit_entries();

create view figures.counted_commission_payments with (security_invoker = true) as
  select t.number as row_count from figures.company_totals t where t.what = 'payments';
create view figures.counted_audit_entries with (security_invoker = true) as
  select substr(t.what, length('audit_') + 1) as entity, t.number as row_count
  from figures.company_totals t where t.what like 'audit\_%';
grant select on figures.counted_commission_payments, figures.counted_audit_entries to authenticated, service_role;

alter function private.count_payments() owner to parrain_service;
alter function private.count_audit_entries() owner to parrain_service;
alter function private.add_sale_day_effects(private.sale_day_effect[]) owner to parrain_service;
grant execute on function private.sale_day(public.sales), private.day_effect_of(public.sales, integer),
  private.add_sale_day_effects(private.sale_day_effect[]) to parrain_service;

insert into figures.sale_days (day, state, sales) select r.day, r.state, r.sales from figures.recounted_sale_days r;
insert into figures.company_totals (what, number, amount)
select r.what, r.number, r.amount from figures.recounted_company r where r.what = 'payments' or r.what like 'audit\_%';
