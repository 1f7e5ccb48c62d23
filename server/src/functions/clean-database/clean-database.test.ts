import { afterAll, beforeAll, expect, test } from 'vitest';

import { aClient, aCommercial, anAdmin, aScale, aValidatedSale, only, startTestServer } from '../../testing/index.ts';
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
  await callAs(server, admin, 'sales-management', { action: 'cancel_validation', sale_id: sale.id, reason: 'Essai' });
  await aValidatedSale(database, {
    admin,
    commercial: testCommercial,
    friendReferrer: testClient,
    scale: testScale,
    isTest: true,
  });
  // What an account of the demonstration does is test data too.
  await callAs(server, testClient, 'payment-request', {
    action: 'create',
    amount: 20,
    payment_method: 'remise_societe',
  });
  await callAs(server, testClient, 'send-invitation-email', { name: 'Ami', email: 'ami@example.fr' });
});
afterAll(() => server.close());

const clean = (who?: Person, body?: Record<string, unknown>) => callAs(server, who, 'clean-database', body);
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

test('[F-11] [P-05] ligne 33 : visiteur, client, commercial, confirmation absente ou fausse : rien n’est supprimé', async () => {
  const before = await rows();
  expect((await clean()).status).toBe(401);
  expect((await clean(client)).status).toBe(403);
  expect((await clean(commercial)).status).toBe(403);
  for (const body of [
    {},
    { confirmation: '' },
    { confirmation: 'supprimer' },
    { confirmation: true },
    { confirmation: 'Autre' },
  ]) {
    expect(await clean(admin, body)).toMatchObject({ status: 400, body: { code: 'confirmation_required' } });
  }
  expect(await rows()).toEqual(before);
});

test('[P-05] hors démonstration, le nettoyage est désactivé, même pour un admin', async () => {
  const production = await startTestServer({ database: server.database, environment: { DEMO: '0' } });
  const before = await rows();
  try {
    for (const body of [undefined, { confirmation: 'SUPPRIMER' }]) {
      expect(await callAs(production, admin, 'clean-database', body)).toMatchObject({
        status: 403,
        body: { code: 'cleaning_disabled' },
      });
    }
  } finally {
    await production.close();
  }
  expect(await rows()).toEqual(before);
});

test('[F-11] [P-05] l’admin supprime les données de test, elles seules, et la piste d’audit le dit', async () => {
  const before = await rows();
  expect(before).toMatchObject({ test_people: 2, test_sales: 4 });
  // The source's page sends no body.
  const reply = await clean(admin);
  expect(reply).toMatchObject({
    status: 200,
    body: {
      success: true,
      deleted: { sales: 4, payment_requests: 1, clients: 1, commercials: 1, commission_rates: 1 },
    },
  });
  expect(await rows()).toEqual({
    profiles: 3,
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
});

test('[P-05] confirmé par le mot, ou par le nom de l’entreprise', async () => {
  expect((await clean(admin, { confirmation: 'SUPPRIMER' })).status).toBe(200);
  await callAs(server, admin, 'company-settings?action=update_name', { company_name: 'Atelier Nord' });
  expect((await clean(admin, { confirmation: ' Atelier Nord ' })).status).toBe(200);
});
