import { mayBeCalled, writingTo, type Writing } from '@parrain/domain/call-consent';
import type { Referral } from '#api/sales/referral';

/** Ways in which the friend of a referral may be reached (CS-03), without regard to whether there is a number or an address for it. */
export function reachOf(
  { callAnswer, status, writtenAt }: Referral,
  isConsentRequired: boolean,
): { mayCall: boolean; writing: Writing } {
  const rule = { isConsentRequired, hasContract: status === 'validated', isWritten: writtenAt !== null };
  return { mayCall: mayBeCalled(callAnswer, rule), writing: writingTo(callAnswer, rule) };
}
