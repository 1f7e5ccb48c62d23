import { once } from 'node:events';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { aClient, anAdmin, startTestServer } from '../testing/index.ts';
import type { Person, TestServer } from '../testing/index.ts';

/** Limits on the cost of one caller: bodies, sockets, and searches without measure. */

let server: TestServer;
let admin: Person;
let other: Person;

beforeAll(async () => {
  server = await startTestServer({ doors: ['rest'], jobs: false });
  admin = await anAdmin(server.database);
  other = await aClient(server.database);
  // A list on which any pattern is slow.
  await server.database.asOwner(
    `create function private.slow_word(n integer) returns text language plpgsql volatile as
       $$ begin perform pg_sleep(0.05); return 'mot' || n; end $$;
     grant execute on function private.slow_word(integer) to authenticated, anon;
     grant usage on schema private to authenticated, anon;
     create view public.slow_words with (security_invoker = true) as
       select n as id, private.slow_word(n) as word from generate_series(1, 100000) n;
     grant select on public.slow_words to authenticated, anon`,
  );
});
afterAll(() => server.close());

const post = async (body: string | Buffer, headers: Record<string, string> = {}): Promise<Response> =>
  server.fetch(
    '/rest/v1/sales',
    {
      method: 'POST',
      body: typeof body === 'string' ? body : new Uint8Array(body),
      headers: { 'content-type': 'application/json', ...headers },
    },
    admin,
  );

describe('[D-75] bodies and sockets without measure', () => {
  test('[D-75] a hundred megabytes are refused while they come', async () => {
    const { port } = new URL(server.url);
    const socket = connect(Number(port), '127.0.0.1');
    const token = await server.tokenOf(admin);
    const total = 100 * 1024 * 1024;
    const before = process.memoryUsage().rss;
    let heard = '';
    socket.on('data', (data) => (heard += data.toString()));
    socket.on('error', () => undefined);
    socket.write(
      `POST /rest/v1/sales HTTP/1.1\r\nhost: a\r\napikey: ${server.services.keys.publishableKey}\r\nauthorization: Bearer ${token}\r\n` +
        `content-type: application/json\r\ncontent-length: ${total}\r\n\r\n`,
    );
    const chunk = Buffer.alloc(65_536, '1');
    for (let sent = 0; sent < total && heard === '' && !socket.destroyed; sent += chunk.length) {
      if (!socket.write(chunk))
        await Promise.race(
          ['drain', 'data', 'close'].map((event) => new Promise((resolve) => socket.once(event, resolve))),
        );
    }
    await expect.poll(() => heard).toMatch(/^HTTP\/1\.1 413/u);
    socket.destroy();
    expect(process.memoryUsage().rss - before).toBeLessThan(50 * 1024 * 1024);
  });

  test('[D-75] a bomb is never unpacked', async () => {
    const bomb = gzipSync(Buffer.alloc(10 * 1024 * 1024, '0'));
    expect((await post(bomb, { 'content-encoding': 'gzip' })).status).toBe(415);
  });

  test('[D-75] a body ten thousand deep, or of a million keys', async () => {
    const deep = await post(`{"status":${'['.repeat(10_000)}${']'.repeat(10_000)}}`);
    expect([deep.status, await deep.json()]).toMatchObject([400, { code: 'PGRST102' }]);
    const keys = `{${Array.from({ length: 1_000_000 }, (_, index) => `"k${index}":1`).join(',')}}`;
    expect((await post(keys)).status).toBe(413);
  });

  test('[D-75] [D-76] a thousand idle sockets, and others are served', async () => {
    const { port } = new URL(server.url);
    const before = process.memoryUsage().rss;
    const sockets = Array.from({ length: 1000 }, () => connect(Number(port), '127.0.0.1').on('error', () => undefined));
    try {
      await Promise.all(sockets.filter(({ connecting }) => connecting).map((socket) => once(socket, 'connect')));
      // Each says a part of its request, and nothing more.
      for (const socket of sockets) socket.write('GET /rest/v1/sales HTTP/1.1\r\nhost: a\r\nx-slow: ');
      expect((await server.fetch('/rest/v1/sales?select=id', {}, admin)).status).toBe(200);
      expect(process.memoryUsage().rss - before).toBeLessThan(50 * 1024 * 1024);
    } finally {
      for (const socket of sockets) socket.destroy();
    }
  });
});

describe('[D-77] searches without measure', () => {
  test('[D-77] [FX-50] what takes too long is ended, in French, as the caller’s to change; others are served meanwhile', async () => {
    const slow = async (person?: Person): Promise<Response> =>
      server.fetch('/rest/v1/slow_words?select=id&word=ilike.*%25a%25b*', {}, person);
    let ended = 0;
    let isOver = false;
    const running = [
      ...Array.from({ length: 6 }, () => other),
      // A visitor is given three seconds, a person eight.
      ...Array.from({ length: 3 }, () => undefined),
    ].map(async (person) => {
      for (;;) {
        const answer = await slow(person);
        ended += 1;
        if (isOver) return answer;
        await answer.arrayBuffer();
      }
    });
    // A list that waits for a connection is answered once a slow search has ended. They go on until one list is answered
    // before that, however slow the machine.
    await expect
      .poll(async () => {
        const before = ended;
        expect((await server.fetch('/rest/v1/sales?select=id', {}, admin)).status).toBe(200);
        return ended - before;
      })
      .toBe(0);
    isOver = true;
    const answers = await Promise.all(
      running.map(async (answer) => {
        const response = await answer;
        return { status: response.status, body: (await response.json()) as { code: string; message: string } };
      }),
    );
    for (const { status, body } of answers) {
      expect([status, body.code, body.message]).toEqual([
        400,
        '57014',
        'Cette recherche demande trop de temps. Précisez-la et réessayez.',
      ]);
    }
  });

  test('[D-77] trees of conditions have a size, and a depth', async () => {
    const tree = (depth: number): string => (depth === 0 ? 'status.eq.pending' : `or(status.eq.x,${tree(depth - 1)})`);
    const at = async (query: string): Promise<number> =>
      (await server.fetch(`/rest/v1/sales?select=id&${query}`, {}, admin)).status;
    expect(await at(`or=(${tree(7)})`)).toBe(200);
    expect(await at(`or=(${tree(8)})`)).toBe(400);
    expect(await at(`or=(${Array.from({ length: 61 }, () => 'status.ilike.%25a%25').join(',')})`)).toBe(400);
  });

  test('[D-77] one person’s requests wait for their own, and beyond a measure are sent away', async () => {
    const answers = await Promise.all(
      Array.from({ length: 300 }, async () => (await server.fetch('/rest/v1/sales?select=id', {}, other)).status),
    );
    expect(new Set(answers)).not.toContain(500);
    expect(answers.filter((status) => status === 200).length).toBeGreaterThanOrEqual(200);
    expect((await server.fetch('/rest/v1/sales?select=id', {}, other)).status).toBe(200);
  });
});
