-- What a number of the RNA and a SIREN are is said once: of a payee's details (PP-01) and of a donation's association (PO-03) alike.

-- Corsica's and the overseas departments' numbers have a letter in the second place. Null of null, which a constraint lets pass.
create function private.is_rna(p_rna text) returns boolean
language sql immutable set search_path = ''
return p_rna ~ '^W[0-9][0-9A-Z][0-9]{7}$';
grant execute on function private.is_rna(text) to parrain_service;

create or replace function private.is_association_number(p_number text) returns boolean
language sql immutable set search_path = ''
return coalesce(private.is_rna(p_number) or private.is_siren(p_number), false);

alter table private.payee_details drop constraint payee_details_rna_is_one,
  add constraint payee_details_rna_is_one check (private.is_line(rna, 10) and private.is_rna(rna));
