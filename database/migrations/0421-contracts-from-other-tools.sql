-- WH-03: another tool creates a referral and moves it, by its own reference.

-- What a tool calls a referral. It names nobody, and stays when the friend is forgotten: the tool that repeats itself then finds the
-- closed referral, and makes no new one.
create table public.external_references (
  source text not null,
  reference text not null,
  sale_id uuid not null references public.sales (id) on delete cascade,
  created_at timestamptz not null default private.now(),
  primary key (source, reference),
  constraint external_references_sale_once unique (sale_id, source),
  constraint external_references_source_is_a_line check (private.is_line(source, 40) and btrim(source) <> ''),
  constraint external_references_reference_is_a_line check (private.is_line(reference, 120) and btrim(reference) <> '')
);
create index external_references_by_reference on public.external_references (reference);
alter table public.external_references enable row level security;
alter table public.external_references force row level security;
grant select, insert, delete on public.external_references to parrain_service;
grant select on public.external_references to authenticated, service_role, api_key;
create policy external_references_service_all on public.external_references to parrain_service using (true) with check (true);
create policy external_references_secret_read on public.external_references for select to service_role using (true);
create policy external_references_key_read on public.external_references for select to api_key using ((select private.key_may('read')));
-- The company's own people: a client sees no tool behind their referral.
create policy external_references_staff_read on public.external_references for select to authenticated using (
  case when (select private.user_role()) = 'admin' then true else
    exists (select from public.sales s where s.id = sale_id and s.commercial_id = (select private.uid())) end);

-- What update_sale_status did (0021) once the sale was found: its move, whoever makes it.
create function private.move_sale(
  sale public.sales, p_status text, p_contract_amount numeric, p_contract_description text, p_commercial_notes text, p_emptied text[])
returns public.sales
language plpgsql security definer set search_path = '' as $$
declare
  scale public.commission_rates;
  is_final boolean := p_status in ('validated', 'pending_validation', 'pending_final_validation');
  has_referrer boolean;
begin
  if p_status is null or p_status not in ('pending', 'contacted', 'in_negotiation', 'pending_validation', 'pending_final_validation', 'validated', 'rejected') then
    perform private.refuse('invalid_input');
  end if;
  if sale.admin_validated or sale.status = 'validated' then perform private.refuse('sale_not_editable'); end if;
  has_referrer := coalesce(sale.friend_referrer_id, sale.client_referrer_id) is not null;

  if 'contract_amount' = any (p_emptied) then sale.contract_amount := null; end if;
  if 'contract_description' = any (p_emptied) then sale.contract_description := null; end if;
  if 'commercial_notes' = any (p_emptied) then sale.commercial_notes := null; end if;
  sale.contract_amount := coalesce(p_contract_amount, sale.contract_amount);
  sale.contract_description := coalesce(nullif(btrim(p_contract_description), ''), sale.contract_description);
  sale.commercial_notes := coalesce(p_commercial_notes, sale.commercial_notes);
  sale.status := case when p_status in ('pending_validation', 'pending_final_validation') then 'pending' else p_status end;
  sale.ready_for_validation := is_final;
  if is_final and (sale.contract_amount is null or sale.contract_description is null) then
    perform private.refuse('contract_details_required');
  end if;
  if is_final then
    scale := private.scale_for(null, sale.commission_rate);
  end if;
  -- What the commission would be, for those who wait for the decision (CO-10, CL-04); the validation computes it anew.
  update public.sales s set
    status = sale.status,
    ready_for_validation = sale.ready_for_validation,
    rejection_reason = case when p_status = 'rejected' then s.rejection_reason end,
    contract_amount = sale.contract_amount,
    contract_description = sale.contract_description,
    commercial_notes = sale.commercial_notes,
    commission_rate = scale.id,
    client_commission_type = scale.client_commission_type,
    client_commission_rate = scale.client_commission_amount,
    commercial_commission_type = scale.commercial_commission_type,
    commercial_commission_rate = scale.commercial_commission_amount,
    client_commission_amount = case when scale.id is null then null when not has_referrer then 0
      else private.commission(scale.client_commission_type, scale.client_commission_amount, sale.contract_amount) end,
    commercial_commission_amount =
      private.commission(scale.commercial_commission_type, scale.commercial_commission_amount, sale.contract_amount)
    where s.id = sale.id returning * into sale;
  return sale;
end
$$;

create or replace function private.update_sale_status(
  p_sale_id uuid, p_status text, p_contract_amount numeric, p_contract_description text, p_commercial_notes text,
  p_emptied text[] default '{}')
returns public.sales
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('commercial');
  sale public.sales;
begin
  select * into sale from public.sales s where s.id = p_sale_id and s.commercial_id = me for update;
  if not found then perform private.refuse('sale_not_found'); end if;
  return private.move_sale(sale, p_status, p_contract_amount, p_contract_description, p_commercial_notes, p_emptied);
end
$$;

-- A tool says where one of its referrals stands: the first time it is created, for a client known by their address; then it is
-- moved. The same again is the same, and changes nothing. No mail leaves for the friend. Validation stays an admin's act.
create function private.receive_referral(
  p_source text, p_reference text, p_referrer_email text, p_name text, p_email text, p_phone text, p_mark bytea, p_status text,
  p_contract_amount numeric, p_contract_description text)
returns table (sale public.sales, created boolean, changed boolean)
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role_or_scope('admin', 'referrals');
  s public.sales;
  v_client uuid;
  v_status text := case p_status when 'pending_validation' then 'pending' else p_status end;
begin
  created := false;
  changed := false;
  -- Two calls of one reference queue here: the second finds what the first made.
  perform pg_advisory_xact_lock(hashtextextended('external:' || btrim(p_source) || e'\n' || btrim(p_reference), 0));
  select t.* into s from public.external_references r join public.sales t on t.id = r.sale_id
    where r.source = btrim(p_source) and r.reference = btrim(p_reference) for update of t;
  if not found then
    if p_referrer_email is null or p_name is null then perform private.refuse('referral_unknown'); end if;
    select p.id into v_client from public.profiles p
      where p.email <> '' and private.mailbox_of(p.email) = private.mailbox_of(p_referrer_email) and p.role = 'client'
        and p.deactivated_at is null;
    if not found then perform private.refuse('referrer_not_found'); end if;
    perform private.require_contactable(p_mark);
    s := private.refer_friend(v_client, p_name, p_email, p_phone, null, false, 'friend-by-key');
    insert into public.external_references (source, reference, sale_id) values (btrim(p_source), btrim(p_reference), s.id);
    created := true;
  end if;
  if p_status is not null and (v_status, p_status in ('pending_validation', 'validated'), coalesce(p_contract_amount, s.contract_amount),
      coalesce(nullif(btrim(p_contract_description), ''), s.contract_description))
    is distinct from (s.status, s.ready_for_validation, s.contract_amount, s.contract_description) then
    s := private.move_sale(s, p_status, p_contract_amount, p_contract_description, null, '{}');
    changed := not created;
  end if;
  sale := s;
  return next;
end
$$;

do $$
declare
  f regprocedure;
begin
  for f in select p.oid::regprocedure from pg_proc p where p.pronamespace = 'private'::regnamespace
      and p.proname in ('move_sale', 'receive_referral') loop
    execute format('alter function %s owner to parrain_service', f);
    execute format('grant execute on function %s to parrain_service', f);
  end loop;
end
$$;
grant execute on function
  private.receive_referral(text, text, text, text, text, text, bytea, text, numeric, text) to authenticated, api_key;
grant execute on function private.phone_of(text) to api_key;
