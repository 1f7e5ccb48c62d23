import ece from 'http_ece';
import { SignJWT } from 'jose';
import { createECDH, randomBytes } from 'node:crypto';

import type { Services } from '#platform/services';

import type { PushKey } from './push-key.ts';

/** Push subscription of a browser: its endpoint, and the keys that it alone can decrypt with. */
export type Subscription = {
  readonly endpoint: string;
  readonly p256dh: Buffer;
  readonly auth: Buffer;
};

/** Payload that the service worker shows (web/public/push.js): an address of ours to open, and a tag that two sendings share. */
export type PushPayload = {
  readonly title: string;
  readonly body: string;
  readonly url: string;
  readonly tag: string;
};

/** Old news is told on screen alone. */
export const PUSH_LIFE_S = 86_400;
/** RFC 8292 allows a day; a clock that is ahead is believed too. */
const TOKEN_LIFE_S = 12 * 3600;

/**
 * The request of a message: encrypted for its browser (RFC 8291), signed by the installation (RFC 8292), kept for so many seconds
 * by the push service, where a later one of the same tag takes its place (RFC 8030).
 */
export async function pushRequest(
  services: Pick<Services, 'clock' | 'config' | 'publicUrl'>,
  { publicKey, privateKey }: PushKey,
  { endpoint, p256dh, auth }: Subscription,
  payload: PushPayload,
  ttl: number,
): Promise<{ readonly body: Buffer; readonly headers: Readonly<Record<string, string>> }> {
  const sender = createECDH('prime256v1');
  sender.generateKeys();
  const body = ece.encrypt(Buffer.from(JSON.stringify(payload)), {
    version: 'aes128gcm',
    privateKey: sender,
    dh: p256dh,
    authSecret: auth,
    salt: randomBytes(16),
  });
  const token = await new SignJWT()
    .setProtectedHeader({ typ: 'JWT', alg: 'ES256' })
    .setAudience(new URL(endpoint).origin)
    .setExpirationTime(Math.floor(services.clock.now().getTime() / 1000) + TOKEN_LIFE_S)
    .setSubject(contactOf(services))
    .sign(privateKey);
  return {
    body,
    headers: {
      'content-type': 'application/octet-stream',
      'content-encoding': 'aes128gcm',
      authorization: `vapid t=${token}, k=${publicKey}`,
      ttl: String(ttl),
      urgency: 'normal',
      topic: payload.tag.replaceAll('-', ''),
    },
  };
}

/** Contact given to a push service: the address for security, the installation's own, or the sender of its mails. */
function contactOf({ config, publicUrl }: Pick<Services, 'config' | 'publicUrl'>): string {
  if (config.securityContact !== null) return config.securityContact;
  const address = publicUrl();
  return address.startsWith('https:') ? address : `mailto:${/[^<\s]+@[^>\s]+/u.exec(config.mailFrom)?.[0] ?? ''}`;
}
