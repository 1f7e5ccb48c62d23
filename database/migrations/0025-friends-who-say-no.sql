-- F-15: a referred friend, who has no account, asks the company to leave them alone. Their contact is erased, and they are
-- never written to again.

-- A mark is a keyed digest of an address: it recognises who said no, without keeping who that is.
create table private.opted_out (
  mark bytea primary key,
  opted_out_at timestamptz not null default private.now(),
  constraint opted_out_mark_is_a_digest check (octet_length(mark) = 32)
);
grant select, insert on private.opted_out to parrain_service;

-- Held until the transaction ends: an invitation and a refusal of the same instant queue, in whichever order.
create function private.lock_contact(p_mark bytea) returns void
language sql volatile set search_path = '' as $$
  select pg_advisory_xact_lock(hashtextextended(encode(p_mark, 'hex'), 0))
$$;

-- Refuses to write to somebody who said no.
create function private.require_contactable(p_mark bytea) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform private.lock_contact(p_mark);
  if exists (select from private.opted_out o where o.mark = p_mark) then perform private.refuse('friend_opted_out'); end if;
end
$$;
grant execute on function private.require_contactable(bytea) to authenticated;

-- Somebody says no: every referral of theirs that has no contract ends and forgets them. What has a contract stays: it is
-- a customer's file, which the law asks to keep. Said twice, it is the same answer.
create function private.opt_out_contact(p_email text, p_mark bytea) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform private.lock_contact(p_mark);
  insert into private.opted_out (mark) values (p_mark) on conflict do nothing;
  update public.sales s set
    status = 'rejected', rejection_reason = coalesce(s.rejection_reason, 'Cette personne ne souhaite pas être contactée'),
    referred_contact_name = 'Contact effacé', referred_contact_email = null, referred_contact_phone = null,
    personal_message = null, commercial_notes = null
    where s.referred_contact_email = p_email and s.status <> 'validated' and not s.ready_for_validation;
end
$$;
