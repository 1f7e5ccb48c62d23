import * as z from 'zod/mini';
import * as messages from '../messages.ts';
import { email, optionalMessage, optionalPhone, personName } from './fields.ts';
import { personalMessageLengthMax } from './limits.ts';

/**
 * « Inviter un ami » and the payload of send-invitation-email (V-12, F-15). What that payload says of the caller
 * (clientId, clientName, clientEmail) is left as it came: the server compares it with the token, never believes it (P-07).
 */
export const friendInvitationForm = z.object({
  name: personName(messages.nameAndEmailRequired),
  email: email(messages.nameAndEmailRequired),
  phone: optionalPhone(),
  personalMessage: optionalMessage(personalMessageLengthMax),
  clientId: z.optional(z.unknown()),
  clientName: z.optional(z.unknown()),
  clientEmail: z.optional(z.unknown()),
});
export type FriendInvitation = z.output<typeof friendInvitationForm>;
