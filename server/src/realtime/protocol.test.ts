import { createClient } from '@supabase/supabase-js';
import { request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';

import { aClient, aCommercial, anAdmin, aSale, startTestServer } from '../testing/index.ts';
import type { Person, TestServer } from '../testing/index.ts';
import { quiet, rawSocket, signedIn, until, watching } from '../testing/realtime.ts';
import type { RawSocket } from '../testing/realtime.ts';

let server: TestServer;
let admin: Person;
let commercial: Person;
let client: Person;
beforeAll(async () => {
  server = await startTestServer({ jobs: false, environment: { CORS_ORIGINS: 'https://app.example.fr' } });
  admin = await anAdmin(server.database);
  commercial = await aCommercial(server.database);
  client = await aClient(server.database, { commercial });
});
afterAll(() => server.close());

const sockets: RawSocket[] = [];
afterEach(() => {
  vi.restoreAllMocks();
  for (const socket of sockets.splice(0)) socket.close();
});
async function raw(options: Parameters<typeof rawSocket>[1] = {}): Promise<RawSocket> {
  const socket = await rawSocket(server, options);
  sockets.push(socket);
  return socket;
}

const CHANGES = { config: { postgres_changes: [{ event: '*', schema: 'public', table: 'sales' }] } };
const joinOf = (token: string | undefined, payload: object = CHANGES): object => ({ ...payload, access_token: token });

const realNow = performance.now.bind(performance);
/** Sets the door's clock so much ahead of the true one, until the test ends. */
function setClockAhead(ms: number): void {
  vi.spyOn(performance, 'now').mockImplementation(() => realNow() + ms);
}

/** An upgrade that is refused, as whoever asks sees it. */
async function refusedUpgrade(
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: number | undefined; readonly body: unknown }> {
  return new Promise((resolve, reject) => {
    const asked = request(`${server.url}${path}`, {
      headers: {
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
        ...headers,
      },
    });
    asked.on('response', (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () => resolve({ status: response.statusCode, body: JSON.parse(text) }));
    });
    asked.on('upgrade', (_response, socket) => {
      socket.destroy();
      resolve({ status: 101, body: null });
    });
    asked.on('error', reject);
    asked.end();
  });
}

describe('connection', () => {
  const key = (): string => server.services.keys.publishableKey;
  const address = (apikey: string, vsn = '2.0.0'): string => `/realtime/v1/websocket?apikey=${apikey}&vsn=${vsn}`;

  test('[RT-02] without a known key, from another origin, of another version or elsewhere, the connection is refused in HTTP', async () => {
    const answers = await Promise.all([
      refusedUpgrade(address('')),
      refusedUpgrade(address('sb_publishable_nope')),
      refusedUpgrade(address(key(), '9.0.0')),
      refusedUpgrade('/realtime/v1/elsewhere'),
      refusedUpgrade('/rest/v1/sales'),
      refusedUpgrade(address(key()), { origin: 'https://mal.example.com' }),
      refusedUpgrade(address(server.services.keys.secretKey), { origin: 'https://app.example.fr' }),
    ]);
    expect(answers.map((answer) => answer.status)).toEqual([401, 401, 400, 404, 404, 403, 403]);
    for (const answer of answers) expect(answer.body).toEqual({ error: expect.any(String) });
  });

  test("[RT-02] a listed origin, the server's own page and a program are admitted", async () => {
    const answers = await Promise.all([
      refusedUpgrade(address(key()), { origin: 'https://app.example.fr' }),
      refusedUpgrade(address(key()), { origin: server.url }),
      refusedUpgrade(address(key())),
    ]);
    expect(answers.map((answer) => answer.status)).toEqual([101, 101, 101]);
  });

  test('[RT-02] without a WebSocket the address says so', async () => {
    const answer = await server.fetch(`/realtime/v1/websocket?apikey=${key()}`);
    expect(answer.status).toBe(426);
    expect(await answer.json()).toEqual({ error: expect.any(String) });
  });

  test('[RT-02] every heartbeat is answered, in both protocols', async () => {
    const [two, one, unsaid] = await Promise.all([raw(), raw({ vsn: '1.0.0' }), raw({ vsn: '1.0.0' })]);
    two.send(null, '7', 'phoenix', 'heartbeat', {});
    expect(await two.heard('phx_reply')).toEqual([null, '7', 'phoenix', 'phx_reply', { status: 'ok', response: {} }]);
    one.sendRaw(JSON.stringify({ topic: 'phoenix', event: 'heartbeat', payload: {}, ref: '8', join_ref: null }));
    expect(await until(() => one.said[0])).toEqual({
      topic: 'phoenix',
      event: 'phx_reply',
      payload: { status: 'ok', response: {} },
      ref: '8',
      join_ref: null,
    });
    expect(unsaid.said).toEqual([]);
  });

  test('[RT-02] a frame that is no message closes the connection', async () => {
    for (const said of ['{', '[]', '{"topic":"phoenix"}', Buffer.of(9, 9), Buffer.of(3, 255, 255, 255, 255, 0, 1)]) {
      const socket = await raw();
      socket.sendRaw(said);
      expect((await socket.closed).code).toBe(1007);
    }
  });

  test('[RT-02] [D-80] a message above 256 KB closes the connection', async () => {
    const socket = await raw();
    socket.send(null, '1', 'phoenix', 'heartbeat', { filler: 'x'.repeat(300_000) });
    expect((await socket.closed).code).toBe(1009);
  });

  test('[RT-02] [D-80] a burst of too many messages closes the connection', async () => {
    const socket = await raw();
    for (let count = 0; count < 600; count += 1) socket.send(null, String(count), 'phoenix', 'heartbeat', {});
    expect((await socket.closed).code).toBe(1008);
  });

  test('[RT-02] a burst of too many bytes closes the connection: the others would have to hear them', async () => {
    const socket = await raw();
    socket.send('1', '1', 'realtime:loud', 'phx_join', { config: {} });
    const payload = { type: 'broadcast', event: 'e', payload: { filler: 'x'.repeat(200_000) } };
    for (let count = 0; count < 20; count += 1) socket.send('1', String(count), 'realtime:loud', 'broadcast', payload);
    expect((await socket.closed).code).toBe(1008);
  });

  test('[RT-02] [D-80] a connection silent for a minute is closed, one with heartbeats stays', async () => {
    const [silent, beating] = await Promise.all([raw(), raw()]);
    setClockAhead(40_000);
    beating.send(null, '1', 'phoenix', 'heartbeat', {});
    await beating.heard('phx_reply');
    setClockAhead(70_000);
    expect((await silent.closed).code).toBe(1000);
    expect(beating.socket.readyState).toBe(1);
  });

  test('[RT-02] [D-80] a burst of joins is rate limited', async () => {
    const socket = await raw();
    for (let count = 0; count < 100; count += 1) {
      socket.send(String(count), String(count), 'realtime:same', 'phx_join', { config: {} });
    }
    await until(() => socket.said.length === 100);
    const reasons = socket.said.map(([, , , , payload]) => JSON.stringify(payload['response']));
    expect(reasons.filter((reason) => reason.includes('ClientJoinRateLimitReached')).length).toBeGreaterThan(20);
    expect(reasons[0]).toBe('{"postgres_changes":[]}');
  });

  test('[RT-02] [D-80] a client that does not read is closed, and memory does not grow', async () => {
    const slow = await raw();
    slow.send('1', '1', 'realtime:flood', 'phx_join', { config: {} });
    await slow.heard('phx_reply');
    slow.socket.pause();
    const talker = createClient(server.url, server.services.keys.secretKey);
    const channel = talker.channel('flood');
    const filler = 'x'.repeat(200_000);
    for (let count = 0; count < 60; count += 1) await channel.httpSend('noise', { filler });
    slow.socket.resume();
    // A client that reads again finds the close frame, or a connection that was ended.
    expect([1013, 1006]).toContain((await slow.closed).code);
    await talker.removeAllChannels();
  });
});

describe('join and leave', () => {
  test('[RT-02] the reply lists the subscriptions in order, each with a number', async () => {
    const socket = await raw();
    const asked = [
      { event: 'INSERT', schema: 'public', table: 'sales', filter: 'status=eq.pending' },
      { event: '*', schema: 'public', table: 'payment_requests' },
      { event: '*', schema: 'public' },
    ];
    const token = await server.tokenOf(admin);
    socket.send('1', '1', 'realtime:order', 'phx_join', { config: { postgres_changes: asked }, access_token: token });
    const [joinRef, ref, , , payload] = await socket.heard('phx_reply');
    expect([joinRef, ref]).toEqual(['1', '1']);
    expect(payload).toEqual({
      status: 'ok',
      response: { postgres_changes: asked.map((binding) => ({ ...binding, id: expect.any(Number) })) },
    });
    const [, , , , system] = await socket.heard('system');
    expect(system).toEqual({
      extension: 'postgres_changes',
      status: 'ok',
      message: 'Subscribed to PostgreSQL',
      channel: 'order',
    });
  });

  test('[P-04] without a token a public channel opens, a subscription or a private channel does not', async () => {
    const socket = await raw();
    socket.send('1', '1', 'realtime:lobby', 'phx_join', { config: {} });
    socket.send('2', '2', 'realtime:changes', 'phx_join', CHANGES);
    socket.send('3', '3', `realtime:user:${client.id}`, 'phx_join', { config: { private: true } });
    const replies = [await socket.heard('phx_reply'), await socket.heard('phx_reply'), await socket.heard('phx_reply')];
    expect(replies.map(([, ref, , , payload]) => [ref, payload['status']])).toEqual([
      ['1', 'ok'],
      ['2', 'error'],
      ['3', 'error'],
    ]);
    expect(replies[0]?.[4]).toEqual({ status: 'ok', response: { postgres_changes: [] } });
    expect(replies[1]?.[4]['response']).toEqual({ reason: expect.stringContaining('Unauthorized') });
  });

  test('[P-04] a token that is forged, of an ended session or of a password to change opens nothing', async () => {
    const gone = await aCommercial(server.database);
    const temporary = await aCommercial(server.database);
    const [good, ofGone, ofTemporary] = await Promise.all(
      [admin, gone, temporary].map((person) => server.tokenOf(person)),
    );
    await server.database.asOwner('delete from auth.sessions where id = $1', [gone.sessionId]);
    await server.database.asOwner('update auth.users set password_change_required = true where id = $1', [
      temporary.id,
    ]);
    const socket = await raw();
    const tokens = ['nonsense', `${good?.slice(0, -6)}AAAAAA`, ofGone, ofTemporary, good];
    for (const [index, token] of tokens.entries()) {
      socket.send(String(index), String(index), `realtime:t${index}`, 'phx_join', joinOf(token));
    }
    const statuses: unknown[] = [];
    for (const _ of tokens) statuses.push((await socket.heard('phx_reply'))[4]['status']);
    expect(statuses).toEqual(['error', 'error', 'error', 'error', 'ok']);
  });

  test('[P-04] [A-34] a private channel opens to its addressee alone', async () => {
    const socket = await raw();
    const token = await server.tokenOf(client);
    const topics = [`user:${client.id}`, 'role:client', 'role:admin', `user:${admin.id}`, 'anything'];
    const statuses: unknown[] = [];
    for (const topic of topics) {
      socket.send(topic, '1', `realtime:${topic}`, 'phx_join', { config: { private: true }, access_token: token });
      statuses.push((await socket.heard('phx_reply'))[4]['status']);
    }
    expect(statuses).toEqual(['ok', 'ok', 'error', 'error', 'error']);
  });

  test('[RT-02] a leave is confirmed, then the channel is silent', async () => {
    const socket = await raw();
    socket.send('1', '1', 'realtime:leaving', 'phx_join', joinOf(await server.tokenOf(admin)));
    await socket.heard('system');
    socket.send('1', '2', 'realtime:leaving', 'phx_leave', {});
    const left = await until(() => socket.said.filter(([, , , event]) => event.startsWith('phx_'))[2]);
    expect(left).toEqual(['1', '1', 'realtime:leaving', 'phx_close', {}]);
    await aSale(server.database, { commercial });
    await quiet();
    expect(socket.said.filter(([, , , event]) => event === 'postgres_changes')).toEqual([]);
  });

  test('[RT-02] more than 30 channels, and a name or a configuration that is none, are refused', async () => {
    const socket = await raw();
    for (let count = 0; count <= 30; count += 1) {
      socket.send(String(count), String(count), `realtime:c${count}`, 'phx_join', { config: {} });
    }
    socket.send('a', 'a', 'other:topic', 'phx_join', { config: {} });
    socket.send('b', 'b', 'realtime:bad', 'phx_join', { config: { postgres_changes: 'all' } });
    const refs = new Map<string | null, unknown>();
    for (let count = 0; count <= 32; count += 1) {
      const [, ref, , , payload] = await socket.heard('phx_reply');
      refs.set(ref, payload['status']);
    }
    expect([refs.get('29'), refs.get('30'), refs.get('a'), refs.get('b')]).toEqual(['ok', 'error', 'error', 'error']);
  });

  test('[RT-02] joining a topic again replaces what was joined', async () => {
    const socket = await raw();
    const token = await server.tokenOf(admin);
    for (const ref of ['1', '2']) {
      socket.send(ref, ref, 'realtime:again', 'phx_join', joinOf(token));
      await socket.heard('system');
    }
    await aSale(server.database, { commercial });
    await socket.heard('postgres_changes');
    await quiet();
    expect(socket.said.filter(([, , , event]) => event === 'postgres_changes')).toEqual([]);
  });

  test('[RT-02] a frame of a channel that is not joined is refused', async () => {
    const socket = await raw();
    socket.send('1', '5', 'realtime:nowhere', 'broadcast', { type: 'broadcast', event: 'x', payload: {} });
    expect((await socket.heard('phx_reply'))[4]).toEqual({ status: 'error', response: { reason: 'unmatched topic' } });
  });
});

describe('tokens', () => {
  test("[P-04] another person's token changes the channel's sight", async () => {
    const socket = await raw();
    const other = await aCommercial(server.database);
    socket.send('1', '1', 'realtime:swap', 'phx_join', joinOf(await server.tokenOf(commercial)));
    await socket.heard('system');
    await aSale(server.database, { commercial });
    await socket.heard('postgres_changes');
    socket.send('1', '2', 'realtime:swap', 'access_token', { access_token: await server.tokenOf(other) });
    socket.send(null, '3', 'realtime:none', 'phx_leave', {});
    await socket.heard('phx_reply', 'realtime:none');
    await aSale(server.database, { commercial });
    const theirs = await aSale(server.database, { commercial: other });
    const [, , , , payload] = await socket.heard('postgres_changes');
    expect(payload).toMatchObject({ data: { record: { id: theirs.id } } });
  });

  test('[A-08] after signing out nothing more is learned, before the token expires', async () => {
    const socket = await raw();
    socket.send('1', '1', 'realtime:out', 'phx_join', joinOf(await server.tokenOf(commercial)));
    await socket.heard('system');
    socket.send('1', '2', 'realtime:out', 'access_token', { access_token: server.services.keys.publishableKey });
    socket.send(null, '3', 'realtime:none', 'phx_leave', {});
    await socket.heard('phx_reply', 'realtime:none');
    await aSale(server.database, { commercial });
    await quiet();
    expect(socket.said.map(([, , , event]) => event)).not.toContain('postgres_changes');
  });

  test('[P-04] a refused token closes the channel, which the client can join again', async () => {
    const socket = await raw();
    socket.send('1', '1', 'realtime:bad', 'phx_join', joinOf(await server.tokenOf(commercial)));
    await socket.heard('system');
    socket.send('1', '2', 'realtime:bad', 'access_token', { access_token: 'not a token' });
    expect((await socket.heard('system'))[4]).toMatchObject({ status: 'error', extension: 'system' });
    expect(await socket.heard('phx_error')).toEqual(['1', '1', 'realtime:bad', 'phx_error', {}]);
  });

  test('[S-10] when the token expires the channel closes, and the client joins with the new one', async () => {
    const {
      sub,
      session_id: session,
      role,
    } = { sub: commercial.id, session_id: commercial.sessionId, role: 'authenticated' };
    const claims = { sub, session_id: session, role, app_metadata: { role: 'commercial' } };
    let { token } = await server.services.tokens.sign(claims, { expiresInSeconds: 2 });
    const theirs = createClient(server.url, server.services.keys.publishableKey, {
      accessToken: async () => token,
      realtime: { heartbeatIntervalMs: 200 },
    });
    await theirs.realtime.setAuth();
    const events = await watching(theirs, 'sales');
    // The client says a new token with its next heartbeat: it must first live through the end of this one.
    await until(() => theirs.getChannels()[0]?.state === 'errored');
    token = await server.tokenOf(commercial);
    await until(() => theirs.getChannels()[0]?.state === 'joined');
    await aSale(server.database, { commercial });
    await until(() => events[0]);
    await theirs.realtime.disconnect();
  });

  test('[P-04] an ended session is noticed although nothing changes', async () => {
    const leaving = await aCommercial(server.database);
    const socket = await raw();
    socket.send('1', '1', 'realtime:still', 'phx_join', joinOf(await server.tokenOf(leaving)));
    await socket.heard('system');
    await server.database.asOwner('delete from auth.sessions where id = $1', [leaving.sessionId]);
    // In steps under a minute: the sweep may run before the heartbeat comes.
    for (let ahead = 50_000; ahead < 300_000; ahead += 50_000) {
      setClockAhead(ahead);
      socket.send(null, '2', 'phoenix', 'heartbeat', {});
      await socket.heard('phx_reply', 'phoenix');
    }
    setClockAhead(301_000);
    expect((await socket.heard('system'))[4]).toMatchObject({ status: 'error', extension: 'system' });
    await socket.heard('phx_error');
  });

  test('[RT-01] a client that subscribes before it knows its session receives in the end', async () => {
    const early = createClient(server.url, server.services.keys.publishableKey, {
      accessToken: async () => {
        // Time itself: the session is known late.
        await wait(300);
        return server.tokenOf(commercial);
      },
    });
    const events: unknown[] = [];
    let isFlowing = false;
    early
      .channel('early')
      .on('postgres_changes', { event: '*', schema: 'public', table: 'sales' }, (event) => events.push(event))
      .on('system', {}, (message: { readonly status: string }) => (isFlowing ||= message.status === 'ok'))
      .subscribe();
    await until(() => isFlowing);
    await aSale(server.database, { commercial });
    await until(() => events[0]);
    await early.realtime.disconnect();
  });
});

describe('the end of a server', () => {
  test('[RT-02] a server that stops closes its connections with 1012, and the client comes back', async () => {
    const first = await startTestServer({ jobs: false, database: server.database });
    const socket = await rawSocket(first);
    const theirs = await signedIn(first, admin);
    await watching(theirs, 'sales');
    await first.close();
    expect(await socket.closed).toEqual({ code: 1012, reason: 'The server restarts' });
    await until(() => !theirs.realtime.isConnected());
    await theirs.realtime.disconnect();
  });
});
