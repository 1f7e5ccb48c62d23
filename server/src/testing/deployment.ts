import { startEmbedded } from '@parrain/database/embedded';
import type { EmbeddedPostgres, OwnerConnection } from '@parrain/database/embedded';
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import { findDebianTool } from '../../../scripts/lib/debian.mjs';
import { freePort } from './free-port.ts';
import { selfSignedCertificate } from './saml-identity-provider.ts';

// The deployed surroundings of the server (proxy, service manager), from the files of deploy/, as real processes.

export const PROJECT = path.join(import.meta.dirname, '..', '..', '..');

/** The text of one of the project's files. */
export const textOf = (...parts: readonly string[]): string => readFileSync(path.join(PROJECT, ...parts), 'utf8');

/** Unprivileged user for a process that drops root; null if the tests are not root's or the folder is closed to others. */
export const otherAccount = ((): { readonly uid: number; readonly gid: number } | null => {
  if (process.getuid?.() !== 0) return null;
  for (let folder = PROJECT; folder !== path.dirname(folder); folder = path.dirname(folder)) {
    if ((statSync(folder).mode & 0o001) === 0) return null;
  }
  return { uid: 65_534, gid: 65_534 };
})();

/** A folder of a test's own, that the other account may use too. */
export function temporaryFolder(name: string): { readonly folder: string; readonly remove: () => void } {
  const folder = mkdtempSync(path.join(os.tmpdir(), `parrain-${name}-`));
  chmodSync(folder, 0o755);
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** By its port: its socket is its own account's. */
export function urlOf({ user, password, port, database }: OwnerConnection): string {
  return `postgres://${user}:${password}@127.0.0.1:${port}/${database}`;
}

/** Replaces texts that must be there: a sample that says something else would not be the one that is tried. */
export function withReplaced(text: string, replacements: Readonly<Record<string, string>>): string {
  let result = text;
  for (const [from, to] of Object.entries(replacements)) {
    if (!result.includes(from)) throw new Error(`« ${from} » is not in the file any more`);
    result = result.replaceAll(from, to);
  }
  return result;
}

export type Postgres = {
  readonly owner: OwnerConnection;
  /** Stops it in order, as an upgrade of it would, and starts it after that time. Gives when it went and when it was back. */
  readonly restart: (awayMs: number) => Promise<{ readonly left: number; readonly back: number }>;
  readonly stop: () => Promise<void>;
};

/** A PostgreSQL of a test's own, which may go away. */
export async function startPostgres(dataDir: string): Promise<Postgres> {
  const start = async (): Promise<EmbeddedPostgres> => startEmbedded({ dataDir, isDurable: false });
  let running = await start();
  return {
    owner: running.owner,
    async restart(awayMs) {
      const left = Date.now();
      await running.stop();
      await wait(awayMs - (Date.now() - left));
      running = await start();
      return { left, back: Date.now() };
    },
    stop: () => running.stop(),
  };
}

/** A server that something starts and stops, as an operator would. */
export type Node = {
  readonly port: number;
  readonly url: string;
  /** Resolves once it answers. */
  readonly start: () => Promise<void>;
  /** Asks it to stop in the way of whatever runs it. @returns its exit code. */
  readonly stop: () => Promise<number | null>;
  /** Stops it for good, with what stood around it. */
  readonly release: () => Promise<void>;
};

async function untilReady(url: string, child: ChildProcess, printed: () => string): Promise<void> {
  for (;;) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`It did not start:\n${printed()}`);
    const reply = await fetch(`${url}/health/ready`).catch(() => null);
    await reply?.arrayBuffer();
    if (reply?.status === 200) return;
    await wait(50);
  }
}

async function stopped(child: ChildProcess | undefined): Promise<number | null> {
  if (child === undefined) return null;
  if (child.stdout?.closed === false) {
    child.kill('SIGTERM');
    // Of npm too: what it started writes to the same end.
    await once(child, 'close');
  }
  return child.exitCode;
}

function outputOf(child: ChildProcess): () => string {
  let printed = '';
  child.stdout?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  return () => printed;
}

/** A node that `npm start` runs; who stops it knows npm's process alone. */
export function nodeOfNpm(port: number, environment: Readonly<Record<string, string>>): Node {
  const url = `http://127.0.0.1:${port}`;
  let child: ChildProcess | undefined;
  return {
    port,
    url,
    async start() {
      child = spawn('npm', ['start'], {
        cwd: PROJECT,
        env: { PATH: process.env['PATH'], HOME: os.homedir(), PORT: String(port), ...environment },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      await untilReady(url, child, outputOf(child));
    },
    stop: () => stopped(child),
    async release() {
      await stopped(child);
    },
  };
}

/** The settings of a systemd unit, by section; a setting that stands there several times has several values. */
export function readUnit(text: string): Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> {
  const unit: Record<string, Record<string, string[]>> = {};
  let section: Record<string, string[]> = {};
  for (const line of text.split('\n')) {
    const heading = /^\[(?<name>\w+)\]$/u.exec(line)?.groups?.['name'];
    if (heading !== undefined) unit[heading] = section = {};
    const [, key, value] = /^(?<key>\w+)=(?<value>.*)$/u.exec(line) ?? [];
    if (key !== undefined && value !== undefined) (section[key] ??= []).push(value);
  }
  return unit;
}

export type UnitNode = Node & {
  /** Its sd_notify messages, in order. */
  readonly told: () => readonly string[];
  readonly dataDir: string;
};

/**
 * A node as deploy/parrain.service has it, on a machine without systemd: its command, its environment, its credentials,
 * another account, a socket that hears what systemd would; stopped by SIGTERM to the main process alone.
 *
 * @param folder where /etc/parrain, /run and /var/lib stand.
 * @param unit what the file says, with what a test says otherwise.
 */
export async function nodeOfUnit(
  folder: string,
  port: number,
  environment: Readonly<Record<string, string>>,
  unit = textOf('deploy', 'parrain.service'),
): Promise<UnitNode> {
  const service = readUnit(unit)['Service'] ?? {};
  const one = (key: string): string => {
    const [value, ...more] = service[key] ?? [];
    if (value === undefined || more.length > 0) throw new Error(`${key} stands ${more.length + 1} times in the unit`);
    return value;
  };
  const own = path.join(folder, `unit-${port}`);
  const credentials = path.join(own, 'credentials');
  const dataDir = path.join(own, one('StateDirectory'));
  for (const made of [own, credentials, dataDir]) {
    mkdirSync(made, { recursive: true });
    if (otherAccount !== null) chownSync(made, otherAccount.uid, otherAccount.gid);
  }
  for (const credential of service['LoadCredential'] ?? []) {
    const [name = ''] = credential.split(':');
    writeFileSync(path.join(credentials, name), `${SECRETS[name] ?? ''}\n`);
  }
  const here = (text: string): string =>
    text
      .replaceAll('/opt/parrain', PROJECT)
      .replaceAll(`/var/lib/${one('StateDirectory')}`, dataDir)
      .replaceAll('%d', credentials);
  const given = Object.fromEntries(
    (service['Environment'] ?? []).map((pair) => {
      const at = pair.indexOf('=');
      return [pair.slice(0, at), here(pair.slice(at + 1))];
    }),
  );
  const systemd = await listenAsSystemd(path.join(own, 'notify'));
  const url = `http://127.0.0.1:${port}`;
  let child: ChildProcess | undefined;
  return {
    port,
    url,
    dataDir,
    told: systemd.told,
    async start() {
      const before = systemd.told().length;
      const [command = '', ...parameters] = here(one('ExecStart')).split(' ');
      child = spawn(command, parameters, {
        cwd: here(one('WorkingDirectory')),
        env: {
          PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
          ...given,
          ...environment,
          PORT: String(port),
          NOTIFY_SOCKET: systemd.socket,
          WATCHDOG_USEC: String(Number(one('WatchdogSec')) * 1_000_000),
        },
        stdio: ['ignore', 'pipe', 'pipe'],
        ...otherAccount,
      });
      const printed = outputOf(child);
      while (!systemd.told().slice(before).includes('READY=1')) {
        if (child.exitCode !== null || child.signalCode !== null) throw new Error(`It did not start:\n${printed()}`);
        await wait(20);
      }
    },
    stop: () => stopped(child),
    async release() {
      await stopped(child);
      systemd.stop();
    },
  };
}

/** The master key that the unit's credential holds. */
export const SECRET_KEY_OF_UNIT = 'ab'.repeat(32);
const SECRETS: Readonly<Record<string, string>> = { secret_key: SECRET_KEY_OF_UNIT };

/** Node cannot listen to a datagram socket of the file system; Perl, which every Debian has, can. */
const LISTENER = `
  use Socket; $| = 1;
  socket(my $s, AF_UNIX, SOCK_DGRAM, 0) or die $!;
  bind($s, pack_sockaddr_un($ARGV[0])) or die $!;
  chmod 0777, $ARGV[0];
  print "listening\\n";
  while (defined recv($s, my $message, 65536, 0)) { print "$message\\n" }`;

export async function listenAsSystemd(
  socket: string,
): Promise<{ readonly socket: string; readonly told: () => readonly string[]; readonly stop: () => void }> {
  rmSync(socket, { force: true });
  const perl = spawn('perl', ['-e', LISTENER, socket], { stdio: ['ignore', 'pipe', 'inherit'] });
  const printed = outputOf(perl);
  while (!printed().includes('listening\n')) {
    if (perl.exitCode !== null) throw new Error('Perl could not listen');
    await wait(10);
  }
  return { socket, told: () => printed().split('\n').slice(1, -1), stop: () => perl.kill() };
}

/** A reverse proxy in front of nodes. */
export type Proxy = {
  /** Its https address. */
  readonly url: string;
  /** Its own words so far, which say why it refused something. */
  readonly printed: () => string;
  readonly stop: () => Promise<void>;
};

/** The programs that the files are for; null where there is none to be had. */
export const tools = {
  nginx: findDebianTool('nginx'),
  caddy: findDebianTool('caddy'),
  systemdNotify: findDebianTool('systemd-notify', 'systemd'),
  systemdAnalyze: findDebianTool('systemd-analyze', 'systemd'),
};

/** nginx with deploy/nginx.conf as it stands, but for the addresses and files that its operator puts in. */
export async function startNginx(folder: string, nodes: readonly Node[]): Promise<Proxy> {
  const [http, https] = [await freePort(), await freePort()];
  const [first, second] = nodes;
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const certificate = selfSignedCertificate(privateKey, publicKey).toString('base64');
  const own = path.join(folder, 'nginx');
  mkdirSync(own, { recursive: true });
  writeFileSync(path.join(own, 'key.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }));
  writeFileSync(
    path.join(own, 'certificate.pem'),
    `-----BEGIN CERTIFICATE-----\n${certificate}\n-----END CERTIFICATE-----\n`,
  );
  const sample = withReplaced(textOf('deploy', 'nginx.conf'), {
    '10.0.0.1:3000': `127.0.0.1:${first?.port}`,
    '10.0.0.2:3000': `127.0.0.1:${second?.port}`,
    'listen 80;': `listen 127.0.0.1:${http};`,
    'listen [::]:80;': '',
    'listen 443 ssl': `listen 127.0.0.1:${https} ssl`,
    'listen [::]:443 ssl http2;': '',
    '/etc/letsencrypt/live/parrain.example.fr/fullchain.pem': path.join(own, 'certificate.pem'),
    '/etc/letsencrypt/live/parrain.example.fr/privkey.pem': path.join(own, 'key.pem'),
    '/var/log/nginx/parrain.log': path.join(own, 'access.log'),
    'parrain.example.fr': 'localhost',
  });
  writeFileSync(path.join(own, 'parrain.conf'), sample);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  writeFileSync(
    path.join(own, 'nginx.conf'),
    [
      // As root its workers would be nobody's, who may not read the folder.
      ...(process.getuid?.() === 0 ? ['user root;'] : []),
      'worker_processes 2; daemon off; error_log stderr;',
      `pid ${path.join(own, 'pid')};`,
      'events { worker_connections 1024; }',
      'http {',
      ...temporary.map((name) => `  ${name}_temp_path ${path.join(own, name)};`),
      `  access_log off; include ${path.join(own, 'parrain.conf')};`,
      '}',
    ].join('\n'),
  );
  return started(tools.nginx ?? '', ['-p', own, '-c', path.join(own, 'nginx.conf')], `https://localhost:${https}`, {});
}

/**
 * Caddy with deploy/Caddyfile as it stands; name and nodes come in its environment.
 *
 * @param nodes their addresses, as the environment names them.
 */
export async function startCaddy(folder: string, nodes: string): Promise<Proxy> {
  const [http, https] = [await freePort(), await freePort()];
  const own = path.join(folder, 'caddy');
  mkdirSync(own, { recursive: true });
  // For a machine that others do not reach: no port 80, no certificate of theirs.
  const settings = `{\n\thttp_port ${http}\n\thttps_port ${https}\n\tadmin off\n\tskip_install_trust\n}\n`;
  writeFileSync(path.join(own, 'Caddyfile'), settings + textOf('deploy', 'Caddyfile'));
  const environment = {
    PARRAIN_HOST: 'localhost',
    PARRAIN_NODES: nodes,
    XDG_DATA_HOME: own,
    XDG_CONFIG_HOME: own,
  };
  const command = ['run', '--config', path.join(own, 'Caddyfile'), '--adapter', 'caddyfile'];
  return started(tools.caddy ?? '', command, `https://localhost:${https}`, environment);
}

async function started(
  command: string,
  parameters: readonly string[],
  url: string,
  environment: Readonly<Record<string, string>>,
): Promise<Proxy> {
  const child = spawn(command, parameters, {
    env: { PATH: process.env['PATH'], HOME: os.tmpdir(), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const printed = outputOf(child);
  const agent = new Agent({ rejectUnauthorized: false });
  for (;;) {
    if (child.exitCode !== null) throw new Error(`The proxy did not start:\n${printed()}`);
    if ((await answerOf(agent, `${url}/health/ready`).catch(() => 0)) === 200) break;
    await wait(50);
  }
  return {
    url,
    printed,
    async stop() {
      if (child.exitCode !== null) return;
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

/** One request, by whichever connection the agent has. @returns its status. @throws where no whole answer came. */
export function answerOf(
  agent: Agent,
  url: string,
  { method = 'GET', headers = {}, body }: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<number> {
  return new Promise((resolve, reject) => {
    const asking = request(url, { agent, method, headers }, (reply) => {
      reply.on('error', reject);
      reply.on('end', () => (reply.complete ? resolve(reply.statusCode ?? 0) : reject(new Error('half an answer'))));
      reply.resume();
    });
    asking.on('error', reject);
    asking.end(body);
  });
}

/** Outcome of one request: its status, or the connection error. */
export type Outcome = { readonly sent: number; readonly answered: number; readonly answer: number | string };

/**
 * People who ask one thing after the other, each by a connection kept open, until they are stopped.
 *
 * @param asks each person's next request.
 */
export function startLoad(
  url: string,
  asks: readonly (() => { method: string; path: string; headers: Record<string, string>; body?: string })[],
): { readonly outcomes: readonly Outcome[]; readonly stop: () => Promise<void> } {
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
  const outcomes: Outcome[] = [];
  let isOver = false;
  const people = asks.map(async (next) => {
    while (!isOver) {
      const { path: address, ...ask } = next();
      const sent = Date.now();
      const answer = await answerOf(agent, url + address, ask).catch((error: unknown) =>
        error instanceof Error ? error.message : String(error),
      );
      outcomes.push({ sent, answered: Date.now(), answer });
      // Two hundred requests a second come at every instant of a restart; as many as fit would take the processor from who restarts.
      await wait(50);
    }
  });
  return {
    outcomes,
    async stop() {
      isOver = true;
      await Promise.all(people);
      agent.destroy();
    },
  };
}
