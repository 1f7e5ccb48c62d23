import type { ApprovalAnnulment } from '@parrain/domain/forms/payment-decision';
import { callFunction } from '../transport/call-function.ts';
import { refresh } from '../transport/refresh.ts';

/** FX-10: an approved request waits for a decision again; its client reads the reason. */
export async function annulApproval({ requestId, seenVersion, reason }: ApprovalAnnulment): Promise<void> {
  await callFunction('payment-request', {
    body: { action: 'annul_approval', request_id: requestId, seen_version: seenVersion, reason },
  });
  refresh();
}
