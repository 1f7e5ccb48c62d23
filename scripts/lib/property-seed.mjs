// The seed of every property test (fast-check), in one place: vitest reads this file before the run, and before each test
// file. CI always draws the same cases, so that a red build is red for what was pushed; elsewhere each run draws others.
import fc from 'fast-check';

const CI_SEED = 20_261_122;

const isGiven = process.env.PROPERTY_SEED !== undefined;
// Workers inherit the environment of the process that started them: one seed for the whole run.
process.env.PROPERTY_SEED ??= String(process.env.CI ? CI_SEED : Math.floor(Math.random() * 2 ** 31));
const seed = Number(process.env.PROPERTY_SEED);
fc.configureGlobal({ seed });

/** Vitest's global setup: prints the seed once a run. */
export default function printSeed() {
  if (!isGiven) process.stdout.write(`property tests: PROPERTY_SEED=${seed} draws the same cases again\n`);
}
