-- DF-43: who is due a month and paid otherwise than by transfer is named, with the cause, where transfers are gathered; the rule of shared
-- accounts looks at those of commercials too.

-- Something is said of this payee: a commercial of whom nothing is has no way of being paid yet.
create function private.is_payee_known(p_payee_id uuid) returns boolean
language sql stable security definer set search_path = ''
return exists (select from private.payee_details d where d.payee_id = p_payee_id);
revoke all on function private.is_payee_known(uuid) from public;
alter function private.is_payee_known(uuid) owner to parrain_service;
grant execute on function private.is_payee_known(uuid) to authenticated, service_role;

create or replace view public.transfers_to_make with (security_invoker = true) as
  select r.id, r.client_id, p.full_name as client_name, (r.amount + coalesce(r.vat_amount, 0))::numeric(12, 2) as amount,
    r.payment_details ->> 'beneficiary_name' as beneficiary,
    r.payment_details ->> 'iban' as iban, r.created_at, r.is_test,
    case when p.deactivated_at is not null then 'closed'
      when b.earned - b.reversed - b.held - b.reserved - b.paid < 0 then 'debt'
      when private.is_payee_incomplete(r.client_id) then 'incomplete'
      when coalesce(btrim(r.payment_details ->> 'iban'), '') = '' then 'no_iban'
      when coalesce(btrim(r.payment_details ->> 'beneficiary_name'), '') = '' then 'no_name'
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

-- A commercial's account is looked at when it is given, as a client's is with a request.
create function private.doubt_bank_account() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  v_doubts private.doubt[] := array(
    select row('shared_iban', 'iban', o.client_id)::private.doubt
    from public.payee_ibans i join public.payee_ibans o on o.mark = i.mark and o.client_id <> i.client_id where i.id = new.iban_id);
begin
  if cardinality(v_doubts) > 0 then perform private.keep_doubts(null, null, new.payee_id, v_doubts); end if;
  return null;
end
$$;
revoke all on function private.doubt_bank_account() from public;
alter function private.doubt_bank_account() owner to parrain_service;
create trigger bank_accounts_doubt after insert on public.bank_accounts for each row execute function private.doubt_bank_account();
