import { randomBytes } from 'node:crypto';
import type { ClientBase } from 'pg';

/** Number of rows of each kind in a bench's company. */
export type Sizes = {
  readonly sales: number;
  readonly commercials: number;
  readonly clients: number;
};

/** The password of every account of the bench's company. */
export const PASSWORD = `Banc-d-essai-${randomBytes(6).toString('hex')}`;

export const adminEmail = 'admin@bench.example';
export const commercialEmail = (number: number): string => `commercial${number}@bench.example`;
export const clientEmail = (number: number): string => `client${number}@bench.example`;

/**
 * Fills an empty database with two years of a company's life: a quarter of the sales await the admin, a third are
 * validated, some of those were taken back. Rows are written without their triggers, then everything that the triggers
 * keep (balances, totals, audit trail) is written the way they would have, so that every invariant holds.
 *
 * `client` is connected as a superuser; `passwordHash` is the hash of {@link PASSWORD}.
 */
export async function seed(client: ClientBase, sizes: Sizes, passwordHash: string): Promise<void> {
  await client.query(`set session_replication_role = replica; set synchronous_commit = off;
    set maintenance_work_mem = '512MB'; set work_mem = '128MB'; set jit = off`);
  await client.query(HELPERS);
  await client.query('begin');
  const indexes = await dropIndexes(client);
  const { sales, commercials, clients } = sizes;
  await client.query(PEOPLE.accounts, [commercials, clients, passwordHash]);
  await client.query(PEOPLE.identities);
  await client.query(PEOPLE.profiles, [commercials]);
  await client.query(SCALES);
  await client.query(SALES, [sales, commercials, clients]);
  await client.query(VERSIONS);
  await client.query(TERMS);
  await client.query(CORRECTIONS);
  await client.query(PAYMENTS);
  for (const definition of indexes) await client.query(definition);
  await client.query(REQUESTS);
  await client.query(LEDGER);
  await client.query(BALANCES);
  await client.query(AUDIT.sales);
  await client.query(AUDIT.requests);
  await client.query(AUDIT.subjects);
  await client.query('select private.recount()');
  await client.query('commit');
  await client.query('vacuum analyze');
  await client.query('checkpoint');
}

/** Secondary indexes are made once all rows are there: several times faster, the trigrams above all. */
async function dropIndexes(client: ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ name: string; definition: string }>(`
    select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition
    from pg_index i
    where i.indrelid in ('public.sales'::regclass, 'public.commission_payments'::regclass, 'public.audit_entries'::regclass)
      and not i.indisunique`);
  for (const { name } of rows) await client.query(`drop index ${name}`);
  return rows.map(({ definition }) => definition);
}

/** The same id for the same thing wherever it is named, without a table of ids; a UUID of version 4 in its shape. */
const HELPERS = `
  create function pg_temp.id(kind text, n bigint) returns uuid language sql immutable
    return overlay(overlay(md5(kind || n) placing '4' from 13) placing 'a' from 17)::uuid;
  create function pg_temp.name(n bigint) returns text language sql immutable return
    (array['Camille', 'Louise', 'Hugo', 'Inès', 'Jules', 'Zoé', 'Gabriel', 'Manon', 'Théo', 'Chloé', 'Raphaël', 'Léa',
      'Nathan', 'Éloïse', 'Maël', 'Anaïs', 'Tom', 'Jade', 'Lucas', 'Sarah'])[1 + n % 20] || ' ' ||
    (array['Martin', 'Bernard', 'Dubois', 'Petit', 'Durand', 'Leroy', 'Moreau', 'Simon', 'Laurent', 'Lefèvre', 'Michel',
      'Garcia', 'Roux', 'Fournier', 'Girard', 'Bonnet', 'Lambert', 'Fontaine', 'Rousseau', 'Faure', 'Mercier', 'Blanc',
      'Guérin', 'Boyer', 'Garnier', 'Chevalier', 'Gauthier', 'Perrin', 'Robin', 'Morel'])[1 + n / 20 % 30] || ' ' || n;
  -- Numbers that look random and are the same at every run.
  create function pg_temp.pick(kind text, n bigint, below bigint) returns bigint language sql immutable
    return (hashtextextended(kind || n, 42) & 9223372036854775807) % below;`;

const PEOPLE = {
  accounts: `
    insert into auth.users (id, email, encrypted_password, email_confirmed_at, raw_app_meta_data, created_at)
    select person.id, person.email, $3::text, now() - interval '2 years',
      jsonb_build_object('provider', 'email', 'providers', jsonb_build_array('email'), 'role', person.role),
      now() - interval '2 years'
    from (
      select pg_temp.id('admin', 1) as id, 'admin@bench.example' as email, 'admin' as role
      union all select pg_temp.id('commercial', n), 'commercial' || n || '@bench.example', 'commercial' from generate_series(0, $1::int - 1) n
      union all select pg_temp.id('client', n), 'client' || n || '@bench.example', 'client' from generate_series(0, $2::int - 1) n) person`,
  identities: `
    insert into auth.identities (user_id, provider, provider_id, identity_data)
    select id, 'email', id::text, jsonb_build_object('sub', id, 'email', email, 'email_verified', true, 'phone_verified', false)
    from auth.users`,
  profiles: `
    insert into public.profiles (id, full_name, email, phone, role, created_at, company, commercial_id)
    select u.id, pg_temp.name(n), u.email, '06' || lpad((n % 100000000)::text, 8, '0'), u.role,
      now() - interval '2 years' + (n % 700) * interval '1 day', case when n % 3 = 0 then 'Entreprise ' || n end,
      case when u.role = 'client' then pg_temp.id('commercial', n % $1::int) end
    from (select id, email, raw_app_meta_data ->> 'role' as role, coalesce(substring(email from '\\d+'), '0')::bigint as n from auth.users) u`,
};

const SCALES = `
  insert into public.commission_rates (id, name, client_commission_type, client_commission_amount,
    commercial_commission_type, commercial_commission_amount, created_at, is_default)
  values (pg_temp.id('scale', 0), 'Standard', 'percentage', 10, 'fixed', 50, now() - interval '2 years', true),
    (pg_temp.id('scale', 1), 'Grand compte', 'percentage', 2.9, 'percentage', 1.75, now() - interval '2 years', false)`;

/** In order of time, as rows come; of a hundred: 15 pending, 10 contacted, 8 in negotiation, 25 awaiting, 32 validated, 10 rejected. */
const SALES = `
  insert into public.sales (id, created_at, updated_at, status, referred_contact_name, referred_contact_email,
    referred_contact_phone, personal_message, contract_amount, contract_description, commercial_id, client_referrer_id,
    friend_referrer_id, commission_rate, ready_for_validation, admin_validated, rejection_reason, validated_at, validated_by,
    client_commission_amount, commercial_commission_amount, client_commission_type, client_commission_rate,
    commercial_commission_type, commercial_commission_rate, contacted_at, negotiated_at, signed_at)
  select pg_temp.id('sale', n), at, at, status, pg_temp.name(n * 7 + 3), 'ami' || n || '@exemple.example',
    '07' || lpad((n % 100000000)::text, 8, '0'), case when n % 4 = 0 then 'Je te recommande cette entreprise.' end,
    case when has_contract then amount end, case when has_contract then 'Contrat annuel n° ' || n end,
    pg_temp.id('commercial', client_number % $2::int),
    case when referrer between 90 and 94 then pg_temp.id('client', client_number) end,
    case when referrer < 90 then pg_temp.id('client', client_number) end,
    case when is_ready then r.id end, is_ready, is_validated,
    case when status = 'rejected' then 'Le projet est abandonné.' end,
    case when is_validated then at + decided end, case when is_validated then pg_temp.id('admin', 1) end,
    case when is_ready then case when referrer < 95
      then private.commission(r.client_commission_type, r.client_commission_amount, amount) else 0 end end,
    case when is_ready then private.commission(r.commercial_commission_type, r.commercial_commission_amount, amount) end,
    case when is_ready then r.client_commission_type end, case when is_ready then r.client_commission_amount end,
    case when is_ready then r.commercial_commission_type end, case when is_ready then r.commercial_commission_amount end,
    case when state between 15 and 89 then at + decided * (5 + pg_temp.pick('contacted', n, 30)) / 100 end,
    case when state between 25 and 89 then at + decided * (35 + pg_temp.pick('negotiated', n, 30)) / 100 end,
    case when is_ready then at + decided * (65 + pg_temp.pick('signed', n, 30)) / 100 end
  from (
    select n, state, least(interval '20 days', (now() - at) / 2) as decided, at,
      pg_temp.pick('client', n, $3::int) as client_number,
      pg_temp.pick('referrer', n, 100) as referrer, 600 + pg_temp.pick('amount', n, 940000)::numeric / 100 as amount,
      state between 33 and 89 as is_ready, state between 58 and 89 as is_validated, state between 25 and 94 as has_contract,
      case when state < 15 or state between 33 and 42 then 'pending' when state < 25 then 'contacted'
        when state < 33 then 'in_negotiation' when state < 90 then 'validated' else 'rejected' end as status
    from (select n, pg_temp.pick('state', n, 100) as state, now() - interval '2 years' * (($1::bigint - n)::float8 / $1::bigint) as at
      from generate_series(1, $1::bigint) n offset 0) numbered
    -- Without it the planner would work out each of these once per use.
    offset 0) s
  join public.commission_rates r on r.id = pg_temp.id('scale', n % 2)
  order by n`;

const CORRECTIONS = `
  insert into public.sales (id, created_at, updated_at, status, referred_contact_name, referred_contact_email, referred_contact_phone,
    contract_amount, contract_description, commercial_id, client_referrer_id, friend_referrer_id, commission_rate,
    ready_for_validation, admin_validated, validated_at, validated_by, client_commission_amount, commercial_commission_amount,
    client_commission_type, client_commission_rate, commercial_commission_type, commercial_commission_rate,
    corrects_sale_id, correction_reason)
  select gen_random_uuid(), validated_at, validated_at, 'validated', referred_contact_name, referred_contact_email, referred_contact_phone,
    -contract_amount, contract_description, commercial_id, client_referrer_id, friend_referrer_id, commission_rate,
    true, true, validated_at, validated_by, -client_commission_amount, -commercial_commission_amount,
    client_commission_type, client_commission_rate, commercial_commission_type, commercial_commission_rate,
    id, 'Le contrat a été résilié.'
  from public.sales s where admin_validated and hashtext(id::text) % 200 = 0`;

/** The one version of each scale, with the triggers of a scale away (SC-01); each validated contract keeps it. */
const VERSIONS = `
  insert into public.scale_versions (rate_id, number, name, first_day, rules, sha256, published_at)
  select r.id, 1, r.name, (r.created_at at time zone 'Europe/Paris')::date, k.rules, private.rules_hash(k.rules), r.created_at
  from public.commission_rates r
  cross join lateral (select private.scale_rules(r.client_commission_type, r.client_commission_amount, r.commercial_commission_type,
    r.commercial_commission_amount, r.client_hold_days, r.from_contract_amount, null, null, null) as rules) k`;

const TERMS = `
  insert into public.sale_terms (sale_id, version_id, number, first_day)
  select s.id, v.id, v.number, v.first_day
  from public.sales s join public.scale_versions v on v.rate_id = s.commission_rate
  where s.admin_validated and s.corrects_sale_id is null`;

const PAYMENTS = `
  insert into public.commission_payments (sale_id, recipient_id, type, amount, created_at, paid_at)
  select s.id, side.recipient_id, side.type, side.amount, s.validated_at, s.validated_at
  from public.sales s
  cross join lateral (values
    (coalesce(s.friend_referrer_id, s.client_referrer_id), 'client', s.client_commission_amount),
    (s.commercial_id, 'commercial', s.commercial_commission_amount)) side (recipient_id, type, amount)
  where s.admin_validated and side.recipient_id is not null
  order by s.validated_at`;

/**
 * Of what each client earned: half was paid, some is asked for, and something more was once refused; each in its turn since their first
 * commission, so that a day has its share of the company's two years and no more.
 */
const REQUESTS = `
  insert into public.payment_requests (client_id, amount, payment_method, payment_details, status, rejection_reason,
    created_at, updated_at, approved_at, paid_at)
  select e.id, r.amount, 'virement', '{"iban": "FR76 •••• 0189", "beneficiary_name": "Titulaire du compte"}', r.status,
    case when r.status = 'rejected' then 'Le justificatif manque.' end, k.at, k.at,
    case when r.status in ('approved', 'paid') then k.at end, case when r.status = 'paid' then k.at end
  from (
    select recipient_id as id, sum(amount) as net, min(created_at) as first, hashtext(recipient_id::text) & 3 as choice
    from public.commission_payments where type = 'client' group by recipient_id) e
  cross join lateral (values (0, 'paid', round(e.net / 4, 2)), (1, 'paid', round(e.net / 4, 2)), (2, 'rejected', round(e.net / 2, 2)),
    (3, case e.choice when 0 then 'pending' when 1 then 'approved' else 'rejected' end, round(e.net / 5, 2))) r (turn, status, amount)
  cross join lateral (
    select e.first + (now() - e.first) * (0.4 + 0.15 * r.turn + pg_temp.pick('request' || r.turn, hashtext(e.id::text), 150) / 1000.0) as at) k
  where r.amount >= 1`;

const LEDGER = `
  insert into public.ledger_entries (at, act, source_id, line, payee_id, debit, credit, amount, detail, is_test)
  select e.at, e.act, e.source_id, e.line, e.payee_id, e.debit, e.credit, e.amount, e.detail, e.is_test
  from figures.expected_ledger e order by e.at, e.act in ('refusal', 'settlement')`;

const BALANCES = `
  insert into public.balances (profile_id, earned, reversed, reserved, paid, held)
  select profile_id, earned, reversed, reserved, paid, held from figures.recounted_balances`;

/** One entry for each row, which is in its first version. */
const auditOf = (table: string): string => `
  insert into public.audit_entries (at, actor, entity, entity_id, action, after, hash)
  select (e).at, (e).actor, (e).entity, (e).entity_id, (e).action, (e).after, private.audit_hash(e)
  from (select (0, created_at, null, 'bench', '${table}', id, 'insert', null, jsonb_build_object('status', status), null, null, null, null)::public.audit_entries as e
    from public.${table} order by created_at offset 0) made`;

const AUDIT = {
  sales: auditOf('sales'),
  requests: auditOf('payment_requests'),
  subjects: `
    insert into figures.audit_subjects (about_id, at, entry_id, entity)
    select e.about_id, e.at, e.entry_id, e.entity from figures.expected_audit_subjects e`,
};
