import type { Services } from '#platform/services';

const TASK = 'functions_cleanup';

/** Nightly cleanup of expired idempotency answers, old requests and mails, and jobs that failed for good. */
export function defineCleanup({ jobs, db }: Services): void {
  jobs.define(
    TASK,
    async () => {
      await db.asService('functions: cleanup', async (tx) => {
        await tx.query(`delete from private.idempotency_keys where created_at < now() - interval '48 hours'`);
        await tx.query(`delete from private.appointment_requests where created_at < now() - interval '1 year'`);
        await tx.query(`delete from private.refused_referrals where refused_at < now() - interval '1 year'`);
        // FD-01: a doubt that was none is forgotten sooner than one that was right.
        await tx.query(`delete from public.doubtful_cases
        where decided_at < now() - case status when 'cleared' then interval '1 year' else interval '5 years' end
          and not (status = 'confirmed' and exists (
            select from public.commission_holds h join public.commission_payments p on p.id = h.commission_id
            join public.sales s on s.id = p.sale_id
            where coalesce(s.friend_referrer_id, s.client_referrer_id) = doubtful_cases.payee_id and h.is_under_check))`);
        await tx.query(`delete from private.imports where written_at is null and read_at < now() - interval '1 day'`);
        await tx.query(`delete from private.mails where created_at < now() - interval '90 days'`);
        await tx.query(
          `update private.mails set sealed = null where sealed is not null and status_since < now() - interval '30 days'`,
        );
        await tx.query(`delete from private.notice_mails m using public.notices n where n.id = m.notice_id
        and m.state = 'due' and n.created_at < now() - interval '1 day'`);
        await tx.query(`delete from public.notices where created_at < now() - interval '180 days'`);
        await tx.query(`delete from private.webhook_deliveries where created_at < now() - interval '30 days'`);
        await tx.query(
          `update private.webhooks set former_secret_sealed = null, former_secret_until = null where former_secret_until < now()`,
        );
        await tx.query('delete from private.archives where private.archive_expires_at(ended_at) < now()');
        await tx.query(`delete from private.alarms where cleared_at < now() - interval '1 year'`);
        // Jobs that no attempt is left for.
        await tx.query(`select from graphile_worker.complete_jobs(array(select id from graphile_worker.jobs
        where attempts >= max_attempts and locked_at is null and updated_at < now() - interval '30 days'))`);
        // The last that succeeded stays, however old: it says since when there is none.
        await tx.query(`delete from private.maintenance_runs where started_at < now() - interval '1 year'
        and id not in (select distinct on (kind) id from private.maintenance_runs where succeeded order by kind, started_at desc)`);
      });
    },
    { isLong: true },
  );
  jobs.schedule(TASK, '27 3 * * *');
}
