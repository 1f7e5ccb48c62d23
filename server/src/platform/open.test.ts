import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { ConfigurationError } from '../config.ts';
import { aCompanyKey, callWithKey } from '../testing/company-key.ts';
import { anAdmin, brokenInvariants, createTestDatabase, SECRET_KEY, startTestServer } from '../testing/index.ts';
import type { TestDatabase, TestServer } from '../testing/index.ts';
import { leastEnvironment } from '../testing/processes.ts';

// Servers and processes are started: nothing here says how long that takes.

// Servers and commands open a database with its key and its own login, or not at all.

const OTHER_KEY = 'cd'.repeat(32);
const COMMANDS = path.join(import.meta.dirname, '..', 'commands');

/** Runs a command on an external database, as a process of its own. */
async function command(
  name: string,
  database: TestDatabase,
  environment: Readonly<Record<string, string>> = {},
  parameters: readonly string[] = [],
): Promise<{ readonly code: number; readonly printed: string }> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', path.join(COMMANDS, `${name}.ts`), ...parameters],
      { env: { ...leastEnvironment, DATABASE_URL: urlOf(database), ...environment } },
      (error, stdout, stderr) => {
        resolve({
          code: typeof error?.code === 'number' ? error.code : error === null ? 0 : 1,
          printed: stdout + stderr,
        });
      },
    );
  });
}

function urlOf(database: TestDatabase): string {
  const { port, user, password, database: name } = database.owner;
  return `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/${name}`;
}

/** All that a command might have changed: secrets, keys, and the cluster's roles with their passwords. */
async function traces(database: TestDatabase): Promise<unknown> {
  return database.asOwner(`
    select 'secret' as what, name, md5(value) as value from private.secrets
    union all select 'key', kid, private_jwk_sealed::text from auth.signing_keys
    union all select 'role', rolname, concat(rolpassword, rolcanlogin) from pg_authid
      where rolname in ('authenticator', 'parrain_login_' || (select oid from pg_database where datname = current_database()))
    order by 1, 2`);
}

describe('a command', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({ jobs: false });
  });
  afterAll(() => server.close());

  test.each([
    ['without SECRET_KEY', {}, 'La clé de cette base manque'],
    ['with another SECRET_KEY', { SECRET_KEY: OTHER_KEY }, "SECRET_KEY n'est pas la clé de cette base"],
  ])(
    '[FX-20] %s says so in a sentence and changes nothing: the server does not notice',
    async (_, environment, sentence) => {
      const before = await traces(server.database);
      for (const [name, ...parameters] of [['keys'], ['rotate-keys'], ['create-admin', 'a@b.fr', 'Anne']] as const) {
        const { code, printed } = await command(name, server.database, environment, parameters);
        expect([name, code, printed]).toEqual([name, 1, expect.stringContaining(sentence)]);
        expect(printed).toContain("Rien n'a été changé");
        expect(printed.trim().split('\n')).toHaveLength(1);
      }
      expect(await traces(server.database)).toEqual(before);
      expect((await server.fetch('/health/ready')).status).toBe(200);
    },
  );

  test('[OP-03] npm run verify leaves a record of how it ended', { tags: 'long' }, async () => {
    const before = await server.database.asOwner('select from private.maintenance_runs');
    await command('verify', server.database);
    const runs = await server.database.asOwner(
      `select kind, succeeded, details ->> 'by' as by, details -> 'broken' as broken from private.maintenance_runs order by id`,
    );
    expect(runs).toHaveLength(before.length + 1);
    expect(runs.at(-1)).toEqual({ kind: 'verification', succeeded: true, by: 'command', broken: [] });
  });

  test('[FX-20] that needs no key reads without one: npm run verify', { tags: 'long' }, async () => {
    const before = await traces(server.database);
    const { code, printed } = await command('verify', server.database);
    expect([code, printed]).toEqual([0, expect.stringContaining('tous respectés')]);
    expect(await traces(server.database)).toEqual(before);
    expect((await server.fetch('/health/ready')).status).toBe(200);
  });

  test('[FX-20] with the right key finds what the server has', async () => {
    const { printed } = await command('keys', server.database, { SECRET_KEY });
    expect(printed).toContain(server.services.keys.secretKey);
  });

  test(
    '[FX-16] npm run rotate-keys -- --secret --keep 24h: the server takes both keys, and the trail says it',
    { tags: 'long' },
    async () => {
      const old = server.services.keys.secretKey;
      const rotated = await command('rotate-keys', server.database, { SECRET_KEY }, ['--secret', '--keep', '24h']);
      const made = /sb_secret_[\w-]{32}/u.exec(rotated.printed)?.[0] ?? '';
      expect([rotated.code, made]).toEqual([0, expect.not.stringContaining(old)]);
      await expect.poll(() => server.services.keys.secretKey).toBe(made);
      for (const apikey of [old, made]) {
        expect((await server.fetch('/rest/v1/sales?select=id', { headers: { apikey } })).status).toBe(200);
      }
      const trail = await server.database.asOwner(
        `select detail ->> 'kind' as kind from auth.audit_entries where action = 'api_key_rotated'`,
      );
      expect(trail).toEqual([{ kind: 'secret' }]);
      const usage = await command('rotate-keys', server.database, { SECRET_KEY }, ['--secret', '--keep', 'x']);
      expect([usage.code, usage.printed]).toEqual([1, expect.stringContaining('il faut une durée')]);
    },
  );

  test(
    '[FX-20] on a database that no server has used makes nothing of what a server makes',
    { tags: 'long' },
    async () => {
      const empty = await createTestDatabase();
      try {
        const before = await traces(empty);
        const { code, printed } = await command('keys', empty, { SECRET_KEY });
        expect([code, printed]).toEqual([1, expect.stringContaining("Cette base n'a pas encore servi")]);
        expect(await traces(empty)).toEqual(before);
      } finally {
        await empty.drop();
      }
    },
  );
});

describe('a second node', () => {
  test('[FX-20] with another key is refused before it writes, and the first one goes on', async () => {
    const server = await startTestServer({ jobs: false });
    try {
      const before = await traces(server.database);
      const second = startTestServer({
        database: server.database,
        jobs: false,
        environment: { SECRET_KEY: OTHER_KEY },
      });
      await expect(second).rejects.toThrow(ConfigurationError);
      expect(await traces(server.database)).toEqual(before);
      expect((await server.fetch('/health/ready')).status).toBe(200);
    } finally {
      await server.close();
    }
  });

  test(
    '[FX-20] of an installation older than the check value is known by what it sealed',
    { tags: 'long' },
    async () => {
      const server = await startTestServer({ jobs: false });
      try {
        await server.database.asOwner(`delete from private.secrets where name = 'key_check'`);
        const wrong = startTestServer({
          database: server.database,
          jobs: false,
          environment: { SECRET_KEY: OTHER_KEY },
        });
        await expect(wrong).rejects.toThrow(/n'est pas la clé de cette base/u);
        const before = await traces(server.database);
        const { code } = await command('keys', server.database, { SECRET_KEY });
        expect([code, await traces(server.database)]).toEqual([0, before]);
        const right = await startTestServer({ database: server.database, jobs: false });
        await right.close();
        const kept = await server.database.asOwner(`select from private.secrets where name = 'key_check'`);
        expect(kept).toHaveLength(1);
      } finally {
        await server.close();
      }
    },
  );

  test(
    '[FX-20] a key kept in the database and a given one: the sentence says how to pass to it',
    { tags: 'long' },
    async () => {
      const database = await createTestDatabase();
      const environment = { SECRET_KEY: '', DATABASE_URL: urlOf(database) };
      const first = await startTestServer({ database, jobs: false, environment });
      try {
        const given = startTestServer({ database, jobs: false, environment: { DATABASE_URL: urlOf(database) } });
        await expect(given).rejects.toThrow(/garde la sienne \(dans la base\).*npm run rotate-keys -- --master/u);
        const again = await startTestServer({ database, jobs: false, environment });
        expect(again.services.keys.secretKey).toBe(first.services.keys.secretKey);
        await again.close();
      } finally {
        await first.close();
        await database.drop();
      }
    },
  );

  test('[FX-20] the key file that went with an embedded database is missed, and not made anew', async () => {
    const dataDir = await mkdtemp(path.join(os.tmpdir(), 'parrain-open-'));
    const database = await createTestDatabase();
    const environment = { SECRET_KEY: '', DATA_DIR: dataDir };
    const first = await startTestServer({ database, jobs: false, environment });
    try {
      await rm(path.join(dataDir, 'master.key'));
      const second = startTestServer({ database, jobs: false, environment });
      await expect(second).rejects.toThrow(/La clé de cette base manque.*master\.key/u);
      expect(await readdir(dataDir)).toEqual([]);
    } finally {
      await first.close();
      await database.drop();
      await rm(dataDir, { recursive: true, force: true });
    }
  });
});

describe('a server of a later version', () => {
  test(
    '[DF-70] gives its login what the version before did not know, at each start: keys of the company open again',
    { tags: 'long' },
    async () => {
      const database = await createTestDatabase();
      const start = () => startTestServer({ database, jobs: false });
      try {
        const before = await start();
        const { secret } = await aCompanyKey(before, await anAdmin(database), ['read']);
        const read = async (server: TestServer) =>
          (await callWithKey(server, secret, '/rest/v1/sales?select=id')).status;
        expect(await read(before)).toBe(200);
        await before.close();
        // As a version left it that had no keys, and called one function less.
        const [{ login } = { login: '' }] = await database.asOwner<{ login: string }>(
          `select 'parrain_login_' || oid as login from pg_database where datname = current_database()`,
        );
        for (const taken of [
          `revoke api_key from ${login}`,
          `revoke execute on function private.identify() from ${login}`,
          `revoke usage on schema auth from ${login}`,
        ]) {
          await database.asOwner(taken);
          // A command changes nothing: it is the server's to give.
          await command('keys', database, { SECRET_KEY });
          const after = await start();
          expect([taken, await read(after), await brokenInvariants(database.asOwner)]).toEqual([taken, 200, []]);
          await after.close();
        }
      } finally {
        await database.drop();
      }
    },
  );
});

describe('two installations on one PostgreSQL', () => {
  test('[FX-21] with different keys both work, whoever starts first and again', { tags: 'long' }, async () => {
    const [production, staging] = [await createTestDatabase(), await createTestDatabase()];
    const first = await startTestServer({ database: production, jobs: false });
    const second = await startTestServer({ database: staging, jobs: false, environment: { SECRET_KEY: OTHER_KEY } });
    try {
      const third = await startTestServer({ database: production, jobs: false });
      for (const server of [first, second, third]) {
        // New connections, not those that stood before the other installation came.
        await server.database.asOwner(
          `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and usename like 'parrain_login_%'`,
        );
        await expect.poll(async () => (await server.fetch('/health/ready')).status).toBe(200);
      }
      await third.close();
    } finally {
      await Promise.all([first.close(), second.close()]);
      await Promise.all([production.drop(), staging.drop()]);
    }
  });
});
