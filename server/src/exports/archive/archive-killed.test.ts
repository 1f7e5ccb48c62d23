// @module-tag long: src/exports/archive/archive.test.ts holds its subject in the quick ring
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { expect, test, vi } from 'vitest';

import { callAs } from '../../testing/call-function.ts';
import { aCommercial, anAdmin, createTestDatabase, only, SECRET_KEY, startTestServer } from '../../testing/index.ts';
import { leastEnvironment } from '../../testing/processes.ts';
import { unzipped } from '../../testing/unzipped.ts';

const PATIENCE = { timeout: 120_000, interval: 20 };
const SALES = 20_000;

test('[EX-03] a server killed in the midst of an archive leaves none to take; another begins it anew, whole', async () => {
  const database = await createTestDatabase();
  const admin = await anAdmin(database);
  const commercial = await aCommercial(database);
  // Texts that no compression shortens much: several parts of 2 MiB.
  await database.asOwner(
    `with plain as (select set_config('session_replication_role', 'replica', true))
     insert into public.sales (referred_contact_name, commercial_id, personal_message)
     select 'Ami ' || n, $1, (select string_agg(md5(n || ' ' || k), '') from generate_series(1, 15) k) from plain, generate_series(1, ${SALES}) n`,
    [commercial.id],
  );
  // The node that will die waits here before its second part, as long as this connection holds the lock.
  await database.asOwner(`create function private.hold_here() returns trigger language plpgsql as
    $$ begin if new.place = 1 then perform pg_advisory_xact_lock_shared(42); end if; return new; end $$;
    grant execute on function private.hold_here() to parrain_service;
    create trigger hold_here before insert on private.archive_parts for each row execute function private.hold_here()`);
  const gate = new Client(database.owner);
  await gate.connect();
  await gate.query('select pg_advisory_lock(42)');

  const { host, port, user, password, database: name } = database.owner;
  const child = spawn(process.execPath, [fileURLToPath(new URL('../../main.ts', import.meta.url))], {
    env: {
      ...leastEnvironment,
      PORT: '0',
      HOST: '127.0.0.1',
      DATABASE_URL: `postgres://localhost/${name}?${new URLSearchParams({ host, port: String(port), user, password }).toString()}`,
      SECRET_KEY,
      DEMO: '0',
      LOG_LEVEL: 'silent',
    },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => Promise.reject(new Error('The server did not start'))),
  ]);
  const server = await startTestServer({ database, doors: ['functions', 'exports'], jobs: false });
  const shown = async () =>
    only(
      (await callAs(server, admin, 'company-archive?action=get', undefined, { method: 'GET' })).body.data as {
        readonly id: string;
        readonly status: string;
        readonly size: number | null;
      }[],
    );
  const take = (id: string) => server.fetch(`/exports/v1/archive/${id}.zip`, {}, admin);
  expect((await callAs(server, admin, 'company-archive', { action: 'ask' })).status).toBe(200);
  const parts = () => database.asOwner('select place from private.archive_parts order by place');
  await vi.waitFor(async () => expect(await parts()).toEqual([{ place: 0 }]), PATIENCE);
  await vi.waitFor(
    async () =>
      expect(
        await database.asOwner(`select from pg_locks where locktype = 'advisory' and objid = 42 and not granted`),
      ).toHaveLength(1),
    PATIENCE,
  );
  child.kill('SIGKILL');
  await once(child, 'exit');
  const { id } = await shown();
  expect([(await shown()).status, (await take(id)).status]).toEqual(['making', 404]);

  await gate.end();
  await server.close();
  const after = await startTestServer({ database, doors: ['functions', 'exports'] });
  try {
    await vi.waitFor(async () => {
      await database.asOwner(`select graphile_worker.add_job('exports_make_archive', '{}', max_attempts => 1)`);
      expect(await database.asOwner('select status from private.archives')).toEqual([{ status: 'ready' }]);
    }, PATIENCE);
    const reply = await after.fetch(`/exports/v1/archive/${id}.zip`, {}, admin);
    const bytes = Buffer.from(await reply.arrayBuffer());
    expect([reply.status, (await parts()).length]).toEqual([200, Math.ceil(bytes.length / (2 * 1024 * 1024))]);
    const files = unzipped(bytes);
    expect(files.get('ventes.csv')?.toString().trimEnd().split('\r\n')).toHaveLength(SALES + 1);
    expect(files.has('LISEZ-MOI.txt')).toBe(true);
    expect(await database.asOwner('select attempt from private.archives')).toEqual([{ attempt: 2 }]);
  } finally {
    await after.close();
    await database.drop();
  }
});
