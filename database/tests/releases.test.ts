import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Client } from 'pg';
import { expect, test, vi } from 'vitest';

import { catalogueOf, differencesOf } from '../src/catalogue.ts';
import { migrate, ownHistory } from '../src/migrate.ts';
import { formerReleases, installed } from '../src/testing-releases.ts';
import type { FormerRelease } from '../src/testing-releases.ts';

// Effects of this version's migrations on an installation of a former release, whose nodes still work beside them.

// Each brings a whole schema over.
vi.setConfig({ testTimeout: 180_000 });

/** Tables that grow with every sale: to read all of one under an exclusive lock is to stop the company. */
const LARGE = new Set([
  'public.sales',
  'public.commission_payments',
  'public.ledger_entries',
  'public.audit_entries',
  'figures.audit_subjects',
]);
const MIGRATIONS = path.join(import.meta.dirname, '..', 'migrations');
const [newest] = formerReleases().slice(-1);

test('[DF-70, DF-71] an installation of the last release is brought over to the schema of a new one, and no large table is rewritten or read whole under an exclusive lock', async () => {
  const { owner, drop } = await installed(newest as FormerRelease);
  const client = new Client(owner);
  await client.connect();
  try {
    const since = (await ownHistory()).slice(await countOf(client, 'private.migrations'));
    await client.query(WATCH);
    // The watch is seen to work.
    await expect(client.query('alter table public.sales add column drawn float default random()')).rejects.toThrow(
      'It rewrites sales',
    );
    expect(await migrate(owner)).toEqual(since.map(({ name }) => name));
    const entries = await catalogueOf(async (sql) => (await client.query<Record<string, unknown>>(sql)).rows);
    expect(await differencesOf(entries)).toEqual([]);
    const texts = await Promise.all(
      since.map(async ({ name }) => [name, await readFile(path.join(MIGRATIONS, name), 'utf8')] as const),
    );
    expect(texts.flatMap(([name, text]) => heavyStatements(text).map((statement) => `${name}: ${statement}`))).toEqual(
      [],
    );
  } finally {
    await client.end();
    await drop();
  }
});

test('[AC-02] an upgrade keeps the journal of every closed month line by line, and takes its unpaid debts back once after it', async () => {
  const { owner, drop } = await installed(newest as FormerRelease);
  const client = new Client(owner);
  await client.connect();
  try {
    await client.query(
      `select set_config('app.user_id', p.id::text, false), set_config('app.user_role', 'admin', false)
       from public.profiles p where p.role = 'admin' order by p.created_at limit 1`,
    );
    const until = `(select private.month_of(max(e.at)) from public.ledger_entries e)`;
    await client.query(`select private.close_accounting_months((${until} - interval '1 month')::date)`);
    const lines = async (columns: string): Promise<unknown[]> => {
      const { rows } = await client.query<Record<string, unknown>>(
        `select ${columns} from private.accounting_lines('2000-01-01', ${until}) order by "EcritureNum", side`,
      );
      return rows;
    };
    const before = await lines('*');
    expect(before.length).toBeGreaterThan(100);
    await migrate(owner);
    expect(await lines('*')).toEqual(before);
    const { rows } = await client.query<{ owed: string; taken: string }>(
      `select (select sum(n.credit - n.debit) from private.accounting_entries n where n.use = 'former')::text as owed,
        (select sum("Debit" - "Credit") from private.accounting_lines(${until}, (${until} + interval '1 month')::date)
          where "PieceRef" like 'REPRISE-%' and "CompAuxNum" is not null)::text as taken`,
    );
    expect(rows[0]?.taken).toBe(rows[0]?.owed);
    expect(rows[0]?.owed).not.toBe('0.00');
  } finally {
    await client.end();
    await drop();
  }
});

/** Refuses what rewrites a table that was there before. */
const WATCH = `
  create schema watch; create table watch.known as select c.oid from pg_class c where c.relkind = 'r';
  create function watch.refuse() returns event_trigger language plpgsql as $$ begin
    if exists (select from watch.known k where k.oid = pg_event_trigger_table_rewrite_oid()) then
      raise exception 'It rewrites %', pg_event_trigger_table_rewrite_oid()::regclass;
    end if;
  end $$;
  create event trigger refuse_rewrites on table_rewrite execute function watch.refuse()`;

test.each([
  ['create index by_x on public.sales (x);', 1],
  ['-- no transaction\ncreate index concurrently by_x on public.sales (x);', 0],
  ['create index by_x on public.company_settings (x);', 0],
  ['alter table public.sales add constraint x check (a > 0);', 1],
  ['alter table public.sales add constraint x check (a > 0) not valid;', 0],
  ['alter table public.sales alter column a set not null;', 1],
  ['update public.sales set a = 1;', 1],
  ['create function f() returns void language sql as $$ update public.sales set a = 1; $$;', 0],
  ['create function f() returns void language sql begin atomic update public.sales set a = 1; end;', 0],
])('[DF-71] of « %s » as many statements are heavy: %i', (text, count) => {
  expect(heavyStatements(text)).toHaveLength(count);
});

/** Statements of a migration that take time in proportion to a large table, and lock it meanwhile. */
function heavyStatements(text: string): string[] {
  const plain = text
    .replaceAll(/--.*$/gmu, '')
    // Bodies of functions run later.
    .replaceAll(/(\$\w*\$).*?\1/gsu, '')
    .replaceAll(/\bbegin\s+atomic\b.*?\bend\s*;/gisu, ';');
  return plain
    .split(';')
    .map((statement) => statement.trim().replaceAll(/\s+/gu, ' '))
    .filter((statement) => {
      const table =
        /^(?:create (?:unique )?index (?!concurrently).*? on|alter table(?: only)?|update|delete from) (?:only )?(?<name>[\w.]+)/iu.exec(
          statement,
        )?.groups?.['name'];
      if (table === undefined || !LARGE.has(table.toLowerCase())) return false;
      if (!/^alter/iu.test(statement)) return true;
      return (
        /\bset not null\b/iu.test(statement) ||
        statement
          .split(/\badd constraint\b/iu)
          .slice(1)
          .some((part) => !/\bnot valid\b|\busing index\b/iu.test(part))
      );
    });
}

async function countOf(client: Client, table: string): Promise<number> {
  const { rows } = await client.query<{ n: number }>(`select count(*)::int as n from ${table}`);
  return rows[0]?.n ?? 0;
}
