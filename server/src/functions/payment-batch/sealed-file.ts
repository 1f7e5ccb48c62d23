import type { Secrets } from '#platform/secrets';

const PURPOSE = 'batch-file';

/** A bank's file as it is kept: it holds the accounts of all its payees. */
export function sealFile(secrets: Secrets, batchId: string, file: string): Buffer {
  return secrets.seal(PURPOSE, file, batchId);
}

export function openFile(secrets: Secrets, batchId: string, sealed: Buffer): Buffer {
  return secrets.open(PURPOSE, sealed, batchId);
}
