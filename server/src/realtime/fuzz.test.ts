import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { aCommercial, aSale, startTestServer } from '../testing/index.ts';
import type { Person, TestServer } from '../testing/index.ts';
import { rawSocket, signedIn, until, watching } from '../testing/realtime.ts';
import type { ChangeEvent, RawSocket } from '../testing/realtime.ts';

// Every message of a socket is answered, or closes it with a code of its own: no other socket notices, nothing is unhandled.

let server: TestServer;
let commercial: Person;
let token: string;
let bystander: Awaited<ReturnType<typeof signedIn>>;
let events: ChangeEvent[];
const troubles: unknown[] = [];
const onTrouble = (error: unknown): void => void troubles.push(error);
beforeAll(async () => {
  server = await startTestServer({ jobs: false });
  commercial = await aCommercial(server.database);
  token = await server.tokenOf(commercial);
  bystander = await signedIn(server, commercial);
  events = await watching(bystander, 'sales');
  process.on('unhandledRejection', onTrouble).on('uncaughtExceptionMonitor', onTrouble);
});
afterAll(async () => {
  process.off('unhandledRejection', onTrouble).off('uncaughtExceptionMonitor', onTrouble);
  await bystander.realtime.disconnect();
  await server.close();
});

const CLOSE_CODES = [1000, 1005, 1006, 1007, 1008, 1009];

/** The bystander's channel stands and still hears; the door still answers newcomers. */
async function expectOthersUntouched(): Promise<void> {
  const before = events.length;
  await aSale(server.database, { commercial, friendReferrer: null });
  await until(() => events.length > before);
  expect(bystander.getChannels()[0]?.state).toBe('joined');
  const newcomer = await rawSocket(server);
  newcomer.send(null, '1', 'phoenix', 'heartbeat', {});
  await newcomer.heard('phx_reply');
  newcomer.close();
  expect(troubles).toEqual([]);
}

/** Says it all, then waits for the door to have answered the last of it, or to have closed. */
async function say(socket: RawSocket, frames: readonly (string | Buffer)[]): Promise<void> {
  for (const frame of frames) socket.sendRaw(frame);
  if (socket.socket.readyState !== socket.socket.OPEN) return;
  socket.send('last', 'last', 'realtime:last', 'phx_leave', {});
  const answered = until(() => socket.said.some(([, ref]) => ref === 'last'));
  const closed = await Promise.race([answered.then(() => null), socket.closed]);
  if (closed !== null) expect(CLOSE_CODES).toContain(closed.code);
  for (const [, , topic, event, payload] of socket.said) {
    expect([typeof topic, typeof event, typeof payload, payload === null]).toEqual([
      'string',
      'string',
      'object',
      false,
    ]);
  }
}

const topic = fc.oneof(
  fc.constantFrom('realtime:a', 'realtime:', 'phoenix', 'realtime:a:b', `realtime:${'x'.repeat(300)}`, '__proto__', ''),
  fc.string(),
);
const event = fc.oneof(
  fc.constantFrom(
    'phx_join',
    'phx_leave',
    'phx_close',
    'phx_error',
    'heartbeat',
    'access_token',
    'broadcast',
    'presence',
    'postgres_changes',
    'constructor',
  ),
  fc.string(),
);
const binding = fc.record(
  {
    event: fc.oneof(fc.constantFrom('*', 'INSERT', 'update'), fc.string()),
    schema: fc.oneof(fc.constantFrom('public', '*', 'auth'), fc.string()),
    table: fc.oneof(
      fc.constantFrom('sales', 'profiles', '*', '__proto__', 'sales"; drop table sales; --'),
      fc.string(),
    ),
    filter: fc.oneof(
      fc.constantFrom('id=eq.1', 'status=match.(', 'status=in.(a,"b)', 'constructor=eq.1', 'status=eq.\u0000'),
      fc.string(),
    ),
    select: fc.oneof(fc.constantFrom('status', ['id'], ['*'], ['constructor']), fc.array(fc.string())),
  },
  { requiredKeys: [] },
);
const payload = fc.oneof(
  { weight: 3, arbitrary: fc.jsonValue() },
  fc.record(
    {
      config: fc.oneof(
        fc.record(
          {
            postgres_changes: fc.oneof(fc.array(binding, { maxLength: 4 }), fc.jsonValue()),
            broadcast: fc.oneof(
              fc.record({ ack: fc.boolean(), self: fc.boolean(), replay: fc.jsonValue() }, { requiredKeys: [] }),
              fc.jsonValue(),
            ),
            presence: fc.oneof(fc.record({ key: fc.string(), enabled: fc.boolean() }), fc.jsonValue()),
            private: fc.oneof(fc.boolean(), fc.jsonValue()),
          },
          { requiredKeys: [] },
        ),
        fc.jsonValue(),
      ),
      access_token: fc.oneof(fc.constantFrom('TOKEN', '', 'sb_secret_x', 'a.b.c'), fc.string(), fc.jsonValue()),
    },
    { requiredKeys: [] },
  ),
  fc.record(
    {
      type: fc.string(),
      event: fc.oneof(fc.constantFrom('track', 'untrack', 'TRACK', '__proto__'), fc.jsonValue()),
      payload: fc.jsonValue(),
      persist: fc.jsonValue(),
      access_token: fc.jsonValue(),
    },
    { requiredKeys: [] },
  ),
);
const ref = fc.oneof(fc.constantFrom('1', null), fc.string(), fc.jsonValue());
const array = fc.tuple(ref, ref, topic, event, payload);
const text = (frame: unknown): string => JSON.stringify(frame).replaceAll('"TOKEN"', () => JSON.stringify(token));

const header = fc
  .tuple(
    fc.integer({ min: 0, max: 255 }),
    fc.array(fc.integer({ min: 0, max: 255 }), { minLength: 6, maxLength: 6 }),
    fc.uint8Array({ maxLength: 300 }),
  )
  .map(([kind, lengths, rest]) => Buffer.from([kind, ...lengths, ...rest]));
const pushed = fc
  .tuple(
    topic,
    fc.string(),
    fc.string(),
    fc.oneof(
      fc.jsonValue().map((value) => JSON.stringify(value)),
      fc.string(),
    ),
    fc.nat(2),
  )
  .map(([name, said, meta, content, encoding]) => {
    const texts = ['1', '2', name, said, meta].map((one) => Buffer.from(one).subarray(0, 255));
    return Buffer.concat([
      Buffer.from([3, ...texts.map((one) => one.length), encoding]),
      ...texts,
      Buffer.from(content),
    ]);
  });
const frame = fc.oneof(
  { weight: 6, arbitrary: array.map(text) },
  fc.jsonValue().map((value) => JSON.stringify(value)),
  fc.string(),
  header,
  pushed,
);

const series = <T>(one: fc.Arbitrary<T>): fc.Arbitrary<T[]> => fc.array(one, { minLength: 1, maxLength: 15 });

test('[RT-01] [RT-02] [X-61] no series of frames brings the server down or reaches the others (2.0.0)', async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(series(array.map(text)), series(frame)), async (frames) => {
      const socket = await rawSocket(server);
      await say(socket, frames);
      socket.close();
    }),
    { numRuns: 250, interruptAfterTimeLimit: 25_000 },
  );
  await expectOthersUntouched();
});

test('[RT-01] [RT-02] [X-61] nor does any in the old protocol', async () => {
  const old = array.map(([joinRef, ref_, name, said, content]) =>
    text({ topic: name, event: said, payload: content, ref: ref_, join_ref: joinRef }),
  );
  const any = fc.oneof(
    { weight: 5, arbitrary: old },
    fc.jsonValue().map((value) => JSON.stringify(value)),
    header,
    pushed,
  );
  await fc.assert(
    fc.asyncProperty(fc.array(any, { minLength: 1, maxLength: 15 }), async (frames) => {
      const socket = await rawSocket(server, { vsn: '1.0.0' });
      for (const one of frames) socket.sendRaw(one);
      socket.sendRaw(
        JSON.stringify({ topic: 'realtime:last', event: 'phx_leave', payload: {}, ref: 'last', join_ref: 'x' }),
      );
      const said = (): readonly { readonly ref?: unknown }[] => socket.said as never;
      const answered = until(() => said().some((one) => one.ref === 'last'));
      const closed = await Promise.race([answered.then(() => null), socket.closed]);
      if (closed !== null) expect(CLOSE_CODES).toContain(closed.code);
      socket.close();
    }),
    { numRuns: 100, interruptAfterTimeLimit: 15_000 },
  );
  await expectOthersUntouched();
});

test('[RT-01] [RT-02] broadcasts by HTTP never give a 5xx', async () => {
  const path = fc.oneof(
    fc.constant('/realtime/v1/api/broadcast'),
    fc
      .tuple(
        fc.string({ minLength: 1 }),
        fc.string({ minLength: 1 }),
        fc.constantFrom('', '?private=true', '?persist[ttl]=x', '?private=true&persist=true'),
      )
      .map(
        ([name, said, query]) =>
          `/realtime/v1/api/broadcast/${encodeURIComponent(name)}/events/${encodeURIComponent(said)}${query}`,
      ),
  );
  const body = fc.oneof(
    fc.jsonValue().map((value) => JSON.stringify(value)),
    fc
      .record({ messages: fc.array(fc.record({ topic, event, payload: fc.jsonValue(), private: fc.boolean() })) })
      .map((value) => JSON.stringify(value)),
    fc.string(),
  );
  await fc.assert(
    fc.asyncProperty(
      path,
      body,
      fc.constantFrom('application/json', 'application/octet-stream', 'text/plain'),
      async (where, content, type) => {
        const reply = await server.fetch(
          where,
          { method: 'POST', headers: { 'content-type': type }, body: content },
          commercial,
        );
        expect([where, reply.status < 500]).toEqual([where, true]);
      },
    ),
    { numRuns: 150, interruptAfterTimeLimit: 15_000 },
  );
  await expectOthersUntouched();
});
