import type { Sale } from '@parrain/domain/sale';
import { queryOptions } from '@tanstack/react-query';
import { callFunction } from '../transport/call-function.ts';
import { live } from '../transport/live.ts';
import { refresh } from '../transport/refresh.ts';

/** A client who referred somebody whom another had referred before. */
export interface RefusedReferrer {
  clientId: string;
  name: string;
  tries: number;
  lastAt: string;
}

/** CS-02: to whom a referral was refused, the latest first. */
export function refusedReferrersQuery(saleId: string) {
  return queryOptions({
    queryKey: ['sales', 'refused-referrers', saleId],
    queryFn: async (): Promise<RefusedReferrer[]> => {
      const { data } = await callFunction<{ data: Row[] }>('sales-management', {
        body: { action: 'refused_referrers', sale_id: saleId },
      });
      return data.map((row) => ({
        clientId: row.client_id,
        name: row.full_name,
        tries: row.tries,
        lastAt: row.last_at,
      }));
    },
    ...live,
  });
}

/** CS-02: the admin gives the referral on screen to one of them, and says why. */
export async function giveReferral(
  seen: Pick<Sale, 'id' | 'version'>,
  clientId: string,
  reason: string,
): Promise<void> {
  await callFunction('sales-management', {
    body: { action: 'give_referral', sale_id: seen.id, seen_version: seen.version, client_id: clientId, reason },
  });
  refresh();
}

interface Row {
  client_id: string;
  full_name: string;
  tries: number;
  last_at: string;
}
