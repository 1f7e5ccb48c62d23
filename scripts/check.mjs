// npm run check: types, lint, format, import fences, dead code, licences, rows of the specification, prose. Two at a time.
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { checkCommandsOfPages } from './commands-of-pages.mjs';
import { ensureInstalled } from './ensure-installed.mjs';
import { checkFences } from './fences.mjs';
import { checkLicences } from './licences.mjs';
import { inProject, projectNode, run, tool } from './lib/project.mjs';
import { checkNotices } from './notices.mjs';
import { checkProse } from './prose.mjs';
import { checkSpecification } from './specification.mjs';

const typescript = (workspace) => async () => {
  if (workspace === 'web') {
    const [node, script] = tool('@react-router/dev', 'react-router');
    const typegen = await run(node, [...script, 'typegen'], { capture: true, cwd: inProject('web') });
    if (typegen.code !== 0) return typegen;
  }
  const [node, script] = tool('typescript', 'tsc');
  // Files unchanged since the last check are not checked again.
  const known = inProject('node_modules', '.cache', 'tsc', `${workspace}.tsbuildinfo`);
  return run(node, [...script, '-p', workspace, '--incremental', '--tsBuildInfoFile', known], { capture: true });
};
const command =
  (packageName, script, ...parameters) =>
  () => {
    const [node, file] = tool(packageName, script);
    return run(node, [...file, ...parameters], { capture: true });
  };

const checks = [
  ['types: domain', typescript('domain')],
  ['types: database', typescript('database')],
  ['types: server', typescript('server')],
  ['types: web', typescript('web')],
  ['types: e2e', typescript('e2e')],
  ['types: bench', typescript('bench')],
  ['lint', command('oxlint', 'oxlint', '--type-aware', '--deny-warnings')],
  ['format', command('oxfmt', 'oxfmt', '--check', '.')],
  ['import fences', checkFences],
  ['dead code', command('knip', 'knip', '--no-progress')],
  ['licences', checkLicences],
  ['third-party notices', async () => checkNotices()],
  ['rows of the specification', async () => checkSpecification()],
  ["commands of the operator's pages", async () => checkCommandsOfPages()],
  ['docstrings and subjects', checkProse],
];

/** Runs every check. Gives how many passed and failed. */
export async function check() {
  await ensureInstalled();
  projectNode();
  const waiting = [...checks];
  let passed = 0;
  let failed = 0;
  async function work() {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [name, perform] = next;
      const started = Date.now();
      const { code, output } = await perform();
      const seconds = ((Date.now() - started) / 1000).toFixed(1);
      if (code === 0) {
        passed += 1;
        process.stdout.write(`✓ ${name} (${seconds} s)\n`);
      } else {
        failed += 1;
        process.stdout.write(`✗ ${name} (${seconds} s)\n${output.trimEnd().replace(/^/gmu, '    ')}\n`);
      }
    }
  }
  await Promise.all([work(), work()]);
  return { passed, failed };
}

if (process.argv[1] !== undefined && path.resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const { passed, failed } = await check();
  process.stdout.write(`${passed} passed, ${failed} failed\n`);
  process.exitCode = failed === 0 ? 0 : 1;
}
