import type { Services } from '#platform/services';

import { createPlatformClient } from './platform-client.ts';
import type { PlatformAccess, PlatformClient } from './platform-client.ts';

const PURPOSE = 'e-invoicing-secret';
export const TIMEOUT_MS = 15_000;

type Row = {
  readonly flow_url: string;
  readonly directory_url: string;
  readonly token_url: string;
  readonly client_id: string;
  readonly secret_sealed: Buffer;
  readonly read_until: Date;
  readonly received_until: Date;
  readonly version: string;
};

/** The platform that invoices leave and come in by, where one is on. */
export type PlatformInUse = {
  readonly client: PlatformClient;
  readonly host: string;
  readonly readUntil: Date;
  readonly receivedUntil: Date;
};

/** Reads the platform's settings at each use, and keeps one client, with its token, as long as they are the same. */
export function platformInUse(services: Services, timeoutMs: number): () => Promise<PlatformInUse | null> {
  let kept: { readonly version: string; readonly client: PlatformClient } | undefined;
  return async () => {
    const { rows } = await services.db.queryAsService<Row>(
      'e-invoicing',
      { text: `select s.*, s.updated_at::text as version from private.e_invoicing s where s.is_on` },
      { readOnly: true },
    );
    const row = rows[0];
    if (row === undefined) return null;
    if (kept?.version !== row.version) {
      kept = {
        version: row.version,
        client: createPlatformClient(accessOf(services, row), {
          isPrivateAllowed: services.config.isOfThisMachine,
          timeoutMs,
        }),
      };
    }
    return {
      client: kept.client,
      host: new URL(row.flow_url).host,
      readUntil: row.read_until,
      receivedUntil: row.received_until,
    };
  };
}

function accessOf({ secrets }: Pick<Services, 'secrets'>, row: Row): PlatformAccess {
  return {
    flowUrl: row.flow_url,
    directoryUrl: row.directory_url,
    tokenUrl: row.token_url,
    clientId: row.client_id,
    clientSecret: secrets.open(PURPOSE, row.secret_sealed, '').toString(),
  };
}

/** Seals the access that the platform gave; it is never given back. */
export function sealPlatformSecret({ secrets }: Pick<Services, 'secrets'>, secret: string): Buffer {
  return secrets.seal(PURPOSE, secret, '');
}

/** The access as it is kept, on or off; null where none is. */
export async function keptAccess(services: Services): Promise<PlatformAccess | null> {
  const { rows } = await services.db.queryAsService<Row>(
    'e-invoicing',
    { text: `select s.*, s.updated_at::text as version from private.e_invoicing s` },
    { readOnly: true },
  );
  const row = rows[0];
  return row === undefined ? null : accessOf(services, row);
}
