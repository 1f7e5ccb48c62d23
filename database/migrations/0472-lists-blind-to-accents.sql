-- NV-01, NV-03: the search of a list forgives accents, ligatures and case as the palette's does: « cherche » finds « Cherché ». What
-- is searched is a column that each list works out, by the terms that the indexes of 0191 hold.

create function public.terms(public.sales) returns text
language sql immutable parallel safe
return private.sale_terms(($1).referred_contact_name, ($1).referred_contact_email, ($1).referred_contact_phone, ($1).contract_description);
create function public.terms(public.profiles) returns text
language sql immutable parallel safe
return private.person_terms(($1).full_name, ($1).email, ($1).phone, ($1).company);
create function public.terms(public.client_summaries) returns text
language sql immutable parallel safe
return private.person_terms(($1).full_name, ($1).email, ($1).phone, ($1).company);
create function public.terms(public.client_rankings) returns text
language sql immutable parallel safe
return private.person_terms(($1).full_name, ($1).email, ($1).phone, ($1).company);
create function public.terms(public.sleeping_referrers) returns text
language sql immutable parallel safe
return private.person_terms(($1).full_name, ($1).email, ($1).phone, ($1).company);
create function public.terms(public.commercial_summaries) returns text
language sql immutable parallel safe
return private.person_terms(($1).full_name, ($1).email, ($1).phone, null);
grant execute on function public.terms(public.sales), public.terms(public.profiles), public.terms(public.client_summaries),
  public.terms(public.client_rankings), public.terms(public.sleeping_referrers), public.terms(public.commercial_summaries)
  to authenticated, service_role, parrain_service;
