-- NV-01, NV-03: every search forgives accents, ligatures and case, as those of 0472 do: each list that is searched works its terms out.

create function public.terms(public.payee_accounts) returns text
language sql immutable parallel safe
return private.plain_letters(($1).full_name);
create function public.terms(public.payments_made) returns text
language sql immutable parallel safe
return private.plain_letters(($1).payee_name || e'\n' || coalesce(($1).reference, ''));
create function public.terms(public.batch_lines) returns text
language sql immutable parallel safe
return private.plain_letters(($1).client_name || e'\n' || coalesce(($1).beneficiary, '') || e'\n' || ($1).reference);
create function public.terms(public.sent_mails) returns text
language sql immutable parallel safe
return private.plain_letters(coalesce(($1).recipient, '') || e'\n' || coalesce(($1).recipient_name, ''));
create function public.terms(public.accepted_rules) returns text
language sql immutable parallel safe
return private.plain_letters(($1).full_name);
create function public.terms(public.payment_requests) returns text
language sql immutable parallel safe
return private.plain_letters(coalesce(($1).settlement_reference, '') || e'\n' || coalesce(($1).association_name, '')
  || e'\n' || coalesce(($1).rejection_reason, '') || e'\n' || coalesce(($1).approval_annulled_reason, '')
  || e'\n' || coalesce(($1).return_reason, ''));
grant execute on function public.terms(public.payee_accounts), public.terms(public.payments_made), public.terms(public.batch_lines),
  public.terms(public.sent_mails), public.terms(public.accepted_rules), public.terms(public.payment_requests)
  to authenticated, service_role, parrain_service;

-- Searches of long lists, as find_profiles and find_sales do (0192): the ids of at most p_most rows, looked up in the indexes of 0521
-- and in that of people's terms with the server's own sight; null where they are more, and for all but admins.
create function private.find_payments_made(p_pattern text, p_most integer) returns uuid[]
language plpgsql security definer set search_path = '' set plan_cache_mode = force_custom_plan as $$
declare
  pattern constant text := private.terms_pattern(p_pattern);
  people constant uuid[] := private.find_profiles(p_pattern, p_most);
  found uuid[];
begin
  if people is null then return null; end if;
  select coalesce(array_agg(f.id), '{}') into found from (
    select e.source_id as id from public.ledger_entries e
    where e.payee_id = any (people) and (e.credit = 'paid' or e.debit = 'paid')
    union
    select r.id from public.payment_requests r
    where r.settlement_reference is not null and private.plain_letters(r.settlement_reference) like pattern
    limit p_most + 1) f;
  return case when cardinality(found) > p_most then null else found end;
end
$$;

create function private.find_sent_mails(p_pattern text, p_most integer) returns uuid[]
language plpgsql security definer set search_path = '' set plan_cache_mode = force_custom_plan as $$
declare
  pattern constant text := private.terms_pattern(p_pattern);
  people constant uuid[] := private.find_profiles(p_pattern, p_most);
  found uuid[];
begin
  if people is null then return null; end if;
  select coalesce(array_agg(f.id), '{}') into found from (
    select m.id from private.mails m join public.profiles p on p.email = m.recipient where p.id = any (people)
    union
    select m.id from private.mails m where m.recipient is not null and private.plain_letters(m.recipient) like pattern
    limit p_most + 1) f;
  return case when cardinality(found) > p_most then null else found end;
end
$$;
alter function private.find_payments_made(text, integer) owner to parrain_service;
alter function private.find_sent_mails(text, integer) owner to parrain_service;
grant execute on function private.find_payments_made(text, integer), private.find_sent_mails(text, integer)
  to authenticated, parrain_service;

-- As it was (0383), by the letters of the name.
create or replace function private.rules_acceptances_shown(p_search text)
returns table (client_id uuid, full_name text, version integer, accepted_at timestamptz, total bigint)
language plpgsql stable security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  v_version integer := (private.rules_in_force()).version;
begin
  return query select p.id, p.full_name, a.version, a.accepted_at, count(*) over ()
    from public.profiles p
    left join lateral (
      select r.version, r.accepted_at from private.rules_acceptances r where r.client_id = p.id order by r.version desc limit 1) a on true
    where p.role = 'client' and p.deactivated_at is null
      and (coalesce(btrim(p_search), '') = ''
        or position(private.plain_letters(btrim(p_search)) in private.plain_letters(p.full_name)) > 0)
    order by (a.version is not distinct from v_version), p.full_name, p.id limit 200;
end
$$;
