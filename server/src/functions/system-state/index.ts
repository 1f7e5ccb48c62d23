import { Failure } from '@parrain/domain/failure';
import { id } from '@parrain/domain/forms/fields';
import { parsePayload } from '@parrain/domain/forms/parse-payload';
import { mailFailureReason } from '@parrain/domain/mail-failure';
import * as z from 'zod/mini';

import { readSender } from '#platform/mail-layout';
import { programVersion } from '#platform/version';
import { rateLimited } from '#platform/errors';
import type { Services } from '#platform/services';

import { answer } from '../call.ts';
import type { FunctionResponse, ProductFunction, UserCall } from '../call.ts';
import { trialMail } from '../mails/trial.ts';
import { readDisk } from '#platform/system-figures';

/** OP-03: « État du système », for an admin. */
export default {
  get: { method: 'GET', callers: ['admin'], run: getState },
  alarms: { method: 'GET', callers: ['admin'], run: getAlarms },
  try_mail_again: { callers: ['admin'], run: tryMailAgain },
  send_trial: { callers: ['admin'], run: sendTrial },
} satisfies ProductFunction;

async function getState(call: UserCall): Promise<FunctionResponse> {
  const { services } = call;
  const [{ rows }, disk] = await Promise.all([
    call.db.queryAs<{ state: Readonly<Record<string, unknown>>; has_notice: boolean }>(
      call.identity,
      { text: 'select private.system_state() as state, private.legal_notice_shown() is not null as has_notice' },
      { readOnly: true },
    ),
    readDisk(services),
  ]);
  const [row] = rows;
  if (row === undefined) throw new Error('system_state gave no row');
  const { state } = row;
  return answer({
    success: true,
    data: {
      ...state,
      version: programVersion,
      disk: disk === null ? null : { free_bytes: disk.freeBytes, total_bytes: disk.totalBytes },
      is_database_external: services.config.databaseUrl !== null,
      is_mail_configured: services.mail.isConfigured,
      backup_alarm_days: services.config.backupAlarmDays,
      has_legal_notice: row.has_notice,
    },
  });
}

async function getAlarms(call: UserCall): Promise<FunctionResponse> {
  const { rows } = await call.db.queryAs<{ alarms: unknown }>(
    call.identity,
    { text: 'select private.open_alarms() as alarms' },
    { readOnly: true },
  );
  return answer({ success: true, data: rows[0]?.alarms });
}

const mailChoice = z.object({ mail_id: id('Choisissez un message.', { failure: 'not_found' }) });

/** TM-04: some tries of one mail in a day, and some mails of one admin in an hour; what is secret is never sent again. */
async function tryMailAgain(call: UserCall): Promise<FunctionResponse> {
  const { services, userId } = call;
  const { mail_id: mailId } = parsePayload(mailChoice, call.body ?? {});
  for (const [bucket, limit] of [
    [`mail-again:by:${userId}`, AGAIN_PER_ADMIN],
    [`mail-again:of:${mailId}`, AGAIN_PER_MAIL],
  ] as const) {
    const wait = await services.rateLimit.takeToken(bucket, limit);
    if (wait > 0) throw rateLimited(wait);
  }
  const { rows } = await call.db.queryAs<{ taken: boolean }>(call.identity, {
    text: 'select private.try_mail_again($1) as taken',
    values: [mailId],
  });
  if (rows[0]?.taken !== true) throw new Failure('not_found');
  return fateResponse(services, mailId);
}

const AGAIN_PER_ADMIN = { capacity: 60, perSeconds: 3600 } as const;
const AGAIN_PER_MAIL = { capacity: 5, perSeconds: 86_400 } as const;

/** Sent to the asking admin alone, in one attempt. One whose attempt has not begun in time is withdrawn. */
async function sendTrial(call: UserCall): Promise<FunctionResponse> {
  const { services, db, identity, userId } = call;
  if (!services.mail.isConfigured) {
    return answer({ success: true, fate: 'never', message: 'Aucun serveur d’e-mail n’est configuré (SMTP_URL).' });
  }
  const wait = await services.rateLimit.takeToken(`trial-mail:${userId}`, TRIALS);
  if (wait > 0) throw rateLimited(wait);
  const mailId = await db.transactionAs(identity, async (tx) => {
    await tx.query(`select private.require_role('admin')`);
    const { rows } = await tx.query<{ email: string }>('select email from public.profiles where id = $1', [userId]);
    return services.mail.enqueue(tx, trialMail(await readSender(tx, services.publicUrl()), rows[0]?.email ?? ''));
  });
  // An account without an address.
  if (mailId === null) {
    return answer({ success: true, fate: 'never', message: 'Votre compte n’a pas d’adresse e-mail.' });
  }
  const result = await fateResponse(services, mailId);
  await db.asService('a trial is over', (tx) => services.mail.withdraw(tx, mailId));
  return result;
}

const TRIALS = { capacity: 10, perSeconds: 3600 } as const;

/** Outcome of a mail, with the mail server's own answer where it refused. */
async function fateResponse({ mail, db }: Services, mailId: string): Promise<FunctionResponse> {
  const fate = await mail.waitForFate(mailId);
  const { rows } = await db.queryAsService<{ last_error: string | null }>('mail', {
    text: 'select last_error from private.mails where id = $1',
    values: [mailId],
  });
  const error = fate === 'accepted' ? null : (rows[0]?.last_error ?? null);
  return answer({
    success: true,
    fate,
    error,
    message: error === null ? messages[fate] : `${mailFailureReason(error)} (${error})`,
  });
}

const messages = {
  accepted: 'Le serveur d’e-mail a accepté le message',
  under_way: 'Envoi en cours : le serveur d’e-mail n’a pas encore répondu',
  never: 'Le serveur d’e-mail a refusé le message',
} as const;
