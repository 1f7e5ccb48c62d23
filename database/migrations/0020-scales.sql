-- Scales: what a contract gives to the client who referred it and to the commercial who signed it.

-- M-01: a percentage is rounded to the cent, half away from zero (what numeric's round does); a fixed amount follows the
-- sign of the contract, so that a correction is the exact opposite of what it corrects (S-11).
create function private.commission(type text, rate numeric, contract_amount numeric) returns numeric
-- PL/pgSQL, as the rules of texts are: constraints of sales call it.
language plpgsql immutable parallel safe as $$
begin
  return case type when 'percentage' then round(contract_amount * rate / 100, 2) else sign(contract_amount) * rate end;
end
$$;
grant execute on function private.commission(text, numeric, numeric) to authenticated;

-- A small contract may cost more in commissions than it brings in (FX-62): the screen says it and asks once more, the rule is
-- that each percentage is at most 100 (V-17).
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
  constraint commission_rates_default_is_live check (not is_default or archived_at is null),
  constraint commission_rates_percentages_are_at_most_100 check (
    (client_commission_type <> 'percentage' or client_commission_amount <= 100)
    and (commercial_commission_type <> 'percentage' or commercial_commission_amount <= 100)),
  constraint commission_rates_name_is_a_line check (private.is_line(name, 120)),
  constraint commission_rates_description_is_a_text check (private.is_text(description, 2000))
);
create unique index commission_rates_one_default on public.commission_rates (is_default) where is_default;
create index commission_rates_by_creation on public.commission_rates (created_at desc);
create index commission_rates_by_replaced on public.commission_rates (replaces_id);
grant select, insert, update, delete on public.commission_rates to parrain_service;
grant select on public.commission_rates to authenticated, service_role;
create policy commission_rates_admin_read on public.commission_rates for select to authenticated using (
  (select private.user_role()) = 'admin');

-- S-12: a scale is never edited in place; it is archived, or made the default, or not. A real scale that replaced one of the
-- demonstration forgets it with the cleaning.
create function private.guard_commission_rate() returns trigger
language plpgsql set search_path = '' as $$
declare
  free text[] := array['is_default', 'archived_at'];
begin
  if tg_op = 'DELETE' then
    if not (private.is_cleaning() and old.is_test) then perform private.refuse('scale_in_use'); end if;
    return old;
  end if;
  if private.is_cleaning() and new.replaces_id is null then free := free || 'replaces_id'::text; end if;
  if to_jsonb(new) - free is distinct from to_jsonb(old) - free then
    perform private.refuse('scale_in_use');
  end if;
  return new;
end
$$;
create trigger commission_rates_guard before update or delete on public.commission_rates
  for each row execute function private.guard_commission_rate();
create trigger commission_rates_audit after insert or update or delete on public.commission_rates for each row execute function private.audit_change();

-- The scale a sale is counted with where nobody chose one: the sale's own while it lives, else the default.
create function private.scale_for(p_chosen uuid, p_sales_own uuid) returns public.commission_rates
language plpgsql stable security definer set search_path = '' as $$
declare
  scale public.commission_rates;
begin
  if p_chosen is not null then
    select * into scale from public.commission_rates r where r.id = p_chosen;
    if not found then perform private.refuse('scale_not_found'); end if;
    if scale.archived_at is not null then perform private.refuse('scale_archived'); end if;
    return scale;
  end if;
  select * into scale from public.commission_rates r where r.id = p_sales_own and r.archived_at is null;
  if found then return scale; end if;
  select * into scale from public.commission_rates r where r.archived_at is null
    order by r.is_default desc, r.created_at, r.id limit 1;
  return scale;
end
$$;

-- Where the scale in force gives a client a fixed amount, a referral without a contract has its forecast already (CL-04, FX-73).
create function private.fixed_client_commission() returns numeric
language sql stable security definer set search_path = '' as $$
  select case r.client_commission_type when 'fixed' then r.client_commission_amount end
  from private.scale_for(null, null) r
$$;

-- F-07, S-12: a new scale; where it replaces another, that one is archived in the same breath.
create function private.create_commission_rate(
  p_name text, p_description text, p_client_type text, p_client_amount numeric, p_commercial_type text, p_commercial_amount numeric,
  p_replaces_id uuid default null)
returns public.commission_rates
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  created public.commission_rates;
  replaced public.commission_rates;
begin
  if p_replaces_id is not null then
    select * into replaced from public.commission_rates r where r.id = p_replaces_id for update;
    if not found then perform private.refuse('scale_not_found'); end if;
    if replaced.archived_at is not null then perform private.refuse('scale_archived'); end if;
    update public.commission_rates r set archived_at = private.now(), is_default = false where r.id = p_replaces_id;
  end if;
  -- One default at a time, also when two scales are created at once.
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtext('private.commission_rates.default'));
  insert into public.commission_rates (name, description, client_commission_type, client_commission_amount,
    commercial_commission_type, commercial_commission_amount, is_default, replaces_id, is_test)
  values (btrim(p_name), nullif(btrim(p_description), ''), p_client_type, p_client_amount, p_commercial_type, p_commercial_amount,
    coalesce(replaced.is_default, false) or not exists (select 1 from public.commission_rates r where r.is_default),
    p_replaces_id, (select p.is_test from public.profiles p where p.id = me))
  returning * into created;
  return created;
end
$$;

create function private.archive_commission_rate(p_id uuid) returns public.commission_rates
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  scale public.commission_rates;
begin
  update public.commission_rates r set archived_at = coalesce(r.archived_at, private.now()), is_default = false where r.id = p_id
    returning * into scale;
  if not found then perform private.refuse('scale_not_found'); end if;
  return scale;
end
$$;

create function private.set_default_commission_rate(p_id uuid) returns public.commission_rates
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  scale public.commission_rates;
begin
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtext('private.commission_rates.default'));
  select * into scale from public.commission_rates r where r.id = p_id for update;
  if not found then perform private.refuse('scale_not_found'); end if;
  if scale.archived_at is not null then perform private.refuse('scale_archived'); end if;
  update public.commission_rates r set is_default = false where r.is_default and r.id <> p_id;
  update public.commission_rates r set is_default = true where r.id = p_id returning * into scale;
  return scale;
end
$$;

grant execute on function private.fixed_client_commission(),
  private.create_commission_rate(text, text, text, numeric, text, numeric, uuid), private.archive_commission_rate(uuid),
  private.set_default_commission_rate(uuid) to authenticated;
