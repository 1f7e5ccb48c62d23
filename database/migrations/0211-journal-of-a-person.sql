-- The trail of a person or of a sale, found among however many entries: what happened to them, to their sales, commissions and
-- payment requests. Row level security of the trail decides who reads it: an admin.

create view public.audit_entries_about with (security_invoker = true) as
select a.id, a.at, a.actor_id, a.actor, a.entity, a.entity_id, a.action, a.before, a.after, a.reason, s.about_id
from (
  select 'profiles' as entity, p.id as entity_id, p.id as about_id from public.profiles p
  union all
  select 'sales', s.id, s.id from public.sales s
  union all
  select 'sales', s.id, s.corrects_sale_id from public.sales s where s.corrects_sale_id is not null
  union all
  select 'sales', s.id, s.commercial_id from public.sales s
  union all
  select 'sales', s.id, s.client_referrer_id from public.sales s where s.client_referrer_id is not null
  union all
  select 'sales', s.id, s.friend_referrer_id from public.sales s
    where s.friend_referrer_id is distinct from s.client_referrer_id
  union all
  select 'commission_payments', c.id, c.sale_id from public.commission_payments c
  union all
  select 'commission_payments', c.id, c.recipient_id from public.commission_payments c
  union all
  select 'payment_requests', r.id, r.client_id from public.payment_requests r
  union all
  select 'account_closure_requests', r.id, r.profile_id from public.account_closure_requests r) s
join public.audit_entries a on a.entity = s.entity and a.entity_id = s.entity_id;
grant select on public.audit_entries_about to authenticated, service_role;
