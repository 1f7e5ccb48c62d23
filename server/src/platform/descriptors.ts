import { readFile, readdir } from 'node:fs/promises';

import type { Log } from './log.ts';

const OPEN = '/proc/self/fd';
const LOOK_EVERY_MS = 10_000;
/** A connection that finds no descriptor is closed by the system, and no program is told. */
const SCARCE = 0.9;
const PLENTY = 0.8;

/**
 * Says once when the process is about to run out of file descriptors, and once when it no longer is (DF-74). Does nothing where the
 * system has no /proc. Ends with the function that it gives.
 */
export function watchDescriptors(log: Log, { everyMs = LOOK_EVERY_MS, most = limit() } = {}): () => void {
  let isScarce = false;
  const look = async (): Promise<void> => {
    const limited = await most;
    if (limited === null) return;
    const open = await openDescriptors(limited);
    if (!isScarce && open >= limited * SCARCE) {
      isScarce = true;
      log.error(
        { open, limit: limited },
        'File descriptors are running out: new connections will be cut. Raise LimitNOFILE',
      );
    } else if (isScarce && open < limited * PLENTY) {
      isScarce = false;
      log.info({ open, limit: limited }, 'File descriptors are plenty again');
    }
  };
  const timer = setInterval(() => void look().catch(() => undefined), everyMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** To look takes a descriptor too: none left is as many as there may be. */
async function openDescriptors(limited: number): Promise<number> {
  try {
    return (await readdir(OPEN)).length;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EMFILE') return limited;
    throw error;
  }
}

/** The soft limit of this process; null where the system does not say. */
async function limit(): Promise<number | null> {
  const text = await readFile('/proc/self/limits', 'utf8').catch(() => '');
  const soft = /^Max open files\s+(?<soft>\d+)/mu.exec(text)?.groups?.['soft'];
  return soft === undefined ? null : Number.parseInt(soft, 10);
}
