import { afterAll, beforeAll, expect, test } from 'vitest';

import { readPdf } from '../../testing/read-pdf.ts';
import { callAs } from '../../testing/call-function.ts';
import { aClient, aCommercial, anAdmin, aScale, aValidatedSale, only, startTestServer } from '../../testing/index.ts';
import type { Person, TestServer } from '../../testing/index.ts';

// Debts that are repaid or waived, adjustments that an admin starts (AC-05). The money itself: database/tests/debts.test.ts.

let server: TestServer;
let admin: Person;
let other: Person;
let client: Person;
beforeAll(async () => {
  server = await startTestServer({ doors: ['functions', 'exports', 'rest'], jobs: false });
  const db = server.database;
  const commercial = await aCommercial(db);
  [admin, other, client] = [
    await anAdmin(db),
    await anAdmin(db),
    await aClient(db, { commercial, fullName: 'Alice Aubert' }),
  ];
  const scale = await aScale(db, { clientType: 'fixed', clientAmount: '50' });
  await aValidatedSale(db, { admin, commercial, friendReferrer: client, scale });
  // Paid: a request that waits is no debt.
  const { id } = only(
    await db.become(client, (run) =>
      run<{ id: string }>(`select id from private.request_payment(50, 'remise_societe', '{}', null)`),
    ),
  );
  for (const status of ['approved', 'paid'])
    await db.become(admin, (run) =>
      run('select from private.decide_payment_request($1, $2, null, null, null, null)', [id, status]),
    );
});
afterAll(() => server.close());

const debts = (who: Person, body: Record<string, unknown>, key?: string) =>
  callAs(server, who, 'debts', body, key === undefined ? {} : { key });
const adjust = (body: Record<string, unknown>) =>
  callAs(server, admin, 'disputes', { action: 'adjust', payee_id: client.id, ...body });

test('[AC-05, DF-28] what is missing or of another kind is refused in French, in each action', async () => {
  const odd: readonly Record<string, unknown>[] = [
    {},
    { payee_id: 3, act_id: [], amount: {}, reason: 7, method: 'or', paid_on: 'hier', seen_debt: 'x', direction: 'up' },
  ];
  for (const action of ['repay', 'waive', 'confirm_waiver', 'give_up_waiver', 'annul']) {
    for (const body of odd) {
      const reply = await debts(admin, { action, ...body });
      expect([action, [400, 404, 422].includes(reply.status)]).toEqual([action, true]);
      expect(JSON.stringify(reply.body)).not.toMatch(/Invalid|expected|received/u);
    }
  }
  for (const body of odd) expect(JSON.stringify((await adjust(body)).body)).not.toMatch(/Invalid|expected|received/u);
});

test('[AC-05] an admin starts an adjustment, its debt is repaid, waived and annulled, each told in words', async () => {
  const less = { direction: 'less', amount: '30', reason: 'Contrat saisi deux fois.' };
  expect(await adjust({ ...less, seen_available: '1' })).toMatchObject({
    status: 409,
    body: { code: 'account_changed', error: 'Ce compte a changé : relisez-le.' },
  });
  expect(await adjust({ ...less, seen_available: 0 })).toMatchObject({
    status: 200,
    body: { message: 'Compte ajusté', already: false, data: { adjustment: -30 } },
  });
  const repayment = {
    action: 'repay',
    payee_id: client.id,
    amount: '12,50',
    method: 'cheque',
    reference: 'CHQ 7',
    seen_debt: '30',
  };
  expect(await debts(admin, { ...repayment, amount: '30,01' })).toMatchObject({
    status: 409,
    body: { code: 'debt_changed', error: 'Cette personne doit 30,00\u00a0€ : reprenez le montant.' },
  });
  expect((await debts(client, repayment)).status).toBe(403);
  expect((await debts(admin, { ...repayment, paid_on: '2020-01-01' })).status).toBe(422);
  const first = await debts(admin, repayment, 'repaid-1');
  expect(first).toMatchObject({ status: 200, body: { message: 'Remboursement enregistré', already: false } });
  expect((await debts(admin, repayment, 'repaid-1')).body).toEqual(first.body);
  expect((await debts(admin, repayment)).body).toMatchObject({ already: true });
  await server.database.asOwner('update public.company_settings set release_above = 10');
  const waiver = {
    action: 'waive',
    payee_id: client.id,
    amount: '17,50',
    reason: 'Geste commercial.',
    seen_debt: '17.50',
  };
  const waits = await debts(admin, waiver);
  expect(waits.body).toMatchObject({ message: 'Abandon demandé : un autre administrateur doit le confirmer' });
  const { id } = waits.body['data'] as { id: string };
  expect(await debts(admin, { action: 'confirm_waiver', act_id: id })).toMatchObject({
    status: 403,
    body: { code: 'second_admin_to_confirm' },
  });
  expect(await debts(other, { action: 'confirm_waiver', act_id: id })).toMatchObject({
    status: 200,
    body: { message: 'Abandon confirmé' },
  });
  expect(await debts(other, { action: 'annul', act_id: id, reason: 'Erreur.' })).toMatchObject({
    status: 200,
    body: { message: 'Opération annulée' },
  });
  const notices = await server.database.asOwner<{ kind: string }>(
    'select kind from public.notices where recipient_id = $1 and (debt_act_id is not null or dispute_id is not null) order by created_at, kind',
    [client.id],
  );
  expect(notices.map(({ kind }) => kind)).toEqual([
    'account_adjusted',
    'debt_repaid',
    'debt_waived',
    'debt_act_annulled',
  ]);
});

test('[AC-05] the receipt says who paid back, how much, when, how and what is left; to its payee and the company alone', async () => {
  const { id } = only(
    await server.database.asOwner<{ id: string }>(`select id from public.debt_acts where kind = 'repayment'`),
  );
  const file = (who?: Person) => server.fetch(`/exports/v1/repayments/${id}.pdf`, {}, who);
  const stranger = await aClient(server.database);
  expect([(await file(stranger)).status, (await file()).status]).toEqual([404, 403]);
  for (const who of [client, admin]) {
    const reply = await file(who);
    expect(reply.status).toBe(200);
    const { text, pdfaPart } = await readPdf(Buffer.from(await reply.arrayBuffer()));
    expect(pdfaPart).toBe('3');
    expect(text.replaceAll(/\s+/gu, ' ')).toContain('a reçu d’Alice Aubert la somme');
    for (const said of ['Reçu de remboursement', client.fullName, '12,50', 'Chèque', 'CHQ 7', '30,00', '17,50'])
      expect(text.replaceAll('\u00a0', ' ')).toContain(said);
  }
  const waiver = only(
    await server.database.asOwner<{ id: string }>(`select id from public.debt_acts where kind = 'waiver'`),
  );
  expect((await server.fetch(`/exports/v1/repayments/${waiver.id}.pdf`, {}, admin)).status).toBe(404);
  await debts(admin, { action: 'annul', act_id: id, reason: 'Chèque impayé' });
  expect((await readPdf(Buffer.from(await (await file(client)).arrayBuffer()))).text).toContain('Chèque impayé');
});
