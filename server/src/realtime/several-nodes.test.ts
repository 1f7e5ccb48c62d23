import { createClient } from '@supabase/supabase-js';
import type { RealtimeChannel } from '@supabase/supabase-js';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { aClient, aCommercial, anAdmin, asJustSeen, aSale, startTestServer } from '../testing/index.ts';
import type { Person, TestServer } from '../testing/index.ts';
import { joined, quiet, rawSocket, signedIn, until, watching } from '../testing/realtime.ts';

let one: TestServer;
let two: TestServer;
let admin: Person;
let commercial: Person;
let client: Person;
beforeAll(async () => {
  one = await startTestServer({ jobs: false });
  // Tokens name the server that made them: two nodes of one product have one address.
  two = await startTestServer({ jobs: false, database: one.database, environment: { PUBLIC_URL: one.url } });
  admin = await anAdmin(one.database);
  commercial = await aCommercial(one.database);
  client = await aClient(one.database, { commercial });
});
afterAll(async () => {
  await two.close();
  await one.close();
});

const onTwo = (person: Person) => signedIn(two, person);

type Heard = { readonly event: string; readonly payload?: unknown };

async function member(
  of: TestServer,
  name: string,
  config: object = {},
  person?: Person,
): Promise<{ readonly channel: RealtimeChannel; readonly heard: Heard[]; readonly leave: () => Promise<unknown> }> {
  const made =
    person === undefined ? createClient(of.url, of.services.keys.publishableKey) : await signedIn(of, person);
  const heard: Heard[] = [];
  const channel = made.channel(name, { config }).on('broadcast', { event: '*' }, (message) => heard.push(message));
  await joined(channel);
  return { channel, heard, leave: () => made.realtime.disconnect() };
}

describe('changes', () => {
  test('[RT-01] a change on one node reaches the connections of another, once', async () => {
    const watcher = await onTwo(commercial);
    const events = await watching(watcher, 'sales');
    const sale = await aSale(one.database, { commercial, isReady: true, friendReferrer: client });
    await until(() => events[0]);
    const acting = await signedIn(one, admin);
    const { error } = await acting.functions.invoke('sales-management', {
      body: await asJustSeen(one.database, { action: 'reject', sale_id: sale.id, reason: 'Doublon' }),
    });
    expect(error).toBeNull();
    expect((await until(() => events[1])).new).toMatchObject({ status: 'rejected' });
    await quiet();
    expect(events).toHaveLength(2);
    await watcher.realtime.disconnect();
  });

  test('[F-98] a listener that was cut off resumes where it was: nothing is missing or told twice', async () => {
    const watcher = await onTwo(commercial);
    const events = await watching(watcher, 'sales');
    const expected: string[] = [];
    for (let round = 0; round < 4; round += 1) {
      for (let count = 0; count < 5; count += 1) {
        expected.push((await aSale(one.database, { commercial, friendReferrer: null })).id);
        if (count === 2) {
          await one.database.asOwner(
            `select pg_terminate_backend(pid) from pg_stat_activity
             where application_name like 'parrain listener%' and datname = current_database()`,
          );
        }
      }
      // Time itself: for some rounds the listener is back before the next row, for others not.
      await wait(50);
    }
    await until(() => events.length >= expected.length);
    await quiet();
    expect(events.map((event) => (event.new as { readonly id: string }).id).toSorted()).toEqual(expected.toSorted());
    await watcher.realtime.disconnect();
  });

  test('[F-98] a long transaction holds nobody up and is not forgotten', async () => {
    const watcher = await onTwo(commercial);
    const events = await watching(watcher, 'sales');
    let early = '';
    let late = '';
    await one.database.become('parrain_service', async (run) => {
      const insert = `insert into public.sales (referred_contact_name, commercial_id) values ($1, $2) returning id`;
      [{ id: early }] = (await run<{ id: string }>(insert, ['Longue', commercial.id])) as [{ id: string }];
      late = (await aSale(one.database, { commercial, friendReferrer: null })).id;
      expect((await until(() => events[0])).new).toMatchObject({ id: late });
    });
    expect((await until(() => events[1])).new).toMatchObject({ id: early });
    await quiet();
    expect(events).toHaveLength(2);
    await watcher.realtime.disconnect();
  });
});

test('[F-98] a flood of changes is not told row by row: everyone reads again', async () => {
  const watcher = await onTwo(commercial);
  const events = await watching(watcher, 'sales');
  await one.database.asOwner(
    `insert into private.changes (table_name, operation, key) select 'sales', 'UPDATE', gen_random_uuid() from generate_series(1, 21000)`,
  );
  await until(() => watcher.getChannels()[0]?.state === 'errored');
  await until(() => watcher.getChannels()[0]?.state === 'joined');
  expect(events).toEqual([]);
  await watcher.realtime.disconnect();
});

describe('broadcast', () => {
  test('[RT-01] a broadcast goes to the members on all nodes, and to its sender where asked', async () => {
    const sender = await member(one, 'room');
    const self = await member(one, 'room', { broadcast: { self: true, ack: true } });
    const far = await member(two, 'room');
    const elsewhere = await member(two, 'other-room');
    expect(await sender.channel.send({ type: 'broadcast', event: 'note', payload: { texte: 'Élan €' } })).toBe('ok');
    for (const { heard } of [self, far]) {
      expect(await until(() => heard[0])).toMatchObject({ event: 'note', payload: { texte: 'Élan €' } });
    }
    expect(await self.channel.send({ type: 'broadcast', event: 'again', payload: {} })).toBe('ok');
    await until(() => self.heard[1]);
    await until(() => sender.heard[0]);
    expect(sender.heard).toHaveLength(1);
    expect(elsewhere.heard).toEqual([]);
    await Promise.all([sender, self, far, elsewhere].map((one_) => one_.leave()));
  });

  test('[RT-01] bytes, long messages and equal messages go from node to node', async () => {
    const sender = await member(one, 'bytes');
    const far = await member(two, 'bytes');
    const bytes = new Uint8Array([0, 1, 254, 255]);
    await sender.channel.send({ type: 'broadcast', event: 'raw', payload: bytes.buffer as never });
    const long = 'é'.repeat(20_000);
    await sender.channel.send({ type: 'broadcast', event: 'long', payload: { long } });
    await sender.channel.send({ type: 'broadcast', event: 'same', payload: { n: 1 } });
    await sender.channel.send({ type: 'broadcast', event: 'same', payload: { n: 1 } });
    await until(() => far.heard.length === 4);
    expect(far.heard.map(({ event }) => event)).toEqual(['raw', 'long', 'same', 'same']);
    expect(new Uint8Array(far.heard[0]?.payload as ArrayBuffer)).toEqual(bytes);
    expect(far.heard[1]?.payload).toEqual({ long });
    await Promise.all([sender.leave(), far.leave()]);
  });

  test('[RT-01] a broadcast by HTTP reaches the members', async () => {
    const far = await member(two, 'http/é');
    const outside = createClient(one.url, one.services.keys.publishableKey);
    expect(await outside.channel('http/é').httpSend('news', { n: 1 })).toEqual({ success: true });
    await outside.channel('http/é').httpSend('raw', new Uint8Array([7]));
    const answer = await one.fetch('/realtime/v1/api/broadcast', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ messages: [{ topic: 'http/é', event: 'batch', payload: { n: 2 } }] }),
    });
    expect(answer.status).toBe(202);
    await until(() => far.heard.length === 3);
    expect(far.heard.map(({ event }) => event)).toEqual(['news', 'raw', 'batch']);
    await far.leave();
  });

  test("[P-04] a private and a public channel of one name are two; nobody speaks in another's private one", async () => {
    const name = `user:${client.id}`;
    const own = await member(one, name, { private: true }, client);
    const spy = await member(two, name);
    const asked = (key: string | undefined, person?: Person) =>
      one.fetch(
        `/realtime/v1/api/broadcast/${encodeURIComponent(name)}/events/hello?private=true`,
        {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...(key === undefined ? {} : { apikey: key }) },
          body: '{"n":1}',
        },
        person,
      );
    expect((await asked(undefined)).status).toBe(403);
    expect((await asked(undefined, commercial)).status).toBe(403);
    expect((await asked(one.services.keys.secretKey)).status).toBe(202);
    expect(await until(() => own.heard[0])).toMatchObject({ event: 'hello', payload: { n: 1 } });
    await spy.channel.send({ type: 'broadcast', event: 'spoof', payload: {} });
    await quiet();
    expect(spy.heard).toEqual([]);
    expect(own.heard).toHaveLength(1);
    await Promise.all([own.leave(), spy.leave()]);
  });

  test.each([
    ['without messages', '/realtime/v1/api/broadcast', '{}', 422],
    ['to be kept', '/realtime/v1/api/broadcast/a/events/b?persist=true', '{}', 422],
    ['without a key', '/realtime/v1/api/broadcast', '{"messages":[]}', 401],
  ])('[RT-01] a broadcast « %s » is refused', async (name, path, body, status) => {
    const headers = { 'content-type': 'application/json', ...(name === 'without a key' ? { apikey: '' } : {}) };
    expect((await one.fetch(path, { method: 'POST', headers, body })).status).toBe(status);
  });

  test('[RT-01] content that is not JSON is not passed on', async () => {
    const socket = await rawSocket(one);
    socket.send('1', '1', 'realtime:bad', 'phx_join', { config: {} });
    await socket.heard('phx_reply');
    const texts = ['1', '2', 'realtime:bad', 'x', ''];
    const header = Buffer.of(3, ...texts.map((text) => text.length), 1);
    socket.sendRaw(Buffer.concat([header, Buffer.from(`${texts.join('')}{not json`)]));
    expect((await socket.closed).code).toBe(1007);
  });
});

describe('presence', () => {
  test('[RT-01] everyone sees who is present on all nodes, and who leaves', async () => {
    const states: Record<string, readonly unknown[]>[] = [{}, {}];
    const made = [
      createClient(one.url, one.services.keys.publishableKey),
      createClient(two.url, two.services.keys.publishableKey),
    ];
    const channels = made.map((each, index) => {
      const channel = each.channel('team', { config: { presence: { key: `person-${index}` } } });
      channel.on('presence', { event: 'sync' }, () => (states[index] = channel.presenceState()));
      return channel;
    });
    for (const channel of channels) await joined(channel);
    for (const [index, channel] of channels.entries()) expect(await channel.track({ name: `Nom ${index}` })).toBe('ok');
    const everyone = (state: Record<string, readonly unknown[]> | undefined) =>
      Object.keys(state ?? {})
        .toSorted()
        .join();
    await until(() => states.every((state) => everyone(state) === 'person-0,person-1'));
    expect(states[0]?.['person-1']).toEqual([{ name: 'Nom 1', presence_ref: expect.any(String) }]);

    const late = createClient(one.url, one.services.keys.publishableKey);
    const seen = late.channel('team', { config: { presence: { enabled: true, key: 'late' } } });
    seen.on('presence', { event: 'sync' }, () => undefined).subscribe();
    await until(() => everyone(seen.presenceState()) === 'person-0,person-1');

    await channels[0]?.track({ name: 'Nouveau nom' });
    await until(() => (states[1]?.['person-0']?.[0] as { name?: string } | undefined)?.name === 'Nouveau nom');
    expect(states[1]?.['person-0']).toHaveLength(1);
    await channels[0]?.untrack();
    await until(() => everyone(states[1]) === 'person-1');
    await made[1]?.realtime.disconnect();
    await until(() => everyone(states[0]) === '');
    for (const each of [...made, late]) await each.realtime.disconnect();
  });

  test('[F-98] a node that stops takes its presences with it', async () => {
    const three = await startTestServer({ jobs: false, database: one.database });
    const watcher = createClient(one.url, one.services.keys.publishableKey);
    const seen = watcher.channel('fleet');
    seen.on('presence', { event: 'sync' }, () => undefined);
    await joined(seen);
    const gone = await member(three, 'fleet', { presence: { key: 'gone' } });
    await gone.channel.track({});
    await until(() => 'gone' in seen.presenceState());
    await three.close();
    await until(() => !('gone' in seen.presenceState()));
    await Promise.all([gone.leave(), watcher.realtime.disconnect()]);
  });
});

test('[RT-01] the cleanup removes what is older than an hour, and nothing else', async () => {
  const sale = await aSale(one.database, { commercial });
  await one.database.asOwner(`update private.changes set at = now() - interval '2 hours' where key <> $1`, [sale.id]);
  await one.database.asOwner(
    `insert into private.kept_broadcasts (room, event, json, at, expires_at)
     select 'private:user:x', name, '{}', clock_timestamp() - interval '1 day', clock_timestamp() + after
     from (values ('over', interval '-1 minute'), ('still', interval '1 minute')) kept (name, after)`,
  );
  const worker = await startTestServer({ database: one.database });
  await worker.services.db.asService('test', (tx) => worker.services.jobs.enqueue(tx, 'realtime-cleanup', {}));
  await expect.poll(() => one.database.asOwner('select key from private.changes')).toEqual([{ key: sale.id }]);
  await expect
    .poll(() => one.database.asOwner('select event from private.kept_broadcasts'))
    .toEqual([{ event: 'still' }]);
  await worker.close();
});
