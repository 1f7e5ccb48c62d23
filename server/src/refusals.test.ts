import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync } from 'node:fs';
import { chmod, lstat, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';

import { freePort } from './testing/free-port.ts';
import { createTestDatabase } from './testing/index.ts';
import type { TestDatabase } from './testing/index.ts';
import { leastEnvironment } from './testing/processes.ts';

// Messages for a person who starts the server, or a command, with a setting that cannot work: a sentence, and nothing is done.

const SOURCES = import.meta.dirname;
const isRoot = process.getuid?.() === 0;

let folder: string;
let dataDir: string;
let database: TestDatabase;
const running: ChildProcess[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(async () => database.drop());

beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'parrain-refusals-'));
  await chmod(folder, 0o755);
  dataDir = path.join(folder, 'data');
});

afterEach(async () => {
  for (const child of running.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
  await rm(folder, { recursive: true, force: true });
});

type Ended = { readonly code: number | null; readonly out: string; readonly err: string };
type Env = Readonly<Record<string, string>>;

/** Runs a program of the server to its end. */
async function run(program: string, env: Env, parameters: readonly string[] = []): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [path.join(SOURCES, program), ...parameters],
      {
        env: { ...leastEnvironment, DATA_DIR: dataDir, PORT: '0', DEMO: 'off', LOG_LEVEL: 'silent', ...env },
        cwd: folder,
      },
      (error, out, err) => resolve({ code: error === null ? 0 : Number(error.code), out, err: err.trim() }),
    );
  });
}

function externalUrl(change: (url: URL) => void): string {
  const { port, user, password, database: name } = database.owner;
  const url = new URL(`postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/${name}`);
  change(url);
  return url.href;
}

describe('the start is refused in one sentence, and nothing is written', () => {
  const refused: readonly [string, () => Env | Promise<Env>, RegExp][] = [
    ['a host that is no machine', () => ({ HOST: 'nosuchhost.invalid' }), /HOST est incorrecte.*nosuchhost\.invalid/u],
    [
      'an address of another machine',
      () => ({ HOST: '192.0.2.1' }),
      /HOST est incorrecte : 192\.0\.2\.1 n'est pas une adresse/u,
    ],
    [
      'a folder that the system refuses',
      () => ({ DATA_DIR: '/proc/parrain' }),
      /dossier de données \/proc\/parrain ne peut pas servir/u,
    ],
    [
      'a folder below a file',
      async () => {
        await writeFile(path.join(folder, 'file'), '');
        return { DATA_DIR: path.join(folder, 'file', 'data') };
      },
      /ne peut pas servir : un fichier porte le nom/u,
    ],
    ['a mail promised without a mail server', () => ({ SIGNUP_CONFIRMATION: 'on' }), /SIGNUP_CONFIRMATION.*SMTP_URL/u],
    ['demo accounts for everybody', () => ({ HOST: '0.0.0.0', DEMO: 'on' }), /HOST=0\.0\.0\.0.*DEMO=public/u],
    [
      'a wrong database password',
      () => ({ DATABASE_URL: externalUrl((url) => (url.password = 'faux')) }),
      /refuse l'utilisateur ou le mot de passe de DATABASE_URL/u,
    ],
    [
      'a user that is none',
      () => ({ DATABASE_URL: externalUrl((url) => (url.username = 'personne')) }),
      /refuse l'utilisateur ou le mot de passe de DATABASE_URL/u,
    ],
    [
      'a database that is none',
      () => ({ DATABASE_URL: externalUrl((url) => (url.pathname = '/absente')) }),
      /La base « absente » de DATABASE_URL n'existe pas/u,
    ],
    [
      'a database where nobody listens',
      async () => ({ DATABASE_URL: `postgres://u:secret@127.0.0.1:${await freePort()}/parrain` }),
      /DATABASE_URL \(127\.0\.0\.1:\d+\) ne répond pas \(.*ECONNREFUSED/u,
    ],
    [
      'a database on a machine that is none',
      () => ({ DATABASE_URL: 'postgres://u:secret@nosuchhost.invalid/parrain' }),
      /DATABASE_URL \(nosuchhost\.invalid\) ne répond pas/u,
    ],
  ];
  const refuses = async (_what: string, environment: () => Env | Promise<Env>, sentence: RegExp): Promise<void> => {
    const { code, out, err } = await run('main.ts', await environment());
    expect(code).toBe(1);
    expect(err).toMatch(sentence);
    expect(err.split('\n')).toHaveLength(1);
    expect(err).not.toMatch(/ {4}at |secret|faux/u);
    expect(out).toBe('');
    expect(existsSync(dataDir)).toBe(false);
  };
  // One of what a person sets by themselves, one of the database; each is a process of its own.
  const isQuick = ([what]: (typeof refused)[number]): boolean =>
    ['demo accounts for everybody', 'a wrong database password'].includes(what);
  test.each(refused.filter(isQuick))('[FX-28] %s', refuses);
  test.each(refused.filter((one) => !isQuick(one)))('[FX-28] %s', { tags: 'long' }, refuses);

  test('[FX-28] a port that is taken, before any database is made', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    try {
      const { port } = taken.address() as AddressInfo;
      const { code, err } = await run('main.ts', { PORT: String(port) });
      expect([code, err]).toEqual([1, expect.stringContaining(`Le port ${port} est déjà utilisé`)]);
      expect(existsSync(dataDir)).toBe(false);
    } finally {
      taken.close();
    }
  });

  test.skipIf(isRoot)('[FX-28] a folder in which this account may not write', async () => {
    await mkdir(dataDir, { mode: 0o500 });
    const { code, err } = await run('main.ts', {});
    expect([code, err]).toEqual([1, expect.stringContaining('ce compte n’y a pas droit')]);
    expect(await readdir(dataDir)).toEqual([]);
  });

  test('[FX-28] a misspelt variable is named with the one that was meant, before anything else', async () => {
    const { err } = await run('main.ts', { SMPT_URL: 'smtp://x', PORT: 'abc' });
    expect(err.split('\n').filter(Boolean)).toEqual([
      "La variable SMPT_URL n'est pas un réglage de Parrain : elle est ignorée. Vouliez-vous dire SMTP_URL ?",
      expect.stringContaining('La variable PORT est incorrecte'),
    ]);
  });
});

describe('a command', { tags: 'long' }, () => {
  test.each([
    ['create-admin', ['vous@exemple.fr', 'Votre nom']],
    ['keys', []],
    ['verify', []],
    ['rotate-keys', []],
  ] as const)('[FX-27] %s makes no installation where there is none', async (name, parameters) => {
    const { code, out, err } = await run(`commands/${name}.ts`, {}, parameters);
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain(`Il n'y a pas d'installation dans ${dataDir}`);
    expect(err).toContain('DATA_DIR');
    expect(await readdir(folder)).toEqual([]);
    await mkdir(dataDir);
    expect((await run(`commands/${name}.ts`, {}, parameters)).code).toBe(1);
    expect(await readdir(dataDir)).toEqual([]);
  });
});

/** The account that everybody may become, and that has nothing. */
const NOBODY = 65_534;

describe.skipIf(!isRoot)('root, on the data of another account', { tags: 'long' }, () => {
  test('[FX-22] acts as their owner: nothing changes hands, and the server starts again', async () => {
    await mkdir(dataDir);
    chmodSync(dataDir, 0o700);
    chownSync(dataDir, NOBODY, NOBODY);
    const first = await startAsNobody();
    for (const name of ['keys', 'verify'])
      expect(await run(`commands/${name}.ts`, {})).toMatchObject({ code: 0, err: '' });
    expect(await strangers()).toEqual([]);
    await stopped(first);
    // Now the command starts PostgreSQL itself.
    for (const name of ['keys', 'verify'])
      expect(await run(`commands/${name}.ts`, {})).toMatchObject({ code: 0, err: '' });
    expect(await strangers()).toEqual([]);
    await stopped(await startAsNobody());
  });

  async function startAsNobody(): Promise<ChildProcess> {
    const child = spawn(process.execPath, [path.join(SOURCES, 'main.ts')], {
      uid: NOBODY,
      gid: NOBODY,
      env: { ...leastEnvironment, DATA_DIR: dataDir, PORT: '0', DEMO: 'off', LOG_LEVEL: 'silent' },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    running.push(child);
    await Promise.race([
      once(child, 'message'),
      once(child, 'exit').then(() => Promise.reject(new Error('The server did not start'))),
    ]);
    return child;
  }

  async function stopped(child: ChildProcess): Promise<void> {
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  }

  /** Entries of the data directory that do not belong to its owner. */
  async function strangers(): Promise<string[]> {
    const entries = await readdir(dataDir, { recursive: true });
    const facts = await Promise.all(
      [dataDir, ...entries.map((entry) => path.join(dataDir, entry))].map(async (file) => ({
        file,
        uid: await lstat(file).then(
          ({ uid }) => uid,
          () => NOBODY,
        ),
      })),
    );
    return facts.filter(({ uid }) => uid !== NOBODY).map(({ file }) => file);
  }
});
