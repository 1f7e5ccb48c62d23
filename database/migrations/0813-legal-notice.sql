-- DF-47, DF-86: who publishes and hosts this installation, how to reach them, and what an audit of accessibility found: what the public
-- pages say. Without it an admin is led to it, and an alarm stays.

create table private.legal_notice (
  id boolean primary key default true,
  publisher text not null,
  registration text,
  address text not null,
  director text not null,
  email text not null,
  phone text not null,
  host text not null,
  host_address text not null,
  host_phone text not null,
  -- An audit of accessibility: its day, its author, the share of criteria that are met in per cent, and what is not accessible.
  audited_on date,
  audited_by text,
  audit_rate integer,
  audit_gaps text,
  updated_at timestamptz not null default now(),
  constraint legal_notice_is_one_row check (id),
  constraint legal_notice_publisher_is_a_line check (private.is_line(publisher, 200) and btrim(publisher) <> ''),
  constraint legal_notice_registration_is_a_line check (private.is_line(registration, 120)),
  constraint legal_notice_address_is_a_line check (private.is_line(address, 200) and btrim(address) <> ''),
  constraint legal_notice_director_is_a_line check (private.is_line(director, 120) and btrim(director) <> ''),
  constraint legal_notice_email_is_one check (private.is_line(email, 255) and email like '%_@_%'),
  constraint legal_notice_phone_is_a_line check (private.is_line(phone, 30) and btrim(phone) <> ''),
  constraint legal_notice_host_is_a_line check (private.is_line(host, 120) and btrim(host) <> ''),
  constraint legal_notice_host_address_is_a_line check (private.is_line(host_address, 200) and btrim(host_address) <> ''),
  constraint legal_notice_host_phone_is_a_line check (private.is_line(host_phone, 30) and btrim(host_phone) <> ''),
  constraint legal_notice_audit_is_whole check (num_nonnulls(audited_on, audited_by, audit_rate) in (0, 3)),
  constraint legal_notice_audited_by_is_a_line check (private.is_line(audited_by, 120)),
  constraint legal_notice_audit_rate_is_a_share check (audit_rate between 0 and 100),
  constraint legal_notice_audit_gaps_are_a_text check (private.is_text(audit_gaps, 2000) and (audit_gaps is null or audited_on is not null))
);
alter table private.legal_notice enable row level security;
alter table private.legal_notice force row level security;
grant select, insert, update, delete on private.legal_notice to parrain_service;
create policy legal_notice_service_all on private.legal_notice to parrain_service using (true) with check (true);

-- For an admin; null before it was ever written.
create function private.legal_notice_shown() returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.require_role('admin');
  return (select to_jsonb(n) - array['id', 'updated_at'] from private.legal_notice n);
end
$$;

-- All of it, as the form has it.
create function private.set_legal_notice(p_notice jsonb) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  before jsonb;
  after jsonb;
  entered private.legal_notice := jsonb_populate_record(null::private.legal_notice, p_notice - array['id', 'updated_at']);
begin
  perform private.require_role('admin');
  -- One change after the other, so that the trail says what each of them replaced.
  lock table private.legal_notice in share row exclusive mode;
  before := private.legal_notice_shown();
  entered.id := true;
  entered.updated_at := now();
  delete from private.legal_notice;
  insert into private.legal_notice select entered.*;
  after := private.legal_notice_shown();
  if before is distinct from after then
    perform private.append_audit('company_settings', '00000000-0000-0000-0000-000000000001', 'update',
      jsonb_build_object('legal_notice', before), jsonb_build_object('legal_notice', after), null);
  end if;
  return after;
end
$$;

-- NV-08 leads to it too.
alter table public.company_settings drop constraint company_settings_skipped_steps_are_known,
  add constraint company_settings_skipped_steps_are_known check (
    skipped_steps <@ array['company', 'scale', 'commercial', 'mail', 'legal'] and cardinality(skipped_steps) <= 5) not valid;

create or replace function private.first_steps(out done text[], out skipped text[], out is_empty boolean, out has_test_data boolean)
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
        and m.template in ('trial', 'commercial-invitation', 'client-invitation')) then 'mail' end,
      case when exists (select from private.legal_notice n) then 'legal' end], null)
    into skipped, done
    from public.company_settings c;
end
$$;

alter table private.alarms drop constraint alarms_kind_is_known,
  add constraint alarms_kind_is_known check (kind in ('mail_stuck', 'disk_nearly_full', 'backup_too_old', 'invariant_broken',
    'webhook_failing', 'legal_notice_missing')) not valid;

do $$
declare
  f regprocedure;
begin
  for f in select p.oid::regprocedure from pg_proc p where p.pronamespace = 'private'::regnamespace
      and p.proname in ('legal_notice_shown', 'set_legal_notice') loop
    execute format('alter function %s owner to parrain_service', f);
    execute format('revoke execute on function %s from public', f);
    execute format('grant execute on function %s to authenticated, parrain_service', f);
  end loop;
end
$$;
