import { afterAll, beforeAll, expect, test } from 'vitest';

import {
  aClient,
  aCommercial,
  anAdmin,
  aSale,
  aScale,
  aValidatedSale,
  only,
  startTestServer,
} from '../testing/index.ts';
import type { Person, TestServer } from '../testing/index.ts';
import { callAs } from '../testing/call-function.ts';

// DF-01: every call of the specification's section 7, with the payload that its table has and nothing more.

let server: TestServer;
let admin: Person;
let commercial: Person;
let client: Person;
let saleId: string;
beforeAll(async () => {
  server = await startTestServer({ environment: { DEMO: '1' } });
  const { database } = server;
  admin = await anAdmin(database);
  commercial = await aCommercial(database);
  client = await aClient(database, { commercial });
  const scale = await aScale(database, { isDefault: true });
  await aValidatedSale(database, { admin, commercial, friendReferrer: client, scale });
  saleId = (await aSale(database, { commercial, friendReferrer: client })).id;
  await aClient(database, { commercial, isTest: true });
});
afterAll(() => server.close());

const statusOf = async (id: string) =>
  only(
    await server.database.asOwner<Record<string, unknown>>(
      'select status, admin_notes, rejection_reason from public.payment_requests where id = $1',
      [id],
    ),
  );

/** A request of 10 € by the literal payload, and its id from the literal list. */
async function ask(): Promise<string> {
  const created = await callAs(server, client, 'payment-request', {
    action: 'create',
    amount: 10,
    payment_method: 'remise_societe',
    payment_details: { company_account: '' },
  });
  expect(created.status).toBe(200);
  const listed = await callAs(server, client, 'payment-request', { action: 'list' });
  const requests = listed.body.data as { id: string }[];
  expect(requests.map(({ id }) => id)).toContain(created.body.data.id);
  return created.body.data.id as string;
}

const decide = (request_id: string, status: string, admin_notes: string | null) =>
  callAs(server, admin, 'payment-request?action=update_status', { request_id, status, admin_notes });

test('[DF-01] [F-08] « update_status » as the specification writes it approves, pays and refuses', async () => {
  const paid = await ask();
  expect(await decide(paid, 'approved', null)).toMatchObject({ status: 200, body: { success: true, already: false } });
  expect(await decide(paid, 'approved', null)).toMatchObject({ status: 200, body: { already: true } });
  expect(await decide(paid, 'paid', null)).toMatchObject({ status: 200, body: { success: true, already: false } });
  expect(await statusOf(paid)).toEqual({ status: 'paid', admin_notes: null, rejection_reason: null });

  const refused = await ask();
  expect((await decide(refused, 'rejected', null)).body).toMatchObject({
    code: 'refusal_reason_required',
    error: 'Veuillez indiquer la raison du refus',
  });
  expect((await decide(refused, 'rejected', 'IBAN clos')).status).toBe(200);
  expect(await statusOf(refused)).toMatchObject({ status: 'rejected', rejection_reason: 'IBAN clos' });
  expect((await decide(refused, 'paid', null)).status).toBe(409);
});

test('[DF-01] [FX-11] what was seen is compared where it is sent', async () => {
  const request = await ask();
  const seen = (more: Record<string, unknown>) =>
    callAs(server, admin, 'payment-request?action=update_status', { request_id: request, status: 'approved', ...more });
  for (const stale of [{ seen_version: 7 }, { expected_amount: 9.99 }, { seen_version: 1, expected_amount: '10.01' }]) {
    expect(await seen(stale)).toMatchObject({
      status: 409,
      body: {
        code: 'request_changed',
        error: 'Cette demande a changé depuis que vous l’avez affichée. Vérifiez-la avant de décider.',
      },
    });
  }
  expect(await statusOf(request)).toMatchObject({ status: 'pending' });
  expect((await seen({ seen_version: 1 })).status).toBe(200);
});

test('[DF-01] every other call of section 7 takes its literal payload', async () => {
  const signedUp = await callAs(server, undefined, 'auth-signup', {
    email: 'marie.petit@example.fr',
    password: 'Une-Longue-Phrase-42',
    full_name: 'Marie Petit',
    phone: '0612345678',
    role: 'client',
  });
  expect(signedUp).toMatchObject({ status: 200 });
  const signedIn = await callAs(server, undefined, 'auth-signin', {
    email: 'marie.petit@example.fr',
    password: 'Une-Longue-Phrase-42',
  });
  expect(signedIn.body).toMatchObject({
    session: { access_token: expect.any(String), refresh_token: expect.any(String) },
    profile: { role: 'client' },
  });

  const settings = await callAs(server, admin, 'company-settings?action=get', undefined, { method: 'GET' });
  expect(settings.body).toMatchObject({ success: true, data: { company_name: 'Mon Entreprise', logo_url: null } });
  const logo = new FormData();
  const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  logo.append('file', new File([Buffer.from(png, 'base64')], 'logo.png', { type: 'image/png' }));
  expect((await callAs(server, admin, 'company-settings?action=upload_logo', logo)).body).toMatchObject({
    logo_url: expect.stringContaining('/storage/v1/object/public/logos/'),
  });
  expect(
    (await callAs(server, admin, 'company-settings?action=update_name', { company_name: 'Parrain SA' })).status,
  ).toBe(200);

  const invited = await callAs(server, admin, 'invite-commercial', {
    name: 'Paul Roux',
    email: 'paul.roux@example.fr',
    phone: null,
  });
  expect(invited.body).toMatchObject({
    emailSent: expect.any(Boolean),
    commercial: { full_name: 'Paul Roux', email: 'paul.roux@example.fr' },
  });
  const scale = await callAs(server, admin, 'commission-management?action=create_commission_rate', {
    name: 'Standard',
    description: null,
    client_commission_type: 'percentage',
    client_commission_amount: 5,
    commercial_commission_type: 'fixed',
    commercial_commission_amount: 100,
  });
  expect(scale.status).toBe(200);

  const moved = await callAs(server, commercial, 'sales-management', {
    action: 'update_status',
    sale_id: saleId,
    status: 'pending_final_validation',
    contract_amount: 1200,
    contract_description: 'Toiture',
    commercial_notes: null,
  });
  expect(moved).toMatchObject({ status: 200, body: { message: 'Statut mis à jour avec succès' } });

  const added = await callAs(server, commercial, 'invite-client', {
    name: 'Ana Prévost',
    email: 'ana.prevost@example.fr',
    phone: null,
    company: null,
    notes: null,
  });
  expect(added.body).toMatchObject({ success: true, emailSent: false, tempPassword: expect.any(String) });
  const ana = only(
    await server.database.asOwner<{ id: string }>(
      `select id from public.profiles where email = 'ana.prevost@example.fr'`,
    ),
  );
  expect((await callAs(server, commercial, 'delete-client', { client_id: ana.id })).status).toBe(200);

  const friend = await callAs(server, client, 'send-invitation-email', {
    name: 'Luc Ami',
    email: 'luc.ami@example.fr',
    phone: null,
    personalMessage: null,
    clientId: client.id,
    clientName: client.fullName,
    clientEmail: client.email,
  });
  expect(friend).toMatchObject({ status: 200 });
});

test('[DF-01] [F-11] « clean-database » without a body deletes the test data, and nothing of anybody but an admin', async () => {
  const tests = async () =>
    only(await server.database.asOwner('select count(*)::int as left_ from public.profiles where is_test'));
  for (const who of [undefined, client, commercial])
    expect((await callAs(server, who, 'clean-database')).status).not.toBe(200);
  expect(await tests()).toEqual({ left_: 1 });
  expect((await callAs(server, admin, 'clean-database', { preview: true })).body).toMatchObject({
    deleted: null,
    would_delete: { clients: 1 },
  });
  expect(await tests()).toEqual({ left_: 1 });
  expect(await callAs(server, admin, 'clean-database')).toMatchObject({
    status: 200,
    body: { success: true, message: 'Données de test supprimées', deleted: { clients: 1 } },
  });
  expect(await tests()).toEqual({ left_: 0 });
});
