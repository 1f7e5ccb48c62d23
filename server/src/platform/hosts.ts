import { findPrimary, hostsOf, NoPrimary, watchWrites } from '@parrain/database/connect';
import { Client } from 'pg';
import type { ClientConfig } from 'pg';

import { isConnectionLoss } from './database-errors.ts';
import type { DatabaseAddress } from './database.ts';
import type { Log } from './log.ts';

/** A database of several hosts, one of which takes writes: now this one, after a failover another. */
export type Hosts = {
  /** For pools and clients: each connection goes to the host that takes writes when it opens. */
  readonly address: DatabaseAddress;
  readonly close: () => void;
};

/** The interval of the primary's checks, and the time without an answer after which the others are asked. */
const WATCH_EVERY_MS = 1000;
const SILENCE_MS = 1000;
const SEARCH_EVERY_MS = 500;

/**
 * Follows the primary of a database. A connection that cannot be opened, or is lost, makes the hosts be asked again. A primary
 * that falls silent without closing anything (a machine that lost its network) is left once another host takes writes: the
 * statements sent to it fail at once, and not when the system gives the connection up.
 */
export function createHosts(connectionString: string, log: Log): Hosts {
  const hosts = hostsOf(connectionString).map((address): ClientConfig => ({ connectionString: address }));
  if (hosts.length === 1) return { address: { connectionString }, close: () => undefined };

  const places = hosts.map((host) => {
    const { host: name, port } = new Client(host);
    return { host: name, port };
  });
  /** Hosts and ports, without who logs in. */
  const names = places.map(({ host, port }) => `${host}:${port}`);
  const open = new Map<Client, number>();
  let known: number | null = null;
  let sentinel: Client | null = null;
  let searching: Promise<number> | null = null;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  const primary = async (): Promise<number> => known ?? (searching ??= search().finally(() => (searching = null)));

  async function search(): Promise<number> {
    const found = await findPrimary(hosts.map((host) => ({ ...host, ...SENTINEL })));
    if (isClosed) {
      void found.client.end();
      throw new NoPrimary(['the server stops']);
    }
    adopt(found);
    return found.place;
  }

  function adopt({ place, client }: { readonly place: number; readonly client: Client }): void {
    const former = sentinel;
    sentinel = client;
    if (former !== null) destroy(former);
    // The process may end while it stands.
    unref(client);
    client.once('end', () => {
      if (sentinel === client) leave(place);
    });
    if (known !== place) log.info({ host: names[place] }, 'This host takes the writes');
    known = place;
    for (const [other, at] of open) if (at !== place) destroy(other);
    again(WATCH_EVERY_MS);
  }

  /** The host is gone: the next connection asks all hosts, and this process asks them until one answers. */
  function leave(place: number): void {
    if (isClosed || known !== place) return;
    if (sentinel !== null) destroy(sentinel);
    known = null;
    sentinel = null;
    log.warn({ host: names[place] }, 'The host that took the writes is gone');
    again(0);
  }

  function again(delay: number): void {
    clearTimeout(timer);
    if (isClosed) return;
    timer = setTimeout(() => {
      watch().then(
        () => again(WATCH_EVERY_MS),
        () => again(SEARCH_EVERY_MS),
      );
    }, delay);
    timer.unref();
  }

  async function watch(): Promise<void> {
    if (known === null || sentinel === null) {
      await primary();
      return;
    }
    const place = known;
    try {
      const { rows } = await sentinel.query<{ is_standby: boolean }>('select pg_is_in_recovery() as is_standby');
      if (rows[0]?.is_standby === false) return;
    } catch {
      // Silent, or gone: the others say whether one of them has taken its place.
    }
    if (known !== place) return;
    const others = hosts.map((host) => ({ ...host, ...SENTINEL })).filter((_, at) => at !== place);
    const found = await findPrimary(others);
    adopt({ client: found.client, place: found.place < place ? found.place : found.place + 1 });
  }

  class PrimaryClient extends Client {
    override connect(): Promise<Client>;
    override connect(callback: (error: Error) => void): void;
    override connect(callback?: (error: Error) => void): Promise<Client> | void {
      const connected = this.#open();
      if (callback === undefined) return connected;
      connected.then(
        () => (callback as (error: Error | null) => void)(null),
        (error: unknown) => callback(error instanceof Error ? error : new Error(String(error))),
      );
    }

    async #open(): Promise<Client> {
      const place = await primary();
      Object.assign(this, places[place]);
      const takesWrites = watchWrites(this);
      try {
        await super.connect();
        if (!takesWrites()) throw new NoPrimary([`${names[place]} is a standby`]);
      } catch (error) {
        if (isGone(error)) leave(place);
        void this.end().catch(() => undefined);
        throw error;
      }
      open.set(this, place);
      this.once('end', () => open.delete(this));
      return this;
    }
  }

  return {
    address: { connectionString: hosts[0]?.connectionString ?? connectionString, Client: PrimaryClient },
    close() {
      isClosed = true;
      clearTimeout(timer);
      void sentinel?.end().catch(() => undefined);
    },
  };
}

const SENTINEL = { application_name: 'parrain sentinel', query_timeout: SILENCE_MS, keepAlive: true } as const;

type Internals = { readonly connection: { readonly stream: { destroy: () => void; unref: () => void } } };

function destroy(client: Client): void {
  (client as unknown as Internals).connection.stream.destroy();
}

function unref(client: Client): void {
  (client as unknown as Internals).connection.stream.unref();
}

/** True when a host is unreachable. One that has no room, or refuses this login, is there. */
function isGone(error: unknown): boolean {
  return isConnectionLoss(error) && !(error instanceof Error && 'code' in error && error.code === '53300');
}
