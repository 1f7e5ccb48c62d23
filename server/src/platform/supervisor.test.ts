import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { listenAsSystemd, temporaryFolder, tools } from '../testing/deployment.ts';
import { freePort } from '../testing/free-port.ts';
import { startTestServer } from '../testing/index.ts';
import type { TestServer } from '../testing/index.ts';
import { until } from '../testing/realtime.ts';
import { createDatabase } from './database.ts';
import type { Database } from './database.ts';
import { createLog } from './log.ts';
import { createSupervisor } from './supervisor.ts';

const log = createLog('silent');
const { folder, remove } = temporaryFolder('supervisor');
let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(async () => {
  await server.close();
  remove();
});

test('nobody watches: nothing is told, nothing fails', () => {
  const supervisor = createSupervisor({}, log);
  supervisor.ready(server.services.db);
  supervisor.stopping();
});

test.skipIf(tools.systemdNotify === null)(
  '[OP-01] [FX-24] systemd is told READY, then WATCHDOG only while the pool has a connection to give, and STOPPING',
  { tags: 'long' },
  async () => {
    const { db } = server.services;
    await watched('hanging', db, async (fed) => {
      await until(() => fed() > 2);
      const giveBack = await takeEveryConnection(db);
      // Time itself: what was on its way has arrived.
      await wait(2000);
      const before = fed();
      // Time itself: ten times in which it is to be silent.
      await wait(1000);
      expect(fed()).toBe(before);
      await giveBack();
      await until(() => fed() > before);
    });
  },
);

test.skipIf(tools.systemdNotify === null)(
  '[OP-01] a database that is away is an answer: the server is not started again for it',
  async () => {
    const port = await freePort();
    const db = createDatabase({ host: '127.0.0.1', port, database: 'parrain', user: 'nobody', password: '' }, log);
    await expect(db.ping()).rejects.toThrow('The database is unavailable');
    await watched('away', db, async (fed) => {
      await until(() => fed() > 2);
    });
    await db.close();
  },
);

/** Watched ten times a second, by a stand-in of systemd that counts. */
async function watched(name: string, db: Database, work: (fed: () => number) => Promise<void>): Promise<void> {
  const systemd = await listenAsSystemd(`${folder}/${name}`);
  const environment = { PATH: process.env['PATH'], NOTIFY_SOCKET: systemd.socket, WATCHDOG_USEC: '300000' };
  const supervisor = createSupervisor(environment, log);
  try {
    supervisor.ready(db);
    await until(() => systemd.told().includes('READY=1'));
    expect(systemd.told()).toContain(`MAINPID=${process.pid}`);
    await work(() => systemd.told().filter((message) => message === 'WATCHDOG=1').length);
    supervisor.stopping();
    await until(() => systemd.told().includes('STOPPING=1'));
  } finally {
    supervisor.stopping();
    // Time itself: a process that was started to tell, and that nothing waits for, has ended.
    await wait(200);
    systemd.stop();
  }
}

async function takeEveryConnection(db: Database): Promise<() => Promise<void>> {
  const { promise: released, resolve: release } = Promise.withResolvers<undefined>();
  let held = 0;
  const holders = Array.from({ length: 10 }, async () =>
    db.asService('a test', async (tx) => {
      await tx.query('select 1');
      held += 1;
      await released;
    }),
  );
  await until(() => held === holders.length);
  return async () => {
    release(undefined);
    await Promise.allSettled(holders);
  };
}
