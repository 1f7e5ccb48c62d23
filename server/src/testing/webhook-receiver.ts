import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

/** A message that a receiver got, as it came. */
export type ReceivedWebhook = {
  readonly id: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  // The shape is what the tests are about.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly payload: any;
};

/** Its answer; null never answers. */
export type ReceiverAnswer = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
} | null;

/** Other software, on this machine: it keeps what it gets. */
export type WebhookReceiver = {
  readonly url: string;
  readonly received: ReceivedWebhook[];
  /** Sets the answer to later messages; 204 before. */
  readonly answerWith: (answer: (message: ReceivedWebhook) => ReceiverAnswer) => void;
  readonly close: () => Promise<void>;
};

export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const received: ReceivedWebhook[] = [];
  let answer: (message: ReceivedWebhook) => ReceiverAnswer = () => ({ status: 204 });
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const headers = request.headers as Record<string, string>;
      const message = {
        id: headers['webhook-id'] ?? '',
        headers,
        text,
        payload: text === '' ? null : JSON.parse(text),
      };
      received.push(message);
      const reply = answer(message);
      if (reply !== null) response.writeHead(reply.status, reply.headers).end(reply.body);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    answerWith(next) {
      answer = next;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** @throws where the official library does not take the message's signature. */
export function verifyWebhook(secret: string, { text, headers }: ReceivedWebhook): void {
  new Webhook(secret).verify(text, { ...headers });
}
