import { importJWK, jwtVerify } from 'jose';
import { createDecipheriv, createECDH, createHmac, hkdfSync, randomBytes, randomUUID } from 'node:crypto';
import type { ECDH } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Result of a browser's `PushSubscription.toJSON()`. */
export type BrowserSubscription = {
  readonly endpoint: string;
  readonly keys: { readonly p256dh: string; readonly auth: string };
};

/** A message that the push service took, as its browser reads it. */
export type PushedMessage = {
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The claims of the sender's token. */
  readonly claims: Readonly<Record<string, unknown>>;
  /** The sender's public key. */
  readonly key: string;
  // The shape is what the tests are about.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly payload: any;
};

/** Answer of the service in place of taking a message; null never answers, undefined takes it. */
export type PushAnswer =
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>> }
  | null
  | undefined;

/** A push service on this machine: RFC 8030 for its answers, 8291 for what it reads, 8292 for whom it believes. */
export type PushService = {
  /** A new browser, which only the sender of this key may write to. */
  readonly subscribe: (senderKey: string) => BrowserSubscription;
  /** The browser is gone: 410 from now on. */
  readonly expire: (subscription: BrowserSubscription) => void;
  readonly taken: PushedMessage[];
  /** Why requests were refused that were not what the standards ask for: none in a test that says nothing of it. */
  readonly faults: string[];
  /** Number of requests received, whatever became of them. */
  readonly requests: () => number;
  readonly answerWith: (answer: () => PushAnswer) => void;
  readonly close: () => Promise<void>;
};

type Browser = { readonly ecdh: ECDH; readonly auth: Buffer; readonly senderKey: string; isGone: boolean };

/** The longest body that a push service must take (RFC 8030, 7.2). */
const BODY_MAX = 4096;
const DAY_S = 86_400;

export async function startPushService(): Promise<PushService> {
  const browsers = new Map<string, Browser>();
  const taken: PushedMessage[] = [];
  const faults: string[] = [];
  let requests = 0;
  let answer: () => PushAnswer = () => undefined;
  let origin = '';

  async function take(request: IncomingMessage, body: Buffer): Promise<{ status: number; location?: string }> {
    const browser = browsers.get(request.url ?? '');
    if (browser === undefined) return { status: 404 };
    if (browser.isGone) return { status: 410 };
    if (body.length > BODY_MAX) return { status: 413 };
    const headers = request.headers as Record<string, string>;
    const fault = (status: number, why: string) => {
      faults.push(why);
      return { status };
    };
    if (request.method !== 'POST' || !/^\d+$/u.test(headers['ttl'] ?? '')) return fault(400, 'There is no TTL');
    if (!/^(?:very-low|low|normal|high)$/u.test(headers['urgency'] ?? 'normal'))
      return fault(400, 'The urgency is none');
    if (!/^[\w-]{1,32}$/u.test(headers['topic'] ?? '-')) return fault(400, 'The topic is none');
    if (headers['content-encoding'] !== 'aes128gcm') return fault(415, 'The body is not encrypted');
    const sender = await senderOf(headers['authorization'] ?? '', origin).catch((error: unknown) => String(error));
    if (typeof sender === 'string') return fault(401, sender);
    if (sender.key !== browser.senderKey) return { status: 403 };
    const endpoint = `${origin}${request.url}`;
    try {
      const payload: unknown = JSON.parse(readMessage(body, browser.ecdh, browser.auth).toString());
      taken.push({ endpoint, headers, ...sender, payload });
    } catch (error) {
      // A real one cannot tell: its browser would show nothing.
      return fault(400, String(error));
    }
    return { status: 201, location: `${origin}/message/${randomUUID()}` };
  }

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      requests += 1;
      const instead = answer();
      if (instead === null) return;
      if (instead !== undefined) {
        response.writeHead(instead.status, instead.headers).end();
        return;
      }
      void take(request, Buffer.concat(chunks)).then(({ status, location }) =>
        response.writeHead(status, location === undefined ? {} : { location }).end(),
      );
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const browserOf = ({ endpoint }: BrowserSubscription): Browser => {
    const browser = browsers.get(new URL(endpoint).pathname);
    if (browser === undefined) throw new Error('There is no such browser');
    return browser;
  };
  return {
    subscribe(senderKey) {
      const ecdh = createECDH('prime256v1');
      const p256dh = ecdh.generateKeys('base64url');
      const auth = randomBytes(16);
      const path = `/push/${randomUUID()}`;
      browsers.set(path, { ecdh, auth, senderKey, isGone: false });
      return { endpoint: `${origin}${path}`, keys: { p256dh, auth: auth.toString('base64url') } };
    },
    expire(subscription) {
      browserOf(subscription).isGone = true;
    },
    taken,
    faults,
    requests: () => requests,
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

/**
 * Verifies the sender's token, signed with the key it names (RFC 8292).
 * @throws where it is not to be believed.
 */
async function senderOf(authorization: string, origin: string): Promise<Pick<PushedMessage, 'claims' | 'key'>> {
  const { token, key } =
    /^vapid t=(?<token>[\w-]+\.[\w-]+\.[\w-]+), ?k=(?<key>[\w-]+)$/u.exec(authorization)?.groups ?? {};
  if (token === undefined || key === undefined) throw new Error('There is no token');
  const point = Buffer.from(key, 'base64url');
  const jwk = {
    kty: 'EC',
    crv: 'P-256',
    x: point.subarray(1, 33).toString('base64url'),
    y: point.subarray(33).toString('base64url'),
  };
  const { payload: claims } = await jwtVerify(token, await importJWK(jwk, 'ES256'), {
    audience: origin,
    algorithms: ['ES256'],
    requiredClaims: ['exp', 'sub'],
  });
  if ((claims.exp ?? Infinity) > Date.now() / 1000 + DAY_S) throw new Error('The token lasts for more than a day');
  if (!/^(?:mailto:[^@\s]+@[^@\s]+|https:\/\/\S+)$/u.test(claims.sub ?? ''))
    throw new Error('The token names no contact');
  return { claims, key };
}

/**
 * Reads a message as its browser does, from the text of RFC 8291 and 8188: another reading of it than the library's that wrote it.
 * @throws where it was written for another, or was changed.
 */
export function readMessage(message: Buffer, receiver: ECDH, auth: Buffer): Buffer {
  const salt = message.subarray(0, 16);
  const recordSize = message.readUInt32BE(16);
  const sender = message.subarray(21, 21 + message.readUInt8(20));
  const sealed = message.subarray(21 + sender.length);
  if (sender.length !== 65 || sealed.length > recordSize) throw new Error('The message is not one record of a sender');
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), receiver.getPublicKey(), sender]);
  const secret = createHmac('sha256', createHmac('sha256', auth).update(receiver.computeSecret(sender)).digest())
    .update(Buffer.concat([info, Buffer.of(1)]))
    .digest();
  const derived = (name: string, length: number) =>
    Buffer.from(hkdfSync('sha256', secret, salt, Buffer.from(`Content-Encoding: ${name}\0`), length));
  const decipher = createDecipheriv('aes-128-gcm', derived('aes128gcm', 16), derived('nonce', 12), {
    authTagLength: 16,
  });
  decipher.setAuthTag(sealed.subarray(-16));
  const padded = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
  const end = padded.findLastIndex((byte) => byte !== 0);
  if (padded[end] !== 2) throw new Error('The last record has no end');
  return padded.subarray(0, end);
}
