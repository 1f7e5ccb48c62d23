import { Client } from 'pg';
import type { ClientConfig, QueryResultRow } from 'pg';

import type { DatabaseAddress, Query } from './database.ts';
import { DatabaseUnavailable, isDatabaseError } from './database-errors.ts';
import type { Log } from './log.ts';

/**
 * The one connection on which this process listens to notifications of PostgreSQL. It belongs to no pool, acts with the
 * server's own rights, and is reopened whenever it is lost.
 */
export type Listener = {
  /** Calls `heard` with each notification's payload. Before `start` only. */
  readonly listen: (channel: string, heard: (payload: string) => void) => void;
  /** Calls `opened` each time the connection listens again: notifications in between are lost. */
  readonly onOpen: (opened: () => void) => void;
  /** One statement on this connection. @throws DatabaseUnavailable while it is lost. */
  readonly query: <Row extends QueryResultRow = QueryResultRow>(query: Query) => Promise<readonly Row[]>;
  /** Opens the connection. It fails where the first attempt does; later ones are repeated until `close`. */
  readonly start: () => Promise<void>;
  readonly close: () => Promise<void>;
};

/** Prefix of the name of each node's listening connection; the rest of it encodes the node's settings (`sameSettings`). */
export const LISTENER_NAME = 'parrain listener';
const RETRY_AFTER_MS = [100, 250, 500, 1000, 2000];
const KEEP_ALIVE_MS = 10_000;
const ANSWER_TIMEOUT_MS = 10_000;

export function createListener(address: DatabaseAddress, log: Log, connectionName: string): Listener {
  const handlers = new Map<string, (payload: string) => void>();
  const openings: (() => void)[] = [];
  const statements = new Map<string, string>();
  let current: Client | undefined;
  let retry: NodeJS.Timeout | undefined;
  let closed = false;
  let failures = 0;

  async function open(): Promise<void> {
    const { Client: Connecting = Client, ...place } = address;
    const settings: ClientConfig & { pipeline: boolean } = {
      ...place,
      pipeline: true,
      application_name: connectionName,
      // This login may take the role and do nothing else.
      options: '-c role=parrain_service -c TimeZone=UTC -c statement_timeout=8000',
      connectionTimeoutMillis: 5000,
      query_timeout: ANSWER_TIMEOUT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    };
    const client = new Connecting(settings);
    client.on('notification', ({ channel, payload }) => handlers.get(channel)?.(payload ?? ''));
    client.on('error', () => undefined);
    let isStanding = false;
    client.once('end', () => {
      if (current === client) current = undefined;
      if (isStanding && !closed) again();
      isStanding = false;
    });
    try {
      await client.connect();
      for (const channel of handlers.keys()) await client.query(`listen ${client.escapeIdentifier(channel)}`);
      isStanding = true;
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
    if (closed) return client.end();
    current = client;
    failures = 0;
    for (const opened of openings) opened();
  }

  function again(): void {
    const delay = RETRY_AFTER_MS[Math.min(failures, RETRY_AFTER_MS.length - 1)];
    if (failures === 0) log.warn('The listening connection was lost');
    failures += 1;
    retry = setTimeout(() => {
      open().then(
        () => log.info('The listening connection stands again'),
        () => again(),
      );
    }, delay);
  }

  return {
    listen: (channel, heard) => void handlers.set(channel, heard),
    onOpen: (opened) => void openings.push(opened),
    async query<Row extends QueryResultRow>({ text, values }: Query): Promise<readonly Row[]> {
      const client = current;
      if (client === undefined) throw new DatabaseUnavailable();
      const name = statements.get(text) ?? `l${statements.size}`;
      statements.set(text, name);
      try {
        const { rows } = await client.query<Row>({ name, text, values: [...(values ?? [])] });
        return rows;
      } catch (error) {
        if (isDatabaseError(error)) throw error;
        // Lost, or silent for too long, which a broken network looks like: another one is opened.
        void client.end().catch(() => undefined);
        throw new DatabaseUnavailable({ cause: error });
      }
    },
    start: open,
    async close() {
      closed = true;
      clearTimeout(retry);
      await current?.end().catch(() => undefined);
      current = undefined;
    },
  };
}
