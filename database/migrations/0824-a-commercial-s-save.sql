-- UI-06, NV-09: what one save after a call wrote is taken back whole; who is decided is called back no more; « Nouveau » is recent.

-- The follow-up as it was before the move that made this version; both are null where there was none. For as long as moves are taken back.
create table private.former_follow_ups (
  sale_id uuid primary key references public.sales (id) on delete cascade,
  version integer not null,
  private_note text constraint former_follow_ups_private_note_is_a_text check (private.is_text(private_note, 2000)),
  call_back_on date,
  reminded_on date,
  kept_at timestamptz not null default private.now()
);
create index former_follow_ups_by_instant on private.former_follow_ups (kept_at);
alter table private.former_follow_ups enable row level security;
alter table private.former_follow_ups force row level security;
grant select, insert, update, delete on private.former_follow_ups to parrain_service;
create policy former_follow_ups_service_all on private.former_follow_ups to parrain_service using (true) with check (true);

create or replace function private.update_sale_status(p_sale_id uuid, p_status text, p_contract_amount numeric,
  p_contract_description text, p_commercial_notes text, p_emptied text[] default '{}') returns public.sales
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('commercial');
  sale public.sales;
begin
  select * into sale from public.sales s where s.id = p_sale_id and s.commercial_id = me for update;
  if not found then perform private.refuse('sale_not_found'); end if;
  sale := private.move_sale(sale, p_status, p_contract_amount, p_contract_description, p_commercial_notes, p_emptied);
  delete from private.former_follow_ups o where o.sale_id in (
    select x.sale_id from private.former_follow_ups x where x.kept_at < private.now() - private.undo_window() for update skip locked);
  insert into private.former_follow_ups as o (sale_id, version, private_note, call_back_on, reminded_on)
    select sale.id, sale.version, f.private_note, f.call_back_on, f.reminded_on
    from (values (1)) one left join public.follow_ups f on f.sale_id = sale.id
  on conflict (sale_id) do update set version = excluded.version, private_note = excluded.private_note,
    call_back_on = excluded.call_back_on, reminded_on = excluded.reminded_on, kept_at = excluded.kept_at;
  return sale;
end
$$;

create or replace function private.undo_sale_status(p_sale_id uuid, p_seen_version integer) returns public.sales
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('commercial');
  sale public.sales;
  moved_at timestamptz;
  before jsonb;
  noted private.former_follow_ups;
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
  -- The day and the private note of that same save; not those that were written since.
  delete from private.former_follow_ups o where o.sale_id = sale.id and o.version = p_seen_version returning * into noted;
  if noted.sale_id is not null
    and not exists (select from public.follow_ups f where f.sale_id = sale.id and f.updated_at > moved_at) then
    delete from public.follow_ups f where f.sale_id = sale.id;
    insert into public.follow_ups (sale_id, private_note, call_back_on, reminded_on)
      select sale.id, noted.private_note, noted.call_back_on, noted.reminded_on
      where num_nonnulls(noted.private_note, noted.call_back_on) > 0;
  end if;
  -- What is written in one transaction carries its instant: what the move had ended is to be done again, and news of it
  -- and of the way back are gone.
  update public.notices n set read_at = null where n.sale_id = sale.id and n.read_at = moved_at;
  delete from public.notices n where n.sale_id = sale.id and n.created_at in (moved_at, sale.updated_at);
  return sale;
end
$$;

-- At the commit, for the day that one save writes comes after its move. Reopened, a referral keeps no day from before its decision.
create function private.end_call_back() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  sale public.sales;
begin
  select * into sale from public.sales s where s.id = new.id;
  if not found or private.is_open(old) = private.is_open(sale) then return null; end if;
  delete from public.follow_ups f where f.sale_id = sale.id and f.private_note is null
    and (not private.is_open(sale) or f.updated_at < private.now());
  update public.follow_ups f set call_back_on = null, reminded_on = null, updated_at = private.now()
    where f.sale_id = sale.id and f.call_back_on is not null
      and (not private.is_open(sale) or f.updated_at < private.now());
  return null;
end
$$;
alter function private.end_call_back() owner to parrain_service;
create constraint trigger sales_end_call_back after update of status, ready_for_validation on public.sales
  deferrable initially deferred for each row
  when (old.status <> new.status or old.ready_for_validation <> new.ready_for_validation)
  execute function private.end_call_back();

create or replace function private.forget_follow_up() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if num_nonnulls(new.referred_contact_email, new.referred_contact_phone) > 0 then return null; end if;
  delete from public.follow_ups f where f.sale_id = new.id;
  delete from private.former_follow_ups o where o.sale_id = new.id;
  delete from public.correction_requests r where r.sale_id = new.id;
  delete from private.refused_referrals r where r.sale_id = new.id;
  delete from private.announced_erasures a where a.sale_id = new.id;
  return null;
end
$$;

-- UI-06: « Nouveau » is recent; a referral that has waited for longer comes after those, and says so.

/* 1 late, 2 the day to call back has come or a contract is to be corrected, 3 new for three days, 4 waiting since; null where nothing is to be done today. */
create or replace function private.today_rank(s public.sales, p_call_back_on date, p_follow_up_days integer, p_is_to_correct boolean) returns integer
language sql stable parallel safe
return case
  when s.corrects_sale_id is not null or s.ready_for_validation or s.status not in ('pending', 'contacted', 'in_negotiation')
    or p_call_back_on > (now() at time zone 'Europe/Paris')::date then null
  when s.status = 'pending' and s.created_at <= now() - make_interval(hours => 24 * p_follow_up_days) then 1
  when p_call_back_on is not null or p_is_to_correct then 2
  when s.status = 'pending' then case when s.created_at > now() - interval '72 hours' then 3 else 4 end
end;
