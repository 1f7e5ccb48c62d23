import { createHash } from 'node:crypto';

import type { Transaction } from '#platform/database';

import { AuthError } from './errors.ts';
import type { Scope } from './operation.ts';

/** Messages to one address or number, whoever asks for them: nobody is buried under them, and no code guessed at for long. */
const PER_ADDRESSEE = { capacity: 10, perSeconds: 3600 };

/** Whether one more message may leave for this address or number, which is then counted. Not within a transaction. */
export async function mayReceive(scope: Scope, addressee: string): Promise<boolean> {
  return (await secondsUntilNext(scope, addressee)) === 0;
}

/** The same as seconds to wait; 0 for none. */
export async function secondsUntilNext({ services }: Scope, addressee: string): Promise<number> {
  const name = createHash('sha256').update(addressee).digest('hex');
  return services.rateLimit.takeToken(`auth:to:${name}`, PER_ADDRESSEE);
}

/**
 * Whether one more mail of this door may leave within the hour, whoever it is for. It is counted with the transaction that
 * sends it: one that fails has sent nothing.
 */
export async function isMailLeft(tx: Transaction, { settings, services }: Scope): Promise<boolean> {
  if (settings.mailsPerHour === null) return true;
  const { rows } = await tx.query<{ wait: number }>('select private.take_token($1, $2, 3600)::float8 as wait', [
    'auth:mails',
    settings.mailsPerHour,
  ]);
  if ((rows[0]?.wait ?? 0) === 0) return true;
  services.log.warn({ perHour: settings.mailsPerHour }, 'The hour has had all the mails it may have');
  return false;
}

/** @throws AuthError over_email_send_rate_limit */
export async function requireMailLeft(tx: Transaction, scope: Scope): Promise<void> {
  if (await isMailLeft(tx, scope)) return;
  throw new AuthError(429, 'over_email_send_rate_limit', 'Email rate limit exceeded', { retryAfterSeconds: 60 });
}
