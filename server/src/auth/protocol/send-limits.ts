import { createHash } from 'node:crypto';

import type { Transaction } from '#platform/database';
import { secondsUntilMail } from '#platform/mail-limit';
import { networkOf } from '#platform/network';

import { mailLimitReached } from './errors.ts';
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
 * Whether one more mail may leave within the hour, whoever it is for, and within the day from this network. It is counted
 * with the transaction that sends it: one that fails has sent nothing.
 */
export async function isMailLeft(tx: Transaction, scope: Scope): Promise<boolean> {
  return (await secondsLeft(tx, scope)) === 0;
}

/** @throws AuthError over_email_send_rate_limit */
export async function requireMailLeft(tx: Transaction, scope: Scope): Promise<void> {
  const retryAfterSeconds = await secondsLeft(tx, scope);
  if (retryAfterSeconds === 0) return;
  throw mailLimitReached(retryAfterSeconds);
}

async function secondsLeft(tx: Transaction, { settings, services, origin }: Scope): Promise<number> {
  const { mailsPerHour } = settings;
  const wait = await secondsUntilMail(tx, { mailsPerHour, network: networkOf(origin.ip) });
  if (wait > 0) services.log.warn({ perHour: mailsPerHour }, 'The mails of the hour or of a network are used up');
  return wait;
}
