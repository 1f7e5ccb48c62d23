import { failureMessage } from '@parrain/domain/failure';
import type { ClientSummary } from '#api/people/client-summaries';
import type { PersonState } from '#api/people/person';

/** V-13: why a client cannot be removed, as far as the screen knows it; null where the server may say yes. */
export function deletionObstacle(
  client: Pick<ClientSummary, 'revenue'>,
  states: readonly PersonState[] = [],
): string | null {
  if (client.revenue > 0n) return failureMessage('client_has_revenue');
  return states.some(({ state }) => state !== 'rejected') ? failureMessage('client_has_live_referral') : null;
}
