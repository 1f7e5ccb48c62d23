import { createHook } from 'node:async_hooks';

/** Does the work and counts the password hashes that Node computes meanwhile, wherever they are asked for. */
export async function hashesMade<T>(work: () => Promise<T>): Promise<{ readonly made: number; readonly result: T }> {
  let made = 0;
  const hook = createHook({
    init(_id, type) {
      if (type === 'ARGON2REQUEST') made += 1;
    },
  }).enable();
  try {
    return { result: await work(), made };
  } finally {
    hook.disable();
  }
}
