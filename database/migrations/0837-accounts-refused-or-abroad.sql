-- AC-09: an account that its bank refused is not used again before an admin lifts it; outside the European Economic Area the BIC of an
-- account's bank is asked (decision 0094).

-- The day from which a refused account may be used: a far one, that every reader of a time can show.
create function private.never() returns timestamptz language sql immutable set search_path = ''
return timestamptz '9999-12-31 12:00:00+00';
revoke all on function private.never() from public;
grant execute on function private.never() to authenticated, service_role, parrain_service;

-- An account stays what it is; it may be confirmed, once, and be refused by its bank: what confirmed it counts no more, the trail keeps it.
create or replace function private.guard_payee_iban() returns trigger
language plpgsql set search_path = '' as $$
begin
  if (new.id, new.client_id, new.mark, new.created_at) = (old.id, old.client_id, old.mark, old.created_at)
    and (old.confirmed_at is null and new.confirmed_at is not null and new.usable_from < old.usable_from
      or new.usable_from = private.never() and new.confirmed_at is null) then
    return new;
  end if;
  perform private.refuse('forbidden');
end
$$;

-- A bank's reasons that are those of the account: wrong, closed, blocked, of a kind that takes no transfer, of nobody it knows, or of
-- somebody who can be paid no more. A wrong name or BIC, a bank that cannot be reached, a file or a day are not.
create function private.close_refused_account() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  update public.payee_ibans i set usable_from = private.never(), confirmed_at = null, lift_reason = null
    where i.usable_from < private.never() and i.id = coalesce(
      (select r.iban_id from public.payment_requests r where r.id = new.request_id),
      (select a.iban_id from public.bank_accounts a where a.id = new.account_id));
  return null;
end
$$;
revoke all on function private.close_refused_account() from public;
alter function private.close_refused_account() owner to parrain_service;
create trigger payment_batch_lines_close_account after update of status on public.payment_batch_lines
  for each row when (new.status in ('rejected', 'returned') and old.status <> new.status
    and new.reason_code in ('AC01', 'AC03', 'AC04', 'AC06', 'AC07', 'AC14', 'AG01', 'BE06', 'MD07'))
  execute function private.close_refused_account();

-- Its payee does not give it again, with a request or in their profile: before the account that is there is found.
create function private.refuse_closed_account() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if exists (select from public.payee_ibans i
      where i.client_id = new.client_id and i.mark = new.mark and i.usable_from = private.never()) then
    perform private.refuse('iban_refused_by_bank');
  end if;
  return new;
end
$$;
revoke all on function private.refuse_closed_account() from public;
alter function private.refuse_closed_account() owner to parrain_service;
create trigger payee_ibans_refuse_closed before insert on public.payee_ibans
  for each row execute function private.refuse_closed_account();

-- The link of a mail confirms a changed account; it opens none that the bank refused.
create or replace function private.confirm_iban(p_id uuid) returns text
language plpgsql security definer set search_path = '' as $$
declare
  i public.payee_ibans;
begin
  select * into i from public.payee_ibans t where t.id = p_id for update;
  if not found then perform private.refuse('iban_link_unknown'); end if;
  if i.usable_from = private.never() then perform private.refuse('iban_refused_by_bank'); end if;
  if i.confirmed_at is not null then return 'already'; end if;
  if i.usable_from <= private.now() then return 'usable'; end if;
  update public.payee_ibans t set usable_from = private.now(), confirmed_at = private.now() where t.id = i.id;
  perform private.append_audit('profiles', i.client_id, 'confirm_iban', null, null, null);
  return 'confirmed';
end
$$;

-- True of an IBAN, whole or masked, of a country outside the European Economic Area: domain/src/eea.ts has them too.
create function private.is_outside_eea(p_iban text) returns boolean language sql immutable set search_path = ''
return p_iban ~ '^[A-Z]{2}[0-9]' and left(p_iban, 2) <> all ('{AT,BE,BG,CY,CZ,DE,DK,EE,ES,FI,FR,GR,HR,HU,IE,IS,IT,LI,LT,LU,LV,MT,NL,NO,PL,PT,RO,SE,SI,SK}'::text[]);
revoke all on function private.is_outside_eea(text) from public;
grant execute on function private.is_outside_eea(text) to authenticated, service_role, parrain_service;

alter table public.bank_accounts add column bic text;
alter table public.bank_accounts add constraint bank_accounts_bic_is_one
  check (private.is_line(bic, 11) and bic ~ '^[A-Z]{6}[0-9A-Z]{2}([0-9A-Z]{3})?$') not valid;

create function private.refuse_without_bic() returns trigger language plpgsql set search_path = '' as $$
begin
  perform private.refuse('bic_required');
end
$$;
revoke all on function private.refuse_without_bic() from public;
grant execute on function private.refuse_without_bic() to parrain_service;
create trigger payment_requests_have_a_bic before insert on public.payment_requests
  for each row when (new.payment_method = 'virement' and new.payment_details ->> 'iban' <> ''
    and private.is_outside_eea(new.payment_details ->> 'iban')
    and coalesce(new.payment_details ->> 'bic', '') !~ '^[A-Z]{6}[0-9A-Z]{2}([0-9A-Z]{3})?$')
  execute function private.refuse_without_bic();
create trigger bank_accounts_have_a_bic before insert on public.bank_accounts
  for each row when (private.is_outside_eea(new.iban) and new.bic is null) execute function private.refuse_without_bic();

-- PO-05: the same account with the same holder is no change; abroad the address, which is sealed, may be another.
drop function private.set_bank_account(text, text, bytea, bytea);
create function private.set_bank_account(p_holder text, p_iban_shown text, p_details_sealed bytea, p_iban_mark bytea, p_bic text default null)
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
  if before.iban_id = v_iban and before.holder = btrim(p_holder) and p_bic is null then return before; end if;
  insert into public.bank_accounts (payee_id, holder, iban, iban_id, bic) values (me, btrim(p_holder), p_iban_shown, v_iban, p_bic)
    returning * into after;
  insert into private.bank_account_secrets (account_id, details_sealed) values (after.id, p_details_sealed);
  -- That it changed, and not to what (decision 0003).
  perform private.append_audit('profiles', me, 'update', null, jsonb_build_object('bank_account', true), null);
  return after;
end
$$;
revoke all on function private.set_bank_account(text, text, bytea, bytea, text) from public;
alter function private.set_bank_account(text, text, bytea, bytea, text) owner to parrain_service;
grant execute on function private.set_bank_account(text, text, bytea, bytea, text) to authenticated;

-- A transfer without the BIC that its bank asks is left out, with its reason.
create or replace view public.transfers_to_make with (security_invoker = true) as
  select r.id, r.client_id, p.full_name as client_name, (r.amount + coalesce(r.vat_amount, 0))::numeric(12, 2) as amount,
    r.payment_details ->> 'beneficiary_name' as beneficiary,
    r.payment_details ->> 'iban' as iban, r.created_at, r.is_test,
    case when p.deactivated_at is not null then 'closed'
      when b.earned - b.reversed - b.held - b.reserved - b.paid < 0 then 'debt'
      when private.is_payee_incomplete(r.client_id) then 'incomplete'
      when coalesce(btrim(r.payment_details ->> 'iban'), '') = '' then 'no_iban'
      when coalesce(btrim(r.payment_details ->> 'beneficiary_name'), '') = '' then 'no_name'
      when private.is_outside_eea(r.payment_details ->> 'iban') and coalesce(r.payment_details ->> 'bic', '') = '' then 'no_bic'
      when i.usable_from > now() then 'iban' end as obstacle,
    case when i.usable_from > now() then i.usable_from end as iban_usable_from,
    private.sharers_of_iban(i.mark, r.client_id) as iban_shared_with, null::date as month, public.standing(r) as standing
  from public.payment_requests r
  join public.profiles p on p.id = r.client_id
  join public.balances b on b.profile_id = r.client_id
  left join public.payee_ibans i on i.id = r.iban_id
  where r.status = 'approved' and r.payment_method = 'virement'
    and not exists (select from public.payment_batch_lines l where l.request_id = r.id and l.status in ('queued', 'paid'))
  union all
  -- The last month that is over of each commercial, with what those before it left: it stands under the payee's id.
  select p.id, p.id, p.full_name,
    (d.due + case when t.is_transfer then coalesce(private.vat_of(d.due, private.vat_rate_of(p.id)), 0) else 0 end)::numeric(12, 2),
    a.holder, a.iban, private.month_start(private.last_month_begun()), d.is_test,
    case when not t.is_transfer then case when private.is_payee_known(p.id) then 'payroll' else 'no_status' end
      when p.deactivated_at is not null then 'closed'
      when a.id is null then 'no_iban'
      when private.is_outside_eea(a.iban) and a.bic is null then 'no_bic'
      when i.usable_from > now() then 'iban' end,
    case when i.usable_from > now() then i.usable_from end,
    private.sharers_of_iban(i.mark, p.id), d.month,
    (select coalesce(jsonb_agg(jsonb_build_object('code', 'case', 'case_id', w.case_id, 'case_status', w.case_status) order by w.case_id), '[]')
      from private.weighing_cases(null, null, array[p.id]) w)
  from public.months_to_pay d
  join public.profiles p on p.id = d.payee_id
  cross join lateral (select private.is_paid_by_transfer(p.id) as is_transfer) t
  left join lateral private.bank_account_of(p.id) a on true
  left join public.payee_ibans i on i.id = a.iban_id
  where not exists (select from public.payment_batch_lines l where l.payee_id = p.id and l.status = 'queued');
