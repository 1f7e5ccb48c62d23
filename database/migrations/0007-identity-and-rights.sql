-- Who a request acts for, what each role may see: row level security on and forced on every table.

-- Called once at the start of a user's transaction, after request.jwt.claims is set and before the role is: checks that the
-- session is alive, then leaves the facts that every policy asks for in settings of this transaction.
create function private.identify() returns void
language plpgsql security definer set search_path = '' as $$
declare
  claims jsonb := nullif(current_setting('request.jwt.claims', true), '')::jsonb;
  person record;
begin
  if claims ->> 'role' is distinct from 'authenticated' then
    perform set_config('app.user_id', '', true), set_config('app.user_role', '', true), set_config('app.commercial_id', '', true);
    return;
  end if;
  select p.id, p.role, p.commercial_id, u.password_change_required into person
    from auth.sessions s
    join auth.users u on u.id = s.user_id
    join public.profiles p on p.id = u.id
    where s.id = (claims ->> 'session_id')::uuid and s.user_id = (claims ->> 'sub')::uuid
      and (s.not_after is null or s.not_after > now())
      and (u.banned_until is null or u.banned_until <= now())
      and u.deleted_at is null and p.deactivated_at is null;
  if not found then
    raise exception using errcode = 'PR401', message = 'session_expired';
  end if;
  if person.password_change_required then
    raise exception using errcode = 'PR401', message = 'password_change_required';
  end if;
  perform set_config('app.user_id', person.id::text, true), set_config('app.user_role', person.role, true),
    set_config('app.commercial_id', coalesce(person.commercial_id::text, ''), true);
end
$$;

create function private.uid() returns uuid
language sql stable parallel safe return nullif(current_setting('app.user_id', true), '')::uuid;
create function private.user_role() returns text
language sql stable parallel safe return nullif(current_setting('app.user_role', true), '');
create function private.my_commercial_id() returns uuid
language sql stable parallel safe return nullif(current_setting('app.commercial_id', true), '')::uuid;

-- The names that policies written for the official client expect.
create function auth.uid() returns uuid language sql stable parallel safe return private.uid();
create function auth.role() returns text language sql stable parallel safe
  return nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'role';
create function auth.jwt() returns jsonb language sql stable parallel safe
  return nullif(current_setting('request.jwt.claims', true), '')::jsonb;

do $$
declare
  target regclass;
begin
  for target in
    select c.oid::regclass from pg_class c
    where c.relkind = 'r' and c.relnamespace in ('public'::regnamespace, 'auth'::regnamespace, 'private'::regnamespace, 'storage'::regnamespace)
      and c.relname <> 'migrations'
  loop
    execute format('alter table %s enable row level security', target);
    execute format('alter table %s force row level security', target);
    execute format('create policy %I on %s to parrain_service using (true) with check (true)',
      (select relname from pg_class where oid = target) || '_service_all', target);
  end loop;
end
$$;

-- The server's own work. No update or delete of what is append-only.
grant select, insert, update, delete on all tables in schema auth, storage to parrain_service;
grant select, insert, update, delete on private.secrets, private.rate_limits, private.idempotency_keys, private.mails,
  private.appointment_requests, private.payment_secrets to parrain_service;
grant select, insert, update, delete on public.profiles, public.company_settings, public.commission_rates, public.sales,
  public.payment_requests, public.balances to parrain_service;
grant select, insert, delete on public.commission_payments to parrain_service;
grant select, insert on public.audit_entries to parrain_service;
grant usage on all sequences in schema public, auth to parrain_service;

-- The people: reading is scoped by the policies; the only column writes are one's own name and phone.
grant select on public.profiles, public.sales, public.commission_rates, public.commission_payments, public.payment_requests,
  public.company_settings, public.balances, public.audit_entries to authenticated, service_role;
grant update (full_name, phone) on public.profiles to authenticated;

create policy profiles_authenticated_read on public.profiles for select to authenticated using (
  (select private.user_role()) = 'admin'
  or id = (select private.uid())
  or commercial_id = (select private.uid())
  or id = (select private.my_commercial_id()));
create policy profiles_owner_update on public.profiles for update to authenticated
  using (id = (select private.uid())) with check (id = (select private.uid()));
create policy sales_authenticated_read on public.sales for select to authenticated using (
  (select private.user_role()) = 'admin' or commercial_id = (select private.uid()) or friend_referrer_id = (select private.uid()));
create policy commission_rates_admin_read on public.commission_rates for select to authenticated using (
  (select private.user_role()) = 'admin');
create policy commission_payments_authenticated_read on public.commission_payments for select to authenticated using (
  (select private.user_role()) = 'admin' or recipient_id = (select private.uid()));
create policy payment_requests_authenticated_read on public.payment_requests for select to authenticated using (
  (select private.user_role()) = 'admin' or client_id = (select private.uid()));
create policy company_settings_authenticated_read on public.company_settings for select to authenticated using (
  (select private.uid()) is not null);
create policy balances_authenticated_read on public.balances for select to authenticated using (
  (select private.user_role()) = 'admin' or profile_id = (select private.uid()));
create policy audit_entries_admin_read on public.audit_entries for select to authenticated using (
  (select private.user_role()) = 'admin');

create policy profiles_secret_read on public.profiles for select to service_role using (true);
create policy sales_secret_read on public.sales for select to service_role using (true);
create policy commission_rates_secret_read on public.commission_rates for select to service_role using (true);
create policy commission_payments_secret_read on public.commission_payments for select to service_role using (true);
create policy payment_requests_secret_read on public.payment_requests for select to service_role using (true);
create policy company_settings_secret_read on public.company_settings for select to service_role using (true);
create policy balances_secret_read on public.balances for select to service_role using (true);
create policy audit_entries_secret_read on public.audit_entries for select to service_role using (true);

grant execute on function private.uid(), private.user_role(), private.my_commercial_id(), auth.uid(), auth.role(), auth.jwt()
  to anon, authenticated, service_role, parrain_service;
