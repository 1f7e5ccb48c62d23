import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { callAs } from '../../testing/call-function.ts';
import { aClient, aCommercial, aScale, aValidatedSale, anAdmin, startTestServer } from '../../testing/index.ts';
import type { Person, TestServer } from '../../testing/index.ts';

let server: TestServer;
let admin: Person;
beforeAll(async () => {
  server = await startTestServer({ smtp: true });
  admin = await anAdmin(server.database);
  await aScale(server.database, { isDefault: true });
});
afterAll(() => server.close());

const ask = (who: Person, message?: string) =>
  callAs(server, who, 'account-closure', { action: 'request', personal_message: message ?? null });
const decide = (id: string, decision: Record<string, unknown>, who = admin) =>
  callAs(server, who, 'account-closure', { action: 'decide', request_id: id, ...decision });
const accountOf = async (person: Person) =>
  (
    await server.database.asOwner<{ deactivated_at: Date | null; phone: string | null; full_name: string }>(
      'select deactivated_at, phone, full_name from public.profiles where id = $1',
      [person.id],
    )
  )[0];

describe('asking to close one’s account', () => {
  test('[CL-09] [CO-11] the request waits, the admins are told, it cannot be made twice, and it can be withdrawn', async () => {
    const client = await aClient(server.database, { fullName: 'Élodie <b>Œuvré</b>' });
    const asked = await ask(client, 'Je déménage.');
    expect(asked).toMatchObject({
      status: 200,
      body: { data: { status: 'pending', personal_message: 'Je déménage.' } },
    });
    const mail = await server.mailbox.take(admin.email);
    expect(mail.subject).toBe('Élodie <b>Œuvré</b> demande la fermeture de son compte');
    expect(mail.text).toContain('Je déménage.');
    expect(mail.html).not.toContain('<b>Œuvré</b>');
    expect(await ask(client)).toMatchObject({ status: 409, body: { code: 'closure_already_asked' } });
    expect((await callAs(server, client, 'account-closure', { action: 'withdraw' })).status).toBe(200);
    expect(await callAs(server, client, 'account-closure', { action: 'withdraw' })).toMatchObject({
      status: 404,
      body: { code: 'closure_not_found' },
    });
    expect((await ask(client)).status).toBe(200);
  });

  test('[CL-09] twenty requests at once: one waits', async () => {
    const client = await aClient(server.database);
    const replies = await Promise.all(Array.from({ length: 20 }, () => ask(client)));
    expect(replies.filter((reply) => reply.status === 200)).toHaveLength(1);
    expect(new Set(replies.map((reply) => reply.body.code ?? 'ok'))).toEqual(new Set(['ok', 'closure_already_asked']));
  });

  test('[P-02] [P-03] one reads one’s own request only; a commercial does not read their client’s', async () => {
    const commercial = await aCommercial(server.database);
    const client = await aClient(server.database, { commercial });
    await ask(client);
    for (const [who, count] of [
      [client, 1],
      [commercial, 0],
      [await aClient(server.database), 0],
    ] as const) {
      const { data } = await (await server.client(who)).from('account_closure_requests').select('id');
      expect(data).toHaveLength(count);
    }
  });
});

describe('deciding on a closure', () => {
  test('[CL-09] an account on which nothing rests is deleted; its owner is told', async () => {
    const client = await aClient(server.database, { fullName: 'Nina Neuve' });
    const { id } = (await ask(client)).body.data;
    expect(await decide(id, { accept: true })).toMatchObject({ status: 200, body: { outcome: 'deleted' } });
    expect(await accountOf(client)).toBeUndefined();
    expect((await server.mailbox.take(client.email)).text).toContain('vos données sont supprimées');
    const left = await server.database.asOwner('select from public.account_closure_requests where id = $1', [id]);
    expect(left).toHaveLength(0);
  });

  test('[CL-09] [S-09] records that the law has us keep stay; the rest is erased, and nothing opens the account any more', async () => {
    const { database } = server;
    const commercial = await aCommercial(database);
    const client = await aClient(database, { commercial });
    await database.asOwner(`update public.profiles set phone = '06 12 34 56 78' where id = $1`, [client.id]);
    await aValidatedSale(database, { commercial, friendReferrer: client, admin });
    const { id } = (await ask(client)).body.data;
    expect(await decide(id, { accept: true, notes: 'Au revoir.' })).toMatchObject({ body: { outcome: 'closed' } });
    expect(await accountOf(client)).toMatchObject({ phone: null, full_name: client.fullName });
    expect((await accountOf(client))?.deactivated_at).not.toBeNull();
    expect((await callAs(server, client, 'own-account?action=sessions', undefined, { method: 'GET' })).status).toBe(
      401,
    );
    const [user] = await database.asOwner<{ encrypted_password: string | null }>(
      'select encrypted_password from auth.users where id = $1',
      [client.id],
    );
    expect(user?.encrypted_password).toBeNull();
    expect(await decide(id, { accept: true })).toMatchObject({
      status: 409,
      body: { code: 'closure_already_decided' },
    });
  });

  test('[CL-09] refused with its reason; without a reason nothing changes', async () => {
    const client = await aClient(server.database);
    const { id } = (await ask(client)).body.data;
    expect(await decide(id, { accept: false })).toMatchObject({
      status: 400,
      body: { code: 'refusal_reason_required' },
    });
    expect(await decide(id, { accept: false, notes: 'Un contrat se signe demain.' })).toMatchObject({
      body: { outcome: 'rejected' },
    });
    expect((await accountOf(client))?.deactivated_at).toBeNull();
    expect((await server.mailbox.take(client.email)).text).toContain('Un contrat se signe demain.');
  });

  test('[CL-09] an open payment request is dealt with first', async () => {
    const { database } = server;
    const commercial = await aCommercial(database);
    const client = await aClient(database, { commercial });
    await aValidatedSale(database, { commercial, friendReferrer: client, admin });
    await callAs(server, client, 'payment-request', {
      action: 'create',
      amount: 10,
      payment_method: 'cheque_cadeau',
      payment_details: { gift_card_type: 'Librairie' },
    });
    const { id } = (await ask(client)).body.data;
    const [{ count } = { count: 0 }] = await database.asOwner<{ count: number }>(
      'select count(*)::int as count from public.payment_requests where client_id = $1',
      [client.id],
    );
    expect(count).toBe(1);
    expect(await decide(id, { accept: true })).toMatchObject({
      status: 409,
      body: { code: 'closure_with_open_request' },
    });
  });

  test('[CO-11] [AD-05] a commercial is deactivated, their clients go to another', async () => {
    const { database } = server;
    const leaving = await aCommercial(database);
    const heir = await aCommercial(database);
    const client = await aClient(database, { commercial: leaving });
    const { id } = (await ask(leaving)).body.data;
    expect(await decide(id, { accept: true, reassign_to: heir.id })).toMatchObject({ body: { outcome: 'deleted' } });
    const [moved] = await database.asOwner<{ commercial_id: string }>(
      'select commercial_id from public.profiles where id = $1',
      [client.id],
    );
    expect(moved?.commercial_id).toBe(heir.id);
  });

  test('[P-01] the last admin stays; nobody decides on their own account', async () => {
    const alone = await startTestServer();
    try {
      const first = await anAdmin(alone.database);
      const request = (who: Person) => callAs(alone, who, 'account-closure', { action: 'request' });
      expect(await request(first)).toMatchObject({ status: 409, body: { code: 'last_admin' } });
      const second = await anAdmin(alone.database);
      const ids = [(await request(first)).body.data.id, (await request(second)).body.data.id];
      const accept = (id: string | undefined, who: Person) =>
        callAs(alone, who, 'account-closure', { action: 'decide', request_id: id, accept: true });
      expect(await accept(ids[0], first)).toMatchObject({ status: 403, body: { code: 'own_closure' } });
      // Each closes the other's at once: one of them stays.
      const replies = await Promise.all([accept(ids[1], first), accept(ids[0], second)]);
      expect(replies.filter((reply) => reply.status === 200)).toHaveLength(1);
    } finally {
      await alone.close();
    }
  });

  test('[P-01] a client or a commercial decides on nothing', async () => {
    const client = await aClient(server.database);
    const { id } = (await ask(client)).body.data;
    for (const who of [client, await aCommercial(server.database)]) {
      expect((await decide(id, { accept: true }, who)).status).toBe(403);
    }
  });

  test('[X-03] [CL-09] request and decision are in the audit trail, without anybody’s words', async () => {
    const client = await aClient(server.database);
    const { id } = (await ask(client, 'Un secret de famille')).body.data;
    await decide(id, { accept: false, notes: 'Non, car secret' });
    const entries = await server.database.asOwner<{ action: string; text: string }>(
      `select action, coalesce(before::text, '') || coalesce(after::text, '') as text from public.audit_entries
       where entity = 'account_closure_requests' and entity_id = $1 order by id`,
      [id],
    );
    expect(entries.map((entry) => entry.action)).toEqual(['insert', 'update']);
    expect(entries.map((entry) => entry.text).join(' ')).not.toContain('secret');
  });
});
