-- A sale, whole: its columns and rules, who sees it, what may never happen to it, and its moves. Each move is one statement for
-- the server: rights, locks, rules and writes are all in here.

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
  constraint sales_correction_says_why check (
    (corrects_sale_id is null) = (correction_reason is null) and (corrects_sale_id is null or admin_validated)),
  constraint sales_corrected_once unique (corrects_sale_id),
  constraint sales_referred_contact_name_is_a_name check (private.is_name(referred_contact_name)),
  constraint sales_referred_contact_email_is_a_line check (private.is_line(referred_contact_email, 255)),
  constraint sales_referred_contact_phone_is_a_line check (private.is_line(referred_contact_phone, 40)),
  constraint sales_personal_message_is_a_text check (private.is_text(personal_message, 500)),
  constraint sales_contract_description_is_a_text check (private.is_text(contract_description, 2000)),
  constraint sales_commercial_notes_is_a_text check (private.is_text(commercial_notes, 2000)),
  constraint sales_rejection_reason_is_a_text check (private.is_text(rejection_reason, 2000)),
  constraint sales_correction_reason_is_a_text check (private.is_text(correction_reason, 2000))
);
-- Sorts that the screens offer, each with the id that decides between equals, read forwards or backwards. A missing amount is
-- last either way.
create index sales_by_creation on public.sales (created_at desc, id);
create index sales_by_name on public.sales (referred_contact_name, id);
create index sales_by_status_alone on public.sales (status, id);
create index sales_by_amount on public.sales (contract_amount, id);
create index sales_by_amount_down on public.sales (contract_amount desc nulls last, id desc);
create index sales_by_status on public.sales (status, created_at desc);
create index sales_awaiting_validation on public.sales (created_at desc) where ready_for_validation and not admin_validated;
-- One person's own, and what foreign keys look for.
create index sales_by_commercial on public.sales (commercial_id, created_at desc);
create index sales_by_commercial_and_status on public.sales (commercial_id, status, created_at desc);
create index sales_by_friend_referrer on public.sales (friend_referrer_id, created_at desc);
create index sales_by_client_referrer on public.sales (client_referrer_id, created_at desc) where client_referrer_id is not null;
create index sales_by_validator on public.sales (validated_by) where validated_by is not null;
create index sales_by_contact_email on public.sales (referred_contact_email) where referred_contact_email is not null;
grant select, insert, update, delete on public.sales to parrain_service;
grant select on public.sales to authenticated, service_role;

-- The `case`: see profiles_authenticated_read.
create policy sales_authenticated_read on public.sales for select to authenticated using (
  case when (select private.user_role()) = 'admin' then true else
    commercial_id = (select private.uid()) or friend_referrer_id = (select private.uid()) end);

-- Frozen sales and legal moves, whoever writes.
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
create trigger sales_commercial before insert or update of commercial_id on public.sales
  for each row execute function private.check_commercial();

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

create trigger sales_audit after insert or update or delete on public.sales for each row execute function private.audit_change();

create function private.effect_of(s public.sales, p_sign integer) returns private.sale_effect
language sql immutable parallel safe
return row(
  coalesce(s.commercial_id, '00000000-0000-0000-0000-000000000000'),
  private.sale_state(s.status, s.ready_for_validation, s.admin_validated, s.corrects_sale_id),
  coalesce(s.friend_referrer_id, s.client_referrer_id), s.friend_referrer_id is not null,
  p_sign, p_sign * coalesce(s.contract_amount, 0), p_sign * coalesce(s.client_commission_amount, 0),
  p_sign * coalesce(s.commercial_commission_amount, 0),
  case when s.admin_validated then p_sign * (1 + (coalesce(s.friend_referrer_id, s.client_referrer_id) is not null)::integer)
    else 0 end)::private.sale_effect;

-- Once per statement, so that many rows written at once are added as one.
create function private.count_sales() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  case tg_op
    when 'INSERT' then
      perform private.add_sale_effects(array(select private.effect_of(n, 1) from new_rows n));
    when 'UPDATE' then
      perform private.add_sale_effects(array(
        select private.effect_of(n, 1) from new_rows n union all select private.effect_of(o, -1) from old_rows o));
    when 'DELETE' then
      perform private.add_sale_effects(array(select private.effect_of(o, -1) from old_rows o));
  end case;
  return null;
end
$$;
create trigger sales_counted_on_insert after insert on public.sales referencing new table as new_rows
  for each statement execute function private.count_sales();
create trigger sales_counted_on_update after update on public.sales referencing old table as old_rows new table as new_rows
  for each statement execute function private.count_sales();
create trigger sales_counted_on_delete after delete on public.sales referencing old table as old_rows
  for each statement execute function private.count_sales();

-- Searches, as private.find_profiles does. A commercial's search reads what is both theirs and like the pattern: the two stand in
-- one index.
--
-- Under row level security the planner uses no statistics of an index's expression, so it would take every search for a rare one:
-- it would read all sales that are like the pattern, whosever they are.
create function private.sale_words(name text, email text, phone text, description text) returns text
language sql immutable parallel safe
return name || e'\n' || coalesce(email, '') || e'\n' || coalesce(phone, '') || e'\n' || coalesce(description, '');
grant execute on function private.sale_words(text, text, text, text) to authenticated, service_role;
create index sales_by_commercial_and_words on public.sales using gin (commercial_id,
  private.sale_words(referred_contact_name, referred_contact_email, referred_contact_phone, contract_description) gin_trgm_ops);

create function private.find_sales(p_pattern text, p_most integer) returns uuid[]
language plpgsql security definer set search_path = '' set enable_seqscan = off set enable_indexscan = off
  set plan_cache_mode = force_custom_plan as $$
declare
  me constant uuid := private.uid();
  found uuid[];
begin
  if private.user_role() = 'admin' then
    -- Three letters in a row are the least that a trigram index can look for.
    if p_pattern !~ '[[:alnum:]]{3}' then return null; end if;
    select coalesce(array_agg(f.id), '{}') into found from (
      select s.id from public.sales s
      where private.sale_words(s.referred_contact_name, s.referred_contact_email, s.referred_contact_phone, s.contract_description)
        ilike p_pattern limit p_most + 1) f;
  else
    -- The same sight as sales_authenticated_read: of one's own rows all can be read.
    select coalesce(array_agg(f.id), '{}') into found from (
      select s.id from public.sales s
      where s.commercial_id = me
        and private.sale_words(s.referred_contact_name, s.referred_contact_email, s.referred_contact_phone, s.contract_description)
        ilike p_pattern
      union
      select s.id from public.sales s
      where s.friend_referrer_id = me
        and private.sale_words(s.referred_contact_name, s.referred_contact_email, s.referred_contact_phone, s.contract_description)
        ilike p_pattern
      limit p_most + 1) f;
  end if;
  return case when cardinality(found) > p_most then null else found end;
end
$$;
grant execute on function private.find_sales(text, integer) to authenticated, service_role;

-- What keeps me from referring a friend now; empty where nothing does. Where no mail leaves, no address needs to be proven.
create function private.referral_obstacles(p_is_mail_sent boolean) returns text[]
language plpgsql stable security definer set search_path = '' as $$
declare
  me uuid := private.require_role('client');
begin
  return array_remove(array[
    case when p_is_mail_sent and not exists (
      select from auth.users u where u.id = me and u.email_proven_at is not null) then 'address_not_proven' end,
    case when not exists (
      select from public.profiles p join public.profiles c on c.id = p.commercial_id
      where p.id = me and c.deactivated_at is null) then 'commercial_missing' end], null);
end
$$;

-- F-15, S-07: a client refers a friend; the sale goes to the client's commercial.
create function private.invite_friend(
  p_name text, p_email text, p_phone text, p_message text, p_is_mail_sent boolean default true) returns public.sales
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('client');
  client public.profiles;
  sale public.sales;
  v_mailbox text := private.mailbox_of(p_email);
  v_obstacle text;
begin
  -- A client being deleted at the same instant (V-13) is waited for, then found gone; two invitations of one client queue.
  select * into client from public.profiles p where p.id = me for no key update;
  if not found then raise exception using errcode = 'PR401', message = 'session_expired'; end if;
  if v_mailbox = private.mailbox_of(client.email) then perform private.refuse('self_referral'); end if;
  v_obstacle := (private.referral_obstacles(p_is_mail_sent))[1];
  if v_obstacle is not null then perform private.refuse(v_obstacle); end if;
  -- FX-12: a referral brings somebody new.
  if exists (select from public.profiles p where p.email <> '' and private.mailbox_of(p.email) = v_mailbox and p.role <> 'client') then
    perform private.refuse('friend_is_staff');
  end if;
  if exists (select from public.profiles p where p.email <> '' and private.mailbox_of(p.email) = v_mailbox) then
    perform private.refuse('friend_is_client');
  end if;
  -- One message per friend: a referral that lives is followed up by the commercial, not by a second mail.
  if exists (select 1 from public.sales s where s.friend_referrer_id = me and private.mailbox_of(s.referred_contact_email) = v_mailbox
      and not s.admin_validated and s.status <> 'rejected') then
    perform private.refuse('friend_already_invited');
  end if;
  perform private.limit_per_day('friend', me, 20);
  insert into public.sales (referred_contact_name, referred_contact_email, referred_contact_phone, personal_message,
    commercial_id, friend_referrer_id, is_test)
  values (btrim(p_name), lower(btrim(p_email)), nullif(btrim(p_phone), ''), nullif(btrim(p_message), ''),
    client.commercial_id, me, client.is_test)
  returning * into sale;
  return sale;
end
$$;

-- F-12: the commercial notes where a sale is. What was noted may be taken back before its validation: null keeps a field, naming it
-- empties it.
create function private.update_sale_status(
  p_sale_id uuid, p_status text, p_contract_amount numeric, p_contract_description text, p_commercial_notes text,
  p_emptied text[] default '{}')
returns public.sales
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('commercial');
  sale public.sales;
  scale public.commission_rates;
  is_final boolean := p_status in ('validated', 'pending_validation', 'pending_final_validation');
  has_referrer boolean;
begin
  if p_status is null or p_status not in ('pending', 'contacted', 'in_negotiation', 'pending_validation', 'pending_final_validation', 'validated', 'rejected') then
    perform private.refuse('invalid_input');
  end if;
  select * into sale from public.sales s where s.id = p_sale_id and s.commercial_id = me for update;
  if not found then perform private.refuse('sale_not_found'); end if;
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

-- F-16, S-04, AD-12: the admin validates what they saw; all or nothing, and the same again is the same answer.
create function private.validate_sale(
  p_sale_id uuid, p_commission_rate_id uuid, p_seen_version integer, p_expected_contract_amount numeric,
  p_expected_client_commission numeric, p_expected_commercial_commission numeric)
returns table (sale public.sales, already boolean)
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  s public.sales;
  scale public.commission_rates;
  beneficiary uuid;
  for_client numeric;
  for_commercial numeric;
begin
  if num_nulls(p_seen_version, p_expected_contract_amount, p_expected_client_commission, p_expected_commercial_commission) > 0 then
    perform private.refuse('seen_required');
  end if;
  select * into s from public.sales t where t.id = p_sale_id for update;
  if not found then perform private.refuse('sale_not_found'); end if;
  if s.admin_validated then
    -- The same decision again is the same answer; another one, of an admin who saw other amounts, is told that it came too late.
    if s.corrects_sale_id is not null or p_commission_rate_id <> s.commission_rate
      or p_expected_contract_amount <> s.contract_amount
      or p_expected_client_commission <> s.client_commission_amount
      or p_expected_commercial_commission <> s.commercial_commission_amount then
      perform private.refuse('sale_already_decided');
    end if;
    return query select s, true;
    return;
  end if;
  if s.status = 'rejected' then perform private.refuse('sale_already_decided'); end if;
  if not s.ready_for_validation then perform private.refuse('sale_not_ready'); end if;
  if s.commercial_id is null then perform private.refuse('sale_without_commercial'); end if;
  beneficiary := coalesce(s.friend_referrer_id, s.client_referrer_id);
  if me in (s.friend_referrer_id, s.client_referrer_id, s.commercial_id) then perform private.refuse('self_validation'); end if;
  scale := private.scale_for(p_commission_rate_id, s.commission_rate);
  if scale.id is null then perform private.refuse('scale_not_found'); end if;
  for_client := case when beneficiary is null then 0
    else private.commission(scale.client_commission_type, scale.client_commission_amount, s.contract_amount) end;
  for_commercial := private.commission(scale.commercial_commission_type, scale.commercial_commission_amount, s.contract_amount);
  if p_seen_version <> s.version
    or p_expected_contract_amount <> s.contract_amount
    or p_expected_client_commission <> for_client
    or p_expected_commercial_commission <> for_commercial then
    perform private.refuse('sale_changed');
  end if;

  update public.sales t set
    status = 'validated', admin_validated = true, validated_at = private.now(), validated_by = me, commission_rate = scale.id,
    client_commission_type = scale.client_commission_type, client_commission_rate = scale.client_commission_amount,
    commercial_commission_type = scale.commercial_commission_type, commercial_commission_rate = scale.commercial_commission_amount,
    client_commission_amount = for_client, commercial_commission_amount = for_commercial
    where t.id = s.id returning * into s;
  insert into public.commission_payments (sale_id, recipient_id, type, amount)
  select s.id, r.recipient_id, r.type, r.amount
  from (values (beneficiary, 'client', for_client), (s.commercial_id, 'commercial', for_commercial)) r (recipient_id, type, amount)
  where r.recipient_id is not null
  -- Balances are locked in the order of their owners, so that two validations never wait for each other.
  order by r.recipient_id;
  return query select s, false;
end
$$;

-- F-16, V-04: the admin refuses what they saw, and says why.
create function private.refuse_sale(p_sale_id uuid, p_reason text, p_seen_version integer)
returns table (sale public.sales, already boolean)
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  s public.sales;
begin
  if coalesce(btrim(p_reason), '') = '' then perform private.refuse('refusal_reason_required'); end if;
  if p_seen_version is null then perform private.refuse('seen_required'); end if;
  select * into s from public.sales t where t.id = p_sale_id for update;
  if not found then perform private.refuse('sale_not_found'); end if;
  if s.status = 'rejected' and s.rejection_reason = btrim(p_reason) then
    return query select s, true;
    return;
  end if;
  if s.admin_validated or s.status = 'rejected' then perform private.refuse('sale_already_decided'); end if;
  if not s.ready_for_validation then perform private.refuse('sale_not_ready'); end if;
  if p_seen_version <> s.version then perform private.refuse('sale_changed'); end if;
  update public.sales t set
    status = 'rejected', ready_for_validation = false, admin_validated = false, rejection_reason = btrim(p_reason),
    commission_rate = null, client_commission_type = null, client_commission_rate = null, commercial_commission_type = null,
    commercial_commission_rate = null, client_commission_amount = null, commercial_commission_amount = null
    where t.id = s.id returning * into s;
  return query select s, false;
end
$$;

-- S-11: « Annuler la validation »: a new sale, the exact opposite, with its own opposite commissions. Nothing is edited.
create function private.cancel_validation(
  p_sale_id uuid, p_reason text, p_seen_version integer, p_expected_client_commission numeric, p_expected_commercial_commission numeric)
returns table (sale public.sales, already boolean)
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  s public.sales;
  correction public.sales;
begin
  if coalesce(btrim(p_reason), '') = '' then perform private.refuse('refusal_reason_required'); end if;
  if num_nulls(p_seen_version, p_expected_client_commission, p_expected_commercial_commission) > 0 then
    perform private.refuse('seen_required');
  end if;
  select * into s from public.sales t where t.id = p_sale_id for update;
  if not found then perform private.refuse('sale_not_found'); end if;
  if not s.admin_validated or s.corrects_sale_id is not null then perform private.refuse('sale_not_cancellable'); end if;
  if me in (s.friend_referrer_id, s.client_referrer_id, s.commercial_id) then perform private.refuse('self_validation'); end if;
  if p_seen_version <> s.version or p_expected_client_commission <> s.client_commission_amount
    or p_expected_commercial_commission <> s.commercial_commission_amount then
    perform private.refuse('sale_changed');
  end if;
  select * into correction from public.sales t where t.corrects_sale_id = s.id;
  if found then
    return query select correction, true;
    return;
  end if;
  insert into public.sales (status, referred_contact_name, referred_contact_email, referred_contact_phone, contract_amount,
    contract_description, commercial_id, client_referrer_id, friend_referrer_id, commission_rate, ready_for_validation,
    admin_validated, validated_at, validated_by, client_commission_amount, commercial_commission_amount, client_commission_type,
    client_commission_rate, commercial_commission_type, commercial_commission_rate, corrects_sale_id, correction_reason, is_test)
  values ('validated', s.referred_contact_name, s.referred_contact_email, s.referred_contact_phone, -s.contract_amount,
    s.contract_description, s.commercial_id, s.client_referrer_id, s.friend_referrer_id, s.commission_rate, true,
    true, private.now(), me, -s.client_commission_amount, -s.commercial_commission_amount, s.client_commission_type,
    s.client_commission_rate, s.commercial_commission_type, s.commercial_commission_rate, s.id, btrim(p_reason), s.is_test)
  returning * into correction;
  insert into public.commission_payments (sale_id, recipient_id, type, amount)
  select correction.id, p.recipient_id, p.type, -p.amount from public.commission_payments p where p.sale_id = s.id
  order by p.recipient_id;
  return query select correction, false;
end
$$;

grant execute on function private.referral_obstacles(boolean), private.invite_friend(text, text, text, text, boolean),
  private.update_sale_status(uuid, text, numeric, text, text, text[]),
  private.validate_sale(uuid, uuid, integer, numeric, numeric, numeric), private.refuse_sale(uuid, text, integer),
  private.cancel_validation(uuid, text, integer, numeric, numeric) to authenticated;
