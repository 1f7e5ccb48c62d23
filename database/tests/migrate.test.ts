import { copyFile, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { migrate, MigrationError } from '../src/migrate.ts';
import { createEmptyDatabase } from '../src/testing.ts';
import type { EmptyDatabase } from '../src/testing.ts';

let database: EmptyDatabase;
let folder: string;

beforeEach(async () => {
  database = await createEmptyDatabase();
  folder = await mkdtemp(path.join(os.tmpdir(), 'parrain-migrations-'));
});

afterEach(async () => {
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

describe('migrations', () => {
  test('are applied once each, in the order of their numbers', async () => {
    await write('0002-second.sql', 'insert into t values (2);');
    await write('0001-first.sql', 'create table t (n integer); insert into t values (1);');
    expect(await migrate(database.owner, { folder })).toEqual(['0001-first.sql', '0002-second.sql']);
    expect(await migrate(database.owner, { folder })).toEqual([]);
    await write('0003-third.sql', 'insert into t values (3);');
    expect(await migrate(database.owner, { folder })).toEqual(['0003-third.sql']);
    expect(await rows('select n from t order by n')).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
  });

  test('of an empty folder are nothing to do', async () => {
    expect(await migrate(database.owner, { folder })).toEqual([]);
  });

  test('[OP-04] threat 91: two nodes at once: one runs them, the other waits and finds nothing left', async () => {
    await write('0001-slow.sql', 'create table t (n integer); select pg_sleep(0.3); insert into t values (1);');
    const applied = await Promise.all([1, 2, 3].map(async () => migrate(database.owner, { folder })));
    expect(applied.flat()).toEqual(['0001-slow.sql']);
    expect(await rows('select n from t')).toEqual([{ n: 1 }]);
  });

  test('[OP-04, DF-71] threat 91: the first of a new version that fails leaves the old state whole, and is told with its line and what to do', async () => {
    await write('0001-old.sql', 'create table t (n integer);');
    await migrate(database.owner, { folder });
    await write('0002-bad.sql', 'insert into t values (1);\n\nselect nothing from nowhere;');
    await expect(migrate(database.owner, { folder })).rejects.toThrow(
      /0002-bad\.sql a échoué.*ligne 3.*restée comme elle était : remettez en service la version précédente/u,
    );
    // Nothing of the new version: the former one, which knows the first file alone, starts as before.
    expect(await rows('select * from t')).toEqual([]);
    expect(await rows('select name from private.migrations')).toEqual([{ name: '0001-old.sql' }]);
    await rm(path.join(folder, '0002-bad.sql'));
    expect(await migrate(database.owner, { folder })).toEqual([]);
    await write('0002-good.sql', 'insert into t values (2);');
    expect(await migrate(database.owner, { folder })).toEqual(['0002-good.sql']);
  });

  test('[DF-71] a later one that fails leaves the state of the last whole one, says so, and the next start goes on from there', async () => {
    await write('0001-old.sql', 'create table t (n integer);');
    await migrate(database.owner, { folder });
    await write('0002-good.sql', 'alter table t add column more integer; insert into t values (1, 2);');
    await write('0003-bad.sql', 'insert into t values (3);\n\nselect nothing from nowhere;');
    await expect(migrate(database.owner, { folder })).rejects.toThrow(
      /0003-bad\.sql a échoué.*ligne 3.*état de la migration 0002-good\.sql, entière.*Laissez tourner les serveurs de la version précédente.*démarrez de nouveau cette version, qui reprend là/u,
    );
    expect(await rows('select * from t')).toEqual([{ n: 1, more: 2 }]);
    await write('0003-bad.sql', 'insert into t values (3);');
    expect(await migrate(database.owner, { folder })).toEqual(['0003-bad.sql']);
    expect(await rows('select n from t order by n')).toEqual([{ n: 1 }, { n: 3 }]);
  });

  test('[DF-71] one whose tables are in use lets go and comes back: nobody deadlocks with it, nobody waits for long', async () => {
    await write('0001-old.sql', 'create table t (n integer); create table used (n integer);');
    await migrate(database.owner, { folder });
    await write('0002-first.sql', 'alter table t add column more integer;');
    await write('0003-second.sql', 'alter table t add column again integer; alter table used add column more integer;');
    await asOwner(async (holder) => {
      await holder.query('begin; insert into used values (1)');
      const applied: string[] = [];
      const migrating = migrate(database.owner, { folder, onApplied: (name) => applied.push(name) });
      // The migration holds t and waits for what this transaction holds, which now wants t.
      await waits();
      expect(applied).toEqual(['0002-first.sql']);
      await holder.query('insert into t (more) values (1)');
      // Others go on meanwhile, try after try.
      for (let n = 0; n < 3; n += 1) {
        await waits();
        await rows('insert into t (more) values (2)');
      }
      await holder.query('commit');
      expect(await migrating).toEqual(['0002-first.sql', '0003-second.sql']);
      expect(await rows('select count(*)::int as n from t where again is null')).toEqual([{ n: 4 }]);
    });
  });

  test('[DF-71] one whose tables stay in use is told so in the end, and leaves nothing half done', async () => {
    await write('0001-old.sql', 'create table used (n integer);');
    await migrate(database.owner, { folder });
    await write('0002-first.sql', 'create table t (n integer); alter table used add column more integer;');
    await asOwner(async (holder) => {
      await holder.query('begin; insert into used values (1)');
      await expect(migrate(database.owner, { folder, patienceMs: 0 })).rejects.toThrow(
        /0002-first\.sql a échoué : d'autres programmes tiennent ses tables.*restée comme elle était/u,
      );
    });
    expect(await rows(`select to_regclass('t') as t`)).toEqual([{ t: null }]);
    expect(await migrate(database.owner, { folder })).toEqual(['0002-first.sql']);
  });

  test('[FX-32] one that says « no transaction » makes an index concurrently, while other nodes wait for their turn', async () => {
    await write('0001-first.sql', 'create table t (n integer); insert into t select generate_series(1, 1000);');
    await write(
      '0002-index.sql',
      '-- no transaction\n-- Found by n; made while people work.\ndrop index if exists t_n;\ncreate index concurrently t_n on t (n);\n-- The end.\n',
    );
    const applied = await Promise.all([1, 2, 3].map(async () => migrate(database.owner, { folder })));
    expect(applied.flat()).toEqual(['0001-first.sql', '0002-index.sql']);
    expect(await rows(`select indisvalid from pg_index where indexrelid = 't_n'::regclass`)).toEqual([
      { indisvalid: true },
    ]);
    expect(await migrate(database.owner, { folder })).toEqual([]);
  });

  test('[FX-32] one that says « no transaction » and fails is told with its line, and begins again at the next start', async () => {
    await write(
      '0001-bad.sql',
      '-- no transaction\ncreate table if not exists t (n integer);\n\nselect nothing\nfrom nowhere;\n',
    );
    await expect(migrate(database.owner, { folder })).rejects.toThrow(/0001-bad\.sql.*a échoué.*ligne 5.*reprise/u);
    await write(
      '0001-bad.sql',
      '-- no transaction\ncreate table if not exists t (n integer);\ninsert into t values (1);\n',
    );
    expect(await migrate(database.owner, { folder })).toEqual(['0001-bad.sql']);
    expect(await rows('select n from t')).toEqual([{ n: 1 }]);
  });

  test('[OP-04] one that leaves a check for the commit does not stop the next from changing the table', async () => {
    await write(
      '0001-checked.sql',
      `create table t (n integer, constraint t_n_is_unique unique (n) deferrable initially deferred); insert into t values (1);`,
    );
    await write('0002-changed.sql', 'update t set n = 2;');
    await write('0003-altered.sql', 'alter table t add column more integer;');
    expect(await migrate(database.owner, { folder })).toHaveLength(3);
  });

  test('[OP-04] threat 97: an applied one that changed, or went (an older program), is refused', async () => {
    await write('0001-first.sql', 'create table t (n integer);');
    await migrate(database.owner, { folder });
    await write('0001-first.sql', 'create table t (n bigint);');
    await expect(migrate(database.owner, { folder })).rejects.toThrow(/histoire des migrations a changé : 0001-first/u);
    await rm(path.join(folder, '0001-first.sql'));
    await expect(migrate(database.owner, { folder })).rejects.toThrow(/plus récente que cette version/u);
  });

  test('threat 97: one slipped in before those applied is refused', async () => {
    await write('0002-second.sql', 'create table t (n integer);');
    await migrate(database.owner, { folder });
    await write('0001-late.sql', 'create table u (n integer);');
    await expect(migrate(database.owner, { folder })).rejects.toThrow(MigrationError);
  });

  test('carry a number of their own and an intent', async () => {
    await write('0001-a.sql', '');
    await write('0001-b.sql', '');
    await expect(migrate(database.owner, { folder })).rejects.toThrow(/numéro 0001/u);
    await rm(path.join(folder, '0001-b.sql'));
    await write('later.sql', '');
    await expect(migrate(database.owner, { folder })).rejects.toThrow(/later\.sql/u);
  });

  test('[P-04] the job queue is the service’s alone', async () => {
    const [first, second] = await Promise.all([migrate(database.owner), migrate(database.owner)]);
    expect([first.length, second.length].filter((count) => count > 0)).toHaveLength(1);
    const owners = await rows(
      `select distinct pg_get_userbyid(relowner) as owner from pg_class where relnamespace = 'graphile_worker'::regnamespace`,
    );
    expect(owners).toEqual([{ owner: 'parrain_service' }]);
    const [may] = await rows(`select
      has_schema_privilege('authenticated', 'graphile_worker', 'usage') as authenticated,
      has_schema_privilege('anon', 'graphile_worker', 'usage') as anon,
      has_schema_privilege('service_role', 'graphile_worker', 'usage') as secret,
      has_database_privilege('parrain_service', current_database(), 'create') as may_create`);
    expect(may).toEqual({ authenticated: false, anon: false, secret: false, may_create: false });
  });
});

/** Until a statement of this database waits for a table's lock. */
async function waits(): Promise<void> {
  await expect
    .poll(
      () =>
        rows(`select from pg_locks where not granted and relation is not null
          and database = (select oid from pg_database where datname = current_database())`),
      { interval: 10, timeout: 60_000 },
    )
    .toHaveLength(1);
}

async function write(name: string, text: string): Promise<void> {
  await writeFile(path.join(folder, name), text);
}

async function rows(text: string): Promise<unknown[]> {
  return asOwner(async (client) => (await client.query(text)).rows);
}

async function asOwner<T>(work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client(database.owner);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

test('[PO-05] a month that a batch paid before it could come back knows its line', async () => {
  const all = path.join(import.meta.dirname, '../migrations');
  const files = (await readdir(all)).filter((file) => file.endsWith('.sql')).toSorted();
  for (const file of files.filter((name) => name < '0560'))
    await copyFile(path.join(all, file), path.join(folder, file));
  await migrate(database.owner, { folder });
  const client = new Client(database.owner);
  await client.connect();
  try {
    // Rows as they stood, whatever else they would ask for.
    await client.query(`set session_replication_role = replica`);
    const id = (n: number) => `00000000-0000-4000-8000-00000000000${n}`;
    for (const [line, month, status] of [
      [1, '2026-09-01', 'rejected'],
      [2, '2026-09-01', 'paid'],
      [3, '2026-10-01', 'paid'],
    ] as const) {
      await client.query(
        `insert into public.payment_batch_lines (id, batch_id, payee_id, month, amount, account_id, status, decided_at, reason)
         values ($1, $2, $2, $3, 5, $2, $4, now(), case when $4 = 'rejected' then 'Compte clos' end)`,
        [id(line), id(9), month, status],
      );
    }
    for (const [month, method] of [
      ['2026-08-01', 'paie'],
      ['2026-09-01', 'virement'],
      ['2026-10-01', 'virement'],
    ])
      await client.query(
        `insert into public.paid_periods (payee_id, month, amount, paid_by, is_test, method) values ($1, $2, 5, $1, false, $3)`,
        [id(9), month, method],
      );
    await migrate(database.owner);
    const known = await client.query<{ line_id: string | null }>(
      'select line_id from public.paid_periods order by month',
    );
    expect(known.rows.map(({ line_id: line }) => line)).toEqual([null, id(2), id(3)]);
  } finally {
    await client.end();
  }
});
