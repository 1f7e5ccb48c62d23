import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError } from './api-error.ts';
import { expireSession, recheckSession } from './session.ts';
import { onSessionEvent } from './session-events.ts';

/** The cache of the server's answers. Emptied whenever the person changes (api/transport/session). */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: watch }),
  mutationCache: new MutationCache({ onError: watchCall }),
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      refetchOnWindowFocus: true,
      // Retries with backoff what may pass: an unreachable server, a 5xx; never a refusal.
      retry: (failures, error) =>
        failures < 2 && (!(error instanceof ApiError) || error.status === 0 || error.status >= 500),
      retryDelay: (attempt) => Math.min(200 * 2 ** attempt, 2_000),
    },
    // Without a connection a form is told so at once, and does not wait for one.
    mutations: { retry: false, networkMode: 'always' },
  },
});

/** Loading errors are logged (E-05); the first query that meets an expired session ends it (E-02). */
function watch(error: unknown): void {
  // oxlint-disable-next-line no-console -- the browser's console is where a page logs
  console.error(error);
  if (error instanceof ApiError && error.status === 401) void expireSession();
  void recheckSession(error);
}

/** A refusal is an answer and is shown where it was asked for; only unexpected failures are logged. */
function watchCall(error: unknown): void {
  if (!(error instanceof ApiError) || error.status === 401 || error.status >= 500) watch(error);
  else void recheckSession(error);
}

onSessionEvent((event) => {
  if (event === 'SIGNED_OUT') queryClient.clear();
});
