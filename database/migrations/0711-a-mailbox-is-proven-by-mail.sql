-- DF-20: what a friend does by a link reaches as far as that link proves. A mailed link speaks for the mailbox that it was mailed to;
-- a page of the public form speaks for that one request.

alter table public.call_consents drop constraint call_consents_place_is_known;
alter table public.call_consents add constraint call_consents_place_is_known
  check (place in ('public_page', 'mailed_link', 'imported_file', 'page')) not valid;

-- The kinds that are there already stay, whichever they are.
do $$
declare
  kinds text[];
begin
  select array_agg(m.found[1] order by m.place) || '{friend_said_no}' into kinds
    from pg_constraint c, regexp_matches(pg_get_constraintdef(c.oid), '[{,('']([a-z_]+)(?=[},''])', 'g')
      with ordinality m (found, place)
    where c.conname = 'notices_kind_is_known' and c.conrelid = 'public.notices'::regclass;
  alter table public.notices drop constraint notices_kind_is_known;
  execute format('alter table public.notices add constraint notices_kind_is_known check (kind = any (%L)) not valid', kinds);
end
$$;

-- Tells whoever looks after a referral that its friend closed it: its commercial, else the admins.
create function private.tell_friend_said_no(p_sale_id uuid, p_commercial_id uuid) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform private.tell('friend_said_no', case when p_commercial_id is not null then array[p_commercial_id]
    else array(select p.id from public.profiles p where p.role = 'admin' and p.deactivated_at is null) end, p_sale_id, null);
end
$$;

-- A mailbox that said no is not written to again.
create function private.keep_refusal(p_mark bytea) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform private.lock_contact(p_mark);
  insert into private.opted_out (mark) values (p_mark) on conflict do nothing;
end
$$;

-- One referral without a contract, closed by somebody who does not prove its mailbox: that one, and nothing else. A page speaks no
-- more once the mailbox has.
create function private.withdraw_referral(p_sale_id uuid, p_place text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  sale public.sales;
begin
  select * into sale from public.sales s where s.id = p_sale_id and s.corrects_sale_id is null for update;
  if p_place = 'page' and (not found or not private.is_open(sale)
      or exists (select from public.call_consents c where c.sale_id = p_sale_id and c.place = 'mailed_link')) then
    perform private.refuse('opt_out_link_unknown');
  end if;
  if num_nonnulls(sale.referred_contact_email, sale.referred_contact_phone) = 0 or sale.ready_for_validation
    or sale.status = 'validated' then
    return;
  end if;
  perform set_config('app.reason', 'Demande retirée par la personne', true);
  update public.sales s set status = 'rejected', rejection_reason = coalesce(s.rejection_reason, 'Demande retirée par la personne'),
    referred_contact_name = 'Contact effacé', referred_contact_email = null, referred_contact_phone = null,
    personal_message = null, commercial_notes = null
    where s.id = p_sale_id;
  perform set_config('app.reason', '', true);
  perform private.tell_friend_said_no(sale.id, sale.commercial_id);
end
$$;

create or replace function private.erase_contact(p_sale_id uuid, p_mark bytea) returns void
language plpgsql security definer set search_path = '' as $$
declare
  sale record;
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
  select s.id, s.commercial_id into sale from public.sales s where s.id = p_sale_id;
  perform private.tell_friend_said_no(sale.id, sale.commercial_id);
end
$$;

-- The former program's own goes with the release after, private.opt_out_phone too: a number was never proven by a mail.
-- A friend's own answer, from where it was given: a mailed link, or a page that proves no mailbox and never speaks after one. The same
-- again is kept once; a telephone number is taken where they agree and none is known.
create function private.answer_call(p_sale_id uuid, p_is_given boolean, p_statement text, p_version text, p_phone text, p_place text)
returns void language plpgsql security definer set search_path = '' as $$
declare
  sale public.sales;
  v_before boolean;
begin
  select * into sale from public.sales s where s.id = p_sale_id and s.corrects_sale_id is null for update;
  -- A friend who was forgotten is nobody's to call.
  if not found or num_nonnulls(sale.referred_contact_email, sale.referred_contact_phone) = 0
    or p_place <> 'mailed_link'
      and exists (select from public.call_consents c where c.sale_id = sale.id and c.place = 'mailed_link') then
    perform private.refuse('opt_out_link_unknown');
  end if;
  if p_is_given and sale.referred_contact_phone is null and p_phone is not null and private.is_open(sale) then
    update public.sales s set referred_contact_phone = p_phone where s.id = sale.id;
  end if;
  select c.is_given into v_before from public.call_consents c where c.sale_id = sale.id order by c.said_at desc, c.id limit 1;
  if v_before is not distinct from p_is_given
    and (p_place <> 'mailed_link' or exists (select from public.call_consents c where c.sale_id = sale.id and c.place = 'mailed_link'))
  then return; end if;
  insert into public.call_consents (sale_id, is_given, statement, version, place)
  values (sale.id, p_is_given, p_statement, p_version, p_place);
  if not p_is_given and p_place = 'mailed_link' then perform private.withdraw_friend_mails(sale.referred_contact_email); end if;
  -- Screens that show the referral show its answer with it.
  insert into private.changes (table_name, operation, key, audience) values ('sales', 'UPDATE', sale.id, array[sale.commercial_id]);
  perform private.tell(case when p_is_given then 'call_agreed' else 'call_declined' end, array[sale.commercial_id], sale.id, null);
end
$$;

do $$
declare
  f regprocedure;
begin
  for f in select p.oid::regprocedure from pg_proc p where p.pronamespace = 'private'::regnamespace
      and p.proname in ('tell_friend_said_no', 'keep_refusal', 'withdraw_referral', 'answer_call') loop
    execute format('alter function %s owner to parrain_service', f);
    execute format('grant execute on function %s to parrain_service', f);
  end loop;
end
$$;
