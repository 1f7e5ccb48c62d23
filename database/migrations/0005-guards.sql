-- What may never happen to a row, whoever writes it: frozen sales, legal moves, balances that hold.

-- Test data (P-05) is removed by private.clean_test_data alone, which sets this for its transaction.
create function private.is_cleaning() returns boolean
language sql stable parallel safe
return coalesce(current_setting('app.cleaning', true), '') = 'on';

create function private.refuse(p_code text, p_params jsonb default '{}') returns void
language plpgsql as $$
begin
  raise exception using errcode = 'PR001', message = p_code, detail = p_params::text;
end
$$;

create function private.guard_sale() returns trigger
language plpgsql set search_path = '' as $$
begin
  if tg_op = 'DELETE' then
    if not (private.is_cleaning() and old.is_test) and (old.admin_validated or old.status <> 'rejected') then
      perform private.refuse('sale_not_editable');
    end if;
    return old;
  end if;
  if old.admin_validated then
    perform private.refuse('sale_not_editable');
  end if;
  if (new.id, new.created_at, new.corrects_sale_id, new.is_test) is distinct from (old.id, old.created_at, old.corrects_sale_id, old.is_test)
    or new.friend_referrer_id is distinct from old.friend_referrer_id
    or new.client_referrer_id is distinct from old.client_referrer_id then
    perform private.refuse('sale_not_editable');
  end if;
  -- Signed by the commercial: only the company's decision is left (S-02, W6).
  if old.status = 'validated' and not (new.status = 'rejected' or new.admin_validated or (
      (new.status, new.contract_amount, new.contract_description) is not distinct from (old.status, old.contract_amount, old.contract_description)
      and new.commercial_id is distinct from old.commercial_id)) then
    perform private.refuse('sale_not_editable');
  end if;
  if new.admin_validated and (not old.ready_for_validation
      or (new.contract_amount, new.contract_description) is distinct from (old.contract_amount, old.contract_description)) then
    perform private.refuse('sale_not_ready');
  end if;
  new.version := old.version + 1;
  new.updated_at := private.now();
  return new;
end
$$;
create trigger sales_guard before update or delete on public.sales for each row execute function private.guard_sale();

-- I1, at commit: a validated sale has exactly its commissions.
create function private.check_sale_is_paid() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  expected integer := 1 + (coalesce(new.friend_referrer_id, new.client_referrer_id) is not null)::integer;
begin
  if new.admin_validated and (select count(*) from public.commission_payments p where p.sale_id = new.id) <> expected then
    raise exception using errcode = 'check_violation', message = 'a validated sale has one commission per beneficiary side';
  end if;
  return null;
end
$$;
create constraint trigger sales_validated_is_paid after insert or update of admin_validated on public.sales
  deferrable initially deferred for each row when (new.admin_validated) execute function private.check_sale_is_paid();

create function private.guard_commission_payment() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  sale public.sales;
begin
  if tg_op <> 'INSERT' then
    if tg_op = 'DELETE' and private.is_cleaning() and old.is_test then return old; end if;
    perform private.refuse('forbidden');
  end if;
  select * into sale from public.sales s where s.id = new.sale_id;
  if not sale.admin_validated
    or new.amount is distinct from (case new.type when 'client' then sale.client_commission_amount else sale.commercial_commission_amount end)
    or new.recipient_id is distinct from (case new.type when 'client' then coalesce(sale.friend_referrer_id, sale.client_referrer_id) else sale.commercial_id end) then
    raise exception using errcode = 'check_violation', message = 'a commission is what its validated sale says';
  end if;
  new.is_test := sale.is_test;
  return new;
end
$$;
create trigger commission_payments_guard before insert or update or delete on public.commission_payments
  for each row execute function private.guard_commission_payment();

create function private.count_commission() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  insert into public.balances as b (profile_id, earned, reversed)
  values (new.recipient_id, greatest(new.amount, 0), greatest(-new.amount, 0))
  on conflict (profile_id) do update set earned = b.earned + excluded.earned, reversed = b.reversed + excluded.reversed;
  return null;
end
$$;
create trigger commission_payments_count after insert on public.commission_payments
  for each row execute function private.count_commission();

create function private.guard_payment_request() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  balance public.balances;
begin
  if tg_op = 'DELETE' then
    if not (private.is_cleaning() and old.is_test) then perform private.refuse('forbidden'); end if;
    return old;
  end if;
  if tg_op = 'INSERT' then
    if new.status <> 'pending' then perform private.refuse('request_illegal_move'); end if;
    -- The row lock taken here is what makes simultaneous requests wait for one another.
    update public.balances b set reserved = b.reserved + new.amount
      where b.profile_id = new.client_id and b.earned - b.reversed - b.reserved - b.paid >= new.amount;
    if not found then
      select * into balance from public.balances b where b.profile_id = new.client_id;
      perform private.refuse('amount_out_of_range', jsonb_build_object('available',
        greatest(coalesce(balance.earned - balance.reversed - balance.reserved - balance.paid, 0), 0)::numeric(14, 2)::text));
    end if;
    return new;
  end if;
  if (new.id, new.client_id, new.amount, new.payment_method, new.payment_details, new.created_at, new.is_test)
      is distinct from (old.id, old.client_id, old.amount, old.payment_method, old.payment_details, old.created_at, old.is_test) then
    perform private.refuse('forbidden');
  end if;
  if new.status <> old.status then
    if not ((old.status, new.status) in (('pending', 'approved'), ('pending', 'rejected'), ('approved', 'paid'))) then
      perform private.refuse('request_illegal_move');
    end if;
    if new.status = 'rejected' then
      update public.balances b set reserved = b.reserved - old.amount where b.profile_id = old.client_id;
    else
      -- Someone who owes the company (S-11) is neither approved nor paid before the debt is gone.
      update public.balances b set
          reserved = b.reserved - case new.status when 'paid' then old.amount else 0 end,
          paid = b.paid + case new.status when 'paid' then old.amount else 0 end
        where b.profile_id = old.client_id and b.earned - b.reversed - b.reserved - b.paid >= 0;
      if not found then perform private.refuse('balance_in_debt'); end if;
    end if;
  elsif old.status in ('rejected', 'paid') then
    perform private.refuse('request_illegal_move');
  end if;
  new.version := old.version + 1;
  new.updated_at := private.now();
  return new;
end
$$;
create trigger payment_requests_guard before insert or update or delete on public.payment_requests
  for each row execute function private.guard_payment_request();

-- S-12: a scale is never edited in place; it is archived, or made the default, or not.
create function private.guard_commission_rate() returns trigger
language plpgsql set search_path = '' as $$
begin
  if tg_op = 'DELETE' then
    if not (private.is_cleaning() and old.is_test) then perform private.refuse('scale_in_use'); end if;
    return old;
  end if;
  if to_jsonb(new) - array['is_default', 'archived_at'] is distinct from to_jsonb(old) - array['is_default', 'archived_at'] then
    perform private.refuse('scale_in_use');
  end if;
  return new;
end
$$;
create trigger commission_rates_guard before update or delete on public.commission_rates
  for each row execute function private.guard_commission_rate();

create function private.guard_profile() returns trigger
language plpgsql set search_path = '' as $$
begin
  if (new.id, new.role, new.created_at, new.is_test) is distinct from (old.id, old.role, old.created_at, old.is_test) then
    perform private.refuse('forbidden');
  end if;
  new.updated_at := private.now();
  return new;
end
$$;
create trigger profiles_guard before update on public.profiles for each row execute function private.guard_profile();

-- The commercial of a client is a commercial: a foreign key alone cannot say it.
create function private.check_commercial() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if new.commercial_id is not null
    and not exists (select 1 from public.profiles p where p.id = new.commercial_id and p.role = 'commercial') then
    perform private.refuse('commercial_not_found');
  end if;
  return new;
end
$$;
create trigger profiles_commercial before insert or update of commercial_id on public.profiles
  for each row execute function private.check_commercial();
create trigger sales_commercial before insert or update of commercial_id on public.sales
  for each row execute function private.check_commercial();
