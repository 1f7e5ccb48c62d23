-- AC-09: every account kept so far has its BIC as it is written, or none.

alter table public.bank_accounts validate constraint bank_accounts_bic_is_one;
