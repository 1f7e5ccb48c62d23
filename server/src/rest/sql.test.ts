import { createDatabase } from '#platform/database';
import { createLog } from '#platform/log';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { createTestDatabase } from '../testing/index.ts';
import type { TestDatabase } from '../testing/index.ts';
import { parseQuery } from './parse.ts';
import { planRead, sourceOf } from './plan.ts';
import { pairsOf } from './query-string.ts';
import { RestError } from './rest-error.ts';
import { loadSchemaCache } from './schema-cache.ts';
import type { SchemaCache } from './schema-cache.ts';
import { estimateStatement, readStatement } from './sql.ts';
import type { Statement } from './statement.ts';

let database: TestDatabase;
let cache: SchemaCache;

beforeAll(async () => {
  database = await createTestDatabase();
  const db = createDatabase(database.owner, createLog('silent'));
  cache = await loadSchemaCache(db);
  await db.close();
});
afterAll(() => database.drop());

function statementOf(query: string, table = 'sales'): Statement {
  const relation = cache.relations.get(table);
  if (relation === undefined) throw new Error(`There is no ${table}`);
  const level = planRead(cache, sourceOf(relation), parseQuery(pairsOf(query)));
  return readStatement(level, {
    from: `public."${table}" as t0`,
    media: { shape: 'array', stripNulls: false },
    showsRows: true,
    total: 'exact',
    isLimited: true,
  });
}

/** The names between double quotes, the texts between single ones, and what is left. */
function tokensOf(text: string): { names: string[]; texts: string[]; rest: string } {
  const names = [...text.matchAll(/"((?:[^"]|"")*)"/gu)].map(([, name = '']) => name);
  const bare = text.replace(/"(?:[^"]|"")*"/gu, ' ');
  const texts = [...bare.matchAll(/'((?:[^']|'')*)'/gu)].map(([, value = '']) => value);
  return { names, texts, rest: bare.replace(/'(?:[^']|'')*'/gu, ' ') };
}

const WORDS = new Set(
  `select from as where and or not order by asc desc nulls first last limit offset public coalesce json_agg row_to_json
   count int int8 text null total body rows exists case when then else end is true false any all like ilike distinct
   to_jsonb left join lateral on to_tsvector to_tsquery plainto_tsquery phraseto_tsquery websearch_to_tsquery regconfig
   numeric date uuid boolean unknown`.split(/\s+/u),
);

/** Everything that stands in a statement is the schema's, a response key, or one of our own words. */
function expectOurs({ text }: Statement, keys: readonly string[]): void {
  const { names, texts, rest } = tokensOf(text);
  const known = new Set([...keys, '(row)']);
  for (const relation of cache.relations.values()) {
    known.add(relation.name);
    for (const column of relation.columns.keys()) known.add(column);
  }
  for (const list of cache.relationships.values()) for (const { constraint } of list) known.add(constraint);
  expect(names.filter((name) => !known.has(name))).toEqual([]);
  expect(texts.filter((value) => value !== '[]')).toEqual([]);
  const words = rest.match(/[a-z_][a-z0-9_]*/giu) ?? [];
  expect(words.filter((word) => !WORDS.has(word) && !/^(?:t|c)\d+$/u.test(word))).toEqual([]);
  expect(rest.replace(/[a-z_][a-z0-9_]*|\$\d+|\b\d+\b/giu, '')).toMatch(/^[\s,.()=<>:*+|~&@-]*$/u);
}

describe('what reaches PostgreSQL', () => {
  const SENTINEL = 'zqx';

  test.each([
    `status=eq.${SENTINEL}`,
    `status=in.(${SENTINEL},"${SENTINEL}')")`,
    `status=like.*${SENTINEL}*&referred_contact_name=match.${SENTINEL}`,
    `or=(status.eq."${SENTINEL}'",and(status.ilike.${SENTINEL},contract_amount.gt.${SENTINEL}))`,
    `referred_contact_name=fts(${SENTINEL}).${SENTINEL}`,
    `status=eq(any).{${SENTINEL}}`,
    `referred_contact_name->${SENTINEL}->>${SENTINEL}2=eq.${SENTINEL}`,
    `select=id,name:referred_contact_name->${SENTINEL}&order=referred_contact_name->>${SENTINEL}`,
    `select=id,commercial:profiles!sales_commercial_id_fkey!inner(id)&commercial.full_name=eq.${SENTINEL}`,
    `select=id,commission_payments(id)&commission_payments.type=neq.${SENTINEL}&commission_payments.limit=3&offset=7`,
    `select=id,...profiles!sales_commercial_id_fkey(full_name)&profiles.full_name=ilike.${SENTINEL}`,
  ])('[A-61] the text holds nothing of %s', (query) => {
    const statement = statementOf(query);
    expect(statement.text).not.toContain(SENTINEL);
    expectOurs(statement, ['name', 'commercial']);
  });

  test('[A-61] whatever is asked, the statement is made of the schema’s names and of our words, and PostgreSQL reads it', async () => {
    const value = fc.oneof(fc.string({ maxLength: 10 }), fc.constantFrom("';--", '$1', '\\', '"', '*/', '/*', "e'\\"));
    const column = fc.constantFrom('status', 'referred_contact_name', 'contract_description');
    const filter = fc.oneof(
      fc
        .tuple(column, fc.constantFrom('eq', 'neq', 'like', 'not.ilike', 'gt', 'isdistinct'), value)
        .map(([name, operator, operand]) => `${name}=${encodeURIComponent(`${operator}.${operand}`)}`),
      fc
        .tuple(column, fc.array(value, { maxLength: 3 }))
        .map(
          ([name, members]) =>
            `${name}=${encodeURIComponent(`in.(${members.map((one) => `"${one.replace(/["\\]/gu, '\\$&')}"`).join(',')})`)}`,
        ),
      fc
        .tuple(column, value)
        .map(
          ([name, operand]) =>
            `or=${encodeURIComponent(`(${name}.eq."${operand.replace(/["\\]/gu, '\\$&')}",status.is.null)`)}`,
        ),
    );
    const alias = fc.stringMatching(/^[a-zA-Zé_][\w é$-]{0,8}[a-z]$/u).filter((text) => !text.includes('--'));
    const select = fc
      .tuple(alias, alias, fc.constantFrom('inner', 'left'))
      .map(
        ([one, other, join]) =>
          `select=${encodeURIComponent(`id,"${one}":status,"${other}":profiles!sales_commercial_id_fkey!${join}(full_name),commission_payments(*)`)}`,
      );
    const keys = new Set<string>();
    const texts = new Set<string>();
    fc.assert(
      fc.property(select, fc.array(filter, { maxLength: 4 }), fc.nat({ max: 2000 }), (items, filters, limit) => {
        for (const [, key = ''] of decodeURIComponent(items).matchAll(/"([^"]*)":/gu)) keys.add(key);
        const statement = statementOf(
          [items, ...filters, `limit=${limit}`, 'order=created_at.desc.nullslast'].join('&'),
        );
        expectOurs(statement, [...keys]);
        texts.add(statement.text);
      }),
      { numRuns: 300 },
    );
    for (const text of [...texts].slice(0, 60)) {
      await database.asOwner(`explain (generic_plan) ${text}`);
    }
  });

  test('[A-61] a response key that could end its quotes is refused', () => {
    for (const key of ['a"b', 'a";drop table sales;--', "a'b", 'a(b', 'a\nb', 'a\\b', 'a\0b']) {
      const query = `select=${encodeURIComponent(`"${key.replace(/["\\]/gu, '\\$&')}":id`)}`;
      expect(() => statementOf(query)).toThrow(RestError);
    }
  });

  test('[RE-05] a common list is one statement of scalar sub-selects, with its limit in its text', () => {
    const { text, values } = statementOf(
      'select=id,commercial:profiles!sales_commercial_id_fkey(full_name)&commercial_id=eq.1&order=created_at.desc&limit=50',
    );
    expect(values).toEqual(['1']);
    expect(text).toContain('limit 50');
    expect(text).not.toContain('jsonb');
    expect(text).not.toContain('join');
  });

  test('[RE-05] where nulls go is not said of a column that has none, so that its index has the order', () => {
    const { text } = statementOf('select=id&order=created_at.desc.nullslast,contract_amount.desc.nullslast,id');
    expect(text).toContain('order by t0."created_at" desc, t0."contract_amount" desc nulls last, t0."id" asc');
    // Of an embed there may be no row, and a view's columns are held by nothing.
    const related = statementOf(
      'select=id,profiles!sales_commercial_id_fkey()&order=profiles(created_at).desc.nullslast',
    );
    expect(related.text).toContain('desc nulls last');
    expect(statementOf('order=created_at.desc.nullslast', 'client_summaries').text).toContain('desc nulls last');
  });

  test('[RE-05] a far page is cut before its embeds are worked out, in the same order', () => {
    const embed = 'commercial:profiles!sales_commercial_id_fkey(full_name)';
    const { text } = statementOf(`select=status,${embed}&order=created_at.desc&limit=25&offset=50`);
    expect(text).toContain(
      '(select t0."status", t0."created_at", t0."commercial_id" from public."sales" as t0 order by t0."created_at" desc limit 25 offset $1) as t0 order by t0."created_at" desc',
    );
  });

  test('[A-27] an estimate is of the same conditions', () => {
    const relation = cache.relations.get('sales');
    if (relation === undefined) throw new Error('There are no sales');
    const level = planRead(cache, sourceOf(relation), parseQuery(pairsOf('status=eq.x')));
    expect(estimateStatement(level, 'public."sales" as t0')).toEqual({
      text: 'explain (format json) select 1 from public."sales" as t0 where (t0."status" = $1)',
      values: ['x'],
    });
  });
});

describe('the schema that the door knows', () => {
  test('[A-36] it is schema public alone, and no function of an extension', () => {
    expect([...cache.relations.keys()].sort()).toEqual([
      'accepted_rules',
      'account_closure_requests',
      'account_lines',
      'api_keys',
      'audit_entries',
      'audit_entries_about',
      'balances',
      'bank_accounts',
      'batch_lines',
      'batch_summaries',
      'call_consents',
      'client_rankings',
      'client_summaries',
      'commercial_summaries',
      'commission_holds',
      'commission_payments',
      'commission_periods',
      'commission_rates',
      'commission_terms',
      'company_settings',
      'correction_requests',
      'debt_acts',
      'dispute_messages',
      'disputes',
      'doubt_reasons',
      'doubt_rule_figures',
      'doubt_rules',
      'doubtful_cases',
      'external_references',
      'follow_ups',
      'friend_messages',
      'ledger_entries',
      'months_to_pay',
      'news_requests',
      'notice_preferences',
      'notices',
      'paid_periods',
      'papers',
      'payee_accounts',
      'payee_ibans',
      'payee_invoices',
      'payment_batch_lines',
      'payment_batches',
      'payment_proofs',
      'payment_requests',
      'payments_made',
      'profiles',
      'request_ibans',
      'sale_terms',
      'sales',
      'scale_months',
      'scale_versions',
      'sent_mails',
      'sleeping_referrers',
      'transfers_to_make',
    ]);
    expect([...cache.functions.keys()].sort()).toEqual([
      'account_control',
      'admin_figures',
      'best_commercials',
      'best_referrers',
      'client_figures',
      'client_months',
      'client_payments_ahead',
      'client_rewards',
      'commercial_figures',
      'das2_payees',
      'due_soon',
      'find_anything',
      'get_commercial_sales',
      'month_trends',
      'network_branch',
      'open_referrals_by_age',
      'people_with_second_factor',
      'person_figures',
      'preview_commissions',
      'preview_own_commission',
      'preview_validations',
      'referral_counts',
      'referral_delays',
      'referral_funnel',
      'regular_payees',
      'sales_by_month',
      'scale_by_month',
      'scale_figures',
    ]);
  });

  test('[RE-10] payments and requests lead to one person each, so that the dashboards need no hint', () => {
    for (const table of ['payment_requests', 'commission_payments']) {
      const toPeople = (cache.relationships.get(table) ?? []).filter(
        ({ to, isForward }) => isForward && to.name === 'profiles',
      );
      expect(toPeople).toHaveLength(1);
    }
  });
});
