-- AC-04, AC-08: Monaco is France for VAT: a business there may charge it, under a number of the French form whose nine digits are no SIREN.
alter table private.payee_details
  drop constraint payee_details_abroad_has_no_french_number,
  add constraint payee_details_abroad_has_no_french_number check (country = 'FR'
    or (charges_vat is not true or country = 'MC') and num_nonnulls(siren, siret, legal_form, capital, registry_city) = 0) not valid,
  -- As long as it has no SIREN, `is_vat_number` says its key alone.
  add constraint payee_details_vat_number_is_of_its_country check (country <> 'MC' or substr(vat_number, 5, 3) = '000') not valid;

-- Overseas has rates of its own, of which none is kept here.
create or replace function private.may_invoice(p_payee_id uuid) returns boolean
language sql stable security definer set search_path = ''
return private.may_be_self_billed(p_payee_id) or exists (
  select from private.payee_details d join public.profiles p on p.id = d.payee_id join private.paper_settings s on s.issues_papers
  where d.payee_id = p_payee_id and p.role in ('client', 'commercial') and p.deactivated_at is null
    and d.country <> 'FR' and d.status in ('societe', 'agent') and (d.charges_vat is not true or s.postal_code !~ '^9[78]'));
