import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { inProject, run } from './lib/project.mjs';

/**
 * Installs the dependencies where they are missing or are not those of the lock file.
 * @param isDevelopment whether the tools that build and test are needed too; running a built server needs none of them
 */
export async function ensureInstalled({ isDevelopment = true } = {}) {
  const major = Number(process.versions.node.split('.')[0]);
  if (major < 20) throw new Error(`Il faut Node 20 ou plus récent ; celui-ci est le ${process.versions.node}.`);
  if (isInstalled(isDevelopment)) return;
  process.stdout.write('Installation des dépendances (quelques minutes la première fois)…\n');
  // NODE_ENV=production would leave the build tools out.
  const { code, output } = await run('npm', ['ci', '--loglevel=error', ...(isDevelopment ? ['--include=dev'] : [])], {
    capture: true,
    env: process.env,
  });
  if (code !== 0) throw new Error(`L'installation des dépendances (npm ci) a échoué :\n${output.trimEnd()}`);
}

/** npm writes what it has installed beside it: each package of the lock file must be there in the same version. */
function isInstalled(isDevelopment) {
  const installedFile = inProject('node_modules', '.package-lock.json');
  if (!existsSync(installedFile) || !existsSync(inProject('node_modules', 'node', 'bin'))) return false;
  const wanted = readPackages(inProject('package-lock.json'));
  const installed = readPackages(installedFile);
  return Object.entries(wanted).every(([location, details]) => {
    if (!location.startsWith('node_modules/') && !location.includes('/node_modules/')) return true;
    if (!isDevelopment && (details.dev === true || details.devOptional === true)) return true;
    const isThere = installed[location]?.version === details.version || details.link === true;
    // A package for another system is not installed on this one.
    return isThere || details.optional === true || details.peer === true;
  });
}

function readPackages(file) {
  return JSON.parse(readFileSync(file, 'utf8')).packages;
}

if (process.argv[1] !== undefined && path.resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  await ensureInstalled().catch((error) => {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  });
}
