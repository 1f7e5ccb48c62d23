-- UI-12: the constraints of the file before hold for all that there is.
alter table public.profiles validate constraint profiles_role_is_known;
alter table figures.company_totals validate constraint company_totals_what_is_known;
