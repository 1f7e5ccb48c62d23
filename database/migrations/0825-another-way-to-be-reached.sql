-- UI-03: whoever sent the public form chooses another of its three ways to be reached.

-- As `answer_call` from the page: once the mailbox itself has answered, it alone speaks.
create function private.choose_channel(p_sale_id uuid, p_channel text, p_statement text, p_version text, p_phone text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  sale public.sales;
begin
  select * into sale from public.sales s where s.id = p_sale_id and s.corrects_sale_id is null for update;
  if not found or num_nonnulls(sale.referred_contact_email, sale.referred_contact_phone) = 0
    or exists (select from public.call_consents c where c.sale_id = sale.id and c.place = 'mailed_link') then
    perform private.refuse('opt_out_link_unknown');
  end if;
  if p_channel <> 'email' and sale.referred_contact_phone is null and p_phone is not null and private.is_open(sale) then
    update public.sales s set referred_contact_phone = p_phone where s.id = sale.id returning * into sale;
  end if;
  if (case p_channel when 'email' then sale.referred_contact_email else sale.referred_contact_phone end) is null then
    perform private.refuse('invalid_input');
  end if;
  if p_channel = (select coalesce(c.channel, case when c.is_given then 'call' end)
    from public.call_consents c where c.sale_id = sale.id order by c.said_at desc, c.id limit 1) then
    return;
  end if;
  insert into public.call_consents (sale_id, is_given, statement, version, place, channel)
  values (sale.id, p_channel = 'call', p_statement, p_version, 'page', p_channel);
  insert into private.changes (table_name, operation, key, audience) values ('sales', 'UPDATE', sale.id, array[sale.commercial_id]);
  perform private.tell(case p_channel when 'call' then 'call_agreed' else 'call_declined' end, array[sale.commercial_id], sale.id, null);
end
$$;
alter function private.choose_channel(uuid, text, text, text, text) owner to parrain_service;
grant execute on function private.choose_channel(uuid, text, text, text, text) to parrain_service;
