import type { FriendInvitation } from '@parrain/domain/forms/friend-invitation';
import type { EmailState } from '@parrain/domain/messages';
import { callFunction } from '../transport/call-function.ts';

export interface InvitingClient {
  id: string;
  fullName: string;
  email: string;
}

/** F-15: a client refers a friend. Who invites is the token's to say: the payload only repeats it (P-07). */
export async function inviteFriend(friend: FriendInvitation, client: InvitingClient): Promise<EmailState> {
  const answer = await callFunction<{ emailState: EmailState }>('send-invitation-email', {
    body: {
      name: friend.name,
      email: friend.email,
      phone: friend.phone,
      personalMessage: friend.personalMessage,
      clientId: client.id,
      clientName: client.fullName,
      clientEmail: client.email,
    },
  });
  return answer.emailState;
}
