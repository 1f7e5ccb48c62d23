-- LG-06: a payee questions a line of their account; the company answers within the thread, then closes it.

create table public.disputes (
  id uuid primary key default gen_random_uuid(),
  payee_id uuid not null references public.profiles (id) on delete restrict,
  -- The line, as screens name it and as the ledger is keyed; it goes with its line when test data is cleaned.
  entry_id bigint not null,
  source_id uuid not null,
  act text not null,
  line smallint not null,
  created_at timestamptz not null default private.now(),
  -- Grows with each message: whoever closes a thread has read it whole.
  version integer not null default 1,
  closed_at timestamptz,
  closed_by uuid references public.profiles (id) on delete restrict,
  is_test boolean not null,
  foreign key (source_id, act, line) references public.ledger_entries (source_id, act, line) on delete cascade,
  constraint disputes_one_per_line unique (source_id, act, line),
  constraint disputes_are_closed_by_somebody check ((closed_at is null) = (closed_by is null))
);
create index disputes_by_payee on public.disputes (payee_id, created_at desc);
create index disputes_open on public.disputes (created_at) where closed_at is null;
create index disputes_by_closer on public.disputes (closed_by) where closed_by is not null;

create table public.dispute_messages (
  id uuid primary key default gen_random_uuid(),
  dispute_id uuid not null references public.disputes (id) on delete cascade,
  author_id uuid not null references public.profiles (id) on delete restrict,
  body text not null,
  created_at timestamptz not null default private.now(),
  constraint dispute_messages_body_is_a_text check (private.is_text(body, 2000) and length(btrim(body)) > 0)
);
create index dispute_messages_by_dispute on public.dispute_messages (dispute_id, created_at, id);
create index dispute_messages_by_author on public.dispute_messages (author_id);

alter table public.disputes enable row level security;
alter table public.disputes force row level security;
alter table public.dispute_messages enable row level security;
alter table public.dispute_messages force row level security;
grant select, insert, update on public.disputes to parrain_service;
grant select, insert on public.dispute_messages to parrain_service;
grant select on public.disputes, public.dispute_messages to authenticated, service_role;
create policy disputes_service_all on public.disputes to parrain_service using (true) with check (true);
create policy disputes_secret_read on public.disputes for select to service_role using (true);
create policy disputes_authenticated_read on public.disputes for select to authenticated using (
  (select private.user_role()) = 'admin' or payee_id = (select private.uid()));
create policy dispute_messages_service_all on public.dispute_messages to parrain_service using (true) with check (true);
create policy dispute_messages_secret_read on public.dispute_messages for select to service_role using (true);
create policy dispute_messages_authenticated_read on public.dispute_messages for select to authenticated using (
  exists (select from public.disputes d where d.id = dispute_id));

-- Once closed, closed; what was said stays said.
create function private.guard_dispute() returns trigger
language plpgsql set search_path = '' as $$
begin
  if tg_op = 'UPDATE' and old.closed_at is null and new.version = old.version + 1
    and (new.id, new.payee_id, new.entry_id, new.source_id, new.act, new.line, new.created_at, new.is_test)
      = (old.id, old.payee_id, old.entry_id, old.source_id, old.act, old.line, old.created_at, old.is_test) then
    return new;
  end if;
  if tg_op = 'DELETE' and private.is_cleaning() and old.is_test then return old; end if;
  perform private.refuse('forbidden');
end
$$;
create trigger disputes_guard before update or delete on public.disputes
  for each row execute function private.guard_dispute();
create function private.guard_dispute_message() returns trigger
language plpgsql set search_path = '' as $$
begin
  if tg_op = 'DELETE' and private.is_cleaning() then return old; end if;
  perform private.refuse('forbidden');
end
$$;
create trigger dispute_messages_guard before update or delete on public.dispute_messages
  for each row execute function private.guard_dispute_message();

-- Notices of a dispute, beside those of sales and requests.
alter table public.notices add column dispute_id uuid references public.disputes (id) on delete cascade,
  drop constraint notices_kind_is_known,
  drop constraint notices_are_about_one_thing,
  add constraint notices_kind_is_known check (kind in (
    'referral_received', 'referral_contacted', 'referral_in_negotiation', 'referral_signed', 'referral_refused',
    'referral_late', 'referral_still_late', 'call_back_due', 'news_asked',
    'contract_to_validate', 'contract_validated', 'contract_refused', 'contract_annulled',
    'payment_received', 'payment_to_decide', 'payment_approved', 'payment_refused', 'payment_paid', 'payment_annulled',
    'dispute_opened', 'dispute_answered', 'dispute_closed')),
  add constraint notices_are_about_one_thing check (num_nonnulls(sale_id, request_id, dispute_id) = 1);
create index notices_by_dispute on public.notices (dispute_id) where dispute_id is not null;

-- A message of a dispute: the other party is told.
create function private.say_in_dispute(p_dispute public.disputes, p_kind text, p_body text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  me constant uuid := private.uid();
begin
  insert into public.dispute_messages (dispute_id, author_id, body) values (p_dispute.id, me, btrim(p_body));
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

-- A payee questions a line of their own account, once.
create function private.open_dispute(p_entry_id bigint, p_body text) returns public.disputes
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('client', 'commercial');
  entry public.ledger_entries;
  opened public.disputes;
begin
  if coalesce(btrim(p_body), '') = '' then perform private.refuse('message_required'); end if;
  select * into entry from public.ledger_entries e where e.payee_id = me and e.id = p_entry_id;
  if not found then perform private.refuse('line_not_found'); end if;
  insert into public.disputes (payee_id, entry_id, source_id, act, line, is_test)
  values (me, entry.id, entry.source_id, entry.act, entry.line, entry.is_test)
  on conflict on constraint disputes_one_per_line do nothing
  returning * into opened;
  if not found then perform private.refuse('line_already_disputed'); end if;
  perform private.say_in_dispute(opened, 'dispute_opened', p_body);
  return opened;
end
$$;

create function private.answer_dispute(p_dispute_id uuid, p_body text) returns public.disputes
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin', 'client', 'commercial');
  dispute public.disputes;
begin
  if coalesce(btrim(p_body), '') = '' then perform private.refuse('message_required'); end if;
  select * into dispute from public.disputes d
    where d.id = p_dispute_id and (d.payee_id = me or private.user_role() = 'admin') for update;
  if not found then perform private.refuse('dispute_not_found'); end if;
  if dispute.closed_at is not null then perform private.refuse('dispute_closed'); end if;
  update public.disputes d set version = d.version + 1 where d.id = dispute.id returning * into dispute;
  perform private.say_in_dispute(dispute, 'dispute_answered', p_body);
  return dispute;
end
$$;

-- The company's last word, on the thread as it was read. The same again is the same answer.
create function private.close_dispute(p_dispute_id uuid, p_body text, p_seen_version integer)
returns table (dispute public.disputes, already boolean)
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  d public.disputes;
begin
  if coalesce(btrim(p_body), '') = '' then perform private.refuse('message_required'); end if;
  if p_seen_version is null then perform private.refuse('seen_required'); end if;
  select * into d from public.disputes t where t.id = p_dispute_id for update;
  if not found then perform private.refuse('dispute_not_found'); end if;
  if d.closed_at is not null then
    if d.closed_by <> me or p_seen_version <> d.version - 1 or btrim(p_body) is distinct from (
        select m.body from public.dispute_messages m where m.dispute_id = d.id order by m.created_at desc, m.id desc limit 1) then
      perform private.refuse('dispute_closed');
    end if;
    return query select d, true;
    return;
  end if;
  if p_seen_version <> d.version then perform private.refuse('dispute_changed'); end if;
  update public.disputes t set version = t.version + 1, closed_at = private.now(), closed_by = me
    where t.id = d.id returning * into d;
  perform private.say_in_dispute(d, 'dispute_closed', p_body);
  return query select d, false;
end
$$;

alter function private.say_in_dispute(public.disputes, text, text) owner to parrain_service;
alter function private.open_dispute(bigint, text) owner to parrain_service;
alter function private.answer_dispute(uuid, text) owner to parrain_service;
alter function private.close_dispute(uuid, text, integer) owner to parrain_service;
grant execute on function private.guard_dispute(), private.guard_dispute_message(),
  private.say_in_dispute(public.disputes, text, text) to parrain_service;
grant execute on function private.open_dispute(bigint, text), private.answer_dispute(uuid, text),
  private.close_dispute(uuid, text, integer) to authenticated, parrain_service;
