-- NV-03: a search with a typing error goes from each word that was typed to the words nearest to it, and from these to the rows that
-- hold them. Half of what a wrong word is made of stands in most rows of a million; a word that is there stands in some of them.

-- The words of people and sales, without digits. A night's work writes them anew, so that those of who was erased go with it.
create table private.known_words (
  word text primary key,
  -- How many people and sales had it.
  holders integer not null
);
create index known_words_by_letters on private.known_words using gin (word gin_trgm_ops);
alter table private.known_words enable row level security;
alter table private.known_words force row level security;
create policy known_words_service_all on private.known_words to parrain_service using (true) with check (true);
grant select, insert, update, delete on private.known_words to parrain_service;

create function private.count_words() returns void
language plpgsql security definer set search_path = '' as $$
begin
  lock table private.known_words in exclusive mode;
  delete from private.known_words;
  insert into private.known_words (word, holders)
  -- Cut roughly first: letters are made plain once for each word, and not once for each row.
  with cut as (
    select w.word, count(*) as holders
    from (
      select concat_ws(' ', s.referred_contact_name, s.referred_contact_email, s.contract_description) as words
      from public.sales s where s.corrects_sale_id is null
      union all
      select concat_ws(' ', p.full_name, p.email, p.company) from public.profiles p where p.role <> 'admin') t,
      string_to_table(translate(lower(t.words), e'0123456789@.-_,;:/()\'’«»\n', repeat(' ', 26)), ' ') w (word)
    where length(w.word) >= 3
    group by w.word)
  select left(x.word, 40), sum(c.holders)
  from cut c, regexp_split_to_table(private.plain_letters(c.word), '[^[:alpha:]]+') x (word)
  where length(x.word) >= 3
  group by 1;
end
$$;

-- What the terms of a row must say to hold each word of a text, or one of the words nearest to it. Empty where no word says anything:
-- nothing is like it, or so much that no index helps.
create function private.near_condition(p_terms text, p_text text) returns text
language plpgsql stable security definer set search_path = '' as $$
declare
  -- One wrong letter leaves a quarter of a short word's trigrams.
  alike constant real := 0.25;
  too_common constant integer := 100000;
  -- The three longest words say enough.
  asked constant text[] := array(select t.word from (
      select distinct left(m.found[1], 40) as word from regexp_matches(p_text, '[[:alpha:]]{3,}|[[:digit:]]{3,}', 'g') m (found)) t
    order by length(t.word) desc, t.word limit 3);
  nearest constant integer := case when cardinality(asked) = 3 then 2 else 3 end;
  typed text;
  near text[];
  holders bigint;
  -- One arm for each choice of words: an index finds rows that hold several words sooner than rows that hold one of them.
  arms text[] := array[''];
begin
  perform set_config('pg_trgm.similarity_threshold', alike::text, true);
  foreach typed in array asked loop
    if typed ~ '^\d' then
      -- Of a number with one wrong digit, one half is right.
      near := case when length(typed) < 8 then array[typed] else array[left(typed, length(typed) / 2), right(typed, length(typed) / 2)] end;
    else
      -- What was typed comes first where words hold it: another one was typed wrong.
      select array_agg(n.word order by n.place), sum(n.holders) into near, holders from (
        select k.word, k.holders, row_number() over (order by k.likeness desc, k.holders desc, k.word) as place
        from (
          select typed as word, sum(w.holders) as holders, 1 as likeness from private.known_words w
          where w.word like '%' || typed || '%' having count(*) > 0
          union all
          select w.word, w.holders, public.similarity(w.word, typed) from private.known_words w
          where w.word operator(public.%) typed and w.word not like '%' || typed || '%') k
        limit nearest) n;
      continue when near is null or holders > too_common;
    end if;
    arms := array(select a.arm || format(' and %s like %L', p_terms, '%' || n.word || '%') from unnest(arms) a (arm), unnest(near) n (word));
  end loop;
  return array_to_string(array(select '(' || substr(a.arm, 6) || ')' from unnest(arms) a (arm) where a.arm <> ''), ' or ');
end
$$;

-- The ids of at most p_most people or sales that hold every word of a text, or (p_is_near) nearly hold it, the most alike first. It
-- looks with the server's own sight, at what the caller's role could see; whoever asks for the rows still sees none that a policy
-- hides. Planned for the text it is given, by the trigrams alone.
create or replace function private.look_up(p_relation text, p_text text, p_most integer, p_is_near boolean) returns uuid[]
language plpgsql stable security definer set search_path = '' set enable_seqscan = off set enable_indexscan = off as $$
declare
  -- How alike a text and a part of the terms must be: one wrong letter changes three trigrams, two that are swapped four.
  alike constant real := 0.36;
  looked_at constant integer := 300;
  newest constant integer := 500;
  enough constant integer := 50;
  scope text;
  terms text;
  condition text;
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
    condition := private.near_condition(terms, p_text);
    if condition <> '' then
      execute format('select coalesce(array_agg(f.id), ''{}'') from (
          select c.id from (
            select t.id, public.word_similarity($2, %3$s) as likeness from public.%1$I t where %2$s and (%4$s) limit $4) c
          where c.likeness >= $5
          order by c.likeness desc, c.id limit $3) f', p_relation, scope, terms, condition)
        into found using private.uid(), p_text, p_most, looked_at, alike;
    end if;
    if cardinality(found) >= enough then return found; end if;
    -- What came since the last night, and what nearly everything holds: among the newest.
    execute format('select coalesce($4, ''{}'') || coalesce(array_agg(f.id), ''{}'') from (
        select c.id from (
          select t.id, public.word_similarity($2, %3$s) as likeness from (%1$s) t where %2$s) c
        where c.likeness >= $5 and c.id <> all (coalesce($4, ''{}''))
        order by c.likeness desc, c.id limit $3) f',
        case when p_relation = 'profiles' and private.user_role() = 'admin' then
          format('select p.* from unnest(array[''client'', ''commercial'']) r (role)
            cross join lateral (select * from public.profiles p where p.role = r.role order by p.created_at desc limit %s) p', looked_at)
        else
          format('select * from public.%I t where %s order by t.created_at desc limit %s', p_relation, scope, looked_at)
        end, scope, terms)
      into found using private.uid(), p_text, p_most, found, alike;
    return found;
  end if;
  -- Of what stands in every tenth sale, the newest hold enough: no index is quick at finding half a table.
  if p_relation = 'sales' and private.user_role() = 'admin' then
    execute format('select coalesce(array_agg(t.id), ''{}'') from (
        select * from public.sales s order by s.created_at desc, s.id limit %3$s) t
        where %1$s and %2$s like $1 and %2$s like $2 and %2$s like $3', scope, terms, newest)
      into found using patterns[1], coalesce(patterns[2], '%'), coalesce(patterns[3], '%');
    if cardinality(found) >= enough then return found; end if;
  end if;
  execute format('select coalesce(array_agg(f.id), ''{}'') from (select t.id from public.%1$I t
      where %2$s and %3$s like $2 and %3$s like $3 and %3$s like $4 limit $5) f', p_relation, scope, terms)
    into found using private.uid(), patterns[1], coalesce(patterns[2], '%'), coalesce(patterns[3], '%'), p_most;
  return found;
end
$$;

alter function private.count_words() owner to parrain_service;
alter function private.near_condition(text, text) owner to parrain_service;
grant execute on function private.count_words(), private.near_condition(text, text) to parrain_service;
grant execute on function public.similarity(text, text), public.similarity_op(text, text) to parrain_service;
