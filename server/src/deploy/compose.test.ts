import { Client } from 'pg';
import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { Agent } from 'node:https';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { parse } from 'yaml';

import {
  answerOf,
  PROJECT,
  startCaddy,
  startPostgres,
  temporaryFolder,
  textOf,
  tools,
  withReplaced,
} from '../testing/deployment.ts';
import { freePort } from '../testing/free-port.ts';
import { leastEnvironment } from '../testing/processes.ts';
import { commandsOf } from '../testing/pages.ts';

type Service = {
  readonly image?: string;
  readonly build?: { readonly context: string; readonly dockerfile: string; readonly target: string };
  readonly environment: Readonly<Record<string, string | number>>;
  readonly secrets?: readonly string[];
  readonly volumes?: readonly string[];
  readonly restart: string;
  readonly healthcheck?: unknown;
  readonly depends_on?: Readonly<Record<string, unknown>>;
  readonly stop_grace_period?: string;
  readonly read_only?: boolean;
  readonly init?: boolean;
};

const compose = parse(textOf('deploy', 'compose.yaml')) as {
  readonly services: Readonly<Record<'database' | 'server' | 'proxy', Service>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
  readonly volumes: Readonly<Record<string, unknown>>;
};
const { database, server, proxy } = compose.services;
const { folder, remove } = temporaryFolder('compose');
afterAll(remove);

test('[OP-01] compose names settings that exist, stages, files, volumes and secrets that are there', () => {
  const settings = textOf('docs', 'operations', 'configuration.md');
  for (const name of Object.keys(server.environment)) {
    expect(settings).toContain(`\n| \`${name.replace(/_FILE$/u, '')}\` |`);
  }
  const { context = '', dockerfile = '', target } = server.build ?? {};
  expect(textOf('deploy', context, dockerfile)).toContain(` AS ${target}\n`);
  for (const service of Object.values(compose.services)) {
    for (const secret of service.secrets ?? []) expect(Object.keys(compose.secrets)).toContain(secret);
    for (const volume of service.volumes ?? []) {
      const [source = ''] = volume.split(':');
      if (source.startsWith('.')) expect(existsSync(path.join(PROJECT, 'deploy', source))).toBe(true);
      else expect(Object.keys(compose.volumes)).toContain(source);
    }
    expect(service.restart).toBe('unless-stopped');
  }
  expect(textOf('deploy', 'Caddyfile')).toContain('{$PARRAIN_NODES:');
  // The unit and the container are given the same time to end.
  expect(textOf('deploy', 'parrain.service')).toContain(
    `TimeoutStopSec=${server.stop_grace_period?.replace('s', '')}\n`,
  );
  expect([server.read_only, server.init]).toEqual([true, true]);
});

test.skipIf(tools.caddy === null)(
  '[OP-01] the secrets that the page makes open the database, the server starts with them and is reached by https',
  { tags: 'long' },
  async () => {
    // As printed, where the folder deploy/ stands.
    mkdirSync(path.join(folder, 'deploy'));
    execFileSync('/bin/sh', ['-ec', commandsOf('install.md', 'secrets')], { cwd: folder });
    expect(statSync(path.join(folder, 'deploy/secrets')).mode & 0o777).toBe(0o700);
    const secret = (name: string): string => {
      const file = path.join(folder, 'deploy', compose.secrets[name]?.file ?? '');
      // Read by the image's own user, who is not the one that wrote it.
      expect(statSync(file).mode & 0o777).toBe(0o444);
      return file;
    };

    const postgres = await startPostgres(path.join(folder, 'data'));
    const owner = new Client(postgres.owner);
    await owner.connect();
    const { POSTGRES_USER: user, POSTGRES_DB: name } = database.environment;
    const password = readFileSync(secret('postgres_password'), 'utf8').trim();
    await owner.query(`create role ${user} superuser login password ${owner.escapeLiteral(password)}`);
    await owner.query(`create database ${name}_of_compose owner ${user}`);
    await owner.end();

    // The names of the services lead to this machine.
    const url = withReplaced(readFileSync(secret('database_url'), 'utf8'), {
      '@database:5432/parrain': `@127.0.0.1:${postgres.owner.port}/${name}_of_compose`,
    });
    const urlFile = path.join(folder, 'database_url');
    execFileSync('/bin/sh', ['-c', 'cat > "$0"', urlFile], { input: url });
    const port = await freePort();
    const given = Object.fromEntries(
      Object.entries(server.environment).map(([key, value]) => [
        key,
        withPlaces(String(value), { database_url: urlFile, secret_key: secret('secret_key') }),
      ]),
    );
    const child: ChildProcess = spawn(process.execPath, ['server/src/main.ts'], {
      cwd: PROJECT,
      env: { ...leastEnvironment, HOST: '127.0.0.1', DEMO: 'off', PORT: String(port), ...given },
      stdio: 'ignore',
    });
    const agent = new Agent({ rejectUnauthorized: false });
    try {
      while ((await fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => null))?.status !== 200) {
        expect(child.exitCode).toBeNull();
        await wait(100);
      }
      const nodes = String(proxy.environment['PARRAIN_NODES']).replace('server:3000', `127.0.0.1:${port}`);
      const caddy = await startCaddy(folder, nodes);
      expect(await answerOf(agent, `${caddy.url}/auth/login`)).toBe(200);
      await caddy.stop();
      // It is the database of the secrets that was migrated.
      const client = new Client({ connectionString: url.trim() });
      await client.connect();
      expect((await client.query('select from public.profiles')).rowCount).toBe(0);
      await client.end();
    } finally {
      agent.destroy();
      if (child.exitCode === null) {
        child.kill('SIGTERM');
        await once(child, 'exit');
      }
      await postgres.stop();
    }
    expect(child.exitCode).toBe(0);
  },
);

/** Substitutes compose's variables and the names of the secrets. */
function withPlaces(value: string, secrets: Readonly<Record<string, string>>): string {
  return (
    value
      .replace('${PARRAIN_HOST:?}', 'localhost')
      .replaceAll(/\$\{\w+:-(?<other>[^}]*)\}/gu, '$<other>')
      // Only with the variable, of which none is given here.
      .replaceAll(/\$\{\w+:\+[^}]*\}/gu, '')
      .replace(/^\/run\/secrets\/(?<secret>\w+)$/u, (_, secret: string) => secrets[secret] ?? '')
  );
}
