-- AC-05: the constraints of the file before hold for all that there is.
alter table public.ledger_entries validate constraint ledger_entries_transfer_is_known,
  validate constraint ledger_entries_detail_is_of_its_account;
alter table public.notices validate constraint notices_are_about_one_thing, validate constraint notices_kind_is_known;
