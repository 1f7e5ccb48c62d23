-- DF-07: what sets or lifts an obstacle before somebody (a proven address, a mandate, accepted VAT, an account, a case that holds their
-- money) is told to their open pages like a figure is: as a change of their own profile. New rules are told to everybody.

create function private.tell_person() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  v_person constant uuid := to_jsonb(new) ->> tg_argv[0];
begin
  insert into private.changes (table_name, operation, key, audience) values ('profiles', 'UPDATE', v_person, array[v_person]);
  return null;
end
$$;

create function private.tell_new_rules() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  insert into private.changes (table_name, operation, key) select 'company_settings', 'UPDATE', c.id from public.company_settings c;
  return null;
end
$$;

alter function private.tell_person() owner to parrain_service;
alter function private.tell_new_rules() owner to parrain_service;

create trigger users_tell_proof after update of email_proven_at on auth.users
  for each row when (old.email_proven_at is distinct from new.email_proven_at) execute function private.tell_person('id');
create trigger mandates_tell after insert or update on private.mandates
  for each row execute function private.tell_person('payee_id');
create trigger payee_details_tell after insert or update on private.payee_details
  for each row execute function private.tell_person('payee_id');
create trigger payee_ibans_tell after insert or update on public.payee_ibans
  for each row execute function private.tell_person('client_id');
create trigger bank_accounts_tell after insert or update on public.bank_accounts
  for each row execute function private.tell_person('payee_id');
create trigger doubtful_cases_tell after insert or update on public.doubtful_cases
  for each row execute function private.tell_person('payee_id');
create trigger programme_rules_tell after insert on private.programme_rules
  for each statement execute function private.tell_new_rules();
