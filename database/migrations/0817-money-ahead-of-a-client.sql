-- UI-02: a client saw what was asked for and not when it leaves, and no rate before a friend had signed. Both are read here: the open
-- requests with the day of their transfer, and what the scales in force give a client.

-- The day on which the released batch of each of one's own requests is carried out.
create function private.own_transfer_days()
returns table (request_id uuid, leaves_on date)
language sql stable security definer set search_path = '' rows 10 as $$
  select r.id, b.execution_on
  from public.payment_requests r
  join public.payment_batch_lines l on l.request_id = r.id and l.status = 'queued'
  join public.payment_batches b on b.id = l.batch_id and b.status in ('released', 'sent')
  where r.client_id = (select private.uid()) and r.status = 'approved'
$$;
alter function private.own_transfer_days() owner to parrain_service;
revoke all on function private.own_transfer_days() from public;
grant execute on function private.own_transfer_days() to authenticated;

-- What was asked for and has not arrived, the soonest transfer first: pending, approved, with its day once its batch is released.
create function public.client_payments_ahead()
returns table (request_id uuid, amount numeric, status text, leaves_on date)
language sql stable set search_path = '' rows 10 as $$
  select r.id, r.amount, r.status, d.leaves_on
  from public.payment_requests r
  left join private.own_transfer_days() d on d.request_id = r.id
  where r.client_id = (select private.uid()) and r.status in ('pending', 'approved')
  order by d.leaves_on nulls last, r.status, r.created_at, r.id
  limit 50
$$;

-- What a signed contract gives its referrer: the scale that is taken without a threshold, then each one from the amount it begins at.
create function private.client_rewards()
returns table (from_contract_amount numeric, type text, amount numeric)
language sql stable security definer set search_path = '' rows 3 as $$
  select null::numeric, r.client_commission_type, r.client_commission_amount
  from private.scale_for_contract(0, null) r where r.id is not null
  union all
  (select distinct on (r.from_contract_amount) r.from_contract_amount, r.client_commission_type, r.client_commission_amount
   from public.commission_rates r where r.archived_at is null and r.from_contract_amount is not null
   order by r.from_contract_amount, r.is_default desc, r.created_at desc, r.id)
  order by 1 nulls first
  limit 20
$$;
alter function private.client_rewards() owner to parrain_service;
revoke all on function private.client_rewards() from public;
grant execute on function private.client_rewards() to authenticated;

create function public.client_rewards()
returns table (from_contract_amount numeric, type text, amount numeric)
language sql stable set search_path = '' rows 3 as $$
  select r.from_contract_amount, r.type, r.amount from private.client_rewards() r
  where (select private.user_role()) = 'client'
$$;

grant execute on function public.client_payments_ahead(), public.client_rewards() to authenticated;
