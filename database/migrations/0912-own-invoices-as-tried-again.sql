-- AC-04, PP-05 as they were tried: a revoked mandate makes no paper any more, and nobody is paid under the company's own SIREN (decision 0107).

-- True until its payee revokes it: another text that they accepted in its place goes on from it.
create function private.self_bills(m private.mandates) returns boolean
language sql stable security definer set search_path = ''
return m.revoked_at is null or exists (
  select from private.mandates n where n.payee_id = m.payee_id and n.id > m.id and n.revoked_at is null)
  -- Ended with the account, whose details went with it: it alone still names the seller of what was ordered.
  or not exists (select from private.payee_details d where d.payee_id = m.payee_id);

-- What is not ordered yet loses the tax of the mandate: its payee invoices it. What the bank was ordered leaves as it was.
create or replace function private.revoke_mandate() returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('client', 'commercial');
  payee public.profiles := private.payee_named(me);
  ended private.mandates;
begin
  update private.mandates m set revoked_at = private.now() where m.payee_id = me and m.revoked_at is null returning * into ended;
  if found then
    -- Batches, then requests, as whoever releases one takes them.
    perform 1 from public.payment_batches b where b.status = 'draft' and exists (
      select from public.payment_batch_lines l left join public.payment_requests r on r.id = l.request_id
      where l.batch_id = b.id and me in (l.payee_id, r.client_id)) order by b.id for update;
    perform 1 from public.payment_requests r where r.client_id = me and r.vat_mandate_id is not null order by r.id for update;
    delete from public.payment_batch_lines l using public.payment_batches b
      where b.id = l.batch_id and b.status = 'draft' and (l.payee_id = me and l.vat_mandate_id is not null
        or exists (select from public.payment_requests r where r.id = l.request_id and r.client_id = me and r.vat_mandate_id is not null));
    update public.payment_requests r set vat_rate = null, vat_amount = null, vat_mandate_id = null
      where r.client_id = me and r.vat_mandate_id is not null and r.status in ('pending', 'approved')
        and not exists (select from public.payment_batch_lines l where l.request_id = r.id and l.status in ('queued', 'paid'));
    perform private.append_audit('profiles', me, 'update',
      jsonb_build_object('mandate', ended.version, 'mandate_hash', encode(ended.hash, 'hex')), jsonb_build_object('mandate', null), null);
  end if;
  return private.payee_shown(me);
end
$$;

create function private.guard_payee_siren() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if tg_table_name = 'paper_settings' then
    if exists (select from private.payee_details d where d.siren = new.siren) then perform private.refuse('company_is_payee'); end if;
  elsif new.siren = (select s.siren from private.paper_settings s) then
    perform private.refuse('payee_is_company');
  end if;
  return new;
end
$$;
create trigger payee_details_siren_is_not_the_company_s before insert or update of siren on private.payee_details
  for each row execute function private.guard_payee_siren();
create trigger paper_settings_siren_is_no_payee_s before insert on private.paper_settings
  for each row execute function private.guard_payee_siren();
create trigger paper_settings_siren_becomes_no_payee_s before update of siren on private.paper_settings
  for each row when (new.siren <> old.siren) execute function private.guard_payee_siren();

do $$
declare
  target record;
  change text[];
  body text;
begin
  for target in select c.name, array_agg(array[c.old, c.new] order by c.place) as changes from (select row_number() over () as place, v.* from (values
    ('private.make_paper()', '(m.vat_number is null) = (new.vat_mandate_id is null);', '(m.vat_number is null) = (new.vat_mandate_id is null)
        and private.self_bills(m);'),
    ('private.make_paper()', 'case when new.payee_invoice_id is null then private.vat_on_paper', 'case when new.payee_invoice_id is null and mandate.id is null then ''{}''
      when new.payee_invoice_id is null then private.vat_on_paper'),
    ('private.make_paper_of_period()', '(m.vat_number is null) = (new.vat_mandate_id is null);', '(m.vat_number is null) = (new.vat_mandate_id is null)
      and private.self_bills(m);'),
    ('private.make_paper_of_period()', 'case when new.payee_invoice_id is null then private.vat_on_paper', 'case when new.payee_invoice_id is null and mandate.id is null then ''{}''
      when new.payee_invoice_id is null then private.vat_on_paper'),
    ('private.guard_payment_request()', '  v_usable_from timestamptz;
', '  v_usable_from timestamptz;
  v_is_revoked boolean := false;
'),
    ('private.guard_payment_request()', '  if (new.id, new.client_id,', $b$  -- PP-05: a mandate that its payee revoked takes its tax with it, as long as nothing pays the request.
  if tg_op = 'UPDATE' and old.vat_mandate_id is not null and new.vat_mandate_id is null then
    v_is_revoked := num_nonnulls(new.vat_rate, new.vat_amount, new.payee_invoice_id) = 0 and new.status = old.status
      and old.status in ('pending', 'approved')
      and exists (select from private.mandates m where m.id = old.vat_mandate_id and not private.self_bills(m))
      and not exists (select from public.payment_batch_lines l where l.request_id = old.id and l.status in ('queued', 'paid'));
  end if;
  if (new.id, new.client_id,$b$),
    ('private.guard_payment_request()', 'new.is_test, new.iban_id, new.vat_mandate_id)', 'new.is_test, new.iban_id,
        case when v_is_revoked then old.vat_mandate_id else new.vat_mandate_id end)'),
    ('private.guard_payment_request()', '  if (new.vat_rate, new.vat_amount, new.payee_invoice_id) is distinct from', '  if not v_is_revoked and (new.vat_rate, new.vat_amount, new.payee_invoice_id) is distinct from'),
    ('private.payee_shown(uuid)', '''may_invoice'',', '''company_siren'', (select s.siren from private.paper_settings s),
    ''may_invoice'',')) v (name, old, new)) c group by c.name loop
    body := pg_get_functiondef(target.name::regprocedure);
    foreach change slice 1 in array target.changes loop
      if array_length(string_to_array(body, change[1]), 1) <> 2 then raise exception '% is not as expected: %', target.name, change[1]; end if;
      body := replace(body, change[1], change[2]);
    end loop;
    execute body;
  end loop;
end
$$;

do $$
declare
  f regprocedure;
begin
  foreach f in array array['private.self_bills(private.mandates)', 'private.guard_payee_siren()']::regprocedure[] loop
    execute format('revoke all on function %s from public', f);
    execute format('alter function %s owner to parrain_service', f);
  end loop;
end
$$;
