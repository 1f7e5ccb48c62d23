import { controlBalances, controlFlows } from '@parrain/domain/ledger';
import type { LedgerAct } from '@parrain/domain/ledger';
import { fromWire, toWire } from '@parrain/domain/money';
import { readdir } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { connectAsOwner } from '../src/connect.ts';
import { migrate } from '../src/migrate.ts';
import {
  aCommercial,
  aClient,
  aSale,
  aScale,
  aValidatedSale,
  anAdmin,
  asSeen,
  brokenInvariants,
  createEmptyDatabase,
  createTestDatabase,
  only,
  openTestDatabase,
} from '../src/testing.ts';
import type { Person, TestDatabase } from '../src/testing.ts';
import { outcome, race, requestPayment } from './world.ts';

// The ledger (decision 0030): what each act posts, that it is posted once and for good, and who reads it.

let db: TestDatabase;
let admin: Person;
let commercial: Person;
let scale: { id: string };
beforeAll(async () => {
  db = await createTestDatabase();
  admin = await anAdmin(db);
  commercial = await aCommercial(db);
  scale = await aScale(db, { isDefault: true });
});
afterAll(async () => {
  expect(await broken()).toEqual([]);
  await db.drop();
});

const broken = async (run: Parameters<typeof brokenInvariants>[0] = db.asOwner) =>
  (await brokenInvariants(run)).map(({ invariant }) => invariant.id);
const decide = (request: string, status: string, version: number, amount: string, [on, by] = [db, admin]) =>
  on.become(by, (run) =>
    run(`select from private.decide_payment_request($1, $2, 'Note', null, $3, $4)`, [request, status, version, amount]),
  );
/** A payee's transfers in the order in which they were posted: act, accounts, amount, detail, and whether somebody acted. */
const posted = (payee: Person) =>
  db.asOwner<{ entry: string }>(
    `select concat_ws(' ', act, debit, credit, amount, detail, case when actor_id is not null then 'by' end) as entry
     from public.ledger_entries where payee_id = $1 order by id`,
    [payee.id],
  );
const entries = async (payee: Person) => (await posted(payee)).map(({ entry }) => entry);

async function anEarner(): Promise<{ client: Person; sale: { id: string } }> {
  const client = await aClient(db, { commercial });
  const sale = await aValidatedSale(db, { commercial, friendReferrer: client, scale, admin });
  return { client, sale };
}

test('[LG-01, M-10, S-09, V-16] each act that moves money posts its transfers, an approval none', async () => {
  const { client } = await anEarner();
  const refused = await requestPayment(db, client, '20.00');
  await decide(refused, 'rejected', 1, '20.00');
  const paid = await requestPayment(db, client, '30.00');
  await decide(paid, 'approved', 1, '30.00');
  await db.become(admin, (run) => run(`select from private.annul_approval($1, 'Motif', 2)`, [paid]));
  await decide(paid, 'approved', 3, '30.00');
  await decide(paid, 'paid', 4, '30.00');
  expect(await entries(client)).toEqual([
    'validation charged available 123.46 client by',
    'request available reserved 20.00 by',
    'refusal reserved available 20.00 by',
    'request available reserved 30.00 by',
    'settlement reserved paid 30.00 virement by',
  ]);
});

test('[LG-01, S-11] a cancelled validation goes back from both payees, below zero where they were paid', async () => {
  const { client, sale } = await anEarner();
  const request = await requestPayment(db, client, '100.00');
  await decide(request, 'approved', 1, '100.00');
  await decide(request, 'paid', 2, '100.00');
  const seen = only(
    await db.asOwner<{ version: number; client: string; commercial: string }>(
      `select version, client_commission_amount as client, commercial_commission_amount as commercial from public.sales where id = $1`,
      [sale.id],
    ),
  );
  await db.become(admin, (run) =>
    run(`select from private.cancel_validation($1, 'Erreur', $2, $3, $4)`, [
      sale.id,
      seen.version,
      seen.client,
      seen.commercial,
    ]),
  );
  expect((await entries(client)).at(-1)).toBe('correction available charged 123.46 client by');
  expect((await entries(commercial)).at(-1)).toBe(`correction available charged ${seen.commercial} commercial by`);
  const [available] = await db.asOwner<{ amount: string }>(
    `select sum(case when credit = 'available' then amount when debit = 'available' then -amount else 0 end) as amount
     from public.ledger_entries where payee_id = $1`,
    [client.id],
  );
  expect(available?.amount).toBe('-100.00');
});

test('[LG-01, V-16, P-04] an act is posted once, with accounts that it knows, and never changed or removed, whoever writes', async () => {
  const { client } = await anEarner();
  const copy = (columns: string) =>
    outcome(
      db.asOwner(
        `insert into public.ledger_entries (at, act, source_id, line, payee_id, debit, credit, amount, detail, is_test)
         select at, ${columns}, is_test from public.ledger_entries where payee_id = $1`,
        [client.id],
      ),
    );
  expect(await copy('act, source_id, line, payee_id, debit, credit, amount, detail')).toBe('ledger_entries_pkey');
  const refusals = {
    "act, source_id, 2, payee_id, 'charged', 'paid', amount, detail": 'ledger_entries_transfer_is_known',
    "'gift', source_id, line, payee_id, debit, credit, amount, detail": 'ledger_entries_detail_is_of_its_account',
    'act, source_id, 2, payee_id, debit, credit, -amount, detail': 'ledger_entries_amount_is_positive',
    "act, source_id, 2, payee_id, debit, credit, amount, 'virement'": 'ledger_entries_detail_is_of_its_account',
  };
  for (const [columns, constraint] of Object.entries(refusals))
    expect([columns, await copy(columns)]).toEqual([columns, constraint]);
  for (const sql of [
    'update public.ledger_entries set amount = amount + 1',
    'delete from public.ledger_entries',
    // Without its disputes PostgreSQL itself refuses.
    'truncate public.ledger_entries cascade',
  ]) {
    expect([sql, await outcome(db.asOwner(sql))]).toEqual([sql, 'forbidden']);
    expect([sql, await outcome(db.become(client, (run) => run(sql)))]).toEqual([sql, '42501']);
  }
});

test('[LG-01, P-03, P-04] a payee reads their own transfers, the admin all of them', async () => {
  const { client } = await anEarner();
  const read = async (who: Person) =>
    (
      await db.become(who, (run) => run<{ payee_id: string }>('select distinct payee_id from public.ledger_entries'))
    ).map(({ payee_id }) => payee_id);
  expect(await read(client)).toEqual([client.id]);
  expect(await read(commercial)).toEqual([commercial.id]);
  expect(await read(admin)).toEqual(expect.arrayContaining([client.id, commercial.id]));
});

test('[LG-01, M-10, V-16] settlements, refusals and corrections at once are each posted once, and balances are their sums', async () => {
  const { client, sale } = await anEarner();
  const requests = [await requestPayment(db, client, '10.00'), await requestPayment(db, client, '11.00')];
  await decide(requests[0] ?? '', 'approved', 1, '10.00');
  const attempts = [
    ...Array.from({ length: 4 }, () => () => decide(requests[0] ?? '', 'paid', 2, '10.00')),
    ...Array.from({ length: 4 }, () => () => decide(requests[1] ?? '', 'rejected', 1, '11.00')),
    ...Array.from({ length: 2 }, () => async () => {
      await db.become(admin, (run) =>
        run(
          `select from public.sales s cross join lateral private.cancel_validation(s.id, 'Erreur', s.version,
             s.client_commission_amount, s.commercial_commission_amount) where s.id = $1`,
          [sale.id],
        ),
      );
    }),
  ];
  const outcomes = await race(attempts);
  // Paid first or in debt first: both are right, neither is half of each.
  expect(Object.keys(outcomes).filter((code) => !['ok', 'balance_in_debt'].includes(code))).toEqual([]);
  const acts = (await entries(client)).map((entry) => entry.split(' ')[0]);
  expect(acts.filter((act) => act === 'refusal')).toHaveLength(1);
  expect(acts.filter((act) => act === 'correction')).toHaveLength(1);
  expect(acts.filter((act) => act === 'settlement').length).toBeLessThanOrEqual(1);
});

test('[LG-01, M-10] verify finds a transfer that is missing, one too many, and a balance that is not their sum', async () => {
  const { client } = await anEarner();
  const tampered = async (sql: string) => {
    const owner = await connectAsOwner(db.owner);
    try {
      await owner.query('begin; set local session_replication_role = replica');
      await owner.query(sql, [client.id]);
      return await broken(async (text) => (await owner.query<Record<string, unknown>>(text)).rows);
    } finally {
      await owner.end();
    }
  };
  expect(await tampered('delete from public.ledger_entries where payee_id = $1')).toEqual(['I2c', 'I2d']);
  expect(await tampered('update public.balances set earned = earned + 1 where profile_id = $1')).toEqual([
    'I2b',
    'I2c',
  ]);
  expect(
    await tampered(`insert into public.ledger_entries (at, act, source_id, payee_id, debit, credit, amount, detail, is_test)
      values (now(), 'validation', gen_random_uuid(), $1, 'charged', 'available', 5, 'client', false)`),
  ).toEqual(['I2c', 'I2d']);
});

/** Every line of a period: what the ledger and the lists say of it. */
const control = (who: Person, from = '2000-01-01', to = '2100-01-01') =>
  db.become(who, (run) =>
    run<Record<'ledger_before' | 'lists_before' | 'ledger' | 'lists', string> & { act: string; detail: string | null }>(
      'select * from public.account_control($1, $2) order by act, detail',
      [from, to],
    ),
  );

test('[LG-02] the control of a period says each act twice, the same by night’s count as without, and shows a difference', async () => {
  const { client, sale } = await anEarner();
  const refused = await requestPayment(db, client, '20.00');
  await decide(refused, 'rejected', 1, '20.00');
  const paid = await requestPayment(db, client, '30.00');
  await decide(paid, 'approved', 1, '30.00');
  await decide(paid, 'paid', 2, '30.00');
  await db.become(admin, (run) => run(asSeen.cancel, [sale.id, 'Erreur']));
  const live = await control(admin);
  expect(live.map(({ act, detail }) => [act, detail].join(' '))).toEqual([
    'correction client',
    'correction commercial',
    'refusal ',
    'request ',
    'settlement virement',
    'validation client',
    'validation commercial',
  ]);
  for (const { ledger, lists, ledger_before: before } of live) expect([ledger, before]).toEqual([lists, '0']);
  const [sums] = await db.asOwner<{ earned: string; available: string }>(
    'select sum(earned)::text as earned, sum(earned - reversed - reserved - paid)::text as available from public.balances',
  );
  const moves = live.map((row) => ({
    act: row.act as LedgerAct,
    detail: row.detail,
    ledgerBefore: 0n,
    listsBefore: 0n,
    ledger: fromWire(row.ledger),
    lists: fromWire(row.lists),
  }));
  expect(toWire(controlFlows(moves)[0]?.ledger ?? 0n)).toBe(
    live.find((row) => row.detail === 'client' && row.act === 'validation')?.ledger,
  );
  expect(toWire(controlBalances(moves).find(({ id }) => id === 'available')?.ledger ?? 0n)).toBe(sums?.available);
  // All of it lies before a later period, none of it in an earlier one.
  expect((await control(admin, '2099-01-01')).map((row) => [row.ledger_before, row.ledger])).toEqual(
    live.map((row) => [row.ledger, '0']),
  );
  expect(await control(admin, '2000-01-01', '2001-01-01')).toEqual([]);

  await db.asOwner(
    `begin; select set_config('app.at', (now() + interval '2 days')::text, true); select private.count_control(); commit`,
  );
  expect(await control(admin)).toEqual(live);
  expect(await broken()).toEqual([]);
  await db.asOwner(`update figures.control_months set amount = amount + 1 where source = 'lists' and act = 'request'`);
  const off = (await control(admin)).filter((row) => row.ledger !== row.lists);
  expect(off.map(({ act }) => act)).toEqual(['request']);
  expect(await broken()).toEqual(['I6f']);
  await db.asOwner('select private.count_control()');
  expect(await control(admin)).toEqual(live);
  expect([await control(client), await control(commercial)]).toEqual([[], []]);
});

describe('a scale that keeps a commission for some days', () => {
  let patient: { id: string };
  beforeAll(async () => {
    patient = await aScale(db, { name: 'Patient', clientHoldDays: 30 });
    // Entries backdated to days gone by are not in a night's count.
    await db.asOwner('delete from figures.control_until');
    await db.asOwner('delete from figures.control_months');
  });

  /** A client with a commission of 123,46 €, validated so many days ago. */
  async function aPatientEarner(daysAgo = 0): Promise<{ client: Person; sale: { id: string } }> {
    const client = await aClient(db, { commercial });
    const sale = await aSale(db, { commercial, friendReferrer: client, isReady: true, contractAmount: '1234.56' });
    await db.become(admin, async (run) => {
      await run(`select set_config('app.at', (now() - make_interval(days => $1))::text, true)`, [daysAgo]);
      await run(asSeen.validate, [sale.id, patient.id]);
    });
    return { client, sale };
  }
  const release = async (payee: Person | null = null) =>
    only(
      await db.become('parrain_service', (run) =>
        run<{ ended: number }>('select private.release_holds($1, 1000) as ended', [payee?.id ?? null]),
      ),
    ).ended;
  const figures = (client: Person) =>
    db.become(client, (run) =>
      run(
        'select available::numeric(14, 2)::text, held::numeric(14, 2)::text, debt::numeric(14, 2)::text from public.client_figures()',
      ),
    );
  const cancel = (sale: { id: string }) => db.become(admin, (run) => run(asSeen.cancel, [sale.id, 'Erreur']));

  test('[LG-03] what is kept is earned and cannot be asked for; at its day it is available, once', async () => {
    const { client } = await aPatientEarner();
    expect(await entries(client)).toEqual(['validation charged held 123.46 client by']);
    expect((await entries(commercial)).at(-1)).toBe('validation charged available 50.00 commercial by');
    expect(await figures(client)).toEqual([{ available: '0.00', held: '123.46', debt: '0.00' }]);
    expect(await outcome(requestPayment(db, client, '1.00'))).toBe('amount_out_of_range');
    expect([await release(), await release(client)]).toEqual([0, 0]);

    const { client: later } = await aPatientEarner(31);
    // Due, and not posted yet: it is available all the same.
    expect(await figures(later)).toEqual([{ available: '123.46', held: '0.00', debt: '0.00' }]);
    expect([await release(), await release()]).toEqual([1, 0]);
    expect(await entries(later)).toEqual(['validation charged held 123.46 client by', 'release held available 123.46']);
    expect(await figures(later)).toEqual([{ available: '123.46', held: '0.00', debt: '0.00' }]);
    const kept = (who: Person) =>
      db.become(who, (run) => run('select amount from public.commission_holds where payee_id = $1', [client.id]));
    expect([await kept(client), await kept(admin), await kept(commercial)]).toEqual([
      [{ amount: '123.46' }],
      [{ amount: '123.46' }],
      [],
    ]);
  });

  test('[LG-03] whoever asks for a payment has what came to its end, whether or not the job has run', async () => {
    const { client } = await aPatientEarner(31);
    await requestPayment(db, client, '100.00');
    expect((await entries(client)).map((entry) => entry.split(' ')[0])).toEqual(['validation', 'release', 'request']);
  });

  test('[LG-03, S-11] annulled while it is kept, it never was available; after its end it is taken from there', async () => {
    const { client, sale } = await aPatientEarner(31);
    await cancel(sale);
    expect(await entries(client)).toEqual([
      'validation charged held 123.46 client by',
      'correction held charged 123.46 client by',
    ]);
    expect(await release()).toBe(0);
    const { client: other, sale: released } = await aPatientEarner(31);
    const request = await requestPayment(db, other, '100.00');
    await decide(request, 'approved', 1, '100.00');
    await decide(request, 'paid', 2, '100.00');
    await cancel(released);
    expect((await entries(other)).at(-1)).toBe('correction available charged 123.46 client by');
    expect(await figures(other)).toEqual([{ available: '0.00', held: '0.00', debt: '100.00' }]);
    // A held commission does not pay a debt: it may be taken back yet.
    const sale2 = await aSale(db, { commercial, friendReferrer: other, isReady: true, contractAmount: '1234.56' });
    await db.become(admin, (run) => run(asSeen.validate, [sale2.id, patient.id]));
    expect(await figures(other)).toEqual([{ available: '0.00', held: '123.46', debt: '100.00' }]);
    expect(await outcome(requestPayment(db, other, '1.00'))).toBe('balance_in_debt');
  });

  test('[LG-03, V-16] the end of a hold on several nodes, an annulment and requests at once: each posted once, nothing stuck', async () => {
    for (let round = 0; round < 3; round += 1) {
      const { client, sale } = await aPatientEarner(31);
      const outcomes = await race([
        ...Array.from({ length: 4 }, () => () => release()),
        () => cancel(sale),
        ...Array.from({ length: 3 }, () => () => requestPayment(db, client, '60.00')),
        () => release(client),
      ]);
      expect(
        Object.keys(outcomes).filter((code) => !['ok', 'amount_out_of_range', 'balance_in_debt'].includes(code)),
      ).toEqual([]);
      const acts = (await entries(client)).map((entry) => entry.split(' ')[0]);
      expect(acts.filter((act) => act === 'release').length).toBeLessThanOrEqual(1);
      expect(acts.filter((act) => act === 'correction')).toHaveLength(1);
      expect(acts.filter((act) => act === 'request').length).toBeLessThanOrEqual(2);
    }
    expect(await broken()).toEqual([]);
  });

  test('[LG-03, P-04] a hold ends at its day or by an annulment, and says nothing else, whoever writes; a scale keeps a year at most', async () => {
    const { client } = await aPatientEarner();
    for (const sql of [
      'update public.commission_holds set until = now() where payee_id = $1',
      'update public.commission_holds set ended_at = now() where payee_id = $1',
      'update public.commission_holds set ended_at = now(), is_corrected = true, amount = 1 where payee_id = $1',
      'delete from public.commission_holds where payee_id = $1',
    ]) {
      expect([sql, await outcome(db.asOwner(sql, [client.id]))]).toEqual([sql, 'forbidden']);
      expect([sql, await outcome(db.become(client, (run) => run(sql, [client.id])))]).toEqual([sql, '42501']);
    }
    expect(await outcome(db.asOwner('truncate public.commission_holds'))).toBe('forbidden');
    const create = (days: number) =>
      outcome(
        db.become(admin, (run) =>
          run(`select private.create_commission_rate('Long', null, 'fixed', 5, 'fixed', 5, null, $1)`, [days]),
        ),
      );
    expect([await create(365), await create(366), await create(-1)]).toEqual([
      'ok',
      'commission_rates_hold_is_within_a_year',
      'commission_rates_hold_is_within_a_year',
    ]);
  });

  test('[LG-03] verify finds a hold that its scale does not explain, and one that its annulment left open', async () => {
    const { client, sale } = await aPatientEarner();
    const owner = await connectAsOwner(db.owner);
    const tampered = async (sql: string) => {
      await owner.query('begin; set local session_replication_role = replica');
      await owner.query(sql, [client.id]);
      const found = await broken(async (text) => (await owner.query<Record<string, unknown>>(text)).rows);
      await owner.query('rollback');
      return found;
    };
    expect(
      await tampered(`update public.commission_holds set until = until - interval '1 day' where payee_id = $1`),
    ).toEqual(['I2e']);
    await cancel(sale);
    expect(
      await tampered('update public.commission_holds set ended_at = null, is_corrected = false where payee_id = $1'),
    ).toEqual(['I2b', 'I2d', 'I2e']);
    await owner.end();
  });
});

test('[LG-02] a payee’s account is every line from the first, the last one leaving what is available', async () => {
  const { client } = await anEarner();
  const refused = await requestPayment(db, client, '20.00');
  await decide(refused, 'rejected', 1, '20.00');
  const paid = await requestPayment(db, client, '30.00');
  await decide(paid, 'approved', 1, '30.00');
  await decide(paid, 'paid', 2, '30.00');
  const lines = (who: Person) =>
    db.become(who, (run) =>
      run<Record<'change' | 'available' | 'contact_name' | 'reason' | 'request_status', string | null>>(
        `select change::text, available::text, contact_name, reason, request_status from public.account_lines
         where payee_id = $1 order by entry_id`,
        [client.id],
      ),
    );
  const own = await lines(client);
  expect(own.map((line) => [line.change, line.available, line.request_status, line.reason])).toEqual([
    ['123.46', '123.46', null, null],
    ['-20.00', '103.46', 'rejected', null],
    ['20.00', '123.46', 'rejected', 'Note'],
    ['-30.00', '93.46', 'paid', null],
    ['0.00', '93.46', 'paid', null],
  ]);
  expect(own[0]?.contact_name).toBeTypeOf('string');
  expect(await lines(admin)).toEqual(own);
  expect(await lines(commercial)).toEqual([]);
  const account = (who: Person) =>
    db.become(who, (run) => run('select role, available::text from public.payee_accounts where id = $1', [client.id]));
  expect(await account(admin)).toEqual([{ role: 'client', available: '93.46' }]);
  expect(await account(client)).toEqual([{ role: 'client', available: '93.46' }]);
  expect(await account(commercial)).toEqual([]);
});

test(
  '[LG-01, M-10, OP-04] what stood before the ledger comes over as it would have been posted',
  { tags: 'long' },
  async () => {
    const empty = await createEmptyDatabase();
    const files = (await readdir(new URL('../migrations', import.meta.url))).toSorted();
    await migrate(empty.owner, { count: files.indexOf('0160-ledger.sql') });
    const old = { ...openTestDatabase(empty.owner), drop: empty.drop };
    const boss = await anAdmin(old);
    const standard = await aScale(old, { isDefault: true });
    const seller = await aCommercial(old);
    const client = await aClient(old, { commercial: seller });
    const sale = await aValidatedSale(old, {
      commercial: seller,
      friendReferrer: client,
      scale: standard,
      admin: boss,
    });
    const refused = await requestPayment(old, client, '20.00');
    await decide(refused, 'rejected', 1, '20.00', [old, boss]);
    const paid = await requestPayment(old, client, '30.00');
    await decide(paid, 'approved', 1, '30.00', [old, boss]);
    await decide(paid, 'paid', 2, '30.00', [old, boss]);
    await requestPayment(old, client, '40.00');
    await old.become(boss, (run) =>
      run(
        `select from public.sales s cross join lateral private.cancel_validation(s.id, 'Erreur', s.version,
         s.client_commission_amount, s.commercial_commission_amount) where s.id = $1`,
        [sale.id],
      ),
    );
    const balances = 'select profile_id, earned, reversed, reserved, paid from public.balances order by 1';
    const before = await old.asOwner(balances);
    await migrate(empty.owner);
    expect(await old.asOwner(balances)).toEqual(before);
    expect(await broken((sql) => old.asOwner(sql))).toEqual([]);
    expect(
      (
        await old.asOwner<{ entry: string }>(
          `select concat_ws(' ', act, debit, credit, amount, detail) as entry from public.ledger_entries where payee_id = $1 order by id`,
          [client.id],
        )
      ).map(({ entry }) => entry),
    ).toEqual([
      'validation charged available 123.46 client',
      'request available reserved 20.00',
      'refusal reserved available 20.00',
      'request available reserved 30.00',
      'settlement reserved paid 30.00 virement',
      'request available reserved 40.00',
      'correction available charged 123.46 client',
    ]);
    await old.close();
    await old.drop();
  },
);

test(
  '[LG-01, M-10, OP-04] a balance that its rows do not explain stops the migration, which leaves the old state',
  { tags: 'long' },
  async () => {
    const empty = await createEmptyDatabase();
    const files = (await readdir(new URL('../migrations', import.meta.url))).toSorted();
    await migrate(empty.owner, { count: files.indexOf('0160-ledger.sql') });
    const old = { ...openTestDatabase(empty.owner), drop: empty.drop };
    const client = await aClient(old);
    await old.asOwner('insert into public.balances (profile_id, earned) values ($1, 5)', [client.id]);
    await expect(migrate(empty.owner)).rejects.toThrow(`Le solde de ${client.id}`);
    expect(await old.asOwner(`select to_regclass('public.ledger_entries') as ledger`)).toEqual([{ ledger: null }]);
    await old.close();
    await old.drop();
  },
);
