/**
 * Lets so many pieces of work run at once and the others wait in order. Who takes longer than `patienceMs` gives the turn to
 * the next, and goes on: only short work waits for short work.
 */
export function takeTurns(max: number, patienceMs: number): <T>(work: () => Promise<T>) => Promise<T> {
  let free = max;
  const waiting: (() => void)[] = [];

  function pass(): void {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  }

  return async function inTurn(work) {
    if (free > 0) free -= 1;
    else {
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
      });
    }
    let isPassed = false;
    const timer = setTimeout(() => {
      isPassed = true;
      pass();
    }, patienceMs);
    try {
      return await work();
    } finally {
      clearTimeout(timer);
      if (!isPassed) pass();
    }
  };
}
