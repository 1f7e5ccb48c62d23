import { afterAll, beforeAll, expect, test } from 'vitest';

import { aCommercial, anAdmin, createTestDatabase, only } from '../src/testing.ts';
import type { Person, TestDatabase } from '../src/testing.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

type Summary = {
  last_activity_at: Date | null;
  waiting: string;
  waiting_since: Date | null;
  is_late: boolean;
  first_call_days: number | null;
};
const columns = 'last_activity_at, waiting, waiting_since, is_late, first_call_days';
const summaryOf = async (who: Person, id: string) =>
  only(
    await db.become(who, (run) =>
      run<Summary>(`select ${columns} from public.commercial_summaries where id = $1`, [id]),
    ),
  );
async function sleeper() {
  const [admin, commercial] = [await anAdmin(db), await aCommercial(db)];
  const referral = async (age: string, more = {}) => aReferral(commercial.id, age, more);
  return { admin, commercial, referral };
}
const aReferral = async (commercialId: string, age: string, { contactedAfter = null as string | null } = {}) =>
  only(
    await db.asOwner<{ id: string }>(
      `insert into public.sales (referred_contact_name, commercial_id, created_at, status, contacted_at)
       values ('Ami', $1, now() - $2::interval, case when $3::interval is null then 'pending' else 'contacted' end,
         now() - $2::interval + $3::interval) returning id`,
      [commercialId, age, contactedAfter],
    ),
  ).id;
const setCompany = (followUp: number | null, answer: number | null) =>
  db.asOwner('update public.company_settings set follow_up_days = $1, follow_up_admin_days = null, answer_days = $2', [
    followUp,
    answer,
  ]);

test('[UI-09] the last activity of a commercial is the last thing they did or their last sign-in, never what somebody did to them', async () => {
  const { admin, commercial } = await sleeper();
  expect((await summaryOf(admin, commercial.id)).last_activity_at).toBeNull();
  await db.asOwner(
    `insert into auth.audit_entries (user_id, action, at) values ($1, 'login', now() - interval '3 days'), ($1, 'user_recovery_requested', now())`,
    [commercial.id],
  );
  const signedIn = (await summaryOf(admin, commercial.id)).last_activity_at;
  expect(Date.now() - Number(signedIn)).toBeGreaterThan(2.9 * 86_400_000);
  await db.become(commercial, (run) =>
    run(`update public.profiles set phone = '0611223344' where id = $1`, [commercial.id]),
  );
  const acted = (await summaryOf(admin, commercial.id)).last_activity_at;
  expect(Date.now() - Number(acted)).toBeLessThan(60_000);
  // Their own summary, and what their clients may read of them, say nothing of it.
  expect((await summaryOf(commercial, commercial.id)).last_activity_at).toBeNull();
});

test('[UI-09] what waits for a first call is counted since the oldest that is not put off; late is what the company’s days say', async () => {
  const { admin, commercial, referral } = await sleeper();
  await setCompany(null, null);
  expect(await summaryOf(admin, commercial.id)).toMatchObject({ waiting: '0', waiting_since: null, is_late: false });
  const oldest = await referral('9 days');
  await referral('4 days');
  await referral('2 days', { contactedAfter: '1 hour' });
  const ageOf = async () =>
    Math.round((Date.now() - Number((await summaryOf(admin, commercial.id)).waiting_since)) / 86_400_000);
  expect(await ageOf()).toBe(9);
  // A company that says no number of days calls nobody late.
  expect(await summaryOf(admin, commercial.id)).toMatchObject({ waiting: '2', is_late: false });
  await setCompany(9, null);
  expect((await summaryOf(admin, commercial.id)).is_late).toBe(true);
  await setCompany(10, null);
  expect((await summaryOf(admin, commercial.id)).is_late).toBe(false);
  await setCompany(5, null);
  // A later day to call back answers for today (UI-06).
  await db.asOwner(`insert into public.follow_ups (sale_id, call_back_on) values ($1, private.today() + 3)`, [oldest]);
  expect(await ageOf()).toBe(4);
  expect(await summaryOf(admin, commercial.id)).toMatchObject({ waiting: '2', is_late: false });
  await setCompany(null, null);
});

test.each([
  // A Friday's referral, an answer promised within two working days: Monday and Tuesday.
  ['2026-11-20 18:00', 2, '2026-11-24 23:59', false],
  ['2026-11-20 18:00', 2, '2026-11-25 00:00', true],
  ['2026-11-21 10:00', 1, '2026-11-23 23:59', false],
  ['2026-11-21 10:00', 1, '2026-11-24 00:00', true],
  ['2026-11-17 09:00', 10, '2026-12-01 23:59', false],
  ['2026-11-17 09:00', 10, '2026-12-02 00:00', true],
])('[UI-09] of %s, promised within %i working days, at %s: late %s', async (came, days, at, isLate) => {
  await setCompany(null, days);
  const { until } = only(
    await db.become(await anAdmin(db), async (run) => {
      await run(`select set_config('app.at', $1, true)`, [`${at} Europe/Paris`]);
      return run<{ until: boolean }>(`select $1::timestamptz <= private.first_call_was_due_until() as until`, [
        `${came} Europe/Paris`,
      ]);
    }),
  );
  expect(until).toBe(isLate);
  await setCompany(null, null);
});

test('[UI-09] the delay of a first call is the median of three months, unknown where nobody was called', async () => {
  const { admin, commercial, referral } = await sleeper();
  expect((await summaryOf(admin, commercial.id)).first_call_days).toBeNull();
  for (const contactedAfter of ['1 hour', '2 days 5 hours', '9 days']) await referral('20 days', { contactedAfter });
  await referral('20 days');
  await referral('4 months', { contactedAfter: '60 days' });
  expect((await summaryOf(admin, commercial.id)).first_call_days).toBe(2);
});
