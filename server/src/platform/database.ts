import { availableParallelism } from 'node:os';
import { Pool, types } from 'pg';
import type { Client, PoolClient, PoolConfig, QueryResult as PgQueryResult, QueryResultRow } from 'pg';

import { createLruCache, createSemaphore } from './concurrency.ts';
import type { LruCache, Semaphore } from './concurrency.ts';
import { DatabaseUnavailable, isConnectionLoss } from './database-errors.ts';
import type { Log } from './log.ts';
import { sendTogether, toWireText } from './round-trip.ts';
import type { Described } from './round-trip.ts';

/** The claims of a verified access token, as they are handed to PostgreSQL. */
export type Claims = {
  readonly sub: string;
  readonly session_id: string;
  readonly [claim: string]: unknown;
};

/** The identity that a transaction acts for. Row level security decides what it may see. */
export type Identity =
  | { readonly role: 'anon' }
  | { readonly role: 'authenticated'; readonly claims: Claims }
  /** Other software, by a key of the company (WH-01). */
  | { readonly role: 'api_key'; readonly keyId: string }
  | { readonly role: 'service_role' };

/**
 * One statement. The text is prepared once per connection and its plan reused, so it must be a constant, or come from a
 * bounded family: values go in `values`, never in the text.
 */
export type Query = {
  readonly text: string;
  readonly values?: readonly unknown[];
  /** False for a statement that is unlikely to come again. */
  readonly prepare?: boolean;
};

export type QueryResult<Row> = {
  readonly rows: Row[];
  readonly rowCount: number;
  readonly command: string;
};

export type TransactionOptions = {
  readonly readOnly?: boolean;
  /** True when all statements see the database as the first one did (repeatable read). */
  readonly isSnapshot?: boolean;
  /** Overrides the role's own limit (anon 3 s, others 8 s). */
  readonly statementTimeoutMs?: number;
  /** The time zone of the results, UTC by default; for a person's or a key's transaction only. */
  readonly timeZone?: string | null;
};

/** One open transaction. */
export type Transaction = {
  /** Runs one statement. Statements of one transaction may be sent without waiting: they run in order. */
  readonly query: <Row extends QueryResultRow = QueryResultRow>(
    query: Query | string,
    values?: readonly unknown[],
  ) => Promise<QueryResult<Row>>;
  /**
   * Runs `work` in this same transaction with the server's own rights (`parrain_service`), then gives the identity
   * back. `reason` goes to the log and the audit trail.
   */
  readonly asService: <T>(reason: string, work: () => Promise<T>) => Promise<T>;
};

/** The settings that a request adds to its transactions, for triggers and functions to read. */
export type RequestContext = {
  readonly requestId?: string;
  readonly reason?: string;
  /** True when all its transactions only read, the server's own too (UI-15). */
  readonly readsOnly?: boolean;
  /** The HTTP request, for the functions of the database that read it. */
  readonly http?: Readonly<Record<`request.${string}`, string>>;
};

/**
 * The one way to PostgreSQL. Connections log in as the database's own login, which has no rights: every transaction takes
 * the role of its identity, and loses it at its end.
 *
 * Parameters: `bigint`, dates, buffers and plain values are sent as they are; objects and arrays of objects as JSON.
 * Results: `numeric` and `date` are strings, `int8` is a number (it fails above 2^53), `timestamptz` a Date.
 *
 * Work that PostgreSQL refuses for a conflict between transactions (40001, 40P01) is run again, up to three times:
 * it must have no effect outside the database.
 */
export type Database = {
  /** One statement in its own transaction, in one round trip: begin, identity, statement, commit. */
  readonly queryAs: <Row extends QueryResultRow = QueryResultRow>(
    identity: Identity,
    query: Query,
    options?: TransactionOptions,
  ) => Promise<QueryResult<Row>>;
  /** Several statements in one transaction; what `work` throws rolls everything back. */
  readonly transactionAs: <T>(
    identity: Identity,
    work: (tx: Transaction) => Promise<T>,
    options?: TransactionOptions,
  ) => Promise<T>;
  /** A transaction with the server's own rights, for work that no user may do; `reason` goes to the log. */
  readonly asService: <T>(
    reason: string,
    work: (tx: Transaction) => Promise<T>,
    options?: TransactionOptions,
  ) => Promise<T>;
  /** One statement with the server's own rights, in one round trip. */
  readonly queryAsService: <Row extends QueryResultRow = QueryResultRow>(
    reason: string,
    query: Query,
    options?: TransactionOptions,
  ) => Promise<QueryResult<Row>>;
  /** The same database, whose transactions carry this request's id and reason. */
  readonly withRequest: (context: RequestContext) => Database;
  /** Calls `listener` after each transaction of this process that may have written something. */
  readonly onCommit: (listener: () => void) => void;
  /** The connections, the idle ones among them, and the requests that wait for one. */
  readonly load: () => { readonly connections: number; readonly idle: number; readonly waiting: number };
  /** Resolves where the database answers; for the readiness check. */
  readonly ping: () => Promise<void>;
  readonly close: () => Promise<void>;
};

/** Address of PostgreSQL for the database's own login. */
export type DatabaseAddress =
  /** A `Client` of its own chooses among several hosts. */
  | { readonly connectionString: string; readonly Client?: typeof Client }
  | {
      readonly Client?: undefined;
      readonly host: string;
      readonly port: number;
      readonly database: string;
      readonly user: string;
      readonly password: string;
    };

export type DatabaseOptions = {
  readonly poolSize?: number;
  /** The time that a request waits for a free connection before it is refused. */
  readonly acquireTimeoutMs?: number;
  readonly applicationName?: string;
};

const POOL_SIZE = 10;
const ACQUIRE_TIMEOUT_MS = 5000;
const STATEMENT_TIMEOUT_MS = 8000;
const ANON_STATEMENT_TIMEOUT_MS = 3000;
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 10_000;
const ATTEMPTS_MAX = 4;
/** The writer of an address chooses the texts of statements, so each connection keeps the last used ones only. */
const PREPARED_STATEMENTS_MAX = 200;

/** Short readings beyond this only take the processor from each other: in a queue all of them end sooner. */
const READINGS_AT_ONCE = Math.max(6, 3 * availableParallelism());
const SHORT_READING_MS = 50;

const RETRIED = new Set(['40001', '40P01']);

export function createDatabase(address: DatabaseAddress, log: Log, options: DatabaseOptions = {}): Database {
  const settings: PoolConfig & { pipeline: boolean } = {
    ...address,
    max: options.poolSize ?? POOL_SIZE,
    min: 0,
    pipeline: true,
    connectionTimeoutMillis: options.acquireTimeoutMs ?? ACQUIRE_TIMEOUT_MS,
    idleTimeoutMillis: 30_000,
    maxLifetimeSeconds: 1800,
    keepAlive: true,
    application_name: options.applicationName ?? 'parrain',
    options: [
      `-c statement_timeout=${STATEMENT_TIMEOUT_MS}`,
      `-c idle_in_transaction_session_timeout=${IDLE_IN_TRANSACTION_TIMEOUT_MS}`,
      '-c TimeZone=UTC',
    ].join(' '),
    types: { getTypeParser },
  };
  const pool = new Pool(settings);
  // A connection lost while idle only leaves the pool: the next request opens another.
  pool.on('error', (error) => {
    // While the pool ends, PostgreSQL may be shutting down too.
    if (!pool.ending) log.warn({ err: error }, 'An idle database connection was lost');
  });
  // One lost while in use also fails its statements, which is how its request learns of it; without a listener here
  // the event would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined));

  const withReadingSlot = createSemaphore({ slots: READINGS_AT_ONCE, patienceMs: SHORT_READING_MS });
  return bind({ pool, log, listeners: new Set(), withReadingSlot }, {});
}

/** The state that all transactions of this process share. */
type Shared = {
  readonly pool: Pool;
  readonly log: Log;
  readonly listeners: Set<() => void>;
  readonly withReadingSlot: Semaphore;
};

function bind(shared: Shared, context: RequestContext): Database {
  const { pool, log, listeners, withReadingSlot } = shared;

  function tellCommit(options: TransactionOptions): void {
    if (options.readOnly !== true) for (const listener of listeners) listener();
  }

  async function single<Row extends QueryResultRow>(
    actor: Actor,
    query: Query,
    options: TransactionOptions,
  ): Promise<QueryResult<Row>> {
    const settings = settingsOf(actor, context, options, options.readOnly === true);
    async function send(): Promise<QueryResult<Row>> {
      return attempt(pool, log, async (connection) => {
        // One implicit transaction: where the settings fail nothing after them runs, and the end of the packet commits.
        const [, main] = await connection.sendTogether([settings, query]);
        if (main === undefined) throw new Error('A pipelined answer is missing');
        tellCommit(options);
        return main as QueryResult<Row>;
      });
    }
    return options.readOnly === true ? withReadingSlot(send) : send();
  }

  async function several<T>(
    actor: Actor,
    work: (tx: Transaction) => Promise<T>,
    options: TransactionOptions,
  ): Promise<T> {
    const settings = settingsOf(actor, context, options, false);
    return attempt(pool, log, async (connection) => {
      const opened = connection.pipelined(() => [
        connection.send({ text: beginText(options), prepare: false }),
        connection.send(settings),
      ]);
      try {
        const settled = await Promise.allSettled(opened);
        for (const outcome of settled) if (outcome.status === 'rejected') throw outcome.reason;
        const value = await work(transactionOn(connection, actor, log));
        const commit = await connection.send({ text: 'commit', prepare: false });
        // PostgreSQL answers ROLLBACK to the commit of a failed transaction: a caught error is not a success.
        if (commit.command !== 'COMMIT')
          throw new Error('A statement of this transaction failed: nothing was committed');
        tellCommit(options);
        return value;
      } catch (error) {
        if (!connection.isLost()) {
          await connection.send({ text: 'rollback', prepare: false }).catch(() => connection.markLost());
        }
        throw error;
      }
    });
  }

  const limited = (options: TransactionOptions = {}): TransactionOptions =>
    context.readsOnly === true ? { ...options, readOnly: true } : options;

  return {
    queryAs: (identity, query, options) => single({ kind: 'identity', identity }, query, limited(options)),
    transactionAs: (identity, work, options) => several({ kind: 'identity', identity }, work, limited(options)),
    asService(reason, work, options) {
      log.debug({ reason, requestId: context.requestId }, 'Acting as the service');
      return several({ kind: 'service', reason }, work, limited(options));
    },
    queryAsService(reason, query, options) {
      log.debug({ reason, requestId: context.requestId }, 'Acting as the service');
      return single({ kind: 'service', reason }, query, limited(options));
    },
    withRequest: (more) => bind(shared, { ...context, ...more }),
    onCommit: (listener) => void listeners.add(listener),
    load: () => ({ connections: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    async ping() {
      await attempt(pool, log, (connection) => connection.send({ text: 'select 1', prepare: false }));
    },
    close: () => pool.end(),
  };
}

type Actor =
  | { readonly kind: 'identity'; readonly identity: Identity }
  | { readonly kind: 'service'; readonly reason: string };

function beginText(options: TransactionOptions): string {
  const isolation = options.isSnapshot === true ? ' isolation level repeatable read' : '';
  return `begin${isolation}${options.readOnly === true ? ' read only' : ''}`;
}

/**
 * The statement that gives a transaction its identity. Everything is local to the transaction, the role comes last, and
 * a session that is over or a person who may not act makes it raise, so that nothing after it runs.
 *
 * @param closes makes the transaction read only.
 */
function settingsOf(actor: Actor, context: RequestContext, options: TransactionOptions, closes: boolean): Query {
  // Stands for `begin read only`, as there is no `begin`.
  const access = closes ? `set_config('transaction_read_only', 'on', true), ` : '';
  const common = [context.requestId ?? '', context.reason ?? ''];
  if (actor.kind === 'service') {
    return {
      text: `select ${access}set_config('request.jwt.claims', '', true), set_config('app.request_id', $1, true),
        set_config('app.reason', $2, true), set_config('app.actor', $3, true),
        set_config('statement_timeout', $4, true), set_config('role', 'parrain_service', true)`,
      values: [...common, actor.reason, String(options.statementTimeoutMs ?? STATEMENT_TIMEOUT_MS)],
    };
  }
  const { identity } = actor;
  // The names are constants of ours; the values are bound, after those that every transaction has.
  const more = Object.entries({
    ...(typeof options.timeZone === 'string' ? { TimeZone: options.timeZone } : {}),
    ...context.http,
  });
  const moreFrom = (place: number): string =>
    more.map(([name], index) => `set_config('${name}', $${place + index}, true), `).join('');
  switch (identity.role) {
    case 'authenticated':
    case 'api_key':
      return {
        text: `select ${access}${moreFrom(5)}set_config('request.jwt.claims', $3, true), set_config('app.request_id', $1, true),
          set_config('app.reason', $2, true), set_config('statement_timeout', $4, true), private.identify(),
          set_config('role', '${identity.role}', true)`,
        values: [
          ...common,
          identity.role === 'api_key'
            ? JSON.stringify({ role: identity.role, key_id: identity.keyId })
            : claimsText(identity.claims),
          String(options.statementTimeoutMs ?? STATEMENT_TIMEOUT_MS),
          ...more.map(([, value]) => value),
        ],
      };
    case 'anon':
    case 'service_role':
      return {
        text: `select ${access}${moreFrom(6)}set_config('request.jwt.claims', $3, true), set_config('app.request_id', $1, true),
          set_config('app.reason', $2, true), set_config('statement_timeout', $4, true), set_config('role', $5, true)`,
        values: [
          ...common,
          JSON.stringify({ role: identity.role }),
          String(
            options.statementTimeoutMs ?? (identity.role === 'anon' ? ANON_STATEMENT_TIMEOUT_MS : STATEMENT_TIMEOUT_MS),
          ),
          identity.role,
          ...more.map(([, value]) => value),
        ],
      };
  }
}

/** The claims as JSON. A cached token always has the same claims object. */
const claimsTexts = new WeakMap<Claims, string>();

function claimsText(claims: Claims): string {
  const known = claimsTexts.get(claims) ?? JSON.stringify({ ...claims, role: 'authenticated' });
  claimsTexts.set(claims, known);
  return known;
}

function transactionOn(connection: Connection, actor: Actor, log: Log): Transaction {
  const role = actor.kind === 'service' ? 'parrain_service' : actor.identity.role;
  return {
    query: (query, values) =>
      connection.send(typeof query === 'string' ? { text: query, values: values ?? [] } : query) as never,
    async asService(reason, work) {
      log.debug({ reason }, 'Acting as the service inside a transaction');
      // Sent without awaiting it: were the role refused, the transaction and all that follows would fail.
      const taken = connection.send({
        text: `select set_config('app.actor', $1, true), set_config('role', 'parrain_service', true)`,
        values: [reason],
      });
      taken.catch(() => undefined);
      const value = await work();
      await taken;
      // On a failure the whole transaction is rolled back, and the role with it.
      await connection.send({ text: `select set_config('role', $1, true)`, values: [role] });
      return value;
    },
  };
}

/** Runs the work on a connection of the pool, with retries where PostgreSQL reports a conflict that will pass. */
async function attempt<T>(pool: Pool, log: Log, work: (connection: Connection) => Promise<T>): Promise<T> {
  for (let attempts = 1; ; attempts += 1) {
    let client: PoolClient;
    try {
      client = await pool.connect();
    } catch (error) {
      throw new DatabaseUnavailable({ cause: error });
    }
    const connection = connectionOf(client);
    try {
      const value = await work(connection);
      client.release(connection.isLost());
      return value;
    } catch (error) {
      const lost = isConnectionLoss(error);
      client.release(lost || connection.isLost());
      if (lost) throw new DatabaseUnavailable({ cause: error });
      const code = sqlStateOf(error);
      if (code === undefined || !RETRIED.has(code) || attempts >= ATTEMPTS_MAX) throw error;
      log.info({ code, attempts }, 'A transaction met another one and is run again');
      await new Promise((resolve) => setTimeout(resolve, attempts * 5 + Math.random() * 20));
    }
  }
}

function sqlStateOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** A pooled client with the statements that it has prepared. */
type Connection = {
  readonly send: (query: Query) => Promise<QueryResult<QueryResultRow>>;
  /** Sends statements as one transaction, in one packet. */
  readonly sendTogether: (queries: readonly Query[]) => Promise<QueryResult<QueryResultRow>[]>;
  /** Sends what `write` writes as one packet. */
  readonly pipelined: <T>(write: () => T) => T;
  readonly markLost: () => void;
  readonly isLost: () => boolean;
};

type PgInternals = {
  readonly connection: {
    readonly stream: { cork?: () => void; uncork?: () => void };
    readonly parsedStatements: Record<string, string | undefined>;
  };
};

/** The statements that a connection has prepared. */
type Prepared = {
  /** Names by text. */
  readonly names: LruCache<string, string>;
  /** Names that left the cache and are still prepared. */
  readonly evicted: string[];
  readonly described: Described;
};

const preparedOn = new WeakMap<PoolClient, Prepared>();
let statementNumber = 0;

function nothingPrepared(): Prepared {
  const evicted: string[] = [];
  return {
    names: createLruCache(PREPARED_STATEMENTS_MAX, (_text, name) => evicted.push(name)),
    evicted,
    described: new Map(),
  };
}

function connectionOf(client: PoolClient): Connection {
  const { connection } = client as unknown as PgInternals;
  let lost = false;

  const prepared = preparedOn.get(client) ?? nothingPrepared();
  preparedOn.set(client, prepared);
  const { names, evicted, described } = prepared;
  // Outside a transaction, so that it is harmless to deallocate a statement that was never prepared.
  for (const name of evicted.splice(0)) {
    described.delete(name);
    delete connection.parsedStatements[name];
    client.query(`deallocate "${name}"`).catch(() => undefined);
  }

  function nameOf(text: string): string {
    const name = names.get(text) ?? `s${(statementNumber += 1)}`;
    names.set(text, name);
    return name;
  }

  return {
    async send(query) {
      const values = (query.values ?? []).map(toWire);
      const result: PgQueryResult = await client.query(
        query.prepare === false ? { text: query.text, values } : { name: nameOf(query.text), text: query.text, values },
      );
      return { rows: result.rows, rowCount: result.rowCount ?? 0, command: result.command };
    },
    async sendTogether(queries) {
      const made = queries.map(({ text, values = [], prepare }) => ({
        name: prepare === false ? '' : nameOf(text),
        text,
        values: values.map((value) => toWireText(toWire(value))),
      }));
      return sendTogether(client, made, described, getTypeParser);
    },
    pipelined(write) {
      connection.stream.cork?.();
      try {
        return write();
      } finally {
        connection.stream.uncork?.();
      }
    },
    markLost() {
      lost = true;
    },
    isLost: () => lost,
  };
}

/**
 * A parameter as pg may send it. Done before anything is written: a value that cannot be turned into text must fail
 * here, not between two messages of the protocol.
 */
function toWire(value: unknown): unknown {
  switch (typeof value) {
    case 'bigint':
      return value.toString();
    case 'undefined':
      return null;
    case 'object': {
      if (value === null || value instanceof Date || value instanceof Uint8Array) return value;
      if (Array.isArray(value)) return value.some(isPlainObject) ? JSON.stringify(value) : value.map(toWire);
      return JSON.stringify(value);
    }
    default:
      return value;
  }
}

function isPlainObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !(value instanceof Date) && !(value instanceof Uint8Array);
}

const INT8 = 20;
const DATE = 1082;
const keepText = (text: string): string => text;

function getTypeParser(oid: number, format?: 'text' | 'binary'): unknown {
  if (oid === INT8) return toSafeInteger;
  // A day has no time zone: pg would make midnight here of it.
  if (oid === DATE) return keepText;
  return types.getTypeParser(oid, format);
}

function toSafeInteger(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number)) throw new Error('An int8 result is too large for a number');
  return number;
}
