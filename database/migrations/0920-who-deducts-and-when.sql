-- AC-02: a company in franchise has a VAT number and recovers none, and nobody deducts tax that no invoice carries (decision 0108).

alter table private.paper_settings add column vat_franchise boolean not null default false;

create or replace function private.paper_settings_words(s private.paper_settings) returns jsonb
language sql immutable set search_path = ''
return jsonb_build_object('issues_papers', (s).issues_papers, 'contest_days', (s).contest_days, 'vat_franchise', (s).vat_franchise,
  'paper_identity', concat_ws(' · ', (s).legal_name, (s).legal_form, (s).capital::text || ' €',
    (s).street || ', ' || (s).postal_code || ' ' || (s).city, (s).siren, (s).siret, 'RCS ' || (s).registry_city, (s).vat_number));

-- The node of the former version goes on calling it with twelve, and leaves the regime as it is.
drop function private.set_paper_settings(boolean, text, text, text, text, text, text, integer, text, text, numeric, text);
create function private.set_paper_settings(p_issues_papers boolean, p_legal_name text, p_street text, p_postal_code text, p_city text, p_siren text,
  p_vat_number text, p_contest_days integer, p_siret text default null, p_legal_form text default null, p_capital numeric default null,
  p_registry_city text default null, p_vat_franchise boolean default null)
returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('admin');
  before jsonb;
  after jsonb;
begin
  -- One change after the other, so that the trail says what each of them replaced.
  lock table private.paper_settings in share row exclusive mode;
  select private.paper_settings_words(s) into before from private.paper_settings s;
  insert into private.paper_settings as s (issues_papers, legal_name, street, postal_code, city, siren, vat_number, contest_days, siret,
    legal_form, capital, registry_city, vat_franchise)
  values (p_issues_papers, btrim(p_legal_name), btrim(p_street), p_postal_code, btrim(p_city), p_siren, p_vat_number, p_contest_days,
    p_siret, btrim(p_legal_form), p_capital, btrim(p_registry_city), coalesce(p_vat_franchise, false))
  on conflict (id) do update set (issues_papers, legal_name, street, postal_code, city, siren, vat_number, contest_days, siret, legal_form,
      capital, registry_city, vat_franchise, updated_at)
    = (excluded.issues_papers, excluded.legal_name, excluded.street, excluded.postal_code, excluded.city, excluded.siren,
      excluded.vat_number, excluded.contest_days, excluded.siret, excluded.legal_form, excluded.capital, excluded.registry_city,
      coalesce(p_vat_franchise, s.vat_franchise), now())
  returning private.paper_settings_words(s) into after;
  if before is distinct from after then
    perform private.append_audit('company_settings', '00000000-0000-0000-0000-000000000001', 'update', before, after, null);
  end if;
  return private.paper_settings_shown();
end
$$;
revoke all on function private.set_paper_settings(boolean, text, text, text, text, text, text, integer, text, text, numeric, text, boolean) from public;
alter function private.set_paper_settings(boolean, text, text, text, text, text, text, integer, text, text, numeric, text, boolean) owner to parrain_service;
grant execute on function private.set_paper_settings(boolean, text, text, text, text, text, text, integer, text, text, numeric, text, boolean) to authenticated;

-- Tax that was paid, and that no invoice carries yet, has an account of its own; where none is deducted it is the same as theirs.
create or replace function private.is_chart(p_accounts jsonb) returns boolean
language sql immutable set search_path = ''
return coalesce(jsonb_typeof(p_accounts) = 'object'
  and p_accounts ?& array['charged', 'client', 'commercial', 'paid_association', 'paid_cheque_cadeau', 'paid_remise_societe', 'paid_virement']
  and (select bool_and(a.key in ('charged', 'client', 'commercial', 'paid_virement', 'paid_cheque_cadeau', 'paid_association', 'paid_remise_societe',
        'vat', 'vat_waiting', 'vat_collected', 'vat_eu', 'vat_eu_due', 'vat_abroad', 'vat_abroad_due', 'accrued', 'salary', 'salary_due', 'held',
        'adjusted', 'paid_paie', 'other')
      and coalesce(a.value ->> 'number' ~ '^[1-7][0-9]{2}[0-9A-Z]{0,9}$', false)
      and coalesce(private.is_line(a.value ->> 'label', 100) and btrim(a.value ->> 'label') <> '', false))
    from jsonb_each(p_accounts) a), false);

create or replace function private.is_account_of(p_use text, p_number text) returns boolean
language sql immutable set search_path = ''
return p_number ~ case p_use
  when 'charged' then '^6' when 'salary' then '^6'
  when 'client' then '^4' when 'commercial' then '^4' when 'accrued' then '^4' when 'salary_due' then '^4'
  -- Who deducts nothing has the tax in the charge.
  when 'vat' then '^(445|6)' when 'vat_waiting' then '^(445|6)' when 'vat_eu' then '^(445|6)' when 'vat_abroad' then '^(445|6)'
  when 'vat_collected' then '^445' when 'vat_eu_due' then '^445' when 'vat_abroad_due' then '^445'
  when 'paid_virement' then '^[45]' when 'paid_association' then '^[45]'
  when 'paid_cheque_cadeau' then '^[3-6]' when 'paid_remise_societe' then '^[467]'
  else '' end;

set local role parrain_service;
insert into private.accounting_settings (journal_code, journal_label, accounts, posts_payments, posts_payroll, accrues, year_ends_in, set_by)
select s.journal_code, s.journal_label, s.accounts || jsonb_build_object('vat_waiting', case when s.accounts #>> '{vat,number}' like '6%'
    then s.accounts -> 'vat' else '{"number": "445860", "label": "TVA sur factures non parvenues"}' end),
  s.posts_payments, s.posts_payroll, s.accrues, s.year_ends_in, null
from private.accounting_settings s order by s.id desc limit 1;
reset role;

do $$
declare
  target record;
  change text[];
  body text;
begin
  for target in select c.name, array_agg(array[c.old, c.new] order by c.place) as changes from (select row_number() over () as place, v.* from (values
    -- The regime of the day stands on the paper, as the VAT number does.
    ('private.issue_paper(text, uuid, uuid, uuid, date, numeric, boolean, jsonb)', $a$'vat_number', s.vat_number, $a$,
      $b$'vat_number', s.vat_number, 'vat_franchise', s.vat_franchise, $b$),
    ('private.payee_shown(uuid)', $a$'vat_number', 'contest_days']$a$, $b$'vat_number', 'vat_franchise', 'contest_days']$b$),
    ('private.open_entries(date)', $a$A company without a VAT number recovers none: the tax is part of the charge.$a$,
      $b$A company without a VAT number, or in franchise with one, recovers none: the tax is part of the charge.$b$),
    ('private.open_entries(date)', $a$c where c.vat_number is not null);$a$, $b$c where c.vat_number is not null and not c.vat_franchise);$b$),
    ('private.open_entries(date)', $a$'salary_due' else 'client' end as use
    from public.profiles p$a$, $b$'salary_due' else 'client' end as use,
      d.vat_accepted_at is not null as charges_vat
    from public.profiles p$b$),
    ('private.open_entries(date)', $a$z.content #>> '{company,vat_number}' is not null else recovers$a$,
      $b$z.content #>> '{company,vat_number}' is not null
        and z.content #>> '{company,vat_franchise}' is distinct from 'true' else recovers$b$),
    -- What is owed by reverse charge is owed whoever deducts it; who does not has it in the charge.
    ('private.open_entries(date)', $a$case when p.deducts then p.amount else p.total end, 0.00),$a$,
      $b$case when p.deducts then p.amount else p.total + r.reverse_vat end, 0.00),$b$),
    ('private.open_entries(date)', $a$'vat_abroad' end, coalesce((p.reverse ->> 'amount')::numeric, 0.00), 0.00),$a$,
      $b$'vat_abroad' end, case when p.deducts then r.reverse_vat else 0.00 end, 0.00),$b$),
    ('private.open_entries(date)', $a$'vat_abroad_due' end, 0.00, coalesce((p.reverse ->> 'amount')::numeric, 0.00)),$a$,
      $b$'vat_abroad_due' end, 0.00, r.reverse_vat),$b$),
    ('private.open_entries(date)', $a$s.posts_payments else true end as is_settled,$a$, $b$s.posts_payments else true end as is_settled,
      coalesce((p.reverse ->> 'amount')::numeric, 0.00) as reverse_vat,$b$),
    -- Tax that left without an invoice is deducted with the payee's own: until then it waits.
    ('private.open_entries(date)', $a$is distinct from 'true' else recovers end as deducts
$a$, $b$is distinct from 'true' else recovers end as deducts,
      z.series ~ '^T?R$' and n.id is null as waits
$b$),
    ('private.open_entries(date)', $a$upper(left(e.source_id::text, 8)), e.at, null, recovers
$a$, $b$upper(left(e.source_id::text, 8)), e.at, null, recovers, false
$b$),
    ('private.open_entries(date)', $a$(1, 2, 'vat', case$a$, $b$(1, 2, case when p.waits then 'vat_waiting' else 'vat' end, case$b$),
    -- A year's end has what the charge will be.
    ('private.open_entries(date)', $a$t.name, t.code, d.amount
    from ends n$a$, $b$t.name, t.code,
      d.amount + case when t.charges_vat and not recovers then coalesce(private.vat_of(d.amount, private.vat_rate_on(n.next_month - 1)), 0.00) else 0.00 end as amount
    from ends n$b$)) v (name, old, new)) c group by c.name loop
    body := pg_get_functiondef(target.name::regprocedure);
    foreach change slice 1 in array target.changes loop
      if array_length(string_to_array(body, change[1]), 1) <> 2 then raise exception '% is not as expected: %', target.name, change[1]; end if;
      body := replace(body, change[1], change[2]);
    end loop;
    execute body;
  end loop;
end
$$;
