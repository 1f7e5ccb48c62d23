import { Failure } from '@parrain/domain/failure';
import { id } from '@parrain/domain/forms/fields';
import { parsePayload } from '@parrain/domain/forms/parse-payload';
import * as z from 'zod/mini';

import { TEMPORARY_PASSWORD_HOURS } from '#auth';
import type { Services } from '#platform/services';
import { programVersion } from '#platform/version';
import { rateLimited } from '#platform/errors';

import { answer } from '../call.ts';
import type { Answer, ProductFunction, UserCall } from '../call.ts';
import { readSender } from '../mails/layout.ts';
import { trialMail } from '../mails/trial.ts';
import { readDisk } from '#platform/system-figures';

/** OP-03: « État du système », for an admin. */
export default {
  get: { method: 'GET', callers: ['admin'], run: getState },
  alarms: { method: 'GET', callers: ['admin'], run: getAlarms },
  try_mail_again: { callers: ['admin'], run: tryMailAgain },
  send_trial: { callers: ['admin'], run: sendTrial },
} satisfies ProductFunction;

type FailedMail = {
  readonly id: string;
  readonly template: string;
  readonly created_at: string;
  readonly sealed: string | null;
};

async function getState(call: UserCall): Promise<Answer> {
  const { services } = call;
  const [{ rows }, disk] = await Promise.all([
    call.db.queryAs<{ state: { readonly failed_mails: readonly FailedMail[] } }>(
      call.identity,
      { text: 'select private.system_state() as state' },
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
      failed_mails: state.failed_mails.map((mail) => shown(mail, services)),
      version: programVersion,
      disk: disk === null ? null : { free_bytes: disk.freeBytes, total_bytes: disk.totalBytes },
      is_database_external: services.config.databaseUrl !== null,
      is_mail_configured: services.mail.isConfigured,
      backup_alarm_days: services.config.backupAlarmDays,
    },
  });
}

/** A failed mail with its recipient, and whether it is of any use to try it again. */
function shown({ sealed, ...mail }: FailedMail, { mail: mails, clock, log }: Services): Record<string, unknown> {
  let recipient: string | null = null;
  try {
    recipient = sealed === null ? null : mails.recipientOf(mail.id, Buffer.from(sealed, 'base64'));
  } catch (error) {
    // Sealed with a key that was replaced since: it can be neither read nor sent.
    log.warn({ err: error, mail: mail.id }, 'A mail cannot be opened');
  }
  const hours = HOURS_OF_USE[mail.template];
  const age = clock.now().getTime() - Date.parse(mail.created_at);
  return {
    ...mail,
    recipient,
    is_worth_trying: recipient !== null && (hours === undefined || age < hours * 3_600_000),
  };
}

/** Lifetime of a mail's content (code, link, temporary password). Mails of other kinds do not expire. */
const HOURS_OF_USE: Readonly<Record<string, number | undefined>> = {
  confirmation: 1,
  recovery: 1,
  invite: 1,
  magic_link: 1,
  email_change_new: 1,
  email_change_current: 1,
  reauthentication: 1,
  'commercial-invitation': TEMPORARY_PASSWORD_HOURS,
  'client-invitation': TEMPORARY_PASSWORD_HOURS,
};

async function getAlarms(call: UserCall): Promise<Answer> {
  const { rows } = await call.db.queryAs<{ alarms: unknown }>(
    call.identity,
    { text: 'select private.open_alarms() as alarms' },
    { readOnly: true },
  );
  return answer({ success: true, data: rows[0]?.alarms });
}

const mailChoice = z.object({ mail_id: id('Choisissez un message.', { failure: 'not_found' }) });

async function tryMailAgain(call: UserCall): Promise<Answer> {
  const { mail_id: mailId } = parsePayload(mailChoice, call.body ?? {});
  const { rows } = await call.db.queryAs<{ taken: boolean }>(call.identity, {
    text: 'select private.try_mail_again($1) as taken',
    values: [mailId],
  });
  if (rows[0]?.taken !== true) throw new Failure('not_found');
  const fate = await call.services.mail.waitForFate(mailId);
  return answer({ success: true, fate, message: said[fate] });
}

/** Sent to the asking admin alone. */
async function sendTrial(call: UserCall): Promise<Answer> {
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
  const fate = await services.mail.waitForFate(mailId);
  return answer({ success: true, fate, message: said[fate] });
}

const TRIALS = { capacity: 10, perSeconds: 3600 } as const;

const said = {
  accepted: 'Le serveur d’e-mail a accepté le message',
  under_way: 'Envoi en cours : le serveur d’e-mail n’a pas encore répondu',
  never: 'Le serveur d’e-mail a refusé le message',
} as const;
