import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';

import { s3Store } from '#platform/s3';

/** Storage of backups: a folder or an S3 bucket. */
export type Place = {
  /** For people: without the key of the service. */
  readonly description: string;
  /** Writes a file whole or not at all, as its bytes come. Gives how many there were. */
  readonly write: (name: string, chunks: AsyncIterable<Uint8Array>) => Promise<number>;
  readonly read: (name: string) => AsyncIterable<Uint8Array>;
  /** The backups there are, oldest first. */
  readonly list: () => Promise<readonly StoredBackup[]>;
  readonly remove: (name: string) => Promise<void>;
};

export type StoredBackup = { readonly name: string; readonly bytes: number };

const SUFFIX = '.sql.zst.age';
const READ_BYTES = 8 * 1024 * 1024;
const DRAFT = '.part';

/** The name of a backup: whose it is, then when it was made, so that names in order are backups in order. */
export function backupName(host: string, at: Date): string {
  return `${prefixOf(host)}${at.toISOString().replace(/[-:]|\.\d+/gu, '')}${SUFFIX}`;
}

const prefixOf = (host: string): string => `parrain-${host.replace(/[^a-z0-9.-]/giu, '_')}-`;

/** True if the name is that of a backup made by this host. */
export function isBackupOf(host: string, name: string): boolean {
  const prefix = prefixOf(host);
  return name.startsWith(prefix) && /^\d{8}T\d{6}Z\.sql\.zst\.age$/u.test(name.slice(prefix.length));
}

/** The place that an address names: `https://key:secret@host/bucket/folder?region=…`, or else a folder. */
export function placeAt(address: string): Place {
  return /^https?:\/\//u.test(address) ? bucketAt(address) : folderAt(path.resolve(address));
}

/** A folder and those above it. Node's own recursive mkdir never ends below a folder that takes none, such as /proc (DF-75). */
async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    if (codeOf(error) === 'EEXIST' && (await stat(folder)).isDirectory()) return;
    const parent = path.dirname(folder);
    if (codeOf(error) !== 'ENOENT' || parent === folder) throw error;
    await makeFolder(parent);
    await mkdir(folder, { mode: 0o700 });
  }
}

const FOLDER_TROUBLES: Readonly<Record<string, string>> = {
  EACCES: 'ce compte n’a pas le droit d’y écrire',
  EPERM: 'ce compte n’a pas le droit d’y écrire',
  EROFS: 'il est en lecture seule',
  ENOSPC: 'le disque est plein',
  EDQUOT: 'le quota du disque est atteint',
  ENOENT: 'ce dossier ne peut pas être créé à cet endroit',
  ENOTDIR: 'ce n’est pas un dossier',
  EEXIST: 'ce n’est pas un dossier',
  EIO: 'le disque ne répond pas',
};

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? '';
const isOfFile = (error: unknown): boolean => codeOf(error) in FOLDER_TROUBLES;

function unwritable(folder: string, error: unknown): Error {
  const code = codeOf(error);
  return new Error(`le dossier ${folder} ne reçoit pas la sauvegarde : ${FOLDER_TROUBLES[code] ?? code}`, {
    cause: error,
  });
}

function folderAt(folder: string): Place {
  return {
    description: folder,
    async write(name, chunks) {
      await makeFolder(folder).catch((error: unknown) => Promise.reject(unwritable(folder, error)));
      const draft = path.join(folder, `.${name}${DRAFT}`);
      let bytes = 0;
      try {
        const file = await open(draft, 'wx', 0o600);
        try {
          for await (const chunk of chunks) {
            await file.writeFile(chunk);
            bytes += chunk.length;
          }
          await file.sync();
        } finally {
          await file.close();
        }
        await rename(draft, path.join(folder, name));
      } catch (error) {
        await rm(draft, { force: true });
        throw isOfFile(error) ? unwritable(folder, error) : error;
      }
      await synchronise(folder);
      await removeDrafts(folder);
      return bytes;
    },
    read: (name) => createReadStream(path.join(folder, name)),
    async list() {
      const names = (await readdir(folder)).filter((name) => name.endsWith(SUFFIX)).toSorted();
      return Promise.all(names.map(async (name) => ({ name, bytes: (await stat(path.join(folder, name))).size })));
    },
    remove: (name) => rm(path.join(folder, name), { force: true }),
  };
}

/** Leftovers of interrupted backups, older than a day. */
async function removeDrafts(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith('.parrain-') || !name.endsWith(DRAFT)) continue;
    const draft = path.join(folder, name);
    const facts = await stat(draft).catch(() => null);
    if (facts !== null && facts.mtimeMs < Date.now() - 86_400_000) await rm(draft, { force: true });
  }
}

/** A renamed file is there after a power cut once its folder is written too; Windows has no such call. */
async function synchronise(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function bucketAt(address: string): Place {
  const store = s3Store(address);
  const url = new URL(address);
  async function list(): Promise<readonly StoredBackup[]> {
    const found = await store.list();
    return found
      .filter(({ name }) => name.endsWith(SUFFIX))
      .toSorted((left, right) => (left.name < right.name ? -1 : 1));
  }
  return {
    description: `${url.origin}${url.pathname}`,
    write: (name, chunks) => store.putLarge(name, chunks),
    async *read(name) {
      // In ranges: a connection that lasts as long as a restoration is one that breaks.
      const size = (await list()).find((found) => found.name === name)?.bytes ?? 0;
      for (let first = 0; first < size; first += READ_BYTES) {
        const bytes = await store.get(name, { first, last: Math.min(first + READ_BYTES, size) - 1 });
        if (bytes === null) return;
        yield bytes;
      }
    },
    list,
    remove: (name) => store.remove(name),
  };
}
