import { noticeTopics } from '@parrain/domain/notice';
import type { NoticeTopic } from '@parrain/domain/notice';
import { z } from 'zod';

import type { Refusal } from '#platform/mail-layout';
import type { Services } from '#platform/services';

import { oneClickAddress } from '../one-click-address.ts';

const PURPOSE = 'notice-refusal';

const refused = z.object({ profile: z.uuid(), topics: z.array(z.enum(noticeTopics)).min(1) });
type Refused = z.infer<typeof refused>;

/** Opt-out link under a mail of notices: it refuses the mail's topics without a session (TM-02). */
export function noticeRefusal(
  services: Pick<Services, 'secrets' | 'publicUrl'>,
  profile: string,
  topics: readonly NoticeTopic[],
): Refusal {
  const token = services.secrets.seal(PURPOSE, JSON.stringify({ profile, topics })).toString('base64url');
  return {
    label: 'Ne plus recevoir ces messages',
    url: `${noticeRefusalPage(services)}#${token}`,
    oneClickUrl: oneClickAddress(services, token),
  };
}

/** The page whose button says no. */
export function noticeRefusalPage({ publicUrl }: Pick<Services, 'publicUrl'>): string {
  return `${publicUrl()}/se-desabonner`;
}

/** Person and topics that a token refuses; null of one that is not ours. */
export function refusedBy({ secrets }: Pick<Services, 'secrets'>, token: string): Refused | null {
  try {
    return refused.parse(JSON.parse(secrets.open(PURPOSE, Buffer.from(token, 'base64url')).toString()));
  } catch {
    return null;
  }
}

/** False where the account is gone: there is nobody to write to. */
export async function refuseNoticeMails({ db }: Pick<Services, 'db'>, { profile, topics }: Refused): Promise<boolean> {
  return db.asService('refuse mails of notices', async (tx) => {
    const { rows } = await tx.query<{ is_known: boolean }>('select private.refuse_notice_mails($1, $2) as is_known', [
      profile,
      topics,
    ]);
    return rows[0]?.is_known === true;
  });
}
