import { hourOf } from '@parrain/domain/date';

import type { Transaction } from '#platform/database';
import { readSender } from '#platform/mail-layout';
import type { Sender } from '#platform/mail-layout';
import { secondsUntilMail } from '#platform/mail-limit';
import type { Services } from '#platform/services';

import { noticeMail, noticesMail } from '../mails/notice.ts';
import { takeNotices } from './read-notices.ts';
import type { DueNotice } from './read-notices.ts';
import { noticeRefusal } from './refusal-link.ts';

const TASK = 'mail_notices';
const MORNING_TASK = 'mail_morning';
const BATCH = 500;
/** Delay that gathers what is decided in one go, such as twenty payments, into one mail for each person. */
const GATHER_MS = 300;
/**
 * Mails of notices that one person gets in an hour. What comes beyond is told together in the next that may leave, minutes later
 * and not in the morning: its reader asked for « tout de suite ».
 */
const PER_PERSON = { capacity: 20, perSeconds: 3600 } as const;
/** « Chaque matin »: at half past, by the clock of France. */
const MORNING_HOUR = 7;

/** Mails what people are told of: soon after an act of this process, and each minute whatever is left. */
export type NoticeMailer = {
  readonly wake: () => void;
  /** Ends once what is under way is done. */
  readonly stop: () => Promise<void>;
};

export function defineNoticeMailer(services: Services): NoticeMailer {
  const { jobs, log, clock } = services;
  jobs.define(TASK, () => mailNotices(services, 'due'));
  jobs.schedule(TASK, '* * * * *', { maxAttempts: 1 });
  jobs.define(MORNING_TASK, async () => {
    if (hourOf(clock.now()) === MORNING_HOUR) await mailNotices(services, 'morning');
  });
  // The queue's hours are UTC: one of the two is the morning's, in summer or in winter.
  jobs.schedule(MORNING_TASK, '30 5,6 * * *', { maxAttempts: 3 });
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  return {
    wake() {
      timer ??= setTimeout(() => {
        timer = undefined;
        running = running
          .then(() => mailNotices(services, 'due'))
          .catch((error: unknown) => log.warn({ err: error }, 'Notices wait to be mailed'));
      }, GATHER_MS);
    },
    async stop() {
      clearTimeout(timer);
      await running;
    },
  };
}

/** Without a mail server nothing is mailed, and nothing is late once there is one: what waits is old news after a day. */
async function mailNotices(services: Services, state: 'due' | 'morning'): Promise<void> {
  if (!services.mail.isConfigured) return;
  let taken = 0;
  do {
    taken = await services.db.asService(TASK, (tx) => mailBatch(tx, services, state));
  } while (taken === BATCH);
}

/** Mails and outbox are one transaction: each notice is mailed once, by whichever node. */
async function mailBatch(tx: Transaction, services: Services, state: 'due' | 'morning'): Promise<number> {
  const taken = await takeNotices(tx, state, BATCH);
  if (taken.length === 0) return 0;
  const sender = await readSender(tx, services.publicUrl());
  const waiting = taken.filter(({ delivery, wasHeld }) => state === 'due' && delivery === 'each_morning' && !wasHeld);
  const over = taken.filter((notice) => isOver(notice, state) || !notice.isReachable);
  const done = new Set(over);
  const due = taken.filter((notice) => !waiting.includes(notice) && !done.has(notice));
  for (const [recipientId, notices] of Map.groupBy(due, ({ recipient }) => recipient.id)) {
    const wait = await secondsUntilNotices(tx, services, recipientId);
    if (wait > 0) {
      // Out of the way of other people's; a morning's mail too leaves as soon as it may.
      await tx.query(
        `update private.notice_mails set state = 'due', held_until = now() + $2 * interval '1 second' where notice_id = any ($1::uuid[])`,
        [notices.map(({ id }) => id), wait],
      );
      continue;
    }
    await services.mail.enqueue(tx, mailOf(sender, services, notices));
    for (const notice of notices) done.add(notice);
  }
  await tx.query(`update private.notice_mails set state = 'morning' where notice_id = any ($1::uuid[])`, [
    waiting.map(({ id }) => id),
  ]);
  await tx.query('delete from private.notice_mails where notice_id = any ($1::uuid[])', [
    [...done].map(({ id }) => id),
  ]);
  return taken.length;
}

/** Refused, or read on screen before the morning came. */
function isOver({ delivery, isRead }: DueNotice, state: 'due' | 'morning'): boolean {
  return delivery === 'never' || (state === 'morning' && isRead);
}

function mailOf(sender: Sender, services: Services, notices: readonly DueNotice[]) {
  const [first] = notices;
  if (first === undefined) throw new Error('There is nothing to mail');
  const refusal = noticeRefusal(services, first.recipient.id, [...new Set(notices.map(({ topic }) => topic))]);
  return notices.length === 1
    ? noticeMail(sender, first.recipient, first, refusal)
    : noticesMail(sender, first.recipient, notices, refusal);
}

async function secondsUntilNotices(tx: Transaction, services: Services, recipientId: string): Promise<number> {
  const { rows } = await tx.query<{ wait: number }>('select private.take_token($1, $2, $3)::float8 as wait', [
    `notice-mails:${recipientId}`,
    PER_PERSON.capacity,
    PER_PERSON.perSeconds,
  ]);
  const wait = rows[0]?.wait ?? 0;
  if (wait > 0) return Math.ceil(wait);
  const { mailsPerHour } = services.config;
  const seconds = await secondsUntilMail(tx, { mailsPerHour, network: null });
  if (seconds > 0) services.log.warn({ perHour: mailsPerHour }, 'The mails of the hour are used up');
  return seconds;
}
