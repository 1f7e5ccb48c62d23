import { severalOnPhone, wordsOnPhone } from '@parrain/domain/notice-on-phone';
import type { NoticeTopic } from '@parrain/domain/notice';
import { noticePlace, placePath } from '@parrain/domain/notice-place';
import { dashboardPathFor } from '@parrain/domain/role';

import { defineLeasedSender, writtenDown } from '#platform/leased-sender';
import type { LeasedSender } from '#platform/leased-sender';
import type { Services } from '#platform/services';

import { post } from '../webhooks/post.ts';
import type { PostOutcome } from '../webhooks/post.ts';
import { readPushKey } from './push-key.ts';
import { PUSH_LIFE_S, pushRequest } from './push-message.ts';
import type { PushPayload, Subscription } from './push-message.ts';
import { NOTICE_FACTS, NOTICE_JOINS, toldNotice, undoableKinds } from './read-notices.ts';
import type { NoticeRow, ToldNotice } from './read-notices.ts';

const TASK = 'send_pushes';
const TIMEOUT_MS = 10_000;
const MOST = 200;
/** Number of notices from which those told in one go become one message: a phone is not made to ring ten times. */
const TOGETHER_FROM = 4;
/** Between tries, in seconds; then every hour, until the notice is old news. */
const DELAYS_S = [30, 120, 600, 1800] as const;
const DELAY_MAX_S = 3600;

type Row = NoticeRow &
  Subscription & {
    readonly session_id: string;
    readonly attempts: number;
    readonly age_s: number;
    readonly phone_topics: readonly NoticeTopic[];
    /** A session that another took the place of is kept for a day. */
    readonly is_session_over: boolean;
  };

/** Notices that one browser is sent at once. */
type Claim = {
  readonly sessionId: string;
  readonly subscription: Subscription;
  readonly notices: readonly (ToldNotice & { readonly ageS: number })[];
  readonly attempts: number;
};

/** UI-16: notices to phones, soon after the act. What a node had when it died is sent again, and shows once by its tag. */
export function definePusher(services: Services): LeasedSender {
  const { db, config, log } = services;

  async function deliver(claim: Claim, stopping: AbortSignal): Promise<number | null> {
    const { subscription, notices } = claim;
    const ttl = Math.max(0, PUSH_LIFE_S - Math.max(...notices.map(({ ageS }) => Math.floor(ageS))));
    const request = await pushRequest(services, await readPushKey(services), subscription, payloadOf(notices), ttl);
    let outcome: PostOutcome;
    try {
      outcome = await post(subscription.endpoint, request, {
        isPrivateAllowed: config.isOfThisMachine,
        timeoutMs: TIMEOUT_MS,
        signal: stopping,
      });
    } catch (error) {
      if (!stopping.aborted) throw error;
      await tryLater(services, claim, 0, -1);
      return null;
    }
    return writtenDown(services, () => settle(claim, outcome), stopping);
  }

  async function settle(claim: Claim, { status, error, retryAfter }: PostOutcome): Promise<number | null> {
    if (status === 404 || status === 410 || error === 'private_address' || error === 'not_https') {
      await db.queryAsService(TASK, {
        text: 'delete from private.push_subscriptions where session_id = $1 and endpoint = $2',
        values: [claim.sessionId, claim.subscription.endpoint],
      });
      return null;
    }
    if (status === null || status === 429 || status >= 500) {
      const delay = Math.min(Math.max(retryAfter ?? 0, DELAYS_S[claim.attempts - 1] ?? DELAY_MAX_S), DELAY_MAX_S);
      await tryLater(services, claim, delay, 0);
      return delay;
    }
    if (status >= 300) {
      // The address itself is the browser's own: its host alone is written down.
      log.warn({ status, service: new URL(claim.subscription.endpoint).host }, 'A push service refused a message');
    }
    await db.queryAsService(TASK, {
      text: 'delete from private.push_messages where session_id = $1 and notice_id = any ($2::uuid[])',
      values: [claim.sessionId, idsOf(claim)],
    });
    return null;
  }

  return defineLeasedSender(services, { task: TASK, what: 'Pushes', claim: () => claimDue(services), deliver });
}

/** Leases what is due, and deletes what is not wanted on a phone, read on screen before, or old news. */
async function claimDue({ db }: Services): Promise<readonly Claim[]> {
  const { rows: due } = await db.queryAsService(
    TASK,
    { text: 'select from private.push_messages where run_at <= now() and leased_until < now() limit 1' },
    { readOnly: true },
  );
  if (due.length === 0) return [];
  return db.asService(TASK, async (tx) => {
    const { rows } = await tx.query<Row>(
      `select ${NOTICE_FACTS}, m.session_id, m.attempts + 1 as attempts, d.endpoint, d.p256dh, d.auth,
         extract(epoch from now() - n.created_at)::float8 as age_s,
         array(select c.topic from public.notice_preferences c where c.profile_id = p.id and c.on_phone) as phone_topics,
         coalesce(z.not_after <= now(), false) as is_session_over
       from private.push_messages m ${NOTICE_JOINS}
       join private.push_subscriptions d on d.session_id = m.session_id and d.profile_id = p.id
       join auth.sessions z on z.id = m.session_id
       where m.run_at <= now() and m.leased_until < now()
         and (n.kind <> all ($2) or n.created_at < now() - private.undo_window() - interval '10 seconds')
       order by m.run_at, n.created_at, n.id
       limit $1
       for update of m skip locked`,
      [MOST, undoableKinds],
    );
    const told = rows.map((row) => ({ row, notice: { ...toldNotice(row), ageS: row.age_s } }));
    const wanted = told.filter(
      ({ row, notice }) =>
        row.phone_topics.includes(notice.topic) && !row.is_session_over && !notice.isRead && notice.ageS < PUSH_LIFE_S,
    );
    const change = (text: string, some: typeof told) =>
      tx.query(`${text} (notice_id, session_id) in (select * from unnest($1::uuid[], $2::uuid[]))`, [
        some.map(({ notice }) => notice.id),
        some.map(({ row }) => row.session_id),
      ]);
    const kept = new Set(wanted);
    await change(
      'delete from private.push_messages where',
      told.filter((one) => !kept.has(one)),
    );
    await change(
      `update private.push_messages set leased_until = now() + interval '1 minute', attempts = attempts + 1 where`,
      wanted,
    );
    return [...Map.groupBy(wanted, ({ row }) => row.session_id)].flatMap(([sessionId, ofDevice]) =>
      claimsOf(sessionId, ofDevice),
    );
  });
}

type Told = { readonly row: Row; readonly notice: Claim['notices'][number] };

function claimsOf(sessionId: string, told: readonly Told[]): readonly Claim[] {
  const parts = told.length < TOGETHER_FROM ? told.map((one) => [one]) : [told];
  return parts.flatMap((part) => {
    const [first] = part;
    if (first === undefined) return [];
    const { endpoint, p256dh, auth } = first.row;
    return {
      sessionId,
      subscription: { endpoint, p256dh, auth },
      notices: part.map(({ notice }) => notice),
      attempts: Math.max(...part.map(({ row }) => row.attempts)),
    };
  });
}

async function tryLater({ db }: Services, claim: Claim, delayS: number, counted: number): Promise<void> {
  await db.queryAsService(TASK, {
    text: `update private.push_messages set leased_until = '-infinity', run_at = now() + $3 * interval '1 second',
        attempts = attempts + $4 where session_id = $1 and notice_id = any ($2::uuid[])`,
    values: [claim.sessionId, idsOf(claim), delayS, counted],
  });
}

const idsOf = ({ notices }: Claim): string[] => notices.map(({ id }) => id);

function payloadOf(notices: Claim['notices']): PushPayload {
  const [first] = notices;
  if (first === undefined) throw new Error('There is nothing to send');
  const { title, text } = notices.length === 1 ? wordsOnPhone(first) : severalOnPhone(notices);
  const url = notices.length === 1 ? placePath(first.role, noticePlace(first)) : dashboardPathFor(first.role);
  return { title, body: text, url, tag: first.id };
}
