-- DF-40: what stands against a decision is said once, here, and read with the row that is decided on: in lists, dialogs, bulk acts and
-- batches. RLS is the reader's own: an admin sees all of it, a payee nothing that is not theirs.

-- An admin has still to accept the VAT by which this payee's mandate is given.
create function private.is_vat_waiting(p_payee_id uuid) returns boolean
language sql stable security definer set search_path = ''
return exists (select from private.payee_details d where d.payee_id = p_payee_id and d.vat_number is not null
  and d.vat_accepted_at is null and private.mandate_in_force(p_payee_id) is not null);
revoke all on function private.is_vat_waiting(uuid) from public;
alter function private.is_vat_waiting(uuid) owner to parrain_service;
grant execute on function private.is_vat_waiting(uuid) to authenticated, service_role;

-- The doubtful cases that weigh on a sale, a request or a payee.
create function private.weighing_cases(p_sale_id uuid, p_request_id uuid, p_payee_ids uuid[])
returns table (case_id uuid, case_status text)
language sql stable
begin atomic
  select c.id, c.status from public.doubtful_cases c
  where c.status <> 'cleared' and (c.sale_id = p_sale_id or c.request_id = p_request_id
    or c.payee_id = any (p_payee_ids) and c.sale_id is null and c.request_id is null);
end;
revoke all on function private.weighing_cases(uuid, uuid, uuid[]) from public;
grant execute on function private.weighing_cases(uuid, uuid, uuid[]) to authenticated, service_role;

create function public.standing(public.sales) returns jsonb
language sql stable
begin atomic
  select coalesce(jsonb_agg(jsonb_build_object('code', 'case', 'case_id', w.case_id, 'case_status', w.case_status)
    order by w.case_id), '[]')
  from private.weighing_cases($1.id, null, array[$1.friend_referrer_id, $1.client_referrer_id, $1.commercial_id]) w;
end;

create function public.standing(public.payment_requests) returns jsonb
language sql stable
begin atomic
  select coalesce(jsonb_agg(jsonb_strip_nulls(s.said) order by s.place), '[]') from (
    select 1 as place, jsonb_build_object('code', 'closed') as said from public.profiles p
      where p.id = $1.client_id and p.deactivated_at is not null
    union all
    select 2, jsonb_build_object('code', 'debt') from public.balances b
      where b.profile_id = $1.client_id and b.earned - b.reversed - b.held - b.reserved - b.paid < 0
    union all
    select 3, jsonb_build_object('code', 'incomplete') where private.is_payee_incomplete($1.client_id)
    union all
    select 4, jsonb_build_object('code', 'case', 'case_id', w.case_id, 'case_status', w.case_status,
        'is_held', (select c.hold_doubtful from public.company_settings c))
      from private.weighing_cases(null, $1.id, array[$1.client_id]) w
    union all
    select 5, jsonb_build_object('code', 'batch', 'batch_id', b.id, 'batch_number', b.number)
      from public.payment_batch_lines l join public.payment_batches b on b.id = l.batch_id
      where l.request_id = $1.id and l.status = 'queued'
    union all
    select 6, jsonb_build_object('code', 'iban', 'from', i.usable_from) from public.payee_ibans i
      where i.id = $1.iban_id and i.usable_from > private.now()
    union all
    select 7, jsonb_build_object('code', 'shared_iban', 'names', h.names)
      from public.payee_ibans i cross join lateral private.sharers_of_iban(i.mark, i.client_id) h (names)
      where i.id = $1.iban_id and h.names is not null
    union all
    select 8, jsonb_build_object('code', 'vat') where $1.payment_method = 'virement' and $1.vat_rate is null
      and private.is_vat_waiting($1.client_id)
  ) s
  where $1.status in ('pending', 'approved');
end;
revoke all on function public.standing(public.sales), public.standing(public.payment_requests) from public;
grant execute on function public.standing(public.sales), public.standing(public.payment_requests) to authenticated, service_role;
