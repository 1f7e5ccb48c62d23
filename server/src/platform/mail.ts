import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Transporter } from 'nodemailer';
import { z } from 'zod';

import type { Database, Transaction } from './database.ts';
import type { Jobs } from './jobs.ts';
import type { Log } from './log.ts';
import type { Secrets } from './secrets.ts';

/** One mail to one person. */
export type Mail = {
  readonly to: string;
  readonly subject: string;
  readonly html: string;
  readonly text: string;
  /** Where its reader says that they want no more, which mail programs offer by themselves (RFC 2369). */
  readonly unsubscribeUrl?: string;
  /** Which template made it, for the record that outlives the mail. */
  readonly template?: string;
};

export type MailService = {
  /** Whether an SMTP server is configured. Where none is, nothing is enqueued and the caller shows what it would say. */
  readonly isConfigured: boolean;
  /**
   * Puts the mail in the queue, inside the caller's transaction: it leaves if and only if that commits.
   * @returns the mail's id, or null where no SMTP server is configured.
   */
  readonly enqueue: (tx: Transaction, mail: Mail) => Promise<string | null>;
  /** Whether the SMTP server has accepted the mail within the time; it is tried again later where it has not. */
  readonly waitUntilAccepted: (mailId: string | null, timeoutMs?: number) => Promise<boolean>;
};

async function openTransport(smtpUrl: string, from: string): Promise<Transporter> {
  const { createTransport } = await import('nodemailer');
  return createTransport(smtpUrl, {
    from,
    // A template never names a file or an address to fetch.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

const TASK = 'send_mail';
const PURPOSE = 'mail';
const MAX_ATTEMPTS = 12;
const ACCEPTANCE_TIMEOUT_MS = 5000;

/** An address that can only be one recipient, whatever it is put into. */
const address = z
  .string()
  .max(320)
  .regex(/^[^\s<>,;:"()\\[\]@]+@[^\s<>,;:"()\\[\]@]+$/u);
const sealedMail = z.object({
  to: address,
  subject: z.string(),
  html: z.string(),
  text: z.string(),
  unsubscribeUrl: z.url().optional(),
});

export type MailOptions = {
  readonly smtpUrl: string | null;
  readonly from: string;
};

export function createMailService(
  options: MailOptions,
  database: Database,
  jobs: Jobs,
  secrets: Secrets,
  log: Log,
): MailService {
  const { smtpUrl, from } = options;
  if (smtpUrl === null) {
    return {
      isConfigured: false,
      enqueue: () => Promise.resolve(null),
      waitUntilAccepted: () => Promise.resolve(false),
    };
  }
  /** Read and opened with the first mail: most starts send none for a while. */
  let opening: Promise<Transporter> | null = null;
  const transport = (): Promise<Transporter> => (opening ??= openTransport(smtpUrl, from));
  /** Mails that this process is waiting for: told at once, without asking the database. */
  const awaited = new Map<string, () => void>();

  jobs.define(TASK, async (payload, attempt) => {
    const { id, sealed } = z.object({ id: z.uuid(), sealed: z.string() }).parse(payload);
    const mail = sealedMail.parse(JSON.parse(secrets.open(PURPOSE, Buffer.from(sealed, 'base64'), id).toString()));
    const known = await database.queryAsService<{ status: string }>('mail', {
      text: 'select status from private.mails where id = $1',
      values: [id],
    });
    // Accepted by an attempt whose end could not be recorded by the queue.
    if (known.rows[0]?.status === 'accepted') return;
    try {
      const smtp = await transport();
      await smtp.sendMail({
        to: { name: '', address: mail.to },
        subject: mail.subject.replace(/[\r\n]+/gu, ' '),
        html: mail.html,
        text: mail.text,
        ...(mail.unsubscribeUrl === undefined ? {} : { list: { unsubscribe: mail.unsubscribeUrl } }),
        messageId: `<${id}@${domainOf(from)}>`,
      });
    } catch (error) {
      const isLast = attempt.attempts >= attempt.maxAttempts;
      await database.queryAsService('mail', {
        text: `update private.mails set attempts = attempts + 1, last_error = $2, status = $3
          where id = $1 and status <> 'accepted'`,
        values: [id, smtpCodeOf(error), isLast ? 'failed' : 'queued'],
      });
      log.warn({ mail: id, smtp: smtpCodeOf(error), attempt: attempt.attempts }, 'A mail was not accepted');
      // The queue keeps the message of what is thrown: the server's own sentence may quote the recipient.
      throw new Error(`SMTP ${smtpCodeOf(error)}`, { cause: error });
    }
    await database.queryAsService('mail', {
      text: `update private.mails set attempts = attempts + 1, last_error = null, status = 'accepted', accepted_at = now()
        where id = $1`,
      values: [id],
    });
    awaited.get(id)?.();
  });

  return {
    isConfigured: true,
    async enqueue(tx, mail) {
      // Who signs in by telephone or wallet has no address.
      if (mail.to === '') return null;
      const parsed = sealedMail.parse(mail);
      const id = randomUUID();
      await tx.asService('enqueue a mail', async () => {
        await tx.query('insert into private.mails (id, template) values ($1, $2)', [id, mail.template ?? '']);
      });
      const sealed = secrets.seal(PURPOSE, JSON.stringify(parsed), id).toString('base64');
      await jobs.enqueue(tx, TASK, { id, sealed }, { maxAttempts: MAX_ATTEMPTS });
      return id;
    },
    async waitUntilAccepted(mailId, timeoutMs = ACCEPTANCE_TIMEOUT_MS) {
      if (mailId === null) return false;
      const deadline = Date.now() + timeoutMs;
      const done = Promise.withResolvers<void>();
      awaited.set(mailId, done.resolve);
      try {
        for (;;) {
          const { rows } = await database.queryAsService<{ status: string }>('mail', {
            text: 'select status from private.mails where id = $1',
            values: [mailId],
          });
          const status = rows[0]?.status;
          if (status === 'accepted') return true;
          const left = deadline - Date.now();
          if (status === 'failed' || status === undefined || left <= 0) return false;
          // Another node may be the one that sends it: then only the database knows.
          await Promise.race([done.promise, wait(Math.min(left, 250), undefined, { ref: false })]);
        }
      } finally {
        awaited.delete(mailId);
      }
    },
  };
}

function domainOf(from: string): string {
  return /@([^\s>]+)/u.exec(from)?.[1] ?? 'localhost';
}

function smtpCodeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  if ('responseCode' in error && typeof error.responseCode === 'number') return String(error.responseCode);
  return 'code' in error && typeof error.code === 'string' ? error.code : 'unknown';
}
