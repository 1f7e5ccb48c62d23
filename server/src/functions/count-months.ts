import type { Services } from '#platform/services';

const TASK = 'functions_count_months';
const STATEMENT_TIMEOUT_MS = 15 * 60_000;

/**
 * PI-01, LG-02, NV-03: nightly count of what was validated, invited and posted before today, so that a screen reads months instead of
 * rows, and of the words that a search with a typing error goes to.
 */
export function defineCountMonths({ jobs, db }: Services): void {
  jobs.define(
    TASK,
    async () => {
      for (const count of ['private.count_months(), private.count_control()', 'private.count_words()'])
        await db.asService('functions: count months', (tx) => tx.query(`select ${count}`), {
          statementTimeoutMs: STATEMENT_TIMEOUT_MS,
        });
    },
    { isLong: true },
  );
  jobs.schedule(TASK, '47 2 * * *', { catchUpHours: 24 });
}
