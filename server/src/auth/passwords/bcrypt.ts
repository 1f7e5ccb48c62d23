import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/**
 * Verifies a password against a bcrypt hash, which an imported account has until its first sign-in. The library is plain
 * JavaScript, so that it runs everywhere: on a worker thread, or it would block every request.
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
