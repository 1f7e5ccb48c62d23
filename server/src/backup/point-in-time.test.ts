// @module-tag long: src/backup/backup.test.ts holds its subject in the quick ring
import { borrowEmbedded } from '@parrain/database/embedded';
import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { aClient, openTestDatabase } from '../testing/index.ts';
import type { OpenedDatabase } from '../testing/index.ts';
import { leastEnvironment, runNpmCommand, startServerProcess } from '../testing/processes.ts';

// The commands of docs/operations/backup.md, « To a point in time », as they are printed there.

const PAGE = path.join(import.meta.dirname, '..', '..', '..', 'docs', 'operations', 'backup.md');

let folder: string;
let dataDir: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'parrain-instant-'));
  await chmod(folder, 0o755);
  dataDir = path.join(folder, 'data');
  // As root, PostgreSQL runs under another account.
  await mkdir(path.join(folder, 'archive'));
  await chmod(path.join(folder, 'archive'), 0o777);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('[OP-02] the embedded database comes back to an instant, by the commands that the page prints', async () => {
  const page = await readFile(PAGE, 'utf8');
  const [prepare = '', comeBack = ''] = [...page.matchAll(/^```sh\n(.*?)^```$/gmsu)].map(([, block]) => block ?? '');

  await (await startServerProcess({ DATA_DIR: dataDir })).stop();
  await shell(prepare, {});
  const before = await startServerProcess({ DATA_DIR: dataDir });
  await withDatabase((db) => aClient(db, { email: 'avant@exemple.fr' }));
  const [{ instant } = { instant: '' }] = await withDatabase((db) =>
    db.asOwner<{ instant: string }>(
      `select (clock_timestamp() + interval '0.2 seconds')::text as instant, pg_sleep(0.4)`,
    ),
  );
  await withDatabase(async (db) => {
    await aClient(db, { email: 'apres@exemple.fr' });
    await db.asOwner('drop table public.sales cascade');
  });
  await before.stop();

  await shell(comeBack, { INSTANT: instant });
  const after = await startServerProcess({ DATA_DIR: dataDir });
  const emails = await withDatabase((db) =>
    db.asOwner<{ email: string }>(`select email from auth.users where email like '%@exemple.fr'`),
  );
  expect(emails).toEqual([{ email: 'avant@exemple.fr' }]);
  expect(await runNpmCommand('verify', [], { DATA_DIR: dataDir })).toMatchObject({ code: 0, err: '' });
  await after.stop();
});

async function shell(commands: string, environment: Readonly<Record<string, string>>): Promise<void> {
  await promisify(execFile)('sh', ['-eu', '-c', commands], {
    env: {
      ...leastEnvironment,
      DATA_DIR: dataDir,
      ARCHIVE: path.join(folder, 'archive'),
      BASE: path.join(folder, 'base'),
      ...environment,
    },
  });
}

async function withDatabase<T>(work: (db: OpenedDatabase) => Promise<T>): Promise<T> {
  const borrowed = await borrowEmbedded(dataDir);
  const db = openTestDatabase(borrowed.owner);
  try {
    return await work(db);
  } finally {
    await db.close();
  }
}
