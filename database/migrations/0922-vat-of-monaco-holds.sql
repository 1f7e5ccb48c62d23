-- AC-04, AC-08: 0921's constraints hold of every row.
alter table private.payee_details validate constraint payee_details_abroad_has_no_french_number;
alter table private.payee_details validate constraint payee_details_vat_number_is_of_its_country;
