-- AC-04, AC-08 as they were tried: an invoice is paid once, and not before its day; the journal says what the papers froze.

-- What a number says, however it is written: « FA 2026 01 » is « fa-2026-01 », and « 2026-1-11 » is not « 2026-11-1 ».
create function private.invoice_key(p_number text) returns text language sql immutable set search_path = ''
return lower(btrim(regexp_replace(p_number, '[^[:alnum:]]+', '-', 'g'), '-'));
revoke all on function private.invoice_key(text) from public;
grant execute on function private.invoice_key(text) to parrain_service;

-- One invoice of a payee stands for one request: neither its number nor its file does for another one.
create function private.refuse_invoice_twice() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  i public.payee_invoices;
  v_hash bytea;
begin
  if tg_table_name = 'payee_invoice_files' then
    select * into strict i from public.payee_invoices t where t.id = new.invoice_id;
    v_hash := sha256(new.bytes);
  else
    i := new;
    select f.hash into v_hash from private.payee_invoice_files f where f.invoice_id = new.id;
  end if;
  -- Two that are sent at once wait for each other.
  perform 1 from public.balances b where b.profile_id = i.payee_id for update;
  if exists (select from public.payee_invoices o where o.payee_id = i.payee_id and o.id <> i.id and o.status in ('sent', 'accepted')
      and private.invoice_key(o.number) = private.invoice_key(i.number)) then
    perform private.refuse('invoice_number_taken');
  end if;
  if exists (select from public.payee_invoices o join private.payee_invoice_files f on f.invoice_id = o.id
      where o.payee_id = i.payee_id and o.id <> i.id and o.status in ('sent', 'accepted') and f.hash = v_hash) then
    perform private.refuse('invoice_file_taken');
  end if;
  return new;
end
$$;
create trigger payee_invoices_stand_once before insert or update on public.payee_invoices
  for each row when (new.status in ('sent', 'accepted')) execute function private.refuse_invoice_twice();
create trigger payee_invoice_files_stand_once before insert on private.payee_invoice_files
  for each row execute function private.refuse_invoice_twice();

-- What is invoiced is paid from its invoice's day on: the tax is deducted with its piece.
create function private.guard_invoiced_payment() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if new.paid_at < (select private.month_start(i.invoiced_on) from public.payee_invoices i where i.id = new.payee_invoice_id) then
    perform private.refuse('payment_day_refused');
  end if;
  return new;
end
$$;
create trigger payment_requests_paid_once_invoiced before update on public.payment_requests
  for each row when (new.status = 'paid' and old.status <> 'paid' and new.payee_invoice_id is not null)
  execute function private.guard_invoiced_payment();

do $$
declare
  f regprocedure;
begin
  foreach f in array array['private.refuse_invoice_twice()', 'private.guard_invoiced_payment()']::regprocedure[] loop
    execute format('revoke all on function %s from public', f);
    execute format('alter function %s owner to parrain_service', f);
  end loop;
end
$$;

-- Name, account and right to deduct are those of the paper of the payment, of what comes back too; today's where no paper stands.
do $$
declare
  body text := pg_get_functiondef('private.open_entries(date)'::regprocedure);
  change text[];
begin
  foreach change slice 1 in array array[
    [$a$      t.name, t.code, t.use, t.use = 'salary_due' as is_staff,
$a$, $b$      coalesce(z.content #>> '{payee,legal_name}', z.content #>> '{payee,name}', t.name) as name, t.code, u.use, u.use = 'salary_due' as is_staff,
$b$],
    [$a$ -> 'reverse_charge' as reverse
    from public.ledger_entries e
$a$, $b$ -> 'reverse_charge' as reverse,
      case when z.content ? 'company' then z.content #>> '{company,vat_number}' is not null else recovers end as deducts
    from public.ledger_entries e
$b$],
    [$a$    left join public.payee_invoices n on n.id = w.payee_invoice_id
$a$, $b$    left join public.payee_invoices n on n.id = w.payee_invoice_id
    -- The payment's own paper froze who was paid, and whether the company deducted.
    left join public.papers y on y.request_id = e.source_id and y.series !~ '^T?A'
    left join public.papers x on x.period_id = e.source_id and x.series !~ '^T?A'
    cross join lateral (select coalesce(y.content, x.content) as content, coalesce(y.series, x.series) as series) z
    cross join lateral (select case when z.series ~ '^T?F' or z.content #>> '{payee,status}' in ('micro', 'societe', 'agent') then 'commercial'
      when z.content #>> '{payee,status}' = 'salarie' then 'salary_due'
      when z.content #>> '{payee,status}' is not null then 'client' else t.use end as use) u
$b$],
    [$a$upper(left(e.source_id::text, 8)), e.at, null
$a$, $b$upper(left(e.source_id::text, 8)), e.at, null, recovers
$b$],
    ['p.means = ''remise_societe'' and recovers and', 'p.means = ''remise_societe'' and p.deducts and'],
    ['case when recovers then p.amount else', 'case when p.deducts then p.amount else'],
    ['case when recovers then p.total - p.amount', 'case when p.deducts then p.total - p.amount']]
  loop
    if array_length(string_to_array(body, change[1]), 1) <> 2 then raise exception 'open_entries is not as expected: %', change[1]; end if;
    body := replace(body, change[1], change[2]);
  end loop;
  execute body;
end
$$;

-- Outside of the European Union the tax has accounts of its own; whoever chose others keeps them. 4452 is named after the European Union:
-- what else a customer owes itself is collected (4457).
set local role parrain_service;
insert into private.accounting_settings (journal_code, journal_label, accounts, posts_payments, posts_payroll, accrues, year_ends_in, set_by)
select s.journal_code, s.journal_label, s.accounts || jsonb_build_object(
    'vat_abroad', '{"number": "445663", "label": "TVA déductible autoliquidée hors UE"}'::jsonb,
    'vat_abroad_due', '{"number": "445720", "label": "TVA collectée autoliquidée hors UE"}'::jsonb),
  s.posts_payments, s.posts_payroll, s.accrues, s.year_ends_in, null
from (select l.* from private.accounting_settings l order by l.id desc limit 1) s
where s.accounts #>> '{vat_abroad,number}' = '445662' and s.accounts #>> '{vat_abroad_due,number}' = '445200';
reset role;
