import { callAnswerOf } from '@parrain/domain/call-answer';
import type { CallAnswer, ContactChannel } from '@parrain/domain/call-consent';

export const saleConsents = 'consents:call_consents(is_given,channel,said_at)';

/** Row that {@link saleConsents} reads. */
export interface ConsentsRow {
  consents: readonly { is_given: boolean; channel: ContactChannel | null; said_at: string }[];
}

/** Friend's last answer on how they may be reached (CS-03, UI-03). */
export function toCallAnswer({ consents }: ConsentsRow): CallAnswer {
  const last = consents.toSorted((one, other) => Date.parse(one.said_at) - Date.parse(other.said_at)).at(-1);
  return last ? callAnswerOf(last.is_given, last.channel) : null;
}
