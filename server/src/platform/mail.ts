import { mailAttemptsMax, mailKindOf } from '@parrain/domain/sent-mail';
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Transporter } from 'nodemailer';
import { z } from 'zod';

import type { Database, Transaction } from './database.ts';
import { TriedAgain } from './jobs.ts';
import type { Jobs } from './jobs.ts';
import type { Log } from './log.ts';
import type { Secrets } from './secrets.ts';

/** One mail to one person. */
export type Mail = {
  readonly to: string;
  readonly subject: string;
  readonly html: string;
  readonly text: string;
  /** Address for replies, where it is not the sender's. */
  readonly replyTo?: string;
  /** The address that a mail program posts to for « Se désabonner » (RFC 8058). */
  readonly oneClickUrl?: string;
  /** The template, for the record that outlives the mail. */
  readonly template?: string;
  /** The number of attempts before the mail counts as failed; `mailAttemptsMax` where it is not said. */
  readonly attempts?: number;
};

/**
 * The fate of a mail: the SMTP server accepted it; unknown yet (it is queued, being sent, or will be tried again); it was
 * not sent and never will be.
 */
export type MailFate = 'accepted' | 'under_way' | 'never';

export type MailService = {
  /** True when an SMTP server is configured. Without one nothing is enqueued, and the caller shows the mail's content. */
  readonly isConfigured: boolean;
  /**
   * Puts the mail in the queue, inside the caller's transaction: it leaves if and only if that commits.
   * @returns the mail's id, or null where no SMTP server is configured.
   */
  readonly enqueue: (tx: Transaction, mail: Mail) => Promise<string | null>;
  /** The mail's fate, waited for while it is under way and the time lasts. No mail (null) never leaves. */
  readonly waitForFate: (mailId: string | null, timeoutMs?: number) => Promise<MailFate>;
  /**
   * Within the caller's transaction: withdraws a mail that is queued or failed, whose text is deleted. One that is being
   * sent may be sent already, and stays.
   * @returns whether it is certain that the mail was not sent and never will be.
   */
  readonly withdraw: (tx: Transaction, mailId: string | null) => Promise<boolean>;
  /** Says where the company's logo is read when a mail that shows it leaves: null where there is none any more. */
  readonly readLogoBy: (read: ReadLogo) => void;
};

/** The bytes of the company's logo, a PNG. */
export type ReadLogo = () => Promise<Buffer | null>;

/** Content ID of the company's logo in a mail's HTML: the picture travels with the mail, and nothing is fetched. */
export const LOGO_CID = 'logo@parrain';

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
  replyTo: address.optional(),
  oneClickUrl: z.url().optional(),
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
  let readLogo: ReadLogo = () => Promise.resolve(null);
  const readLogoBy = (read: ReadLogo): void => {
    readLogo = read;
  };
  if (smtpUrl === null) {
    return {
      isConfigured: false,
      readLogoBy,
      enqueue: () => Promise.resolve(null),
      waitForFate: () => Promise.resolve('never'),
      withdraw: (tx, mailId) => withdraw(tx, mailId),
    };
  }
  /** Read and opened with the first mail: most starts send none for a while. */
  let opening: Promise<Transporter> | null = null;
  const transport = (): Promise<Transporter> => (opening ??= openTransport(smtpUrl, from));
  /** Mails that this process waits for: notified in memory, without a query. */
  const awaited = new Map<string, () => void>();

  jobs.define(TASK, async (payload, attempt) => {
    // Another version of the program left the text with the job.
    const { id, sealed } = z.object({ id: z.uuid(), sealed: z.base64().nullable().default(null) }).parse(payload);
    // A mail whose process died while it sent is sent again: twice is better than never.
    const { rows } = await database.queryAsService<{ sealed: Buffer }>('mail', {
      text: `update private.mails set status = 'sending', status_since = now(), attempts = attempts + 1,
          sealed = coalesce(sealed, $2)
        where id = $1 and status in ('queued', 'sending') and coalesce(sealed, $2) is not null returning sealed`,
      values: [id, sealed === null ? null : Buffer.from(sealed, 'base64')],
    });
    const [row] = rows;
    // Accepted by an attempt whose end the queue could not record, or withdrawn.
    if (row === undefined) return;
    const mail = sealedMail.parse(JSON.parse(secrets.open(PURPOSE, row.sealed, id).toString()));
    try {
      const smtp = await transport();
      await smtp.sendMail({
        to: { name: '', address: mail.to },
        ...(mail.replyTo === undefined ? {} : { replyTo: { name: '', address: mail.replyTo } }),
        subject: mail.subject.replace(/[\r\n]+/gu, ' '),
        text: mail.text,
        ...(await withLogo(mail.html, readLogo)),
        headers: {
          // No holiday answers it (RFC 3834).
          'Auto-Submitted': 'auto-generated',
          ...(mail.oneClickUrl === undefined
            ? {}
            : {
                // Prepared: an address is not folded.
                'List-Unsubscribe': { prepared: true, value: `<${mail.oneClickUrl}>` },
                'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
              }),
        },
        messageId: `<${id}@${domainOf(from)}>`,
      });
    } catch (error) {
      const reason = reasonOf(error);
      const isOver = isRefusedForEver(error) || attempt.attempts >= attempt.maxAttempts;
      await database.queryAsService('mail', {
        text: `update private.mails set status = $3, status_since = now(), last_error = $2,
            sealed = case when $3 = 'failed' and is_secret then null else sealed end
          where id = $1 and status = 'sending'`,
        values: [id, reason, isOver ? 'failed' : 'queued'],
      });
      log.warn({ mail: id, smtp: reason, attempt: attempt.attempts }, 'A mail was not accepted');
      awaited.get(id)?.();
      // The mail's own record says that it failed: the queue keeps no job of it.
      if (isOver) return;
      // The queue stores the message of the error: the server's own sentence may quote the recipient.
      throw new TriedAgain(`SMTP ${reason}`, { cause: error });
    }
    await database.queryAsService('mail', {
      text: `update private.mails set status = 'accepted', status_since = now(), accepted_at = now(), last_error = null,
        sealed = null where id = $1`,
      values: [id],
    });
    awaited.get(id)?.();
  });

  return {
    isConfigured: true,
    readLogoBy,
    async enqueue(tx, mail) {
      // An account of a telephone or wallet has no address.
      if (mail.to === '') return null;
      const parsed = sealedMail.parse(mail);
      const id = randomUUID();
      const template = mail.template ?? '';
      await tx.asService('enqueue a mail', async () => {
        await tx.query(
          'insert into private.mails (id, template, recipient, is_secret, sealed) values ($1, $2, $3, $4, $5)',
          [
            id,
            template,
            parsed.to.toLowerCase(),
            mailKindOf(template).isSecret,
            secrets.seal(PURPOSE, JSON.stringify(parsed), id),
          ],
        );
      });
      await jobs.enqueue(tx, TASK, { id }, { maxAttempts: mail.attempts ?? mailAttemptsMax });
      return id;
    },
    async waitForFate(mailId, timeoutMs = ACCEPTANCE_TIMEOUT_MS) {
      if (mailId === null) return 'never';
      const deadline = Date.now() + timeoutMs;
      for (;;) {
        const settled = Promise.withResolvers<void>();
        awaited.set(mailId, settled.resolve);
        try {
          const { rows } = await database.queryAsService<{ status: string }>('mail', {
            text: 'select status from private.mails where id = $1',
            values: [mailId],
          });
          const fate = fateOf(rows[0]?.status);
          const left = deadline - Date.now();
          if (fate !== 'under_way' || left <= 0) return fate;
          // Another node may be the one that sends it: then only the database knows.
          await Promise.race([settled.promise, wait(Math.min(left, 250), undefined, { ref: false })]);
        } finally {
          awaited.delete(mailId);
        }
      }
    },
    withdraw,
  };
}

/** The HTML with the picture that it shows; without it where there is no logo any more. */
async function withLogo(
  html: string,
  readLogo: ReadLogo,
): Promise<{ readonly html: string; readonly attachments?: Attachment[] }> {
  if (!html.includes(`cid:${LOGO_CID}`)) return { html };
  const content = await readLogo();
  if (content === null) return { html: html.replace(/<img\s[^>]*cid:logo@parrain[^>]*>/u, '') };
  return { html, attachments: [{ filename: 'logo.png', contentType: 'image/png', cid: LOGO_CID, content }] };
}

type Attachment = {
  readonly filename: string;
  readonly contentType: string;
  readonly cid: string;
  readonly content: Buffer;
};

/** The row's lock decides the race between this and a starting attempt: the second one finds the first one's state. */
async function withdraw(tx: Transaction, mailId: string | null): Promise<boolean> {
  if (mailId === null) return true;
  return tx.asService('withdraw a mail', async () => {
    await tx.query(
      `update private.mails set status = 'withdrawn', status_since = now(), sealed = null
       where id = $1 and status in ('queued', 'failed')`,
      [mailId],
    );
    const { rows } = await tx.query<{ status: string }>('select status from private.mails where id = $1', [mailId]);
    return rows[0]?.status === 'withdrawn';
  });
}

/** A deleted record tells nothing: the mail is so old that it may well have been sent. */
function fateOf(status: string | undefined): MailFate {
  switch (status) {
    case 'accepted':
      return 'accepted';
    case 'failed':
    case 'withdrawn':
      return 'never';
    default:
      return 'under_way';
  }
}

function domainOf(from: string): string {
  return /@([^\s>]+)/u.exec(from)?.[1] ?? 'localhost';
}

/** The error of the SMTP library. */
type SmtpError = {
  readonly code?: string;
  readonly originalCode?: string;
  readonly responseCode?: number;
  readonly response?: string;
  readonly command?: string;
  readonly permanent?: boolean;
};

/**
 * True when no further attempt will help: the server answered 5xx to this recipient or this text, or the library itself refuses them. A 5xx
 * to the connection, the sign-in or the sender is the same for every mail, and may be put right: those are tried again, as is everything
 * temporary (4xx, no connection).
 */
function isRefusedForEver(error: unknown): boolean {
  const { code, responseCode, permanent, command = '' } = error as SmtpError;
  if (responseCode === undefined) return code === 'EENVELOPE' || code === 'EMESSAGE';
  return permanent === true && ['RCPT TO', 'DATA'].includes(command);
}

/** « 550 5.1.1 », « ECONNREFUSED »: never the server's sentence, which may quote the recipient. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { code, originalCode, responseCode, response = '' } = error as SmtpError;
  if (responseCode === undefined) return originalCode ?? code ?? 'unknown';
  const [, enhanced] = /^\d{3}[ -](?<enhanced>[245]\.\d{1,3}\.\d{1,3})\b/u.exec(response) ?? [];
  return enhanced === undefined ? String(responseCode) : `${responseCode} ${enhanced}`;
}
