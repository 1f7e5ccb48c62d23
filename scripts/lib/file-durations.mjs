import { writeFileSync } from 'node:fs';

/** Environment variable with the file that this reporter writes, for `npm test`, which prints the slowest files of each part. */
export const FILE_DURATIONS = 'PARRAIN_TEST_FILE_DURATIONS';

/** A reporter of vitest: writes how many milliseconds each file took, reading it and its hooks included. */
export default class FileDurations {
  onTestRunEnd(modules) {
    const ran = modules.filter((module) => module.state() !== 'skipped');
    const durations = ran.map((module) => {
      const { collectDuration, setupDuration, duration } = module.diagnostic();
      return [module.moduleId, collectDuration + setupDuration + duration];
    });
    writeFileSync(process.env[FILE_DURATIONS], JSON.stringify(durations));
  }
}
