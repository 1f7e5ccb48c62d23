-- DF-02: the reference of a payment, and the number of an association, are said when they are known: at the payment or later, once.

alter table public.payment_requests
  drop constraint payment_requests_association_is_whole,
  add constraint payment_requests_association_number_has_a_name check (association_number is null or association_name is not null) not valid;

create or replace function private.guard_payment_request() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  left_ numeric;
  v_line text;
  v_usable_from timestamptz;
  v_settlement constant text[] := array['settlement_reference', 'association_name', 'association_number', 'version', 'updated_at'];
begin
  if tg_op = 'DELETE' then
    if not (private.is_cleaning() and old.is_test) then perform private.refuse('forbidden'); end if;
    return old;
  end if;
  select b.earned - b.reversed - b.held - b.reserved - b.paid into left_ from public.balances b where b.profile_id = new.client_id for update;
  if tg_op = 'INSERT' then
    if new.status <> 'pending' then perform private.refuse('request_illegal_move'); end if;
    if left_ is null or left_ < new.amount then
      perform private.refuse('amount_out_of_range', jsonb_build_object('available', greatest(coalesce(left_, 0), 0)::numeric(14, 2)::text));
    end if;
    return new;
  end if;
  if (new.id, new.client_id, new.amount, new.payment_method, new.payment_details, new.created_at, new.is_test, new.iban_id,
        new.vat_rate, new.vat_amount, new.vat_mandate_id)
      is distinct from (old.id, old.client_id, old.amount, old.payment_method, old.payment_details, old.created_at, old.is_test, old.iban_id,
        old.vat_rate, old.vat_amount, old.vat_mandate_id) then
    perform private.refuse('forbidden');
  end if;
  if new.status <> old.status then
    select l.status into v_line from public.payment_batch_lines l where l.request_id = old.id
      order by l.status = 'queued' desc, l.status = 'paid' desc limit 1;
    if v_line = 'queued' then perform private.refuse('request_in_batch'); end if;
    if not ((old.status, new.status) in (('pending', 'approved'), ('pending', 'rejected'), ('approved', 'paid'), ('approved', 'pending'))
        or coalesce(v_line = 'rejected', false) and (old.status, new.status) = ('approved', 'rejected')
        or v_line is distinct from 'paid' and (old.status, new.status) = ('paid', 'returned')) then
      perform private.refuse('request_illegal_move');
    end if;
    if new.status = 'returned' and (new.paid_at, new.approved_at) is distinct from (old.paid_at, old.approved_at) then
      perform private.refuse('forbidden');
    end if;
    if new.status = 'pending' and new.approval_annulled_reason is null then perform private.refuse('refusal_reason_required'); end if;
    -- Someone who owes the company (S-11) is neither approved nor paid before the debt is gone. What the bank has paid is paid.
    if new.status in ('approved', 'paid') and left_ < 0 and v_line is distinct from 'paid' then perform private.refuse('balance_in_debt'); end if;
    -- PO-04: nothing goes to a changed account before its day. What the bank has paid is paid.
    if new.status = 'paid' and v_line is distinct from 'paid' then
      select i.usable_from into v_usable_from from public.payee_ibans i where i.id = new.iban_id and i.usable_from > private.now();
      if found then perform private.refuse('iban_not_usable_yet', jsonb_build_object('from', v_usable_from)); end if;
    end if;
  elsif old.status in ('paid', 'returned') then
    -- DF-02: a reference that was not known at the payment is said once.
    if to_jsonb(new) - v_settlement <> to_jsonb(old) - v_settlement
        or (old.settlement_reference is not null and new.settlement_reference is distinct from old.settlement_reference)
        or (old.association_name is not null and new.association_name is distinct from old.association_name)
        or (old.association_number is not null and new.association_number is distinct from old.association_number) then
      perform private.refuse('request_illegal_move');
    end if;
  elsif old.status = 'rejected' then
    perform private.refuse('request_illegal_move');
  end if;
  new.version := old.version + 1;
  new.updated_at := private.now();
  return new;
end
$$;

-- Says what was not known when the request was paid: what is known already stays, and the same again is the same answer.
create function private.complete_settlement(p_request_id uuid, p_reference text, p_association_name text, p_association_number text)
returns table (request public.payment_requests, already boolean)
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  r public.payment_requests;
  reference_ constant text := nullif(btrim(p_reference), '');
  name_ constant text := nullif(btrim(p_association_name), '');
begin
  select * into r from public.payment_requests t where t.id = p_request_id for update;
  if not found then perform private.refuse('request_not_found'); end if;
  if r.status not in ('paid', 'returned') then perform private.refuse('request_illegal_move'); end if;
  if reference_ <> r.settlement_reference or name_ <> r.association_name or p_association_number <> r.association_number then
    perform private.refuse('settlement_known');
  end if;
  if (coalesce(reference_, r.settlement_reference), coalesce(name_, r.association_name), coalesce(p_association_number, r.association_number))
      is not distinct from (r.settlement_reference, r.association_name, r.association_number) then
    return query select r, true;
    return;
  end if;
  update public.payment_requests t set settlement_reference = coalesce(t.settlement_reference, reference_),
      association_name = coalesce(t.association_name, name_), association_number = coalesce(t.association_number, p_association_number)
    where t.id = r.id returning * into r;
  return query select r, false;
end
$$;
revoke all on function private.complete_settlement(uuid, text, text, text) from public;
alter function private.complete_settlement(uuid, text, text, text) owner to parrain_service;
grant execute on function private.complete_settlement(uuid, text, text, text) to authenticated;
