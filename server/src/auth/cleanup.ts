import type { Services } from '#platform/services';

const TASK = 'auth_cleanup';

/** Every night: what lapsed long enough ago is removed. */
export function defineCleanup({ jobs, db }: Services): void {
  jobs.define(TASK, async () => {
    await db.asService('auth: cleanup', async (tx) => {
      await tx.query(`delete from auth.one_time_tokens where expires_at < now() - interval '24 hours'`);
      await tx.query(`delete from auth.flow_states where expires_at < now() - interval '24 hours'`);
      await tx.query(`delete from auth.users where is_anonymous and created_at < now() - interval '30 days'`);
      await tx.query(`delete from auth.challenges where expires_at < now() - interval '24 hours'`);
      await tx.query(
        `delete from auth.factors where status = 'unverified' and created_at < now() - interval '24 hours'`,
      );
      await tx.query(`delete from auth.provider_flows where expires_at < now() - interval '24 hours'`);
      await tx.query('delete from auth.used_proofs where expires_at < now()');
      await tx.query(`delete from auth.sessions where not_after < now() - interval '24 hours'`);
      await tx.query(`delete from private.sign_in_failures where last_at < now() - interval '1 day'`);
      await tx.query(`delete from private.rate_limits where refilled_at < now() - interval '1 day'`);
    });
  });
  jobs.schedule(TASK, '17 3 * * *');
}
