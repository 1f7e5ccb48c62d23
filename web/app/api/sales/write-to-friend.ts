import type { FriendMessage } from '@parrain/domain/forms/friend-message';
import type { EmailState } from '@parrain/domain/messages';
import { callFunction } from '../transport/call-function.ts';

/** Outcome of the message: the server mails it, or the commercial's own program does (`byHand`). */
export interface WrittenToFriend {
  message: string;
  byHand: boolean;
  emailState?: EmailState;
}

/** CS-03: the commercial's one message to a friend who has not answered. */
export async function writeToFriend({ saleId, message }: FriendMessage, key: string): Promise<WrittenToFriend> {
  return callFunction<WrittenToFriend>('sales-management', {
    body: { action: 'write_to_friend', sale_id: saleId, message },
    idempotencyKey: key,
  });
}
