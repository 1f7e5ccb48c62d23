import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, onTestFinished, vi } from 'vitest';
import { makeTestFolder } from '../../scripts/lib/test-folder.mjs';

const project = path.join(import.meta.dirname, '..', '..');
const startTimeoutMs = 180_000;

/** The demo company's shared password and accounts, as the server prints them. */
export const demoPassword = 'Demo-Parrain-2026';
export const demoEmails = {
  admin: 'admin@demo.example',
  commercial: 'commercial@demo.example',
  client: 'client@demo.example',
} as const;

export interface RealServerOptions {
  mail?: boolean;
  environment?: () => Readonly<Record<string, string>>;
}

/** Variable by which a test run's processes find the data directory that every server's own is copied from. */
const DEMO_COMPANY = 'PARRAIN_TEST_DEMO_COMPANY';

/**
 * Vitest's global setup: a first start on an empty folder makes a PostgreSQL with the demo company, which takes two and a half times
 * the processor of a second one. Gone after the run.
 */
export default async function setup(): Promise<() => void> {
  const folder = makeTestFolder('parrain-web');
  const server = startServer(path.join(folder, 'data'));
  await readAddress(server);
  await stopServer(server);
  process.env[DEMO_COMPANY] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}

/**
 * The real server, as `npm start` runs it: its own process, embedded PostgreSQL, the demo company, the built pages; and
 * a mailbox that accepts every mail, unless no mail is configured. Both live for the tests of one file; `environment` is what
 * else the server is told, read once the hooks before it have run.
 */
export function realServer({ mail = true, environment = () => ({}) }: RealServerOptions = {}) {
  const mailbox = new Mailbox();
  let origin = '';
  let server: ChildProcess | undefined;
  let folder = '';
  beforeAll(async () => {
    folder = makeTestFolder('parrain-web');
    // With its owner: under root, PostgreSQL's files are another account's.
    execFileSync('cp', ['-a', path.join(process.env[DEMO_COMPANY] ?? '', 'data'), folder]);
    const smtpPort = await mailbox.open();
    server = startServer(path.join(folder, 'data'), {
      ...(mail ? { SMTP_URL: `smtp://127.0.0.1:${smtpPort}` } : {}),
      ...environment(),
    });
    origin = await readAddress(server);
  }, startTimeoutMs);
  afterAll(async () => {
    if (server) await stopServer(server);
    await mailbox.close();
    rmSync(folder, { recursive: true, force: true });
  }, startTimeoutMs);
  return { origin: () => origin, mailbox };
}

function startServer(dataDir: string, environment: Readonly<Record<string, string>> = {}): ChildProcess {
  return spawn(process.execPath, ['server/src/main.ts'], {
    cwd: project,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      TMPDIR: process.env['TMPDIR'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      PORT: '0',
      DATA_DIR: dataDir,
      LOG_LEVEL: 'fatal',
      ...environment,
    },
  });
}

async function stopServer(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null) return;
  const ended = new Promise((resolve) => {
    server.once('exit', resolve);
  });
  server.kill('SIGTERM');
  await ended;
}

function readAddress(server: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    server.stdout?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      const address = /prêt : (?<address>http:\S+)/u.exec(output)?.groups?.['address'];
      if (address !== undefined) resolve(address);
    });
    server.once('exit', (code) => reject(new Error(`The server ended with ${code}: ${output}`)));
  });
}

/** A mail's text without the line breaks that its transfer put in. */
export function unfolded(text: string): string {
  return text.replaceAll(/=\r?\n/gu, '');
}

/** The least an SMTP server says to accept a mail, or to refuse its recipient; what it received is kept as text. */
class Mailbox {
  /** Addresses that it refuses as unknown. */
  readonly refused = new Set<string>();
  readonly #mails: { to: string; text: string }[] = [];
  readonly #sockets = new Set<Socket>();
  #held: Promise<void> = Promise.resolve();
  readonly #server: Server = createServer((socket) => this.#converse(socket));

  async open(): Promise<number> {
    await new Promise<void>((resolve) => {
      this.#server.listen(0, '127.0.0.1', resolve);
    });
    return (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => {
      this.#server.close(resolve);
    });
  }

  /** The newest mail to an address that holds these words, once it is there. */
  async mailTo(email: string, holding = ''): Promise<string> {
    const found = () => this.#mails.findLast((mail) => mail.to === email && unfolded(mail.text).includes(holding));
    const mail = await vi.waitUntil(found, { timeout: 120_000 }).catch(() => {
      throw new Error(`No mail to ${email}`);
    });
    return mail.text;
  }

  /** Lets every mail wait for its answer until the function it gives is called, or the test ends: the next one has its mails. */
  hold(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#held = promise;
    onTestFinished(() => resolve());
    return resolve;
  }

  #converse(socket: Socket): void {
    this.#sockets.add(socket);
    let received = '';
    let body: string | undefined;
    let to = '';
    socket.setEncoding('utf8').write('220 boîte\r\n');
    socket.on('close', () => this.#sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk: string) => {
      received += chunk;
      for (let end = received.indexOf('\r\n'); end !== -1; end = received.indexOf('\r\n')) {
        const line = received.slice(0, end);
        received = received.slice(end + 2);
        if (body !== undefined) {
          if (line !== '.') body += `${line}\r\n`;
          else {
            const mail = { to, text: decodeMail(body) };
            body = undefined;
            void this.#held.then(() => {
              this.#mails.push(mail);
              socket.write('250 reçu\r\n');
            });
          }
        } else if (/^DATA/iu.test(line)) {
          body = '';
          socket.write('354 allez-y\r\n');
        } else {
          const recipient = /^RCPT TO:<(?<to>[^>]+)>/iu.exec(line)?.groups?.['to'];
          to = recipient ?? to;
          if (recipient !== undefined && this.refused.has(recipient)) socket.write('550 5.1.1 inconnu\r\n');
          else socket.write(/^QUIT/iu.test(line) ? '221 au revoir\r\n' : '250 oui\r\n');
        }
      }
    });
  }
}

/** Quoted-printable to text, enough to read a link or a password; HTML entities of links undone. */
function decodeMail(source: string): string {
  const bytes = source
    .replace(/=\r\n/gu, '')
    .replace(/=(?<code>[\dA-F]{2})/giu, (_whole, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8').replaceAll('&amp;', '&');
}
