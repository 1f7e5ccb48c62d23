import { queryOptions } from '@tanstack/react-query';
import { callFunction } from '../transport/call-function.ts';
import { callOnce } from '../transport/call-once.ts';
import { outcomeOf, type InvitationEmailBody, type InvitationOutcome } from './invitation-outcome.ts';

/** The right to give a person a new temporary password: an admin's, or their commercial's until their first sign-in (V-19). */
export function mayGivePasswordQuery(personId: string) {
  return queryOptions({
    queryKey: ['profiles', 'may-give-password', personId],
    queryFn: async () => {
      const { data } = await callFunction<{ data: { may: boolean } }>('temporary-password', {
        method: 'GET',
        query: { action: 'may', person_id: personId },
      });
      return data.may;
    },
  });
}

/** V-19: gives a person a new temporary password, which is mailed or shown as that of an invitation. */
export async function givePassword(personId: string): Promise<InvitationOutcome> {
  const answer = await callOnce<InvitationEmailBody & { loginEmail: string }>('temporary-password', {
    action: 'give',
    person_id: personId,
  });
  return outcomeOf(answer, { id: personId, email: answer.loginEmail });
}
