import { afterAll, beforeAll, expect, test } from 'vitest';

import {
  aClient,
  aCommercial,
  aScale,
  aValidatedSale,
  anAdmin,
  brokenInvariants,
  createTestDatabase,
  only,
} from '../src/testing.ts';
import type { Person, TestDatabase } from '../src/testing.ts';
import { outcome, race } from './world.ts';

// A payee questions a line of their account (LG-06): once, in a thread that the company closes.

let db: TestDatabase;
let admin: Person;
let commercial: Person;
beforeAll(async () => {
  db = await createTestDatabase();
  admin = await anAdmin(db);
  commercial = await aCommercial(db);
  await aScale(db, { isDefault: true });
});
afterAll(async () => {
  expect((await brokenInvariants(db.asOwner)).map(({ invariant }) => invariant.id)).toEqual([]);
  await db.drop();
});

async function aLine(): Promise<{ client: Person; entry: string }> {
  const client = await aClient(db, { commercial });
  await aValidatedSale(db, { commercial, friendReferrer: client, admin });
  const { id } = only(
    await db.asOwner<{ id: string }>('select id from public.ledger_entries where payee_id = $1', [client.id]),
  );
  return { client, entry: id };
}
type Row = { readonly id: string; readonly version: number };
const open = async (who: Person, entry: string, body = 'Le contrat était de 2 000 €.') =>
  only(await db.become(who, (run) => run<Row>('select * from private.open_dispute($1, $2)', [entry, body])));
const answer = (who: Person, id: string, body = 'Merci de votre question.') =>
  db.become(who, (run) => run('select private.answer_dispute($1, $2)', [id, body]));
const close = (who: Person, id: string, version: number | null, body = 'Le montant est celui du contrat signé.') =>
  db.become(who, (run) =>
    run<{ already: boolean }>('select already from private.close_dispute($1, $2, $3)', [id, body, version]),
  );
const adjust = (who: Person, id: string, version: number, amount: string, body = 'Une tranche manquait.') =>
  db.become(who, (run) =>
    run<{ already: boolean }>('select already from private.close_dispute($1, $2, $3, $4)', [id, body, version, amount]),
  );
const annul = (who: Person, id: string, version: number, body = 'Ajustement saisi deux fois.') =>
  db.become(who, (run) =>
    run<{ already: boolean }>('select already from private.annul_adjustment($1, $2, $3)', [id, body, version]),
  );
const told = async (who: Person, id: string) =>
  (
    await db.asOwner<{ kind: string }>(
      'select kind from public.notices where recipient_id = $1 and dispute_id = $2 order by created_at, kind',
      [who.id, id],
    )
  ).map(({ kind }) => kind);

test('[DF-42] a question that is answered is nobody’s to do any more', async () => {
  const { client, entry } = await aLine();
  const { id } = await open(client, entry);
  const toDo = () =>
    db.asOwner('select from public.notices where recipient_id = $1 and dispute_id = $2 and read_at is null', [
      admin.id,
      id,
    ]);
  expect(await toDo()).toHaveLength(1);
  await answer(admin, id);
  expect(await toDo()).toEqual([]);
});

test('[LG-06] a payee questions a line of their own account, once; both are told at each step, and closed is closed', async () => {
  const { client, entry } = await aLine();
  const { client: other } = await aLine();
  expect(await outcome(open(other, entry))).toBe('line_not_found');
  expect(await outcome(open(client, entry, ' '))).toBe('message_required');
  expect(await outcome(open(admin, entry))).toBe('forbidden');
  const { id } = await open(client, entry);
  expect(await outcome(open(client, entry))).toBe('line_already_disputed');
  expect(await told(admin, id)).toEqual(['dispute_opened']);

  expect(await outcome(answer(other, id))).toBe('dispute_not_found');
  expect(await outcome(answer(commercial, id))).toBe('dispute_not_found');
  await answer(admin, id);
  await answer(client, id, 'Il manque une tranche.');
  expect(await told(client, id)).toEqual(['dispute_answered']);
  expect(await told(admin, id)).toEqual(['dispute_opened', 'dispute_answered']);

  expect(await outcome(close(client, id, 3))).toBe('forbidden');
  expect(await outcome(close(admin, id, null))).toBe('seen_required');
  // A message that came since was not read.
  expect(await outcome(close(admin, id, 2))).toBe('dispute_changed');
  expect(await close(admin, id, 3)).toEqual([{ already: false }]);
  expect(await close(admin, id, 3)).toEqual([{ already: true }]);
  expect(await outcome(close(admin, id, 3, 'Autre chose'))).toBe('dispute_closed');
  expect(await outcome(answer(client, id))).toBe('dispute_closed');
  expect(await outcome(open(client, entry))).toBe('line_already_disputed');
  expect(await told(client, id)).toEqual(['dispute_answered', 'dispute_closed']);
});

test('[LG-06, V-16] the same question, answers and closings at once: one thread, each message once, one last word', async () => {
  const { client, entry } = await aLine();
  expect(await race(Array.from({ length: 4 }, () => () => open(client, entry)))).toEqual({
    ok: 1,
    line_already_disputed: 3,
  });
  const { id } = only(await db.asOwner<Row>('select id from public.disputes where payee_id = $1', [client.id]));
  const second = await anAdmin(db);
  const said = await race([() => close(admin, id, 1), () => close(second, id, 1, 'Non.'), () => answer(client, id)]);
  expect(Object.keys(said).filter((code) => !['ok', 'dispute_closed', 'dispute_changed'].includes(code))).toEqual([]);
  const messages = await db.asOwner<{ n: number; version: number }>(
    `select count(m.id)::integer as n, d.version from public.disputes d join public.dispute_messages m on m.dispute_id = d.id
     where d.id = $1 group by d.version`,
    [id],
  );
  expect(messages).toEqual([{ n: messages[0]?.version, version: messages[0]?.version }]);
});

test('[LG-06, P-03, P-04] a thread is read by its payee and the admins, and what was said stays said, whoever writes', async () => {
  const { client, entry } = await aLine();
  const { client: other } = await aLine();
  const { id } = await open(client, entry);
  const read = (who: Person) =>
    db.become(who, (run) =>
      run(`select d.id from public.disputes d join public.dispute_messages m on m.dispute_id = d.id where d.id = $1`, [
        id,
      ]),
    );
  expect([await read(client), await read(admin), await read(other), await read(commercial)]).toEqual([
    [{ id }],
    [{ id }],
    [],
    [],
  ]);
  await close(admin, id, 1);
  for (const sql of [
    'update public.disputes set closed_at = null, closed_by = null',
    'update public.disputes set version = version + 1',
    'delete from public.disputes',
    `update public.dispute_messages set body = 'x'`,
    'delete from public.dispute_messages',
  ]) {
    expect([sql, await outcome(db.asOwner(sql))]).toEqual([sql, 'forbidden']);
    expect([sql, await outcome(db.become(client, (run) => run(sql)))]).toEqual([sql, '42501']);
  }
});

const balance = async (client: Person) =>
  only(
    await db.asOwner<{ available: string }>(
      'select (earned - reversed - held - reserved - paid)::text as available from public.balances where profile_id = $1',
      [client.id],
    ),
  ).available;
const lines = (who: Person, client: Person) =>
  db.become(who, (run) =>
    run(
      `select act, debit, credit, amount, change, reason from public.account_lines
       where payee_id = $1 and act in ('adjustment', 'deduction') order by entry_id`,
      [client.id],
    ),
  );

test('[LG-06, LG-01] the last word may adjust the account, more or less: one transfer with its reason, told to the payee, once', async () => {
  const { client, entry } = await aLine();
  const before = Number.parseFloat(await balance(client));
  const { id } = await open(client, entry);
  expect(await outcome(adjust(client, id, 1, '30'))).toBe('forbidden');
  expect(await adjust(admin, id, 1, '30')).toEqual([{ already: false }]);
  expect(await adjust(admin, id, 1, '30')).toEqual([{ already: true }]);
  for (const other of ['-30', '31']) expect(await outcome(adjust(admin, id, 1, other))).toBe('dispute_closed');
  expect(await balance(client)).toBe((before + 30).toFixed(2));
  const line = { act: 'adjustment', debit: 'adjusted', credit: 'available', amount: '30.00', change: '30.00' };
  const seen = [{ ...line, reason: 'Une tranche manquait.' }];
  expect([await lines(client, client), await lines(admin, client)]).toEqual([seen, seen]);
  expect(await told(client, id)).toEqual(['dispute_closed']);
  const [account] = await db.become(admin, (run) =>
    run('select earned, reversed, adjusted, available from public.payee_accounts where id = $1', [client.id]),
  );
  expect(account).toEqual({
    earned: before.toFixed(2),
    reversed: '0.00',
    adjusted: '30.00',
    available: (before + 30).toFixed(2),
  });
  // The sum due to clients counts the adjustment.
  const due = async () =>
    only(
      await db.become(admin, (run) =>
        run<{ due: string }>('select commissions_due as due from public.admin_figures()'),
      ),
    ).due;
  const counted = Number.parseFloat(await due());
  expect(await annul(admin, id, 2)).toEqual([{ already: false }]);
  expect(Number.parseFloat(await due())).toBeCloseTo(counted - 30, 2);
});

test('[LG-06] an adjustment is from a cent to 10 000 €, and never takes more than was given', async () => {
  const { client, entry } = await aLine();
  const given = await balance(client);
  const { id } = await open(client, entry);
  const cent = (Number.parseFloat(given) + 0.01).toFixed(2);
  for (const amount of ['0', '10000.01', '-10000.01', '0.001', `-${cent}`, 'NaN']) {
    expect([amount, await outcome(adjust(admin, id, 1, amount))]).toEqual([amount, 'adjustment_out_of_range']);
  }
  await adjust(admin, id, 1, `-${given}`);
  expect(await balance(client)).toBe('0.00');
  // The line that takes can be questioned in its turn, and given back in part.
  const { id: taken } = only(
    await db.asOwner<{ id: string }>(`select id from public.ledger_entries where payee_id = $1 and act = 'deduction'`, [
      client.id,
    ]),
  );
  const second = await open(client, taken);
  await adjust(admin, second.id, 1, '5', 'Une partie vous est rendue.');
  expect(await balance(client)).toBe('5.00');
});

test('[LG-06] an adjustment is annulled once by its opposite, with a reason; a debt remains of what was paid already', async () => {
  const { client, entry } = await aLine();
  const { id } = await open(client, entry);
  expect(await outcome(annul(admin, id, 1))).toBe('adjustment_not_found');
  await adjust(admin, id, 1, '40');
  const all = await balance(client);
  await db.become(client, (run) => run(`select private.request_payment($1, 'remise_societe', '{}', null)`, [all]));
  expect(await outcome(annul(client, id, 2))).toBe('forbidden');
  expect(await outcome(annul(admin, id, 1))).toBe('dispute_changed');
  expect(await outcome(annul(admin, id, 2, ' '))).toBe('message_required');
  expect(await annul(admin, id, 2)).toEqual([{ already: false }]);
  expect(await annul(admin, id, 2)).toEqual([{ already: true }]);
  expect(await outcome(annul(admin, id, 3, 'Encore'))).toBe('adjustment_annulled');
  expect(await balance(client)).toBe('-40.00');
  expect((await lines(client, client)).map(({ act, change, reason }) => [act, change, reason])).toEqual([
    ['adjustment', '40.00', 'Une tranche manquait.'],
    ['deduction', '-40.00', 'Ajustement saisi deux fois.'],
  ]);
  expect(await told(client, id)).toEqual(['dispute_closed', 'adjustment_annulled']);
  const trail = await db.asOwner<{ given: string | null; reason: string }>(
    `select after ->> 'adjustment' as given, reason from public.audit_entries where entity = 'disputes' and entity_id = $1 order by id`,
    [id],
  );
  expect(trail).toEqual([
    { given: '40.00', reason: 'Une tranche manquait.' },
    { given: null, reason: 'Ajustement saisi deux fois.' },
  ]);
});

test('[LG-06, V-16] adjusted and annulled by several at once: one transfer each', async () => {
  const { client, entry } = await aLine();
  const before = await balance(client);
  const { id } = await open(client, entry);
  const second = await anAdmin(db);
  const closings = await race([
    () => adjust(admin, id, 1, '10'),
    () => adjust(second, id, 1, '10'),
    () => adjust(second, id, 1, '-10', 'Non.'),
  ]);
  expect(closings['ok']).toBe(1);
  expect(await race([() => annul(admin, id, 2), () => annul(second, id, 2)])).toEqual({
    ok: 1,
    adjustment_annulled: 1,
  });
  expect(await balance(client)).toBe(before);
  expect(await lines(admin, client)).toHaveLength(2);
});

test('[LG-06, P-04] an adjustment is neither given without a closing, nor changed, nor taken back twice, whoever writes', async () => {
  const { client, entry } = await aLine();
  const { id } = await open(client, entry);
  expect(
    await outcome(db.asOwner('update public.disputes set version = version + 1, adjustment = 5 where id = $1', [id])),
  ).toBe('disputes_adjustment_is_of_their_end');
  await adjust(admin, id, 1, '5');
  for (const change of ['adjustment = 6', 'adjustment = null', 'closed_at = now()']) {
    const sql = `update public.disputes set version = version + 1, ${change} where id = $1`;
    expect([change, await outcome(db.asOwner(sql, [id]))]).toEqual([change, 'forbidden']);
  }
  await annul(admin, id, 2);
  const again = `update public.disputes set version = version + 1, adjustment_annulled_at = now() where id = $1`;
  expect(await outcome(db.asOwner(again, [id]))).toBe('forbidden');
});
