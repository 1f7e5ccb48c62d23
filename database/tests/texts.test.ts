import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { nameExamples } from '@parrain/domain/name-examples';

import { aClient, aCommercial, createTestDatabase } from '../src/testing.ts';
import type { TestDatabase } from '../src/testing.ts';
import { outcome } from './world.ts';

// Every text has a bound that the database itself holds (FX-06), or a reason why nobody can make it long.

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

/** Texts that programs alone write, out of words of ours: why no constraint bounds them. */
const WRITTEN_BY_US: Readonly<Record<string, string>> = {
  'auth.audit_entries.action': 'one of the words of auth/protocol/audit.ts',
  'auth.flow_states.method': 'one of the ways to sign in',
  'auth.identities.email': 'made from identity_data, which is bounded',
  'auth.session_methods.method': 'one of the ways to sign in',
  'auth.signing_keys.algorithm': 'a constant',
  'auth.signing_keys.kid': 'the thumbprint of a key',
  'auth.signing_keys.public_jwk': 'a public key',
  'figures.audit_subjects.entity': 'the name of a table',
  'figures.control_months.act': 'the acts of the ledger',
  'figures.control_months.detail': 'the details of the ledger',
  'figures.referral_delays.step': 'the steps of the funnel',
  'figures.referral_months.state': 'the states of sales',
  'figures.sale_totals.state': 'the states of sales',
  'private.accounting_codes.code': 'seventeen letters and figures, by its own constraint',
  'private.accounting_entries.account_label': 'the label of an account, which private.is_chart bounds',
  'private.accounting_entries.account_number': 'the number of an account, which private.is_chart bounds',
  'private.accounting_entries.auxiliary_code': 'the code of a payee, which is bounded',
  'private.accounting_entries.auxiliary_name': 'the name of a payee, which is bounded',
  'private.accounting_entries.label': 'the words of an act and the name of a payee, which is bounded',
  'private.accounting_entries.lettering': 'the letters of a number',
  'private.accounting_entries.piece': 'the label of a paper, or eight signs of an id',
  'private.accounting_entries.use': 'the uses of the journal’s accounts',
  'private.accounting_settings.accounts': 'nine accounts, whose numbers and labels private.is_chart bounds',
  'private.accounting_settings.journal_code': 'ten letters and figures, by its own constraint',
  'private.alarms.details': 'what an alarm says of itself',
  'private.changes.key': 'the key of a row',
  'private.changes.table_name': 'the name of a table',
  'private.known_words.word': 'forty letters of names, addresses and descriptions, which are bounded',
  'private.mails.last_error': 'a code of SMTP',
  'private.mails.template': 'the names of our mails',
  'private.maintenance_runs.details': 'what a backup or a verification says of itself',
  'private.mandates.seller': 'the details of a payee, which are bounded',
  'private.migrations.checksum': 'a digest',
  'private.migrations.name': 'the name of a file',
  'private.node_messages.content': 'what a socket may say, which is bounded before it is written: realtime/limits.ts',
  'private.personal_links.token': 'a constraint names its letters and how many',
  'private.rate_limits.bucket': 'a purpose with a digest, an id or a network',
  'private.secrets.name': 'the names of our secrets',
  'private.sign_in_failures.account': 'a digest',
  'private.undoubted_pairs.rule': 'one of the rules',
  'private.webhook_deliveries.data': 'a row, whose texts are bounded',
  'private.webhook_deliveries.type': 'the events of webhooks, or a test',
  'public.api_keys.prefix': 'a constraint names its letters and how many',
  'public.audit_entries.action': 'the words of the trail',
  'public.audit_entries.actor': 'a role, or a reason of ours',
  'public.audit_entries.after': 'a row, whose texts are bounded',
  'public.audit_entries.before': 'a row, whose texts are bounded',
  'public.audit_entries.entity': 'the name of a table',
  'public.audit_entries.reason': 'a reason that its own row bounds',
  'public.audit_entries.request_id': 'made by the server',
  'public.disputes.act': 'the acts of the ledger',
  'public.commission_rates.client_rules': 'made in the database of figures that private.check_side_rules bounds',
  'public.commission_rates.commercial_rules': 'made in the database of figures that private.check_side_rules bounds',
  'public.commission_terms.rules': 'one side of a version',
  'public.commission_terms.window_key': 'a year, a quarter, or « all »',
  'public.doubt_reasons.rule': 'one of the rules',
  'public.papers.content': 'made in the database of bounded texts',
  'public.scale_versions.rules': 'made in the database of bounded figures',
  'public.scale_versions.simulation': 'made in the database of bounded figures',
  'storage.loose_blobs.blob': 'a name of ours',
  'storage.objects.blob': 'a name of ours',
  'storage.objects.content_type': 'image/png',
  'storage.objects.etag': 'a digest',
};

/** A constraint bounds a column where it counts its characters or bytes, or names every value or every character it may have. */
const BOUNDING = String.raw`is_line\(|is_text\(|is_name\(|is_company_name\(|length\(|= ANY \((?:ARRAY\[|'\{)|<@ ARRAY\[|= '\w+'::text|~ '\^#\[0-9a-f\]\{6\}\$'|~ '\^\[a-z\]\[a-z-\]\{0,39\}\$'`;

test('[FX-06] every text column has a bound, or a reason why it needs none', async () => {
  const columns = await db.asOwner<{ name: string; is_bounded: boolean }>(
    `select n.nspname || '.' || c.relname || '.' || a.attname as name, exists (
         select from pg_constraint k where k.conrelid = c.oid and k.contype = 'c' and a.attnum = any (k.conkey)
           and pg_get_constraintdef(k.oid) ~ $1) as is_bounded
       from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
      where n.nspname in ('public', 'auth', 'private', 'storage', 'figures') and c.relkind in ('r', 'p') and a.attnum > 0
        and not a.attisdropped and format_type(a.atttypid, null) ~ '^(text|jsonb?|character|bpchar|name|xml)' order by 1`,
    [BOUNDING],
  );
  const unbounded = columns.filter((column) => !column.is_bounded).map(({ name }) => name);
  expect(unbounded).toEqual(Object.keys(WRITTEN_BY_US).toSorted());
});

describe('names', () => {
  const isName = async (name: string): Promise<boolean> =>
    (await db.asOwner<{ is: boolean }>('select private.is_name($1) as is', [name]))[0]?.is === true;

  test.each(nameExamples.people)('[FX-04] « %s » is a name for the database too', async (name) => {
    expect(await isName(name)).toBe(true);
  });

  test.each([...nameExamples.sites, '', '  ', 'x'.repeat(121)])(
    '[FX-04] « %s » is none for the database either',
    async (name) => {
      expect(await isName(name)).toBe(false);
    },
  );

  // Each character on its own: all that is a control character or turns the direction of reading, and nothing else.
  test('[FX-04] [FX-06] the database and the forms refuse the same characters', async () => {
    const points = Array.from({ length: 0xffff }, (_, index) => index + 1).filter((p) => p < 0xd800 || p > 0xdfff);
    const rows = await db.asOwner<{ line: number[]; text: number[] }>(
      `select array_agg(p) filter (where not private.is_line('a' || chr(p) || 'b', 10)) as line,
          array_agg(p) filter (where not private.is_text('a' || chr(p) || 'b', 10)) as text
        from unnest($1::int[]) p`,
      [points],
    );
    const of = (pattern: RegExp) => points.filter((p) => pattern.test(String.fromCodePoint(p)));
    expect(rows).toEqual([
      {
        line: of(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u),
        text: of(/[^\P{Cc}\n\t]|\p{Bidi_Control}/u),
      },
    ]);
  });
});

test('[FX-06] one’s own name and telephone are held to the rules of the form by the database', async () => {
  const client = await aClient(db);
  const write = (column: 'full_name' | 'phone', value: string) =>
    outcome(
      db.become(client, (run) => run(`update public.profiles set ${column} = $1 where id = $2`, [value, client.id])),
    );
  for (const name of ['Ana\r\nBcc: x', 'Ana\u001b[31m', 'Ana \u202egpj.exe', 'Gagnez : https://exemple.fr', ' ']) {
    expect([name, await write('full_name', name)]).toEqual([name, 'profiles_full_name_is_a_name']);
  }
  for (const phone of ['0'.repeat(1_000_000), '06\n07', '06\u200e07']) {
    expect(await write('phone', phone)).toBe('profiles_phone_is_a_line');
  }
  expect(await write('full_name', 'Ana Martin')).toBe('ok');
  expect(await write('phone', '06 12 34 56 78')).toBe('ok');
});

test('[FX-04] nobody’s account is opened under the name of a site, whoever opens it', async () => {
  const site = { fullName: 'Gagnez 500 € : exemple.fr' };
  expect(await outcome(aClient(db, site))).toBe('profiles_full_name_is_a_name');
  expect(await outcome(aCommercial(db, site))).toBe('profiles_full_name_is_a_name');
});
