import { parentPort, workerData } from 'node:worker_threads';

import { makeBackup } from './make.ts';
import type { BackupOrder } from './make.ts';

// One backup, for ./run.ts.
parentPort?.postMessage(await makeBackup(workerData as BackupOrder), []);
