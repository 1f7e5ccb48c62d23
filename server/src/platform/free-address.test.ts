import { once } from 'node:events';
import { createServer } from 'node:net';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';

import { freePort } from '../testing/free-port.ts';
import { requireFreeAddress } from './free-address.ts';

/** A thread of its own, which calls again as soon as it is refused: a proxy that has found the port closed. */
const CALLER = `
  const { workerData: { port, seen } } = require('node:worker_threads');
  const { connect } = require('node:net');
  const call = () => {
    if (Atomics.load(seen, 1) === 1) return;
    Atomics.add(seen, 2, 1);
    const socket = connect(port, '127.0.0.1', () => { Atomics.add(seen, 0, 1); socket.destroy(); });
    socket.on('error', () => undefined);
    socket.on('close', call);
  };
  for (let callers = 0; callers < 20; callers += 1) call();`;

test('[FX-25] a server that starts never accepts a connection to its port before it serves there', async () => {
  const port = await freePort();
  /** Connections that were accepted, whether it is over, calls. */
  const seen = new Int32Array(new SharedArrayBuffer(12));
  const caller = new Worker(CALLER, { eval: true, workerData: { port, seen } });
  await expect.poll(() => Atomics.load(seen, 2)).toBeGreaterThan(100);
  for (let starts = 0; starts < 200; starts += 1) await requireFreeAddress({ host: '127.0.0.1', port });
  Atomics.store(seen, 1, 1);
  await caller.terminate();
  expect(Atomics.load(seen, 0)).toBe(0);
});

test.for(['127.0.0.1', '0.0.0.0'])('a port that is taken at %s is said in a sentence', async (host) => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const address = taken.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  await expect(requireFreeAddress({ host, port })).rejects.toThrow(`Le port ${port} est déjà utilisé`);
  taken.close();
});

test('an address that is not this machine’s is said in a sentence', async () => {
  await expect(requireFreeAddress({ host: '192.0.2.1', port: 3000 })).rejects.toThrow(
    /pas une adresse de cette machine/u,
  );
});
