-- NV-05, NV-07: the orders and periods that the lists of payments offer, each with the id that decides between equals.

create index payment_requests_by_amount on public.payment_requests (amount desc, id);
create index payment_requests_by_method on public.payment_requests (payment_method desc, id);
create index commission_payments_by_amount on public.commission_payments (amount desc, id);

-- « Sans nouvelles depuis 14 jours »: the open referrals that nobody changed for long.
create index sales_without_news on public.sales (updated_at)
  where status in ('pending', 'contacted', 'in_negotiation') and not ready_for_validation;
