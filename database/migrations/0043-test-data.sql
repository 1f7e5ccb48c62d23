-- « Clean database » ends the test data for good (FX-02, FX-03, FX-67): it excludes every writer, deletes nothing that something
-- real depends on, leaves balances that their rows explain, and makes real whatever comes after it.

create function private.count_test_data()
returns table (sales bigint, commission_payments bigint, payment_requests bigint, commission_rates bigint, clients bigint, commercials bigint)
language sql stable security definer set search_path = ''
begin atomic
  select
    (select count(*) from public.sales t where t.is_test),
    (select count(*) from public.commission_payments t where t.is_test),
    (select count(*) from public.payment_requests t where t.is_test),
    (select count(*) from public.commission_rates t where t.is_test),
    (select count(*) from public.profiles t where t.is_test and t.role = 'client'),
    (select count(*) from public.profiles t where t.is_test and t.role = 'commercial');
end;

-- Real rows that depend on test rows, by kind, with the names of a few.
create function private.what_holds_test_data() returns table (kind text, number bigint, examples text[])
language sql stable security definer set search_path = ''
begin atomic
  with leaving as (select p.id from public.profiles p where p.is_test and p.role <> 'admin'),
  held (kind, name) as (
    select 'clients', p.full_name from public.profiles p
      where not p.is_test and p.commercial_id in (select l.id from leaving l)
    union all
    select 'sales', s.referred_contact_name from public.sales s
      where not s.is_test and (s.commercial_id in (select l.id from leaving l) or s.friend_referrer_id in (select l.id from leaving l)
        or s.client_referrer_id in (select l.id from leaving l))
    union all
    select 'scales', s.referred_contact_name from public.sales s join public.commission_rates r on r.id = s.commission_rate
      where not s.is_test and r.is_test
    union all
    select 'requests', p.full_name from public.payment_requests q join public.profiles p on p.id = q.client_id
      where not q.is_test and (p.is_test
        -- What was asked for, and not refused, is more than the real commissions alone give.
        or q.status <> 'rejected' and exists (select from public.commission_payments c where c.recipient_id = p.id and c.is_test)
          and (select sum(o.amount) from public.payment_requests o where o.client_id = p.id and o.status <> 'rejected')
            > (select coalesce(sum(greatest(c.amount, 0)), 0) from public.commission_payments c where c.recipient_id = p.id and not c.is_test))
  )
  select h.kind, count(*), (array_agg(distinct h.name order by h.name))[1:3] from held h group by h.kind order by h.kind;
end;

-- Whether the caller signed in less than ten minutes ago.
create function private.is_session_fresh() returns boolean
language sql stable security definer set search_path = ''
begin atomic
  select exists (select from auth.sessions s
    where s.id = (nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'session_id')::uuid
      and s.user_id = private.uid() and s.created_at > now() - interval '10 minutes');
end;

-- FX-67: what a cleaning would delete and what holds it; changes nothing.
create function private.preview_cleaning() returns table (would_delete jsonb, held_by jsonb, is_session_fresh boolean)
language plpgsql stable security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
begin
  return query select (select to_jsonb(c) from private.count_test_data() c),
    (select coalesce(jsonb_agg(h order by h.kind), '[]') from private.what_holds_test_data() h), private.is_session_fresh();
end
$$;

-- Nobody writes until this transaction ends. Whoever is writing goes first: where they hold a lock that this waits for, it lets
-- go of its own and begins again, so that neither waits for the other.
create function private.exclude_writers() returns void
language plpgsql security definer set search_path = '' as $$
declare
  before constant text := current_setting('lock_timeout');
begin
  for attempt in 1 .. 50 loop
    begin
      perform set_config('lock_timeout', '200ms', true);
      lock table auth.users, public.profiles, public.commission_rates, public.sales, public.commission_payments,
        public.payment_requests, public.balances in exclusive mode;
      perform set_config('lock_timeout', before, true);
      return;
    exception when lock_not_available or deadlock_detected then
      perform pg_catalog.pg_sleep(0.05);
    end;
  end loop;
  perform private.refuse('unavailable');
end
$$;

-- F-11, P-05: for an admin who just signed in and typed the company's name. Admins stay, so that somebody can still sign in, and
-- are real people from here on. A password of the demonstration is no secret: of a test admin every way in goes but the
-- session that cleans, which must choose a password before anything else (FX-01).
create function private.clean_test_data(p_company_name text)
returns table (deleted jsonb, password_change_required boolean)
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  session_id constant uuid := (current_setting('request.jwt.claims')::jsonb ->> 'session_id')::uuid;
  counted jsonb;
  held jsonb;
  payees uuid[];
  admins uuid[];
begin
  if not private.is_session_fresh() then perform private.refuse('reauthentication_required'); end if;
  if not exists (select from public.company_settings c
      where lower(regexp_replace(btrim(c.company_name), '\s+', ' ', 'g') collate "pg_c_utf8")
        = lower(regexp_replace(btrim(p_company_name), '\s+', ' ', 'g') collate "pg_c_utf8")) then
    perform private.refuse('confirmation_required');
  end if;
  perform private.exclude_writers();
  select jsonb_agg(h order by h.kind) into held from private.what_holds_test_data() h;
  if held is not null then perform private.refuse('cleaning_held', jsonb_build_object('held_by', held)); end if;

  perform set_config('app.cleaning', 'on', true);
  select to_jsonb(c) into counted from private.count_test_data() c;
  payees := array(select distinct c.recipient_id from public.commission_payments c where c.is_test);
  delete from public.payment_requests t where t.is_test;
  delete from public.commission_payments t where t.is_test;
  delete from public.sales t where t.is_test and t.corrects_sale_id is not null;
  delete from public.sales t where t.is_test;
  update public.commission_rates t set replaces_id = null
    where t.replaces_id in (select r.id from public.commission_rates r where r.is_test);
  delete from public.commission_rates t where t.is_test;
  delete from auth.users u using public.profiles p where p.id = u.id and p.is_test and p.role = 'client';
  delete from auth.users u using public.profiles p where p.id = u.id and p.is_test and p.role = 'commercial';

  -- A real commercial may have earned on test sales: what they keep is what their rows say.
  delete from public.balances b where b.profile_id = any (payees)
    and not exists (select from public.commission_payments c where c.recipient_id = b.profile_id)
    and not exists (select from public.payment_requests r where r.client_id = b.profile_id);
  update public.balances b set (earned, reversed) =
      (select coalesce(sum(greatest(c.amount, 0)), 0), coalesce(sum(greatest(-c.amount, 0)), 0)
       from public.commission_payments c where c.recipient_id = b.profile_id)
    where b.profile_id = any (payees);

  admins := array(select p.id from public.profiles p where p.is_test);
  update public.profiles p set is_test = false where p.id = any (admins);
  update auth.users u set encrypted_password = null, temporary_password_until = null, password_change_required = true,
      phone = null, new_email = null, new_phone = null, updated_at = now()
    where u.id = any (admins);
  delete from auth.sessions s where s.user_id = any (admins) and s.id <> session_id;
  delete from auth.one_time_tokens t where t.user_id = any (admins);
  delete from auth.webauthn_credentials c where c.user_id = any (admins) and c.factor_id is null;
  delete from auth.identities i where i.user_id = any (admins) and i.provider <> 'email';

  perform private.append_audit('company_settings', '00000000-0000-0000-0000-000000000001', 'clean', counted, null, null);
  return query select counted, me = any (admins);
end
$$;

grant execute on function private.preview_cleaning(), private.clean_test_data(text) to authenticated;

-- Demo accounts open nothing while the demonstration is closed (FX-01): a ban of this date is its own, and goes with it.
create function private.open_demo(p_open boolean) returns void
language plpgsql security definer set search_path = '' as $$
declare
  closed constant timestamptz := '9999-12-31 00:00:00+00';
begin
  if p_open then
    update auth.users u set banned_until = null from public.profiles p where p.id = u.id and p.is_test and u.banned_until = closed;
    return;
  end if;
  update auth.users u set banned_until = closed from public.profiles p
    where p.id = u.id and p.is_test and u.banned_until is distinct from closed;
  delete from auth.sessions s using public.profiles p where p.id = s.user_id and p.is_test;
end
$$;
