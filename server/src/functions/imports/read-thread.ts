import { Failure } from '@parrain/domain/failure';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

import { createSemaphore } from '#platform/concurrency';

import type { Table, Unread } from './read-table.ts';

/** What the thread is asked. */
export type ReadOrder = { readonly file: Uint8Array; readonly linesMax: number };

const MEMORY_MB = 256;
const TIME_MS = 20_000;

/** One file is read at a time. Each has a thread of its own, which ends with it: what it took of memory is gone, whatever it was. */
const withSlot = createSemaphore({ slots: 1, waitingMax: 20, refusal: () => new Failure('unavailable') });

/**
 * Reads a person's file away from the requests' thread, within a bound of memory and time: a file that passes one is no list of
 * people. @throws Failure `import_file_unknown`, `import_empty`, `import_too_long`
 */
export async function readFileAside(file: Buffer, linesMax: number): Promise<Table> {
  const read = await withSlot(() => readInThread({ file, linesMax }));
  switch (read) {
    case 'unknown':
      throw new Failure('import_file_unknown');
    case 'empty':
      throw new Failure('import_empty');
    case 'too_long':
      throw new Failure('import_too_long', { most: linesMax });
    default:
      return read;
  }
}

async function readInThread(order: ReadOrder): Promise<Table | Unread> {
  const worker = new Worker(new URL('read-worker.ts', import.meta.url), {
    workerData: order,
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
  });
  try {
    const [read] = (await once(worker, 'message', { signal: AbortSignal.timeout(TIME_MS) })) as [Table | Unread];
    return read;
  } catch {
    // Out of memory, or out of time.
    return 'unknown';
  } finally {
    await worker.terminate();
  }
}
