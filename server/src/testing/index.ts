import { createTestDatabase } from '@parrain/database/testing';
import type { Person, TestDatabase } from '@parrain/database/testing';
import { createClient } from '@supabase/supabase-js';
import type { SupabaseClient } from '@supabase/supabase-js';
import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';

import { buildApp } from '../app.ts';
import type { Door } from '../app.ts';
import { readConfig } from '../config.ts';
import { openOrCloseDemo } from '../demo.ts';
import { systemClock } from '../platform/clock.ts';
import type { Clock } from '../platform/clock.ts';
import { createLog } from '../platform/log.ts';
import type { Log } from '../platform/log.ts';
import { openPlatform } from '../platform/open.ts';
import type { Platform } from '../platform/open.ts';
import { startMailbox } from './mailbox.ts';
import type { Mailbox } from './mailbox.ts';

export * from '@parrain/database/testing';
export type { Mailbox, ReceivedMail } from './mailbox.ts';
export { startMailbox } from './mailbox.ts';

export type TestServerOptions = {
  /** True starts an SMTP server too; an address uses that one. Without it, no mail is configured. */
  readonly smtp?: boolean | string;
  /** More of the environment, as `npm start` would read it. */
  readonly environment?: Readonly<Record<string, string>>;
  /** A database made before; the server's own otherwise, dropped with it. */
  readonly database?: TestDatabase;
  readonly clock?: Clock;
  /** Destination of the log; discarded by default. */
  readonly log?: Log;
  /** Only these doors; all of them otherwise. */
  readonly doors?: readonly Door[];
  /** The server works on no job where false. */
  readonly jobs?: boolean;
  /** True repeats what is scheduled, whatever minute it is; by default a test asks for each job that it wants. */
  readonly onTheClock?: boolean;
  /** Timeout for receiving a request, if not the default. */
  readonly requestTimeoutMs?: number;
};

/** The part of a test server that its clients need. */
export type Reachable = Pick<TestServer, 'url' | 'services'>;

export type TestServer = {
  readonly url: string;
  readonly database: TestDatabase;
  readonly services: Platform;
  /** Mails the SMTP server received. @throws Error if the server was started without one. */
  readonly mailbox: Mailbox;
  /** The official client: of a person, signed in without a password, or of a visitor. */
  readonly client: (person?: Person) => Promise<SupabaseClient>;
  /** An access token for a person's session. */
  readonly tokenOf: (person: Person) => Promise<string>;
  /** A call with the publishable key and, where a person is given, their token. */
  readonly fetch: (path: string, init?: RequestInit, person?: Person) => Promise<Response>;
  readonly close: () => Promise<void>;
};

/** The same for every server of a test run: they share one PostgreSQL, and with it the login that derives from this. */
export const SECRET_KEY = 'ab'.repeat(32);

/** A mark that stands in a name: letters alone, for a run of figures is refused there (DF-28). */
export const someLetters = (): string =>
  randomUUID()
    .slice(0, 8)
    .replaceAll(/\d/gu, (digit) => 'ghijklmnop'.charAt(Number.parseInt(digit, 10)));

/** A real server on a free port, with a database of its own. */
export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const database = options.database ?? (await createTestDatabase());
  const mailbox = options.smtp === true ? await startMailbox() : null;
  const smtpUrl = mailbox?.url ?? (typeof options.smtp === 'string' ? options.smtp : undefined);
  const config = readConfig({
    PORT: '0',
    HOST: '127.0.0.1',
    SECRET_KEY,
    DEMO: '0',
    ...(smtpUrl === undefined ? {} : { SMTP_URL: smtpUrl }),
    ...options.environment,
  });
  let address = config.publicUrl ?? 'http://127.0.0.1';
  const services = await openPlatform({
    config,
    owner: database.owner,
    log: options.log ?? createLog(config.logLevel ?? 'silent'),
    clock: options.clock ?? systemClock,
    publicUrl: () => address,
    isServer: true,
  });
  await openOrCloseDemo(services);
  const app = await buildApp(services, options.doors, options.requestTimeoutMs);
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  if (config.publicUrl === null) address = url;
  if (options.jobs !== false) await services.jobs.start({ onTheClock: options.onTheClock ?? false });

  async function tokenOf(person: Person): Promise<string> {
    const { token } = await services.tokens.sign(claimsOf(person));
    return token;
  }

  return {
    url,
    database,
    services,
    get mailbox() {
      if (mailbox === null) throw new Error('This server was started without an SMTP server');
      return mailbox;
    },
    tokenOf,
    async client(person) {
      const token = person === undefined ? undefined : await tokenOf(person);
      return createClient(url, services.keys.publishableKey, {
        auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false },
        ...(token === undefined ? {} : { accessToken: () => Promise.resolve(token) }),
      });
    },
    async fetch(path, init = {}, person) {
      const headers = new Headers(init.headers);
      if (!headers.has('apikey')) headers.set('apikey', services.keys.publishableKey);
      if (person !== undefined) headers.set('authorization', `Bearer ${await tokenOf(person)}`);
      return fetch(`${url}${path}`, { ...init, headers });
    },
    async close() {
      await app.close();
      await services.close();
      await mailbox?.close();
      if (options.database === undefined) await database.drop();
    },
  };
}

/** The claims that a sign-in would give. */
function claimsOf(person: Person): {
  readonly sub: string;
  readonly session_id: string;
  readonly [claim: string]: unknown;
} {
  return {
    sub: person.id,
    session_id: person.sessionId,
    role: 'authenticated',
    email: person.email,
    phone: '',
    app_metadata: { provider: 'email', providers: ['email'], role: person.role },
    user_metadata: {},
    aal: 'aal1',
    amr: [{ method: 'password', timestamp: Math.floor(Date.now() / 1000) }],
    is_anonymous: false,
  };
}
