import { failureOf } from '#platform/errors';
import type { Services } from '#platform/services';

interface Try {
  /** The client who referred, or the personal link that did. */
  readonly by: { readonly clientId: string } | { readonly link: string };
  readonly email: string | null;
  readonly phone: string | null;
}

/**
 * CS-02: refers a friend; a refusal because another referred them first is kept for the admin. It is a transaction of its own, for the
 * refusal takes back the one it was made in.
 */
export async function keepingRefusals<Result>(
  { db }: Pick<Services, 'db'>,
  { by, email, phone }: Try,
  refer: () => Promise<Result>,
): Promise<Result> {
  try {
    return await refer();
  } catch (error) {
    if (failureOf(error).code === 'friend_referred_before') {
      const [client, of] =
        'clientId' in by
          ? ['$1', by.clientId]
          : ['(select l.client_id from private.personal_links l where l.token = $1)', by.link];
      await db.asService('a referral is refused to a second referrer', (tx) =>
        tx.query(`select private.record_refused_referral(${client}, $2, $3)`, [of, email, phone]),
      );
    }
    throw error;
  }
}
