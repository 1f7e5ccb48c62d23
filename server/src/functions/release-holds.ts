import type { Services } from '#platform/services';

const TASK = 'functions_release_holds';
/** Holds ended in one transaction. */
const BATCH = 500;

/** LG-03: ends the holds whose day has come. Several nodes may do so at once: each leaves to the other what it is at. */
export function defineReleaseHolds({ jobs, db }: Services): void {
  jobs.define(TASK, async () => {
    for (;;) {
      const ended = await db.asService('functions: release holds', async (tx) => {
        const { rows } = await tx.query<{ ended: number }>('select private.release_holds(null, $1) as ended', [BATCH]);
        return rows[0]?.ended ?? 0;
      });
      if (ended < BATCH) return;
    }
  });
  jobs.schedule(TASK, '*/10 * * * *', { catchUpHours: 24 });
}
