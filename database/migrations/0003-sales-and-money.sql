-- Scales, sales, commissions, payment requests and balances, with the rules that no writer can break.

-- M-01: a percentage is rounded to the cent, half away from zero (what numeric's round does); a fixed amount follows the
-- sign of the contract, so that a correction is the exact opposite of what it corrects (S-11).
create function private.commission(type text, rate numeric, contract_amount numeric) returns numeric
language sql immutable parallel safe
return case type when 'percentage' then round(contract_amount * rate / 100, 2) else sign(contract_amount) * rate end;

create table public.commission_rates (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  description text,
  client_commission_type text not null,
  client_commission_amount numeric(12, 2) not null,
  commercial_commission_type text not null,
  commercial_commission_amount numeric(12, 2) not null,
  created_at timestamptz not null default private.now(),
  is_default boolean not null default false,
  archived_at timestamptz,
  replaces_id uuid references public.commission_rates (id) on delete restrict,
  is_test boolean not null default false,
  constraint commission_rates_name_is_given check (length(btrim(name)) between 1 and 120),
  constraint commission_rates_types_are_known check (
    client_commission_type in ('percentage', 'fixed') and commercial_commission_type in ('percentage', 'fixed')),
  constraint commission_rates_amounts_are_positive check (client_commission_amount > 0 and commercial_commission_amount > 0),
  constraint commission_rates_percentages_are_at_most_100 check (
    (client_commission_type <> 'percentage' or client_commission_amount <= 100)
    and (commercial_commission_type <> 'percentage' or commercial_commission_amount <= 100)
    and (client_commission_type <> 'percentage' or commercial_commission_type <> 'percentage'
      or client_commission_amount + commercial_commission_amount <= 100)),
  constraint commission_rates_default_is_live check (not is_default or archived_at is null)
);
create unique index commission_rates_one_default on public.commission_rates (is_default) where is_default;
create index commission_rates_by_creation on public.commission_rates (created_at desc);
create index commission_rates_by_replaced on public.commission_rates (replaces_id);

create table public.sales (
  id uuid primary key default gen_random_uuid(),
  created_at timestamptz not null default private.now(),
  status text not null default 'pending',
  referred_contact_name text not null,
  referred_contact_email text,
  referred_contact_phone text,
  personal_message text,
  contract_amount numeric(12, 2),
  contract_description text,
  commercial_notes text,
  commercial_id uuid references public.profiles (id) on delete restrict,
  client_referrer_id uuid references public.profiles (id) on delete restrict,
  friend_referrer_id uuid references public.profiles (id) on delete restrict,
  commission_rate uuid references public.commission_rates (id) on delete restrict,
  ready_for_validation boolean not null default false,
  admin_validated boolean not null default false,
  rejection_reason text,
  validated_at timestamptz,
  validated_by uuid references public.profiles (id) on delete restrict,
  client_commission_amount numeric(12, 2),
  commercial_commission_amount numeric(12, 2),
  -- S-12: the scale as it was, so that no later change of a scale touches this sale.
  client_commission_type text,
  client_commission_rate numeric(12, 2),
  commercial_commission_type text,
  commercial_commission_rate numeric(12, 2),
  -- S-11: an annulled validation is corrected by a new, opposite sale.
  corrects_sale_id uuid references public.sales (id) on delete restrict,
  correction_reason text,
  version integer not null default 1,
  updated_at timestamptz not null default private.now(),
  is_test boolean not null default false,
  constraint sales_status_is_known check (status in ('pending', 'contacted', 'in_negotiation', 'validated', 'rejected')),
  constraint sales_contact_is_named check (length(btrim(referred_contact_name)) between 1 and 120),
  constraint sales_message_is_at_most_500 check (length(personal_message) <= 500),
  constraint sales_amount_is_within_bounds check (
    case when corrects_sale_id is null then contract_amount > 0 else contract_amount < 0 end
    and abs(contract_amount) <= 9999999.99),
  constraint sales_ready_is_pending_or_validated check (not ready_for_validation or status in ('pending', 'validated')),
  constraint sales_ready_has_a_contract check (
    not ready_for_validation or (contract_amount is not null and length(btrim(contract_description)) > 0)),
  constraint sales_validated_is_ready check (status <> 'validated' or ready_for_validation),
  constraint sales_rejection_reason_is_of_a_rejected check (rejection_reason is null or status = 'rejected'),
  constraint sales_admin_validated_is_complete check (
    not admin_validated
    or (status = 'validated' and validated_at is not null and validated_by is not null and commission_rate is not null
      and commercial_id is not null and client_commission_amount is not null and commercial_commission_amount is not null)),
  constraint sales_validator_means_validated check (admin_validated or (validated_at is null and validated_by is null)),
  constraint sales_validator_is_no_referrer check (
    validated_by is null or corrects_sale_id is not null or (validated_by is distinct from friend_referrer_id
      and validated_by is distinct from client_referrer_id and validated_by is distinct from commercial_id)),
  -- I3: what is recorded is what the recorded scale gives, to the cent; nothing for a client where nobody referred.
  constraint sales_client_commission_is_the_scale_s check (
    client_commission_amount is null
    or client_commission_amount = case
      when friend_referrer_id is null and client_referrer_id is null then 0
      else private.commission(client_commission_type, client_commission_rate, contract_amount) end),
  constraint sales_commercial_commission_is_the_scale_s check (
    commercial_commission_amount is null
    or commercial_commission_amount = private.commission(commercial_commission_type, commercial_commission_rate, contract_amount)),
  constraint sales_amounts_come_with_their_scale check (
    num_nulls(client_commission_amount, commercial_commission_amount, client_commission_type, client_commission_rate,
      commercial_commission_type, commercial_commission_rate) in (0, 6)),
  constraint sales_commissions_stay_below_the_contract check (
    not admin_validated or abs(client_commission_amount + commercial_commission_amount) <= abs(contract_amount)),
  constraint sales_correction_says_why check (
    (corrects_sale_id is null) = (correction_reason is null) and (corrects_sale_id is null or admin_validated)),
  constraint sales_corrected_once unique (corrects_sale_id)
);
create index sales_by_creation on public.sales (created_at desc);
create index sales_by_commercial on public.sales (commercial_id, created_at desc);
create index sales_by_friend_referrer on public.sales (friend_referrer_id, created_at desc);
create index sales_by_client_referrer on public.sales (client_referrer_id, created_at desc);
create index sales_by_status on public.sales (status, created_at desc);
create index sales_by_validation on public.sales (validated_at desc) where admin_validated;
create index sales_awaiting_validation on public.sales (created_at desc) where ready_for_validation and not admin_validated;
create index sales_by_scale on public.sales (commission_rate);
create index sales_by_validator on public.sales (validated_by) where validated_by is not null;
create index sales_by_contact_name on public.sales using gin (referred_contact_name gin_trgm_ops);

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
create index commission_payments_by_creation on public.commission_payments (created_at desc);

create table public.payment_requests (
  id uuid primary key default gen_random_uuid(),
  client_id uuid not null references public.profiles (id) on delete restrict,
  amount numeric(12, 2) not null,
  payment_method text not null default 'virement',
  -- The IBAN stands here masked; in clear it exists only sealed, in private.payment_secrets (V-18).
  payment_details jsonb not null default '{}',
  status text not null default 'pending',
  admin_notes text,
  rejection_reason text,
  created_at timestamptz not null default private.now(),
  approved_at timestamptz,
  paid_at timestamptz,
  version integer not null default 1,
  updated_at timestamptz not null default private.now(),
  is_test boolean not null default false,
  constraint payment_requests_amount_is_at_least_1 check (amount >= 1),
  constraint payment_requests_method_is_known check (
    payment_method in ('virement', 'cheque_cadeau', 'association', 'remise_societe')),
  constraint payment_requests_status_is_known check (status in ('pending', 'approved', 'rejected', 'paid')),
  constraint payment_requests_times_follow_the_status check (
    (status in ('approved', 'paid')) = (approved_at is not null) and (status = 'paid') = (paid_at is not null)),
  constraint payment_requests_refusal_has_a_reason check (
    (status = 'rejected') = (rejection_reason is not null) and length(btrim(rejection_reason)) > 0)
);
create index payment_requests_by_client on public.payment_requests (client_id, created_at desc);
create index payment_requests_by_status on public.payment_requests (status, created_at desc);
create index payment_requests_by_creation on public.payment_requests (created_at desc);

create table private.payment_secrets (
  request_id uuid primary key references public.payment_requests (id) on delete cascade,
  details_sealed bytea not null
);

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
