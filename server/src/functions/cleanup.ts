import type { Services } from '#platform/services';

const TASK = 'functions_cleanup';

/** Every night: answers nobody will ask for again, and appointment requests that were long answered, are removed. */
export function defineCleanup({ jobs, db }: Services): void {
  jobs.define(TASK, async () => {
    await db.asService('functions: cleanup', async (tx) => {
      await tx.query(`delete from private.idempotency_keys where created_at < now() - interval '48 hours'`);
      await tx.query(`delete from private.appointment_requests where created_at < now() - interval '1 year'`);
    });
  });
  jobs.schedule(TASK, '27 3 * * *');
}
