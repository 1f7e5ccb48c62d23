// npm run notices: writes THIRD-PARTY-NOTICES.md, the packages that a running product contains. npm run check compares.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { inProject } from './lib/project.mjs';

const FILE = 'THIRD-PARTY-NOTICES.md';
/** Their dependencies run in production; what a browser gets is found by its imports (a bundle needs no `dependencies`). */
const INSTALLED = ['', 'domain', 'database', 'server', 'web'];
const BUNDLED = 'web/app';
const IMPORT = /(?:from|import|@import|import\()\s*['"](?<name>(?:@[\w.-]+\/)?[\w.-]+)[^'"]*['"]/gu;
/** Imported by the application's sources, and at work only while it is built. */
const BUILD_ONLY = new Set(['@react-router/dev', '@react-router/node']);

/** The packages that the web application's sources and styles import. */
function bundledNames() {
  const files = readdirSync(inProject(BUNDLED), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:tsx?|css)$/u.test(entry.name) && !/\.test\.tsx?$/u.test(entry.name))
    .map((entry) => readFileSync(path.join(entry.parentPath, entry.name), 'utf8'));
  const names = files.flatMap((text) => [...text.matchAll(IMPORT)].map((found) => found.groups.name));
  return new Set(
    names.filter((name) => !/^(?:\.|@parrain\/)/u.test(name) && !isBuiltin(name) && !BUILD_ONLY.has(name)),
  );
}

/** Location of the package `name` for the one at `location`: the nearest folder upwards, as Node looks for it. */
function locationOf(packages, location, name) {
  for (let from = location; ; from = from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/')))) {
    const candidate = `${from === '' ? '' : `${from}/`}node_modules/${name}`;
    if (packages[candidate] !== undefined) return candidate;
    if (from === '') return null;
    if (!from.includes('/node_modules/')) from = '';
  }
}

/** Every package that is installed with the product or goes to the browser: name, version, licence. */
export function thirdParties() {
  const { packages } = JSON.parse(readFileSync(inProject('package-lock.json'), 'utf8'));
  const seen = new Set();
  const waiting = [];
  const add = (from, name) => {
    const location = locationOf(packages, from, name);
    if (location === null || seen.has(location) || packages[location].link === true) return;
    seen.add(location);
    waiting.push(location);
  };
  for (const folder of INSTALLED) {
    for (const name of Object.keys(packages[folder]?.dependencies ?? {})) add(folder, name);
  }
  for (const name of bundledNames()) add('web', name);
  for (let location = waiting.pop(); location !== undefined; location = waiting.pop()) {
    const { dependencies, optionalDependencies, peerDependencies } = packages[location];
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) add(location, name);
    // A peer is there because somebody else asked for it, or not at all.
    for (const name of Object.keys(peerDependencies ?? {})) {
      const peer = locationOf(packages, location, name);
      if (peer !== null && packages[peer].dev !== true && packages[peer].devOptional !== true) add(location, name);
    }
  }
  return [...seen]
    .map((location) => {
      const name = location.slice(location.lastIndexOf('node_modules/') + 'node_modules/'.length);
      const { version, license } = packages[location];
      return { name, version, licence: license ?? 'see its repository' };
    })
    .toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.version < b.version ? -1 : 1));
}

function notices() {
  const rows = thirdParties().map(({ name, version, licence }) => `| ${name} | ${version} | ${licence} |`);
  return `# Third-party notices

The packages that a running product contains: the server's, and those that the browser gets. Optional ones of other systems
are listed too. Each keeps its licence text in its folder of \`node_modules\`. Written by \`npm run notices\`;
\`npm run check\` fails when this list is stale.

| Package | Version | Licence |
|---|---|---|
${[...new Set(rows)].join('\n')}
`;
}

/** The list is that of the lock file and of the web application's imports. */
export function checkNotices() {
  const isFresh = readFileSync(inProject(FILE), 'utf8') === notices();
  return { code: isFresh ? 0 : 1, output: isFresh ? '' : `${FILE} is stale: run npm run notices` };
}

if (process.argv[1] !== undefined && path.resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  writeFileSync(inProject(FILE), notices());
}
