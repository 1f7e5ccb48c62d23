import { parentPort, workerData } from 'node:worker_threads';

import { readTable } from './read-table.ts';
import type { ReadOrder } from './read-thread.ts';

// The thread of `read-thread.ts`: a file in, its lines out.

const { file, linesMax } = workerData as ReadOrder;
parentPort?.postMessage(await readTable(file, linesMax), []);
