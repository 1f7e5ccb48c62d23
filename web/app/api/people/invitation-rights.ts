import { queryOptions } from '@tanstack/react-query';
import { callFunction } from '../transport/call-function.ts';

/** The obstacles to a client's invitation of a friend, and whether a friend gets an e-mail at all (FX-04, FX-65). */
export interface InvitationRights {
  obstacles: readonly { code: 'address_not_proven' | 'commercial_missing'; message: string }[];
  isMailSent: boolean;
}

export function invitationRightsQuery(profileId: string) {
  return queryOptions({ queryKey: ['invitation-rights', profileId], queryFn: readInvitationRights });
}

async function readInvitationRights(): Promise<InvitationRights> {
  const { data } = await callFunction<InvitationRightsBody>('own-account', {
    method: 'GET',
    query: { action: 'invitation' },
  });
  return { obstacles: data.obstacles, isMailSent: data.is_mail_sent };
}

interface InvitationRightsBody {
  data: { obstacles: InvitationRights['obstacles']; is_mail_sent: boolean };
}
