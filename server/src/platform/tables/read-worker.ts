import { parentPort, workerData } from 'node:worker_threads';

import { readLines } from './read-lines.ts';
import type { ReadAnswer, ReadOrder } from './read-thread.ts';
import { UnreadableTable } from './unreadable-table.ts';

// The thread of `read-thread.ts`: a file in, its lines out.

const { file, linesMax, choice } = workerData as ReadOrder;
const answer: ReadAnswer = await readLines(file, linesMax, choice).catch((error: unknown) => ({
  cause: error instanceof UnreadableTable ? error.why : ('other' as const),
  line: error instanceof UnreadableTable ? error.line : null,
}));
parentPort?.postMessage(answer, []);
