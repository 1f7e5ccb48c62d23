-- no transaction
-- Payments are read by time: those of the ledger alone, of ten years.
drop index concurrently if exists public.ledger_entries_of_payments;
create index concurrently ledger_entries_of_payments on public.ledger_entries (at desc, id desc) where credit = 'paid' or debit = 'paid';
