-- A page far behind costs what its offset skips. For each order of a long list the rows are counted by place: a week, a range of
-- amounts, the first letters of a name. Whoever sees all rows starts at the place in which their page lies.

-- How many rows of each kind stand in each place of a list. Several rows may share a key, and only their sum means anything
-- (decision 0007). Places follow each other as the values do that the list is ordered by; of a missing value the place is null.
create table figures.places (
  id bigint generated always as identity primary key,
  list text not null,
  place integer,
  -- Of sales their state, of the trail what it is about.
  kind text not null,
  rows bigint not null
) with (fillfactor = 50);
create index places_by_key on figures.places (list, place, kind);

grant select, insert, update, delete on figures.places to parrain_service;
grant select on figures.places to authenticated, service_role;
create policy places_admin_read on figures.places for select to authenticated using (
  (select private.user_role()) = 'admin');

-- Where each place starts; what lies before the first is in place 0.
do $$
begin
  -- Steps of 2 %, and the same below zero for corrections.
  execute format('create function private.amount_bounds() returns numeric[] language sql immutable parallel safe return %L::numeric[]',
    (select array_agg(distinct b order by b) from (
      select round(power(1.02, n)::numeric, 2) as b from generate_series(100, 820) n
      union all select -round(power(1.02, n)::numeric, 2) from generate_series(100, 820, 8) n
      union all select 0) bounds));
  -- Two letters of either case, in the order of this database.
  execute format('create function private.name_bounds() returns text[] language sql immutable parallel safe return %L::text[]',
    (select array_agg(b order by b) from (
      select x || y as b from regexp_split_to_table('abcdefghijklmnopqrstuvwxyz', '') x, regexp_split_to_table('abcdefghijklmnopqrstuvwxyz', '') y
      union all
      select x || y from regexp_split_to_table('ABCDEFGHIJKLMNOPQRSTUVWXYZ', '') x, regexp_split_to_table('abcdefghijklmnopqrstuvwxyz', '') y) bounds));
end
$$;

-- The place in which a row lies.
create function private.place_of_week(p_at timestamptz) returns integer
language sql immutable parallel safe
return floor(((p_at at time zone 'UTC')::date - date '2000-01-03') / 7.0)::integer;
create function private.place_of_amount(p_amount numeric) returns integer
language sql immutable parallel safe
return width_bucket(p_amount, private.amount_bounds());
create function private.place_of_name(p_name text) returns integer
language sql immutable parallel safe
return width_bucket(p_name, private.name_bounds());
create function private.place_of_number(p_number bigint) returns integer
language sql immutable parallel safe
return (p_number / 1000)::integer;

-- Where a place starts; null for the very beginning, and for what follows the last one.
create function private.start_of_week(p_place integer) returns timestamptz
language sql immutable parallel safe
return (date '2000-01-03' + 7 * p_place)::timestamp at time zone 'UTC';
create function private.start_of_amount(p_place integer) returns numeric
language sql immutable parallel safe
return (private.amount_bounds())[p_place];
create function private.start_of_name(p_place integer) returns text
language sql immutable parallel safe
return (private.name_bounds())[p_place];
create function private.start_of_number(p_place integer) returns bigint
language sql immutable parallel safe
return p_place::bigint * 1000;

-- What one row adds to a place, or takes from it.
create type private.place_effect as (list text, place integer, kind text, rows integer);

create function private.places_of(s public.sales, p_sign integer) returns setof private.place_effect
language sql immutable parallel safe rows 3
begin atomic
  select v.list, v.place, private.sale_state(s.status, s.ready_for_validation, s.admin_validated, s.corrects_sale_id), p_sign
  from (values ('sales.created_at', private.place_of_week(s.created_at)), ('sales.contract_amount', private.place_of_amount(s.contract_amount)),
    ('sales.referred_contact_name', private.place_of_name(s.referred_contact_name))) v (list, place);
end;

create function private.add_to_places(p_effects private.place_effect[]) returns void
language plpgsql security definer set search_path = '' as $$
begin
  with change as (
    select e.list, e.place, e.kind, sum(e.rows) as rows from unnest((select p_effects)) e
    group by e.list, e.place, e.kind
    having sum(e.rows) <> 0),
  free as (
    select c.*, f.id
    from change c
    left join lateral (select p.id from figures.places p
      where p.list = c.list and (p.place = c.place or c.place is null and p.place is null) and p.kind = c.kind
      limit 1 for update skip locked) f on true),
  added as (
    update figures.places p set rows = p.rows + f.rows from free f where p.id = f.id)
  insert into figures.places (list, place, kind, rows)
  select f.list, f.place, f.kind, f.rows from free f where f.id is null;
end
$$;

create function private.count_payments() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.add_to_places(array(
    select row('commission_payments.created_at', private.place_of_week(c.created_at), '', case tg_op when 'DELETE' then -1 else 1 end)::private.place_effect
    from changed_rows c));
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
  perform private.add_to_places(array(
    select row('audit_entries.id', private.place_of_number(n.id), n.entity, 1)::private.place_effect from new_rows n));
  return null;
end
$$;
create trigger audit_entries_counted after insert on public.audit_entries
  referencing new table as new_rows for each statement execute function private.count_audit_entries();

create view figures.recounted_places with (security_invoker = true) as
  select p.list, p.place, p.kind, count(*) as rows from public.sales s, private.places_of(s, 1) p group by 1, 2, 3
  union all
  select 'commission_payments.created_at', private.place_of_week(c.created_at), '', count(*) from public.commission_payments c group by 2
  union all
  select 'audit_entries.id', private.place_of_number(a.id), a.entity, count(*) from public.audit_entries a group by 2, 3;
grant select on figures.recounted_places to parrain_service;
-- For the lock that private.recount() takes.
grant maintain on public.audit_entries to parrain_service;

-- The places of a list with columns of its rows: those of sales as in `figures.counted_sales`, whosever they are.
create view figures.places_of_sales with (security_invoker = true) as
  select p.list, p.place, s.status, s.ready_for_validation, s.admin_validated,
    case when p.kind = 'correction' then '00000000-0000-0000-0000-000000000000'::uuid end as corrects_sale_id,
    p.rows as row_count
  from figures.places p
  join (values
    ('pending', 'pending', false, false), ('contacted', 'contacted', false, false),
    ('in_negotiation', 'in_negotiation', false, false), ('rejected', 'rejected', false, false),
    ('awaiting_final_validation', 'pending', true, false), ('awaiting_admin_validation', 'validated', true, false),
    ('validated', 'validated', true, true), ('correction', 'validated', true, true)
  ) s (state, status, ready_for_validation, admin_validated) on s.state = p.kind;
create view figures.places_of_commission_payments with (security_invoker = true) as
  select p.list, p.place, p.rows as row_count from figures.places p;
create view figures.places_of_audit_entries with (security_invoker = true) as
  select p.list, p.place, p.kind as entity, p.rows as row_count from figures.places p;

-- How many payments and entries of the trail there are.
create view figures.counted_commission_payments with (security_invoker = true) as
  select p.rows as row_count from figures.places p where p.list = 'commission_payments.created_at';
create view figures.counted_audit_entries with (security_invoker = true) as
  select p.kind as entity, p.rows as row_count from figures.places p where p.list = 'audit_entries.id';
grant select on figures.places_of_sales, figures.places_of_commission_payments, figures.places_of_audit_entries,
  figures.counted_commission_payments, figures.counted_audit_entries to authenticated, service_role;
