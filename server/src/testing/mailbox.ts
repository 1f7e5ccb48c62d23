import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';

/** A mail as its reader would see it, and the recipients that the envelope named. */
export type ReceivedMail = {
  readonly recipients: readonly string[];
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly html: string;
  readonly text: string;
  readonly attachments: readonly { readonly contentId: string; readonly type: string }[];
  readonly headers: readonly { readonly key: string; readonly value: string }[];
};

/** A real SMTP server that keeps what it is given. */
export type Mailbox = {
  readonly url: string;
  readonly mails: readonly ReceivedMail[];
  /** The next mail to this address that has not been taken yet. @throws Error where none comes in time. */
  readonly take: (recipient: string, timeoutMs?: number) => Promise<ReceivedMail>;
  /** Answers every delivery with this SMTP code, at this point of it, until told otherwise; null accepts again. */
  readonly refuseWith: (code: number | null, stage?: Stage) => void;
  /** Makes every delivery wait for its answer until the function it gives is called. */
  readonly hold: () => () => void;
  /** Makes every delivery wait before its answer. */
  readonly delay: (ms: number) => void;
  readonly close: () => Promise<void>;
};

/** SMTP stage of a refusal: connection, sender, recipient, or end of data. */
export type Stage = 'connection' | 'sender' | 'recipient' | 'text';

export async function startMailbox(): Promise<Mailbox> {
  const mails: ReceivedMail[] = [];
  const untaken: ReceivedMail[] = [];
  let refusal: { readonly code: number; readonly stage: Stage } | null = null;
  let delayMs = 0;
  let held: Promise<void> | null = null;
  const refuseAt = (stage: Stage): Error | null =>
    refusal?.stage === stage
      ? Object.assign(new Error(`${Math.trunc(refusal.code / 100)}.1.1 Not you`), { responseCode: refusal.code })
      : null;

  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onConnect: (_session, done) => done(refuseAt('connection')),
    onMailFrom: (_address, _session, done) => done(refuseAt('sender')),
    onRcptTo: (_address, _session, done) => done(refuseAt('recipient')),
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.once('end', () => {
        void receive(
          Buffer.concat(chunks),
          session.envelope.rcptTo.map((recipient) => recipient.address),
        ).then(
          () => done(),
          (error: unknown) => done(error instanceof Error ? error : new Error(String(error))),
        );
      });
    },
  });
  server.on('error', () => undefined);

  async function receive(raw: Buffer, recipients: readonly string[]): Promise<void> {
    if (held !== null) await held;
    if (delayMs > 0) await wait(delayMs);
    const refused = refuseAt('text');
    if (refused !== null) throw refused;
    const parsed = await PostalMime.parse(raw);
    const mail = {
      recipients,
      from: parsed.from?.address ?? '',
      to: (parsed.to ?? []).map((recipient) => recipient.address ?? '').join(', '),
      subject: parsed.subject ?? '',
      html: parsed.html ?? '',
      text: parsed.text ?? '',
      attachments: parsed.attachments.map(({ contentId = '', mimeType }) => ({ contentId, type: mimeType })),
      headers: parsed.headers.map(({ key, value }) => ({ key, value })),
    };
    mails.push(mail);
    untaken.push(mail);
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;

  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    async take(recipient, timeoutMs = 120_000) {
      const deadline = Date.now() + timeoutMs;
      for (;;) {
        const index = untaken.findIndex((mail) => mail.recipients.includes(recipient));
        const [mail] = index === -1 ? [] : untaken.splice(index, 1);
        if (mail !== undefined) return mail;
        if (Date.now() > deadline) throw new Error(`No mail came to ${recipient}`);
        await wait(20);
      }
    },
    refuseWith(code, stage = 'text') {
      refusal = code === null ? null : { code, stage };
    },
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      return () => {
        held = null;
        resolve();
      };
    },
    delay(ms) {
      delayMs = ms;
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
