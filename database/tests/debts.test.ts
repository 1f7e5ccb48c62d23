import { afterAll, beforeAll, expect, test } from 'vitest';

import {
  aClient,
  aCommercial,
  aScale,
  aValidatedSale,
  anAccountant,
  anAdmin,
  brokenInvariants,
  createTestDatabase,
  only,
} from '../src/testing.ts';
import type { Person, TestDatabase } from '../src/testing.ts';
import { outcome, race } from './world.ts';

// AC-05: what a payee owes is repaid or waived; an admin starts an adjustment (decision 0097).

let db: TestDatabase;
let admin: Person;
let other: Person;
let commercial: Person;
beforeAll(async () => {
  db = await createTestDatabase();
  [admin, other] = [await anAdmin(db), await anAdmin(db)];
  commercial = await aCommercial(db);
  await aScale(db, { isDefault: true });
});
afterAll(async () => {
  expect((await brokenInvariants(db.asOwner)).map(({ invariant }) => invariant.id)).toEqual([]);
  await db.drop();
});

/** A client whose whole account an admin took back after they had asked for it: they owe 100 € of the 123,46 €. */
async function aDebtor(details: { readonly isTest?: boolean } = {}): Promise<Person> {
  const client = await aClient(db, { commercial, ...details });
  await aValidatedSale(db, { commercial, friendReferrer: client, admin, ...details });
  const { id } = only(
    await db.become(client, (run) =>
      run<{ id: string }>(`select id from private.request_payment(123.46, 'remise_societe', '{}', null)`),
    ),
  );
  for (const status of ['approved', 'paid'])
    await db.become(admin, (run) =>
      run('select from private.decide_payment_request($1, $2, null, null, null, null)', [id, status]),
    );
  await start(admin, client, '-100', 'Contrat saisi deux fois.', '0');
  return client;
}
const start = (who: Person, payee: Person, amount: string, reason: string, seen: string) =>
  db.become(who, (run) =>
    run<{ id: string; version: number; already: boolean; closed: boolean }>(
      `select (s.dispute).id, (s.dispute).version, s.already, (s.dispute).closed_at is not null as closed
       from private.start_adjustment($1, $2, $3, $4) s`,
      [payee.id, amount, reason, seen],
    ),
  );
type Act = { readonly id: string; readonly already: boolean; readonly waits: boolean };
const repay = (
  who: Person,
  payee: Person,
  amount: string | null,
  seen: string | null,
  {
    on = null,
    method = 'virement',
    reference = 'VIR 12',
  }: { on?: string | null; method?: string; reference?: string } = {},
) =>
  db.become(who, (run) =>
    run<Act>(
      `select (s.act).id, s.already, (s.act).at is null as waits from private.settle_debt($1, 'repayment', $2, $3, $4, $5, $6) s`,
      [payee.id, amount, seen, on, method, reference],
    ),
  );
const waive = (who: Person, payee: Person, amount: string, seen: string, reason = 'Geste commercial.') =>
  db.become(who, (run) =>
    run<Act>(
      `select (s.act).id, s.already, (s.act).at is null as waits from private.settle_debt($1, 'waiver', $2, $3, p_reason => $4) s`,
      [payee.id, amount, seen, reason],
    ),
  );
const decide = (who: Person, id: string, confirms: boolean) =>
  db.become(who, (run) =>
    run<{ already: boolean }>('select already from private.decide_waiver($1, $2)', [id, confirms]),
  );
const annul = (who: Person, id: string, reason = 'Saisi sur le mauvais compte.') =>
  db.become(who, (run) =>
    run<{ already: boolean }>('select already from private.annul_debt_act($1, $2)', [id, reason]),
  );
const account = async (who: Person, payee: Person) =>
  only(
    await db.become(who, (run) =>
      run<Record<string, string>>(
        'select earned, reversed, adjusted, repaid, paid, available from public.payee_accounts where id = $1',
        [payee.id],
      ),
    ),
  );
const available = async (payee: Person) => (await account(admin, payee))['available'];
const lines = (who: Person, payee: Person) =>
  db.become(who, (run) =>
    run(
      `select act, debit, credit, change, reason, repayment_method as method from public.account_lines
       where payee_id = $1 and act ~ '^(repayment|waiver)' order by entry_id`,
      [payee.id],
    ),
  );
const told = async (who: Person, kind: string) =>
  (
    await db.asOwner<{ read: boolean }>(
      'select read_at is not null as read from public.notices where recipient_id = $1 and kind = $2',
      [who.id, kind],
    )
  ).map(({ read }) => read);
const withLimit = async (amount: string | null, work: () => Promise<void>) => {
  await db.asOwner('update public.company_settings set release_above = $1', [amount]);
  await work();
  await db.asOwner('update public.company_settings set release_above = null');
};

test('[AC-05, LG-01] a debt is repaid in parts, on the day of each: one transfer, its means and reference, told to its payee', async () => {
  const client = await aDebtor();
  expect(await available(client)).toBe('-100.00');
  expect(await repay(admin, client, '60', '100')).toMatchObject([{ already: false, waits: false }]);
  // The same press again is the same act.
  expect(await repay(admin, client, '60', '100')).toMatchObject([{ already: true }]);
  expect(await outcome(repay(admin, client, '59', '100'))).toBe('debt_changed');
  expect(await account(admin, client)).toEqual({
    earned: '123.46',
    reversed: '0.00',
    adjusted: '-100.00',
    repaid: '60.00',
    paid: '123.46',
    available: '-40.00',
  });
  await repay(admin, client, '40', '40', { method: 'especes', reference: ' ' });
  expect(await available(client)).toBe('0.00');
  const line = { act: 'repayment', debit: 'repaid', credit: 'available' };
  const seen = [
    { ...line, change: '60.00', reason: 'VIR 12', method: 'virement' },
    { ...line, change: '40.00', reason: null, method: 'especes' },
  ];
  expect([await lines(client, client), await lines(admin, client)]).toEqual([seen, seen]);
  expect(await told(client, 'debt_repaid')).toEqual([false, false]);
  expect(
    only(
      await db.become(client, (run) =>
        run(
          'select available::numeric(14,2), debt::numeric(14,2), adjusted::numeric(14,2), repaid::numeric(14,2) from public.client_figures()',
        ),
      ),
    ),
  ).toEqual({ available: '0.00', debt: '0.00', adjusted: '-100.00', repaid: '100.00' });
  const earned = `select earned from public.client_summaries where id = $1`;
  expect(await db.become(admin, (run) => run(earned, [client.id]))).toEqual([{ earned: '23.46' }]);
});

test('[AC-05] neither more than the debt, nor nothing, nor another debt than the one that was seen; by an admin alone', async () => {
  const client = await aDebtor();
  for (const [amount, seen] of [
    ['100.01', '100'],
    ['0', '100'],
    ['-5', '100'],
    ['0.001', '100'],
    ['NaN', '100'],
    [null, '100'],
    ['50', '99'],
  ] as const)
    expect([amount, seen, await outcome(repay(admin, client, amount, seen))]).toEqual([amount, seen, 'debt_changed']);
  expect(await outcome(repay(admin, client, '50', null))).toBe('seen_required');
  expect(await outcome(repay(admin, client, '50', '100', { method: 'or' }))).toBe('debt_acts_method_is_known');
  expect(await outcome(waive(admin, client, '50', '100', ' '))).toBe('message_required');
  for (const who of [client, commercial, await anAccountant(db)]) {
    expect(await outcome(repay(who, client, '50', '100'))).toBe('forbidden');
    expect(await outcome(waive(who, client, '50', '100'))).toBe('forbidden');
    expect(await outcome(start(who, client, '50', 'Moi', '-100'))).toBe('forbidden');
  }
  expect(await outcome(repay(admin, other, '50', '100'))).toBe('payee_unknown');
  // Whoever writes.
  const direct = `insert into public.debt_acts (payee_id, kind, amount, debt_before, at, method, decided_by, is_test)
    values ($1, 'repayment', 100.01, 200, now(), 'virement', $2, false)`;
  expect(await outcome(db.asOwner(direct, [client.id, admin.id]))).toBe('debt_changed');
  expect(await available(client)).toBe('-100.00');
});

test('[AC-05, AC-01] a repayment has its own day: from the birth of the debt to today, and never in a closed month', async () => {
  const client = await aDebtor();
  const days = only(
    await db.asOwner<{ today: string; before: string; after: string }>(
      'select private.today()::text as today, (private.today() - 1)::text as before, (private.today() + 1)::text as after',
    ),
  );
  for (const on of [days.before, days.after])
    expect([on, await outcome(repay(admin, client, '10', '100', { on }))]).toEqual([on, 'payment_day_refused']);
  await repay(admin, client, '10', '100', { on: days.today });
  // A debt that is older than a closed month.
  const old = await aClient(db, { commercial });
  await db.asOwner('insert into public.balances (profile_id) values ($1)', [old.id]);
  const [born, day, dayBefore] = ['- 15', '- 10', '- 16'].map((less) => `(private.month_of(now()) ${less})::text`);
  const dated = only(
    await db.asOwner<{ born: string; day: string; before: string }>(
      `select ${born} as born, ${day} as day, ${dayBefore} as before`,
    ),
  );
  const long = `select set_config('app.at', (private.month_of(now()) - 20)::text, true)`;
  await db.become(admin, async (run) => {
    await run(long);
    await run(`select from private.start_adjustment($1, 30, 'Reprise', 0)`, [old.id]);
  });
  const asked = only(
    await db.become(old, async (run) => {
      await run(long);
      return run<{ id: string }>(`select id from private.request_payment(30, 'cheque_cadeau', '{}', null)`);
    }),
  );
  for (const status of ['approved', 'paid'])
    await db.become(admin, async (run) => {
      await run(long);
      await run('select from private.decide_payment_request($1, $2, null, null, null, null)', [asked.id, status]);
    });
  await db.become(admin, async (run) => {
    await run(`select set_config('app.at', $1, true)`, [dated.born]);
    await run(`select from private.start_adjustment($1, -30, 'Erreur', 0)`, [old.id]);
  });
  expect(await outcome(repay(admin, old, '10', '30', { on: dated.before }))).toBe('payment_day_refused');
  const { id } = only(await repay(admin, old, '10', '30', { on: dated.day }));
  expect(
    await db.asOwner(
      `select (at at time zone 'Europe/Paris')::date::text as day from public.ledger_entries where source_id = $1`,
      [id],
    ),
  ).toEqual([{ day: dated.day }]);
  const closed = await outcome(
    db.become(admin, async (run) => {
      await run(`select private.close_accounting_months((private.month_of(now()) - interval '1 month')::date)`);
      await run(`select from private.settle_debt($1, 'repayment', 10, 20, $2, 'virement')`, [old.id, dated.day]);
    }),
  );
  expect(closed).toBe('accounting_month_closed');
});

test('[AC-05] a request that waits is no debt: nobody who was paid nothing pays anything back', async () => {
  const client = await aClient(db, { commercial });
  await aValidatedSale(db, { commercial, friendReferrer: client, admin });
  const asked = only(
    await db.become(client, (run) =>
      run<{ id: string }>(`select id from private.request_payment(123.46, 'remise_societe', '{}', null)`),
    ),
  );
  await start(admin, client, '-100', 'Contrat saisi deux fois.', '0');
  expect(await available(client)).toBe('-100.00');
  for (const seen of ['100', '0']) expect(await outcome(repay(admin, client, '100', seen))).toBe('debt_changed');
  expect(await outcome(waive(admin, client, '100', '100'))).toBe('debt_changed');
  const direct = `insert into public.debt_acts (payee_id, kind, amount, debt_before, at, method, decided_by, is_test)
    values ($1, 'repayment', 100, 100, now(), 'virement', $2, false)`;
  expect(await outcome(db.asOwner(direct, [client.id, admin.id]))).toBe('debt_changed');
  // Neither is it approved: an admin refuses it, and what is left of the commission is asked for again.
  const decideRequest = (status: string, reason: string | null) =>
    db.become(admin, (run) =>
      run('select from private.decide_payment_request($1, $2, $3, null, null, null)', [asked.id, status, reason]),
    );
  expect(await outcome(decideRequest('approved', null))).toBe('balance_in_debt');
  await decideRequest('rejected', 'Contrat saisi deux fois.');
  expect(await available(client)).toBe('23.46');
});

test('[AC-05] more than 1 000 euros is not paid back in cash', async () => {
  const client = await aClient(db, { commercial });
  const direct = (amount: string) =>
    db.asOwner(
      `insert into public.debt_acts (payee_id, kind, amount, debt_before, at, method, decided_by, is_test)
        values ($1, 'repayment', $3, 2000, now(), 'especes', $2, false)`,
      [client.id, admin.id, amount],
    );
  expect(await outcome(direct('1000.01'))).toBe('debt_acts_cash_is_within_the_law');
  expect(await outcome(direct('1000'))).toBe('debt_changed');
});

test('[AC-05] a waiver has a reason that its payee reads, and its mistake is annulled once by the opposite', async () => {
  const client = await aDebtor();
  const { id } = only(await waive(admin, client, '100', '100'));
  expect(await waive(admin, client, '100', '100')).toMatchObject([{ id, already: true }]);
  expect(await account(admin, client)).toMatchObject({ adjusted: '0.00', repaid: '0.00', available: '0.00' });
  expect(await told(client, 'debt_waived')).toEqual([false]);
  expect(await outcome(annul(client, id))).toBe('forbidden');
  expect(await outcome(annul(admin, id, ' '))).toBe('message_required');
  expect(await annul(admin, id)).toEqual([{ already: false }]);
  expect(await annul(admin, id)).toEqual([{ already: true }]);
  expect(await outcome(annul(other, id, 'Encore'))).toBe('account_changed');
  expect(await available(client)).toBe('-100.00');
  const seen = [
    {
      act: 'waiver',
      debit: 'adjusted',
      credit: 'available',
      change: '100.00',
      reason: 'Geste commercial.',
      method: null,
    },
    {
      act: 'waiver_annulment',
      debit: 'available',
      credit: 'adjusted',
      change: '-100.00',
      reason: 'Saisi sur le mauvais compte.',
      method: null,
    },
  ];
  expect(await lines(client, client)).toEqual(seen);
  expect(await told(client, 'debt_act_annulled')).toEqual([false]);
  const trail = await db.asOwner(
    `select action, after ->> 'kind' as kind, after ->> 'annulled' as annulled, reason from public.audit_entries where entity_id = $1 order by id`,
    [id],
  );
  expect(trail).toEqual([
    { action: 'insert', kind: 'waiver', annulled: null, reason: 'Geste commercial.' },
    { action: 'update', kind: 'waiver', annulled: 'true', reason: 'Saisi sur le mauvais compte.' },
  ]);
  // A repayment that is annulled makes the debt again.
  const paid = only(await repay(admin, client, '100', '100'));
  await annul(other, paid.id);
  expect(await account(admin, client)).toMatchObject({
    repaid: '0.00',
    available: '-100.00',
    earned: '123.46',
    reversed: '0.00',
  });
});

test('[AC-05] above the company’s amount, over a year, a waiver waits for another admin, unseen by its payee, or is given up', async () => {
  const client = await aDebtor();
  await withLimit('50', async () => {
    expect(await waive(admin, client, '40', '100')).toMatchObject([{ waits: false }]);
    // Below the amount in itself, above it with what the same payee was given.
    const { id } = only(await waive(admin, client, '20', '60'));
    expect(await waive(admin, client, '20', '60')).toMatchObject([{ id, already: true, waits: true }]);
    expect(await outcome(waive(admin, client, '30', '60'))).toBe('debt_act_waits');
    expect(await available(client)).toBe('-60.00');
    expect(await told(client, 'debt_waived')).toEqual([false]);
    expect(await told(other, 'waiver_to_confirm')).toEqual([false]);
    const read = (who: Person) => db.become(who, (run) => run('select id from public.debt_acts where id = $1', [id]));
    expect([await read(client), await read(admin), await read(commercial)]).toEqual([[], [{ id }], []]);
    expect(await outcome(decide(admin, id, true))).toBe('second_admin_to_confirm');
    expect(await outcome(decide(client, id, true))).toBe('forbidden');
    expect(await outcome(annul(other, id))).toBe('account_changed');
    expect(await decide(other, id, true)).toEqual([{ already: false }]);
    expect(await decide(other, id, true)).toEqual([{ already: true }]);
    expect(await outcome(decide(admin, id, false))).toBe('account_changed');
    expect(await available(client)).toBe('-40.00');
    expect(await told(client, 'debt_waived')).toEqual([false, false]);
    expect(await told(other, 'waiver_to_confirm')).toEqual([true]);
    // One that is given up posts nothing; one whose debt was repaid meanwhile cannot be confirmed.
    const second = only(await waive(admin, client, '40', '40'));
    await decide(admin, second.id, false);
    const third = only(await waive(admin, client, '40', '40', 'Encore.'));
    await repay(admin, client, '1', '40');
    expect(await outcome(decide(other, third.id, true))).toBe('debt_changed');
    expect(await available(client)).toBe('-39.00');
    // Whoever writes.
    const direct = `insert into public.debt_acts (payee_id, kind, amount, debt_before, at, reason, decided_by, is_test)
      values ($1, 'waiver', 39, 39, now(), 'Geste', $2, false)`;
    expect(await outcome(db.asOwner(direct, [client.id, admin.id]))).toBe('second_admin_to_confirm');
  });
});

test('[AC-05, P-04] an act stays as it was decided, whoever writes', async () => {
  const client = await aDebtor();
  const { id } = only(await repay(admin, client, '10', '100'));
  for (const change of [
    'amount = 5',
    'reference = null',
    'at = now()',
    'confirmed_by = payee_id',
    'given_up_at = now()',
    'is_test = true',
  ])
    expect([change, await outcome(db.asOwner(`update public.debt_acts set ${change} where id = $1`, [id]))]).toEqual([
      change,
      'forbidden',
    ]);
  expect(await outcome(db.asOwner('delete from public.debt_acts where id = $1', [id]))).toBe('forbidden');
  for (const sql of ['update public.debt_acts set amount = 1', 'delete from public.debt_acts'])
    expect(await outcome(db.become(client, (run) => run(sql)))).toBe('42501');
});

test('[AC-05, V-16] repaid, waived and annulled by several at once: each once, and never more than the debt', async () => {
  const client = await aDebtor();
  expect(
    await race([
      () => repay(admin, client, '100', '100'),
      () => repay(other, client, '100', '100'),
      () => waive(other, client, '100', '100'),
      () => waive(admin, client, '60', '100'),
    ]),
  ).toEqual({ ok: 1, debt_changed: 3 });
  const { id } = only(
    await db.asOwner<{ id: string }>('select id from public.debt_acts where payee_id = $1', [client.id]),
  );
  expect(await race([() => annul(admin, id), () => annul(other, id, 'Moi.')])).toEqual({ ok: 1, account_changed: 1 });
  expect(await db.asOwner('select from public.ledger_entries where source_id = $1', [id])).toHaveLength(2);
});

test('[AC-05, LG-06] an admin starts an adjustment, for or against, once: a thread that its payee reads', async () => {
  const client = await aDebtor();
  const { id } = only(await start(admin, client, '30', 'Une tranche manquait.', '-100'));
  expect(await start(admin, client, '30', 'Une tranche manquait.', '-100')).toMatchObject([
    { id, already: true, closed: true },
  ]);
  expect(await outcome(start(admin, client, '31', 'Une tranche manquait.', '-100'))).toBe('account_changed');
  expect(await outcome(start(admin, client, '30', ' ', '-70'))).toBe('message_required');
  for (const amount of ['0', '10000.01', '-10000.01', '0.001'])
    expect([amount, await outcome(start(admin, client, amount, 'x', '-70'))]).toEqual([
      amount,
      'adjustment_out_of_range',
    ]);
  expect(await told(client, 'account_adjusted')).toHaveLength(2);
  const read = (who: Person) =>
    db.become(who, (run) =>
      run(
        `select m.body from public.disputes d join public.dispute_messages m on m.dispute_id = d.id where d.id = $1`,
        [id],
      ),
    );
  expect([await read(client), await read(commercial)]).toEqual([[{ body: 'Une tranche manquait.' }], []]);
  const reasons = await db.become(client, (run) =>
    run(`select reason from public.account_lines where source_id = $1`, [id]),
  );
  expect(reasons).toEqual([{ reason: 'Une tranche manquait.' }]);
  // What was repaid was not given: no more is taken than what is left of it.
  const left = await available(client);
  await repay(admin, client, '10', String(left).replace('-', ''));
  const given = only(
    await db.asOwner<{ given: string; available: string }>(
      'select (earned - reversed - repaid + 0.01)::text as given, (earned - reversed - held - reserved - paid)::text as available from public.balances where profile_id = $1',
      [client.id],
    ),
  );
  expect(await outcome(start(admin, client, `-${given.given}`, 'x', given.available))).toBe('adjustment_out_of_range');
  // It is annulled as that of a dispute is.
  await db.become(admin, (run) => run(`select from private.annul_adjustment($1, 'Erreur', 2)`, [id]));
});

test('[AC-05] above the company’s amount an adjustment for a payee waits for another admin; one against them does not', async () => {
  const client = await aDebtor();
  await withLimit('50', async () => {
    expect(await start(admin, client, '-5', 'Contre.', '-100')).toMatchObject([{ closed: true }]);
    const { id, version } = only(await start(admin, client, '60', 'Pour.', '-105'));
    expect(await start(admin, client, '60', 'Pour.', '-105')).toMatchObject([{ id, already: true, closed: false }]);
    expect(await outcome(start(other, client, '1', 'Encore.', '-105'))).toBe('debt_act_waits');
    expect(await told(other, 'adjustment_to_confirm')).toEqual([false]);
    expect(await db.become(client, (run) => run('select from public.disputes where id = $1', [id]))).toEqual([]);
    const close = (who: Person, amount: string | null) =>
      db.become(who, (run) => run(`select from private.close_dispute($1, 'D’accord.', $2, $3)`, [id, version, amount]));
    expect(await outcome(close(admin, '60'))).toBe('second_admin_to_confirm');
    expect(await outcome(close(other, '61'))).toBe('dispute_changed');
    await close(other, '60');
    expect(await available(client)).toBe('-45.00');
    expect(await told(other, 'adjustment_to_confirm')).toEqual([true]);
    expect(await told(client, 'account_adjusted')).toHaveLength(3);
    const second = only(await start(admin, client, '51', 'Encore.', '-45'));
    await db.become(admin, (run) => run(`select from private.close_dispute($1, 'Abandonné.', 1, null)`, [second.id]));
    expect(await available(client)).toBe('-45.00');
    expect(await told(client, 'account_adjusted')).toHaveLength(3);
  });
});

test('[AC-05] sums of the company follow: what is due, what was adjusted, waived and repaid, and what the DAS2 says was paid', async () => {
  const client = await aDebtor();
  const figures = async () => {
    const { due } = only(
      await db.become(admin, (run) =>
        run<{ due: string }>('select commissions_due::text as due from public.admin_figures()'),
      ),
    );
    const steps = await db.become(admin, (run) =>
      run<{ step: string; amount: string }>('select step, amount::text from public.due_soon()'),
    );
    const das2 = await db.become(admin, (run) =>
      run<{ paid: string }>(
        `select paid::text from public.das2_payees(extract(year from now() at time zone 'Europe/Paris')::integer, $1)`,
        [client.id],
      ),
    );
    const of = (name: string) => Number.parseFloat(steps.find(({ step }) => step === name)?.amount ?? 'NaN');
    return {
      due: Number.parseFloat(due),
      available: of('available'),
      overpaid: of('overpaid'),
      adjusted: of('adjusted'),
      das2,
    };
  };
  const before = await figures();
  await repay(admin, client, '60', '100');
  await waive(admin, client, '40', '40');
  const after = await figures();
  const said = async () =>
    only(
      await db.become(admin, (run) =>
        run('select repaid, waived from public.payee_accounts where id = $1', [client.id]),
      ),
    );
  expect(await said()).toEqual({ repaid: '60.00', waived: '40.00' });
  const parts = async () => {
    const rows = await db.become(admin, (run) =>
      run<{ step: string; repaid: string | null; waived: string | null }>(
        'select step, repaid, waived from public.due_soon()',
      ),
    );
    expect(rows.filter(({ repaid, waived }) => repaid !== null || waived !== null)).toHaveLength(1);
    const { repaid, waived } = only(rows.filter(({ step }) => step === 'adjusted'));
    return [repaid, waived].map((amount) => Number.parseFloat(amount ?? ''));
  };
  const [repaid = 0, waived = 0] = await parts();
  await annul(
    admin,
    only(
      await db.asOwner<{ id: string }>(`select id from public.debt_acts where payee_id = $1 and kind = 'waiver'`, [
        client.id,
      ]),
    ).id,
  );
  expect(await parts()).toEqual([repaid, waived - 40]);
  expect(await said()).toEqual({ repaid: '60.00', waived: '0.00' });
  await waive(admin, client, '40', '40', 'Encore.');
  expect(after).toEqual({
    due: before.due,
    available: before.available,
    overpaid: expect.closeTo(before.overpaid + 100, 2),
    adjusted: expect.closeTo(before.adjusted + 40, 2),
    das2: [{ paid: '123.46' }],
  });
  const control = await db.become(admin, (run) =>
    run(`select act, ledger, lists from public.account_control(private.month_of(now()), (private.month_of(now()) + interval '1 month')::date)
      where ledger <> lists`),
  );
  expect(control).toEqual([]);
});
