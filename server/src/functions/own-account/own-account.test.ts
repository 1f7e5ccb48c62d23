import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { anAccount, clientOf, signedIn } from '../../testing/accounts.ts';
import { startTestServer } from '../../testing/index.ts';
import type { TestServer } from '../../testing/index.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const phone = {
  'user-agent': 'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 Version/19.0 Safari/604.1',
};

type Client = ReturnType<typeof clientOf>;
type Session = { id: string; user_agent: string | null; is_current: boolean; last_used_at: string };

async function sessionsOf(client: Client): Promise<Session[]> {
  const { data, error } = await client.functions.invoke('own-account?action=sessions', { method: 'GET' });
  if (error !== null) throw error;
  return data.data as Session[];
}
const end = (client: Client, sessionId: unknown) =>
  client.functions.invoke('own-account?action=end_session', { body: { session_id: sessionId } });

describe('my devices', () => {
  test('[CO-11] [CL-09] the list gives every open session, mine first, and nothing that opens one', async () => {
    const account = await anAccount(server);
    await signedIn(server, account, phone);
    const { client } = await signedIn(server, account, { 'user-agent': 'Mozilla/5.0 Firefox/145.0' });
    const sessions = await sessionsOf(client);
    expect(sessions.map((session) => [session.user_agent, session.is_current])).toEqual([
      ['Mozilla/5.0 Firefox/145.0', true],
      [phone['user-agent'], false],
    ]);
    expect(Object.keys(sessions[0] ?? {}).toSorted()).toEqual(
      ['created_at', 'id', 'ip', 'is_current', 'last_used_at', 'user_agent'].toSorted(),
    );
  });

  test('[CO-11] [S-10] a device that is signed out opens nothing any more, at once; the others stay', async () => {
    const account = await anAccount(server);
    const lost = await signedIn(server, account, phone);
    const { client } = await signedIn(server, account);
    const other = (await sessionsOf(client)).find((session) => !session.is_current);
    expect((await end(client, other?.id)).data).toMatchObject({ success: true, ended: true });
    expect((await lost.client.auth.getUser(lost.session.access_token)).error?.message).toBe('Auth session missing!');
    expect(
      (await lost.client.functions.invoke('own-account?action=sessions', { method: 'GET' })).error?.context.status,
    ).toBe(401);
    expect(await sessionsOf(client)).toHaveLength(1);
    // Once more is no trouble.
    expect((await end(client, other?.id)).data).toMatchObject({ ended: false });
  });

  test('[P-07] nobody sees or ends another’s session', async () => {
    const mine = await signedIn(server, await anAccount(server));
    const others = await signedIn(server, await anAccount(server));
    const [other] = await sessionsOf(others.client);
    expect((await end(mine.client, other?.id)).data).toMatchObject({ ended: false });
    expect(await sessionsOf(others.client)).toHaveLength(1);
    expect(await sessionsOf(mine.client)).toHaveLength(1);
    for (const wrong of [randomUUID().slice(1), '', null, 12, { $ne: '' }]) {
      expect((await end(mine.client, wrong)).error?.context.status).toBe(400);
    }
    expect((await end(clientOf(server), other?.id)).error?.context.status).toBe(401);
  });
});

test('[CO-11] [CL-09] my data hold the account, its ways of signing in and its history, without a secret', async () => {
  const { client } = await signedIn(server, await anAccount(server, { fullName: 'Claire Martin' }));
  const { data } = await client.functions.invoke('own-account?action=personal_data', { method: 'GET' });
  expect(Object.keys(data.data).toSorted()).toEqual(
    [
      'account',
      'account_events',
      'bank_accounts',
      'identities',
      'mandates',
      'passkeys',
      'payee_details',
      'second_factors',
      'sessions',
    ].toSorted(),
  );
  expect(data.data.account_events.map((event: { action: string }) => event.action)).toContain('login');
  expect(JSON.stringify(data)).not.toMatch(/argon2|encrypted_password|refresh|sealed|token_hash|secret/u);
});

type View = { readonly id: string; readonly list: string; readonly name: string; readonly settings: string };

describe('my views of the lists', () => {
  const viewsOf = async (client: Client): Promise<View[]> => {
    const { data, error } = await client.functions.invoke('list-views?action=list', { method: 'GET' });
    if (error !== null) throw error;
    return data.data as View[];
  };
  const save = async (client: Client, view: Partial<Omit<View, 'id'>>) => {
    const body = { list: 'ventes', name: 'Refusées', settings: 'statut=rejected', ...view };
    const { data, error } = await client.functions.invoke('list-views?action=save', { body });
    return error === null ? data : { status: error.context.status, ...(await error.context.json()) };
  };

  test('[NV-05] a list is kept under a name, replaced under the same, nobody else’s, and gone with its person', async () => {
    const account = await anAccount(server);
    const { client } = await signedIn(server, account);
    const { client: other } = await signedIn(server, await anAccount(server));
    await save(client, {});
    const { id } = await save(client, { settings: 'statut=rejected&periode=mois' });
    await save(client, { list: 'validations', name: '  Refusées ' });
    expect(await viewsOf(client)).toMatchObject([
      { list: 'validations', name: 'Refusées', settings: 'statut=rejected' },
      { id, list: 'ventes', name: 'Refusées', settings: 'statut=rejected&periode=mois' },
    ]);
    expect(await viewsOf(other)).toEqual([]);
    const remove = (by: Client) => by.functions.invoke('list-views?action=delete', { body: { view_id: id } });
    expect((await remove(other)).data).toMatchObject({ deleted: false });
    expect((await remove(client)).data).toMatchObject({ deleted: true });
    expect((await remove(client)).data).toMatchObject({ deleted: false });
    expect(await viewsOf(client)).toHaveLength(1);
    await server.database.asOwner('delete from auth.users where id = $1', [account.id]);
    expect(await server.database.asOwner('select from private.list_views where profile_id = $1', [account.id])).toEqual(
      [],
    );
  });

  test('[NV-05] names, settings and the number of views are bounded, however many are saved at once', async () => {
    const { client } = await signedIn(server, await anAccount(server));
    for (const wrong of [
      { name: ' ' },
      { name: 'x'.repeat(61) },
      { name: 'deux\nlignes' },
      { list: 'Ventes; drop' },
      { settings: 'x'.repeat(1001) },
      { settings: 'é' },
    ])
      expect([wrong, await save(client, wrong)]).toMatchObject([wrong, { status: 400 }]);
    const saved = await Promise.all(Array.from({ length: 53 }, (_, at) => save(client, { name: `Vue ${at}` })));
    expect(saved.filter(({ status }) => status === 422)).toMatchObject(
      Array.from({ length: 3 }, () => ({ code: 'list_views_full' })),
    );
    expect(await viewsOf(client)).toHaveLength(50);
    // One that is there already is replaced all the same.
    const [view] = await viewsOf(client);
    expect(await save(client, { name: view?.name ?? '', settings: 'tri=created_at' })).toMatchObject({ success: true });
  });
});
