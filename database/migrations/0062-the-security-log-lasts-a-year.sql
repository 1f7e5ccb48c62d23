-- The server cuts its security log after a year by itself, and can take nothing younger away. What tells how an account came
-- to be is kept as long as the log.
grant delete on auth.audit_entries to parrain_service;
create policy audit_entries_kept_a_year on auth.audit_entries as restrictive for delete to parrain_service
  using (at < now() - interval '1 year' and action not in ('user_created', 'verified'));
