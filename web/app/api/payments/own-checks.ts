import { queryOptions } from '@tanstack/react-query';
import { callFunction } from '../transport/call-function.ts';
import { live } from '../transport/live.ts';

/** FD-01: which of one's own requests wait for a check; never why. */
export const ownChecksQuery = queryOptions({
  queryKey: ['payment_requests', 'own-checks'],
  queryFn: async (): Promise<ReadonlySet<string>> => {
    const { data } = await callFunction<{ data: string[] }>('doubtful-cases', { body: { action: 'own_checks' } });
    return new Set(data);
  },
  ...live,
});
