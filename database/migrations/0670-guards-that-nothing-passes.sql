-- What another guard stops before it: nothing could be done without these three that cannot be done with them.

-- Papers are emptied with their files, accounts of the journal with its closed months: those refuse.
drop trigger papers_are_never_emptied on public.papers;
drop trigger accounting_settings_stay on private.accounting_settings;
-- Where a request is paid to is never changed: what webhooks told of it is forgotten with the request.
drop trigger payment_requests_forget_in_webhooks on public.payment_requests;
