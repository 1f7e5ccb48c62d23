import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

import {
  aClient,
  aCommercial,
  anAdmin,
  aScale,
  aValidatedSale,
  asSeen,
  createTestDatabase,
  only,
  brokenInvariants,
} from '../src/testing.ts';
import type { Person, TestDatabase } from '../src/testing.ts';
import { outcome, race } from './world.ts';

let db: TestDatabase;
let admin: Person;
let other: Person;
let scale: { readonly id: string };
let commercial: Person;
beforeAll(async () => {
  db = await createTestDatabase();
  [admin, other] = [await anAdmin(db), await anAdmin(db)];
  scale = await aScale(db, { isDefault: true, commercialType: 'fixed', commercialAmount: '100.00' });
});
beforeEach(async () => {
  commercial = await aCommercial(db);
});
afterAll(async () => {
  expect(await brokenInvariants(db.asOwner)).toEqual([]);
  await db.drop();
});

/** A validated contract, whose commission is posted now: this month. */
const aContract = async () => {
  const client = await aClient(db, { commercial });
  return aValidatedSale(db, { commercial, friendReferrer: client, scale, admin });
};
/** « 2026-12-01 », so many months after this one. */
const monthOf = async (later: number): Promise<string> =>
  only(
    await db.asOwner<{ month: string }>(
      'select (private.month_of(now()) + make_interval(months => $1))::date::text as month',
      [later],
    ),
  ).month;
type Line = { readonly payee: Person; readonly amount: string };
/** Pays a month on the second day after it, or when it is said. */
const pay = async (later: number, lines: readonly Line[], who = admin, at = '1 month 1 day') => {
  const month = await monthOf(later);
  return db.become(who, async (run) => {
    await run(`select set_config('app.at', (($1::date + $2::interval) at time zone 'Europe/Paris')::text, true)`, [
      month,
      at,
    ]);
    return run<{ paid: number; already: number }>('select paid, already from private.pay_periods($1, $2::jsonb)', [
      month,
      JSON.stringify(lines.map(({ payee, amount }) => ({ payee_id: payee.id, amount }))),
    ]);
  });
};
const ofCommercial = (amount: string): readonly Line[] => [{ payee: commercial, amount }];
/** The commercial's months as they see them so many months later. */
const seen = async (later: number) => {
  const month = await monthOf(later);
  return db.become(commercial, async (run) => {
    await run(`select set_config('app.at', (($1::date + interval '1 day') at time zone 'Europe/Paris')::text, true)`, [
      month,
    ]);
    return run('select carried, moved, due, status from public.commission_periods order by month');
  });
};
const adjust = async (amount: string) => {
  const { id } = only(
    await db.become(commercial, (run) =>
      run<{ id: string }>(
        `select (private.open_dispute(e.id, 'Pourquoi ?')).id from public.ledger_entries e
         where e.act = 'validation' and not exists (select from public.disputes d where d.entry_id = e.id) limit 1`,
      ),
    ),
  );
  await db.become(admin, (run) => run(`select private.close_dispute($1, 'Erreur', 1, $2)`, [id, amount]));
};

describe('a month of a commercial', () => {
  test('[PO-05] is what the ledger made available in it, paid once by one transfer, whoever says so again', async () => {
    await aContract();
    await aContract();
    expect(await seen(1)).toEqual([
      { carried: '0.00', moved: '200.00', due: '200.00', status: 'due' },
      { carried: '200.00', moved: '0.00', due: '200.00', status: 'open' },
    ]);
    expect(await pay(0, ofCommercial('200.00'))).toEqual([{ paid: 1, already: 0 }]);
    expect(await pay(0, ofCommercial('200.00'), other)).toEqual([{ paid: 0, already: 1 }]);
    expect(await outcome(pay(0, ofCommercial('199.99')))).toBe('period_already_paid');
    expect(await seen(1)).toEqual([
      { carried: '0.00', moved: '200.00', due: '200.00', status: 'paid' },
      { carried: '0.00', moved: '0.00', due: '0.00', status: 'open' },
    ]);
    expect(
      await db.asOwner(
        `select debit, credit, amount, detail, actor_id from public.ledger_entries where payee_id = $1 and act = 'payroll'`,
        [commercial.id],
      ),
    ).toEqual([{ debit: 'available', credit: 'paid', amount: '200.00', detail: 'paie', actor_id: admin.id }]);
    expect(
      await db.asOwner(
        `select after ->> 'amount' as amount from public.audit_entries where entity = 'paid_periods' and after ->> 'payee_id' = $1`,
        [commercial.id],
      ),
    ).toEqual([{ amount: '200.00' }]);
  });

  test('[PO-05] once paid stands in the history of payments, for its commercial and the admin', async () => {
    await aContract();
    await pay(0, ofCommercial('100.00'));
    const history = (who: Person) =>
      db.become(who, (run) =>
        run('select act, method, amount, month::text from public.payments_made where payee_id = $1', [commercial.id]),
      );
    const line = { act: 'payroll', method: 'paie', amount: '100.00', month: await monthOf(0) };
    expect(await history(admin)).toEqual([line]);
    expect(await history(commercial)).toEqual([line]);
    expect(await history(await aCommercial(db))).toEqual([]);
  });

  test('[PO-05] is paid once by however many at the same instant', async () => {
    await aContract();
    const attempts = Array.from(
      { length: 8 },
      (_, n) => () => pay(0, ofCommercial('100.00'), n % 2 === 0 ? admin : other),
    );
    expect(await race(attempts)).toEqual({ ok: 8 });
    expect(await db.asOwner('select amount from public.paid_periods where payee_id = $1', [commercial.id])).toEqual([
      { amount: '100.00' },
    ]);
    expect(await db.asOwner('select paid from public.balances where profile_id = $1', [commercial.id])).toEqual([
      { paid: '100.00' },
    ]);
  });

  test('[PO-05] that is not paid is carried on, and paid with the next one; then it is paid no more', async () => {
    await aContract();
    expect(await pay(1, ofCommercial('100.00'))).toEqual([{ paid: 1, already: 0 }]);
    expect(await outcome(pay(0, ofCommercial('100.00'), admin, '3 months'))).toBe('period_already_paid');
    expect((await seen(2)).map((row) => row['status'])).toEqual(['carried', 'paid', 'open']);
  });

  test('[PO-05] that leaves nothing, or a debt, is carried on; the debt is taken from the next one', async () => {
    await aContract();
    await pay(0, ofCommercial('100.00'));
    expect(await outcome(pay(1, ofCommercial('0')))).toBe('period_carried_on');
    // After the month was paid, an adjustment takes a part back: a debt, until another contract.
    await adjust('-30.00');
    expect(await seen(2)).toMatchObject([{ status: 'paid', due: '100.00' }, { status: 'carried' }, { due: '-30.00' }]);
    expect(await outcome(pay(1, ofCommercial('-30.00')))).toBe('period_carried_on');
    await aContract();
    expect(await pay(1, ofCommercial('70.00'))).toEqual([{ paid: 1, already: 0 }]);
  });

  test('[PO-05] is refused as long as it lasts, and an hour longer', async () => {
    await aContract();
    for (const at of ['10 days', '1 month', '1 month 59 minutes'])
      expect([at, await outcome(pay(0, ofCommercial('100.00'), admin, at))]).toEqual([at, 'period_not_over']);
    expect(await outcome(pay(0, ofCommercial('100.00'), admin, '1 month 1 hour'))).toBe('ok');
  });

  test('[PO-05] of several is paid to all of them or to none, with what was seen of each', async () => {
    await aContract();
    const first = commercial;
    commercial = await aCommercial(db);
    await aContract();
    const both = (amount: string): readonly Line[] => [
      { payee: first, amount: '100.00' },
      { payee: commercial, amount },
    ];
    expect(await outcome(pay(0, both('100.01')))).toBe('period_changed');
    expect(await db.asOwner('select from public.paid_periods where payee_id = $1', [first.id])).toEqual([]);
    expect(await pay(0, both('100.00'))).toEqual([{ paid: 2, already: 0 }]);
    const client = await aClient(db, { commercial });
    expect(await outcome(pay(0, [{ payee: client, amount: '1.00' }]))).toBe('commercial_not_found');
  });

  test('[PO-05] is marked by admins alone, and seen by its commercial alone', async () => {
    await aContract();
    expect(await outcome(pay(0, ofCommercial('100.00'), commercial))).toBe('forbidden');
    const stranger = await aCommercial(db);
    expect(await db.become(stranger, (run) => run('select from public.commission_periods'))).toEqual([]);
    const direct = `insert into public.paid_periods (payee_id, month, amount, paid_by, is_test) values ($1, '2020-01-01', 1, $1, false)`;
    expect(await outcome(db.become(admin, (run) => run(direct, [admin.id])))).toBe('42501');
    await pay(0, ofCommercial('100.00'));
    for (const change of ['update public.paid_periods set amount = 1', 'delete from public.paid_periods'])
      expect(await outcome(db.asOwner(`${change} where payee_id = $1`, [commercial.id]))).toBe('forbidden');
  });
});

test('[LG-01, PO-05] a correction that waits while a month is paid stands after the payment in the ledger, and counts in the next month', async () => {
  const sale = await aContract();
  const untilWaiting = async (sessions: number): Promise<void> => {
    await expect
      .poll(async () => {
        const waiting = await db.asOwner(
          `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        );
        return waiting.length;
      })
      .toBe(sessions);
  };
  const acts: Promise<unknown>[] = [];
  // While the account is held, its month is paid, then its contract corrected: both wait, in this order.
  await db.become('parrain_service', async (run) => {
    await run('select from public.balances where profile_id = $1 for update', [commercial.id]);
    acts.push(pay(0, ofCommercial('100.00')));
    await untilWaiting(1);
    acts.push(db.become(other, (take) => take(asSeen.cancel, [sale.id, 'Erreur'])));
    await untilWaiting(2);
  });
  await Promise.all(acts);
  expect(
    await db.asOwner('select act from public.ledger_entries where payee_id = $1 order by id', [commercial.id]),
  ).toEqual([{ act: 'validation' }, { act: 'payroll' }, { act: 'correction' }]);
  expect((await brokenInvariants(db.asOwner)).map(({ invariant }) => invariant.id)).toEqual([]);
});

test('[PO-05] the months of all commercials add up to the ledger', async () => {
  const sums = await db.become(admin, (run) =>
    run(
      `select (select sum(moved) from public.commission_periods) as periods,
        (select sum(case when e.credit = 'available' then e.amount else -e.amount end) from public.ledger_entries e
         join public.profiles p on p.id = e.payee_id and p.role = 'commercial'
         where e.act <> 'payroll' and 'available' in (e.debit, e.credit)) as ledger`,
    ),
  );
  expect(only(sums)['periods']).toBe(only(sums)['ledger']);
});

test('[PO-05, S-11] the dashboard counts it paid and no longer waiting; a debt of a commercial is none of clients', async () => {
  const figures = async () =>
    only(
      await db.become(admin, (run) =>
        run(
          'select pending_commissions as pending, payments_made as paid, commissions_due as due from public.admin_figures()',
        ),
      ),
    );
  await aContract();
  const before = await figures();
  await pay(0, ofCommercial('100.00'));
  const after = await figures();
  const cents = (text: unknown) => BigInt(String(text).replace('.', ''));
  expect([cents(before['pending']) - cents(after['pending']), cents(after['paid']) - cents(before['paid'])]).toEqual([
    10_000n,
    10_000n,
  ]);
  await adjust('-40.00');
  expect((await figures())['due']).toBe(before['due']);
});

test('[PO-05] a cleaning of test data takes paid months with their transfers', async () => {
  commercial = await aCommercial(db, { isTest: true });
  const friendReferrer = await aClient(db, { commercial, isTest: true });
  await aValidatedSale(db, { commercial, friendReferrer, scale, admin, isTest: true });
  await pay(0, ofCommercial('100.00'));
  const months = () => db.asOwner('select from public.paid_periods where is_test');
  expect(await months()).toHaveLength(1);
  await db.asOwner(
    `begin; select set_config('app.cleaning', 'on', true); delete from public.ledger_entries where act = 'payroll' and is_test;
     update public.balances set paid = 0 where profile_id = '${commercial.id}'; commit`,
  );
  expect(await months()).toEqual([]);
});

test.each([0, 1, 2, 13])(
  '[PO-05] what is to be paid %i months later is what that month says, of each commercial',
  async (later) => {
    if (later === 0) await aContract();
    const month = await monthOf(later);
    const { listed, said } = only(
      await db.become(admin, async (run) => {
        await run(
          `select set_config('app.at', (($1::date + interval '1 day') at time zone 'Europe/Paris')::text, true)`,
          [month],
        );
        return run(
          `select (select jsonb_agg(jsonb_build_array(m.payee_id, m.month, m.due, m.is_in_batch) order by m.payee_id)
             from public.months_to_pay m) as listed,
           (select jsonb_agg(jsonb_build_array(p.payee_id, p.month, p.due, p.status = 'in_batch') order by p.payee_id)
             from public.commission_periods p
             where p.month = ($1::date - interval '1 month')::date and p.status in ('due', 'in_batch')) as said`,
          [month],
        );
      }),
    );
    expect(listed).toEqual(said);
    if (later > 0) expect(listed).not.toBeNull();
  },
);
