import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { startTestServer } from './testing/index.ts';
import type { TestServer } from './testing/index.ts';
import { elsewhere } from './testing/links.ts';

/** Bodies of callers without an account: small, not deep, and read only where the network may still ask (DF-26). */

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ smtp: true, environment: { TRUST_PROXY: '1' } });
});
afterAll(() => server.close());

const DOORS = [
  '/auth/v1/otp',
  '/auth/v1/user',
  '/auth/v1/admin/users',
  '/auth/v1/nothing',
  '/functions/v1/auth-signin',
  '/functions/v1/imports',
  '/rest/v1/sales',
  '/rest/v1/rpc/get_commercial_sales',
  '/storage/v1/object/list/logos',
  '/exports/v1/ventes.csv',
  '/one-click',
  '/nothing',
];

async function post(address: string, body: string, headers: Record<string, string> = {}): Promise<number> {
  const reply = await server.fetch(address, {
    method: address === '/auth/v1/user' ? 'PUT' : 'POST',
    headers: { 'content-type': 'application/json', ...elsewhere(), ...headers },
    body,
  });
  await reply.arrayBuffer();
  return reply.status;
}

describe('what a stranger may post', () => {
  test.for(DOORS)('[DF-26] %s: 20 KB are refused, announced or not', async (address) => {
    const body = JSON.stringify({ email: 'x'.repeat(20_000) });
    expect([404, 413]).toContain(await post(address, body));
    if (address !== '/nothing') expect(await post(address, body)).toBe(413);
    const { hostname, port } = new URL(server.url);
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const sending = request({
        hostname,
        port,
        path: address,
        method: address === '/auth/v1/user' ? 'PUT' : 'POST',
        headers: {
          apikey: server.services.keys.publishableKey,
          'content-type': 'application/json',
          'transfer-encoding': 'chunked',
        },
      });
      sending.once('response', (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      sending.once('error', reject);
      sending.end(body);
    });
    expect([404, 413]).toContain(status);
  });

  test.for(['/auth/v1/otp', '/auth/v1/token?grant_type=password', '/functions/v1/auth-signin', '/rest/v1/rpc/x'])(
    '[DF-26] %s: a body of too many levels is no JSON',
    async (address) => {
      for (const body of ['['.repeat(15_000), `{"email":${'['.repeat(65)}${']'.repeat(65)}}`]) {
        expect([400, 404]).toContain(await post(address, body));
      }
    },
  );

  test('[DF-26] a person who is signed in, and the secret key, send more', async () => {
    const large = JSON.stringify({ email: 'pas une adresse', data: { text: 'x'.repeat(20_000) } });
    const reply = await server.fetch('/auth/v1/admin/users', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        apikey: server.services.keys.secretKey,
        authorization: `Bearer ${server.services.keys.secretKey}`,
      },
      body: large,
    });
    expect(reply.status).toBe(400);
  });

  test.for(['/auth/v1/recover', '/auth/v1/otp', '/auth/v1/resend', '/auth/v1/signup', '/auth/v1/verify'])(
    '[DF-26] %s: a network that asked too often is refused before its body is read',
    async (address) => {
      const network = elsewhere();
      const statuses: number[] = [];
      for (let time = 0; time < 31; time += 1) statuses.push(await post(address, '{"email":', network));
      expect(statuses.slice(0, 30)).toEqual(Array.from({ length: 30 }, () => 400));
      expect(statuses[30]).toBe(429);
      expect(await post(address, '{"email":')).toBe(400);
    },
  );

  test('[DF-26] broadcasts: a network that sent too many is refused before its body is read', async () => {
    const network = elsewhere();
    const send = () => post('/realtime/v1/api/broadcast', '{"messages":', network);
    const statuses: number[] = [];
    // Tokens come back while it sends: it goes on until there is none.
    while (!statuses.includes(429)) statuses.push(...(await Promise.all(Array.from({ length: 100 }, send))));
    expect(new Set(statuses)).toEqual(new Set([400, 429]));
  });
});
