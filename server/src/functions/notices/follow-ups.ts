import { hourOf } from '@parrain/domain/date';

import type { Services } from '#platform/services';

import type { NoticeMailer } from './mailer.ts';

const TASK = 'follow_ups';
const BATCH = 500;
/** By the clock of France: before the mails of « chaque matin », and never in the night of those who are told at once. */
const FIRST_HOUR = 7;

/** TM-05: each morning the reminders of referrals that nobody contacted, and of those to be called back that day. */
export function defineFollowUps({ jobs, db, clock }: Services, mailer: Pick<NoticeMailer, 'wake'>): void {
  jobs.define(TASK, async () => {
    if (hourOf(clock.now()) < FIRST_HOUR) return;
    let toldCount = 0;
    do {
      const { rows } = await db.asService(TASK, (tx) =>
        tx.query<{ told: number }>('select private.tell_follow_ups($1) as told', [BATCH]),
      );
      toldCount = rows[0]?.told ?? 0;
      if (toldCount > 0) mailer.wake();
    } while (toldCount > 0);
  });
  // The queue's hours are UTC: the first is the morning's in summer, the second in winter. What was told is not told again.
  jobs.schedule(TASK, '0 5,6 * * *', { maxAttempts: 3, catchUpHours: 12 });
}
