-- EI-01, EI-03 as they were tried: a credit note follows its invoice, what remains to be deposited is said whole, what was refused by its buyer
-- is not sent again, and who asked for a deposit stands in the trail (decision 0101).

create index papers_that_are_e_invoices on public.papers (issued_on) where series ~ '^[FA][0-9]{9}$' and not is_test;

-- The invoice that a credit note takes back; null of an invoice.
create function private.invoice_of_credit_note(p_paper public.papers) returns uuid
language sql stable security definer set search_path = '' as $$
  select o.id from public.papers o
  where (p_paper).series ~ '^A[0-9]{9}$' and o.series = 'F' || substr((p_paper).series, 2)
    and (o.request_id = (p_paper).request_id or o.period_id = (p_paper).period_id)
$$;

create or replace function private.queue_e_invoice() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if private.is_e_invoice(new) and exists (select from private.e_invoicing s where s.is_on) then
    -- An invoice of before the platform goes first.
    insert into private.e_invoices (paper_id)
      select i.id from (values (private.invoice_of_credit_note(new)), (new.id)) i (id) where i.id is not null
      on conflict (paper_id) do nothing;
  end if;
  return null;
end
$$;

-- What is due, leased for two minutes to the node that sends it, four at a time. Its bytes were made before, by the papers' own job. A credit
-- note waits as long as the platform does not have its invoice.
create or replace function private.claim_e_invoices()
returns table (paper_id uuid, attempts integer, label text, bytes bytea, refused_flows text[])
language sql volatile security definer set search_path = ''
begin atomic
  with due as (
    select e.paper_id from private.e_invoices e join private.paper_files f on f.paper_id = e.paper_id and f.bytes is not null
      join public.papers p on p.id = e.paper_id
      where e.state = 'waiting' and e.run_at <= now() and e.leased_until < now()
        and exists (select from private.e_invoicing s where s.is_on and s.paused_until <= now())
        and not exists (select from private.e_invoices i where i.paper_id = private.invoice_of_credit_note(p)
          and i.state in ('waiting', 'refused') and i.deposited_at is null)
      order by e.run_at, e.paper_id
      limit greatest(0, 4 - (select count(*) from private.e_invoices busy where busy.state = 'waiting' and busy.leased_until >= now()))
      for update of e skip locked)
  update private.e_invoices e set leased_until = now() + interval '2 minutes', attempts = e.attempts + 1
    from due, public.papers p, private.paper_files f where e.paper_id = due.paper_id and p.id = e.paper_id and f.paper_id = e.paper_id
    returning e.paper_id, e.attempts, p.label, f.bytes, array(select s.flow_id from private.e_invoice_statuses s
        where s.paper_id = e.paper_id and s.code in ('refused', '210', '213', '220') and s.flow_id is not null);
end;

-- What came of a try, by the attempt that made it: « deposited », « refused », or « later », for as long as it takes.
-- @returns in how many seconds it is tried again; null where it is over.
create or replace function private.settle_e_invoice(p_paper_id uuid, p_attempt integer, p_outcome text, p_flow_id text, p_words text, p_retry_after integer)
returns double precision
language plpgsql security definer set search_path = '' as $$
declare
  delay double precision;
begin
  if p_outcome = 'later' then delay := private.e_invoice_delay(p_attempt, p_retry_after); end if;
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

-- The settings without their secret, and what there is to send: for admins. « unsent » is all that no platform has, as far as is known;
-- « never » what nothing was done of yet.
create or replace function private.e_invoicing_shown() returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  is_on constant boolean := exists (select from private.e_invoicing s where s.is_on);
  invoices bigint;
  unsent bigint;
  never bigint;
begin
  perform private.require_role('admin');
  select count(*) filter (where p.issued_on >= date_trunc('year', private.today())::date),
      count(*) filter (where e.paper_id is null or e.state in ('exported', 'refused') or e.state = 'waiting' and not is_on),
      count(*) filter (where e.paper_id is null)
    into invoices, unsent, never
    from public.papers p left join private.e_invoices e on e.paper_id = p.id where p.series ~ '^[FA][0-9]{9}$' and not p.is_test;
  return jsonb_build_object(
    'platform', (select jsonb_build_object('flow_url', s.flow_url, 'directory_url', s.directory_url, 'token_url', s.token_url,
      'client_id', s.client_id, 'tried_at', s.tried_at, 'is_on', s.is_on) from private.e_invoicing s),
    'is_session_fresh', private.is_session_fresh(),
    'siren', (select s.siren from private.paper_settings s),
    'issues_papers', coalesce((select s.issues_papers from private.paper_settings s), false),
    'mandates', (select count(*) from private.mandates m where m.revoked_at is null),
    'invoices', invoices, 'unsent', unsent, 'never', never,
    'waiting', (select count(*) from private.e_invoices e where e.state = 'waiting'),
    'refused', (select count(*) from private.e_invoices e where e.state = 'refused'),
    'trouble', (select e.words from private.e_invoices e where e.state = 'waiting' and e.words is not null order by e.run_at desc limit 1));
end
$$;

-- A platform's words may name people: admins and the accountant alone read them.
create or replace function private.e_invoice_history(p_paper_id uuid) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  me constant uuid := private.require_role('admin', 'comptable', 'commercial', 'client');
  reads_all constant boolean := private.user_role() in ('admin', 'comptable');
begin
  if not exists (select from public.papers p where p.id = p_paper_id and (reads_all or p.payee_id = me)) then
    perform private.refuse('not_found');
  end if;
  return coalesce((select jsonb_agg(jsonb_build_object('code', s.code, 'words', case when reads_all then s.words end, 'at', s.at)
      order by s.at, s.id)
    from private.e_invoice_statuses s where s.paper_id = p_paper_id), '[]');
end
$$;

-- An admin has these sent: for the first time, or once more after a refusal; null is all that nothing was done of yet. What its buyer refused,
-- or what was annulled, is taken back by a credit note and not sent again.
create or replace function private.deposit_e_invoices(p_paper_ids uuid[]) returns integer
language plpgsql security definer set search_path = '' as $$
declare
  ids constant uuid[] := coalesce(p_paper_ids, array(select p.id from public.papers p
    where p.series ~ '^[FA][0-9]{9}$' and not p.is_test and not exists (select from private.e_invoices x where x.paper_id = p.id)));
  asked uuid;
  done integer := 0;
begin
  perform private.require_role('admin');
  if not exists (select from private.e_invoicing s where s.is_on) then perform private.refuse('invalid_input'); end if;
  for asked in
    insert into private.e_invoices as e (paper_id)
    select p.id from public.papers p where p.id = any (ids) and private.is_e_invoice(p) order by p.id
    on conflict (paper_id) do update set state = 'waiting', run_at = now(), leased_until = '-infinity', words = null,
        -- An attempt's number is that of one node alone, as long as it waits.
        attempts = case when e.state = 'waiting' then e.attempts else 0 end
      where e.state in ('exported', 'elsewhere') or e.state = 'refused' and e.code is distinct from '210' and e.code is distinct from '220'
        -- One that waits leaves now, unless a node has it.
        or e.state = 'waiting' and e.leased_until < now()
    returning e.paper_id
  loop
    perform private.record_e_invoice_status(asked, 'asked', null, now(), null);
    done := done + 1;
  end loop;
  return done;
end
$$;

-- What has left another way: exported to be sent by hand, or sent on this day, which may be said anew. One that a platform has, or is about to,
-- stays as it is; without a platform that is on nothing is about to.
create or replace function private.mark_e_invoices(p_paper_ids uuid[], p_elsewhere_on date) returns integer
language plpgsql security definer set search_path = '' as $$
declare
  is_on constant boolean := exists (select from private.e_invoicing s where s.is_on);
  marked uuid;
  done integer := 0;
begin
  perform private.require_role('admin');
  if p_elsewhere_on > private.today() then perform private.refuse('invalid_input'); end if;
  for marked in
    insert into private.e_invoices as e (paper_id, state, exported_at, elsewhere_on)
    select p.id, case when p_elsewhere_on is null then 'exported' else 'elsewhere' end, case when p_elsewhere_on is null then now() end,
        p_elsewhere_on
      from public.papers p
      -- Nothing was deposited before it was there.
      where p.id = any (p_paper_ids) and private.is_e_invoice(p) and coalesce(p_elsewhere_on >= p.issued_on, true) order by p.id
    on conflict (paper_id) do update set state = excluded.state, exported_at = coalesce(excluded.exported_at, e.exported_at),
        elsewhere_on = excluded.elsewhere_on, words = null
      where e.state = 'refused' or e.state = 'exported' and p_elsewhere_on is not null
        or e.state = 'elsewhere' and p_elsewhere_on <> e.elsewhere_on
        or e.state = 'waiting' and e.asked_at is null and e.leased_until < now() and (p_elsewhere_on is not null or not is_on)
    returning e.paper_id
  loop
    perform private.record_e_invoice_status(marked, case when p_elsewhere_on is null then 'exported' else 'elsewhere' end,
      to_char(p_elsewhere_on, 'DD/MM/YYYY'), now(), null);
    done := done + 1;
  end loop;
  return done;
end
$$;

alter function private.invoice_of_credit_note(public.papers) owner to parrain_service;
revoke execute on function private.invoice_of_credit_note(public.papers) from public;
grant execute on function private.invoice_of_credit_note(public.papers) to parrain_service;
