import type { lookup } from 'node:dns';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { startWebhookReceiver } from '../../testing/webhook-receiver.ts';
import type { WebhookReceiver } from '../../testing/webhook-receiver.ts';
import { post } from './post.ts';
import { isPublicAddress } from '../../platform/public-address.ts';

// WH-02: an address that an admin types is called by the server, which stands where no stranger does.

let receiver: WebhookReceiver;
beforeAll(async () => {
  receiver = await startWebhookReceiver();
});
afterAll(() => receiver.close());

const message = { body: '{}', headers: {} };
const { signal } = new AbortController();
const strict = { isPrivateAllowed: false, timeoutMs: 120_000, signal };

/** A name server that answers these, each time the next ones. */
function answering(...answers: readonly (readonly string[])[]): { resolve: typeof lookup; asked: string[] } {
  const asked: string[] = [];
  const resolve = ((name: string, _options: unknown, callback: (...result: unknown[]) => void) => {
    const addresses = answers[Math.min(asked.length, answers.length - 1)] ?? [];
    asked.push(name);
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  }) as unknown as typeof lookup;
  return { resolve, asked };
}

test.each([
  '127.0.0.1',
  '127.1.2.3',
  '10.0.0.8',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '169.254.169.254',
  '100.64.0.1',
  '0.0.0.0',
  '192.0.0.170',
  '192.0.2.1',
  '198.18.0.1',
  '198.51.100.7',
  '203.0.113.7',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:8.8.8.8',
  '64:ff9b::7f00:1',
  'fc00::1',
  'fd00:ec2::254',
  'fe80::1',
  'ff02::1',
  '2001::1',
  '2001:db8::1',
  '2002:7f00:1::',
  '3fff::1',
  'example.com',
  '',
])('[WH-02] %s is no place of the public internet', (address) => {
  expect(isPublicAddress(address)).toBe(false);
});

test.each(['8.8.8.8', '172.32.0.1', '100.128.0.1', '193.0.0.1', '2a01:4f8::1', '2606:4700::1111'])(
  '[WH-02] %s is one',
  (address) => {
    expect(isPublicAddress(address)).toBe(true);
  },
);

describe('[WH-02] nothing is sent', () => {
  test.each([
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0177.0.0.1/',
    'https://127.1/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:a9fe:a9fe]/',
    'https://169.254.169.254/latest/meta-data/',
  ])('to %s, whatever its notation, and no name server is asked', async (url) => {
    const { resolve, asked } = answering(['8.8.8.8']);
    expect(await post(url, message, { ...strict, resolve })).toMatchObject({ status: null, error: 'private_address' });
    expect(asked).toEqual([]);
  });

  test.each([[['127.0.0.1']], [['8.8.8.8', '10.0.0.1']], [['2606:4700::1111', '::1']], [[]]])(
    'to a name of %j',
    async (addresses) => {
      const { resolve } = answering(addresses);
      expect(await post('https://crm.example/', message, { ...strict, resolve })).toMatchObject({
        error: 'private_address',
      });
    },
  );

  test('to a private address that a name has at its second question: it is asked once a try, and what was checked is used', async () => {
    const port = new URL(receiver.url).port;
    const { resolve, asked } = answering(['127.0.0.1'], ['8.8.8.8']);
    const tries = await post(`https://crm.example:${port}/`, message, { ...strict, resolve });
    expect([tries.error, asked, receiver.received]).toEqual(['private_address', ['crm.example'], []]);
  });

  test('in clear', async () => {
    expect(await post('http://crm.example/', message, strict)).toMatchObject({ error: 'not_https' });
  });
});

const local = { ...strict, isPrivateAllowed: true };

test('[WH-02] a redirect is an answer like any other: nobody follows it', async () => {
  const target = await startWebhookReceiver();
  receiver.answerWith(() => ({ status: 302, headers: { location: target.url } }));
  expect(await post(receiver.url, message, local)).toMatchObject({ status: 302, error: null });
  expect(target.received).toEqual([]);
  await target.close();
});

test('[WH-02] of an answer its first kilobyte is kept, without what a log cannot show', async () => {
  receiver.answerWith(() => ({ status: 200, body: `\u001B[2J\0é\u202E${'x'.repeat(1_000_000)}` }));
  const { answer } = await post(receiver.url, message, local);
  expect(answer?.startsWith('�[2J�é�xxx')).toBe(true);
  expect(Buffer.byteLength(answer ?? '')).toBeLessThan(1100);
});

test('[WH-02] a receiver that does not answer is left after its time, one that asks for patience says for how long', async () => {
  receiver.answerWith(() => null);
  expect(await post(receiver.url, message, { ...local, timeoutMs: 50 })).toMatchObject({ error: 'timeout' });
  receiver.answerWith(() => ({ status: 429, headers: { 'retry-after': '120' } }));
  expect(await post(receiver.url, message, local)).toMatchObject({ status: 429, retryAfter: 120 });
});

test('[WH-02] nobody behind the address, or no such name, is said', async () => {
  const gone = await startWebhookReceiver();
  await gone.close();
  expect(await post(gone.url, message, local)).toMatchObject({ error: 'refused' });
  expect(await post('https://crm.invalid/', message, local)).toMatchObject({ error: 'unknown_host' });
  // A certificate that is none: the receiver speaks in clear.
  expect(await post(receiver.url.replace('http:', 'https:'), message, local)).toMatchObject({ status: null });
});
