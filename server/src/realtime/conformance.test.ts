// @module-tag long: src/realtime/protocol.test.ts holds its subject in the quick ring
import { createClient, RealtimePostgresFilterBuilder } from '@supabase/supabase-js';
import type { RealtimeChannel, SupabaseClient } from '@supabase/supabase-js';
import { Writable } from 'node:stream';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';

import { createLog } from '../platform/log.ts';
import { aClient, aCommercial, anAdmin, aSale, startTestServer } from '../testing/index.ts';
import type { Person, TestServer } from '../testing/index.ts';
import { joined, quiet, rawSocket, signedIn, subscribed, until } from '../testing/realtime.ts';
import type { ChangeEvent } from '../testing/realtime.ts';

// The official client as it is, over what the data contract says of realtime, theme by theme.

let server: TestServer;
let admin: Person;
let commercial: Person;
let client: Person;
const logged: string[] = [];
beforeAll(async () => {
  const log = createLog(
    'info',
    new Writable({
      write(chunk: Buffer, _encoding, done) {
        logged.push(chunk.toString());
        done();
      },
    }),
  );
  server = await startTestServer({ jobs: false, log });
  admin = await anAdmin(server.database);
  commercial = await aCommercial(server.database);
  client = await aClient(server.database, { commercial });
});
afterAll(() => server.close());

const open: SupabaseClient[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const one of open.splice(0)) await one.realtime.disconnect();
});
const versions = ['1.0.0', '2.0.0'] as const;
async function clientOf(person?: Person, options: object = {}): Promise<SupabaseClient> {
  const made =
    person === undefined
      ? createClient(server.url, server.services.keys.publishableKey, { realtime: options })
      : await signedIn(server, person, options);
  open.push(made);
  return made;
}

type Heard = {
  readonly event: string;
  readonly payload?: unknown;
  readonly meta?: { readonly id: string; readonly replayed?: boolean };
};
async function listening(made: SupabaseClient, name: string, config: object): Promise<[RealtimeChannel, Heard[]]> {
  const heard: Heard[] = [];
  const channel = made.channel(name, { config }).on('broadcast', { event: '*' }, (message) => heard.push(message));
  await joined(channel);
  return [channel, heard];
}

describe('both protocols', () => {
  test.each(versions)('[RT-01] %s: changes, broadcasts and presence', async (vsn) => {
    const theirs = await clientOf(commercial, { vsn });
    const events: ChangeEvent[] = [];
    const heard: Heard[] = [];
    const channel = theirs
      .channel('all', { config: { broadcast: { self: true, ack: true }, presence: { key: 'me' } } })
      .on('postgres_changes', { event: '*', schema: 'public', table: 'sales' }, (event: ChangeEvent) =>
        events.push(event),
      )
      .on('broadcast', { event: 'note' }, (message) => heard.push(message))
      .on('presence', { event: 'sync' }, () => undefined);
    await subscribed(channel);
    expect(await channel.send({ type: 'broadcast', event: 'note', payload: { é: 1 } })).toBe('ok');
    expect(await until(() => heard[0])).toEqual({ type: 'broadcast', event: 'note', payload: { é: 1 } });
    expect(await channel.track({ page: 'ventes' })).toBe('ok');
    await until(() => 'me' in channel.presenceState());
    const sale = await aSale(server.database, { commercial, contractAmount: '1234.50' });
    const event = await until(() => events[0]);
    expect(event).toEqual({
      schema: 'public',
      table: 'sales',
      commit_timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u),
      eventType: 'INSERT',
      new: expect.objectContaining({ id: sale.id, contract_amount: 1234.5, admin_validated: false, version: 1 }),
      old: {},
      errors: null,
    });
    expect(await channel.unsubscribe()).toBe('ok');
  });

  test.each(versions)(
    '[RT-01] %s: a broadcast of one version reaches the other, except bytes for the old one',
    async (vsn) => {
      const other = versions.find((one) => one !== vsn);
      const [sender] = await listening(await clientOf(undefined, { vsn }), 'between', { broadcast: { ack: true } });
      const [, heard] = await listening(await clientOf(undefined, { vsn: other }), 'between', {});
      expect(await sender.send({ type: 'broadcast', event: 'e', payload: { n: 1 } })).toBe('ok');
      expect((await until(() => heard[0])).payload).toEqual({ n: 1 });
    },
  );
});

describe('subscriptions', () => {
  test("[RT-01] the client's filters, as its builder writes them", async () => {
    const theirs = await clientOf(admin);
    const heard: string[] = [];
    const sale = await aSale(server.database, { commercial, contactName: 'Dupont, "Jean"' });
    const filter = new RealtimePostgresFilterBuilder()
      .eq('referred_contact_name', 'Dupont, "Jean"')
      .in('status', ['contacted', 'rejected'])
      .gt('version', 1);
    await subscribed(
      theirs
        .channel('built')
        .on('postgres_changes', { event: 'UPDATE', schema: 'public', table: 'sales', filter }, () =>
          heard.push('built'),
        ),
    );
    await server.database.asOwner(`update public.sales set status = 'contacted' where id = $1`, [sale.id]);
    await until(() => heard[0]);
    await server.database.asOwner(`update public.sales set status = 'in_negotiation' where id = $1`, [sale.id]);
    await quiet();
    expect(heard).toEqual(['built']);
  });

  test('[RT-01] a subscription to the key alone receives it alone, beside one to everything', async () => {
    const [alone, beside] = [await clientOf(commercial), await clientOf(commercial)];
    const heard: Record<string, ChangeEvent[]> = { key: [], whole: [] };
    const watch = async (made: SupabaseClient, name: 'key' | 'whole'): Promise<unknown> =>
      subscribed(
        made
          .channel(name)
          .on(
            'postgres_changes',
            { event: '*', schema: 'public', table: 'sales', ...(name === 'key' ? { select: ['id'] } : {}) },
            (event: ChangeEvent) => heard[name]?.push(event),
          ),
      );
    await watch(alone, 'key');
    const sale = await aSale(server.database, { commercial });
    await aSale(server.database, { commercial: await aCommercial(server.database) });
    expect((await until(() => heard['key']?.[0])).new).toEqual({ id: sale.id });
    await watch(beside, 'whole');
    await server.database.asOwner(`update public.sales set status = 'contacted' where id = $1`, [sale.id]);
    expect((await until(() => heard['whole']?.[0])).new).toMatchObject({ id: sale.id, status: 'contacted' });
    expect((await until(() => heard['key']?.[1])).new).toEqual({ id: sale.id });
    await quiet();
    expect([heard['key']?.length, heard['whole']?.length]).toEqual([2, 1]);
  });

  test('[RT-01] wait: the subscription answers when changes arrive', async () => {
    const theirs = await clientOf(admin);
    const events: ChangeEvent[] = [];
    const channel = theirs
      .channel('waiting', { config: { postgres_changes_options: { wait: true, timeout: 5000 } } })
      .on('postgres_changes', { event: 'INSERT', schema: 'public', table: 'sales' }, (event: ChangeEvent) =>
        events.push(event),
      );
    await joined(channel);
    const sale = await aSale(server.database, { commercial });
    expect((await until(() => events[0])).new).toMatchObject({ id: sale.id });
  });

  test.each([
    ['a value that is no number', 'contract_amount=gt.beaucoup'],
    ['a value that is no identifier', 'id=eq.1'],
    ['a date that is none', 'created_at=gt.demain'],
    ['a list without parentheses', 'status=in.pending'],
    ['more than a hundred values', `version=in.(${Array.from({ length: 101 }, (_, n) => n).join()})`],
    ['an unknown operator', 'status=cs.{a}'],
    ['a filter that is too long', `status=eq.${'x'.repeat(2001)}`],
  ])('[RT-01] %s: the channel says so and receives nothing', async (_name, filter) => {
    const said: { readonly status: string; readonly message: string }[] = [];
    (await clientOf(admin))
      .channel('refused')
      .on('postgres_changes', { event: '*', schema: 'public', table: 'sales', filter }, () => undefined)
      .on('system', {}, (message: (typeof said)[number]) => said.push(message))
      .subscribe();
    expect(await until(() => said[0])).toMatchObject({
      status: 'error',
      extension: 'postgres_changes',
      channel: 'refused',
      message: expect.stringContaining('Unable to subscribe to changes with given parameters'),
    });
  });

  test('[RT-01] a filter on anything but the key tells nothing of a deleted row', async () => {
    const theirs = await clientOf(admin);
    const heard: string[] = [];
    const sale = await aSale(server.database, { status: 'rejected', friendReferrer: null });
    const on = { event: 'DELETE', schema: 'public', table: 'sales' } as const;
    await subscribed(
      theirs
        .channel('deleted')
        .on('postgres_changes', { ...on, filter: 'status=eq.rejected' }, () => heard.push('status'))
        .on('postgres_changes', { ...on, filter: `id=eq.${sale.id}` }, () => heard.push('key')),
    );
    await server.database.asOwner('delete from public.sales where id = $1', [sale.id]);
    await until(() => heard[0]);
    await quiet();
    expect(heard).toEqual(['key']);
  });
});

describe('messages that are kept', () => {
  const topic = () => `user:${client.id}`;
  const since = () => Date.now() - 60_000;

  test('[RT-01] joining a private channel replays its kept messages, in order and once', async () => {
    const config = { private: true, broadcast: { ack: true } };
    const [sender] = await listening(await clientOf(client), topic(), config);
    for (const n of [1, 2]) {
      expect(await sender.send({ type: 'broadcast', event: 'kept', payload: { n }, persist: true })).toBe('ok');
    }
    await sender.send({
      type: 'broadcast',
      event: 'raw',
      payload: new Uint8Array([7, 8]).buffer,
      persist: { ttl: 60 },
    });
    await sender.send({ type: 'broadcast', event: 'not-kept', payload: {} });
    const outside = await clientOf(client);
    expect(
      await outside
        .channel(topic(), { config: { private: true } })
        .httpSend('posted', { n: 3 }, { persist: { ttl: 60 } }),
    ).toEqual({
      success: true,
    });
    const [live, heard] = await listening(await clientOf(client), topic(), {
      private: true,
      broadcast: { replay: { since: since() } },
    });
    await until(() => heard.length === 4);
    expect(heard.map(({ event, meta }) => [event, meta?.replayed])).toEqual([
      ['kept', true],
      ['kept', true],
      ['raw', true],
      ['posted', true],
    ]);
    expect(heard.map(({ payload }) => payload)).toEqual([{ n: 1 }, { n: 2 }, expect.any(ArrayBuffer), { n: 3 }]);
    expect(new Set(heard.map(({ meta }) => meta?.id)).size).toBe(4);
    // Told as it happens, it has an id too: what is read again later is known by it.
    await sender.send({ type: 'broadcast', event: 'later', payload: {}, persist: true });
    expect((await until(() => heard[4])).meta).toEqual({ id: expect.any(String) });
    await live.unsubscribe();
    const [, last] = await listening(await clientOf(client), topic(), {
      private: true,
      broadcast: { replay: { since: since(), limit: 2 } },
    });
    await until(() => last.length === 2);
    expect(last.map(({ event }) => event)).toEqual(['posted', 'later']);
    await quiet();
    expect(last).toHaveLength(2);
  });

  test('[P-04] messages kept for a person are replayed to no other, nor after their expiry', async () => {
    const [mine] = await listening(await clientOf(admin), `user:${admin.id}`, {
      private: true,
      broadcast: { ack: true },
    });
    expect(await mine.send({ type: 'broadcast', event: 'secret', payload: {}, persist: true })).toBe('ok');
    for (const name of [`user:${admin.id}`, 'role:admin']) {
      const refused = (await clientOf(client)).channel(name, {
        config: { private: true, broadcast: { replay: { since: 0 } } },
      });
      await expect(joined(refused)).rejects.toThrow('Unauthorized');
    }
    await server.database.asOwner(`update private.kept_broadcasts set expires_at = clock_timestamp() - interval '1 s'`);
    const [, heard] = await listening(await clientOf(admin), `user:${admin.id}`, {
      private: true,
      broadcast: { replay: { since: 0 } },
    });
    await quiet();
    expect(heard).toEqual([]);
  });

  test('[RT-01] nothing is kept in a public channel, too long, for too long or too often', async () => {
    const [channel, heard] = await listening(await clientOf(client), topic(), {
      private: true,
      broadcast: { self: true },
    });
    const send = (payload: object, persist: boolean | { readonly ttl: number }) =>
      channel.send({ type: 'broadcast', event: 'e', payload, persist });
    const kept = async () => (await server.database.asOwner('select from private.kept_broadcasts')).length;
    const before = await kept();
    const socket = await rawSocket(server);
    socket.send('1', '1', 'realtime:lobby', 'phx_join', { config: {} });
    await socket.heard('phx_reply');
    socket.send('1', '2', 'realtime:lobby', 'broadcast', { type: 'broadcast', event: 'e', payload: {}, persist: true });
    expect((await socket.heard('phx_reply'))[4]).toMatchObject({
      status: 'error',
      response: { error: 'A message of a public channel cannot be kept' },
    });
    socket.send('1', '3', 'realtime:replayed', 'phx_join', { config: { broadcast: { replay: { since: 0 } } } });
    expect((await socket.heard('phx_reply'))[4]).toMatchObject({ status: 'error' });
    socket.close();
    await send({ filler: 'x'.repeat(70_000) }, true);
    for (const ttl of [0, -1, 1.5, 1e9]) await send({}, { ttl });
    const outside = (await clientOf(client)).channel(topic(), { config: { private: true } });
    await expect(outside.httpSend('e', {}, { persist: { ttl: 1e9 } })).rejects.toThrow('seconds');
    await expect(outside.httpSend('e', { filler: 'x'.repeat(70_000) }, { persist: true })).rejects.toThrow('bytes');
    for (let count = 0; count < 80; count += 1) await send({ count }, { ttl: 60 });
    await until(() => heard.length > 20);
    await quiet();
    // A message is kept first, and then told.
    await expect.poll(async () => (await kept()) - before - heard.length).toBe(0);
    expect(heard.length).toBeLessThanOrEqual(62);
  });

  test('[RT-01] replication_ready: the channel says that it is ready', async () => {
    const said: unknown[] = [];
    const channel = (await clientOf(admin))
      .channel('ready', { config: { broadcast: { replication_ready: true } } })
      .on('system', {}, (message: unknown) => said.push(message));
    await joined(channel);
    expect(await until(() => said[0])).toEqual({
      extension: 'system',
      status: 'ok',
      message: 'Replication connection established',
      channel: 'ready',
    });
  });
});

describe('limits', () => {
  test('[RT-01] a presence payload is short', async () => {
    const [channel] = await listening(await clientOf(), 'long-presence', {});
    expect(await channel.track({ filler: 'x'.repeat(9000) })).toBe('error');
    expect(await channel.track({ filler: 'x'.repeat(7000) })).toBe('ok');
  });

  test('[RT-01] too many presence changes are refused, and the channel stays', async () => {
    const [channel] = await listening(await clientOf(), 'busy-presence', { broadcast: { ack: true } });
    const answers: string[] = [];
    for (let count = 0; count < 20; count += 1) answers.push(await channel.track({ count }));
    expect(answers.filter((answer) => answer === 'error').length).toBeGreaterThan(5);
    expect(await channel.send({ type: 'broadcast', event: 'e', payload: {} })).toBe('ok');
  });

  test('[RT-01] too many broadcasts by HTTP give 429 and the wait', async () => {
    const person = await aClient(server.database);
    const send = () =>
      server.fetch(
        '/realtime/v1/api/broadcast',
        {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: '{"messages":[{"topic":"a","event":"b","payload":{}}]}',
        },
        person,
      );
    expect((await send()).status).toBe(202);
    // It gives twenty back a second, and a slow machine sends no faster: empty, and nothing given back for a minute.
    const emptied = await server.database.asOwner(
      `update private.rate_limits set tokens = 0, refilled_at = clock_timestamp() + interval '1 minute' where bucket = $1 returning bucket`,
      [`broadcast:${person.id}`],
    );
    expect(emptied).toHaveLength(1);
    const refused = await send();
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});

test('[RT-01] sending before the subscription goes by HTTP, and the key stays out of the log', async () => {
  vi.spyOn(console, 'warn').mockReturnValue();
  const [, heard] = await listening(await clientOf(), 'early', {});
  const early = (await clientOf()).channel('early');
  expect(await early.send({ type: 'broadcast', event: 'e', payload: { n: 1 } })).toBe('ok');
  expect((await until(() => heard[0])).payload).toEqual({ n: 1 });
  expect(await early.httpSend('f', { n: 2 })).toEqual({ success: true });
  await until(() => heard[1]);
  await until(() => logged.some((line) => line.includes('/events/f')));
  expect(logged.join('')).not.toContain(server.services.keys.publishableKey);
});
