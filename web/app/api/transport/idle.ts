let resolveShown: () => void;
const shown = new Promise<void>((resolve) => {
  resolveShown = resolve;
});

/** Says that the first screen stands: what it does without at first may come from now on (`whenIdle`). */
export function screenIsShown(): void {
  resolveShown();
}

/**
 * Runs the work once the first screen stands and the browser has nothing else to do; without a network, once there is one: code
 * that a browser failed to import is never asked for again on that page. Gives the way to call it off.
 */
export function whenIdle(work: () => void): () => void {
  const off = new AbortController();
  const run = () => {
    if (off.signal.aborted) return;
    if (navigator.onLine) work();
    else window.addEventListener('online', run, { once: true, signal: off.signal });
  };
  void shown.then(() => {
    if (typeof requestIdleCallback === 'function') requestIdleCallback(run, { timeout: 2_000 });
    else setTimeout(run, 200);
  });
  return () => off.abort();
}
