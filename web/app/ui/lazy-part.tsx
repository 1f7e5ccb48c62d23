import { lazy, type ComponentType, type LazyExoticComponent } from 'react';

/**
 * React's `lazy`, for code that may fail to come while there is no network: its place waits until there is one, and the page is then
 * loaded anew, because a browser keeps a failed import for the life of its page. The address keeps the place (NV-01).
 */
export function lazyPart<Props>(
  load: () => Promise<{ default: ComponentType<Props> }>,
): LazyExoticComponent<ComponentType<Props>> {
  return lazy(() => load().catch(loadPageAnew));
}

async function loadPageAnew(error: unknown): Promise<never> {
  if (!navigator.onLine)
    await new Promise<void>((resolve) => window.addEventListener('online', () => resolve(), { once: true }));
  else if (wasLoadedAnew()) throw error;
  window.location.reload();
  return new Promise(() => undefined);
}

const justNowMs = 10_000;

/** A page that came anew a moment ago and fails again would do so for ever: its error is shown. */
function wasLoadedAnew(): boolean {
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  return navigation?.type === 'reload' && performance.now() < justNowMs;
}
