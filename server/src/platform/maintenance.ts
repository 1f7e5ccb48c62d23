import { setTimeout as wait } from 'node:timers/promises';

import type { Finding } from '@parrain/database/verify';
import { verify } from '@parrain/database/verify';

import type { Database } from './database.ts';

/** Outcome of a run, for « État du système ». */
export type RunOutcome = {
  readonly succeeded: boolean;
  readonly details: Readonly<Record<string, unknown>>;
};

/** Runs a statement with the service's rights, and commits it. */
export type RecordQuery = (text: string, values: readonly unknown[]) => Promise<readonly Record<string, unknown>[]>;

/** Records a run from its start. A failure is recorded, and its error rethrown. */
export async function recordRun<T extends RunOutcome>(
  query: RecordQuery,
  kind: 'backup' | 'verification',
  work: () => Promise<T>,
): Promise<T> {
  const [started] = await query(
    'insert into private.maintenance_runs (kind, started_at) values ($1, now()) returning id',
    [kind],
  );
  const end = ({ succeeded, details }: RunOutcome): Promise<unknown> =>
    query('update private.maintenance_runs set finished_at = now(), succeeded = $2, details = $3 where id = $1', [
      started?.['id'],
      succeeded,
      JSON.stringify(details),
    ]);
  try {
    const outcome = await work();
    await end(outcome);
    return outcome;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    await end({ succeeded: false, details: { error: message.slice(0, 500) } }).catch(() => undefined);
    throw error;
  }
}

const VIOLATIONS_KEPT = 5;

/** The recorded result of a verification: the sentence of each broken invariant, and the ids of some rows. */
export function verificationOutcome(findings: readonly Finding[], by: 'command' | 'schedule'): RunOutcome {
  const broken = findings.filter(({ violations }) => violations.length > 0);
  return {
    succeeded: broken.length === 0,
    details: {
      by,
      invariants: findings.length,
      broken: broken.map(({ invariant, violations }) => ({
        id: invariant.id,
        sentence: invariant.sentence,
        violations: violations.slice(0, VIOLATIONS_KEPT),
      })),
    },
  };
}

const STATEMENT_TIMEOUT_MS = 15 * 60_000;
const PAUSE_MAX_MS = 60_000;

/**
 * Verifies every invariant beside the work of the day: each statement alone, in a transaction that holds nothing back, on
 * one core, and as long a pause after it as it took. They speak of different instants, each of one.
 */
export async function verifyGently(db: Database): Promise<RunOutcome> {
  const findings = await verify(async (sql) => {
    const started = performance.now();
    const { rows } = await db.asService(
      'verification',
      async (tx) => {
        await tx.query('set local max_parallel_workers_per_gather = 0');
        return tx.query({ text: sql, prepare: false });
      },
      { readOnly: true, statementTimeoutMs: STATEMENT_TIMEOUT_MS },
    );
    await wait(Math.min(performance.now() - started, PAUSE_MAX_MS), undefined, { ref: false });
    return rows;
  });
  return verificationOutcome(findings, 'schedule');
}
