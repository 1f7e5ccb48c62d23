import type { PaymentDecision } from '@parrain/domain/forms/payment-decision';
import { refresh } from '../transport/refresh.ts';
import { sendPaymentDecision } from './decide-payment-request.ts';

/** What became of one of many requests: decided, or left as it is with the reason. */
export type DecisionOutcome = { requestId: string } & ({ isDone: true } | { isDone: false; error: unknown });

/**
 * NV-04: one decision on many requests. Each is a decision of its own, in its own transaction and on the version that was
 * seen: one that somebody changed meanwhile is left out, and the others go through. `onProgress` tells how many are behind.
 */
export async function decidePaymentRequests(
  decisions: readonly PaymentDecision[],
  onProgress: (count: number) => void,
): Promise<readonly DecisionOutcome[]> {
  const outcomes: DecisionOutcome[] = [];
  for (const decision of decisions) {
    const { requestId } = decision;
    try {
      await sendPaymentDecision(decision);
      outcomes.push({ requestId, isDone: true });
    } catch (error) {
      outcomes.push({ requestId, isDone: false, error });
    }
    onProgress(outcomes.length);
  }
  refresh();
  return outcomes;
}
