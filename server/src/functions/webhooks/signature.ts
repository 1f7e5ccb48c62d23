import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const SECRET_BYTES = 24;

/** A new secret, as receivers' libraries take it (Standard Webhooks). */
export function newWebhookSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

/** The headers of a message, signed with each secret that is valid (Standard Webhooks). `at` is in seconds. */
export function signedHeaders(
  message: { readonly id: string; readonly at: number; readonly body: string },
  secrets: readonly string[],
): Readonly<Record<string, string>> {
  const { id, at, body } = message;
  return {
    'webhook-id': id,
    'webhook-timestamp': String(at),
    'webhook-signature': secrets
      .map((secret) => {
        const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
        return `v1,${createHmac('sha256', key).update(`${id}.${at}.${body}`).digest('base64')}`;
      })
      .join(' '),
  };
}
