import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';

import { temporaryFolder } from '../testing/deployment.ts';
import { startTestServer } from '../testing/index.ts';

const { folder, remove } = temporaryFolder('disk');
afterAll(remove);

/** A disk of 32 MiB, where the system lets this process make one. */
const isMounted = ((): boolean => {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=32m', 'tmpfs', folder], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();
afterAll(() => {
  if (isMounted) execFileSync('umount', [folder]);
});

test.skipIf(!isMounted)('[FX-31] /health/ready says that the disk of the embedded database is full', async () => {
  const server = await startTestServer({ environment: { DATA_DIR: folder }, doors: [], jobs: false });
  const ready = async (): Promise<unknown> => {
    const reply = await fetch(`${server.url}/health/ready`);
    return [reply.status, await reply.json()];
  };
  try {
    expect(await ready()).toEqual([200, { status: 'ok', database: 'ok' }]);
    const file = path.join(folder, 'filling');
    writeFileSync(file, Buffer.alloc(20 * 1024 * 1024));
    expect(await ready()).toEqual([503, { status: 'unavailable', database: 'ok', disk: 'full' }]);
    // The process itself is well: to start it again would make no room.
    expect((await fetch(`${server.url}/health/live`)).status).toBe(200);
    rmSync(file);
    expect(await ready()).toEqual([200, { status: 'ok', database: 'ok' }]);
  } finally {
    await server.close();
  }
});
