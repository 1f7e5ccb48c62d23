import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { aCommercial, anAdmin, startTestServer } from '../../testing/index.ts';
import type { Person, TestServer } from '../../testing/index.ts';
import { callAs } from '../../testing/call-function.ts';
import { lockIsWaitedFor } from '../../testing/waiting.ts';
import type { Transaction } from '#platform/database';

let server: TestServer;
let admin: Person;
let first: Person;
let second: Person;
beforeAll(async () => {
  server = await startTestServer();
  admin = await anAdmin(server.database);
  first = await aCommercial(server.database);
  second = await aCommercial(server.database);
});
afterAll(() => server.close());

const password = 'Choisi-Parrain-2026';

/** Somebody who registers alone, as a person to act as. */
async function register(fullName: string): Promise<Person> {
  const email = `personne-${randomUUID().slice(0, 8)}@example.fr`;
  const body = { email, password, full_name: fullName, phone: null, role: 'client' };
  expect(await callAs(server, undefined, 'auth-signup', body)).toMatchObject({ status: 200 });
  const { data } = await (await server.client()).auth.signInWithPassword({ email, password });
  const [session] = await server.database.asOwner<{ id: string }>('select id from auth.sessions where user_id = $1', [
    data.user?.id,
  ]);
  return { id: data.user?.id ?? '', role: 'client', email, fullName, sessionId: session?.id ?? '' };
}

const commercialOf = async (person: Person) => {
  const [row] = await server.database.asOwner<{ commercial_id: string | null }>(
    'select commercial_id from public.profiles where id = $1',
    [person.id],
  );
  return row?.commercial_id;
};

const toldOf = async (person: Person) => {
  const rows = await server.database.asOwner<{ told: string }>(
    `select n.kind || ' ' || p.role || case when n.read_at is null then '' else ', read' end as told
     from public.notices n join public.profiles p on p.id = n.recipient_id where n.client_id = $1 order by 1`,
    [person.id],
  );
  return rows.map(({ told }) => told);
};

const byText = (one = '', other = '') => one.localeCompare(other);

const give = (body: Record<string, unknown>) =>
  callAs(server, admin, 'company-settings?action=update_new_clients', body);

describe('a client who registers alone', () => {
  test('[DF-06] is told to the admins, with the client’s name and a way to the choice; once a commercial follows, that is done', async () => {
    const person = await register('Léa Seule');
    expect(await commercialOf(person)).toBeNull();
    expect(await toldOf(person)).toEqual(['client_alone admin']);
    const given = { client_id: person.id, commercial_id: first.id, seen_commercial_id: null };
    expect(await callAs(server, admin, 'assign-client', given)).toMatchObject({ status: 200 });
    expect(await toldOf(person)).toEqual([
      'client_alone admin, read',
      'client_received commercial',
      'commercial_given client',
    ]);
  });

  test('[DF-06] may ask for a commercial: the admins are told once a day, and the page says since when', async () => {
    const person = await register('Paul Seul');
    const rights = async () =>
      (await callAs(server, person, 'own-account?action=invitation', undefined, { method: 'GET' })).body.data;
    expect(await rights()).toMatchObject({ obstacles: [{ code: 'commercial_missing' }], commercial_asked_at: null });
    const asked = await callAs(server, person, 'own-account?action=ask_commercial', {});
    expect(asked).toMatchObject({
      status: 200,
      body: { success: true, message: 'L’entreprise est prévenue : elle vous attribuera un commercial.' },
    });
    const again = await callAs(server, person, 'own-account?action=ask_commercial', {});
    expect(again.body.asked_at).toBe(asked.body.asked_at);
    expect((await rights()).commercial_asked_at).toBe(asked.body.asked_at);
    expect(await toldOf(person)).toEqual(['client_alone admin', 'commercial_asked admin']);
    await server.database.asOwner(`update private.commercial_wishes set asked_at = asked_at - interval '25 hours'`);
    await callAs(server, person, 'own-account?action=ask_commercial', {});
    expect(await toldOf(person)).toEqual(['client_alone admin', 'commercial_asked admin', 'commercial_asked admin']);
    await callAs(server, admin, 'assign-client', {
      client_id: person.id,
      commercial_id: first.id,
      seen_commercial_id: null,
    });
    expect((await toldOf(person)).filter((told) => told.startsWith('commercial_asked'))).toEqual([
      'commercial_asked admin, read',
      'commercial_asked admin, read',
    ]);
    // A client who has a commercial cannot ask for one.
    expect((await callAs(server, person, 'own-account?action=ask_commercial', {})).body.asked_at).toBeNull();
    for (const who of [admin, first]) {
      expect((await callAs(server, who, 'own-account?action=ask_commercial', {})).status).toBe(403);
    }
  });

  test('[DF-06] goes to the one commercial of the company’s setting, who is told; to nobody once that one has left', async () => {
    expect(await give({ new_clients: 'to_one' })).toMatchObject({
      status: 400,
      body: { issues: [{ path: ['new_clients_to'], message: 'Choisissez le commercial qui les reçoit.' }] },
    });
    expect((await give({ new_clients: 'to_one', new_clients_to: admin.id })).status).toBe(404);
    expect((await give({ new_clients: 'to_one', new_clients_to: second.id })).status).toBe(200);
    const person = await register('Zoé Confiée');
    expect(await commercialOf(person)).toBe(second.id);
    expect(await toldOf(person)).toEqual(['client_received commercial', 'commercial_given client']);
    await server.database.asOwner('update public.profiles set deactivated_at = now() where id = $1', [second.id]);
    const later = await register('Luc Tard');
    expect([await commercialOf(later), await toldOf(later)]).toEqual([null, ['client_alone admin']]);
    await server.database.asOwner('update public.profiles set deactivated_at = null where id = $1', [second.id]);
  });

  test('[DF-06] goes to each active commercial in turn, however many register at once', async () => {
    const third = await aCommercial(server.database);
    await server.database.asOwner('update public.profiles set deactivated_at = now() where id = $1', [third.id]);
    expect((await give({ new_clients: 'in_turn', new_clients_to: first.id })).status).toBe(200);
    const people = await Promise.all(Array.from({ length: 6 }, (_, index) => register(`Client ${'ABCDEF'[index]}`)));
    const given = await Promise.all(people.map(commercialOf));
    for (const { id } of [first, second]) expect(given.filter((commercial) => commercial === id)).toHaveLength(3);
    // Two at the same instant: the second waits for the turn that the first has taken.
    const { db } = server.services;
    const turn = (tx: Transaction) => tx.query<{ to: string }>('select private.receiver_of_new_clients() as to');
    const [one, two] = await db.asService('test', async (tx) => {
      const taken = await turn(tx);
      const next = db.asService('test', turn);
      await lockIsWaitedFor(server);
      return [taken, next] as const;
    });
    expect([one.rows[0]?.to, (await two).rows[0]?.to].toSorted(byText)).toEqual([first.id, second.id].toSorted(byText));
    expect((await give({ new_clients: 'by_hand' })).status).toBe(200);
    expect(await commercialOf(await register('Anna Main'))).toBeNull();
    const [kept] = await server.database.asOwner('select new_clients, new_clients_to from public.company_settings');
    expect(kept).toEqual({ new_clients: 'by_hand', new_clients_to: null });
  });
});

describe('an address that must be confirmed', () => {
  test('[DF-06] nobody is told before its owner has confirmed it', async () => {
    const strict = await startTestServer({ smtp: true, environment: { SIGNUP_CONFIRMATION: 'on' } });
    try {
      await anAdmin(strict.database);
      const email = 'attente@exemple.fr';
      await (await strict.client()).auth.signUp({ email, password, options: { data: { full_name: 'Ève Attente' } } });
      const told = () => strict.database.asOwner('select kind from public.notices');
      expect(await told()).toEqual([]);
      await strict.database.asOwner('update auth.users set email_confirmed_at = now() where email = $1', [email]);
      expect(await told()).toEqual([{ kind: 'client_alone' }]);
    } finally {
      await strict.close();
    }
  });
});
