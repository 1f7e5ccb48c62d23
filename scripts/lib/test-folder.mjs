import { chmodSync, mkdtempSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** Linux's files in memory. */
const MEMORY = '/dev/shm';
const GIBIBYTE = 2 ** 30;
/** Space required in the folder and in memory: at most 1.1 GiB were seen in use, by the backup of 200 000 sales. */
const FREE_FOLDER_MIN = 4 * GIBIBYTE;
const FREE_MEMORY_MIN = 6 * GIBIBYTE;
/** No run lasts as long: what is older was left by one that was killed. */
const LEFT_BEHIND_MS = 6 * 3600_000;

/**
 * A new folder for databases of tests, open to the account that PostgreSQL runs as under root. It stands in memory where there is
 * plenty: a database is a thousand files, and for each new one ext4 looks past all that were deleted within minutes, which on a busy
 * machine was seen to take half of PostgreSQL's processor time.
 */
export function makeTestFolder(name) {
  const folder = mkdtempSync(path.join(hasPlentyOfMemory() ? MEMORY : os.tmpdir(), `${name}-`));
  chmodSync(folder, 0o755);
  return folder;
}

/** True when Linux's files in memory have room for a run of the tests. */
export function hasPlentyOfMemory() {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    if (bavail * bsize < FREE_FOLDER_MIN || process.availableMemory() < FREE_MEMORY_MIN) return false;
    forgetLeftBehind();
    return true;
  } catch {
    // Another system, or one that is not ours to write to.
    return false;
  }
}

function forgetLeftBehind() {
  for (const name of readdirSync(MEMORY)) {
    if (!name.startsWith('parrain-')) continue;
    const folder = path.join(MEMORY, name);
    const { mtimeMs } = statSync(folder, { throwIfNoEntry: false }) ?? { mtimeMs: Infinity };
    if (Date.now() - mtimeMs > LEFT_BEHIND_MS) rmSync(folder, { recursive: true, force: true });
  }
}
