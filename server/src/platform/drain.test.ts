import Fastify from 'fastify';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';

import { addDrain } from './drain.ts';

const CALLERS = 20;

/** A thread of its own: it connects and asks while the server's event loop is busy. */
const THREAD = `
  const { parentPort, workerData: { port, connected, callers } } = require('node:worker_threads');
  const { connect } = require('node:net');
  const answers = Array.from({ length: callers }, () => new Promise((resolve) => {
    let heard = '';
    const socket = connect(port, '127.0.0.1', () =>
      socket.write('GET / HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n', () => Atomics.add(connected, 0, 1)));
    socket.on('data', (chunk) => { heard += chunk; });
    socket.on('error', ({ code }) => resolve(code));
    socket.on('end', () => resolve(heard.split('\\r\\n', 1)[0]));
  }));
  void Promise.all(answers).then((all) => parentPort.postMessage(all));`;

test('[FX-25] answers everybody who connected before its port was closed, however many at one instant', async () => {
  const app = Fastify();
  addDrain(app);
  app.get('/', async () => 'there');
  const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }));
  const connected = new Int32Array(new SharedArrayBuffer(4));
  const drained = app.drain(1);
  const thread = new Worker(THREAD, { eval: true, workerData: { port: Number(port), connected, callers: CALLERS } });
  const answers = once(thread, 'message');
  // The system alone takes them in meanwhile: their number is on its list as the port is about to be closed.
  while (Atomics.load(connected, 0) < CALLERS);
  await drained;
  await app.close();
  expect(await answers).toEqual([Array<string>(CALLERS).fill('HTTP/1.1 200 OK')]);
  await thread.terminate();
});
