import type { Config } from '../config.ts';
import type { SealKey } from './seal.ts';

/** Who may open the backups of this configuration; null where it does not say. */
export function sealKeyOf(config: Pick<Config, 'backupPassphrase' | 'backupRecipient'>): SealKey | null {
  if (config.backupRecipient !== null) return { recipient: config.backupRecipient };
  return config.backupPassphrase === null ? null : { passphrase: config.backupPassphrase };
}
