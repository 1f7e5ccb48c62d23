-- DF-38, CS-05: a client of the list of acceptances is found by the words of their name, in whichever order.
create or replace function private.rules_acceptances_shown(p_search text)
returns table (client_id uuid, full_name text, version integer, accepted_at timestamptz, total bigint)
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_custom_plan as $$
declare
  me uuid := private.require_role('admin');
  v_version integer := (private.rules_in_force()).version;
  v_words constant text[] := array(select w.word from regexp_split_to_table(private.plain_letters(coalesce(p_search, '')), '\s+') w (word)
    where w.word <> '' order by length(w.word) desc);
  -- The person's terms hold the name's: the index narrows by the three longest words, the name decides.
  v_patterns constant text[] := array(select '%' || regexp_replace(w.word, '([\\%_])', '\\\1', 'g') || '%'
    from unnest(v_words) with ordinality w (word, place) order by w.place limit 3);
begin
  return query select p.id, p.full_name, a.version, a.accepted_at, count(*) over ()
    from public.profiles p
    left join lateral (
      select r.version, r.accepted_at from private.rules_acceptances r where r.client_id = p.id order by r.version desc limit 1) a on true
    where p.role = 'client' and p.deactivated_at is null
      -- No index finds fewer than three letters.
      and (coalesce(v_words[1], '') !~ '[[:alnum:]]{3}' or (
        private.person_terms(p.full_name, p.email, p.phone, p.company) like v_patterns[1]
        and private.person_terms(p.full_name, p.email, p.phone, p.company) like coalesce(v_patterns[2], '%')
        and private.person_terms(p.full_name, p.email, p.phone, p.company) like coalesce(v_patterns[3], '%')))
      and not exists (select from unnest(v_words) w (word) where position(w.word in private.plain_letters(p.full_name)) = 0)
    order by (a.version is not distinct from v_version), p.full_name, p.id limit 200;
end
$$;
