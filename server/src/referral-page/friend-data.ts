import { callAnswerOf } from '@parrain/domain/call-answer';
import type { ContactChannel } from '@parrain/domain/call-consent';
import { shortName } from '@parrain/domain/short-name';

import { markOf, requestOfTicket, scopeOfLink } from '../functions/index.ts';
import type { Services } from '../platform/services.ts';
import { COMPANY_COLUMNS, companyOf } from './company.ts';
import type { CompanyRow } from './company.ts';
import type { FriendData } from './own-data-page.ts';

/** The token of a mailed link: it stands in the query, which logs leave out. */
export function tokenOf(query: unknown): string {
  const { token } = query as { token?: unknown };
  return typeof token === 'string' ? token : '';
}

type FriendDataRow = CompanyRow & {
  readonly referrer: string | null;
  readonly adviser: string | null;
  readonly isRecent: boolean;
  readonly name: string;
  readonly email: string | null;
  readonly phone: string | null;
  readonly message: string | null;
  readonly since: Date;
  readonly writtenAt: Date | null;
  readonly state: FriendData['state'];
  readonly answers: readonly {
    is_given: boolean;
    channel: ContactChannel | null;
    statement: string;
    version: string;
    said_at: string;
  }[];
};

/** Reads the data kept of the friend of a mailed link; null of a link that is not ours, or of somebody who was forgotten. */
export async function readFriendData(services: Services, token: string): Promise<FriendData | null> {
  const scope = scopeOfLink(services, token);
  if (scope === null) return null;
  const friend = await readFriend(services, scope.saleId);
  if (friend === null) return null;
  const isProven =
    friend.email !== null && scope.proves?.equals(markOf(services, { email: friend.email, phone: null })) === true;
  return { ...friend, proves: scope.proves, isProven };
}

/** Of whom a request by the public page is, for whoever sent it; null once the referral has another address or telephone. */
export async function readSentRequest(services: Services, ticket: string): Promise<KeptFriend | null> {
  const request = requestOfTicket(services, ticket);
  if (request === null) return null;
  const friend = await readFriend(services, request.saleId);
  return friend !== null && request.mark.equals(markOf(services, friend)) ? friend : null;
}

type KeptFriend = Omit<FriendData, 'proves' | 'isProven'> & {
  /** « Corentin P. », who answers; null where nobody is named. */
  readonly adviser: string | null;
  /** Within the hour. */
  readonly isRecent: boolean;
};

/** Reads the data kept of the friend of a referral, their answers the latest first; null of somebody who was forgotten. */
async function readFriend(services: Services, saleId: string): Promise<KeptFriend | null> {
  const { rows } = await services.db.queryAsService<FriendDataRow>(
    'a page of a friend’s own',
    {
      text: `select ${COMPANY_COLUMNS}, p.full_name as referrer, m.full_name as adviser,
          s.referred_contact_name as name, s.referred_contact_email as email, s.referred_contact_phone as phone,
          s.personal_message as message, s.created_at as since, s.created_at > private.now() - interval '1 hour' as "isRecent",
          (select m.written_at from public.friend_messages m where m.sale_id = s.id) as "writtenAt",
          case when s.ready_for_validation then 'contract' when s.status = 'rejected' then 'over' else 'open' end as state,
          (select coalesce(json_agg(json_build_object('is_given', a.is_given, 'channel', a.channel, 'statement', a.statement, 'version', a.version,
              'said_at', a.said_at) order by a.said_at desc, a.id), '[]')
            from public.call_consents a where a.sale_id = s.id) as answers
        from public.company_settings c, public.sales s
        left join public.profiles p on p.id = coalesce(s.friend_referrer_id, s.client_referrer_id)
        left join public.profiles m on m.id = s.commercial_id
        where c.id = 1 and s.id = $1 and num_nonnulls(s.referred_contact_email, s.referred_contact_phone) > 0`,
      values: [saleId],
    },
    { readOnly: true },
  );
  const [row] = rows;
  if (row === undefined) return null;
  return {
    saleId,
    company: companyOf(row),
    referrer: shortName(row.referrer ?? ''),
    adviser: row.adviser === null ? null : shortName(row.adviser),
    name: row.name,
    email: row.email,
    phone: row.phone,
    message: row.message,
    since: row.since.toISOString(),
    isRecent: row.isRecent,
    writtenAt: row.writtenAt?.toISOString() ?? null,
    state: row.state,
    answers: row.answers.map((answer) => ({
      isGiven: answer.is_given,
      answer: callAnswerOf(answer.is_given, answer.channel),
      statement: answer.statement,
      version: answer.version,
      saidAt: answer.said_at,
    })),
  };
}
