// Vitest configuration of every workspace; each vitest.config.ts adds where its tests are.
import { existsSync } from 'node:fs';
import path from 'node:path';

import { BaseSequencer } from 'vitest/node';

import { inProject } from './project.mjs';
import { LONG } from './rings.mjs';

/**
 * They start, kill and wait for processes, or for a minute to go by: begun first, they wait while the others compute, and
 * none of them is alone at the end.
 */
const WAITING = new Set(
  [
    'database/tests/embedded.test.ts',
    'server/src/start.test.ts',
    'server/src/stopping.test.ts',
    'server/src/several-nodes.test.ts',
    'server/src/failover.test.ts',
    'server/src/faults.test.ts',
    'server/src/functions/crash.test.ts',
    'server/src/backup/backup.test.ts',
    'server/src/backup/point-in-time.test.ts',
    'server/src/deploy/proxies.test.ts',
    'server/src/deploy/image.test.ts',
    'server/src/refusals.test.ts',
    'server/src/rights/doors.test.ts',
    'server/src/storage/conformance.test.ts',
    'web/tests/phone-factor.test.ts',
    'web/tests/security.test.ts',
  ].map((file) => {
    if (!existsSync(inProject(file))) throw new Error(`${file} is listed in scripts/lib/vitest.mjs and is not there`);
    return inProject(file);
  }),
);

/** The files that wait, then the others as vitest sorts them: those that took long last time first. */
class WaitingFirst extends BaseSequencer {
  async sort(files) {
    const sorted = await super.sort(files);
    const isWaiting = (spec) => WAITING.has(path.normalize(spec.moduleId));
    return [...sorted.filter(isWaiting), ...sorted.filter((spec) => !isWaiting(spec))];
  }
}

const PROPERTY_SEED = inProject('scripts', 'lib', 'property-seed.mjs');

/**
 * The configuration of a workspace: two workers, because two workspaces run side by side on two cores.
 * @param {{ globalSetup?: string[], include?: string[], [option: string]: unknown }} own
 */
export const workspaceTests = ({ globalSetup = [], ...own }) => ({
  test: {
    globalSetup: [PROPERTY_SEED, ...globalSetup],
    setupFiles: [PROPERTY_SEED],
    pool: 'forks',
    maxWorkers: 2,
    // A worker keeps the modules that it read: reading the server anew cost each file a second. What a file changes in its
    // process (timers, globals), it puts back.
    isolate: false,
    sequence: { sequencer: WaitingFirst },
    tags: [{ name: LONG, description: 'left by npm test to npm run test:long' }],
    // For a machine that eight others use: a test waits for an event, and these only end one that never comes.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000 } },
    // Values in a failed assertion are printed whole: the line that CI ends with is all that is left of a failed run.
    chaiConfig: { truncateThreshold: 0 },
    ...own,
  },
});
