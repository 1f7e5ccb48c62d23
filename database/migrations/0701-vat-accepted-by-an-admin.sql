-- DF-23: whoever declares a VAT number makes the company pay a fifth more than was asked. VAT is paid once an admin has accepted what was
-- declared, and no longer where it changes: until then transfers leave without it, and their papers are receipts.

alter table private.payee_details
  add column vat_accepted_at timestamptz,
  add column vat_accepted_by uuid references public.profiles (id) on delete restrict,
  -- What the register of the European Union said, where it was asked.
  add column vat_register text;
alter table private.payee_details
  add constraint payee_details_vat_acceptance_is_whole check ((vat_accepted_at is null) = (vat_accepted_by is null)) not valid,
  add constraint payee_details_vat_acceptance_is_of_a_number check (vat_accepted_at is null or vat_number is not null) not valid,
  add constraint payee_details_vat_register_is_known check (
    vat_register is null or vat_register in ('confirmed', 'unreachable') and vat_accepted_at is not null) not valid;
create index payee_details_by_vat_admin on private.payee_details (vat_accepted_by) where vat_accepted_by is not null;

-- The mandate by which VAT is paid: it is in force, and an admin has accepted the VAT.
create or replace function private.vat_mandate(p_payee_id uuid) returns bigint
language sql stable security definer set search_path = ''
return (
  select m.id from private.mandates m join private.payee_details d on d.payee_id = m.payee_id
  where m.id = private.mandate_in_force(p_payee_id) and m.vat_number is not null and d.vat_accepted_at is not null);

-- An admin accepts the number that was on screen; again is the same.
create function private.accept_vat(p_payee_id uuid, p_vat_number text, p_register text default null) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  payee public.profiles := private.payee_named(p_payee_id);
  d private.payee_details;
begin
  select * into d from private.payee_details t where t.payee_id = payee.id for update;
  if d.vat_number is distinct from p_vat_number or p_vat_number is null then perform private.refuse('vat_changed'); end if;
  if d.vat_accepted_at is null then
    update private.payee_details t set vat_accepted_at = private.now(), vat_accepted_by = me, vat_register = p_register
      where t.payee_id = payee.id;
    perform private.append_audit('profiles', payee.id, 'update', null,
      jsonb_strip_nulls(jsonb_build_object('vat_accepted', p_vat_number, 'vat_register', p_register)), null);
  end if;
  return private.payee_shown(payee.id);
end
$$;
revoke all on function private.accept_vat(uuid, text, text) from public;
alter function private.accept_vat(uuid, text, text) owner to parrain_service;
grant execute on function private.accept_vat(uuid, text, text) to authenticated;

create or replace function private.payee_shown(p_payee_id uuid) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  payee public.profiles := private.payee_named(p_payee_id);
begin
  return jsonb_build_object('role', payee.role,
    'is_asked', coalesce((select s.issues_papers from private.paper_settings s), false) and payee.deactivated_at is null,
    'details', (select to_jsonb(d) - array['payee_id', 'updated_at', 'vat_accepted_by'] from private.payee_details d where d.payee_id = payee.id),
    -- With whom the mandate is; null where none is asked for.
    'mandatary', case when private.may_be_self_billed(payee.id) then (
      select to_jsonb(s) - array['id', 'updated_at', 'issues_papers', 'vat_number', 'contest_days'] from private.paper_settings s) end,
    'mandate', (select jsonb_build_object('version', m.version, 'text', m.text, 'accepted_at', m.accepted_at, 'revoked_at', m.revoked_at,
        'is_in_force', m.id is not distinct from private.mandate_in_force(payee.id))
      from private.mandates m where m.payee_id = payee.id order by m.id desc limit 1));
end
$$;

create or replace function private.set_payee_details(p_payee_id uuid, p_status text, p_legal_name text, p_street text, p_postal_code text, p_city text, p_siren text, p_rna text, p_charges_vat boolean, p_vat_number text) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  payee public.profiles := private.payee_named(p_payee_id);
  before private.payee_details;
  after private.payee_details;
begin
  if payee.deactivated_at is not null then perform private.refuse('payee_unknown'); end if;
  if not coalesce(case payee.role when 'client' then p_status in ('particulier', 'micro', 'societe', 'association')
      else p_status in ('salarie', 'agent', 'societe') end, false) then
    perform private.refuse('invalid_input');
  end if;
  select * into before from private.payee_details d where d.payee_id = payee.id;
  insert into private.payee_details as d
    (payee_id, status, legal_name, street, postal_code, city, siren, rna, charges_vat, vat_number, updated_at)
  values (payee.id, p_status, btrim(p_legal_name), btrim(p_street), p_postal_code, btrim(p_city), p_siren, p_rna, p_charges_vat,
    p_vat_number, now())
  on conflict (payee_id) do update set (status, legal_name, street, postal_code, city, siren, rna, charges_vat, vat_number, updated_at)
    = (excluded.status, excluded.legal_name, excluded.street, excluded.postal_code, excluded.city, excluded.siren, excluded.rna,
      excluded.charges_vat, excluded.vat_number, excluded.updated_at),
    -- Accepted of this number and this seller alone.
    (vat_accepted_at, vat_accepted_by, vat_register) = (
      select d.vat_accepted_at, d.vat_accepted_by, d.vat_register
      where (d.status, d.legal_name, d.siren, d.vat_number)
        is not distinct from (excluded.status, excluded.legal_name, excluded.siren, excluded.vat_number))
  returning * into after;
  if to_jsonb(before) - array['updated_at', 'vat_accepted_at', 'vat_accepted_by', 'vat_register'] is distinct from
      to_jsonb(after) - array['updated_at', 'vat_accepted_at', 'vat_accepted_by', 'vat_register'] then
    perform private.append_audit('profiles', payee.id, 'update',
      case when before.payee_id is not null then jsonb_build_object('payee_status', before.status) end,
      jsonb_build_object('payee_status', after.status, 'payee_details', '•••'), null);
  end if;
  return private.payee_shown(payee.id);
end
$$;
