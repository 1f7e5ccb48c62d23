import type { Services } from '#platform/services';

const TASK = 'functions_cleanup';

/** Every night: answers nobody will ask for again, appointment requests and mails that were long sent, are removed. */
export function defineCleanup({ jobs, db }: Services): void {
  jobs.define(TASK, async () => {
    await db.asService('functions: cleanup', async (tx) => {
      await tx.query(`delete from private.idempotency_keys where created_at < now() - interval '48 hours'`);
      await tx.query(`delete from private.appointment_requests where created_at < now() - interval '1 year'`);
      await tx.query(`delete from private.mails where created_at < now() - interval '90 days'`);
      // The last that succeeded stays, however old: it says since when there is none.
      await tx.query(`delete from private.maintenance_runs where started_at < now() - interval '1 year'
        and id not in (select distinct on (kind) id from private.maintenance_runs where succeeded order by kind, started_at desc)`);
    });
  });
  jobs.schedule(TASK, '27 3 * * *');
}
