import { createHash } from 'node:crypto';

import type { Transaction } from '#platform/database';
import { secondsUntilMail } from '#platform/mail-limit';
import { networkOf } from '#platform/network';

import { mailLimitReached } from './errors.ts';
import type { Scope } from './operation.ts';

/** Per address or number, for all askers together: nobody is flooded, and no code is guessed at for long. */
const PER_ADDRESSEE = { capacity: 10, perSeconds: 3600 };

/**
 * Starts the cooldown of one kind of message to this address or number. Whether it has an account is not looked at: the
 * refusal that comes of it tells of the asking alone. Never within a transaction.
 * @returns 0 where none lasts, else the seconds that it still does
 */
export async function startCooldown({ services, settings }: Scope, kind: string, addressee: string): Promise<number> {
  const { mailCooldownSeconds: perSeconds } = settings;
  if (perSeconds === 0) return 0;
  return services.rateLimit.takeToken(`auth:cooldown:${kind}:${nameOf(addressee)}`, { capacity: 1, perSeconds });
}

/** Takes one token of this address or number; false where none is left. Never within a transaction. */
export async function takeMessageToken(scope: Scope, addressee: string): Promise<boolean> {
  return (await secondsUntilMessage(scope, addressee)) === 0;
}

/** The same in seconds to wait; 0 for none. */
export async function secondsUntilMessage({ services }: Scope, addressee: string): Promise<number> {
  return services.rateLimit.takeToken(`auth:to:${nameOf(addressee)}`, PER_ADDRESSEE);
}

function nameOf(addressee: string): string {
  return createHash('sha256').update(addressee).digest('hex');
}

/**
 * Counts one mail against the hour's limit for all and the day's of this network; false where none is left. It is counted
 * in the transaction that sends it: a failed one has sent nothing.
 */
export async function takeMailToken(tx: Transaction, scope: Scope): Promise<boolean> {
  return (await secondsLeft(tx, scope)) === 0;
}

/** @throws AuthError over_email_send_rate_limit */
export async function requireMailToken(tx: Transaction, scope: Scope): Promise<void> {
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
