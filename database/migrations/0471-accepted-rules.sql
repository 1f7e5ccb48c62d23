-- CS-05: every acceptance of the programme's rules as a list that admins take away as a file: who, when, which version, and the hash
-- of the text as it was read.

-- The acceptances stay closed to every key: the list's owner reads them.
create view public.accepted_rules with (security_barrier = true) as
  select a.client_id, p.full_name, p.email, a.version, a.accepted_at, encode(a.sha256, 'hex') as sha256
  from private.rules_acceptances a join public.profiles p on p.id = a.client_id
  where case when current_user = 'authenticated' then (select private.user_role()) = 'admin' else true end;
grant create on schema public to parrain_service;
alter view public.accepted_rules owner to parrain_service;
revoke create on schema public from parrain_service;
grant select on public.accepted_rules to authenticated, service_role;
