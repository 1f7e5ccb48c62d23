-- UI-03: the page of a personal link says what a friend gains, when they are answered and shows a picture; they choose how they are
-- reached, which is kept as the consent that it is.

alter table public.company_settings
  add column friend_gain text,
  add column answer_days smallint,
  add column picture_url text,
  add constraint company_settings_friend_gain_is_a_text check (private.is_text(friend_gain, 300)) not valid,
  add constraint company_settings_answer_days_are_some check (answer_days between 1 and 10) not valid,
  add constraint company_settings_picture_url_is_a_line check (private.is_line(picture_url, 2000)) not valid;

-- What the company says of itself on that page: of the three what is named, for the program before names the first alone.
create function private.set_public_page(p_page jsonb) returns public.company_settings
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  settings public.company_settings;
begin
  update public.company_settings c set
    presentation = case when p_page ? 'presentation' then nullif(btrim(p_page ->> 'presentation'), '') else c.presentation end,
    friend_gain = case when p_page ? 'friend_gain' then nullif(btrim(p_page ->> 'friend_gain'), '') else c.friend_gain end,
    answer_days = case when p_page ? 'answer_days' then (p_page ->> 'answer_days')::smallint else c.answer_days end,
    updated_at = now()
    returning * into settings;
  return settings;
end
$$;
grant execute on function private.set_public_page(jsonb) to authenticated;

-- Null shows no picture.
create function private.set_page_picture(p_url text) returns public.company_settings
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  settings public.company_settings;
begin
  update public.company_settings c set picture_url = p_url, updated_at = now() returning * into settings;
  return settings;
end
$$;
grant execute on function private.set_page_picture(text) to authenticated;

-- Null where the friend was asked about calls alone. Who chose to be written to may not be called.
alter table public.call_consents
  add column channel text,
  add constraint call_consents_channel_is_known check (channel in ('call', 'sms', 'email')) not valid,
  add constraint call_consents_channel_says_whether_to_call check ((channel = 'call') = is_given) not valid;

-- As the function of the same name before it, which the former program calls; with the channel, and whether it is a call.
create function private.refer_by_link(p_token text, p_name text, p_email text, p_phone text, p_message text, p_is_mail_sent boolean,
  p_consent text, p_consent_version text, p_channel text) returns public.sales
language plpgsql security definer set search_path = '' as $$
declare
  sale public.sales;
begin
  sale := private.refer_by_link(p_token, p_name, p_email, p_phone, p_message, p_is_mail_sent,
    case when p_channel is null then p_consent end, p_consent_version);
  if p_channel is not null then
    insert into public.call_consents (sale_id, is_given, statement, version, place, channel)
    values (sale.id, p_channel = 'call', p_consent, p_consent_version, 'public_page', p_channel);
  end if;
  return sale;
end
$$;

-- As 0711 has it; who chose to be written to and will not be called is still written to.
create or replace function private.answer_call(p_sale_id uuid, p_is_given boolean, p_statement text, p_version text, p_phone text, p_place text)
returns void language plpgsql security definer set search_path = '' as $$
declare
  sale public.sales;
  v_before boolean;
  v_channel text;
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
  if not p_is_given then
    select c.channel into v_channel from public.call_consents c where c.sale_id = sale.id and c.channel in ('sms', 'email')
      order by c.said_at desc, c.id limit 1;
  end if;
  insert into public.call_consents (sale_id, is_given, statement, version, place, channel)
  values (sale.id, p_is_given, p_statement, p_version, p_place, v_channel);
  if not p_is_given and v_channel is null and p_place = 'mailed_link' then
    perform private.withdraw_friend_mails(sale.referred_contact_email);
  end if;
  -- Screens that show the referral show its answer with it.
  insert into private.changes (table_name, operation, key, audience) values ('sales', 'UPDATE', sale.id, array[sale.commercial_id]);
  perform private.tell(case when p_is_given then 'call_agreed' else 'call_declined' end, array[sale.commercial_id], sale.id, null);
end
$$;

-- As 0590 has it; who chose to be written to is written to freely.
create or replace function private.write_to_friend(p_sale_id uuid) returns public.sales
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('commercial');
  sale public.sales;
  v_refusal text;
begin
  select * into sale from public.sales s where s.id = p_sale_id and s.commercial_id = me and s.corrects_sale_id is null for update;
  if not found then perform private.refuse('sale_not_found'); end if;
  if sale.referred_contact_email is null then perform private.refuse('friend_without_email'); end if;
  v_refusal := case private.writing_to(
      (select c.is_given or c.channel is not null from public.call_consents c where c.sale_id = sale.id order by c.said_at desc, c.id limit 1),
      (select c.require_call_consent from public.company_settings c), sale.status = 'validated',
      exists (select from public.friend_messages m where m.sale_id = sale.id))
    when 'freely' then 'friend_written_freely' when 'never' then 'friend_declined' when 'written' then 'friend_already_written' end;
  if v_refusal is not null then perform private.refuse(v_refusal); end if;
  insert into public.friend_messages (sale_id, written_by) values (sale.id, me);
  perform private.append_audit('sales', sale.id, 'write_to_friend', '{}', '{}', null);
  -- Screens that show the referral show it with it.
  insert into private.changes (table_name, operation, key, audience) values ('sales', 'UPDATE', sale.id, array[me]);
  return sale;
end
$$;

do $$
declare
  f regprocedure;
begin
  for f in select p.oid::regprocedure from pg_proc p where p.pronamespace = 'private'::regnamespace
      and p.proname in ('set_public_page', 'set_page_picture', 'refer_by_link', 'answer_call', 'write_to_friend') loop
    execute format('alter function %s owner to parrain_service', f);
    execute format('grant execute on function %s to parrain_service', f);
  end loop;
end
$$;
