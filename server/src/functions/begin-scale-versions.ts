import type { Services } from '#platform/services';

const TASK = 'functions_begin_scale_versions';

/** SC-01: the values of a scale become those of the version whose day has come. Validations do not wait for it: they read the versions. */
export function defineBeginScaleVersions({ jobs, db }: Services): void {
  jobs.define(TASK, async () => {
    await db.asService('functions: begin scale versions', (tx) => tx.query('select private.begin_scale_versions()'));
  });
  jobs.schedule(TASK, '* * * * *', { maxAttempts: 1 });
}
