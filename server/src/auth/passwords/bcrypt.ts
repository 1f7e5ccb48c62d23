import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/**
 * Whether the password is the bcrypt hash's. The library is JavaScript alone, so that it runs everywhere: on a thread of
 * its own, or every request would wait while it counts. An imported account needs it until its first sign-in.
 */
export async function verifyBcrypt(password: string, hash: string): Promise<boolean> {
  const worker = new Worker(new URL('bcrypt-worker.ts', import.meta.url), { workerData: { password, hash } });
  try {
    const [isRight]: unknown[] = await once(worker, 'message');
    return isRight === true;
  } finally {
    void worker.terminate();
  }
}
