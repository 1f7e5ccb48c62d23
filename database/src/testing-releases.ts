import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { zstdDecompressSync } from 'node:zlib';

import { readDump } from './read-dump.ts';
import { restoreAsItWas } from './restore.ts';
import { createEmptyDatabase } from './testing.ts';
import type { EmptyDatabase } from './testing.ts';

// Small installations of former releases (scripts/release-fixture.mjs), to upgrade from.

const FOLDER = path.join(import.meta.dirname, '..', 'tests', 'releases');

export type FormerRelease = {
  readonly version: string;
  readonly commit: string;
  readonly secretKey: string;
  readonly password: string;
  /** Their addresses. */
  readonly people: { readonly admin: string; readonly commercial: string; readonly client: string };
  /** A key of the company that may read. */
  readonly apiKey: string;
};

/** Every release that there is an installation of, oldest first. */
export function formerReleases(): readonly FormerRelease[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith('.json'))
    .map((name) => JSON.parse(readFileSync(path.join(FOLDER, name), 'utf8')) as FormerRelease)
    .toSorted((left, right) => left.version.localeCompare(right.version, 'en', { numeric: true }));
}

/** An installation of that release, on the tests' PostgreSQL. */
export async function installed({ version }: FormerRelease): Promise<EmptyDatabase> {
  const bytes = zstdDecompressSync(readFileSync(path.join(FOLDER, `${version}.dump.zst`)));
  const database = await createEmptyDatabase();
  await restoreAsItWas(database.owner, readDump(pieces(bytes)), { keepsMasterKey: false });
  return database;
}

async function* pieces(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
}
