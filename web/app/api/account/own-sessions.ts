import { queryOptions } from '@tanstack/react-query';
import { callFunction } from '../transport/call-function.ts';

/** A device on which the account is open. */
export interface OwnSession {
  id: string;
  createdAt: string;
  /** To the hour: a session is used when its token is renewed. */
  lastUsedAt: string;
  userAgent: string | null;
  isCurrent: boolean;
}

/** CO-11, CL-09: the open sessions, this one first. */
export const ownSessionsQuery = queryOptions({
  queryKey: ['own-sessions'],
  queryFn: async (): Promise<OwnSession[]> => {
    const { data } = await callFunction<{ data: readonly Row[] }>('own-account', {
      method: 'GET',
      query: { action: 'sessions' },
    });
    return data.map((row) => ({
      id: row.id,
      createdAt: row.created_at,
      lastUsedAt: row.last_used_at,
      userAgent: row.user_agent,
      isCurrent: row.is_current,
    }));
  },
});

interface Row {
  id: string;
  created_at: string;
  last_used_at: string;
  user_agent: string | null;
  is_current: boolean;
}

/** Ends one of them, at once. */
export async function endSession(sessionId: string): Promise<void> {
  await callFunction('own-account', { query: { action: 'end_session' }, body: { session_id: sessionId } });
}
