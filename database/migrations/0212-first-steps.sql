-- NV-08: an admin of an empty company is led through its first steps. What is done is read from what there is; what was skipped is
-- remembered here, for the company.

alter table public.company_settings add column skipped_steps text[] not null default '{}'
  constraint company_settings_skipped_steps_are_known check (
    skipped_steps <@ array['company', 'scale', 'commercial', 'mail'] and cardinality(skipped_steps) <= 4);

-- What is done, what was skipped, whether any referral exists, and whether there is test data that could be cleaned.
create function private.first_steps(out done text[], out skipped text[], out is_empty boolean, out has_test_data boolean)
language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.require_role('admin');
  is_empty := not exists (select from public.sales s);
  has_test_data := exists (select from public.profiles p where p.is_test and p.role <> 'admin')
    or exists (select from public.commission_rates r where r.is_test);
  select c.skipped_steps, array_remove(array[
      case when c.company_name <> 'Mon Entreprise' or c.logo_url is not null then 'company' end,
      case when exists (select from public.commission_rates r where r.archived_at is null) then 'scale' end,
      case when exists (select from public.profiles p where p.role = 'commercial') then 'commercial' end,
      -- A message of trial, or a first invitation: the many mails of later years are not looked through.
      case when is_empty and exists (select from private.mails m where m.status = 'accepted'
        and m.template in ('trial', 'commercial-invitation', 'client-invitation')) then 'mail' end], null)
    into skipped, done
    from public.company_settings c;
end
$$;

-- Skips a step, or takes it up again.
create function private.skip_first_step(p_step text, p_skipped boolean) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform private.require_role('admin');
  update public.company_settings c set updated_at = now(),
    skipped_steps = case when p_skipped then c.skipped_steps || p_step else array_remove(c.skipped_steps, p_step) end
    where p_skipped <> (p_step = any (c.skipped_steps));
end
$$;

do $$
declare
  f regprocedure;
begin
  for f in select p.oid::regprocedure from pg_proc p where p.pronamespace = 'private'::regnamespace
      and p.proname in ('first_steps', 'skip_first_step') loop
    execute format('alter function %s owner to parrain_service', f);
    execute format('revoke execute on function %s from public', f);
    execute format('grant execute on function %s to authenticated, parrain_service', f);
  end loop;
end
$$;
