import { afterAll, beforeAll, expect, test, vi } from 'vitest';

import { aClient, aSale, startTestServer } from './testing/index.ts';
import type { Person, TestServer } from './testing/index.ts';

// Tables that grow by themselves are bounded (D-83): each table of the server's own has a verdict, and lapsed rows are gone after the
// night's work.

/** Why a table may stay as it is. One that is in neither list has no verdict. */
const KEPT: Readonly<Record<string, string>> = {
  'auth.factors': 'as long as the person, and a day where it was never verified',
  'auth.identities': 'as long as the person',
  'auth.recovery_codes': 'as long as the factor',
  'auth.session_methods': 'as long as the session',
  'auth.users': 'as long as the person',
  'auth.webauthn_credentials': 'as long as the person',
  'figures.audit_subjects': 'as long as the entry that it files',
  'figures.best_referrers': 'five rows for each period on screen, made anew each night',
  'figures.company_totals': 'some rows for each total',
  'figures.control_months': 'some rows for each month',
  'figures.control_until': 'one row',
  'figures.counted_until': 'one row',
  'figures.last_referrals': 'as long as the person',
  'figures.referral_delays': 'some rows for each month',
  'figures.referral_months': 'some rows for each month',
  'figures.referrer_totals': 'some rows for each person',
  'figures.sale_totals': 'some rows for each commercial and state',
  'figures.validated_months': 'some rows for each month, commercial and scale',
  'private.known_words': 'one row for each word, made anew each night',
  'private.accounting_codes': 'the company’s accounts: ten years',
  'private.accounting_entries': 'the company’s accounts: ten years',
  'private.accounting_months': 'the company’s accounts: ten years',
  'private.accounting_settings': 'the company’s accounts: ten years',
  'private.mandates': 'the company’s accounts: ten years',
  'private.payee_invoice_files': 'the company’s accounts: ten years',
  'private.paper_files': 'the company’s accounts: ten years',
  'private.paper_series': 'the company’s accounts: ten years',
  'private.e_invoicing': 'one row',
  'private.e_invoices': 'the company’s accounts: ten years',
  'private.e_invoice_statuses': 'the company’s accounts: ten years',
  'private.received_invoices': 'the company’s accounts: ten years',
  'private.received_invoice_files': 'the company’s accounts: ten years, or until it is set aside',
  'private.received_invoice_statuses': 'the company’s accounts: ten years',
  'private.set_aside_suppliers': 'until an admin takes it back',
  'private.legal_notice': 'one row',
  'private.paper_settings': 'one row',
  'private.proof_files': 'the company’s accounts: ten years',
  'private.programme_rules': 'for ever: what clients accepted',
  'private.programme_rules_draft': 'one row',
  'private.rules_acceptances': 'as long as the person: a proof',
  'private.announced_erasures': 'as long as the sale, and until the friend is forgotten',
  'private.former_follow_ups':
    'until the next move, once it cannot be taken back any more; and as long as the sale and its friend',
  'private.payee_details': 'as long as the person',
  'private.das2_settings': 'one row',
  'private.archive_parts': 'as long as the archive',
  'private.batch_files': 'as long as the batch',
  'private.company_account': 'one row',
  'private.commercial_wishes': 'one row for each client, until they have a commercial',
  'private.turns': 'one row for each commercial',
  'private.control_changes': 'who lifted a control, and who agreed: some rows a year',
  'private.import_columns': 'two hundred at most for each person, as long as the person',
  'private.imported_rows': 'as long as the person who came in so',
  'private.list_views': 'fifty at most for each person, as long as the person',
  'private.notice_mails': 'until mailed, a day at most',
  'private.push_messages': 'until sent, a day at most',
  'private.push_subscriptions': 'as long as the session',
  'private.personal_links': 'as long as the person',
  'private.opted_out': 'for ever: who said no is not asked again',
  'private.payment_secrets': 'as long as the request',
  'private.reminders': 'two rows at most for each sale',
  'private.secrets': 'some rows in all',
  'private.webhooks': 'ten at most',
  'public.call_consents': 'as long as the sale: a proof',
  'public.account_closure_requests': 'the company’s accounts: ten years',
  'private.api_key_secrets': 'until the key is revoked',
  'public.api_keys': 'its name, which the trail says: ten years',
  'public.external_references': 'as long as the sale',
  'public.audit_entries': 'the company’s accounts: ten years',
  'public.balances': 'as long as the person',
  'public.commission_holds': 'the company’s accounts: ten years',
  'public.commission_payments': 'the company’s accounts: ten years',
  'public.commission_rates': 'the company’s accounts: ten years',
  'public.scale_versions': 'the company’s accounts: ten years',
  'public.sale_terms': 'as long as the sale',
  'public.commission_terms': 'as long as the sale',
  'public.company_settings': 'one row',
  'public.correction_requests': 'as long as the sale, and until the friend is forgotten',
  'public.debt_acts': 'the company’s accounts: ten years',
  'public.dispute_messages': 'the company’s accounts: ten years',
  'public.disputes': 'the company’s accounts: ten years',
  'private.undoubted_pairs': 'as long as both people',
  'public.doubt_reasons': 'as long as the case',
  'public.doubt_rules': 'some rows in all',
  'public.follow_ups': 'as long as the sale, and until the friend is forgotten',
  'public.friend_messages': 'as long as the sale: a proof',
  'public.ledger_entries': 'the company’s accounts: ten years',
  'public.news_requests': 'as long as the sale',
  'public.notice_preferences': 'four rows at most for each person',
  'public.payment_batch_lines': 'the company’s accounts: ten years',
  'public.paid_periods': 'the company’s accounts: ten years',
  'public.payee_invoices': 'the company’s accounts: ten years',
  'public.papers': 'the company’s accounts: ten years',
  'public.payee_ibans': 'as long as the person',
  'public.bank_accounts': 'as long as the person: a row each time that they change it',
  'private.bank_account_secrets': 'as long as the account',
  'public.payment_proofs': 'the company’s accounts: ten years',
  'public.payment_batches': 'the company’s accounts: ten years',
  'public.payment_requests': 'the company’s accounts: ten years',
  'public.profiles': 'as long as the person',
  'public.sales': 'the company’s accounts: ten years',
  'storage.loose_blobs': 'until the next sweep, see storage/s3.test.ts',
  'storage.objects': 'the logo, and those it replaces for a while',
};

/** Rows for each table with a retention period: one past it, and one within it. $1 is a person, $2 their session. */
const LAPSED: Readonly<Record<string, readonly [over: string, still: string]>> = {
  'auth.audit_entries': [
    `(action, at) values ('login', now() - interval '13 months')`,
    `(action, at) values ('user_created', now() - interval '13 months')`,
  ],
  'auth.challenges': [
    `(user_id, kind, expires_at) values ($1, 'passkey_registration', now() - interval '2 days')`,
    `(user_id, kind, expires_at) values ($1, 'passkey_registration', now() + interval '1 minute')`,
  ],
  'auth.flow_states': [
    `(user_id, code_challenge, code_hash, method, expires_at) values ($1, 'c', sha256('1'), 's256', now() - interval '2 days')`,
    `(user_id, code_challenge, code_hash, method, expires_at) values ($1, 'c', sha256('2'), 's256', now() + interval '1 minute')`,
  ],
  'auth.one_time_tokens': [
    `(user_id, kind, token_hash, relates_to, expires_at) values ($1, 'recovery', sha256('1'), 'x', now() - interval '2 days')`,
    `(user_id, kind, token_hash, relates_to, expires_at) values ($1, 'confirmation', sha256('2'), 'x', now() + interval '1 hour')`,
  ],
  'auth.provider_flows': [
    `(provider, redirect_to, sealed, state_hash, expires_at) values ('x', '/', '\\x00', sha256('1'), now() - interval '2 days')`,
    `(provider, redirect_to, sealed, state_hash, expires_at) values ('x', '/', '\\x00', sha256('2'), now() + interval '1 minute')`,
  ],
  'auth.sessions': [
    `(user_id, refresh_key_sealed, refreshed_at) values ($1, '\\x00', now() - interval '13 months')`,
    `(user_id, refresh_key_sealed, refreshed_at) values ($1, '\\x00', now() - interval '11 months')`,
  ],
  'auth.signing_keys': [
    `(kid, algorithm, private_jwk_sealed, public_jwk, retired_at) values ('over', 'ES256', '\\x00', '{}', now() - interval '2 days')`,
    `(kid, algorithm, private_jwk_sealed, public_jwk, retired_at) values ('still', 'ES256', '\\x00', '{}', now())`,
  ],
  'auth.used_proofs': [
    `(proof_hash, expires_at) values (sha256('1'), now() - interval '1 minute')`,
    `(proof_hash, expires_at) values (sha256('2'), now() + interval '1 minute')`,
  ],
  'private.alarms': [
    `(kind, details, raised_at, cleared_at) values ('mail_stuck', '{}', now() - interval '14 months', now() - interval '13 months')`,
    `(kind, details, raised_at) values ('mail_stuck', '{}', now() - interval '14 months')`,
  ],
  'private.appointment_requests': [
    `(name, email, created_at) values ('A', 'a@exemple.fr', now() - interval '13 months')`,
    `(name, email, created_at) values ('B', 'b@exemple.fr', now())`,
  ],
  'private.archives': [
    `(status, row_count, size, ended_at) values ('ready', 1, 1, now() - interval '8 days')`,
    `(status, row_count, size, ended_at) values ('ready', 1, 1, now() - interval '6 days')`,
  ],
  'private.changes': [
    `(table_name, operation, key, at) values ('sales', 'INSERT', 'over', now() - interval '2 hours')`,
    `(table_name, operation, key, at) values ('sales', 'INSERT', 'still', now())`,
  ],
  'private.idempotency_keys': [
    `(user_id, key, request_hash, created_at) values ($1, 'over', '\\x00', now() - interval '3 days')`,
    `(user_id, key, request_hash, created_at) values ($1, 'still', '\\x00', now())`,
  ],
  // One that is confirmed stays: it says who made it, and can be undone.
  'private.imports': [
    `(kind, made_by, file_name, lines, read_at) values ('clients', $1, 'over', '[]', now() - interval '2 days')`,
    `(kind, made_by, file_name, lines, read_at) values ('clients', $1, 'still', '[]', now())`,
  ],
  'private.kept_broadcasts': [
    `(room, event, json, at, expires_at) values ('r', 'over', '{}', now() - interval '1 day', now() - interval '1 minute')`,
    `(room, event, json, at, expires_at) values ('r', 'still', '{}', now(), now() + interval '1 minute')`,
  ],
  'private.mails': [
    `(id, template, created_at) values (gen_random_uuid(), 'over', now() - interval '91 days')`,
    `(id, template, created_at) values (gen_random_uuid(), 'still', now() - interval '89 days')`,
  ],
  'private.maintenance_runs': [
    `(kind, started_at, finished_at, succeeded) values ('backup', now() - interval '13 months', now() - interval '13 months', false)`,
    `(kind, started_at, finished_at, succeeded) values ('backup', now() - interval '14 months', now() - interval '14 months', true)`,
  ],
  'private.webhook_deliveries': [
    `(webhook_id, type, stream_id, data, created_at) select id, 'over', id, '{}', now() - interval '31 days' from private.webhooks`,
    `(webhook_id, type, stream_id, data, created_at) select id, 'still', id, '{}', now() - interval '29 days' from private.webhooks`,
  ],
  'private.node_messages': [
    `(content, at) values ('over', now() - interval '2 minutes')`,
    `(content, at) values ('still', now())`,
  ],
  'public.notices': [
    `(recipient_id, kind, sale_id, created_at) select $1, 'referral_signed', id, now() - interval '181 days' from public.sales`,
    `(recipient_id, kind, sale_id, created_at) select $1, 'referral_signed', id, now() - interval '179 days' from public.sales`,
  ],
  'private.rate_limits': [
    `(bucket, tokens, refilled_at) values ('over', 1, now() - interval '2 days')`,
    `(bucket, tokens, refilled_at) values ('still', 1, now())`,
  ],
  'public.doubtful_cases': [
    `(payee_id, status, decided_at, decided_by, reason) values ($1, 'cleared', now() - interval '13 months', $1, 'x'),
      ($1, 'confirmed', now() - interval '61 months', $1, 'x')`,
    `(payee_id, status, decided_at, decided_by, reason) values ($1, 'cleared', now() - interval '11 months', $1, 'x'),
      ($1, 'confirmed', now() - interval '59 months', $1, 'x'), ($1, 'open', null, null, null)`,
  ],
  'private.refused_referrals': [
    `(sale_id, client_id, refused_at) select id, $1, now() - interval '13 months' from public.sales`,
    `(sale_id, client_id, refused_at) select id, $1, now() - interval '11 months' from public.sales`,
  ],
  'private.sign_in_failures': [
    `(account, failures, last_at) values ('over', 1, now() - interval '2 days')`,
    `(account, failures, last_at) values ('still', 1, now())`,
  ],
};

let server: TestServer;
let person: Person;
beforeAll(async () => {
  server = await startTestServer();
  person = await aClient(server.database);
  await aSale(server.database);
  await server.database.asOwner(
    `insert into private.webhooks (id, url, events, secret_sealed) values (gen_random_uuid(), 'https://crm.example/', '{sale.validated}', '\\x00')`,
  );
});
afterAll(() => server.close());

test('[D-83] [OP-06] each table has its verdict: kept, and why, or cleaned', async () => {
  const tables = await server.database.asOwner<{ name: string }>(
    `select n.nspname || '.' || c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname in ('public', 'auth', 'storage', 'private', 'figures') and c.relkind in ('r', 'p')
       and c.relname <> 'migrations' order by 1`,
  );
  expect(tables.map(({ name }) => name)).toEqual([...Object.keys(KEPT), ...Object.keys(LAPSED)].toSorted());
});

test('[D-83] [OP-06] expired rows go at night, and nothing else', async () => {
  const { database, services } = server;
  // A change of a row that is told of is a row too.
  const told = await database.asOwner<{ statement: string }>(
    `select format('alter table %s disable trigger %I', t.tgrelid::regclass, t.tgname) as statement from pg_trigger t
     where t.tgfoid in ('private.record_changes'::regproc, 'private.tell_person'::regproc, 'private.tell_new_rules'::regproc)`,
  );
  for (const { statement } of told) await database.asOwner(statement);
  const counted = new Map<string, number>();
  const count = async (table: string): Promise<number> =>
    Number((await database.asOwner<{ n: string }>(`select count(*) as n from ${table}`))[0]?.n);
  for (const [table, [over, still]] of Object.entries(LAPSED)) {
    const insert = (row: string): Promise<unknown> =>
      database.asOwner(`insert into ${table} ${row}`, row.includes('$1') ? [person.id] : []);
    await insert(still);
    counted.set(table, await count(table));
    await insert(over);
  }
  await services.db.asService('test', async (tx) => {
    for (const task of ['auth_cleanup', 'functions_cleanup', 'realtime-cleanup'])
      await services.jobs.enqueue(tx, task, {});
  });
  const left = async (): Promise<Record<string, number>> =>
    Object.fromEntries(
      await Promise.all([...counted.keys()].map(async (table) => [table, await count(table)] as const)),
    );
  const expected = Object.fromEntries(counted);
  await expect.poll(left, { interval: 200 }).toEqual(expected);
});

test('[FX-29] a job that no attempt is left for goes after 30 days, and the text of a mail that failed with it', async () => {
  const { database, services } = server;
  await database.asOwner(
    `insert into private.mails (template, status, status_since, is_secret, sealed) values
       ('over', 'failed', now() - interval '31 days', false, '\\x00'),
       ('still', 'failed', now() - interval '29 days', false, '\\x00')`,
  );
  await services.db.asService('test', async (tx) => {
    for (const name of ['over', 'still', 'waiting']) await services.jobs.enqueue(tx, 'nobody_does_this', { name });
  });
  await database.asOwner(`alter table graphile_worker._private_jobs disable trigger user`);
  await database.asOwner(
    `update graphile_worker._private_jobs set attempts = case when payload ->> 'name' = 'waiting' then 0 else max_attempts end,
       updated_at = now() - case when payload ->> 'name' = 'still' then interval '29 days' else interval '31 days' end
     where payload ->> 'name' is not null`,
  );
  await services.db.asService('test', (tx) => services.jobs.enqueue(tx, 'functions_cleanup', {}));
  const left = () =>
    database.asOwner(`select payload ->> 'name' as name from graphile_worker._private_jobs where payload ->> 'name' is not null
      union all select 'text of ' || template from private.mails where sealed is not null order by 1`);
  await vi.waitFor(
    async () => expect(await left()).toEqual([{ name: 'still' }, { name: 'text of still' }, { name: 'waiting' }]),
    { timeout: 120_000, interval: 100 },
  );
});
