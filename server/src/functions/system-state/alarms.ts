import type { AlarmKind } from '@parrain/domain/alarm';
import { alarmWords } from '@parrain/domain/alarm';

import { readSender } from '#platform/mail-layout';
import { recordRun, verifyGently } from '#platform/maintenance';
import type { Transaction } from '#platform/database';
import type { Services } from '#platform/services';

import { alarmMail } from '../mails/alarm.ts';
import { post } from '../webhooks/post.ts';
import type { Disk, SystemFigures } from '#platform/system-figures';
import { readDisk, readSystemFigures } from '#platform/system-figures';

/** An alarm that is due, with what explains it. */
export type DueAlarm = { readonly kind: AlarmKind; readonly details: Readonly<Record<string, unknown>> };

const TASK = 'alarms';
const VERIFICATION_TASK = 'verification';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const GIB = 2 ** 30;

/** Six attempts were refused by then. */
const MAIL_STUCK_AFTER_MS = 30 * MINUTE_MS;
/** A platform's night of maintenance is over by then. */
const E_INVOICES_STUCK_AFTER_MS = DAY_MS;
/** The first steps lead there before (NV-08). */
const LEGAL_NOTICE_DAYS = 7;
/** An alarm that was raised is cleared once there is half as much room again: it does not come and go. */
const DISK_CLEARED_AT = 1.5;

/** Less than a tenth of the disk, at least 1 GiB and no more than 10 GiB. */
function diskLimitBytes({ totalBytes }: Disk): number {
  return Math.min(10 * GIB, Math.max(GIB, totalBytes / 10));
}

/**
 * Lists the alarms that are due now. `raised` are the current ones: some are cleared at a wider threshold than the one that raises them.
 */
export function dueAlarms(
  seen: {
    readonly figures: SystemFigures;
    readonly disk: Disk | null;
    readonly now: Date;
    /** After how many days without a backup; null means that another service makes them. */
    readonly backupDays: number | null;
    readonly hasLegalNotice: boolean;
  },
  raised: ReadonlySet<AlarmKind>,
): readonly DueAlarm[] {
  const { figures, disk, now, backupDays, hasLegalNotice } = seen;
  const { mails, runs } = figures;
  const age = (instant: string | null): number => (instant === null ? -1 : now.getTime() - Date.parse(instant));
  const due: DueAlarm[] = [];

  const isWaiting = age(mails.oldest_waiting_at) > MAIL_STUCK_AFTER_MS;
  const gaveUp = mails.given_up_at !== null && age(mails.given_up_at) < DAY_MS;
  if (isWaiting || gaveUp) {
    const since = isWaiting ? mails.oldest_waiting_at : mails.given_up_at;
    due.push({ kind: 'mail_stuck', details: { since, last_error: mails.last_error } });
  }

  if (disk !== null) {
    const limit = diskLimitBytes(disk) * (raised.has('disk_nearly_full') ? DISK_CLEARED_AT : 1);
    if (disk.freeBytes < limit) {
      due.push({ kind: 'disk_nearly_full', details: { free_bytes: disk.freeBytes, total_bytes: disk.totalBytes } });
    }
  }

  const backedUpAt = runs.backup.last_success_at;
  if (backupDays !== null && age(backedUpAt ?? figures.installed_at) > backupDays * DAY_MS) {
    due.push({ kind: 'backup_too_old', details: { last_success_at: backedUpAt } });
  }

  const verification = runs.verification.last;
  if (verification?.succeeded === false) {
    due.push({ kind: 'invariant_broken', details: { ...verification.details, at: verification.finished_at } });
  }

  if (figures.failing_webhooks.length > 0) {
    due.push({ kind: 'webhook_failing', details: { hosts: figures.failing_webhooks } });
  }

  const { failing_since: failingSince, last_error: lastError } = figures.e_invoices;
  if (age(failingSince) > E_INVOICES_STUCK_AFTER_MS) {
    due.push({ kind: 'e_invoices_stuck', details: { since: failingSince, last_error: lastError } });
  }

  if (!hasLegalNotice && age(figures.installed_at) > LEGAL_NOTICE_DAYS * DAY_MS) {
    due.push({ kind: 'legal_notice_missing', details: {} });
  }
  return due;
}

/**
 * Raises the alarms that are due, clears those whose cause is over. Each that was not raised before is mailed to every
 * admin, in the same transaction: once for as long as it lasts.
 */
export async function evaluateAlarms(services: Services): Promise<void> {
  const { db, clock, config, log } = services;
  const [figures, disk] = await Promise.all([readSystemFigures(db), readDisk(services)]);
  await db.asService(TASK, async (tx) => {
    const before = await tx.query<{ kind: AlarmKind }>('select kind from private.alarms where cleared_at is null');
    const raised = new Set(before.rows.map(({ kind }) => kind));
    const notice = await tx.query('select from private.legal_notice');
    const due = dueAlarms(
      {
        figures,
        disk,
        now: clock.now(),
        backupDays: config.backupAlarmDays,
        hasLegalNotice: notice.rows.length > 0,
      },
      raised,
    );
    const isDue = new Set(due.map(({ kind }) => kind));
    await endAlarms(
      services,
      tx,
      [...raised].filter((kind) => !isDue.has(kind)),
    );
    for (const { kind, details } of due) {
      const { rows } = await tx.query<{ is_new: boolean }>(
        `insert into private.alarms as a (kind, details) values ($1, $2)
         on conflict (kind) where cleared_at is null do update set details = excluded.details
         returning a.xmax = 0 as is_new`,
        [kind, details],
      );
      if (rows[0]?.is_new !== true) continue;
      await tellWebhook(services, tx, kind, 'raised');
      log.error({ alarm: kind, ...details }, 'An alarm is raised');
      const sender = await readSender(tx, services.publicUrl());
      const admins = await tx.query<{ email: string }>(
        `select email from public.profiles where role = 'admin' and deactivated_at is null order by id`,
      );
      for (const { email } of admins.rows) await services.mail.enqueue(tx, alarmMail(sender, email, kind));
    }
  });
}

/** Clears those of the kinds that are raised, in a transaction of the service; each is told as over. */
export async function endAlarms(services: Services, tx: Transaction, kinds: readonly AlarmKind[]): Promise<void> {
  const { rows } = await tx.query<{ kind: AlarmKind }>(
    'update private.alarms set cleared_at = now() where cleared_at is null and kind = any ($1) returning kind',
    [kinds],
  );
  for (const { kind } of rows) {
    services.log.info({ alarm: kind }, 'An alarm is over');
    await tellWebhook(services, tx, kind, 'over');
  }
}

/** An alarm that is raised or over, to ALARM_WEBHOOK_URL: a job, which comes back where the other end is away. */
async function tellWebhook(
  { config, jobs }: Pick<Services, 'config' | 'jobs'>,
  tx: Transaction,
  kind: AlarmKind,
  state: 'raised' | 'over',
): Promise<void> {
  if (config.alarmWebhookUrl !== null) await jobs.enqueue(tx, WEBHOOK_TASK, { kind, state });
}

const WEBHOOK_TASK = 'alarm_webhook';
const WEBHOOK_TIMEOUT_MS = 10_000;

/** The operator gave the address: unlike those of « Intégrations » it may be of a private network. */
async function postAlarm({ config, publicUrl }: Services, payload: unknown, signal: AbortSignal): Promise<void> {
  const { kind, state } = payload as { readonly kind: AlarmKind; readonly state: 'raised' | 'over' };
  if (config.alarmWebhookUrl === null) return;
  const { title, advice } = alarmWords[kind];
  const text = state === 'raised' ? `${title}. À faire : ${advice}` : `Terminé : ${title}`;
  const body = JSON.stringify({ text, alarm: kind, state, installation: publicUrl() });
  const { status, error } = await post(
    config.alarmWebhookUrl,
    { body, headers: {} },
    { isPrivateAllowed: true, timeoutMs: WEBHOOK_TIMEOUT_MS, signal },
  );
  if (status === null || status >= 300) throw new Error(`ALARM_WEBHOOK_URL answered ${status ?? error}`);
}

/** Every five minutes the alarms, every night the invariants: one node does it for all. */
export function defineAlarms(services: Services): void {
  const { jobs, db } = services;
  jobs.define(WEBHOOK_TASK, (payload, { signal }) => postAlarm(services, payload, signal));
  jobs.define(TASK, () => evaluateAlarms(services));
  // The next look is as good as another try.
  jobs.schedule(TASK, '*/5 * * * *', { maxAttempts: 1 });
  jobs.define(
    VERIFICATION_TASK,
    async () => {
      await recordRun(
        async (text, values) => (await db.queryAsService(VERIFICATION_TASK, { text, values })).rows,
        'verification',
        () => verifyGently(db),
      );
      await evaluateAlarms(services);
    },
    { isLong: true },
  );
  // A machine that is turned off at night does it in the morning.
  jobs.schedule(VERIFICATION_TASK, '47 2 * * *', { maxAttempts: 1, catchUpHours: 24 });
}
