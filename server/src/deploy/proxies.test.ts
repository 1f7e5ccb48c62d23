// @module-tag long: src/stopping.test.ts holds its subject in the quick ring
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { hashPassword } from '#auth';

import {
  nodeOfNpm,
  nodeOfUnit,
  SECRET_KEY_OF_UNIT,
  startCaddy,
  startLoad,
  startNginx,
  startPostgres,
  temporaryFolder,
  tools,
  urlOf,
} from '../testing/deployment.ts';
import type { Node, Outcome, Postgres, Proxy } from '../testing/deployment.ts';
import { freePort } from '../testing/free-port.ts';
import { aClient, aCommercial, aSale, openTestDatabase } from '../testing/index.ts';

// Two nodes on one PostgreSQL behind the samples of deploy/, while people work: everything is restarted once.

const PASSWORD = 'Un-mot-de-passe-assez-long-2026';
const WRITERS = 8;
const READERS = 4;

const { folder, remove } = temporaryFolder('proxies');
let postgres: Postgres;
let nodes: readonly [Node, Node];
let environment: Readonly<Record<string, string>>;

beforeAll(async () => {
  postgres = await startPostgres(`${folder}/data`);
  environment = {
    DATABASE_URL: urlOf(postgres.owner),
    PUBLIC_URL: 'https://localhost',
    TRUST_PROXY: '1',
    LOG_LEVEL: 'warn',
  };
});

afterAll(async () => {
  await postgres.stop();
  remove();
});

describe('behind nginx, each node as `npm start` runs it', () => {
  beforeAll(async () => {
    const own = { ...environment, SECRET_KEY: SECRET_KEY_OF_UNIT };
    nodes = [nodeOfNpm(await freePort(), own), nodeOfNpm(await freePort(), own)];
    // One after the other: the first builds the web application where it is not built.
    for (const node of nodes) await node.start();
  });
  afterAll(stopNodes, 60_000);

  test.skipIf(tools.nginx === null)('[FX-25] [OP-01] [FX-24] a rolling restart under load loses no request', async () =>
    behind(await startNginx(folder, nodes), rollingRestart),
  );
});

describe('each node as the unit says', () => {
  beforeAll(async () => {
    nodes = [
      await nodeOfUnit(folder, await freePort(), environment),
      await nodeOfUnit(folder, await freePort(), environment),
    ];
    for (const node of nodes) await node.start();
  });
  afterAll(stopNodes, 60_000);

  test.skipIf(tools.nginx === null)(
    '[FX-25] [OP-01] nginx: a rolling restart under load loses no request; without PostgreSQL for 3 s, errors last a second longer at most',
    async () =>
      behind(await startNginx(folder, nodes), async (load) => {
        await rollingRestart(load);
        await databaseRestart(load);
      }),
  );

  test.skipIf(tools.caddy === null || tools.systemdNotify === null)(
    '[FX-25] [OP-01] Caddy: a rolling restart under load loses no request; without PostgreSQL for 3 s, errors last a second longer at most',
    async () =>
      behind(await startCaddy(folder, nodes.map(({ port }) => `127.0.0.1:${port}`).join(' ')), async (load) => {
        await rollingRestart(load);
        await databaseRestart(load);
      }),
  );
});

async function stopNodes(): Promise<void> {
  await Promise.all(nodes.map((node) => node.release()));
}

/** The nodes one after the other, the next once the one before is ready: what docs/operations/several-nodes.md says. */
async function rollingRestart(outcomes: readonly Outcome[]): Promise<void> {
  const before = outcomes.length;
  for (const node of nodes) {
    await node.stop();
    await node.start();
    // Time itself: the proxy asks a node for its health once a second.
    await wait(1000);
  }
  const during = outcomes.slice(before);
  expect(countsOf(during)).toEqual({ 200: during.length });
  expect(during.length).toBeGreaterThan(100);
}

async function databaseRestart(outcomes: readonly Outcome[]): Promise<void> {
  const before = outcomes.length;
  const { left, back } = await postgres.restart(3000);
  while (outcomes.filter(({ sent }) => sent > back + 1000).length < 50) await wait(50);
  const during = outcomes.slice(before);
  const failures = during.filter(({ answer }) => answer !== 200);
  // There was an outage, which people were told of as such.
  expect(Object.keys(countsOf(failures))).toEqual(['503']);
  expect(failures.filter(({ sent }) => sent > back + 1000)).toEqual([]);
  expect(failures.filter(({ answered }) => answered < left)).toEqual([]);
}

function countsOf(outcomes: readonly Outcome[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { answer } of outcomes) counts[answer] = (counts[answer] ?? 0) + 1;
  return counts;
}

/** Does something while eight people write and four read through the proxy. */
async function behind(proxy: Proxy, work: (outcomes: readonly Outcome[]) => Promise<void>): Promise<void> {
  const db = openTestDatabase(postgres.owner);
  const [node] = nodes;
  const { publishableKey } = (await (await fetch(`${node.url}/config.json`)).json()) as { publishableKey: string };
  // Each writer is a person of their own: what one may change in a day is bounded (docs/operations/limits.md).
  const passwordHash = await hashPassword(PASSWORD);
  const people = await Promise.all(
    Array.from({ length: WRITERS }, async () => {
      const commercial = await aCommercial(db, { passwordHash });
      const friendReferrer = await aClient(db, { commercial });
      return { commercial, sale: await aSale(db, { commercial, friendReferrer, isReady: false }) };
    }),
  );
  // The load counts the losses itself; this connection would only be lost with the database.
  await db.close();
  const headersOf = async (email: string): Promise<Record<string, string>> => {
    const signedIn = await fetch(`${node.url}/auth/v1/token?grant_type=password`, {
      method: 'POST',
      headers: { apikey: publishableKey, 'content-type': 'application/json' },
      body: JSON.stringify({ email, password: PASSWORD }),
    });
    const { access_token: token } = (await signedIn.json()) as { access_token: string };
    return { apikey: publishableKey, authorization: `Bearer ${token}` };
  };
  const signedIn = await Promise.all(
    people.map(async ({ commercial, sale }) => ({ sale, headers: await headersOf(commercial.email) })),
  );
  const writers = signedIn.map(({ sale, headers }, writer) => {
    let version = 0;
    return () => {
      version += 1;
      return {
        method: 'POST',
        path: '/functions/v1/sales-management',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({
          action: 'update_status',
          sale_id: sale.id,
          status: 'in_negotiation',
          contract_amount: version,
          contract_description: `${writer}/${version}`,
        }),
      };
    };
  });
  const readers = signedIn.slice(0, READERS).map(({ headers }) => () => ({
    method: 'GET',
    path: '/rest/v1/sales?select=id,status&limit=20',
    headers,
  }));
  const load = startLoad(proxy.url, [...writers, ...readers]);
  try {
    while (load.outcomes.length < 100) await wait(20);
    await work(load.outcomes);
  } catch (error) {
    process.stderr.write(`The proxy said:\n${proxy.printed()}\n`);
    throw error;
  } finally {
    await load.stop();
    await proxy.stop();
  }
}
