import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { administratorOf, anAccount, clientOf, signedIn } from '../../testing/accounts.ts';
import { startTestServer } from '../../testing/index.ts';
import type { TestServer } from '../../testing/index.ts';

const LEAKED = 'une-phrase-dans-une-fuite-42';
const PADDED = 'une-phrase-de-remplissage-42';
const SAFE = 'une-phrase-que-nul-ne-connait-42';

type Asked = { readonly path: string; readonly headers: IncomingHttpHeaders };

/** A service that answers as Have I Been Pwned does, or badly. */
const asked: Asked[] = [];
let behaviour: 'answers' | 'fails' | 'is silent' | 'talks nonsense' = 'answers';
const service: Server = createServer((request, response) => {
  asked.push({ path: request.url ?? '', headers: request.headers });
  if (behaviour === 'is silent') return;
  if (behaviour === 'fails') {
    response.writeHead(503).end('later');
    return;
  }
  if (behaviour === 'talks nonsense') {
    response.end('<html>hello</html>');
    return;
  }
  const lines = [`${'0'.repeat(35)}:3`, `${sha1(LEAKED).slice(5)}:17`, `${sha1(PADDED).slice(5)}:0`];
  response.end(lines.join('\r\n'));
});

function sha1(text: string): string {
  return createHash('sha1').update(text).digest('hex').toUpperCase();
}

let address = '';
beforeAll(async () => {
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
});
afterAll(() => {
  service.closeAllConnections();
  service.close();
});

/** A node that asks the service; each under a name of its own, as a failure is remembered for a while. */
let names = 0;
async function withNode(work: (server: TestServer) => Promise<void>): Promise<void> {
  names += 1;
  const environment = { PASSWORD_LEAK_CHECK: `${address}/s${names}/`, TRUST_PROXY: '1' };
  const server = await startTestServer({ doors: ['auth'], environment });
  try {
    await work(server);
  } finally {
    await server.close();
    behaviour = 'answers';
    asked.length = 0;
  }
}

let number = 0;
const anEmail = (): string => `fuite-${(number += 1)}@example.fr`;

describe('PASSWORD_LEAK_CHECK', () => {
  test('[AU-01][AU-13][AU-19] a password known from a leak is refused wherever one is chosen', async () => {
    await withNode(async (server) => {
      const weak = { name: 'AuthWeakPasswordError', status: 422, code: 'weak_password', reasons: ['pwned'] };
      const visitor = clientOf(server).auth;
      expect((await visitor.signUp({ email: anEmail(), password: LEAKED })).error).toMatchObject(weak);
      expect((await visitor.signUp({ email: anEmail(), password: PADDED })).error).toBeNull();
      expect((await visitor.signUp({ email: anEmail(), password: SAFE })).error).toBeNull();

      const account = await anAccount(server);
      const { client } = await signedIn(server, account);
      expect((await client.auth.updateUser({ password: LEAKED })).error).toMatchObject(weak);
      const { admin } = administratorOf(server).auth;
      expect((await admin.createUser({ email: anEmail(), password: LEAKED })).error).toMatchObject(weak);
      expect((await admin.updateUserById(account.id, { password: LEAKED })).error).toMatchObject(weak);
      const link = await admin.generateLink({ type: 'signup', email: anEmail(), password: LEAKED });
      expect(link.error).toMatchObject(weak);
    });
  });

  test('[AU-01] five characters of the hash leave, never the password', async () => {
    await withNode(async (server) => {
      await clientOf(server).auth.signUp({ email: anEmail(), password: SAFE });
      expect(asked.map(({ path }) => path)).toEqual([`/s${names}/range/${sha1(SAFE).slice(0, 5)}`]);
      expect(asked[0]?.headers).toMatchObject({ 'add-padding': 'true', 'user-agent': 'Parrain' });
      expect(JSON.stringify(asked)).not.toContain(sha1(SAFE).slice(5));
    });
  });

  test('[AU-01] what the local list refuses is asked of nobody', async () => {
    await withNode(async (server) => {
      const { error } = await clientOf(server).auth.signUp({ email: anEmail(), password: 'motdepasse2026' });
      expect(error?.code).toBe('weak_password');
      expect(asked).toHaveLength(0);
    });
  });

  test.each(['fails', 'talks nonsense', 'is silent'] as const)(
    '[AU-01] the service %s: the local list decides alone, nobody is blocked',
    async (how) => {
      await withNode(async (server) => {
        behaviour = how;
        expect((await clientOf(server).auth.signUp({ email: anEmail(), password: LEAKED })).error).toBeNull();
        const { error } = await clientOf(server).auth.signUp({ email: anEmail(), password: 'motdepasse2026' });
        expect(error?.code).toBe('weak_password');
        // The next sign-up does not wait for it again.
        expect((await clientOf(server).auth.signUp({ email: anEmail(), password: SAFE })).error).toBeNull();
        expect(asked).toHaveLength(how === 'talks nonsense' ? 2 : 1);
      });
    },
  );

  test('[AU-02] at sign-in nobody is asked: a password in use does not leave the house', async () => {
    await withNode(async (server) => {
      await signedIn(server, await anAccount(server, { password: LEAKED }));
      expect(asked).toHaveLength(0);
    });
  });
});
