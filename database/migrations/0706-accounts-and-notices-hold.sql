-- DF-02, DF-03, DF-23: what the files before this one added or widened holds of every row there is.
alter table private.payee_details validate constraint payee_details_vat_acceptance_is_whole;
alter table private.payee_details validate constraint payee_details_vat_acceptance_is_of_a_number;
alter table private.payee_details validate constraint payee_details_vat_register_is_known;
alter table public.payee_ibans validate constraint payee_ibans_lift_is_of_a_usable;
alter table public.payee_ibans validate constraint payee_ibans_lift_reason_is_a_text;
alter table public.notices validate constraint notices_are_about_one_thing;
alter table public.notices validate constraint notices_kind_is_known;
alter table public.payment_requests validate constraint payment_requests_association_number_has_a_name;
