// @module-tag long: src/upgrade.test.ts holds its subject in the quick ring
import { formerReleases, installed } from '@parrain/database/testing-releases';
import type { FormerRelease } from '@parrain/database/testing-releases';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';

import { urlOf } from './testing/deployment.ts';
import { freePort } from './testing/free-port.ts';
import type { EmptyDatabase } from './testing/index.ts';
import { askWithKey, siteAt } from './testing/main-job.ts';
import { runNpmCommand, startServerProcess } from './testing/processes.ts';
import type { ServerProcess } from './testing/processes.ts';
import { hasRelease, unpackRelease } from './testing/release.ts';
import type { ReleaseProgram } from './testing/release.ts';
import { createBalancer, startTraffic } from './testing/traffic.ts';

// A rolling upgrade from the last release, whose own program runs beside this one on one database while people work.

vi.setConfig({ testTimeout: 600_000, hookTimeout: 300_000 });

const release = formerReleases().at(-1) as FormerRelease;
/** Without its commit (a shallow clone) there is no former program. */
const isThere = hasRelease(release.commit);
if (!isThere)
  process.stdout.write(
    `The commit of ${release.version} is not in this clone: a rolling upgrade from it is not tried\n`,
  );

let database: EmptyDatabase;
let former: ReleaseProgram;
beforeAll(async () => {
  if (!isThere) return;
  former = unpackRelease(release.commit);
  database = await installed(release);
});
afterAll(async () => {
  if (!isThere) return;
  former.remove();
  await database.drop();
});

test.skipIf(!isThere)(
  '[DF-71] two nodes, the former version and this one, under load: no request is lost, and every invariant holds',
  async () => {
    const environment = {
      DATABASE_URL: urlOf(database.owner),
      SECRET_KEY: release.secretKey,
      // Tokens are of one product, whichever node gave them.
      PUBLIC_URL: 'http://localhost',
      DEMO: '1',
      DRAIN_SECONDS: '1',
    };
    const balancer = createBalancer();
    const at = async (start: ReleaseProgram['start']): Promise<ServerProcess> => {
      const port = String(await freePort());
      return { ...(await start({ ...environment, PORT: port })), url: `http://127.0.0.1:${port}` };
    };
    const old = await at(former.start);
    balancer.use([old.url]);
    const site = await siteAt(old.url);
    const traffic = await startTraffic(site, release, balancer.next, 10);
    const answered = async (count: number): Promise<void> => {
      await expect
        .poll(() => traffic.requests.length, { timeout: 300_000, interval: 50 })
        .toBeGreaterThanOrEqual(count);
    };
    await answered(20);
    // The new node migrates at its start while the former one has all the work.
    const current = await at(startServerProcess);
    balancer.use([old.url, current.url]);
    await answered(traffic.requests.length + 60);
    await old.stop();
    balancer.use([current.url]);
    await answered(traffic.requests.length + 20);
    await traffic.stop();
    balancer.close();
    expect(traffic.requests.filter(({ answer }) => typeof answer === 'string' || answer >= 400)).toEqual([]);
    expect(traffic.requests.filter(({ asked }) => asked === 'main job').length).toBeGreaterThan(0);
    const key = await askWithKey({ ...site, url: current.url }, release.apiKey, '/rest/v1/sales?select=id&limit=1');
    expect(key).toMatchObject({ status: 200, body: [{}] });
    await current.stop();
    expect(await runNpmCommand('verify', [], environment)).toMatchObject({ code: 0 });
  },
);
