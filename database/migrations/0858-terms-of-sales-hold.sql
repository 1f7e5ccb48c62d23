-- SC-01: the terms of sales that were validated while the files before were applied; then all of them give what was paid, or none of
-- this stands.
set local role parrain_service;
insert into public.sale_terms (sale_id, version_id, number, first_day)
select s.id, v.id, v.number, v.first_day
from public.sales s join public.scale_versions v on v.rate_id = s.commission_rate and v.number = 1
where s.admin_validated and s.corrects_sale_id is null
  and not exists (select from public.sale_terms t where t.sale_id = s.id)
on conflict do nothing;

do $$
declare
  differing uuid;
begin
  select s.id into differing
  from public.sales s
  left join public.sale_terms t on t.sale_id = coalesce(s.corrects_sale_id, s.id)
  left join public.scale_versions v on v.id = t.version_id
  where s.admin_validated and (s.client_commission_type, s.client_commission_rate, s.commercial_commission_type, s.commercial_commission_rate)
    is distinct from (v.rules #>> '{client,kind}', (v.rules #>> '{client,value}')::numeric / 100, v.rules #>> '{commercial,kind}',
      (v.rules #>> '{commercial,value}')::numeric / 100)
  limit 1;
  if found then
    raise exception 'The version of sale % does not give its commissions: run the verification', differing;
  end if;
end
$$;
reset role;

alter table public.sale_terms validate constraint sale_terms_sale_id_fkey;
alter table public.sale_terms validate constraint sale_terms_version_id_fkey;
