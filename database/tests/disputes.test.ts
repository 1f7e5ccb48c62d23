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
const told = async (who: Person, id: string) =>
  (
    await db.asOwner<{ kind: string }>(
      'select kind from public.notices where recipient_id = $1 and dispute_id = $2 order by created_at, kind',
      [who.id, id],
    )
  ).map(({ kind }) => kind);

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
  // What came since was not read.
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
