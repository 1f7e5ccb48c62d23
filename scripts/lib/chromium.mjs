import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { inProject, projectEnvironment, projectNode } from './project.mjs';
import { hasPlentyOfMemory } from './test-folder.mjs';

const SYSTEM = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];
const MACOS = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome';

/** The Chromium that the stories run in: named by CHROMIUM_PATH, else the machine's, else the one of the dependencies. */
export function findChromium() {
  const named = process.env.CHROMIUM_PATH;
  if (named !== undefined && named !== '') return { path: named, env: {} };
  for (const folder of (process.env.PATH ?? '').split(path.delimiter)) {
    for (const name of SYSTEM) {
      const file = path.join(folder, name);
      if (existsSync(file)) return { path: file, env: {} };
    }
  }
  if (existsSync(MACOS)) return { path: MACOS, env: {} };
  return unpackedChromium();
}

/**
 * Launch options of the tests, for Playwright. A page lives for some seconds there: compiling its hot code costs more than that code saves.
 * By Playwright's choice Chromium shares memory in files of the temporary folder, as a container may have little of the other: making room
 * for the tiles of one page took 40 to 170 ms there, and 15 to 20 in memory, where there is plenty.
 */
export function testLaunch() {
  const { path: executablePath, env } = findChromium();
  return {
    executablePath,
    args: ['--no-sandbox', '--js-flags=--no-maglev,--no-turbofan'],
    ignoreDefaultArgs: hasPlentyOfMemory() ? ['--disable-dev-shm-usage'] : [],
    env: { ...process.env, ...env },
  };
}

/**
 * Unpacks the Chromium that comes as a dependency, with the system libraries it needs. It goes to a folder named after
 * its version: the package takes whatever it finds in the temporary folder, an older Chromium included.
 */
function unpackedChromium() {
  const packageFolder = inProject('node_modules/@sparticuz/chromium');
  const { version } = JSON.parse(readFileSync(path.join(packageFolder, 'package.json'), 'utf8'));
  const folder = path.join(os.tmpdir(), `parrain-chromium-${version}`);
  if (!existsSync(folder)) {
    // Unpacked beside and moved whole: an interrupted run leaves nothing that looks ready.
    const draft = `${folder}.${process.pid}`;
    mkdirSync(draft, { recursive: true });
    const program = `
      import chromium, { inflate } from '@sparticuz/chromium';
      await chromium.executablePath();
      await inflate(${JSON.stringify(path.join(packageFolder, 'bin', 'al2023.tar.br'))});`;
    execFileSync(projectNode(), ['--input-type=module', '-e', program], {
      cwd: inProject(),
      env: projectEnvironment({ TMPDIR: draft }),
    });
    try {
      renameSync(draft, folder);
    } catch {
      rmSync(draft, { recursive: true, force: true });
    }
  }
  const file = path.join(folder, 'chromium');
  const libraries = { LD_LIBRARY_PATH: path.join(folder, 'al2023', 'lib') };
  const starts = (env) => spawnSync(file, ['--version'], { env: { ...process.env, ...env } }).status === 0;
  return { path: file, env: starts({}) ? {} : libraries };
}
