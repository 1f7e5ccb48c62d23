import S3rver from '@20minutes/s3rver';
import { PASSWORD, adminEmail, seed } from '@parrain/database/seed';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { hashPassword } from '#auth';

import { anAdmin, asSeen, createEmptyDatabase, only, SECRET_KEY, startTestServer } from '../testing/index.ts';
import type { OpenedDatabase, TestServer } from '../testing/index.ts';
import { callAs } from '../testing/call-function.ts';
import { runNpmCommand, startServerProcess } from '../testing/processes.ts';
import { makeBackup } from './make.ts';
import { backupName, isBackupOf, placeAt } from './place.ts';
import { pruneBackups, runBackup } from './run.ts';
import { scheduleBackups } from './schedule.ts';
import { newIdentity } from './seal.ts';

// `npm run backup` and `npm run restore`, as they are typed, and the backups that a server makes by itself.

// A machine with much else to do is no failure.

const PASSPHRASE = 'une phrase bien assez longue';
const IBAN = 'FR7630006000011234567890189';

let folder: string;
let keys: { readonly identity: string; readonly recipient: string };
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'parrain-backup-'));
  await chmod(folder, 0o755);
  keys = await newIdentity();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('From one machine to another', () => {
  test(
    '[OP-02] [FX-23] 200 000 sales, backed up under writes, restored on an empty cluster: verified, signed in, paid',
    { tags: 'long', timeout: 900_000 },
    async () => {
      const server = await startTestServer();
      const { database } = server;
      const dataDir = path.join(folder, 'restored');
      try {
        await fill(database, 200_000);
        const admin = await anAdmin(database);
        const [client] = await database.asOwner<{ id: string; email: string }>(EARNERS);
        if (client === undefined) throw new Error('Nobody has earned anything');
        const person = {
          ...admin,
          id: client.id,
          role: 'client' as const,
          sessionId: await aSession(database, client.id),
        };
        const asked = await callAs(server, person, 'payment-request', {
          action: 'create',
          amount: 12.34,
          payment_method: 'virement',
          payment_details: { iban: IBAN, beneficiary_name: 'Claire Martin' },
        });
        expect(asked.status).toBe(200);

        // The backup is made between two validations, of which the first is in it and the last is not.
        const waiting = await database.asOwner<{ id: string; version: number; scale: string }>(
          `select id, version, (select id from public.commission_rates limit 1) as scale from public.sales
         where ready_for_validation and not admin_validated and status = 'pending' limit 400`,
        );
        let isOver = false;
        let validated = 0;
        const writing = (async () => {
          for (const { id, scale } of waiting) {
            if (isOver) break;
            await database.become(admin, (run) => run(asSeen.validate, [id, scale]));
            validated += 1;
          }
        })();
        while (validated === 0) await wait(10);
        const made = await runNpmCommand('backup', [folder], { ...of(server), BACKUP_RECIPIENT: keys.recipient });
        isOver = true;
        await writing;
        expect(made.err).toBe('');
        expect(made).toMatchObject({
          code: 0,
          out: expect.stringMatching(/^Sauvegarde faite en [\d,]+ s : \S+\.sql\.zst\.age \(/u),
        });
        const file = /\S+\.age/u.exec(made.out)?.[0] ?? '';
        const [run] = await database.asOwner(
          `select kind, succeeded, details ->> 'name' as name from private.maintenance_runs where finished_at is not null`,
        );
        expect(run).toEqual({ kind: 'backup', succeeded: true, name: path.basename(file) });

        const restored = await runNpmCommand('restore', [file], { DATA_DIR: dataDir, BACKUP_IDENTITY: keys.identity });
        expect(restored.err).toBe('');
        // The output of npm run verify.
        expect(restored.out).toContain('tous respectés');
        expect(restored.code).toBe(0);
        const there = await startServerProcess({ DATA_DIR: dataDir });
        try {
          const key = await publishableKeyOf(there.url);
          expect(key).toBe(server.services.keys.publishableKey);
          const boss = await signIn(there.url, key, adminEmail);
          const requests = await call(there.url, key, boss, 'payment-request', {
            action: 'details',
            request_id: asked.body.data.id,
          });
          expect(JSON.stringify(requests.body)).toContain(IBAN);
          const again = await signIn(there.url, key, client.email);
          const paid = await call(there.url, key, again, 'payment-request', {
            action: 'create',
            amount: 11,
            // An account that is not the first of this client's waits for two days (PO-04).
            payment_method: 'remise_societe',
          });
          expect(paid.body).toMatchObject({ success: true, data: { amount: 11, status: 'pending' } });
          for (const [index, status] of ['approved', 'paid'].entries()) {
            const decided = await call(there.url, key, boss, 'payment-request?action=update_status', {
              request_id: paid.body.data.id,
              status,
              seen_version: index + 1,
              expected_amount: 11,
            });
            expect(decided.body).toMatchObject({ success: true });
          }
        } finally {
          await there.stop();
        }
      } finally {
        await server.close();
      }
    },
  );

  test(
    '[OP-02] into an external database of another owner, with a phrase: the key is kept there, or given',
    { tags: 'long' },
    async () => {
      const server = await startTestServer();
      const target = await createEmptyDatabase();
      try {
        await anAdmin(server.database);
        const made = await runNpmCommand('backup', [folder], { ...of(server), BACKUP_PASSPHRASE: PASSPHRASE });
        const file = /\S+\.age/u.exec(made.out)?.[0] ?? '';
        const to = { DATABASE_URL: urlOf(target.owner), BACKUP_PASSPHRASE: PASSPHRASE };

        const otherKey = await runNpmCommand('restore', [file], { ...to, SECRET_KEY: 'cd'.repeat(32) });
        expect(otherKey).toMatchObject({
          code: 1,
          err: expect.stringContaining("n'est pas la clé de cette sauvegarde"),
        });
        expect(await ask(target.owner, `select to_regclass('private.migrations') as found`)).toEqual([{ found: null }]);

        expect(await runNpmCommand('restore', [file], to)).toMatchObject({ code: 0, err: '' });
        expect(await ask(target.owner, `select value from private.secrets where name = 'master_key'`)).toEqual([
          { value: Buffer.from(SECRET_KEY, 'hex') },
        ]);
        const twice = await runNpmCommand('restore', [file], to);
        expect(twice).toMatchObject({ code: 1, err: expect.stringContaining('elle contient des comptes') });
      } finally {
        await target.drop();
        await server.close();
      }
    },
  );
});

describe('A restoration', () => {
  let server: TestServer;
  let file: string;
  const dataDir = (): string => path.join(folder, 'none');
  beforeAll(async () => {
    server = await startTestServer();
    await anAdmin(server.database);
    const made = await makeBackup({ ...orderOf(server), to: folder, host: 'a.example' });
    file = path.join(made.place, made.name);
  });
  afterAll(() => server.close());

  test(
    '[OP-02] of a file that is cut, altered or no backup, or with another key, makes nothing at all',
    { tags: 'long' },
    async () => {
      const whole = await readFile(file);
      const altered = Buffer.from(whole);
      const middle = altered.length >> 1;
      altered[middle] = (altered[middle] ?? 0) ^ 1;
      const broken = path.join(folder, 'broken.age');
      for (const bytes of [
        whole.subarray(0, -1),
        whole.subarray(0, 300),
        Buffer.alloc(0),
        altered,
        Buffer.from('x\n'),
      ]) {
        await writeFile(broken, bytes);
        const refused = await runNpmCommand('restore', [broken], {
          DATA_DIR: dataDir(),
          BACKUP_IDENTITY: keys.identity,
        });
        expect(refused).toMatchObject({ code: 1, out: '', err: expect.stringContaining('coupée ou altérée') });
        expect(refused.err).not.toContain(' at ');
      }
      const { identity } = await newIdentity();
      for (const key of [{ BACKUP_IDENTITY: identity }, { BACKUP_PASSPHRASE: PASSPHRASE }]) {
        const refused = await runNpmCommand('restore', [file], { DATA_DIR: dataDir(), ...key });
        expect(refused).toMatchObject({
          code: 1,
          out: '',
          err: expect.stringContaining("n'ouvre pas cette sauvegarde"),
        });
      }
      await expect(readdir(dataDir())).rejects.toThrow('ENOENT');
    },
  );

  test('[OP-02] says what it needs: a file, a key', { tags: 'long' }, async () => {
    const bare = await runNpmCommand('restore', [], { DATA_DIR: dataDir() });
    expect(bare).toMatchObject({ code: 1, err: expect.stringContaining('Usage : npm run restore') });
    const unknown = await runNpmCommand('restore', ['nulle-part.age'], { DATA_DIR: dataDir() });
    expect(unknown).toMatchObject({
      code: 1,
      err: expect.stringContaining("Il n'y a pas de sauvegarde nulle-part.age"),
    });
    const keyless = await runNpmCommand('restore', [file], { DATA_DIR: dataDir() });
    expect(keyless).toMatchObject({ code: 1, err: expect.stringContaining('BACKUP_IDENTITY') });
    const checked = await runNpmCommand('restore', [file, '--check'], { BACKUP_IDENTITY: keys.identity });
    expect(checked).toMatchObject({ code: 0, out: expect.stringContaining('elle est entière') });
  });

  test(
    '[OP-02] a backup without a key is refused with the way to get one, which npm run backup -- --new-key gives',
    { tags: 'long' },
    async () => {
      const refused = await runNpmCommand('backup', [folder], of(server));
      expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('toujours chiffrée') });
      const { out } = await runNpmCommand('backup', ['--new-key'], {});
      await writeFile(path.join(folder, 'in-the-way'), '');
      const unwritable = await runNpmCommand('backup', [path.join(folder, 'in-the-way')], {
        ...of(server),
        BACKUP_RECIPIENT: keys.recipient,
      });
      expect(unwritable).toMatchObject({
        code: 1,
        out: '',
        err: expect.stringMatching(
          /^La sauvegarde n'a pas pu être faite : le dossier .* : ce n’est pas un dossier\.\n$/u,
        ),
      });
      expect(out).toMatch(/BACKUP_RECIPIENT=age1\w{58}\n[^]*BACKUP_IDENTITY=AGE-SECRET-KEY-1\w{58}\n/u);
    },
  );

  test('[OP-02] a backup with another SECRET_KEY than the database’s is refused: it would carry the wrong one', async () => {
    const refused = await runNpmCommand('backup', [folder], {
      ...of(server),
      SECRET_KEY: 'cd'.repeat(32),
      BACKUP_RECIPIENT: keys.recipient,
    });
    expect(refused.code).toBe(1);
    expect(refused.out).toBe('');
  });
});

describe('A place for backups', () => {
  let s3: S3rver;
  let bucket: string;
  beforeAll(async () => {
    const directory = path.join(folder, 's3');
    await mkdir(directory);
    s3 = new S3rver({
      port: 0,
      address: '127.0.0.1',
      silent: true,
      directory,
      configureBuckets: [{ name: 'files', configs: [] }],
    });
    const { port } = await s3.run();
    bucket = `http://S3RVER:S3RVER@127.0.0.1:${port}/files`;
  });
  afterAll(() => s3.close());

  const places = (): readonly string[] => [path.join(folder, 'place'), `${bucket}/backups/here?region=eu-west-3`];

  test('[OP-02] keeps a file whole, in parts where it is large, and lists what is there', async () => {
    for (const address of places()) {
      const place = placeAt(address);
      const name = backupName('a.example', new Date('2026-11-22T02:30:00Z'));
      const bytes = Buffer.alloc(9_000_000, 'parrain');
      expect(await place.write(name, inChunks(bytes))).toBe(bytes.length);
      expect(await place.list()).toEqual([{ name, bytes: bytes.length }]);
      const read: Uint8Array[] = [];
      for await (const chunk of place.read(name)) read.push(chunk);
      expect(Buffer.concat(read).equals(bytes)).toBe(true);
      expect(place.description).not.toContain('S3RVER');
      await place.remove(name);
      expect(await place.list()).toEqual([]);
    }
  });

  test('[DF-75] one that cannot take a file is refused at once, in a sentence with its name and the cause', async () => {
    const name = backupName('a.example', new Date());
    const written = (address: string) => placeAt(address).write(name, inChunks(Buffer.from('x')));
    await expect(written('/proc/nowhere')).rejects.toThrow(
      'le dossier /proc/nowhere ne reçoit pas la sauvegarde : ce dossier ne peut pas être créé à cet endroit',
    );
    await expect(written('/proc/version/backups')).rejects.toThrow('ce n’est pas un dossier');
    const host = new URL(bucket).host;
    await expect(written(bucket.replace(':S3RVER@', ':wrong@'))).rejects.toThrow(
      `le service de fichiers ${host} refuse : le secret de l’adresse n’est pas celui de la clé (SignatureDoesNotMatch)`,
    );
    await expect(written(bucket.replace('/files', '/nobody'))).rejects.toThrow('ce bucket n’existe pas (NoSuchBucket)');
    await expect(written('http://k:s@127.0.0.1:9/files')).rejects.toThrow(
      'le service de fichiers 127.0.0.1:9 ne répond pas',
    );
    await expect(written('https://k:s@nowhere.invalid/files')).rejects.toThrow(
      'le service de fichiers nowhere.invalid',
    );
  });

  test('[OP-02] keeps nothing of a backup that fails on the way', async () => {
    for (const address of places()) {
      const place = placeAt(address);
      async function* failing(): AsyncGenerator<Uint8Array> {
        yield* inChunks(Buffer.alloc(9_000_000));
        throw new Error('The database is gone');
      }
      const name = backupName('a.example', new Date());
      await expect(place.write(name, failing())).rejects.toThrow('The database is gone');
      expect(await place.list()).toEqual([]);
    }
    expect(await readdir(path.join(folder, 'place'))).toEqual([]);
  });

  test('[OP-02] keeps so many of one host, the newest, and touches nothing else', async () => {
    for (const address of places()) {
      const place = placeAt(address);
      const names = [1, 2, 3, 4].map((day) => backupName('a.example', new Date(`2026-11-0${day}T02:30:00Z`)));
      const others = [backupName('b.example', new Date('2020-01-01T00:00:00Z')), 'parrain-a.example-note.sql.zst.age'];
      for (const name of [...names, ...others]) await place.write(name, inChunks(Buffer.from('x')));
      expect(await pruneBackups({ to: address, host: 'a.example' }, 3)).toEqual(names.slice(0, 1));
      expect((await place.list()).map(({ name }) => name)).toEqual([...names.slice(1), ...others].toSorted());
    }
    expect(isBackupOf('a', backupName('a-b', new Date()))).toBe(false);
  });

  test(
    '[OP-02] a server makes them by itself, records each and keeps the newest; one that fails is recorded too',
    { tags: 'long' },
    async () => {
      const to = path.join(folder, 'scheduled');
      // Times half an hour away: none comes while the test runs.
      const away = new Date(Date.now() + 30 * 60_000).toISOString();
      const [hour, minute] = [away.slice(11, 13), away.slice(14, 16)];
      const server = await startTestServer({
        jobs: false,
        environment: {
          BACKUP_TO: to,
          BACKUP_RECIPIENT: keys.recipient,
          BACKUP_KEEP: '2',
          BACKUP_AT: `${hour}:${minute},*:${minute}`,
        },
      });
      try {
        scheduleBackups(server.services, server.database.owner);
        await server.services.jobs.start();
        const { database } = server;
        const runs = () =>
          database.asOwner<{ succeeded: boolean; details: Record<string, unknown> }>(
            'select succeeded, details from private.maintenance_runs where finished_at is not null order by id',
          );
        async function backUp(): Promise<void> {
          const before = (await runs()).length;
          await server.services.db.asService('test', (tx) =>
            server.services.jobs.enqueue(tx, 'backup', {}, { maxAttempts: 1 }),
          );
          while ((await runs()).length === before) await wait(20);
        }
        for (let n = 0; n < 3; n += 1) {
          await backUp();
          // Time itself: a file is named by its second.
          await wait(1000);
        }
        expect((await runs()).map(({ succeeded }) => succeeded)).toEqual([true, true, true]);
        expect((await runs())[2]?.details).toMatchObject({ place: to, leftOut: [], filesMissing: 0 });
        while ((await readdir(to)).length > 2) await wait(20);
        const cron = await database.asOwner<{ identifier: string }>(
          `select identifier from graphile_worker._private_known_crontabs where identifier like 'backup%' order by 1`,
        );
        expect(cron.map(({ identifier }) => identifier)).toEqual([
          `backup_${hour}_${minute}`,
          `backup_hourly_${minute}`,
        ]);

        await rm(to, { recursive: true });
        await writeFile(to, 'a file in the way');
        await backUp();
        expect((await runs())[3]).toMatchObject({
          succeeded: false,
          details: { error: expect.stringContaining('ce n’est pas un dossier') },
        });
      } finally {
        await server.close();
      }
    },
  );

  test('[OP-02] one that is under way when its server stops ends, and is recorded as failed', async () => {
    const server = await startTestServer({ jobs: false });
    const blocker = new Client(server.database.owner);
    await blocker.connect();
    try {
      await blocker.query('begin; lock table public.sales in access exclusive mode');
      const controller = new AbortController();
      const order = { ...orderOf(server), to: path.join(folder, 'stopped'), host: 'a.example' };
      const backup = runBackup(order, controller.signal);
      backup.catch(() => undefined);
      const waiting = `select from pg_locks where not granted and database = (select oid from pg_database where datname = current_database())`;
      while ((await server.database.asOwner(waiting)).length === 0) await wait(20);
      controller.abort();
      await expect(backup).rejects.toThrow('interrupted');
      expect(await server.database.asOwner('select succeeded from private.maintenance_runs')).toEqual([
        { succeeded: false },
      ]);
    } finally {
      await blocker.end();
      await server.close();
    }
  });

  test(
    '[OP-02] files kept in another service come along, and are in the restored database',
    { tags: 'long' },
    async () => {
      const server = await startTestServer({ environment: { STORAGE_S3_URL: `${bucket}/logos?region=eu-west-3` } });
      const target = await createEmptyDatabase();
      try {
        const admin = await anAdmin(server.database);
        const png = await sharp({ create: { width: 30, height: 20, channels: 3, background: '#654321' } })
          .png()
          .toBuffer();
        const logos = (await server.client(admin)).storage.from('logos');
        expect((await logos.upload('a.png', png)).error).toBeNull();
        const kept = await server.fetch('/storage/v1/object/public/logos/a.png');
        const to = `${bucket}/backups/there?region=eu-west-3`;
        const { name } = await makeBackup({
          ...orderOf(server),
          filesUrl: server.services.config.s3Url,
          to,
          host: 'a.example',
        });
        const restored = await runNpmCommand('restore', [name], {
          DATABASE_URL: urlOf(target.owner),
          BACKUP_TO: to,
          BACKUP_RECIPIENT: keys.recipient,
          BACKUP_IDENTITY: keys.identity,
        });
        expect(restored).toMatchObject({ code: 0, err: '' });
        expect(await ask(target.owner, 'select content, blob from storage.objects')).toEqual([
          { content: Buffer.from(await kept.arrayBuffer()), blob: null },
        ]);
      } finally {
        await target.drop();
        await server.close();
      }
    },
  );
});

const EARNERS = `select p.id, p.email from public.balances b join public.profiles p on p.id = b.profile_id
  where p.role = 'client' and b.earned - b.reversed - b.reserved - b.paid > 30 limit 1`;

async function fill(database: Pick<OpenedDatabase, 'owner'>, sales: number): Promise<void> {
  const client = new Client(database.owner);
  await client.connect();
  try {
    await seed(client, { sales, commercials: 50, clients: 2000 }, await hashPassword(PASSWORD));
  } finally {
    await client.end();
  }
}

async function aSession(database: Pick<OpenedDatabase, 'asOwner'>, person: string): Promise<string> {
  const { id } = only(
    await database.asOwner<{ id: string }>(
      `insert into auth.sessions (user_id, refresh_key_sealed) values ($1, '\\x00') returning id`,
      [person],
    ),
  );
  return id;
}

function orderOf(server: TestServer) {
  return {
    owner: server.database.owner,
    masterKey: server.services.secrets.masterKey,
    filesUrl: null,
    key: { recipient: keys.recipient },
  };
}

/** The environment of a command that works on a test server's database. */
const of = (server: TestServer): Record<string, string> => ({ DATABASE_URL: urlOf(server.database.owner), SECRET_KEY });

function urlOf(owner: OpenedDatabase['owner']): string {
  const { user, password, port, database, host } = owner;
  return `postgres://${user}:${password}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`;
}

async function ask(owner: OpenedDatabase['owner'], statement: string): Promise<unknown[]> {
  const client = new Client(owner);
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}

async function* inChunks(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 100_000) yield bytes.subarray(at, at + 100_000);
}

async function publishableKeyOf(url: string): Promise<string> {
  const { publishableKey } = (await (await fetch(`${url}/config.json`)).json()) as { readonly publishableKey: string };
  return publishableKey;
}

async function signIn(url: string, key: string, email: string): Promise<string> {
  const { status, body } = await call(url, key, null, 'auth-signin', { email, password: PASSWORD });
  expect(status).toBe(200);
  return body.access_token;
}

async function call(url: string, key: string, token: string | null, name: string, body: object) {
  const reply = await fetch(`${url}/functions/v1/${name}`, {
    method: 'POST',
    headers: {
      apikey: key,
      'content-type': 'application/json',
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  });
  // The shape is what the test is about.
  // oxlint-disable-next-line typescript/no-explicit-any
  return { status: reply.status, body: (await reply.json()) as any };
}
