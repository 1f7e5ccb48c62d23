-- PO-04, PO-05: the account on which a commercial who is an agent or a company is paid. Each change is a new row, so that a line of a
-- batch says for good where its money went; the last one is the one in use, from the day on that its IBAN may be used.

create table public.bank_accounts (
  id uuid primary key default gen_random_uuid(),
  payee_id uuid not null references public.profiles (id) on delete cascade,
  holder text not null,
  -- Masked.
  iban text not null,
  iban_id uuid not null references public.payee_ibans (id) on delete cascade,
  created_at timestamptz not null default private.now(),
  constraint bank_accounts_holder_is_a_line check (private.is_line(holder, 70) and btrim(holder) <> ''),
  constraint bank_accounts_iban_is_masked check (private.is_line(iban, 23) and iban ~ '^[A-Z]{2}[0-9]{2} •••• •••• [0-9A-Z]{4}$')
);
create index bank_accounts_by_payee on public.bank_accounts (payee_id, created_at desc, id);
create index bank_accounts_by_iban on public.bank_accounts (iban_id);

create table private.bank_account_secrets (
  account_id uuid primary key references public.bank_accounts (id) on delete cascade,
  details_sealed bytea not null
);

do $$
declare
  name text;
begin
  foreach name in array array['public.bank_accounts', 'private.bank_account_secrets'] loop
    execute format('alter table %s enable row level security', name);
    execute format('alter table %s force row level security', name);
    execute format('grant select, insert, update, delete on %s to parrain_service', name);
    execute format('create policy %I on %s to parrain_service using (true) with check (true)', split_part(name, '.', 2) || '_service_all', name);
  end loop;
end
$$;
grant select on public.bank_accounts to authenticated, service_role;
create policy bank_accounts_secret_read on public.bank_accounts for select to service_role using (true);
create policy bank_accounts_authenticated_read on public.bank_accounts for select to authenticated using (
  case when (select private.user_role()) = 'admin' then true else payee_id = (select private.uid()) end);

create function private.guard_bank_account() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform private.refuse('forbidden');
  return null;
end
$$;
create trigger bank_accounts_guard before update on public.bank_accounts
  for each row execute function private.guard_bank_account();

-- The account that a payee is paid on: the last one that they gave.
create function private.bank_account_of(p_payee_id uuid) returns public.bank_accounts
language sql stable set search_path = '' as $$
  select a from public.bank_accounts a where a.payee_id = p_payee_id order by a.created_at desc, a.id limit 1
$$;

-- The first account is usable at once, one that replaces another 48 hours later or once its owner has confirmed it, as a client's is.
-- The same account again changes nothing.
create function private.set_bank_account(p_holder text, p_iban_shown text, p_details_sealed bytea, p_iban_mark bytea)
returns public.bank_accounts
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('commercial');
  before public.bank_accounts;
  after public.bank_accounts;
  v_iban uuid;
begin
  perform 1 from public.profiles p where p.id = me and p.deactivated_at is null for update;
  if not found then raise exception using errcode = 'PR401', message = 'session_expired'; end if;
  before := private.bank_account_of(me);
  insert into public.payee_ibans (client_id, mark, usable_from)
  values (me, p_iban_mark, private.now() + case when before.id is null then interval '0' else interval '48 hours' end)
  on conflict on constraint payee_ibans_are_told_apart do nothing;
  select i.id into v_iban from public.payee_ibans i where i.client_id = me and i.mark = p_iban_mark;
  if before.iban_id = v_iban and before.holder = btrim(p_holder) then return before; end if;
  insert into public.bank_accounts (payee_id, holder, iban, iban_id) values (me, btrim(p_holder), p_iban_shown, v_iban) returning * into after;
  insert into private.bank_account_secrets (account_id, details_sealed) values (after.id, p_details_sealed);
  -- That it changed, and not to what (decision 0003).
  perform private.append_audit('profiles', me, 'update', null, jsonb_build_object('bank_account', true), null);
  return after;
end
$$;

do $$
declare
  f regprocedure;
begin
  for f in select p.oid::regprocedure from pg_proc p where p.pronamespace = 'private'::regnamespace
      and p.proname = 'set_bank_account' loop
    execute format('alter function %s owner to parrain_service', f);
    execute format('grant execute on function %s to parrain_service', f);
  end loop;
end
$$;
grant execute on function private.guard_bank_account() to parrain_service;
grant execute on function private.bank_account_of(uuid) to authenticated, service_role, parrain_service;
grant execute on function private.set_bank_account(text, text, bytea, bytea) to authenticated;
