import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { boundIdleConnections } from './idle-connections.ts';

const MOST = 20;

let server: Server;
let sockets: Socket[];
beforeEach(async () => {
  sockets = [];
  server = createServer((request, response) => {
    if (request.url === '/slow') response.write('…');
    else response.end('ok');
  });
  server.on('upgrade', (_, socket) =>
    socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'),
  );
  boundIdleConnections(server, MOST);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  server.close();
});

async function open(text = ''): Promise<Socket> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => undefined);
  sockets.push(socket);
  await once(socket, 'connect');
  if (text === '') {
    socket.resume();
    return socket;
  }
  socket.write(text);
  await once(socket, 'data');
  socket.resume();
  return socket;
}

async function openAll(count: number): Promise<Socket[]> {
  const opened: Socket[] = [];
  for (let index = 0; index < count; index += 1) opened.push(await open());
  return opened;
}

async function closes(socket: Socket | undefined): Promise<void> {
  await expect.poll(() => socket?.closed).toBe(true);
}

const get = (address: string): string => `GET ${address} HTTP/1.1\r\nhost: x\r\n\r\n`;

describe('connections that say nothing', () => {
  test('[D-75] beyond the bound the one that has waited longest goes, and others are served', async () => {
    const [first, ...others] = await openAll(MOST + 1);
    await closes(first);
    expect(others.filter(({ closed }) => closed)).toEqual([]);
    const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    expect(await answer.text()).toBe('ok');
  });

  test('[D-75] one that was answered waits from then on', async () => {
    const early = await openAll(MOST - 1);
    const asked = early[0];
    if (asked === undefined) throw new Error('None was opened');
    asked.write(get('/'));
    await once(asked, 'data');
    await openAll(MOST - 1);
    await closes(early[1]);
    expect(asked.closed).toBe(false);
    await openAll(2);
    await closes(asked);
  });

  test('[D-75] one whose answer is on its way, or that became a WebSocket, is not touched', async () => {
    const asking = await open(get('/slow'));
    const upgraded = await open(
      'GET / HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-key: x\r\n\r\n',
    );
    const [first] = await openAll(MOST * 3);
    await closes(first);
    expect([asking.closed, upgraded.closed]).toEqual([false, false]);
  });
});
