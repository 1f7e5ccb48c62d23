import { Client } from 'pg';
import type { ClientConfig } from 'pg';

import type { OwnerConnection } from './embedded.ts';

/** The owner's connection: to an embedded database, or the address of an external one, which may name several hosts. */
export type Owner = OwnerConnection | string;

/** Time limit of the probe that asks a host if it takes writes. */
const PROBE_TIMEOUT_MS = 1500;

/** None of the hosts takes writes: the primary is gone and no standby was promoted yet, or none answers. */
export class NoPrimary extends Error {
  override readonly name = 'NoPrimary';
  /** PostgreSQL's own word for « not yet »: whoever asks may come back shortly. */
  readonly code = '57P03';

  constructor(reasons: readonly string[]) {
    super(`No host takes writes: ${reasons.join('; ')}`);
  }
}

/**
 * The address of each host, of one that names several as libpq has them:
 * `postgres://user:password@one:5432,two:5432/base?target_session_attrs=read-write`.
 */
export function hostsOf(address: string): readonly string[] {
  const match = /^(?<scheme>\w+:\/\/)(?<user>[^/?#]*@)?(?<hosts>[^/?#]*)(?<rest>.*)$/su.exec(address)?.groups;
  const hosts = match?.['hosts'] ?? '';
  if (match === undefined || !hosts.includes(',')) return [address];
  const rest = (match['rest'] ?? '').replace(/(?<=[?&])target_session_attrs=[^&]*&?/u, '').replace(/[?&]$/u, '');
  return hosts.split(',').map((host) => `${match['scheme']}${match['user'] ?? ''}${host}${rest}`);
}

/**
 * Asks all hosts at once which one takes writes.
 * @returns its place among them, and the connection that said so, whose end is the caller's.
 * @throws NoPrimary, or what a host said that would not change: a wrong password, no such database.
 */
export async function findPrimary(
  hosts: readonly ClientConfig[],
): Promise<{ readonly place: number; readonly client: Client }> {
  const probes = hosts.map(async (settings, place) => ({ place, client: await openPrimary(settings) }));
  try {
    const found = await Promise.any(probes);
    for (const probe of probes) {
      // A standby that was promoted while the old primary still answers: the first to answer is taken.
      void probe.then(({ client }) => (client === found.client ? undefined : client.end())).catch(() => undefined);
    }
    return found;
  } catch (error) {
    const errors: readonly unknown[] = error instanceof AggregateError ? error.errors : [error];
    const lasting = errors.find((one) => /^(?:28|3D)/u.test(String(codeOf(one))));
    throw lasting ?? new NoPrimary(errors.map((one) => (one instanceof Error ? one.message || one.name : String(one))));
  }
}

async function openPrimary(settings: ClientConfig): Promise<Client> {
  const client = new Client({ connectionTimeoutMillis: PROBE_TIMEOUT_MS, ...settings });
  client.on('error', () => undefined);
  const takesWrites = watchWrites(client);
  try {
    await client.connect();
    if (!takesWrites()) throw new Error('This host is a standby');
    return client;
  } catch (error) {
    void client.end().catch(() => undefined);
    throw error;
  }
}

/**
 * Tracks if the server takes writes, by the parameters that PostgreSQL reports at the start of a connection and at each change. Call it
 * before the connection opens.
 */
export function watchWrites(client: Client): () => boolean {
  const parameters = new Map<string, string>();
  const { connection } = client as unknown as {
    readonly connection: {
      readonly on: (
        event: 'parameterStatus',
        heard: (message: { readonly parameterName: string; readonly parameterValue: string }) => void,
      ) => void;
    };
  };
  connection.on('parameterStatus', ({ parameterName, parameterValue }) =>
    parameters.set(parameterName, parameterValue),
  );
  return () => parameters.get('in_hot_standby') !== 'on' && parameters.get('default_transaction_read_only') !== 'on';
}

/** The owner's connection to the one host that takes writes now. */
export async function primaryOf(owner: Owner): Promise<Owner> {
  if (typeof owner !== 'string') return owner;
  const hosts = hostsOf(owner);
  if (hosts.length === 1) return owner;
  const { place, client } = await findPrimary(hosts.map((connectionString) => ({ connectionString })));
  await client.end();
  return hosts[place] ?? owner;
}

/** Opens a connection as the owner of the database. Its end is the caller's. */
export async function connectAsOwner(owner: Owner, settings: ClientConfig = {}): Promise<Client> {
  const primary = await primaryOf(owner);
  const client = new Client({
    ...(typeof primary === 'string' ? { connectionString: primary } : primary),
    ...settings,
  });
  // A connection that ends fails the statement on its way, which is how its user learns of it.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/**
 * A copy that may be some seconds old, for long readings that keep the primary free: the first of its hosts that answers.
 * @returns its address, and how old it is: 0 where it has all that the primary had written when it was asked.
 */
export async function replicaOf(
  owner: Owner,
  address: string,
): Promise<{ readonly replica: string; readonly ageSeconds: number }> {
  const primary = await connectAsOwner(owner);
  try {
    const { rows: written } = await primary.query<{ place: string }>('select pg_current_wal_lsn() as place');
    let refusal: unknown;
    for (const replica of hostsOf(address)) {
      try {
        return { replica, ageSeconds: await ageOf(replica, written[0]?.place) };
      } catch (error) {
        refusal = error;
      }
    }
    throw refusal;
  } finally {
    await primary.end();
  }
}

async function ageOf(replica: string, written: string | undefined): Promise<number> {
  const client = await connectAsOwner(replica, { connectionTimeoutMillis: 5000 });
  try {
    const { rows } = await client.query<{ age: number }>(
      `select case when not pg_is_in_recovery() or pg_last_wal_replay_lsn() >= $1::pg_lsn then 0
         else coalesce(extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp()), 0) end::float8 as age`,
      [written],
    );
    return Math.ceil(rows[0]?.age ?? 0);
  } finally {
    await client.end();
  }
}

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);
