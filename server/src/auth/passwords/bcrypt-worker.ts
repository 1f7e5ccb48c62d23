import { compareSync } from 'bcryptjs';
import { parentPort, workerData } from 'node:worker_threads';

// One comparison, for ./bcrypt.ts.
const { password, hash } = workerData as { readonly password: string; readonly hash: string };
parentPort?.postMessage(compareSync(password, hash), []);
