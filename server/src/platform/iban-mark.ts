import { createHmac } from 'node:crypto';

import type { Secrets } from './secrets.ts';

/** Keyed hash that identifies an account without its digits (PO-04). */
export function ibanMark(secrets: Secrets, iban: string): Buffer {
  return createHmac('sha256', secrets.derive('iban-mark')).update(iban).digest();
}
