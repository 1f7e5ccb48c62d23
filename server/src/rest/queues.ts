import { RestError } from './rest-error.ts';

/** What one caller may have running at once, and waiting behind that. */
const RUNNING_MAX = 6;
const WAITING_MAX = 200;

type Queue = { running: number; readonly waiting: (() => void)[] };

/**
 * Lets each caller have so many requests running; their others wait for their own. Whoever asks for what is slow holds up
 * nobody else: the connections to the database outnumber what one caller can keep busy.
 */
export function holdQueues(): <T>(caller: string, work: () => Promise<T>) => Promise<T> {
  const queues = new Map<string, Queue>();

  return async function inQueue(caller, work) {
    const queue = queues.get(caller) ?? { running: 0, waiting: [] };
    queues.set(caller, queue);
    if (queue.running < RUNNING_MAX) queue.running += 1;
    else {
      if (queue.waiting.length >= WAITING_MAX) {
        throw new RestError(429, 'PGRST000', 'Trop de requêtes à la fois. Réessayez dans quelques instants.', {
          headers: { 'retry-after': '1' },
        });
      }
      // Whoever ends hands over its place.
      await new Promise<void>((resolve) => {
        queue.waiting.push(resolve);
      });
    }
    try {
      return await work();
    } finally {
      const next = queue.waiting.shift();
      if (next !== undefined) next();
      else {
        queue.running -= 1;
        if (queue.running === 0) queues.delete(caller);
      }
    }
  };
}
