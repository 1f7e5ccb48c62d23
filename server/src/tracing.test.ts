import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';

import { freePort } from './testing/free-port.ts';
import { aClient, SECRET_KEY, startTestServer } from './testing/index.ts';
import type { Person, TestServer } from './testing/index.ts';
import { leastEnvironment } from './testing/processes.ts';

// The program as it is started, sending its traces to a collector: a server that takes what OTLP brings.

const MAIN = path.join(import.meta.dirname, 'main.ts');

/** A collector: keeps each message as it came. Names of spans and attributes stand in it as UTF-8. */
async function startCollector(): Promise<{
  readonly server: Server;
  readonly url: string;
  readonly seen: () => string;
}> {
  const received: Buffer[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (request.url === '/v1/traces') received.push(Buffer.concat(chunks));
      response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { server, url: `http://127.0.0.1:${port}`, seen: () => Buffer.concat(received).toString('utf8') };
}

/** Another process on the same database, which says what it has read when it ends. */
async function startProgram(
  of: TestServer,
  environment: Readonly<Record<string, string>>,
): Promise<{ readonly child: ChildProcess; readonly url: string; readonly said: () => string }> {
  const { user, password, port, database } = of.database.owner;
  const own = await freePort();
  const child = spawn(process.execPath, ['--import', `data:text/javascript,${encodeURIComponent(SAY_MODULES)}`, MAIN], {
    env: {
      ...leastEnvironment,
      DATABASE_URL: `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`,
      SECRET_KEY,
      PORT: String(own),
      // Tokens of the other server are this one's too.
      PUBLIC_URL: of.url,
      DRAIN_SECONDS: '0',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const url = `http://127.0.0.1:${own}`;
  await vi.waitFor(async () => expect((await fetch(`${url}/health/ready`)).status).toBe(200), {
    timeout: 120_000,
    interval: 100,
  });
  return { child, url, said: () => said };
}

const SAY_MODULES = `import Module from 'node:module';
process.on('exit', () => console.log('read: ' + Object.keys(Module._cache).map((name) => name.replace(/.*node_modules./u, '')).join(' ')));`;

async function stop(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}

describe('[OP-03] traces', () => {
  let server: TestServer;
  let client: Person;
  beforeAll(async () => {
    server = await startTestServer({ jobs: false });
    client = await aClient(server.database, { fullName: 'Personne Secrète' });
  });
  afterAll(() => server.close());

  test(
    'follow a request from HTTP through Fastify to PostgreSQL, and say nothing of whom it is about',
    { tags: 'long' },
    async () => {
      const collector = await startCollector();
      const { child, url, said } = await startProgram(server, {
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_BSP_SCHEDULE_DELAY: '200',
        OTEL_SERVICE_NAME: 'parrain-essai',
      });
      try {
        const headers = {
          apikey: server.services.keys.publishableKey,
          authorization: `Bearer ${await server.tokenOf(client)}`,
          'user-agent': 'NavigateurSecret/1.0',
        };
        const found = await fetch(`${url}/rest/v1/profiles?select=id,full_name&full_name=eq.Personne%20Secr%C3%A8te`, {
          headers,
        });
        expect(await found.json()).toHaveLength(1);
        await fetch(`${url}/rest/v1/profiles?id=eq.valeur-secrete`, { headers });
        await vi.waitFor(
          () => {
            for (const name of ['GET /rest/v1/*', 'pg.query:SELECT', 'hook.name', 'parrain-essai', 'full_name'])
              expect(collector.seen()).toContain(name);
          },
          { timeout: 120_000, interval: 100 },
        );
        await stop(child);
        expect(said()).toContain('opentelemetry');
        const seen = collector.seen();
        for (const secret of [
          'Secr',
          'secrete',
          client.id,
          client.email,
          'NavigateurSecret',
          '127.0.0.1',
          headers.authorization.slice(-20),
        ]) {
          expect(seen).not.toContain(secret);
        }
      } finally {
        child.kill('SIGKILL');
        collector.server.close();
      }
    },
  );

  test('are not even read where no collector is named', async () => {
    const { child, said } = await startProgram(server, {});
    await stop(child);
    expect(said()).toMatch(/read: .*fastify\.js/u);
    expect(said()).not.toContain('opentelemetry');
  });
});
