import { afterAll, beforeAll, expect, test } from 'vitest';

import {
  aClient,
  aCommercial,
  anAdmin,
  asJustSeen,
  aScale,
  aValidatedSale,
  only,
  startTestServer,
} from '../../testing/index.ts';
import type { Person, TestServer } from '../../testing/index.ts';
import { callAs } from '../../testing/call-function.ts';

let server: TestServer;
let admin: Person;
let commercial: Person;
let client: Person;
let testCommercial: Person;
beforeAll(async () => {
  server = await startTestServer({ environment: { DEMO: '1' } });
  const { database } = server;
  admin = await anAdmin(database);
  commercial = await aCommercial(database);
  client = await aClient(database, { commercial });
  const scale = await aScale(database, { isDefault: true });
  await aValidatedSale(database, { admin, commercial, friendReferrer: client, scale });

  testCommercial = await aCommercial(database, { isTest: true });
  const testClient = await aClient(database, { commercial: testCommercial, isTest: true });
  const testScale = await aScale(database, { isTest: true });
  const sale = await aValidatedSale(database, {
    admin,
    commercial: testCommercial,
    friendReferrer: testClient,
    scale: testScale,
    isTest: true,
  });
  const cancelled = await callAs(
    server,
    admin,
    'sales-management',
    await asJustSeen(database, { action: 'cancel_validation', sale_id: sale.id, reason: 'Essai' }),
  );
  expect(cancelled.status).toBe(200);
  await aValidatedSale(database, {
    admin,
    commercial: testCommercial,
    friendReferrer: testClient,
    scale: testScale,
    isTest: true,
  });
  // Data that a demo account creates is test data too.
  await callAs(server, testClient, 'payment-request', {
    action: 'create',
    amount: 20,
    payment_method: 'remise_societe',
  });
  await callAs(server, testClient, 'send-invitation-email', { name: 'Ami', email: 'ami@example.fr' });
  const line = only(
    await database.asOwner<{ id: string }>('select id from public.ledger_entries where payee_id = $1 limit 1', [
      testClient.id,
    ]),
  );
  const question = await callAs(server, testClient, 'disputes', { action: 'open', entry_id: line.id, message: 'Et ?' });
  expect(question.status).toBe(200);
  const { id: disputeId } = question.body['data'] as { id: string };
  const closing = {
    action: 'close',
    dispute_id: disputeId,
    seen_version: 1,
    message: 'Tenez.',
    direction: 'more',
    amount: '5',
  };
  expect((await callAs(server, admin, 'disputes', closing)).status).toBe(200);
});
afterAll(() => server.close());

const NAME = 'Mon Entreprise';
const clean = (who?: Person, body?: Record<string, unknown>) => callAs(server, who, 'clean-database', body);
const preview = () => clean(admin, { preview: true });
const rows = async () =>
  only(
    await server.database.asOwner<Record<string, number>>(
      `select (select count(*)::int from public.profiles) as profiles, (select count(*)::int from public.sales) as sales,
        (select count(*)::int from public.commission_payments) as payments,
        (select count(*)::int from public.payment_requests) as requests,
        (select count(*)::int from public.commission_rates) as scales,
        (select count(*)::int from public.profiles where is_test) as test_people,
        (select count(*)::int from public.sales where is_test) as test_sales`,
    ),
  );
const WOULD_DELETE = {
  sales: 4,
  commission_payments: 6,
  payment_requests: 1,
  commission_rates: 1,
  clients: 1,
  commercials: 1,
};

test('[F-11] [P-05] [FX-02] threat 33: visitor, client, commercial, confirmation absent or wrong: nothing is deleted', async () => {
  const before = await rows();
  expect((await clean()).status).toBe(401);
  for (const who of [client, commercial]) {
    expect((await clean(who)).status).toBe(403);
    expect((await clean(who, { confirmation: NAME })).status).toBe(403);
  }
  for (const confirmation of [undefined, null, '', 'supprimer', 'SUPPRIMER', true, ['Mon Entreprise'], 'Autre']) {
    expect(await clean(admin, { confirmation })).toMatchObject({
      status: 400,
      body: {
        code: 'confirmation_required',
        error: 'Pour confirmer, saisissez le nom de l’entreprise tel qu’il est affiché.',
      },
    });
  }
  expect(await rows()).toEqual(before);
});

test('[P-05] outside the demo cleaning is off, for an admin too', async () => {
  const production = await startTestServer({ environment: { DEMO: '0' } });
  try {
    const boss = await anAdmin(production.database);
    for (const body of [undefined, { preview: true }, { confirmation: NAME }]) {
      expect(await callAs(production, boss, 'clean-database', body)).toMatchObject({
        status: 403,
        body: { code: 'cleaning_disabled' },
      });
    }
  } finally {
    await production.close();
  }
});

test('[FX-67] [DF-01] with `preview` it says what would go and what holds, and changes nothing', async () => {
  const before = await rows();
  expect(await preview()).toMatchObject({
    status: 200,
    body: { success: true, deleted: null, would_delete: WOULD_DELETE, held_by: [], reauthentication_required: false },
  });
  expect(await rows()).toEqual(before);
});

test('[FX-02] a real client of a test commercial holds everything, and the refusal names them', async () => {
  const held = await aClient(server.database, { commercial: testCommercial });
  const before = await rows();
  const holds = [{ kind: 'clients', number: 1, examples: [held.fullName] }];
  expect((await preview()).body.held_by).toEqual(holds);
  expect(await clean(admin)).toMatchObject({ status: 409, body: { code: 'cleaning_held' } });
  expect(await clean(admin, { confirmation: NAME })).toMatchObject({
    status: 409,
    body: {
      code: 'cleaning_held',
      error: `Rien n’a été supprimé : des données réelles tiennent à des données de test. 1 client réel est suivi par un commercial de test : rattachez-le à un autre commercial (${held.fullName}).`,
    },
  });
  expect(await rows()).toEqual(before);
  const moved = await callAs(server, admin, 'update-client', {
    client_id: held.id,
    name: held.fullName,
    email: held.email,
    commercial_id: commercial.id,
  });
  expect(moved.status).toBe(200);
});

test('[FX-02] a session of more than ten minutes ago signs in again first', async () => {
  const before = await rows();
  const age = (minutes: number) =>
    server.database.asOwner('update auth.sessions set created_at = now() - make_interval(mins => $2) where id = $1', [
      admin.sessionId,
      minutes,
    ]);
  await age(11);
  expect((await preview()).body.reauthentication_required).toBe(true);
  expect(await clean(admin)).toMatchObject({ status: 403, body: { code: 'reauthentication_required' } });
  expect(await clean(admin, { confirmation: NAME })).toMatchObject({
    status: 403,
    body: {
      code: 'reauthentication_required',
      error: 'Votre connexion date de plus de dix minutes : reconnectez-vous avant de continuer.',
    },
  });
  expect(await rows()).toEqual(before);
  await age(0);
});

test('[F-11] [P-05] [FX-02] the admin deletes the test data, and it alone, and the audit trail says so', async () => {
  const before = await rows();
  expect(before).toMatchObject({ test_people: 2, test_sales: 4 });
  const reply = await clean(admin, { confirmation: ' mon  entreprise ' });
  expect(reply).toMatchObject({
    status: 200,
    body: {
      success: true,
      message: 'Données de test supprimées',
      deleted: WOULD_DELETE,
      password_change_required: false,
    },
  });
  expect(await rows()).toEqual({
    profiles: 4,
    sales: 1,
    payments: 2,
    requests: 0,
    scales: 1,
    test_people: 0,
    test_sales: 0,
  });
  const audit = await server.database.asOwner<{ actor_id: string; before: unknown }>(
    `select actor_id, before from public.audit_entries where action = 'clean'`,
  );
  expect(audit).toMatchObject([{ actor_id: admin.id, before: { sales: 4, clients: 1 } }]);
  const gone = await callAs(server, testCommercial, 'company-settings?action=get', undefined, { method: 'GET' });
  expect(gone.status).toBe(401);
  expect((await preview()).body.would_delete).toMatchObject({ sales: 0, clients: 0 });
});
