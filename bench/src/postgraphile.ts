import { execFile, fork } from 'node:child_process';
import { access, mkdir, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

import type { Bench, SignedIn } from './company.ts';
import { startLoad } from './load.ts';
import type { Outcome } from './load-worker.ts';
import { stopAtTheEnd, stopServer } from './tidy.ts';

const run = promisify(execFile);
const VERSION = '5.1.5';
const FOLDER = path.join(os.tmpdir(), `parrain-bench-postgraphile-${VERSION}`);

/** Another server over the same rows and policies, asked for the same list. */
export type Rival = {
  readonly name: string;
  readonly sales: (as: 'admin' | 'commercial', connections: number, seconds: number) => Promise<Outcome>;
  readonly stop: () => Promise<void>;
};

/**
 * PostGraphile from npm, installed in a folder of its own: no dependency of the project. Who asks is told by a header and not
 * checked, so it verifies no token and asks for no session; row level security holds for it as for us.
 */
export async function startPostgraphile(
  bench: Bench,
  people: { readonly admin: SignedIn; readonly commercial: SignedIn },
): Promise<Rival> {
  await install(bench.say);
  const settings = Object.fromEntries(
    Object.entries(people).map(([role, { id }]) => [
      role,
      { role: 'authenticated', 'app.user_role': role, 'app.user_id': id, 'app.commercial_id': '' },
    ]),
  );
  const child = fork(path.join(FOLDER, 'server.js'), {
    env: {
      ...process.env,
      NODE_ENV: 'production',
      GRAPHILE_ENV: 'production',
      BENCH: JSON.stringify({ address: bench.login, settings }),
    },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  stopAtTheEnd(child);
  const port = await new Promise<number>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`PostGraphile ended (${code})`)));
    child.once('message', (message: { readonly port: number }) => resolve(message.port));
  });
  const load = startLoad('127.0.0.1', port);
  return {
    name: `PostGraphile ${VERSION}`,
    sales: async (as, connections, seconds) =>
      load.run({
        connections,
        seconds,
        warmUpSeconds: bench.warmUpSeconds,
        requests: { kind: 'cycle', requests: [await checked(port, as, people)] },
      }),
    async stop() {
      load.stop();
      await stopServer(child);
    },
  };
}

async function install(say: (sentence: string) => void): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  await writeFile(path.join(FOLDER, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  await writeFile(path.join(FOLDER, 'server.js'), SERVER);
  const isThere = await access(path.join(FOLDER, 'node_modules', 'postgraphile')).then(
    () => true,
    () => false,
  );
  if (isThere) return;
  say(`installing PostGraphile ${VERSION} in ${FOLDER}`);
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  await run(npm, ['install', '--no-audit', '--no-fund', '--save-exact', `postgraphile@${VERSION}`], { cwd: FOLDER });
}

const SERVER = `
import { createServer } from 'node:http';
import pg from 'pg';
import { postgraphile } from 'postgraphile';
import { makePgService } from 'postgraphile/adaptors/pg';
import { grafserv } from 'postgraphile/grafserv/node';
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber';

const { address, settings } = JSON.parse(process.env.BENCH);
const server = createServer();
const serv = postgraphile({
  extends: [PostGraphileAmberPreset],
  pgServices: [makePgService({ pool: new pg.Pool({ ...address, max: 10 }), schemas: ['public'], pubsub: false })],
  grafast: { context: (request) => ({ pgSettings: settings[request.node.req.headers['x-who']] }) },
  grafserv: { graphiql: false, watch: false },
}).createServ(grafserv);
await serv.addTo(server);
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
process.on('SIGTERM', () => process.exit());
`;

/** The same columns and names as of ours. */
const FIELDS = `rowId createdAt status referredContactName referredContactEmail contractAmount readyForValidation adminValidated
  validatedAt clientCommissionAmount commercialCommissionAmount commercialId friendReferrerId
  profileByCommercialId { fullName } profileByFriendReferrerId { fullName } commissionRateByCommissionRate { name }`;

/** The request as bytes, once its answer is what it should be. */
async function checked(
  port: number,
  as: 'admin' | 'commercial',
  people: { readonly commercial: SignedIn },
): Promise<Buffer> {
  const condition = as === 'admin' ? '' : `, condition: { commercialId: "${people.commercial.id}" }`;
  const query = `{ allSales(first: 50, orderBy: CREATED_AT_DESC${condition}) { nodes { ${FIELDS} } } }`;
  const body = JSON.stringify({ query });
  const headers = { 'content-type': 'application/json', 'x-who': as };
  const response = await fetch(`http://127.0.0.1:${port}/graphql`, { method: 'POST', headers, body });
  const { data } = (await response.json()) as { data?: { allSales?: { nodes?: unknown[] } } };
  if (data?.allSales?.nodes?.length !== 50) throw new Error('PostGraphile did not give fifty sales');
  const lines = [
    'POST /graphql HTTP/1.1',
    `host: 127.0.0.1:${port}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`);
}
