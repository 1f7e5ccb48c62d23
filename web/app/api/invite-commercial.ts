import type { CommercialInvitation } from '@parrain/domain/forms/commercial-invitation';
import { callFunction } from './call-function.ts';
import type { InvitationOutcome } from './invite-client.ts';
import { refresh } from './refresh.ts';

/** F-06: invites a commercial; where no mail was accepted, what to pass on by hand (E-03, V-19). */
export async function inviteCommercial(invitation: CommercialInvitation): Promise<InvitationOutcome> {
  const answer = await callFunction<Answer>('invite-commercial', { body: { ...invitation } });
  refresh();
  const email = answer.commercial?.email ?? invitation.email;
  return answer.emailSent
    ? { emailSent: true, email }
    : { emailSent: false, email, temporaryPassword: answer.tempPassword ?? '' };
}

interface Answer {
  emailSent: boolean;
  tempPassword?: string | null;
  commercial?: { full_name: string; email: string };
}
