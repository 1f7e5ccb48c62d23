import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { addressesOf, functionFolders, startCountedServer } from '../testing/rights/doors.ts';
import type { Address } from '../testing/rights/doors.ts';
import { grouped } from '../testing/rights/verdicts.ts';
import type { Cells } from '../testing/rights/verdicts.ts';
import { aWorld, IDENTITIES } from '../testing/rights/world.ts';
import type { IdentityName, World } from '../testing/rights/world.ts';
import type { TestServer } from '../testing/index.ts';

// The rights matrix of the other doors (P-04, R3): every route of auth, storage, functions, realtime and rest, every action of
// a function, by every identity, against doors.json. A call says nothing of use: 401 and 403 are refusals of the caller, 400,
// 404, 409 and 422 are answers to somebody who was let in. `npm run rights -w server` adds what is missing, marked « ? ».

const FILE = fileURLToPath(new URL('../testing/rights/doors.json', import.meta.url));

let server: TestServer;
let world: World;
let addresses: readonly Address[];
let verdicts: Readonly<Record<string, Cells>>;
beforeAll(async () => {
  const counted = await startCountedServer({ smtp: true, jobs: false });
  server = counted.server;
  world = await aWorld(server);
  addresses = await addressesOf(counted.routes);
  const png = await sharp({ create: { width: 8, height: 8, channels: 3, background: '#123456' } })
    .png()
    .toBuffer();
  const logos = (await server.client(world.people.admin)).storage.from('logos');
  expect((await logos.upload('logo.png', png, { contentType: 'image/png' })).error).toBeNull();
  verdicts = JSON.parse(readFileSync(FILE, 'utf8')) as typeof verdicts;
});
afterAll(() => server.close());

const titleOf = ({ method, url }: Address): string => `${method} ${url}`;

/** Addresses that change or end a session: called last, so that they spoil no other answer. */
const LAST = ['/auth/v1/user', '/auth/v1/logout'];

test('[P-04] [F-17] each function of the folder answers at its address, and no other', () => {
  const answering = new Set(addresses.flatMap(({ url }) => /^\/functions\/v1\/(?<name>[\w-]+)/u.exec(url)?.[1] ?? []));
  expect([...answering].toSorted()).toEqual(functionFolders());
});

test(
  '[P-01] [P-02] [P-03] [P-04] each door answers each identity as its verdict says',
  { tags: 'long', timeout: 400_000 },
  async () => {
    const seen: Record<string, Cells> = {};
    const inOrder = [...addresses].toSorted(
      (a, b) => LAST.indexOf(a.url) - LAST.indexOf(b.url) || (titleOf(a) < titleOf(b) ? -1 : 1),
    );
    for (const address of inOrder) {
      const cells = new Map<string, string>();
      for (const who of IDENTITIES) cells.set(who, String(await ask(address, who)));
      seen[titleOf(address)] = grouped(cells);
    }
    if (process.env['RIGHTS'] === 'ask') {
      const judged = Object.entries(seen)
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([title, cells]) => [title, verdicts[title] ?? { '?': Object.values(cells).join(', ') }]);
      writeFileSync(FILE, `${JSON.stringify(Object.fromEntries(judged), null, 2)}\n`);
    }
    expect(seen).toEqual(verdicts);
  },
);

/** Fields that any call of the file API may need, so that nothing is refused for its form alone. */
const OF_STORAGE = {
  prefix: '',
  prefixes: ['absent.png'],
  paths: ['absent.png'],
  expiresIn: 60,
  bucketId: 'logos',
  sourceKey: 'absent.png',
  destinationKey: 'other.png',
};

async function ask({ method, url }: Address, who: IdentityName): Promise<number> {
  await server.database.asOwner('delete from private.rate_limits');
  const { apikey, token } = world.credentials[who];
  const isOfStorage = url.startsWith('/storage/');
  const filled = url
    .replace(':bucket', 'logos')
    .replace(/\*$/u, isOfStorage ? 'absent.png' : 'absent')
    .replaceAll(/:\w+/gu, '00000000-0000-4000-8000-000000000000');
  const response = await fetch(`${server.url}${filled}`, {
    method,
    redirect: 'manual',
    headers: {
      apikey,
      // The official client sends its key where nobody is signed in.
      authorization: `Bearer ${token ?? apikey}`,
      ...(method === 'GET' ? {} : { 'content-type': 'application/json' }),
    },
    ...(method === 'GET' ? {} : { body: isOfStorage ? JSON.stringify(OF_STORAGE) : '{}' }),
  });
  await response.arrayBuffer();
  return response.status;
}
