-- DF-06: the constraints of the file before hold for all that there is.
alter table public.company_settings validate constraint company_settings_new_clients_are_given,
  validate constraint company_settings_one_receives_new_clients;
alter table public.notices validate constraint notices_are_about_one_thing, validate constraint notices_kind_is_known;
