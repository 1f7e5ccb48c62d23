-- The figures of the dashboards: sums made by the database over what the asker may see, never in the browser.

-- M-04, M-05, M-06, AD-03.
create function public.admin_figures()
returns table (validated_sales bigint, revenue numeric, commercials bigint, clients bigint, pending_commissions numeric,
  paid_commissions numeric, sales_to_validate bigint, requests_to_decide bigint, requests_to_pay bigint, commissions_due numeric)
language sql stable set search_path = '' rows 1 as $$
  with validated as (
    select count(*) filter (where s.corrects_sale_id is null) - count(*) filter (where s.corrects_sale_id is not null) as sales,
      coalesce(sum(s.contract_amount), 0) as revenue,
      coalesce(sum(s.client_commission_amount + s.commercial_commission_amount), 0) as commissions
    from public.sales s where s.admin_validated),
  requests as (
    select coalesce(sum(r.amount) filter (where r.status = 'paid'), 0) as paid,
      count(*) filter (where r.status = 'pending') as pending, count(*) filter (where r.status = 'approved') as approved
    from public.payment_requests r),
  people as (
    select count(*) filter (where p.role = 'commercial' and p.deactivated_at is null) as commercials,
      count(*) filter (where p.role = 'client') as clients
    from public.profiles p)
  select v.sales, v.revenue, people.commercials, people.clients, greatest(v.commissions - requests.paid, 0),
    (select coalesce(sum(c.amount), 0) from public.commission_payments c where c.status = 'paid'),
    (select count(*) from public.sales s where s.ready_for_validation and not s.admin_validated),
    requests.pending, requests.approved,
    (select coalesce(sum(greatest(b.earned - b.reversed - b.paid, 0)), 0) from public.balances b
      join public.profiles p on p.id = b.profile_id where p.role = 'client')
  from validated v, requests, people
  where (select private.user_role()) = 'admin'
$$;

-- CO-04, CO-08, M-09.
create function public.commercial_figures()
returns table (clients bigint, referrals bigint, signed_contracts bigint, revenue numeric, validated_contracts bigint,
  validated_revenue numeric, commissions_earned numeric, commissions_pending numeric, to_follow_up bigint)
language sql stable set search_path = '' rows 1 as $$
  select (select count(*) from public.profiles p where p.commercial_id = (select private.uid()) and p.role = 'client'),
    count(*) filter (where s.corrects_sale_id is null),
    count(*) filter (where s.status = 'validated' and s.corrects_sale_id is null) - count(*) filter (where s.corrects_sale_id is not null),
    coalesce(sum(s.contract_amount) filter (where s.status = 'validated'), 0),
    count(*) filter (where s.admin_validated and s.corrects_sale_id is null) - count(*) filter (where s.corrects_sale_id is not null),
    coalesce(sum(s.contract_amount) filter (where s.admin_validated), 0),
    coalesce(sum(s.commercial_commission_amount) filter (where s.admin_validated), 0),
    coalesce(sum(s.commercial_commission_amount) filter (where s.ready_for_validation and not s.admin_validated), 0),
    count(*) filter (where s.status in ('pending', 'contacted', 'in_negotiation') and not s.ready_for_validation)
  from public.sales s where s.commercial_id = (select private.uid())
$$;

-- CL-02, CL-06, CL-07, M-07, M-08, CL-10: « mine » is what is paid to me, and what waits on referrals of mine.
create function public.client_figures()
returns table (friends_invited bigint, signed_contracts bigint, total_commissions numeric, validated_commissions numeric,
  pending_commissions numeric, available numeric, debt numeric, requests_in_progress numeric, requests_in_progress_count bigint,
  payments_received numeric, sales_generated numeric)
language sql stable set search_path = '' rows 1 as $$
  with mine as (
    select count(*) filter (where s.corrects_sale_id is null) as invited,
      count(*) filter (where s.status = 'validated' and s.corrects_sale_id is null) - count(*) filter (where s.corrects_sale_id is not null) as signed,
      coalesce(sum(s.client_commission_amount) filter (where s.status = 'validated' and not s.admin_validated), 0) as pending,
      coalesce(sum(s.contract_amount) filter (where s.status = 'validated'), 0) as revenue
    from public.sales s where s.friend_referrer_id = (select private.uid())),
  earned as (
    select coalesce(sum(p.amount), 0) as total from public.commission_payments p
    where p.recipient_id = (select private.uid()) and p.type = 'client'),
  balance as (
    select coalesce(sum(b.earned - b.reversed), 0) as earned, coalesce(sum(b.reserved), 0) as reserved, coalesce(sum(b.paid), 0) as paid
    from public.balances b where b.profile_id = (select private.uid()))
  select m.invited, m.signed, e.total + m.pending, e.total, m.pending, greatest(b.earned - b.reserved - b.paid, 0), greatest(b.paid - b.earned, 0), b.reserved,
    (select count(*) from public.payment_requests r where r.client_id = (select private.uid()) and r.status in ('pending', 'approved')),
    b.paid, m.revenue
  from mine m, earned e, balance b
  where (select private.uid()) is not null
$$;

-- D-07, CO-05, AD-06: each client with what they brought in, as far as the asker may see it.
create view public.client_summaries with (security_invoker = true) as
  select p.id, p.full_name, p.email, p.phone, p.company, p.notes, p.commercial_id, p.created_at, p.is_test,
    s.total_referrals, s.signed_contracts, s.revenue_generated
  from public.profiles p
  cross join lateral (
    select count(*) filter (where s.corrects_sale_id is null) as total_referrals,
      count(*) filter (where s.status = 'validated' and s.corrects_sale_id is null)
        - count(*) filter (where s.corrects_sale_id is not null) as signed_contracts,
      coalesce(sum(s.contract_amount) filter (where s.status = 'validated'), 0)::numeric(14, 2) as revenue_generated
    from public.sales s
    where s.friend_referrer_id = p.id or (s.client_referrer_id = p.id and s.friend_referrer_id is null)) s
  where p.role = 'client';
grant select on public.client_summaries to authenticated, service_role;

do $$
declare
  f regprocedure;
begin
  -- What runs with more rights than its caller has exactly the rights of parrain_service, whoever migrates.
  for f in select p.oid::regprocedure from pg_proc p where p.pronamespace = 'private'::regnamespace and p.prosecdef loop
    execute format('alter function %s owner to parrain_service', f);
  end loop;
end
$$;

grant execute on function private.identify() to authenticator;
grant execute on all functions in schema private to parrain_service;
grant execute on function private.commission(text, numeric, numeric), private.is_cleaning(), private.refuse(text, jsonb),
  private.require_role(text[]) to authenticated;
grant execute on function
  private.update_sale_status(uuid, text, numeric, text, text),
  private.validate_sale(uuid, uuid, integer, numeric, numeric, numeric),
  private.refuse_sale(uuid, text, integer),
  private.cancel_validation(uuid, text),
  private.create_commission_rate(text, text, text, numeric, text, numeric, uuid),
  private.archive_commission_rate(uuid),
  private.set_default_commission_rate(uuid),
  private.request_payment(numeric, text, jsonb, bytea, boolean),
  private.decide_payment_request(uuid, text, text, text),
  private.reveal_payment_details(uuid),
  private.my_payment_requests(),
  private.update_company_name(text),
  private.set_company_logo(text),
  private.claim_idempotency_key(text, bytea),
  private.keep_idempotent_answer(text, integer, text),
  private.finish_idempotent_answer(text, integer, text),
  private.invite_commercial(uuid, text, text, text, text, timestamptz),
  private.invite_client(uuid, text, text, text, text, text, uuid, text, timestamptz),
  private.invite_friend(text, text, text, text),
  private.update_client(uuid, text, text, text, text, uuid),
  private.delete_client(uuid),
  private.remove_commercial(uuid, uuid),
  private.reactivate_commercial(uuid),
  private.clean_test_data()
  to authenticated;
grant execute on function public.get_commercial_sales(uuid), public.admin_figures(), public.commercial_figures(),
  public.client_figures() to authenticated;
