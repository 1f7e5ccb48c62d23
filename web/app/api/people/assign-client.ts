import { callFunction } from '../transport/call-function.ts';

/** A client's way from the commercial who is on screen to another. */
export interface ClientAssignment {
  clientId: string;
  commercialId: string;
  /** Any other is refused with `client_changed`. */
  seenCommercialId: string | null;
  /** On the way back: the open referrals that had moved, and return. All of them where it is left out. */
  onlySaleIds?: readonly string[] | undefined;
}

/** NV-04: the assignment alone: the screens are read again by who has made all of theirs. Gives the open referrals that moved. */
export async function sendClientAssignment({
  clientId,
  commercialId,
  seenCommercialId,
  onlySaleIds,
}: ClientAssignment): Promise<readonly string[]> {
  const answer = await callFunction<{ moved_sale_ids: readonly string[] }>('assign-client', {
    body: {
      client_id: clientId,
      commercial_id: commercialId,
      seen_commercial_id: seenCommercialId,
      ...(onlySaleIds === undefined ? {} : { only_sale_ids: onlySaleIds }),
    },
  });
  return answer.moved_sale_ids;
}
