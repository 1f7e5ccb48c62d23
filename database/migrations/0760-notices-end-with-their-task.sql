-- DF-42, TM-03: a notice of something to do is read once that is done, whoever did it.

create function private.end_notices(p_kinds text[], p_sale_id uuid, p_request_id uuid, p_dispute_id uuid) returns void
language sql security definer set search_path = ''
begin atomic
  -- Who reads theirs at this instant needs no help: nobody waits for them.
  update public.notices n set read_at = private.now() where n.id in (
    select o.id from public.notices o
    where o.read_at is null and o.kind = any (p_kinds)
      and (o.sale_id = p_sale_id or o.request_id = p_request_id or o.dispute_id = p_dispute_id)
    for update skip locked);
end;
alter function private.end_notices(text[], uuid, uuid, uuid) owner to parrain_service;
grant execute on function private.end_notices(text[], uuid, uuid, uuid) to parrain_service;

create or replace function private.tell_request_move() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'INSERT' then
    perform private.tell('payment_received', array[new.client_id], null, new.id);
    perform private.tell('payment_to_decide', private.active_admins(), null, new.id);
  else
    if new.status <> 'pending' then
      perform private.end_notices(array['payment_to_decide'], null, new.id, null);
    end if;
    perform private.tell(case new.status when 'pending' then 'payment_annulled' when 'rejected' then 'payment_refused'
      else 'payment_' || new.status end, array[new.client_id], null, new.id);
  end if;
  return null;
end
$$;

create or replace function private.tell_sale_move() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  awaiting constant text[] := array['awaiting_final_validation', 'awaiting_admin_validation'];
  referrer uuid := coalesce(new.friend_referrer_id, new.client_referrer_id);
  before text := case when tg_op = 'UPDATE' then private.sale_state(old.status, old.ready_for_validation, old.admin_validated, old.corrects_sale_id) end;
  after text := private.sale_state(new.status, new.ready_for_validation, new.admin_validated, new.corrects_sale_id);
begin
  if before = after then return null; end if;
  if before = any (awaiting) and not after = any (awaiting) then
    perform private.end_notices(array['contract_to_validate'], new.id, null, null);
  elsif before is not null then
    perform private.end_notices(
      array['referral_received', 'referral_late', 'referral_still_late', 'call_back_due', 'news_asked'], new.id, null, null);
  end if;
  case
    when after = 'correction' then
      perform private.tell('contract_annulled', array[referrer, new.commercial_id], new.id, null);
    when after = 'pending' and before is null then
      perform private.tell('referral_received', array[new.commercial_id], new.id, null);
    when after = 'contacted' then
      perform private.tell('referral_contacted', array[referrer], new.id, null);
    when after = 'in_negotiation' then
      perform private.tell('referral_in_negotiation', array[referrer], new.id, null);
    when after = any (awaiting) and not coalesce(before = any (awaiting), false) then
      perform private.tell('referral_signed', array[referrer], new.id, null);
      perform private.tell('contract_to_validate', private.active_admins(), new.id, null);
    when after = 'validated' then
      perform private.tell('contract_validated', array[referrer, new.commercial_id], new.id, null);
    when after = 'rejected' and before = any (awaiting) and private.user_role() = 'admin' then
      perform private.tell('contract_refused', array[referrer, new.commercial_id], new.id, null);
    -- Of a friend who asked to be forgotten, nothing is told.
    when after = 'rejected' and before is not null
      and not (num_nonnulls(old.referred_contact_email, old.referred_contact_phone) > 0
        and num_nonnulls(new.referred_contact_email, new.referred_contact_phone) = 0) then
      perform private.tell('referral_refused', array[referrer], new.id, null);
    else null;
  end case;
  return null;
end
$$;

create or replace function private.say_in_dispute(p_dispute public.disputes, p_kind text, p_body text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  me constant uuid := private.uid();
begin
  insert into public.dispute_messages (dispute_id, author_id, body) values (p_dispute.id, me, btrim(p_body));
  if p_kind <> 'dispute_opened' then perform private.end_notices(array['dispute_opened'], null, null, p_dispute.id); end if;
  with written as (
    insert into public.notices (recipient_id, kind, dispute_id)
    select p.id, p_kind, p_dispute.id from public.profiles p
    where p.id = any (case when me = p_dispute.payee_id then private.active_admins() else array[p_dispute.payee_id] end)
      and p.id <> me and p.deactivated_at is null
    order by p.id
    returning id)
  insert into private.notice_mails (notice_id) select w.id from written w;
end
$$;

create or replace function private.undo_sale_status(p_sale_id uuid, p_seen_version integer) returns public.sales
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('commercial');
  sale public.sales;
  moved_at timestamptz;
  before jsonb;
begin
  select * into sale from public.sales s where s.id = p_sale_id and s.commercial_id = me for update;
  if not found then perform private.refuse('sale_not_found'); end if;
  moved_at := sale.updated_at;
  select e.before into before from public.audit_entries e
    where e.entity = 'sales' and e.entity_id = sale.id and e.actor_id = me and e.action = 'update'
      and (e.after ->> 'version')::integer = p_seen_version and e.before ?| array['status', 'ready_for_validation']
    order by e.id desc limit 1;
  if sale.version is distinct from p_seen_version or before is null or sale.status = 'validated' or sale.admin_validated
    or moved_at < private.now() - private.undo_window() then
    perform private.refuse('sale_move_final');
  end if;
  -- The columns that a move writes; the version goes on.
  sale := jsonb_populate_record(sale, before);
  update public.sales s set
    status = sale.status,
    ready_for_validation = sale.ready_for_validation,
    contacted_at = sale.contacted_at,
    negotiated_at = sale.negotiated_at,
    signed_at = sale.signed_at,
    rejection_reason = sale.rejection_reason,
    contract_amount = sale.contract_amount,
    contract_description = sale.contract_description,
    commercial_notes = sale.commercial_notes,
    commission_rate = sale.commission_rate,
    client_commission_type = sale.client_commission_type,
    client_commission_rate = sale.client_commission_rate,
    commercial_commission_type = sale.commercial_commission_type,
    commercial_commission_rate = sale.commercial_commission_rate,
    client_commission_amount = sale.client_commission_amount,
    commercial_commission_amount = sale.commercial_commission_amount
    where s.id = sale.id returning * into sale;
  -- What is written in one transaction carries its instant: what the move had ended is to be done again, and news of it
  -- and of the way back are gone.
  update public.notices n set read_at = null where n.sale_id = sale.id and n.read_at = moved_at;
  delete from public.notices n where n.sale_id = sale.id and n.created_at in (moved_at, sale.updated_at);
  return sale;
end
$$;
