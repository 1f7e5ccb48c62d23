import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { temporaryFolder, withReplaced } from '../testing/deployment.ts';
import { commandsOf } from '../testing/pages.ts';

// The commands of docs/operations/upgrade.md as they are printed there, on a project that has two versions. What they build and start
// is tried elsewhere (image, unit): here each program that they call beside git notes how it was called.

let folder: string;
let remove: () => void;
let installed: string;

beforeEach(() => {
  ({ folder, remove } = temporaryFolder('upgrade-page'));
  installed = path.join(folder, 'parrain');
  const origin = path.join(folder, 'origin');
  mkdirSync(origin);
  git(origin, 'init', '--quiet', '--initial-branch', 'main');
  for (const version of ['0.9.0', '1.0.0', '1.1.0-next']) {
    writeFileSync(path.join(origin, 'VERSION'), version);
    git(origin, 'add', '--all');
    git(origin, 'commit', '--quiet', '--message', version);
    if (!version.endsWith('next')) git(origin, 'tag', '--annotate', `v${version}`, '--message', version);
  }
  git(folder, 'clone', '--quiet', '--depth', '1', '--branch', 'v0.9.0', `file://${origin}`, installed);
  mkdirSync(path.join(folder, 'bin'));
  for (const name of ['npm', 'docker', 'systemctl']) {
    const file = path.join(folder, 'bin', name);
    writeFileSync(
      file,
      `#!/bin/sh\necho "$(cat "${installed}/VERSION") $(basename "$PWD") ${name} $*" >> "${folder}/called"\n`,
    );
    chmodSync(file, 0o755);
  }
});
afterEach(() => remove());

const git = (cwd: string, ...parameters: readonly string[]): string =>
  execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.fr', ...parameters], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });

function follow(commands: string, cwd: string): readonly string[] {
  execFileSync('/bin/sh', ['-euc', commands], {
    cwd,
    env: { PATH: `${path.join(folder, 'bin')}:${process.env['PATH']}`, VERSION: '1.0.0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return readFileSync(path.join(folder, 'called'), 'utf8').trim().split('\n');
}

test('[DF-72] the container’s commands bring the folder to the version, then build and start it', () => {
  const called = follow(commandsOf('upgrade.md', 'container'), installed);
  expect(called).toEqual([
    '1.0.0 parrain docker compose --file deploy/compose.yaml build --pull server',
    '1.0.0 parrain docker compose --file deploy/compose.yaml up --detach --wait',
  ]);
});

test('[DF-72] systemd’s commands make the version beside the one that runs, and put it in its place', () => {
  const called = follow(withReplaced(commandsOf('upgrade.md', 'systemd'), { '/opt/parrain': installed }), folder);
  expect(called).toEqual([
    '0.9.0 parrain.new npm ci',
    '0.9.0 parrain.new npm run build',
    '0.9.0 parrain.new npm prune --omit=dev',
    expect.stringMatching(/^1\.0\.0 .* systemctl daemon-reload$/u),
    expect.stringMatching(/^1\.0\.0 .* systemctl restart parrain$/u),
  ]);
  expect(existsSync(`${installed}.old`)).toBe(true);
});
