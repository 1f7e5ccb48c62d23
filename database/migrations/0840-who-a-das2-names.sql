-- AC-10: the yearly declaration names a person by first and last name, apart, and a business by its SIRET. Both stand with the payee's
-- other legal details; who gave their name in one piece before is told to complete it.

-- The SIREN and the five digits of an establishment; Luhn's key over the fourteen.
create function private.is_siret(p_siret text) returns boolean
language sql immutable set search_path = ''
return p_siret ~ '^[0-9]{14}$' and private.is_siren(left(p_siret, 9)) and (
  select sum(case when d.place % 2 = 0 then d.digit when d.digit > 4 then d.digit * 2 - 9 else d.digit * 2 end) % 10 = 0
  from (select n.place, substr(p_siret, n.place, 1)::integer as digit from generate_series(1, length(p_siret)) n (place)
    where p_siret ~ '^[0-9]{14}$') d);
grant execute on function private.is_siret(text) to parrain_service;

alter table private.payee_details
  add column first_name text constraint payee_details_first_name_is_a_line check (private.is_line(first_name, 120) and btrim(first_name) <> ''),
  add column last_name text constraint payee_details_last_name_is_a_line check (private.is_line(last_name, 120) and btrim(last_name) <> ''),
  add column siret text constraint payee_details_siret_is_one check (private.is_line(siret, 14) and private.is_siret(siret)),
  -- The name on papers is made of the two.
  add constraint payee_details_names_make_the_legal_name check (num_nonnulls(first_name, last_name) = 0
    or (status in ('particulier', 'micro', 'agent') and (legal_name = first_name || ' ' || last_name) is true)),
  add constraint payee_details_siret_is_of_the_siren check (siret is null or (left(siret, 9) = siren) is true);

-- As 0510 has it, with the names apart and the SIRET, which a node of the version before says nothing of. A regular particulier who becomes
-- something else, and comes back, is told anew.
drop function private.set_payee_details(uuid, text, text, text, text, text, text, text, boolean, text);
create function private.set_payee_details(p_payee_id uuid, p_status text, p_legal_name text, p_street text, p_postal_code text, p_city text,
  p_siren text, p_rna text, p_charges_vat boolean, p_vat_number text, p_first_name text default null, p_last_name text default null,
  p_siret text default null) returns jsonb
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
    (payee_id, status, legal_name, first_name, last_name, street, postal_code, city, siren, siret, rna, charges_vat, vat_number, updated_at)
  values (payee.id, p_status, btrim(p_legal_name), btrim(p_first_name), btrim(p_last_name), btrim(p_street), p_postal_code, btrim(p_city),
    p_siren, p_siret, p_rna, p_charges_vat, p_vat_number, now())
  on conflict (payee_id) do update set
    (status, legal_name, first_name, last_name, street, postal_code, city, siren, siret, rna, charges_vat, vat_number, updated_at)
      = (excluded.status, excluded.legal_name, excluded.first_name, excluded.last_name, excluded.street, excluded.postal_code, excluded.city,
        excluded.siren, excluded.siret, excluded.rna, excluded.charges_vat, excluded.vat_number, excluded.updated_at),
    regularity_dealt_at = case when d.status = excluded.status then d.regularity_dealt_at end,
    -- Accepted of this number and this seller alone.
    (vat_accepted_at, vat_accepted_by, vat_register) = (
      select d.vat_accepted_at, d.vat_accepted_by, d.vat_register
      where (d.status, d.legal_name, d.siren, d.vat_number)
        is not distinct from (excluded.status, excluded.legal_name, excluded.siren, excluded.vat_number))
  returning * into after;
  if to_jsonb(before) - array['updated_at', 'vat_accepted_at', 'vat_accepted_by', 'vat_register', 'regularity_dealt_at'] is distinct from
      to_jsonb(after) - array['updated_at', 'vat_accepted_at', 'vat_accepted_by', 'vat_register', 'regularity_dealt_at'] then
    perform private.append_audit('profiles', payee.id, 'update',
      case when before.payee_id is not null then jsonb_build_object('payee_status', before.status) end,
      jsonb_build_object('payee_status', after.status, 'payee_details', '•••'), null);
  end if;
  return private.payee_shown(payee.id);
end
$$;
alter function private.set_payee_details(uuid, text, text, text, text, text, text, text, boolean, text, text, text, text)
  owner to parrain_service;
grant execute on function
  private.set_payee_details(uuid, text, text, text, text, text, text, text, boolean, text, text, text, text) to authenticated;

drop function public.das2_payees(integer, uuid);
drop function private.das2_payees(integer, uuid);
create function private.das2_payees(p_year integer, p_payee_id uuid)
returns table (id uuid, full_name text, role text, status text, legal_name text, first_name text, last_name text, street text,
  postal_code text, city text, siren text, siret text, rna text, paid numeric, gift_cards numeric, discounts numeric, counted numeric,
  is_employee boolean)
language plpgsql stable security definer set search_path = '' rows 1000 as $$
declare
  settings constant jsonb := private.das2_settings_shown();
begin
  if p_year is null or p_year not between 2000 and 2999 then perform private.refuse('invalid_input'); end if;
  return query
  select p.id, p.full_name, p.role, d.status, d.legal_name, d.first_name, d.last_name, d.street, d.postal_code, d.city, d.siren, d.siret,
    d.rna, s.paid, s.gift_cards, s.discounts,
    s.paid - case when (settings ->> 'counts_gift_cards')::boolean then 0 else s.gift_cards end
      - case when (settings ->> 'counts_discounts')::boolean then 0 else s.discounts end,
    coalesce(d.status = 'salarie', false)
  from (
    select m.payee_id, sum(m.amount) as paid,
      coalesce(sum(m.amount) filter (where m.method = 'cheque_cadeau'), 0) as gift_cards,
      coalesce(sum(m.amount) filter (where m.method = 'remise_societe'), 0) as discounts
    from (
      select r.client_id as payee_id, r.amount + coalesce(r.vat_amount, 0) as amount, r.payment_method as method
      from public.payment_requests r
      where r.status = 'paid' and r.paid_at >= private.month_start(make_date(p_year, 1, 1))
        and r.paid_at < private.month_start(make_date(p_year + 1, 1, 1))
        and (p_payee_id is null or r.client_id = p_payee_id)
      union all
      select q.payee_id, q.amount + coalesce(q.vat_amount, 0), null
      from public.paid_periods q
      where q.returned_at is null and q.paid_at >= private.month_start(make_date(p_year, 1, 1)) and q.paid_at < private.month_start(make_date(p_year + 1, 1, 1))
        and (p_payee_id is null or q.payee_id = p_payee_id)) m
    group by m.payee_id) s
  join public.profiles p on p.id = s.payee_id
  left join private.payee_details d on d.payee_id = p.id;
end
$$;
create function public.das2_payees(p_year integer, p_payee_id uuid default null)
returns table (id uuid, full_name text, role text, status text, legal_name text, first_name text, last_name text, street text,
  postal_code text, city text, siren text, siret text, rna text, paid numeric, gift_cards numeric, discounts numeric, counted numeric,
  is_employee boolean)
language sql stable set search_path = '' rows 1000
as $$ select * from private.das2_payees(p_year, p_payee_id) $$;
alter function private.das2_payees(integer, uuid) owner to parrain_service;
grant execute on function private.das2_payees(integer, uuid), public.das2_payees(integer, uuid) to authenticated;
