-- LG-02: each payee's account line by line, and the company's, from the ledger beside the lists.

-- A payee's transfers with what is available after each of them. The lists' words are looked up after a page is cut, hence the
-- subqueries; whose sale a reader may not see has none.
create view public.account_lines with (security_invoker = true) as
  select l.source_id, l.id as entry_id, l.at, l.payee_id, l.act, l.debit, l.credit, l.amount, l.detail, l.change, l.available,
    (select c.sale_id from public.commission_payments c where c.id = l.source_id) as sale_id,
    (select s.referred_contact_name from public.commission_payments c join public.sales s on s.id = c.sale_id
      where c.id = l.source_id) as contact_name,
    (select r.payment_method from public.payment_requests r where r.id = l.source_id) as payment_method,
    (select r.status from public.payment_requests r where r.id = l.source_id) as request_status,
    case l.act
      when 'correction' then (select s.correction_reason from public.commission_payments c join public.sales s on s.id = c.sale_id
        where c.id = l.source_id)
      when 'refusal' then (select r.rejection_reason from public.payment_requests r where r.id = l.source_id) end as reason
  from (
    select e.id, e.at, e.payee_id, e.act, e.debit, e.credit, e.amount, e.detail, e.source_id, k.change,
      (sum(k.change) over (partition by e.payee_id order by e.id))::numeric(14, 2) as available
    from public.ledger_entries e
    cross join lateral (select (case when e.credit = 'available' then e.amount when e.debit = 'available' then -e.amount else 0 end)
      ::numeric(12, 2) as change) k) l;
grant select on public.account_lines to authenticated, service_role;
drop function public.client_statement();

-- Everybody whose account has a line.
create view public.payee_accounts with (security_invoker = true) as
  select p.id, p.full_name, p.role, b.earned, b.reversed, b.reserved, b.paid,
    (b.earned - b.reversed - b.reserved - b.paid)::numeric(14, 2) as available
  from public.balances b join public.profiles p on p.id = b.profile_id;
grant select on public.payee_accounts to authenticated, service_role;
create index profiles_by_name on public.profiles (full_name, id);

-- What a night's work has counted by month: past days never change. No row: everything is read from the rows themselves.
create table figures.control_until (
  id boolean primary key default true,
  at timestamptz not null,
  constraint control_until_is_one_row check (id)
);
create table figures.control_months (
  source text not null,
  act text not null,
  detail text not null default '',
  month date not null,
  amount numeric(16, 2) not null,
  primary key (source, act, detail, month),
  constraint control_months_source_is_known check (source in ('ledger', 'lists'))
);
do $$
declare
  name text;
begin
  foreach name in array array['control_until', 'control_months'] loop
    execute format('alter table figures.%I enable row level security', name);
    execute format('alter table figures.%I force row level security', name);
    execute format('create policy %I on figures.%I to parrain_service using (true) with check (true)', name || '_service_all', name);
    execute format('create policy %I on figures.%I for select to service_role using (true)', name || '_secret_read', name);
    execute format('create policy %I on figures.%I for select to authenticated using ((select private.user_role()) = ''admin'')',
      name || '_admin_read', name);
    execute format('grant select, insert, update, delete on figures.%I to parrain_service', name);
    execute format('grant select on figures.%I to authenticated, service_role', name);
  end loop;
end
$$;

-- What came since the last night is found by its day.
create index ledger_entries_by_time on public.ledger_entries (at);
create index payment_requests_by_payment on public.payment_requests (paid_at) where status = 'paid';
create index payment_requests_by_refusal on public.payment_requests (updated_at) where status = 'rejected';

-- The sums of the ledger and those of the lists, by month in France, between two instants. As far as the asker may see them.
grant select on figures.expected_ledger to authenticated, service_role;
create function private.control_between(p_from timestamptz, p_to timestamptz)
returns table (source text, act text, detail text, month date, amount numeric)
language sql stable set search_path = '' rows 100 as $$
  select 'ledger', e.act, coalesce(e.detail, ''), private.month_of(e.at), sum(e.amount)
  from public.ledger_entries e where e.at >= p_from and e.at < p_to
  group by 2, 3, 4
  union all
  select 'lists', x.act, coalesce(x.detail, ''), private.month_of(x.at), sum(x.amount)
  from figures.expected_ledger x where x.at >= p_from and x.at < p_to
  group by 2, 3, 4
$$;

-- Each night: counts anew all that is before midnight.
create function private.count_control() returns void
language plpgsql security definer set search_path = '' as $$
declare
  -- Who wrote shortly before midnight may commit shortly after.
  v_until timestamptz := date_trunc('day', private.now() - interval '1 hour', 'Europe/Paris');
begin
  lock table figures.control_until in exclusive mode;
  delete from figures.control_until;
  delete from figures.control_months;
  insert into figures.control_months (source, act, detail, month, amount)
  select c.source, c.act, c.detail, c.month, c.amount from private.control_between('-infinity', v_until) c;
  insert into figures.control_until (at) values (v_until);
end
$$;

-- Transfers are deleted by a cleaning alone: what was counted is then no longer so, until the next night.
create function private.forget_control() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  delete from figures.control_until;
  delete from figures.control_months;
  return null;
end
$$;
create trigger ledger_entries_forgotten after delete on public.ledger_entries
  for each statement execute function private.forget_control();

-- « Contrôle des comptes »: what each act moved in some months and before them, from the ledger and from the lists.
create function public.account_control(p_from date, p_to date)
returns table (act text, detail text, ledger_before numeric, lists_before numeric, ledger numeric, lists numeric)
language sql stable set search_path = '' rows 20 as $$
  select m.act, nullif(m.detail, ''),
    coalesce(sum(m.amount) filter (where m.source = 'ledger' and m.month < p_from), 0),
    coalesce(sum(m.amount) filter (where m.source = 'lists' and m.month < p_from), 0),
    coalesce(sum(m.amount) filter (where m.source = 'ledger' and m.month >= p_from), 0),
    coalesce(sum(m.amount) filter (where m.source = 'lists' and m.month >= p_from), 0)
  from (
    select c.source, c.act, c.detail, c.month, c.amount from figures.control_months c where c.month < p_to
    union all
    select b.source, b.act, b.detail, b.month, b.amount
    from private.control_between(coalesce((select u.at from figures.control_until u), '-infinity'), private.month_start(p_to)) b) m
  where (select private.user_role()) = 'admin'
  group by m.act, m.detail
$$;

alter function private.count_control() owner to parrain_service;
alter function private.forget_control() owner to parrain_service;
grant execute on function private.control_between(timestamptz, timestamptz) to authenticated, service_role, parrain_service;
grant execute on function private.count_control(), private.forget_control() to parrain_service;
grant execute on function public.account_control(date, date) to authenticated;
