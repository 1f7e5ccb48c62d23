-- CS-05, NV-03: as it was (0520), and a name is looked up in the index of people's terms instead of letter by letter in every client.
create or replace function private.rules_acceptances_shown(p_search text)
returns table (client_id uuid, full_name text, version integer, accepted_at timestamptz, total bigint)
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_custom_plan as $$
declare
  me uuid := private.require_role('admin');
  v_version integer := (private.rules_in_force()).version;
  v_letters constant text := private.plain_letters(btrim(coalesce(p_search, '')));
  -- The person's terms hold the name's: the index narrows, the name decides.
  v_pattern constant text := '%' || regexp_replace(v_letters, '([\\%_])', '\\\1', 'g') || '%';
begin
  return query select p.id, p.full_name, a.version, a.accepted_at, count(*) over ()
    from public.profiles p
    left join lateral (
      select r.version, r.accepted_at from private.rules_acceptances r where r.client_id = p.id order by r.version desc limit 1) a on true
    where p.role = 'client' and p.deactivated_at is null
      -- No index finds fewer than three letters.
      and (v_letters !~ '[[:alnum:]]{3}' or private.person_terms(p.full_name, p.email, p.phone, p.company) like v_pattern)
      and (v_letters = '' or position(v_letters in private.plain_letters(p.full_name)) > 0)
    order by (a.version is not distinct from v_version), p.full_name, p.id limit 200;
end
$$;
