import { Failure } from '@parrain/domain/failure';

import type { Transaction } from '#platform/database';
import { secondsUntilMail } from '#platform/mail-limit';
import type { Services } from '#platform/services';

/** No mail is left for now: come back after so many seconds. */
export function mailLimited(retryAfterSeconds: number): Failure {
  return new Failure('mail_limit', { retryAfterSeconds: Math.ceil(retryAfterSeconds) });
}

/** Counts a mail of the product among those of the hour (`MAILS_PER_HOUR`). @throws Failure `mail_limit` */
export async function requireMailLeft(tx: Transaction, services: Services): Promise<void> {
  const wait = await secondsUntilMail(tx, { mailsPerHour: services.config.mailsPerHour, network: null });
  if (wait > 0) throw mailLimited(wait);
}

/** The same for what is done with or without its mail: whether it may leave. */
export async function isMailLeft(tx: Transaction, services: Services): Promise<boolean> {
  const { log, config } = services;
  const wait = await secondsUntilMail(tx, { mailsPerHour: config.mailsPerHour, network: null });
  if (wait > 0) log.warn({ perHour: config.mailsPerHour }, 'The mails of the hour are used up');
  return wait === 0;
}
