import type { Cents } from '@parrain/domain/money';
import { queryOptions } from '@tanstack/react-query';
import { live } from '../transport/live.ts';

/** Request of one admin above the company's amount, until another one decides it (AC-05, PO-01). */
export interface SecondDecision {
  id: string;
  kind: 'waiver' | 'adjustment' | 'batch';
  askedBy: string | null;
  /** Payee of a waiver or an adjustment. */
  payeeId: string | null;
  name: string;
  amount: Cents;
  createdAt: string;
}

/** All that waits for a second admin, the oldest first of each kind. Read by code that comes later: « À faire » is in a first load. */
export const secondDecisionsQuery = queryOptions({
  queryKey: ['notices', 'second-decisions'],
  queryFn: async (): Promise<readonly SecondDecision[]> =>
    (await import('./read-second-decisions.ts')).readSecondDecisions(),
  ...live,
});
