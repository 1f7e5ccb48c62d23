-- Two requests of the same amount are two requests (FX-66): only a repeated idempotency key makes them one.
drop function private.request_payment(numeric, text, jsonb, bytea, boolean);

-- F-10, V-14, V-16: asks for a part of what was earned. The balance's row lock decides between simultaneous requests.
create function private.request_payment(p_amount numeric, p_method text, p_details jsonb, p_details_sealed bytea)
returns public.payment_requests
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('client');
  balance public.balances;
  is_test_person boolean;
  created public.payment_requests;
begin
  -- A cleaning, a deletion or a closure of the same instant is waited for, then the client is found gone.
  select p.is_test into is_test_person from public.profiles p where p.id = me and p.deactivated_at is null for share;
  if not found then raise exception using errcode = 'PR401', message = 'session_expired'; end if;
  select * into balance from public.balances b where b.profile_id = me for update;
  if balance.earned - balance.reversed - balance.reserved - balance.paid < 0 then perform private.refuse('balance_in_debt'); end if;
  if p_amount is null or p_amount < 1 or p_amount <> round(p_amount, 2) then
    perform private.refuse('amount_out_of_range', jsonb_build_object('available',
      coalesce(balance.earned - balance.reversed - balance.reserved - balance.paid, 0)::numeric(14, 2)::text));
  end if;
  insert into public.payment_requests (client_id, amount, payment_method, payment_details, is_test)
  values (me, p_amount, p_method, p_details, is_test_person)
  returning * into created;
  if p_details_sealed is not null then
    insert into private.payment_secrets (request_id, details_sealed) values (created.id, p_details_sealed);
  end if;
  return created;
end
$$;
alter function private.request_payment(numeric, text, jsonb, bytea) owner to parrain_service;
grant execute on function private.request_payment(numeric, text, jsonb, bytea) to parrain_service, authenticated;
