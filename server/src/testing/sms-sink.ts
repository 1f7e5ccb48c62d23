import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { codeIn } from './links.ts';

/** A provider of text messages that keeps what it is given. */
export type SmsSink = {
  /** For `SMS_URL`. */
  readonly url: string;
  /** Numbers are written with their +. */
  readonly sent: readonly { readonly to: string; readonly text: string }[];
  /** The code of the last message to a number. @throws Error where none came */
  readonly codeTo: (phone: string) => string;
  /** Makes every message fail, or none. */
  readonly refuse: (isRefusing: boolean) => void;
  readonly close: () => Promise<void>;
};

export async function startSmsSink(): Promise<SmsSink> {
  const sent: { to: string; text: string }[] = [];
  let isRefusing = false;
  const provider = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      if (!isRefusing) sent.push(JSON.parse(text) as { to: string; text: string });
      response.writeHead(isRefusing ? 500 : 200).end();
    });
  });
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
  const { port } = provider.address() as AddressInfo;
  return {
    url: `http://jeton@127.0.0.1:${port}/sms`,
    sent,
    codeTo: (phone) => codeIn(sent.findLast(({ to }) => to === phone)?.text ?? ''),
    refuse(refusing) {
      isRefusing = refusing;
    },
    close: () => new Promise((resolve) => provider.close(() => resolve())),
  };
}
