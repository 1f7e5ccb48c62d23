-- NV-03: one question finds people, sales and payment requests, as far as the asker may read them; typing errors are forgiven.

-- As they were (0013, 0021), over terms in the place of words.
create or replace function private.find_profiles(p_pattern text, p_most integer) returns uuid[]
language plpgsql security definer set search_path = '' set enable_seqscan = off set enable_indexscan = off
  set plan_cache_mode = force_custom_plan as $$
declare
  pattern constant text := private.terms_pattern(p_pattern);
  found uuid[];
begin
  -- Nobody else sees so many people that finding them first would help.
  if private.user_role() is distinct from 'admin' or p_pattern !~ '[[:alnum:]]{3}' then return null; end if;
  select coalesce(array_agg(f.id), '{}') into found from (
    select p.id from public.profiles p
    where private.person_terms(p.full_name, p.email, p.phone, p.company) like pattern limit p_most + 1) f;
  return case when cardinality(found) > p_most then null else found end;
end
$$;

create or replace function private.find_sales(p_pattern text, p_most integer) returns uuid[]
language plpgsql security definer set search_path = '' set enable_seqscan = off set enable_indexscan = off
  set plan_cache_mode = force_custom_plan as $$
declare
  me constant uuid := private.uid();
  pattern constant text := private.terms_pattern(p_pattern);
  found uuid[];
begin
  if private.user_role() = 'admin' then
    -- Three letters in a row are the least that a trigram index can look for.
    if p_pattern !~ '[[:alnum:]]{3}' then return null; end if;
    select coalesce(array_agg(f.id), '{}') into found from (
      select s.id from public.sales s
      where private.sale_terms(s.referred_contact_name, s.referred_contact_email, s.referred_contact_phone, s.contract_description)
        like pattern limit p_most + 1) f;
  else
    -- The same sight as sales_authenticated_read: of one's own rows all can be read.
    select coalesce(array_agg(f.id), '{}') into found from (
      select s.id from public.sales s
      where s.commercial_id = me
        and private.sale_terms(s.referred_contact_name, s.referred_contact_email, s.referred_contact_phone, s.contract_description)
        like pattern
      union
      select s.id from public.sales s
      where s.friend_referrer_id = me
        and private.sale_terms(s.referred_contact_name, s.referred_contact_email, s.referred_contact_phone, s.contract_description)
        like pattern
      limit p_most + 1) f;
  end if;
  return case when cardinality(found) > p_most then null else found end;
end
$$;

drop index public.profiles_by_words;
drop index public.sales_by_commercial_and_words;
drop function private.person_words(text, text, text, text);
drop function private.sale_words(text, text, text, text);

-- The ids of at most p_most people or sales that hold every word of a text, or (p_is_near) nearly hold it, the most alike first. It
-- looks with the server's own sight, at what the caller's role could see; whoever asks for the rows still sees none that a policy
-- hides. Planned for the text it is given, by the trigrams alone.
create function private.look_up(p_relation text, p_text text, p_most integer, p_is_near boolean) returns uuid[]
language plpgsql stable security definer set search_path = '' set enable_seqscan = off set enable_indexscan = off as $$
declare
  -- How alike a text and a part of the terms must be: one wrong letter changes three trigrams, two that are swapped four. So much
  -- else is alike too that only the first are compared: the best of them are given.
  alike constant real := 0.36;
  looked_at constant integer := 300;
  scope text;
  terms text;
  patterns text[];
  found uuid[];
begin
  case p_relation
    when 'profiles' then
      terms := 'private.person_terms(t.full_name, t.email, t.phone, t.company)';
      scope := case private.user_role() when 'admin' then 't.role <> ''admin''' when 'commercial' then 't.commercial_id = $1' end;
    when 'sales' then
      terms := 'private.sale_terms(t.referred_contact_name, t.referred_contact_email, t.referred_contact_phone, t.contract_description)';
      scope := case private.user_role() when 'admin' then 't.corrects_sale_id is null'
        when 'commercial' then 't.commercial_id = $1 and t.corrects_sale_id is null'
        when 'client' then 't.friend_referrer_id = $1 and t.corrects_sale_id is null' end;
  end case;
  -- The three longest words say enough.
  select array_agg('%' || regexp_replace(w.word, '([\\%_])', '\\\1', 'g') || '%' order by length(w.word) desc) into patterns
    from regexp_split_to_table(p_text, '\s+') w (word) where w.word <> '';
  if scope is null or coalesce(patterns[1], '') !~ '[[:alnum:]]{3}' then return '{}'; end if;
  if p_is_near then
    perform set_config('pg_trgm.word_similarity_threshold', alike::text, true);
    execute format('select coalesce(array_agg(f.id), ''{}'') from (
        select c.id from (
          select t.id, public.word_similarity($2, %3$s) as likeness from public.%1$I t
          where %2$s and %3$s operator(public.%%>) $2 limit $4) c
        order by c.likeness desc, c.id limit $3) f', p_relation, scope, terms)
      into found using private.uid(), p_text, p_most, looked_at;
    return found;
  end if;
  -- Of what stands in every tenth sale, the newest hold enough: no index is quick at finding half a table.
  if p_relation = 'sales' and private.user_role() = 'admin' then
    execute format('select coalesce(array_agg(t.id), ''{}'') from (
        select * from public.sales s order by s.created_at desc, s.id limit 500) t
        where %1$s and %2$s like $1 and %2$s like $2 and %2$s like $3', scope, terms)
      into found using patterns[1], coalesce(patterns[2], '%'), coalesce(patterns[3], '%');
    if cardinality(found) >= 50 then return found; end if;
  end if;
  execute format('select coalesce(array_agg(f.id), ''{}'') from (select t.id from public.%1$I t
      where %2$s and %3$s like $2 and %3$s like $3 and %3$s like $4 limit $5) f', p_relation, scope, terms)
    into found using private.uid(), patterns[1], coalesce(patterns[2], '%'), coalesce(patterns[3], '%'), p_most;
  return found;
end
$$;
alter function private.look_up(text, text, integer, boolean) owner to parrain_service;
grant execute on function private.look_up(text, text, integer, boolean) to authenticated, parrain_service;
grant execute on function public.word_similarity(text, text), public.word_similarity_commutator_op(text, text) to parrain_service;

-- What the command palette shows: of each kind the five that fit best. A sale and a request answer to their short id too (I-03).
create function public.find_anything(p_text text)
returns table (kind text, id uuid, name text, detail text, amount numeric, status text, ready_for_validation boolean,
  admin_validated boolean, is_cancelled boolean, created_at timestamptz)
language plpgsql stable set search_path = '' rows 20 as $$
declare
  asked constant text := private.plain_letters(btrim(left(p_text, 80)));
  most constant integer := 100;
  low constant uuid := case when asked ~ '^#?[0-9a-f]{8}$' then (ltrim(asked, '#') || '-0000-0000-0000-000000000000')::uuid end;
  high constant uuid := case when low is not null then (ltrim(asked, '#') || '-ffff-ffff-ffff-ffffffffffff')::uuid end;
  euros constant numeric := case when asked ~ '^\d{1,8}([.,]\d{1,2})?$' then replace(asked, ',', '.')::numeric end;
  people uuid[] := private.look_up('profiles', asked, most, false);
  sales uuid[] := private.look_up('sales', asked, most, false);
begin
  if cardinality(people || sales) = 0 and low is null and euros is null then
    people := private.look_up('profiles', asked, most, true);
    sales := private.look_up('sales', asked, most, true);
  end if;
  return query
  select f.kind, f.id, f.name, f.detail, f.amount, f.status, f.ready_for_validation, f.admin_validated, f.is_cancelled, f.created_at
  from (
    select a.*, row_number() over (partition by a.kind order by a.fit, a.nearness, a.created_at desc, a.id) as place from (
      select b.*, case when k.plain = asked then 0 when k.plain like k.starts then 1 when k.plain like k.inner_starts then 2
          when k.plain like k.holds then 3 else 4 end as fit,
        -- What holds the words is as near as the rest of what does; what is only alike has its place.
        case when k.plain like k.holds then 0 else array_position(people || sales, b.id) end as nearness
      from (
        select p.role as kind, p.id, p.full_name as name, coalesce(nullif(p.email, ''), p.company) as detail, null::numeric as amount,
          null::text as status, null::boolean as ready_for_validation, null::boolean as admin_validated,
          p.deactivated_at is not null as is_cancelled, p.created_at
        from public.profiles p where p.id = any (people)
        union all
        select 'sale', s.id, s.referred_contact_name, s.contract_description, s.contract_amount, s.status, s.ready_for_validation,
          s.admin_validated, exists (select from public.sales c where c.corrects_sale_id = s.id), s.created_at
        from public.sales s where s.id = any (sales) or low is not null and s.id between low and high
        union all
        select 'request', r.id, c.full_name, r.payment_method, r.amount, r.status, null, null, null, r.created_at
        from public.payment_requests r join public.profiles c on c.id = r.client_id
        where r.client_id = any (people) or low is not null and r.id between low and high
          or euros is not null and r.client_id = (select private.uid()) and r.amount = euros
      ) b,
      lateral (select private.plain_letters(b.name) as plain, asked || '%' as starts, '% ' || asked || '%' as inner_starts,
        '%' || asked || '%' as holds) k
    ) a) f
  where f.place <= 5
  order by f.fit, f.nearness, f.created_at desc, f.id;
end
$$;
grant execute on function public.find_anything(text) to authenticated;
