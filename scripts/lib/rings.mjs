import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { inProject } from './project.mjs';

/** The workspaces that vitest runs, in this order; Playwright runs `e2e`. */
export const WORKSPACES = ['domain', 'database', 'server', 'web'];

/** Left out of the fast ring, as globs from the workspace's folder: these take seconds a file, or a browser. */
const SLOW = {
  domain: [],
  // They start and kill a PostgreSQL of their own, or play a company's life at length.
  database: ['tests/embedded.test.ts', 'tests/dump.test.ts', 'tests/money-model.test.ts'],
  server: [],
  web: ['tests/**'],
};

/** Vitest's parameters for the fast ring of a workspace. */
export const fastRing = (workspace) => SLOW[workspace].flatMap((glob) => ['--exclude', glob]);

/** Every test file of a workspace, from the project's root. */
function testFiles(workspace) {
  return readdirSync(inProject(workspace), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:test|spec|story)\.tsx?$/u.test(entry.name))
    .map((entry) => path.relative(inProject(), path.join(entry.parentPath, entry.name)).split(path.sep).join('/'))
    .filter((file) => !/(?:^|\/)(?:node_modules|build|\.[^/]*)\//u.test(file));
}

const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/gu, '\\$&');

/**
 * What these patterns name in a workspace: the files whose path contains one, whole; for the patterns that no path
 * contains, the tests whose title does.
 */
export function matching(workspace, patterns) {
  const everywhere = [...WORKSPACES, 'e2e'].flatMap(testFiles);
  const paths = patterns.filter((pattern) => everywhere.some((file) => file.includes(pattern)));
  const titles = patterns.filter((pattern) => !paths.includes(pattern));
  const files = testFiles(workspace);
  const whole = files.filter((file) => paths.some((pattern) => file.includes(pattern)));
  const parts = files.filter((file) => {
    const text = readFileSync(inProject(file), 'utf8');
    return !whole.includes(file) && titles.some((pattern) => text.includes(pattern));
  });
  return [
    { workspace, files: whole, title: null },
    { workspace, files: parts, title: titles.map(escaped).join('|') },
  ].filter((found) => found.files.length > 0);
}
