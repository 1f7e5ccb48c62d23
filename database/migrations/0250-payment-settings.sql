-- PO-04, PO-06: the account the company pays from, and what it accepts of payment requests.

-- By default what the specification has: from 1 €, by every means, on any day.
alter table public.company_settings
  add column smallest_request numeric(12, 2) not null default 1
    constraint company_settings_smallest_request_is_within_bounds check (smallest_request between 1 and 10000),
  add column payment_methods text[] not null default '{virement,cheque_cadeau,association,remise_societe}'
    constraint company_settings_payment_methods_are_known check (
      payment_methods <@ array['virement', 'cheque_cadeau', 'association', 'remise_societe']
      and cardinality(payment_methods) between 1 and 4),
  -- Days of the month, both included; from the second on to the first of the next month where they stand the other way round.
  add column requests_from_day smallint
    constraint company_settings_requests_from_day_is_of_every_month check (requests_from_day between 1 and 28),
  add column requests_to_day smallint
    constraint company_settings_requests_to_day_is_of_a_month check (requests_to_day between 1 and 31),
  add constraint company_settings_request_days_come_together check ((requests_from_day is null) = (requests_to_day is null));

-- In clear it exists only sealed; what is shown has a masked IBAN, which nothing else can pass for.
create table private.company_account (
  id boolean primary key default true,
  holder text not null,
  iban_shown text not null,
  bic text,
  sealed bytea not null,
  updated_at timestamptz not null default now(),
  constraint company_account_is_one_row check (id),
  constraint company_account_holder_is_a_line check (private.is_line(holder, 70) and btrim(holder) <> ''),
  constraint company_account_iban_is_masked check (private.is_line(iban_shown, 23)
    and iban_shown ~ '^[A-Z]{2}[0-9]{2} •••• •••• [0-9A-Z]{4}$'),
  constraint company_account_bic_is_one check (private.is_line(bic, 11) and bic ~ '^[A-Z]{6}[0-9A-Z]{2}([0-9A-Z]{3})?$')
);
alter table private.company_account enable row level security;
alter table private.company_account force row level security;
grant select, insert, update, delete on private.company_account to parrain_service;
create policy company_account_service_all on private.company_account to parrain_service using (true) with check (true);

create function private.set_request_rules(p_smallest numeric, p_methods text[], p_from_day integer, p_to_day integer)
returns public.company_settings
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  settings public.company_settings;
begin
  update public.company_settings c set smallest_request = p_smallest, payment_methods = p_methods,
      requests_from_day = p_from_day, requests_to_day = p_to_day, updated_at = now()
    returning * into settings;
  return settings;
end
$$;

-- The account as admins see it: no more than what a letterhead shows, but for the IBAN.
create function private.company_account_shown() returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
begin
  return (select jsonb_build_object('holder', a.holder, 'iban', a.iban_shown, 'bic', a.bic) from private.company_account a);
end
$$;

create function private.set_company_account(p_holder text, p_iban_shown text, p_bic text, p_sealed bytea) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  before jsonb;
  after jsonb;
begin
  -- One change after the other, so that the trail says what each of them replaced.
  lock table private.company_account in share row exclusive mode;
  select jsonb_build_object('account_holder', a.holder, 'account_iban', a.iban_shown, 'account_bic', a.bic) into before
    from private.company_account a;
  insert into private.company_account as a (holder, iban_shown, bic, sealed) values (btrim(p_holder), p_iban_shown, p_bic, p_sealed)
  on conflict (id) do update set holder = excluded.holder, iban_shown = excluded.iban_shown, bic = excluded.bic,
    sealed = excluded.sealed, updated_at = now()
  returning jsonb_build_object('account_holder', a.holder, 'account_iban', a.iban_shown, 'account_bic', a.bic) into after;
  perform private.append_audit('company_settings', '00000000-0000-0000-0000-000000000001', 'update', before, after, null);
  return private.company_account_shown();
end
$$;

-- Whether a request may be made on a day of the month.
create function private.accepts_requests_on(p_day integer, p_from integer, p_to integer) returns boolean
language sql immutable set search_path = ''
return coalesce(case when p_from <= p_to then p_day between p_from and p_to else p_day >= p_from or p_day <= p_to end, true);

-- F-10, V-14, V-16: asks for a part of what was earned. The balance's row lock decides between simultaneous requests.
-- What was kept for this client until now is available first. PO-06: within what the company accepts.
create or replace function private.request_payment(p_amount numeric, p_method text, p_details jsonb, p_details_sealed bytea)
returns public.payment_requests
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('client');
  balance public.balances;
  rules public.company_settings;
  is_test_person boolean;
  created public.payment_requests;
begin
  -- A cleaning, a deletion or a closure of the same instant is waited for, then the client is found gone.
  select p.is_test into is_test_person from public.profiles p where p.id = me and p.deactivated_at is null for share;
  if not found then raise exception using errcode = 'PR401', message = 'session_expired'; end if;
  perform private.release_holds(me, 1000);
  select * into balance from public.balances b where b.profile_id = me for update;
  if balance.earned - balance.reversed - balance.held - balance.reserved - balance.paid < 0 then perform private.refuse('balance_in_debt'); end if;
  select * into rules from public.company_settings;
  if not private.accepts_requests_on(extract(day from private.today())::integer, rules.requests_from_day, rules.requests_to_day) then
    perform private.refuse('requests_closed', jsonb_build_object('from', rules.requests_from_day, 'to', rules.requests_to_day));
  end if;
  if not coalesce(p_method = any (rules.payment_methods), false) then perform private.refuse('method_not_offered'); end if;
  if p_amount is null or p_amount < rules.smallest_request or p_amount <> round(p_amount, 2) then
    perform private.refuse('amount_out_of_range', jsonb_build_object('smallest', rules.smallest_request::text, 'available',
      coalesce(balance.earned - balance.reversed - balance.held - balance.reserved - balance.paid, 0)::numeric(14, 2)::text));
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

do $$
declare
  name text;
begin
  foreach name in array array['private.set_request_rules(numeric, text[], integer, integer)', 'private.company_account_shown()',
      'private.set_company_account(text, text, text, bytea)'] loop
    execute format('alter function %s owner to parrain_service', name);
    execute format('grant execute on function %s to authenticated', name);
  end loop;
end
$$;
grant execute on function private.accepts_requests_on(integer, integer, integer) to parrain_service;
