import { writeFileSync } from 'node:fs';

/** Environment variable with the file that this reporter writes, for `npm test`. */
export const RUN_FACTS = 'PARRAIN_TEST_RUN_FACTS';

/**
 * A reporter of vitest: writes what its own report lacks, `{ files: [path, ms][], errors: string[] }`. A file's milliseconds are
 * with reading it and its hooks; the errors are those outside every test, which fail the run.
 */
export default class RunFacts {
  onTestRunEnd(modules, unhandledErrors) {
    const ran = modules.filter((module) => module.state() !== 'skipped');
    const files = ran.map((module) => {
      const { collectDuration, setupDuration, duration } = module.diagnostic();
      return [module.moduleId, collectDuration + setupDuration + duration];
    });
    const errors = unhandledErrors.map(({ message, stack }) => stack ?? message ?? 'no message');
    writeFileSync(process.env[RUN_FACTS], JSON.stringify({ files, errors }));
  }
}
