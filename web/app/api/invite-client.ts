import type { ClientInvitation } from '@parrain/domain/forms/client-invitation';
import { clientCreationFailed } from '@parrain/domain/messages';
import { ApiError } from './api-error.ts';
import { callFunction } from './call-function.ts';

/** Whether the mail left; where it did not, what to pass on by hand (E-03, V-19). */
export type InvitationOutcome =
  | { emailSent: true; email: string }
  | { emailSent: false; email: string; temporaryPassword: string };

/** F-13: a commercial invites their client, an admin invites one for a commercial. */
export async function inviteClient(invitation: ClientInvitation): Promise<InvitationOutcome> {
  const { commercialId, ...person } = invitation;
  const answer = await callFunction<Answer>('invite-client', {
    body: { ...person, ...(commercialId === null ? {} : { commercial_id: commercialId }) },
  });
  if (!answer.success)
    throw new ApiError({ status: 200, code: 'unexpected', text: answer.error ?? clientCreationFailed });
  return answer.emailSent
    ? { emailSent: true, email: invitation.email }
    : { emailSent: false, email: invitation.email, temporaryPassword: answer.tempPassword ?? '' };
}

interface Answer {
  success: boolean;
  emailSent?: boolean;
  tempPassword?: string | null;
  error?: string;
}
