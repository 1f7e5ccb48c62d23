import { holdsFromWire, type CleaningHold, type TestDataKind } from '@parrain/domain/cleaning';
import { queryOptions } from '@tanstack/react-query';
import { callFunction } from '../transport/call-function.ts';

/** A preview of the cleaning (FX-67). */
export interface CleaningPreview {
  wouldDelete: Readonly<Record<TestDataKind, number>>;
  /** Real data that depends on test data: while there is any, nothing is deleted. */
  heldBy: readonly CleaningHold[];
  /** The session is older than ten minutes: its owner signs in again first. */
  reauthenticationRequired: boolean;
}

/** AD-02: what the confirmation names. */
export const cleaningPreviewQuery = queryOptions({
  queryKey: ['cleaning'],
  queryFn: async (): Promise<CleaningPreview> => {
    const answer = await callFunction<{
      would_delete: Record<TestDataKind, number>;
      held_by: unknown;
      reauthentication_required: boolean;
    }>('clean-database', { body: { preview: true } });
    return {
      wouldDelete: answer.would_delete,
      heldBy: holdsFromWire(answer.held_by),
      reauthenticationRequired: answer.reauthentication_required,
    };
  },
  staleTime: 0,
});

/** F-11, P-05: deletes the test data; `companyName` is what was typed. The page reloads after it (AD-02). */
export async function cleanDatabase(companyName: string): Promise<void> {
  await callFunction('clean-database', { body: { confirmation: companyName } });
}
