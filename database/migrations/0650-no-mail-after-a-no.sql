-- CS-03, F-15: what still waits for its turn to be mailed to a friend does not leave once they said no.

create function private.withdraw_friend_mails(p_email text) returns void
language sql security definer set search_path = ''
begin atomic
  update private.mails m set status = 'withdrawn', status_since = now(), sealed = null
    where m.recipient = p_email and m.status = 'queued' and m.template in ('friend-invitation', 'friend-message', 'friend-request');
end;
alter function private.withdraw_friend_mails(text) owner to parrain_service;
grant execute on function private.withdraw_friend_mails(text) to parrain_service;

create or replace function private.answer_call(p_sale_id uuid, p_is_given boolean, p_statement text, p_version text, p_phone text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  sale public.sales;
  v_before boolean;
begin
  select * into sale from public.sales s where s.id = p_sale_id and s.corrects_sale_id is null for update;
  -- A friend who was forgotten is nobody's to call.
  if not found or num_nonnulls(sale.referred_contact_email, sale.referred_contact_phone) = 0 then
    perform private.refuse('opt_out_link_unknown');
  end if;
  if p_is_given and sale.referred_contact_phone is null and p_phone is not null and private.is_open(sale) then
    update public.sales s set referred_contact_phone = p_phone where s.id = sale.id;
  end if;
  select c.is_given into v_before from public.call_consents c where c.sale_id = sale.id order by c.said_at desc, c.id limit 1;
  if v_before is not distinct from p_is_given then return; end if;
  insert into public.call_consents (sale_id, is_given, statement, version, place)
  values (sale.id, p_is_given, p_statement, p_version, 'mailed_link');
  if not p_is_given then perform private.withdraw_friend_mails(sale.referred_contact_email); end if;
  -- Screens that show the referral show its answer with it.
  insert into private.changes (table_name, operation, key, audience) values ('sales', 'UPDATE', sale.id, array[sale.commercial_id]);
  perform private.tell(case when p_is_given then 'call_agreed' else 'call_declined' end, array[sale.commercial_id], sale.id, null);
end
$$;

create or replace function private.opt_out_contact(p_email text, p_mark bytea) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform private.lock_contact(p_mark);
  insert into private.opted_out (mark) values (p_mark) on conflict do nothing;
  perform private.withdraw_friend_mails(p_email);
  update public.sales s set
    status = 'rejected', rejection_reason = coalesce(s.rejection_reason, 'Cette personne ne souhaite pas être contactée'),
    referred_contact_name = 'Contact effacé', referred_contact_email = null, referred_contact_phone = null,
    personal_message = null, commercial_notes = null
    where s.referred_contact_email = p_email and s.status <> 'validated' and not s.ready_for_validation;
end
$$;
