import type { CommercialInvitation } from '@parrain/domain/forms/commercial-invitation';
import { callOnce } from '../transport/call-once.ts';
import { outcomeOf, type InvitationEmailBody, type InvitationOutcome } from './invitation-outcome.ts';

/** F-06: invites a commercial; where no mail was accepted, what to pass on by hand (E-03, V-19). */
export async function inviteCommercial(invitation: CommercialInvitation): Promise<InvitationOutcome> {
  const answer = await callOnce<InvitedCommercialBody>('invite-commercial', { ...invitation });
  const email = answer.commercial?.email ?? invitation.email;
  return outcomeOf(answer, { id: answer.commercial?.id ?? '', email });
}

interface InvitedCommercialBody extends InvitationEmailBody {
  commercial?: { id: string; full_name: string; email: string };
}
