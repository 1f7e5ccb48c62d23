import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { cutRelease, ReleaseRefused, requireReleasable, toKnow } from '../../scripts/lib/release.mjs';
import { temporaryFolder } from './testing/deployment.ts';

// A version is made of a small project that has what a release reads.

let root: string;
let remove: () => void;
const git = (...parameters: readonly string[]): string =>
  execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.fr', ...parameters], {
    cwd: root,
    encoding: 'utf8',
  });
const write = (file: string, text: string): void => {
  mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
  writeFileSync(path.join(root, file), text);
};
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');
const commit = (): void => {
  git('add', '--all');
  git('commit', '--quiet', '--allow-empty', '--message', 'more');
};

beforeEach(() => {
  ({ folder: root, remove } = temporaryFolder('release-test'));
  git('init', '--quiet', '--initial-branch', 'main');
  git('config', 'user.name', 'T');
  git('config', 'user.email', 't@example.fr');
  write('package.json', '{ "version": "1.0.0-next" }\n');
  write('package-lock.json', '{ "version": "1.0.0-next", "packages": { "": { "version": "1.0.0-next" } } }\n');
  write('.nvmrc', '26.10.0\n');
  write('database/src/roles.ts', 'const VERSION_MIN = 17;\n');
  write('database/migrations/0001-old.sql', 'select 1;\n');
  write('docs/operations/configuration.md', '| `OLD_NAME` | none | gone soon |\n| `PORT` | 3000 | the port |\n');
  write('docs/operations/backup.md', '');
  write(
    'CHANGELOG.md',
    '# Changelog\n\n## Unreleased\n\n### Safety\n\n### Features\n\n## 0.9.0 — 2026-11-25\n\n- Old.\n',
  );
  commit();
  const released = git('rev-parse', 'HEAD').trim();
  write('database/tests/releases/0.9.0.json', JSON.stringify({ version: '0.9.0', commit: released }));
  commit();
});
afterEach(() => remove());

test('[DF-72] a release gives the work since the last one its number, says what an operator must know, and is tagged', () => {
  write('database/src/roles.ts', 'const VERSION_MIN = 18;\n');
  write('database/migrations/0002-column.sql', 'alter table t add column x int;\n');
  write('database/migrations/0003-index.sql', '-- no transaction\ncreate index concurrently i on t (x);\n');
  write('docs/operations/configuration.md', '| `PORT` | 3000 | the port |\n| `NEW_NAME` | none | here now |\n');
  write('CHANGELOG.md', read('CHANGELOG.md').replace('### Features\n', '### Features\n\n- New (DF-72).\n'));
  commit();
  const former = requireReleasable(root, '1.0.0');
  cutRelease(root, '1.0.0', { date: '2026-12-01', notes: toKnow(root, former) });
  expect(read('CHANGELOG.md')).toBe(`# Changelog

## Unreleased

### Safety

### Features

### Operation

### Internals

## 1.0.0 — 2026-12-01

### To know before upgrading

- From 0.9.0 or later, as [upgrade.md](docs/operations/upgrade.md) says; the former version works beside it meanwhile.
- Migrations: 2, up to \`0003-index\`; made beside people's work, as long as the tables are large: \`0003-index\`.
- PostgreSQL 18 or newer (17 before).
- Settings that came: \`NEW_NAME\`.
- Settings that went: \`OLD_NAME\`.

### Features

- New (DF-72).

## 0.9.0 — 2026-11-25

- Old.
`);
  expect(git('tag', '--list', '--format', '%(contents)', 'v1.0.0')).toContain('- PostgreSQL 18 or newer (17 before).');
  expect(JSON.parse(git('show', 'v1.0.0:package.json'))).toEqual({ version: '1.0.0' });
  expect(JSON.parse(read('package-lock.json'))).toEqual({
    version: '1.1.0-next',
    packages: { '': { version: '1.1.0-next' } },
  });
  expect(git('status', '--porcelain')).toBe('');
});

test.each([
  ['a number that does not follow', '0.8.1', () => undefined, '0.8.1 does not follow 0.9.0'],
  ['a word', 'next', () => undefined, 'is no version'],
  ['changes that no commit has', '1.0.0', () => write('other', ''), 'changes that no commit has'],
  ['a version that is there', '1.0.0', () => git('tag', 'v1.0.0'), 'v1.0.0 is there already'],
  ['nothing to say', '1.0.0', () => undefined, 'says nothing under « Unreleased »'],
  [
    'a migration of the release before that is another now',
    '1.0.0',
    () => {
      write('CHANGELOG.md', read('CHANGELOG.md').replace('### Safety\n', '### Safety\n\n- New.\n'));
      write('database/migrations/0001-old.sql', 'select 2;\n');
      commit();
    },
    'Migrations of 0.9.0 are not what they were: database/migrations/0001-old.sql',
  ],
])('[DF-72] a release of %s is refused, and nothing is written', (_, version, prepare, sentence) => {
  prepare();
  const before = [git('rev-parse', 'HEAD'), git('tag')];
  expect(() => requireReleasable(root, version)).toThrow(ReleaseRefused);
  expect(() => requireReleasable(root, version)).toThrow(sentence);
  expect([git('rev-parse', 'HEAD'), git('tag')]).toEqual(before);
});
