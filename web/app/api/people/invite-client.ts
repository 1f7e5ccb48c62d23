import type { ClientInvitation } from '@parrain/domain/forms/client-invitation';
import { clientCreationFailed } from '@parrain/domain/messages';
import { ApiError } from '../transport/api-error.ts';
import { callOnce } from '../transport/call-once.ts';
import { outcomeOf, type InvitationEmailBody, type InvitationOutcome } from './invitation-outcome.ts';

/** F-13: a commercial invites their client, an admin invites one for a commercial. */
export async function inviteClient(invitation: ClientInvitation): Promise<InvitationOutcome> {
  const { commercialId, ...person } = invitation;
  const answer = await callOnce<InvitedClientBody>('invite-client', {
    ...person,
    ...(commercialId === null ? {} : { commercial_id: commercialId }),
  });
  if (!answer.success)
    throw new ApiError({ status: 200, code: 'unexpected', text: answer.error ?? clientCreationFailed });
  return outcomeOf(answer, { id: answer.client?.id ?? '', email: invitation.email });
}

interface InvitedClientBody extends InvitationEmailBody {
  success: boolean;
  client?: { id: string };
  error?: string;
}
