import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { anAccount, clientOf, refreshWith, signedIn } from '../../testing/accounts.ts';
import { startTestServer } from '../../testing/index.ts';
import type { TestServer } from '../../testing/index.ts';

let minutesLater = 0;
const clock = { now: (): Date => new Date(Date.now() + minutesLater * 60_000) };
let server: TestServer;
/** Another node on the same database, which the command knows nothing of. */
let node: TestServer;

beforeAll(async () => {
  server = await startTestServer({ clock, environment: { PUBLIC_URL: 'http://parrain.test' } });
  node = await startTestServer({
    clock,
    database: server.database,
    jobs: false,
    environment: { PUBLIC_URL: 'http://parrain.test' },
  });
});
afterAll(async () => {
  await node.close();
  await server.close();
});

const command = fileURLToPath(new URL('../../commands/rotate-keys.ts', import.meta.url));

/** The command as an administrator types it, in a process of its own. */
async function rotate(...options: readonly string[]): Promise<string> {
  const { user, password, port, database } = server.database.owner;
  const address = new URL(`postgres://127.0.0.1:${port}/${database}`);
  address.username = user;
  address.password = password;
  const { stdout } = await promisify(execFile)(process.execPath, [command, ...options], {
    env: { ...process.env, DATABASE_URL: address.href, SECRET_KEY: 'ab'.repeat(32), DEMO: '0' },
  });
  return stdout;
}

async function kidsOf(from: TestServer): Promise<string[]> {
  const response = await from.fetch('/auth/v1/.well-known/jwks.json');
  expect(response.headers.get('cache-control')).toBe('public, max-age=600');
  const { keys } = (await response.json()) as { keys: { kid: string; d?: string }[] };
  for (const key of keys) expect(key).not.toHaveProperty('d');
  return keys.map((key) => key.kid);
}

function kidOf(token: string): string {
  const [header = ''] = token.split('.');
  return (JSON.parse(Buffer.from(header, 'base64url').toString()) as { kid: string }).kid;
}

describe('rotation of the signing keys', () => {
  test('[AU-18] the next key is published before it signs; the old one is good until its tokens end, then disappears', async () => {
    const account = await anAccount(server);
    const before = await signedIn(server, account);
    const [old = ''] = await kidsOf(server);
    expect(kidOf(before.session.access_token)).toBe(old);

    const said = await rotate();
    expect(said).toContain(old);
    const announced = await eventually(
      () => kidsOf(server),
      (kids) => kids.length === 2,
    );
    const next = announced.find((kid) => kid !== old) ?? '';
    expect(said).toContain(next);
    expect(
      await eventually(
        () => kidsOf(node),
        (kids) => kids.length === 2,
      ),
    ).toEqual(announced);
    // A verifier that cached the public keys ten minutes ago knows the new one by the time it signs.
    expect(kidOf((await signedIn(node, account)).session.access_token)).toBe(old);
    await expect(rotate()).rejects.toThrow(/attend déjà/u);

    minutesLater = 16;
    for (const each of [server, node]) {
      const { session } = await signedIn(each, account);
      expect(kidOf(session.access_token)).toBe(next);
      // Every node accepts the tokens of both.
      for (const other of [server, node]) {
        for (const token of [session.access_token, before.session.access_token]) {
          const { data, error } = await clientOf(other).auth.getUser(token);
          expect(error).toBeNull();
          expect(data.user?.id).toBe(account.id);
          const verified = await clientOf(other).auth.getClaims(token);
          expect(verified.error).toBeNull();
          expect(verified.data?.claims.sub).toBe(account.id);
        }
      }
    }
    // A session outlives the key: its refresh token has nothing to do with it.
    const refreshed = await refreshWith(node, before.session.refresh_token);
    expect(refreshed.status).toBe(200);
    expect(kidOf(String(refreshed.body['access_token']))).toBe(next);

    minutesLater = 85;
    expect(await kidsOf(server)).toEqual([next]);
    expect(await kidsOf(node)).toEqual([next]);
    expect((await clientOf(node).auth.getUser(before.session.access_token)).error).toMatchObject({
      status: 403,
      code: 'bad_jwt',
    });
    minutesLater = 0;
  });

  test('[AU-18] --now: the new key signs at once, on every node, without restart or sign-out', async () => {
    const account = await anAccount(server);
    const before = await signedIn(node, account);
    await rotate('--now');
    const { session } = await eventually(
      () => signedIn(server, account),
      (made) => kidOf(made.session.access_token) !== kidOf(before.session.access_token),
    );
    for (const each of [server, node]) {
      expect(await kidsOf(each)).toContain(kidOf(session.access_token));
      for (const token of [session.access_token, before.session.access_token]) {
        expect((await clientOf(each).auth.getUser(token)).data.user?.id).toBe(account.id);
      }
    }
  });

  test('[AU-18] --compromised: what the old key signed is believed nowhere, the sessions stay', async () => {
    const account = await anAccount(server);
    const before = await signedIn(server, account);
    expect((await before.client.auth.getUser()).error).toBeNull();
    await rotate('--compromised');
    for (const each of [server, node]) {
      const { error } = await eventually(
        () => clientOf(each).auth.getUser(before.session.access_token),
        (answer) => answer.error !== null,
      );
      expect(error).toMatchObject({ status: 403, code: 'bad_jwt' });
      expect(await kidsOf(each)).toHaveLength(1);
      const rest = await each.fetch('/rest/v1/profiles?select=id', {
        headers: { authorization: `Bearer ${before.session.access_token}` },
      });
      expect(rest.status).toBe(401);
    }
    const refreshed = await refreshWith(node, before.session.refresh_token);
    expect(refreshed.status).toBe(200);
    expect((await clientOf(server).auth.getUser(String(refreshed.body['access_token']))).error).toBeNull();
    const entries = await server.database.asOwner(
      `select detail ->> 'how' as how from auth.audit_entries where action = 'signing_keys_rotated' order by id`,
    );
    expect(entries.map((entry) => entry['how'])).toEqual(['planned', 'now', 'compromised']);
  });

  test('[AU-18] the private key is sealed, and an unknown option changes nothing', { tags: 'long' }, async () => {
    const rows = await server.database.asOwner(
      `select encode(private_jwk_sealed, 'escape') as text from auth.signing_keys`,
    );
    expect(JSON.stringify(rows)).not.toContain('"d"');
    await expect(rotate('--force')).rejects.toThrow(/Usage/u);
    expect(await server.database.asOwner('select from auth.signing_keys')).toHaveLength(rows.length);
  });
});

/** Polls until the answer is right: nodes learn of a change a moment later. */
async function eventually<T>(ask: () => Promise<T>, isDone: (answer: T) => boolean): Promise<T> {
  let answer = await ask();
  await expect.poll(async () => isDone((answer = await ask()))).toBe(true);
  return answer;
}
