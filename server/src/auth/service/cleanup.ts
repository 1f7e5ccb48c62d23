import type { Database } from '#platform/database';
import { isDatabaseError } from '#platform/errors';
import type { Services } from '#platform/services';

const TASK = 'auth_cleanup';

/** Every night: removes rows that expired long enough ago. */
export function defineCleanup({ jobs, db }: Services): void {
  jobs.define(
    TASK,
    async () => {
      await db.asService('auth: cleanup', async (tx) => {
        await tx.query(`delete from auth.one_time_tokens where expires_at < now() - interval '24 hours'`);
        await tx.query(`delete from auth.flow_states where expires_at < now() - interval '24 hours'`);
        await tx.query(`delete from auth.challenges where expires_at < now() - interval '24 hours'`);
        await tx.query(
          `delete from auth.factors where status = 'unverified' and created_at < now() - interval '24 hours'`,
        );
        await tx.query(`delete from auth.provider_flows where expires_at < now() - interval '24 hours'`);
        await tx.query('delete from auth.used_proofs where expires_at < now()');
        await tx.query(`delete from auth.sessions where not_after < now() - interval '24 hours'`);
        // A session unused for a year.
        await tx.query(`delete from auth.sessions where refreshed_at < now() - interval '1 year'`);
        await tx.query(`delete from auth.signing_keys where retired_at < now() - interval '1 day'`);
        // The table's policy keeps the younger entries, and those that show how an account came to be.
        await tx.query(`delete from auth.audit_entries where at < now() - interval '1 year'`);
        await tx.query(`delete from private.sign_in_failures where last_at < now() - interval '1 day'`);
        await tx.query(`delete from private.rate_limits where refilled_at < now() - interval '1 day'`);
      });
      await removeAnonymous(db);
    },
    { isLong: true },
  );
  jobs.schedule(TASK, '17 3 * * *');
}

/** Removes anonymous accounts after a month, unless a sale or a payment names them. */
async function removeAnonymous(db: Database): Promise<void> {
  const { rows } = await db.queryAsService<{ id: string }>('auth: cleanup', {
    text: `select id from auth.users where is_anonymous and created_at < now() - interval '30 days'`,
    values: [],
  });
  for (const { id } of rows) {
    try {
      await db.asService('auth: cleanup', (tx) =>
        tx.query('delete from auth.users where id = $1 and is_anonymous', [id]),
      );
    } catch (error) {
      if (!isDatabaseError(error) || !['23001', '23503'].includes(error.code ?? '')) throw error;
    }
  }
}
