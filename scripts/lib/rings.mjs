import { readFileSync } from 'node:fs';
import path from 'node:path';

import { filesIn } from './files.mjs';
import { inProject } from './project.mjs';

/** The workspaces that vitest runs, in this order; Playwright runs `e2e`. */
export const WORKSPACES = ['domain', 'database', 'server', 'web'];

/** The tag of a test that `npm test` leaves to `npm run test:long`: `test('…', { tags: LONG }, …)`, the same of a `describe`. */
export const LONG = 'long';
/** A file that is long as a whole says so on a line of its own, and where the quick test of its subject is. */
const LONG_FILE = /^\/\/ @module-tag long: (?<quick>\S+) holds its subject in the quick ring$/mu;
const LONG_TEST = /\btags?: [^\n]*'@?long'/u;

/** Left out of the fast ring, as globs from the workspace's folder. A new file is in it until it stands here. */
const SLOW = {
  domain: [],
  // They start and kill a PostgreSQL of their own, apply every migration anew, write thousands of rows, or play a company's
  // life at length.
  database: ['tests/{embedded,dump,migrate,roles,cleaning,figures,imports,imported-referrals,money-model}.test.ts'],
  server: [
    // Processes that start, die and fail over; machines that fill up.
    'src/{start,stopping,failover,faults,several-nodes,resources,refusals,scripts,tracing,official-client}.test.ts',
    'src/{backup,deploy,commands}/**',
    'src/functions/{crash,slow-mail,unasked-mails,refused-mail}.test.ts',
    'src/functions/{company-settings,imports,notices,payment-batch,system-state,webhooks}/**',
    // Whole files, read again by readers of their kind.
    'src/{api-docs,exports,referral-page}/**',
    'src/platform/{open,master-key-change,keys,mail,metrics,supervisor}.test.ts',
    // Random input at length.
    'src/**/fuzz.test.ts',
    // Every identity at every door.
    'src/rights/**',
    // Whole protocols, by the official client; passwords that are hashed, codes that are mailed.
    'src/{realtime,storage}/**',
    'src/rest/{rights,resources,statements}.test.ts',
    'src/rest/shortcuts/**',
    'src/auth/{codes,factors,messages,passkeys,passwords,protocol,providers,service,sessions,sign-up,tests,token}/**',
    'src/auth/admin/generate-link.test.ts',
  ],
  // A browser.
  web: ['tests/**'],
};

/** Vitest's parameters for a ring of a workspace: `fast`, `quick` or `long`. Null where it has no test there. */
export function ringOf(workspace, ring) {
  const marked = markedLong(workspace);
  const within = (file) => path.posix.relative(workspace, file);
  if (ring === 'long') {
    return marked.length === 0 ? null : [`--tags-filter=${LONG}`, ...marked.map(({ file }) => within(file))];
  }
  const whole = marked.filter(({ quick }) => quick !== null).map(({ file }) => within(file));
  const excluded = [...whole, ...(ring === 'fast' ? SLOW[workspace] : [])];
  return [`--tags-filter=!${LONG}`, ...excluded.flatMap((glob) => ['--exclude', glob])];
}

/** The files of a workspace that hold a long test; `quick` is the file that stands for one that is long as a whole. */
export function markedLong(workspace) {
  return testFiles(workspace).flatMap((file) => {
    const text = readFileSync(inProject(file), 'utf8');
    const quick = LONG_FILE.exec(text)?.groups.quick ?? null;
    return quick !== null || LONG_TEST.test(text) ? [{ file, quick }] : [];
  });
}

/** Every test file of a workspace, from the project's root. */
function testFiles(workspace) {
  return filesIn([workspace], /\.(?:test|spec|story)\.tsx?$/u);
}

const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/gu, '\\$&');

/**
 * Files and tests that these patterns name in a workspace: the files whose path contains one, whole; for the patterns that no path
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
