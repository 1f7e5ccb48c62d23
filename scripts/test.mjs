// npm test: installs what it needs and runs the tests that guard a change; `npm run test:long` the others, `npm test -- --all` both,
// `npm run test:fast` what takes a minute, `npm test -- PATTERN` what matches of all. The last line is « N passed, N failed »; the
// tests that failed are named just above it.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';

import { check } from './check.mjs';
import { ensureInstalled } from './ensure-installed.mjs';
import { ensureWebBuilt } from './lib/build-web.mjs';
import { findChromium } from './lib/chromium.mjs';
import { inProject, projectEnvironment, run, tool } from './lib/project.mjs';
import { LONG, markedLong, matching, ringOf, WORKSPACES } from './lib/rings.mjs';
import { RUN_FACTS } from './lib/run-facts.mjs';

const patterns = process.argv.slice(2).filter((parameter) => !parameter.startsWith('--'));
const isAsked = (option) => process.argv.includes(option);
const reports = mkdtempSync(path.join(os.tmpdir(), 'parrain-reports-'));
/** Parts that run side by side print at their end; a few chosen tests print as they go. */
const isSideBySide = patterns.length === 0;
/** Lines of an error that stand beside the test it failed: what was expected, what came; and where in our files. */
const REASON_LINES = 16;
const PLACE_LINES = 3;
/** Files of a part that are named with their time: one after another they take most of it. */
const SLOWEST_FILES = 12;
const total = { passed: 0, failed: 0 };
/** The tests that failed, named as « file › title ». */
const failures = [];
/** Each part with its seconds and those of its files, printed at the end. */
const times = [];

try {
  await ensureInstalled();
  const { default: printSeed } = await import('./lib/property-seed.mjs');
  printSeed();
  if (patterns.length > 0) await runMatching();
  else if (isAsked('--fast')) await runFast();
  else {
    if (!isAsked('--long')) await runQuick();
    if (isAsked('--long') || isAsked('--all')) await runLong();
  }
} catch (error) {
  process.stderr.write(`${error.stack ?? error.message}\n`);
  total.failed += 1;
} finally {
  rmSync(reports, { recursive: true, force: true });
}
if (isSideBySide) printTimes();
if (failures.length > 0) process.stdout.write(`\nfailed:\n${failures.map((name) => `  ${name}\n`).join('')}`);
process.stdout.write(`${total.passed} passed, ${total.failed} failed\n`);
process.exitCode = total.failed === 0 ? 0 : 1;

async function runQuick() {
  await part('web build', buildWeb);
  await twoAtOnce([
    ...tests(['server', 'web', 'database'], 'quick'),
    ['check', check],
    ['e2e', () => playwright([`--grep-invert=@${LONG}`])],
    ...tests(['domain'], 'quick'),
  ]);
}

async function runLong() {
  await part('web build', buildWeb);
  await twoAtOnce([
    ...tests(['server', 'database', 'web', 'domain'], LONG),
    ...(markedLong('e2e').length === 0 ? [] : [[`e2e, ${LONG}`, () => playwright([`--grep=@${LONG}`])]]),
  ]);
}

async function runFast() {
  await twoAtOnce(tests(['server', 'database', 'domain', 'web'], 'fast'));
}

/** The parts of a ring that vitest runs. */
function tests(workspaces, ring) {
  return workspaces.flatMap((workspace) => {
    const parameters = ringOf(workspace, ring);
    const name = ring === LONG ? `${workspace}, ${LONG}` : workspace;
    return parameters === null ? [] : [[name, () => vitest(workspace, parameters)]];
  });
}

/** Two parts at any instant, the longest begun first: tests wait for processes, mails and pages about as long as they compute. */
async function twoAtOnce(parts) {
  const waiting = [...parts];
  const lane = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await part(...next);
  };
  await Promise.all([lane(), lane()]);
}

/** Runs what each pattern names: files by their path, or where there is none, tests by their title. */
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
  times.push({ name, seconds, files: counts.files ?? [] });
}

/** The slowest files of each part, with their seconds: where the time goes. */
function printTimes() {
  for (const { name, seconds, files } of times) {
    process.stdout.write(`\n${name}: ${seconds} s${files.length === 0 ? '' : `, ${files.length} files`}\n`);
    const slowest = files.toSorted(([, one], [, other]) => other - one).slice(0, SLOWEST_FILES);
    for (const [file, ms] of slowest) process.stdout.write(`${(ms / 1000).toFixed(1).padStart(8)} s  ${file}\n`);
  }
  process.stdout.write('\n');
}

async function vitest(workspace, parameters = []) {
  const report = path.join(reports, `${workspace}.json`);
  const factsFile = path.join(reports, `${workspace}-facts.json`);
  rmSync(report, { force: true });
  rmSync(factsFile, { force: true });
  const [node, script] = tool('vitest');
  const reporters = ['default', 'json', inProject('scripts', 'lib', 'run-facts.mjs')];
  const { code, output } = await run(
    node,
    [
      ...script,
      'run',
      ...reporters.map((reporter) => `--reporter=${reporter}`),
      `--outputFile.json=${report}`,
      ...parameters,
    ],
    { cwd: inProject(workspace), env: testEnvironment({ [RUN_FACTS]: factsFile }), capture: isSideBySide },
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
  const facts = readReport(factsFile) ?? { files: [], errors: [] };
  const named = [...found, ...facts.errors.map((error) => withReason(`${workspace} › outside every test`, error))];
  const failed = named.length === 0 && code !== 0 ? 1 : named.length;
  const files = facts.files.map(([file, ms]) => [path.relative(inProject(), file), ms]);
  return { passed: result.numPassedTests, failed, failures: named, files, output };
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
  const files = result.suites.map((suite) => [`e2e/stories/${suite.file}`, durationOf(suite)]);
  return { passed: expected + flaky, failed: failed === 0 && code !== 0 ? 1 : failed, failures: found, files, output };
}

function durationOf({ specs = [], suites = [] }) {
  const results = specs.flatMap((spec) => spec.tests).flatMap((test) => test.results);
  return [...results.map(({ duration }) => duration), ...suites.map(durationOf)].reduce((sum, ms) => sum + ms, 0);
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
