import { expect, test } from 'vitest';

import { createTestDatabase, startTestServer } from '../testing/index.ts';

/** The end of a hang, in milliseconds: a mail that leaves is told as it leaves. */
const PATIENCE = 120_000;

const MAIL = { to: 'zoe@example.fr', subject: 'Bonjour', html: '<p>Bonjour</p>', text: 'Bonjour' };

test('[X-05] [EX-03] a mail leaves while a backup is made, an archive is asked and the nightly counts wait', async () => {
  const database = await createTestDatabase();
  const server = await startTestServer({ smtp: true, doors: [], database, jobs: false });
  const { jobs, db, mail } = server.services;
  const ends: (() => void)[] = [];
  const over = new Promise<void>((resolve) => ends.push(resolve));
  const begun: string[] = [];
  const LONG = ['test_backup', 'test_archive', 'test_counts'];
  for (const task of LONG)
    jobs.define(
      task,
      async () => {
        begun.push(task);
        await over;
      },
      { isLong: true },
    );
  try {
    await jobs.start({ onTheClock: false });
    await db.asService('test', async (tx) => {
      for (const task of LONG) await jobs.enqueue(tx, task, {});
    });
    await expect.poll(() => begun.length).toBe(1);
    const id = await db.asService('test', (tx) => mail.enqueue(tx, MAIL));
    expect(await mail.waitForFate(id, PATIENCE)).toBe('accepted');
    // The others wait for the first, and follow it.
    expect(begun).toHaveLength(1);
    ends.forEach((end) => end());
    await expect.poll(() => begun.toSorted()).toEqual(LONG.toSorted());
  } finally {
    ends.forEach((end) => end());
    await server.close();
    await database.drop();
  }
});
