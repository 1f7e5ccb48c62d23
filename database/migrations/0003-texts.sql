-- Every text that people write is bounded, whoever writes it and through whichever door (FX-06), and no name is an
-- advertisement (FX-04): the rules of the forms are check constraints of the tables too.
--
-- They are PL/pgSQL because PostgreSQL reads a table's constraints anew for every statement that writes: it would inline SQL
-- functions each time, a quarter of what the update costs.

-- Control characters, line separators and the marks that turn the direction of reading have no place in a line.
create function private.is_line(p_text text, p_length_max integer) returns boolean
language plpgsql immutable parallel safe as $$
begin
  return length(p_text) <= p_length_max and p_text !~ '[\u0001-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]';
end
$$;

-- The same over several lines: line feed and tab may be there.
create function private.is_text(p_text text, p_length_max integer) returns boolean
language plpgsql immutable parallel safe as $$
begin
  return length(p_text) <= p_length_max and p_text !~ '[\u0001-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]';
end
$$;

-- Names stand in the subjects of mails, where mail programs make a link of every address. domain/src/name.ts says the same.
create function private.has_site(p_text text) returns boolean
language plpgsql immutable parallel safe as $$
begin
  return p_text ~* '@|://|www\.|[0-9a-z\u00c0-\u1fff\u2c00-\ud7ff][0-9a-z\u00c0-\u1fff\u2c00-\ud7ff-]*[0-9a-z\u00c0-\u1fff\u2c00-\ud7ff]\.[a-z\u00c0-\u1fff\u2c00-\ud7ff]{2,}|[0-9a-z]\.[a-z]{2,}/';
end
$$;

create function private.is_name(p_text text) returns boolean
language plpgsql immutable parallel safe as $$
begin
  return length(btrim(p_text)) > 0 and private.is_line(p_text, 120) and not private.has_site(p_text);
end
$$;

-- A company may be called after its site (« Booking.com »): only an admin writes it.
create function private.is_company_name(p_text text) returns boolean
language plpgsql immutable parallel safe as $$
begin
  return length(btrim(p_text)) > 0 and private.is_line(p_text, 120) and p_text !~* '://|www\.';
end
$$;

-- The mailbox behind an address: « jean+x@… » is « jean@… », and where the provider says so, dots count for nothing.
create function private.mailbox_of(p_email text) returns text
language sql immutable parallel safe
return case
  when split_part(lower(btrim(p_email)), '@', 2) in ('gmail.com', 'googlemail.com')
    then replace(split_part(split_part(lower(btrim(p_email)), '@', 1), '+', 1), '.', '') || '@gmail.com'
  when p_email like '+%' then lower(btrim(p_email))
  else split_part(split_part(lower(btrim(p_email)), '@', 1), '+', 1) || '@' || split_part(lower(btrim(p_email)), '@', 2)
end;

-- Whoever writes a row evaluates its constraints and keeps its indexes with their own rights.
grant execute on function private.is_line(text, integer), private.is_text(text, integer), private.has_site(text),
  private.is_name(text), private.is_company_name(text), private.mailbox_of(text)
  to anon, authenticated, service_role, parrain_service;
