import { createElement, useSyncExternalStore, type ComponentType, type ReactNode } from 'react';

/** The code of a part of the page, in a file of its own. */
export interface LazyCode<Props> {
  /** Fetches it ahead: the part then stands in the first picture that it is asked for. A failure is not kept. */
  load: () => Promise<void>;
  /** Store that `useLazyCode` reads. */
  subscribe: (listener: () => void) => () => void;
  state: () => LazyState<Props>;
}

interface LazyState<Props> {
  Part?: ComponentType<Props> | undefined;
  error?: unknown;
}

/**
 * For code that is not needed at first, in place of React's `lazy` with `Suspense`: React shows what was suspended 300 ms after the
 * last fallback at the earliest, even where the code is there already. Without a network code is not asked for until there is one. Where
 * it fails to come all the same, the page is loaded anew once no dialog is open, because a browser keeps a failed import for the life
 * of its page. The address keeps the place (NV-01).
 */
export function lazyCode<Props>(load: () => Promise<{ default: ComponentType<Props> }>): LazyCode<Props> {
  let state: LazyState<Props> = {};
  const listeners = new Set<() => void>();
  const become = (next: LazyState<Props>) => {
    if (state.Part !== undefined) return;
    state = next;
    for (const listener of listeners) listener();
  };
  const fetchCode = async () => {
    // Asked for again at every approach of the pointer: what is there is not looked for.
    if (state.Part !== undefined) return;
    await online();
    become({ Part: (await load()).default });
  };
  return {
    load: fetchCode,
    subscribe(listener) {
      listeners.add(listener);
      if (state.Part === undefined)
        fetchCode()
          .catch(loadPageAnew)
          .catch((error: unknown) => become({ error }));
      return () => listeners.delete(listener);
    },
    state: () => state,
  };
}

/** The part once its code is there; asks for the code otherwise. @throws what the code failed with, for the error boundary. */
export function useLazyCode<Props>({ subscribe, state }: LazyCode<Props>): ComponentType<Props> | undefined {
  const { Part, error } = useSyncExternalStore(subscribe, state, state);
  if (error !== undefined) throw error;
  return Part;
}

/** A part whose code is a file of its own. `fallback` keeps its place until the code is there. */
export function lazyPart<Props extends object>(
  load: () => Promise<{ default: ComponentType<Props> }>,
  fallback: ReactNode = null,
): ComponentType<Props> & Pick<LazyCode<Props>, 'load'> {
  const code = lazyCode(load);
  const LazyPart = (props: Props) => {
    const Part = useLazyCode(code);
    return Part === undefined ? fallback : createElement(Part, props);
  };
  return Object.assign(LazyPart, { load: code.load });
}

async function loadPageAnew(error: unknown): Promise<never> {
  if (navigator.onLine && wasLoadedAnew()) throw error;
  await online();
  await noDialog();
  window.location.reload();
  return new Promise(() => undefined);
}

/** Without a network nothing is asked for: what failed once could not be asked for again. */
async function online(): Promise<void> {
  if (typeof window !== 'undefined' && !navigator.onLine)
    await new Promise<void>((resolve) => window.addEventListener('online', () => resolve(), { once: true }));
}

/** Nobody loses what they are typing: a form stands in a dialog. */
async function noDialog(): Promise<void> {
  while (document.querySelector('[aria-modal="true"]') !== null)
    await new Promise((resolve) => setTimeout(resolve, 1_000));
}

const justNowMs = 10_000;

/** A page that came anew a moment ago and fails again would do so for ever: its error is shown. */
function wasLoadedAnew(): boolean {
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  return navigation?.type === 'reload' && performance.now() < justNowMs;
}
