-- CS-03: a friend says whether they may be called, by the link of their mail too; and the company says whether it calls those who
-- said nothing.

-- True: only who agreed is called. By default whoever did not refuse is, as the specification has it (F-15).
alter table public.company_settings add column require_call_consent boolean not null default false;

create function private.set_require_call_consent(p_required boolean) returns public.company_settings
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  settings public.company_settings;
begin
  update public.company_settings c set require_call_consent = p_required, updated_at = now() returning * into settings;
  return settings;
end
$$;
grant execute on function private.set_require_call_consent(boolean) to authenticated;

alter table public.call_consents drop constraint call_consents_place_is_known;
alter table public.call_consents add constraint call_consents_place_is_known check (place in ('public_page', 'mailed_link'));

alter table public.notices drop constraint notices_kind_is_known;
alter table public.notices add constraint notices_kind_is_known check (kind in (
  'referral_received', 'referral_contacted', 'referral_in_negotiation', 'referral_signed', 'referral_refused',
  'referral_late', 'referral_still_late', 'call_back_due', 'news_asked', 'call_agreed', 'call_declined',
  'contract_to_validate', 'contract_validated', 'contract_refused', 'contract_annulled',
  'payment_received', 'payment_to_decide', 'payment_approved', 'payment_refused', 'payment_paid', 'payment_annulled',
  'payment_returned', 'dispute_opened', 'dispute_answered', 'dispute_closed', 'adjustment_annulled'));

-- A friend's own answer. The same again is kept once; a telephone number is taken where they agree and none is known.
create function private.answer_call(p_sale_id uuid, p_is_given boolean, p_statement text, p_version text, p_phone text) returns void
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
      and p.proname in ('set_require_call_consent', 'answer_call') loop
    execute format('alter function %s owner to parrain_service', f);
    execute format('grant execute on function %s to parrain_service', f);
  end loop;
end
$$;
