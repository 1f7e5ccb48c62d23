import { Failure } from '@parrain/domain/failure';
import type { FailureCode } from '@parrain/domain/failure';
import type { TableChoice, UnreadableCause } from '@parrain/domain/table-file';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

import { createKeyedSemaphore, createSemaphore } from '#platform/concurrency';

import type { ReadLines } from './read-lines.ts';

/** Request to the thread. */
export type ReadOrder = { readonly file: Uint8Array; readonly linesMax: number; readonly choice: TableChoice };
/** Answer of the thread: the lines, or the cause that there are none. */
export type ReadAnswer = ReadLines | { readonly cause: UnreadableCause; readonly line: number | null };

const MEMORY_MB = 256;
const TIME_MS = 20_000;
/** People whose files wait, each with a file of 5 MB in memory. */
const PEOPLE_WAITING_MAX = 20;

/**
 * One file is read at a time, in the order in which people came, and each has one place: who sends many waits behind everybody
 * else with each of them (DF-27). A file has a thread of its own, which ends with it: what it took of memory is gone, whatever it was.
 */
const withPersonPlace = createKeyedSemaphore({
  slots: 1,
  waitingMax: 0,
  refusal: () => new Failure('file_being_read'),
});
const withSlot = createSemaphore({
  slots: 1,
  waitingMax: PEOPLE_WAITING_MAX,
  refusal: () => new Failure('unavailable'),
});

export type ReadAside = {
  readonly personId: string;
  readonly file: Buffer;
  readonly linesMax: number;
  readonly choice?: TableChoice;
  /** The code of a file that is no table. */
  readonly unknown: FailureCode;
};

/**
 * Reads a person's table away from the requests' thread, within a bound of memory and time: a file that passes one is none.
 * @throws Failure `unknown` with the cause and the line, `file_being_read`
 */
export async function readFileAside({ personId, file, linesMax, choice = {}, unknown }: ReadAside): Promise<ReadLines> {
  const read = await withPersonPlace(personId, () => withSlot(() => readInThread({ file, linesMax, choice })));
  if ('cause' in read) throw new Failure(unknown, { cause: read.cause, line: read.line });
  return read;
}

async function readInThread(order: ReadOrder): Promise<ReadAnswer> {
  const worker = new Worker(new URL('read-worker.ts', import.meta.url), {
    workerData: order,
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
  });
  try {
    const [read] = (await once(worker, 'message', { signal: AbortSignal.timeout(TIME_MS) })) as [ReadAnswer];
    return read;
  } catch {
    // Out of memory, or out of time.
    return { cause: 'unpacked', line: null };
  } finally {
    await worker.terminate();
  }
}
