-- DF-47: the constraints of the file before hold for all that there is.
alter table public.company_settings validate constraint company_settings_skipped_steps_are_known;
alter table private.alarms validate constraint alarms_kind_is_known;
