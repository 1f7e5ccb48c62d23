-- The company's own settings: one row.

create table public.company_settings (
  id smallint primary key default 1,
  company_name text not null default 'Mon Entreprise',
  logo_url text,
  updated_at timestamptz not null default now(),
  require_admin_two_factor boolean not null default false,
  constraint company_settings_is_one_row check (id = 1),
  constraint company_settings_company_name_is_a_company_name check (private.is_company_name(company_name)),
  constraint company_settings_logo_url_is_a_line check (private.is_line(logo_url, 2000))
);
insert into public.company_settings default values;
grant select, insert, update, delete on public.company_settings to parrain_service;
grant select on public.company_settings to authenticated, service_role;
create policy company_settings_authenticated_read on public.company_settings for select to authenticated using (
  (select private.uid()) is not null);
create trigger company_settings_audit after insert or update or delete on public.company_settings for each row execute function private.audit_change();

create function private.update_company_name(p_name text) returns public.company_settings
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  settings public.company_settings;
begin
  update public.company_settings c set company_name = btrim(p_name), updated_at = now() returning * into settings;
  return settings;
end
$$;

-- The logo's address is a path, so that it works under every name and address the pages are served at (FX-60).
create function private.set_company_logo(p_url text) returns public.company_settings
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  settings public.company_settings;
begin
  update public.company_settings c set logo_url = p_url, updated_at = now() returning * into settings;
  return settings;
end
$$;

-- Whether every admin needs a second factor. Whoever asks it of the others has one: nobody shuts themselves out.
create function private.require_admin_two_factor(p_required boolean) returns public.company_settings
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  settings public.company_settings;
begin
  if p_required and not (select u.has_verified_factor from auth.users u where u.id = me) then
    perform private.refuse('two_factor_setup_required');
  end if;
  update public.company_settings c set require_admin_two_factor = p_required, updated_at = now() returning * into settings;
  return settings;
end
$$;

grant execute on function private.update_company_name(text), private.set_company_logo(text), private.require_admin_two_factor(boolean)
  to authenticated;
