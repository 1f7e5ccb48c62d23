import type { DumpHeader, DumpTrailer } from '@parrain/database/dump';
import { BrokenDump, readDump } from '@parrain/database/read-dump';
import type { DumpPart } from '@parrain/database/read-dump';

import { unseal, WrongBackupKey } from './seal.ts';
import type { OpenKey } from './seal.ts';

/** The backup cannot be read, and why, as a French sentence. */
export class UnreadableBackup extends Error {
  override readonly name = 'UnreadableBackup';
}

export type Backup = {
  /** Its parts from the beginning, as often as they are asked for. */
  readonly parts: () => AsyncGenerator<DumpPart>;
};

/** A sealed backup, opened. */
export function openBackup(read: () => AsyncIterable<Uint8Array>, key: OpenKey): Backup {
  return { parts: () => readDump(unseal(read(), key)) };
}

/**
 * Reads a backup from end to end: nothing is written before its last byte was found whole.
 * @throws UnreadableBackup where it is cut or altered, or the key is another's.
 */
export async function checkBackup(
  backup: Backup,
): Promise<{ readonly header: DumpHeader; readonly trailer: DumpTrailer }> {
  let header: DumpHeader | undefined;
  let trailer: DumpTrailer | undefined;
  try {
    for await (const part of backup.parts()) {
      if (part.kind === 'header') ({ header } = part);
      else if (part.kind === 'trailer') ({ trailer } = part);
    }
  } catch (error) {
    throw sayWhy(error);
  }
  if (header === undefined || trailer === undefined) throw sayWhy(new BrokenDump('The end is missing'));
  return { header, trailer };
}

function sayWhy(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if (error instanceof WrongBackupKey) {
    return new UnreadableBackup("Cette clé n'ouvre pas cette sauvegarde : une autre l'a fermée. Rien n'a été écrit.", {
      cause: error,
    });
  }
  // Of the system: there is no such file, or it may not be read.
  if ('syscall' in error) return new UnreadableBackup(`La sauvegarde ne peut pas être lue : ${error.message}.`);
  return new UnreadableBackup(
    `La sauvegarde est coupée ou altérée (${error.message}) : prenez-en une autre. Rien n'a été écrit.`,
    { cause: error },
  );
}
