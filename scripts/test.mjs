// npm test: installs what it needs and runs everything. `npm test -- PATTERN` runs what matches, `npm run test:fast` what is
// quick. The last line is « N passed, N failed »; the tests that failed are named just above it.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';

import { check } from './check.mjs';
import { ensureInstalled } from './ensure-installed.mjs';
import { ensureWebBuilt } from './lib/build-web.mjs';
import { findChromium } from './lib/chromium.mjs';
import { inProject, projectEnvironment, run, tool } from './lib/project.mjs';
import { fastRing, matching, WORKSPACES } from './lib/rings.mjs';

const patterns = process.argv.slice(2).filter((parameter) => !parameter.startsWith('--'));
const isFast = process.argv.includes('--fast');
const reports = mkdtempSync(path.join(os.tmpdir(), 'parrain-reports-'));
/** Parts that run side by side print at their end; a few chosen tests print as they go. */
const isSideBySide = patterns.length === 0;
/** Lines of an error that stand beside the test it failed: what was expected, what came; and where in our files. */
const REASON_LINES = 16;
const PLACE_LINES = 3;
const total = { passed: 0, failed: 0 };
/** The tests that failed, named as « file › title ». */
const failures = [];

try {
  await ensureInstalled();
  const { default: printSeed } = await import('./lib/property-seed.mjs');
  printSeed();
  if (patterns.length > 0) await runMatching();
  else if (isFast) await runFast();
  else await runAll();
} catch (error) {
  process.stderr.write(`${error.stack ?? error.message}\n`);
  total.failed += 1;
} finally {
  rmSync(reports, { recursive: true, force: true });
}
if (failures.length > 0) process.stdout.write(`\nfailed:\n${failures.map((name) => `  ${name}\n`).join('')}`);
process.stdout.write(`${total.passed} passed, ${total.failed} failed\n`);
process.exitCode = total.failed === 0 ? 0 : 1;

async function runAll() {
  await part('web build', buildWeb);
  await twoAtOnce([
    ['server', () => vitest('server')],
    ['web', () => vitest('web')],
    ['database', () => vitest('database')],
    ['check', check],
    ['e2e', () => playwright()],
    ['domain', () => vitest('domain')],
  ]);
}

async function runFast() {
  const fast = (workspace) => [workspace, () => vitest(workspace, fastRing(workspace))];
  await twoAtOnce(['server', 'database', 'domain', 'web'].map(fast));
}

/** Two parts at any instant, the longest begun first: tests wait for processes, mails and pages about as long as they compute. */
async function twoAtOnce(parts) {
  const waiting = [...parts];
  const lane = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await part(...next);
  };
  await Promise.all([lane(), lane()]);
}

/** What each pattern names: files by their path, or where there is none, tests by their title. */
async function runMatching() {
  const runs = [...WORKSPACES, 'e2e'].flatMap((workspace) => matching(workspace, patterns));
  if (runs.some(({ files }) => files.some((file) => /^(?:web\/tests|e2e)\//u.test(file)))) {
    await part('web build', buildWeb);
  }
  for (const { workspace, files, title } of runs) {
    const parameters = files.map((file) => path.posix.relative(workspace, file));
    await part(workspace, () =>
      workspace === 'e2e'
        ? playwright([...parameters, ...(title === null ? [] : ['--grep', title])])
        : vitest(workspace, [...parameters, ...(title === null ? [] : ['--testNamePattern', title])]),
    );
  }
  if (total.passed + total.failed === 0) {
    process.stdout.write(`\nNo test file and no test title contains « ${patterns.join(' », « ')} ».\n`);
    total.failed = 1;
  }
}

async function buildWeb() {
  await ensureWebBuilt();
  return { passed: 0, failed: 0 };
}

/**
 * Runs one part and adds up; a part that cannot run at all counts as one failure, and the others run. What it printed is
 * shown when it ends, because two parts may run at once.
 */
async function part(name, perform) {
  const started = Date.now();
  process.stdout.write(`── ${name} …\n`);
  const counts = await perform().catch((error) => ({
    passed: 0,
    failed: 1,
    output: `${error.stack ?? error.message}\n`,
  }));
  total.passed += counts.passed;
  total.failed += counts.failed;
  const named = counts.failures ?? [];
  // A part that broke before its tests, or beside them, is named itself.
  failures.push(...(counts.failed > named.length ? [...named, `${name} (see above)`] : named));
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  process.stdout.write(`\n── ${name}\n${counts.output ?? ''}`);
  process.stdout.write(`── ${name}: ${counts.passed} passed, ${counts.failed} failed (${seconds} s)\n`);
}

async function vitest(workspace, parameters = []) {
  const report = path.join(reports, `${workspace}.json`);
  rmSync(report, { force: true });
  const [node, script] = tool('vitest');
  const { code, output } = await run(
    node,
    [...script, 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...parameters],
    { cwd: inProject(workspace), env: testEnvironment(), capture: isSideBySide },
  );
  const result = readReport(report);
  if (result === null) return { passed: 0, failed: 1, output };
  const found = result.testResults.flatMap((file) => {
    const name = path.relative(inProject(), file.name);
    const failed = file.assertionResults.filter((test) => test.status === 'failed');
    // A file that could not be loaded has no test that failed.
    if (failed.length === 0 && file.status === 'failed') return [withReason(`${name} (could not run)`, file.message)];
    return failed.map((test) =>
      withReason(`${name} › ${[...test.ancestorTitles, test.title].join(' › ')}`, test.failureMessages?.[0]),
    );
  });
  // An unhandled error fails the run, and no test.
  const failed = found.length === 0 && code !== 0 ? 1 : found.length;
  return { passed: result.numPassedTests, failed, failures: found, output };
}

async function playwright(parameters = []) {
  const chromium = findChromium();
  const report = path.join(reports, 'e2e.json');
  const [node, script] = tool('@playwright/test', 'playwright');
  const { code, output } = await run(node, [...script, 'test', '--reporter=list,json', ...parameters], {
    cwd: inProject('e2e'),
    capture: isSideBySide,
    env: testEnvironment({
      CHROMIUM_PATH: chromium.path,
      ...chromium.env,
      PLAYWRIGHT_JSON_OUTPUT_FILE: report,
    }),
  });
  const result = readReport(report);
  if (result === null) return { passed: 0, failed: 1, output };
  const { expected, unexpected, flaky } = result.stats;
  const found = result.suites.flatMap((suite) => failedSpecs(suite));
  const failed = unexpected + result.errors.length;
  return { passed: expected + flaky, failed: failed === 0 && code !== 0 ? 1 : failed, failures: found, output };
}

function failedSpecs(suite, above = []) {
  const names = [...above, suite.title];
  return [
    ...(suite.specs ?? [])
      .filter((spec) => !spec.ok)
      .map((spec) => {
        const error = spec.tests.flatMap((test) => test.results).findLast((result) => result.error)?.error;
        return withReason(`e2e/${[...names, spec.title].join(' › ')}`, error?.stack ?? error?.message);
      }),
    ...(suite.suites ?? []).flatMap((inner) => failedSpecs(inner, names)),
  ];
}

/** A failed test with its error: a run's last lines are all that is left of it where it ran elsewhere. */
function withReason(name, error = '') {
  const lines = stripVTControlCharacters(error).split('\n');
  const isPlace = (line) => /^\s+at /u.test(line);
  const places = lines.filter((line) => isPlace(line) && !/node_modules|node:|<anonymous>/u.test(line));
  const reason = lines.filter((line) => line.trim() !== '' && !isPlace(line));
  return [name, ...reason.slice(0, REASON_LINES), ...places.slice(0, PLACE_LINES)].join('\n      ');
}

/** The tests' own environment: what configures a real server here must not configure theirs. */
function testEnvironment(more = {}) {
  const env = projectEnvironment(more);
  for (const name of ['DATABASE_URL', 'DATA_DIR', 'PUBLIC_URL', 'SMTP_URL', 'SECRET_KEY', 'DEMO', 'PORT', 'NODE_ENV']) {
    delete env[name];
  }
  return env;
}

function readReport(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null;
}
