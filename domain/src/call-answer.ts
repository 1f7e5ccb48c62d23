import type { CallAnswer, ContactChannel } from './call-consent.ts';

/** The answer of its row, whose channel is null where the friend was not asked for one. */
export function callAnswerOf(isGiven: boolean, channel: ContactChannel | null | undefined): CallAnswer {
  return isGiven || channel === 'call' || (channel ?? false);
}
