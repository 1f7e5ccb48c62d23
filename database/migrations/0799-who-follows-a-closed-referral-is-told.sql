-- DF-20: whoever looks after a referral is told when its friend closes it, as 0711 has it, over what 0720 compares.

-- All that an address is in, which its own mailbox asked for.
create or replace function private.opt_out_contact(p_email text, p_mark bytea) returns void
language plpgsql security definer set search_path = '' as $$
declare
  closed record;
begin
  perform private.lock_contact(p_mark);
  insert into private.opted_out (mark) values (p_mark) on conflict do nothing;
  perform private.withdraw_friend_mails(p_email);
  for closed in update public.sales s set
    status = 'rejected', rejection_reason = coalesce(s.rejection_reason, 'Cette personne ne souhaite pas être contactée'),
    referred_contact_name = 'Contact effacé', referred_contact_email = null, referred_contact_phone = null,
    personal_message = null, commercial_notes = null
    where private.mailbox_of(s.referred_contact_email) = private.mailbox_of(p_email) and s.referred_contact_email is not null and s.status <> 'validated' and not s.ready_for_validation
    returning s.id, s.commercial_id
  loop
    perform private.tell_friend_said_no(closed.id, closed.commercial_id);
  end loop;
end
$$;
