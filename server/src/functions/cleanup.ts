import type { Services } from '#platform/services';

const TASK = 'functions_cleanup';

/** Nightly cleanup of expired idempotency answers, old requests and mails, and jobs that failed for good. */
export function defineCleanup({ jobs, db }: Services): void {
  jobs.define(TASK, async () => {
    await db.asService('functions: cleanup', async (tx) => {
      await tx.query(`delete from private.idempotency_keys where created_at < now() - interval '48 hours'`);
      await tx.query(`delete from private.appointment_requests where created_at < now() - interval '1 year'`);
      await tx.query(`delete from private.refused_referrals where refused_at < now() - interval '1 year'`);
      await tx.query(`delete from private.mails where created_at < now() - interval '90 days'`);
      await tx.query(
        `update private.mails set sealed = null where sealed is not null and status_since < now() - interval '30 days'`,
      );
      await tx.query(`delete from private.notice_mails m using public.notices n where n.id = m.notice_id
        and m.state = 'due' and n.created_at < now() - interval '1 day'`);
      await tx.query(`delete from public.notices where created_at < now() - interval '180 days'`);
      await tx.query(`delete from private.alarms where cleared_at < now() - interval '1 year'`);
      // Jobs that no attempt is left for.
      await tx.query(`select from graphile_worker.complete_jobs(array(select id from graphile_worker.jobs
        where attempts >= max_attempts and locked_at is null and updated_at < now() - interval '30 days'))`);
      // The last that succeeded stays, however old: it says since when there is none.
      await tx.query(`delete from private.maintenance_runs where started_at < now() - interval '1 year'
        and id not in (select distinct on (kind) id from private.maintenance_runs where succeeded order by kind, started_at desc)`);
    });
  });
  jobs.schedule(TASK, '27 3 * * *');
}
