-- CS-04: a friend corrects what is kept of them, or has it erased, by the link of their mail. Where a contract was signed its amounts
-- stay, without the person.

-- As 0350 has it, but the person of a contract may be corrected or erased, by the friend alone: nobody who signs in does it.
create or replace function private.guard_sale() returns trigger
language plpgsql set search_path = '' as $$
declare
  person constant text[] := array['referred_contact_name', 'referred_contact_email', 'referred_contact_phone', 'personal_message',
    'commercial_notes'];
begin
  if tg_op = 'DELETE' then
    if not (private.is_cleaning() and old.is_test) and (old.admin_validated or old.status <> 'rejected') then
      perform private.refuse('sale_not_editable');
    end if;
    return old;
  end if;
  if old.ready_for_validation and coalesce(current_setting('app.friend', true), '') = 'on'
    and to_jsonb(new) - person = to_jsonb(old) - person then
    new.version := old.version + 1;
    new.updated_at := private.now();
    return new;
  end if;
  if old.admin_validated then
    perform private.refuse('sale_not_editable');
  end if;
  if (new.id, new.created_at, new.corrects_sale_id, new.is_test) is distinct from (old.id, old.created_at, old.corrects_sale_id, old.is_test)
    or new.client_referrer_id is distinct from old.client_referrer_id then
    perform private.refuse('sale_not_editable');
  end if;
  if new.friend_referrer_id is distinct from old.friend_referrer_id and not (private.is_open(old) and exists (
      select from private.refused_referrals r where r.sale_id = old.id and r.client_id = new.friend_referrer_id)) then
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

-- A friend corrects their name, address and telephone. Another address or telephone is taken under the rules of a referral (CS-02).
create function private.correct_contact(p_sale_id uuid, p_name text, p_email text, p_phone text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  sale public.sales;
  v_email text := lower(nullif(btrim(p_email), ''));
  v_phone text := nullif(btrim(p_phone), '');
  v_is_other_mailbox boolean;
begin
  select * into sale from public.sales s where s.id = p_sale_id and s.corrects_sale_id is null for update;
  if not found or num_nonnulls(sale.referred_contact_email, sale.referred_contact_phone) = 0 then
    perform private.refuse('opt_out_link_unknown');
  end if;
  v_is_other_mailbox := private.mailbox_of(v_email) is distinct from private.mailbox_of(sale.referred_contact_email);
  if v_is_other_mailbox and exists (
      select from public.profiles p where p.email <> '' and private.mailbox_of(p.email) = private.mailbox_of(v_email)) then
    perform private.refuse('friend_is_client');
  end if;
  if private.is_open(sale) and (v_is_other_mailbox or private.phone_of(v_phone) is distinct from private.phone_of(sale.referred_contact_phone))
    and private.earlier_referral(sale.friend_referrer_id, v_email, v_phone) is not null then
    perform private.refuse('friend_referred_before');
  end if;
  perform set_config('app.friend', 'on', true), set_config('app.reason', 'Corrigé par la personne elle-même', true);
  update public.sales s set referred_contact_name = btrim(p_name), referred_contact_email = v_email, referred_contact_phone = v_phone
    where (s.id = sale.id or s.corrects_sale_id = sale.id)
      and (s.referred_contact_name, s.referred_contact_email, s.referred_contact_phone) is distinct from (btrim(p_name), v_email, v_phone);
  perform set_config('app.friend', '', true), set_config('app.reason', '', true);
end
$$;

-- A friend has themselves erased from their own referral: an open one ends, a contract keeps its amounts and its state. The mark is
-- that of private.opt_out_contact, whose lock comes first here too.
create function private.erase_contact(p_sale_id uuid, p_mark bytea) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform private.lock_contact(p_mark);
  perform set_config('app.friend', 'on', true), set_config('app.reason', 'Contact effacé à sa demande', true);
  update public.sales s set
    status = case when s.ready_for_validation then s.status else 'rejected' end,
    rejection_reason = case when s.ready_for_validation then s.rejection_reason
      else coalesce(s.rejection_reason, 'Contact effacé à sa demande') end,
    referred_contact_name = 'Contact effacé à sa demande', referred_contact_email = null, referred_contact_phone = null,
    personal_message = null, commercial_notes = null
    where s.id = p_sale_id or s.corrects_sale_id = p_sale_id;
  perform set_config('app.friend', '', true), set_config('app.reason', '', true);
end
$$;

-- As 0350 has it, but only of who is left without address and telephone: a friend may take one of them back.
create or replace function private.forget_follow_up() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if num_nonnulls(new.referred_contact_email, new.referred_contact_phone) > 0 then return null; end if;
  delete from public.follow_ups f where f.sale_id = new.id;
  delete from private.refused_referrals r where r.sale_id = new.id;
  return null;
end
$$;

do $$
declare
  f regprocedure;
begin
  for f in select p.oid::regprocedure from pg_proc p where p.pronamespace = 'private'::regnamespace
      and p.proname in ('correct_contact', 'erase_contact') loop
    execute format('alter function %s owner to parrain_service', f);
    execute format('grant execute on function %s to parrain_service', f);
  end loop;
end
$$;
