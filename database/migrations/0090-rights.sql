-- The rights that every table and every function has alike. What one of them has of its own stands in its own file.

do $$
declare
  target record;
begin
  for target in
    select c.oid::regclass as name, c.relname || '_service_all' as of_service, c.relname || '_secret_read' as of_secret,
      n.nspname in ('public', 'figures') as is_read_by_secret
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'r' and n.nspname in ('public', 'auth', 'private', 'storage', 'figures')
      and not (n.nspname = 'private' and c.relname = 'migrations')
  loop
    execute format('alter table %s enable row level security', target.name);
    execute format('alter table %s force row level security', target.name);
    -- The server's own work sees every row; its grants say what it may do to them.
    execute format('create policy %I on %s to parrain_service using (true) with check (true)', target.of_service, target.name);
    if target.is_read_by_secret then
      execute format('create policy %I on %s for select to service_role using (true)', target.of_secret, target.name);
    end if;
  end loop;
end
$$;

do $$
declare
  f regprocedure;
begin
  -- What runs with more rights than its caller has exactly the rights of parrain_service, whoever migrates.
  for f in select p.oid::regprocedure from pg_proc p where p.pronamespace = 'private'::regnamespace and p.prosecdef loop
    execute format('alter function %s owner to parrain_service', f);
  end loop;
end
$$;
grant execute on all functions in schema private to parrain_service;
grant usage on all sequences in schema public, auth to parrain_service;
