-- DF-03: nothing goes to a changed account for two days. Where its payee was asked otherwise than by mail, an admin lifts the wait, says how,
-- and the payee is told.

-- Who lifted it stands in the trail.
alter table public.payee_ibans add column lift_reason text;
alter table public.payee_ibans
  add constraint payee_ibans_lift_is_of_a_usable check (lift_reason is null or confirmed_at is not null) not valid,
  add constraint payee_ibans_lift_reason_is_a_text check (private.is_text(lift_reason, 500) and btrim(lift_reason) <> '') not valid;

-- A notice may be about an account.
alter table public.notices add column iban_id uuid references public.payee_ibans (id) on delete cascade;
alter table public.notices drop constraint notices_are_about_one_thing,
  add constraint notices_are_about_one_thing check (
    num_nonnulls(sale_id, request_id, dispute_id, archive_id, line_id, import_id, iban_id) = 1) not valid;
-- The kinds there are, and one more.
do $$
declare
  kinds text;
begin
  select (regexp_match(pg_get_constraintdef(c.oid), '\{([^}]*)\}'))[1] into kinds from pg_catalog.pg_constraint c
    where c.conname = 'notices_kind_is_known' and c.conrelid = 'public.notices'::regclass;
  alter table public.notices drop constraint notices_kind_is_known;
  execute format('alter table public.notices add constraint notices_kind_is_known check (kind = any (%L)) not valid', '{' || kinds || ',iban_checked}');
end
$$;

-- Lifts the wait of an account: that of a request, or of a payee whose months are paid on it.
create function private.lift_iban_wait(p_id uuid, p_reason text) returns text
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  why constant text := nullif(btrim(p_reason), '');
  i public.payee_ibans;
  v_notice uuid;
begin
  if why is null then perform private.refuse('account_check_required'); end if;
  select t.* into i from public.payee_ibans t
    where t.id = coalesce((select r.iban_id from public.payment_requests r where r.id = p_id),
      (select a.iban_id from public.bank_accounts a where a.id = (private.bank_account_of(p_id)).id)) for update;
  if not found then perform private.refuse('request_not_found'); end if;
  if i.usable_from <= private.now() then return 'usable'; end if;
  update public.payee_ibans t set usable_from = private.now(), confirmed_at = private.now(), lift_reason = why
    where t.id = i.id;
  perform private.append_audit('profiles', i.client_id, 'lift_iban_wait', null, null, why);
  insert into public.notices (recipient_id, kind, iban_id)
    select p.id, 'iban_checked', i.id from public.profiles p where p.id = i.client_id and p.deactivated_at is null
    returning id into v_notice;
  if v_notice is not null then insert into private.notice_mails (notice_id) values (v_notice); end if;
  return 'lifted';
end
$$;
revoke all on function private.lift_iban_wait(uuid, text) from public;
alter function private.lift_iban_wait(uuid, text) owner to parrain_service;
grant execute on function private.lift_iban_wait(uuid, text) to authenticated;
