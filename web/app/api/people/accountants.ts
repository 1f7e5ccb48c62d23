import type { AccountantInvitation } from '@parrain/domain/forms/accountant';
import type { EmailState } from '@parrain/domain/messages';
import { queryOptions } from '@tanstack/react-query';
import { callFunction } from '../transport/call-function.ts';
import { callOnce } from '../transport/call-once.ts';
import { queryClient } from '../transport/query-client.ts';
import { outcomeOf, type InvitationEmailBody, type InvitationOutcome } from './invitation-outcome.ts';

/** Somebody who reads the company's accounting, or did (UI-12). */
export interface Accountant {
  id: string;
  fullName: string;
  email: string;
  hasAccess: boolean;
  hasSignedIn: boolean;
}

export const accountantsQuery = queryOptions({
  queryKey: ['profiles', 'accountants'],
  queryFn: async (): Promise<Accountant[]> => {
    const { data } = await callFunction<{ data: readonly Row[] }>('accountants', {
      method: 'GET',
      query: { action: 'list' },
    });
    return data.map((row) => ({
      id: row.id,
      fullName: row.full_name,
      email: row.email,
      hasAccess: row.deactivated_at === null,
      hasSignedIn: row.last_sign_in_at !== null,
    }));
  },
});

/** Opens an access; where no mail was accepted, what to pass on by hand. */
export async function inviteAccountant(invitation: AccountantInvitation): Promise<InvitationOutcome> {
  const answer = await callOnce<InvitedBody>('accountants', { action: 'invite', ...invitation });
  await queryClient.invalidateQueries({ queryKey: accountantsQuery.queryKey });
  return outcomeOf(answer, { id: answer.comptable?.id ?? '', email: answer.comptable?.email ?? invitation.email });
}

/** Ends an access and its sessions, or gives it back. */
export async function changeAccess(act: 'withdraw' | 'give_back', accountantId: string): Promise<void> {
  await callFunction('accountants', { query: { action: act }, body: { accountant_id: accountantId } });
  await queryClient.invalidateQueries({ queryKey: accountantsQuery.queryKey });
}

/** Instant at which a period was last sent to the accountant; null where it never was. */
export function dossierSentQuery(period: string) {
  return queryOptions({
    queryKey: ['dossier-sent', period],
    queryFn: async (): Promise<string | null> => {
      const { sent_at: sentAt } = await callFunction<{ sent_at: string | null }>('accountants', {
        method: 'GET',
        query: { action: 'sent', period },
      });
      return sentAt;
    },
  });
}

/** Outcome of « Envoyer à mon comptable ». */
export interface DossierSending {
  state: EmailState;
  /** It was sent less than ten minutes ago: no second mail left. */
  isAlready: boolean;
  sentAt: string | null;
  names: readonly string[];
}

export async function sendDossier(period: string): Promise<DossierSending> {
  const answer = await callFunction<SentBody>('accountants', { query: { action: 'send' }, body: { period } });
  await queryClient.invalidateQueries({ queryKey: dossierSentQuery(period).queryKey });
  return { state: answer.emailState, isAlready: answer.already, sentAt: answer.sent_at, names: answer.names };
}

interface Row {
  id: string;
  full_name: string;
  email: string;
  deactivated_at: string | null;
  last_sign_in_at: string | null;
}

interface InvitedBody extends InvitationEmailBody {
  comptable?: { id: string; email: string };
}

interface SentBody {
  emailState: EmailState;
  already: boolean;
  sent_at: string | null;
  names: readonly string[];
}
