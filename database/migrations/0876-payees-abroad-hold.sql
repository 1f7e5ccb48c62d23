-- AC-08: the rules of 0875, checked over what was there.
alter table private.payee_details
  validate constraint payee_details_country_is_one,
  validate constraint payee_details_business_has_a_siren,
  validate constraint payee_details_postal_code_is_one,
  validate constraint payee_details_abroad_is_somebody,
  validate constraint payee_details_abroad_has_no_french_number,
  validate constraint payee_details_number_abroad_is_of_a_business,
  validate constraint payee_details_number_abroad_is_one;
