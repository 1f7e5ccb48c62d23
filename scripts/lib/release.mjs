import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const VERSION = /^(?<major>\d+)\.(?<minor>\d+)\.(?<patch>\d+)$/u;
const HEADS = ['Safety', 'Features', 'Operation', 'Internals'];
/** Folder where each release keeps a small installation of itself, and the commit that made it. */
const RELEASES = 'database/tests/releases';

/** A release that cannot be made, in a sentence. */
export class ReleaseRefused extends Error {}

/** The git of a project. */
export const gitOf =
  (root) =>
  (...parameters) =>
    execFileSync('git', parameters, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 1e9 });

/** Every release that an installation was kept of, oldest first. */
function releasesOf(root) {
  return readdirSync(path.join(root, RELEASES))
    .filter((name) => name.endsWith('.json'))
    .map((name) => JSON.parse(readFileSync(path.join(root, RELEASES, name), 'utf8')))
    .sort((left, right) => left.version.localeCompare(right.version, 'en', { numeric: true }));
}

/**
 * Refuses a release of what is not whole, or under a number that does not follow.
 * @returns the release before.
 */
export function requireReleasable(root, version) {
  const git = gitOf(root);
  if (!VERSION.test(version)) throw new ReleaseRefused(`« ${version} » is no version: 1.2.3 is.`);
  if (git('status', '--porcelain').trim() !== '') throw new ReleaseRefused('There are changes that no commit has.');
  if (git('tag', '--list', `v${version}`).trim() !== '') throw new ReleaseRefused(`v${version} is there already.`);
  const former = releasesOf(root).at(-1);
  if (former.version.localeCompare(version, 'en', { numeric: true }) >= 0) {
    throw new ReleaseRefused(`${version} does not follow ${former.version}.`);
  }
  if (linesOf(readFileSync(path.join(root, 'CHANGELOG.md'), 'utf8')).trim() === '') {
    throw new ReleaseRefused('CHANGELOG.md says nothing under « Unreleased ».');
  }
  const changed = git('diff', '--name-only', '--diff-filter=MDR', former.commit, 'HEAD', '--', 'database/migrations');
  if (changed.trim() !== '') {
    throw new ReleaseRefused(`Migrations of ${former.version} are not what they were: ${changed.trim()}`);
  }
  return former;
}

/** The lines of an operator's interest, between the commit of the release before and this one. */
export function toKnow(root, former) {
  const git = gitOf(root);
  const before = (file) => git('show', `${former.commit}:${file}`);
  const now = (file) => readFileSync(path.join(root, file), 'utf8');
  const added = git('diff', '--name-only', '--diff-filter=A', former.commit, '--', 'database/migrations').trim();
  const migrations = added === '' ? [] : added.split('\n').map((name) => path.basename(name, '.sql'));
  const alone = migrations.filter((name) => now(`database/migrations/${name}.sql`).startsWith('-- no transaction\n'));
  const settings = (text) => new Set([...text.matchAll(/^\| `([A-Z][A-Z0-9_]+)`/gmu)].map(([, name]) => name));
  const pages = ['configuration.md', 'backup.md'].map((name) => `docs/operations/${name}`);
  const [then, today] = [before, now].map((read) => settings(pages.map(read).join('\n')));
  const named = (names) => names.map((name) => `\`${name}\``).join(', ');
  const came = [...today].filter((name) => !then.has(name));
  const went = [...then].filter((name) => !today.has(name));
  const postgres = (read) => /VERSION_MIN = (\d+)/u.exec(read('database/src/roles.ts'))?.[1];
  return [
    `From ${former.version} or later, as [upgrade.md](docs/operations/upgrade.md) says; the former version works beside it meanwhile.`,
    migrations.length === 0
      ? 'No migration.'
      : `Migrations: ${migrations.length}, up to \`${migrations.at(-1)}\`` +
        (alone.length === 0 ? '.' : `; made beside people's work, as long as the tables are large: ${named(alone)}.`),
    ...(postgres(before) === postgres(now)
      ? []
      : [`PostgreSQL ${postgres(now)} or newer (${postgres(before)} before).`]),
    ...(before('.nvmrc').trim() === now('.nvmrc').trim() ? [] : [`Node ${now('.nvmrc').trim()}.`]),
    ...(came.length === 0 ? [] : [`Settings that came: ${named(came)}.`]),
    ...(went.length === 0 ? [] : [`Settings that went: ${named(went)}.`]),
  ];
}

/** The text under « Unreleased » without heads that have no line. */
function linesOf(changelog) {
  const [, lines = ''] = /^## Unreleased\n(.*?)(?=^## |$(?![\s\S]))/msu.exec(changelog) ?? [];
  return lines.replaceAll(/^### .*\n\s*(?=^### |$(?![\s\S]))/gmu, '').trim();
}

/**
 * Gives the work since the last release its number: CHANGELOG.md and package.json, a commit, a tag, and the number of what follows.
 * @returns the message of the tag.
 */
export function cutRelease(root, version, { date, notes }) {
  const git = gitOf(root);
  const file = path.join(root, 'CHANGELOG.md');
  const text = readFileSync(file, 'utf8');
  const lines = linesOf(text);
  const known = notes.map((note) => `- ${note}\n`).join('');
  const start = text.indexOf('## Unreleased\n');
  const next = text.indexOf('\n## ', start + 1);
  const empty = HEADS.map((head) => `### ${head}\n`).join('\n');
  writeFileSync(
    file,
    `${text.slice(0, start)}## Unreleased\n\n${empty}\n## ${version} — ${date}\n\n### To know before upgrading\n\n${known}\n${lines}\n` +
      (next === -1 ? '' : text.slice(next)),
  );
  setVersion(root, version);
  git('add', '--all');
  git('commit', '--quiet', '--message', `release: ${version}`, '--message', known.trim());
  const message = `${version}\n\nTo know before upgrading:\n\n${known}`;
  git('tag', '--annotate', `v${version}`, '--message', message);
  const { major, minor } = VERSION.exec(version).groups;
  setVersion(root, `${major}.${Number(minor) + 1}.0-next`);
  git('commit', '--quiet', '--all', '--message', `release: go on after ${version}`);
  return message;
}

function setVersion(root, version) {
  for (const name of ['package.json', 'package-lock.json']) {
    const file = path.join(root, name);
    const content = JSON.parse(readFileSync(file, 'utf8'));
    content.version = version;
    if (content.packages !== undefined) content.packages[''].version = version;
    writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);
  }
}
