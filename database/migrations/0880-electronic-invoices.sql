-- EI-01: self-billed invoices and credit notes leave through a plateforme agréée, in the payee's name under their mandate (decision 0101).
-- One row for each that is to leave, written with its number where a platform is on; without one, a row is what was exported or sent
-- otherwise, and an invoice without a row is still to be sent.

create table private.e_invoicing (
  id boolean primary key default true,
  -- Services of the norm, each up to its version: « https://…/flow-service ».
  flow_url text not null,
  directory_url text not null,
  token_url text not null,
  client_id text not null,
  secret_sealed bytea not null,
  -- The platform answered to these very settings: none others are kept.
  tried_at timestamptz not null default now(),
  is_on boolean not null default false,
  -- Statuses are read until then.
  read_until timestamptz not null default now(),
  -- A platform that asks for patience gets it for every invoice.
  paused_until timestamptz not null default '-infinity',
  updated_at timestamptz not null default now(),
  constraint e_invoicing_is_one_row check (id),
  constraint e_invoicing_addresses_are_some check (private.is_line(flow_url, 500) and private.is_line(directory_url, 500)
    and private.is_line(token_url, 500) and flow_url ~ '^https?://[^/?#@]+' and directory_url ~ '^https?://[^/?#@]+'
    and token_url ~ '^https?://[^/?#@]+'),
  constraint e_invoicing_client_is_a_line check (private.is_line(client_id, 200) and btrim(client_id) <> '')
);

create table private.e_invoices (
  -- The stable name of the flow at the platform, too (trackingId).
  paper_id uuid primary key references public.papers (id) on delete cascade,
  state text not null default 'waiting',
  -- The last step of its life that the platform told, with its time.
  code text,
  code_at timestamptz,
  -- The platform's words where it refuses, or why the last try failed.
  words text,
  attempts integer not null default 0,
  run_at timestamptz not null default now(),
  -- The node that sends it has until then; after that it has died, and another looks whether it had arrived.
  leased_until timestamptz not null default '-infinity',
  -- From then on it may be at the platform although no answer said so.
  asked_at timestamptz,
  flow_id text,
  deposited_at timestamptz,
  checked_at timestamptz not null default '-infinity',
  exported_at timestamptz,
  -- The day on which an admin says that it was sent otherwise.
  elsewhere_on date,
  constraint e_invoices_state_is_known check (state in ('waiting', 'deposited', 'accepted', 'collected', 'refused', 'exported', 'elsewhere')),
  constraint e_invoices_words_are_a_text check (private.is_text(words, 1000)),
  constraint e_invoices_code_is_a_line check (private.is_line(code, 20)),
  constraint e_invoices_flow_is_a_line check (private.is_line(flow_id, 100)),
  constraint e_invoices_deposited_has_a_flow check (state not in ('deposited', 'accepted', 'collected') or flow_id is not null),
  constraint e_invoices_exported_has_its_time check (state <> 'exported' or exported_at is not null),
  constraint e_invoices_elsewhere_has_its_day check (state <> 'elsewhere' or elsewhere_on is not null)
);
create index e_invoices_due on private.e_invoices (run_at, paper_id) where state = 'waiting';
create index e_invoices_to_check on private.e_invoices (checked_at) where state = 'deposited';

-- Each step of an invoice's life, for ever: of the platform, or of whoever exported it.
create table private.e_invoice_statuses (
  id bigint primary key generated always as identity,
  paper_id uuid not null references private.e_invoices (paper_id) on delete cascade,
  -- « deposited », « accepted », « refused », « exported », « elsewhere », or the code of the life cycle: « 205 ».
  code text not null,
  words text,
  -- The platform's time.
  at timestamptz not null,
  flow_id text,
  created_at timestamptz not null default now(),
  constraint e_invoice_statuses_code_is_a_line check (private.is_line(code, 20) and code <> ''),
  constraint e_invoice_statuses_words_are_a_text check (private.is_text(words, 1000)),
  constraint e_invoice_statuses_flow_is_a_line check (private.is_line(flow_id, 100))
);
-- A status that is read twice is one.
create unique index e_invoice_statuses_are_said_once on private.e_invoice_statuses (flow_id, paper_id, code) where flow_id is not null;
create index e_invoice_statuses_by_paper on private.e_invoice_statuses (paper_id, id);

do $$
declare
  name text;
begin
  foreach name in array array['e_invoicing', 'e_invoices', 'e_invoice_statuses'] loop
    execute format('alter table private.%I enable row level security', name);
    execute format('alter table private.%I force row level security', name);
    execute format('grant select, insert on private.%I to parrain_service', name);
    execute format('create policy %I on private.%I to parrain_service using (true) with check (true)', name || '_service_all', name);
  end loop;
end
$$;
grant update on private.e_invoicing to parrain_service;
grant update on private.e_invoices to parrain_service;

create function private.guard_e_invoice_status() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'DELETE' and private.is_cleaning() then return old; end if;
  perform private.refuse('forbidden');
end
$$;
create trigger e_invoice_statuses_are_never_changed before update or delete on private.e_invoice_statuses
  for each row execute function private.guard_e_invoice_status();

-- A self-billed invoice or the credit note of one, of a real payee: what a plateforme agréée takes.
create function private.is_e_invoice(p_paper public.papers) returns boolean
language sql immutable set search_path = ''
return (p_paper).series ~ '^[FA][0-9]{9}$' and not (p_paper).is_test;

create function private.queue_e_invoice() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if private.is_e_invoice(new) and exists (select from private.e_invoicing s where s.is_on) then
    insert into private.e_invoices (paper_id) values (new.id);
  end if;
  return null;
end
$$;
create trigger papers_queue_e_invoice after insert on public.papers for each row execute function private.queue_e_invoice();

-- What is due, leased for two minutes to the node that sends it, four at a time. Its bytes were made before, by the papers' own job.
create function private.claim_e_invoices() returns table (paper_id uuid, attempts integer, label text, bytes bytea, refused_flows text[])
language sql volatile security definer set search_path = ''
begin atomic
  with due as (
    select e.paper_id from private.e_invoices e join private.paper_files f on f.paper_id = e.paper_id and f.bytes is not null
      where e.state = 'waiting' and e.run_at <= now() and e.leased_until < now()
        and exists (select from private.e_invoicing s where s.is_on and s.paused_until <= now())
      order by e.run_at, e.paper_id
      limit greatest(0, 4 - (select count(*) from private.e_invoices busy where busy.state = 'waiting' and busy.leased_until >= now()))
      for update of e skip locked)
  update private.e_invoices e set leased_until = now() + interval '2 minutes', attempts = e.attempts + 1
    from due, public.papers p, private.paper_files f where e.paper_id = due.paper_id and p.id = e.paper_id and f.paper_id = e.paper_id
    returning e.paper_id, e.attempts, p.label, f.bytes, array(select s.flow_id from private.e_invoice_statuses s
        where s.paper_id = e.paper_id and s.code in ('refused', '210', '213', '220') and s.flow_id is not null);
end;

-- Whoever sends it says so first, once the platform said that it has none.
-- @returns false where another node has it by now.
create function private.begin_e_invoice(p_paper_id uuid, p_attempt integer) returns boolean
language plpgsql security definer set search_path = '' as $$
begin
  update private.e_invoices e set asked_at = now()
    where e.paper_id = p_paper_id and e.attempts = p_attempt and e.state = 'waiting' and e.leased_until >= now();
  return found;
end
$$;

-- Writes a step into the invoice's history and the trail, once. A platform's words may name people: the trail has none of them.
create function private.record_e_invoice_status(p_paper_id uuid, p_code text, p_words text, p_at timestamptz, p_flow_id text) returns boolean
language plpgsql security definer set search_path = '' as $$
declare
  paper public.papers;
begin
  insert into private.e_invoice_statuses (paper_id, code, words, at, flow_id) values (p_paper_id, p_code, p_words, p_at, p_flow_id)
    on conflict (flow_id, paper_id, code) where flow_id is not null do nothing;
  if not found then return false; end if;
  select * into strict paper from public.papers p where p.id = p_paper_id;
  perform private.append_audit(case when paper.request_id is not null then 'payment_requests' else 'paid_periods' end,
    coalesce(paper.request_id, paper.period_id), 'e_invoice', null,
    jsonb_build_object('paper', paper.label, 'e_invoice_status', p_code), null);
  return true;
end
$$;

-- What came of a try, by the attempt that made it: « deposited », « refused », or « later », for as long as it takes.
-- @returns in how many seconds it is tried again; null where it is over.
create function private.settle_e_invoice(p_paper_id uuid, p_attempt integer, p_outcome text, p_flow_id text, p_words text, p_retry_after integer)
returns double precision
language plpgsql security definer set search_path = '' as $$
declare
  delays constant integer[] := array[60, 300, 900, 3600, 7200, 14400, 28800];
  delay double precision;
begin
  if p_outcome = 'later' then
    delay := delays[least(p_attempt, cardinality(delays))] * (0.9 + random() * 0.2);
    if p_retry_after is not null then delay := greatest(delay, least(p_retry_after, 28800)); end if;
  end if;
  update private.e_invoices e set leased_until = '-infinity', words = p_words,
      state = case p_outcome when 'later' then 'waiting' else p_outcome end,
      run_at = now() + coalesce(delay, 0) * interval '1 second',
      flow_id = coalesce(p_flow_id, e.flow_id), deposited_at = case when p_outcome = 'deposited' then now() else e.deposited_at end
    where e.paper_id = p_paper_id and e.attempts = p_attempt and e.state = 'waiting';
  if not found then return null; end if;
  if p_outcome <> 'later' then
    perform private.record_e_invoice_status(p_paper_id, p_outcome, p_words, now(), p_flow_id);
  elsif p_retry_after is not null then
    update private.e_invoicing s set paused_until = greatest(s.paused_until, now() + least(p_retry_after, 28800) * interval '1 second');
  end if;
  return delay;
end
$$;

-- A status that the platform tells: the acknowledgement of the flow (« accepted », « refused ») or a step of the life cycle.
-- @returns false where it was known.
create function private.say_e_invoice_status(p_paper_id uuid, p_code text, p_words text, p_at timestamptz, p_flow_id text) returns boolean
language plpgsql security definer set search_path = '' as $$
declare
  e private.e_invoices;
begin
  select * into e from private.e_invoices x where x.paper_id = p_paper_id for no key update;
  if not found or not private.record_e_invoice_status(p_paper_id, p_code, p_words, p_at, p_flow_id) then return false; end if;
  -- What waits to be sent once more, or went another way, keeps its state; an older step is history.
  if e.flow_id is null or e.state not in ('deposited', 'accepted', 'collected', 'refused') or e.code_at > p_at then return true; end if;
  update private.e_invoices x set code = p_code, code_at = p_at,
      state = case when p_code in ('refused', '210', '213', '220') then 'refused' when p_code = '212' then 'collected'
        when x.state = 'collected' then 'collected' else 'accepted' end,
      words = p_words
    where x.paper_id = p_paper_id;
  return true;
end
$$;

-- Deposits whose acknowledgement is awaited, those first that were asked about longest ago.
create function private.e_invoices_to_check(p_most integer) returns table (paper_id uuid, flow_id text)
language sql volatile security definer set search_path = ''
begin atomic
  with asked as (
    select e.paper_id from private.e_invoices e where e.state = 'deposited' order by e.checked_at limit p_most for update skip locked)
  update private.e_invoices e set checked_at = clock_timestamp() from asked where e.paper_id = asked.paper_id
    returning e.paper_id, e.flow_id;
end;

-- The settings without their secret, and what there is to send: for admins.
create function private.e_invoicing_shown() returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  this_year constant date := date_trunc('year', private.today())::date;
begin
  perform private.require_role('admin');
  return jsonb_build_object(
    'platform', (select jsonb_build_object('flow_url', s.flow_url, 'directory_url', s.directory_url, 'token_url', s.token_url,
      'client_id', s.client_id, 'tried_at', s.tried_at, 'is_on', s.is_on) from private.e_invoicing s),
    'siren', (select s.siren from private.paper_settings s),
    'issues_papers', coalesce((select s.issues_papers from private.paper_settings s), false),
    'mandates', (select count(*) from private.mandates m where m.revoked_at is null),
    'invoices', (select count(*) from public.papers p where p.issued_on >= this_year and private.is_e_invoice(p)),
    'waiting', (select count(*) from private.e_invoices e where e.state = 'waiting'),
    'refused', (select count(*) from private.e_invoices e where e.state = 'refused'),
    'unsent', (select count(*) from public.papers p where p.issued_on >= this_year and private.is_e_invoice(p)
      and not exists (select from private.e_invoices e where e.paper_id = p.id)),
    'trouble', (select e.words from private.e_invoices e where e.state = 'waiting' and e.words is not null order by e.run_at desc limit 1));
end
$$;

-- The states of these papers, as far as who asks may read them; of invoices alone.
create function private.e_invoices_shown(p_paper_ids uuid[]) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  me constant uuid := private.require_role('admin', 'comptable', 'commercial', 'client');
begin
  return coalesce((select jsonb_agg(jsonb_build_object('paper_id', p.id, 'state', coalesce(e.state, 'unsent'), 'code', e.code,
      'words', case when private.user_role() in ('admin', 'comptable') then e.words end, 'deposited_at', e.deposited_at,
      'exported_at', e.exported_at, 'elsewhere_on', e.elsewhere_on,
      'next_at', case when e.state = 'waiting' and e.attempts > 0 then e.run_at end))
    from public.papers p left join private.e_invoices e on e.paper_id = p.id
    where p.id = any (p_paper_ids) and private.is_e_invoice(p) and (private.user_role() in ('admin', 'comptable') or p.payee_id = me)), '[]');
end
$$;

create function private.e_invoice_history(p_paper_id uuid) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  me constant uuid := private.require_role('admin', 'comptable', 'commercial', 'client');
begin
  if not exists (select from public.papers p where p.id = p_paper_id and (private.user_role() in ('admin', 'comptable') or p.payee_id = me)) then
    perform private.refuse('not_found');
  end if;
  return coalesce((select jsonb_agg(jsonb_build_object('code', s.code, 'words', s.words, 'at', s.at) order by s.at, s.id)
    from private.e_invoice_statuses s where s.paper_id = p_paper_id), '[]');
end
$$;

-- Settings that the platform has just answered to. They stay on where they were.
create function private.connect_e_invoicing(p_flow_url text, p_directory_url text, p_token_url text, p_client_id text, p_secret_sealed bytea)
returns void
language plpgsql security definer set search_path = '' as $$
declare
  before text;
begin
  perform private.require_role('admin');
  -- Every invoice leaves by it for longer than the session lasts.
  if not private.is_session_fresh() then perform private.refuse('reauthentication_required'); end if;
  select s.flow_url into before from private.e_invoicing s for update;
  insert into private.e_invoicing as s (flow_url, directory_url, token_url, client_id, secret_sealed)
  values (p_flow_url, p_directory_url, p_token_url, p_client_id, p_secret_sealed)
  on conflict (id) do update set (flow_url, directory_url, token_url, client_id, secret_sealed, tried_at, updated_at, paused_until)
    = (excluded.flow_url, excluded.directory_url, excluded.token_url, excluded.client_id, excluded.secret_sealed, now(), now(), '-infinity');
  perform private.audit_webhook('e_invoicing', private.host_of_url(before), private.host_of_url(p_flow_url));
end
$$;

create function private.switch_e_invoicing(p_is_on boolean) returns void
language plpgsql security definer set search_path = '' as $$
declare
  s private.e_invoicing;
begin
  perform private.require_role('admin');
  select * into s from private.e_invoicing x for update;
  if not found then perform private.refuse('not_found'); end if;
  if s.is_on = p_is_on then return; end if;
  update private.e_invoicing x set is_on = p_is_on;
  perform private.audit_webhook('e_invoicing_on', case when s.is_on then private.host_of_url(s.flow_url) end,
    case when p_is_on then private.host_of_url(s.flow_url) end);
end
$$;

-- An admin has these sent: for the first time, or once more after a refusal.
create function private.deposit_e_invoices(p_paper_ids uuid[]) returns integer
language plpgsql security definer set search_path = '' as $$
declare
  done integer;
begin
  perform private.require_role('admin');
  if not exists (select from private.e_invoicing s where s.is_on) then perform private.refuse('invalid_input'); end if;
  insert into private.e_invoices as e (paper_id)
  select p.id from public.papers p where p.id = any (p_paper_ids) and private.is_e_invoice(p) order by p.id
  on conflict (paper_id) do update set state = 'waiting', run_at = now(), leased_until = '-infinity', words = null,
      -- An attempt's number is that of one node alone, as long as it waits.
      attempts = case when e.state = 'waiting' then e.attempts else 0 end
    where e.state in ('refused', 'exported', 'elsewhere')
      -- One that waits leaves now, unless a node has it.
      or e.state = 'waiting' and e.leased_until < now();
  get diagnostics done = row_count;
  return done;
end
$$;

-- What has left another way: exported to be sent by hand, or sent on this day. One that a platform has, or is about to, stays as it is.
create function private.mark_e_invoices(p_paper_ids uuid[], p_elsewhere_on date) returns integer
language plpgsql security definer set search_path = '' as $$
declare
  marked uuid;
  done integer := 0;
begin
  perform private.require_role('admin');
  if p_elsewhere_on > private.today() then perform private.refuse('invalid_input'); end if;
  for marked in
    insert into private.e_invoices as e (paper_id, state, exported_at, elsewhere_on)
    select p.id, case when p_elsewhere_on is null then 'exported' else 'elsewhere' end, case when p_elsewhere_on is null then now() end,
        p_elsewhere_on
      from public.papers p where p.id = any (p_paper_ids) and private.is_e_invoice(p) order by p.id
    on conflict (paper_id) do update set state = excluded.state, exported_at = coalesce(excluded.exported_at, e.exported_at),
        elsewhere_on = excluded.elsewhere_on, words = null
      where e.state = 'refused' or e.state = 'exported' and p_elsewhere_on is not null
        or e.state = 'waiting' and e.asked_at is null and e.leased_until < now() and p_elsewhere_on is not null
    returning e.paper_id
  loop
    perform private.record_e_invoice_status(marked, case when p_elsewhere_on is null then 'exported' else 'elsewhere' end,
      to_char(p_elsewhere_on, 'DD/MM/YYYY'), now(), null);
    done := done + 1;
  end loop;
  return done;
end
$$;

do $$
declare
  f regprocedure;
begin
  for f in select p.oid::regprocedure from pg_proc p where p.pronamespace = 'private'::regnamespace
      and p.proname in ('guard_e_invoice_status', 'is_e_invoice', 'queue_e_invoice', 'claim_e_invoices', 'begin_e_invoice',
        'record_e_invoice_status', 'settle_e_invoice', 'say_e_invoice_status', 'e_invoices_to_check', 'e_invoicing_shown', 'e_invoices_shown',
        'e_invoice_history', 'connect_e_invoicing', 'switch_e_invoicing', 'deposit_e_invoices', 'mark_e_invoices') loop
    execute format('alter function %s owner to parrain_service', f);
    execute format('revoke execute on function %s from public', f);
    execute format('grant execute on function %s to parrain_service', f);
  end loop;
end
$$;
grant execute on function private.e_invoicing_shown(), private.e_invoices_shown(uuid[]), private.e_invoice_history(uuid),
  private.connect_e_invoicing(text, text, text, text, bytea), private.switch_e_invoicing(boolean), private.deposit_e_invoices(uuid[]),
  private.mark_e_invoices(uuid[], date) to authenticated;
