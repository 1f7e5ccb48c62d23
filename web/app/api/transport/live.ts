import { isConnected } from './connection.ts';

const POLL_MS = 15_000;

/**
 * Options of a list or a figure that keeps itself fresh: it is read again when the server tells of a change (api/transport/live-changes), and on
 * focus; every 15 seconds only while the server cannot tell.
 */
export const live = {
  refetchInterval: () => (isConnected() ? false : POLL_MS),
  refetchOnWindowFocus: 'always',
} as const;
