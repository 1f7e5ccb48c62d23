import type { Config } from '../config.ts';
import type { SealKey } from './seal.ts';

/** Encryption of the backups by configuration; null if unset. */
export function sealKeyOf(config: Pick<Config, 'backupPassphrase' | 'backupRecipient'>): SealKey | null {
  if (config.backupRecipient !== null) return { recipient: config.backupRecipient };
  return config.backupPassphrase === null ? null : { passphrase: config.backupPassphrase };
}
