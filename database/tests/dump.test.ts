import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, afterEach, describe, expect, test } from 'vitest';

import { dump } from '../src/dump.ts';
import type { DumpOptions } from '../src/dump.ts';
import { startEmbedded } from '../src/embedded.ts';
import type { EmbeddedPostgres, OwnerConnection } from '../src/embedded.ts';
import { migrate, ownHistory } from '../src/migrate.ts';
import { BrokenDump, readDump } from '../src/read-dump.ts';
import { restore, RestoreRefused } from '../src/restore.ts';
import {
  aClient,
  anAdmin,
  aSale,
  asSeen,
  aScale,
  aValidatedSale,
  createTestDatabase,
  openTestDatabase,
} from '../src/testing.ts';
import type { OpenedDatabase, TestDatabase } from '../src/testing.ts';
import { verify } from '../src/verify.ts';
import { defencesOf } from './defences.ts';

// Everything that a database holds, taken out and put into one of another cluster, by an owner who is no superuser there.

const MIGRATIONS = path.join(import.meta.dirname, '..', 'migrations');
const masterKey = Buffer.alloc(32, 7);
/** Text that resembles the end of a section. */
const AWKWARD = '\\.\n\\.\t\\N\r\n\\.';

// Each restoration makes the whole schema.

let elsewhere: EmbeddedPostgres;
let dataDir: string;
let source: TestDatabase;
let target: OwnerConnection;
let count = 0;

beforeAll(async () => {
  dataDir = await mkdtemp(path.join(os.tmpdir(), 'parrain-elsewhere-'));
  elsewhere = await startEmbedded({ dataDir, isDurable: false });
  await asSuperuser(`create role patron login createrole password 'patron'`);
});
afterAll(async () => {
  await elsewhere.stop();
  await rm(dataDir, { recursive: true, force: true });
});
beforeEach(async () => {
  source = await createTestDatabase();
  count += 1;
  target = { ...elsewhere.owner, user: 'patron', password: 'patron', database: `target_${count}` };
  await asSuperuser(`create database ${target.database} owner patron`);
});
afterEach(() => source.drop());

describe('a dump', () => {
  test('[OP-02] holds every table that the migrations make, but what is told or made again or belongs to the cluster', async () => {
    const { trailer, text } = await dumped(source.owner);
    expect(trailer.leftOut).toEqual([]);
    const tables = await source.asOwner<{ name: string }>(
      `select n.nspname || '.' || c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where n.nspname in ('public', 'auth', 'storage', 'private', 'figures') and c.relkind in ('r', 'p', 'm')`,
    );
    const held = new Set([...text.matchAll(/^COPY (\w+\.\w+) \(/gmu)].map(([, name]) => name));
    expect(
      tables
        .map(({ name }) => name)
        .filter((name) => !held.has(name))
        .toSorted(),
    ).toEqual([
      'private.archive_parts',
      'private.changes',
      'private.migrations',
      'private.node_messages',
      'private.rate_limits',
      'private.sign_in_failures',
    ]);
  });

  test('[FX-23] a table whose rows a policy might hide is named as left out, not read in part', async () => {
    await source.asOwner(`create table public.of_another_hand (n integer); grant select on public.of_another_hand to parrain_service;
      alter table public.of_another_hand enable row level security;
      create policy of_some on public.of_another_hand for select using (n > 1)`);
    const { trailer, text } = await dumped(source.owner);
    expect(trailer.leftOut).toEqual(['public.of_another_hand']);
    expect(text).not.toContain('of_another_hand (');
  });

  test(
    '[OP-02] taken while sales are validated holds both commissions of each, or none',
    { tags: 'long' },
    async () => {
      const admin = await anAdmin(source);
      const scale = await aScale(source);
      const sales = [];
      for (let n = 0; n < 60; n += 1) sales.push(await aSale(source, { scale, isReady: true }));
      let isOver = false;
      const writing = (async () => {
        for (const sale of sales) {
          if (isOver) break;
          await source.become(admin, (run) => run(asSeen.validate, [sale.id, scale.id]));
        }
      })();
      await restored(source.owner);
      isOver = true;
      await writing;
      await expectSound(target);
    },
  );

  test('[OP-02] holds back what would empty a table under its snapshot', async () => {
    const rows = dump(source.owner, { masterKey });
    await rows.next();
    const locked = source.asOwner(`set lock_timeout = '50ms'; truncate private.mails`);
    await expect(locked).rejects.toThrow('lock timeout');
    await rows.return(undefined as never);
  });

  test('[OP-02] whose connection ends on the way is an error, never an early end', async () => {
    await source.asOwner(`insert into storage.objects (bucket_id, name, content, content_type, etag, size)
      select 'logos', n || '.png', decode(repeat('5c', 5000000), 'hex'), 'image/png', 'e', 5000000 from generate_series(1, 8) n`);
    const rows = dump(source.owner, { masterKey });
    let bytes = 0;
    async function drain(): Promise<void> {
      for (;;) {
        const next = await rows.next();
        if (next.done === true) return;
        bytes += next.value.length;
        if (bytes < 2_000_000 || bytes - next.value.length >= 2_000_000) continue;
        await source.asOwner(`select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and query like 'copy (select%' and pid <> pg_backend_pid()`);
      }
    }
    await expect(drain()).rejects.toThrow('terminat');
    expect(bytes).toBeLessThan(60_000_000);
  });
});

describe('a restoration', () => {
  test('[OP-02] [FX-23] gives every row back, the schema of the migrations, and numbers that go on', async () => {
    const admin = await anAdmin(source);
    const client = await aClient(source, { fullName: 'Zoé \\. "L’Été"' });
    await source.asOwner('insert into private.mails (last_error) values ($1)', [AWKWARD]);
    await aValidatedSale(source, { admin, friendReferrer: client });
    await source.asOwner(`insert into private.secrets values ('sealed', '\\x00ff5c2e0a')`);
    await source.asOwner(`insert into storage.objects (bucket_id, name, content, content_type, etag, size)
      values ('logos', 'l.png', '\\x5c2e0a00', 'image/png', 'e', 4)`);
    const { trailer } = await restored(source.owner);
    expect(trailer.filesMissing).toBe(0);

    const [before, after] = [source, openTestDatabase(target)];
    try {
      const tables = await before.asOwner<{ name: string; columns: string }>(`
        select format('%I.%I', n.nspname, c.relname) as name, string_agg(quote_ident(a.attname), ', ' order by a.attnum) as columns
        from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        where n.nspname in ('public', 'auth', 'storage', 'private', 'figures') and c.relkind = 'r' and c.relpersistence = 'p'
          and c.relname not in ('migrations', 'changes') group by 1`);
      for (const { name, columns } of tables) {
        const hash = (db: Pick<OpenedDatabase, 'become'>) =>
          asService(
            db,
            `select md5(string_agg(r::text, ',' order by r::text)) as hash, count(*) from (select ${columns} from ${name}) r`,
          );
        expect([name, await hash(after)]).toEqual([name, await hash(before)]);
      }
      expect(await defencesOf(after)).toBe(await defencesOf(before));
      expect(await after.asOwner(REST)).toEqual(await before.asOwner(REST));
      await expectSound(target);
      const [last] = await asService(
        after,
        `insert into public.audit_entries (actor, entity, entity_id, action, after, hash)
        values ('test', 'sales', gen_random_uuid(), 'insert', '{}', '\\x00') returning id > (select max(id) from public.audit_entries) as follows`,
      );
      expect(last).toEqual({ follows: true });
    } finally {
      await after.close();
    }
  });

  test(
    '[OP-02] gives the queue back: what waits is done, what somebody was doing is done again, what gave up is not',
    { tags: 'long' },
    async () => {
      await source.asOwner(`set role parrain_service;
      select graphile_worker.add_job('mail', '{"id": 1}', run_at => '2030-01-01', max_attempts => 12, job_key => 'k', queue_name => 'q', flags => array['f']);
      select graphile_worker.add_job('mail', '{"id": 2}');
      select graphile_worker.add_job('mail', '{"id": 3}');
      select graphile_worker.add_job('backup', '{}');
      update graphile_worker._private_jobs set locked_at = now(), locked_by = 'w' where payload ->> 'id' = '2';
      update graphile_worker._private_jobs set attempts = max_attempts where payload ->> 'id' = '3'`);
      await restored(source.owner);
      const after = openTestDatabase(target);
      try {
        expect(
          await asService(
            after,
            `select t.identifier, payload, run_at = '2030-01-01' as later, max_attempts, key, queue_name, flags, j.locked_at
          from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = task_id
          left join graphile_worker._private_job_queues q on q.id = job_queue_id order by payload ->> 'id'`,
          ),
        ).toEqual([
          {
            identifier: 'mail',
            payload: { id: 1 },
            later: true,
            max_attempts: 12,
            key: 'k',
            queue_name: 'q',
            flags: { f: true },
            locked_at: null,
          },
          {
            identifier: 'mail',
            payload: { id: 2 },
            later: false,
            max_attempts: 25,
            key: null,
            queue_name: null,
            flags: null,
            locked_at: null,
          },
        ]);
      } finally {
        await after.close();
      }
    },
  );

  test('[OP-02] of an older version begins with its schema and ends with this one’s', { tags: 'long' }, async () => {
    const history = await ownHistory();
    const folder = await mkdtemp(path.join(os.tmpdir(), 'parrain-newer-'));
    try {
      for (const { name } of history) await copyFile(path.join(MIGRATIONS, name), path.join(folder, name));
      await writeFile(
        path.join(folder, '9999-newer.sql'),
        `alter table storage.objects add column newer integer; update storage.objects set newer = 2 * size;`,
      );
      await source.asOwner(
        `select from private.create_account(p_id => gen_random_uuid(), p_email => 'a@exemple.fr', p_password_hash => null,
          p_role => 'admin', p_full_name => 'A')`,
      );
      await source.asOwner(
        `insert into storage.objects (bucket_id, name, content, content_type, etag, size) values ('logos', 'l.png', '\\x0102', 'image/png', 'e', 2)`,
      );
      await restore(target, readDump(dump(source.owner, { masterKey })), { keepsMasterKey: false, folder });
      const after = openTestDatabase(target);
      expect(await asService(after, 'select size, newer from storage.objects')).toEqual([{ size: 2, newer: 4 }]);
      expect(await asService(after, 'select count(*)::int as n from auth.users')).toEqual([{ n: 1 }]);
      expect(await after.asOwner('select count(*)::int as n from private.migrations')).toEqual([
        { n: history.length + 1 },
      ]);
      await after.close();
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  test('[OP-02] of a newer version, or of another program’s, is refused before anything is written', async () => {
    const { text } = await dumped(source.owner);
    const changed = (from: RegExp, to: string): AsyncGenerator<Buffer> => chunks(Buffer.from(text.replace(from, to)));
    const newer = changed(/"migrations":\[(.*?)\]/u, '"migrations":[$1,{"name":"9999-later.sql","checksum":"x"}]');
    await expect(into(target, newer)).rejects.toThrow(
      'version plus récente du programme (elle connaît 9999-later.sql)',
    );
    const other = changed(/"checksum":"\w+"/u, '"checksum":"x"');
    await expect(into(target, other)).rejects.toThrow('autre programme');
    await expectUntouched(target);
  });

  test('[OP-02] refuses an installation that has accounts, and leaves it alone', { tags: 'long' }, async () => {
    await migrate(target);
    const db = openTestDatabase({ ...elsewhere.owner, database: target.database });
    await aClient(db);
    await db.close();
    const used = openTestDatabase(target);
    const before = await asService(used, 'select id from auth.users');
    await expect(restored(source.owner)).rejects.toThrow('elle contient des comptes');
    expect(await asService(used, 'select id from auth.users')).toEqual(before);
    await used.close();
  });

  test('[OP-02] refuses a database of another program', async () => {
    const db = openTestDatabase(target);
    await db.asOwner('create schema other; create table other.things (n integer)');
    await db.close();
    await expect(restored(source.owner)).rejects.toThrow(RestoreRefused);
  });

  test(
    '[OP-02] takes an installation that nobody has used, and one where it was interrupted',
    { tags: 'long' },
    async () => {
      await aClient(source);
      const { text } = await dumped(source.owner);
      const whole = Buffer.from(text);
      await expect(into(target, chunks(whole.subarray(0, whole.length - 200)))).rejects.toThrow(BrokenDump);
      const after = openTestDatabase(target);
      expect(await asService(after, 'select from auth.users')).toHaveLength(0);
      await into(target, chunks(whole));
      expect(await asService(after, 'select from auth.users')).toHaveLength(2);
      await after.close();
    },
  );

  test('[OP-02] a dump that is cut anywhere, or whose rows do not add up, is none', async () => {
    await aClient(source);
    const { text } = await dumped(source.owner);
    const whole = Buffer.from(text);
    for (let step = 0; step < 200; step += 1) {
      const cut = whole.subarray(0, Math.floor((whole.length * step) / 200));
      await expect(read(chunks(cut)), `${cut.length} bytes`).rejects.toThrow(BrokenDump);
    }
    await expect(read(chunks(Buffer.concat([whole, Buffer.from('x\n')])))).rejects.toThrow(BrokenDump);
    const users = /(FROM stdin;\n[^\n]*@example\.fr[^\n]*\n)[^\n]+@example\.fr[^\n]*\n/u;
    expect(text).toMatch(users);
    await expect(read(chunks(Buffer.from(text.replace(users, '$1'))))).rejects.toThrow('number of rows');
  });

  test('[OP-02] reads the same parts however the bytes arrive', async () => {
    await aClient(source);
    await source.asOwner('insert into private.mails (last_error) values ($1)', [AWKWARD]);
    const { text } = await dumped(source.owner);
    const whole = await read(chunks(Buffer.from(text), 1_000_000));
    for (const size of [1, 2, 3, 5, 64]) expect(await read(chunks(Buffer.from(text), size))).toBe(whole);
  });

  test('[OP-02] brings along what storage kept elsewhere, and says what was gone', { tags: 'long' }, async () => {
    await source.asOwner(`insert into storage.objects (bucket_id, name, blob, content_type, etag, size)
      values ('logos', 'a.png', 'blob-a', 'image/png', 'e', 3), ('logos', 'b.png', 'blob-b', 'image/png', 'e', 3)`);
    const fetchFile: DumpOptions['fetchFile'] = async (blob) =>
      blob === 'blob-a' ? Buffer.from([0, 0x5c, 0x0a]) : null;
    const { trailer } = await restored(source.owner, { masterKey, fetchFile });
    expect(trailer.filesMissing).toBe(1);
    const after = openTestDatabase(target);
    expect(await asService(after, 'select name, content, blob from storage.objects order by name')).toEqual([
      { name: 'a.png', content: Buffer.from([0, 0x5c, 0x0a]), blob: null },
      { name: 'b.png', content: null, blob: 'blob-b' },
    ]);
    await after.close();
  });
});

/** Indexes, triggers and whether they fire, policies forced: what the list of defences does not hold. */
const REST = `
  select pg_get_indexdef(indexrelid) as line from pg_index where indrelid::regclass::text !~ '^(pg_|graphile)' and indrelid >= 16384
    and indrelid not in (select oid from pg_class where relkind = 't')
  union all select pg_get_triggerdef(oid) || ' ' || tgenabled::text from pg_trigger where not tgisinternal and tgrelid::regclass::text !~ '^graphile'
  union all select oid::regclass || ' ' || relrowsecurity || ' ' || relforcerowsecurity from pg_class
    where relkind = 'r' and oid >= 16384 and relnamespace::regnamespace::text !~ '^(pg_|graphile)'
  order by 1`;

async function dumped(owner: OwnerConnection, options: DumpOptions = { masterKey }) {
  const parts: Buffer[] = [];
  const rows = dump(owner, options);
  for (;;) {
    const next = await rows.next();
    if (next.done === true) return { trailer: next.value, text: Buffer.concat(parts).toString() };
    parts.push(next.value);
  }
}

async function restored(owner: OwnerConnection, options: DumpOptions = { masterKey }) {
  return { trailer: await into(target, dump(owner, options)) };
}

const into = (owner: OwnerConnection, bytes: AsyncGenerator<Buffer, unknown>) =>
  restore(owner, readDump(bytes), { keepsMasterKey: false });

async function* chunks(bytes: Buffer, size = 10_000): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** All parts of a dump in one text, rows joined however they came. */
async function read(bytes: AsyncIterable<Buffer>): Promise<string> {
  let text = '';
  for await (const part of readDump(bytes))
    text += part.kind === 'rows' ? part.bytes.toString('latin1') : JSON.stringify(part);
  return text;
}

async function asService(db: Pick<OpenedDatabase, 'become'>, statement: string) {
  return db.become('parrain_service', (run) => run(statement));
}

async function expectSound(owner: OwnerConnection): Promise<void> {
  const client = new Client({ ...elsewhere.owner, database: owner.database });
  await client.connect();
  try {
    const findings = await verify(async (sql) => (await client.query(sql)).rows);
    expect(findings.filter(({ violations }) => violations.length > 0)).toEqual([]);
  } finally {
    await client.end();
  }
}

async function expectUntouched(owner: OwnerConnection): Promise<void> {
  const client = new Client(owner);
  await client.connect();
  const { rows } = await client.query(`select to_regclass('private.migrations') as found`);
  await client.end();
  expect(rows).toEqual([{ found: null }]);
}

async function asSuperuser(statement: string): Promise<void> {
  const client = new Client({ ...elsewhere.owner, database: 'postgres' });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
