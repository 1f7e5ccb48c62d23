import type { Services } from '#platform/services';

const TASK = 'functions_apply_controls';

/** DF-24: changes of the controls that bind admins come into force once their 72 hours are over. */
export function defineApplyControls({ jobs, db }: Services): void {
  jobs.define(TASK, async () => {
    await db.asService('functions: apply controls', (tx) => tx.query('select private.apply_due_controls()'));
  });
  jobs.schedule(TASK, '*/10 * * * *', { catchUpHours: 24 });
}
