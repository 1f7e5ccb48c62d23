-- FD-01: what looks like a fraud opens a case, which an admin decides with a reason (decision 0034). Nothing is blocked: whoever
-- refers or asks for a payment notices nothing, and learns nothing of it.

-- The mailbox behind an address as people vary it: « jean.dupont+x@… » and « jeandupont@… » are one. Likely one, not certainly: it
-- opens a case where private.mailbox_of refuses.
create function private.loose_mailbox_of(p_email text) returns text
language sql immutable parallel safe
return nullif(regexp_replace(split_part(private.mailbox_of(p_email), '@', 1), '[._-]', '', 'g') || '@'
  || split_part(private.mailbox_of(p_email), '@', 2), '@');

-- A name as two people would write it: its words without accents, in the order of the alphabet. One word tells nobody apart.
create function private.likeness_of_name(p_name text) returns text
language sql immutable parallel safe
return (select string_agg(w, ' ' order by w) from regexp_split_to_table(private.plain_letters(p_name), '[^[:alnum:]]+') w
  where w <> '' having count(*) > 1);

-- The rules: what each looks at stands in private.doubts_of_sale, private.doubt_sale, private.doubt_request and private.doubt_device;
-- its sentence in domain/src/doubt.ts.
create table public.doubt_rules (
  code text primary key,
  is_on boolean not null default true,
  -- Of « burst »: how many referrals of one client within an hour are still usual.
  most smallint,
  constraint doubt_rules_code_is_known check (code in (
    'self_referral', 'known_friend', 'team_referrer', 'burst', 'same_device', 'shared_iban', 'changed_iban')),
  constraint doubt_rules_most_is_of_a_burst check ((most is not null) = (code = 'burst') and most between 1 and 100)
);
insert into public.doubt_rules (code, most) values ('self_referral', null), ('known_friend', null), ('team_referrer', null),
  ('burst', 10), ('same_device', null), ('shared_iban', null), ('changed_iban', null);

-- A case is about a referral, a payment request, or, with neither, about its payee.
create table public.doubtful_cases (
  id uuid primary key default gen_random_uuid(),
  created_at timestamptz not null default private.now(),
  sale_id uuid references public.sales (id) on delete cascade,
  request_id uuid references public.payment_requests (id) on delete cascade,
  -- Whose money it is about.
  payee_id uuid not null references public.profiles (id) on delete cascade,
  status text not null default 'open',
  decided_at timestamptz,
  decided_by uuid references public.profiles (id) on delete restrict,
  reason text,
  version integer not null default 1,
  constraint doubtful_cases_are_about_one_thing check (num_nonnulls(sale_id, request_id) <= 1),
  constraint doubtful_cases_status_is_known check (status in ('open', 'confirmed', 'cleared')),
  constraint doubtful_cases_decided_says_who_and_why check (
    num_nulls(decided_at, decided_by, reason) = case when status = 'open' then 3 else 0 end),
  constraint doubtful_cases_reason_is_a_text check (private.is_text(reason, 2000))
);
create unique index doubtful_cases_open_by_sale on public.doubtful_cases (sale_id) where status = 'open' and sale_id is not null;
create unique index doubtful_cases_open_by_request on public.doubtful_cases (request_id)
  where status = 'open' and request_id is not null;
create unique index doubtful_cases_open_by_payee on public.doubtful_cases (payee_id)
  where status = 'open' and sale_id is null and request_id is null;
create index doubtful_cases_by_sale on public.doubtful_cases (sale_id) where sale_id is not null;
create index doubtful_cases_by_request on public.doubtful_cases (request_id) where request_id is not null;
create index doubtful_cases_by_payee on public.doubtful_cases (payee_id, created_at desc);
create index doubtful_cases_by_decider on public.doubtful_cases (decided_by) where decided_by is not null;
create index doubtful_cases_by_status on public.doubtful_cases (status, created_at desc, id);

-- Why: which rule, what was compared and with whom; never what stood there.
create table public.doubt_reasons (
  id uuid primary key default gen_random_uuid(),
  case_id uuid not null references public.doubtful_cases (id) on delete cascade,
  rule text not null references public.doubt_rules (code) on delete restrict,
  compared text not null,
  person_id uuid references public.profiles (id) on delete cascade,
  found_at timestamptz not null default private.now(),
  constraint doubt_reasons_compared_is_known check (compared in ('email', 'phone', 'name', 'number', 'device', 'iban', 'delay')),
  constraint doubt_reasons_are_said_once unique nulls not distinct (case_id, rule, compared, person_id)
);
create index doubt_reasons_by_rule on public.doubt_reasons (rule);
create index doubt_reasons_by_person on public.doubt_reasons (person_id) where person_id is not null;

-- Two people of whom a rule says nothing any more: a couple with one account.
create table private.undoubted_pairs (
  rule text not null references public.doubt_rules (code) on delete restrict,
  one_id uuid not null references public.profiles (id) on delete cascade,
  other_id uuid not null references public.profiles (id) on delete cascade,
  primary key (one_id, other_id, rule),
  constraint undoubted_pairs_are_in_order check (one_id <= other_id)
);
create index undoubted_pairs_by_other on private.undoubted_pairs (other_id);
create index undoubted_pairs_by_rule on private.undoubted_pairs (rule);

alter table public.doubt_rules enable row level security;
alter table public.doubt_rules force row level security;
alter table public.doubtful_cases enable row level security;
alter table public.doubtful_cases force row level security;
alter table public.doubt_reasons enable row level security;
alter table public.doubt_reasons force row level security;
alter table private.undoubted_pairs enable row level security;
alter table private.undoubted_pairs force row level security;
grant select, insert, update on public.doubt_rules to parrain_service;
grant select, insert, update, delete on public.doubtful_cases to parrain_service;
grant select, insert on public.doubt_reasons to parrain_service;
grant select, insert on private.undoubted_pairs to parrain_service;
grant select on public.doubt_rules, public.doubtful_cases, public.doubt_reasons to authenticated, service_role;
create policy doubt_rules_service_all on public.doubt_rules to parrain_service using (true) with check (true);
create policy doubt_rules_secret_read on public.doubt_rules for select to service_role using (true);
create policy doubt_rules_authenticated_read on public.doubt_rules for select to authenticated using (
  (select private.user_role()) = 'admin');
create policy doubtful_cases_service_all on public.doubtful_cases to parrain_service using (true) with check (true);
create policy doubtful_cases_secret_read on public.doubtful_cases for select to service_role using (true);
create policy doubtful_cases_authenticated_read on public.doubtful_cases for select to authenticated using (
  (select private.user_role()) = 'admin');
create policy doubt_reasons_service_all on public.doubt_reasons to parrain_service using (true) with check (true);
create policy doubt_reasons_secret_read on public.doubt_reasons for select to service_role using (true);
create policy doubt_reasons_authenticated_read on public.doubt_reasons for select to authenticated using (
  (select private.user_role()) = 'admin');
create policy undoubted_pairs_service_all on private.undoubted_pairs to parrain_service using (true) with check (true);

-- An open case is decided; one that was confirmed may still be cleared. What a case is about stays.
create function private.guard_doubtful_case() returns trigger
language plpgsql set search_path = '' as $$
begin
  if (old.status, new.status) in (('open', 'confirmed'), ('open', 'cleared'), ('confirmed', 'cleared')) and new.version = old.version + 1
    and (new.id, new.created_at, new.sale_id, new.request_id, new.payee_id)
      is not distinct from (old.id, old.created_at, old.sale_id, old.request_id, old.payee_id) then
    return new;
  end if;
  perform private.refuse('forbidden');
end
$$;
create trigger doubtful_cases_guard before update on public.doubtful_cases
  for each row execute function private.guard_doubtful_case();

create type private.doubt as (rule text, compared text, person_id uuid);

-- Keeps doubts about a referral, a request or, with neither, a payee: in their open case, else in a new one. A doubt that a case of the
-- same thing has said already is not said again, nor is one of an hour ago about the same payee.
create function private.keep_doubts(p_sale_id uuid, p_request_id uuid, p_payee_id uuid, p_doubts private.doubt[]) returns void
language plpgsql security definer set search_path = '' as $$
declare
  v_doubts private.doubt[];
  v_case uuid;
begin
  v_doubts := array(
    select d from unnest(p_doubts) d join public.doubt_rules r on r.code = d.rule and r.is_on
    where not exists (select from private.undoubted_pairs u where u.rule = d.rule
        and u.one_id = least(p_payee_id, d.person_id) and u.other_id = greatest(p_payee_id, d.person_id))
      and not exists (select from public.doubtful_cases c join public.doubt_reasons o on o.case_id = c.id
        where c.payee_id = p_payee_id and o.rule = d.rule and o.compared = d.compared and o.person_id is not distinct from d.person_id
          and case when p_sale_id is not null then c.sale_id = p_sale_id when p_request_id is not null then c.request_id = p_request_id
            else c.sale_id is null and c.request_id is null and c.created_at > private.now() - interval '1 hour' end));
  if cardinality(v_doubts) = 0 then return; end if;
  loop
    insert into public.doubtful_cases (sale_id, request_id, payee_id) values (p_sale_id, p_request_id, p_payee_id)
    on conflict do nothing returning id into v_case;
    exit when found;
    select c.id into v_case from public.doubtful_cases c
      where c.payee_id = p_payee_id and c.status = 'open' and c.sale_id is not distinct from p_sale_id
        and c.request_id is not distinct from p_request_id for no key update;
    -- Decided since: a new one is opened.
    exit when found;
  end loop;
  insert into public.doubt_reasons (case_id, rule, compared, person_id)
  select v_case, d.rule, d.compared, d.person_id from unnest(v_doubts) d on conflict do nothing;
end
$$;

-- What a referral's own words give to doubt. A telephone of fewer than eight digits is none.
create function private.doubts_of_sale(p_sale_id uuid) returns setof private.doubt
language sql stable security definer set search_path = ''
begin atomic
  with s as (
    select p.id as payee_id, t.commercial_id, private.loose_mailbox_of(t.referred_contact_email) as friend_mailbox,
      private.loose_mailbox_of(p.email) as own_mailbox, private.phone_of(t.referred_contact_phone) as friend_phone,
      private.phone_of(p.phone) as own_phone, private.likeness_of_name(t.referred_contact_name) as friend_name,
      private.likeness_of_name(p.full_name) as own_name
    from public.sales t join public.profiles p on p.id = coalesce(t.friend_referrer_id, t.client_referrer_id)
    where t.id = p_sale_id)
  select 'self_referral', 'email', null::uuid from s where s.friend_mailbox = s.own_mailbox
  union all
  select 'self_referral', 'phone', null from s where s.friend_phone = s.own_phone and length(s.own_phone) >= 8
  union all
  select 'self_referral', 'name', null from s where s.friend_name = s.own_name
  union all
  select 'known_friend', 'email', p.id from s join public.profiles p on private.loose_mailbox_of(p.email) = s.friend_mailbox
    where p.email <> '' and p.id <> s.payee_id and p.deactivated_at is null
  union all
  select 'known_friend', 'phone', p.id from s join public.profiles p on private.phone_of(p.phone) = s.friend_phone
    where p.phone is not null and length(s.friend_phone) >= 8 and p.id <> s.payee_id and p.deactivated_at is null
  union all
  select 'team_referrer', 'email', p.id from s join public.profiles p on private.loose_mailbox_of(p.email) = s.own_mailbox
    where p.email <> '' and p.role <> 'client' and p.deactivated_at is null
  union all
  select 'team_referrer', 'phone', p.id from s join public.profiles p on private.phone_of(p.phone) = s.own_phone
    where p.phone is not null and length(s.own_phone) >= 8 and p.role <> 'client' and p.deactivated_at is null
  union all
  select 'team_referrer', 'name', p.id from s join public.profiles p on p.id = s.commercial_id
    where private.likeness_of_name(p.full_name) = s.own_name;
end;

-- A referral that comes in, goes to another client or commercial, or whose friend corrects what is known of them.
create function private.doubt_sale() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  v_payee constant uuid := coalesce(new.friend_referrer_id, new.client_referrer_id);
  v_doubts private.doubt[] := array(select d from private.doubts_of_sale(new.id) d);
  v_most integer;
begin
  if cardinality(v_doubts) > 0 then perform private.keep_doubts(new.id, null, v_payee, v_doubts); end if;
  if tg_op = 'INSERT' and new.friend_referrer_id is not null then
    select r.most into v_most from public.doubt_rules r where r.code = 'burst';
    if (select count(*) from (select from public.sales s where s.friend_referrer_id = v_payee
        and s.created_at > new.created_at - interval '1 hour' and s.corrects_sale_id is null limit v_most + 1) c) > v_most then
      perform private.keep_doubts(null, null, v_payee, array[row('burst', 'number', null)::private.doubt]);
    end if;
  end if;
  return null;
end
$$;
create trigger sales_doubt after insert on public.sales for each row
  when (new.corrects_sale_id is null and (new.friend_referrer_id is not null or new.client_referrer_id is not null))
  execute function private.doubt_sale();
create trigger sales_doubt_again after update of friend_referrer_id, commercial_id, referred_contact_name, referred_contact_email,
    referred_contact_phone on public.sales for each row
  when (new.corrects_sale_id is null and (new.friend_referrer_id is not null or new.client_referrer_id is not null)
    and (new.friend_referrer_id, new.commercial_id, new.referred_contact_name, new.referred_contact_email, new.referred_contact_phone)
      is distinct from
      (old.friend_referrer_id, old.commercial_id, old.referred_contact_name, old.referred_contact_email, old.referred_contact_phone))
  execute function private.doubt_sale();

-- A friend who is forgotten (F-15, S-07) leaves no likeness to anybody behind, unless a contract was signed: who is paid for it by fraud
-- does not end the case by a click.
create function private.forget_doubts() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  delete from public.doubtful_cases c where c.sale_id = new.id;
  return null;
end
$$;
create trigger sales_forget_doubts after update of referred_contact_email, referred_contact_phone on public.sales for each row
  when (not new.ready_for_validation and num_nonnulls(old.referred_contact_email, old.referred_contact_phone) > 0
    and num_nonnulls(new.referred_contact_email, new.referred_contact_phone) = 0)
  execute function private.forget_doubts();

-- Whether a friend who came by a link wrote from a network and a browser that its client signs in from. They are compared at once and
-- not kept.
create function private.doubt_device(p_sale_id uuid, p_ip text, p_user_agent text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  sale public.sales;
begin
  select * into sale from public.sales s where s.id = p_sale_id;
  if exists (select from auth.sessions t where t.user_id = sale.friend_referrer_id and t.ip = p_ip and t.user_agent = p_user_agent
      and greatest(t.created_at, t.refreshed_at) > now() - interval '30 days') then
    perform private.keep_doubts(sale.id, null, sale.friend_referrer_id, array[row('same_device', 'device', null)::private.doubt]);
  end if;
end
$$;

-- A request to an account that another client is paid on, or that replaced another within a week and was not confirmed by its owner.
create function private.doubt_request() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  v_doubts private.doubt[] := array(
    select row('shared_iban', 'iban', o.client_id)::private.doubt
    from public.payee_ibans i join public.payee_ibans o on o.mark = i.mark and o.client_id <> i.client_id where i.id = new.iban_id
    union all
    select row('changed_iban', 'delay', null)::private.doubt from public.payee_ibans i
    where i.id = new.iban_id and i.confirmed_at is null and i.usable_from > i.created_at
      and i.created_at > private.now() - interval '7 days');
begin
  if cardinality(v_doubts) > 0 then perform private.keep_doubts(null, new.id, new.client_id, v_doubts); end if;
  return null;
end
$$;
create trigger payment_requests_doubt after insert on public.payment_requests for each row
  when (new.iban_id is not null) execute function private.doubt_request();

-- The admin's decision on the case as it was read, with its reason. Of a case that is cleared, its rules may be told to say nothing
-- of these people any more. The same again is the same answer.
create function private.decide_doubtful_case(
  p_case_id uuid, p_decision text, p_reason text, p_seen_version integer, p_is_pair_cleared boolean default false)
returns table (decided public.doubtful_cases, already boolean)
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  c public.doubtful_cases;
  v_before text;
begin
  if p_decision is null or p_decision not in ('confirmed', 'cleared') or coalesce(btrim(p_reason), '') = ''
      or not private.is_text(p_reason, 2000) then
    perform private.refuse('invalid_input');
  end if;
  if p_seen_version is null then perform private.refuse('seen_required'); end if;
  select * into c from public.doubtful_cases t where t.id = p_case_id for update;
  if not found then perform private.refuse('case_not_found'); end if;
  if c.status = p_decision and c.decided_by = me and c.reason = btrim(p_reason) and c.version = p_seen_version + 1 then
    return query select c, true;
    return;
  end if;
  if c.version <> p_seen_version then perform private.refuse('case_changed'); end if;
  if (c.status, p_decision) not in (('open', 'confirmed'), ('open', 'cleared'), ('confirmed', 'cleared')) then
    perform private.refuse('case_already_decided');
  end if;
  v_before := c.status;
  update public.doubtful_cases t set status = p_decision, decided_at = private.now(), decided_by = me, reason = btrim(p_reason),
      version = t.version + 1
    where t.id = c.id returning * into c;
  if p_decision = 'cleared' and p_is_pair_cleared then
    insert into private.undoubted_pairs (rule, one_id, other_id)
    select r.rule, least(c.payee_id, r.person_id), greatest(c.payee_id, r.person_id)
    from public.doubt_reasons r where r.case_id = c.id and r.person_id is not null
    on conflict do nothing;
  end if;
  perform private.append_audit('doubtful_cases', c.id, 'update', jsonb_build_object('status', v_before),
    jsonb_build_object('status', c.status,
      'rules', (select jsonb_agg(distinct r.rule) from public.doubt_reasons r where r.case_id = c.id))
      || case when p_decision = 'cleared' and p_is_pair_cleared then '{"is_pair_cleared": true}'::jsonb else '{}' end, c.reason);
  return query select c, false;
end
$$;

-- Which rules look, and how many referrals an hour are still usual. Cases that stand, stay.
create function private.set_doubt_rule(p_code text, p_is_on boolean, p_most integer) returns public.doubt_rules
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  v_before public.doubt_rules;
  v_rule public.doubt_rules;
begin
  select * into v_before from public.doubt_rules r where r.code = p_code for update;
  if not found or p_is_on is null or p_code = 'burst' and (p_most between 1 and 100) is not true then
    perform private.refuse('invalid_input');
  end if;
  update public.doubt_rules r set is_on = p_is_on, most = case when r.code = 'burst' then p_most end where r.code = p_code returning * into v_rule;
  if v_rule is distinct from v_before then
    perform private.append_audit('company_settings', '00000000-0000-0000-0000-000000000001', 'update',
      jsonb_strip_nulls(jsonb_build_object('doubt_rule', v_before.code, 'is_on', v_before.is_on, 'most', v_before.most)),
      jsonb_strip_nulls(jsonb_build_object('doubt_rule', v_rule.code, 'is_on', v_rule.is_on, 'most', v_rule.most)), null);
  end if;
  return v_rule;
end
$$;

-- Each rule with what became of its cases of the last twelve months: how an admin tells a rule that errs.
create view public.doubt_rule_figures with (security_invoker = true) as
  select r.code, r.is_on, r.most, count(distinct c.id) as opened,
    count(distinct c.id) filter (where c.status = 'confirmed') as confirmed,
    count(distinct c.id) filter (where c.status = 'cleared') as cleared
  from public.doubt_rules r
  left join public.doubt_reasons d on d.rule = r.code
  left join public.doubtful_cases c on c.id = d.case_id and c.created_at > now() - interval '1 year'
  group by r.code, r.is_on, r.most;
grant select on public.doubt_rule_figures to authenticated, service_role;

-- Whoever writes a profile keeps its indexes with their own rights.
grant execute on function private.loose_mailbox_of(text) to anon, authenticated, service_role, parrain_service;
grant execute on function private.likeness_of_name(text), private.guard_doubtful_case() to parrain_service;
do $$
declare
  f regprocedure;
begin
  for f in select p.oid::regprocedure from pg_proc p where p.pronamespace = 'private'::regnamespace
      and p.proname in ('keep_doubts', 'doubts_of_sale', 'doubt_sale', 'forget_doubts', 'doubt_device', 'doubt_request',
        'decide_doubtful_case', 'set_doubt_rule') loop
    execute format('alter function %s owner to parrain_service', f);
    execute format('grant execute on function %s to parrain_service', f);
  end loop;
end
$$;
grant execute on function private.decide_doubtful_case(uuid, text, text, integer, boolean),
  private.set_doubt_rule(text, boolean, integer) to authenticated;
