import type { Services } from '#platform/services';

import type { NoticeMailer } from './notices/mailer.ts';

const TASK = 'forget_contacts';
/** Contacts forgotten in one transaction. */
const BATCH = 200;

/** CS-04: each night contacts whose day has come are forgotten, then those whose turn comes in thirty days announced to the admins. */
export function defineForgetContacts({ jobs, db }: Services, mailer: Pick<NoticeMailer, 'wake'>): void {
  jobs.define(
    TASK,
    async () => {
      let forgotten = 0;
      do {
        const { rows } = await db.asService('functions: forget contacts', (tx) =>
          tx.query<{ forgotten: number }>('select private.erase_announced($1) as forgotten', [BATCH]),
        );
        forgotten = rows[0]?.forgotten ?? 0;
      } while (forgotten === BATCH);
      const { rows } = await db.asService('functions: announce who is forgotten', (tx) =>
        tx.query<{ announced: number }>('select private.announce_erasures() as announced'),
      );
      if ((rows[0]?.announced ?? 0) > 0) mailer.wake();
    },
    { isLong: true },
  );
  // After midnight in France, winter and summer: the day of a list is over or begun for everybody.
  jobs.schedule(TASK, '52 2 * * *', { maxAttempts: 3, catchUpHours: 20 });
}
