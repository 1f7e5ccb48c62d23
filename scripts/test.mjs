// npm test: installs what it needs and runs everything. The last line is « N passed, N failed ».
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { check } from './check.mjs';
import { ensureInstalled } from './ensure-installed.mjs';
import { ensureWebBuilt } from './lib/build-web.mjs';
import { findChromium } from './lib/chromium.mjs';
import { inProject, projectEnvironment, run, tool } from './lib/project.mjs';

const reports = mkdtempSync(path.join(os.tmpdir(), 'parrain-reports-'));
const total = { passed: 0, failed: 0 };

try {
  await ensureInstalled();
  await part('check', check);
  await part('web build', async () => {
    await ensureWebBuilt();
    return { passed: 0, failed: 0 };
  });
  for (const workspace of ['domain', 'database', 'server', 'web']) await part(workspace, () => vitest(workspace));
  await part('e2e', playwright);
} catch (error) {
  process.stderr.write(`${error.stack ?? error.message}\n`);
  total.failed += 1;
} finally {
  rmSync(reports, { recursive: true, force: true });
}
process.stdout.write(`${total.passed} passed, ${total.failed} failed\n`);
process.exitCode = total.failed === 0 ? 0 : 1;

/** Runs one part and adds up; a part that cannot run at all counts as one failure, and the others run. */
async function part(name, perform) {
  const started = Date.now();
  process.stdout.write(`\n── ${name}\n`);
  const counts = await perform().catch((error) => {
    process.stderr.write(`${error.stack ?? error.message}\n`);
    return { passed: 0, failed: 1 };
  });
  total.passed += counts.passed;
  total.failed += counts.failed;
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  process.stdout.write(`── ${name}: ${counts.passed} passed, ${counts.failed} failed (${seconds} s)\n`);
}

async function vitest(workspace) {
  if (!hasTests(inProject(workspace))) return { passed: 0, failed: 0 };
  const report = path.join(reports, `${workspace}.json`);
  const [node, script] = tool('vitest');
  const { code } = await run(
    node,
    [...script, 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`],
    { cwd: inProject(workspace), env: testEnvironment() },
  );
  const result = readReport(report);
  if (result === null) return { passed: 0, failed: 1 };
  // A file that could not be loaded has no test that failed, and an unhandled error neither.
  const brokenFiles = result.testResults.filter(
    (file) => file.status === 'failed' && file.assertionResults.length === 0,
  );
  const failed = result.numFailedTests + brokenFiles.length;
  return { passed: result.numPassedTests, failed: failed === 0 && code !== 0 ? 1 : failed };
}

async function playwright() {
  if (!hasTests(inProject('e2e'))) return { passed: 0, failed: 0 };
  const chromium = findChromium();
  const report = path.join(reports, 'e2e.json');
  const [node, script] = tool('@playwright/test', 'playwright');
  const { code } = await run(node, [...script, 'test', '--reporter=list,json'], {
    cwd: inProject('e2e'),
    env: testEnvironment({
      CHROMIUM_PATH: chromium.path,
      ...chromium.env,
      PLAYWRIGHT_JSON_OUTPUT_FILE: report,
    }),
  });
  const result = readReport(report);
  if (result === null) return { passed: 0, failed: 1 };
  const { expected, unexpected, flaky } = result.stats;
  const failed = unexpected + result.errors.length;
  return { passed: expected + flaky, failed: failed === 0 && code !== 0 ? 1 : failed };
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

function hasTests(folder) {
  return readdirSync(folder, { withFileTypes: true }).some((entry) => {
    if (entry.name === 'node_modules' || entry.name === 'build' || entry.name.startsWith('.')) return false;
    if (entry.isDirectory()) return hasTests(path.join(folder, entry.name));
    return /\.(?:test|spec|story)\.tsx?$/u.test(entry.name);
  });
}
