import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import {
  aClient,
  aCommercial,
  anAdmin,
  asJustSeen,
  aSale,
  aScale,
  aValidatedSale,
  startTestServer,
} from '../testing/index.ts';
import type { Person, TestServer } from '../testing/index.ts';
import { callAs } from '../testing/call-function.ts';

let server: TestServer;
let admin: Person;
let commercial: Person;
beforeAll(async () => {
  server = await startTestServer();
  admin = await anAdmin(server.database);
  commercial = await aCommercial(server.database);
  await aScale(server.database, { isDefault: true });
});
afterAll(() => server.close());

const exists = async (person: Person) =>
  (await server.database.asOwner('select from auth.users where id = $1', [person.id])).length === 1;
const profileOf = async (person: Person) =>
  (
    await server.database.asOwner<Record<string, unknown>>('select * from public.profiles where id = $1', [person.id])
  )[0];

describe('deleting a client', () => {
  const remove = (client: Pick<Person, 'id'>, who = commercial) =>
    callAs(server, who, 'delete-client', { client_id: client.id });
  const clientOf = (fullName = 'Nadia Neuve') => aClient(server.database, { commercial, fullName });

  test('[F-14] [V-13] a client on whom nothing rests is deleted, with the data that concern them alone', async () => {
    const client = await clientOf('Élodie Œuvré');
    await aSale(server.database, { commercial, friendReferrer: client, status: 'rejected' });
    expect(await remove(client)).toMatchObject({
      status: 200,
      body: { success: true, message: 'Client Élodie Œuvré supprimé avec succès !' },
    });
    expect(await exists(client)).toBe(false);
    expect(await remove(client)).toMatchObject({ status: 404, body: { code: 'client_not_found' } });
    expect((await remove(await clientOf(), admin)).status).toBe(200);
  });

  test('[V-13] refused, with its reason, where there is revenue, a commission or an open referral', async () => {
    const { database } = server;
    const withRevenue = await clientOf();
    await aSale(database, { commercial, friendReferrer: withRevenue, status: 'validated' });
    expect(await remove(withRevenue)).toMatchObject({
      status: 409,
      body: { error: 'Impossible de supprimer ce client car il a généré du CA.', code: 'client_has_revenue' },
    });
    const live = await clientOf();
    await aSale(database, { commercial, friendReferrer: live, status: 'contacted' });
    expect((await remove(live)).body.code).toBe('client_has_live_referral');
    const paid = await clientOf();
    await aValidatedSale(database, { commercial, friendReferrer: paid, admin });
    expect((await remove(paid)).status).toBe(409);
    for (const client of [withRevenue, live, paid]) expect(await exists(client)).toBe(true);
  });

  test('[P-02] threat 25: a colleague’s client does not exist for them', async () => {
    const other = await aClient(server.database);
    const absent = await remove({ id: randomUUID() });
    const reply = await remove(other);
    expect(reply).toMatchObject({ status: 404, body: { code: 'client_not_found' } });
    expect(reply.body).toEqual(absent.body);
    expect(await exists(other)).toBe(true);
    expect((await callAs(server, commercial, 'delete-client', {})).status).toBe(404);
    // An admin's account is nobody's client.
    expect((await remove(admin, admin)).status).toBe(404);
  });

  test('[V-13] W16: deleting and validating at once: one or the other, never a commission without its recipient', async () => {
    for (let round = 0; round < 6; round += 1) {
      const client = await clientOf();
      const sale = await aSale(server.database, { commercial, friendReferrer: client, isReady: true });
      const validation = await asJustSeen(server.database, { action: 'validate', sale_id: sale.id });
      const [removed, validated] = await Promise.all([
        remove(client),
        callAs(server, admin, 'sales-management', validation),
      ]);
      expect({ removed: removed.status, validated: validated.status }).toEqual({ removed: 409, validated: 200 });
    }
  });

  test('[V-13] deleting a client who invites a friend at that instant: no orphan referral', async () => {
    for (let round = 0; round < 6; round += 1) {
      const client = await clientOf();
      const [removed, invited] = await Promise.all([
        remove(client),
        callAs(server, client, 'send-invitation-email', { name: 'Ami', email: `ami-${randomUUID()}@example.fr` }),
      ]);
      expect([200, 409]).toContain(removed.status);
      expect([200, 401]).toContain(invited.status);
      expect(removed.status === 200 && invited.status === 200).toBe(false);
    }
  });
});

describe('editing a client', () => {
  const update = (who: Person, body: Record<string, unknown>) => callAs(server, who, 'update-client', body);

  test('[AD-06] name, phone, company and notes; the e-mail does not change', async () => {
    const client = await aClient(server.database, { commercial });
    const reply = await update(commercial, {
      client_id: client.id,
      name: ' Claire Corrigée ',
      phone: '06 12 34 56 78',
      company: 'Atelier',
      notes: '',
      email: 'pirate@example.fr',
      role: 'admin',
    });
    expect(reply).toMatchObject({ status: 200, body: { success: true } });
    expect(await profileOf(client)).toMatchObject({
      full_name: 'Claire Corrigée',
      phone: '06 12 34 56 78',
      company: 'Atelier',
      notes: null,
      email: client.email,
      role: 'client',
      commercial_id: commercial.id,
    });
    expect((await update(commercial, { client_id: client.id, name: '' })).status).toBe(400);
  });

  test('[DF-34] a form opened earlier keeps what somebody else saved meanwhile, and shows it where both changed', async () => {
    const client = await aClient(server.database, { commercial, phone: '06 11 11 11 11' });
    const seen = { name: client.fullName, phone: '06 11 11 11 11', company: '', notes: '' };
    // Somebody else corrects the telephone and leaves a note.
    const saved = await update(commercial, {
      client_id: client.id,
      phone: '06 22 22 22 22',
      notes: 'ne plus appeler',
      seen: { phone: seen.phone, notes: seen.notes },
    });
    expect(saved.status).toBe(200);
    // The form of before changes the company alone.
    const company = await update(admin, { client_id: client.id, company: 'Atelier', seen: { company: seen.company } });
    expect(company.status).toBe(200);
    const now = { full_name: client.fullName, phone: '06 22 22 22 22', notes: 'ne plus appeler', company: 'Atelier' };
    expect(await profileOf(client)).toMatchObject(now);
    // It changes the telephone too: nothing is written, and the telephone of now is told.
    const stale = {
      client_id: client.id,
      phone: '06 33 33 33 33',
      company: 'Autre',
      seen: { phone: seen.phone, company: 'Atelier' },
    };
    const refused = await update(admin, stale);
    expect(refused).toMatchObject({
      status: 409,
      body: {
        code: 'changed_meanwhile',
        issues: [
          {
            path: ['phone'],
            message: 'Modifié entre-temps : « 06 22 22 22 22 ». Enregistrez à nouveau pour garder votre saisie.',
            current: '06 22 22 22 22',
          },
        ],
      },
    });
    expect(await profileOf(client)).toMatchObject(now);
    // Sent again, having seen it.
    const again = await update(admin, { ...stale, seen: { ...stale.seen, phone: '06 22 22 22 22' } });
    expect(again.status).toBe(200);
    expect(await profileOf(client)).toMatchObject({ ...now, phone: '06 33 33 33 33', company: 'Autre' });
    // Two at once: one of them is told.
    const both = await Promise.all(
      ['Un', 'Deux'].map((notes) => update(admin, { client_id: client.id, notes, seen: { notes: 'ne plus appeler' } })),
    );
    expect(both.map(({ status }) => status).toSorted((one, two) => one - two)).toEqual([200, 409]);
    // Nobody learns by it what they may not see.
    const other = await aCommercial(server.database);
    const guess = await update(other, { client_id: client.id, notes: 'x', seen: { notes: 'y' } });
    expect(guess).toMatchObject({ status: 404, body: { code: 'client_not_found' } });
  });

  test('[DF-34] settings, payees and papers are edited in the same way', async () => {
    const edit = (who: Person, name: string, body: Record<string, unknown>) => callAs(server, who, name, body);
    const rules = 'company-settings?action=update_request_rules';
    expect((await edit(admin, rules, { smallest_request: '5', seen: { smallest_request: '1,00' } })).status).toBe(200);
    const meanwhile = await edit(admin, rules, { smallest_request: '7', seen: { smallest_request: '1' } });
    expect(meanwhile).toMatchObject({
      status: 409,
      body: { issues: [{ path: ['smallest_request'], current: '5.00' }] },
    });
    const days = await edit(admin, rules, {
      requests_from_day: 2,
      requests_to_day: 9,
      seen: { requests_from_day: '' },
    });
    expect(days).toMatchObject({ status: 200, body: { data: { smallest_request: '5.00', requests_from_day: 2 } } });
    const payee = await aClient(server.database, { commercial });
    const update_payee = (body: Record<string, unknown>) =>
      edit(payee, 'papers', { action: 'update_payee', payee_id: payee.id, ...body });
    const whole = {
      status: 'particulier',
      legal_name: 'Léa Morel',
      street: '1 rue du Port',
      postal_code: '44000',
      city: 'Nantes',
    };
    expect((await update_payee(whole)).status).toBe(200);
    expect(
      (await update_payee({ city: 'Rezé', postal_code: '44400', seen: { city: 'Nantes', postal_code: '44000' } }))
        .status,
    ).toBe(200);
    expect(await update_payee({ street: '2 rue du Port', seen: { street: '1 rue du Port' } })).toMatchObject({
      status: 200,
      body: { data: { details: { street: '2 rue du Port', city: 'Rezé', postal_code: '44400' } } },
    });
    expect(await update_payee({ city: 'Orvault', seen: { city: 'Nantes' } })).toMatchObject({
      status: 409,
      body: { issues: [{ path: ['city'], current: 'Rezé' }] },
    });
  });

  test('[AD-06] the admin hands them to another commercial, with their open referrals', async () => {
    const client = await aClient(server.database, { commercial });
    const open = await aSale(server.database, { commercial, friendReferrer: client });
    const signed = await aSale(server.database, { commercial, friendReferrer: client, status: 'validated' });
    const decided = await aValidatedSale(server.database, { commercial, friendReferrer: client, admin });
    const next = await aCommercial(server.database);
    expect((await update(admin, { client_id: client.id, name: client.fullName })).body.data.commercial_id).toBe(
      commercial.id,
    );
    expect((await update(admin, { client_id: client.id, name: client.fullName, commercial_id: next.id })).status).toBe(
      200,
    );
    const owners = await server.database.asOwner<{ id: string; commercial_id: string }>(
      'select id, commercial_id from public.sales where friend_referrer_id = $1',
      [client.id],
    );
    const ownerOf = (sale: { id: string }) => owners.find((row) => row.id === sale.id)?.commercial_id;
    expect([ownerOf(open), ownerOf(signed), ownerOf(decided)]).toEqual([next.id, next.id, commercial.id]);
    expect((await update(admin, { client_id: client.id, name: 'x', commercial_id: admin.id })).body.code).toBe(
      'commercial_not_found',
    );
  });

  test('[P-02] a commercial edits only their own and hands them to nobody', async () => {
    const other = await aClient(server.database);
    expect((await update(commercial, { client_id: other.id, name: 'x' })).body.code).toBe('client_not_found');
    const mine = await aClient(server.database, { commercial });
    await update(commercial, { client_id: mine.id, name: 'x', commercial_id: (await aCommercial(server.database)).id });
    expect(await profileOf(mine)).toMatchObject({ commercial_id: commercial.id });
  });
});

describe('a commercial leaves', () => {
  const remove = (leaving: Person, reassign_to?: string) =>
    callAs(server, admin, 'remove-commercial', {
      commercial_id: leaving.id,
      ...(reassign_to === undefined ? {} : { reassign_to }),
    });

  test('[AD-05] without client or sale, they are deleted', async () => {
    const leaving = await aCommercial(server.database, { fullName: 'Paul Parti' });
    expect(await remove(leaving)).toMatchObject({ status: 200, body: { success: true, outcome: 'removed' } });
    expect(await exists(leaving)).toBe(false);
    expect((await remove(leaving)).body.code).toBe('commercial_not_found');
  });

  test('[AD-05] with clients, they are deactivated: their session dies, everything is kept; they may come back', async () => {
    const leaving = await aCommercial(server.database);
    const client = await aClient(server.database, { commercial: leaving });
    expect((await remove(leaving)).body.outcome).toBe('deactivated');
    expect((await callAs(server, leaving, 'company-settings?action=get', undefined, { method: 'GET' })).status).toBe(
      401,
    );
    expect(await profileOf(client)).toMatchObject({ commercial_id: leaving.id });
    // Nobody new is given to him meanwhile.
    const entrusted = await callAs(server, admin, 'update-client', {
      client_id: (await aClient(server.database)).id,
      name: 'x',
      commercial_id: leaving.id,
    });
    expect(entrusted.body.code).toBe('commercial_not_found');
    expect((await callAs(server, admin, 'reactivate-commercial', { commercial_id: leaving.id })).status).toBe(200);
    expect(await profileOf(leaving)).toMatchObject({ deactivated_at: null });
  });

  test('[AD-05] clients and open referrals are first handed to a colleague', async () => {
    const leaving = await aCommercial(server.database);
    const next = await aCommercial(server.database);
    const client = await aClient(server.database, { commercial: leaving });
    const open = await aSale(server.database, { commercial: leaving, friendReferrer: client });
    expect((await remove(leaving, leaving.id)).body.code).toBe('commercial_not_found');
    expect((await remove(leaving, admin.id)).body.code).toBe('commercial_not_found');
    expect((await remove(leaving, next.id)).body.outcome).toBe('removed');
    expect(await profileOf(client)).toMatchObject({ commercial_id: next.id });
    const [sale] = await server.database.asOwner<{ commercial_id: string }>(
      'select commercial_id from public.sales where id = $1',
      [open.id],
    );
    expect(sale?.commercial_id).toBe(next.id);
  });
});
