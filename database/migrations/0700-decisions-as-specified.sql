-- DF-01: the specification's payloads decide as they are written. The version and the amount that were seen are compared where they are
-- sent; the amount is the total that leaves, VAT included (DF-23). Nothing of it can change once the request is made. A cleaning that
-- names no company is the specification's own call.

-- The total that leaves for a request, beside its columns.
create function public.total(public.payment_requests) returns numeric
language sql stable set search_path = ''
return ($1.amount + coalesce($1.vat_amount, 0))::numeric(12, 2);
revoke all on function public.total(public.payment_requests) from public;
grant execute on function public.total(public.payment_requests) to authenticated, service_role, parrain_service, api_key;

create or replace function private.decide_payment_request(
  p_request_id uuid, p_status text, p_admin_notes text, p_rejection_reason text, p_seen_version integer, p_expected_amount numeric,
  p_reference text default null, p_association_name text default null, p_association_number text default null)
returns table (request public.payment_requests, already boolean)
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role_or_scope('admin', 'payments');
  r public.payment_requests;
  note text := nullif(btrim(p_admin_notes), '');
  -- The source's page has one field for both: the note of a refusal is its reason.
  why text := coalesce(nullif(btrim(p_rejection_reason), ''), note);
begin
  if private.user_role() = 'api_key' and p_status is distinct from 'paid' then perform private.refuse('key_only_pays'); end if;
  if p_status is null or p_status not in ('approved', 'rejected', 'paid') then perform private.refuse('decision_required'); end if;
  if p_status = 'rejected' and why is null then perform private.refuse('refusal_reason_required'); end if;
  select * into r from public.payment_requests t where t.id = p_request_id for update;
  if not found then perform private.refuse('request_not_found'); end if;
  if p_expected_amount <> r.amount + coalesce(r.vat_amount, 0) then perform private.refuse('request_changed'); end if;
  if r.status = p_status and coalesce(p_seen_version, r.version) in (r.version - 1, r.version)
      and (p_status <> 'rejected' or r.rejection_reason = why) then
    return query select r, true;
    return;
  end if;
  if p_seen_version <> r.version then perform private.refuse('request_changed'); end if;
  if not ((r.status, p_status) in (('pending', 'approved'), ('pending', 'rejected'), ('approved', 'paid'))) then
    perform private.refuse('request_illegal_move');
  end if;
  if p_status <> 'rejected' and exists (select 1 from public.profiles p where p.id = r.client_id and p.deactivated_at is not null) then
    perform private.refuse('beneficiary_unavailable');
  end if;
  update public.payment_requests t set
    status = p_status,
    admin_notes = coalesce(note, t.admin_notes),
    rejection_reason = case when p_status = 'rejected' then why end,
    approval_annulled_reason = null,
    approved_at = case when p_status = 'approved' then private.now() else t.approved_at end,
    paid_at = case when p_status = 'paid' then private.now() end,
    settlement_reference = case when p_status = 'paid' then nullif(btrim(p_reference), '') end,
    association_name = case when p_status = 'paid' then nullif(btrim(p_association_name), '') end,
    association_number = case when p_status = 'paid' then p_association_number end
    where t.id = r.id returning * into r;
  return query select r, false;
end
$$;

create or replace function private.clean_test_data(p_company_name text)
returns table (deleted jsonb, password_change_required boolean)
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  session_id constant uuid := (current_setting('request.jwt.claims')::jsonb ->> 'session_id')::uuid;
  counted jsonb;
  held jsonb;
  payees uuid[];
  admins uuid[];
begin
  if not private.is_session_fresh() then perform private.refuse('reauthentication_required'); end if;
  if p_company_name is not null and not exists (select from public.company_settings c
      where lower(regexp_replace(btrim(c.company_name), '\s+', ' ', 'g') collate "pg_c_utf8")
        = lower(regexp_replace(btrim(p_company_name), '\s+', ' ', 'g') collate "pg_c_utf8")) then
    perform private.refuse('confirmation_required');
  end if;
  perform private.exclude_writers();
  select jsonb_agg(h order by h.kind) into held from private.what_holds_test_data() h;
  if held is not null then perform private.refuse('cleaning_held', jsonb_build_object('held_by', held)); end if;

  perform set_config('app.cleaning', 'on', true);
  select to_jsonb(c) into counted from private.count_test_data() c;
  payees := array(select distinct e.payee_id from public.ledger_entries e where e.is_test);
  delete from public.ledger_entries t where t.is_test;
  delete from public.commission_holds t where t.is_test;
  delete from public.payment_requests t where t.is_test;
  delete from public.commission_payments t where t.is_test;
  delete from public.sales t where t.is_test and t.corrects_sale_id is not null;
  delete from public.sales t where t.is_test;
  update public.commission_rates t set replaces_id = null
    where t.replaces_id in (select r.id from public.commission_rates r where r.is_test);
  delete from public.commission_rates t where t.is_test;
  delete from auth.users u using public.profiles p where p.id = u.id and p.is_test and p.role = 'client';
  delete from auth.users u using public.profiles p where p.id = u.id and p.is_test and p.role = 'commercial';

  -- A real commercial may have earned on test sales: what they keep is what is left in the ledger.
  delete from public.balances b where b.profile_id = any (payees)
    and not exists (select from public.ledger_entries e where e.payee_id = b.profile_id);
  update public.balances b set (earned, reversed, reserved, paid, held) =
      (select r.earned, r.reversed, r.reserved, r.paid, r.held from figures.recounted_balances r where r.profile_id = b.profile_id)
    where b.profile_id = any (payees);

  admins := array(select p.id from public.profiles p where p.is_test);
  update public.profiles p set is_test = false where p.id = any (admins);
  update auth.users u set encrypted_password = null, temporary_password_until = null, password_change_required = true,
      phone = null, new_email = null, new_phone = null, updated_at = now()
    where u.id = any (admins);
  delete from auth.sessions s where s.user_id = any (admins) and s.id <> session_id;
  delete from auth.one_time_tokens t where t.user_id = any (admins);
  delete from auth.webauthn_credentials c where c.user_id = any (admins) and c.factor_id is null;
  delete from auth.identities i where i.user_id = any (admins) and i.provider <> 'email';

  perform private.append_audit('company_settings', '00000000-0000-0000-0000-000000000001', 'clean', counted, null, null);
  return query select counted, me = any (admins);
end
$$;
