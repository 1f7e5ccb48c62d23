-- What a validated sale gives to each side, and what each person earned and asked for.

create table public.commission_payments (
  id uuid primary key default gen_random_uuid(),
  sale_id uuid not null references public.sales (id) on delete restrict,
  recipient_id uuid not null references public.profiles (id) on delete restrict,
  type text not null,
  amount numeric(12, 2) not null,
  -- M-03: « paid » from the start, as the source has it; what really left the company is in payment_requests.
  status text not null default 'paid',
  created_at timestamptz not null default private.now(),
  paid_at timestamptz default private.now(),
  is_test boolean not null default false,
  constraint commission_payments_type_is_known check (type in ('client', 'commercial')),
  constraint commission_payments_status_is_paid check (status = 'paid'),
  constraint commission_payments_one_per_side unique (sale_id, type)
);
create index commission_payments_by_recipient on public.commission_payments (recipient_id, paid_at desc);
create index commission_payments_by_creation on public.commission_payments (created_at desc, id);
grant select, insert, delete on public.commission_payments to parrain_service;
grant select on public.commission_payments to authenticated, service_role;
create policy commission_payments_authenticated_read on public.commission_payments for select to authenticated using (
  case when (select private.user_role()) = 'admin' then true else recipient_id = (select private.uid()) end);

-- A commission is what its validated sale says, and is never edited.
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
create trigger commission_payments_audit after insert or update or delete on public.commission_payments for each row execute function private.audit_change();

-- What each person earned and asked for. Kept by triggers, read under a row lock by whoever spends: the one place where
-- simultaneous requests meet (V-16, I2).
create table public.balances (
  profile_id uuid primary key references public.profiles (id) on delete cascade,
  earned numeric(14, 2) not null default 0,
  reversed numeric(14, 2) not null default 0,
  reserved numeric(14, 2) not null default 0,
  paid numeric(14, 2) not null default 0,
  constraint balances_are_not_negative check (earned >= 0 and reversed >= 0 and reserved >= 0 and paid >= 0),
  constraint balances_never_promise_more_than_earned check (reserved + paid <= earned)
);
grant select, insert, update, delete on public.balances to parrain_service;
grant select on public.balances to authenticated, service_role;
create policy balances_authenticated_read on public.balances for select to authenticated using (
  (select private.user_role()) = 'admin' or profile_id = (select private.uid()));
-- Who was paid beyond what they still earn (S-11): few, if any.
create index balances_in_debt on public.balances (profile_id) where paid > earned - reversed;

-- Once per statement: both sides of a sale are added at once, in the order of their owners, so that two validations never wait for
-- each other.
create function private.count_commissions() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  insert into public.balances as b (profile_id, earned, reversed)
  select n.recipient_id, sum(greatest(n.amount, 0)), sum(greatest(-n.amount, 0)) from new_rows n
  group by n.recipient_id order by n.recipient_id
  on conflict (profile_id) do update set earned = b.earned + excluded.earned, reversed = b.reversed + excluded.reversed;
  return null;
end
$$;
create trigger commission_payments_count after insert on public.commission_payments
  referencing new table as new_rows for each statement execute function private.count_commissions();
