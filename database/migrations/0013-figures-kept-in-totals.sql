-- The figures of the dashboards, kept as totals while rows change, so that a card costs the same with a million sales.

-- Read under row level security by the dashboards' functions and view; not exposed.
create schema figures;
grant usage on schema figures to authenticated, service_role, parrain_service;

-- What a sale truly is, its status and flags read together: the domain's `saleState`.
create function private.sale_state(p_status text, p_ready boolean, p_admin_validated boolean, p_corrects uuid) returns text
language sql immutable parallel safe
return case
  when p_corrects is not null then 'correction'
  when p_admin_validated then 'validated'
  when p_status = 'validated' then 'awaiting_admin_validation'
  when p_ready then 'awaiting_final_validation'
  else p_status end;

-- In each of these tables several rows may share a key, and only their sum means anything. Whoever counts adds to a row of
-- the key that nobody else is adding to, or makes one: counting never waits, and so can have no part in a deadlock.

-- How many sales of each commercial are in each state, and what they amount to; the nil commercial stands for nobody.
create table figures.sale_totals (
  id bigint generated always as identity primary key,
  commercial_id uuid not null,
  state text not null,
  sales bigint not null,
  contract_amount numeric(16, 2) not null,
  client_commission numeric(16, 2) not null,
  commercial_commission numeric(16, 2) not null
) with (fillfactor = 50);
create index sale_totals_by_key on figures.sale_totals (commercial_id, state);

-- D-07: what each referrer brought to each commercial. `as_friend` tells the referrals that the referrer may see (P-03).
create table figures.referrer_totals (
  id bigint generated always as identity primary key,
  referrer_id uuid not null,
  commercial_id uuid not null,
  as_friend boolean not null,
  referrals bigint not null,
  signed_contracts bigint not null,
  revenue numeric(16, 2) not null
) with (fillfactor = 50);
create index referrer_totals_by_key on figures.referrer_totals (referrer_id, commercial_id, as_friend);

-- What else the admin is shown of the whole company.
create table figures.company_totals (
  id bigint generated always as identity primary key,
  what text not null,
  number bigint not null,
  amount numeric(16, 2) not null,
  constraint company_totals_what_is_known check (what in ('clients', 'active_commercials', 'requests_pending',
    'requests_approved', 'requests_paid', 'requests_rejected'))
) with (fillfactor = 50);
create index company_totals_by_key on figures.company_totals (what);

do $$
declare
  target regclass;
begin
  for target in select c.oid::regclass from pg_class c where c.relkind = 'r' and c.relnamespace = 'figures'::regnamespace loop
    execute format('alter table %s enable row level security', target);
    execute format('alter table %s force row level security', target);
    execute format('create policy %I on %s to parrain_service using (true) with check (true)',
      (select relname from pg_class where oid = target) || '_service_all', target);
    execute format('create policy %I on %s for select to service_role using (true)',
      (select relname from pg_class where oid = target) || '_secret_read', target);
  end loop;
end
$$;
grant select, insert, update, delete on all tables in schema figures to parrain_service;
grant select on all tables in schema figures to authenticated, service_role;

-- The same sight as of the sales themselves.
create policy sale_totals_authenticated_read on figures.sale_totals for select to authenticated using (
  (select private.user_role()) = 'admin' or commercial_id = (select private.uid()));
create policy referrer_totals_authenticated_read on figures.referrer_totals for select to authenticated using (
  (select private.user_role()) = 'admin' or commercial_id = (select private.uid()) or as_friend and referrer_id = (select private.uid()));
create policy company_totals_admin_read on figures.company_totals for select to authenticated using (
  (select private.user_role()) = 'admin');

-- What one sale adds to the totals; with the sign -1, what it takes back.
create type private.sale_effect as (
  commercial_id uuid,
  state text,
  referrer_id uuid,
  as_friend boolean,
  sales integer,
  contract_amount numeric,
  client_commission numeric,
  commercial_commission numeric
);

create function private.effect_of(s public.sales, p_sign integer) returns private.sale_effect
language sql immutable parallel safe
return row(
  coalesce(s.commercial_id, '00000000-0000-0000-0000-000000000000'),
  private.sale_state(s.status, s.ready_for_validation, s.admin_validated, s.corrects_sale_id),
  coalesce(s.friend_referrer_id, s.client_referrer_id), s.friend_referrer_id is not null,
  p_sign, p_sign * coalesce(s.contract_amount, 0), p_sign * coalesce(s.client_commission_amount, 0),
  p_sign * coalesce(s.commercial_commission_amount, 0))::private.sale_effect;

-- `(select p_effects)` hides how many there are from the planner, which would otherwise plan anew at every call.
create function private.add_sale_effects(p_effects private.sale_effect[]) returns void
language plpgsql security definer set search_path = '' as $$
begin
  with change as (
    select e.commercial_id, e.state, sum(e.sales) as sales, sum(e.contract_amount) as contract_amount,
      sum(e.client_commission) as client_commission, sum(e.commercial_commission) as commercial_commission
    from unnest((select p_effects)) e
    group by e.commercial_id, e.state
    having (sum(e.sales), sum(e.contract_amount), sum(e.client_commission), sum(e.commercial_commission)) <> (0, 0, 0, 0)),
  place as (
    select c.*, free.id
    from change c
    left join lateral (select f.id from figures.sale_totals f where f.commercial_id = c.commercial_id and f.state = c.state
      limit 1 for update skip locked) free on true),
  added as (
    update figures.sale_totals t set sales = t.sales + p.sales, contract_amount = t.contract_amount + p.contract_amount,
      client_commission = t.client_commission + p.client_commission,
      commercial_commission = t.commercial_commission + p.commercial_commission
    from place p where t.id = p.id)
  insert into figures.sale_totals (commercial_id, state, sales, contract_amount, client_commission, commercial_commission)
  select p.commercial_id, p.state, p.sales, p.contract_amount, p.client_commission, p.commercial_commission
  from place p where p.id is null;

  with change as (
    select e.referrer_id, e.commercial_id, e.as_friend,
      coalesce(sum(e.sales) filter (where e.state <> 'correction'), 0) as referrals,
      coalesce(sum(case e.state when 'correction' then -e.sales else e.sales end)
        filter (where e.state in ('awaiting_admin_validation', 'validated', 'correction')), 0) as signed_contracts,
      coalesce(sum(e.contract_amount) filter (where e.state in ('awaiting_admin_validation', 'validated', 'correction')), 0) as revenue
    from unnest((select p_effects)) e
    where e.referrer_id is not null
    group by e.referrer_id, e.commercial_id, e.as_friend),
  place as (
    select c.*, free.id
    from change c
    left join lateral (select f.id from figures.referrer_totals f
      where f.referrer_id = c.referrer_id and f.commercial_id = c.commercial_id and f.as_friend = c.as_friend
      limit 1 for update skip locked) free on true
    where (c.referrals, c.signed_contracts, c.revenue) <> (0, 0, 0)),
  added as (
    update figures.referrer_totals t set referrals = t.referrals + p.referrals,
      signed_contracts = t.signed_contracts + p.signed_contracts, revenue = t.revenue + p.revenue
    from place p where t.id = p.id)
  insert into figures.referrer_totals (referrer_id, commercial_id, as_friend, referrals, signed_contracts, revenue)
  select p.referrer_id, p.commercial_id, p.as_friend, p.referrals, p.signed_contracts, p.revenue
  from place p where p.id is null;
end
$$;

-- Once per statement, so that many rows written at once are added as one.
create function private.count_sales() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  case tg_op
    when 'INSERT' then
      perform private.add_sale_effects(array(select private.effect_of(n, 1) from new_rows n));
    when 'UPDATE' then
      perform private.add_sale_effects(array(
        select private.effect_of(n, 1) from new_rows n union all select private.effect_of(o, -1) from old_rows o));
    when 'DELETE' then
      perform private.add_sale_effects(array(select private.effect_of(o, -1) from old_rows o));
  end case;
  return null;
end
$$;
create trigger sales_counted_on_insert after insert on public.sales referencing new table as new_rows
  for each statement execute function private.count_sales();
create trigger sales_counted_on_update after update on public.sales referencing old table as old_rows new table as new_rows
  for each statement execute function private.count_sales();
create trigger sales_counted_on_delete after delete on public.sales referencing old table as old_rows
  for each statement execute function private.count_sales();

create function private.add_to_company(p_what text, p_number bigint, p_amount numeric) returns void
language plpgsql security definer set search_path = '' as $$
begin
  if p_number = 0 and p_amount = 0 then return; end if;
  update figures.company_totals t set number = t.number + p_number, amount = t.amount + p_amount
  where t.id = (select f.id from figures.company_totals f where f.what = p_what limit 1 for update skip locked);
  if not found then
    insert into figures.company_totals (what, number, amount) values (p_what, p_number, p_amount);
  end if;
end
$$;

create function private.count_payment_request() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if tg_op <> 'INSERT' then perform private.add_to_company('requests_' || old.status, -1, -old.amount); end if;
  if tg_op <> 'DELETE' then perform private.add_to_company('requests_' || new.status, 1, new.amount); end if;
  return null;
end
$$;
create trigger payment_requests_counted after insert or delete on public.payment_requests
  for each row execute function private.count_payment_request();
create trigger payment_requests_counted_on_update after update on public.payment_requests
  for each row when (old.status <> new.status) execute function private.count_payment_request();

-- Who was paid beyond what they still earn (S-11): few, if any.
create index balances_in_debt on public.balances (profile_id) where paid > earned - reversed;

create function private.count_profile() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  active constant text := 'active_commercials';
begin
  if tg_op = 'UPDATE' then
    perform private.add_to_company(active, (new.deactivated_at is null)::integer - (old.deactivated_at is null)::integer, 0);
  elsif tg_op = 'INSERT' then
    if new.role = 'client' then perform private.add_to_company('clients', 1, 0); end if;
    if new.role = 'commercial' and new.deactivated_at is null then perform private.add_to_company(active, 1, 0); end if;
  else
    if old.role = 'client' then perform private.add_to_company('clients', -1, 0); end if;
    if old.role = 'commercial' and old.deactivated_at is null then perform private.add_to_company(active, -1, 0); end if;
    delete from figures.sale_totals t where t.commercial_id = old.id;
    delete from figures.referrer_totals t where t.referrer_id = old.id;
  end if;
  return null;
end
$$;
create trigger profiles_counted_on_insert after insert on public.profiles
  for each row execute function private.count_profile();
create trigger profiles_counted_on_update after update of deactivated_at on public.profiles
  for each row when (new.role = 'commercial') execute function private.count_profile();
create trigger profiles_counted_on_delete after delete on public.profiles
  for each row execute function private.count_profile();

-- The same totals, counted anew from every row: what `npm run verify` compares them with.
create view figures.recounted_sales with (security_invoker = true) as
  select coalesce(s.commercial_id, '00000000-0000-0000-0000-000000000000') as commercial_id,
    private.sale_state(s.status, s.ready_for_validation, s.admin_validated, s.corrects_sale_id) as state,
    count(*) as sales, coalesce(sum(s.contract_amount), 0) as contract_amount,
    coalesce(sum(s.client_commission_amount), 0) as client_commission,
    coalesce(sum(s.commercial_commission_amount), 0) as commercial_commission
  from public.sales s
  group by 1, 2;
create view figures.recounted_referrers with (security_invoker = true) as
  select coalesce(s.friend_referrer_id, s.client_referrer_id) as referrer_id,
    coalesce(s.commercial_id, '00000000-0000-0000-0000-000000000000') as commercial_id, s.friend_referrer_id is not null as as_friend,
    count(*) filter (where s.corrects_sale_id is null) as referrals,
    count(*) filter (where s.status = 'validated' and s.corrects_sale_id is null)
      - count(*) filter (where s.corrects_sale_id is not null) as signed_contracts,
    coalesce(sum(s.contract_amount) filter (where s.status = 'validated'), 0) as revenue
  from public.sales s
  where coalesce(s.friend_referrer_id, s.client_referrer_id) is not null
  group by 1, 2, 3;
create view figures.recounted_company with (security_invoker = true) as
  select 'clients' as what, count(*) as number, 0::numeric as amount from public.profiles p where p.role = 'client'
  union all
  select 'active_commercials', count(*), 0 from public.profiles p where p.role = 'commercial' and p.deactivated_at is null
  union all
  select 'requests_' || r.status, count(*), sum(r.amount) from public.payment_requests r group by r.status;
grant select on figures.recounted_sales, figures.recounted_referrers, figures.recounted_company to parrain_service;

-- Counts everything anew: where rows were there before these totals, or were written past their triggers.
create function private.recount() returns void
language plpgsql security definer set search_path = '' as $$
begin
  lock table public.profiles, public.sales, public.payment_requests in share row exclusive mode;
  delete from figures.sale_totals;
  delete from figures.referrer_totals;
  delete from figures.company_totals;
  insert into figures.sale_totals (commercial_id, state, sales, contract_amount, client_commission, commercial_commission)
  select r.commercial_id, r.state, r.sales, r.contract_amount, r.client_commission, r.commercial_commission from figures.recounted_sales r;
  insert into figures.referrer_totals (referrer_id, commercial_id, as_friend, referrals, signed_contracts, revenue)
  select r.referrer_id, r.commercial_id, r.as_friend, r.referrals, r.signed_contracts, r.revenue from figures.recounted_referrers r;
  insert into figures.company_totals (what, number, amount) select r.what, r.number, r.amount from figures.recounted_company r;
end
$$;

-- M-04, M-05, M-06, AD-03.
create or replace function public.admin_figures()
returns table (validated_sales bigint, revenue numeric, commercials bigint, clients bigint, pending_commissions numeric,
  paid_commissions numeric, sales_to_validate bigint, requests_to_decide bigint, requests_to_pay bigint, commissions_due numeric)
language sql stable set search_path = '' rows 1 as $$
  with sales as (
    select coalesce(sum(t.sales) filter (where t.state = 'validated'), 0)
        - coalesce(sum(t.sales) filter (where t.state = 'correction'), 0) as validated,
      coalesce(sum(t.contract_amount) filter (where t.state in ('validated', 'correction')), 0) as revenue,
      coalesce(sum(t.client_commission) filter (where t.state in ('validated', 'correction')), 0) as of_clients,
      coalesce(sum(t.commercial_commission) filter (where t.state in ('validated', 'correction')), 0) as of_commercials,
      coalesce(sum(t.sales) filter (where t.state in ('awaiting_final_validation', 'awaiting_admin_validation')), 0) as to_validate
    from figures.sale_totals t),
  company as (
    select coalesce(sum(t.number) filter (where t.what = 'active_commercials'), 0) as commercials,
      coalesce(sum(t.number) filter (where t.what = 'clients'), 0) as clients,
      coalesce(sum(t.number) filter (where t.what = 'requests_pending'), 0) as pending,
      coalesce(sum(t.number) filter (where t.what = 'requests_approved'), 0) as approved,
      coalesce(sum(t.amount) filter (where t.what = 'requests_paid'), 0) as paid
    from figures.company_totals t),
  debts as (select coalesce(sum(b.paid - b.earned + b.reversed), 0) as amount from public.balances b where b.paid > b.earned - b.reversed)
  -- M-03: a commission is « paid » from the moment its sale is validated. What is due to the clients is what they earned
  -- less what they were paid; what one of them was paid too much takes nothing off what another is owed.
  select s.validated, s.revenue, c.commercials, c.clients, greatest(s.of_clients + s.of_commercials - c.paid, 0),
    s.of_clients + s.of_commercials, s.to_validate, c.pending, c.approved, s.of_clients - c.paid + d.amount
  from sales s, company c, debts d
  where (select private.user_role()) = 'admin'
$$;

-- CO-04, CO-08, M-09.
create or replace function public.commercial_figures()
returns table (clients bigint, referrals bigint, signed_contracts bigint, revenue numeric, validated_contracts bigint,
  validated_revenue numeric, commissions_earned numeric, commissions_pending numeric, to_follow_up bigint)
language sql stable set search_path = '' rows 1 as $$
  select (select count(*) from public.profiles p where p.commercial_id = (select private.uid()) and p.role = 'client'),
    coalesce(sum(t.sales) filter (where t.state <> 'correction'), 0),
    coalesce(sum(t.sales) filter (where t.state in ('awaiting_admin_validation', 'validated')), 0)
      - coalesce(sum(t.sales) filter (where t.state = 'correction'), 0),
    coalesce(sum(t.contract_amount) filter (where t.state in ('awaiting_admin_validation', 'validated', 'correction')), 0),
    coalesce(sum(t.sales) filter (where t.state = 'validated'), 0) - coalesce(sum(t.sales) filter (where t.state = 'correction'), 0),
    coalesce(sum(t.contract_amount) filter (where t.state in ('validated', 'correction')), 0),
    coalesce(sum(t.commercial_commission) filter (where t.state in ('validated', 'correction')), 0),
    coalesce(sum(t.commercial_commission) filter (where t.state in ('awaiting_final_validation', 'awaiting_admin_validation')), 0),
    coalesce(sum(t.sales) filter (where t.state in ('pending', 'contacted', 'in_negotiation')), 0)
  from figures.sale_totals t where t.commercial_id = (select private.uid())
$$;

-- D-07, CO-05, AD-06: each client with what they brought in, as far as the asker may see it.
create or replace view public.client_summaries with (security_invoker = true) as
  select p.id, p.full_name, p.email, p.phone, p.company, p.notes, p.commercial_id, p.created_at, p.is_test,
    t.total_referrals, t.signed_contracts, t.revenue_generated
  from public.profiles p
  cross join lateral (
    select coalesce(sum(t.referrals), 0)::bigint as total_referrals,
      coalesce(sum(t.signed_contracts), 0)::bigint as signed_contracts,
      coalesce(sum(t.revenue), 0)::numeric(14, 2) as revenue_generated
    from figures.referrer_totals t where t.referrer_id = p.id) t
  where p.role = 'client';

do $$
declare
  f regprocedure;
begin
  for f in select p.oid::regprocedure from pg_proc p where p.pronamespace = 'private'::regnamespace and p.prosecdef loop
    execute format('alter function %s owner to parrain_service', f);
  end loop;
end
$$;
grant execute on function private.sale_state(text, boolean, boolean, uuid), private.effect_of(public.sales, integer),
  private.add_sale_effects(private.sale_effect[]), private.add_to_company(text, bigint, numeric),
  private.recount() to parrain_service;

select private.recount();
