-- AC-10: a particulier whose contracts come back is counted over twelve months and told to the admins: the law has no ceiling, regularity
-- decides (decision 0095). Nothing is blocked. An admin who has dealt with somebody hears no more of it until the year ends or the status
-- changes.

-- The time at which an admin dealt with it.
alter table private.payee_details add column regularity_dealt_at timestamptz
  constraint payee_details_regularity_is_of_a_person check (regularity_dealt_at is null or status = 'particulier');

-- The number of contracts in twelve months from which a particulier is told.
alter table private.das2_settings add column regular_from integer not null default 3
  constraint das2_settings_regular_from_is_a_count check (regular_from between 1 and 99);

create or replace function private.das2_settings_shown() returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin', 'comptable');
begin
  return jsonb_build_object(
    'counts_gift_cards', coalesce((select s.counts_gift_cards from private.das2_settings s), true),
    'counts_discounts', coalesce((select s.counts_discounts from private.das2_settings s), false),
    'regular_from', coalesce((select s.regular_from from private.das2_settings s), 3));
end
$$;

-- A node of the version before says no number: the one that is kept stays.
drop function private.set_das2_settings(boolean, boolean);
create function private.set_das2_settings(p_counts_gift_cards boolean, p_counts_discounts boolean, p_regular_from integer default null)
returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  before jsonb;
  after jsonb;
begin
  -- One change after the other, so that the trail says what each of them replaced.
  lock table private.das2_settings in share row exclusive mode;
  before := private.das2_settings_shown();
  insert into private.das2_settings as s (counts_gift_cards, counts_discounts, regular_from)
  values (p_counts_gift_cards, p_counts_discounts, coalesce(p_regular_from, (before ->> 'regular_from')::integer))
  on conflict (id) do update set (counts_gift_cards, counts_discounts, regular_from)
    = (excluded.counts_gift_cards, excluded.counts_discounts, excluded.regular_from);
  after := private.das2_settings_shown();
  if before <> after then
    perform private.append_audit('company_settings', '00000000-0000-0000-0000-000000000001', 'update',
      jsonb_build_object('das2_gift_cards', before -> 'counts_gift_cards', 'das2_discounts', before -> 'counts_discounts',
        'regular_from', before -> 'regular_from'),
      jsonb_build_object('das2_gift_cards', after -> 'counts_gift_cards', 'das2_discounts', after -> 'counts_discounts',
        'regular_from', after -> 'regular_from'), null);
  end if;
  return after;
end
$$;

-- The particuliers whose contracts of the last twelve months are as many as the company's setting, or one of them: the contracts that
-- earned them a commission and stand, by `commission_payments_by_recipient`, and what they were paid meanwhile. The time of an act of this
-- year by an admin; null where nobody has dealt with it.
create function private.regular_payees(p_payee_id uuid)
returns table (id uuid, full_name text, contracts bigint, payments bigint, paid numeric, dealt_at timestamptz)
language plpgsql stable security definer set search_path = '' rows 100 as $$
declare
  me uuid := private.require_role('admin');
  since constant timestamptz := private.now() - interval '1 year';
  regular_from constant integer := (private.das2_settings_shown() ->> 'regular_from')::integer;
begin
  return query
  select p.id, p.full_name, k.contracts, m.payments, m.paid,
    case when d.regularity_dealt_at >= private.month_start(date_trunc('year', private.today())::date) then d.regularity_dealt_at end
  from (
    select c.recipient_id, count(*) as contracts
    from private.payee_details t
    join public.commission_payments c on c.recipient_id = t.payee_id and c.type = 'client' and c.amount > 0 and c.paid_at > since
    join public.sales s on s.id = c.sale_id and s.corrects_sale_id is null
    where t.status = 'particulier' and (p_payee_id is null or t.payee_id = p_payee_id)
      -- A contract that was cancelled whole is none.
      and not exists (select from public.sales r where r.corrects_sale_id = s.id and r.contract_left is null)
    group by c.recipient_id
    having count(*) >= regular_from) k
  join public.profiles p on p.id = k.recipient_id and p.deactivated_at is null
  join private.payee_details d on d.payee_id = p.id
  cross join lateral (
    select count(*) as payments, coalesce(sum(q.amount), 0.00) as paid from public.payment_requests q
    where q.client_id = p.id and q.status = 'paid' and q.paid_at > since) m;
end
$$;

-- The same for the REST door, which orders it and cuts its pages.
create function public.regular_payees(p_payee_id uuid default null)
returns table (id uuid, full_name text, contracts bigint, payments bigint, paid numeric, dealt_at timestamptz)
language sql stable set search_path = '' rows 100
as $$ select * from private.regular_payees(p_payee_id) $$;

-- An admin has dealt with it. Of whoever is told no longer, or was dealt with already, nothing changes.
create function private.deal_with_regularity(p_payee_id uuid) returns void
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  payee public.profiles := private.payee_named(p_payee_id);
begin
  if not exists (select from private.regular_payees(payee.id) r where r.dealt_at is null) then return; end if;
  update private.payee_details d set regularity_dealt_at = private.now() where d.payee_id = payee.id;
  perform private.append_audit('profiles', payee.id, 'update', null, jsonb_build_object('regularity_dealt', true), null);
end
$$;

-- A payee's own record is their own: what an admin did about it is the trail's.
create or replace function private.payee_shown(p_payee_id uuid) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  payee public.profiles := private.payee_named(p_payee_id);
begin
  return jsonb_build_object('role', payee.role,
    'is_asked', coalesce((select s.issues_papers from private.paper_settings s), false) and payee.deactivated_at is null,
    'details', (select to_jsonb(d) - array['payee_id', 'updated_at', 'vat_accepted_by', 'regularity_dealt_at']
      from private.payee_details d where d.payee_id = payee.id),
    -- With whom the mandate is; null where none is asked for.
    'mandatary', case when private.may_be_self_billed(payee.id) then (
      select to_jsonb(s) - array['id', 'updated_at', 'issues_papers', 'vat_number', 'contest_days'] from private.paper_settings s) end,
    'mandate', (select jsonb_build_object('version', m.version, 'text', m.text, 'accepted_at', m.accepted_at, 'revoked_at', m.revoked_at,
        'is_in_force', m.id is not distinct from private.mandate_in_force(payee.id))
      from private.mandates m where m.payee_id = payee.id order by m.id desc limit 1));
end
$$;

alter function private.set_das2_settings(boolean, boolean, integer) owner to parrain_service;
alter function private.regular_payees(uuid) owner to parrain_service;
alter function private.deal_with_regularity(uuid) owner to parrain_service;
grant execute on function private.set_das2_settings(boolean, boolean, integer), private.regular_payees(uuid),
  public.regular_payees(uuid), private.deal_with_regularity(uuid) to authenticated;
