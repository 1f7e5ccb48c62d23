import { queryOptions } from '@tanstack/react-query';
import { ApiError } from '../transport/api-error.ts';
import { callFunction } from '../transport/call-function.ts';

/** The fate of an invitation's e-mail; where it will never leave, the credentials to pass on by hand (E-03, V-19, FX-08). */
export type InvitationOutcome =
  | { state: 'sent'; email: string }
  | { state: 'sending'; email: string; personId: string }
  | { state: 'not_sent'; email: string; temporaryPassword: string };

/** The part of an answer that tells of the e-mail. */
export interface InvitationEmailBody {
  emailSent?: boolean;
  emailState?: 'sent' | 'sending' | 'not_sent';
  tempPassword?: string | null;
}

export function outcomeOf(answer: InvitationEmailBody, person: { id: string; email: string }): InvitationOutcome {
  const { email } = person;
  switch (answer.emailState) {
    case 'sent':
      return { state: 'sent', email };
    case 'not_sent':
      return { state: 'not_sent', email, temporaryPassword: answer.tempPassword ?? '' };
    default:
      return { state: 'sending', email, personId: person.id };
  }
}

const ASK_EVERY_MS = 3000;

/** Asks again until it is known whether the e-mail left. Never from a cache: credentials are shown once. */
export function invitationOutcomeQuery(waiting: { personId: string; email: string } | undefined) {
  return queryOptions({
    queryKey: ['invitation-outcome', waiting?.personId],
    queryFn: () => readOutcome(waiting?.personId ?? '', waiting?.email ?? ''),
    // Asked once: each answer with credentials makes new ones.
    enabled: ({ state }) => waiting !== undefined && (state.data === undefined || state.data.state === 'sending'),
    gcTime: 0,
    staleTime: Infinity,
    refetchOnWindowFocus: false,
    refetchInterval: ASK_EVERY_MS,
  });
}

async function readOutcome(personId: string, email: string): Promise<InvitationOutcome> {
  try {
    const answer = await callFunction<InvitationEmailBody>('invitation-outcome', { body: { person_id: personId } });
    return outcomeOf(answer, { id: personId, email });
  } catch (error) {
    // They have signed in meanwhile: the e-mail arrived.
    if (error instanceof ApiError && error.code === 'invitation_not_pending') return { state: 'sent', email };
    throw error;
  }
}
