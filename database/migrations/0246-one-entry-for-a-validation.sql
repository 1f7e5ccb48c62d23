-- A validation has one entry in the trail instead of three: the sale's entry says both commissions and whom they are for, so that
-- those of the commissions said nothing more (decision 0024). What was written before stays as it is.

create or replace function private.audit_change() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  old_row jsonb;
  new_row jsonb;
  id uuid;
  why text;
begin
  if tg_op <> 'INSERT' then old_row := to_jsonb(old) - array['updated_at']; end if;
  if tg_op <> 'DELETE' then new_row := to_jsonb(new) - array['updated_at']; end if;
  id := case when tg_table_name = 'company_settings' then '00000000-0000-0000-0000-000000000001'
    else coalesce(new_row ->> 'id', old_row ->> 'id')::uuid end;
  why := coalesce(new_row ->> 'correction_reason',
    case when new_row ->> 'rejection_reason' is distinct from old_row ->> 'rejection_reason' then new_row ->> 'rejection_reason' end,
    case when new_row ->> 'approval_annulled_reason' is distinct from old_row ->> 'approval_annulled_reason'
      then new_row ->> 'approval_annulled_reason' end);
  if tg_op = 'UPDATE' then
    select jsonb_object_agg(o.key, o.value), jsonb_object_agg(o.key, new_row -> o.key) into old_row, new_row
      from jsonb_each(old_row) o where o.value is distinct from new_row -> o.key;
    if old_row is null then return null; end if;
    -- What a validation gives, and to whom, whether these changed in it or not. A correction is a new sale, whose entry says all of it.
    if tg_table_name = 'sales' and new_row -> 'admin_validated' = 'true' then
      new_row := new_row || jsonb_strip_nulls(jsonb_build_object(
        'client_commission_amount', new.client_commission_amount, 'commercial_commission_amount', new.commercial_commission_amount,
        'friend_referrer_id', new.friend_referrer_id, 'client_referrer_id', new.client_referrer_id,
        'commercial_id', new.commercial_id));
    end if;
  end if;
  if tg_op = 'INSERT' then new_row := jsonb_strip_nulls(new_row); end if;
  if tg_op = 'DELETE' then old_row := jsonb_strip_nulls(old_row); end if;
  perform private.append_audit(tg_table_name, id, lower(tg_op), private.without_personal_data(old_row),
    private.without_personal_data(new_row), why);
  return null;
end
$$;

drop trigger commission_payments_audit on public.commission_payments;
-- A commission comes with its sale's validation, and is what that says (private.guard_commission_payment).
create trigger commission_payments_audit after update or delete on public.commission_payments
  for each row execute function private.audit_change();
