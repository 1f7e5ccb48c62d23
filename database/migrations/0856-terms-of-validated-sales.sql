-- SC-01: every contract validated before it had versions keeps the one version of its scale. Nothing of its foreign keys yet, whose
-- locks would have corrections wait (`0857`).
set local role parrain_service;
insert into public.sale_terms (sale_id, version_id, number, first_day)
select s.id, v.id, v.number, v.first_day
from public.sales s join public.scale_versions v on v.rate_id = s.commission_rate and v.number = 1
where s.admin_validated and s.corrects_sale_id is null
on conflict do nothing;
reset role;
