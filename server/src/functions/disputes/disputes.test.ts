import { afterAll, beforeAll, expect, test } from 'vitest';

import { callAs } from '../../testing/call-function.ts';
import { aClient, aCommercial, anAdmin, aScale, aValidatedSale, only, startTestServer } from '../../testing/index.ts';
import type { Person, TestServer } from '../../testing/index.ts';

// Effects of the company's last word on a dispute (LG-06). The money itself: database/tests/disputes.test.ts.

let server: TestServer;
let admin: Person;
let client: Person;
beforeAll(async () => {
  server = await startTestServer({ doors: ['functions'], jobs: false });
  const db = server.database;
  const commercial = await aCommercial(db);
  [admin, client] = [await anAdmin(db), await aClient(db, { commercial })];
  const scale = await aScale(db, { clientType: 'fixed', clientAmount: '50' });
  await aValidatedSale(db, { admin, commercial, friendReferrer: client, scale });
});
afterAll(() => server.close());

const call = (who: Person, body: Record<string, unknown>) => callAs(server, who, 'disputes', body);

test('[DF-28] what is missing or of another kind is refused in French, in each action', async () => {
  const odd: readonly Record<string, unknown>[] = [
    {},
    { entry_id: 12, message: 3 },
    { entry_id: null, dispute_id: 4, message: ['x'], seen_version: 'x', direction: 7, amount: {} },
  ];
  for (const [who, action] of [
    [client, 'open'],
    [client, 'answer'],
    [admin, 'close'],
    [admin, 'annul_adjustment'],
  ] as const) {
    for (const body of odd) {
      const reply = await call(who, { action, ...body });
      expect([400, 404]).toContain(reply.status);
      expect(JSON.stringify(reply.body)).not.toMatch(/Invalid|expected|received/u);
    }
  }
});

test('[LG-06, V-17] an adjustment is an amount and its direction: what is neither is refused with what to do, and nothing moves', async () => {
  const entry = only(
    await server.database.asOwner<{ id: string }>('select id from public.ledger_entries where payee_id = $1', [
      client.id,
    ]),
  );
  const opened = await call(client, { action: 'open', entry_id: entry.id, message: 'Il manque une tranche.' });
  const { id } = opened.body['data'] as { id: string };
  const close = { action: 'close', dispute_id: id, seen_version: 1, message: 'Voici la différence.' };
  for (const amount of [undefined, '', '0', '-5', '12,345', '10000,01', 'douze', null, Number.NaN]) {
    const refused = await call(admin, { ...close, direction: 'more', amount });
    expect([amount, refused.status, JSON.stringify(refused.body)]).toEqual([
      amount,
      400,
      expect.stringContaining('Indiquez un montant de 0,01\u00a0€ à 10\u202f000,00\u00a0€.'),
    ]);
  }
  expect((await call(admin, { ...close, direction: 'up', amount: '5' })).status).toBe(400);
  expect(await call(admin, { ...close, direction: 'less', amount: '50,01' })).toMatchObject({
    status: 400,
    body: {
      code: 'adjustment_out_of_range',
      error:
        'Un ajustement va de 0,01\u00a0€ à 10\u202f000,00\u00a0€, et ne retire jamais plus que ce que cette personne a reçu : 50,00\u00a0€.',
    },
  });
  expect((await call(client, { ...close, direction: 'more', amount: '5' })).status).toBe(403);
  expect(await call(admin, { ...close, direction: 'more', amount: '12,50' })).toMatchObject({
    status: 200,
    body: { success: true, already: false, data: { adjustment: 12.5 } },
  });
  const annulment = { action: 'annul_adjustment', dispute_id: id, seen_version: 2, message: 'Saisi deux fois.' };
  expect((await call(client, annulment)).status).toBe(403);
  expect(await call(admin, annulment)).toMatchObject({ status: 200, body: { message: 'Ajustement annulé' } });
  const lines = await server.database.asOwner(
    `select act, amount::text from public.ledger_entries where source_id = $1 order by id`,
    [id],
  );
  expect(lines).toEqual([
    { act: 'adjustment', amount: '12.50' },
    { act: 'deduction', amount: '12.50' },
  ]);
});
