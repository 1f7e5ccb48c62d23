import { queryOptions } from '@tanstack/react-query';
import { callFunction } from '../transport/call-function.ts';

/** The obstacles to a client's invitation of a friend, and whether a friend gets an e-mail at all (FX-04, FX-65). */
export interface InvitationRights {
  obstacles: readonly { code: 'address_not_proven' | 'commercial_missing' }[];
  isMailSent: boolean;
  /** Instant at which the client asked for a commercial; null where they did not (DF-06). */
  commercialAskedAt: string | null;
}

export function invitationRightsQuery(profileId: string) {
  return queryOptions({ queryKey: ['invitation-rights', profileId], queryFn: readInvitationRights });
}

async function readInvitationRights(): Promise<InvitationRights> {
  const { data } = await callFunction<InvitationRightsBody>('own-account', {
    method: 'GET',
    query: { action: 'invitation' },
  });
  return {
    obstacles: data.obstacles,
    isMailSent: data.is_mail_sent,
    commercialAskedAt: data.commercial_asked_at ?? null,
  };
}

interface InvitationRightsBody {
  data: { obstacles: InvitationRights['obstacles']; is_mail_sent: boolean; commercial_asked_at?: string | null };
}
