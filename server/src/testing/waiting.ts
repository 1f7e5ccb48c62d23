import { expect } from 'vitest';

import type { TestDatabase } from './index.ts';

type Of = { readonly database: Pick<TestDatabase, 'asOwner'> };

/** Waits until every job that was asked for is done: a mail or message that has not left by then never does. */
export async function jobsAreDone({ database }: Of): Promise<void> {
  const left = () =>
    database.asOwner(
      `select task_identifier from graphile_worker.jobs
       where locked_at is not null or (run_at <= now() and attempts < max_attempts)`,
    );
  await expect.poll(left, { interval: 20 }).toEqual([]);
}

/** Waits until a statement on this database waits for a lock that another transaction holds. */
export async function lockIsWaitedFor({ database }: Of): Promise<void> {
  const waiting = async () =>
    (
      await database.asOwner(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
    ).length;
  await expect.poll(waiting, { interval: 20 }).toBeGreaterThan(0);
}
