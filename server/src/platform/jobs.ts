import { run } from 'graphile-worker';
import { Logger } from 'graphile-worker';
import type { Runner, TaskList } from 'graphile-worker';
import { Pool } from 'pg';

import type { DatabaseAddress, Transaction } from './database.ts';
import type { Log } from './log.ts';

/** The queue in PostgreSQL: a job is part of the transaction that asks for it, and survives everything else. */
export type Jobs = {
  /** Defines the work of a kind of job. Before `start` only. */
  readonly define: (
    task: string,
    work: (payload: unknown, attempt: JobAttempt) => Promise<void>,
    options?: DefineOptions,
  ) => void;
  /** Repeats a job; `crontab` is five fields in UTC, e.g. `0 3 * * *`. Before `start` only. */
  readonly schedule: (task: string, crontab: string, options?: ScheduleOptions) => void;
  /** Adds a job inside the caller's transaction. The payload is readable in the database: nothing secret in clear. */
  readonly enqueue: (
    tx: Transaction,
    task: string,
    payload: unknown,
    options?: { readonly maxAttempts?: number },
  ) => Promise<void>;
  /** Starts working. A server that only enqueues need not. Without `onTheClock`, nothing that was scheduled is repeated. */
  readonly start: (options?: { readonly onTheClock?: boolean }) => Promise<void>;
  /** Finishes what is running, within its time, and stops. */
  readonly stop: () => Promise<void>;
};

export type DefineOptions = {
  /** Reads or sweeps whole tables: such jobs run in turn, in a lane of their own, and no mail waits behind them. */
  readonly isLong?: boolean;
};

export type ScheduleOptions = {
  /** Tells schedules of one task apart; the task's name otherwise. Letters, digits and `_`. */
  readonly id?: string;
  /** A run that was due while no server ran is caught up at the next start, once, within so many hours. */
  readonly catchUpHours?: number;
  readonly maxAttempts?: number;
};

export type JobAttempt = {
  /** Aborted some seconds after the server was asked to stop: the job is then tried again, by another server or later. */
  readonly signal: AbortSignal;
  readonly attempts: number;
  readonly maxAttempts: number;
};

/** A new job wakes a node by itself: a poll finds those that are tried again, or due at a time of theirs. */
const POLL_INTERVAL_MS = 5000;
/** The failure of a job that has logged it itself, in one line: the queue tries again and writes no stack (DF-74). */
export class TriedAgain extends Error {}

/** Jobs at once on one node. Each lane looks for its own kinds of jobs alone. */
const LANES = { short: 2, long: 1 } as const;
type Lane = keyof typeof LANES;
/** Connections: one for each job, one for each lane to listen, one for the clock. */
const POOL_SIZE = LANES.short + LANES.long + Object.keys(LANES).length + 1;

export function createJobs(address: DatabaseAddress, log: Log): Jobs {
  const tasks: Record<Lane, TaskList> = { short: {}, long: {} };
  const crontab: string[] = [];
  let runners: Runner[] | undefined;
  let pool: Pool | undefined;

  return {
    define(task, work, { isLong = false } = {}) {
      tasks[isLong ? 'long' : 'short'][task] = async (payload, helpers) => {
        const { job, abortSignal: signal } = helpers;
        await work(payload, { attempts: job.attempts, maxAttempts: job.max_attempts, signal });
      };
    },
    schedule(task, fields, { id = task, catchUpHours, maxAttempts } = {}) {
      const options = [
        `id=${id}`,
        ...(catchUpHours === undefined ? [] : [`fill=${catchUpHours}h`, `jobKey=${id}`]),
        ...(maxAttempts === undefined ? [] : [`max=${maxAttempts}`]),
      ];
      crontab.push(`${fields} ${task} ?${options.join('&')}`);
    },
    enqueue: (tx, task, payload, options = {}) =>
      tx.asService(`enqueue ${task}`, async () => {
        await tx.query('select from graphile_worker.add_job($1, $2::json, max_attempts => $3)', [
          task,
          JSON.stringify(payload),
          options.maxAttempts ?? 12,
        ]);
      }),
    async start({ onTheClock = true } = {}) {
      if (runners !== undefined) return;
      runners = [];
      pool = new Pool({
        ...address,
        max: POOL_SIZE,
        application_name: 'parrain jobs',
        // The queue's tables belong to the service's role, which this login may take and nothing else.
        options: '-c role=parrain_service -c TimeZone=UTC',
      });
      // A pool that has ended may still be closing its connections when PostgreSQL stops and says so to each.
      const onError = (error: Error): void => {
        if (runners !== undefined) log.warn({ err: error }, 'The job queue lost a connection');
      };
      pool.on('error', onError);
      pool.on('connect', (client) => client.on('error', onError));
      for (const lane of ['short', 'long'] as const) {
        // One lane keeps the clock of both: a job that is due is in the table for whichever looks for its kind.
        const hasClock = onTheClock && lane === 'short' && crontab.length > 0;
        const runner = await run({
          pgPool: pool,
          taskList: tasks[lane],
          ...(hasClock ? { crontab: crontab.join('\n') } : { parsedCronItems: [] }),
          concurrency: LANES[lane],
          pollInterval: POLL_INTERVAL_MS,
          noHandleSignals: true,
          logger: new Logger(() => (level, message, meta) => {
            const isLogged = meta?.['error'] instanceof TriedAgain;
            if (level === 'error' && !isLogged) log.error({ job: message }, 'The job queue reports an error');
            else log.debug({ job: message }, 'job queue');
          }),
        });
        runners.push(runner);
        // Its end is asked for by `stop`; a failure before that is logged, and the readiness check shows the database.
        runner.promise.catch((error: unknown) => log.error({ err: error }, 'The job queue stopped'));
      }
    },
    async stop() {
      await Promise.all(
        (runners ?? []).map((runner) =>
          runner.stop().catch((error: unknown) => log.warn({ err: error }, 'The job queue was already stopped')),
        ),
      );
      runners = undefined;
      await pool?.end();
      pool = undefined;
    },
  };
}
