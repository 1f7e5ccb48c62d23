import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { inProject } from './project.mjs';

/** The workspaces that vitest runs, in this order; Playwright runs `e2e`. */
export const WORKSPACES = ['domain', 'database', 'server', 'web'];

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
