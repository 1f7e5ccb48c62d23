-- AU-08: after twenty wrong codes within a day an account is entered by link, not by code (decision 0011). Null before the first.
alter table auth.users add column wrong_codes integer, add column wrong_codes_since timestamptz;
