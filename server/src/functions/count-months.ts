import type { Services } from '#platform/services';

const TASK = 'functions_count_months';
const STATEMENT_TIMEOUT_MS = 15 * 60_000;

/** PI-01, LG-02: nightly count of what was validated, invited and posted before today, so that a screen reads months instead of rows. */
export function defineCountMonths({ jobs, db }: Services): void {
  jobs.define(TASK, async () => {
    await db.asService(
      'functions: count months',
      (tx) => tx.query('select private.count_months(), private.count_control()'),
      {
        statementTimeoutMs: STATEMENT_TIMEOUT_MS,
      },
    );
  });
  jobs.schedule(TASK, '47 2 * * *', { catchUpHours: 24 });
}
