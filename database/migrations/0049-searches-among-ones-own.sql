-- A commercial's search reads what is both theirs and like the pattern: the two stand in one index.
--
-- Under row level security the planner uses no statistics of an index's expression, so it took every search for a rare one: it
-- read all sales that are like the pattern, whosever they are, and `planned_rows` guessed nothing.
create extension if not exists btree_gin with schema public;
drop index public.sales_by_words;
create index sales_by_commercial_and_words on public.sales using gin (commercial_id,
  private.sale_words(referred_contact_name, referred_contact_email, referred_contact_phone, contract_description) gin_trgm_ops);

create or replace function private.find_sales(p_pattern text, p_most integer) returns uuid[]
language plpgsql security definer set search_path = '' set enable_seqscan = off set enable_indexscan = off
  set plan_cache_mode = force_custom_plan as $$
declare
  me constant uuid := private.uid();
  found uuid[];
begin
  if private.user_role() = 'admin' then
    -- Three letters in a row are the least that a trigram index can look for.
    if p_pattern !~ '[[:alnum:]]{3}' then return null; end if;
    select coalesce(array_agg(f.id), '{}') into found from (
      select s.id from public.sales s
      where private.sale_words(s.referred_contact_name, s.referred_contact_email, s.referred_contact_phone, s.contract_description)
        ilike p_pattern limit p_most + 1) f;
  else
    -- The same sight as sales_authenticated_read: of one's own rows all can be read.
    select coalesce(array_agg(f.id), '{}') into found from (
      select s.id from public.sales s
      where s.commercial_id = me
        and private.sale_words(s.referred_contact_name, s.referred_contact_email, s.referred_contact_phone, s.contract_description)
        ilike p_pattern
      union
      select s.id from public.sales s
      where s.friend_referrer_id = me
        and private.sale_words(s.referred_contact_name, s.referred_contact_email, s.referred_contact_phone, s.contract_description)
        ilike p_pattern
      limit p_most + 1) f;
  end if;
  return case when cardinality(found) > p_most then null else found end;
end
$$;

create or replace function private.find_profiles(p_pattern text, p_most integer) returns uuid[]
language plpgsql security definer set search_path = '' set enable_seqscan = off set enable_indexscan = off
  set plan_cache_mode = force_custom_plan as $$
declare
  found uuid[];
begin
  -- Nobody else sees so many people that finding them first would help.
  if private.user_role() is distinct from 'admin' or p_pattern !~ '[[:alnum:]]{3}' then return null; end if;
  select coalesce(array_agg(f.id), '{}') into found from (
    select p.id from public.profiles p
    where private.person_words(p.full_name, p.email, p.phone, p.company) ilike p_pattern limit p_most + 1) f;
  return case when cardinality(found) > p_most then null else found end;
end
$$;

drop function private.planned_rows(text, text);
