-- Lists stay fast with a million rows: an index for every sort that a screen offers, exact counts out of kept totals, and
-- searches that find their rows before row level security is asked.

-- Sorts, each with the id that decides between equals, read forwards or backwards. A missing amount is last either way.
create index sales_by_name on public.sales (referred_contact_name, id);
create index sales_by_status_alone on public.sales (status, id);
create index sales_by_amount on public.sales (contract_amount, id);
create index sales_by_amount_down on public.sales (contract_amount desc nulls last, id desc);

-- Counts. `figures.counted_<relation>` has some columns of a relation and, for each of their combinations, how many rows
-- have it: a count whose conditions speak of these columns alone is a sum over it. For who sees every row that is counted
-- only: the admin, or a commercial counting their own sales.
create view figures.counted_sales with (security_invoker = true) as
  select nullif(t.commercial_id, '00000000-0000-0000-0000-000000000000') as commercial_id, s.status, s.ready_for_validation,
    s.admin_validated,
    -- Of what is corrected only whether it is: nothing else may be asked of it.
    case when t.state = 'correction' then '00000000-0000-0000-0000-000000000000'::uuid end as corrects_sale_id,
    t.sales as row_count
  from figures.sale_totals t
  -- What private.sale_state reads, read back: the constraints of sales leave no other combination.
  join (values
    ('pending', 'pending', false, false), ('contacted', 'contacted', false, false),
    ('in_negotiation', 'in_negotiation', false, false), ('rejected', 'rejected', false, false),
    ('awaiting_final_validation', 'pending', true, false), ('awaiting_admin_validation', 'validated', true, false),
    ('validated', 'validated', true, true), ('correction', 'validated', true, true)
  ) s (state, status, ready_for_validation, admin_validated) on s.state = t.state;

create view figures.counted_payment_requests with (security_invoker = true) as
  select substr(t.what, length('requests_') + 1) as status, t.number as row_count
  from figures.company_totals t where t.what in ('requests_pending', 'requests_approved', 'requests_paid', 'requests_rejected');

create view figures.counted_profiles with (security_invoker = true) as
  select substr(t.what, length('role_') + 1) as role, t.number as row_count
  from figures.company_totals t where t.what in ('role_admin', 'role_commercial', 'role_client');

grant select on figures.counted_sales, figures.counted_payment_requests, figures.counted_profiles
  to authenticated, service_role;

alter table figures.company_totals drop constraint company_totals_what_is_known;
alter table figures.company_totals add constraint company_totals_what_is_known check (what in (
  'clients', 'active_commercials', 'requests_pending', 'requests_approved', 'requests_paid', 'requests_rejected',
  'role_admin', 'role_commercial', 'role_client'));

create or replace view figures.recounted_company with (security_invoker = true) as
  select 'clients' as what, count(*) as number, 0::numeric as amount from public.profiles p where p.role = 'client'
  union all
  select 'active_commercials', count(*), 0 from public.profiles p where p.role = 'commercial' and p.deactivated_at is null
  union all
  select 'requests_' || r.status, count(*), sum(r.amount) from public.payment_requests r group by r.status
  union all
  select 'role_' || p.role, count(*), 0 from public.profiles p group by p.role;

create function private.count_role() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if tg_op <> 'INSERT' then perform private.add_to_company('role_' || old.role, -1, 0); end if;
  if tg_op <> 'DELETE' then perform private.add_to_company('role_' || new.role, 1, 0); end if;
  return null;
end
$$;
create trigger profiles_counted_by_role after insert or delete on public.profiles
  for each row execute function private.count_role();
create trigger profiles_counted_by_role_on_update after update on public.profiles
  for each row when (old.role <> new.role) execute function private.count_role();

insert into figures.company_totals (what, number, amount)
select r.what, r.number, r.amount from figures.recounted_company r where r.what in ('role_admin', 'role_commercial', 'role_client');

-- Searches. `ilike` may tell of rows by failing on them, so under row level security no index can serve it. These functions
-- look with the server's own sight and give ids alone; whoever asks for the rows still sees none that a policy hides.
drop index public.sales_by_contact_name;
create function private.sale_words(name text, email text, phone text, description text) returns text
language sql immutable parallel safe
return name || e'\n' || coalesce(email, '') || e'\n' || coalesce(phone, '') || e'\n' || coalesce(description, '');
create index sales_by_words on public.sales
  using gin (private.sale_words(referred_contact_name, referred_contact_email, referred_contact_phone, contract_description) gin_trgm_ops);

drop index public.profiles_by_name;
create function private.person_words(name text, email text, phone text, company text) returns text
language sql immutable parallel safe
return name || e'\n' || email || e'\n' || coalesce(phone, '') || e'\n' || coalesce(company, '');
create index profiles_by_words on public.profiles
  using gin (private.person_words(full_name, email, phone, company) gin_trgm_ops);

-- What the planner expects a statement to give: a guess out of statistics, without reading a row.
create function private.planned_rows(p_statement text, p_pattern text) returns bigint
language plpgsql set search_path = '' as $$
declare
  plan json;
begin
  execute 'explain (format json) ' || replace(p_statement, '$1', quote_literal(p_pattern)) into plan;
  return plan -> 0 -> 'Plan' ->> 'Plan Rows';
end
$$;

-- The ids of every row whose words are like the pattern, as far as the caller's role could see them; null where they are more
-- than p_most, or cannot be found quickly: then whoever asks looks for itself, and finds what is common by walking its order.
-- Planned for the pattern it is given, and by the trigrams alone: a plan for any pattern would walk another index whole.
create function private.find_sales(p_pattern text, p_most integer) returns uuid[]
language plpgsql security definer set search_path = '' set enable_seqscan = off set enable_indexscan = off
  set plan_cache_mode = force_custom_plan as $$
declare
  me constant uuid := private.uid();
  found uuid[];
begin
  if private.user_role() = 'admin' then
    -- Three letters in a row are the least that a trigram index can look for; of what is common it would read too much.
    if p_pattern !~ '[[:alnum:]]{3}' or private.planned_rows(
      'select from public.sales s where private.sale_words(s.referred_contact_name, s.referred_contact_email,
        s.referred_contact_phone, s.contract_description) ilike $1', p_pattern) > 10 * p_most then return null; end if;
    select coalesce(array_agg(f.id), '{}') into found from (
      select s.id from public.sales s
      where private.sale_words(s.referred_contact_name, s.referred_contact_email, s.referred_contact_phone, s.contract_description)
        ilike p_pattern limit p_most + 1) f;
  else
    -- The same sight as sales_authenticated_read: of one's own rows all can be read.
    select coalesce(array_agg(f.id), '{}') into found from (
      select s.id from public.sales s
      where (s.commercial_id = me or s.friend_referrer_id = me)
        and private.sale_words(s.referred_contact_name, s.referred_contact_email, s.referred_contact_phone, s.contract_description)
        ilike p_pattern limit p_most + 1) f;
  end if;
  return case when cardinality(found) > p_most then null else found end;
end
$$;

create function private.find_profiles(p_pattern text, p_most integer) returns uuid[]
language plpgsql security definer set search_path = '' set enable_seqscan = off set enable_indexscan = off
  set plan_cache_mode = force_custom_plan as $$
declare
  found uuid[];
begin
  -- Nobody else sees so many people that finding them first would help.
  if private.user_role() is distinct from 'admin' or p_pattern !~ '[[:alnum:]]{3}' or private.planned_rows(
    'select from public.profiles p where private.person_words(p.full_name, p.email, p.phone, p.company) ilike $1', p_pattern)
    > 10 * p_most then return null; end if;
  select coalesce(array_agg(f.id), '{}') into found from (
    select p.id from public.profiles p
    where private.person_words(p.full_name, p.email, p.phone, p.company) ilike p_pattern limit p_most + 1) f;
  return case when cardinality(found) > p_most then null else found end;
end
$$;

do $$
declare
  f regprocedure;
begin
  for f in select p.oid::regprocedure from pg_proc p where p.pronamespace = 'private'::regnamespace and p.prosecdef loop
    execute format('alter function %s owner to parrain_service', f);
  end loop;
end
$$;
revoke execute on function private.find_sales(text, integer), private.find_profiles(text, integer) from public;
grant execute on function private.planned_rows(text, text) to parrain_service;
-- Whoever writes a row keeps its indexes with their own rights.
grant execute on function private.sale_words(text, text, text, text), private.person_words(text, text, text, text)
  to authenticated, service_role, parrain_service;
grant execute on function private.find_sales(text, integer), private.find_profiles(text, integer)
  to authenticated, service_role, parrain_service;
