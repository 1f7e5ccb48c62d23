import { afterAll, beforeAll, expect, test } from 'vitest';

import {
  aClient,
  aCommercial,
  anAdmin,
  aSale,
  aScale,
  aValidatedSale,
  asSeen,
  createTestDatabase,
  only,
} from '../src/testing.ts';
import type { Person, TestDatabase } from '../src/testing.ts';

// AC-10: a particulier whose contracts come back within twelve months.

let db: TestDatabase;
let [admin, commercial, ada, bea, cleo] = [] as unknown as [Person, Person, Person, Person, Person];
let scale: Awaited<ReturnType<typeof aScale>>;
beforeAll(async () => {
  db = await createTestDatabase();
  [admin, commercial] = [await anAdmin(db), await aCommercial(db)];
  scale = await aScale(db, {
    isDefault: true,
    clientType: 'fixed',
    clientAmount: '500.00',
    commercialType: 'fixed',
    commercialAmount: '50.00',
  });
  [ada, bea, cleo] = [
    await aClient(db, { commercial }),
    await aClient(db, { commercial }),
    await aClient(db, { commercial }),
  ];
  await is(ada, 'particulier');
  await is(bea, 'micro');
  // Of Cléo nothing is known.
  for (const who of [ada, bea, cleo]) for (let made = 0; made < 3; made += 1) await earns(who);
});
afterAll(() => db.drop());

const earns = (who: Person) => aValidatedSale(db, { commercial, friendReferrer: who, scale, admin });
const is = (who: Person, status: 'particulier' | 'micro', as = admin) =>
  db.become(as, (run) =>
    run(`select private.set_payee_details($1, $2, 'Ada Martin', '1 rue', '35000', 'Rennes', $3, null, $4, null)`, [
      who.id,
      status,
      status === 'micro' ? '552100554' : null,
      status === 'micro' ? false : null,
    ]),
  );
type Row = { id: string; contracts: string; payments: string; paid: string; dealt_at: string | null };
const regular = (payee: string | null = null, who = admin, at: string | null = null) =>
  db.become(who, async (run) => {
    if (at !== null) await run(`select set_config('app.at', $1, true)`, [at]);
    return run<Row>('select * from public.regular_payees($1) order by contracts desc, id', [payee]);
  });
const ids = async () => (await regular()).map(({ id }) => id);
const deal = (who: Person, as = admin) =>
  db.become(as, (run) => run('select private.deal_with_regularity($1)', [who.id]));
const set = (from: number | null) =>
  db.become(admin, (run) => run('select private.set_das2_settings(true, false, $1)', [from]));

test('[AC-10] a particulier of three contracts in twelve months is told, with what they were paid; no business, nobody unknown', async () => {
  const { id } = only(
    await db.become(ada, (run) =>
      run<{ id: string }>(`select id from private.request_payment('120.50', 'virement', '{}', null)`),
    ),
  );
  for (const status of ['approved', 'paid']) await db.become(admin, (run) => run(asSeen.decide, [id, status, null]));
  expect(await regular()).toMatchObject([
    { id: ada.id, contracts: '3', payments: '1', paid: '120.50', dealt_at: null },
  ]);
  expect(await regular(ada.id)).toHaveLength(1);
  for (const { id: other } of [bea, cleo]) expect(await regular(other)).toEqual([]);
});

test('[AC-10] a contract of more than twelve months ago counts no longer, nor one that was cancelled; one that was reduced does', async () => {
  const dora = await aClient(db, { commercial });
  await is(dora, 'particulier');
  const [, one] = [await earns(dora), await earns(dora)];
  const old = await aSale(db, { commercial, friendReferrer: dora, scale, isReady: true });
  await db.become(admin, async (run) => {
    await run(`select set_config('app.at', (now() - interval '366 days')::text, true)`);
    await run(asSeen.validate, [old.id, scale.id]);
  });
  expect(await regular(dora.id)).toEqual([]);
  const third = await earns(dora);
  expect(await regular(dora.id)).toMatchObject([{ contracts: '3' }]);
  const [{ seen } = { seen: '' }] = await db.asOwner<{ seen: string }>(
    'select contract_amount as seen from public.sales where id = $1',
    [one.id],
  );
  await db.become(admin, (run) =>
    run(`select private.cancel_validation($1, 'Moins', $2, 0, 0, 10.00, $3)`, [one.id, one.version, seen]),
  );
  expect(await regular(dora.id)).toMatchObject([{ contracts: '3' }]);
  await db.become(admin, (run) => run(asSeen.cancel, [third.id, 'Erreur']));
  expect(await regular(dora.id)).toEqual([]);
});

test('[AC-10] the company says from how many; who says nothing of it leaves it as it is, and the trail says what changed', async () => {
  await set(4);
  expect(await ids()).not.toContain(ada.id);
  await set(null);
  expect(await ids()).not.toContain(ada.id);
  await set(3);
  expect(await ids()).toContain(ada.id);
  for (const wrong of [0, 100]) await expect(set(wrong)).rejects.toThrow('das2_settings_regular_from_is_a_count');
  const trail = await db.asOwner<{ change: string }>(
    `select concat_ws(' ', before ->> 'regular_from', after ->> 'regular_from') as change from public.audit_entries
     where after ? 'regular_from' order by id`,
  );
  expect(trail.map(({ change }) => change)).toEqual(['3 4', '4 3']);
});

test('[AC-10] whoever was dealt with is quiet until the year ends or the status changes; the trail keeps one act', async () => {
  await deal(ada);
  await deal(ada);
  expect(only(await regular(ada.id)).dealt_at).not.toBeNull();
  // The details may change meanwhile, another year begin, or the status go and come back.
  await is(ada, 'particulier');
  expect(only(await regular(ada.id)).dealt_at).not.toBeNull();
  const [{ next } = { next: '' }] = await db.asOwner<{ next: string }>(
    `select (date_trunc('year', now() at time zone 'Europe/Paris') + interval '1 year')::timestamp at time zone 'Europe/Paris' as next`,
  );
  expect(only(await regular(ada.id, admin, new Date(next).toISOString())).dealt_at).toBeNull();
  await is(ada, 'micro');
  expect(await regular(ada.id)).toEqual([]);
  await is(ada, 'particulier');
  expect(only(await regular(ada.id)).dealt_at).toBeNull();
  const trail = await db.asOwner(
    `select from public.audit_entries where entity_id = $1 and after ? 'regularity_dealt'`,
    [ada.id],
  );
  expect(trail).toHaveLength(1);
  // Of whoever is told no longer nothing is kept.
  await deal(cleo);
  await expect(deal(admin)).rejects.toThrow('payee_unknown');
});

test('[AC-10] it is the admin’s alone, and a payee reads nothing of it', async () => {
  await deal(ada);
  for (const who of [commercial, ada]) {
    await expect(regular(null, who)).rejects.toThrow('forbidden');
    await expect(regular(ada.id, who)).rejects.toThrow('forbidden');
    await expect(deal(ada, who)).rejects.toThrow('forbidden');
  }
  const { details } = only(
    await db.become(ada, (run) =>
      run<{ details: object }>(`select private.payee_shown($1) -> 'details' as details`, [ada.id]),
    ),
  );
  expect(Object.keys(details)).not.toContain('regularity_dealt_at');
});
