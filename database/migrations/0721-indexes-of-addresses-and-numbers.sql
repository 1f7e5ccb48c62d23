-- no transaction
-- Written anew while people work: 0720 gives some addresses and numbers another form.
reindex index concurrently public.profiles_by_mailbox;
reindex index concurrently public.profiles_by_loose_mailbox;
reindex index concurrently public.profiles_by_phone;
reindex index concurrently public.profiles_by_terms;
reindex index concurrently public.sales_by_contact_mailbox;
reindex index concurrently public.sales_by_contact_phone;
reindex index concurrently public.sales_by_commercial_and_terms;
