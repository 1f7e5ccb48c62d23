-- AC-04: a file is a whole PDF where `isWholePdf` of the domain says so: startxref, a number and %%EOF, in this order, in its last kibibyte.
create or replace function private.is_whole_pdf(p_bytes bytea) returns boolean language sql immutable set search_path = ''
return coalesce(substr(p_bytes, 1, 5) = '\x255044462d'
  -- What is no ASCII is written out, so that any byte may stand beside the marks.
  and encode(substr(p_bytes, greatest(length(p_bytes) - 1023, 1)), 'escape') ~ 'startxref[\t\n\f\r ]+[0-9]+[\t\n\f\r ]+%%EOF', false);
