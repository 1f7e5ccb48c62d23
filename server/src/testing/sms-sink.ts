import { createServer } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

/** A text message as its provider was asked to carry it. */
export type SentText = {
  readonly to: string;
  readonly text: string;
  readonly from: string | null;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
};

/** A real HTTP server in the place of the company that carries text messages. */
export type SmsSink = {
  /** Value of `SMS_URL`. */
  readonly url: string;
  /** `127.0.0.1:port`, for the address of either kind of provider. */
  readonly host: string;
  readonly texts: readonly SentText[];
  /** The next message to this number that has not been taken yet. @throws Error where none comes in time. */
  readonly take: (to: string, timeoutMs?: number) => Promise<SentText>;
  /** Current answer: a status after a delay; null never answers. */
  readonly answer: (status: number | null, afterMs?: number) => void;
  readonly close: () => Promise<void>;
};

export async function startSmsSink(): Promise<SmsSink> {
  const texts: SentText[] = [];
  const untaken: SentText[] = [];
  let answered: number | null = 200;
  let delayMs = 0;

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const status = answered;
      if (status === null) return;
      const body = Buffer.concat(chunks).toString();
      void wait(delayMs).then(() => {
        if (status < 300) {
          const sent = { ...messageIn(body, request.headers), path: request.url ?? '', headers: request.headers };
          texts.push(sent);
          untaken.push(sent);
        }
        response.writeHead(status, { 'content-type': 'application/json' }).end('{"sid":"SM1"}');
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://jeton@127.0.0.1:${port}/`,
    host: `127.0.0.1:${port}`,
    texts,
    async take(to, timeoutMs = 120_000) {
      const deadline = Date.now() + timeoutMs;
      for (;;) {
        const index = untaken.findIndex((sent) => sent.to === to);
        const [sent] = index === -1 ? [] : untaken.splice(index, 1);
        if (sent !== undefined) return sent;
        if (Date.now() > deadline) throw new Error(`No text message came to ${to}`);
        await wait(20);
      }
    },
    answer(status, afterMs = 0) {
      answered = status;
      delayMs = afterMs;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function messageIn(body: string, headers: IncomingHttpHeaders): Pick<SentText, 'to' | 'text' | 'from'> {
  if (headers['content-type']?.startsWith('application/x-www-form-urlencoded') === true) {
    const form = new URLSearchParams(body);
    return { to: form.get('To') ?? '', text: form.get('Body') ?? '', from: form.get('From') };
  }
  const { to, text } = JSON.parse(body) as { to: string; text: string };
  return { to, text, from: null };
}
