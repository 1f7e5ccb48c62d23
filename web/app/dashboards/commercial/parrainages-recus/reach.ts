import { mayBeCalled, writingTo, type Writing } from '@parrain/domain/call-consent';
import type { Referral } from '#api/sales/referral';

/** How the friend of a referral may be reached (CS-03); whether there is a number or an address for it is another question. */
export function reachOf(
  { callAnswer, status, writtenAt }: Referral,
  isConsentRequired: boolean,
): { mayCall: boolean; writing: Writing } {
  const rule = { isConsentRequired, hasContract: status === 'validated', isWritten: writtenAt !== null };
  return { mayCall: mayBeCalled(callAnswer, rule), writing: writingTo(callAnswer, rule) };
}
