-- The network, branch by branch: company, commercials, clients, referrals (NW-01). Row level security decides who is in it, and a
-- branch's totals are those of its rows: each sale is counted once, with its commercial and its referrer.

-- The rows under `p_level`: « company », « commercial » (null: nobody's), « client » of that commercial, or « own » for a client.
-- Revenue and commissions are of validated contracts; the commissions are those that the asker's screens show.
create function public.network_branch(p_level text, p_commercial_id uuid default null, p_referrer_id uuid default null)
returns table (kind text, id uuid, name text, detail text, is_active boolean, clients bigint, referrals bigint, contracts bigint,
  revenue numeric, commissions numeric, status text, ready_for_validation boolean, admin_validated boolean, is_cancelled boolean)
language sql stable set search_path = '' rows 200 as $$
  with sold as (
    select coalesce(s.friend_referrer_id, s.client_referrer_id) as referrer_id,
      count(*) filter (where s.corrects_sale_id is null) as referrals,
      count(*) filter (where s.admin_validated and s.corrects_sale_id is null)
        - count(*) filter (where s.corrects_sale_id is not null) as contracts,
      coalesce(sum(s.contract_amount) filter (where s.admin_validated), 0) as revenue,
      coalesce(sum(case when (select private.user_role()) = 'admin' then s.client_commission_amount else 0 end
        + s.commercial_commission_amount) filter (where s.admin_validated), 0) as commissions
    from public.sales s
    where p_level = 'commercial'
      and (s.commercial_id = p_commercial_id or p_commercial_id is null and s.commercial_id is null)
    group by 1),
  referred as (
    select s.* from public.sales s
    where s.corrects_sale_id is null and case p_level
      when 'own' then s.friend_referrer_id = (select private.uid())
      when 'client' then (s.commercial_id = p_commercial_id or p_commercial_id is null and s.commercial_id is null)
        and (s.friend_referrer_id = p_referrer_id or s.friend_referrer_id is null and s.client_referrer_id = p_referrer_id)
      when 'commercial' then (s.commercial_id = p_commercial_id or p_commercial_id is null and s.commercial_id is null)
        and s.friend_referrer_id is null and s.client_referrer_id is null
      else false end)
  select 'commercial', t.commercial_id, p.full_name, p.email, p.deactivated_at is null,
    (select count(*) from public.profiles c where c.role = 'client' and c.commercial_id is not distinct from t.commercial_id),
    t.referrals, t.contracts, t.revenue, t.commissions, null::text, null::boolean, null::boolean, null::boolean
  from (
    select k.commercial_id, coalesce(sum(f.sales) filter (where f.state <> 'correction'), 0)::bigint as referrals,
      (coalesce(sum(f.sales) filter (where f.state = 'validated'), 0)
        - coalesce(sum(f.sales) filter (where f.state = 'correction'), 0))::bigint as contracts,
      coalesce(sum(f.contract_amount) filter (where f.state in ('validated', 'correction')), 0) as revenue,
      coalesce(sum(f.client_commission + f.commercial_commission) filter (where f.state in ('validated', 'correction')), 0) as commissions
    from (select c.id as commercial_id from public.profiles c where c.role = 'commercial' union all select null) k
    left join figures.sale_totals f
      on f.commercial_id = coalesce(k.commercial_id, '00000000-0000-0000-0000-000000000000')
    where p_level = 'company' and (select private.user_role()) = 'admin'
    group by 1) t
  left join public.profiles p on p.id = t.commercial_id
  where t.commercial_id is not null or t.referrals > 0
    or exists (select from public.profiles c where c.role = 'client' and c.commercial_id is null)
  union all
  select 'client', k.id, p.full_name, coalesce(p.company, p.email), p.deactivated_at is null, null,
    coalesce(t.referrals, 0), coalesce(t.contracts, 0), coalesce(t.revenue, 0), coalesce(t.commissions, 0), null::text, null::boolean, null::boolean, null::boolean
  from (
    select c.id from public.profiles c
      where p_level = 'commercial' and c.role = 'client'
        and (c.commercial_id = p_commercial_id or p_commercial_id is null and c.commercial_id is null)
    union select t.referrer_id from sold t where t.referrer_id is not null) k
  left join sold t on t.referrer_id = k.id
  left join public.profiles p on p.id = k.id
  union all
  select 'referral', s.id, s.referred_contact_name, s.referred_contact_email, null, null, null, null,
    case when s.admin_validated then s.contract_amount + coalesce(c.contract_amount, 0) else 0 end,
    case when s.admin_validated then case (select private.user_role())
      when 'admin' then s.client_commission_amount + s.commercial_commission_amount
        + coalesce(c.client_commission_amount + c.commercial_commission_amount, 0)
      when 'commercial' then s.commercial_commission_amount + coalesce(c.commercial_commission_amount, 0)
      else s.client_commission_amount + coalesce(c.client_commission_amount, 0) end else 0 end,
    s.status, s.ready_for_validation, s.admin_validated, c.id is not null
  from referred s
  left join public.sales c on c.corrects_sale_id = s.id
$$;
grant execute on function public.network_branch(text, uuid, uuid) to authenticated;
