-- The totals behind the dashboards, kept while rows change, so that a card costs the same with a million sales.

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
  commercial_commission numeric(16, 2) not null,
  -- How many commissions the validated ones have: one for each side.
  commissions bigint not null
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
    'requests_approved', 'requests_paid', 'requests_rejected', 'role_admin', 'role_commercial', 'role_client')
    -- Entries of the trail, by what they are about.
    or what like 'trail\_%')
) with (fillfactor = 50);
create index company_totals_by_key on figures.company_totals (what);

grant select, insert, update, delete on figures.sale_totals, figures.referrer_totals, figures.company_totals to parrain_service;
grant select on figures.sale_totals, figures.referrer_totals, figures.company_totals to authenticated, service_role;

-- The same sight as of the sales themselves.
create policy sale_totals_authenticated_read on figures.sale_totals for select to authenticated using (
  case when (select private.user_role()) = 'admin' then true else commercial_id = (select private.uid()) end);
create policy referrer_totals_authenticated_read on figures.referrer_totals for select to authenticated using (
  case when (select private.user_role()) = 'admin' then true else
    commercial_id = (select private.uid()) or as_friend and referrer_id = (select private.uid()) end);
create policy company_totals_admin_read on figures.company_totals for select to authenticated using (
  (select private.user_role()) = 'admin');

-- What a sale truly is, its status and flags read together: the domain's `saleState`.
create function private.sale_state(p_status text, p_ready boolean, p_admin_validated boolean, p_corrects uuid) returns text
language sql immutable parallel safe
return case
  when p_corrects is not null then 'correction'
  when p_admin_validated then 'validated'
  when p_status = 'validated' then 'awaiting_admin_validation'
  when p_ready then 'awaiting_final_validation'
  else p_status end;

-- What one sale adds to the totals; with the sign -1, what it takes back.
create type private.sale_effect as (
  commercial_id uuid,
  state text,
  referrer_id uuid,
  as_friend boolean,
  sales integer,
  contract_amount numeric,
  client_commission numeric,
  commercial_commission numeric,
  commissions integer
);

-- `(select p_effects)` hides how many there are from the planner, which would otherwise plan anew at every call.
create function private.add_sale_effects(p_effects private.sale_effect[]) returns void
language plpgsql security definer set search_path = '' as $$
begin
  with change as (
    select e.commercial_id, e.state, sum(e.sales) as sales, sum(e.contract_amount) as contract_amount,
      sum(e.client_commission) as client_commission, sum(e.commercial_commission) as commercial_commission,
      sum(e.commissions) as commissions
    from unnest((select p_effects)) e
    group by e.commercial_id, e.state
    having (sum(e.sales), sum(e.contract_amount), sum(e.client_commission), sum(e.commercial_commission), sum(e.commissions)) <> (0, 0, 0, 0, 0)),
  place as (
    select c.*, free.id
    from change c
    left join lateral (select f.id from figures.sale_totals f where f.commercial_id = c.commercial_id and f.state = c.state
      limit 1 for update skip locked) free on true),
  added as (
    update figures.sale_totals t set sales = t.sales + p.sales, contract_amount = t.contract_amount + p.contract_amount,
      client_commission = t.client_commission + p.client_commission,
      commercial_commission = t.commercial_commission + p.commercial_commission, commissions = t.commissions + p.commissions
    from place p where t.id = p.id)
  insert into figures.sale_totals (commercial_id, state, sales, contract_amount, client_commission, commercial_commission, commissions)
  select p.commercial_id, p.state, p.sales, p.contract_amount, p.client_commission, p.commercial_commission, p.commissions
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
