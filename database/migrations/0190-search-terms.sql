-- NV-03: a search forgives accents, ligatures and case. What people typed is compared letter by letter, as a keyboard without
-- accents would write it; the indexes of 0191 hold these terms in the place of the words as they are written.

create function private.plain_letters(p_text text) returns text
language sql immutable parallel safe
return replace(replace(replace(
  regexp_replace(normalize(lower(p_text), NFKD), '[\u0300-\u036f]', '', 'g'), 'œ', 'oe'), 'æ', 'ae'), '’', '''');

create function private.person_terms(name text, email text, phone text, company text) returns text
language sql immutable parallel safe
return private.plain_letters(name || e'\n' || email || e'\n' || coalesce(phone, '') || e'\n' || coalesce(company, ''));

create function private.sale_terms(name text, email text, phone text, description text) returns text
language sql immutable parallel safe
return private.plain_letters(name || e'\n' || coalesce(email, '') || e'\n' || coalesce(phone, '') || e'\n' || coalesce(description, ''));

-- A pattern over the words, as one over the terms that is satisfied wherever it was: one character may have become two.
create function private.terms_pattern(p_pattern text) returns text
language sql immutable parallel safe
return private.plain_letters(regexp_replace(p_pattern, '(\\.)|_', '\1%', 'g'));

-- Whoever writes a row keeps its indexes with their own rights.
grant execute on function private.plain_letters(text), private.person_terms(text, text, text, text),
  private.sale_terms(text, text, text, text), private.terms_pattern(text) to authenticated, service_role, parrain_service;
