-- AC-05: a request that waits is no debt: it was never paid. What is repaid or waived is at most what was paid beyond what was earned, and
-- a repayment is not of a day on which nothing was owed yet.
drop function private.lock_account(uuid);

CREATE FUNCTION private.lock_account(p_payee_id uuid, OUT available numeric, OUT debt numeric, OUT is_test boolean)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- A cleaning of test data holds balances before all else.
  lock table public.balances in row exclusive mode;
  select p.is_test into is_test from public.profiles p where p.id = p_payee_id and p.role in ('client', 'commercial') for share;
  if not found then perform private.refuse('payee_unknown'); end if;
  perform private.release_holds(p_payee_id, 1000);
  perform private.lock_balances(array[p_payee_id]);
  select b.earned - b.reversed - b.held - b.reserved - b.paid, greatest(b.paid - (b.earned - b.reversed - b.held), 0) into available, debt
    from public.balances b where b.profile_id = p_payee_id;
  is_test := is_test or exists (select from public.ledger_entries e where e.payee_id = p_payee_id and e.is_test);
end
$function$;

CREATE OR REPLACE FUNCTION private.post_debt_act()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  is_undone constant boolean := new.annulled_at is not null;
  account constant text := case new.kind when 'repayment' then 'repaid' else 'adjusted' end;
  debt numeric;
begin
  perform private.lock_balances(array[new.payee_id]);
  select greatest(b.paid - (b.earned - b.reversed - b.held), 0) into debt from public.balances b where b.profile_id = new.payee_id;
  if not is_undone and new.amount > debt then
    perform private.refuse('debt_changed', jsonb_build_object('debt', debt::text));
  end if;
  insert into public.ledger_entries (at, act, source_id, payee_id, debit, credit, amount, actor_id, is_test)
  values (coalesce(new.annulled_at, new.at), new.kind || case when is_undone then '_annulment' else '' end, new.id, new.payee_id,
    case when is_undone then 'available' else account end, case when is_undone then account else 'available' end, new.amount,
    private.uid(), new.is_test);
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.decide_waiver(p_act_id uuid, p_confirms boolean)
 RETURNS TABLE(act public.debt_acts, already boolean)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
  t public.debt_acts;
  account record;
begin
  lock table public.balances in row exclusive mode;
  select * into t from public.debt_acts a where a.id = p_act_id for update;
  if not found then perform private.refuse('not_found'); end if;
  if p_confirms is null then perform private.refuse('decision_required'); end if;
  if t.at is not null or t.given_up_at is not null then
    if (case when p_confirms then t.confirmed_by else t.given_up_by end) is distinct from me or t.annulled_at is not null then
      perform private.refuse('account_changed');
    end if;
    return query select t, true;
    return;
  end if;
  if p_confirms then
    if t.decided_by = me then perform private.refuse('second_admin_to_confirm'); end if;
    select * into account from private.lock_account(t.payee_id);
    if t.amount > account.debt then
      perform private.refuse('debt_changed', jsonb_build_object('debt', account.debt::text));
    end if;
    update public.debt_acts a set at = private.now(), confirmed_by = me, debt_before = account.debt where a.id = t.id returning * into t;
  else
    update public.debt_acts a set given_up_at = private.now(), given_up_by = me where a.id = t.id returning * into t;
  end if;
  perform private.append_audit('debt_acts', t.id, 'update', jsonb_build_object('waits', true),
    jsonb_build_object('kind', t.kind, 'amount', t.amount, 'payee_id', t.payee_id, 'confirmed', p_confirms), t.reason);
  update public.notices n set read_at = private.now() where n.debt_act_id = t.id and n.kind = 'waiver_to_confirm' and n.read_at is null;
  if p_confirms then perform private.tell_of_debt_act('debt_waived', t); end if;
  return query select t, false;
end
$function$;
-- The instant from which a payee owes: that of the entry after the last one at which all that was paid was earned.
create function private.in_debt_since(p_payee_id uuid) returns timestamptz
language sql stable security definer set search_path = ''
begin atomic
  with moved as (
    select e.at, row_number() over in_order as place,
      sum(case when e.credit in ('available', 'reserved') then e.amount else 0 end
        - case when e.debit in ('available', 'reserved') then e.amount else 0 end) over in_order as left_
    from public.ledger_entries e where e.payee_id = p_payee_id window in_order as (order by e.at, e.id))
  select min(m.at) from moved m where m.place > coalesce((select max(l.place) from moved l where l.left_ >= 0), 0);
end;
CREATE OR REPLACE FUNCTION private.settle_debt(p_payee_id uuid, p_kind text, p_amount numeric, p_seen_debt numeric, p_paid_on date DEFAULT NULL::date, p_method text DEFAULT NULL::text, p_reference text DEFAULT NULL::text, p_reason text DEFAULT NULL::text)
 RETURNS TABLE(act public.debt_acts, already boolean)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
  why constant text := nullif(btrim(p_reason), '');
  account record;
  debt numeric;
  last_ public.debt_acts;
  waits boolean;
begin
  if p_kind is null or p_kind not in ('repayment', 'waiver') then perform private.refuse('decision_required'); end if;
  if p_kind = 'waiver' and why is null then perform private.refuse('message_required'); end if;
  if p_seen_debt is null then perform private.refuse('seen_required'); end if;
  select * into account from private.lock_account(p_payee_id);
  debt := account.debt;
  select * into last_ from public.debt_acts t where t.payee_id = p_payee_id order by t.created_at desc, t.id desc limit 1;
  if (debt <> p_seen_debt or last_.at is null) and last_.annulled_at is null and last_.given_up_at is null
    and (last_.kind, last_.amount, last_.debt_before, last_.decided_by) = (p_kind, p_amount, p_seen_debt, me)
    and (last_.method, last_.reference, last_.reason) is not distinct from
      (p_method, nullif(btrim(p_reference), ''), case p_kind when 'waiver' then why end) then
    return query select last_, true;
    return;
  end if;
  if debt <> p_seen_debt or p_amount is null or p_amount <= 0 or p_amount > debt or p_amount <> round(p_amount, 2) then
    perform private.refuse('debt_changed', jsonb_build_object('debt', debt::text));
  end if;
  waits := p_kind = 'waiver' and coalesce(private.exceeds_one_admin(p_payee_id, p_amount), false);
  if p_kind = 'waiver' and exists (select from public.debt_acts t where t.payee_id = p_payee_id and t.at is null and t.given_up_at is null) then
    perform private.refuse('debt_act_waits');
  end if;
  insert into public.debt_acts (payee_id, kind, amount, debt_before, at, method, reference, reason, decided_by, is_test)
  values (p_payee_id, p_kind, p_amount, debt,
    case when p_kind = 'repayment' then private.payment_instant(p_paid_on, private.in_debt_since(p_payee_id))
      when not waits then private.now() end,
    p_method, nullif(btrim(p_reference), ''), case p_kind when 'waiver' then why end, me, account.is_test)
  returning * into last_;
  perform private.append_audit('debt_acts', last_.id, 'insert', null, jsonb_strip_nulls(jsonb_build_object('kind', p_kind, 'amount', p_amount,
    'payee_id', p_payee_id, 'method', p_method, 'at', last_.at, 'waits', case when waits then true end)), last_.reason);
  perform private.tell_of_debt_act(case when waits then 'waiver_to_confirm' when p_kind = 'waiver' then 'debt_waived' else 'debt_repaid' end, last_);
  return query select last_, false;
end
$function$;

-- SC-01: a version that changes nothing is none, its day lies within two years, and one that a contract took is not withdrawn.
CREATE OR REPLACE FUNCTION private.publish_scale_version(p_rate_id uuid, p_seen_number integer, p_first_day date, p_name text, p_description text, p_client_type text, p_client_amount numeric, p_commercial_type text, p_commercial_amount numeric, p_client_hold_days integer DEFAULT 0, p_from_contract_amount numeric DEFAULT NULL::numeric)
 RETURNS public.scale_versions
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me constant uuid := private.require_role('admin');
  today constant date := private.today();
  day constant date := coalesce(p_first_day, today);
  scale public.commission_rates;
  last integer;
  rules constant jsonb := private.scale_rules(p_client_type, p_client_amount, p_commercial_type, p_commercial_amount, p_client_hold_days,
    p_from_contract_amount);
  published public.scale_versions;
begin
  perform private.hold_versions(true);
  select * into scale from public.commission_rates r where r.id = p_rate_id for update;
  if not found then perform private.refuse('scale_not_found'); end if;
  if scale.archived_at is not null then perform private.refuse('scale_archived'); end if;
  if day < today or day > today + interval '2 years' then perform private.refuse('scale_day_is_over'); end if;
  select max(v.number) into last from public.scale_versions v where v.rate_id = p_rate_id;
  -- What another admin published meanwhile is looked at first.
  if p_seen_number is distinct from last then perform private.refuse('changed_meanwhile'); end if;
  select v.* into published from private.scale_version_on(p_rate_id, day) v;
  if (published.rules, published.name, published.description) is not distinct from (rules, btrim(p_name), nullif(btrim(p_description), '')) then
    perform private.refuse('rules_unchanged');
  end if;
  insert into public.scale_versions (rate_id, number, name, description, first_day, rules, sha256, published_at, published_by, is_test)
  values (p_rate_id, last + 1, btrim(p_name), nullif(btrim(p_description), ''), day, rules, private.rules_hash(rules),
    -- After every validation that took the version before: these had the lock.
    coalesce(nullif(current_setting('app.at', true), '')::timestamptz, clock_timestamp()), me, scale.is_test)
  returning * into published;
  if day > today then
    perform private.append_audit('commission_rates', p_rate_id, 'update', '{}',
      jsonb_build_object('version_to_come', published.number, 'first_day', day), null);
    insert into private.changes (table_name, operation, key, audience) values ('commission_rates', 'UPDATE', p_rate_id, '{}');
  else
    perform private.begin_scale_versions();
  end if;
  return published;
end
$function$;

CREATE OR REPLACE FUNCTION private.withdraw_scale_version(p_version_id uuid)
 RETURNS public.scale_versions
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me constant uuid := private.require_role('admin');
  v public.scale_versions;
begin
  perform private.hold_versions(true);
  select * into v from public.scale_versions o where o.id = p_version_id for update;
  if not found then perform private.refuse('scale_not_found'); end if;
  if v.withdrawn_at is not null then return v; end if;
  if v.first_day <= private.today() or exists (select from public.sale_terms t where t.version_id = v.id) then perform private.refuse('scale_version_begun'); end if;
  update public.scale_versions o set withdrawn_at = private.now() where o.id = v.id returning * into v;
  perform private.append_audit('commission_rates', v.rate_id, 'update',
    jsonb_build_object('version_to_come', v.number, 'first_day', v.first_day), '{}', null);
  insert into private.changes (table_name, operation, key, audience) values ('commission_rates', 'UPDATE', v.rate_id, '{}');
  return v;
end
$function$;

do $$
declare
  f regprocedure;
begin
  for f in select p.oid::regprocedure from pg_proc p
      where p.pronamespace = 'private'::regnamespace and p.proname in ('lock_account', 'in_debt_since') loop
    execute format('alter function %s owner to parrain_service', f);
    execute format('revoke execute on function %s from public', f);
  end loop;
end
$$;

-- C. mon. fin. D112-3: more than 1 000 euros is not paid in cash to a business. What was recorded before stays.
alter table public.debt_acts add constraint debt_acts_cash_is_within_the_law check (method is distinct from 'especes' or amount <= 1000) not valid;
