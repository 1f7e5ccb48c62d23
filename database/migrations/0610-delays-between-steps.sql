-- PI-01: how long referrals take from each step of the funnel to the next. The instants at which a referral was contacted, negotiated and
-- signed are columns of its own row, which its move writes anyway: no more rows, no more index entries. An installation with millions of
-- sales takes some minutes for this migration, which reads the whole trail once and writes every referral that ever moved once.

-- When a referral came to a step, for as long as it stands there or further. One that goes back to an earlier step loses what lies beyond
-- it, and comes there anew. A refusal takes nothing away. A step that was skipped has the instant of the step that was reached in its
-- place. Null: not reached, or nobody knows when.
alter table public.sales
  add column contacted_at timestamptz,
  add column negotiated_at timestamptz,
  -- Ready for the company's validation: transmitted or signed.
  add column signed_at timestamptz;

-- How far a referral is: 0 invited, 1 contacted, 2 negotiated, 3 signed or validated; a refused one, as far as is known.
create function private.funnel_step(s public.sales) returns integer
language sql stable parallel safe
return case
  when s.status = 'rejected' then case when s.signed_at is not null then 3 when s.negotiated_at is not null then 2
    when s.contacted_at is not null then 1 else 0 end
  when s.ready_for_validation then 3 when s.status = 'in_negotiation' then 2 when s.status = 'contacted' then 1 else 0 end;
alter function private.funnel_step(public.sales) owner to parrain_service;
grant execute on function private.funnel_step(public.sales) to parrain_service;

-- As 0470 has it, and keeps the instants of the steps: no other write changes them. A move that is taken back brings its own (0330).
create or replace function private.guard_sale() returns trigger
language plpgsql set search_path = '' as $$
declare
  person constant text[] := array['referred_contact_name', 'referred_contact_email', 'referred_contact_phone', 'personal_message',
    'commercial_notes'];
  v_from constant integer := private.funnel_step(old);
  v_to integer;
  v_at timestamptz;
begin
  if tg_op = 'DELETE' then
    if private.is_importing() and old.version = 1
      and exists (select from private.imported_rows r where r.sale_id = old.id) then
      return old;
    end if;
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
  v_to := private.funnel_step(new);
  -- A move that waited for another one began before it.
  v_at := greatest(private.now(), old.created_at, old.contacted_at, old.negotiated_at, old.signed_at);
  new.contacted_at := case when v_to >= 1 then case when v_from >= 1 then old.contacted_at else coalesce(new.contacted_at, v_at) end end;
  new.negotiated_at := case when v_to >= 2 then case when v_from >= 2 then old.negotiated_at else coalesce(new.negotiated_at, v_at) end end;
  new.signed_at := case when v_to >= 3 then case when v_from >= 3 then old.signed_at else coalesce(new.signed_at, v_at) end end;
  new.version := old.version + 1;
  new.updated_at := private.now();
  return new;
end
$$;

-- As 0330 has it; a referral that is put back where it stood stands there since then.
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
  -- News of the move, and of the way back: what is written in one transaction carries its instant.
  delete from public.notices n where n.sale_id = sale.id and n.created_at in (moved_at, sale.updated_at);
  return sale;
end
$$;

-- What the trail proves of the referrals that moved before. One whose entries do not lead to where it stands is left as it is.
alter table public.sales disable trigger user;
set local role parrain_service;
with moves as (
  select e.entity_id, e.id, e.at, case
      when e.after ->> 'status' = 'rejected' then null
      when e.after ->> 'ready_for_validation' = 'true' or e.after ->> 'status' = 'validated' then 3
      when e.after ->> 'status' = 'in_negotiation' then 2
      when e.after ->> 'status' = 'contacted' then 1
      when e.after ->> 'status' = 'pending' or e.after ->> 'ready_for_validation' = 'false' then 0 end as step
  from public.audit_entries e where e.entity = 'sales' and e.action in ('insert', 'update')),
steps as (
  select m.entity_id, m.id, m.at, m.step, lag(m.step) over (partition by m.entity_id order by m.id) as from_step
  from moves m where m.step is not null),
reached as (
  select t.entity_id, (array_agg(t.step order by t.id desc))[1] as last_step, max(t.at) filter (where t.from_step < 1 and t.step >= 1) as contacted_at,
    max(t.at) filter (where t.from_step < 2 and t.step >= 2) as negotiated_at, max(t.at) filter (where t.from_step < 3 and t.step = 3) as signed_at
  from steps t group by t.entity_id having count(*) > 1)
update public.sales s set
  contacted_at = case when r.last_step >= 1 and r.contacted_at is not null then greatest(s.created_at, r.contacted_at) end,
  negotiated_at = case when r.last_step >= 2 and r.negotiated_at is not null then greatest(s.created_at, r.contacted_at, r.negotiated_at) end,
  signed_at = case when r.last_step = 3 and r.signed_at is not null
    then greatest(s.created_at, r.contacted_at, r.negotiated_at, r.signed_at) end
from reached r
where s.id = r.entity_id and r.last_step > 0
  and (s.status = 'rejected' or private.funnel_step(s) = r.last_step);
reset role;
alter table public.sales enable trigger user;

-- Days that referrals made in a month took to each step, as they stood when they were counted.
create table figures.referral_delays (
  month date not null,
  step text not null,
  days integer not null,
  referrals bigint not null,
  primary key (month, step, days)
);
alter table figures.referral_delays enable row level security;
alter table figures.referral_delays force row level security;
create policy referral_delays_service_all on figures.referral_delays to parrain_service using (true) with check (true);
create policy referral_delays_secret_read on figures.referral_delays for select to service_role using (true);
create policy referral_delays_admin_read on figures.referral_delays for select to authenticated using (
  (select private.user_role()) = 'admin');
grant select, insert, update, delete on figures.referral_delays to parrain_service;
grant select on figures.referral_delays to authenticated, service_role;

-- Days from the step where a referral was to the one it came to, of referrals made between two instants. A step that was skipped is not
-- counted: its time is that of the step reached in its place, whose instant it has. Of a refused referral nothing is counted, of an
-- annulled contract no validation: as in public.referral_funnel. What nobody knows is not counted.
create function private.delays_between(p_from timestamptz, p_to timestamptz)
returns table (month date, step text, days integer, referrals bigint)
language sql stable
begin atomic
  select private.month_of(s.created_at), d.step, greatest(floor(extract(epoch from d.reached - d.since) / 86400), 0)::integer, count(*)
  from public.sales s
  left join public.sales c on c.corrects_sale_id = s.id and c.contract_left is null and s.admin_validated
  cross join lateral (select case when s.contacted_at = s.negotiated_at then s.created_at else s.contacted_at end as before_negotiation) b
  cross join lateral (values
    ('contacted', s.created_at, case when s.contacted_at is distinct from s.negotiated_at then s.contacted_at end),
    ('negotiated', b.before_negotiation, case when s.negotiated_at is distinct from s.signed_at then s.negotiated_at end),
    ('signed', case when s.negotiated_at = s.signed_at then b.before_negotiation else s.negotiated_at end, s.signed_at),
    ('validated', s.signed_at, case when c.id is null then s.validated_at end)) d (step, since, reached)
  where s.corrects_sale_id is null and s.status <> 'rejected' and s.created_at >= p_from and s.created_at < p_to
    and d.reached is not null and d.since is not null
  group by 1, 2, 3;
end;
grant execute on function private.delays_between(timestamptz, timestamptz) to authenticated, parrain_service;

-- They are counted and forgotten with the months (private.count_months).
create function private.count_referral_delays() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  delete from figures.referral_delays;
  if tg_op = 'INSERT' then
    insert into figures.referral_delays
    select d.month, d.step, d.days, d.referrals
    from private.delays_between('-infinity', (select max(n.at) from new_rows n)) d;
  end if;
  return null;
end
$$;
alter function private.count_referral_delays() owner to parrain_service;
grant execute on function private.count_referral_delays() to parrain_service;
create trigger counted_until_referral_delays after insert on figures.counted_until referencing new table as new_rows
  for each statement execute function private.count_referral_delays();
create trigger counted_until_referral_delays_forgotten after delete on figures.counted_until
  for each statement execute function private.count_referral_delays();

-- Of the referrals made in some months, how many days half of them took at most to each step, and of how many it is known.
create function public.referral_delays(p_from date, p_to date)
returns table (step text, referrals bigint, median_days integer)
language sql stable set search_path = '' rows 4 as $$
  with found as (
    select m.step, m.days, m.referrals from figures.referral_delays m where m.month >= p_from and m.month < p_to
    union all
    select d.step, d.days, d.referrals
    from private.delays_between(greatest(private.month_start(p_from), (select c.at from figures.counted_until c)), private.month_start(p_to)) d),
  running as (
    select f.step, f.days, f.referrals, sum(f.referrals) over (partition by f.step order by f.days) as up_to,
      sum(f.referrals) over (partition by f.step) as total
    from found f)
  select r.step, sum(r.referrals)::bigint, min(r.days) filter (where r.up_to * 2 >= r.total)
  from running r
  where (select private.user_role()) = 'admin'
  group by r.step
$$;
grant execute on function public.referral_delays(date, date) to authenticated;
