-- PP-04: what each payee was paid in a calendar year, for the company's DAS2. The ledger's settlements less what came back; what the
-- law says of it (thresholds) stands in domain/src/das2.ts.

-- Whether payments in kind count towards the declared sums: the company's accountant decides.
create table private.das2_settings (
  id boolean primary key default true,
  counts_gift_cards boolean not null default true,
  counts_discounts boolean not null default false,
  constraint das2_settings_is_one_row check (id)
);
alter table private.das2_settings enable row level security;
alter table private.das2_settings force row level security;
create policy das2_settings_service_all on private.das2_settings to parrain_service using (true) with check (true);
grant select, insert, update, delete on private.das2_settings to parrain_service;

-- Before anything was decided, the defaults hold.
create function private.das2_settings_shown() returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
begin
  return jsonb_build_object(
    'counts_gift_cards', coalesce((select s.counts_gift_cards from private.das2_settings s), true),
    'counts_discounts', coalesce((select s.counts_discounts from private.das2_settings s), false));
end
$$;

create function private.set_das2_settings(p_counts_gift_cards boolean, p_counts_discounts boolean) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  before jsonb;
  after jsonb;
begin
  -- One change after the other, so that the trail says what each of them replaced.
  lock table private.das2_settings in share row exclusive mode;
  before := private.das2_settings_shown();
  insert into private.das2_settings as s (counts_gift_cards, counts_discounts) values (p_counts_gift_cards, p_counts_discounts)
  on conflict (id) do update set (counts_gift_cards, counts_discounts) = (excluded.counts_gift_cards, excluded.counts_discounts);
  after := private.das2_settings_shown();
  if before <> after then
    perform private.append_audit('company_settings', '00000000-0000-0000-0000-000000000001', 'update',
      jsonb_build_object('das2_gift_cards', before -> 'counts_gift_cards', 'das2_discounts', before -> 'counts_discounts'),
      jsonb_build_object('das2_gift_cards', after -> 'counts_gift_cards', 'das2_discounts', after -> 'counts_discounts'), null);
  end if;
  return after;
end
$$;

-- Everybody who was paid in a year of France, or one of them. Reads that year's payments alone: `payment_requests_by_payment`.
create function private.das2_payees(p_year integer, p_payee_id uuid)
returns table (id uuid, full_name text, role text, status text, legal_name text, street text, postal_code text, city text, siren text,
  rna text, paid numeric, gift_cards numeric, discounts numeric, counted numeric, is_employee boolean)
language plpgsql stable security definer set search_path = '' rows 1000 as $$
declare
  settings constant jsonb := private.das2_settings_shown();
begin
  if p_year is null or p_year not between 2000 and 2999 then perform private.refuse('invalid_input'); end if;
  return query
  select p.id, p.full_name, p.role, d.status, d.legal_name, d.street, d.postal_code, d.city, d.siren, d.rna,
    s.paid, s.gift_cards, s.discounts,
    s.paid - case when (settings ->> 'counts_gift_cards')::boolean then 0 else s.gift_cards end
      - case when (settings ->> 'counts_discounts')::boolean then 0 else s.discounts end,
    coalesce(d.status = 'salarie', false)
  from (
    select r.client_id, sum(r.amount) as paid,
      coalesce(sum(r.amount) filter (where r.payment_method = 'cheque_cadeau'), 0) as gift_cards,
      coalesce(sum(r.amount) filter (where r.payment_method = 'remise_societe'), 0) as discounts
    from public.payment_requests r
    where r.status = 'paid' and r.paid_at >= private.month_start(make_date(p_year, 1, 1))
      and r.paid_at < private.month_start(make_date(p_year + 1, 1, 1))
      and (p_payee_id is null or r.client_id = p_payee_id)
    group by r.client_id) s
  join public.profiles p on p.id = s.client_id
  left join private.payee_details d on d.payee_id = p.id;
end
$$;

-- The same for the REST door, which orders it and cuts its pages.
create function public.das2_payees(p_year integer, p_payee_id uuid default null)
returns table (id uuid, full_name text, role text, status text, legal_name text, street text, postal_code text, city text, siren text,
  rna text, paid numeric, gift_cards numeric, discounts numeric, counted numeric, is_employee boolean)
language sql stable set search_path = '' rows 1000
as $$ select * from private.das2_payees(p_year, p_payee_id) $$;

alter function private.das2_settings_shown() owner to parrain_service;
alter function private.set_das2_settings(boolean, boolean) owner to parrain_service;
alter function private.das2_payees(integer, uuid) owner to parrain_service;
grant execute on function private.das2_settings_shown(), private.set_das2_settings(boolean, boolean),
  private.das2_payees(integer, uuid), public.das2_payees(integer, uuid) to authenticated;
