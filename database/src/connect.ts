import { Client } from 'pg';
import type { ClientConfig } from 'pg';

import type { OwnerConnection } from './embedded.ts';

/** The owner's connection: to an embedded database, or the address of an external one. */
export type Owner = OwnerConnection | string;

/** Opens a connection as the owner of the database. Its end is the caller's. */
export async function connectAsOwner(owner: Owner, settings: ClientConfig = {}): Promise<Client> {
  const client = new Client({ ...(typeof owner === 'string' ? { connectionString: owner } : owner), ...settings });
  // A connection that ends fails the statement on its way, which is how its user learns of it.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}
