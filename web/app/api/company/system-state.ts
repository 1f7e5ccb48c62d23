import type { AlarmKind } from '@parrain/domain/alarm';
import { queryOptions } from '@tanstack/react-query';
import { callFunction } from '../transport/call-function.ts';
import { queryClient } from '../transport/query-client.ts';

export interface Alarm {
  kind: AlarmKind;
  raisedAt: string;
}

export interface FailedJobs {
  task: string;
  count: number;
  failedAt: string;
}

export interface MaintenanceRun {
  finishedAt: string;
  succeeded: boolean;
  /** The run's failures. */
  error: string | null;
}

export interface SystemState {
  version: string;
  postgresVersion: string;
  schema: { last: string; count: number; appliedAt: string };
  mail: {
    isConfigured: boolean;
    queued: number;
    retried: number;
    sending: number;
    failed: number;
    lastError: string | null;
  };
  jobs: { waiting: number; retried: number; failed: number };
  failedJobs: readonly FailedJobs[];
  /** Hosts of those that are off. */
  webhooks: { on: number; off: readonly string[]; waiting: number; oldestWaitingAt: string | null };
  apiKeys: { alive: number; lastUsedAt: string | null };
  /** Null where the database is another machine's. */
  disk: { freeBytes: number; totalBytes: number } | null;
  databaseBytes: number;
  tables: readonly { name: string; bytes: number; rows: number }[];
  backup: { last: MaintenanceRun | null; lastSuccessAt: string | null; alarmDays: number | null };
  verification: {
    last: (MaintenanceRun & { invariants: number; broken: readonly string[] }) | null;
  };
  alarms: readonly Alarm[];
  /** DF-47: the public pages say who publishes and hosts them. */
  hasLegalNotice: boolean;
}

/** Fate of a mail that was just sent. */
export type MailFate = 'accepted' | 'under_way' | 'never';

/** Its fate, in words; `error` is the mail server's code where it refused. */
export interface SentNow {
  fate: MailFate;
  message: string;
  error?: string | null;
}

/** Realtime tells nothing of the server's own state: it is polled. */
const STATE_POLL_MS = 15_000;
const ALARMS_POLL_MS = 60_000;

/** OP-03: « État du système ». */
export const systemStateQuery = queryOptions({
  queryKey: ['system-state'],
  queryFn: async () =>
    toState((await callFunction<{ data: Row }>('system-state', { method: 'GET', query: { action: 'get' } })).data),
  refetchInterval: STATE_POLL_MS,
  refetchOnWindowFocus: 'always',
});

/** The alarms whose cause lasts. */
export const alarmsQuery = queryOptions({
  queryKey: ['system-alarms'],
  queryFn: async () =>
    (await callFunction<{ data: AlarmRow[] }>('system-state', { method: 'GET', query: { action: 'alarms' } })).data.map(
      toAlarm,
    ),
  refetchInterval: ALARMS_POLL_MS,
  refetchOnWindowFocus: 'always',
});

/** FX-29: sends a mail that failed once more; gives what became of it. */
export function tryMailAgain(mailId: string): Promise<SentNow> {
  return send({ action: 'try_mail_again', mail_id: mailId });
}

/** A message of trial, to the admin who asks. */
export function sendTrialMail(): Promise<SentNow> {
  return send({ action: 'send_trial' });
}

async function send(body: Readonly<Record<string, unknown>>): Promise<SentNow> {
  try {
    return await callFunction('system-state', { body });
  } finally {
    void queryClient.invalidateQueries({ queryKey: systemStateQuery.queryKey });
    void queryClient.invalidateQueries({ queryKey: ['sent-mails'] });
  }
}

interface AlarmRow {
  kind: AlarmKind;
  raised_at: string;
}

interface RunRow {
  finished_at: string;
  succeeded: boolean;
  details: { error?: string; invariants?: number; broken?: { sentence: string }[] } | null;
}

interface Row {
  version: string;
  postgres_version: string;
  schema: { last: string; count: number; applied_at: string };
  is_mail_configured: boolean;
  mails: { queued: number; retried: number; sending: number; failed: number; last_error: string | null };
  jobs: { waiting: number; retried: number; failed: number };
  webhooks: { on: number; off: string[]; waiting: number; oldest_waiting_at: string | null };
  api_keys: { alive: number; last_used_at: string | null };
  failed_jobs: { task: string; number: number; failed_at: string }[];
  disk: { free_bytes: number; total_bytes: number } | null;
  database_bytes: number;
  tables: { name: string; bytes: number; number: number }[];
  runs: Record<'backup' | 'verification', { last: RunRow | null; last_success_at: string | null }>;
  backup_alarm_days: number | null;
  alarms: AlarmRow[];
  has_legal_notice: boolean;
}

function toAlarm(row: AlarmRow): Alarm {
  return { kind: row.kind, raisedAt: row.raised_at };
}

function toRun(row: RunRow): MaintenanceRun {
  return { finishedAt: row.finished_at, succeeded: row.succeeded, error: row.details?.error ?? null };
}

function toState(row: Row): SystemState {
  const { backup, verification } = row.runs;
  return {
    version: row.version,
    postgresVersion: row.postgres_version,
    schema: { last: row.schema.last, count: row.schema.count, appliedAt: row.schema.applied_at },
    mail: {
      isConfigured: row.is_mail_configured,
      queued: row.mails.queued,
      retried: row.mails.retried,
      sending: row.mails.sending,
      failed: row.mails.failed,
      lastError: row.mails.last_error,
    },
    jobs: { waiting: row.jobs.waiting, retried: row.jobs.retried, failed: row.jobs.failed },
    failedJobs: row.failed_jobs.map((job) => ({ task: job.task, count: job.number, failedAt: job.failed_at })),
    webhooks: {
      on: row.webhooks.on,
      off: row.webhooks.off,
      waiting: row.webhooks.waiting,
      oldestWaitingAt: row.webhooks.oldest_waiting_at,
    },
    apiKeys: { alive: row.api_keys.alive, lastUsedAt: row.api_keys.last_used_at },
    disk: row.disk && { freeBytes: row.disk.free_bytes, totalBytes: row.disk.total_bytes },
    databaseBytes: row.database_bytes,
    tables: row.tables.map((table) => ({ name: table.name, bytes: table.bytes, rows: table.number })),
    backup: {
      last: backup.last && toRun(backup.last),
      lastSuccessAt: backup.last_success_at,
      alarmDays: row.backup_alarm_days,
    },
    verification: {
      last: verification.last && {
        ...toRun(verification.last),
        invariants: verification.last.details?.invariants ?? 0,
        broken: (verification.last.details?.broken ?? []).map(({ sentence }) => sentence),
      },
    },
    alarms: row.alarms.map(toAlarm),
    hasLegalNotice: row.has_legal_notice,
  };
}
