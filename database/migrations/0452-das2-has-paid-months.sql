-- PP-04, PO-05: what commercials were paid by month counts in the year in which they were paid, like a client's payments. Who is employed
-- is left out by domain/src/das2.ts, with the reason.
create index paid_periods_by_payment on public.paid_periods (paid_at);

-- As 0360 has it, with the paid months.
create or replace function private.das2_payees(p_year integer, p_payee_id uuid)
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
    select m.payee_id, sum(m.amount) as paid,
      coalesce(sum(m.amount) filter (where m.method = 'cheque_cadeau'), 0) as gift_cards,
      coalesce(sum(m.amount) filter (where m.method = 'remise_societe'), 0) as discounts
    from (
      select r.client_id as payee_id, r.amount, r.payment_method as method
      from public.payment_requests r
      where r.status = 'paid' and r.paid_at >= private.month_start(make_date(p_year, 1, 1))
        and r.paid_at < private.month_start(make_date(p_year + 1, 1, 1))
        and (p_payee_id is null or r.client_id = p_payee_id)
      union all
      select q.payee_id, q.amount, null
      from public.paid_periods q
      where q.paid_at >= private.month_start(make_date(p_year, 1, 1)) and q.paid_at < private.month_start(make_date(p_year + 1, 1, 1))
        and (p_payee_id is null or q.payee_id = p_payee_id)) m
    group by m.payee_id) s
  join public.profiles p on p.id = s.payee_id
  left join private.payee_details d on d.payee_id = p.id;
end
$$;
