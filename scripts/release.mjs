// npm run release -- 1.2.3: checks and tests what is on main, keeps a small installation of it that later upgrades are tried from, cuts
// CHANGELOG.md with what an operator must know, commits and tags. Nothing leaves this machine. `--tested`: the tests ran on this commit.
import { ensureInstalled } from './ensure-installed.mjs';
import { inProject, projectNode, run } from './lib/project.mjs';
import { cutRelease, gitOf, ReleaseRefused, requireReleasable, toKnow } from './lib/release.mjs';

try {
  await ensureInstalled();
  const version = process.argv.slice(2).find((parameter) => !parameter.startsWith('--')) ?? '';
  const root = inProject();
  const former = requireReleasable(root, version);
  const steps = [
    ['check.mjs'],
    ...(process.argv.includes('--tested') ? [] : [['test.mjs', '--all']]),
    ['release-fixture.mjs', version, 'HEAD'],
  ];
  for (const [script, ...parameters] of steps) {
    const { code } = await run(projectNode(), [inProject('scripts', script), ...parameters]);
    if (code !== 0) throw new ReleaseRefused(`${script} failed: nothing was tagged.`);
  }
  const date = new Date().toISOString().slice(0, 10);
  const message = cutRelease(root, version, { date, notes: toKnow(root, former) });
  const branch = gitOf(root)('branch', '--show-current').trim();
  process.stdout.write(`\n${message}\nPublish it: git push --atomic origin ${branch} v${version}\n`);
} catch (error) {
  process.stderr.write(`\n${error instanceof ReleaseRefused ? error.message : error.stack}\n\n`);
  process.exit(1);
}
