import type { Owner } from '@parrain/database/connect';
import { dump } from '@parrain/database/dump';
import type { DumpTrailer } from '@parrain/database/dump';

import { s3Store } from '#platform/s3';

import { backupName, placeAt } from './place.ts';
import { seal } from './seal.ts';
import type { SealKey } from './seal.ts';

/** All that a backup needs to know. Plain data: it is handed to a thread. */
export type BackupOrder = {
  /** The owner's connection to the database. */
  readonly owner: Owner;
  readonly masterKey: Uint8Array;
  /** Store of the files kept outside the database; null if there is none. */
  readonly filesUrl: string | null;
  readonly key: SealKey;
  /** A folder or the address of an S3 service. */
  readonly to: string;
  /** The machine's name in the address that people use: it stands in the file's. */
  readonly host: string;
};

export type BackupResult = {
  readonly name: string;
  readonly place: string;
  readonly bytes: number;
  readonly rows: number;
  readonly seconds: number;
  readonly leftOut: readonly string[];
  readonly filesMissing: number;
};

/** Makes one backup: the whole database at one instant, the files kept elsewhere and the master key, in one sealed file. */
export async function makeBackup(order: BackupOrder): Promise<BackupResult> {
  const started = performance.now();
  const place = placeAt(order.to);
  const name = backupName(order.host, new Date());
  const store = order.filesUrl === null ? null : s3Store(order.filesUrl);
  const rows = dump(order.owner, {
    masterKey: order.masterKey,
    ...(store === null ? {} : { fetchFile: (blob: string) => store.get(blob) }),
  });
  let trailer: DumpTrailer | undefined;
  async function* keepingTrailer(): AsyncGenerator<Uint8Array> {
    trailer = yield* rows;
  }
  const bytes = await place.write(name, seal(keepingTrailer(), order.key));
  if (trailer === undefined) throw new Error('The dump has no end');
  return {
    name,
    place: place.description,
    bytes,
    rows: Object.values(trailer.rows).reduce((sum, count) => sum + count, 0),
    seconds: Math.round((performance.now() - started) / 100) / 10,
    leftOut: trailer.leftOut,
    filesMissing: trailer.filesMissing,
  };
}
